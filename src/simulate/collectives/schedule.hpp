// What an algorithm of a collective is written with: messages between the members, and each member's order of
// posting and waiting. Members are numbered as in the communicator.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/program.hpp"

namespace ww::simulate {

struct Transfer {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
};

class Schedule {
 public:
  // world[i] is the world rank of member i; messages are added to `program`.
  Schedule(Program& program, std::vector<std::int32_t> world);

  int size() const { return static_cast<int>(world_.size()); }

  std::uint32_t message(const Transfer& transfer, bool synchronous = false);
  void send(std::uint32_t message);     // the sender begins it
  void receive(std::uint32_t message);  // the receiver posts it
  void wait(int member, const std::vector<End>& ends);

  // A blocking send and a blocking receive.
  void transfer(const Transfer& transfer, bool synchronous = false);
  // Every member posts its receives, then begins its sends, then waits for all of them.
  void round(const std::vector<Transfer>& transfers, bool synchronous = false);

  const Operations& of(int member) const { return operations_[static_cast<std::size_t>(member)]; }

 private:
  Program& program_;
  std::vector<std::int32_t> world_;
  std::vector<Operations> operations_;
  std::uint32_t first_message_ = 0;
  std::vector<Transfer> transfers_;  // by message - first_message_
};

}  // namespace ww::simulate
