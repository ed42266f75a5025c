#include "simulate/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>

#include "patterns/choice.hpp"
#include "patterns/sizes.hpp"
#include "trace/library_of.hpp"

namespace ww::simulate {
namespace {

using patterns::Operation;
using patterns::PatternMessage;

static_assert(static_cast<int>(Operation::barrier) == static_cast<int>(CollectiveOp::barrier) &&
              static_cast<int>(Operation::alltoallw) == static_cast<int>(CollectiveOp::alltoallw) &&
              static_cast<int>(Operation::reduce) == static_cast<int>(CollectiveOp::reduce) &&
              patterns::operations == static_cast<int>(CollectiveOp::communicator));
std::optional<Operation> operation_of(CollectiveOp op) {
  if (static_cast<int>(op) >= patterns::operations) return std::nullopt;
  return static_cast<Operation>(op);
}

// Makes a shape of an algorithm's messages.
class Shaped {
 public:
  explicit Shaped(std::vector<std::int32_t> world) : world_(std::move(world)) {}

  patterns::Messages messages() {
    return {this,
            [](void* of, const PatternMessage& transfer, bool) {
              const auto one = [&](const patterns::Take& take) { take(transfer); };
              static_cast<Shaped*>(of)->round(one, {});
            },
            [](void* of, const patterns::Round& round, const patterns::Between& between) {
              static_cast<Shaped*>(of)->round(round, between);
            }};
  }
  const std::vector<ShapeMessage>& shape() const { return shape_; }

 private:
  void round(const patterns::Round& round, const patterns::Between& between) {
    const auto take = [&](const PatternMessage& t) {
      const auto world = [&](int member) { return world_[static_cast<std::size_t>(member)]; };
      shape_.push_back({world(t.from), world(t.to), t.bytes, rounds_, t.reduced, {}});
    };
    round(take);
    ++rounds_;
    if (between) between();
  }

  std::vector<std::int32_t> world_;
  std::vector<ShapeMessage> shape_;
  std::uint32_t rounds_ = 0;
};

// Where the program has it, or has it from now on.
std::uint32_t shape_in(Program& program, const std::vector<ShapeMessage>& shape) {
  Shapes& shapes = program.shapes;
  const auto same = [](const ShapeMessage& a, const ShapeMessage& b) {
    return a.source == b.source && a.destination == b.destination && a.bytes == b.bytes &&
           a.round == b.round && a.reduced == b.reduced;
  };
  for (std::size_t known = shapes.size(); known > 0; --known)  // mostly one of the latest
    if (std::equal(shapes.messages.begin() + shapes.first[known - 1],
                   shapes.messages.begin() + shapes.first[known], shape.begin(), shape.end(), same))
      return static_cast<std::uint32_t>(known - 1);
  shapes.messages.append(shape.data(), shape.data() + shape.size());
  shapes.first.push_back(static_cast<std::uint32_t>(shapes.messages.size()));
  return static_cast<std::uint32_t>(shapes.size() - 1);
}

// Makes a program's messages of an algorithm's, and each member's order of posting and waiting.
class Written {
 public:
  // world[i] is the world rank of member i.
  Written(Program& program, std::vector<std::int32_t> world)
      : program_(program), world_(std::move(world)), operations_(world_.size()) {}

  patterns::Messages messages() {
    return {this,
            [](void* of, const PatternMessage& transfer, bool synchronous) {
              const auto one = [&](const patterns::Take& take) { take(transfer); };
              static_cast<Written*>(of)->round(one, {}, synchronous);
            },
            [](void* of, const patterns::Round& round, const patterns::Between& between) {
              static_cast<Written*>(of)->round(round, between, false);
            }};
  }
  std::vector<Operations> operations() && { return std::move(operations_); }

 private:
  Operations& of(int member) { return operations_[static_cast<std::size_t>(member)]; }

