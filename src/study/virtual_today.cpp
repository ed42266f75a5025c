#include "study/virtual_today.hpp"

#include <algorithm>

#include "dilate/virtual_run.hpp"

namespace ww {

std::optional<Estimate> virtual_today(const Launch& launch, const StudyOptions& options, const Rounds& all,
                                      Diagnostics& said) {
  const auto& answers = all.rounds.front().answers;
  if (!options.virtual_time || std::none_of(answers.begin(), answers.end(),
                                            [](const RoundAnswer& answer) { return answer.virtual_s; }))
    return {};
  options.progress("running in virtual time on today's machine");
  VirtualOptions how;
  how.machine = &all.model;
  how.extra_software_s = answers.front().prediction.calibrated_software_s;
  how.kept_share = answers.front().prediction.send_kept_share;
  how.repeat = options.repeat;
  how.lab = options.lab;
  how.directory = options.directory / "virtual-today";
  const auto run = run_virtual(launch, how);
  if (!run) {
    said.add("virtual-today-failed", to_string(run.error()));
    return {};
  }
  return from_runs(run->runs_s);
}

}  // namespace ww
