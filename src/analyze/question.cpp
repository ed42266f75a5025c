#include "analyze/question.hpp"

#include "analyze/questions.hpp"

namespace ww {

std::span<const Question* const> questions() {
#define WW_ADDRESS(name) &name##_question,
  static constexpr const Question* all[] = {WW_QUESTIONS(WW_ADDRESS)};
#undef WW_ADDRESS
  return all;
}

const Question* question_named(const std::string& name) {
  for (const Question* question : questions())
    if (name == question->name) return question;
  return nullptr;
}

}  // namespace ww
