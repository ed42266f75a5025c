// The messages between hosts as they were recorded: what calibrate() compares with a model.
#pragma once
#include <cstdint>

#include "base/column.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

struct Program;

// Something that a host began to send: a message, or a member's part of a collective.
struct HandedOver {
  std::int64_t at_ns = 0;  // the call was entered
  std::int64_t arrived_ns = never;
  std::uint64_t bytes = 0;
  std::int32_t host = 0;
  std::int32_t to_host = somewhere;
  static constexpr std::int32_t somewhere = -1;     // a collective's
  static constexpr std::int64_t never = INT64_MAX;  // the trace does not tell
};

// A message that its receiver waited for alone, since before it was sent.
struct Crossing {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::int64_t sent_ns = 0, received_ns = 0;  // entering the send, leaving the receive
  std::int64_t send_left_ns = 0;              // leaving the send
  std::uint64_t bytes = 0;
  std::int32_t from_host = 0, to_host = 0;
  std::uint32_t message = none;  // of the trace; none: a collective's
  std::uint32_t unused = 0;
};

struct Crossings {
  Column<HandedOver> handed_over;  // by host, then time
  Column<Crossing> waited_for;     // messages, then exchanges of two members, in the order of the trace
};

// Of a trace of one host none. `program` has its hosts.
Crossings find_crossings(const Trace& trace, const Program& program);

}  // namespace ww::simulate
