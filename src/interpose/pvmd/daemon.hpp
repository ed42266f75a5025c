// A daemon of PVM's (pvmd) as its recorder sees it: whether this process is one, when it begins its work, what its packets say.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

namespace ww::interpose {

// The calls that are recorded, in the order of their numbers from 1 on.
enum class DaemonCall : uint16_t { none, select, recvfrom, sendto, read, write, accept, count_ };

// Whether the code that calls is the daemon's own: what libraries do in it, this one too, is not recorded.
bool is_of_daemon(const void* code);

// A daemon's first select is the beginning of its work: before it a daemon that another one started may fork and go on as its child. Turns
// the recorder on if somebody asked for it; a child of one that records is no daemon and never asks.
void begin_daemon();

// The number of the UDP socket of that address, its definition written before it is given out; no_peer: it is of no kind that is known.
int32_t peer_of_socket(const sockaddr* address);
void tell_own_socket(int fd);  // once

// What PVM writes before data, in the order of the network, taken from a buffer of the daemon's: 16 bytes at least.
struct DaemonHeader {
  uint32_t to, from;  // tids
  uint32_t
      third;  // of a packet: sequence number and number acknowledged; between task and daemon: how many bytes follow
  uint8_t flags;

  static DaemonHeader in(const void* buffer);
  uint64_t of_packet() const;    // spool::DaemonPacket
  uint64_t of_fragment() const;  // how many bytes follow
};

}  // namespace ww::interpose
