#include "analyze/file_totals.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_files(const Given& given) {
  const std::vector<FileTotal> files = find_files(given.part, given.breakdown);
  Answer answer;
  answer.json = {
      {"files", nlohmann::json::array()},
      {"rule",
       "bytes_per_s: bytes read and written / active_s, the time while any rank had an operation under way"}};
  for (const FileTotal& file : files)
    answer.json["files"].push_back({{"name", given.trace.file_io.files[file.file]},
                                    {"opens", file.opens},
                                    {"reads", file.reads},
                                    {"writes", file.writes},
                                    {"bytes_read", file.bytes_read},
                                    {"bytes_written", file.bytes_written},
                                    {"short_operations", file.short_operations},
                                    {"time_s", file.time_s},
                                    {"waited_s", file.waited_s},
                                    {"open_s", file.open_s},
                                    {"active_s", file.active_s},
                                    {"bytes_per_s", file.bytes_per_s()}});
  if (files.empty()) {
    answer.text = "the trace has no file I/O through MPI\n";
    return answer;
  }
  Table table({"file", "opens", "reads", "writes", "read", "written", "in calls", "waited", "active", "rate"},
              1);
  answer.text = "File I/O, by file\n" + limited(table, files, "files", [&](const FileTotal& file) {
                  const std::string& name = given.trace.file_io.files[file.file];
                  const std::size_t from =
                      name.size() > 30 ? name.size() - 30 : 0;  // the end tells files apart
                  table.add({name.substr(from), fmt::format("{}", file.opens), fmt::format("{}", file.reads),
                             fmt::format("{}", file.writes), show_bytes(static_cast<double>(file.bytes_read)),
                             show_bytes(static_cast<double>(file.bytes_written)), show_time(file.time_s),
                             show_time(file.waited_s), show_time(file.active_s),
                             show_bytes(file.bytes_per_s()) + "/s"});
                });
  return answer;
}

}  // namespace

const Question files_question = {"files", "files", "file I/O by file: operations, bytes, time, rate",
                                 answer_files};

}  // namespace ww
