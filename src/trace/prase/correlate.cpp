#include "trace/prase/correlate.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace ww::prase {
namespace {

// One end of a message: of which messages it is one, which of them, and where it stands.
struct CountedEnd {
  using Channel = std::array<std::int16_t, 5>;  // sender's node, pid, receiver's node, pid, type
  Channel channel;
  std::int64_t wraps;
  std::int16_t count;
  RecordRef at;

  auto number() const { return std::tie(wraps, count); }
  bool operator<(const CountedEnd& other) const {
    return std::tie(channel, wraps, count, at.process, at.record) <
           std::tie(other.channel, other.wraps, other.count, other.at.process, other.at.record);
  }
};

struct CountedEnds {
  std::vector<CountedEnd> sends, receipts;
};

void collect_ends(const ProcessRecords& process, std::uint32_t index, CountedEnds& out, Correlation& told) {
  std::map<std::pair<bool, CountedEnd::Channel>, std::int64_t> wraps;
  for (std::uint32_t r = 0; r < process.records.size(); ++r) {
    const EventRecord& record = process.records[r];
    const bool sent = is_send(record.type) || record.type == RecordType::wraps;
    CountedEnd::Channel channel{record.node, record.pid, record.other_node, record.other_pid,
                                record.message_type};
    if (!sent) channel = {record.other_node, record.other_pid, record.node, record.pid, record.message_type};
    if (is_wrap(record.type)) ++wraps[{sent, channel}];
    if (!is_send(record.type) && !is_receipt(record.type)) continue;
    ++(sent ? told.sends_alone : told.receipts_alone);
    if (record.count < 0) ++told.without_count;
    if (record.count <= 0) continue;
    const auto found = wraps.find({sent, channel});
    (sent ? out.sends : out.receipts)
        .push_back({channel, found == wraps.end() ? 0 : found->second, record.count, {index, r}});
  }
}

// Of ends that say the same number the first counts.
std::uint64_t drop_doubles(std::vector<CountedEnd>& ends) {
  std::sort(ends.begin(), ends.end());
  const auto kept = std::unique(ends.begin(), ends.end(), [](const CountedEnd& a, const CountedEnd& b) {
    return a.channel == b.channel && a.number() == b.number();
  });
  const auto doubles = static_cast<std::uint64_t>(ends.end() - kept);
  ends.erase(kept, ends.end());
  return doubles;
}

using Ends = std::span<const CountedEnd>;

// take(send, receipt) for each pair of one channel whose counts agree if the receiver began `ahead` wraps later.
template <class Take>
std::uint64_t join_ends(Ends sends, Ends receipts, std::int64_t ahead, Take&& take) {
  std::uint64_t pairs = 0;
  while (!sends.empty() && !receipts.empty()) {
    const std::int64_t there = receipts.front().wraps + ahead;
    const auto of_send = sends.front().number(), of_receipt = std::tie(there, receipts.front().count);
    if (of_send < of_receipt) {
      sends = sends.subspan(1);
    } else if (of_receipt < of_send) {
      receipts = receipts.subspan(1);
    } else {
      take(sends.front(), receipts.front());
      ++pairs;
      sends = sends.subspan(1), receipts = receipts.subspan(1);
    }
  }
  return pairs;
}

std::int64_t best_ahead(Ends sends, Ends receipts) {
  const auto nothing = [](const CountedEnd&, const CountedEnd&) {};
  std::int64_t best = 0;
  std::uint64_t most = join_ends(sends, receipts, 0, nothing);
  if (most == std::min(sends.size(), receipts.size())) return 0;
  for (const std::int64_t ahead : {-1, 1})
    if (const std::uint64_t pairs = join_ends(sends, receipts, ahead, nothing); pairs > most)
      most = pairs, best = ahead;
  return best;
}

// The ends of the first channel.
Ends of_first_channel(Ends ends) {
  const auto end = std::find_if(ends.begin(), ends.end(),
                                [&](const CountedEnd& one) { return one.channel != ends.front().channel; });
  return ends.first(static_cast<std::size_t>(end - ends.begin()));
}

}  // namespace

Correlation correlate(const std::vector<ProcessRecords>& processes) {
  Correlation out;
  CountedEnds ends;
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    out.other.emplace_back(processes[p].records.size());
    collect_ends(processes[p], p, ends, out);
  }
  out.without_count += drop_doubles(ends.sends) + drop_doubles(ends.receipts);
  const auto join = [&](const CountedEnd& send, const CountedEnd& receipt) {
    out.other[send.at.process][send.at.record] = receipt.at;
    out.other[receipt.at.process][receipt.at.record] = send.at;
  };
  for (Ends sends = ends.sends, receipts = ends.receipts; !sends.empty() && !receipts.empty();) {
    if (sends.front().channel < receipts.front().channel) {
      sends = sends.subspan(of_first_channel(sends).size());
    } else if (receipts.front().channel < sends.front().channel) {
      receipts = receipts.subspan(of_first_channel(receipts).size());
    } else {
      const Ends sent = of_first_channel(sends), received = of_first_channel(receipts);
      out.messages += join_ends(sent, received, best_ahead(sent, received), join);
      sends = sends.subspan(sent.size()), receipts = receipts.subspan(received.size());
    }
  }
  out.sends_alone -= out.messages, out.receipts_alone -= out.messages;
  return out;
}

void tell(const Correlation& correlation, Diagnostics& diagnostics) {
  if (correlation.without_count > 0) diagnostics.add("count-not-kept", correlation.without_count);
  if (correlation.sends_alone > 0) diagnostics.add("unmatched-send", correlation.sends_alone);
  if (correlation.receipts_alone > 0) diagnostics.add("unmatched-receive", correlation.receipts_alone);
}

void Counting::add(EventRecord record, std::uint64_t ordinal, std::vector<EventRecord>& out) {
  // What was left out before a recording began may be any number.
  constexpr std::uint64_t most_wraps_at_once = 1 << 16;
  const bool sent = is_send(record.type);
  std::uint64_t& known = wraps_[{sent, record.other_node, record.other_pid, record.message_type}];
  const std::uint64_t wraps = (ordinal - 1) / largest_count;
  record.count = static_cast<std::int16_t>((ordinal - 1) % largest_count + 1);
  if (ordinal == 0 || wraps < known || wraps - known > most_wraps_at_once) {
    record.count = count_defect;
    ++fallen_back_;
  }
  for (; record.count > 0 && known < wraps; ++known) {
    EventRecord wrap = record;
    wrap.type = sent ? RecordType::wraps : RecordType::wrapr;
    out.push_back(std::move(wrap));
  }
  out.push_back(std::move(record));
}

}  // namespace ww::prase
