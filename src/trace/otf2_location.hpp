// The events of one location of an archive that is being written.
#pragma once
#include <otf2/otf2.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/call_action.hpp"
#include "trace/call_meaning.hpp"
#include "trace/spool_comms.hpp"

namespace ww::otf2 {

OTF2_CollectiveOp to_otf2(CollectiveOp op);
std::int32_t started_tag(OTF2_CollectiveOp op);  // RankTrace::tag of a collective that MPI_Start began
OTF2_RegionRole role_of(const CallMeaning& meaning);

// Ranks within communicators, which is how OTF2's records name peers.
class CommRanks {
 public:
  explicit CommRanks(const std::vector<Comm>& comms);
  std::uint32_t rank_in(std::uint32_t comm, std::int32_t world_rank) const;

 private:
  const std::vector<Comm>& comms_;
  std::vector<std::unordered_map<std::int32_t, std::uint32_t>> places_;
};

// What all locations of an archive share.
struct Names {
  const std::vector<std::string>& regions;
  std::vector<CallMeaning> meanings;  // of the regions
  const std::vector<Comm>& comms;
  const UserNames& user;
  std::vector<Window> windows = {};
  // Groups of processes that epochs of windows name, and their numbers among these.
  std::map<std::vector<std::int32_t>, std::uint32_t> groups = {};
  spool::OpenedFiles files = {};
  CommRanks ranks{comms};

  // Regions of the program come after the calls; texts are the first strings.
  OTF2_RegionRef user_region(std::uint32_t index) const {
    return static_cast<OTF2_RegionRef>(regions.size() + index);
  }
};

// Not thread-safe itself; different locations may be written by different threads.
class LocationWriter {
 public:
  LocationWriter(const Names& names, OTF2_EvtWriter* writer, OTF2_LocationRef id, std::uint32_t rank,
                 std::string name);
  ~LocationWriter();
  LocationWriter(const LocationWriter&) = delete;
  LocationWriter& operator=(const LocationWriter&) = delete;

  // Calls come in the order of time. Order within a call: all that begins, at its entry; then all that
  // completes, at its return.
  void call(const RecordedCall& call) {
    enter(call);
    leave(call);
  }
  // The same in two, with nested calls between them.
  void enter(const RecordedCall& call);
  void leave(const RecordedCall& call);
  // Likewise, between calls; what is entered is left again, in the reverse order.
  void user(const UserEvent& event);
  OTF2_ErrorCode error() const { return error_; }

 private:
  friend class ArchiveWriter;
  void check(OTF2_ErrorCode code) {
    if (error_ == OTF2_SUCCESS) error_ = code;
  }
  void add_flags(std::uint8_t flags);
  void add_way(std::uint64_t at, const CallAction& action);
  void write_wait(const KnownWait& wait);
  void write_begin(std::uint64_t at, const CallAction& action);
  void write_sent_to(std::uint64_t at, const CallAction& action);
  void write_completion(std::uint64_t at, const RecordedCall& call, const CallAction& action);
  CollectiveOp op_of(std::uint16_t region) const;

  const Names& names_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* list_;
  OTF2_LocationRef id_;
  std::uint32_t rank_;
  std::string name_;
  std::int64_t last_ns_ = 0;
  std::uint64_t events_ = 0;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
};

}  // namespace ww::otf2
