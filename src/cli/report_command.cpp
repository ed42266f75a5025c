// whatwire report: where the time of each rank and the messages went.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "analyze/selection.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/selection_options.hpp"
#include "machine/model.hpp"
#include "render/breakdown_text.hpp"
#include "render/questions/question.hpp"
#include "simulate/ideal_time.hpp"
#include "trace/trace.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, machine, by, message, at;
  std::vector<std::string> asks;
  SelectionOptions part;
  bool json = false;
};

By by_of(const std::string& name) {
  if (name == "rank") return By::rank;
  if (name == "call") return By::call;
  if (name == "peer") return By::peer;
  if (name == "region") return By::region;
  return name == "type" ? By::type : By::overview;
}

// In the order of registration, each once. "all": those that need nothing more from the user.
Result<std::vector<const Question*>> asked_of(const Options& options) {
  std::vector<std::string> names = options.asks;
  if (!options.message.empty()) names.emplace_back("message");
  if (!options.at.empty()) names.emplace_back("queues");
  const auto named = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (named("message") && options.message.empty())
    return wrong_usage("which message?", "--ask message",
                       "add --message N, or --message SOURCE:DESTINATION:TAG:K");
  std::vector<const Question*> asked;
  for (const Question* question : questions())
    if (named(question->name) || (named("all") && !question->wants_message)) asked.push_back(question);
  return asked;
}

void find_ideal(const Trace& trace, const MachineModel* machine, Given& given) {
  if (!given.part.is_whole())
    given.ideal_why = "only the whole run is replayed on the ideal network: of a part its time is not known";
  else if (const auto ideal = replay_on_ideal(trace, machine)) {
    given.ideal_s = ideal->elapsed_s;
    given.ideal_why = ideal->assumption;
  } else {
    given.ideal_why = "the ideal network could not be simulated: " + to_string(ideal.error());
  }
}

std::string list_of_questions() {
  std::string text;
  for (const Question* question : questions())
    text += fmt::format("  {:<15}{}\n", question->name, question->about);
  return text;
}

std::vector<std::string> names_of_questions() {
  std::vector<std::string> names;
  for (const Question* question : questions()) names.emplace_back(question->name);
  names.emplace_back("all");
  return names;
}

Result<void> check_instant(const Part& part, const std::optional<double>& at_s, const std::string& at) {
  if (!at_s || part.has_instant(part.trace().begin_ns() + std::llround(*at_s * 1e9))) return {};
  return wrong_usage("that time is not in the span", "--at " + at,
                     fmt::format("the span is {}: name a time within it", describe(part.selection())));
}

Result<int> report(const Options& options) {
  std::optional<MachineModel> machine;
  if (!options.machine.empty()) {
    WW_TRY(machine, load_model(options.machine));
  }
  WW_TRY(const auto asked, asked_of(options));
  std::optional<double> at_s;
  if (!options.at.empty()) {
    WW_TRY(at_s, instant_of("--at", options.at));
  }
  WW_TRY(const Selection selection, selection_of(options.part));
  WW_TRY(const Trace trace, load_trace(options.trace));
  if (at_s && *at_s > trace.elapsed_s())
    return fail("the run had ended by then", "--at " + options.at,
                fmt::format("it took {}: name a time within it", show_time(trace.elapsed_s())));
  Part part(trace);
  std::optional<TraceIndex> index;
  if (selection.any()) {
    index.emplace(trace);
    WW_TRY(part, Part::of(trace, *index, selection));
    WW_CHECK(check_instant(part, at_s, options.at));
  }
  const Breakdown whole = break_down(trace, machine ? &*machine : nullptr);
  Waits waits;
  if (!asked.empty() || !part.is_whole()) waits = find_waits(trace, machine ? &*machine : nullptr);
  const Breakdown of_part = part.is_whole() ? Breakdown{} : break_down(part, whole, waits);
  const Breakdown& breakdown = part.is_whole() ? whole : of_part;
  nlohmann::json json = to_json(breakdown, part);
  std::string text, note;
  if (asked.empty() || !options.by.empty()) text = show_tables(breakdown, part, by_of(options.by));
  if (!asked.empty()) {
    Given given{trace, breakdown, waits, std::nullopt, "", options.message, at_s, part};
    if (std::any_of(asked.begin(), asked.end(), [](const Question* q) { return q->wants_ideal; }))
      find_ideal(trace, machine ? &*machine : nullptr, given);
    for (const Question* question : asked) {
      WW_TRY(Answer answer, question->answer(given));
      if (question->always_whole != nullptr && !part.is_whole()) {
        json["selection"]["not_applied"][question->key] = question->always_whole;
        note += fmt::format("    but for {}: {}\n", question->name, question->always_whole);
      }
      json[question->key] = std::move(answer.json);
      text += (text.empty() || text.ends_with("\n\n") ? "" : "\n") + answer.text + "\n";
    }
  }
  if (options.json)
    fmt::print("{}\n", json_text(json, 2));
  else
    fmt::print("{}", show(breakdown, part, text, note));
  return 0;
}

}  // namespace

void add_report(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("report", "Where time and messages of a recorded run went");
  command->footer(
      "For each rank elapsed = compute + library + blocked. Blocked is split into algorithm (the other side "
      "had\n"
      "not begun yet) and service (the message was on its way). The other side may be late because it waited "
      "for\n"
      "the network itself: --ask delays follows waits to their causes, and says what no network shortens.\n"
      "--by peer lists messages, and apart from them what collectives carry from one rank to another: what "
      "the\n"
      "program gave them for that rank, not the hops of the library's algorithm. What MPI_Allreduce and the "
      "like\n"
      "combine on its way belongs to no pair.\n\n"
      "Questions of --ask (with --json each adds a key):\n" +
      list_of_questions() +
      "\nOf a part of the run: times are cut to it, what is counted belongs to the part in which it begins.\n"
      "Waits are found on the whole run, since their causes may lie outside.\n"
      "\nExample:  whatwire report app.ww --by call\n"
      "          whatwire report app.ww --from 1.5s --to 2s --ranks 0-3,7 --ask waits\n"
      "          whatwire report app.ww --ask queues --ask critical-path\n"
      "          whatwire report app.ww --message 0:1:7:3     (the third from rank 0 to 1 with tag 7)");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  command
      ->add_option(
          "--by", options->by,
          "rank, call, peer (who sends to whom), type (communicator and tag) or region (whatwire/marker.h);\n"
          "default: ranks, calls and regions")
      ->check(CLI::IsMember({"rank", "call", "peer", "type", "region"}));
  command->add_option("--ask", options->asks, "A question, listed below, or all; may be given again")
      ->type_name("QUESTION")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names_of_questions()).description(""));
  command
      ->add_option("--message", options->message,
                   "Follow one message: its number, or SOURCE:DESTINATION[:TAG[:K]], TAG or any")
      ->type_name("MESSAGE");
  command
      ->add_option("--at", options->at,
                   "List the messages waiting at this time of the run, as 1.5 (seconds) or 20ms")
      ->type_name("TIME");
  add_selection(*command, options->part);
  add_model(*command, options->machine, "Machine model: tells software from waiting inside calls");
  add_json(*command, options->json);
  act(*command, chosen, options, report);
}

}  // namespace ww::cli
