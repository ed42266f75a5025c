// A recorded run of PVM as S4's replay input and overhead lines (station_lines.hpp), by its 3.1 to 3.3. Stations are the ranks, in order; times are
// from the trace's first event.
// * A message is a line of s for each write that libpvm3 made for it, of 4080 bytes as long as there are so many, as PVM writes it; its bytes are the
//   message's and PVM's 32 of header. What pvm_mcast sends is one line of m.
// * A receipt is two lines, of the header's 16 bytes and of the rest, as PVM reads it. How long it was blocked is left out.
// * Of a call with several messages each has the part of the call's writing or reading that it has of the bytes.
// * What lies between is computation: PVM's packing and whatever else the program does.
// Messages with tasks that were not recorded, and with daemons, are left out.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "trace/export/formats.hpp"
#include "trace/export/station_lines.hpp"

namespace ww::exporting {
namespace {

using stations::Does;
using stations::StationProgram;

constexpr std::uint64_t header_bytes = 32, first_read_bytes = 16, largest_write_bytes = 4080;

// Figure 3.5, and the system's calls beneath. The document's pvm_pkdplx is pvm_pkdcplx in every PVM.
bool is_overhead(std::string_view name) {
  static const std::set<std::string_view> names{
      "pvm_barrier",   "pvm_bcast",  "pvm_mcast",    "pvm_nrecv",    "pvm_precv",    "pvm_psend",
      "pvm_recv",      "pvm_reduce", "pvm_send",     "pvm_trecv",    "pvm_scatter",  "pvm_gather",
      "pvm_pkbyte",    "pvm_pkcplx", "pvm_pkdcplx",  "pvm_pkdouble", "pvm_pkfloat",  "pvm_pkint",
      "pvm_pkuint",    "pvm_pklong", "pvm_pkulong",  "pvm_pkshort",  "pvm_pkushort", "pvm_pkstr",
      "pvm_vpackf",    "pvm_packf",  "pvm_upkbyte",  "pvm_upkcplx",  "pvm_upkdcplx", "pvm_upkdouble",
      "pvm_upkfloat",  "pvm_upkint", "pvm_upkuint",  "pvm_upklong",  "pvm_upkulong", "pvm_upkshort",
      "pvm_upkushort", "pvm_upkstr", "pvm_vunpackf", "pvm_unpackf",  "pvm_initsend", "select"};
  return names.contains(name);
}

std::int64_t us(std::int64_t ns) {
  return (ns + 500) / 1000;
}

// Of a call, what the system's calls inside of it did.
struct Lowest {
  std::int64_t reading_ns = 0, writing_ns = 0;
  std::uint64_t writes = 0;
  bool multicasts = false;
};

// A message of a call, with PVM's header.
struct Part {
  bool is_sent = false;
  std::vector<std::uint32_t> peers;
  std::uint64_t bytes = 0;
};

class OfRank {
 public:
  OfRank(const Trace& trace, std::uint32_t number)
      : trace_(trace), rank_(trace.ranks[number]), number_(number) {}

  StationProgram made() {
    for (std::size_t call = 0; call < rank_.calls(); ++call) take(call);
    return std::move(out_);
  }

 private:
  void note(std::string_view name, std::int64_t enter_ns, std::int64_t leave_ns) {
    if (is_overhead(name))
      out_.overhead.push_back({std::string(name), us(enter_ns), us(leave_ns) - us(enter_ns)});
  }

  Lowest lowest_in(std::size_t call) {
    Lowest sum;
    while (next_nested_ < rank_.nested.size() && rank_.nested[next_nested_].call < call) ++next_nested_;
    for (; next_nested_ < rank_.nested.size() && rank_.nested[next_nested_].call == call; ++next_nested_) {
      const NestedCall& inner = rank_.nested[next_nested_];
      const std::string& name = trace_.regions[inner.region];
      note(name, inner.enter_ns, inner.leave_ns);
      const std::int64_t took_ns = inner.leave_ns - inner.enter_ns;
      sum.multicasts = sum.multicasts || name == "pvm_mcast";
      if (name == "read") sum.reading_ns += took_ns;
      if (name == "write") sum.writing_ns += took_ns, ++sum.writes;
    }
    return sum;
  }

  std::vector<Part> parts_of(std::size_t call, bool multicasts) const {
    std::vector<Part> parts;
    for (std::uint32_t a = rank_.first_action[call]; a < rank_.first_action[call + 1]; ++a) {
      const bool sends = is_send(rank_.kind[a]);
      if (rank_.match[a] == none || !(sends || is_receipt(rank_.kind[a]))) continue;
      const Message& message = trace_.messages[rank_.match[a]];
      const auto peer = static_cast<std::uint32_t>(sends ? message.destination : message.source);
      const std::uint64_t bytes = message.bytes + header_bytes;
      if (sends && multicasts && !parts.empty() && parts.back().is_sent)
        parts.back().peers.push_back(peer);
      else
        parts.push_back({sends, {peer}, bytes});
    }
    return parts;
  }

