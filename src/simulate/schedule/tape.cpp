#include "simulate/schedule/tape.hpp"

#include <cstddef>

namespace ww::schedule {
namespace {

namespace scalar {
#define WW_TARGET
#define WW_WIDTH 1
#include "simulate/schedule/tape_kernel.inc"
#undef WW_TARGET
#undef WW_WIDTH
}  // namespace scalar

#if defined(__x86_64__)
namespace avx2 {
#define WW_TARGET __attribute__((target("avx2")))
#define WW_WIDTH 4
#include "simulate/schedule/tape_kernel.inc"
#undef WW_TARGET
#undef WW_WIDTH
}  // namespace avx2

namespace avx512 {
#define WW_TARGET __attribute__((target("avx512f")))
#define WW_WIDTH 8
#include "simulate/schedule/tape_kernel.inc"
#undef WW_TARGET
#undef WW_WIDTH
}  // namespace avx512
#endif

}  // namespace

std::vector<Instructions> instructions_here() {
  std::vector<Instructions> out{Instructions::scalar};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) out.push_back(Instructions::avx2);
  if (__builtin_cpu_supports("avx512f")) out.push_back(Instructions::avx512);
#endif
  return out;
}

const char* to_string(Instructions instructions) {
  return instructions == Instructions::scalar ? "scalar"
         : instructions == Instructions::avx2 ? "AVX2"
                                              : "AVX-512";
}

void play(const TapeRun& run, Instructions by) {
#if defined(__x86_64__)
  if (by == Instructions::avx2) return avx2::play_here(run);
  if (by == Instructions::avx512) return avx512::play_here(run);
#endif
  (void)by;
  scalar::play_here(run);
}

}  // namespace ww::schedule
