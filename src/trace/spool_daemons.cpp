#include "trace/spool_daemons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/files.hpp"
#include "base/text.hpp"
#include "interpose/core/environment.hpp"
#include "trace/daemon_packets.hpp"
#include "trace/spool_clock.hpp"
#include "trace/spool_tasks.hpp"

namespace ww::spool {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t bins = 100;

std::string show_socket(std::uint64_t address) {
  const std::uint64_t host = address >> 16;
  return fmt::format("{}.{}.{}.{}:{}", host >> 24 & 255, host >> 16 & 255, host >> 8 & 255, host & 255,
                     address & 65535);
}

std::uint64_t own_socket(const RankDefinitions& definitions) {
  const auto fact = definitions.facts.find("socket");
  if (fact == definitions.facts.end()) return 0;
  const auto said = nlohmann::json::parse(fact->second, nullptr, false);
  if (!said.is_object() || !said.contains("address") || !said["address"].is_string()) return 0;
  return parse_address(said["address"].get<std::string>()).value_or(0);
}

// Of the stretch [begin, end) of a daemon's time, in ticks.
class UseSum {
 public:
  UseSum(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(std::max(begin, end)) {}

  std::uint64_t within(const Record& record) const {
    const std::uint64_t from = std::max(record.enter_ticks, begin_),
                        until = std::min(record.leave_ticks, end_);
    return until > from ? until - from : 0;
  }
  void take(const Record& record, bool again) {
    const std::uint64_t ticks = within(record);
    in_calls_ += ticks;
    Call& call = calls_[record.call];
    call.ticks += ticks;
    if (record.enter_ticks < begin_ || record.enter_ticks >= end_) return;
    ++call.count;
    const auto kind = static_cast<DaemonKind>(record.kind);
    if (kind != DaemonKind::packet_sent && kind != DaemonKind::packet_received) return;
    DaemonTraffic& peer = peers_[record.peer];
    const std::uint8_t flags = DaemonPacket::of(record.operation).flags;
    const bool acknowledges =
        (flags & DaemonPacket::acknowledges) != 0 && (flags & DaemonPacket::has_data) == 0;
    const bool sent = kind == DaemonKind::packet_sent;
    ++(sent ? peer.packets_sent : peer.packets_received);
    (sent ? peer.bytes_sent : peer.bytes_received) += record.bytes;
    if (acknowledges) ++(sent ? peer.acknowledgements_sent : peer.acknowledgements_received);
    if (again) ++(sent ? peer.sent_again : peer.received_again);
  }
  // `named`: fills in who a peer of that index is.
  DaemonUse use(const std::vector<std::string>& names, double s_per_tick, const auto& named) const {
    DaemonUse use;
    use.time_s = static_cast<double>(end_ - begin_) * s_per_tick;
    for (const auto& [number, call] : calls_) {
      const double time_s = static_cast<double>(call.ticks) * s_per_tick;
      use.calls.push_back(
          {number < names.size() ? names[number] : fmt::format("call {}", number), call.count, time_s});
      if (use.calls.back().name == "select") use.waiting_s = time_s;
    }
    use.own_s = std::max(0.0, use.time_s - static_cast<double>(in_calls_) * s_per_tick);
    for (const auto& [index, traffic] : peers_) {
      use.peers.push_back(traffic);
      named(index, use.peers.back());
    }
    return use;
  }

 private:
  struct Call {
    std::uint64_t count = 0, ticks = 0;
  };
  std::uint64_t begin_, end_, in_calls_ = 0;
  std::map<std::uint16_t, Call> calls_;
  std::map<std::int32_t, DaemonTraffic> peers_;
};

struct Summed {
  const DaemonSpool* spool = nullptr;
  std::uint64_t socket = 0;
  double s_per_tick = 0;
  std::optional<UseSum> life, program;
  ProgramSpan span;
  std::vector<double> waited;  // ticks in select, by bin of the program
  std::optional<std::uint32_t> tid;
  std::size_t next = 0;  // record

  const RecordedProcess& process() const { return *spool->definitions.process; }

