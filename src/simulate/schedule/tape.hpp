// A program without contention as a straight list of steps in max and plus, whose order depends on no time:
// written once (batch.cpp), played for several machines at once, one in each lane of the processor's vectors.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/schedule/loggops.hpp"

namespace ww::schedule {

// Machines side by side: two vectors of AVX2, one of AVX-512.
inline constexpr std::size_t lanes = 8;

// The latest of up to three times; what is written is that and a cost each. The first of equals is kept.
struct TapeStep {
  std::uint8_t ins = 0, outs = 0;
  bool timed = false;  // one out; its cost is a computation's time, and not a row
  std::uint32_t in[3] = {}, out[3] = {}, cost[3] = {};
};

struct Tape {
  std::vector<TapeStep> steps;
  std::uint32_t slots = 0;  // times that are kept at once; all begin at 0
};

// By how many of what follows a time is described: itself alone, or with its three slopes (Parameters).
enum class CarriedWith : std::uint8_t { time, slopes };
constexpr std::size_t parts(CarriedWith carried) {
  return carried == CarriedWith::time ? 1 : 4;
}

// What the steps work on. Arrays of [parts][lanes] numbers a slot and a row, on boundaries of 64 bytes.
struct TapeRun {
  const Tape* tape = nullptr;
  Ticks* slots = nullptr;
  const Ticks* rows = nullptr;
  const Ticks* times = nullptr;  // one a computation, or `lanes` of each
  bool same_times = true;
  CarriedWith carried = CarriedWith::time;
};

enum class Instructions : std::uint8_t { scalar, avx2, avx512 };
// That this processor has, the fastest last.
std::vector<Instructions> instructions_here();
const char* to_string(Instructions instructions);
void play(const TapeRun& run, Instructions by);

}  // namespace ww::schedule
