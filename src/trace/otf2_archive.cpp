#include "trace/otf2_archive.hpp"

#include <otf2/OTF2_Pthread_Locks.h>

#include <algorithm>

#include "trace/otf2_whole.hpp"

namespace ww::otf2 {
namespace {

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

}  // namespace

Result<std::unique_ptr<OpenArchive>> OpenArchive::open(const std::filesystem::path& anchor, Trace& frame) {
  std::unique_ptr<OpenArchive> out(new OpenArchive(anchor));
  OpenArchive& archive = *out;
  const auto unreadable = [&](const char* what) {
    const std::string said = archive.errors_.first();
    return fail(what, anchor.string() + (said.empty() ? "" : " (" + said + ")"),
                "name a trace directory or the traces.otf2 of a complete archive");
  };
  std::error_code ignored;
  const auto size = std::filesystem::file_size(anchor, ignored);
  if (ignored || size == 0) return unreadable("not an OTF2 archive");
  if (!anchor_is_sane(anchor)) return unreadable("the archive is truncated or damaged");
  archive.reader_.reset(OTF2_Reader_Open(anchor.c_str()));
  OTF2_Reader* const reader = archive.reader_.get();
  if (reader == nullptr) return unreadable("not an OTF2 archive");
  if (OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
      OTF2_Pthread_Reader_SetLockingCallbacks(reader, nullptr) != OTF2_SUCCESS)
    return unreadable("the archive cannot be opened");
  if (!sizes_make_sense(reader, anchor)) return unreadable("the archive is truncated or damaged");
  WW_TRY(archive.definitions_, read_definitions(reader, anchor.string(), archive.errors_));
  archive.layout_ = lay_out(archive.definitions_, frame);
  if (frame.ranks.empty()) return unreadable("the archive holds no MPI ranks");

  const auto select = [&](const LocationDefinition& location) {
    OTF2_Reader_SelectLocation(reader, location.id);
    archive.promised_ += location.events;
  };
  for (const auto& location : archive.layout_.locations)
    if (location) select(*location);
  for (const auto& threads : archive.layout_.threads)
    for (const LocationDefinition& location : threads) select(location);
  if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS) return unreadable("the events cannot be opened");
  archive.has_local_ = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  return out;
}

std::vector<LocationDefinition> OpenArchive::locations_of(std::size_t rank) const {
  std::vector<LocationDefinition> locations;
  if (const auto& first = layout_.locations[rank]; first && first->events > 0) locations.push_back(*first);
  locations.insert(locations.end(), layout_.threads[rank].begin(), layout_.threads[rank].end());
  return locations;
}

bool OpenArchive::read_local_definitions(OTF2_LocationRef location, double& deviation_ticks) {
  if (!has_local_) return true;
  const std::lock_guard lock(of_reader_);
  OTF2_Reader* const reader = reader_.get();
  if (!is_whole(reader, file_of(anchor_, location, ".def"), Holds::definitions)) return false;
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

Result<void> OpenArchive::check_events(const LocationDefinition& location, std::size_t rank) const {
  const auto file = file_of(anchor_, location.id, ".evt");
  if (!is_longer_than_its_file(location.events, file) && is_whole(reader_.get(), file, Holds::events))
    return {};
  return fail("the archive is truncated or damaged",
              "rank " + std::to_string(rank) + ": " + file.string() + " does not hold its events",
              "copy it again, or record again");
}

LocationReader::LocationReader(OpenArchive& archive, const OTF2_EvtReaderCallbacks* callbacks,
                               const LocationDefinition& location, void* user)
    : archive_(archive), location_(location) {
  const std::lock_guard lock(archive_.of_reader_);
  events_ = OTF2_Reader_GetEvtReader(archive_.reader(), location.id);
  if (events_ == nullptr) return;
  OTF2_EvtReader_ApplyMappingTables(events_, true);
  OTF2_EvtReader_ApplyClockOffsets(events_, true);
  OTF2_Reader_RegisterEvtCallbacks(archive_.reader(), events_, callbacks, user);
}

bool LocationReader::read(std::uint64_t most) {
  if (events_ == nullptr || total_ >= location_.events) return false;
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(archive_.reader(), events_,
                                                          std::min(most, location_.events - total_), &read);
  total_ += read;
  if (code != OTF2_SUCCESS || read == 0) close();
  return read > 0;
}

Result<void> LocationReader::check_complete(std::size_t rank) const {
  if (total_ == location_.events) return {};
  return fail("the archive is truncated or damaged",
              "rank " + std::to_string(rank) + " has " + std::to_string(total_) + " of " +
                  std::to_string(location_.events) + " events",
              "copy it again, or record again");
}

void LocationReader::close() {
  if (events_ == nullptr) return;
  const std::lock_guard lock(archive_.of_reader_);
  OTF2_Reader_CloseEvtReader(archive_.reader(), events_);
  events_ = nullptr;
}

}  // namespace ww::otf2
