#include "simulate/stations/from_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "trace/export/formats.hpp"

namespace ww::stations {
namespace {

using exporting::is_receipt;
using exporting::is_send;

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
      if (name == "read") sum.reading_ns += took_ns;
      if (name == "write") sum.writing_ns += took_ns, ++sum.writes;
    }
    return sum;
  }

  void take(std::size_t call) {
    note(trace_.regions[rank_.region[call]], rank_.enter_ns[call], rank_.leave_ns[call]);
    const Lowest lowest = lowest_in(call);
    std::vector<std::uint32_t> to;
    std::uint64_t sent_bytes = 0, received_bytes = 0;
    std::int32_t from = -1;
    for (std::uint32_t a = rank_.first_action[call]; a < rank_.first_action[call + 1]; ++a) {
      if (rank_.match[a] == none) continue;  // its other end was not recorded
      if (is_send(rank_.kind[a])) {
        to.push_back(static_cast<std::uint32_t>(rank_.peer[a]));
        sent_bytes = rank_.bytes[a];
      } else if (is_receipt(rank_.kind[a])) {
        from = trace_.messages[rank_.match[a]].source;
        received_bytes = rank_.bytes[a];
      }
    }
    if (!to.empty()) send(call, to, sent_bytes + header_bytes, lowest);
    if (from >= 0) receive(call, static_cast<std::uint32_t>(from), received_bytes + header_bytes, lowest);
  }

  // Computation since the last line; the time of what follows is taken from its end.
  void compute_until(std::int64_t begin_us) {
    if (begin_us > last_us_) out_.lines.push_back({Does::compute, begin_us - last_us_, 0, 0, {0}});
    last_us_ = std::max(last_us_, begin_us);
  }

  void send(std::size_t call, const std::vector<std::uint32_t>& to, std::uint64_t bytes,
            const Lowest& lowest) {
    const std::int64_t end_us = us(rank_.leave_ns[call]), time_us = us(lowest.writing_ns);
    compute_until(end_us - time_us);
    const std::uint64_t pieces =
        std::clamp<std::uint64_t>((bytes + largest_write_bytes - 1) / largest_write_bytes, 1,
                                  std::max<std::uint64_t>(lowest.writes, 1));
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const std::uint64_t begin = i * largest_write_bytes,
                          end = i + 1 == pieces ? bytes : begin + largest_write_bytes;
      const auto until_us = [&](std::uint64_t at) {
        return static_cast<std::int64_t>(std::llround(static_cast<double>(time_us) * static_cast<double>(at) /
                                                      static_cast<double>(bytes)));
      };
      out_.lines.push_back({to.size() == 1 ? Does::send : Does::multicast, until_us(end) - until_us(begin),
                            end - begin, number_, to});
    }
    last_us_ = end_us;
  }

  void receive(std::size_t call, std::uint32_t from, std::uint64_t bytes, const Lowest& lowest) {
    compute_until(us(rank_.enter_ns[call]));
    const std::int64_t time_us = us(lowest.reading_ns);
    const std::int64_t first_us =
        std::llround(static_cast<double>(time_us) * first_read_bytes / static_cast<double>(bytes));
    out_.lines.push_back({Does::receive, first_us, first_read_bytes, from, {number_}});
    out_.lines.push_back({Does::receive, time_us - first_us, bytes - first_read_bytes, from, {number_}});
    last_us_ = us(rank_.leave_ns[call]);
  }

  const Trace& trace_;
  const RankTrace& rank_;
  std::uint32_t number_;
  std::size_t next_nested_ = 0;
  std::int64_t last_us_ = 0;
  StationProgram out_;
};

}  // namespace

std::vector<StationProgram> stations_of(const Trace& trace) {
  std::vector<StationProgram> out;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) out.push_back(OfRank(trace, rank).made());
  return out;
}

}  // namespace ww::stations
