#include "simulate/schedule/batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <numeric>

#include "base/parallel.hpp"
#include "simulate/schedule/maxplus.hpp"
#include "simulate/schedule/taped.hpp"

namespace ww::schedule {
namespace {

constexpr std::size_t boundary = 64;

// Numbers on a boundary of a vector.
class LaneNumbers {
 public:
  explicit LaneNumbers(std::size_t count)
      : numbers_(static_cast<Ticks*>(
            ::operator new (std::max<std::size_t>(1, count) * sizeof(Ticks), std::align_val_t{boundary}))),
        count_(count) {}
  Ticks* data() { return numbers_.get(); }
  void clear() { std::memset(numbers_.get(), 0, count_ * sizeof(Ticks)); }
  Ticks& operator[](std::size_t i) { return numbers_.get()[i]; }

 private:
  struct Delete {
    void operator()(Ticks* numbers) const { ::operator delete (numbers, std::align_val_t{boundary}); }
  };
  std::unique_ptr<Ticks, Delete> numbers_;
  std::size_t count_;
};

// What a rank's processor does beside computing, as sums: the same whatever the machine.
struct RankSoftware {
  Ticks sends = 0, receives = 0, send_more = 0, receive_more = 0, handshakes = 0, compute = 0;
  Ticks on(const LogGopsTicks& m) const {
    return (sends + receives + 2 * handshakes) * m.o + send_more * m.O + receive_more * std::max(m.O, m.G);
  }
};

std::vector<RankSoftware> software_of(const Schedule& schedule, std::uint64_t S_bytes) {
  std::vector<RankSoftware> out(schedule.ranks());
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank)
    for (std::uint64_t i = schedule.first_op[rank]; i < schedule.first_op[rank + 1]; ++i) {
      const Op& op = schedule.ops[i];
      RankSoftware& of = out[rank];
      if (op.kind == GoalKind::compute) {
        of.compute += static_cast<Ticks>(op.amount) * ticks_per_ns;
        continue;
      }
      const Ticks more = op.amount > 1 ? static_cast<Ticks>(op.amount - 1) : 0;
      ++(op.kind == GoalKind::send ? of.sends : of.receives);
      (op.kind == GoalKind::send ? of.send_more : of.receive_more) += more;
      of.handshakes += op.amount > S_bytes;
    }
  return out;
}

// One tape, and who is played by it.
struct Shared {
  Taped taped;
  std::vector<RankSoftware> software;
  std::vector<std::size_t> machines;
};

// Up to `lanes` machines of one tape; lanes that are left over play the first again.
class LanePlay {
 public:
  LanePlay(const Shared& shared, std::span<const LogGopsTicks> all, std::size_t first,
           const BatchOptions& options)
      : shared_(shared),
        parts_(parts(options.slopes ? CarriedWith::slopes : CarriedWith::time)),
        used_(std::min(lanes, shared.machines.size() - first)),
        rows_(shared.taped.rows.size() * parts_ * lanes),
        slots_(std::size_t{shared.taped.tape.slots} * parts_ * lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      machines_[lane] = all[shared.machines[first + (lane < used_ ? lane : 0)]];
    for (const LogGopsTicks& machine : machines_)
      same_times_ = same_times_ && machine.compute_factor == machines_[0].compute_factor;
  }

  void play(const BatchOptions& options) {
    for (std::size_t row = 0; row < shared_.taped.rows.size(); ++row)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto cost = shared_.taped.rows[row].on(machines_[lane]);
        for (std::size_t part = 0; part < parts_; ++part)
          rows_[(row * parts_ + part) * lanes + lane] = cost[part];
      }
    const std::size_t apart = same_times_ ? 1 : lanes;
    const auto& computations = shared_.taped.computations_ns;
    LaneNumbers times(computations.size() * apart);
    computed_.assign(shared_.software.size() * apart, 0);
    for (std::size_t i = 0; i < computations.size(); ++i)
      for (std::size_t lane = 0; lane < apart; ++lane)
        computed_[shared_.taped.computing_rank[i] * apart + lane] += times[i * apart + lane] =
            machines_[lane].compute(computations[i]);
    slots_.clear();
    schedule::play({&shared_.taped.tape, slots_.data(), rows_.data(), times.data(), same_times_,
                    options.slopes ? CarriedWith::slopes : CarriedWith::time},
                   options.instructions);
  }

