// A predicted run as a trace directory that is read like a recorded one, and what it was predicted under, so
// that it can be replayed again.
//
// The calls, messages, communicators, names and the program's own regions, values and markers are the
// recording's; their times are the replay's: calls by themselves, what lies between two calls in proportion.
// Beside them stands what only a replay knows: when and for whom a rank was blocked, when a message had left
// and was there (trace/known.hpp). run.json has what the recording's says of program and library, and under
// "predicted" the rest; machine.json is the model. One-sided transfers and operations on files are not taken
// over: they are calls that take as long as recorded.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/column.hpp"
#include "simulate/observer.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Notes the replay of a compiled trace.
class RunNotes final : public Observer {
 public:
  struct Rank {
    Column<double> enter_s, leave_s;  // of the calls within the program
    Column<Blocked> waits;
    Column<std::uint32_t> call_of_wait;  // index into enter_s
  };
  struct Way {
    double left_s = -1, arrived_s = -1;  // negative: it did not
  };

  // In `store`, or in memory if there is none.
  RunNotes(std::size_t ranks, std::size_t messages, std::shared_ptr<ColumnStore> store = nullptr);
  // So many calls will come of it, at most; more may.
  void expect(std::size_t rank, std::size_t calls) {
    ranks_[rank].enter_s.reserve(calls);
    ranks_[rank].leave_s.reserve(calls);
  }
  // As if new, in the same memory.
  void clear() {
    for (Rank& rank : ranks_) {
      rank.enter_s.clear();
      rank.leave_s.clear();
      rank.waits.clear();
      rank.call_of_wait.clear();
    }
    ways_.assign(ways_.size(), Way());
  }
  void call_begins(std::int32_t rank, std::uint32_t, double at_s) override {
    of(rank).enter_s.push_back(at_s);
  }
  void call_ends(std::int32_t rank, double at_s) override { of(rank).leave_s.push_back(at_s); }
  void message(MessageEvent what, std::uint32_t message, double at_s) override {
    if (message >= ways_.size()) return;
    if (what == MessageEvent::left) ways_[message].left_s = at_s;
    if (what == MessageEvent::arrived) ways_[message].arrived_s = at_s;
  }
  void blocked(const Blocked& wait) override {
    Rank& rank = of(wait.rank);
    rank.waits.push_back(wait);
    rank.call_of_wait.push_back(static_cast<std::uint32_t>(rank.enter_s.size() - 1));
  }

  const std::vector<Rank>& ranks() const { return ranks_; }
  const Column<Way>& ways() const { return ways_; }  // of Trace::messages; not those inside collectives

 private:
  Rank& of(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::vector<Rank> ranks_;
  Column<Way> ways_;
};

// The recording with the times of the replay that was noted.
Trace predicted_trace(Trace recorded, const RunNotes& notes, const Simulated& simulated);
// The same, for showing it: columns that no replay changes look at those of `recorded`, which must outlive it. One-sided
// transfers and operations on files are not taken over.
Trace predicted_view(const Trace& recorded, const RunNotes& notes, const Simulated& simulated);
// Of that what takes no work for each call: everything but the times of calls, messages and the program's own events, which are the
// recorded ones.
Trace predicted_frame(const Trace& recorded, const Simulated& simulated);

// Into a directory that is empty but for its marker. The prediction's conditions are there.
Result<void> write_predicted(const Trace& recorded, const RunNotes& notes, const Prediction& prediction,
                             const std::filesystem::path& dir);

// Of a trace directory, or an anchor: what a predicted run was predicted under; nothing: it was recorded.
// Errors: it is a prediction whose model or run.json is damaged.
Result<std::optional<Conditions>> conditions_of(const std::filesystem::path& trace);

}  // namespace ww::simulate
