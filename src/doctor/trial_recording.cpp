// A recorded run of two ranks, as a user would start it, by whatwire itself.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/owned.hpp"
#include "base/subprocess.hpp"
#include "doctor/checks.hpp"
#include "trace/archive_entries.hpp"

namespace ww::doctor {
namespace {

namespace fs = std::filesystem;

constexpr double patience_s = 20;

struct Tried {
  bool good = false;
  double elapsed_s = 0;
  std::string said;  // its words if it failed, in one line
  std::string output;
};

std::string one_line(const std::string& text) {
  constexpr std::size_t most = 160;
  // Launchers frame their messages with lines of dashes.
  std::string out;
  for (std::size_t begin = 0; begin < text.size() && out.size() < most;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find_first_not_of("-= \t") != std::string::npos) out += (out.empty() ? "" : " ") + line;
    begin = end + 1;
  }
  return owned::printable(out.size() > most ? out.substr(0, most) + "..." : out);
}

Tried attempt(const std::vector<std::string>& line) {
  const auto done = run({.arguments = line,
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true,
                         .time_limit_s = patience_s});
  if (!done) return {.good = false, .elapsed_s = 0, .said = to_string(done.error()), .output = {}};
  Tried tried{.good = done->exit_code == 0, .elapsed_s = done->elapsed_s, .said = {}, .output = done->output};
  if (done->timed_out)
    tried.said = fmt::format("no end after {:.0f} s", patience_s);
  else if (!tried.good)
    tried.said = one_line(done->errors.empty() ? done->output : done->errors);
  return tried;
}

// A directory that is gone afterwards, with the trace in it.
class Somewhere {
 public:
  Somewhere() {
    std::error_code ignored;
    std::string pattern = (fs::temp_directory_path(ignored) / "whatwire-doctor-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) directory_ = pattern;
  }
  ~Somewhere() {
    if (directory_.empty()) return;
    (void)owned::remove(trace(), trace_kind);
    rmdir(directory_.c_str());
  }
  Somewhere(const Somewhere&) = delete;
  Somewhere& operator=(const Somewhere&) = delete;
  bool is_there() const { return !directory_.empty(); }
  fs::path trace() const { return directory_ / "hello.ww"; }

 private:
  fs::path directory_;
};

// What the report of the trace says of it; empty: both ranks and their two messages each.
std::string wrong_with(const std::string& report) {
  const auto json = nlohmann::json::parse(report, nullptr, false);
  if (!json.is_object() || !json.contains("ranks") || !json["ranks"].is_array())
    return "its report is not complete";
  if (json["ranks"].size() != 2) return fmt::format("it has {} ranks, not 2", json["ranks"].size());
  for (const auto& rank : json["ranks"])
    if (const auto sent = rank.value("messages_sent", 0); sent != 2)
      return fmt::format("it has {} messages of a rank, not 2", sent);
  return {};
}

std::string remedy_for(const std::string& said) {
  if (said.find("as root") != std::string::npos)
    return "as an ordinary user, or: export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  if (said.find("libmpi") != std::string::npos)
    return "its libraries must be found: ldconfig, LD_LIBRARY_PATH";
  return "start its mpirun by itself: it must work without whatwire";
}

}  // namespace

std::vector<std::string> hello(const Installation& of) {
  std::vector<std::string> line{of.launcher, "-n", "2"};
  // Two ranks on one core are enough to see whether they talk.
  if (*of.library->crowding_option != '\0') line.emplace_back(of.library->crowding_option);
  line.push_back(helper_program(std::string("ww-hello-") + of.library->name));
  return line;
}

Finding recording(Installation& of) {
  const std::string subject = "recording", title = of.library->title;
  const Somewhere somewhere;
  if (!somewhere.is_there())
    return {subject, Working::missing, "no temporary directory can be made",
            "set TMPDIR to a directory of yours"};
  std::vector<std::string> record{own_program(), "record", "-o", somewhere.trace(), "--"};
  const std::vector<std::string> bare = hello(of);
  record.insert(record.end(), bare.begin(), bare.end());
  const Tried recorded = attempt(record);
  std::string problem = recorded.said;
  if (recorded.good) {
    const Tried report = attempt({own_program(), "report", "--json", somewhere.trace()});
    problem = report.good ? wrong_with(report.output) : report.said;
  }
  if (recorded.good && problem.empty()) {
    of.runs = true;
    return {subject, Working::good,
            fmt::format("two ranks of {} and their messages, in {:.1f} s", title, recorded.elapsed_s), ""};
  }
  const Tried alone = attempt(bare);
  of.runs = alone.good;
  if (!alone.good)
    return {subject, Working::limited, fmt::format("two ranks of {} do not run: {}", title, alone.said),
            remedy_for(alone.said)};
  return {subject, Working::missing,
          fmt::format("two ranks of {} run, but are not recorded: {}", title, problem),
          "please report it with this line"};
}

}  // namespace ww::doctor
