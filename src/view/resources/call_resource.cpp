// One call: its parts, its messages, its collective with all members' entries.
#include <algorithm>

#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t last_rank_number = std::int64_t{1} << 31, last_call_number = std::int64_t{1} << 32;
constexpr std::size_t most_of_call = 10'000;  // messages, members

enum class IsOf : std::uint8_t { messages, collectives };

// What the call's actions are matched with, by number.
std::vector<std::uint32_t> matches_of(const Trace& trace, std::int32_t number, std::uint32_t call,
                                      IsOf wanted) {
  const RankTrace& rank = trace.ranks[static_cast<std::size_t>(number)];
  std::vector<std::uint32_t> matches;
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
    const ActionKind kind = rank.kind[a];
    const bool is_collective = kind == ActionKind::collective || kind == ActionKind::icollective ||
                               kind == ActionKind::icollective_done;
    if (rank.match[a] != none && is_collective == (wanted == IsOf::collectives))
      matches.push_back(rank.match[a]);
  }
  std::sort(matches.begin(), matches.end());
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
  return matches;
}

// Messages that the call begins to send or completes to receive, by number; their times are those of the calls.
nlohmann::json messages_of_call(const Trace& trace, std::int32_t rank, std::uint32_t call,
                                std::size_t& left_out) {
  const std::int64_t begin_ns = trace.begin_ns();
  nlohmann::json list = nlohmann::json::array();
  for (const std::uint32_t m : matches_of(trace, rank, call, IsOf::messages)) {
    const Message& one = trace.messages[m];
    const bool sends = one.source == rank && one.send_call == call;
    const bool receives = one.destination == rank && one.recv_done_call == call;
    if (!sends && !receives) continue;
    if (list.size() == most_of_call) {
      ++left_out;
      continue;
    }
    const RankTrace& source = trace.ranks[static_cast<std::size_t>(one.source)];
    const RankTrace& destination = trace.ranks[static_cast<std::size_t>(one.destination)];
    list.push_back(
        {{"number", m},
         {"outgoing", sends},
         {"peer", sends ? one.destination : one.source},
         {"tag", one.tag},
         {"bytes", one.bytes},
         {"sent_ns", source.enter_ns[one.send_call] - begin_ns},
         {"received_ns", one.recv_done_call == none
                             ? nlohmann::json()
                             : nlohmann::json(destination.leave_ns[one.recv_done_call] - begin_ns)}});
  }
  return list;
}

nlohmann::json collective_of_call(const Trace& trace, std::int32_t rank, std::uint32_t call,
                                  std::size_t& left_out) {
  const std::int64_t begin_ns = trace.begin_ns();
  for (const std::uint32_t c : matches_of(trace, rank, call, IsOf::collectives)) {
    const Collective& collective = trace.collectives[c];
    const CollectiveMember* own = nullptr;
    for (const CollectiveMember& member : collective.members)
      if (member.rank == rank && (member.call == call || member.done_call == call)) own = &member;
    if (own == nullptr) continue;
    nlohmann::json members = nlohmann::json::array();
    for (const CollectiveMember& member : collective.members) {
      if (member.call == none) continue;
      if (members.size() == most_of_call) {
        ++left_out;
        continue;
      }
      const RankTrace& of = trace.ranks[static_cast<std::size_t>(member.rank)];
      const std::uint32_t done = member.done_call == none ? member.call : member.done_call;
      members.push_back({{"rank", member.rank},
                         {"enter_ns", of.enter_ns[member.call] - begin_ns},
                         {"leave_ns", of.leave_ns[done] - begin_ns}});
    }
    const RankTrace& self = trace.ranks[static_cast<std::size_t>(rank)];
    return {{"op", trace.regions[self.region[own->call]]},
            {"comm", collective.comm < trace.comms.size() ? trace.comms[collective.comm].name : ""},
            {"members", std::move(members)}};
  }
  return nullptr;
}

Result<Response> answer_call(const Inquiry& inquiry) {
  WW_TRY(const std::int64_t rank, inquiry.query.integer("rank", 0, last_rank_number));
  WW_TRY(const std::int64_t number, inquiry.query.integer("call", 0, last_call_number));
  WW_TRY(const auto trace, inquiry.trace->trace());
  if (static_cast<std::size_t>(rank) >= trace->ranks.size())
    return wrong_usage("there is no such rank", "rank", "see the ranks of data/N/trace");
  const RankTrace& of = trace->ranks[static_cast<std::size_t>(rank)];
  if (static_cast<std::size_t>(number) >= of.calls())
    return wrong_usage("the rank has no such call", "call", "take a number of data/N/calls");
  const auto call = static_cast<std::uint32_t>(number);
  // The index has the parts, and is there long before what a loaded trace's splits take to be worked out again.
  WW_TRY(const CallInterval interval, inquiry.trace->of_index([&](const Index& index) {
    return index.call(static_cast<std::size_t>(rank), call);
  }));
  std::size_t left_out = 0;
  nlohmann::json messages = messages_of_call(*trace, static_cast<std::int32_t>(rank), call, left_out);
  nlohmann::json collective = collective_of_call(*trace, static_cast<std::int32_t>(rank), call, left_out);
  return json_response(
      {{"rank", rank},
       {"call", number},
       {"name", trace->regions[of.region[call]]},
       {"enter_ns", interval.enter_ns},
       {"leave_ns", interval.leave_ns},
       {"algorithmic_ns", interval.algorithmic_ns},
       {"service_ns", interval.service_ns},
       {"library_ns", interval.leave_ns - interval.enter_ns - interval.algorithmic_ns - interval.service_ns},
       {"messages", std::move(messages)},
       {"collective", std::move(collective)},
       {"left_out", left_out}});
}

}  // namespace

const Resource call_resource = {
    .name = "call", .parameters = "rank call", .answer = answer_call, .of_calls = true};

}  // namespace ww::view
