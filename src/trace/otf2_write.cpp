#include "trace/otf2_write.hpp"

#include <fcntl.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/spool_tasks.hpp"

// libotf2 stamps every archive with gethostid(), and that of glibc asks the name server for this host's
// address: ten seconds an archive where it does not answer. The program's own symbol comes before the
// library's; the number only has to tell hosts apart.
extern "C" long gethostid() noexcept {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return static_cast<long>(std::hash<std::string_view>{}(name.data()) & 0x7fffffff);
}

namespace ww::otf2 {
namespace {

// libotf2 zeroes a chunk when it begins one, for each location: large ones are what a short trace of many
// threads would take its time for.
constexpr std::uint64_t event_chunk = OTF2_CHUNK_SIZE_MIN;

// A record must fit into a chunk. Those that can be long are the members of a group and names.
std::uint64_t definition_chunk(const Names& names) {
  constexpr std::uint64_t most_of_rank = 9, most_of_all = OTF2_CHUNK_SIZE_MIN / 2;
  std::uint64_t bytes = 0;
  const auto count = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) bytes += text.size();
  };
  for (const Comm& comm : names.comms) bytes += comm.name.size() + most_of_rank * comm.ranks.size();
  for (const auto& [members, number] : names.groups) bytes += most_of_rank * members.size();
  for (const Window& window : names.windows) bytes += window.name.size();
  for (const ValueName& value : names.user.values) bytes += value.name.size();
  count(names.regions);
  count(names.user.regions);
  count(names.user.texts);
  count(names.files.files);
  return bytes <= most_of_all ? OTF2_CHUNK_SIZE_MIN : std::uint64_t{4} << 20;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// Without these libotf2 keeps up to 128 MiB of each location. A buffer that has its chunks and is refused
// another one is written out.
struct Chunks {
  std::array<void*, 2> at{};
  std::size_t used = 0;
};
void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t bytes) {
  if (*buffer == nullptr) *buffer = new Chunks;
  auto& chunks = *static_cast<Chunks*>(*buffer);
  if (chunks.used == chunks.at.size()) return nullptr;
  void* chunk = std::malloc(bytes);
  if (chunk != nullptr) chunks.at[chunks.used++] = chunk;
  return chunk;
}
void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, bool is_last) {
  auto* chunks = static_cast<Chunks*>(*buffer);
  if (chunks == nullptr) return;
  for (; chunks->used > 0; --chunks->used) std::free(chunks->at[chunks->used - 1]);
  if (!is_last) return;
  delete chunks;
  *buffer = nullptr;
}

class GlobalDefinitions {
 public:
  GlobalDefinitions(OTF2_GlobalDefWriter* global, const Names& names, const ArchiveDefinitions& definitions)
      : global_(global), names_(names), definitions_(definitions) {}

  template <class Locations>
  OTF2_ErrorCode write(std::int64_t last_ns, const Locations& locations) {
    check(OTF2_GlobalDefWriter_WriteClockProperties(
        global_, 1000000000, 0, static_cast<std::uint64_t>(last_ns) + 1,
        static_cast<std::uint64_t>(definitions_.realtime_begin_ns)));
    // Texts of markers are named by events that were written before any other string had a number.
    for (const std::string& text : names_.user.texts) {
      strings_.try_emplace(text, next_string_);
      check(OTF2_GlobalDefWriter_WriteString(global_, next_string_++, text.c_str()));
    }
    check(OTF2_GlobalDefWriter_WriteParadigm(global_, OTF2_PARADIGM_MPI, string("MPI"),
                                             OTF2_PARADIGM_CLASS_PROCESS));
    for (OTF2_AttributeRef a = 0; a < attribute_count; ++a)
      if (a != attribute_sent_to || definitions_.volumes_told)
        check(OTF2_GlobalDefWriter_WriteAttribute(global_, a, string(attributes[a].name),
                                                  string(attributes[a].description), attributes[a].type));
    check(OTF2_GlobalDefWriter_WriteParameter(global_, parameter_left_out, string("whatwire:left-out"),
                                              OTF2_PARAMETER_TYPE_UINT64));
    check(OTF2_GlobalDefWriter_WriteParameter(global_, parameter_marker, string(marker_name),
                                              OTF2_PARAMETER_TYPE_STRING));
    check(OTF2_GlobalDefWriter_WriteParameter(global_, parameter_sent_to, string("whatwire:sent-to"),
                                              OTF2_PARAMETER_TYPE_UINT64));
    check(OTF2_GlobalDefWriter_WriteParameter(global_, parameter_blocked, string("whatwire:blocked"),
                                              OTF2_PARAMETER_TYPE_UINT64));
    for (std::size_t r = 0; r < names_.regions.size(); ++r) {
      const OTF2_StringRef name = string(names_.regions[r]);
      const CallMeaning& meaning = names_.meanings[r];
      check(OTF2_GlobalDefWriter_WriteRegion(global_, static_cast<OTF2_RegionRef>(r), name, name,
                                             string(std::string(call_description) + to_text(meaning)),
                                             role_of(meaning), OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                                             string("MPI"), 0, 0));
    }
    write_user_names();
    write_system_tree();
    for (const auto& location : locations)
      check(OTF2_GlobalDefWriter_WriteLocation(global_, location.id, string(location.name),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, location.events,
                                               location.rank));
    write_comms();
    write_files();
    return error_;
  }

