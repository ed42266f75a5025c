#include <fmt/format.h>

#include <algorithm>

#include "analyze/follow.hpp"
#include "base/units.hpp"
#include "render/questions/questions.hpp"

namespace ww {
namespace {

nlohmann::json call_json(const CallAt& call) {
  return {{"call", call.name},
          {"enter_s", call.enter_s},
          {"leave_s", call.leave_s},
          {"blocked_algorithmic_s", call.blocked_algorithmic_s},
          {"blocked_service_s", call.blocked_service_s}};
}

nlohmann::json call_json(const std::optional<CallAt>& call) {
  return call ? call_json(*call) : nlohmann::json();
}

std::string show_waiting(std::int32_t rank, const CallAt& call) {
  const double blocked_s = call.blocked_algorithmic_s + call.blocked_service_s;
  if (blocked_s <= 0) return "";
  return fmt::format("rank {} was blocked for {} in {}: {} before the other side began, {} after\n", rank,
                     show_time(blocked_s), call.name, show_time(call.blocked_algorithmic_s),
                     show_time(call.blocked_service_s));
}

std::string line(double at_s, std::int32_t rank, const std::string& what) {
  return fmt::format("{:>14.9f} s  rank {:<5} {}\n", at_s, rank, what);
}

std::string text_of(const Followed& f) {
  std::string text =
      fmt::format("Message {} from rank {} to rank {}, tag {}, number {} of its kind: {}{}{}\n",
                  f.number == none ? "(never received)" : fmt::format("{}", f.number), f.source,
                  f.destination, f.tag, f.sequence, show_bytes(static_cast<double>(f.bytes)),
                  f.synchronous ? ", synchronous" : "", f.wildcard ? ", received by a wildcard" : "");
  std::vector<std::pair<double, std::string>> events;
  const auto add = [&](double at_s, std::int32_t rank, const std::string& what) {
    events.emplace_back(at_s, line(at_s, rank, what));
  };
  add(f.send.enter_s, f.source, "begins to send it in " + f.send.name);
  add(f.send.leave_s, f.source, "returns from " + f.send.name);
  if (f.send_done) add(f.send_done->leave_s, f.source, "finds the send complete in " + f.send_done->name);
  if (f.known) {
    add(f.left_earliest_s, f.source, "has all of it on its way");
    add(f.arrived_earliest_s, f.destination, "has all of it at its host");
  }
  if (f.posted) add(f.posted->enter_s, f.destination, "posts the receive in " + f.posted->name);
  if (f.received) {
    if (f.received->enter_s != f.posted->enter_s)
      add(f.received->enter_s, f.destination, "enters " + f.received->name);
    add(f.received->leave_s, f.destination, "has received it, returns from " + f.received->name);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [at_s, what] : events) text += what;
  if (f.received)
    text += fmt::format(
        "it took {} from the begin of its send to the end of its receive{}\n",
        show_time(f.received->leave_s - f.send.enter_s),
        f.posted->enter_s > f.send.enter_s
            ? fmt::format("; for {} no receive was posted", show_time(f.posted->enter_s - f.send.enter_s))
            : "");
  else
    text += "it was not received as far as the trace goes\n";
  if (f.received) text += show_waiting(f.destination, *f.received);
  text += show_waiting(f.source, f.send);
  if (f.send_done) text += show_waiting(f.source, *f.send_done);
  return text;
}

Result<Answer> answer_follow(const Given& given) {
  WW_TRY(const Followed f, follow(given.trace, given.breakdown, given.message));
  Answer answer;
  answer.json = {
      {"number", f.number == none ? nlohmann::json() : nlohmann::json(f.number)},
      {"source", f.source},
      {"destination", f.destination},
      {"tag", f.tag},
      {"communicator", f.comm < given.trace.comms.size() ? given.trace.comms[f.comm].name : ""},
      {"sequence", f.sequence},
      {"bytes", f.bytes},
      {"synchronous", f.synchronous},
      {"wildcard", f.wildcard},
      {"send", call_json(f.send)},
      {"send_done", call_json(f.send_done)},
      {"posted", call_json(f.posted)},
      {"received", call_json(f.received)},
      {"left", {{"earliest_s", f.left_earliest_s}, {"latest_s", or_null(f.left_latest_s)}}},
      {"arrived", {{"earliest_s", f.arrived_earliest_s}, {"latest_s", or_null(f.arrived_latest_s)}}},
      {"rule", f.known ? "of a predicted run it is known when a message left and arrived"
                       : "a trace does not show the wire: leaving and arriving are bounds"}};
  answer.text = text_of(f);
  return answer;
}

}  // namespace

const Question follow_question = {
    "message", "message", "one message followed from end to end: --message", answer_follow,
    false,     true,      "a message is followed wherever it goes"};

}  // namespace ww
