#include "trace/otf2_read.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "trace/otf2_archive.hpp"
#include "trace/otf2_events.hpp"

namespace ww::otf2 {
namespace {

// A location whose events go to the taker, or wait to be taken among those of other threads.
class FedLocation {
 public:
  FedLocation(OpenArchive& archive, const OTF2_EvtReaderCallbacks* callbacks,
              const LocationDefinition& location, Feed feed)
      : feed_(std::move(feed)), reader_(archive, callbacks, location, &feed_) {}
  FedLocation(const FedLocation&) = delete;
  FedLocation& operator=(const FedLocation&) = delete;

  // There is an event that waits, if there is any left.
  bool refill() {
    constexpr std::uint64_t few = 1 << 12;
    while (feed_.later.empty())
      if (!reader_.read(few)) return false;
    return true;
  }
  Feed& feed() { return feed_; }
  LocationReader& reader() { return reader_; }

 private:
  Feed feed_;
  LocationReader reader_;
};

// The events of a rank's threads, those of several in the order of their times.
Result<std::uint64_t> read_locations(OpenArchive& archive, const OTF2_EvtReaderCallbacks* callbacks,
                                     const std::vector<LocationDefinition>& locations, EventTaker& taker,
                                     std::size_t rank) {
  std::vector<std::unique_ptr<FedLocation>> all;
  std::uint64_t records = 0;
  for (std::size_t t = 0; t < locations.size(); ++t) {
    WW_CHECK(archive.check_events(locations[t], rank));
    all.push_back(std::make_unique<FedLocation>(archive, callbacks, locations[t],
                                                Feed{taker, t, locations.size() > 1}));
    records += locations[t].events;
  }
  taker.expect(records);
  if (all.size() == 1) {
    while (!taker.no_room() && all[0]->reader().read(events_a_batch)) {
    }
  } else {
    while (!taker.no_room()) {
      FedLocation* next = nullptr;
      for (const auto& one : all)
        if (one->refill() &&
            (next == nullptr || one->feed().later.front().ns < next->feed().later.front().ns))
          next = one.get();
      if (next == nullptr) break;
      const Feed::Event event = std::move(next->feed().later.front());
      next->feed().later.pop_front();
      taker.take(next->feed().thread, event.ns, event.act);
    }
  }
  taker.finish();
  if (taker.no_room()) throw NoRoom();
  std::uint64_t total = 0;
  for (const auto& one : all) {
    total += one->reader().total();
    WW_CHECK(one->reader().check_complete(rank));
  }
  return total;
}

// The program proper, from the return of the first call that begins it (MPI_Init, MPI_Session_init) to the
// entry of the last one that ends it.
void find_program(const std::vector<CallMeaning>& meanings, RankTrace& rank, std::int64_t first_ns,
                  std::int64_t last_ns) {
  rank.begin_ns = first_ns;
  rank.end_ns = last_ns;
  bool begun = false;
  for (std::size_t call = 0; call < rank.calls(); ++call) {
    if (rank.region[call] >= meanings.size()) continue;  // the reader's own name of what a tool left out
    const CallPhase phase = meanings[rank.region[call]].phase;
    if (phase == CallPhase::begins && !begun) {
      rank.begin_ns = rank.leave_ns[call];
      begun = true;
    }
    if (phase == CallPhase::ends) rank.end_ns = rank.enter_ns[call];
  }
  rank.end_ns = std::max(rank.begin_ns, rank.end_ns);
}

// What columns of so many events and questions to them need, from the traces of bench/unify (46 bytes an event
// when all is loaded and matched, 40 more for what of each call was waiting).
constexpr std::uint64_t bytes_an_event = 100;

// A directory of files that are kept in memory themselves.
bool is_in_memory(const std::filesystem::path& dir) {
  struct statfs system {};
  return statfs(dir.c_str(), &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

// Where the columns are to be kept; nullptr: in memory.
Result<std::shared_ptr<ColumnStore>> find_store(std::uint64_t events, const std::filesystem::path& beside,
                                                Loading::Keep keep) {
  if (keep == Loading::Keep::memory) return nullptr;
  const std::uint64_t wanted = events > std::numeric_limits<std::uint64_t>::max() / bytes_an_event
                                   ? std::numeric_limits<std::uint64_t>::max()
                                   : events * bytes_an_event;
  const std::uint64_t available = memory_available_bytes();
  if (keep == Loading::Keep::as_fits && wanted <= available / 2) return nullptr;
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  for (const std::filesystem::path& dir : {beside, temporary}) {
    const auto space = std::filesystem::space(dir, error);
    if (error || space.available < wanted || is_in_memory(dir)) continue;
    if (auto store = ColumnStore::make(dir)) return store;
  }
  // With room nowhere: what there is of it in memory, or else on the disk up to an error.
  if (keep == Loading::Keep::as_fits && wanted <= available) return nullptr;
  return ColumnStore::make(temporary);
}

// What reading one rank gives beside its columns.
struct RankRead {
  NamedByRecords named;
  std::uint64_t events = 0, unknown_peers = 0, interleaved = 0, definitions_unreadable = 0;
  double deviation_ticks = 0;
  bool any = false;
  std::int64_t first_ns = 0, last_ns = 0;
};

Result<void> read_rank(OpenArchive& archive, const OTF2_EvtReaderCallbacks* callbacks, Trace& trace,
                       std::size_t r, RankRead& out) {
  const std::vector<LocationDefinition> locations = archive.locations_of(r);
  EventTaker taker(archive.definitions(), archive.layout(), trace, static_cast<std::int32_t>(r),
                   std::max<std::size_t>(locations.size(), 1));
  for (const LocationDefinition& location : locations)
    if (!archive.read_local_definitions(location.id, out.deviation_ticks)) ++out.definitions_unreadable;
  if (!locations.empty()) {
    WW_TRY(out.events, read_locations(archive, callbacks, locations, taker, r));
  }
  taker.finish();
  out.named = std::move(taker.named());
  out.unknown_peers = taker.unknown_peers();
  out.interleaved = taker.interleaved();
  out.any = taker.any();
  out.first_ns = taker.first_ns();
  out.last_ns = taker.last_ns();
  trace.ranks[r].for_each_column([](auto& column) { column.trim(); });
  return {};
}

}  // namespace

Result<Trace> read_archive(const std::filesystem::path& anchor, const Loading& loading) {
  Trace trace;
  trace.source = anchor;
  WW_TRY(const auto archive, OpenArchive::open(anchor, trace));
  const Definitions& definitions = archive->definitions();
  Layout& layout = archive->layout();
  trace.volumes_told = layout.attribute[attribute_sent_to] != OTF2_UNDEFINED_ATTRIBUTE;
  WW_TRY(auto store, find_store(archive->promised_events(),
                                anchor.has_parent_path() ? anchor.parent_path() : ".", loading.keep));
  trace.keep_in(std::move(store));
  const std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> callbacks(EventTaker::callbacks());
  const std::size_t ranks = trace.ranks.size(),
                    threads = loading.threads > 0 ? loading.threads : processors();
  std::vector<RankRead> read(ranks);
  WW_CHECK(in_parallel(ranks, threads, [&](std::size_t r) {
    return read_rank(*archive, callbacks.get(), trace, r, read[r]);
  }));
  std::vector<NamedByRecords> named;
  std::uint64_t unknown_peers = 0, interleaved = 0, definitions_unreadable = 0;
  double deviation_ticks = 0;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (RankRead& rank : read) {
    trace.events += rank.events;
    unknown_peers += rank.unknown_peers;
    interleaved += rank.interleaved;
    definitions_unreadable += rank.definitions_unreadable;
    deviation_ticks = std::max(deviation_ticks, rank.deviation_ticks);
    if (rank.any) first = std::min(first, rank.first_ns);
    named.push_back(std::move(rank.named));
  }
  if (definitions_unreadable > 0)
    trace.diagnostics.add("local-definitions-unreadable", definitions_unreadable);
  join(named, definitions, layout, trace);
  WW_CHECK(in_parallel(ranks, threads, [&](std::size_t r) -> Result<void> {
    RankTrace& rank = trace.ranks[r];
    if (!read[r].any) return {};
    for (auto* column : {&rank.enter_ns, &rank.leave_ns})
      for (std::int64_t& time : *column) time -= first;
    for (NestedCall& call : rank.nested)
      for (std::int64_t* time : {&call.enter_ns, &call.leave_ns}) *time -= first;
    for (KnownWait& wait : rank.waits)
      for (std::int64_t* time : {&wait.from_ns, &wait.begun_ns, &wait.to_ns}) *time -= first;
    for (KnownWay& way : rank.ways)
      for (std::int64_t* time : {&way.left_ns, &way.arrived_ns}) *time -= first;
    rank.user.move_times([&](std::int64_t time) { return time - first; });
    find_program(layout.meanings, rank, read[r].first_ns - first, read[r].last_ns - first);
    return {};
  }));
  trace.clock_uncertainty_s = uncertainty_of(deviation_ticks / static_cast<double>(definitions.ticks_per_s));
  if (interleaved > 0) trace.diagnostics.add("threads-interleaved", interleaved);
  if (unknown_peers > 0)
    trace.diagnostics.add(
        "unknown-communicator",
        "records name communicators or ranks that the archive does not define; they were not taken",
        unknown_peers);
  trace.meanings = std::move(layout.meanings);
  return trace;
}

}  // namespace ww::otf2
