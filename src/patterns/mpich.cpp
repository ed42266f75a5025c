#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {
namespace {

// The members of each host, in the order of its first; the first one of them speaks for the host.
class ByHost {
 public:
  // `room`: room_for(members) ints
  ByHost(const int* host, int members, int* room)
      : firsts_(room),
        host_of_(room + members),
        place_(room + 2 * members),
        sorted_(room + 3 * members),
        begin_(room + 4 * members) {
    for (int i = 0; i < members; ++i) {
      int at = 0;
      while (at < count_ && host[firsts_[at]] != host[i]) ++at;
      if (at == count_) {
        firsts_[count_++] = i;
        begin_[count_] = 0;
      }
      host_of_[i] = at;
      place_[i] = begin_[at + 1]++;  // how many there are, for now
    }
    begin_[0] = 0;
    for (int at = 0; at < count_; ++at) begin_[at + 1] += begin_[at];
    for (int i = 0; i < members; ++i) sorted_[begin_[host_of_[i]] + place_[i]] = i;
  }
  int count() const { return count_; }
  int host_of(int member) const { return host_of_[member]; }
  int place_of(int member) const { return place_[member]; }  // within its host
  Group members(const Group& whole, int host) const {
    return whole.part(sorted_ + begin_[host], begin_[host + 1] - begin_[host]);
  }
  Group firsts(const Group& whole) const { return whole.part(firsts_, count_); }
  int first(int host) const { return firsts_[host]; }

 private:
  int count_ = 0;
  int *firsts_, *host_of_, *place_, *sorted_, *begin_;
};

// Within a host MPICH's posix module has the members write and read one piece of shared memory, along trees:
// here a message goes along each of their edges. (coll release_gather. The first four calls on a communicator
// go as between hosts, and long vectors in pieces of 8 KiB; neither is told apart.)
void shared_bcast(const Group& group, int root, uint64_t bytes) {
  down_the_tree(group, shared_bcast_children, root, bytes);
}
void shared_reduce(const Group& group, int root, uint64_t bytes) {
  up_the_tree(group, shared_reduce_children, root, bytes);
}

// What mpich_choice goes by.
uint64_t rule_bytes(const Asked& asked) {
  switch (asked.operation) {
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return asked.blocks.all();
    default:
      return asked.bytes;
  }
}

class ByLevels {
 public:
  ByLevels(const Group& whole, const ByHost& hosts, const Asked& asked)
      : whole_(whole),
        hosts_(hosts),
        asked_(asked),
        root_host_(hosts.host_of(asked.root)),
        chosen_(mpich_choice(asked.operation, hosts.count(), asked.bytes, elements(asked.bytes))) {}

  Written write(Levels levels) {
    const uint64_t bytes = asked_.bytes;
    switch (asked_.operation) {
      case Operation::
          barrier:  // all report along the tree of reductions and are released along that of broadcasts
        on_each([](const Group& host) { shared_reduce(host, 0, 0), shared_bcast(host, 0, 0); });
        among_firsts(0);
        on_each([](const Group& host) { shared_bcast(host, 0, 1); });
        break;
      case Operation::bcast:
        levels == Levels::alpha ? bcast_alpha() : bcast_beta();
        break;
      case Operation::reduce:
        levels == Levels::alpha ? reduce_alpha() : reduce_beta();
        break;
      default:  // allreduce
        on_each([&](const Group& host) { shared_reduce(host, 0, bytes); });
        among_firsts(0);
        on_each([&](const Group& host) { shared_bcast(host, 0, bytes); });
    }
    return {hosts_.count() > 1 ? chosen_ : nullptr, true};
  }

 private:
  template <class Act>
  void on_each(Act&& act, int but = -1) const {
    for (int host = 0; host < hosts_.count(); ++host)
      if (host != but) act(hosts_.members(whole_, host));
  }
  int root_place() const { return hosts_.place_of(asked_.root); }

  void among_firsts(int root_host) const {
    if (hosts_.count() < 2) return;
    Asked of_firsts = asked_;
    of_firsts.root = root_host;
    chosen_->write(hosts_.firsts(whole_), of_firsts);
  }

