#include "measure/simulated/simulated_interference.hpp"

#include <algorithm>
#include <cmath>

namespace ww::measure::simulated {
namespace {

using cube::NodeProgram;

constexpr double streamed_bytes = 2000, answer_bytes = 4;
constexpr int most_neighbours = 3, ahead = 3, computations = 15, settling = 2;

struct Streamed {
  double with_s = 0;     // node 0's computation
  double message_s = 0;  // mean of the streams
  double final_s = 0;    // of the last fifth of the messages of each
};

Result<Streamed> stream(const Apparatus& a, int neighbours, int trial) {
  std::map<int, NodeProgram> programs;
  NodeProgram& node = programs[0];
  for (int i = 0; i < neighbours; ++i) {
    const int from = 1 << (2 * i), to = from << 1;
    // nothing keeps the streams in step: each begins at another time, in every trial
    const double golden = 0.6180339887 * (1 + trial + a.trials * i);
    node.compute((golden - std::floor(golden)) * a.machine.costs.E.at(streamed_bytes))
        .send(from, answer_bytes);
    NodeProgram& sender = programs[from];
    sender.receive(0, answer_bytes);
    for (int k = 0; k < ahead; ++k) sender.send(to, streamed_bytes);
    const std::size_t again = sender.here();
    sender.send(to, streamed_bytes).receive(to, answer_bytes).read_clock().go_to(again);
    programs[to].receive(from, streamed_bytes).send(from, answer_bytes).go_to(0);
  }
  for (int i = 0; i < settling; ++i) node.compute(a.long_q_s);
  a.begin(node, trial, 0);
  node.read_clock();
  for (int i = 0; i < computations; ++i) node.compute(a.long_q_s);
  node.read_clock();
  WW_TRY(const cube::Run run, cube::run(a.machine, programs, 0));
  if (run.nodes.at(0).memory_full_s > 0)
    return fail("the streams need more of the node's memory than there is",
                "hypercube.memory_channels of the model",
                "this contention model says nothing beyond that; leave the key out to simulate without one");
  const auto& clock_s = run.nodes.at(0).clock_s;
  Streamed out;
  out.with_s = clock_s[1] - clock_s[0] - a.known_call_s;
  for (int i = 0; i < neighbours; ++i) {
    std::vector<double> during;
    for (const double seen_s : run.nodes.at(1 << (2 * i)).clock_s)
      if (clock_s[0] <= seen_s && seen_s <= clock_s[1]) during.push_back(seen_s);
    if (during.size() < 2)
      return fail("a stream passed fewer than two messages", "",
                  "this machine is too slow for the experiment");
    const std::size_t gaps = during.size() - 1, last = std::max<std::size_t>(1, gaps / 5);
    out.message_s += (during.back() - during.front()) / static_cast<double>(gaps) / neighbours;
    out.final_s += (during.back() - during[gaps - last]) / static_cast<double>(last) / neighbours;
  }
  return out;
}

}  // namespace

Result<std::vector<nlohmann::json>> interference(const Apparatus& a) {
  std::vector<nlohmann::json> records;
  for (int neighbours = 1; neighbours <= std::min(most_neighbours, a.machine.dimensions / 2); ++neighbours) {
    Means with, alone, message, final;
    for (int trial = 0; trial < a.trials; ++trial) {
      WW_TRY(const Streamed one, stream(a, neighbours, trial));
      with.push_back(one.with_s);
      alone.push_back(computations * a.known_long_s);
      message.push_back(one.message_s);
      final.push_back(one.final_s);
    }
    records.push_back({{"kind", "interference"},
                       {"neighbours", neighbours},
                       {"bytes", streamed_bytes},
                       {"alone_s", alone},
                       {"with_s", with},
                       {"message_s", message},
                       {"final_message_s", final}});
  }
  return records;
}

}  // namespace ww::measure::simulated
