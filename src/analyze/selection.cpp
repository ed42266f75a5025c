#include "analyze/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json_object.hpp"
#include "base/units.hpp"
#include "trace/call_meaning.hpp"

namespace ww {
namespace {

__extension__ typedef __int128 Wide;  // a product of two times

constexpr std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();

// The classes of `record --calls`.
constexpr std::pair<const char*, CallRole> classes[] = {
    {"p2p", CallRole::p2p},
    {"collective", CallRole::collective},
    {"communicator", CallRole::communicator},
    {"one-sided", CallRole::one_sided},
    {"io", CallRole::io},
    {"other", CallRole::other},
};

std::string text_of(const std::vector<NumberRange>& ranges) {
  std::string text;
  for (const NumberRange& range : ranges) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", range.first);
    if (range.last != range.first) text += fmt::format("-{}", range.last);
  }
  return text;
}

bool number_of(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Result<void> check_numbers(const std::vector<NumberRange>& ranges, std::size_t there, const char* option,
                           const char* one, const char* several) {
  for (const NumberRange& range : ranges)
    if (range.last >= there)
      return fail(fmt::format("the trace has no {} {}", one, std::max<std::uint64_t>(range.first, there)),
                  option + (" " + text_of(ranges)),
                  there == 1
                      ? fmt::format("it has {} 0 only", one)
                      : fmt::format("it has {} 0 to {}", several, static_cast<std::int64_t>(there) - 1));
  return {};
}

std::vector<bool> flags_of(const std::vector<NumberRange>& ranges, std::size_t size) {
  if (ranges.empty()) return {};
  std::vector<bool> flags(size, false);
  for (const NumberRange& range : ranges)
    for (std::uint32_t number = range.first; number <= range.last; ++number) flags[number] = true;
  return flags;
}

// By region; what begins and ends the program (MPI_Init) is of the class `other`.
Result<std::vector<bool>> regions_of(const Trace& trace, const std::vector<bool>& used,
                                     const std::vector<std::string>& words) {
  std::vector<bool> regions(trace.regions.size(), false);
  for (const std::string& word : words) {
    const auto of_class = std::find_if(std::begin(classes), std::end(classes),
                                       [&](const auto& one) { return word == one.first; });
    bool found = of_class != std::end(classes);
    for (std::size_t r = 0; r < regions.size(); ++r) {
      CallRole role = meaning_of_region(trace, r).role;
      if (role == CallRole::frame) role = CallRole::other;
      const bool is_it =
          of_class != std::end(classes) ? role == of_class->second : used[r] && trace.regions[r] == word;
      if (is_it) regions[r] = found = true;
    }
    if (found) continue;
    std::vector<std::string> known;
    for (std::size_t r = 0; r < regions.size(); ++r)
      if (used[r]) known.push_back(trace.regions[r]);
    for (const auto& [name, role] : classes) known.emplace_back(name);
    const auto near = nearest_word(word, known);
    return fail("the trace has no such call", fmt::format("--calls '{}'", word),
                near
                    ? fmt::format("do you mean {}?", *near)
                    : "whatwire report --by call lists its calls; classes are p2p, collective, communicator, "
                      "one-sided, io, other");
  }
  return regions;
}

}  // namespace

Result<std::vector<NumberRange>> parse_numbers(const std::string& text) {
  std::vector<NumberRange> ranges;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string_view word = std::string_view(text).substr(from, to - from);
    const std::size_t dash = word.find('-');
    NumberRange range;
    const bool good = number_of(word.substr(0, dash), range.first) &&
                      (dash == std::string_view::npos || number_of(word.substr(dash + 1), range.last));
    if (!good) return wrong_usage(fmt::format("'{}' is no list of numbers", text), "", "write it like 0-3,7");
    if (dash == std::string_view::npos) range.last = range.first;
    if (range.last < range.first)
      return wrong_usage(fmt::format("'{}' goes backwards", word), "", "write the smaller number first: 0-3");
    ranges.push_back(range);
    from = to + 1;
  }
  return ranges;
}

std::string describe(const Selection& selection) {
  std::vector<std::string> parts;
  if (selection.from_s && selection.to_s)
    parts.push_back(fmt::format("{:.9g} s to {:.9g} s", *selection.from_s, *selection.to_s));
  else if (selection.from_s)
    parts.push_back(fmt::format("from {:.9g} s", *selection.from_s));
  else if (selection.to_s)
    parts.push_back(fmt::format("to {:.9g} s", *selection.to_s));
  const auto numbers = [&](const char* what, const std::vector<NumberRange>& ranges) {
    if (!ranges.empty()) parts.push_back(fmt::format("{} {}", what, text_of(ranges)));
  };
  numbers("ranks", selection.ranks);
  if (!selection.calls.empty()) parts.push_back(fmt::format("calls {}", fmt::join(selection.calls, ",")));
  numbers("peers", selection.peers);
  numbers("threads", selection.threads);
  return fmt::format("{}", fmt::join(parts, ", "));
}

