#include "render/daemons_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {
namespace {

// While the program ran, or of all that there is where that is not known.
const DaemonUse& use_of(const DaemonFacts& daemon) {
  return daemon.program ? *daemon.program : daemon.life;
}

double time_in(const DaemonUse& use, const char* name) {
  double time_s = 0;
  for (const DaemonCallTotal& call : use.calls)
    if (call.name == name) time_s += call.time_s;
  return time_s;
}

std::vector<const DaemonFacts*> listed(const DaemonRecord& record) {
  std::vector<const DaemonFacts*> daemons;
  for (const DaemonFacts& daemon : record.daemons) daemons.push_back(&daemon);
  return daemons;
}

std::string times(const DaemonRecord& record) {
  Table table(
      {"daemon on", "time", "busy", "sendto", "recvfrom", "read", "write", "own work", "cpu", "over time"},
      1);
  return limited(table, listed(record), "daemons", [&](const DaemonFacts* daemon) {
    const DaemonUse& use = use_of(*daemon);
    const auto in = [&](const char* name) { return percent(time_in(use, name), use.time_s); };
    std::vector<double> bins;  // few enough for a line
    constexpr std::size_t joined = 5;
    for (std::size_t b = 0; b + joined <= daemon->busy_over_time.size(); b += joined) {
      double sum = 0;
      for (std::size_t i = 0; i < joined; ++i) sum += daemon->busy_over_time[b + i];
      bins.push_back(sum / joined);
    }
    table.add({shortened(daemon->host, 16), show_time(use.time_s), percent(use.busy_s(), use.time_s),
               in("sendto"), in("recvfrom"), in("read"), in("write"), percent(use.own_s, use.time_s),
               daemon->cpu_s ? show_time(*daemon->cpu_s) : "-",
               bins.empty() ? "-" : "[" + sparkline(bins, 1) + "]"});
  });
}

struct Exchange {
  const DaemonFacts* daemon;
  const DaemonTraffic* peer;
};

std::string packets(const DaemonRecord& record) {
  std::vector<Exchange> rows;
  for (const DaemonFacts& daemon : record.daemons)
    for (const DaemonTraffic& peer : use_of(daemon).peers) rows.push_back({&daemon, &peer});
  if (rows.empty()) return "no packets between daemons\n";
  Table table({"UDP of", "with", "sent", "acks", "again", "bytes", "got", "acks", "again", "bytes"}, 2);
  const auto number = [](std::uint64_t value) { return fmt::format("{}", value); };
  return limited(table, rows, "exchanges", [&](const Exchange& row) {
    const DaemonTraffic& peer = *row.peer;
    table.add({shortened(row.daemon->host, 16), shortened(peer.host.empty() ? peer.address : peer.host, 22),
               number(peer.packets_sent), number(peer.acknowledgements_sent), number(peer.sent_again),
               show_bytes(static_cast<double>(peer.bytes_sent)), number(peer.packets_received),
               number(peer.acknowledgements_received), number(peer.received_again),
               show_bytes(static_cast<double>(peer.bytes_received))});
  });
}

std::string ways(const DaemonRecord& record) {
  if (record.ways.empty()) return "";
  Table table({"from", "to", "fragments", "bytes", "held", "under way", "delivered", "acknowledged"}, 2);
  const auto median = [](const DaemonStage& stage) {
    return stage.fragments == 0 ? "-" : show_time(stage.median_s);
  };
  std::string text =
      "\nFragments of messages between tasks; medians of the times of one. held: from its task's write being "
      "read to the first\n"
      "sendto (within a host, to the write), under way: to the peer's recvfrom, delivered: to the write to "
      "its task;\n"
      "acknowledged: from sendto to the acknowledgement, before which PVM sends no other to that host\n";
  return text + limited(table, record.ways, "ways", [&](const DaemonWay& way) {
           table.add({shortened(way.from, 16), shortened(way.to, 16), fmt::format("{}", way.fragments),
                      show_bytes(static_cast<double>(way.bytes)), median(way.held), median(way.under_way),
                      median(way.delivered), median(way.acknowledged)});
         });
}

}  // namespace

std::string daemons_in_short(const DaemonRecord& record) {
  constexpr std::size_t most = 8;
  std::vector<std::string> busy;
  DaemonTraffic all;
  for (const DaemonFacts& daemon : record.daemons) {
    const DaemonUse& use = use_of(daemon);
    all.add_counts(use.all());
    if (busy.size() < most)
      busy.push_back(fmt::format("{} {}", shortened(daemon.host, 16), percent(use.busy_s(), use.time_s)));
  }
  if (all.packets_sent == 0) return "";
  return fmt::format("daemons of the default route, busy: {}{}; {} sent, {} again (--ask daemons)\n",
                     fmt::join(busy, ", "), record.daemons.size() > most ? ", ..." : "",
                     counted(all.packets_sent, "packet"), all.sent_again);
}

std::string show(const DaemonRecord& record) {
  const bool known = std::all_of(record.daemons.begin(), record.daemons.end(),
                                 [](const DaemonFacts& daemon) { return daemon.program.has_value(); });
  std::string text = fmt::format(
      "PVM's daemons{}; busy is all but waiting in select, own work what is in no call of the system\n",
      known ? " while the program ran" : ", of all their time where their clock is not the program's");
  text += times(record);
  for (const DaemonFacts& daemon : record.daemons)
    if (!daemon.ended)
      text += fmt::format("the daemon on {} was killed or went on: it is known for {}\n", daemon.host,
                          show_time(daemon.life.time_s));
  return text + "\n" + packets(record) + ways(record);
}

}  // namespace ww
