#include "report/sample.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/headline.hpp"
#include "report/timeline_json.hpp"

namespace ww::sample {
namespace {

using Json = nlohmann::json;

enum Region : std::uint16_t { isend, recv, wait, allreduce };

class Recorder {
 public:
  Recorder(RankTrace& rank, Breakdown::CallSplit& split) : rank_(rank), split_(split) {
    rank_.first_action = {0};
  }

  void call(Region region, std::int64_t enter_ns, std::int64_t leave_ns, std::int64_t algorithmic_ns,
            std::int64_t service_ns) {
    rank_.enter_ns.push_back(enter_ns);
    rank_.leave_ns.push_back(leave_ns);
    rank_.region.push_back(region);
    rank_.first_action.push_back(static_cast<std::uint32_t>(rank_.actions()));
    split_.algorithmic_ns.push_back(algorithmic_ns);
    split_.service_ns.push_back(service_ns);
  }
  // An action of the call that is recorded next.
  void action(ActionKind kind, std::size_t peer, std::uint64_t bytes, std::uint64_t received = 0) {
    rank_.kind.push_back(kind);
    rank_.peer.push_back(static_cast<std::int32_t>(peer));
    rank_.tag.push_back(7);
    rank_.comm.push_back(0);
    rank_.bytes.push_back(bytes);
    rank_.bytes_received.push_back(received);
    rank_.operation.push_back(0);
    rank_.match.push_back(none);
  }

 private:
  RankTrace& rank_;
  Breakdown::CallSplit& split_;
};

void summarise(SampleRecording& recording, const SampleProgram& program) {
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  Breakdown& breakdown = recording.breakdown;
  const Trace& trace = recording.trace;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    RankBreakdown sum;
    sum.rank = static_cast<std::int32_t>(r);
    sum.host = rank.host;
    sum.elapsed_s = seconds(rank.end_ns - rank.begin_ns);
    double inside_s = 0;
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      const double time_s = seconds(rank.leave_ns[call] - rank.enter_ns[call]);
      inside_s += time_s;
      sum.blocked_algorithmic_s += seconds(breakdown.splits[r].algorithmic_ns[call]);
      sum.blocked_service_s += seconds(breakdown.splits[r].service_ns[call]);
      CallTotal& total = breakdown.calls[trace.regions[rank.region[call]]];
      total.count += 1;
      total.time_s += time_s;
      total.blocked_s +=
          seconds(breakdown.splits[r].algorithmic_ns[call] + breakdown.splits[r].service_ns[call]);
    }
    sum.blocked_s = sum.blocked_algorithmic_s + sum.blocked_service_s;
    sum.library_s = inside_s - sum.blocked_s;
    sum.compute_s = sum.elapsed_s - inside_s;
    sum.messages_sent = sum.messages_received = program.rounds;
    sum.bytes_sent = sum.bytes_received = program.rounds * program.bytes;
    breakdown.elapsed_s = std::max(breakdown.elapsed_s, sum.elapsed_s);
    breakdown.ranks.push_back(sum);
    breakdown.peers.push_back({sum.rank, static_cast<std::int32_t>((r + 1) % program.ranks), program.rounds,
                               program.rounds * program.bytes});
  }
}

