// Reads what the recorder left (interpose/core/spool_format.hpp), however damaged: what cannot be read is
// counted in diagnostics, the rest is taken.
#pragma once
#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "base/diagnostic.hpp"
#include "interpose/core/spool_format.hpp"
#include "trace/trace.hpp"

namespace ww::spool {

// An exchange of clocks with rank 0.
struct SpoolClockPair {
  std::int64_t ticks = 0, monotonic_ns = 0;  // of this rank's clocks, at one instant
  std::int64_t root_ticks_offset = 0;        // at at_ticks
  std::int64_t at_ticks = 0;
  double uncertainty_ticks = 0;
  double deviation_ticks = 0;  // standard deviation
  bool same_clock = false;
  std::int64_t took_ns = 0, cpu_ns = 0;  // of the recorder's thread, if it was one
};

struct RecordedProcess {
  std::int32_t size = 0;                 // 0: of a task
  std::optional<std::uint64_t> address;  // of a task
  std::string host, boot_id, program, mpi, mpi_version;
  std::int64_t pid = 0;
  double ticks_per_s = 0;
  std::int64_t ticks = 0, monotonic_ns = 0, realtime_ns = 0;
  double dilation = 1;
  std::string spawned_by;  // "WORLD.RANK.NUMBER"; empty: by the launcher
};

// A member of a communicator from outside of its process's MPI_COMM_WORLD: the one at `place` of the remote
// group of the communicator `comm` of the same process.
struct ForeignMember {
  std::int32_t member = 0;  // index into the ranks
  std::uint32_t comm = 0;
  std::int32_t place = 0;
};

struct CommDefinition {
  std::uint32_t id = 0;
  std::string kind, name;
  bool all_tasks = false;  // they are its members, whoever they are: `ranks` is empty until they are known
  std::vector<std::int32_t> ranks;  // world ranks, -1: not of this world; of an intercommunicator: own group
  std::vector<std::int32_t> remote_ranks;  // of an intercommunicator, else empty
  std::vector<ForeignMember> foreign, remote_foreign;
  std::optional<std::int64_t> made;        // tells it from others of the same members, on all of them alike
  std::optional<std::string> other_world;  // whose processes the remote group is (spool_format.hpp)
};

struct NameDefinition {
  enum class Use : std::uint8_t { region, marker, integer, real } use = Use::marker;
  std::string text;
  std::string unit;  // of a value; often none
};

// A window or a file; its members are those of the communicator of the same id.
struct ObjectDefinition {
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t mode = 0;  // of a file
};

struct Usage {
  std::int64_t cpu_ns = 0, elapsed_ns = 0, involuntary_switches = 0, polled_ns = 0;
  std::int64_t waited_ns = -1;                                  // -1: not known
  std::int64_t arithmetic_begin_ns = 0, arithmetic_end_ns = 0;  // 0: not measured
};

struct ProcessEnd {
  std::string reason;
  std::int64_t ticks = 0, monotonic_ns = 0;
};

struct RankDefinitions {
  std::optional<RecordedProcess> process;
  std::vector<SpoolClockPair> clocks;
  std::string
      counter;  // ranks of the same counter share what any of them exchanged; "": it is this rank's own
  std::vector<CommDefinition> comms;
  std::map<std::uint32_t, std::uint64_t> peers;  // of a task: addresses by their index
  std::vector<ObjectDefinition> windows, files;
  std::vector<std::string> calls;                 // name by number; empty if missing
  std::vector<std::string> call_meanings;         // likewise (call_meaning.hpp); shorter: by their names
  std::map<std::uint32_t, NameDefinition> names;  // of regions, values and markers, by their number
  std::optional<Usage> usage;
  // What else the rank says of its run ("fact" of spool_format.hpp), by name: JSON text, as it stands in run.json.
  std::map<std::string, std::string> facts;
  std::optional<ProcessEnd> end;  // absent: the rank was killed
};

// A .defs file's text. Lines that say nothing sensible are counted under "damaged-definition".
RankDefinitions parse_definitions(std::string_view text, Diagnostics& diagnostics);

// One thread's records, mapped.
class Records {
 public:
  // Nothing: it is no spool, or cut off before its first record, which is counted. Errors: it may be whole
  // but cannot be read now (no permission, too many open files, no memory): then nothing may take its place.
  // `growing`: it is still written to, and cut when its program ends; what it holds by now is taken.
  static Result<std::optional<Records>> open(const std::filesystem::path& file, Diagnostics& diagnostics,
                                             bool growing = false);
  Records(Records&& other) noexcept;
  Records& operator=(Records&& other) noexcept;
  ~Records();

  const SpoolHeader& header() const { return header_; }
  std::size_t size() const { return size_; }
  Record operator[](std::size_t index) const {
    WW_INVARIANT(index < size_);
    Record record;
    std::memcpy(&record, static_cast<const char*>(map_) + header_bytes + index * sizeof(Record),
                sizeof record);
    return record;
  }
  // Of a growing one: the call that the thread was in (GrowingSpool::standing).
  const std::optional<Record>& standing() const { return standing_; }
  // Records [from, to) were read: from time to time the pages so far leave this process.
  void passed(std::size_t from, std::size_t to) const {
    if (from / release_records != to / release_records) release();
  }
  void release() const;

 private:
  static constexpr std::size_t release_records = std::size_t{1} << 18;  // 12 MiB
  Records() = default;
  void* map_ = nullptr;
  std::size_t map_bytes_ = 0;
  std::size_t size_ = 0;
  SpoolHeader header_{};
  std::optional<Record> standing_;
};

struct RankSpool {
  std::int32_t rank =
      0;  // in the trace: the ranks of the first MPI_COMM_WORLD, then those of each spawned one
  std::int32_t world = 0, world_rank = 0;
  std::optional<std::uint64_t> address;  // of a task
  std::vector<std::int32_t> peer_ranks;  // of a task: ranks of the trace by index, -1: there is no such peer
  RankDefinitions definitions;
  std::vector<Records> threads;  // by number of the thread; none where somebody else reads the records
};

// Several processes share the ranks: each reads the definitions of all and the records of some.
struct SpoolShare {
  std::function<bool(std::size_t)> mine;  // by place in the result
  Diagnostics* of_mine = nullptr;         // takes what concerns one rank only, if set
  bool growing = false;                   // they are still written to
};

// All ranks of DIR/spool, by rank; the definitions name ranks of the trace (spool_worlds.hpp, spool_tasks.hpp).
// Error: there
// is no spool, or nothing in it can be read.
Result<std::vector<RankSpool>> read_spools(const std::filesystem::path& spool_dir, Diagnostics& diagnostics,
                                           const SpoolShare* share = nullptr);

}  // namespace ww::spool
