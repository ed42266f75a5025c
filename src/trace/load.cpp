#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/json_check.hpp"
#include "base/memory_limit.hpp"
#include "base/text.hpp"
#include "trace/archive_entries.hpp"
#include "trace/causality.hpp"
#include "trace/elsewhere.hpp"
#include "trace/match.hpp"
#include "trace/otf2_read.hpp"
#include "trace/run_beside.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Where the archive of a trace is, and what else there is to say of it.
struct Found {
  fs::path anchor;
  std::optional<ArchiveElsewhere> elsewhere;
  std::string why_elsewhere;
};

bool is_another_users(const fs::path& dir) {
  struct stat status {};
  return stat(dir.c_str(), &status) == 0 && status.st_uid != geteuid();
}

// A recording that nobody unified yet: here, for good, or where that cannot be done, for this process only.
Result<Found> unify_now(const fs::path& dir) {
  WW_CHECK(check_permission(dir));
  std::string why = "it belongs to another user";
  if (!is_another_users(dir)) {
    const auto unified = unify_recorded(dir, Crew());
    if (unified) return Found{dir / anchor_name, {}, {}};
    WW_CHECK(check_ended(dir));
    why = to_string(unified.error());
  }
  auto elsewhere = ArchiveElsewhere::make(dir);
  if (is_unified(dir)) return Found{dir / anchor_name, {}, {}};  // by others meanwhile
  if (!elsewhere) return tl::unexpected(elsewhere.error());
  const fs::path anchor = elsewhere->anchor();
  return Found{anchor, std::move(*elsewhere), why};
}

// Of a study's directory: the recording that its report is about, which stays beside study.json when the
// directory is moved.
fs::path recording_of(const fs::path& study) {
  const auto text = read_file(study / "study.json");
  if (!text) return {};
  const json told = json::parse(*text, nullptr, false);
  if (!told.is_object() || !told.contains("trace") || !told["trace"].is_string()) return {};
  const fs::path trace = told["trace"].get<std::string>();
  std::error_code ignored;
  for (const fs::path& candidate : {study / trace.filename(), trace})
    if (fs::exists(candidate / anchor_name, ignored)) return candidate;
  return {};
}

Result<Found> find_archive(const fs::path& trace) {
  struct stat status {};
  if (stat(trace.c_str(), &status) != 0) {
    if (errno == EACCES)
      return fail("no permission to read the trace", trace.string(),
                  "ask its owner, or root, to let you read it");
    return fail("no such trace", trace.string(), "record one: whatwire record -- mpirun -n 4 ./program");
  }
  if (!S_ISDIR(status.st_mode)) {
    if (access(trace.c_str(), R_OK) != 0 && errno == EACCES)
      return fail("no permission to read the trace", trace.string(),
                  "ask its owner, or root, to let you read it");
    return Found{trace, {}, {}};
  }
  if (is_unified(trace)) {
    WW_CHECK(check_permission(trace));
    remove_leftovers_of_archive(trace);
    return Found{trace / anchor_name, {}, {}};
  }
  if (has_spool(trace)) return unify_now(trace);
  WW_CHECK(check_permission(trace));
  if (owned::look_at(trace, trace_kind).state == owned::FileState::busy)
    return fail("it is still being recorded", trace.string(), "wait for its end");
  if (const fs::path recording = recording_of(trace); !recording.empty()) {
    WW_CHECK(check_permission(recording));
    return Found{recording / anchor_name, {}, {}};
  }
  return fail(
      "not a trace directory", trace.string(),
      "it has neither traces.otf2 nor spool/; name what whatwire record wrote, or the anchor of an archive");
}

std::string how_predicted(const json& predicted) {
  const std::string what_if = check::text_of(predicted, "what_if");
  return fmt::format(
      "predicted, not recorded: {} on the machine '{}', from the recording {}; what was taken for granted is "
      "in "
      "run.json, under predicted",
      what_if.empty() ? "as it was" : what_if, check::text_of(predicted, "machine_name"),
      check::text_of(predicted, "of"));
}

void correct_clocks(Trace& trace) {
  const std::uint64_t within_hosts = violations_within_hosts(trace);
  trace.causality = restore_causality(trace);
  if (trace.causality.violations == 0) return;
  trace.diagnostics.add(clock_violation, in_words(trace.causality, within_hosts, trace.clock_uncertainty_s),
                        trace.causality.violations);
}

Result<Trace> load_once(const fs::path& path, const Loading& loading) try {
  WW_TRY(const Found found, find_archive(path));
  WW_TRY(Trace trace, otf2::read_archive(found.anchor, loading));
  const json run = take_run(trace, found.anchor.parent_path());
  if (found.elsewhere) {
    trace.source = path / anchor_name;
    trace.diagnostics.add("not-unified",
                          "the archive was made for this command only (" + found.why_elsewhere +
                              "); whatwire unify makes it once and for all where it can be written");
  }
  match(trace, loading.threads);
  if (trace.predicted)
    trace.diagnostics.add("predicted", how_predicted(run["predicted"]));
  else
    correct_clocks(trace);
  take_diagnostics(trace, run);
  return trace;
} catch (const std::bad_alloc&) {
  if (are_addresses_limited())
    return fail("no room for the columns of the trace within the limit of addresses", path.string(),
                "raise the shell's limit (ulimit -v), which counts files like memory");
  return fail("no room for the columns of the trace, in memory or on the disk", path.string(),
              "make room beside the trace, or name a directory with more of it in TMPDIR");
}

}  // namespace

Result<Trace> load_trace(const fs::path& path, const Loading& loading) {
  // Another recording may take the name while this one is read: what was read of both is neither.
  constexpr int most_attempts = 20;
  for (int attempt = 1;; ++attempt) {
    const ArchiveIdentity before = identity_of(path);
    auto trace = load_once(path, loading);
    const ArchiveIdentity after = identity_of(path);
    const bool made_now = before.directory == after.directory && before.anchor == 0;
    if (after == before || made_now || attempt == most_attempts) return trace;
  }
}

}  // namespace ww