Json report_of(const Breakdown& breakdown) {
  Json ranks = Json::array(), calls = Json::object(), peers = Json::array();
  for (const RankBreakdown& r : breakdown.ranks)
    ranks.push_back({{"rank", r.rank},
                     {"host", r.host},
                     {"elapsed_s", r.elapsed_s},
                     {"compute_s", r.compute_s},
                     {"library_s", r.library_s},
                     {"blocked_s", r.blocked_s},
                     {"blocked_algorithmic_s", r.blocked_algorithmic_s},
                     {"blocked_service_s", r.blocked_service_s},
                     {"messages_sent", r.messages_sent},
                     {"bytes_sent", r.bytes_sent},
                     {"messages_received", r.messages_received},
                     {"bytes_received", r.bytes_received}});
  for (const auto& [name, total] : breakdown.calls)
    calls[name] = {{"count", total.count},
                   {"time_s", total.time_s},
                   {"program_s", total.time_s},
                   {"blocked_s", total.blocked_s}};
  // Starting took twelve times as long as the program.
  calls["MPI_Init"] = {{"count", ranks.size()},
                       {"time_s", 12.115 * breakdown.elapsed_s * static_cast<double>(breakdown.ranks.size())},
                       {"program_s", 0.0},
                       {"blocked_s", 0.0}};
  for (const PeerTotal& p : breakdown.peers)
    peers.push_back({{"source", p.source},
                     {"destination", p.destination},
                     {"messages", p.messages},
                     {"bytes", p.bytes},
                     {"collective_bytes", 1000 * (p.source + 1)}});
  peers.push_back(
      {{"source", 0}, {"destination", 2}, {"messages", 0}, {"bytes", 0}, {"collective_bytes", 5000}});
  return {{"ranks", ranks},
          {"elapsed_s", breakdown.elapsed_s},
          {"unmatched_sends", 0},
          {"unmatched_receives", 0},
          {"wildcard_receives", 0},
          {"events", 0},
          {"calls", calls},
          {"peers", peers},
          {"combined_bytes", 640},
          {"causes",
           {{{"sentence", "Late sender: rank 1 waits 82% of its time in MPI_Recv for rank 0"}},
            {{"sentence",
              "Transfer: rank 2 waits 11% of its time in MPI_Recv for what is on its way: 1.2 ms a call for "
              "64 KiB, 437 Mb/s"}}}},
          {"diagnostics", Json::array()}};
}

// Points on the model's own line, each off by a few per cent in turn.
Json link(const char* between, double base_s, double seconds_per_byte) {
  const double threshold = 65536, rendezvous_s = 1.6 * base_s;
  const auto segment = [&](double from, double to, double base) {
    return Json{{"from_bytes", from},
                {"to_bytes", to},
                {"base_s", base},
                {"seconds_per_byte", seconds_per_byte},
                {"base_ci_s", {base * 0.98, base * 1.02}},
                {"seconds_per_byte_ci", {seconds_per_byte * 0.99, seconds_per_byte * 1.01}}};
  };
  Json points = Json::array();
  int i = 0;
  for (double bytes = 1; bytes <= 4194304; bytes *= 2, ++i) {
    const double s = (bytes <= threshold ? base_s : rendezvous_s) + seconds_per_byte * bytes;
    const double median_s = s * (1 + 0.02 * ((i % 3) - 1));
    points.push_back({{"bytes", bytes},
                      {"median_s", median_s},
                      {"low_s", median_s * 0.97},
                      {"high_s", median_s * 1.04},
                      {"samples", 40}});
  }
  return {{"between", between},
          {"latency_s", base_s},
          {"latency_ci_s", {base_s * 0.98, base_s * 1.02}},
          {"segments", {segment(0, threshold, base_s), segment(threshold + 1, 4194304, rendezvous_s)}},
          {"eager_threshold_bytes", threshold},
          {"pingpong_fit_error", {{"mean", 0.0134}, {"max", 0.0204}}},
          {"points", points}};
}

Json components(double elapsed_s, double user, double communication, double receive_wait) {
  return {{"user_s", elapsed_s * user},
          {"communication_s", elapsed_s * communication},
          {"receive_wait_s", elapsed_s * receive_wait},
          {"send_s", elapsed_s * (1 - user - communication - receive_wait)}};
}

