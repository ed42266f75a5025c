#include "trace/packed_rank.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace ww::packed {
namespace {

constexpr auto last_kind = static_cast<std::uint64_t>(ActionKind::left_out);

bool begins(ActionKind kind) {
  return kind == ActionKind::isend || kind == ActionKind::irecv || kind == ActionKind::icollective;
}

// An action without its serial: whether it has one.
struct Deed {
  ActionKind kind = ActionKind::send;
  std::int32_t peer = 0, tag = 0;
  std::uint32_t comm = 0;
  std::uint8_t flags = 0;
  bool has_serial = false;
  std::uint64_t bytes = 0, bytes_received = 0;

  auto operator<=>(const Deed&) const = default;
};

struct CallKind {
  std::uint16_t region = 0;
  std::uint32_t thread = 0;
  std::vector<Deed> deeds;

  auto operator<=>(const CallKind&) const = default;
  CallKind without_sizes() const {
    CallKind bare = *this;
    for (Deed& deed : bare.deeds) deed.bytes = deed.bytes_received = 0;
    return bare;
  }
};

CallKind kind_of(const RankTrace& rank, std::size_t call) {
  CallKind kind{rank.region[call], rank.thread_of(call), {}};
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
    kind.deeds.push_back({rank.kind[a], rank.peer[a], rank.tag[a], rank.comm[a], rank.flags_of(a),
                          rank.operation[a] != 0, rank.bytes[a], rank.bytes_received[a]});
  return kind;
}

// How the kind after the last one is written: like an earlier one with other sizes, or all of it.
void write_kind(Writer& out, const CallKind& kind, const CallKind* like, std::size_t number) {
  if (like != nullptr) {
    out.number(number + 1);
    for (std::size_t i = 0; i < kind.deeds.size(); ++i) {
      out.step(like->deeds[i].bytes, kind.deeds[i].bytes);
      out.step(like->deeds[i].bytes_received, kind.deeds[i].bytes_received);
    }
    return;
  }
  out.number(0), out.number(kind.region), out.number(kind.thread), out.number(kind.deeds.size());
  for (const Deed& deed : kind.deeds) {
    out.number(static_cast<std::uint64_t>(deed.kind) * 2 + (deed.has_serial ? 1 : 0));
    out.whole(deed.peer), out.whole(deed.tag), out.number(deed.comm), out.number(deed.flags);
    out.number(deed.bytes), out.number(deed.bytes_received);
  }
}

CallKind read_kind(Reader& in, const std::vector<CallKind>& known, const Limits& limits) {
  CallKind kind;
  if (const std::uint64_t like = in.number_to(known.size()); like > 0) {
    kind = known[static_cast<std::size_t>(like - 1)];
    for (Deed& deed : kind.deeds) {
      deed.bytes = in.step(deed.bytes);
      deed.bytes_received = in.step(deed.bytes_received);
    }
    return kind;
  }
  kind.region = static_cast<std::uint16_t>(in.index(limits.regions));
  kind.thread = static_cast<std::uint32_t>(in.number_to(most_threads));
  const std::size_t deeds = in.count();
  for (std::size_t i = 0; i < deeds && !in.failed(); ++i) {
    Deed deed;
    const std::uint64_t what = in.number_to(last_kind * 2 + 1);
    deed.kind = static_cast<ActionKind>(what / 2);
    deed.has_serial = what % 2 != 0;
    const std::int64_t peer = in.whole(), tag = in.whole();
    if (peer < -1 || peer >= static_cast<std::int64_t>(limits.ranks) || tag != static_cast<std::int32_t>(tag))
      in.fail();
    deed.peer = static_cast<std::int32_t>(peer), deed.tag = static_cast<std::int32_t>(tag);
    deed.comm = in.index(limits.comms);
    deed.flags = in.number_of<std::uint8_t>();
    deed.bytes = in.number(), deed.bytes_received = in.number();
    kind.deeds.push_back(deed);
  }
  return kind;
}

// Serials count from 1 on as operations begin; what completes is mostly the latest.
class Serials {
 public:
  std::uint64_t expected(ActionKind kind) const { return begins(kind) ? latest_ + 1 : latest_; }
  void took(ActionKind kind, std::uint64_t serial) {
    if (begins(kind)) latest_ = serial;
  }

 private:
  std::uint64_t latest_ = 0;
};

}  // namespace

