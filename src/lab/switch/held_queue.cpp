#include "lab/switch/held_queue.hpp"

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>

#include "lab/lab.hpp"
#include "lab/switch/timetable.hpp"

namespace ww::lab {
namespace {

constexpr std::int64_t frame_bytes = 1514;
// Ethernet, IPv4, and TCP with its time stamps.
constexpr std::int64_t headers_bytes = 14 + 20 + 32;
constexpr std::size_t longest_bytes = headers_bytes + most_at_once * (frame_bytes - headers_bytes);
constexpr std::uint32_t most_held_bytes = 16 << 20;

// A request of rtnetlink(7), attribute by attribute.
class Request {
 public:
  explicit Request(const tcmsg& head) : bytes_(NLMSG_LENGTH(sizeof head)) {
    std::memcpy(bytes_.data() + NLMSG_HDRLEN, &head, sizeof head);
  }
  void add_bytes(unsigned short type, std::span<const std::byte> data) {
    const std::size_t begin = bytes_.size();
    const rtattr attribute = {static_cast<unsigned short>(RTA_LENGTH(data.size())), type};
    bytes_.resize(begin + RTA_SPACE(data.size()));
    std::memcpy(bytes_.data() + begin, &attribute, sizeof attribute);
    std::memcpy(bytes_.data() + begin + RTA_LENGTH(0), data.data(), data.size());
  }
  template <class T>
  void add(unsigned short type, const T& value) {
    add_bytes(type, std::as_bytes(std::span(&value, 1)));
  }
  std::size_t open(unsigned short type) {
    const std::size_t begin = bytes_.size();
    add_bytes(type, {});
    return begin;
  }
  void close(std::size_t begin) {
    const auto length = static_cast<unsigned short>(bytes_.size() - begin);
    std::memcpy(bytes_.data() + begin, &length, sizeof length);
  }
  // 0, or what the kernel says of it (errno).
  int ask(int flags) {
    const nlmsghdr head = {static_cast<std::uint32_t>(bytes_.size()), RTM_NEWQDISC,
                           static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags), 1, 0};
    std::memcpy(bytes_.data(), &head, sizeof head);
    const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return errno;
    struct {
      nlmsghdr head;
      nlmsgerr error;
    } answer = {};
    const bool asked = send(fd, bytes_.data(), bytes_.size(), 0) == static_cast<ssize_t>(bytes_.size()) &&
                       recv(fd, &answer, sizeof answer, MSG_TRUNC) >= static_cast<ssize_t>(sizeof answer);
    const int problem = asked ? 0 : EIO;
    ::close(fd);
    return problem != 0 ? problem : -answer.error.error;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::int64_t bytes_on_wire(std::int64_t bytes) {
  constexpr std::int64_t payload = frame_bytes - headers_bytes;
  const std::int64_t frames = bytes <= frame_bytes ? 1 : (bytes - headers_bytes + payload - 1) / payload;
  return bytes + (frames - 1) * headers_bytes + frames * frame_overhead_bytes;
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
  Request request(head);
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
  const int problem = request.ask(NLM_F_CREATE | NLM_F_REPLACE);
  if (problem == 0) return {};
  return fail("cannot set the queue of a host's card", std::strerror(problem),
              "is the kernel's module sch_tbf there?");
}

}  // namespace ww::lab
