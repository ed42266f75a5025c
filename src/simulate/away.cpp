#include "simulate/away.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/predicted_run.hpp"

namespace ww::simulate {
namespace {

constexpr double second = 1e-9;  // of a nanosecond

double since_s(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(std::max<std::int64_t>(0, to_ns - from_ns)) * second;
}

Computed::Rank computed_by(const RankTrace& from, double dilation) {
  Computed::Rank out;
  std::int64_t at_ns = from.begin_ns;
  // A stretch is behind the computation that it stretches, in front of the next call.
  const auto add = [&](std::int64_t until_ns) {
    const double gap_s = since_s(at_ns, until_ns);
    out.seconds.push_back(gap_s / dilation);
    return gap_s - gap_s / dilation;
  };
  for (std::size_t call = 0; call < from.calls(); ++call) {
    if (from.enter_ns[call] < from.begin_ns || from.enter_ns[call] >= from.end_ns) continue;
    const double stretch_s = add(from.enter_ns[call]);
    const std::int64_t leave_ns = std::max(std::min(from.leave_ns[call], from.end_ns), at_ns);
    out.between_s.push_back(stretch_s + since_s(from.enter_ns[call], leave_ns));
    out.calls.push_back(from.region[call]);
    at_ns = leave_ns;
  }
  (void)add(from.end_ns);
  return out;
}

}  // namespace

Computed computed_in(const Trace& trace) {
  Computed out{trace.source.parent_path().filename().string(), trace.regions, {}};
  for (const RankTrace& rank : trace.ranks) out.ranks.push_back(computed_by(rank, trace.dilation));
  return out;
}

Computed computed_in(const RunNotes& notes, const Simulated& simulated) {
  Computed out;
  for (const SimulatedRank& rank : simulated.ranks) {
    Computed::Rank& to = out.ranks.emplace_back();
    const RunNotes::Rank& from = notes.ranks()[static_cast<std::size_t>(rank.rank)];
    double at_s = rank.begin_s;
    for (std::size_t call = 0; call < from.enter_s.size(); ++call) {
      to.seconds.push_back(from.enter_s[call] - at_s);
      to.between_s.push_back(from.leave_s[call] - from.enter_s[call]);
      at_s = from.leave_s[call];
    }
    to.seconds.push_back(rank.begin_s + rank.elapsed_s - at_s);
  }
  return out;
}

Result<void> made_the_same_calls(const Computed& one, const Computed& other) {
  constexpr const char* what = "the second recording is not of the same program";
  constexpr const char* remedy =
      "record the same launch line on both networks, with the same input; a program whose calls depend on "
      "time or chance (polling, any source, a stop by the clock) cannot be compared so";
  if (one.ranks.size() != other.ranks.size())
    return fail(
        what,
        fmt::format("{} has {} ranks, {} has {}", one.of, one.ranks.size(), other.of, other.ranks.size()),
        remedy);
  for (std::size_t rank = 0; rank < one.ranks.size(); ++rank) {
    const auto &a = one.ranks[rank].calls, &b = other.ranks[rank].calls;
    const std::size_t both = std::min(a.size(), b.size());
    for (std::size_t call = 0; call < both; ++call)
      if (one.names[a[call]] != other.names[b[call]])
        return fail(what,
                    fmt::format("rank {}'s call {} is {} in {} and {} in {}", rank, call + 1,
                                one.names[a[call]], one.of, other.names[b[call]], other.of),
                    remedy);
    if (a.size() != b.size())
      return fail(what,
                  fmt::format("rank {} made {} calls in {} and {} in {}, the first {} alike", rank, a.size(),
                              one.of, b.size(), other.of, both),
                  remedy);
  }
  return {};
}

Result<void> is_of_real_computation(const Trace& trace) {
  constexpr const char* what = "what is between calls is not the computation alone";
  const std::string where = trace.source.string();
  if (is_partial(trace))
    return fail(what, where + ": a partial recording", "record the whole program, with all of its calls");
  if (trace.run.in_virtual_time)
    return fail(what, where + ": a run in virtual time, which counts the processor's",
                "record the program on the other network");
  if (trace.predicted)
    return fail(what, where + ": a prediction, which computes as its recording did",
                "give the recording of a run");
  return {};
}

std::vector<double> away_before(const Computed::Rank& rank, const std::vector<bool>& counts) {
  WW_INVARIANT(counts.size() == rank.seconds.size());
  std::vector<double> out;
  out.reserve(rank.seconds.size());
  double away_s = never_before;
  for (std::size_t i = 0; i < rank.seconds.size(); ++i) {
    out.push_back(away_s);
    if (counts[i])
      away_s = 0;
    else if (away_s != never_before)
      away_s += rank.seconds[i];
    if (i < rank.between_s.size() && away_s != never_before) away_s += rank.between_s[i];
  }
  return out;
}

Result<Computed> real_computation_in(const Trace& trace) {
  WW_CHECK(is_of_real_computation(trace));
  return computed_in(trace);
}

}  // namespace ww::simulate
