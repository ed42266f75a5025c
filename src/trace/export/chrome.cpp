// Trace events in JSON, as ui.perfetto.dev and chrome://tracing read them ("Trace Event Format", Google): a
// process for each rank, a complete event ("X", microseconds) for each call, a flow ("s", "f") for each
// message from the call that began to send it to the call that received it, and for each one-sided transfer
// and file operation from the call that began it to another that completed it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "trace/export/by_call.hpp"
#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

constexpr std::size_t most_listed = 16;  // messages, transfers ... of one call

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The arguments of a slice.
class Arguments {
 public:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    if (++listed_ > most_listed) return;
    text_ += text_.empty() ? ",\"args\":{" : ",";
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
  }
  std::size_t number() const { return listed_ + 1; }  // of the next one
  std::string text() const { return text_.empty() ? text_ : text_ + "}"; }

 private:
  std::string text_;
  std::size_t listed_ = 0;
};

class Chrome {
 public:
  Chrome(const Trace& trace, Output& out) : trace_(trace), out_(out) {
    for (const RankTrace& rank : trace.ranks) {
      if (rank.calls() > 0) origin_ns_ = std::min(origin_ns_, rank.enter_ns.front());
      if (!rank.user.regions.empty()) origin_ns_ = std::min(origin_ns_, rank.user.regions.front().enter_ns);
    }
    for (const std::string& region : trace.regions) names_.push_back(quoted(region));
    for (const Window& window : trace.one_sided.windows) windows_.push_back(quoted(window.name));
    for (const std::string& file : trace.file_io.files) files_.push_back(quoted(file));
  }

  void write() {
    out_.print(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"source\":{},\"diagnostics\":{}}},\n\"traceEvents\":["
        "\n",
        quoted(trace_.source.string()), nlohmann::json(trace_.diagnostics).dump());
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      name_rank(r);
      write_user(r);
      const BesideCalls beside = beside_calls(trace_, r);
      for (std::uint32_t call = 0; call < trace_.ranks[r].calls(); ++call) write_call(r, call, beside);
      for (const Transfer& transfer : beside.one_sided.transfers)
        write_flow("one-sided", to_string(transfer.kind), r, transfer.call, transfer.done_call);
      for (const FileOperation& operation : beside.file_io.operations)
        write_flow("file", operation.writes ? "write" : "read", r, operation.call, operation.done_call);
    }
    for (const Message& message : trace_.messages)
      write_flow("message", "message", static_cast<std::size_t>(message.source), message.send_call,
                 static_cast<std::size_t>(message.destination), message.recv_done_call);
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

  void write_call(std::size_t r, std::uint32_t call, const BesideCalls& beside) {
    const RankTrace& rank = trace_.ranks[r];
    event(R"({{"ph":"X","pid":{},"tid":0,"cat":"MPI","name":{},"ts":{},"dur":{}{}}})", r,
          names_[rank.region[call]], us(rank.enter_ns[call]),
          decimal(rank.leave_ns[call] - rank.enter_ns[call], 3), arguments(rank, call, beside));
  }

  std::string arguments(const RankTrace& rank, std::uint32_t call, const BesideCalls& beside) const {
    Arguments all;
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
      const ActionKind kind = rank.kind[a];
      if (kind == ActionKind::collective || kind == ActionKind::icollective_done)
        all.add(R"("collective {}":{{"sent_bytes":{},"received_bytes":{}}})", all.number(), rank.bytes[a],
                rank.bytes_received[a]);
      else if (is_send(kind) || is_receipt(kind))
        all.add(R"("{} {}":{{"rank":{},"tag":{},"bytes":{}}})", is_send(kind) ? "to" : "from", all.number(),
                rank.peer[a], rank.tag[a], rank.bytes[a]);
    }
    add_windows(all, call, beside);
    add_files(all, call, beside);
    return all.text();
  }

  void add_windows(Arguments& all, std::uint32_t call, const BesideCalls& beside) const {
    beside.issued.of(call, [&](std::uint32_t number) {
      const Transfer& transfer = beside.one_sided.transfers[number];
      all.add(R"("{} {}":{{"window":{},"name":{},"target":{},"bytes_out":{},"bytes_in":{}}})",
              to_string(transfer.kind), all.number(), transfer.window, windows_[transfer.window],
              transfer.target, transfer.bytes_out, transfer.bytes_in);
    });
    beside.synchronised.of(call, [&](std::uint32_t number) {
      const WindowSync& sync = beside.one_sided.syncs[number];
      all.add(R"("synchronises {}":{{"window":{},"name":{}{}}})", all.number(), sync.window,
              windows_[sync.window],
              sync.target < 0 ? std::string() : fmt::format(R"(,"target":{})", sync.target));
    });
  }

  void add_files(Arguments& all, std::uint32_t call, const BesideCalls& beside) const {
    const auto add = [&](const char* what, const FileOperation& operation) {
      const bool done = operation.done_call == call;
      all.add(R"("{} {}":{{"file":{}{},"bytes_wanted":{}{}}})", what, all.number(),
              files_[trace_.file_io.handles[operation.handle].file],
              operation.offset < 0 ? std::string() : fmt::format(R"(,"offset":{})", operation.offset),
              operation.bytes_wanted, done ? fmt::format(R"(,"bytes":{})", operation.bytes) : std::string());
    };
    beside.begun.of(call, [&](std::uint32_t number) {
      const FileOperation& operation = beside.file_io.operations[number];
      add(operation.writes ? "write" : "read", operation);
    });
    beside.completed.of(call, [&](std::uint32_t number) {
      const FileOperation& operation = beside.file_io.operations[number];
      if (operation.call != call) add(operation.writes ? "written" : "read", operation);
    });
    beside.changed.of(call, [&](std::uint32_t number) {
      all.add(R"("file {}":{{"file":{}}})", all.number(), files_[beside.file_io.events[number].file]);
    });
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
  void write_flow(const char* category, const char* name, std::size_t source, std::uint32_t begin,
                  std::size_t destination, std::uint32_t end) {
    if (begin == none || end == none) return;
    const RankTrace& to = trace_.ranks[destination];
    event(R"({{"ph":"s","id":{},"pid":{},"tid":0,"cat":"{}","name":"{}","ts":{}}})", flows_, source, category,
          name, us(trace_.ranks[source].enter_ns[begin]));
    event(R"({{"ph":"f","bp":"e","id":{},"pid":{},"tid":0,"cat":"{}","name":"{}","ts":{}}})", flows_,
          destination, category, name, us(std::max(to.enter_ns[end], to.leave_ns[end] - 1)));
    ++flows_;
  }
  void write_flow(const char* category, const char* name, std::size_t rank, std::uint32_t begin,
                  std::uint32_t end) {
    if (begin < end) write_flow(category, name, rank, begin, rank, end);
  }

  const Trace& trace_;
  Output& out_;
  std::vector<std::string> names_, windows_, files_;  // of regions, windows and files, quoted
  std::size_t flows_ = 0;
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

namespace {

void write_chrome(const Trace& trace, Output& out) {
  Chrome(trace, out).write();
}

}  // namespace

const ExportFormat chrome_format{"chrome", "trace events in JSON: ui.perfetto.dev, chrome://tracing",
                                 write_chrome};

}  // namespace ww::exporting
