#include "trace/directory.hpp"
#include "view/open_trace.hpp"

namespace ww::view {
namespace fs = std::filesystem;

Result<void> check_trace(const fs::path& trace) {
  std::error_code problem;
  const fs::file_status status = fs::status(trace, problem);
  if (!fs::exists(status))
    return fail(problem && problem.value() != ENOENT ? problem.message() : "no such trace", trace.string(),
                "record one: whatwire record -- mpirun -n 4 ./program");
  if (!fs::is_directory(status) || is_unified(trace) || has_spool(trace) ||
      fs::exists(trace / "study.json", problem))
    return {};
  return fail(
      "not a trace directory", trace.string(),
      "it has neither traces.otf2 nor spool/; name what whatwire record wrote, or the anchor of an archive");
}

}  // namespace ww::view
