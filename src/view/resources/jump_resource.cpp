// The next of a kind after an instant, or the one before it: a call, a message, a marker, a violation, or the longest wait of all that
// is selected.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "base/units.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

struct JumpTarget {
  std::size_t rank = 0;
  std::uint32_t call = none;
  std::int64_t from_ns = 0, to_ns = 0;  // as the trace has them
  std::string text;
};

// Keeps the candidate that is nearest to the instant on the side that is asked for; of several at one instant the first.
class NearestTarget {
 public:
  NearestTarget(std::optional<std::int64_t> after_ns, std::optional<std::int64_t> before_ns)
      : after_ns_(after_ns), before_ns_(before_ns) {}
  bool wants(std::int64_t at_ns) const {
    if (after_ns_ && at_ns <= *after_ns_) return false;
    if (before_ns_ && at_ns >= *before_ns_) return false;
    if (!best_) return true;
    return before_ns_ && !after_ns_ ? at_ns > best_->from_ns : at_ns < best_->from_ns;
  }
  void take(JumpTarget found) { best_ = std::move(found); }
  const std::optional<JumpTarget>& best() const { return best_; }

 private:
  std::optional<std::int64_t> after_ns_, before_ns_;
  std::optional<JumpTarget> best_;
};

const std::string& called_name(const Trace& trace, const RankTrace& rank, std::uint32_t call) {
  return trace.regions[rank.region[call]];
}

// The index knows what calls waited. Errors: it is damaged, stopped.
Result<std::optional<JumpTarget>> longest_wait_of(const Index& index, const Part& part,
                                                  const Cancellation& stop) {
  const Trace& trace = part.trace();
  const std::int64_t begin_ns = trace.begin_ns();
  std::size_t of = 0, longest = 0;
  std::int64_t longest_ns = 0;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    if (stop.requested()) return cancelled();
    const Part::Range range = part.calls(r);
    if (range.first == range.last) continue;
    const Column<std::int64_t>& enter_ns = trace.ranks[r].enter_ns;
    WW_CHECK(index.calls_in(r, enter_ns[range.first] - begin_ns, enter_ns[range.last - 1] - begin_ns + 1,
                            [&](std::size_t call, const CallInterval& interval) {
                              const std::int64_t blocked_ns = interval.algorithmic_ns + interval.service_ns;
                              if (blocked_ns > longest_ns && part.counts(trace.ranks[r], call))
                                longest_ns = blocked_ns, of = r, longest = call;
                              return true;
                            }));
  }
  if (longest_ns == 0) return std::nullopt;
  const RankTrace& rank = trace.ranks[of];
  const auto call = static_cast<std::uint32_t>(longest);
  return JumpTarget{
      of, call, rank.enter_ns[call], rank.leave_ns[call],
      fmt::format("rank {} waits {} in {}", of, show_time(static_cast<double>(longest_ns) * 1e-9),
                  called_name(trace, rank, call))};
}

void find_call(const Part& part, const std::string& name, NearestTarget& nearest) {
  const Trace& trace = part.trace();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    for (std::uint32_t call = 0; call < rank.calls(); ++call)
      if (nearest.wants(rank.enter_ns[call]) && (name.empty() || called_name(trace, rank, call) == name) &&
          part.counts(rank, call))
        nearest.take({r, call, rank.enter_ns[call], rank.leave_ns[call],
                      fmt::format("{} of rank {}", called_name(trace, rank, call), r)});
  }
}

// Messages, or those of them whose receive completed before their send began.
void find_message(const Part& part, bool violations, NearestTarget& nearest) {
  const Trace& trace = part.trace();
  for (const Message& one : trace.messages) {
    if (one.recv_done_call == none) continue;
    const auto source = static_cast<std::size_t>(one.source),
               destination = static_cast<std::size_t>(one.destination);
    const std::int64_t sent_ns = trace.ranks[source].enter_ns[one.send_call];
    const std::int64_t received_ns = trace.ranks[destination].leave_ns[one.recv_done_call];
    if (violations && received_ns >= sent_ns) continue;
    if (!part.has_instant(sent_ns) || !nearest.wants(sent_ns)) continue;
    if (!(part.has_rank(source) && part.has_peer(one.destination)) &&
        !(part.has_rank(destination) && part.has_peer(one.source)))
      continue;
    nearest.take({source, one.send_call, sent_ns, received_ns,
                  fmt::format("{} from rank {} to {}, tag {}{}", show_bytes(static_cast<double>(one.bytes)),
                              one.source, one.destination, one.tag,
                              violations ? ", received before it was sent" : "")});
  }
}

void find_marker(const Part& part, const std::string& name, NearestTarget& nearest) {
  const Trace& trace = part.trace();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    for (const UserMarker& marker : trace.ranks[r].user.markers)
      if (part.has_rank(r) && part.has_instant(marker.at_ns) && nearest.wants(marker.at_ns) &&
          (name.empty() || trace.user.texts[marker.text] == name))
        nearest.take({r, none, marker.at_ns, marker.at_ns,
                      fmt::format("{}, rank {}", trace.user.texts[marker.text], r)});
}

Result<Response> answer_jump(const Inquiry& inquiry) {
  WW_TRY(const std::string what, inquiry.query.needed_text("what"));
  WW_TRY(auto after_ns, inquiry.query.instant_ns("after_ns"));
  WW_TRY(auto before_ns, inquiry.query.instant_ns("before_ns"));
  WW_TRY(const Selection selection, inquiry.query.selection());
  const std::string name = inquiry.query.text("name");
  WW_TRY(const auto trace, inquiry.trace->trace());
  WW_TRY(const auto parts, inquiry.trace->parts());
  auto part = Part::of(*trace, *parts, selection);
  if (!part) {
    part.error().usage = true;
    return tl::unexpected(std::move(part.error()));
  }
  if (after_ns) *after_ns += trace->begin_ns();
  if (before_ns) *before_ns += trace->begin_ns();
  NearestTarget nearest(after_ns, before_ns);
  std::optional<JumpTarget> found;
  if (what == "longest-wait") {
    WW_TRY(found, inquiry.trace->of_index(
                      [&](const Index& index) { return longest_wait_of(index, *part, *inquiry.stop); }));
  } else if (what == "call") {
    find_call(*part, name, nearest);
  } else if (what == "message" || what == "violation") {
    find_message(*part, what == "violation", nearest);
  } else if (what == "marker") {
    find_marker(*part, name, nearest);
  } else {
    return wrong_usage("there is nothing of that name to jump to", what,
                       "give longest-wait, violation, marker, message or call");
  }
  if (!found) found = nearest.best();
  if (!found) return json_response(nullptr);
  return json_response({{"rank", found->rank},
                        {"call", found->call == none ? nlohmann::json() : nlohmann::json(found->call)},
                        {"from_ns", found->from_ns - trace->begin_ns()},
                        {"to_ns", std::max(found->from_ns, found->to_ns) - trace->begin_ns()},
                        {"text", found->text}});
}

}  // namespace

const Resource jump_resource = {
    .name = "jump", .parameters = "what name after_ns before_ns SEL", .answer = answer_jump};

}  // namespace ww::view
