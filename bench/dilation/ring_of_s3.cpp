// ring_of_s3 [--ranks]: S3's ring (Antonishek, Snelick 1990) on the machine that S3 implies, simulated: both
// signatures of its Table 1, the speed-ups of its Figure 4, and a setting with a logical delay. Beside its
// second example the same with three messages of each node in the ring (docs/dilation.md).
#include <fmt/format.h>

#include <cstring>

#include "machine/presets.hpp"
#include "render/signature_text.hpp"
#include "study/ring_of_s3_fixture.hpp"
#include "study/simulated_signature.hpp"

namespace {

constexpr double visits = 16 * 100, elapsed_s = 10.0 / 0.735;  // of EX2; the preset says why

ww::RingOfS3 first_example() {
  ww::RingOfS3 ring;
  ring.work_s = 0.0658;
  ring.uneven_percent = 6.5;
  return ring;
}
ww::RingOfS3 second_example() {
  ww::RingOfS3 ring;
  ring.work_s = 0.199 * elapsed_s / visits;
  return ring;
}
ww::RingOfS3 logical_delay() {
  ww::RingOfS3 ring;
  ring.messages = 20;
  ring.circulating = 1;
  ring.originators = 4;
  ring.work_s = 0.3;
  return ring;
}

// The second example if three messages of each node were in the ring, and acknowledgements took no time to
// speak of: what holds a message up then is its own crossing, a third of which must be what a node sees.
ww::MachineModel other_machine(const ww::MachineModel& machine, double crossing_s) {
  ww::MachineModel out = machine;
  ww::Segment& line = out.links.front().one_way.segments.front();
  line.base_s += crossing_s - (line.base_s - out.costs.F.at(0) - out.costs.U.at(0));
  line.base_ci_s = {line.base_s, line.base_s};
  out.links.front().latency_s = line.base_s;
  return out;
}

bool show(const char* title, const ww::RingOfS3& ring, const ww::MachineModel& machine, bool every_rank) {
  const ww::Trace trace = ring.trace();
  std::vector<ww::SignedRun> runs;
  for (const double factor : {1, 2, 4, 6, 8, 16}) {
    const auto simulated = ww::replay(trace, apply(machine, ww::faster_network({}, factor)), {});
    if (!simulated) {
      fmt::print(stderr, "{}\n", to_string(simulated.error()));
      return false;
    }
    runs.push_back(ww::signed_run(factor, *simulated));
  }
  const ww::Signature signature = ww::signature_of(runs);
  fmt::print("{}\n{}{}\n", title, signature_table(signature, every_rank), conclusions(signature));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool every_rank = argc > 1 && std::strcmp(argv[1], "--ranks") == 0;
  const ww::MachineModel machine = *ww::find_preset("s3-hypercube");
  ww::RingOfS3 three = second_example();
  three.circulating = 3;
  three.window = 12;
  const double crossing_s = 3 * elapsed_s / visits - three.work_s - 0.066 * elapsed_s / visits;
  const bool shown =
      show("EX1, computation (S3: 93.7, 0.5, 5.5, 0.3%; no gain)", first_example(), machine, every_rank) &&
      show("EX2, communication (S3: 19.9, 5.1, 73.5, 1.5%; speed-ups 1.8, 3.5, 3.7, 3.7, 3.7)",
           second_example(), machine, every_rank) &&
      show("EX2 by another machine: three messages of each node in the ring, long crossings", three,
           other_machine(machine, crossing_s), every_rank) &&
      show("a logical delay: four of the sixteen nodes originate messages", logical_delay(), machine,
           every_rank);
  return shown ? 0 : 1;
}
