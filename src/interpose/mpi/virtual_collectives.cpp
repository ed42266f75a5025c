#include "interpose/mpi/virtual_collectives.hpp"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/mpi/call_names.hpp"
#include "interpose/mpi/virtual.hpp"

namespace ww::interpose {

namespace {

constexpr int most_calls = 1024;
Way ways[most_calls];

struct Named {
  const char* part;
  Way way;
};
// The first whose text is in the name, in small letters.
constexpr Named by_name[] = {{"reduce_scatter", Way::reduce_scatter},
                             {"allreduce", Way::allreduce},
                             {"allgather", Way::allgather},
                             {"alltoall", Way::alltoall},
                             {"bcast", Way::bcast},
                             {"gather", Way::gather},
                             {"scatter", Way::scatter},
                             {"exscan", Way::scan},
                             {"scan", Way::scan},
                             {"reduce", Way::reduce},
                             {"barrier", Way::barrier}};

Way way_of_name(const char* name) {
  char small[64] = {};
  for (int i = 0; i < 63 && name[i] != 0; ++i) small[i] = static_cast<char>(tolower(name[i]));
  for (const Named& named : by_name)
    if (strstr(small, named.part) != nullptr) return named.way;
  return Way::barrier;
}

// The clocks of all ranks while they exchange messages, and their ports.
class Players {
 public:
  Players(const KnownComm& comm, const Entered* entered) : comm_(comm), n_(comm.size) {
    memory_ = static_cast<double*>(malloc(sizeof(double) * 5 * static_cast<size_t>(n_)));
    if (memory_ == nullptr) return;
    t_ = memory_, out_ = t_ + n_, in_ = out_ + n_, sent_ = in_ + n_, old_ = sent_ + n_;
    for (int i = 0; i < n_; ++i) {
      t_[i] = entered[i].at_s;
      out_[i] = in_[i] = 0;
    }
  }
  ~Players() { free(memory_); }
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  bool ready() const { return memory_ != nullptr; }
  double at(int rank) const { return t_[rank]; }

  void send(int from, int to, double bytes) {
    const uint64_t n = whole(bytes);
    const MessageCosts& costs = virtual_costs(comm_, from, to);
    t_[from] += costs.send.at(n);
    const double done_s = arrive(costs, from, to, n, t_[from], t_[to]);
    if (costs.rendezvous(n)) t_[from] = done_s > t_[from] ? done_s : t_[from];
    receive(costs, to, n);
  }

  // All at once: each rank sends to `to(rank)` and then receives.
  template <class To>
  void exchange(To&& to, double bytes) {
    const uint64_t n = whole(bytes);
    for (int i = 0; i < n_; ++i) {
      old_[i] = t_[i];
      sent_[i] = -1;
    }
    for (int i = 0; i < n_; ++i) t_[i] += virtual_costs(comm_, i, to(i)).send.at(n);
    for (int i = 0; i < n_; ++i) {
      const MessageCosts& costs = virtual_costs(comm_, i, to(i));
      const double left_s = arrive(costs, i, to(i), n, old_[i] + costs.send.at(n), old_[to(i)]);
      if (costs.rendezvous(n)) sent_[i] = left_s;
    }
    for (int i = 0; i < n_; ++i) receive(virtual_costs(comm_, i, to(i)), to(i), n);
    for (int i = 0; i < n_; ++i)
      if (sent_[i] > t_[i]) t_[i] = sent_[i];
  }

  // Everybody to everybody at once: all sends first.
  void all_pairs(const Entered* entered) {
    for (int i = 0; i < n_; ++i) old_[i] = t_[i];
    for (int step = 1; step < n_; ++step)
      for (int i = 0; i < n_; ++i)
        t_[i] += virtual_costs(comm_, i, (i + step) % n_).send.at(whole(entered[i].bytes));
    for (int i = 0; i < n_; ++i) sent_[i] = old_[i];
    for (int step = 1; step < n_; ++step)
      for (int i = 0; i < n_; ++i) {
        const int to = (i + step) % n_;
        const uint64_t n = whole(entered[i].bytes);
        const MessageCosts& costs = virtual_costs(comm_, i, to);
        sent_[i] += costs.send.at(n);
        const double left_s = arrive(costs, i, to, n, sent_[i], old_[to]);
        if (costs.rendezvous(n) && left_s > t_[i]) t_[i] = left_s;
        receive(costs, to, n);
      }
  }

