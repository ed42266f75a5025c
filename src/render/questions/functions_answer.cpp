#include <algorithm>

#include "analyze/function_totals.hpp"
#include "base/numbers.hpp"
#include "base/subprocess.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_functions(const Given& given) {
  const FunctionTotals totals = find_functions(given.trace.run);
  Answer answer;
  answer.json = to_json(totals);
  if (totals.functions.empty()) {
    answer.text =
        "no functions were counted: they are of programs compiled with -fpatchable-function-entry=5 or\n"
        "-finstrument-functions, or instrumented by whatwire instrument, by\n"
        "whatwire record --count-functions '*'\n";
    return answer;
  }
  answer.text = fmt::format("Functions, sums over {}; own time is without the functions that they call\n",
                            counted(totals.ranks, "rank"));
  Table table({"function", "calls", "a second", "own", "share", "all", "a call", "recorded"}, 1);
  answer.text += limited(table, totals.functions, "functions", [&](const FunctionTotal& one) {
    const double calls = static_cast<double>(std::max<std::uint64_t>(one.calls, 1));
    const bool others = one.name.empty();
    table.add({others ? "(others)" : shortened(one.name, 30), fmt::format("{}", one.calls),
               fmt::format("{:.3g}", one.calls_a_second), show_time(one.own_s),
               percent(one.own_s, totals.elapsed_s), others ? "" : show_time(one.all_s),
               others ? "" : show_time(one.all_s / calls),
               totals.only_counted ? "" : fmt::format("{}", one.recorded)});
  });
  if (totals.worth_recording.empty())
    answer.text += "\nNone is worth a region: none takes 1% of the time with 10 us a call and more.\n";
  else
    answer.text += fmt::format(
        "\nWorth a region each (1% of the time and 10 us a call and more):\nwhatwire record --functions {} "
        "-- ...\n",
        shell_quoted({as_patterns(totals.worth_recording)}));
  return answer;
}

}  // namespace

const Question functions_question = {
    .name = "functions",
    .key = "functions",
    .about = "how often functions were called, for how long, and which are worth recording",
    .answer = answer_functions,
    .always_whole = "functions are counted while the program runs"};

}  // namespace ww
