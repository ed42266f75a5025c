// The model simulated on the experiments that it was fitted to, and on some that it was not. What a
// simulation does not give back, a prediction cannot know: a ping-pong that is off is a bad fit; trains,
// windows, exchanges and collectives that are off are what the model leaves out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "library/libraries.hpp"
#include "measure/fit.hpp"
#include "simulate/simulate.hpp"
#include "simulate/trace_builder.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;
using simulate::TraceBuilder;

constexpr int round_trips = 4;
// Enough that what a first exchange began goes on.
constexpr int exchanges = 8;
constexpr double worth_a_flag = 0.1;  // mean relative error of an experiment

struct Entry {
  const char* experiment;
  std::string between;
  double bytes = 0, measured_s = 0;
  double per = 1;  // the simulated run holds so many of what was measured
  TraceBuilder run;
  // Large messages meet, which go at once or in turn: the same where a request was read before the other was sent. A measurement
  // between the two, of which each is possible, is off by nothing.
  std::optional<TraceBuilder> late = {};
};

TraceBuilder pair_of(const std::string& between) {
  return between == "inter" ? TraceBuilder({"a", "b"}) : TraceBuilder({"a", "a"});
}

// What the messages of all of a run's ranks go through.
const char* network_of(TraceBuilder& run) {
  for (const RankTrace& rank : run.trace().ranks)
    if (rank.host != run.trace().ranks.front().host) return to_string(Place::inter);
  return to_string(Place::intra);
}

std::uint64_t whole(double bytes) {
  return static_cast<std::uint64_t>(std::llround(bytes));
}

Entry ping_pong(const SizePoint& point, const std::string& between) {
  Entry entry{"ping-pong", between, point.bytes, point.median_s, 2.0 * round_trips, pair_of(between)};
  for (int i = 0; i < round_trips; ++i)
    for (const int from : {0, 1}) {
      entry.run.send(from, 1 - from, whole(point.bytes));
      entry.run.recv(1 - from, from, whole(point.bytes));
    }
  return entry;
}

// The mean of all: where large messages go in turn, who was late in one exchange is early in the next, and these take a half or
// three halves of that.
Entry exchange(const json& record, const Link& link) {
  const std::string between = record["between"];
  const double bytes = record["bytes"].get<double>();
  const auto seconds = record["exchange_s"].get<std::vector<double>>();
  const double mean_s =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  Entry entry{"two-way", between, bytes, mean_s, exchanges, pair_of(between)};
  const auto add = [&](TraceBuilder& run, bool late) {
    for (int i = 0; i < exchanges; ++i)
      for (const int rank : {0, 1}) {
        const bool first = late && i == 0;
        if (first && rank == 1) run.recv(1, 0, 1);
        const auto in = run.irecv(rank, 1 - rank, whole(bytes));
        const auto out = run.isend(rank, 1 - rank, whole(bytes));
        if (first && rank == 0) run.send(0, 1, 1);
        run.wait(rank, {out}, {in});
      }
  };
  add(entry.run, false);
  if (link.between == Place::inter && link.rendezvous(bytes))
    add(entry.late.emplace(pair_of(between)), true);
  else
    entry.measured_s = stats::median(seconds);
  return entry;
}

// Messages one after the other and an answer: of blocking sends (a train), or of as many at once (a window).
Entry train(const json& record) {
  const std::string between = record["between"];
  const double bytes = record["bytes"].get<double>();
  Entry entry{"train", between,         bytes, stats::median(record["train_s"].get<std::vector<double>>()),
              1,       pair_of(between)};
  for (int i = 0; i < record["train"].get<int>(); ++i) {
    entry.run.send(0, 1, whole(bytes));
    entry.run.recv(1, 0, whole(bytes));
  }
  entry.run.send(1, 0, whole(bytes));
  entry.run.recv(0, 1, whole(bytes));
  return entry;
}

Entry window(const json& record) {
  const std::string between = record["between"];
  const double bytes = record["bytes"].get<double>();
  Entry entry{"window", between,         bytes, stats::median(record["window_s"].get<std::vector<double>>()),
              1,        pair_of(between)};
  std::vector<std::uint32_t> in, out;
  for (int i = 0; i < record["window"].get<int>(); ++i) {
    in.push_back(entry.run.irecv(1, 0, whole(bytes)));
    out.push_back(entry.run.isend(0, 1, whole(bytes)));
  }
  entry.run.wait(1, {}, in);
  entry.run.wait(0, out, {});
  entry.run.send(1, 0, 1);
  entry.run.recv(0, 1, 1);
  return entry;
}

Entry relay(const json& record, const std::vector<std::string>& hosts) {
  const int hops = record["hops"].get<int>();
  const auto bytes = whole(record["bytes"].get<double>());
  Entry entry{"relay",
              "",
              record["bytes"].get<double>(),
              stats::median(record["echo_s"].get<std::vector<double>>()),
              round_trips,
              TraceBuilder({hosts.begin(), hosts.begin() + hops + 1})};
  const auto pass = [&](int from, int to) {
    entry.run.send(from, to, bytes);
    entry.run.recv(to, from, bytes);
  };
  for (int i = 0; i < round_trips; ++i) {
    for (int rank = 0; rank < hops; ++rank) pass(rank, rank + 1);
    for (int rank = hops; rank > 0; --rank) pass(rank, rank - 1);
  }
  return entry;
}

const std::map<std::string, CollectiveOp>& collective_names() {
  static const std::map<std::string, CollectiveOp> names{
      {"barrier", CollectiveOp::barrier},   {"bcast", CollectiveOp::bcast},
      {"reduce", CollectiveOp::reduce},     {"allreduce", CollectiveOp::allreduce},
      {"scan", CollectiveOp::scan},         {"gather", CollectiveOp::gather},
      {"scatter", CollectiveOp::scatter},   {"allgather", CollectiveOp::allgather},
      {"alltoall", CollectiveOp::alltoall}, {"reduce_scatter", CollectiveOp::reduce_scatter_block}};
  return names;
}

