// A trace that can be asked about. What answers need of it is worked out when it is first needed, and in the
// background in the order in which it will be: the index for pictures before what only questions want.
#pragma once
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "analyze/breakdown.hpp"
#include "analyze/selection.hpp"
#include "analyze/waits.hpp"
#include "base/cancellation.hpp"
#include "machine/model.hpp"
#include "simulate/program.hpp"
#include "trace/trace.hpp"
#include "view/checked_replay.hpp"
#include "view/index.hpp"
#include "view/lazy.hpp"
#include "view/live.hpp"
#include "view/noted_runs.hpp"
#include "view/quiet.hpp"

namespace ww::view {

// What questions are asked of beside the trace.
struct Analysis {
  Breakdown breakdown;  // of the whole
  Waits waits;
  std::shared_ptr<const TraceIndex> parts;  // for Part::of
};

struct TraceOrigin {
  enum class Kind : std::uint8_t { recorded, predicted, live } kind = Kind::recorded;
  std::string name;              // printable
  std::filesystem::path source;  // of a predicted one: of the trace that it was made of
  std::string spec;              // predicted: the what-if
  int of = -1;                   // predicted, and of a picture of a spool: the number of the recorded trace
  std::string question = {};     // predicted: what was asked, and the answer as JSON text
  std::shared_ptr<const std::string> answer = {};
  bool passing = false;  // predicted: of a slider that moves
};
const char* to_string(TraceOrigin::Kind kind);

// Error: there is nothing by that name that can be opened. Reads next to nothing.
Result<void> check_trace(const std::filesystem::path& trace);

// All of it may be called by many threads at once. Pointers that it gives keep what they point to, and what that
// points to.
class OpenTrace {
 public:
  // TRACE as users name it. Nothing is read yet. `machine`: the model of the machine that recorded it, if known.
  OpenTrace(const std::filesystem::path& source, std::shared_ptr<const MachineModel> machine);
  // One that is there already.
  OpenTrace(TraceOrigin origin, std::shared_ptr<const Trace> trace,
            std::shared_ptr<const MachineModel> machine);
  // A predicted one, of which a trace is made only if more is asked for than pictures.
  OpenTrace(TraceOrigin origin, std::shared_ptr<const NotedRun> noted,
            std::shared_ptr<const MachineModel> machine);
  // A picture of a spool or archive: calls, of which nothing is known to be waiting. `frame`: the rest.
  OpenTrace(TraceOrigin origin, std::shared_ptr<const Index> calls, std::shared_ptr<const Trace> frame);
  ~OpenTrace();
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;

  // A recording that goes on is `live` until it has ended.
  TraceOrigin origin() const;
  const MachineModel* machine() const { return machine_.get(); }
  bool knows_calls_only() const { return frame_ != nullptr; }
  // There is a spool and no archive (yet).
  bool is_unclosed() const;
  // picture() can be asked for and is there before index(): it is unclosed, or a large archive without a kept index. Not any more when
  // that has been made.
  bool has_picture() const;
  // As `dilate --json`, of the same program, where it was run so; else nullptr. Kept before the trace is shown.
  std::shared_ptr<const nlohmann::json> dilation() const { return dilation_; }
  void keep_dilation(std::shared_ptr<const nlohmann::json> dilation) { dilation_ = std::move(dilation); }

  // Errors of these: those of load_trace, of which a run that is still recorded is one. They throw NoRoom.
  Result<std::shared_ptr<const Trace>> trace();
  Result<std::shared_ptr<const Index>> index();
  Result<std::shared_ptr<const Analysis>> analysis();
  // What spans are found by, which is there long before the analysis is.
  Result<std::shared_ptr<const TraceIndex>> parts();
  Result<std::shared_ptr<const std::vector<Breakdown::CallSplit>>> splits();
  // Compiled for replays; of compile, too.
  Result<std::shared_ptr<const simulate::Program>> program();
  // The same, its self-check made on the machine that recorded it; of that, too. It is not cut
  // short where another place of a slider is asked for: that needs it as well.
  Result<std::shared_ptr<const CheckedReplay>> checked(const MachineModel& recorded_on);
  // The description of the trace (facts.hpp), without what the index has; known as soon as that is.
  Result<std::shared_ptr<const nlohmann::json>> facts();

  // What its ranks are in now; of a recording that has ended, what they were in when it was last looked at. Errors:
  // those of look_live.
  Result<Live> live();

  // Its calls alone: of what its spool holds by now, or of its archive. `of`: its number. Of a run that goes on a new one from time to time,
  // else one. Errors: those of picture_of_spool and picture_of_archive; it has no picture (any more).
  Result<std::shared_ptr<OpenTrace>> picture(int of);

  // For a replay of it.
  std::shared_ptr<NotedRun> new_noted_run(const std::shared_ptr<const Trace>& trace, std::size_t messages) {
    return NotedRuns::take(noted_runs_, trace, messages);
  }
  // A replay that a slider asked for begins: one that an earlier place of the slider asked for is stopped.
  void begin_quick_replay(std::shared_ptr<Cancellation> stop);

  // ask(const Index&): a Result. Once more of a new index if it says that this one is damaged.
  template <class Ask>
  auto of_index(Ask ask) -> decltype(ask(std::declval<const Index&>())) {
    WW_TRY(const auto first, index());
    pictures_.asked();
    auto answer = ask(*first);
    if (answer || !Index::is_damage(answer.error())) return answer;
    index_.forget(first);
    kept_is_damaged_ = true;
    WW_TRY(const auto anew, index());
    return ask(*anew);
  }

  // Works out all of it, of what has this number, in a thread of its own, from now on. Once.
  void prepare(int number);

 private:
  bool is_large() const;

  TraceOrigin origin_;
  std::shared_ptr<const NotedRun> noted_;  // which keeps what the trace's columns look at
  std::shared_ptr<const MachineModel> machine_;
  std::shared_ptr<const Trace> frame_;  // of a picture
  std::shared_ptr<const nlohmann::json> dilation_;
  mutable std::mutex large_mutex_;
  mutable std::optional<bool> large_;  // found out once
  std::mutex picture_mutex_;
  struct Picture {
    std::shared_ptr<OpenTrace> trace;
    std::chrono::steady_clock::time_point until;  // whoever asks before is given it
  } picture_;
  std::mutex replay_mutex_;
  std::shared_ptr<Cancellation> quick_replay_;
  std::mutex live_mutex_;
  std::optional<Live> live_;  // the last
  Lazy<Trace> trace_;
  Lazy<std::vector<Breakdown::CallSplit>> splits_;
  Lazy<Index> index_;
  std::atomic<bool> kept_is_damaged_ = false;
  std::mutex diagnostics_mutex_;
  Diagnostics index_diagnostics_;  // of making the index
  Lazy<Analysis> analysis_;
  Lazy<simulate::Program> program_;
  CheckedReplays checked_;
  std::shared_ptr<NotedRuns> noted_runs_ = std::make_shared<NotedRuns>();
  Lazy<TraceIndex> parts_;
  Lazy<nlohmann::json> facts_;
  Quiet pictures_;
  std::atomic<bool> ending_ = false;
  std::thread background_;
};

}  // namespace ww::view
