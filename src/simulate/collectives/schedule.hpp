// What an algorithm of a collective is written with: messages between the members, and each member's order of
// posting and waiting. Members are numbered as in the communicator.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/program.hpp"

namespace ww::simulate {

struct Transfer {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
  bool reduced = false;  // the receiver combines it with what it has (ProgramMessage::reduced)
};

class Schedule {
 public:
  // world[i] is the world rank of member i; messages are added to `program`.
  Schedule(Program& program, std::vector<std::int32_t> world);
  // The same collective with fewer members, as a library has it that works by levels: member i of the part is
  // members[i] of this one, and what it does comes behind what it did.
  Schedule part(const std::vector<int>& members) const;

  int size() const { return static_cast<int>(members_.size()); }

  std::uint32_t message(const Transfer& transfer, bool synchronous = false);
  void send(std::uint32_t message);     // the sender begins it
  void receive(std::uint32_t message);  // the receiver posts it
  void wait(int member, const std::vector<End>& ends);

  // A blocking send and a blocking receive.
  void transfer(const Transfer& transfer, bool synchronous = false);
  // Every member posts its receives, then begins its sends, then waits for all of them.
  void round(const std::vector<Transfer>& transfers, bool synchronous = false);

  const Operations& of(int member) const;

 private:
  struct Whole {
    Program& program;
    std::vector<std::int32_t> world;
    std::vector<Operations> operations;
    std::uint32_t first_message = 0;
    std::vector<Transfer> transfers;  // by message - first_message; members of the whole
  };
  Schedule(std::shared_ptr<Whole> whole, std::vector<int> members);
  Operations& operations_of(int whole_member);
  const Transfer& transfer_of(std::uint32_t message) const;

  std::shared_ptr<Whole> whole_;
  std::vector<int> members_;  // of the whole
};

}  // namespace ww::simulate