 private:
  void check(OTF2_ErrorCode code) {
    if (error_ == OTF2_SUCCESS) error_ = code;
  }

  OTF2_StringRef string(const std::string& text) {
    const auto [entry, added] = strings_.try_emplace(text, next_string_);
    if (added) check(OTF2_GlobalDefWriter_WriteString(global_, next_string_++, text.c_str()));
    return entry->second;
  }

  void write_user_names() {
    const UserNames& user = names_.user;
    const OTF2_StringRef empty = string("");
    for (std::uint32_t r = 0; r < user.regions.size(); ++r) {
      const OTF2_StringRef name = string(user.regions[r]);
      check(OTF2_GlobalDefWriter_WriteRegion(global_, names_.user_region(r), name, name, empty,
                                             OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                             string("USER"), 0, 0));
    }
    for (std::uint32_t v = 0; v < user.values.size(); ++v) {
      const ValueName& value = user.values[v];
      check(OTF2_GlobalDefWriter_WriteMetricMember(
          global_, v, string(value.name), empty, OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT,
          value.whole ? OTF2_TYPE_INT64 : OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, string(value.unit)));
      check(OTF2_GlobalDefWriter_WriteMetricClass(global_, v, 1, &v, OTF2_METRIC_ASYNCHRONOUS,
                                                  OTF2_RECORDER_KIND_CPU));
    }
  }

  std::string name_of_process(std::size_t rank) const {
    return rank < definitions_.addresses.size() ? "Task " + std::to_string(rank) + " (" +
                                                      spool::show_address(definitions_.addresses[rank]) + ")"
                                                : "MPI Rank " + std::to_string(rank);
  }

