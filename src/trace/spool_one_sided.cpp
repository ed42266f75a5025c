#include "trace/spool_one_sided.hpp"

#include <algorithm>
#include <utility>

namespace ww::spool {

bool OneSidedDecoder::take(const Record& record, std::vector<OneSidedAction>& out) {
  const auto found = windows_.find(record.comm);
  if (found == windows_.end()) return false;
  const std::uint32_t window = found->second;
  std::int32_t target = -1;
  if (record.peer >= 0) {
    target = comms_[all_windows_[window].comm].world_rank(record.peer, self_);
    if (target < 0) return false;
  }
  if (static_cast<Kind>(record.kind) == Kind::window) return take_sync(record, window, target, out);
  return target >= 0 && take_transfer(record, window, target, out);
}

bool OneSidedDecoder::take_transfer(const Record& record, std::uint32_t window, std::int32_t target,
                                    std::vector<OneSidedAction>& out) {
  OneSidedAction action;
  action.window = window;
  action.target = target;
  const auto kind = static_cast<Kind>(record.kind);
  const auto atomic = static_cast<Atomic>(record.tag);
  if (kind == Kind::put) {
    action.transfer = TransferKind::put;
  } else if (kind == Kind::get) {
    action.transfer = TransferKind::get;
  } else if (atomic == Atomic::accumulate) {
    action.transfer = TransferKind::accumulate;
  } else if (atomic == Atomic::compare_and_swap) {
    action.transfer = TransferKind::compare_and_swap;
  } else if (atomic == Atomic::fetch || atomic == Atomic::fetch_and_accumulate) {
    action.transfer = TransferKind::fetch;
  } else {
    return false;
  }
  const bool out_only = kind == Kind::put || action.transfer == TransferKind::accumulate;
  const bool in_only = kind == Kind::get || (kind == Kind::atomic && atomic == Atomic::fetch);
  action.bytes_out = in_only ? 0 : record.bytes;
  action.bytes_in = out_only ? 0 : record.bytes;
  action.operation = next_operation_++;
  epochs_[window].open[target].issued.push_back({action.operation, false});
  if (record.operation != 0) requests_[record.operation] = {window, target, action.operation};
  out.push_back(std::move(action));
  return true;
}

bool OneSidedDecoder::take_sync(const Record& record, std::uint32_t window, std::int32_t target,
                                std::vector<OneSidedAction>& out) {
  Epochs& epochs = epochs_[window];
  OneSidedAction action;
  action.window = window;
  action.target = target;
  const auto kind = static_cast<WindowCall>(record.tag);
  switch (kind) {
    case WindowCall::created:
      action.kind = OneSidedKind::created;
      break;
    case WindowCall::allocated:
      action.kind = OneSidedKind::allocated;
      break;
    case WindowCall::freed:
      complete(window, -1, Reach::target, out);
      action.kind = OneSidedKind::freed;
      break;
    case WindowCall::fence:
      complete(window, -1, Reach::target, out);
      action.kind = OneSidedKind::fence;
      break;
    case WindowCall::lock_exclusive:
      action.kind = OneSidedKind::lock_exclusive;
      break;
    case WindowCall::lock_shared:
    case WindowCall::lock_all:
      action.kind = OneSidedKind::lock_shared;
      break;
    case WindowCall::unlock:
    case WindowCall::unlock_all:
      complete(window, target, Reach::target, out);
      action.kind = OneSidedKind::unlock;
      break;
    case WindowCall::flush:
    case WindowCall::flush_all:
    case WindowCall::flush_local:
    case WindowCall::flush_local_all:
      complete(window, target,
               kind == WindowCall::flush || kind == WindowCall::flush_all ? Reach::target : Reach::origin,
               out);
      action.kind = OneSidedKind::memory;
      break;
    case WindowCall::sync:
      if (const auto& members = comms_[all_windows_[window].comm].ranks;
          std::find(members.begin(), members.end(), self_) == members.end())
        return false;
      action.kind = OneSidedKind::memory;
      action.target = self_;
      break;
    case WindowCall::post:
    case WindowCall::start: {
      std::vector<std::int32_t>& group = kind == WindowCall::post ? epochs.exposure : epochs.access;
      // One record a member: the last one that is there tells the group as far as it is known.
      const bool goes_on =
          !out.empty() && out.back().kind == OneSidedKind::epoch_begin && out.back().window == window;
      if (!goes_on) group.clear();
      if (target >= 0) group.insert(std::lower_bound(group.begin(), group.end(), target), target);
      action.kind = OneSidedKind::epoch_begin;
      action.group = group;
      action.target = -1;
      if (goes_on) out.pop_back();
      break;
    }
    case WindowCall::complete:
      for (const std::int32_t rank : epochs.access) complete(window, rank, Reach::nothing_more, out);
      action.kind = OneSidedKind::epoch_end;
      action.group = std::exchange(epochs.access, {});
      break;
    case WindowCall::wait:
      action.kind = OneSidedKind::epoch_end;
      action.group = std::exchange(epochs.exposure, {});
      break;
    default:
      return false;
  }
  out.push_back(std::move(action));
  return true;
}

void OneSidedDecoder::complete(std::uint32_t window, std::int32_t target, Reach reach,
                               std::vector<OneSidedAction>& out) {
  auto& open = epochs_[window].open;
  if (target < 0) {
    for (auto& [rank, to] : open) complete(window, rank, to, reach, out);
  } else if (const auto found = open.find(target); found != open.end()) {
    complete(window, target, found->second, reach, out);
  }
}

void OneSidedDecoder::complete(std::uint32_t window, std::int32_t target, ToTarget& to, Reach reach,
                               std::vector<OneSidedAction>& out) {
  OneSidedAction action;
  action.window = window;
  action.target = target;
  for (std::size_t i = to.done_here; i < to.issued.size(); ++i) {
    action.kind = OneSidedKind::done_here;
    action.operation = to.issued[i].operation;
    if (!std::exchange(to.issued[i].done_here, true)) out.push_back(action);
  }
  to.done_here = to.issued.size();
  if (reach == Reach::origin) return;
  action.kind = OneSidedKind::done_there;
  for (const Issued& issued : to.issued) {
    action.operation = issued.operation;
    if (reach == Reach::target) out.push_back(action);
  }
  to = {};
}

bool OneSidedDecoder::take_request(std::uint64_t request, bool is_complete,
                                   std::vector<OneSidedAction>& out) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return false;
  const Requested requested = found->second;
  OneSidedAction action;
  action.window = requested.window;
  action.target = requested.target;
  action.operation = requested.operation;
  action.kind = is_complete ? OneSidedKind::done_here : OneSidedKind::request_tested;
  if (is_complete) {
    requests_.erase(found);
    std::vector<Issued>& issued = epochs_[requested.window].open[requested.target].issued;
    const auto at =
        std::lower_bound(issued.begin(), issued.end(), requested.operation,
                         [](const Issued& i, std::uint64_t operation) { return i.operation < operation; });
    // Completed already by the window's synchronisation.
    if (at == issued.end() || at->operation != requested.operation || std::exchange(at->done_here, true))
      return true;
  }
  out.push_back(std::move(action));
  return true;
}

}  // namespace ww::spool
