// OTF2 archives, written call by call or from a whole trace.
#pragma once
#include <memory>
#include <mutex>

#include "trace/otf2_common.hpp"
#include "trace/otf2_location.hpp"

namespace ww::otf2 {

// How well a rank's clock was known at an instant (nanoseconds of the trace): the standard deviation of its
// correction.
struct ClockPoint {
  std::int64_t at_ns = 0;
  double deviation_ns = 0;
};

// What is known at the end.
struct ArchiveDefinitions {
  std::vector<std::string> hosts;               // by rank
  std::vector<std::uint64_t> addresses;         // by rank, of tasks; else empty
  std::vector<std::vector<ClockPoint>> clocks;  // by rank, by time; may be empty
  std::int64_t realtime_begin_ns = 0;           // wall clock at time 0
  bool volumes_told = true;                     // Trace::volumes_told
};

// Times are written in nanoseconds, clocks already corrected; the ClockOffset records are therefore 0 and
// carry the deviation. Events leave the memory in pieces of 256 KiB. open, close and what is done with
// different locations may happen in different threads (libotf2 takes its own locks,
// OTF2_Archive_SetLockingCallbacks).
class ArchiveWriter {
 public:
  // DIR/traces.otf2, DIR/traces.def, DIR/traces/. DIR exists and holds no archive. `names` lives as long.
  static Result<std::unique_ptr<ArchiveWriter>> create(const std::filesystem::path& dir, const Names& names);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  Result<std::unique_ptr<LocationWriter>> open(OTF2_LocationRef id, std::uint32_t rank, std::string name);
  Result<void> close(std::unique_ptr<LocationWriter> location);
  // Several processes write one archive: all but one write a part of it, in a directory of their own, and
  // hand over what they closed. Nothing more is written to a part. Errors: as of finish.
  Result<nlohmann::json> hand_over();
  // Takes over the part that lies in `part`.
  Result<void> adopt(const std::filesystem::path& part, const nlohmann::json& handed);
  // All locations are closed. Gives the number of events.
  Result<std::uint64_t> finish(const ArchiveDefinitions& definitions);

 private:
  struct Location {
    OTF2_LocationRef id;
    std::uint32_t rank;
    std::string name;
    std::uint64_t events;
  };
  ArchiveWriter(std::filesystem::path dir, const Names& names) : dir_(std::move(dir)), names_(names) {}
  tl::unexpected<Error> failure(OTF2_ErrorCode code) const;

  std::filesystem::path dir_;
  const Names& names_;
  QuietErrors quiet_;
  OTF2_Archive* archive_ = nullptr;
  std::mutex mutex_;
  std::vector<Location> locations_;
  std::int64_t last_ns_ = 0;
};

// A whole trace, without its one-sided communication and its files. The order of actions within calls is kept,
// and which thread made them; what one thread begins as another ends is a nanosecond later.
Result<void> write_archive(const Trace& trace, const std::filesystem::path& dir);

}  // namespace ww::otf2
