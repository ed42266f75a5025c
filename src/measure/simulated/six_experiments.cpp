#include "measure/simulated/six_experiments.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace ww::measure::simulated {
namespace {

using cube::NodeProgram;
using nlohmann::json;

constexpr int most_hops = 5;                       // S1's
constexpr int neighbour = 2, other_neighbour = 1;  // what 1 sends to 2 passes through node 0

void times(const Apparatus& apparatus, const std::function<void()>& repetition) {
  for (int i = 0; i <= apparatus.repetitions; ++i) repetition();
}

// 1. computing: Q runs while messages leave their nodes, on both ends; else nothing does, and X alone
// remains.
Result<Repeated> echo(const Apparatus& a, int hops, double n, bool computing) {
  const int far = (1 << hops) - 1;
  std::map<int, NodeProgram> others;
  times(a, [&] {
    others[far].receive(0, n).compute(a.short_q_s).send(0, n);
    if (computing) others[far].compute(a.short_q_s);
  });
  WW_TRY(const auto means, repeat(a, 2, {{0, 1, a.known_short_s}}, others, [&](NodeProgram& node) {
           node.read_clock().send(far, n);
           if (computing) node.compute(a.short_q_s);
           node.receive(far, n).read_clock().compute(a.short_q_s);
         }));
  return means[0];
}

struct Neighbour {
  Repeated received, there, sent;  // 2, 3, 4
};
Result<Neighbour> with_neighbour(const Apparatus& a, double n) {
  std::map<int, NodeProgram> others;
  times(a, [&] {
    others[neighbour].receive(0, n).compute(2 * a.short_q_s).send(0, n).compute(a.short_q_s);
    others[neighbour].receive(0, n).compute(2 * a.short_q_s).send(0, n);
  });
  const std::vector<ReadingsBetween> wanted{{0, 1, a.known_long_s}, {1, 2, 0}, {2, 3, a.known_short_s}};
  WW_TRY(const auto means, repeat(a, 4, wanted, others, [&](NodeProgram& node) {
           node.send(neighbour, n).compute(a.short_q_s);
           node.read_clock().compute(a.long_q_s).read_clock();
           node.receive(neighbour, n).read_clock();
           node.send(neighbour, n).compute(a.short_q_s).read_clock();
           node.receive(neighbour, n).compute(a.short_q_s);
         }));
  return Neighbour{means[0], means[1], means[2]};
}

// 5
Result<Repeated> forwarded(const Apparatus& a, double n) {
  std::map<int, NodeProgram> others;
  times(a, [&] {
    others[other_neighbour].receive(0, n).compute(2 * a.short_q_s).send(neighbour, n).compute(a.short_q_s);
    others[neighbour].receive(other_neighbour, n);
  });
  WW_TRY(const auto means, repeat(a, 2, {{0, 1, a.known_long_s}}, others, [&](NodeProgram& node) {
           node.send(other_neighbour, n).compute(a.short_q_s);
           node.read_clock().compute(a.long_q_s).read_clock().compute(a.short_q_s);
         }));
  return means[0];
}

// 6
Result<Repeated> posted(const Apparatus& a, double n) {
  std::map<int, NodeProgram> others;
  times(a, [&] { others[neighbour].receive(0, n).compute(a.long_q_s).send(0, n).compute(a.short_q_s); });
  WW_TRY(const auto means, repeat(a, 2, {{0, 1, a.known_long_s}}, others, [&](NodeProgram& node) {
           node.read_clock().send(neighbour, n).compute(a.short_q_s);
           node.receive(neighbour, n).read_clock().compute(a.short_q_s);
         }));
  return means[0];
}

}  // namespace

Result<std::vector<json>> six_experiments(const Apparatus& a) {
  if (a.machine.dimensions < 2)
    return fail("a hypercube of one dimension forwards nothing", "", "take one of two dimensions or more");
  std::vector<json> records;
  for (const double n : a.sizes) {
    const auto six = [&](int experiment, int hops, const char* computation, const Repeated& seen) {
      records.push_back({{"kind", "six"},
                         {"between", "inter"},
                         {"experiment", experiment},
                         {"hops", hops},
                         {"bytes", n},
                         {"computation", computation},
                         {"seconds", seen.means},
                         {"shortest_s", seen.shortest_s},
                         {"longest_s", seen.longest_s}});
    };
    const json link = {{"between", "inter"}, {"bytes", n}};
    for (int hops = 1; hops <= std::min(most_hops, a.machine.dimensions); ++hops) {
      WW_TRY(const Repeated busy, echo(a, hops, n, true));
      WW_TRY(const Repeated idle, echo(a, hops, n, false));
      six(1, hops, "integer", busy);
      six(1, hops, "none", idle);
      if (hops > 1) continue;
      records.push_back(link);
      records.back().update({{"kind", "busy"}, {"idle_s", idle.means}, {"busy_s", busy.means}});
    }
    WW_TRY(const Neighbour near, with_neighbour(a, n));
    WW_TRY(const Repeated through, forwarded(a, n));
    WW_TRY(Repeated round_trip, posted(a, n));
    six(2, 1, "integer", near.received);
    six(3, 1, "integer", near.there);
    six(4, 1, "integer", near.sent);
    six(5, 1, "integer", through);
    six(6, 1, "integer", round_trip);
    for (double& seconds : round_trip.means) seconds /= 2;
    records.push_back(link);
    records.back().update({{"kind", "pingpong"}, {"check", false}, {"one_way_s", round_trip.means}});
  }
  return records;
}

}  // namespace ww::measure::simulated
