#include "analyze/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ww {
namespace {

constexpr const char* how =
    "give its number, or SOURCE:DESTINATION[:TAG[:K]], as 0:1:7:3 for the third with tag 7";

struct Wanted {
  std::int64_t source = 0, destination = 0, tag = 0, nth = 1;
  bool any_tag = true;
};

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value < 0)
    return std::nullopt;
  return value;
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Result<Wanted> selection_of(const std::vector<std::string>& parts, const std::string& which) {
  Wanted selection;
  std::int64_t* const fields[] = {&selection.source, &selection.destination, &selection.tag, &selection.nth};
  bool good = parts.size() >= 2 && parts.size() <= 4;
  for (std::size_t i = 0; good && i < parts.size(); ++i) {
    if (i == 2 && parts[i] == "any") continue;
    const auto value = number(parts[i]);
    good = value.has_value();
    if (good) *fields[i] = *value;
    if (i == 2) selection.any_tag = false;
  }
  if (!good || selection.nth < 1) return wrong_usage("not a message", "--message " + which, how);
  return selection;
}

struct SendAt {
  std::size_t rank;
  std::uint32_t call, action;
};

bool sends(ActionKind kind) {
  return kind == ActionKind::send || kind == ActionKind::isend;
}

std::optional<SendAt> find_send(const Trace& trace, std::size_t source, const auto& wanted) {
  const RankTrace& rank = trace.ranks[source];
  for (std::uint32_t call = 0; call < rank.calls(); ++call)
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
      if (sends(rank.kind[a]) && wanted(rank, a)) return SendAt{source, call, a};
  return std::nullopt;
}

Result<SendAt> locate(const Trace& trace, const std::string& which) {
  const std::vector<std::string> parts = parts_of(which);
  if (parts.size() == 1) {
    const auto index = number(which);
    if (!index) return wrong_usage("not a message", "--message " + which, how);
    if (static_cast<std::uint64_t>(*index) >= trace.messages.size())
      return fail("no such message", "--message " + which,
                  fmt::format("the trace has {} messages, numbered from 0", trace.messages.size()));
    const auto send =
        find_send(trace, static_cast<std::size_t>(trace.messages[static_cast<std::size_t>(*index)].source),
                  [&](const RankTrace& rank, std::uint32_t a) {
                    return rank.match[a] == static_cast<std::uint32_t>(*index);
                  });
    WW_INVARIANT(send.has_value());
    return *send;
  }
  WW_TRY(const Wanted selection, selection_of(parts, which));
  std::int64_t seen = 0;
  std::optional<SendAt> send;
  if (static_cast<std::uint64_t>(selection.source) < trace.ranks.size())
    send = find_send(trace, static_cast<std::size_t>(selection.source),
                     [&](const RankTrace& rank, std::uint32_t a) {
                       return rank.peer[a] == selection.destination &&
                              (selection.any_tag || rank.tag[a] == selection.tag) && ++seen == selection.nth;
                     });
  if (!send)
    return fail(
        "no such message", "--message " + which,
        fmt::format("{} such messages were sent; whatwire report --by peer shows who sends to whom", seen));
  return *send;
}

}  // namespace

Result<Followed> follow(const Trace& trace, const Breakdown& breakdown, const std::string& which) {
  WW_TRY(const SendAt at, locate(trace, which));
  const std::int64_t begin = trace.begin_ns();
  const auto call_at = [&](std::size_t rank, std::uint32_t call) {
    const RankTrace& columns = trace.ranks[rank];
    const Breakdown::CallSplit& split = breakdown.splits[rank];
    return CallAt{trace.regions[columns.region[call]], seconds_of(columns.enter_ns[call] - begin),
                  seconds_of(columns.leave_ns[call] - begin), seconds_of(split.algorithmic_ns[call]),
                  seconds_of(split.service_ns[call])};
  };
  const RankTrace& rank = trace.ranks[at.rank];
  Followed out;
  out.number = rank.match[at.action];
  out.source = static_cast<std::int32_t>(at.rank);
  out.destination = rank.peer[at.action];
  out.tag = rank.tag[at.action];
  out.comm = rank.comm[at.action];
  out.bytes = rank.bytes[at.action];
  out.synchronous = (rank.flags_of(at.action) & action_synchronous) != 0;
  for (std::uint32_t a = 0; a <= at.action; ++a)
    if (sends(rank.kind[a]) && rank.peer[a] == out.destination && rank.tag[a] == out.tag &&
        rank.comm[a] == out.comm)
      ++out.sequence;
  out.send = call_at(at.rank, at.call);
  out.left_earliest_s = out.arrived_earliest_s = out.send.enter_s;
  if (rank.kind[at.action] == ActionKind::send) out.left_latest_s = out.send.leave_s;
  if (out.number == none) return out;
  const Message& message = trace.messages[out.number];
  if (message.send_done_call != none && message.send_done_call != at.call)
    out.send_done = call_at(at.rank, message.send_done_call);
  const auto destination = static_cast<std::size_t>(message.destination);
  out.wildcard = message.wildcard;
  out.posted = call_at(destination, message.recv_post_call);
  out.received = call_at(destination, message.recv_done_call);
  out.arrived_latest_s = out.received->leave_s;
  if (out.send_done) out.left_latest_s = out.send_done->leave_s;
  out.left_latest_s = std::min(out.left_latest_s.value_or(*out.arrived_latest_s), *out.arrived_latest_s);
  const auto way =
      std::lower_bound(rank.ways.begin(), rank.ways.end(), at.action,
                       [](const KnownWay& one, std::uint32_t action) { return one.action < action; });
  if (way != rank.ways.end() && way->action == at.action) {
    out.known = true;
    out.left_earliest_s = seconds_of(way->left_ns - begin);
    out.arrived_earliest_s = seconds_of(way->arrived_ns - begin);
    out.left_latest_s = out.left_earliest_s;
    out.arrived_latest_s = out.arrived_earliest_s;
  }
  return out;
}

}  // namespace ww
