// The functions of libc that a daemon of PVM's does its work with, recorded where its own code calls them. What they give, and errno, stay as
// they are.
#include <errno.h>
#include <sys/select.h>
#include <sys/types.h>

#include "interpose/core/next_function.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/pvmd/daemon.hpp"

using namespace ww::interpose;
using ww::spool::DaemonKind;
using ww::spool::no_peer;

namespace {

using DaemonFrame = BasicFrame<false>;

// The call within its frame; says(frame, result) puts its record, which may grow the file.
template <class Call, class Says>
auto recorded(DaemonCall id, const void* called_from, Call&& call, Says&& says) {
  if (!active || !is_of_daemon(called_from)) return call();
  DaemonFrame frame(static_cast<uint16_t>(id));
  const auto out = call();
  const int error = errno;
  if (frame.leave()) says(frame, out);
  errno = error;
  return out;
}

void put(DaemonFrame& frame, DaemonKind kind, ssize_t bytes, uint64_t operation, int32_t peer,
         const DaemonHeader& header) {
  frame.put(static_cast<ww::spool::Kind>(kind), bytes > 0 ? static_cast<uint64_t>(bytes) : 0, operation, peer,
            static_cast<int32_t>(header.to), header.from, 0);
}

void put_plain(DaemonFrame& frame, ssize_t out, int fd) {
  put(frame, DaemonKind::call, out, 0, fd, {});
}

void put_packet(DaemonFrame& frame, DaemonKind kind, ssize_t out, int fd, const void* buffer,
                const sockaddr* other) {
  if (out < static_cast<ssize_t>(ww::spool::daemon_header_bytes)) return put_plain(frame, out, fd);
  tell_own_socket(fd);
  const DaemonHeader header = DaemonHeader::in(buffer);
  put(frame, kind, out, header.of_packet(), peer_of_socket(other), header);
}

void put_fragment(DaemonFrame& frame, DaemonKind kind, ssize_t out, int fd, const void* buffer) {
  const DaemonHeader header = DaemonHeader::in(buffer);
  put(frame, kind, out, header.of_fragment(), fd, header);
}

}  // namespace

WW_SEEN int select(int count, fd_set* reads, fd_set* writes, fd_set* failed, timeval* limit) {
  static Next<int(int, fd_set*, fd_set*, fd_set*, timeval*)> next{"select"};
  const void* const from = __builtin_return_address(0);
  if (__builtin_expect(!active, 0) && is_of_daemon(from)) begin_daemon();
  return recorded(
      DaemonCall::select, from, [&] { return next.get()(count, reads, writes, failed, limit); },
      [](DaemonFrame& frame, int out) { put_plain(frame, out, no_peer); });
}

WW_SEEN ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* from, socklen_t* from_size) {
  static Next<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> next{"recvfrom"};
  return recorded(
      DaemonCall::recvfrom, __builtin_return_address(0),
      [&] { return next.get()(fd, buffer, size, flags, from, from_size); },
      [&](DaemonFrame& frame, ssize_t out) {
        put_packet(frame, DaemonKind::packet_received, out, fd, buffer, from);
      });
}

WW_SEEN ssize_t sendto(int fd, const void* buffer, size_t size, int flags, const sockaddr* to,
                       socklen_t to_size) {
  static Next<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> next{"sendto"};
  return recorded(
      DaemonCall::sendto, __builtin_return_address(0),
      [&] { return next.get()(fd, buffer, size, flags, to, to_size); },
      [&](DaemonFrame& frame, ssize_t out) {
        put_packet(frame, DaemonKind::packet_sent, out, fd, buffer, to);
      });
}

// A daemon reads a header by itself, then what follows it.
WW_SEEN ssize_t read(int fd, void* buffer, size_t size) {
  static Next<ssize_t(int, void*, size_t)> next{"read"};
  return recorded(
      DaemonCall::read, __builtin_return_address(0), [&] { return next.get()(fd, buffer, size); },
      [&](DaemonFrame& frame, ssize_t out) {
        if (size == ww::spool::daemon_header_bytes && out == static_cast<ssize_t>(size))
          put_fragment(frame, DaemonKind::fragment_read, out, fd, buffer);
        else
          put_plain(frame, out, fd);
      });
}

// And writes both together; what could not be written at once follows without a header, and is none of those that say how long they are.
WW_SEEN ssize_t write(int fd, const void* buffer, size_t size) {
  static Next<ssize_t(int, const void*, size_t)> next{"write"};
  return recorded(
      DaemonCall::write, __builtin_return_address(0), [&] { return next.get()(fd, buffer, size); },
      [&](DaemonFrame& frame, ssize_t out) {
        constexpr size_t header_bytes = ww::spool::daemon_header_bytes;
        if (size >= header_bytes && out > 0 && DaemonHeader::in(buffer).of_fragment() == size - header_bytes)
          put_fragment(frame, DaemonKind::fragment_written, out, fd, buffer);
        else
          put_plain(frame, out, fd);
      });
}

WW_SEEN int accept(int fd, sockaddr* from, socklen_t* from_size) {
  static Next<int(int, sockaddr*, socklen_t*)> next{"accept"};
  return recorded(
      DaemonCall::accept, __builtin_return_address(0), [&] { return next.get()(fd, from, from_size); },
      [&](DaemonFrame& frame, int) { put_plain(frame, 0, fd); });
}
