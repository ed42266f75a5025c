#include "trace/otf2_read.hpp"

#include <linux/magic.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <sys/vfs.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "trace/otf2_definitions.hpp"
#include "trace/otf2_events.hpp"
#include "trace/otf2_whole.hpp"

namespace ww::otf2 {
namespace {

constexpr std::uint64_t batch = 1 << 16;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
struct DeleteCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

// libotf2 believes what the anchor and the definitions say of sizes: it asks for that much memory, and reads
// a file that is shorter than they say for ever. Every record takes a byte at least, so that the size of a
// file says how many there may be. Archives in one file for all locations (SION) have no such file and are
// not judged.
bool is_longer_than_its_file(std::uint64_t records, const std::filesystem::path& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  return !error && records > bytes;
}
std::filesystem::path beside(const std::filesystem::path& anchor, const std::string& name) {
  return anchor.parent_path() / (anchor.stem().string() + name);
}
std::filesystem::path file_of(const std::filesystem::path& anchor, OTF2_LocationRef location,
                              const char* suffix) {
  return beside(anchor, "") / (std::to_string(location) + suffix);
}
bool is_whole(OTF2_Reader* reader, const std::filesystem::path& file, Holds holds) {
  std::uint64_t of_events = 0, of_definitions = 0;
  OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;
  return OTF2_Reader_GetCompression(reader, &compression) != OTF2_SUCCESS ||
         compression != OTF2_COMPRESSION_NONE ||
         OTF2_Reader_GetChunkSize(reader, &of_events, &of_definitions) != OTF2_SUCCESS ||
         records_are_whole(file, holds == Holds::events ? of_events : of_definitions, holds);
}
bool sizes_make_sense(OTF2_Reader* reader, const std::filesystem::path& anchor) {
  constexpr std::uint64_t most_chunk_bytes = std::uint64_t{64} << 20;  // four times what OTF2 allows
  std::uint64_t events = 0, definitions = 0, count = 0;
  return OTF2_Reader_GetChunkSize(reader, &events, &definitions) == OTF2_SUCCESS &&
         events <= most_chunk_bytes && definitions <= most_chunk_bytes &&
         OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &count) == OTF2_SUCCESS &&
         !is_longer_than_its_file(count, beside(anchor, ".def")) &&
         is_whole(reader, beside(anchor, ".def"), Holds::definitions);
}

// Mapping tables and clock offsets: libotf2 applies them to the events once they were read. False: they
// cannot be read.
bool read_local_definitions(OTF2_Reader* reader, OTF2_LocationRef location, const std::filesystem::path& file,
                            double& deviation_ticks) {
  if (!is_whole(reader, file, Holds::definitions)) return false;
  OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, location);
  if (definitions == nullptr) return false;
  OTF2_DefReaderCallbacks* callbacks = OTF2_DefReaderCallbacks_New();
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(
      callbacks, [](void* user, OTF2_TimeStamp, int64_t, double deviation) -> OTF2_CallbackCode {
        auto& largest = *static_cast<double*>(user);
        largest = std::max(largest, deviation);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &deviation_ticks);
  std::uint64_t read = 0;
  const bool good = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &read) == OTF2_SUCCESS;
  OTF2_DefReaderCallbacks_Delete(callbacks);
  OTF2_Reader_CloseDefReader(reader, definitions);
  return good;
}

// One location's events, read in batches and never more than the definitions promise, since libotf2 can read
// a truncated file for ever.
class LocationReader {
 public:
  LocationReader(OTF2_Reader* reader, std::mutex& of_reader, const OTF2_EvtReaderCallbacks* callbacks,
                 const LocationDefinition& location, Feed feed)
      : reader_(reader), of_reader_(of_reader), location_(location), feed_(std::move(feed)) {
    const std::lock_guard lock(of_reader_);
    events_ = OTF2_Reader_GetEvtReader(reader, location.id);
    if (events_ == nullptr) return;
    OTF2_EvtReader_ApplyMappingTables(events_, true);
    OTF2_EvtReader_ApplyClockOffsets(events_, true);
    OTF2_Reader_RegisterEvtCallbacks(reader, events_, callbacks, &feed_);
  }
  ~LocationReader() { close(); }
  LocationReader(const LocationReader&) = delete;
  LocationReader& operator=(const LocationReader&) = delete;

  // False: there was nothing more to read.
  bool read(std::uint64_t most) {
    if (events_ == nullptr || total_ >= location_.events) return false;
    std::uint64_t read = 0;
    const OTF2_ErrorCode code =
        OTF2_Reader_ReadLocalEvents(reader_, events_, std::min(most, location_.events - total_), &read);
    total_ += read;
    if (code != OTF2_SUCCESS || read == 0) close();
    return read > 0;
  }
  // There is an event that waits, if there is any left.
  bool refill() {
    while (feed_.later.empty())
      if (!read(small_batch)) return false;
    return true;
  }
  Feed& feed() { return feed_; }
  std::uint64_t total() const { return total_; }
  bool complete() const { return total_ == location_.events; }
  std::uint64_t promised() const { return location_.events; }

 private:
  static constexpr std::uint64_t small_batch = 1 << 12;
  void close() {
    if (events_ == nullptr) return;
    const std::lock_guard lock(of_reader_);
    OTF2_Reader_CloseEvtReader(reader_, events_);
    events_ = nullptr;
  }
  OTF2_Reader* reader_;
  std::mutex& of_reader_;
  LocationDefinition location_;
  Feed feed_;
  OTF2_EvtReader* events_ = nullptr;
  std::uint64_t total_ = 0;
};

