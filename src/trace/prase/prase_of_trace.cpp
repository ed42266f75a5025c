#include "trace/prase/prase_of_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "trace/prase/correlate.hpp"
#include "trace/prase/record_times.hpp"

namespace ww::prase {
namespace {

constexpr std::int16_t largest_bytes = 32767, largest_type = 32765;
constexpr std::size_t most_ranks = 32768;

bool is_message(ActionKind kind) {
  switch (kind) {
    case ActionKind::send:
    case ActionKind::isend:
    case ActionKind::recv:
    case ActionKind::irecv_done:
      return true;
    default:
      return false;
  }
}

// What of a trace the records do not say.
struct Unsaid {
  std::uint64_t collectives = 0, transfers = 0, file_operations = 0, regions = 0, longer = 0, renamed = 0,
                cut = 0, not_counted = 0;
  std::uint64_t all() const {
    return collectives + transfers + file_operations + regions + longer + renamed + cut + not_counted;
  }
  std::string in_words() const {
    std::string text = "the format has no place for all of the trace:";
    const auto say = [&](std::uint64_t count, const char* what) {
      if (count > 0) text += fmt::format(" {} {};", count, what);
    };
    say(collectives, "parts of ranks in collectives");
    say(transfers, "one-sided transfers");
    say(file_operations, "operations on files");
    say(regions, "passages through regions of the program");
    say(longer, "messages are longer than 32,767 bytes, which is what is said of them");
    say(renamed, "pairs of communicator and tag have message types that are not their tags");
    say(cut, "values and markers are cut to what a record holds");
    say(not_counted, "messages have no count, so that their ends are not correlated");
    text.pop_back();
    return text;
  }
};

// The message types of communicators and tags.
class MessageTypes {
 public:
  explicit MessageTypes(const Trace& trace) {
    std::set<Key> keys;
    for (const RankTrace& rank : trace.ranks)
      for (std::size_t a = 0; a < rank.actions(); ++a)
        if (is_message(rank.kind[a])) keys.insert({rank.comm[a], rank.tag[a]});
    std::set<std::int16_t> taken;
    std::vector<Key> others;
    for (const Key& key : keys) {
      const auto type = static_cast<std::int16_t>(key.second);
      if (key.second >= 0 && key.second <= largest_type && taken.insert(type).second)
        types_[key] = type;
      else
        others.push_back(key);
    }
    renamed_ = others.size();
    std::int16_t next = largest_type;
    for (const Key& key : others) {
      while (next >= 0 && taken.contains(next)) --next;
      if (next < 0) break;
      types_[key] = next--;
    }
  }
  // Negative: there are more than there are numbers.
  std::int16_t of(std::uint32_t comm, std::int32_t tag) const {
    const auto found = types_.find({comm, tag});
    return found == types_.end() ? std::int16_t{-1} : found->second;
  }
  std::uint64_t renamed() const { return renamed_; }

 private:
  using Key = std::pair<std::uint32_t, std::int32_t>;
  std::map<Key, std::int16_t> types_;
  std::uint64_t renamed_ = 0;
};

// Which message of its kind, peer, communicator and tag an action of a rank is, counted as match.cpp does.
class Ordinals {
 public:
  explicit Ordinals(const RankTrace& rank) : rank_(rank) {
    std::set<std::uint64_t> cancelled;
    for (std::size_t a = 0; a < rank.actions(); ++a)
      if (rank.kind[a] == ActionKind::cancelled) cancelled.insert(rank.operation[a]);
    of_.resize(rank.actions());
    for (std::size_t a = 0; a < rank.actions(); ++a) {
      const std::uint8_t flags = rank.flags_of(a);
      switch (rank.kind[a]) {
        case ActionKind::left_out:
          if ((flags & action_left_out_collectives) == 0)
            number((flags & action_left_out_sends) != 0, a) += rank.bytes[a];
          break;
        case ActionKind::send:
          of_[a] = ++number(true, a);
          break;
        case ActionKind::isend:
          if (!cancelled.contains(rank.operation[a])) of_[a] = ++number(true, a);
          break;
        case ActionKind::recv:
          of_[a] = ++number(false, a);
          break;
        case ActionKind::irecv:
          if (!cancelled.contains(rank.operation[a]))
            posted_[rank.operation[a]] = of_[a] = ++number(false, a);
          break;
        case ActionKind::irecv_done:
          if (const auto found = posted_.find(rank.operation[a]); found != posted_.end())
            of_[a] = found->second;
          break;
        default:
          break;
      }
    }
  }
  std::uint64_t of(std::size_t action) const { return of_[action]; }

