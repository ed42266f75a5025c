#include <algorithm>

#include "analyze/queues.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

nlohmann::json to_json(const QueueLength& length) {
  return {{"mean", length.mean},
          {"mean_bytes", length.mean_bytes},
          {"maximum", length.maximum},
          {"maximum_bytes", length.maximum_bytes},
          {"maximum_at_s", length.maximum_at_s}};
}

std::string show_at(const std::vector<WaitingMessage>& messages, double at_s) {
  std::string text =
      fmt::format("\n{} waiting at {}\n", counted(messages.size(), "message"), show_time(at_s));
  if (messages.empty()) return text;
  Table table({"from", "to", "tag", "bytes", "sent at", "received at"}, 0);
  return text + limited(table, messages, "messages", [&](const WaitingMessage& m) {
           table.add({fmt::format("{}", m.source), fmt::format("{}", m.destination), fmt::format("{}", m.tag),
                      show_bytes(static_cast<double>(m.bytes)), show_time(m.sent_s),
                      m.received_s ? show_time(*m.received_s) : "never"});
         });
}

Result<Answer> answer_queues(const Given& given) {
  const Queues found = find_queues(given.part, given.at_s);
  Answer answer;
  nlohmann::json ranks = nlohmann::json::array();
  Table table({"rank", "messages", "mean", "most", "at", "most bytes", "mean wait", "unexpected", "most",
               "its own, most", "over time"},
              1);
  for (const RankQueue& rank : found.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"messages", rank.messages},
                     {"unexpected_messages", rank.unexpected_messages},
                     {"never_received", rank.never_received},
                     {"mean_wait_s", rank.mean_wait_s},
                     {"waiting", to_json(rank.waiting)},
                     {"unexpected", to_json(rank.unexpected)},
                     {"outgoing", to_json(rank.outgoing)},
                     {"mean_over_time", rank.mean_over_time},
                     {"maximum_over_time", rank.maximum_over_time}});
  answer.json = {{"ranks", std::move(ranks)},
                 {"bin_s", found.bin_s},
                 {"rule",
                  "a message waits from the beginning of its send until the call that receives it "
                  "returns, the wire included; unexpected: until its receive is posted; outgoing: by the "
                  "rank that sent it"}};
  std::vector<const RankQueue*> rows;
  for (const RankQueue& rank : found.ranks) rows.push_back(&rank);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->waiting.mean > b->waiting.mean; });
  answer.text = "Messages sent to each rank and not yet received, the longest queue first\n";
  answer.text += limited(table, rows, "ranks", [&](const RankQueue* rank) {
    std::vector<double> coarse;
    for (std::size_t bin = 0; bin + 1 < rank->mean_over_time.size(); bin += 2)
      coarse.push_back((rank->mean_over_time[bin] + rank->mean_over_time[bin + 1]) / 2);
    const double most = coarse.empty() ? 0 : *std::max_element(coarse.begin(), coarse.end());
    table.add({fmt::format("{}", rank->rank), fmt::format("{}", rank->messages),
               fmt::format("{:.3g}", rank->waiting.mean), fmt::format("{}", rank->waiting.maximum),
               show_time(rank->waiting.maximum_at_s),
               show_bytes(static_cast<double>(rank->waiting.maximum_bytes)), show_time(rank->mean_wait_s),
               fmt::format("{}", rank->unexpected_messages), fmt::format("{}", rank->unexpected.maximum),
               fmt::format("{}", rank->outgoing.maximum), "[" + sparkline(coarse, most) + "]"});
  });
  if (std::all_of(rows.begin(), rows.end(),
                  [](const RankQueue* rank) { return rank->messages == 0 && rank->outgoing.maximum == 0; }))
    answer.text = "no messages between ranks: nothing queued\n";
  if (given.at_s) {
    nlohmann::json at = nlohmann::json::array();
    for (const WaitingMessage& m : found.at) {
      at.push_back({{"source", m.source},
                    {"destination", m.destination},
                    {"tag", m.tag},
                    {"bytes", m.bytes},
                    {"sent_s", m.sent_s},
                    {"received_s", or_null(m.received_s)}});
    }
    answer.json["at"] = {{"at_s", *given.at_s}, {"messages", std::move(at)}};
    answer.text += show_at(found.at, *given.at_s);
  }
  return answer;
}

}  // namespace

const Question queues_question = {
    "queues", "queues", "messages sent and not yet received: how many, how long, when", answer_queues};

}  // namespace ww
