#include "trace/prase/trace_of_prase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "base/files.hpp"
#include "trace/columns.hpp"
#include "trace/otf2_write.hpp"
#include "trace/prase/record_times.hpp"

namespace ww::prase {
namespace {

constexpr std::int64_t most_span_ms = std::int64_t{1}
                                      << 41;  // in nanoseconds within what is read back (otf2_events.hpp)

struct CallOfType {
  const char* name;
  CallMeaning meaning;
};

CallOfType call_of(RecordType type) {
  const CallMeaning other, message{CallRole::p2p},
      polls{CallRole::p2p, CollectiveOp::other, CallPhase::within, CallManner::polls};
  switch (type) {
    case RecordType::send:
    case RecordType::sendw:
    case RecordType::recv:
    case RecordType::recvw:
      return {to_string(type), message};
    case RecordType::probe:
      return {"probe", polls};
    case RecordType::stat:
      return {"status", polls};
    case RecordType::init:
      return {"init", {CallRole::frame, CollectiveOp::other, CallPhase::begins}};
    case RecordType::end:
      return {"end", {CallRole::frame, CollectiveOp::other, CallPhase::ends}};
    case RecordType::open:
      return {"copen", other};
    case RecordType::close:
      return {"cclose", other};
    case RecordType::grled:
      return {"greenled", other};
    case RecordType::rdled:
      return {"redled", other};
    case RecordType::slog:
      return {"syslog", other};
    default:
      return {to_string(type), other};
  }
}

// A call of a rank before it is in the columns.
struct PraseCall {
  enum class Part : std::uint8_t { whole, posting, completion } part = Part::whole;
  std::int64_t begin_ms = 0, end_ms = 0;
  std::uint32_t record = 0;
};

// One end of a message in the order in which an archive's matching takes it.
struct PlacedEnd {
  RecordRef at, other;
};
using ChannelEnds =
    std::map<std::array<std::uint32_t, 3>, std::pair<std::vector<PlacedEnd>, std::vector<PlacedEnd>>>;

class Importer {
 public:
  explicit Importer(const PraseRun& run) : run_(run), correlation_(correlate(run.processes)) {
    for (std::uint32_t p = 0; p < run.processes.size(); ++p)
      ranks_[{run.processes[p].node, run.processes[p].pid}] = static_cast<std::int32_t>(p);
    left_out_.resize(run.processes.size());
  }

  Result<PraseTrace> made() {
    PraseTrace out;
    out.trace.diagnostics = run_.diagnostics;
    // Matching counts unmatched ends again, and other ones where order is lost: those are the trace's.
    if (correlation_.without_count > 0)
      out.trace.diagnostics.add("count-not-kept", correlation_.without_count);
    for (std::uint32_t p = 0; p < run_.processes.size(); ++p) calls_.push_back(calls_of(p));
    if (first_ms_ > last_ms_ || last_ms_ - first_ms_ > most_span_ms)
      return fail("times that are too far apart", fmt::format("{} ms to {} ms", first_ms_, last_ms_),
                  "the records are damaged: look at them with whatwire convert --to prase-pv");
    note_what_was_left_out(out.trace.diagnostics);
    out.trace.comms.push_back({"cube", {}, 0});
    out.trace.ranks.resize(run_.processes.size());
    for (std::uint32_t p = 0; p < run_.processes.size(); ++p) {
      const ProcessRecords& process = run_.processes[p];
      out.trace.comms[0].ranks.push_back(static_cast<std::int32_t>(p));
      out.processes.push_back(fmt::format("node {} pid {}", process.node, process.pid));
      fill(out.trace, p);
    }
    if (unknown_ > 0) out.trace.diagnostics.add("task-not-recorded", unknown_);
    if (is_late())
      out.trace.diagnostics.add(
          "calls-before-start",
          "processes counted messages before their recording began (S5's STARTTIME): what "
          "they did until then is not in the trace");
    out.messages = correlation_.messages;
    out.sends_alone = correlation_.sends_alone, out.receipts_alone = correlation_.receipts_alone;
    // What the clocks of nodes are read in; by how much they are off beside is not recorded.
    out.trace.clock_uncertainty_s = static_cast<double>(tick_ms_ == 0 ? 1 : tick_ms_) * 1e-3;
    return out;
  }

