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

std::optional<double> stated_uncertainty_s(const json& run) {
  const json::json_pointer where("/clock/uncertainty_s");
  if (!run.is_object() || !run.contains(where) || !run[where].is_number()) return std::nullopt;
  const double stated = run[where].get<double>();
  return stated >= 0 && stated < 1e9 ? std::optional(stated) : std::nullopt;
}

// What later stages take out of run.json, and of which type.
const std::vector<check::Key>& keys_of_run() {
  using namespace check;
  const Check numbers = list_of(or_null(is_number));
  static const std::vector<Key> keys{
      {"program", is_string},
      {"mpi", is_string},
      {"mpi_version", is_string},
      {"started", is_string},
      {"lab", is_string},
      {"wire", object({{"rate_bytes_per_s", is_number}, {"delay_s", is_number}})},
      {"environment", map_of(is_string)},
      {"exit_code", is_whole},
      {"wall_s", is_number},
      {"dilation", is_number},
      {"clock", is_object},
      {"machine", object({{"name", is_string},
                          {"processors", is_whole},
                          {"usable_processors", is_whole},
                          {"cpu", is_string}})},
      {"ranks", list_of(object({{"rank", is_whole},
                                {"host", is_string},
                                {"pid", is_whole},
                                {"cpu_s", is_number},
                                {"elapsed_s", is_number},
                                {"polled_s", is_number},
                                {"involuntary_switches", is_whole},
                                {"arithmetic_s", numbers},
                                {"code", object({{"files", is_string}})},
                                {"stretch", object({{"thread_level", is_string},
                                                    {"calling_threads", is_whole},
                                                    {"count", is_whole},
                                                    {"late_median_ns", is_number},
                                                    {"late_p99_ns", is_number},
                                                    {"teams", is_flag},
                                                    {"unseen_wait_ns", is_number}})}}))},
  };
  return keys;
}

// Of a damaged run.json the rest is used, and what is missing is said.
void make_fit(json& run, Diagnostics& diagnostics) {
  if (!run.is_object()) return;
  check::leave_out_nulls(run);
  make_printable(run);
  if (run.contains("program") && run["program"].is_string())
    run["program"] = printable(run["program"].get_ref<const std::string&>());
  if (const auto damaged = check::leave_out_damaged(run, keys_of_run()); !damaged.empty())
    diagnostics.add("damaged-run",
                    fmt::format("run.json is damaged and was used without: {}", fmt::join(damaged, ", ")),
                    damaged.size());
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

constexpr DiagnosticName violation = "clock-violation";

void correct_clocks(Trace& trace) {
  const std::uint64_t within_hosts = violations_within_hosts(trace);
  trace.causality = restore_causality(trace);
  if (trace.causality.violations == 0) return;
  trace.diagnostics.add(violation, in_words(trace.causality, within_hosts, trace.clock_uncertainty_s),
                        trace.causality.violations);
}

Result<Trace> load_once(const fs::path& path, const Loading& loading) try {
  WW_TRY(const Found found, find_archive(path));
  WW_TRY(Trace trace, otf2::read_archive(found.anchor, loading));
  json run = read_run(found.anchor.parent_path());
  make_fit(run, trace.diagnostics);
  trace.run = run_from_json(run);
  if (found.elsewhere) {
    trace.source = path / anchor_name;
    trace.diagnostics.add("not-unified",
                          "the archive was made for this command only (" + found.why_elsewhere +
                              "); whatwire unify makes it once and for all where it can be written");
  }
  // The archive has the deviations of the exchanges, run.json what they and the time between them leave
  // uncertain.
  if (const auto stated = stated_uncertainty_s(run)) trace.clock_uncertainty_s = *stated;
  match(trace, loading.threads);
  trace.predicted = run.is_object() && run.contains("predicted") && run["predicted"].is_object();
  if (trace.predicted)
    trace.diagnostics.add("predicted", how_predicted(run["predicted"]));
  else
    correct_clocks(trace);
  if (run.is_object()) {
    const auto dilation = run.find("dilation");
    if (dilation != run.end() && dilation->is_number() && dilation->get<double>() > 0)
      trace.dilation = dilation->get<double>();
    if (const auto recorded = run.find("diagnostics"); recorded != run.end()) {
      Diagnostics diagnostics;
      try {
        recorded->get_to(diagnostics);
        for (const Diagnostic& d : diagnostics.all())
          if (!is(d, violation)) trace.diagnostics.add_read(d);  // counted above
      } catch (const json::exception&) {
        trace.diagnostics.add("damaged-run", "the diagnostics in run.json cannot be read");
      }
    }
  }
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
