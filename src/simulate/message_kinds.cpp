#include "simulate/message_kinds.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "stats/order.hpp"

namespace ww::simulate {
namespace {

constexpr std::size_t enough_sends = 10;

// Of the sends that tell; none where fewer than ten do.
std::vector<double> kept_shares(const Program& program, const MachineModel& recorded_on) {
  std::vector<double> shares;
  const Link* link = recorded_on.link(Place::inter);
  for (const ProgramMessage& message : program.messages) {
    const auto bytes = static_cast<double>(message.bytes);
    if (message.send_called == 0 || link == nullptr || link->rendezvous(bytes)) continue;
    if (const double alone_s = recorded_on.costs.F.at(bytes); alone_s > 0)
      shares.push_back(kept_share_of(message, alone_s));
  }
  if (shares.size() < enough_sends) shares.clear();
  return shares;
}

struct Key {
  MessageKind::Way way;
  bool reduced;
  std::uint64_t bytes;
  bool operator==(const Key&) const = default;
};
struct HashOfKey {
  std::size_t operator()(const Key& key) const {
    return std::hash<std::uint64_t>()(key.bytes << 3 ^ static_cast<std::uint64_t>(key.way) << 1 ^
                                      static_cast<std::uint64_t>(key.reduced));
  }
};

}  // namespace

MessageKinds MessageKinds::of(const Program& program, const MachineModel* recorded_on) {
  MessageKinds out;
  std::unordered_map<Key, std::uint32_t, HashOfKey> known;
  out.kind_of.reserve(program.messages.size());
  bool some_unknown = false;
  for (const ProgramMessage& message : program.messages) {
    const auto host_of = [&](std::int32_t rank) {
      return program.ranks[static_cast<std::size_t>(rank)].host;
    };
    const auto way = message.source == message.destination                     ? MessageKind::Way::itself
                     : host_of(message.source) == host_of(message.destination) ? MessageKind::Way::intra
                                                                               : MessageKind::Way::inter;
    const auto [entry, fresh] = known.try_emplace({way, message.reduced, message.bytes},
                                                  static_cast<std::uint32_t>(out.kinds.size()));
    if (fresh)
      out.kinds.push_back(
          {way, message.reduced, message.bytes, static_cast<std::uint32_t>(out.kind_of.size())});
    out.kind_of.push_back(entry->second);
    some_unknown = some_unknown || message.send_called == 0;
    out.some_synchronous = out.some_synchronous || message.synchronous;
  }
  if (recorded_on == nullptr) return out;
  std::vector<double> shares = kept_shares(program, *recorded_on);
  if (shares.empty()) return out;
  out.mean_kept_share =
      std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  if (some_unknown) out.usual_kept_share = stats::median(shares);
  return out;
}

}  // namespace ww::simulate
