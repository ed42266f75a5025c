// Requests about queues and filters of an interface to the kernel (rtnetlink(7)), in the network namespace that the caller is in: for what
// tc cannot be told.
#pragma once
#include <linux/rtnetlink.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ww::lab {

class TrafficRequest {
 public:
  explicit TrafficRequest(const tcmsg& head);
  void add_bytes(unsigned short type, std::span<const std::byte> data);
  template <class T>
  void add(unsigned short type, const T& value) {
    add_bytes(type, std::as_bytes(std::span(&value, 1)));
  }
  // Attributes that come until close() are within this one.
  std::size_t open(unsigned short type);
  void close(std::size_t begin);
  // type: RTM_NEWQDISC and such; flags: NLM_F_CREATE and such. 0, or what the kernel says of it (errno).
  int ask(std::uint16_t type, int flags);

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace ww::lab
