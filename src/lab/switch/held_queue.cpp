#include "lab/switch/held_queue.hpp"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

#include "lab/lab.hpp"
#include "lab/switch/netlink.hpp"
#include "lab/switch/timetable.hpp"

namespace ww::lab {
namespace {

constexpr std::int64_t frame_bytes = 1514;
constexpr std::size_t longest_bytes = tcp_headers_bytes + most_at_once * (frame_bytes - tcp_headers_bytes);
constexpr std::uint32_t most_held_bytes = 16 << 20;

}  // namespace

std::int64_t bytes_on_wire(std::int64_t bytes) {
  constexpr std::int64_t payload = frame_bytes - tcp_headers_bytes;
  const std::int64_t frames = bytes <= frame_bytes ? 1 : (bytes - tcp_headers_bytes + payload - 1) / payload;
  return bytes + (frames - 1) * tcp_headers_bytes + frames * frame_overhead_bytes;
}

std::vector<std::uint16_t> sizes_on_wire() {
  std::vector<std::uint16_t> sizes;
  for (std::size_t bytes = 0; bytes <= longest_bytes; ++bytes)
    sizes.push_back(static_cast<std::uint16_t>(bytes_on_wire(static_cast<std::int64_t>(bytes))));
  return sizes;
}

Result<void> hold_back(const char* interface, double rate_bytes_per_s, double burst_bytes) {
  tcmsg head = {};
  head.tcm_family = AF_UNSPEC;
  head.tcm_ifindex = static_cast<int>(if_nametoindex(interface));
  head.tcm_parent = TC_H_ROOT;
  TrafficRequest request(head);
  constexpr char kind[] = "tbf";
  request.add_bytes(TCA_KIND, std::as_bytes(std::span(kind)));
  tc_tbf_qopt bucket = {};
  bucket.rate.rate = static_cast<std::uint32_t>(std::lround(rate_bytes_per_s));
  bucket.rate.linklayer = TC_LINKLAYER_ETHERNET;
  bucket.limit = most_held_bytes;
  const std::size_t options = request.open(TCA_OPTIONS);
  request.add(TCA_TBF_PARMS, bucket);
  request.add(TCA_TBF_BURST, static_cast<std::uint32_t>(std::lround(burst_bytes)));
  request.close(options);
  const std::vector<std::uint16_t> sizes = sizes_on_wire();
  tc_sizespec spec = {};
  spec.linklayer = TC_LINKLAYER_ETHERNET;
  spec.tsize = static_cast<unsigned>(sizes.size());
  const std::size_t table = request.open(TCA_STAB);
  request.add(TCA_STAB_BASE, spec);
  request.add_bytes(TCA_STAB_DATA, std::as_bytes(std::span(sizes)));
  request.close(table);
  const int problem = request.ask(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
  if (problem == 0) return {};
  return fail("cannot set the queue of a host's card", std::strerror(problem),
              "is the kernel's module sch_tbf there?");
}

}  // namespace ww::lab
