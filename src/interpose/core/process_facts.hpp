// The definition "process" (core/spool_format.hpp), as far as it is the same of all libraries' processes.
#pragma once
#include "interpose/core/definitions.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

struct ProcessFacts {
  const char *library = "", *version = "";
  ClockPair now;
  double ticks_per_s = 0, dilation = 1;
  int virtual_host = -1;  // the process is to be on this one in the trace; -1: on its own
};

// Not written yet: who the process is among others is the library's to say.
void add_process(DefinitionLine& line, const ProcessFacts& facts);

}  // namespace ww::interpose
