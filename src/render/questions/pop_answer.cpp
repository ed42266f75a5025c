#include "analyze/pop.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

Result<Answer> answer_pop(const Given& given) {
  const Pop pop = find_pop(given.breakdown, given.ideal_s);
  Answer answer;
  answer.json = {{"parallel_efficiency", pop.parallel_efficiency},
                 {"load_balance", pop.load_balance},
                 {"communication_efficiency", pop.communication_efficiency},
                 {"serialisation", or_null(pop.serialisation)},
                 {"transfer", or_null(pop.transfer)},
                 {"elapsed_s", pop.elapsed_s},
                 {"ideal_s", or_null(pop.ideal_s)},
                 {"mean_compute_s", pop.mean_compute_s},
                 {"most_compute_s", pop.most_compute_s},
                 {"ideal", given.ideal_why}};
  Table table({"efficiency", "of", ""}, 2);
  const auto row = [&](const char* name, const std::optional<double>& value, const char* of) {
    table.add({name, of, value ? fmt::format("{:.1f}%", 100 * *value) : "-"});
  };
  row("parallel efficiency", pop.parallel_efficiency, "mean computation / elapsed");
  row("  load balance", pop.load_balance, "mean / most computation");
  row("  communication", pop.communication_efficiency, "most computation / elapsed");
  row("    serialisation", pop.serialisation, "most computation / elapsed on the ideal network");
  row("    transfer", pop.transfer, "elapsed on the ideal network / elapsed");
  answer.text = table.text();
  answer.text +=
      fmt::format("elapsed {}, computation {} in the mean and {} at most{}\n", show_time(pop.elapsed_s),
                  show_time(pop.mean_compute_s), show_time(pop.most_compute_s),
                  pop.ideal_s ? ", ideal network " + show_time(*pop.ideal_s) : "");
  if (!given.ideal_why.empty()) answer.text += given.ideal_why + "\n";
  return answer;
}

}  // namespace

const Question pop_question = {"pop", "pop", "the POP efficiencies: load balance, serialisation, transfer",
                               answer_pop, true};

}  // namespace ww