  void take(std::size_t call) {
    const std::string& name = trace_.regions[rank_.region[call]];
    note(name, rank_.enter_ns[call], rank_.leave_ns[call]);
    Lowest lowest = lowest_in(call);
    const std::vector<Part> parts = parts_of(call, lowest.multicasts || name == "pvm_mcast");
    if (parts.empty()) return;
    std::uint64_t sent_bytes = 0, received_bytes = 0;
    for (const Part& part : parts) (part.is_sent ? sent_bytes : received_bytes) += part.bytes;
    // a call that waits for nothing ends with its writing
    const std::int64_t end_us = us(rank_.leave_ns[call]);
    compute_until(received_bytes > 0 ? us(rank_.enter_ns[call]) : end_us - us(lowest.writing_ns));
    std::uint64_t sent_before = 0, received_before = 0;
    for (const Part& part : parts) {
      const std::uint64_t all = part.is_sent ? sent_bytes : received_bytes;
      std::uint64_t& before = part.is_sent ? sent_before : received_before;
      const std::int64_t all_us = us(part.is_sent ? lowest.writing_ns : lowest.reading_ns);
      const std::int64_t time_us = share(all_us, before + part.bytes, all) - share(all_us, before, all);
      before += part.bytes;
      if (part.is_sent)
        send(part, time_us, lowest.writes);
      else
        receive(part, time_us);
    }
    last_us_ = end_us;
  }

  static std::int64_t share(std::int64_t all_us, std::uint64_t bytes, std::uint64_t all_bytes) {
    return std::llround(static_cast<double>(all_us) * static_cast<double>(bytes) /
                        static_cast<double>(all_bytes));
  }

  void compute_until(std::int64_t begin_us) {
    if (begin_us > last_us_) out_.lines.push_back({Does::compute, begin_us - last_us_, 0, 0, {0}});
  }

  // `writes`: of the call.
  void send(const Part& part, std::int64_t time_us, std::uint64_t writes) {
    const std::uint64_t fragments = (part.bytes + largest_write_bytes - 1) / largest_write_bytes;
    const std::uint64_t lines = std::clamp<std::uint64_t>(fragments, 1, std::max<std::uint64_t>(writes, 1));
    for (std::uint64_t i = 0; i < lines; ++i) {
      const std::uint64_t begin = i * largest_write_bytes,
                          end = i + 1 == lines ? part.bytes : begin + largest_write_bytes;
      out_.lines.push_back({part.peers.size() == 1 ? Does::send : Does::multicast,
                            share(time_us, end, part.bytes) - share(time_us, begin, part.bytes), end - begin,
                            number_, part.peers});
    }
  }

  void receive(const Part& part, std::int64_t time_us) {
    const std::int64_t first_us = share(time_us, first_read_bytes, part.bytes);
    const std::uint32_t from = part.peers.front();
    out_.lines.push_back({Does::receive, first_us, first_read_bytes, from, {number_}});
    out_.lines.push_back({Does::receive, time_us - first_us, part.bytes - first_read_bytes, from, {number_}});
  }

  const Trace& trace_;
  const RankTrace& rank_;
  std::uint32_t number_;
  std::size_t next_nested_ = 0;
  std::int64_t last_us_ = 0;
  StationProgram out_;
};

template <class Line>
std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += to_string(line) + "\n";
  return text;
}

bool has_calls(const Trace& trace) {
  return std::any_of(trace.regions.begin(), trace.regions.end(),
                     [](const std::string& name) { return name.starts_with("pvm_"); });
}

std::vector<ExportFile> files_of(const Trace& trace) {
  std::vector<ExportFile> files;
  if (!has_calls(trace)) return files;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const StationProgram station = OfRank(trace, rank).made();
    files.push_back({fmt::format("{}{}", stations::station_stem, rank), text_of(station.lines)});
    files.push_back({fmt::format("{}{}", stations::overhead_stem, rank), text_of(station.overhead)});
  }
  return files;
}

constexpr owned::Entry entries[] = {{"station.[0-9]*"}, {"overhead.[0-9]*"}};
constexpr owned::ContentKind stations_kind{"stations", entries};
constexpr ExportDirectory directory{&stations_kind, files_of};

}  // namespace

const ExportFormat s4_format{
    "s4",
    "a directory: of each rank the replay input and overhead lines of Zabel 1996, for "
    "whatwire simulate",
    nullptr,
    "calls of PVM",
    has_calls,
    &directory};

}  // namespace ww::exporting