// Bytes that a member sends and receives, as recorders count them (Score-P and our own).
std::pair<std::uint64_t, std::uint64_t> counted(CollectiveOp op, std::uint64_t bytes, std::uint64_t ranks,
                                                bool root) {
  switch (op) {
    case CollectiveOp::reduce:
    case CollectiveOp::gather:
      return {bytes, root ? bytes * ranks : 0};
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
      return {root ? bytes * ranks : 0, bytes};
    case CollectiveOp::allgather:
      return {bytes, bytes * ranks};
    case CollectiveOp::alltoall:
      return {bytes * ranks, bytes * ranks};
    case CollectiveOp::reduce_scatter_block:
      return {bytes * ranks, bytes};
    default:
      return {bytes, bytes};
  }
}

Entry collective(const json& record, CollectiveOp op, const std::string& name,
                 const std::vector<std::string>& hosts, const char* mpi) {
  const auto ranks = record["ranks"].get<std::size_t>();
  const auto bytes = whole(record["bytes"].get<double>());
  Entry entry{name.c_str(),
              "",
              record["bytes"].get<double>(),
              stats::median(record["seconds"].get<std::vector<double>>()),
              1,
              TraceBuilder({hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(ranks)})};
  entry.run.trace().run.mpi = mpi;
  const bool rooted = op == CollectiveOp::bcast || op == CollectiveOp::reduce || op == CollectiveOp::gather ||
                      op == CollectiveOp::scatter;
  std::vector<std::uint64_t> sent, received;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto [out, in] = counted(op, bytes, ranks, rooted && rank == 0);
    sent.push_back(out);
    received.push_back(in);
  }
  entry.run.collective(op, rooted ? 0 : -1, sent, received);
  return entry;
}

// Which decides on the algorithms of its collectives.
const Library& library_or_default(const Samples& samples) {
  const Library* const library = library_of(samples);
  return library != nullptr ? *library : default_library();
}

}  // namespace

json close_loop(const Samples& samples, const MachineModel& model, std::vector<std::string>& flags) {
  json out = json::array();
  std::map<std::string, std::vector<double>> errors;
  std::string failed;
  const auto add = [&](Entry&& entry, int ranks) {
    auto simulated = replay(entry.run.trace(), model, {});
    if (!simulated) {
      failed = simulated.error().what;
      return;
    }
    const double simulated_s = simulated->elapsed_s / entry.per;
    if (!(entry.measured_s > 0)) return;
    double nearest_s = simulated_s;
    std::optional<double> in_turn_s;
    if (entry.late) {
      const auto in_turn = replay(entry.late->trace(), model, {});
      if (!in_turn) {
        failed = in_turn.error().what;
        return;
      }
      in_turn_s = in_turn->elapsed_s / entry.per;
      nearest_s =
          std::clamp(entry.measured_s, std::min(simulated_s, *in_turn_s), std::max(simulated_s, *in_turn_s));
    }
    const double relative = nearest_s / entry.measured_s - 1;
    json one = {{"experiment", entry.experiment},
                {"bytes", entry.bytes},
                {"measured_s", entry.measured_s},
                {"simulated_s", simulated_s},
                {"relative", relative}};
    if (in_turn_s) one["in_turn_s"] = *in_turn_s;
    one["between"] = entry.between.empty() ? network_of(entry.run) : entry.between;
    if (ranks > 0) one["ranks"] = ranks;
    errors[ranks > 0 && entry.between.empty() ? "collectives and relays" : entry.experiment].push_back(
        std::fabs(relative));
    out.push_back(std::move(one));
  };
  for (const Link& link : model.links) {
    const std::string between = to_string(link.between);
    for (const bool check : {false, true})
      for (const SizePoint& point : ping_pong_points(samples, between, check))
        add(ping_pong(point, between), 0);
    for (const auto* record : samples.of_kind("two-way", between)) add(exchange(*record, link), 0);
    for (const auto* record : samples.of_kind("parametrised", between)) add(train(*record), 0);
    for (const auto* record : samples.of_kind("message-rate", between)) add(window(*record), 0);
  }
  std::vector<std::string> hosts;
  for (const auto* record : samples.of_kind("group"))
    hosts = (*record)["hosts"].get<std::vector<std::string>>();
  for (const auto* record : samples.of_kind("relay"))
    if (const int ranks = (*record)["hops"].get<int>() + 1; static_cast<std::size_t>(ranks) <= hosts.size())
      add(relay(*record, hosts), ranks);
  for (const auto* record : samples.of_kind("collective")) {
    const auto name = collective_names().find((*record)["name"].get<std::string>());
    const int ranks = (*record)["ranks"].get<int>();
    if (name == collective_names().end() || static_cast<std::size_t>(ranks) > hosts.size()) continue;
    add(collective(*record, name->second, name->first, hosts, library_or_default(samples).name), ranks);
  }
  if (!failed.empty())
    flags.push_back(fmt::format("closed loop: some experiments could not be simulated ({})", failed));
  for (const auto& [experiment, all] : errors) {
    double mean = 0;
    for (const double one : all) mean += one / static_cast<double>(all.size());
    if (mean > worth_a_flag)
      flags.push_back(
          fmt::format("closed loop: {} simulated on this model are {:.0f}% off on average, {:.0f}% at most",
                      experiment, mean * 100, *std::max_element(all.begin(), all.end()) * 100));
  }
  return out;
}

}  // namespace ww::measure
