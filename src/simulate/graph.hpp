// A program as a graph of operations that depend on each other (schedule/schedule.hpp), both ways: a schedule
// becomes a program that the events engine plays on any network and machine, and a recorded program becomes a
// schedule, which windows.hpp and maxplus.hpp play.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/program.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::simulate {

// Which message of the program an operation is an end of.
struct Graph {
  schedule::Schedule schedule;
  std::vector<std::uint32_t> message_of;  // by operation; schedule::no_op: of a computation
  std::vector<std::uint32_t> send_of;     // by message: the operation that sends it
};

// Its messages are the sends in their order, and every rank is a host of its own. Nothing of it was recorded.
Program program_of(schedule::Schedule schedule, const std::string& source);

// What each rank does in its order: a send or a receive is begun when what stands before it was, all else
// when it is done. The schedule that the program is of, where it is of one.
// Errors: more operations than a schedule can number.
struct Lowered {
  schedule::Schedule schedule;
  std::vector<std::string> assumptions;
};
Result<Lowered> schedule_of(const Program& program);

}  // namespace ww::simulate
