#include <fmt/format.h>

#include "base/files.hpp"
#include "trace/causality.hpp"
#include "trace/match.hpp"
#include "trace/otf2_read.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<fs::path> find_anchor(const fs::path& trace) {
  std::error_code ignored;
  if (!fs::exists(trace, ignored))
    return fail("no such trace", trace.string(), "record one: whatwire record -- mpirun -n 4 ./program");
  if (!fs::is_directory(trace, ignored)) return trace;
  if (fs::exists(trace / anchor_name, ignored)) return trace / anchor_name;
  if (fs::is_directory(trace / "spool", ignored)) {
    WW_TRY(const Diagnostics unified, unify_recorded(trace, Crew()));
    return trace / anchor_name;
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

constexpr const char* violation = "clock-violation";

void correct_clocks(Trace& trace) {
  trace.causality = restore_causality(trace);
  const Causality& causality = trace.causality;
  if (causality.violations == 0) return;
  trace.diagnostics.add(
      violation, Severity::warning,
      fmt::format(
          "messages were received before they were sent: the clocks of the hosts are known to {:.1f} us "
          "only; times were moved forward by up to {:.1f} us, after which {} such messages remain; "
          "waiting times shorter than that mean nothing",
          trace.clock_uncertainty_s * 1e6, static_cast<double>(causality.largest_shift_ns) * 1e-3,
          causality.remaining),
      causality.violations);
}

}  // namespace

Result<Trace> load_trace(const fs::path& path) {
  WW_TRY(const fs::path anchor, find_anchor(path));
  WW_TRY(Trace trace, otf2::read_archive(anchor));
  trace.run = read_run(anchor.parent_path());
  // The archive has the deviations of the exchanges, run.json what they and the time between them leave
  // uncertain.
  if (const auto stated = stated_uncertainty_s(trace.run)) trace.clock_uncertainty_s = *stated;
  match(trace);
  correct_clocks(trace);
  if (trace.run.is_object()) {
    const auto dilation = trace.run.find("dilation");
    if (dilation != trace.run.end() && dilation->is_number() && dilation->get<double>() > 0)
      trace.dilation = dilation->get<double>();
    if (const auto recorded = trace.run.find("diagnostics"); recorded != trace.run.end()) {
      Diagnostics diagnostics;
      try {
        recorded->get_to(diagnostics);
        for (const Diagnostic& d : diagnostics.all())
          if (d.name != violation)
            trace.diagnostics.add(d.name, d.severity, d.remedy, d.count);  // counted above
      } catch (const json::exception&) {
        trace.diagnostics.add("damaged-run", Severity::warning, "the diagnostics in run.json cannot be read");
      }
    }
  }
  return trace;
}

}  // namespace ww
