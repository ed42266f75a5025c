// The queue that holds a host's frames back in its sockets: a token bucket (tc-tbf(8)) that counts what each frame takes of the wire.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.hpp"

namespace ww::lab {

// Bytes of a link that a socket buffer of `bytes` takes (with its Ethernet header), which the card cuts into frames of one TCP stream if it
// is longer than one: each frame's own headers and frame_overhead_bytes counted.
std::int64_t bytes_on_wire(std::int64_t bytes);

// bytes_on_wire by bytes, up to what three frames hold (of more the kernel adds): tc's own size tables know of no headers
// that a cut adds.
std::vector<std::uint16_t> sizes_on_wire();

// In place of the interface's root queue, in the network namespace that the caller is in. Errors: the kernel's, in words.
Result<void> hold_back(const char* interface, double rate_bytes_per_s, double burst_bytes);

}  // namespace ww::lab
