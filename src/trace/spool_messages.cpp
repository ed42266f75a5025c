#include "trace/spool_messages.hpp"

#include <algorithm>
#include <map>

namespace ww::spool {
namespace {

constexpr std::uint64_t release_every = std::uint64_t{1} << 20;

}  // namespace

std::pair<std::uint64_t, std::uint64_t> Outbox::range(std::int32_t receiver) const {
  const auto found =
      std::lower_bound(begins.begin(), begins.end(), receiver,
                       [](const auto& entry, std::int32_t value) { return entry.first < value; });
  if (found == begins.end() || found->first != receiver) return {0, 0};
  return {found->second, std::next(found) == begins.end() ? messages.size() : std::next(found)->second};
}

void Survey::note_call(std::uint16_t call) {
  if (call >= seen_.size()) seen_.resize(call + 1u);
  if (seen_[call]) return;
  seen_[call] = true;
  calls.push_back(call);
}

void Survey::take(const DecodedCall& call) {
  note_call(call.call);
  for (const OneSidedAction& action : call.one_sided)
    if (action.kind == OneSidedKind::epoch_begin || action.kind == OneSidedKind::epoch_end)
      groups.insert(action.group);
  for (const DecodedAction& action : call.actions) {
    if (action.kind == ActionKind::icollective_done) note_call(action.begun_region);
    const Sent sent{action.bytes, call.enter_ns, action.comm, action.tag};
    switch (action.kind) {
      case ActionKind::send:
        outgoing_.push_back({sent, action.peer, 0});
        break;
      case ActionKind::left_out:
        if ((action.flags & action_left_out_sends) != 0)
          outgoing_.push_back({{action.bytes, Sent::was_left_out, action.comm, action.tag}, action.peer, 0});
        break;
      case ActionKind::isend: {
        Fate begun;
        begun.bytes = outgoing_.size();
        begun.is_send = true;
        fates.push_back(begun);
        outgoing_.push_back({sent, action.peer, 0});
        break;
      }
      case ActionKind::irecv:
      case ActionKind::icollective: {
        Fate begun;
        begun.peer = action.peer;
        begun.tag = action.tag;
        fates.push_back(begun);
        break;
      }
      case ActionKind::irecv_done:
        if (Fate* of = fate(action.operation)) {
          of->state = Fate::State::done;
          of->bytes = action.bytes;
          of->peer = action.peer;
          of->tag = action.tag;
          of->unsized = action.unsized;
        }
        break;
      case ActionKind::cancelled:
        if (Fate* of = fate(action.operation)) {
          of->state = Fate::State::cancelled;
          if (of->is_send && of->bytes < outgoing_.size()) outgoing_[of->bytes].receiver = -1;
        }
        break;
      default:
        break;
    }
  }
  if (fates.size() / release_every != released_) {
    released_ = fates.size() / release_every;
    fates.release();
    outgoing_.release();
  }
}

Result<void> Survey::finish() {
  std::map<std::int32_t, std::uint64_t> place;  // by receiver: first the count, then where the next one goes
  for (std::uint64_t i = 0; i < outgoing_.size(); ++i) ++place[outgoing_[i].receiver];
  place.erase(-1);
  std::uint64_t total = 0;
  for (auto& [receiver, count] : place) {
    outbox.begins.emplace_back(receiver, total);
    total += std::exchange(count, total);
  }
  if (total > 0) outbox.messages.resize(total);
  if (fates.failed() || outgoing_.failed() || outbox.messages.failed())
    return fail("no room for the working files of the archive", dir_.string(), "free space on its disk");
  for (std::uint64_t i = 0; i < outgoing_.size(); ++i) {
    if (i % release_every == 0) {
      outgoing_.release();
      outbox.messages.release();
    }
    if (const Outgoing& message = outgoing_[i]; message.receiver >= 0)
      outbox.messages[place[message.receiver]++] = message.sent;
  }
  outgoing_ = Spill<Outgoing>(dir_);
  outbox.messages.release();
  outbox.messages.seal();
  fates.release();
  fates.seal();
  return {};
}

void Inbox::release() const {
  for (const auto& [sender, from] : from_)
    if (const Outbox* outbox = outboxes_[static_cast<std::size_t>(sender)]) outbox->messages.release();
}

namespace {

std::uint64_t channel(std::uint32_t comm, std::int32_t tag) {
  return (static_cast<std::uint64_t>(comm) << 32) | static_cast<std::uint32_t>(tag);
}

}  // namespace

std::optional<Sent> Inbox::take(std::int32_t sender, std::uint32_t comm, std::int32_t tag) {
  From* from = nullptr;
  auto sent = next(sender, comm, tag, from);
  if (!sent || sent->sent_ns != Sent::was_left_out) return sent;
  if (--sent->bytes > 0) from->passed[channel(comm, tag)].push_front(*sent);
  return std::nullopt;
}

void Inbox::pass(std::int32_t sender, std::uint32_t comm, std::int32_t tag, std::uint64_t count) {
  From* from = nullptr;
  while (count > 0) {
    auto sent = next(sender, comm, tag, from);
    if (!sent) return;
    const std::uint64_t passed = sent->sent_ns == Sent::was_left_out ? std::min(count, sent->bytes) : 1;
    count -= passed;
    if (sent->sent_ns != Sent::was_left_out) continue;
    sent->bytes -= passed;
    if (sent->bytes > 0) from->passed[channel(comm, tag)].push_front(*sent);
  }
}

std::optional<Sent> Inbox::next(std::int32_t sender, std::uint32_t comm, std::int32_t tag, From*& of_sender) {
  if (sender < 0 || static_cast<std::size_t>(sender) >= outboxes_.size()) return std::nullopt;
  const Outbox* outbox = outboxes_[static_cast<std::size_t>(sender)];
  if (outbox == nullptr) return std::nullopt;
  auto found = from_.find(sender);
  if (found == from_.end()) {
    const auto [begin, end] = outbox->range(receiver_);
    found = from_.emplace(sender, From{begin, end, {}}).first;
  }
  From& from = found->second;
  of_sender = &from;
  const std::uint64_t wanted = channel(comm, tag);
  if (const auto passed = from.passed.find(wanted); passed != from.passed.end()) {
    const Sent sent = passed->second.front();
    passed->second.pop_front();
    if (passed->second.empty()) from.passed.erase(passed);
    return sent;
  }
  while (from.next < from.end) {
    if (++taken_ % release_every == 0) outbox->messages.release();
    const Sent sent = outbox->messages[from.next++];
    const std::uint64_t of = channel(sent.comm, sent.tag);
    if (of == wanted) return sent;
    from.passed[of].push_back(sent);
  }
  return std::nullopt;
}

}  // namespace ww::spool