// The events of a rank's threads, those of several in the order of their times.
Result<std::uint64_t> read_locations(OTF2_Reader* reader, std::mutex& of_reader,
                                     const OTF2_EvtReaderCallbacks* callbacks,
                                     const std::vector<LocationDefinition>& locations, EventTaker& taker,
                                     std::int32_t rank, const std::filesystem::path& anchor) {
  std::vector<std::unique_ptr<LocationReader>> readers;
  std::uint64_t records = 0;
  for (std::size_t t = 0; t < locations.size(); ++t) {
    const auto file = file_of(anchor, locations[t].id, ".evt");
    if (is_longer_than_its_file(locations[t].events, file) || !is_whole(reader, file, Holds::events))
      return fail("the archive is truncated or damaged",
                  "rank " + std::to_string(rank) + ": " + file.string() + " does not hold its events",
                  "copy it again, or record again");
    readers.push_back(std::make_unique<LocationReader>(reader, of_reader, callbacks, locations[t],
                                                       Feed{taker, t, locations.size() > 1}));
    records += locations[t].events;
  }
  taker.expect(records);
  if (readers.size() == 1) {
    while (!taker.no_room() && readers[0]->read(batch)) {
    }
  } else {
    while (!taker.no_room()) {
      LocationReader* next = nullptr;
      for (const auto& one : readers)
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
  for (const auto& one : readers) {
    total += one->total();
    if (!one->complete())
      return fail("the archive is truncated or damaged",
                  "rank " + std::to_string(rank) + " has " + std::to_string(one->total()) + " of " +
                      std::to_string(one->promised()) + " events",
                  "copy it again, or record again");
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

// An archive that is open, and what its definitions say.
struct Archive {
  OTF2_Reader* reader;
  std::mutex of_reader;  // for what libotf2 has for all locations
  const std::filesystem::path& anchor;
  const OTF2_EvtReaderCallbacks* callbacks;
  const Definitions& definitions;
  const Layout& layout;
  bool has_local;
};

Result<void> read_rank(Archive& archive, Trace& trace, std::size_t r, RankRead& out) {
  const Layout& layout = archive.layout;
  std::vector<LocationDefinition> locations;
  if (layout.locations[r] && layout.locations[r]->events > 0) locations.push_back(*layout.locations[r]);
  locations.insert(locations.end(), layout.threads[r].begin(), layout.threads[r].end());
  EventTaker taker(archive.definitions, layout, trace, static_cast<std::int32_t>(r),
                   std::max<std::size_t>(locations.size(), 1));
  if (!locations.empty()) {
    for (const LocationDefinition& location : locations) {
      const std::lock_guard lock(archive.of_reader);
      if (archive.has_local &&
          !read_local_definitions(archive.reader, location.id, file_of(archive.anchor, location.id, ".def"),
                                  out.deviation_ticks))
        ++out.definitions_unreadable;
    }
    WW_TRY(out.events, read_locations(archive.reader, archive.of_reader, archive.callbacks, locations, taker,
                                      static_cast<std::int32_t>(r), archive.anchor));
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
  const QuietErrors errors;
  const auto unreadable = [&](const char* what) {
    return fail(what, anchor.string() + (errors.first().empty() ? "" : " (" + errors.first() + ")"),
                "name a trace directory or the traces.otf2 of a complete archive");
  };
  std::error_code ignored;
  const auto size = std::filesystem::file_size(anchor, ignored);
  if (ignored || size == 0) return unreadable("not an OTF2 archive");
  if (!anchor_is_sane(anchor)) return unreadable("the archive is truncated or damaged");
  const std::unique_ptr<OTF2_Reader, CloseReader> reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr) return unreadable("not an OTF2 archive");
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()) != OTF2_SUCCESS ||
      OTF2_Pthread_Reader_SetLockingCallbacks(reader.get(), nullptr) != OTF2_SUCCESS)
    return unreadable("the archive cannot be opened");
  if (!sizes_make_sense(reader.get(), anchor)) return unreadable("the archive is truncated or damaged");
  WW_TRY(const Definitions definitions, read_definitions(reader.get(), anchor.string(), errors));
  Trace trace;
  trace.source = anchor;
  Layout layout = lay_out(definitions, trace);
  trace.volumes_told = layout.attribute[attribute_sent_to] != OTF2_UNDEFINED_ATTRIBUTE;
  if (trace.ranks.empty()) return unreadable("the archive holds no MPI ranks");

  std::uint64_t promised = 0;
  for (const auto& location : layout.locations) {
    if (!location) continue;
    OTF2_Reader_SelectLocation(reader.get(), location->id);
    promised += location->events;
  }
  for (const auto& threads : layout.threads)
    for (const auto& location : threads) {
      OTF2_Reader_SelectLocation(reader.get(), location.id);
      promised += location.events;
    }
  if (OTF2_Reader_OpenEvtFiles(reader.get()) != OTF2_SUCCESS)
    return unreadable("the events cannot be opened");
  const bool has_local = OTF2_Reader_OpenDefFiles(reader.get()) == OTF2_SUCCESS;
  WW_TRY(auto store,
         find_store(promised, anchor.has_parent_path() ? anchor.parent_path() : ".", loading.keep));
  trace.keep_in(std::move(store));
  const std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteCallbacks> callbacks(EventTaker::callbacks());
  Archive archive{reader.get(), {}, anchor, callbacks.get(), definitions, layout, has_local};
  const std::size_t ranks = trace.ranks.size(),
                    threads = loading.threads > 0 ? loading.threads : processors();
  std::vector<RankRead> read(ranks);
  WW_CHECK(in_parallel(ranks, threads, [&](std::size_t r) { return read_rank(archive, trace, r, read[r]); }));
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
