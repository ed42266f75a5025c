// Trace events in JSON, as ui.perfetto.dev and chrome://tracing read them ("Trace Event Format", Google): a
// process for each rank, a complete event ("X", microseconds) for each call, a flow ("s", "f") for each
// message from the call that began to send it to the call that received it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

constexpr std::size_t most_listed = 16;  // messages of one call

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class Chrome {
 public:
  Chrome(const Trace& trace, Output& out) : trace_(trace), out_(out) {
    for (const RankTrace& rank : trace.ranks) {
      if (rank.calls() > 0) origin_ns_ = std::min(origin_ns_, rank.enter_ns.front());
      if (!rank.user.regions.empty()) origin_ns_ = std::min(origin_ns_, rank.user.regions.front().enter_ns);
    }
    for (const std::string& region : trace.regions) names_.push_back(quoted(region));
  }

  void write() {
    out_.print(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"source\":{},\"diagnostics\":{}}},\n\"traceEvents\":["
        "\n",
        quoted(trace_.source.string()), nlohmann::json(trace_.diagnostics).dump());
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      name_rank(r);
      write_user(r);
      for (std::uint32_t call = 0; call < trace_.ranks[r].calls(); ++call) write_call(r, call);
    }
    for (std::size_t m = 0; m < trace_.messages.size(); ++m) write_flow(m);
    out_.print("\n]}}\n");
  }

 private:
  std::string us(std::int64_t ns) const { return decimal(ns - origin_ns_, 3); }

  template <class... T>
  void event(fmt::format_string<T...> format, T&&... values) {
    out_.print("{}", first_ ? "" : ",\n");
    first_ = false;
    out_.print(format, std::forward<T>(values)...);
  }

  void name_rank(std::size_t r) {
    const std::string name = quoted(fmt::format("rank {} on {}", r, trace_.ranks[r].host));
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})", r, name);
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"process_sort_index","args":{{"sort_index":{}}}}})", r, r);
    event(R"({{"ph":"M","pid":{},"tid":0,"name":"thread_name","args":{{"name":"MPI calls"}}}})", r);
  }

  void write_call(std::size_t r, std::uint32_t call) {
    const RankTrace& rank = trace_.ranks[r];
    event(R"({{"ph":"X","pid":{},"tid":0,"cat":"MPI","name":{},"ts":{},"dur":{}{}}})", r,
          names_[rank.region[call]], us(rank.enter_ns[call]),
          decimal(rank.leave_ns[call] - rank.enter_ns[call], 3), arguments(rank, call));
  }

  std::string arguments(const RankTrace& rank, std::uint32_t call) const {
    std::string text;
    std::size_t listed = 0;
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
      const ActionKind kind = rank.kind[a];
      const bool collective = kind == ActionKind::collective || kind == ActionKind::icollective_done;
      if (!is_send(kind) && !is_receipt(kind) && !collective) continue;
      if (++listed > most_listed) break;
      text += text.empty() ? ",\"args\":{" : ",";
      if (collective)
        text += fmt::format(R"("collective {}":{{"sent_bytes":{},"received_bytes":{}}})", listed,
                            rank.bytes[a], rank.bytes_received[a]);
      else
        text += fmt::format(R"("{} {}":{{"rank":{},"tag":{},"bytes":{}}})", is_send(kind) ? "to" : "from",
                            listed, rank.peer[a], rank.tag[a], rank.bytes[a]);
    }
    return text.empty() ? text : text + "}";
  }

  // Regions are slices around those of the calls, values curves of the rank, markers points in time.
  void write_user(std::size_t r) {
    const UserEvents& user = trace_.ranks[r].user;
    std::uint32_t named = 0;
    for (const UserRegion& region : user.regions) {
      for (; named < region.thread; ++named)
        event(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"thread {}"}}}})", r,
              named + 1, named + 1);
      event(R"({{"ph":"X","pid":{},"tid":{},"cat":"region","name":{},"ts":{},"dur":{}}})", r, region.thread,
            quoted(trace_.user.regions[region.region]), us(region.enter_ns),
            decimal(region.leave_ns - region.enter_ns, 3));
    }
    for (const UserValue& value : user.values) {
      const double number = value.number(trace_.user.values[value.name]);
      if (!std::isfinite(number)) continue;  // JSON has no word for it
      event(R"({{"ph":"C","pid":{},"name":{},"ts":{},"args":{{"value":{}}}}})", r,
            quoted(trace_.user.values[value.name].name), us(value.at_ns), number);
    }
    for (const UserMarker& marker : user.markers)
      event(R"({{"ph":"i","s":"t","pid":{},"tid":{},"cat":"marker","name":{},"ts":{}}})", r, marker.thread,
            quoted(trace_.user.texts[marker.text]), us(marker.at_ns));
  }

  // Its ends lie within the slices of the calls; the end of a slice belongs to what follows it.
  void write_flow(std::size_t m) {
    const Message& message = trace_.messages[m];
    if (message.send_call == none || message.recv_done_call == none) return;
    const RankTrace& from = trace_.ranks[static_cast<std::size_t>(message.source)];
    const RankTrace& to = trace_.ranks[static_cast<std::size_t>(message.destination)];
    const std::int64_t enter = to.enter_ns[message.recv_done_call],
                       leave = to.leave_ns[message.recv_done_call];
    event(R"({{"ph":"s","id":{},"pid":{},"tid":0,"cat":"message","name":"message","ts":{}}})", m,
          message.source, us(from.enter_ns[message.send_call]));
    event(R"({{"ph":"f","bp":"e","id":{},"pid":{},"tid":0,"cat":"message","name":"message","ts":{}}})", m,
          message.destination, us(std::max(enter, leave - 1)));
  }

  const Trace& trace_;
  Output& out_;
  std::vector<std::string> names_;  // by region, quoted
  std::int64_t origin_ns_ = 0;
  bool first_ = true;
};

}  // namespace

std::string decimal(std::int64_t ns, int places) {
  std::int64_t unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:0{}}", ns < 0 ? "-" : "", size / static_cast<std::uint64_t>(unit),
                     size % static_cast<std::uint64_t>(unit), places);
}

void write_chrome(const Trace& trace, Output& out) {
  Chrome(trace, out).write();
}

}  // namespace ww::exporting
