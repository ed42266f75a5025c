#include "record/not_recorded.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "interpose/core/environment.hpp"
#include "interpose/core/spool_format.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

bool any_file(const fs::path& dir, const auto& wanted) {
  std::error_code ignored;
  for (fs::directory_iterator entry(dir, ignored), last; !ignored && entry != last; entry.increment(ignored))
    if (wanted(entry->path())) return true;
  return false;
}

// By their names, each once.
std::vector<std::string> programs_in(const fs::path& note) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  std::ifstream file(note);
  for (std::string line; names.size() < most && std::getline(file, line);) {
    const std::string name = fs::path(line).filename().string();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

bool holds_records(const fs::path& spool) {
  return any_file(spool, [](const fs::path& file) {
    if (file.extension() != ".spool") return false;
    std::ifstream in(file, std::ios::binary);
    spool::Record first{};
    in.seekg(spool::header_bytes);
    return in.read(reinterpret_cast<char*>(&first), sizeof first) && first.call != 0;
  });
}

Error why_not_recorded(const UnrecordedRun& run) {
  std::error_code ignored;
  const auto noted = [&](const char* name) { return fs::exists(run.spool / name, ignored); };
  if (!fs::is_directory(run.spool, ignored))
    return {"the trace directory was removed or replaced while the program ran",
            run.spool.parent_path().string(), "record again, and leave it alone until the program has ended"};
  if (any_file(run.spool, [](const fs::path& file) { return file.extension() == ".defs"; }))
    return {
        "the recording kept nothing: no room for its first record", run.spool.parent_path().string(),
        "free space on its disk, raise the limit of file sizes (ulimit -f), or name another place with -o"};
  if (run.other_mpi)
    return {fmt::format("the program uses {}, but the recorder of {} was loaded", *run.other_mpi,
                        run.recorder->title),
            run.line,
            fmt::format("start it with {}, whichever it was built with", named_by(&Library::launchers))};
  if (run.recorder != nullptr && *run.recorder->daemon != '\0')
    return {
        fmt::format("the program ended with exit code {} and was no task of {}", run.exit_code,
                    run.recorder->title),
        run.line,
        fmt::format(
            "{} must run on this host before (start it by: pvm), or name a lab (--lab), which has its own{}",
            run.recorder->daemon, run.exit_code != 0 ? "; " + run.printed : "")};
  if (run.interrupted)
    return {"interrupted before the program entered MPI_Init", run.line, "nothing was recorded"};
  if (noted(environment::init_unseen_file))
    return {"the program initialised MPI past the recorder", run.line,
            "it takes MPI's functions from a library that it opens by itself (dlopen, "
            "ctypes.CDLL(\"libmpi.so\")); "
            "take them from the program (dlopen(NULL), ctypes.CDLL(None)), or link it with MPI"};
  if (run.exit_code != 0)
    return {fmt::format("the program ended with exit code {} before it entered MPI_Init", run.exit_code),
            run.line, run.printed};
  if (!noted(environment::loaded_file))
    return {
        "the recorder was not loaded into any process of the program", run.line,
        "a wrapper that resets LD_PRELOAD or the environment, a program that is linked statically or changes "
        "its user (setuid), or hosts and users that cannot write " +
            run.spool.string() + ": name the program itself, and a place that they all can write"};
  return {"the program never called MPI_Init", run.line,
          fmt::format(
              "the recorder was loaded into {}; if that is not all, something resets LD_PRELOAD before what "
              "uses MPI: name the program of {} itself, linked dynamically",
              fmt::join(programs_in(run.spool / environment::loaded_file), ", "), recorded_titles())};
}

}  // namespace ww