 private:
  std::int32_t rank_of(std::int16_t node, std::int16_t pid) const {
    const auto found = ranks_.find({node, pid});
    return found == ranks_.end() ? -1 : found->second;
  }
  const EventRecord& record(std::uint32_t process, std::uint32_t index) const {
    return run_.processes[process].records[index];
  }

  void take_time(std::int64_t ms, std::optional<std::int64_t>& first_of_process_ms) {
    if (!first_of_process_ms) first_of_process_ms = ms;
    tick_ms_ = std::gcd(tick_ms_, ms - *first_of_process_ms);
    first_ms_ = std::min(first_ms_, ms), last_ms_ = std::max(last_ms_, ms);
  }

  // Which receipt of its sender and type each record is; and of which of these the numbers fall, as they may where several were waited for at once.
  struct Receipts {
    using From = std::array<std::int16_t, 3>;           // node, pid, type
    std::vector<std::pair<std::uint64_t, int>> number;  // wraps, count; by record
    std::set<From> falling;

    explicit Receipts(const ProcessRecords& process) : number(process.records.size()) {
      std::map<From, std::pair<std::uint64_t, int>> last;
      for (std::size_t r = 0; r < process.records.size(); ++r) {
        const EventRecord& one = process.records[r];
        if (one.type == RecordType::wrapr) ++last[of(one)].first, last[of(one)].second = 0;
        if (!is_receipt(one.type)) continue;
        auto& [wraps, count] = last[of(one)];
        number[r] = {wraps, one.count};
        if (one.count < count) falling.insert(of(one));
        count = one.count;
      }
    }
    static From of(const EventRecord& one) { return {one.other_node, one.other_pid, one.message_type}; }
  };

  std::vector<PraseCall> calls_of(std::uint32_t p) {
    std::vector<PraseCall> calls;
    const Receipts receipts(run_.processes[p]);
    UnwrappedTimes times;
    std::optional<std::int64_t> first_ms;
    std::int64_t before_ms = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t r = 0; r < run_.processes[p].records.size(); ++r) {
      const EventRecord& one = record(p, r);
      RecordTimes at = times.of(one);
      at.end_ms = std::max(at.begin_ms, at.end_ms);
      take_time(at.begin_ms, first_ms), take_time(at.end_ms, first_ms);
      if (is_wrap(one.type)) continue;
      if (one.type == RecordType::recv &&
          (at.begin_ms < before_ms || receipts.falling.contains(Receipts::of(one)))) {
        calls.push_back({PraseCall::Part::posting, at.begin_ms, at.begin_ms, r});
        calls.push_back({PraseCall::Part::completion, at.end_ms, at.end_ms, r});
      } else {
        calls.push_back({PraseCall::Part::whole, at.begin_ms, at.end_ms, r});
      }
      if (!is_mark(one.type)) before_ms = std::max(before_ms, at.end_ms);
    }
    // Within a millisecond those whose numbers fall are posted first, in the order of their numbers.
    const auto place = [&](const PraseCall& call) {
      const EventRecord& one = record(p, call.record);
      const auto from = Receipts::of(one);
      const bool first =
          call.part != PraseCall::Part::completion && is_receipt(one.type) && receipts.falling.contains(from);
      return first ? std::tuple(call.begin_ms, 0, from, receipts.number[call.record])
                   : std::tuple(call.begin_ms, 1, Receipts::From(), std::pair<std::uint64_t, int>());
    };
    std::stable_sort(calls.begin(), calls.end(),
                     [&](const PraseCall& a, const PraseCall& b) { return place(a) < place(b); });
    return calls;
  }

  // Messages by sender, receiver and type, as the columns will have their ends.
  ChannelEnds placed_ends() {
    ChannelEnds channels;
    for (std::uint32_t p = 0; p < calls_.size(); ++p)
      for (const PraseCall& call : calls_[p]) {
        const EventRecord& one = record(p, call.record);
        if (call.part == PraseCall::Part::completion || (!is_send(one.type) && !is_receipt(one.type)))
          continue;
        const std::int32_t peer = rank_of(one.other_node, one.other_pid);
        if (peer < 0) {
          ++unknown_;
          continue;
        }
        const auto there = static_cast<std::uint32_t>(peer);
        const auto type = static_cast<std::uint16_t>(one.message_type);
        const PlacedEnd end{{p, call.record}, correlation_.of(p, call.record)};
        if (is_send(one.type))
          channels[{p, there, type}].first.push_back(end);
        else
          channels[{there, p, type}].second.push_back(end);
      }
    return channels;
  }

