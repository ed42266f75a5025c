// Keeps the machine's cores from falling asleep while a lab is used, as clusters are told to be set (idle=poll). On a
// virtual machine a core with nothing to do is given away, and what its rank does first after that runs slowly, so that the
// software of a library that sleeps while it waits takes longer on a slow wire than on a quick one (docs/design/lab.md).
// Linux keeps all cores awake for as long as a process has /dev/cpu_dma_latency open with a latency of 0 in it
// (Documentation/power/pm_qos_interface.rst). No program loses anything by it: a core that has nothing to do polls.
#pragma once
#include <cstdint>
#include <string>

namespace ww::lab {

class AwakeCores {
 public:
  // Why cores cannot be kept awake here: no driver of idle states that would heed it, or no right. Empty: they can.
  static std::string impossible();

  AwakeCores() = default;
  AwakeCores(const AwakeCores&) = delete;
  AwakeCores& operator=(const AwakeCores&) = delete;
  ~AwakeCores();

  // From now on, until nothing has come for `patience_ns`.
  void wake(std::int64_t now_ns);
  // To be called each look_again_ms: `frames` are those that the wire has carried since the lab is up.
  void look(std::int64_t now_ns, std::uint64_t frames);
  bool awake() const { return held_ >= 0; }

  static constexpr int look_again_ms = 1000;
  static constexpr std::int64_t patience_ns = 10'000'000'000;

 private:
  int held_ = -1;
  std::uint64_t frames_ = 0;
  std::int64_t used_ns_ = 0;
};

}  // namespace ww::lab