Json study(const char* name, const Json& launch, const SampleProgram& program) {
  const SampleRecording recording = record(program);
  const double recorded_s = recording.breakdown.elapsed_s;
  const auto time = [](double s, double spread) {
    return Json{{"s", s}, {"low", s * (1 - spread)}, {"high", s * (1 + spread)}};
  };
  return {{"name", name},
          {"launch", launch},
          {"recorded_s", recorded_s},
          {"recorded_runs_s", {recorded_s * 0.996, recorded_s, recorded_s * 1.004}},
          {"replayed_s", recorded_s * 1.008},
          {"what_ifs",
           {{{"spec", "bandwidth=x10"},
             {"simulated", time(recorded_s * 0.655, 0.03)},
             {"dilated", time(recorded_s * 0.70, 0.02)},
             {"virtual", time(recorded_s * 0.69, 0.02)},
             {"real", time(recorded_s * 0.668, 0.006)},
             {"agree", true}},
            {{"spec", "bandwidth=x10,latency=x0.5"},
             {"simulated", time(recorded_s * 0.62, 0.03)},
             {"dilated", nullptr},
             {"real", nullptr},
             {"agree", false}}}},
          {"report", report_of(recording.breakdown)},
          {"timeline", timeline_json(recording.trace, recording.breakdown)},
          {"dilation",
           {{"runs",
             {{{"D", 1}, {"elapsed_s", recorded_s}, {"normalised_s", recorded_s}},
              {{"D", 2}, {"elapsed_s", recorded_s * 1.66}, {"normalised_s", recorded_s * 0.83}},
              {{"D", 4}, {"elapsed_s", recorded_s * 2.96}, {"normalised_s", recorded_s * 0.74}},
              {{"D", 10}, {"elapsed_s", recorded_s * 7.0}, {"normalised_s", recorded_s * 0.70}}}},
            {"speedup",
             {{{"D", 1}, {"value", 1.0}, {"low", 0.99}, {"high", 1.01}},
              {{"D", 2}, {"value", 1.2}, {"low", 1.17}, {"high", 1.23}},
              {{"D", 4}, {"value", 1.35}, {"low", 1.31}, {"high", 1.39}},
              {{"D", 10}, {"value", 1.43}, {"low", 1.40}, {"high", 1.46}}}},
            {"shares",
             {{{"D", 1},
               {"normalised_s", recorded_s},
               {"user_percent", 52.1},
               {"communication_percent", 3.0},
               {"receive_wait_percent", 44.2},
               {"send_percent", 0.7},
               {"components", components(recorded_s, 0.521, 0.03, 0.442)}},
              {{"D", 10},
               {"normalised_s", recorded_s * 0.70},
               {"user_percent", 74.4},
               {"communication_percent", 4.3},
               {"receive_wait_percent", 20.3},
               {"send_percent", 1.0},
               {"components", components(recorded_s * 0.70, 0.744, 0.043, 0.203)}}}},
            {"flattens", {{"D", 4}, {"because", "most of what remains is the program's own work"}}},
            {"verdict", "communication-bound"},
            {"because", "the time falls with D until the slowest rank's computation is left"}}},
          {"assumptions",
           {"collectives are replayed by recursive doubling",
            "the computation between calls takes as long as recorded"}},
          {"diagnostics", Json::array()}};
}

}  // namespace

const char* const hostile =
    "</script><script>document.documentElement.dataset.pwned='yes'</script><img src=x "
    "onerror=alert(1)>&amp;\"'";

