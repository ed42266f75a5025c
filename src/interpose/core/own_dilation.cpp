#include "interpose/core/own_dilation.hpp"

#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/markers.hpp"
#include "interpose/core/names.hpp"
#include "interpose/core/program_clock.hpp"
#include "interpose/core/selection_control.hpp"
#include "interpose/core/stretch.hpp"

namespace ww::interpose {

namespace {

constexpr double most = 1e6;
double factor_of_run = 1;  // 1: nobody may set another
bool wire_follows_factor = false;
bool begun = false;
double set_early = 0;

void put_factor(Thread& thread, double factor, uint64_t at) {
  const uint32_t name = name_number(NameUse::real, spool::dilation_value, strlen(spool::dilation_value));
  define_name(name);
  uint64_t bits = 0;
  memcpy(&bits, &factor, sizeof bits);
  put_always(thread.spool, {at, at, bits, 0, spool::no_peer, 0, name,
                            static_cast<uint8_t>(spool::Kind::value_real), 0, spool::no_call});
}

}  // namespace

void allow_own_dilation(double factor, bool wire_follows) {
  factor_of_run = factor;
  wire_follows_factor = wire_follows;
}

void set_own_dilation(double asked) {
  if (!begun) {
    set_early = asked;
    return;
  }
  if (!active || !dilating || factor_of_run <= 1) return;
  const double factor = asked == 0 ? factor_of_run : asked;
  if (!(factor >= 1 && factor <= most)) {
    trouble(Trouble::dilation_refused);
    return;
  }
  Thread* const thread = thread_outside_calls();
  if (thread == nullptr) return;
  const uint64_t now = stretch(*thread, ticks(), false);
  change_stretch(factor / factor_of_run);
  change_program_rate(factor);
  change_injection(factor, wire_follows_factor);
  if (recording) put_factor(*thread, factor, now);
  computes_from(*thread, ticks());
}

void begin_own_dilation() {
  if (begun) return;
  begun = true;
  if (set_early != 0) set_own_dilation(set_early);
}

}  // namespace ww::interpose
