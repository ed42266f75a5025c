#include "trace/run_beside.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_check.hpp"
#include "base/text.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using nlohmann::json;

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
                                {"tcp", map_of(is_number)},
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

}  // namespace

json take_run(Trace& trace, const std::filesystem::path& dir) {
  json run = read_run(dir);
  make_fit(run, trace.diagnostics);
  trace.run = run_from_json(run);
  if (!run.is_object()) return run;
  // The archive has the deviations of the exchanges, run.json what they and the time between them leave
  // uncertain.
  if (const auto stated = stated_uncertainty_s(run)) trace.clock_uncertainty_s = *stated;
  trace.predicted = run.contains("predicted") && run["predicted"].is_object();
  const auto dilation = run.find("dilation");
  if (dilation != run.end() && dilation->is_number() && dilation->get<double>() > 0)
    trace.dilation = dilation->get<double>();
  return run;
}

void take_diagnostics(Trace& trace, const json& run) {
  const auto recorded = run.is_object() ? run.find("diagnostics") : run.end();
  if (recorded == run.end()) return;
  Diagnostics diagnostics;
  try {
    recorded->get_to(diagnostics);
    for (const Diagnostic& d : diagnostics.all())
      if (!is(d, clock_violation)) trace.diagnostics.add_read(d);
  } catch (const json::exception&) {
    trace.diagnostics.add("damaged-run", "the diagnostics in run.json cannot be read");
  }
}

}  // namespace ww
