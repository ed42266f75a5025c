#include <fmt/format.h>

#include "base/json_object.hpp"
#include "base/units.hpp"
#include "render/questions/question.hpp"
#include "simulate/ideal_time.hpp"
#include "view/report_of.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<const Question*> question_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Question* question : questions()) {
    if (name == question->name) return question;
    names.emplace_back(question->name);
  }
  const auto near = nearest_word(name, names);
  return wrong_usage(
      "there is no such question", name,
      near ? fmt::format("do you mean {}?", *near) : fmt::format("ask one of {}", fmt::join(names, ", ")));
}

void find_ideal(const AskedPart& part, const MachineModel* machine, Given& given) {
  if (!part.part.is_whole()) {
    given.ideal_why = "only the whole run is replayed on the ideal network: of a part its time is not known";
    return;
  }
  if (const auto ideal = replay_on_ideal(*part.trace, machine)) {
    given.ideal_s = ideal->elapsed_s;
    given.ideal_why = ideal->assumption;
  } else {
    given.ideal_why = "the ideal network could not be simulated: " + to_string(ideal.error());
  }
}

Result<Response> answer_ask(const Inquiry& inquiry) {
  WW_TRY(const std::string name, inquiry.query.needed_text("question"));
  WW_TRY(const Question* question, question_of(name));
  if (question->wants_message && !inquiry.query.has("message"))
    return wrong_usage("which message?", "message", "add its number, or SOURCE:DESTINATION:TAG:K");
  WW_TRY(const auto at_ns, inquiry.query.instant_ns("at_ns"));
  WW_TRY(const Selection selection, inquiry.query.selection());
  WW_TRY(const AskedPart part, part_of(*inquiry.trace, selection, *inquiry.stop));
  if (at_ns && (*at_ns < 0 || !part.part.has_instant(part.trace->begin_ns() + *at_ns) ||
                seconds_of(*at_ns) > part.trace->elapsed_s()))
    return wrong_usage("that instant is not in the span", "at_ns",
                       fmt::format("the run took {}", show_time(part.trace->elapsed_s())));
  Given given{*part.trace,
              part.breakdown(),
              part.analysis->waits,
              std::nullopt,
              "",
              inquiry.query.text("message"),
              at_ns ? std::optional(seconds_of(*at_ns)) : std::nullopt,
              part.part};
  if (question->wants_ideal) find_ideal(part, inquiry.trace->machine(), given);
  WW_TRY(Answer answer, question->answer(given));
  return json_response(answer.json);
}

}  // namespace

const Resource ask_resource = {
    .name = "ask", .parameters = "question message at_ns SEL", .answer = answer_ask};

}  // namespace ww::view