  void round(const patterns::Round& round, const patterns::Between& between, bool synchronous) {
    std::map<int, std::vector<EndNumber>> ends;  // by member
    const auto first = static_cast<std::uint32_t>(program_.messages.size());
    const auto post = [&](const PatternMessage& t) {
      const auto message = static_cast<std::uint32_t>(program_.messages.size());
      const auto world = [&](int member) { return world_[static_cast<std::size_t>(member)]; };
      program_.messages.push_back({world(t.from), world(t.to), t.bytes, synchronous, true, t.reduced, {}});
      of(t.to).add(OpKind::receive, message);
      ends[t.to].push_back(receive_end(message));
    };
    round(post);
    if (between) between();
    std::uint32_t message = first;
    const auto send = [&](const PatternMessage& t) {
      of(t.from).add(OpKind::send, message);
      ends[t.from].push_back(send_end(message++));
    };
    round(send);
    for (const auto& [member, of_member] : ends) of(member).add_wait(of_member);
  }

  Program& program_;
  std::vector<std::int32_t> world_;
  std::vector<Operations> operations_;
};

// What each member of an alltoall, v or w sends to each, [from * members + to]: as recorded
// (ActionKind::sent_to), or where nothing is or not all of it, its mean block.
std::vector<std::uint64_t> pairs_of(const Trace& trace, const Collective& c, const patterns::Blocks& blocks) {
  const std::size_t members = c.members.size();
  std::unordered_map<std::int32_t, std::size_t> place;  // by world rank
  for (std::size_t i = 0; i < members; ++i) place.emplace(c.members[i].rank, i);
  std::vector<std::uint64_t> matrix(members * members);
  for (std::size_t i = 0; i < members; ++i) {
    const CollectiveMember& member = c.members[i];
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    std::uint64_t* const row = matrix.data() + i * members;
    std::uint64_t told = 0;
    for (std::uint32_t a = rank.first_action[member.call]; a < rank.first_action[member.call + 1]; ++a) {
      const auto to = rank.kind[a] == ActionKind::sent_to ? place.find(rank.peer[a]) : place.end();
      if (to == place.end()) continue;
      row[to->second] += rank.bytes[a];
      told += rank.bytes[a];
    }
    if (told == 0 || told != member.bytes_sent) std::fill_n(row, members, blocks.of(static_cast<int>(i)));
  }
  return matrix;
}

// The members' hosts as numbers.
std::vector<int> hosts_of(const Trace& trace, const Collective& c) {
  std::unordered_map<std::string, int> number;
  std::vector<int> out;
  for (const CollectiveMember& member : c.members)
    out.push_back(
        number.emplace(trace.ranks[static_cast<std::size_t>(member.rank)].host, number.size()).first->second);
  return out;
}

// By what it was written, for people.
std::string title_of(const patterns::Written& written, CollectiveRules rules, bool scan_by_levels) {
  if (rules == CollectiveRules::open_mpi_4) return written.by->title;
  if (written.by == nullptr) return "MPICH's shared memory";
  return fmt::format("MPICH's {}{}", written.by->title,
                     written.by_levels ? " between hosts and shared memory within"
                     : scan_by_levels
                         ? " (in place of one by levels where ranks of a host follow one another)"
                         : "");
}

// From the last member's entry to the first member's leaving, as recorded.
double recorded_service_s(const Trace& trace, const Collective& c) {
  std::int64_t entered_ns = 0, left_ns = 0;
  for (std::size_t i = 0; i < c.members.size(); ++i) {
    const CollectiveMember& member = c.members[i];
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    const std::uint32_t done = member.done_call == none ? member.call : member.done_call;
    entered_ns = i == 0 ? rank.enter_ns[member.call] : std::max(entered_ns, rank.enter_ns[member.call]);
    left_ns = i == 0 ? rank.leave_ns[done] : std::min(left_ns, rank.leave_ns[done]);
  }
  return static_cast<double>(std::max<std::int64_t>(0, left_ns - entered_ns)) * 1e-9;
}

bool nonblocking(const Trace& trace, const Collective& c) {
  return std::any_of(c.members.begin(), c.members.end(), [&](const CollectiveMember& member) {
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    for (std::uint32_t a = rank.first_action[member.call]; a < rank.first_action[member.call + 1]; ++a)
      if (rank.kind[a] == ActionKind::icollective) return true;
    return false;
  });
}

int root_of(const Collective& c) {
  for (std::size_t i = 0; i < c.members.size(); ++i)
    if (c.members[i].rank == c.root) return static_cast<int>(i);
  return 0;
}

}  // namespace

CollectiveReplay spread(Program& program, const Trace& trace, const Collective& collective) {
  CollectiveReplay replay;
  const int members = static_cast<int>(collective.members.size());
  const bool later = nonblocking(trace, collective);
  const std::string name = ww::to_string(collective.op);
  const bool between_groups = trace.comms[collective.comm].first_group > 0;
  const CollectiveRules rules = library_of(trace).collectives;
  const std::optional<Operation> operation = operation_of(collective.op);
  const bool kept = !operation || rules == CollectiveRules::unknown || between_groups;
  if (kept || later) {
    replay.sync = static_cast<std::uint32_t>(program.syncs.size());
    Sync sync{static_cast<std::uint32_t>(members), none, recorded_service_s(trace, collective)};
    if (collective.op == CollectiveOp::communicator) {
      const std::vector<int> hosts = hosts_of(trace, collective);
      sync.crossings = static_cast<std::uint32_t>(library_of(trace).communicator_crossings) *
                       static_cast<std::uint32_t>(std::bit_width(static_cast<unsigned>(members - 1)));
      sync.between_hosts =
          std::any_of(hosts.begin(), hosts.end(), [](int host) { return host != 0; }) ? 1 : 0;
    }
    program.syncs.push_back(sync);
  }
  if (kept) {
    ++program.algorithms[fmt::format("{}{} kept at its recorded duration after the last member has entered{}",
                                     name,
                                     later            ? " (non-blocking)"
                                     : between_groups ? " (on an intercommunicator)"
                                                      : "",
                                     program.syncs.back().crossings > 0
                                         ? ", but for the small messages in it, which take what they do there"
                                         : "")];
    return replay;
  }
  std::vector<std::int32_t> world;
  for (const CollectiveMember& member : collective.members) world.push_back(member.rank);
  Shaped shaped(world);
  Written messages(program, std::move(world));
  if (members > 1) {
    std::vector<std::uint64_t> before(static_cast<std::size_t>(members) + 1);
    const auto carried = [&](int i) {
      const CollectiveMember& member = collective.members[static_cast<std::size_t>(i)];
      return patterns::CarriedSizes{member.bytes_sent, member.bytes_received};
    };
    patterns::Sizes sizes(*operation, members, root_of(collective), carried, before.data());
    std::vector<std::uint64_t> pairs;
    if (*operation == Operation::alltoall || *operation == Operation::alltoallv ||
        *operation == Operation::alltoallw) {
      pairs = pairs_of(trace, collective, sizes.asked().blocks);
      sizes.set_pairs(pairs.data());
    }
    sizes.set_nonblocking(later);
    const std::vector<int> hosts = hosts_of(trace, collective);
    std::vector<int> room(static_cast<std::size_t>(patterns::room_for(members)));
    const patterns::Messages to = later ? shaped.messages() : messages.messages();
    const patterns::Written written =
        patterns::write(rules, patterns::Group(to, members), sizes.asked(), hosts.data(), room.data());
    const bool scan_by_levels =
        *operation == Operation::scan && *std::max_element(hosts.begin(), hosts.end()) + 1 < members;
    ++program.algorithms[fmt::format(
        "{} {}replayed by {}{}", name, later ? "(non-blocking) " : "",
        title_of(written, rules, scan_by_levels),
        later
            ? ", with nothing in its way, from when the last member has begun it; what comes after its first "
              "messages once all members are inside the library again"
            : "")];
  }
  if (later) {
    program.syncs.change(replay.sync).shape = shape_in(program, shaped.shape());
    return replay;
  }
  replay.by_member = std::move(messages).operations();
  return replay;
}

}  // namespace ww::simulate
