// What must not become faster while computation is stretched is added back, so that the other network comes
// out of it (S3's algebra with each parameter on its own: Martin et al., ISCA 1997, for the knobs). What of a
// message is added where, and until when a call must not return, says deadlines.hpp; here time passes.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/deadlines.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

extern bool injecting;

// The costs of both machines must have been read (read_costs).
void set_injection(double dilation, double ticks_per_s);
// Of links that both machines have, in real time: what a message costs here, and what it is to cost, which is D
// times what it costs on the target. Of others nothing.
const NetworkCosts& costs_here();
const NetworkCosts& costs_wanted();
double injection_seconds(uint64_t ticks);
// Large messages' data go as SeenMessage::wanted says: their port is not this rank's from their departure on.
void data_go_in_turn();
uint64_t injection_ticks(double seconds);
// Another D from now on (Deadlines::change).
void change_injection(double dilation, bool wire_follows);

// How long a receive of n bytes lasts when the message is there already, measured at start by the library's
// caller; one entry a power of two from 1 byte. Slower than `slack` times this, and by `margin_s`, is
// waiting.
inline constexpr int ready_sizes = 24;
void set_ready_cost(int log2_bytes, double seconds);
// Of each size the least that `ticks_of(bytes)` gives of some receives of messages to oneself, in ticks; beyond `largest` the copy
// doubles with the size.
template <class Ticks>
void measure_ready_costs(size_t largest, double ticks_per_s, Ticks&& ticks_of) {
  double latest_s = 0;
  for (int log = 0; log < ready_sizes; ++log) {
    const size_t bytes = size_t{1} << log;
    if (bytes > largest) {
      latest_s *= 2;
    } else {
      uint64_t least = ~0ull;
      const int repeats = bytes > 65536 ? 3 : 10;
      for (int i = 0; i < repeats; ++i)
        if (const uint64_t took = ticks_of(bytes); took < least) least = took;
      if (least != ~0ull) latest_s = static_cast<double>(least) / ticks_per_s;
    }
    set_ready_cost(log, latest_s);
  }
}

// Before a message is handed to the library: its sender's software. Gives when it departs on the wire that is
// emulated: not before that had taken the one before.
uint64_t delay_departure(Thread& thread, bool between_hosts, uint64_t bytes, uint64_t now, int dest);
// What else of a rank's messages holds up later ones (Deadlines).
Deadlines::PortUntil injected_port();
void note_told(int peer, uint64_t when);
void note_read(int peer, uint64_t bytes, uint64_t came, uint64_t read, uint64_t really_read);

// Until when a call must not return, and until when its rank read in it what came: by what is played, and in the library.
// That is by a play of both and not by the clock: what a message was late here is late for what was sent after it, too.
// 0: nothing is known.
struct HeldBack {
  uint64_t until = 0, looked = 0, really_looked = 0;
};

// What one call is held back by, after it came back: when this goes out of scope, before the program has it
// back.
class Injection {
 public:
  // `entered`: the ticks of the call's entry. `waits`: it is no test, which leaves what it did not find.
  Injection(uint64_t entered, bool waits);
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  // It received what makes the library read, as messages of other ranks do.
  void reads() { reads_ = true; }
  // Received. `posted` of the message 0: this call began the receive, too.
  void message(SeenMessage message);
  // A send is complete that departed then (0: nobody knows).
  void sent(bool between_hosts, uint64_t bytes, uint64_t departed);
  // The call must not return before that.
  void until(uint64_t deadline) {
    if (deadline > deadline_) deadline_ = deadline;
  }
  void hold_back(const HeldBack& held) {
    until(held.until);
    looked_ = held.looked;
    really_looked_ = held.really_looked;
  }
  uint64_t back() const { return back_; }  // from the library

 private:
  void settle();
  bool has_waited_to_send() const;
  uint64_t entered_ticks() const;  // without what delayed a departure of the same call
  SeenCall seen() const { return {entered_ticks(), back_, waits_, ready_s_}; }

  static constexpr int most = Deadlines::most;
  const uint64_t entered_;
  const bool waits_;
  bool reads_ = false;
  const uint64_t back_;
  uint64_t deadline_ = 0, looked_ = 0, really_looked_ = 0;
  uint64_t arrived_ = 0, received_ = 0;  // when the last message has come, and when all are unpacked
  double ready_s_ = 0;                   // what the call lasts when nothing has to be waited for
  SeenMessage messages_[most];
  int count_ = 0;
};

}  // namespace ww::interpose