  void write_system_tree() {
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, 0, string("machine"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::size_t r = 0; r < definitions_.hosts.size(); ++r) {
      const std::string& host = definitions_.hosts[r];
      const auto [node, added] =
          hosts.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (added)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
            global_, node->second, string(host.empty() ? "unknown host" : host), string("node"), 0));
      check(OTF2_GlobalDefWriter_WriteLocationGroup(
          global_, static_cast<OTF2_LocationGroupRef>(r), string(name_of_process(r)),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, node->second, OTF2_UNDEFINED_LOCATION_GROUP));
      if (r < definitions_.addresses.size()) {
        OTF2_AttributeValue address;
        address.uint64 = definitions_.addresses[r];
        check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(global_, static_cast<OTF2_LocationGroupRef>(r),
                                                              string(address_property), OTF2_TYPE_UINT64,
                                                              address));
      }
    }
  }

  void write_comms() {
    std::vector<std::uint64_t> members(definitions_.hosts.size());
    for (std::size_t r = 0; r < members.size(); ++r) members[r] = r;
    OTF2_GroupRef groups = 0;
    const auto group = [&](const std::string& name, OTF2_GroupType type,
                           const std::vector<std::uint64_t>& of) {
      check(OTF2_GlobalDefWriter_WriteGroup(global_, groups, string(name), type, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(of.size()),
                                            of.data()));
      return groups++;
    };
    group("MPI locations", OTF2_GROUP_TYPE_COMM_LOCATIONS, members);
    std::vector<const std::vector<std::int32_t>*> of_epochs(names_.groups.size());
    for (const auto& [of, number] : names_.groups) of_epochs[number] = &of;
    for (const auto* of : of_epochs)
      group("epoch of a window", OTF2_GROUP_TYPE_COMM_GROUP, {of->begin(), of->end()});
    for (std::size_t c = 0; c < names_.comms.size(); ++c) {
      const Comm& comm = names_.comms[c];
      const auto self = static_cast<OTF2_CommRef>(c);
      const auto split = comm.ranks.begin() + static_cast<std::ptrdiff_t>(comm.first_group);
      if (comm.first_group == 0) {
        const auto of = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {comm.ranks.begin(), comm.ranks.end()});
        check(OTF2_GlobalDefWriter_WriteComm(global_, self, string(comm.name), of, OTF2_UNDEFINED_COMM,
                                             OTF2_COMM_FLAG_NONE));
      } else {
        const auto a = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {comm.ranks.begin(), split});
        const auto b = group(comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {split, comm.ranks.end()});
        check(OTF2_GlobalDefWriter_WriteInterComm(global_, self, string(comm.name), a, b, OTF2_UNDEFINED_COMM,
                                                  OTF2_COMM_FLAG_NONE));
      }
    }
    for (std::size_t w = 0; w < names_.windows.size(); ++w)
      check(OTF2_GlobalDefWriter_WriteRmaWin(global_, static_cast<OTF2_RmaWinRef>(w),
                                             string(names_.windows[w].name), names_.windows[w].comm,
                                             OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
  }

  void write_files() {
    const spool::OpenedFiles& files = names_.files;
    if (files.files.empty()) return;
    check(OTF2_GlobalDefWriter_WriteIoParadigm(global_, io_paradigm, string(mpi_io), string(mpi_io),
                                               OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0,
                                               nullptr, nullptr, nullptr));
    for (std::size_t f = 0; f < files.files.size(); ++f)
      check(OTF2_GlobalDefWriter_WriteIoRegularFile(global_, static_cast<OTF2_IoFileRef>(f),
                                                    string(files.files[f]), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::size_t h = 0; h < files.handles.size(); ++h)
      check(OTF2_GlobalDefWriter_WriteIoHandle(global_, static_cast<OTF2_IoHandleRef>(h),
                                               string(files.files[files.handles[h].file]),
                                               files.handles[h].file, io_paradigm, OTF2_IO_HANDLE_FLAG_NONE,
                                               files.handles[h].comm, OTF2_UNDEFINED_IO_HANDLE));
  }

  OTF2_GlobalDefWriter* global_;
  const Names& names_;
  const ArchiveDefinitions& definitions_;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
  std::unordered_map<std::string, OTF2_StringRef> strings_;
  OTF2_StringRef next_string_ = 0;
};

OTF2_ErrorCode write_clock(OTF2_DefWriter* writer, const std::vector<ClockPoint>& points,
                           std::int64_t last_ns) {
  OTF2_ErrorCode code = OTF2_SUCCESS;
  const auto write = [&](std::int64_t at_ns, double deviation_ns) {
    const OTF2_ErrorCode one = OTF2_DefWriter_WriteClockOffset(
        writer, static_cast<std::uint64_t>(std::max<std::int64_t>(at_ns, 0)), 0, deviation_ns);
    if (code == OTF2_SUCCESS) code = one;
  };
  // Readers ask for two at least, with times that rise.
  const double first = points.empty() ? 0 : points.front().deviation_ns;
  std::int64_t at = 0;
  write(0, first);
  for (const ClockPoint& point : points)
    if (point.at_ns > at && point.at_ns < last_ns) write(at = point.at_ns, point.deviation_ns);
  if (last_ns > at) write(last_ns, points.empty() ? 0 : points.back().deviation_ns);
  return code;
}

}  // namespace

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::filesystem::path& dir,
                                                             const Names& names) {
  std::unique_ptr<ArchiveWriter> self(new ArchiveWriter(dir, names));
  self->archive_ = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                     definition_chunk(names), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (self->archive_ == nullptr)
    return fail("cannot create the archive", dir.string() + ": " + self->quiet_.first());
  // libotf2 keeps the pointers.
  static constexpr OTF2_FlushCallbacks flush{flush_always, nullptr};
  static constexpr OTF2_MemoryCallbacks memory{allocate_chunk, free_chunks};
  OTF2_Archive* archive = self->archive_;
  for (const OTF2_ErrorCode code :
       {OTF2_Pthread_Archive_SetLockingCallbacks(archive, nullptr),
        OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr),
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, nullptr),
        OTF2_Archive_SetSerialCollectiveCallbacks(archive), OTF2_Archive_SetCreator(archive, "whatwire"),
        OTF2_Archive_OpenEvtFiles(archive)})
    if (code != OTF2_SUCCESS) return self->failure(code);
  return self;
}

ArchiveWriter::~ArchiveWriter() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

tl::unexpected<Error> ArchiveWriter::failure(OTF2_ErrorCode code) const {
  const std::string first = quiet_.first();
  return fail("cannot write the archive",
              dir_.string() + ": " + (first.empty() ? OTF2_Error_GetDescription(code) : first),
              "is the disk full?");
}

