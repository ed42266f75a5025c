#include "analyze/balance.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

nlohmann::json to_json(const Evenness& e, const std::string& unit) {
  return {{"mean" + unit, e.mean},
          {"least" + unit, e.least},
          {"most" + unit, e.most},
          {"deviation" + unit, e.deviation},
          {"least_rank", e.least_rank},
          {"most_rank", e.most_rank},
          {"balance", e.balance},
          {"imbalance", e.balance > 0 ? 1 / e.balance - 1 : 0},
          {"most_less_mean" + unit, e.most - e.mean}};
}

Result<Answer> answer_balance(const Given& given) {
  const Balance found = find_balance(given.breakdown);
  Answer answer;
  answer.json = {{"compute", to_json(found.compute_s, "_s")},
                 {"communication", to_json(found.communication_s, "_s")},
                 {"messages_sent", to_json(found.messages_sent, "")},
                 {"bytes_sent", to_json(found.bytes_sent, "_bytes")},
                 {"rule", "balance: mean / most over the ranks; imbalance: most / mean - 1"}};
  Table table({"of", "balance", "mean", "least", "on rank", "most", "on rank", "deviation"}, 1);
  const auto row = [&](const char* what, const Evenness& e, auto show) {
    table.add({what, fmt::format("{:.3f}", e.balance), show(e.mean), show(e.least),
               fmt::format("{}", e.least_rank), show(e.most), fmt::format("{}", e.most_rank),
               show(e.deviation)});
  };
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  row("computation", found.compute_s, show_time);
  row("communication", found.communication_s, show_time);
  row("messages sent", found.messages_sent, number);
  row("bytes sent", found.bytes_sent, show_bytes);
  answer.text = "Balance over the ranks: mean / most, 1 is even\n" + table.text();
  answer.text += fmt::format("even computation could save at most {} of {}\n",
                             show_time(found.compute_s.most - found.compute_s.mean),
                             show_time(given.breakdown.elapsed_s));
  return answer;
}

}  // namespace

const Question balance_question = {
    "balance", "balance", "how evenly computation and messages are spread over ranks", answer_balance};

}  // namespace ww
