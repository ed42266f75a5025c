#include "interpose/core/process_facts.hpp"

#include <stdio.h>
#include <unistd.h>

#include "interpose/core/recorder.hpp"

namespace ww::interpose {

void add_process(DefinitionLine& line, const ProcessFacts& facts) {
  char host[256] = {}, boot_id[64] = {}, program[1024] = {};
  gethostname(host, sizeof host - 1);
  if (facts.virtual_host >= 0) snprintf(host, sizeof host, "virtual-%d", facts.virtual_host);
  read_boot_id(boot_id, sizeof boot_id);
  read_program_name(program, sizeof program);
  line.text("host", host)
      .text("boot_id", boot_id)
      .number("pid", getpid())
      .text("program", program)
      .text("mpi", facts.library)
      .text("mpi_version", facts.version)
      .text("clock", counter_is_clock ? "tsc" : "monotonic")
      .real("ticks_per_s", facts.ticks_per_s)
      .number("ticks", static_cast<int64_t>(facts.now.ticks))
      .number("monotonic_ns", static_cast<int64_t>(facts.now.monotonic_ns))
      .number("realtime_ns", static_cast<int64_t>(real_ns(CLOCK_REALTIME)))
      .real("dilation", facts.dilation)
      .number("format", 1);
}

}  // namespace ww::interpose
