#include "render/daemons_text.hpp"
#include "render/questions/questions.hpp"

namespace ww {
namespace {

Result<Answer> answer_daemons(const Given& given) {
  Answer answer;
  const auto record = daemons_from(given.trace.run.daemons);
  answer.json = record ? to_json(*record) : nlohmann::json();
  answer.text = record ? show(*record)
                       : "no daemons were recorded: those of PVM are, of programs that are recorded on a lab "
                         "(whatwire record --lab), or with --daemons\n";
  return answer;
}

}  // namespace

const Question daemons_question = {
    .name = "daemons",
    .key = "daemons",
    .about = "what PVM's daemons did with messages of the default route: time, packets, fragments",
    .answer = answer_daemons,
    .always_whole = "what daemons did is summed when the trace is made"};

}  // namespace ww
