// The calls that spools hold by now, and nothing of what became of messages: of a run that still goes, hangs or was killed, or that nobody
// unified yet. Their times are those that the archive will have, as far as later exchanges of clocks do not change them.
#pragma once
#include <memory>

#include "trace/spool_basis.hpp"
#include "trace/thread_rows.hpp"

namespace ww::spool {

class SpoolCalls {
 public:
  // Of DIR/spool; the spool may be cut, unified and removed meanwhile. Errors: those of read_spools, and nobody names the calls.
  static Result<std::shared_ptr<const SpoolCalls>> open(const std::filesystem::path& dir);

  // Hosts and programs of the ranks, names, communicators, and what was met; no calls. The program of a rank that still runs ends now.
  const Trace& frame() const { return frame_; }
  // The outermost calls of a rank in the order of entering; one that has not returned ends where the rank does. Of threads that call at once
  // the pieces that are the archive's rows. May be called for several ranks at once.
  Result<void> read(std::size_t rank, const TakeCall& take) const;

 private:
  SpoolCalls() = default;
  void name_calls(std::size_t threads);
  void find_programs(bool running);
  struct Standing {
    std::size_t thread = 0;
    std::int64_t enter_ns = 0;
    std::uint16_t call = 0;
  };
  std::vector<Standing> standing_of(std::size_t spool) const;
  std::int64_t ns_at(std::size_t spool, std::uint64_t ticks) const {
    return basis_.time.to_ns(*basis_.maps[spool], ticks);
  }

  std::vector<RankSpool> spools_;
  Basis basis_;
  Trace frame_;
  std::vector<std::vector<std::uint16_t>> region_of_;  // by spool and number of the call
  std::vector<std::size_t> spool_of_;                  // by rank; as many as there are spools: none
};

}  // namespace ww::spool