nlohmann::json to_json(const Selection& selection) {
  nlohmann::json json = nlohmann::json::object();
  if (selection.from_s) json["from_s"] = *selection.from_s;
  if (selection.to_s) json["to_s"] = *selection.to_s;
  if (!selection.ranks.empty()) json["ranks"] = text_of(selection.ranks);
  if (!selection.calls.empty()) json["calls"] = selection.calls;
  if (!selection.peers.empty()) json["peers"] = text_of(selection.peers);
  if (!selection.threads.empty()) json["threads"] = text_of(selection.threads);
  return json;
}

TraceIndex::TraceIndex(const Trace& trace)
    : ranks(trace.ranks.size()), unmatched_sends(trace.store), regions_used(trace.regions.size(), false) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    if (!std::is_sorted(rank.leave_ns.begin(), rank.leave_ns.end())) {
      Column<std::int64_t>& left = ranks[r].left_ns;
      left.keep_in(trace.store);
      left.reserve(rank.calls());
      for (const std::int64_t leave : rank.leave_ns)
        left.push_back(left.empty() ? leave : std::max(left.back(), leave));
    }
    for (std::uint32_t call = 0; call < rank.calls(); ++call)
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
        if ((rank.kind[a] == ActionKind::send || rank.kind[a] == ActionKind::isend) && rank.match[a] == none)
          unmatched_sends.push_back({static_cast<std::uint32_t>(r), call, a});
    for (const std::uint16_t region : rank.region) regions_used[region] = true;
    for (const std::uint32_t thread : rank.thread) threads = std::max(threads, thread + 1);
    for (const UserRegion& region : rank.user.regions) threads = std::max(threads, region.thread + 1);
    for (const UserValue& value : rank.user.values) threads = std::max(threads, value.thread + 1);
    for (const UserMarker& marker : rank.user.markers) threads = std::max(threads, marker.thread + 1);
  }
  for (const Message& message : trace.messages) {
    if (message.recv_done_call == none) continue;
    const auto to = static_cast<std::size_t>(message.destination);
    const std::int64_t flight =
        trace.ranks[to].leave_ns[message.recv_done_call] -
        trace.ranks[static_cast<std::size_t>(message.source)].enter_ns[message.send_call];
    ranks[to].longest_flight_ns = std::max(ranks[to].longest_flight_ns, flight);
    ranks[to].shortest_flight_ns = std::min(ranks[to].shortest_flight_ns, flight);
  }
}

Result<Part> Part::of(const Trace& trace, const TraceIndex& index, const Selection& selection) {
  Part part(trace);
  const std::string span = describe({selection.from_s, selection.to_s, {}, {}, {}, {}});
  const double elapsed_s = trace.elapsed_s();
  const double from_s = selection.from_s.value_or(0), to_s = selection.to_s.value_or(elapsed_s);
  if (selection.from_s && selection.to_s && from_s > to_s)
    return wrong_usage("the span ends before it begins", span, "exchange --from and --to");
  if (selection.from_s && from_s >= elapsed_s)
    return fail("the run had ended by then", span,
                fmt::format("it took {}: let the span begin within it", show_time(elapsed_s)));
  if (selection.to_s && from_s >= to_s)
    return wrong_usage("the span is empty", span, "let --to be later than --from");
  const std::int64_t begin_ns = trace.begin_ns();
  const auto ns = [&](double s) { return begin_ns + std::llround(s * 1e9); };
  if (from_s > 0) part.open_from_ns_ = ns(from_s);
  if (to_s < elapsed_s) part.open_to_ns_ = ns(to_s);
  if (part.open_from_ns_ >= part.open_to_ns_)
    return wrong_usage("the span is empty", span, "times are told to the nanosecond: take a longer one");
  WW_CHECK(check_numbers(selection.ranks, trace.ranks.size(), "--ranks", "rank", "ranks"));
  WW_CHECK(check_numbers(selection.peers, trace.ranks.size(), "--peers", "rank", "ranks"));
  WW_CHECK(check_numbers(selection.threads, index.threads, "--threads", "thread", "threads"));
  part.ranks_ = flags_of(selection.ranks, trace.ranks.size());
  part.peers_ = flags_of(selection.peers, trace.ranks.size());
  part.threads_ = selection.threads;
  if (!selection.calls.empty()) {
    WW_TRY(part.regions_, regions_of(trace, index.regions_used, selection.calls));
  }
  part.of_calls_ = !selection.calls.empty() || !selection.peers.empty() || !selection.threads.empty();
  part.selection_ = std::make_shared<Selection>(selection);
  part.index_ = &index;
  return part;
}

const Selection& Part::selection() const {
  static const Selection all;
  return selection_ == nullptr ? all : *selection_;
}

std::int64_t Part::from_ns() const {
  return std::max(trace_->begin_ns(), open_from_ns_);
}

std::int64_t Part::to_ns() const {
  return std::max(from_ns(), std::min(trace_->end_ns(), open_to_ns_));
}

bool Part::contains(const std::vector<NumberRange>& ranges, std::uint32_t number) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const NumberRange& range) {
           return range.first <= number && number <= range.last;
         });
}

