// Numbers for the processes of a message library that knows them by 64-bit addresses (PVM's tids).
//
// A task's rank is its place among those that were recorded, by the wall clock of its host when it described
// itself (realtime_ns of its "process"), and where that is one, or not known (these come last), by address.
// Tasks that others name as their peers and that were not recorded (the daemon, one that was started elsewhere)
// follow by address: each is a rank without calls, so that messages to it and from it are in the trace, as
// unmatched ones.
#pragma once
#include "trace/spool.hpp"

namespace ww::spool {

inline constexpr std::size_t address_digits = 16;
std::optional<std::uint64_t> parse_address(std::string_view text);  // 16 hexadecimal digits
std::string show_address(std::uint64_t address);                    // likewise

struct TaskStart {
  std::uint64_t address = 0;
  std::optional<std::int64_t> realtime_ns;
};
void sort_tasks(std::vector<TaskStart>& tasks);  // by their numbers

// Fills RankSpool::peer_ranks of tasks and the members of their communicators. `ranks`: as sort_tasks has them.
// "task-not-recorded" counts those that left nothing. False: they are more than ranks can be.
bool join_tasks(std::vector<RankSpool>& ranks, Diagnostics& diagnostics);

// Addresses by rank of the trace, of those not recorded too; empty: of ranks.
std::vector<std::uint64_t> addresses_of(const std::vector<RankSpool>& ranks);

}  // namespace ww::spool