 private:
  std::uint64_t& number(bool sent, std::size_t a) {
    return counts_[{sent, rank_.peer[a], rank_.comm[a], rank_.tag[a]}];
  }
  const RankTrace& rank_;
  std::map<std::tuple<bool, std::int32_t, std::uint32_t, std::int32_t>, std::uint64_t> counts_;
  std::unordered_map<std::uint64_t, std::uint64_t> posted_;
  std::vector<std::uint64_t> of_;
};

class RecordsOfRank {
 public:
  RecordsOfRank(const Trace& trace, std::size_t rank, const MessageTypes& types, Unsaid& unsaid)
      : trace_(trace), rank_(trace.ranks[rank]), types_(types), unsaid_(unsaid), ordinals_(rank_) {
    out_.node = static_cast<std::int16_t>(rank);
  }

  ProcessRecords made() {
    if (rank_.calls() == 0 && !rank_.user.any()) return std::move(out_);
    put(plain(RecordType::init, rank_.begin_ns, rank_.begin_ns));
    for (std::uint32_t call = 0; call < rank_.calls(); ++call) {
      say_until(rank_.leave_ns[call]);
      take_call(call);
    }
    say_until(std::numeric_limits<std::int64_t>::max());
    put(plain(RecordType::end, rank_.end_ns, rank_.end_ns));
    unsaid_.not_counted += counting_.fallen_back();
    unsaid_.regions += rank_.user.regions.size();
    return std::move(out_);
  }

 private:
  EventRecord plain(RecordType type, std::int64_t begin_ns, std::int64_t end_ns) const {
    EventRecord record;
    record.type = type;
    record.node = out_.node;
    record.begin_ms = wrapped_ms(begin_ns / ns_a_ms), record.end_ms = wrapped_ms(end_ns / ns_a_ms);
    return record;
  }
  void put(EventRecord record) { out_.records.push_back(std::move(record)); }

  // Values and markers up to then.
  void say_until(std::int64_t until_ns) {
    const UserEvents& user = rank_.user;
    while (true) {
      const std::int64_t none_ns = std::numeric_limits<std::int64_t>::max();
      const std::int64_t value_ns = value_ < user.values.size() ? user.values[value_].at_ns : none_ns,
                         marker_ns = marker_ < user.markers.size() ? user.markers[marker_].at_ns : none_ns;
      const std::int64_t next_ns = std::min(value_ns, marker_ns);
      if (next_ns == none_ns || next_ns > until_ns) return;
      if (value_ns <= marker_ns)
        say(user.values[value_++]);
      else
        say(user.markers[marker_++]);
    }
  }
  void say(const UserValue& value) {
    const ValueName& name = trace_.user.values[value.name];
    EventRecord record = plain(name.whole ? RecordType::mlong : RecordType::mdble, value.at_ns, value.at_ns);
    record.bits = value.bits;
    if (name.whole) {
      const auto whole = static_cast<std::int64_t>(value.bits);
      const auto kept = std::clamp<std::int64_t>(whole, std::numeric_limits<std::int32_t>::min(),
                                                 std::numeric_limits<std::int32_t>::max());
      if (kept != whole) ++unsaid_.cut;
      record.bits = static_cast<std::uint64_t>(kept);
    }
    put(std::move(record));
  }
  void say(const UserMarker& marker) {
    EventRecord record = plain(RecordType::mchar, marker.at_ns, marker.at_ns);
    const std::string& text = trace_.user.texts[marker.text];
    record.text = text.substr(0, std::min(text_bytes, text.find('\0')));
    if (record.text.size() != text.size()) ++unsaid_.cut;
    put(std::move(record));
  }

