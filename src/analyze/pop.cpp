#include "analyze/pop.hpp"

#include "analyze/balance.hpp"
#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {

Pop find_pop(const Breakdown& breakdown, std::optional<double> ideal_s) {
  const Evenness compute_s = find_balance(breakdown).compute_s;
  Pop pop;
  pop.elapsed_s = breakdown.elapsed_s;
  pop.mean_compute_s = compute_s.mean;
  pop.most_compute_s = compute_s.most;
  pop.load_balance = compute_s.balance;
  if (pop.elapsed_s > 0) {
    pop.communication_efficiency = pop.most_compute_s / pop.elapsed_s;
    pop.parallel_efficiency = pop.mean_compute_s / pop.elapsed_s;
  }
  if (ideal_s && *ideal_s > 0 && pop.elapsed_s > 0) {
    pop.ideal_s = ideal_s;
    pop.serialisation = pop.most_compute_s / *ideal_s;
    pop.transfer = *ideal_s / pop.elapsed_s;
  }
  return pop;
}

static Result<Answer> answer_pop(const Given& given) {
  const Pop pop = find_pop(given.breakdown, given.ideal_s);
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  Answer answer;
  answer.json = {{"parallel_efficiency", pop.parallel_efficiency},
                 {"load_balance", pop.load_balance},
                 {"communication_efficiency", pop.communication_efficiency},
                 {"serialisation", number(pop.serialisation)},
                 {"transfer", number(pop.transfer)},
                 {"elapsed_s", pop.elapsed_s},
                 {"ideal_s", number(pop.ideal_s)},
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

const Question pop_question = {"pop", "pop", "the POP efficiencies: load balance, serialisation, transfer",
                               answer_pop, true};

}  // namespace ww