SampleRecording record(const SampleProgram& program) {
  SampleRecording recording;
  Trace& trace = recording.trace;
  const std::size_t ranks = program.ranks;
  trace.regions = {"MPI_Isend", "MPI_Recv", "MPI_Wait", "MPI_Allreduce"};
  trace.ranks.resize(ranks);
  trace.comms = {{"MPI_COMM_WORLD", {}}};
  recording.breakdown.splits.resize(ranks);
  std::vector<Recorder> recorders;
  for (std::size_t r = 0; r < ranks; ++r) {
    trace.ranks[r].host = r % 2 == 0 ? "alpha" : "beta";
    recorders.emplace_back(trace.ranks[r], recording.breakdown.splits[r]);
  }
  std::vector<std::int64_t> now(ranks, 0), sent(ranks, 0);
  for (std::size_t round = 0; round < program.rounds; ++round) {
    for (std::size_t r = 0; r < ranks; ++r) {
      now[r] += program.compute_ns + (r == round / 4 % ranks ? program.slower_rank_extra_ns : 0);
      sent[r] = now[r];
      recorders[r].action(ActionKind::isend, (r + 1) % ranks, program.bytes);
      recorders[r].call(isend, now[r], now[r] + program.software_ns, 0, 0);
      now[r] += program.software_ns;
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t left = (r + ranks - 1) % ranks;
      const std::int64_t enter = now[r], arrived = std::max(enter, sent[left] + program.wire_ns);
      const std::int64_t algorithmic = std::max<std::int64_t>(0, sent[left] - enter);
      Message message;
      message.source = static_cast<std::int32_t>(left);
      message.destination = static_cast<std::int32_t>(r);
      message.tag = 7;
      message.bytes = program.bytes;
      message.send_call = static_cast<std::uint32_t>(trace.ranks[left].calls() - (left < r ? 3 : 1));
      message.recv_post_call = message.recv_done_call = static_cast<std::uint32_t>(trace.ranks[r].calls());
      trace.messages.push_back(message);
      recorders[r].action(ActionKind::recv, left, program.bytes);
      recorders[r].call(recv, enter, arrived + program.software_ns, algorithmic,
                        arrived - enter - algorithmic);
      now[r] = arrived + program.software_ns;
      recorders[r].call(wait, now[r], now[r] + program.software_ns / 4, 0, 0);
      now[r] += program.software_ns / 4;
    }
    if (round % 5 != 4) continue;
    const std::int64_t last = *std::max_element(now.begin(), now.end()), done = last + program.wire_ns / 2;
    for (std::size_t r = 0; r < ranks; ++r) {
      recorders[r].action(ActionKind::collective, 0, 8, 8);
      trace.ranks[r].peer.back() = -1;
      recorders[r].call(allreduce, now[r], done + program.software_ns, last - now[r], done - last);
      now[r] = done + program.software_ns;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) trace.ranks[r].end_ns = now[r] + program.compute_ns;
  // Two levels of regions on every rank of the sample: the whole, and its first half.
  trace.user.regions = {hostile, "first half"};
  for (std::size_t r = 0; r < ranks; ++r)
    trace.ranks[r].user.regions = {{0, trace.ranks[r].end_ns, 0, 0}, {0, trace.ranks[r].end_ns / 2, 1, 0}};
  summarise(recording, program);
  return recording;
}

Json report_data() {
  Json first = study("ring", "mpirun -n 4 ./ring --length 575", SampleProgram{});
  SampleProgram wide;
  wide.ranks = 8;
  wide.rounds = 60;
  wide.slower_rank_extra_ns = 5'000'000;
  Json second = study(hostile, {"mpirun", "-n", "8", hostile}, wide);
  second["what_ifs"][0]["agree"] = false;
  second["what_ifs"][0]["dilated"] = {{"s", second["recorded_s"].get<double>() * 0.92}};
  second["what_ifs"][0]["virtual"] = {{"s", 2.928 * second["what_ifs"][0]["real"]["s"].get<double>()}};
  second["diagnostics"] = {
      {{"name", "times-disturbed"},
       {"severity", "warning"},
       {"count", 3},
       {"remedy", "More busy ranks than cores: ranks waited for a core. Give each rank its own."}}};
  const auto region = [](const char* name, int visits, double time_s, double compute_s, double blocked_s) {
    return Json{{"region", name},
                {"visits", visits},
                {"time_s", time_s},
                {"compute_s", compute_s},
                {"library_s", time_s - compute_s - blocked_s},
                {"blocked_s", blocked_s}};
  };
  second["report"]["regions"] = {region(hostile, 1200, 0.5, 0.25, 0.2), region("solve", 8, 2, 1.5, 0.25)};
  for (Json* each : {&first, &second}) add_headlines(*each);
  return {{"title", "What ten times the bandwidth would do"},
          {"made_by", "whatwire 0.1.0"},
          {"machine",
           {{"name", "lab, two hosts at 10 Mb/s"},
            {"links", {link("inter", 250e-6, 0.82e-6), link("intra", 0.9e-6, 0.16e-9)}},
            {"flags", {"a gap of -3 ns was measured within a host; it is not used"}}}},
          {"assumptions", {"the other network has the same latency"}},
          {"diagnostics", Json::array()},
          {"studies", {first, second}}};
}

}  // namespace ww::sample
