#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "trace/call_meaning.hpp"
#include "trace/match_ends.hpp"

namespace ww {
namespace {

class CollectiveJoiner {
 public:
  CollectiveJoiner(Trace& trace, const std::vector<RankEnds>& all) : trace_(trace), all_(all) {
    for (std::size_t region = 0; region < trace.regions.size(); ++region)
      ops_.push_back(meaning_of_region(trace, region).op);
    for (const RankEnds& one : all)
      comms_with_gaps_.insert(one.comms_with_gaps.begin(), one.comms_with_gaps.end());
  }

  void run() {
    std::map<std::uint32_t, std::vector<Line>> lines;  // by communicator
    for (std::size_t r = 0; r < all_.size(); ++r) {
      const Column<CollectiveEnd>& ends = all_[r].collectives;
      for (std::size_t from = 0, to = 0; from < ends.size(); from = to) {
        while (to < ends.size() && ends[to].comm == ends[from].comm) ++to;
        lines[ends[from].comm].push_back({0, r, from, to});
      }
    }
    for (auto& [comm, of] : lines) join_lines(comm, of);
    say();
  }

 private:
  // A rank's collectives on one communicator; the next one.
  struct Line {
    std::size_t place, rank, at, to;
  };

  void join_lines(std::uint32_t comm, std::vector<Line>& lines) {
    std::unordered_map<std::int32_t, std::size_t> places;
    const auto& ranks = trace_.comms[comm].ranks;
    for (std::size_t i = 0; i < ranks.size(); ++i) places.emplace(ranks[i], i);
    for (Line& line : lines) {
      const auto found = places.find(static_cast<std::int32_t>(line.rank));
      line.place = found == places.end() ? ranks.size() : found->second;
    }
    // In the order of the communicator, so that members come in that order.
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.place < b.place; });
    while (true) {
      std::uint64_t sequence = std::numeric_limits<std::uint64_t>::max();
      for (const Line& line : lines)
        if (line.at < line.to) sequence = std::min(sequence, end_of(line).sequence);
      if (sequence == std::numeric_limits<std::uint64_t>::max()) return;
      meeting_.clear();
      for (Line& line : lines)
        if (line.at < line.to && end_of(line).sequence == sequence) {
          meeting_.push_back({line.rank, &end_of(line)});
          ++line.at;
        }
      meet(comm);
    }
  }
  const CollectiveEnd& end_of(const Line& line) const { return all_[line.rank].collectives[line.at]; }

  struct Attendant {
    std::size_t rank;
    const CollectiveEnd* end;
  };

  CollectiveOp op_of(const Attendant& one) const {
    const RankTrace& rank = trace_.ranks[one.rank];
    const CollectiveOp op = ops_[rank.region[one.end->call]];
    const std::int32_t tag = rank.tag[one.end->action];
    const bool started = op == CollectiveOp::other && tag > 0 && tag <= static_cast<std::int32_t>(op);
    return started ? static_cast<CollectiveOp>(tag - 1) : op;
  }

  // Fences and collective calls on files need not wait for all their members (MPI_MODE_NOPRECEDE,
  // MPI 3.1 13.4.1). One that a member left before the last one had entered did not, and is no collective of
  // the trace.
  bool did_not_wait() const {
    const auto tolerance_ns = static_cast<std::int64_t>(2e9 * trace_.clock_uncertainty_s);
    std::int64_t entered = std::numeric_limits<std::int64_t>::min(),
                 left = std::numeric_limits<std::int64_t>::max();
    for (const Attendant& one : meeting_) {
      const RankTrace& rank = trace_.ranks[one.rank];
      entered = std::max(entered, rank.enter_ns[one.end->call]);
      left = std::min(left, rank.leave_ns[one.end->call]);
    }
    return left < entered - tolerance_ns;
  }

  void meet(std::uint32_t comm) {
    const auto index = static_cast<std::uint32_t>(trace_.collectives.size());
    const Attendant& first = meeting_.front();
    Collective collective{op_of(first), comm, trace_.ranks[first.rank].peer[first.end->action], {}};
    members_.clear();
    for (const Attendant& one : meeting_) {
      RankTrace& rank = trace_.ranks[one.rank];
      const std::uint32_t action = one.end->action, done = one.end->done_action;
      if (op_of(one) != collective.op) ++mismatched_;
      rank.match[action] = index;
      if (done != none) rank.match[done] = index;
      members_.push_back({static_cast<std::int32_t>(one.rank), one.end->call, one.end->done_call,
                          rank.bytes[action], rank.bytes_received[done != none ? done : action]});
    }
    if ((collective.op == CollectiveOp::window || collective.op == CollectiveOp::file) && did_not_wait()) {
      for (const Attendant& one : meeting_) trace_.ranks[one.rank].match[one.end->action] = none;
      return;
    }
    if (members_.size() < trace_.comms[comm].ranks.size())
      ++(comms_with_gaps_.contains(comm) ? left_out_ : incomplete_);
    collective.members = trace_.members.keep(members_);
    trace_.collectives.push_back(collective);
  }

  void say() {
    if (mismatched_ > 0) trace_.diagnostics.add("collective-mismatch", mismatched_);
    if (left_out_ > 0) trace_.diagnostics.add("collective-half-left-out", left_out_);
    if (incomplete_ > 0) trace_.diagnostics.add("incomplete-collective", incomplete_);
  }

  Trace& trace_;
  const std::vector<RankEnds>& all_;
  std::vector<CollectiveOp> ops_;  // by region
  std::set<std::uint32_t> comms_with_gaps_;
  std::vector<Attendant> meeting_;
  std::vector<CollectiveMember> members_;
  std::uint64_t mismatched_ = 0, incomplete_ = 0, left_out_ = 0;
};

}  // namespace

void join_collectives(Trace& trace, const std::vector<RankEnds>& all) {
  CollectiveJoiner(trace, all).run();
}

}  // namespace ww
