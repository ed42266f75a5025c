#include "analyze/question.hpp"

#include "analyze/questions.hpp"

namespace ww {

std::span<const Question* const> questions() {
#define WW_ADDRESS(name) &name##_question,
  static constexpr const Question* all[] = {WW_QUESTIONS(WW_ADDRESS)};
#undef WW_ADDRESS
  return all;
}

}  // namespace ww