Result<std::unique_ptr<LocationWriter>> ArchiveWriter::open(OTF2_LocationRef id, std::uint32_t rank,
                                                            std::string name) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, id);
  if (writer == nullptr) return failure(OTF2_ERROR_INVALID);
  return std::make_unique<LocationWriter>(names_, writer, id, rank, std::move(name));
}

Result<void> ArchiveWriter::close(std::unique_ptr<LocationWriter> location) {
  location->check(OTF2_EvtWriter_GetNumberOfEvents(location->writer_, &location->events_));
  location->check(OTF2_Archive_CloseEvtWriter(archive_, location->writer_));
  if (location->error() != OTF2_SUCCESS) return failure(location->error());
  const std::lock_guard lock(mutex_);
  last_ns_ = std::max(last_ns_, location->last_ns_);
  locations_.push_back({location->id_, location->rank_, std::move(location->name_), location->events_});
  return {};
}

Result<nlohmann::json> ArchiveWriter::hand_over() {
  if (const OTF2_ErrorCode code = OTF2_Archive_CloseEvtFiles(archive_); code != OTF2_SUCCESS)
    return failure(code);
  // Now, and not when the leader may be clearing up. Without definitions the library is not content with it.
  OTF2_Archive_Close(archive_);
  archive_ = nullptr;
  nlohmann::json handed = {{"last_ns", last_ns_}, {"locations", nlohmann::json::array()}};
  for (const Location& location : locations_)
    handed["locations"].push_back({location.id, location.rank, location.name, location.events});
  return handed;
}

Result<void> ArchiveWriter::adopt(const std::filesystem::path& part, const nlohmann::json& handed) {
  last_ns_ = std::max(last_ns_, handed.at("last_ns").get<std::int64_t>());
  for (const nlohmann::json& one : handed.at("locations")) {
    const Location location{one.at(0), one.at(1), one.at(2), one.at(3)};
    const std::string file = std::to_string(location.id) + ".evt";
    std::error_code error;
    std::filesystem::rename(part / "traces" / file, dir_ / "traces" / file, error);
    if (error)
      return fail("cannot put the archive together",
                  (part / "traces" / file).string() + ": " + error.message());
    locations_.push_back(location);
  }
  return {};
}

Result<std::uint64_t> ArchiveWriter::finish(const ArchiveDefinitions& definitions) {
  // The archive is the same whichever thread was quicker.
  std::sort(locations_.begin(), locations_.end(),
            [](const Location& a, const Location& b) { return a.id < b.id; });
  OTF2_ErrorCode error = OTF2_SUCCESS;
  const auto check = [&](OTF2_ErrorCode code) {
    if (error == OTF2_SUCCESS) error = code;
  };
  check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (const Location& location : locations_) {
    OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, location.id);
    if (writer == nullptr) return failure(OTF2_ERROR_INVALID);
    check(write_clock(writer,
                      location.rank < definitions.clocks.size() ? definitions.clocks[location.rank]
                                                                : std::vector<ClockPoint>(),
                      last_ns_));
    check(OTF2_Archive_CloseDefWriter(archive_, writer));
  }
  check(OTF2_Archive_CloseDefFiles(archive_));
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (global == nullptr) return failure(OTF2_ERROR_INVALID);
  check(GlobalDefinitions(global, names_, definitions).write(last_ns_, locations_));
  check(OTF2_Archive_CloseGlobalDefWriter(archive_, global));
  check(OTF2_Archive_Close(archive_));
  archive_ = nullptr;
  if (error != OTF2_SUCCESS) return failure(error);
  std::uint64_t events = 0;
  for (const Location& location : locations_) events += location.events;
  return events;
}

namespace {

// One rank of a trace: a location a thread.
class RankWriter {
 public:
  RankWriter(ArchiveWriter& archive, const RankTrace& columns, std::size_t rank, std::size_t ranks)
      : archive_(archive), columns_(columns), rank_(rank), ranks_(ranks), sayings_(in_order(columns.user)) {
    for (std::size_t a = 0; a < columns.actions(); ++a)
      if (columns.kind[a] == ActionKind::irecv_done) received_[columns.operation[a]] = columns.bytes[a];
    for (const UserSaying& said : sayings_) threads_ = std::max(threads_, said.thread + 1);
    for (const std::uint32_t thread : columns.thread) threads_ = std::max(threads_, thread + std::size_t{1});
  }

