#include "lab/switch/netlink.hpp"

#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ww::lab {

TrafficRequest::TrafficRequest(const tcmsg& head) : bytes_(NLMSG_LENGTH(sizeof head)) {
  std::memcpy(bytes_.data() + NLMSG_HDRLEN, &head, sizeof head);
}

void TrafficRequest::add_bytes(unsigned short type, std::span<const std::byte> data) {
  const std::size_t begin = bytes_.size();
  const rtattr attribute = {static_cast<unsigned short>(RTA_LENGTH(data.size())), type};
  bytes_.resize(begin + RTA_SPACE(data.size()));
  std::memcpy(bytes_.data() + begin, &attribute, sizeof attribute);
  std::memcpy(bytes_.data() + begin + RTA_LENGTH(0), data.data(), data.size());
}

std::size_t TrafficRequest::open(unsigned short type) {
  const std::size_t begin = bytes_.size();
  add_bytes(type, {});
  return begin;
}

void TrafficRequest::close(std::size_t begin) {
  const auto length = static_cast<unsigned short>(bytes_.size() - begin);
  std::memcpy(bytes_.data() + begin, &length, sizeof length);
}

int TrafficRequest::ask(std::uint16_t type, int flags) {
  const nlmsghdr head = {static_cast<std::uint32_t>(bytes_.size()), type,
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

}  // namespace ww::lab
