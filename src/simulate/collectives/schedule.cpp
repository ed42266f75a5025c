#include "simulate/collectives/schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ww::simulate {

Schedule::Schedule(Program& program, std::vector<std::int32_t> world)
    : program_(program),
      world_(std::move(world)),
      operations_(world_.size()),
      first_message_(static_cast<std::uint32_t>(program.messages.size())) {}

std::uint32_t Schedule::message(const Transfer& transfer, bool synchronous) {
  const auto world = [&](int member) { return world_[static_cast<std::size_t>(member)]; };
  program_.messages.push_back({world(transfer.from), world(transfer.to), transfer.bytes, synchronous, true});
  transfers_.push_back(transfer);
  return first_message_ + static_cast<std::uint32_t>(transfers_.size() - 1);
}

void Schedule::send(std::uint32_t message) {
  const Transfer& transfer = transfers_[message - first_message_];
  operations_[static_cast<std::size_t>(transfer.from)].add(OpKind::send, message);
}

void Schedule::receive(std::uint32_t message) {
  const Transfer& transfer = transfers_[message - first_message_];
  operations_[static_cast<std::size_t>(transfer.to)].add(OpKind::receive, message);
}

void Schedule::wait(int member, const std::vector<End>& ends) {
  operations_[static_cast<std::size_t>(member)].add_wait(ends);
}

void Schedule::transfer(const Transfer& transfer, bool synchronous) {
  round({transfer}, synchronous);
}

void Schedule::round(const std::vector<Transfer>& transfers, bool synchronous) {
  std::map<int, std::vector<End>> ends;
  std::vector<std::uint32_t> messages;
  for (const Transfer& transfer : transfers) {
    messages.push_back(message(transfer, synchronous));
    receive(messages.back());
    ends[transfer.to].push_back(receive_end(messages.back()));
  }
  for (const std::uint32_t sent : messages) {
    send(sent);
    ends[transfers_[sent - first_message_].from].push_back(send_end(sent));
  }
  for (const auto& [member, of_member] : ends) wait(member, of_member);
}

}  // namespace ww::simulate
