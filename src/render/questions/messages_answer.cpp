#include <algorithm>

#include "analyze/messages.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

std::string comm_name(const Trace& trace, std::uint32_t comm) {
  const std::string name = comm < trace.comms.size() ? trace.comms[comm].name : "";
  return name.empty() ? fmt::format("#{}", comm) : name;
}

nlohmann::json to_json(const SizeGroup& group) {
  const Spread spread = spread_of(group.count_of);
  nlohmann::json json = ww::to_json(spread, "bytes");
  json.erase("count");
  json["messages"] = spread.count;
  json["histogram"] = sizes_json(group.histogram);
  return json;
}

std::vector<std::string> row(std::vector<std::string> head, const SizeGroup& group) {
  const Spread spread = spread_of(group.count_of);
  head.push_back(fmt::format("{}", spread.count));
  for (const double bytes : {spread.sum, spread.least, spread.median, spread.mean, spread.most})
    head.push_back(show_bytes(bytes));
  return head;
}

template <class Key>
std::vector<std::pair<Key, const SizeGroup*>> most_bytes_first(const std::map<Key, SizeGroup>& groups) {
  std::vector<std::pair<Key, const SizeGroup*>> sorted;
  std::map<Key, double> sums;
  for (const auto& [key, group] : groups) {
    sorted.emplace_back(key, &group);
    sums[key] = spread_of(group.count_of).sum;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return sums[a.first] > sums[b.first]; });
  return sorted;
}

Table size_table(std::vector<std::string> head, std::size_t text_columns) {
  for (const char* column : {"messages", "bytes", "smallest", "median", "mean", "largest"})
    head.emplace_back(column);
  return Table(std::move(head), text_columns);
}

std::string show_histogram(const Histogram& histogram) {
  std::uint64_t most = 1;
  for (const auto& [bin, sum] : histogram.bins()) most = std::max(most, sum.count);
  std::string text;
  for (const auto& [bin, sum] : histogram.bins())
    text += fmt::format("{:>10} to {:<10} {:>10}  {}\n",
                        show_bytes(static_cast<double>(Histogram::first_of(bin))),
                        show_bytes(static_cast<double>(Histogram::last_of(bin))), sum.count,
                        std::string(1 + sum.count * 40 / most, '#'));
  return text;
}

Result<Answer> answer_messages(const Given& given) {
  const MessageSizes found = find_messages(given.part);
  nlohmann::json calls = nlohmann::json::array(), types = calls, pairs = calls, collectives = calls;
  for (const auto& [name, group] : found.by_call)
    calls.push_back({{"call", name}, {"sizes", to_json(group)}});
  for (const auto& [type, group] : found.by_type)
    types.push_back({{"communicator", comm_name(given.trace, type.first)},
                     {"tag", type.second},
                     {"sizes", to_json(group)}});
  for (const auto& [pair, group] : found.by_pair)
    pairs.push_back({{"source", pair.first}, {"destination", pair.second}, {"sizes", to_json(group)}});
  for (const auto& [which, volume] : found.collectives)
    collectives.push_back({{"operation", which.first},
                           {"communicator", comm_name(given.trace, which.second)},
                           {"count", volume.count},
                           {"bytes_sent", volume.bytes_sent},
                           {"bytes_received", volume.bytes_received}});
  Answer answer;
  answer.json = {{"all", to_json(found.all)},
                 {"by_call", std::move(calls)},
                 {"by_type", std::move(types)},
                 {"by_pair", std::move(pairs)},
                 {"collectives", std::move(collectives)}};
  if (found.all.messages == 0) {
    answer.text = "no messages between ranks but those of collectives\n";
  } else {
    answer.text = "Sizes of messages\n" + show_histogram(found.all.histogram) + "\n";
    Table by_call = size_table({"call"}, 1);
    answer.text += limited(by_call, most_bytes_first(found.by_call), "calls", [&](const auto& entry) {
      by_call.add(row({shortened(entry.first, 24)}, *entry.second));
    });
    Table by_type = size_table({"communicator", "tag"}, 2);
    answer.text += "\n" + limited(by_type, most_bytes_first(found.by_type), "types", [&](const auto& entry) {
                     by_type.add(row({shortened(comm_name(given.trace, entry.first.first), 24),
                                      fmt::format("{}", entry.first.second)},
                                     *entry.second));
                   });
    Table by_pair = size_table({"from", "to"}, 2);
    answer.text +=
        "\n" + limited(by_pair, most_bytes_first(found.by_pair), "pairs", [&](const auto& entry) {
          by_pair.add(row({fmt::format("{}", entry.first.first), fmt::format("{}", entry.first.second)},
                          *entry.second));
        });
  }
  if (!found.collectives.empty()) {
    Table table({"collective", "communicator", "count", "sent", "received"}, 2);
    answer.text += "\n" + limited(table, found.collectives, "collectives", [&](const auto& entry) {
                     table.add({entry.first.first, shortened(comm_name(given.trace, entry.first.second), 24),
                                fmt::format("{}", entry.second.count),
                                show_bytes(static_cast<double>(entry.second.bytes_sent)),
                                show_bytes(static_cast<double>(entry.second.bytes_received))});
                   });
  }
  return answer;
}

}  // namespace

const Question messages_question = {
    "messages", "messages", "sizes and counts by call, by type and by pair of ranks", answer_messages};

}  // namespace ww
