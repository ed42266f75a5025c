// When the messages of a program are over on the network that dilation emulates, in ticks of the real clock:
// arithmetic on what was seen of them, without a clock of its own.
//
// Of a message of n bytes the machine's costs are send, flight and receive (message_curves.hpp), the target's send',
// flight' and receive'. In real time, which runs D times as fast as the program's, they must last D send', D
// flight' and D receive'. What the machine takes itself is subtracted where it was seen to pass, so that what
// no model knows of the machine (other traffic, a busy core) stays in the result; where it was not seen, the
// model's time counts.
//
// Messages that meet at a host, one each way, are slower there by what their model says (MessageCosts::meeting), on either machine
// as far as there one came while the other went.
//
// A host's ports serve one message at a time, D port' each, as in simulation (simulate/networks/ports.hpp). A
// program may look at messages in any order, and long after they came: each gets the time at the port that is
// free from when its first byte is there, not after whatever was looked at before it. Messages that meet on
// the wire, one each way, use different ports and do not wait for each other.
#pragma once
#include <stdint.h>

#include "interpose/core/lone_acknowledgements.hpp"
#include "interpose/core/message_curves.hpp"
#include "interpose/core/virtual_ports.hpp"

namespace ww::interpose {

// The call that has come back from the library.
struct SeenCall {
  uint64_t entered;  // without what delayed a departure before
  uint64_t back;
  bool waits;      // it is no test, which leaves what it did not find
  double ready_s;  // what it lasts when nothing has to be waited for
};

struct SeenMessage {
  bool between_hosts;
  uint64_t bytes;
  uint64_t departed;  // when its sender was through with the send' before it; 0: nobody knows
  uint64_t posted;    // when its receive was; 0: nobody knows
  int source;         // any number for the sender
  uint64_t wanted =
      0;  // when it is to have come, where that is known without this rank (mpi/dilated_messages.hpp)
};

class Deadlines {
 public:
  // The costs of both machines must outlive this.
  constexpr Deadlines(const NetworkCosts& machine, const NetworkCosts& target)
      : machine_(machine), target_(target) {}
  void set(double dilation, double ticks_per_s);
  // Another D from now on. The target's wire stays what it is; or it follows, as many times as fast as the machine's as
  // D says, so that it goes on to take what it takes here.
  void change(double dilation, bool wire_follows);
  // Of large messages that are read in order it is known when their data go (SeenMessage::wanted).
  void data_go_in_turn() { in_turn_ = true; }
  bool known() const { return known(true) || known(false); }
  bool known(bool between_hosts) const;

  // D send' - send: passes before the message is handed to the library.
  double more_send_s(bool between_hosts, uint64_t bytes) const;
  double more_flight_s(bool between_hosts, uint64_t bytes) const;
  double more_receive_s(bool between_hosts, uint64_t bytes) const;
  // Of a message that is handed to the library now: when it departs. Not before the port has sent the one
  // before, and what acknowledges (LoneAcknowledgements). `dest`: SeenMessage::source of who answers.
  uint64_t departs(bool between_hosts, uint64_t bytes, uint64_t now, int dest = nobody);
  // Until when this rank's messages keep its port, on the target and on this machine.
  struct PortUntil {
    uint64_t there, here;
  };
  PortUntil sending_port() const { return {sending_port_, sending_port_here_}; }

  // A send is complete; it departed then. Until when its call must not return: a large message's data have to
  // be out of the sender's hands, which takes D (reply' + port') - (reply + port) longer than here. Where the
  // library is rid of them sooner (Open MPI hands 128 KiB to a socket at once), it is on the other network,
  // too. 0: it may.
  uint64_t sent(bool between_hosts, uint64_t bytes, uint64_t departed, const SeenCall& call) const;

  // These messages were received by one call: until when it must not return. Each is unpacked when it has
  // come and those before it are; the first not before `from`. `arrived` becomes when the last has come, if
  // that is later than it is. Puts `messages` into the order of their arrival.
  static constexpr int most = 32;
  uint64_t received(SeenMessage* messages, int count, const SeenCall& call, uint64_t from, uint64_t& arrived);

  // What collectives exchange with ranks of other hosts acknowledges, too, and is acknowledged. `came`: on the target, like `read`;
  // `really_read`: on this machine.
  void told(int peer, uint64_t when) { acknowledgements_.told(peer, when); }
  void read(int peer, uint64_t bytes, uint64_t came, uint64_t read, uint64_t really_read);

  uint64_t to_ticks(double seconds) const {
    return seconds > 0 ? static_cast<uint64_t>(seconds * ticks_per_s_ + 0.5) : 0;
  }
  double to_seconds(uint64_t ticks) const { return static_cast<double>(ticks) / ticks_per_s_; }

 private:
  static constexpr int nobody = -1;
  struct Pair {
    const MessageCosts &real, &target;
  };
  struct Arrival {
    uint64_t real;  // on this machine, by the model; 0: nobody knows
    uint64_t wanted;
  };
  bool goes_in_turn(uint64_t bytes) const { return in_turn_ && target_.inter.in_order(bytes); }
  Pair pair(bool between_hosts) const { return {machine_.of(between_hosts), target_.of(between_hosts)}; }
  double more_s(double dilation, bool between_hosts, const Pieces MessageCosts::*part, uint64_t bytes) const;
  Arrival by_model(const SeenMessage& message) const;
  uint64_t arrival(const SeenMessage& message, uint64_t came) const;
  uint64_t through_port(const SeenMessage& message, uint64_t there, uint64_t unpacking);
  uint64_t through_in_turn(const SeenMessage& message);
  uint64_t port_ticks(const SeenMessage& message, uint64_t there);
  uint64_t met(const SeenMessage& message, uint64_t unpacked) const;
  uint64_t will_meet(const SeenMessage& message, uint64_t begin, uint64_t port) const;

  const NetworkCosts& machine_;
  const NetworkCosts& target_;
  double dilation_ = 1, ticks_per_s_ = 1e9;
  double wire_dilation_ = 1;  // of flight, port and reply
  bool in_turn_ = false;
  uint64_t sending_port_ = 0;  // until when it is taken by this rank's own messages
  uint64_t sending_port_here_ = 0;
  LoneAcknowledgements acknowledgements_;
  // Those between hosts that it sent last: from when they keep it, on this machine and on the target.
  struct OwnMessage {
    uint64_t begin_here, end_here, begin_there, end_there;
  };
  static constexpr unsigned own_remembered = 32;
  OwnMessage own_[own_remembered] = {};
  unsigned own_count_ = 0;
  PortTimes receiving_port_{};
  int last_through_ = -1;  // the source of the message that was there last
  uint64_t last_there_ = 0;

  // The latest message of a sender that was seen to come while it was waited for. What that sent before was
  // there when this one's first byte was.
  struct Latest {
    int source;
    uint64_t departed, first_byte;
  };
  static constexpr int remembered = 64;
  Latest latest_[remembered] = {};
};

}  // namespace ww::interpose
