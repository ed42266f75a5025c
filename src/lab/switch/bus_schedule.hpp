// When each frame is where on the lab's wire if that is one shared bus with CSMA/CD: the bus of
// ether/csma_bus.hpp, which the simulator has too, in real time.
//
// The bus is played in its own time: a host's frame is there when it was taken from the host, and from then
// on carrier, gap, collision and back-off are at the instants that the rules and the seed give, whenever a
// hand wakes. What becomes of the frames that are there is therefore known as long as no other comes. So at
// every arrival the bus is played up to that instant for good, and a copy of it to its end: the copy says
// when which frame will be received, to which hands sleep. It is right unless another frame comes; then a
// delivery can be later than was said, or earlier, and the hands that it is earlier for are woken.
//
// A frame of n bytes is on the bus for n + 4 (check sequence; padded to 64) + 8 (preamble) bytes; the gap of
// 12 is the rules'. All hosts are as far from one another as the simulator puts them, 1 us or an eighth of a
// slot.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "ether/csma_bus.hpp"
#include "lab/switch/timetable.hpp"

namespace ww::lab {

class BusSchedule final : public Timetable, ether::BusUser {
 public:
  // Times of calls are not before start_ns. (Within 100 days of it: the bus counts picoseconds.)
  BusSchedule(int ports, WireTimes wire, std::uint64_t seed, std::int64_t start_ns);

  // From the next call that says what time it is. A frame that is on the wire then begins anew, and all
  // begin with no attempts.
  void set_wire(WireTimes wire) override { wire_ = wire; }
  bool wants(int port) const override;
  void arrive(int port, std::int64_t time_ns, std::uint32_t frame, CardPiece piece,
              std::optional<int> to) override;
  void advance(std::int64_t now_ns, const Deliver& deliver, const Drop& drop) override;
  std::int64_t next_delivery_ns(int port) const override;
  std::int64_t next_room_ns(int port) const override;
  bool busy_for(int, std::int64_t) const override { return false; }

  const BusTally* bus() const override { return &tally_; }

 private:
  struct Outcome {  // what has become of a frame, or will
    ether::BusFrame frame;
    std::int64_t time_ns;
    bool dropped;
  };
  struct Forecast final : ether::BusUser {
    std::deque<Outcome> outcomes;
    void sent(const ether::BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) override;
    void dropped(const ether::BusFrame& frame, std::int64_t now_ps) override;
    std::int64_t start_ns = 0;
    std::int64_t delay_ps = 0;  // of signals: the same for all, so that ends come in the order of their times
  };
  struct Port {
    std::deque<std::int64_t> frames;  // that are there: their bytes
    std::int64_t bytes = 0;
  };

  ether::CsmaBus new_bus(BusUser& user) const;
  bool reaches(const ether::BusFrame& frame, int port) const;
  std::int64_t ps(std::int64_t time_ns) const { return (time_ns - forecast_.start_ns) * 1000; }
  void play_to(std::int64_t now_ns);
  void change_wire(std::int64_t now_ns);
  void foresee();                   // after an arrival
  void look_ahead();                // further than before
  std::int64_t horizon_ns() const;  // nothing is known beyond
  void sent(const ether::BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) override;
  void dropped(const ether::BusFrame& frame, std::int64_t now_ps) override;
  void done(const ether::BusFrame& frame, std::int64_t now_ps);

  int ports_;
  std::uint64_t seed_;
  double played_rate_bytes_per_s_;
  std::vector<Port> of_ports_;
  Forecast forecast_;           // of the frames that are there, in the order of their ends
  std::deque<Outcome> ended_;   // ... that have ended, until they are handed out
  ether::CsmaBus bus_, ahead_;  // as far as is known for good; the copy that is played to its end
  std::size_t frames_ = 0;      // that are there
  std::int64_t wanted_since_ps_ = 0, wanted_before_ps_ = 0;
  ether::BusCounts before_;  // counted on former wires
  BusTally tally_;
};

}  // namespace ww::lab
