#include "render/questions/question.hpp"

#include "render/questions/questions.hpp"

namespace ww {

std::span<const Question* const> questions() {
#define WW_ADDRESS(name) &name##_question,
  static constexpr const Question* all[] = {WW_QUESTIONS(WW_ADDRESS)};
#undef WW_ADDRESS
  return all;
}

}  // namespace ww