 private:
  static uint64_t whole(double bytes) { return bytes > 0 ? static_cast<uint64_t>(bytes + 0.5) : 0; }

  // When the sender has it out; in_ of the receiver is its arrival.
  double arrive(const MessageCosts& costs, int from, int to, uint64_t n, double ready_s, double posted_s) {
    const double port_s = costs.port.at(n);
    double start_s = ready_s > out_[from] ? ready_s : out_[from];
    double head_s = costs.flight.at(n) - port_s;
    if (costs.rendezvous(n)) {
      head_s -= costs.reply.at(n);
      start_s = data_start_s(costs, n, start_s, posted_s);
    }
    out_[from] = start_s + port_s;
    const double there_s = start_s + (head_s > 0 ? head_s : 0);
    in_[to] = (there_s > in_[to] ? there_s : in_[to]) + port_s;
    return out_[from];
  }
  void receive(const MessageCosts& costs, int to, uint64_t n) {
    if (in_[to] > t_[to]) t_[to] = in_[to];
    t_[to] += costs.receive.at(n);
  }

  const KnownComm& comm_;
  int n_;
  double* memory_ = nullptr;
  double *t_ = nullptr, *out_ = nullptr, *in_ = nullptr, *sent_ = nullptr, *old_ = nullptr;
};

bool power_of_two(int n) {
  return (n & (n - 1)) == 0;
}

// From v = 0 to all; the subtree of v + k has min(k, n - v - k) members.
template <class Bytes>
void down_the_tree(Players& play, int n, int root, Bytes&& bytes) {
  int top = 1;
  while (top < n) top *= 2;
  for (int k = top / 2; k > 0; k /= 2)
    for (int v = 0; v + k < n; v += 2 * k)
      play.send((v + root) % n, (v + k + root) % n, bytes(v + k, k < n - v - k ? k : n - v - k));
}
template <class Bytes>
void up_the_tree(Players& play, int n, int root, Bytes&& bytes) {
  for (int k = 1; k < n; k *= 2)
    for (int v = 0; v + k < n; v += 2 * k)
      play.send((v + k + root) % n, (v + root) % n, bytes(v + k, k < n - v - k ? k : n - v - k));
}

void by_doubling(Players& play, int n, double bytes, double growth) {
  for (int k = 1; k < n; k *= 2, bytes *= growth) {
    if (power_of_two(n))
      play.exchange([k](int i) { return i ^ k; }, bytes);
    else
      play.exchange([k, n](int i) { return (i + k) % n; }, bytes);
  }
}
void by_halving(Players& play, int n, double bytes) {
  for (int k = n / 2; k > 0; k /= 2) {
    bytes /= 2;
    play.exchange([k](int i) { return i ^ k; }, bytes);
  }
}
void around(Players& play, int n, double bytes, int rounds) {
  for (int round = 0; round < rounds; ++round) play.exchange([n](int i) { return (i + 1) % n; }, bytes);
}

}  // namespace

void know_collectives() {
  for (int i = 1; i < calls_count && i < most_calls; ++i) ways[i] = way_of_name(call_names[i]);
}

Way way_of(uint16_t call) {
  return call < most_calls ? ways[call] : Way::barrier;
}

double done_at(const KnownComm& comm, Way way, int given_root, const Entered* entered) {
  const int n = comm.size, root = given_root < 0 || given_root >= n ? 0 : given_root;
  if (n < 2) return entered[comm.rank].at_s;
  Players play(comm, entered);
  if (!play.ready()) {
    trouble(Trouble::volumes_unknown);
    return 0;
  }
  const auto of = [&](int v) { return entered[(v + root) % n].bytes; };
  const auto own = [&](int v, int members) {
    double sum = 0;
    for (int i = v; i < v + members; ++i) sum += of(i);
    return sum;
  };
  constexpr double long_vector = 8192;
  const double bytes = entered[root].bytes;
  switch (way) {
    case Way::barrier:
      by_doubling(play, n, 0, 1);
      break;
    case Way::allreduce:
      if (bytes < long_vector) {
        by_doubling(play, n, bytes, 1);
      } else if (power_of_two(n)) {
        by_halving(play, n, bytes);
        by_doubling(play, n, bytes / n, 2);
      } else {
        around(play, n, bytes / n, 2 * (n - 1));
      }
      break;
    case Way::bcast:
      down_the_tree(play, n, root, [&](int, int) { return bytes; });
      break;
    case Way::scatter:
      down_the_tree(play, n, root, own);
      break;
    case Way::reduce:
      up_the_tree(play, n, root, [&](int, int) { return bytes; });
      break;
    case Way::gather:
      up_the_tree(play, n, root, own);
      break;
    case Way::allgather:
      if (power_of_two(n))
        by_doubling(play, n, own(0, n) / n, 2);
      else
        around(play, n, own(0, n) / n, n - 1);
      break;
    case Way::reduce_scatter:
      if (power_of_two(n))
        by_halving(play, n, bytes);
      else
        around(play, n, bytes / n, n - 1);
      break;
    case Way::alltoall:
      play.all_pairs(entered);
      break;
    case Way::scan:
      for (int i = 0; i + 1 < n; ++i) play.send(i, i + 1, bytes);
      break;
  }
  return play.at(comm.rank);
}

namespace {

// Non-blocking ones under way. Their times go on a communicator's own collectives, in the order in which all
// members begin them.
struct Begun {
  uint64_t serial;  // 0: free
  MPI_Request request;
  uint16_t call;
  int root;
  Entered own;
  Entered* all;
};
constexpr int most_begun = 256;
Begun begun_ones[most_begun];
Entered* table = nullptr;
int table_size = 0;

Entered entered_of(const KnownComm& comm, Way way, uint64_t given, uint64_t got, double at_s) {
  const auto size = static_cast<double>(comm.other_size > 0 ? comm.other_size : 1);
  double bytes = static_cast<double>(given);
  if (way == Way::alltoall) bytes /= size;
  if (way == Way::scatter) bytes = static_cast<double>(got);
  return {at_s, bytes};
}

}  // namespace

void collective_virtually(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got) {
  if (comm.inter) {
    trouble(Trouble::virtual_not_costed);
    return;
  }
  const Way way = way_of(call);
  if (table_size < comm.size) {
    free(table);
    table = static_cast<Entered*>(malloc(sizeof(Entered) * static_cast<size_t>(comm.size)));
    table_size = table != nullptr ? comm.size : 0;
  }
  if (table == nullptr) return;
  const Entered own = entered_of(comm, way, given, got, virtual_now_s());
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, table, sizeof own, MPI_BYTE, comm.handle);
  reach_virtually(done_at(comm, way, root, table));
}

