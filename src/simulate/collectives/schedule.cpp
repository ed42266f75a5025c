#include "simulate/collectives/schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ww::simulate {

Schedule::Schedule(Program& program, std::vector<std::int32_t> world)
    : whole_(
          new Whole{program, std::move(world), {}, static_cast<std::uint32_t>(program.messages.size()), {}}),
      members_(whole_->world.size()) {
  whole_->operations.resize(members_.size());
  std::iota(members_.begin(), members_.end(), 0);
}

Schedule::Schedule(std::shared_ptr<Whole> whole, std::vector<int> members)
    : whole_(std::move(whole)), members_(std::move(members)) {}

Schedule Schedule::part(const std::vector<int>& members) const {
  std::vector<int> of_whole;
  for (const int member : members) of_whole.push_back(members_[static_cast<std::size_t>(member)]);
  return {whole_, std::move(of_whole)};
}

Operations& Schedule::operations_of(int whole_member) {
  return whole_->operations[static_cast<std::size_t>(whole_member)];
}

const Operations& Schedule::of(int member) const {
  const int whole_member = members_[static_cast<std::size_t>(member)];
  return whole_->operations[static_cast<std::size_t>(whole_member)];
}

const Transfer& Schedule::transfer_of(std::uint32_t message) const {
  return whole_->transfers[message - whole_->first_message];
}

std::uint32_t Schedule::message(const Transfer& transfer, bool synchronous) {
  const Transfer own{members_[static_cast<std::size_t>(transfer.from)],
                     members_[static_cast<std::size_t>(transfer.to)], transfer.bytes, transfer.reduced};
  const auto world = [&](int member) { return whole_->world[static_cast<std::size_t>(member)]; };
  whole_->program.messages.push_back(
      {world(own.from), world(own.to), own.bytes, synchronous, true, own.reduced, {}});
  whole_->transfers.push_back(own);
  return whole_->first_message + static_cast<std::uint32_t>(whole_->transfers.size() - 1);
}

void Schedule::send(std::uint32_t message) {
  operations_of(transfer_of(message).from).add(OpKind::send, message);
}

void Schedule::receive(std::uint32_t message) {
  operations_of(transfer_of(message).to).add(OpKind::receive, message);
}

void Schedule::wait(int member, const std::vector<End>& ends) {
  operations_of(members_[static_cast<std::size_t>(member)]).add_wait(ends);
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
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    send(messages[i]);
    ends[transfers[i].from].push_back(send_end(messages[i]));
  }
  for (const auto& [member, of_member] : ends) wait(member, of_member);
}

}  // namespace ww::simulate
