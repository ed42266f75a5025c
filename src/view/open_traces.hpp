// The traces that are shown, by number, and what one session of the viewer may do.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/open_trace.hpp"

namespace ww::view {

struct Viewing {
  std::string made_by;     // "whatwire 0.1.0"
  bool read_only = false;  // shared with others: nothing is predicted, no SQL
  bool for_good = true;    // traces are prepared in the background
};

class OpenTraces {
 public:
  explicit OpenTraces(Viewing viewing) : viewing_(std::move(viewing)) {}

  const Viewing& viewing() const { return viewing_; }
  int add(std::shared_ptr<OpenTrace> trace);
  // At most so many predicted runs are kept; of more the oldest goes, and its number stays unused.
  static constexpr std::size_t most_predicted = 8;
  int add_predicted(std::shared_ptr<OpenTrace> trace);
  // Of another spec than those that are there: nothing.
  std::optional<int> find_predicted(int of, const std::string& spec) const;
  std::shared_ptr<OpenTrace> find(int number) const;  // nullptr: there is none
  struct Numbered {
    int number = 0;
    std::shared_ptr<OpenTrace> trace;
  };
  std::vector<Numbered> all() const;

 private:
  Viewing viewing_;
  mutable std::mutex mutex_;
  int next_ = 0;
  std::vector<Numbered> traces_;
};

}  // namespace ww::view
