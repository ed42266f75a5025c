// The traces that are shown, by number, and what one session of the viewer may do.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/open_trace.hpp"

namespace ww::view {

struct Viewing {
  std::string made_by;     // "whatwire 0.1.0"
  bool read_only = false;  // shared with others: nothing is predicted, no SQL
  bool may_run = false;    // programs are run for the page
  bool for_good = true;    // traces are prepared in the background
};

class OpenTraces {
 public:
  explicit OpenTraces(Viewing viewing) : viewing_(std::move(viewing)) {}

  const Viewing& viewing() const { return viewing_; }
  int add(std::shared_ptr<OpenTrace> trace);
  // At most so many predicted runs are kept, of so many calls together; of more the ones go that were asked about
  // longest ago, and their numbers stay unused.
  static constexpr std::size_t most_predicted = 8;
  // ... of those that a moving slider passed: what is shown, what comes, and one that is still asked about.
  static constexpr std::size_t most_passing = 3;
  static constexpr std::uint64_t most_predicted_calls = 20'000'000;
  int number_for_predicted() { return next_++; }
  void add_predicted(int number, std::uint64_t calls, std::shared_ptr<OpenTrace> trace);
  // The number of a picture of a spool, which is kept like predicted ones.
  int add_picture(std::uint64_t calls, const std::shared_ptr<OpenTrace>& picture);
  // What it was asked by (TraceOrigin::question), and is there still; else nullptr.
  std::shared_ptr<OpenTrace> find_predicted(const std::string& question) const;
  std::shared_ptr<OpenTrace> find(int number) const;  // nullptr: there is none
  // Of one that is shown; -1: it is not.
  int number_of(const OpenTrace* trace) const;
  struct Numbered {
    int number = 0;
    std::shared_ptr<OpenTrace> trace;
    std::uint64_t calls = 0;         // of a predicted one
    mutable std::uint64_t used = 0;  // when it was asked about last, counted in questions
  };
  std::vector<Numbered> all() const;

 private:
  using Gone = std::vector<std::shared_ptr<OpenTrace>>;
  void make_room(std::uint64_t calls, Gone& gone);
  void let_pass(Gone& gone);
  Viewing viewing_;
  mutable std::mutex mutex_;
  std::atomic<int> next_ = 0;
  mutable std::uint64_t questions_ = 0;
  std::vector<Numbered> traces_;
};

}  // namespace ww::view