  // Of each channel sends and receipts are taken in their orders; who has no other end is passed over, and the other side is told.
  void note_what_was_left_out(Diagnostics& diagnostics) {
    std::uint64_t order_lost = 0;
    for (auto& [channel, ends] : placed_ends()) {
      auto send = ends.first.begin();
      auto receipt = ends.second.begin();
      auto first_passed = send;  // the first send behind the last message
      std::uint64_t sends_passed = 0, receipts_passed = 0;
      std::map<std::uint32_t, std::size_t> receipt_places;  // by record
      for (std::size_t i = 0; i < ends.second.size(); ++i) receipt_places[ends.second[i].at.record] = i;
      const auto is_ahead = [&](const PlacedEnd& of) {
        const auto place = receipt_places.find(of.other.record);
        return of.other.is_there() && place != receipt_places.end() &&
               static_cast<std::ptrdiff_t>(place->second) >= receipt - ends.second.begin();
      };
      for (; send != ends.first.end(); ++send) {
        if (!is_ahead(*send)) {
          if (send->other.is_there()) ++order_lost;
          ++sends_passed;
          continue;
        }
        for (; receipt->at != send->other; ++receipt) ++receipts_passed;
        // Receipts that are alone come before sends that are, on both sides.
        if (receipts_passed > 0)
          left_out_[first_passed->at.process][first_passed->at.record] = receipts_passed;
        if (sends_passed > 0) left_out_[receipt->at.process][receipt->at.record] = sends_passed;
        sends_passed = receipts_passed = 0;
        first_passed = send + 1;
        ++receipt;
      }
      // Behind the last message the sends that are alone come first.
      if (sends_passed > 0 && receipt != ends.second.end())
        left_out_[receipt->at.process][receipt->at.record] = sends_passed;
    }
    if (order_lost > 0) diagnostics.add("message-order-lost", order_lost);
  }

  // A process whose first count of some kind is not 1 did things before its recording began.
  bool is_late() const {
    for (const ProcessRecords& process : run_.processes) {
      std::map<std::array<std::int16_t, 4>, bool> seen;
      for (const EventRecord& one : process.records) {
        if (!is_send(one.type) && !is_receipt(one.type) && !is_wrap(one.type)) continue;
        const bool sent = is_send(one.type) || one.type == RecordType::wraps;
        const bool first =
            seen.try_emplace({sent, one.other_node, one.other_pid, one.message_type}, true).second;
        if (first && (one.count > 1 || is_wrap(one.type))) return true;
      }
    }
    return false;
  }

  std::uint16_t region(Trace& trace, const CallOfType& call) {
    const auto found = std::find(trace.regions.begin(), trace.regions.end(), call.name);
    const auto index = static_cast<std::uint16_t>(found - trace.regions.begin());
    if (found == trace.regions.end()) {
      trace.regions.emplace_back(call.name);
      trace.meanings.push_back(call.meaning);
    }
    return index;
  }

  std::int64_t ns(std::int64_t ms) const { return (ms - first_ms_) * ns_a_ms; }

  void fill(Trace& trace, std::uint32_t p) {
    RankTrace& rank = trace.ranks[p];
    rank.host = fmt::format("node {}", run_.processes[p].node);
    rank.first_action.push_back(0);
    for (const PraseCall& call : calls_[p]) {
      const EventRecord& one = record(p, call.record);
      if (is_mark(one.type)) {
        say(trace, rank, one, ns(call.begin_ms));
        continue;
      }
      const RecordType type = call.part == PraseCall::Part::completion ? RecordType::stat : one.type;
      begin_call(rank, ns(call.begin_ms), region(trace, call_of(type)));
      add_actions(rank, call, p);
      end_call(rank, ns(call.end_ms));
    }
  }

