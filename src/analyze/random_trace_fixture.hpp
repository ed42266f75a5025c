// For tests: traces of one to four ranks that send, receive and reduce at random, whose clocks contradict each other.
#pragma once
#include <random>

#include "trace/trace_fixture.hpp"

namespace ww {

inline Trace random_trace(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  const std::size_t size = 1 + static_cast<std::size_t>(pick(4));
  TraceBuilder builder(size, 0);
  for (std::size_t r = 0; r < size; ++r) {
    std::int64_t now = pick(1000);
    std::uint64_t operation = 0;
    std::vector<Action> open;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t enter = now + pick(300), leave = enter + pick(500);
      const auto peer = static_cast<std::int32_t>(pick(static_cast<int>(size)));
      const std::uint64_t bytes = std::uint64_t{1} << pick(20);
      switch (pick(6)) {
        case 0:
          builder.call(r, "MPI_Send", enter, leave, {message_action(ActionKind::send, peer, pick(2), bytes)});
          break;
        case 1:
          builder.call(r, "MPI_Recv", enter, leave, {message_action(ActionKind::recv, peer, pick(2), bytes)});
          break;
        case 2: {
          const ActionKind kind = pick(2) == 0 ? ActionKind::isend : ActionKind::irecv;
          open.push_back(message_action(kind, peer, pick(2), bytes, ++operation));
          builder.call(r, "MPI_Isend", enter, leave, {open.back()});
          break;
        }
        case 3: {
          for (Action& action : open)
            action.kind = action.kind == ActionKind::isend ? ActionKind::isend_done : ActionKind::irecv_done;
          builder.call(r, "MPI_Waitall", enter, leave, open);
          open.clear();
          break;
        }
        case 4:
          builder.call(r, "MPI_Allreduce", enter, leave, {collective_action(bytes, bytes)});
          break;
        default:
          builder.call(r, "MPI_Wtime", enter, leave);
          break;
      }
      now = leave;
    }
    builder.trace().ranks[r].begin_ns = pick(2000);
    builder.trace().ranks[r].end_ns = builder.trace().ranks[r].begin_ns + pick(40000);
  }
  return builder.matched();
}

}  // namespace ww