void all_meet_virtually(const KnownComm& comm) {
  collective_virtually(comm, 0, 0, 0, 0);
}

void icollective_begins(const KnownComm& comm, uint16_t call, uint64_t serial, int root, uint64_t given,
                        uint64_t got) {
  if (comm.inter) {
    trouble(Trouble::virtual_not_costed);
    return;
  }
  Begun fallback{}, *place = &fallback;
  for (Begun& begun : begun_ones)
    if (begun.serial == 0) {
      place = &begun;
      break;
    }
  auto* all = static_cast<Entered*>(malloc(sizeof(Entered) * static_cast<size_t>(comm.size)));
  *place = {serial, MPI_REQUEST_NULL, call, root, entered_of(comm, way_of(call), given, got, virtual_now_s()),
            all};
  if (all == nullptr) return;
  PMPI_Iallgather(&place->own, sizeof(Entered), MPI_BYTE, all, sizeof(Entered), MPI_BYTE, comm.handle,
                  &place->request);
  if (place != &fallback) return;
  trouble(Trouble::virtual_not_costed);
  PMPI_Wait(&place->request, MPI_STATUS_IGNORE);
  free(all);
}

void icollective_completes(const KnownComm& comm, uint64_t serial) {
  for (Begun& begun : begun_ones) {
    if (begun.serial != serial) continue;
    if (begun.all != nullptr) {
      PMPI_Wait(&begun.request, MPI_STATUS_IGNORE);
      reach_at_leave(done_at(comm, way_of(begun.call), begun.root, begun.all));
    }
    free(begun.all);
    begun = {};
    return;
  }
}

}  // namespace ww::interpose
