#include "view/guided_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"
#include "view/query.hpp"

namespace ww::view {
namespace {

using nlohmann::json;

constexpr int interrupted_exit_code = 130;
constexpr std::size_t most_runs = 200;  // that are listed with what they printed

json fault_json(const Error& error) {
  return {{"error", printable(error.where.empty() ? error.what : error.what + ": " + error.where)},
          {"remedy", printable(error.remedy)}};
}

json faults_json(const std::vector<FieldFault>& faults) {
  json list = json::array();
  for (const FieldFault& fault : faults) {
    json one = fault_json(fault.error);
    one["field"] = fault.field;
    list.push_back(std::move(one));
  }
  return list;
}

// A program that draws its progress goes back to the begin of its line.
std::string as_lines(std::string text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      lines += text[i];
    else if (i + 1 < text.size() && text[i + 1] != '\n')
      lines += '\n';
  }
  return printable_lines(lines);
}

// The last of what whatwire itself said.
std::string said_by_us(const std::string& output) {
  constexpr std::string_view sign = "whatwire: ";
  std::size_t at = output.rfind("\n" + std::string(sign));
  at = at != std::string::npos ? at + 1 : output.starts_with(sign) ? 0 : output.size();
  std::string said = output.substr(std::min(at + sign.size(), output.size()));
  while (said.ends_with('\n')) said.pop_back();
  return as_lines(said);
}

Result<Query> query_with(const std::string& text, const char* parameters) {
  WW_TRY(Query query, Query::parse(text));
  WW_CHECK(query.only(parameters));
  return query;
}

Response no_such_run() {
  return refusal(404, "there is no such run", "run/list has those of this session");
}

}  // namespace

GuidedRuns::GuidedRuns(RunKnowledge knowledge, OpenTraces& traces, Open open)
    : knowledge_(std::move(knowledge)), traces_(traces), open_(std::move(open)) {}

GuidedRuns::~GuidedRuns() {
  end();
}

bool GuidedRuns::is_posted(std::string_view name) {
  return name == "check" || name == "start" || name == "stop";
}

Response GuidedRuns::get(const std::string& name, const std::string& query) {
  if (name == "list") return list();
  if (name == "output") return output(query);
  if (name == "settings") return settings(query);
  if (name == "line") return line(query);
  if (name != "form")
    return refusal(404, "there is no such path: run/" + printable(name.substr(0, 200)),
                   "below run/ there is form, line, list, output, settings, and by POST check, start, stop");
  const std::lock_guard lock(knowing_);
  return json_response(knowledge_.choices());
}

Response GuidedRuns::post(const std::string& name, const std::string& body) {
  return name == "stop" ? stop(body) : name == "start" ? start(body) : check(body);
}

Response GuidedRuns::settings(const std::string& query) {
  const auto asked = query_with(query, "file");
  if (!asked) return refusal(asked.error());
  const auto file = asked->needed_text("file");
  if (!file) return refusal(file.error());
  const std::lock_guard lock(knowing_);
  const auto form = knowledge_.form_of_file(*file);
  return form ? json_response(to_json(*form)) : refusal(form.error());
}

Response GuidedRuns::line(const std::string& query) {
  const auto asked = query_with(query, "program ranks");
  if (!asked) return refusal(asked.error());
  const auto program = asked->needed_text("program");
  if (!program) return refusal(program.error());
  const auto ranks = asked->integer("ranks", 1, 1 << 20);
  if (!ranks) return refusal(ranks.error());
  const std::lock_guard lock(knowing_);
  const auto launch = knowledge_.line_for(*program, static_cast<int>(*ranks));
  return launch ? json_response({{"launch", *launch}}) : refusal(launch.error());
}

Response GuidedRuns::check(const std::string& body) {
  const auto form = run_form_of(body);
  if (!form) return refusal(form.error());
  const std::lock_guard lock(knowing_);
  const GuidedPlan plan = knowledge_.plan(*form);
  if (!plan.faults.empty())
    return json_response({{"command", nullptr}, {"faults", faults_json(plan.faults)}});
  return json_response({{"command", plan.shown}, {"output", plan.output}, {"faults", json::array()}});
}

Response GuidedRuns::start(const std::string& body) {
  const auto form = run_form_of(body);
  if (!form) return refusal(form.error());
  const std::lock_guard planning(knowing_);
  const auto refuse = [&]() -> std::optional<Response> {
    const std::lock_guard lock(mutex_);
    if (const Run* const other = going())
      return refusal(409, fmt::format("{} is still run", printable(other->plan.output)),
                     "wait for its end, or stop it: two programs at once would disturb each other");
    if (ending_) return refusal(409, "whatwire view ends", "start it again");
    if (runs_.size() >= most_runs)
      return refusal(409, fmt::format("{} runs were made", most_runs), "start whatwire view again");
    return std::nullopt;
  };
  if (auto refused = refuse()) return *std::move(refused);
  GuidedPlan plan = knowledge_.plan(*form);
  if (!plan.faults.empty()) {
    json said = fault_json(plan.faults.front().error);
    said["faults"] = faults_json(plan.faults);
    Response response = json_response(said);
    response.status = 400;
    return response;
  }
  if (auto refused = refuse()) return *std::move(refused);
  const std::lock_guard lock(mutex_);
  auto run = std::make_unique<Run>();
  run->number = static_cast<int>(runs_.size());
  run->form = *form;
  run->plan = std::move(plan);
  run->begun = Clock::now();
  Run& made = *run;
  runs_.push_back(std::move(run));
  made.follower = std::thread([this, &made] { follow(made); });
  return json_response(run_json(made));
}

