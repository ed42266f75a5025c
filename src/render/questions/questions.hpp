// Every question's entry: one line a question, whose file defines NAME_question.
#pragma once
#include "render/questions/question.hpp"

// In the order in which help lists them.
#define WW_QUESTIONS(ONE) \
  ONE(utilisation)        \
  ONE(messages)           \
  ONE(sent)               \
  ONE(queues)             \
  ONE(waiting)            \
  ONE(delays)             \
  ONE(balance)            \
  ONE(ratio)              \
  ONE(unmatched)          \
  ONE(follow)             \
  ONE(pop)                \
  ONE(critical_path)      \
  ONE(regions)            \
  ONE(values)             \
  ONE(functions)          \
  ONE(overhead)           \
  ONE(throughput)         \
  ONE(memory)             \
  ONE(one_sided)          \
  ONE(files)              \
  ONE(daemons)

namespace ww {

#define WW_DECLARE(name) extern const Question name##_question;
WW_QUESTIONS(WW_DECLARE)
#undef WW_DECLARE

}  // namespace ww
