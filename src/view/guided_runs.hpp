// Programs that the page runs (whatwire view --allow-run): what it may choose from, what is wrong with what it asks for, and the
// runs of this session, each a child process `whatwire record`, whose trace is opened as soon as something is in it. Paths below
// run/ of docs/design/viewing.md.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "view/child_process.hpp"
#include "view/open_traces.hpp"
#include "view/response.hpp"
#include "view/run_form.hpp"

namespace ww::view {

class GuidedRuns {
 public:
  // Opens a trace for the page.
  using Open = std::function<std::shared_ptr<OpenTrace>(const std::filesystem::path& directory)>;

  // `traces` must outlive it.
  GuidedRuns(RunKnowledge knowledge, OpenTraces& traces, Open open);
  ~GuidedRuns();  // as end()

  // What may be sent to it, in bytes.
  static constexpr std::size_t most_body_bytes = 64 << 10;
  static constexpr std::string_view root = "run/";
  // Whether a path below `root` is asked by POST; all others by GET.
  static bool is_posted(std::string_view name);

  // By many threads at once; never fails. `name` stands behind `root`.
  Response get(const std::string& name, const std::string& query);
  Response post(const std::string& name, const std::string& body);

  // What goes is asked to end, as by Ctrl-C, and waited for; what does not end then is made to. `said`: once, if there is something to
  // wait for.
  void end(const std::function<void(const std::string& name)>& said = {});

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { starts, records, completes, done, stopped, failed };
  struct Run {
    int number = 0;
    RunForm form;
    GuidedPlan plan;
    State state = State::starts;
    std::optional<int> exit_code, trace;
    OutputTail output;
    bool stopping = false;
    Clock::time_point begun, ended;
    std::unique_ptr<ChildProcess> child;
    std::thread follower;
  };

  static nlohmann::json run_json(const Run& run);
  Response list();
  Response output(const std::string& query);
  Response settings(const std::string& query);
  Response line(const std::string& query);
  Response check(const std::string& body);
  Response start(const std::string& body);
  Response stop(const std::string& body);
  Run* going();
  Run* find(std::int64_t number);
  void follow(Run& run);
  void look(Run& run);
  void finish(Run& run, std::optional<int> exit_code);
  bool wait_for(Run& run, std::chrono::seconds patience);

  RunKnowledge knowledge_;
  OpenTraces& traces_;
  Open open_;
  std::mutex knowing_;  // knowledge_ is asked by one at a time
  std::mutex mutex_;    // of all below
  std::condition_variable ended_;
  std::vector<std::unique_ptr<Run>> runs_;
  bool ending_ = false;
};

}  // namespace ww::view
