#include "interpose/core/collective_play.hpp"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/core/virtual_ports.hpp"

namespace ww::interpose {

namespace {

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

}  // namespace

Way way_of_name(const char* name) {
  char small[64] = {};
  for (int i = 0; i < 63 && name[i] != 0; ++i) small[i] = static_cast<char>(tolower(name[i]));
  for (const Named& named : by_name)
    if (strstr(small, named.part) != nullptr) return named.way;
  return Way::barrier;
}

namespace {

// The clocks of all ranks while they exchange messages.
class Players {
 public:
  Players(const Cast& cast, const Entered* entered, double* clocks) : cast_(cast), n_(cast.size), t_(clocks) {
    memory_ = static_cast<double*>(malloc(sizeof(double) * 3 * static_cast<size_t>(n_)));
    if (memory_ == nullptr) return;
    out_ = memory_, there_ = out_ + n_, old_ = there_ + n_;
    for (int i = 0; i < n_; ++i) t_[i] = entered[i].at_s;
  }
  ~Players() { free(memory_); }
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  bool ready() const { return memory_ != nullptr; }

  void send(int from, int to, double bytes) {
    const uint64_t n = whole(bytes);
    const MessageCosts& costs = of(from, to);
    t_[from] += costs.send.at(n);
    const Passed passed = pass(costs, from, to, n, t_[from], t_[to]);
    if (costs.rendezvous(n)) reach(from, passed.out_s);
    receive(costs, to, n, passed.there_s);
  }

  // All at once: each rank sends to `to(rank)` and then receives.
  template <class To>
  void exchange(To&& to, double bytes) {
    const uint64_t n = whole(bytes);
    for (int i = 0; i < n_; ++i) {
      old_[i] = t_[i];
      t_[i] += of(i, to(i)).send.at(n);
    }
    for (int i = 0; i < n_; ++i) {
      const MessageCosts& costs = of(i, to(i));
      const Passed passed = pass(costs, i, to(i), n, t_[i], old_[to(i)]);
      out_[i] = costs.rendezvous(n) ? passed.out_s : t_[i];
      there_[to(i)] = passed.there_s;
    }
    for (int i = 0; i < n_; ++i) receive(of(i, to(i)), to(i), n, there_[to(i)]);
    for (int i = 0; i < n_; ++i) reach(i, out_[i]);
  }

  // Everybody to everybody at once: all sends first.
  void all_pairs(const Entered* entered) {
    for (int i = 0; i < n_; ++i) old_[i] = out_[i] = t_[i];
    for (int step = 1; step < n_; ++step)
      for (int i = 0; i < n_; ++i) t_[i] += of(i, (i + step) % n_).send.at(whole(entered[i].bytes));
    for (int step = 1; step < n_; ++step)
      for (int i = 0; i < n_; ++i) {
        const int to = (i + step) % n_;
        const uint64_t n = whole(entered[i].bytes);
        const MessageCosts& costs = of(i, to);
        out_[i] += costs.send.at(n);
        const Passed passed = pass(costs, i, to, n, out_[i], old_[to]);
        if (costs.rendezvous(n)) reach(i, passed.out_s);
        receive(costs, to, n, passed.there_s);
      }
  }

 private:
  struct Passed {
    double out_s, there_s;  // when the sending port, and the receiving one, are through with it
  };

  static uint64_t whole(double bytes) { return bytes > 0 ? static_cast<uint64_t>(bytes + 0.5) : 0; }

  const MessageCosts& of(int from, int to) const { return cast_.costs(cast_.of, from, to); }

  Passed pass(const MessageCosts& costs, int from, int to, uint64_t n, double sent_s, double posted_s) const {
    const double port_s = costs.port.at(n), head_s = costs.head_s(n);
    const double ready_s = costs.rendezvous(n) ? costs.data_ready_s(n, sent_s, posted_s) : sent_s;
    const int sender = cast_.host(cast_.of, from), receiver = cast_.host(cast_.of, to);
    if (sender < 0 || receiver < 0) return {ready_s + port_s, ready_s + head_s + port_s};
    const Passage sent = pass_sending_port(sender, ready_s, port_s);
    return {sent.end_s, pass_receiving_port(receiver, sent, head_s, port_s)};
  }
  void reach(int rank, double at_s) {
    if (at_s > t_[rank]) t_[rank] = at_s;
  }
  void receive(const MessageCosts& costs, int to, uint64_t n, double there_s) {
    reach(to, there_s);
    t_[to] += costs.receive.at(n);
  }

  const Cast& cast_;
  int n_;
  double* memory_ = nullptr;
  double *t_, *out_ = nullptr, *there_ = nullptr, *old_ = nullptr;
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
// Rabenseifner: half of the vector with the neighbour, a quarter with the one after, ... and back again.
void sum_by_halves(Players& play, int n, double bytes) {
  for (int k = 1; k < n; k *= 2) play.exchange([k](int i) { return i ^ k; }, bytes /= 2);
  for (int k = n / 2; k > 0; k /= 2, bytes *= 2) play.exchange([k](int i) { return i ^ k; }, bytes);
}
void around(Players& play, int n, double bytes, int rounds) {
  for (int round = 0; round < rounds; ++round) play.exchange([n](int i) { return (i + 1) % n; }, bytes);
}

}  // namespace

bool play_collective(const Cast& cast, Way way, int given_root, const Entered* entered, double* done_s) {
  const int n = cast.size, root = given_root < 0 || given_root >= n ? 0 : given_root;
  Players play(cast, entered, done_s);
  if (!play.ready()) return false;
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
        sum_by_halves(play, n, bytes);
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
  return true;
}

}  // namespace ww::interpose