  Result<void> write() {
    for (std::size_t t = 0; t < threads_; ++t) {
      WW_TRY(locations_.emplace_back(),
             archive_.open(rank_ + t * ranks_, static_cast<std::uint32_t>(rank_),
                           t == 0 ? "Master thread" : "Thread " + std::to_string(t)));
      said_.push_back(0);
      last_ns_.push_back(0);
    }
    std::int64_t left_ns = 0;
    for (std::uint32_t call = 0; call < columns_.calls(); ++call) {
      const std::uint32_t thread = columns_.thread_of(call);
      // Readers put the threads' events in order by their times.
      const bool other = call > 0 && thread != columns_.thread_of(call - 1);
      const std::int64_t enter_ns = std::max(columns_.enter_ns[call], left_ns + other);
      left_ns = std::max(columns_.leave_ns[call], enter_ns);
      say_until(thread, enter_ns);
      write_call(call, enter_ns, left_ns, *locations_[thread]);
      last_ns_[thread] = left_ns;
    }
    for (std::size_t t = 0; t < threads_; ++t) {
      say_until(t, std::numeric_limits<std::int64_t>::max());
      WW_CHECK(archive_.close(std::move(locations_[t])));
    }
    return {};
  }

 private:
  // What the thread says of itself up to then.
  void say_until(std::size_t thread, std::int64_t until_ns) {
    for (std::size_t& next = said_[thread]; next < sayings_.size(); ++next) {
      if (sayings_[next].thread != thread) continue;
      UserEvent event = sayings_[next].event;
      if (event.at_ns > until_ns) return;
      event.at_ns = last_ns_[thread] = std::max(event.at_ns, last_ns_[thread]);
      locations_[thread]->user(event);
    }
  }

  void write_call(std::uint32_t call, std::int64_t enter_ns, std::int64_t leave_ns,
                  LocationWriter& location) {
    std::vector<CallAction> actions;
    for (std::uint32_t a = columns_.first_action[call]; a < columns_.first_action[call + 1]; ++a) {
      CallAction action;
      static_cast<Action&>(action) = {columns_.kind[a],      columns_.peer[a],    columns_.tag[a],
                                      columns_.comm[a],      columns_.bytes[a],   columns_.bytes_received[a],
                                      columns_.operation[a], columns_.flags_of(a)};
      if (const auto found = received_.find(action.operation); found != received_.end())
        action.arrives = true, action.arrived_bytes = found->second;
      if (action.kind == ActionKind::icollective) begun_[action.operation] = columns_.region[call];
      if (const auto found = begun_.find(action.operation); found != begun_.end())
        action.begun_region = found->second;
      if (way_ < columns_.ways.size() && columns_.ways[way_].action == a) action.way = &columns_.ways[way_++];
      actions.push_back(action);
    }
    const std::size_t first = wait_;
    while (wait_ < columns_.waits.size() && columns_.waits[wait_].call == call) ++wait_;
    RecordedCall out{enter_ns, leave_ns, columns_.region[call], actions};
    out.waits = std::span(columns_.waits).subspan(first, wait_ - first);
    location.call(out);
  }

  ArchiveWriter& archive_;
  const RankTrace& columns_;
  std::size_t rank_, ranks_, threads_ = 1;
  std::vector<UserSaying> sayings_;
  std::vector<std::unique_ptr<LocationWriter>> locations_;
  // by thread: the next saying that may be its; until when it is written
  std::vector<std::size_t> said_;
  std::vector<std::int64_t> last_ns_;
  std::size_t way_ = 0, wait_ = 0;                             // the next
  std::unordered_map<std::uint64_t, std::uint64_t> received_;  // bytes, by operation
  std::unordered_map<std::uint64_t, std::uint16_t> begun_;     // region, by operation of a collective
};

}  // namespace

Result<void> write_archive(const Trace& trace, const std::filesystem::path& dir) {
  std::vector<CallMeaning> meanings;
  for (std::size_t r = 0; r < trace.regions.size(); ++r) meanings.push_back(meaning_of_region(trace, r));
  const Names names{trace.regions, std::move(meanings), trace.comms, trace.user};
  WW_TRY(const auto archive, ArchiveWriter::create(dir, names));
  ArchiveDefinitions definitions;
  definitions.volumes_told = trace.volumes_told;
  for (const RankTrace& rank : trace.ranks)
    if (rank.address) definitions.addresses.push_back(*rank.address);
  if (definitions.addresses.size() < trace.ranks.size()) definitions.addresses.clear();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    WW_CHECK(RankWriter(*archive, trace.ranks[r], r, trace.ranks.size()).write());
    definitions.hosts.push_back(trace.ranks[r].host);
    definitions.clocks.push_back({{0, deviation_of(trace.clock_uncertainty_s * 1e9)}});
  }
  WW_TRY([[maybe_unused]] const std::uint64_t events, archive->finish(definitions));
  return {};
}

}  // namespace ww::otf2