  // While the program runs, or always where nobody knows when.
  bool runs(const Record& record) const {
    return !program || (record.enter_ticks >= span.begin_ticks && record.enter_ticks < span.end_ticks);
  }
  void take(const Record& record, bool again) {
    life->take(record, again);
    const std::uint8_t flags = DaemonPacket::of(record.operation).flags;
    if (static_cast<DaemonKind>(record.kind) == DaemonKind::packet_sent &&
        (flags & DaemonPacket::acknowledges) != 0)
      tid = record.comm;
    if (!program) return;
    program->take(record, again);
    const auto& calls = spool->definitions.calls;
    if (record.call < calls.size() && calls[record.call] == "select") add_waiting(record);
  }
  void add_waiting(const Record& record) {
    const double bin = static_cast<double>(span.end_ticks - span.begin_ticks) / bins;
    if (bin <= 0 || program->within(record) == 0) return;
    const double from =
        static_cast<double>(std::max(record.enter_ticks, span.begin_ticks) - span.begin_ticks);
    const double until = static_cast<double>(std::min(record.leave_ticks, span.end_ticks) - span.begin_ticks);
    for (auto b = static_cast<std::size_t>(from / bin); b < bins && static_cast<double>(b) * bin < until; ++b)
      waited[b] +=
          std::min(until, static_cast<double>(b + 1) * bin) - std::max(from, static_cast<double>(b) * bin);
  }
};

Summed begun(const DaemonSpool& spool, const ProgramSpan& program) {
  Summed sum;
  sum.spool = &spool;
  sum.socket = own_socket(spool.definitions);
  sum.span = program;
  const RecordedProcess& process = sum.process();
  double rate = ticks_per_s(spool.definitions);
  if (rate <= 0) rate = process.ticks_per_s;
  sum.s_per_tick = 1 / rate;
  const std::size_t records = spool.records.size();
  const auto begin = std::min(static_cast<std::uint64_t>(process.ticks), spool.records[0].enter_ticks);
  std::uint64_t end = spool.records[records - 1].leave_ticks;
  if (spool.definitions.end) end = std::max(end, static_cast<std::uint64_t>(spool.definitions.end->ticks));
  sum.life.emplace(begin, end);
  if (process.boot_id != program.boot_id || program.end_ticks <= program.begin_ticks) return sum;
  // Where it was not there yet, or no longer, nothing is known of it.
  sum.span.begin_ticks = std::max(program.begin_ticks, begin);
  sum.span.end_ticks = std::max(sum.span.begin_ticks, std::min(program.end_ticks, end));
  sum.program.emplace(sum.span.begin_ticks, sum.span.end_ticks);
  sum.waited.assign(bins, 0);
  return sum;
}

DaemonFacts facts_of(const Summed& sum, const auto& named) {
  const RankDefinitions& definitions = sum.spool->definitions;
  DaemonFacts facts;
  facts.host = sum.process().host;
  facts.address = sum.socket == 0 ? "" : show_socket(sum.socket);
  facts.tid = sum.tid;
  facts.pid = sum.process().pid;
  facts.ended = definitions.end.has_value();
  if (definitions.usage) facts.cpu_s = static_cast<double>(definitions.usage->cpu_ns) * 1e-9;
  facts.life = sum.life->use(definitions.calls, sum.s_per_tick, named);
  if (!sum.program) return facts;
  facts.program = sum.program->use(definitions.calls, sum.s_per_tick, named);
  const double bin = static_cast<double>(sum.span.end_ticks - sum.span.begin_ticks) / bins;
  facts.bin_s = bin * sum.s_per_tick;
  for (const double waited : sum.waited)
    facts.busy_over_time.push_back(bin > 0 ? std::clamp(1 - waited / bin, 0.0, 1.0) : 0);
  return facts;
}

// The records of all, in the order of time, to take(sum's number, record).
void in_order(std::vector<Summed>& sums, const auto& take) {
  const auto record_at = [](const Summed& sum) { return sum.spool->records[sum.next]; };
  for (;;) {
    std::size_t first = sums.size();
    std::uint64_t earliest = 0;
    for (std::size_t d = 0; d < sums.size(); ++d) {
      if (sums[d].next == sums[d].spool->records.size()) continue;
      const std::uint64_t time = DaemonPackets::time_of(record_at(sums[d]));
      if (first < sums.size() && earliest <= time) continue;
      first = d;
      earliest = time;
    }
    if (first == sums.size()) return;
    Summed& sum = sums[first];
    const Record record = record_at(sum);
    sum.spool->records.passed(sum.next, sum.next + 1);
    ++sum.next;
    take(first, record);
  }
}

void note_damage(const std::vector<Summed>& sums, Diagnostics& diagnostics) {
  std::vector<std::string> early;
  std::uint64_t elsewhere = 0;
  for (const Summed& sum : sums) {
    const RankDefinitions& definitions = sum.spool->definitions;
    if (!definitions.end && !definitions.facts.contains(environment::daemon_of_user))
      early.push_back(sum.process().host);
    if (!sum.program) ++elsewhere;
  }
  if (!early.empty())
    diagnostics.add(
        "daemon-ended-early",
        fmt::format(
            "PVM's daemons were killed or crashed, or still ran, on {}; --ask daemons has what they did "
            "until then",
            fmt::join(early, ", ")),
        early.size());
  if (elsewhere > 0) diagnostics.add("daemon-clock-unknown", elsewhere);
}

}  // namespace

ProgramSpan program_span(const std::vector<RankSpool>& spools) {
  ProgramSpan span;
  std::uint64_t last = 0;  // of those that did not say that they ended
  for (const RankSpool& spool : spools) {
    const auto& process = spool.definitions.process;
    if (!process) continue;
    if (span.boot_id.empty()) {
      span.boot_id = process->boot_id;
      span.begin_ticks = static_cast<std::uint64_t>(process->ticks);
    }
    if (process->boot_id != span.boot_id) continue;
    span.begin_ticks = std::min(span.begin_ticks, static_cast<std::uint64_t>(process->ticks));
    if (spool.definitions.end)
      span.end_ticks = std::max(span.end_ticks, static_cast<std::uint64_t>(spool.definitions.end->ticks));
    else if (!spool.threads.empty() && spool.threads.front().size() > 0)
      last = std::max(last, spool.threads.front()[spool.threads.front().size() - 1].leave_ticks);
  }
  if (span.end_ticks == 0) span.end_ticks = last;
  return span;
}

Result<std::vector<fs::path>> daemon_files(const fs::path& dir, const char* extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(dir, error), last; !error && entry != last; entry.increment(error))
    if (entry->path().filename().string().starts_with(environment::daemon_prefix) &&
        entry->path().extension() == extension)
      files.push_back(entry->path());
  if (error) return fail("cannot read what daemons recorded", dir.string() + ": " + error.message());
  return files;
}