  void take_call(std::uint32_t call) {
    for (std::uint32_t a = rank_.first_action[call]; a < rank_.first_action[call + 1]; ++a) {
      switch (rank_.kind[a]) {
        case ActionKind::send:
          message(RecordType::sendw, a, call, call);
          break;
        case ActionKind::isend:
          message(RecordType::send, a, call, call);
          break;
        case ActionKind::recv:
          message(RecordType::recvw, a, call, call);
          break;
        case ActionKind::irecv:
          posted_in_[rank_.operation[a]] = call;
          break;
        case ActionKind::irecv_done: {
          const auto posted = posted_in_.find(rank_.operation[a]);
          message(RecordType::recv, a, posted == posted_in_.end() ? call : posted->second, call);
          break;
        }
        case ActionKind::collective:
        case ActionKind::icollective:
          ++unsaid_.collectives;
          break;
        default:
          break;
      }
    }
  }

  void message(RecordType type, std::uint32_t a, std::uint32_t begin_call, std::uint32_t end_call) {
    const std::int32_t peer = rank_.peer[a];
    if (peer < 0) return;
    EventRecord record = plain(type, rank_.enter_ns[begin_call], rank_.leave_ns[end_call]);
    record.channel = static_cast<std::int16_t>(std::min<std::uint32_t>(rank_.comm[a], 32767));
    record.message_type = types_.of(rank_.comm[a], rank_.tag[a]);
    record.other_node = static_cast<std::int16_t>(peer);
    record.bytes = static_cast<std::int16_t>(std::min<std::uint64_t>(rank_.bytes[a], largest_bytes));
    if (rank_.bytes[a] > static_cast<std::uint64_t>(largest_bytes) && is_send(type)) ++unsaid_.longer;
    // More types than there are numbers, or a send that was cancelled.
    if (record.message_type < 0 || ordinals_.of(a) == 0) {
      if (record.message_type < 0) record.message_type = largest_type;
      record.count = count_beyond_types;
      ++unsaid_.not_counted;
      return put(std::move(record));
    }
    counting_.add(std::move(record), ordinals_.of(a), out_.records);
  }

  const Trace& trace_;
  const RankTrace& rank_;
  const MessageTypes& types_;
  Unsaid& unsaid_;
  Ordinals ordinals_;
  Counting counting_;
  std::unordered_map<std::uint64_t, std::uint32_t> posted_in_;  // calls, by operation
  std::size_t value_ = 0, marker_ = 0;                          // the next
  ProcessRecords out_;
};

}  // namespace

Result<PraseRun> prase_of(const Trace& trace) {
  if (trace.ranks.size() > most_ranks)
    return fail("more ranks than PRASE has nodes", fmt::format("{} ranks", trace.ranks.size()),
                "its node numbers have 16 bits: choose another format");
  PraseRun run;
  const MessageTypes types(trace);
  Unsaid unsaid;
  unsaid.renamed = types.renamed();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    ProcessRecords process = RecordsOfRank(trace, r, types, unsaid).made();
    if (!process.records.empty()) run.processes.push_back(std::move(process));
  }
  for (const RankOneSided& rank : trace.one_sided.ranks) unsaid.transfers += rank.transfers.size();
  for (const RankFileIo& rank : trace.file_io.ranks) unsaid.file_operations += rank.operations.size();
  if (unsaid.all() > 0) run.diagnostics.add("no-place-in-format", unsaid.in_words(), unsaid.all());
  return run;
}

}  // namespace ww::prase
