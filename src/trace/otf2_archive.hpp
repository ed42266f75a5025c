// An OTF2 archive that is open, and the events of one of its locations, checked against what libotf2 believes too readily.
#pragma once
#include <otf2/otf2.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "trace/otf2_definitions.hpp"

namespace ww::otf2 {

class OpenArchive {
 public:
  // Its definitions go to `frame` (lay_out). Errors: not an archive, unreadable, truncated, no rank of MPI in it.
  static Result<std::unique_ptr<OpenArchive>> open(const std::filesystem::path& anchor, Trace& frame);

  OTF2_Reader* reader() const { return reader_.get(); }
  const Definitions& definitions() const { return definitions_; }
  Layout& layout() { return layout_; }
  const Layout& layout() const { return layout_; }
  std::uint64_t promised_events() const { return promised_; }

  // The rank's locations with events, that of its first thread first.
  std::vector<LocationDefinition> locations_of(std::size_t rank) const;
  // Mapping tables and clock offsets of a location: libotf2 applies them to the events once they were read. False: they cannot be read.
  // `deviation_ticks`: grows to the largest of the offsets.
  bool read_local_definitions(OTF2_LocationRef location, double& deviation_ticks);
  // Error: the file of the location's events does not hold them.
  Result<void> check_events(const LocationDefinition& location, std::size_t rank) const;

 private:
  friend class LocationReader;
  struct CloseReader {
    void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
  };
  OpenArchive(const std::filesystem::path& anchor) : anchor_(anchor) {}

  QuietErrors errors_;
  std::filesystem::path anchor_;
  std::unique_ptr<OTF2_Reader, CloseReader> reader_;
  std::mutex of_reader_;  // for what libotf2 has for all locations
  Definitions definitions_;
  Layout layout_;
  std::uint64_t promised_ = 0;
  bool has_local_ = false;
};

// One location's events, read in batches and never more than the definitions promise, since libotf2 can read a truncated file for ever.
class LocationReader {
 public:
  // `user`: what the callbacks are handed.
  LocationReader(OpenArchive& archive, const OTF2_EvtReaderCallbacks* callbacks,
                 const LocationDefinition& location, void* user);
  ~LocationReader() { close(); }
  LocationReader(const LocationReader&) = delete;
  LocationReader& operator=(const LocationReader&) = delete;

  // False: there was nothing more to read.
  bool read(std::uint64_t most);
  std::uint64_t total() const { return total_; }
  std::uint64_t promised() const { return location_.events; }
  // Error: there were fewer events than promised.
  Result<void> check_complete(std::size_t rank) const;

 private:
  void close();
  OpenArchive& archive_;
  LocationDefinition location_;
  OTF2_EvtReader* events_ = nullptr;
  std::uint64_t total_ = 0;
};

inline constexpr std::uint64_t events_a_batch = 1 << 16;

struct DeleteCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

}  // namespace ww::otf2