Result<std::vector<DaemonSpool>> read_daemons(const fs::path& spool_dir, Diagnostics& diagnostics) {
  WW_TRY(const auto files, daemon_files(spool_dir, ".spool"));
  std::vector<DaemonSpool> daemons;
  for (const fs::path& file : files) {
    WW_TRY(auto records, Records::open(file, diagnostics));
    const fs::path stem = file.stem().stem();  // without ".thread-0.spool"
    const auto text = read_file(spool_dir / (stem.string() + ".defs"));
    if (!records || records->size() == 0 || !text) continue;
    DaemonSpool daemon{parse_definitions(*text, diagnostics), *std::move(records)};
    if (daemon.definitions.process) daemons.push_back(std::move(daemon));
  }
  std::sort(daemons.begin(), daemons.end(), [](const DaemonSpool& a, const DaemonSpool& b) {
    const auto key = [](const DaemonSpool& of) {
      const RecordedProcess& process = *of.definitions.process;
      return std::tie(process.host, process.pid, process.realtime_ns);
    };
    return key(a) < key(b);
  });
  return daemons;
}

DaemonRecord record_of(const std::vector<DaemonSpool>& daemons, const ProgramSpan& program,
                       Diagnostics& diagnostics) {
  std::vector<Summed> sums;
  std::map<std::uint64_t, std::size_t> by_socket;
  std::map<std::string, std::size_t> boots;
  std::vector<DaemonPackets::Clock> clocks;
  for (const DaemonSpool& daemon : daemons) {
    sums.push_back(begun(daemon, program));
    if (sums.back().socket != 0) by_socket.emplace(sums.back().socket, sums.size() - 1);
    const auto boot = boots.emplace(sums.back().process().boot_id, boots.size()).first;
    clocks.push_back({sums.back().s_per_tick, boot->second});
  }
  // By daemon and index.
  const auto socket_of = [&](std::size_t d, std::int32_t index) -> std::uint64_t {
    const auto& peers = daemons[d].definitions.peers;
    const auto found = peers.find(static_cast<std::uint32_t>(index));
    return index < 0 || found == peers.end() ? 0 : found->second;
  };
  const auto daemon_at = [&](std::uint64_t socket) -> std::optional<std::size_t> {
    const auto found = by_socket.find(socket);
    return found == by_socket.end() ? std::nullopt : std::optional(found->second);
  };
  DaemonPackets packets(std::move(clocks));
  in_order(sums, [&](std::size_t d, const Record& record) {
    sums[d].take(record,
                 packets.take({d, daemon_at(socket_of(d, record.peer)), sums[d].runs(record)}, record));
  });
  DaemonRecord found;
  for (std::size_t d = 0; d < sums.size(); ++d)
    found.daemons.push_back(facts_of(sums[d], [&](std::int32_t index, DaemonTraffic& peer) {
      const std::uint64_t socket = socket_of(d, index);
      peer.address = socket == 0 ? "" : show_socket(socket);
      if (const auto other = daemon_at(socket)) peer.host = sums[*other].process().host;
    }));
  for (DaemonPackets::Way& way : packets.ways()) {
    way.way.from = found.daemons[way.from].host;
    way.way.to = found.daemons[way.to].host;
    found.ways.push_back(std::move(way.way));
  }
  note_damage(sums, diagnostics);
  return found;
}

}  // namespace ww::spool