  void bcast_alpha() const {
    const int first = hosts_.first(root_host_);
    if (first != asked_.root) whole_.transfer({asked_.root, first, asked_.bytes});
    among_firsts(root_host_);
    on_each([&](const Group& host) { shared_bcast(host, 0, asked_.bytes); });
  }
  void bcast_beta() const {
    if (root_place() > 0) shared_bcast(hosts_.members(whole_, root_host_), root_place(), asked_.bytes);
    among_firsts(root_host_);
    on_each([&](const Group& host) { shared_bcast(host, 0, asked_.bytes); },
            root_place() > 0 ? root_host_ : -1);
  }
  void reduce_alpha() const {
    on_each([&](const Group& host) { shared_reduce(host, 0, asked_.bytes); });
    among_firsts(0);
    if (asked_.root != 0) whole_.transfer({0, asked_.root, asked_.bytes});
  }
  void reduce_beta() const {
    on_each([&](const Group& host) { shared_reduce(host, 0, asked_.bytes); }, root_host_);
    among_firsts(root_host_);
    shared_reduce(hosts_.members(whole_, root_host_), root_place(), asked_.bytes);
  }

  const Group& whole_;
  const ByHost& hosts_;
  const Asked& asked_;
  int root_host_;
  const Algorithm* chosen_;
};

}  // namespace

const Algorithm* mpich_choice(Operation operation, int members, uint64_t bytes, uint64_t count) {
  const bool power = power_of_two(members);
  const bool few_elements = count < static_cast<uint64_t>(largest_power_in(members));
  constexpr uint64_t long_vector = 524288;
  switch (operation) {
    case Operation::barrier:
      return &barrier_dissemination;
    case Operation::bcast:
      if (members < 8 || bytes <= 12288) return &bcast_binomial_blocking;
      return power && bytes <= long_vector ? &bcast_scatter_doubling_allgather
                                           : &bcast_scatter_ring_allgather;
    case Operation::reduce:
      return bytes <= 2048 || few_elements ? &reduce_binomial_blocking : &reduce_scatter_gather;
    case Operation::allreduce:
      return bytes <= 8 || few_elements ? &allreduce_recursive_doubling : &allreduce_reduce_scatter_allgather;
    case Operation::allgather:
    case Operation::allgatherv:
      if (power) return bytes < long_vector ? &allgather_recursive_doubling : &allgather_ring;
      return bytes < 81920 ? &allgather_bruck : &allgather_ring;
    case Operation::alltoall:
      if (members >= 8 && bytes <= 256) return &alltoall_bruck;
      return bytes <= 32768 ? &alltoall_scattered : power ? &alltoall_exclusive_or : &alltoall_pairwise;
    case Operation::alltoallv:
    case Operation::alltoallw:
      return &alltoall_scattered;
    case Operation::gather:
      return &gather_binomial_tree;
    case Operation::scatter:
      return &scatter_binomial_farthest;
    case Operation::gatherv:
      return &gather_linear_nonblocking;
    case Operation::scatterv:
      return &scatter_linear_nonblocking;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return bytes < long_vector ? &reduce_scatter_recursive_halving : &reduce_scatter_pairwise;
    case Operation::scan:
    case Operation::exscan:
      return &scan_recursive_doubling;
  }
  return nullptr;
}

Levels mpich_levels(Operation operation, int members, int hosts, uint64_t bytes) {
  if (hosts == members) return Levels::flat;
  switch (operation) {
    case Operation::barrier:
      return Levels::alpha;
    case Operation::bcast:
      if (members < 8 || bytes < 12288) return Levels::alpha;
      return power_of_two(members) && bytes < 524288 ? Levels::beta : Levels::flat;
    case Operation::reduce:
      return bytes <= 2048 ? Levels::beta : Levels::alpha;
    case Operation::allreduce:
      return hosts == 1 ? Levels::shared_memory : Levels::alpha;
    default:
      return Levels::flat;
  }
}

Written write_mpich(const Group& group, const Asked& asked, const int* host, int* room) {
  const ByHost by_host(host, group.size(), room);
  // Non-blocking ones (mpir_coll_sched_auto.c) go by the same sizes, within a host without shared memory.
  const Levels levels = asked.nonblocking
                            ? Levels::flat
                            : mpich_levels(asked.operation, group.size(), by_host.count(), asked.bytes);
  if (levels != Levels::flat) return ByLevels(group, by_host, asked).write(levels);
  const Algorithm* const chosen =
      mpich_choice(asked.operation, group.size(), rule_bytes(asked), elements(asked.bytes));
  chosen->write(group, asked);
  return {chosen};
}

}  // namespace ww::patterns
