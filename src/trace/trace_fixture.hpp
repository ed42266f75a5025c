// For tests: traces built by hand, call by call.
#pragma once
#include <string>

#include "trace/columns.hpp"
#include "trace/match.hpp"
#include "trace/trace.hpp"

namespace ww {

class TraceBuilder {
 public:
  // World of `size` ranks, all on one host; the program proper lasts from 0 to `end_ns`.
  TraceBuilder(std::size_t size, std::int64_t end_ns) {
    trace_.ranks.resize(size);
    Comm world{"MPI_COMM_WORLD", {}, 0};
    for (std::size_t r = 0; r < size; ++r) {
      world.ranks.push_back(static_cast<std::int32_t>(r));
      trace_.ranks[r].host = "alpha";
      trace_.ranks[r].end_ns = end_ns;
      trace_.ranks[r].first_action.push_back(0);
    }
    trace_.comms.push_back(std::move(world));
  }
  void call(std::size_t rank, const std::string& name, std::int64_t enter_ns, std::int64_t leave_ns,
            const std::vector<Action>& actions = {}) {
    RankTrace& columns = trace_.ranks[rank];
    begin_call(columns, enter_ns, region(name));
    for (const Action& action : actions) add_action(columns, action);
    end_call(columns, leave_ns);
  }
  Trace& trace() { return trace_; }
  Trace matched() {
    match(trace_);
    return trace_;
  }

 private:
  std::uint16_t region(const std::string& name) {
    for (std::size_t i = 0; i < trace_.regions.size(); ++i)
      if (trace_.regions[i] == name) return static_cast<std::uint16_t>(i);
    trace_.regions.push_back(name);
    return static_cast<std::uint16_t>(trace_.regions.size() - 1);
  }
  Trace trace_;
};

inline Action message_action(ActionKind kind, std::int32_t peer, std::int32_t tag, std::uint64_t bytes,
                             std::uint64_t operation = 0, std::uint8_t flags = 0) {
  return {kind, peer, tag, 0, bytes, 0, operation, flags};
}
inline Action collective_action(std::uint64_t sent, std::uint64_t received, std::int32_t root = -1) {
  return {ActionKind::collective, root, 0, 0, sent, received, 0, 0};
}

}  // namespace ww