  std::size_t used() const { return used_; }

  BatchRun result(std::size_t lane) {
    BatchRun out;
    const double each = shared_.software.empty() ? 0 : 1 / static_cast<double>(shared_.software.size());
    const std::size_t apart = same_times_ ? 1 : lanes;
    std::size_t last = 0;
    for (std::size_t rank = 0; rank < shared_.software.size(); ++rank) {
      const std::size_t slot = shared_.taped.finish_slot[rank] * parts_ * lanes + lane;
      const Ticks finish = slots_[slot];
      if (finish > out.finish) {
        out.finish = finish;
        last = slot;
      }
      out.blocked_s +=
          each * std::max(0.0, seconds(finish) - seconds(computed_[rank * apart + (same_times_ ? 0 : lane)]) -
                                   seconds(shared_.software[rank].on(machines_[lane])));
    }
    if (parts_ > 1 && out.finish > 0)
      out.slopes = {slots_[last + lanes], slots_[last + 2 * lanes], slots_[last + 3 * lanes]};
    return out;
  }

 private:
  const Shared& shared_;
  std::size_t parts_, used_;
  std::array<LogGopsTicks, lanes> machines_;
  bool same_times_ = true;
  LaneNumbers rows_, slots_;
  std::vector<Ticks> computed_;  // by rank
};

std::vector<std::uint64_t> sizes_of(const Schedule& schedule) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < schedule.size(); ++i)
    if (schedule.ops[i].kind == GoalKind::send && (out.empty() || out.back() != schedule.ops[i].amount))
      out.push_back(schedule.ops[i].amount);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

Result<std::vector<BatchRun>> evaluate_batch(const Schedule& schedule, std::span<const LogGopsTicks> machines,
                                             const BatchOptions& options) {
  for (const LogGopsTicks& machine : machines) WW_CHECK(fits(schedule, machine));
  const std::vector<std::uint64_t> sizes = sizes_of(schedule);
  std::map<std::ptrdiff_t, Shared> groups;  // by how many sizes are not asked for
  for (std::size_t i = 0; i < machines.size(); ++i)
    groups[std::upper_bound(sizes.begin(), sizes.end(), machines[i].S_bytes) - sizes.begin()]
        .machines.push_back(i);
  struct Piece {
    const Shared* shared;
    std::size_t first;
  };
  std::vector<Piece> pieces;
  for (auto& [unused, shared] : groups) {
    const std::uint64_t S_bytes = machines[shared.machines.front()].S_bytes;
    if (options.cancellation != nullptr && options.cancellation->requested()) return cancelled();
    auto taped = tape_of(schedule, S_bytes);
    if (!taped) {
      WW_TRY(const Evaluated evaluated, evaluate(schedule, machines[shared.machines.front()]));
      WW_INVARIANT(evaluated.finish < 0);  // it cannot go on either
    }
    shared.taped = std::move(*taped);
    shared.software = software_of(schedule, S_bytes);
    std::stable_sort(shared.machines.begin(), shared.machines.end(), [&](std::size_t a, std::size_t b) {
      return machines[a].compute_factor < machines[b].compute_factor;
    });
    for (std::size_t first = 0; first < shared.machines.size(); first += lanes)
      pieces.push_back({&shared, first});
  }
  std::vector<BatchRun> out(machines.size());
  WW_CHECK(in_parallel(pieces.size(), options.threads, [&](std::size_t i) -> Result<void> {
    if (options.cancellation != nullptr && options.cancellation->requested()) return cancelled();
    const auto& [shared, first] = pieces[i];
    LanePlay play(*shared, machines, first, options);
    play.play(options);
    for (std::size_t lane = 0; lane < play.used(); ++lane)
      out[shared->machines[first + lane]] = play.result(lane);
    return {};
  }));
  return out;
}

}  // namespace ww::schedule
