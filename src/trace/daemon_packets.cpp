#include "trace/daemon_packets.hpp"

#include <algorithm>
#include <numeric>

#include "stats/order.hpp"

namespace ww::spool {
namespace {

DaemonKind kind_of(const Record& record) {
  return static_cast<DaemonKind>(record.kind);
}

// From a task to a task: neither a daemon is at an end, nor is it for several at once.
bool of_tasks(const Record& record) {
  constexpr std::uint32_t other = tid_of_daemon | 0x40000000u;
  return (record.comm & other) == 0 && (static_cast<std::uint32_t>(record.tag) & other) == 0;
}

bool has_data(const Record& record) {
  return (DaemonPacket::of(record.operation).flags & DaemonPacket::has_data) != 0;
}

std::uint64_t data_of(const Record& packet) {
  return packet.bytes - std::min<std::uint64_t>(packet.bytes, daemon_header_bytes);
}

DaemonStage stage_of(const std::vector<float>& samples) {
  const std::vector<double> exact(samples.begin(), samples.end());
  return {exact.size(), std::accumulate(exact.begin(), exact.end(), 0.0), stats::median(exact),
          stats::quantile(exact, 0.9)};
}

}  // namespace

std::uint64_t DaemonPackets::time_of(const Record& record) {
  return kind_of(record) == DaemonKind::packet_sent ? record.enter_ticks : record.leave_ticks;
}

bool DaemonPackets::take(const Place& place, const Record& record) {
  switch (kind_of(record)) {
    case DaemonKind::packet_sent:
      return take_sent(place, record);
    case DaemonKind::packet_received:
      return take_received(place, record);
    case DaemonKind::fragment_read:
      if (of_tasks(record))
        daemons_[place.daemon].read[{record.comm, static_cast<std::uint32_t>(record.tag)}].push_back(
            {record.leave_ticks, record.operation, std::nullopt});
      return false;
    case DaemonKind::fragment_written:
      written(place, record);
      return false;
    case DaemonKind::call:
      return false;
  }
  return false;
}

// The first fragment of that many bytes between the record's tasks that waits there; those before it went to nobody. There may be none: what
// went to several tasks at once is written to each as if it were its own.
std::optional<DaemonPackets::Waiting> DaemonPackets::first_of(Queues& queues, const Record& record,
                                                              std::uint64_t bytes) {
  const auto found = queues.find({record.comm, static_cast<std::uint32_t>(record.tag)});
  if (found == queues.end()) return std::nullopt;
  auto& queue = found->second;
  const auto first =
      std::find_if(queue.begin(), queue.end(), [&](const Waiting& one) { return one.bytes == bytes; });
  if (first == queue.end()) return std::nullopt;
  const Waiting waiting = *first;
  queue.erase(queue.begin(), first + 1);
  if (queue.empty()) queues.erase(found);
  return waiting;
}

bool DaemonPackets::take_sent(const Place& place, const Record& record) {
  if (!has_data(record)) return false;
  Daemon& daemon = daemons_[place.daemon];
  const auto told = daemon.channels[record.peer].sent.take(DaemonPacket::of(record.operation).sequence);
  if (told.again) return true;
  const bool fragment = of_tasks(record) && place.counts;
  if (place.other)
    under_way_[{place.daemon, *place.other}][told.number] = {record.enter_ticks, fragment, false};
  if (!of_tasks(record) || !place.other) return false;
  const auto waiting = first_of(daemon.read, record, data_of(record));
  if (!fragment) return false;
  Samples& samples = samples_[{place.daemon, *place.other}];
  ++samples.fragments;
  samples.bytes += data_of(record);
  if (waiting) samples.held_s.push_back(seconds(place.daemon, waiting->since_ticks, record.enter_ticks));
  return false;
}

bool DaemonPackets::take_received(const Place& place, const Record& record) {
  Daemon& daemon = daemons_[place.daemon];
  Channel& channel = daemon.channels[record.peer];
  if ((DaemonPacket::of(record.operation).flags & DaemonPacket::acknowledges) != 0)
    acknowledged(place, channel, record);
  if (!has_data(record)) return false;
  const auto told = channel.received.take(DaemonPacket::of(record.operation).sequence);
  if (told.again) return true;
  if (!of_tasks(record)) return false;
  daemon.received[{record.comm, static_cast<std::uint32_t>(record.tag)}].push_back(
      {record.leave_ticks, data_of(record), place.other});
  if (!place.counts || !place.other || clocks_[place.daemon].group != clocks_[*place.other].group)
    return false;
  const auto under_way = under_way_.find({*place.other, place.daemon});
  if (under_way == under_way_.end()) return false;
  const auto sent = under_way->second.find(told.number);
  if (sent == under_way->second.end() || sent->second.got) return false;
  sent->second.got = true;
  samples_[under_way->first].under_way_s.push_back(
      seconds(place.daemon, sent->second.enter_ticks, record.leave_ticks));
  return false;
}

void DaemonPackets::acknowledged(const Place& place, const Channel& channel, const Record& record) {
  if (!place.other) return;
  const auto under_way = under_way_.find({place.daemon, *place.other});
  if (under_way == under_way_.end()) return;
  const auto sent =
      under_way->second.find(channel.sent.number_of(DaemonPacket::of(record.operation).acknowledged));
  if (sent == under_way->second.end()) return;
  if (sent->second.fragment)
    samples_[under_way->first].acknowledged_s.push_back(
        seconds(place.daemon, sent->second.enter_ticks, record.leave_ticks));
  under_way->second.erase(sent);
}

void DaemonPackets::written(const Place& place, const Record& record) {
  if (!of_tasks(record)) return;
  Daemon& daemon = daemons_[place.daemon];
  const Key within{place.daemon, place.daemon};
  if (const auto came = first_of(daemon.received, record, record.operation)) {
    if (place.counts && came->from)
      samples_[{*came->from, place.daemon}].delivered_s.push_back(
          seconds(place.daemon, came->since_ticks, record.leave_ticks));
  } else if (const auto local = first_of(daemon.read, record, record.operation); local && place.counts) {
    Samples& samples = samples_[within];
    ++samples.fragments;
    samples.bytes += record.operation;
    samples.held_s.push_back(seconds(place.daemon, local->since_ticks, record.leave_ticks));
  }
}

std::vector<DaemonPackets::Way> DaemonPackets::ways() const {
  std::vector<Way> ways;
  for (const auto& [key, samples] : samples_)
    ways.push_back(
        {key.first,
         key.second,
         {"", "", samples.fragments, samples.bytes, stage_of(samples.held_s), stage_of(samples.under_way_s),
          stage_of(samples.delivered_s), stage_of(samples.acknowledged_s)}});
  return ways;
}

}  // namespace ww::spool
