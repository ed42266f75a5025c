// The time of a schedule under LogGOPS when nobody fights over anything but what a rank itself orders: each
// processor serves its operations in the order of Schedule::order, cards serve messages in that order too.
// Then a time is the greatest of sums (an expression in max and plus), and grows convexly with every
// parameter.
//
// Against windows.hpp: there a processor takes what is ready first, so it never stands idle beside something
// that could be served; here it may, but overheads never come in another order either. Requests and replies
// of large messages take their time but no processor's.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "simulate/schedule/growth.hpp"
#include "simulate/schedule/listening.hpp"
#include "simulate/schedule/loggops.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

// The longest chain: how often each parameter is on it. The finish is exactly
// L times L, and so on, plus the computation.
struct Chain {
  std::int64_t L = 0, o = 0, g = 0, G = 0, O = 0;  // G and O: bytes
  Ticks compute = 0;
  std::uint64_t operations = 0, messages = 0;

  Ticks time(const LogGopsTicks& machine) const {
    return L * machine.L + o * machine.o + g * machine.g + G * machine.G + O * machine.O + compute;
  }
};

struct Evaluated {
  Ticks finish = 0;
  std::vector<Ticks> rank_finish;
};

struct Explained {
  Evaluated evaluated;
  Chain chain;
  Blame blame;
};

// Errors: as play_windows.
Result<Evaluated> evaluate(const Schedule& schedule, const LogGopsTicks& machine,
                           const Listening& listening = {});
// Blame::Message::number is the send's operation, its time the flight's.
Result<Explained> explain(const Schedule& schedule, const LogGopsTicks& machine,
                          const Cancellation* cancellation = nullptr);
const char* letter_of(Parameter parameter);  // L, G, o
Parameters parameters_of(const LogGopsTicks& machine);
Growing growing(const Schedule& schedule, const LogGopsTicks& machine,
                const Cancellation* cancellation = nullptr);

}  // namespace ww::schedule
