// What PRASE recorded of a run: for each process its event records, in the order in which they were written; and the files of that.
//
// A directory holds n0_p0, n1_p0, ...: of node 0 pid 0 and so on (S5, 3.5.1), each binary or in the text of `pv`; or `human`, Seecube's file of all
// (human_file.hpp). A single file of any of the three forms is a run too, and may have several processes in it. Which form a file has is seen by its
// content.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/owned.hpp"
#include "base/result.hpp"
#include "trace/prase/event_record.hpp"

namespace ww::prase {

struct ProcessRecords {
  std::int16_t node = 0, pid = 0;
  std::vector<EventRecord> records;
  bool operator==(const ProcessRecords&) const = default;
};

struct PraseRun {
  std::vector<ProcessRecords> processes;  // by node, then pid; none without records
  Diagnostics diagnostics;                // what could not be taken
};

// Puts records with their processes.
class ByProcess {
 public:
  void add(EventRecord record);
  std::vector<ProcessRecords> taken();  // by node, then pid; none is left

 private:
  using Key = std::pair<std::int16_t, std::int16_t>;
  std::map<Key, std::vector<EventRecord>> all_;
};

// Whether a file or directory is such a run, as far as its beginning says.
bool holds_prase_records(const std::filesystem::path& given);
// Errors: nothing of that form there, a line that is none (named), or not one good record. Records of binary files that are cut off, of no known type, or
// of another process than the file is named for are counted (`damaged-event-record`) and left out.
Result<PraseRun> read_prase_run(const std::filesystem::path& given);

// The run of one file's content; `name` is for messages. "nN_pP" lets only that process's records be taken.
Result<PraseRun> parse_prase_run(std::string_view content, const std::string& name);

std::string file_name_of(const ProcessRecords& process);
std::string binary_of(const ProcessRecords& process);
std::string pv_text_of(const ProcessRecords& process);

// Directories of them.
inline constexpr const char* human_name = "human";
inline constexpr owned::Entry prase_entries[] = {{"n[0-9]*_p[0-9]*"}};
inline constexpr owned::ContentKind prase_kind{"prase", prase_entries};
inline constexpr owned::Entry seecube_entries[] = {{human_name}};
inline constexpr owned::ContentKind seecube_kind{"seecube", seecube_entries};

}  // namespace ww::prase