  void add_actions(RankTrace& rank, const PraseCall& call, std::uint32_t p) {
    const EventRecord& one = record(p, call.record);
    Action action;
    action.peer = rank_of(one.other_node, one.other_pid);
    if ((!is_send(one.type) && !is_receipt(one.type)) || action.peer < 0) return;
    action.tag = static_cast<std::uint16_t>(one.message_type);
    action.bytes = static_cast<std::uint16_t>(one.bytes);
    if (const auto left = left_out_[p].find(call.record);
        left != left_out_[p].end() && call.part != PraseCall::Part::completion) {
      Action gap = action;
      gap.kind = ActionKind::left_out;
      gap.bytes = left->second;
      gap.flags = is_send(one.type) ? action_left_out_sends : action_left_out_receives;
      add_action(rank, gap);
    }
    if (is_receipt(one.type)) action.flags = action_wildcard_source;
    if (one.type == RecordType::sendw || one.type == RecordType::recvw) {
      action.kind = one.type == RecordType::sendw ? ActionKind::send : ActionKind::recv;
      add_action(rank, action);
      return;
    }
    // Operations are numbered by their records.
    action.operation = call.record + std::uint64_t{1};
    if (call.part != PraseCall::Part::completion) {
      action.kind = is_send(one.type) ? ActionKind::isend : ActionKind::irecv;
      add_action(rank, action);
    }
    if (call.part == PraseCall::Part::posting) return;
    action.flags = 0;
    action.kind = is_send(one.type) ? ActionKind::isend_done : ActionKind::irecv_done;
    add_action(rank, action);
  }

  void say(Trace& trace, RankTrace& rank, const EventRecord& one, std::int64_t at_ns) {
    const auto number_of = [](auto& list, const auto& is, auto&& made) {
      const auto found = std::find_if(list.begin(), list.end(), is);
      const auto index = static_cast<std::uint32_t>(found - list.begin());
      if (found == list.end()) list.push_back(made);
      return index;
    };
    if (one.type == RecordType::mchar) {
      const auto [entry, added] =
          texts_.try_emplace(one.text, static_cast<std::uint32_t>(trace.user.texts.size()));
      if (added) trace.user.texts.push_back(one.text);
      rank.user.markers.push_back({at_ns, entry->second, 0});
      return;
    }
    const char* const name = to_string(one.type);
    const bool whole = one.type != RecordType::mdble && one.type != RecordType::mflot;
    std::uint64_t bits = one.bits;
    if (one.type == RecordType::mflot)
      bits = std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(one.bits))));
    rank.user.values.push_back({at_ns,
                                number_of(
                                    trace.user.values, [&](const ValueName& of) { return of.name == name; },
                                    ValueName{name, "", whole}),
                                0, bits});
  }

  const PraseRun& run_;
  const Correlation correlation_;
  std::map<std::pair<std::int16_t, std::int16_t>, std::int32_t> ranks_;
  std::vector<std::vector<PraseCall>> calls_;                     // by rank
  std::vector<std::map<std::uint32_t, std::uint64_t>> left_out_;  // by rank, by record: messages before it
  std::map<std::string, std::uint32_t> texts_;
  std::uint64_t unknown_ = 0;  // ends whose other process is not there
  std::int64_t first_ms_ = std::numeric_limits<std::int64_t>::max(),
               last_ms_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t tick_ms_ = 0;  // of which all times of each process are multiples from its first on
};

}  // namespace

Result<PraseTrace> trace_of(const PraseRun& run) {
  return Importer(run).made();
}

Result<void> write_imported(const PraseTrace& imported, const std::string& from,
                            const std::filesystem::path& directory) {
  WW_CHECK(otf2::write_archive(imported.trace, directory));
  nlohmann::json ranks = nlohmann::json::array();
  for (std::size_t r = 0; r < imported.processes.size(); ++r)
    ranks.push_back(
        {{"rank", r}, {"host", imported.trace.ranks[r].host}, {"process", imported.processes[r]}});
  const nlohmann::json run = {{"imported_from", from},
                              {"form", records_form},
                              {"clock", {{"uncertainty_s", imported.trace.clock_uncertainty_s}}},
                              {"ranks", std::move(ranks)},
                              {"diagnostics", imported.trace.diagnostics}};
  return write_file(directory / "run.json", run.dump(2) + "\n");
}

}  // namespace ww::prase
