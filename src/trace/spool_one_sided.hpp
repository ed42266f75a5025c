// The records about windows of one rank, decoded in the order of time: which operations each synchronisation
// completes follows from MPI's rules (MPI 3.1, 11.5): a flush or unlock completes those to its target on both
// sides, a fence those of its window; MPI_Win_complete and flush_local complete at the origin only.
#pragma once
#include <map>
#include <unordered_map>

#include "interpose/core/spool_format.hpp"
#include "trace/one_sided_action.hpp"
#include "trace/trace.hpp"

namespace ww::spool {

class OneSidedDecoder {
 public:
  // windows: local id to index into `all_windows`
  OneSidedDecoder(std::int32_t self, const std::unordered_map<std::uint32_t, std::uint32_t>& windows,
                  const std::vector<Window>& all_windows, const std::vector<Comm>& comms)
      : self_(self), windows_(windows), all_windows_(all_windows), comms_(comms) {}

  // False: the record names what is not defined.
  bool take(const Record& record, std::vector<OneSidedAction>& out);
  // The request of an operation was completed, or found open. False: it is no operation on a window.
  bool take_request(std::uint64_t request, bool complete, std::vector<OneSidedAction>& out);

 private:
  struct Issued {
    std::uint64_t operation;
    bool done_here;
  };
  // Operations that are not known to be complete at their target, in the order of their issue.
  struct ToTarget {
    std::vector<Issued> issued;
    std::size_t done_here = 0;  // as many of the first are all complete at the origin
  };
  enum class Reach : std::uint8_t { origin, target, nothing_more };
  struct Epochs {
    std::map<std::int32_t, ToTarget> open;       // by target
    std::vector<std::int32_t> access, exposure;  // groups of MPI_Win_start and MPI_Win_post
  };

  // target -1: all. nothing_more: at the origin, and nobody will tell of the target.
  void complete(std::uint32_t window, std::int32_t target, Reach reach, std::vector<OneSidedAction>& out);
  void complete(std::uint32_t window, std::int32_t target, ToTarget& to, Reach reach,
                std::vector<OneSidedAction>& out);
  bool take_transfer(const Record& record, std::uint32_t window, std::int32_t target,
                     std::vector<OneSidedAction>& out);
  bool take_sync(const Record& record, std::uint32_t window, std::int32_t target,
                 std::vector<OneSidedAction>& out);

  const std::int32_t self_;
  const std::unordered_map<std::uint32_t, std::uint32_t>& windows_;
  const std::vector<Window>& all_windows_;
  const std::vector<Comm>& comms_;
  std::unordered_map<std::uint32_t, Epochs> epochs_;  // by window
  struct Requested {
    std::uint32_t window;
    std::int32_t target;
    std::uint64_t operation;
  };
  std::unordered_map<std::uint64_t, Requested> requests_;  // by serial of the recorder
  std::uint64_t next_operation_ = 1;
};

}  // namespace ww::spool
