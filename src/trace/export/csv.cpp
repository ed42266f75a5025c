// Comma-separated values (RFC 4180, with \n) with a line of names; times in seconds since the trace's first
// event, sizes in bytes. Empty: there is none, or more than one.
#include <optional>

#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

std::string comm_name(const Trace& trace, std::uint32_t comm) {
  return comm < trace.comms.size() ? csv_field(trace.comms[comm].name) : "";
}

// A value as long as all are the same.
template <class T>
class Same {
 public:
  void take(const T& value) {
    differ_ = differ_ || (value_ && *value_ != value);
    value_ = value;
  }
  std::optional<T> value() const { return differ_ ? std::nullopt : value_; }
  std::string text() const { return value() ? fmt::format("{}", *value_) : ""; }

 private:
  std::optional<T> value_;
  bool differ_ = false;
};

void write_csv_calls(const Trace& trace, Output& out) {
  out.print(
      "rank,host,call,enter_s,leave_s,messages_sent,bytes_sent,messages_received,bytes_received,"
      "collective_bytes_sent,collective_bytes_received,peer,tag,communicator\n");
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    const std::string host = csv_field(rank.host);
    for (std::uint32_t call = 0; call < rank.calls(); ++call) {
      std::uint64_t sent = 0, bytes_sent = 0, received = 0, bytes_received = 0, put = 0, got = 0;
      Same<std::int32_t> peer, tag;
      Same<std::uint32_t> comm;
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
        const ActionKind kind = rank.kind[a];
        if (is_send(kind)) {
          ++sent;
          bytes_sent += rank.bytes[a];
        } else if (is_receipt(kind)) {
          ++received;
          bytes_received += rank.bytes[a];
        } else if (kind == ActionKind::collective || kind == ActionKind::icollective_done) {
          put += rank.bytes[a];
          got += rank.bytes_received[a];
          comm.take(rank.comm[a]);
          continue;
        } else {
          continue;
        }
        peer.take(rank.peer[a]);
        tag.take(rank.tag[a]);
        comm.take(rank.comm[a]);
      }
      out.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r, host,
                csv_field(trace.regions[rank.region[call]]), decimal(rank.enter_ns[call], 9),
                decimal(rank.leave_ns[call], 9), sent, bytes_sent, received, bytes_received, put, got,
                peer.text(), tag.text(), comm.value() ? comm_name(trace, *comm.value()) : std::string());
    }
  }
}

}  // namespace

const ExportFormat csv_format{"csv", "a line a call", write_csv_calls};

namespace {

bool has_messages(const Trace& trace) {
  return !trace.messages.empty();
}

void write_csv_messages(const Trace& trace, Output& out) {
  out.print(
      "number,source,destination,tag,communicator,bytes,wildcard,synchronous,send_call,send_enter_s,send_"
      "leave_s,"
      "send_done_s,post_s,receive_call,receive_enter_s,receive_leave_s\n");
  for (std::size_t m = 0; m < trace.messages.size(); ++m) {
    const Message& message = trace.messages[m];
    const RankTrace& from = trace.ranks[static_cast<std::size_t>(message.source)];
    const RankTrace& to = trace.ranks[static_cast<std::size_t>(message.destination)];
    const auto when = [](const Column<std::int64_t>& times, std::uint32_t call) {
      return call == none ? std::string() : decimal(times[call], 9);
    };
    const auto name = [&](const RankTrace& rank, std::uint32_t call) {
      return call == none ? std::string() : csv_field(trace.regions[rank.region[call]]);
    };
    out.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", m, message.source, message.destination,
              message.tag, comm_name(trace, message.comm), message.bytes, message.wildcard ? 1 : 0,
              message.synchronous ? 1 : 0, name(from, message.send_call),
              when(from.enter_ns, message.send_call), when(from.leave_ns, message.send_call),
              when(from.leave_ns, message.send_done_call), when(to.enter_ns, message.recv_post_call),
              name(to, message.recv_done_call), when(to.enter_ns, message.recv_done_call),
              when(to.leave_ns, message.recv_done_call));
  }
}

}  // namespace

const ExportFormat csv_messages_format{"csv-messages", "a line a message", write_csv_messages, "messages",
                                       has_messages};

}  // namespace ww::exporting