void write_calls(Writer& out, const RankTrace& rank) {
  const std::size_t calls = rank.calls();
  out.number(calls);
  out.number(rank.flags.empty() ? 0 : 1), out.number(rank.thread.empty() ? 0 : 1);
  out.number(rank.first_action.empty() ? 0 : 1);
  std::uint64_t at = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    out.step(at, static_cast<std::uint64_t>(rank.enter_ns[call]));
    at = static_cast<std::uint64_t>(rank.leave_ns[call]);
  }
  for (std::size_t call = 0; call < calls; ++call)
    out.step(static_cast<std::uint64_t>(rank.enter_ns[call]),
             static_cast<std::uint64_t>(rank.leave_ns[call]));
  std::map<CallKind, std::size_t> numbers, bare;
  std::vector<const CallKind*> known;
  Writer serials;
  Serials counting;
  for (std::size_t call = 0; call < calls; ++call) {
    const auto [entry, is_new] = numbers.emplace(kind_of(rank, call), known.size());
    out.number(entry->second);
    if (is_new) {
      const auto [like, none_like] = bare.emplace(entry->first.without_sizes(), known.size());
      write_kind(out, entry->first, none_like ? nullptr : known[like->second], like->second);
      like->second = known.size();
      known.push_back(&entry->first);
    }
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
      if (rank.operation[a] != 0) {
        serials.step(counting.expected(rank.kind[a]), rank.operation[a]);
        counting.took(rank.kind[a], rank.operation[a]);
      }
  }
  out.put(serials.take());
}

void read_calls(Reader& in, RankTrace& rank, Limits& limits) {
  constexpr std::int64_t most_ns = std::int64_t{1} << 60;
  const std::size_t calls = in.count();
  const bool has_flags = in.flag(), has_threads = in.flag(), has_first = in.flag();
  // Durations are behind the gaps: until they are read, the columns hold what was read of each.
  for (std::size_t call = 0; call < calls && !in.failed(); ++call) rank.enter_ns.push_back(in.whole());
  std::int64_t at = 0;
  for (std::size_t call = 0; call < calls && !in.failed(); ++call) {
    const std::int64_t gap_ns = rank.enter_ns[call], lasts_ns = in.whole();
    if (gap_ns < -most_ns || gap_ns > most_ns || lasts_ns < 0 || lasts_ns > most_ns) in.fail();
    const std::int64_t enter_ns = at + gap_ns;
    if (enter_ns < -most_ns || enter_ns > most_ns || (call > 0 && enter_ns < rank.enter_ns[call - 1]))
      in.fail();
    rank.enter_ns[call] = enter_ns;
    at = enter_ns + lasts_ns;
    rank.leave_ns.push_back(at);
  }
  if (has_first || calls > 0) rank.first_action.push_back(0);
  std::vector<CallKind> known;
  for (std::size_t call = 0; call < calls && !in.failed(); ++call) {
    const auto number = static_cast<std::size_t>(in.number_to(known.size()));
    if (number == known.size()) known.push_back(read_kind(in, known, limits));
    const CallKind& kind = known[number];
    if (kind.deeds.size() > limits.actions) {
      in.fail();
      break;
    }
    limits.actions -= kind.deeds.size();
    rank.region.push_back(kind.region);
    if (has_threads) rank.thread.push_back(kind.thread);
    for (const Deed& deed : kind.deeds) {
      rank.kind.push_back(deed.kind), rank.peer.push_back(deed.peer), rank.tag.push_back(deed.tag);
      rank.comm.push_back(deed.comm), rank.bytes.push_back(deed.bytes);
      rank.bytes_received.push_back(deed.bytes_received);
      rank.operation.push_back(deed.has_serial ? 1 : 0);
      rank.match.push_back(none);
      if (has_flags) rank.flags.push_back(deed.flags);
    }
    rank.first_action.push_back(static_cast<std::uint32_t>(rank.actions()));
  }
  Serials counting;
  for (std::size_t a = 0; a < rank.actions() && !in.failed(); ++a)
    if (rank.operation[a] != 0) {
      rank.operation[a] = in.step(counting.expected(rank.kind[a]));
      if (rank.operation[a] == 0) in.fail();
      counting.took(rank.kind[a], rank.operation[a]);
    }
}

}  // namespace ww::packed