Part::Range Part::calls(std::size_t number) const {
  const RankTrace& rank = trace_->ranks[number];
  if (is_whole()) return {0, rank.calls()};
  const Column<std::int64_t>& kept = index_->ranks[number].left_ns;
  const Column<std::int64_t>& left = kept.empty() ? rank.leave_ns : kept;
  const auto first =
      open_from_ns_ == earliest ? left.begin() : std::lower_bound(left.begin(), left.end(), open_from_ns_);
  const auto last = open_to_ns_ == latest
                        ? rank.enter_ns.end()
                        : std::lower_bound(rank.enter_ns.begin(), rank.enter_ns.end(), open_to_ns_);
  const auto end = static_cast<std::size_t>(last - rank.enter_ns.begin());
  return {std::min(static_cast<std::size_t>(first - left.begin()), end), end};
}

bool Part::deals_with_peers(const RankTrace& rank, std::size_t call) const {
  const auto self = static_cast<std::int32_t>(&rank - trace_->ranks.data());
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
    const ActionKind kind = rank.kind[a];
    if (kind != ActionKind::collective && kind != ActionKind::icollective &&
        kind != ActionKind::icollective_done) {
      const bool by_message = kind == ActionKind::isend_done && rank.match[a] != none;
      const std::int32_t peer = by_message ? trace_->messages[rank.match[a]].destination : rank.peer[a];
      if (peer >= 0 && has_peer(peer)) return true;
    } else if (rank.comm[a] < trace_->comms.size()) {
      const auto& members = trace_->comms[rank.comm[a]].ranks;
      if (std::any_of(members.begin(), members.end(), [&](std::int32_t member) {
            return has_peer(member) && (member != self || members.size() == 1);
          }))
        return true;
    }
  }
  return false;
}

std::pair<std::int64_t, std::int64_t> Part::within(const RankTrace& rank) const {
  const std::int64_t from = std::max(rank.begin_ns, open_from_ns_);
  return {from, std::max(from, std::min(rank.end_ns, open_to_ns_))};
}

std::int64_t Part::clipped(const RankTrace& rank, std::int64_t from, std::int64_t to) const {
  const auto [first, last] = within(rank);
  return std::max<std::int64_t>(0, std::min(to, last) - std::max(from, first));
}

std::int64_t Part::in_span(std::int64_t from, std::int64_t to) const {
  return is_whole() ? to - from
                    : std::max<std::int64_t>(0, std::min(to, open_to_ns_) - std::max(from, open_from_ns_));
}

std::int64_t Part::waiting_from(const RankTrace& rank, std::size_t call) const {
  return std::clamp(rank.enter_ns[call], rank.begin_ns, std::max(rank.begin_ns, rank.end_ns));
}

Part::Blocked Part::blocked(const RankTrace& rank, std::size_t call, const Blocked& whole) const {
  if (is_whole() || whole.both_ns() == 0) return whole;
  const std::int64_t from = waiting_from(rank, call), until = from + whole.algorithmic_ns;
  return {in_span(from, until), in_span(until, until + whole.service_ns)};
}

std::pair<std::int64_t, std::int64_t> Part::share_of(const RankTrace& rank, std::size_t call,
                                                     std::int64_t blocked_ns, std::int64_t amount) const {
  if (is_whole()) return {0, amount};
  if (blocked_ns == 0) return {0, begins(rank, call) ? amount : 0};
  const std::int64_t from = waiting_from(rank, call);
  const auto upto = [&](std::int64_t instant) {
    if (instant <= from) return std::int64_t{0};
    if (instant >= from + blocked_ns) return amount;
    return static_cast<std::int64_t>(static_cast<Wide>(amount) * (instant - from) / blocked_ns);
  };
  return {upto(open_from_ns_), upto(open_to_ns_)};
}

Part::Range Part::messages_to(std::size_t number, std::int64_t from_ns, std::int64_t to_ns) const {
  const auto& messages = trace_->messages;
  const auto at = [&](std::int32_t destination, std::uint32_t call) {
    return static_cast<std::size_t>(
        std::lower_bound(messages.begin(), messages.end(), std::pair(destination, call),
                         [](const Message& message, const auto& place) {
                           return std::pair(message.destination, message.recv_done_call) < place;
                         }) -
        messages.begin());
  };
  const auto destination = static_cast<std::int32_t>(number);
  // Received after `from` and, as no message takes longer, begun to be received before `to` and that.
  Part while_under_way = *this;
  const std::int64_t shortest = index_->ranks[number].shortest_flight_ns;
  while_under_way.open_from_ns_ = from_ns < earliest - shortest ? earliest : from_ns + shortest;
  const std::int64_t longest = index_->ranks[number].longest_flight_ns;
  while_under_way.open_to_ns_ = to_ns > latest - longest ? latest : to_ns + longest;
  const Range calls = while_under_way.calls(number);
  return {at(destination, static_cast<std::uint32_t>(calls.first)),
          at(destination, static_cast<std::uint32_t>(calls.last))};
}

Part Part::of_all_ranks() const {
  Part all = *this;
  all.ranks_.clear();
  return all;
}

}  // namespace ww