Response GuidedRuns::stop(const std::string& body) {
  const auto asked = json::parse(body, nullptr, false);
  if (!asked.is_object() || asked.size() != 1 || !asked.contains("run") || !asked["run"].is_number_integer())
    return refusal(400, "not which run is to stop", R"(send {"run": 0})");
  const std::lock_guard lock(mutex_);
  Run* const run = find(asked["run"].get<std::int64_t>());
  if (run == nullptr) return no_such_run();
  if (run != going()) return refusal(409, "it has ended already", "its result is in the list");
  run->stopping = true;
  if (run->child) run->child->interrupt();
  return json_response(run_json(*run));
}

Response GuidedRuns::list() {
  const std::lock_guard lock(mutex_);
  json list = json::array();
  for (const auto& run : runs_) list.push_back(run_json(*run));
  return json_response({{"runs", std::move(list)}});
}

Response GuidedRuns::output(const std::string& query) {
  const auto asked = query_with(query, "run");
  if (!asked) return refusal(asked.error());
  const auto number = asked->integer("run", 0, 1 << 20);
  if (!number) return refusal(number.error());
  const std::lock_guard lock(mutex_);
  const Run* const run = find(*number);
  if (run == nullptr) return no_such_run();
  return json_response({{"text", as_lines(run->output.text())}, {"dropped", run->output.dropped()}});
}

nlohmann::json GuidedRuns::run_json(const Run& run) {
  constexpr const char* names[] = {"starts", "records", "completes", "done", "stopped", "failed"};
  const bool goes = run.state < State::done;
  const auto until = goes ? Clock::now() : run.ended;
  json one = {{"run", run.number},
              {"state", names[static_cast<int>(run.state)]},
              {"goes", goes},
              {"stopping", run.stopping},
              {"exit_code", run.exit_code ? json(*run.exit_code) : json()},
              {"trace", run.trace ? json(*run.trace) : json()},
              {"name", printable(run.plan.output)},
              {"command", run.plan.shown},
              {"form", to_json(run.form)},
              {"elapsed_s", std::chrono::duration<double>(until - run.begun).count()}};
  if (!goes) one["said"] = said_by_us(run.output.text());
  return one;
}

GuidedRuns::Run* GuidedRuns::going() {
  return !runs_.empty() && runs_.back()->state < State::done ? runs_.back().get() : nullptr;
}

GuidedRuns::Run* GuidedRuns::find(std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(runs_.size())
             ? runs_[static_cast<std::size_t>(number)].get()
             : nullptr;
}

// In a thread of the run's own, which its process follows into the end (child_process.hpp).
void GuidedRuns::follow(Run& run) {
  auto started = ChildProcess::start(run.plan.command);
  if (!started) {
    {
      const std::lock_guard lock(mutex_);
      run.output.append("whatwire: " + to_string(started.error()) + "\n");
    }
    finish(run, std::nullopt);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    run.child = std::make_unique<ChildProcess>(*std::move(started));
    if (run.stopping || ending_) run.child->interrupt();
  }
  constexpr std::chrono::milliseconds between_looks{200};
  Clock::time_point next_look = Clock::now() + between_looks;
  for (bool goes = true; goes;) {
    std::string printed;
    goes = run.child->follow(printed);
    if (!printed.empty()) {
      const std::lock_guard lock(mutex_);
      run.output.append(printed);
    }
    if (goes && Clock::now() >= next_look) {
      look(run);
      next_look = Clock::now() + between_looks;
    }
  }
  finish(run, run.child->exit_code());
}

// Opens its trace once there is something to see.
void GuidedRuns::look(Run& run) {
  const std::filesystem::path& directory = run.plan.directory;
  if (run.trace) {
    const bool recorded = !recorder_of(directory);
    const std::lock_guard lock(mutex_);
    run.state = recorded ? State::completes : State::records;
  } else if (awaits_unify(directory) && look_live(directory)) {
    const int number = traces_.add(open_(directory));
    const std::lock_guard lock(mutex_);
    run.trace = number;
    run.state = State::records;
  }
}

void GuidedRuns::finish(Run& run, std::optional<int> exit_code) {
  // A spool that could not be put together is a result, too: it is shown as what it is.
  std::optional<int> trace = run.trace;
  const bool there = is_unified(run.plan.directory) || (trace && awaits_unify(run.plan.directory));
  if (there && !trace) trace = traces_.add(open_(run.plan.directory));
  {
    const std::lock_guard lock(mutex_);
    run.exit_code = exit_code;
    run.trace = there ? trace : std::nullopt;
    run.ended = Clock::now();
    run.state = there && exit_code == 0                                         ? State::done
                : there && (run.stopping || exit_code == interrupted_exit_code) ? State::stopped
                                                                                : State::failed;
  }
  ended_.notify_all();
}

bool GuidedRuns::wait_for(Run& run, std::chrono::seconds patience) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, patience, [&] { return run.state >= State::done; });
}

void GuidedRuns::end(const std::function<void(const std::string& name)>& said) {
  Run* run = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    run = going();
    if (run != nullptr && run->child) run->child->interrupt();
  }
  if (run != nullptr) {
    if (said) said(printable(run->plan.output));
    // A launcher gives its ranks some seconds to end, and then the archive is made.
    constexpr std::chrono::seconds first{20}, again{10};
    if (!wait_for(*run, first) && run->child) {
      run->child->interrupt();
      if (!wait_for(*run, again)) run->child->kill_with_all();
    }
  }
  for (const auto& each : runs_)
    if (each->follower.joinable()) each->follower.join();
}

}  // namespace ww::view
