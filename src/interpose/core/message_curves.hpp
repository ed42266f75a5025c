// What a message of n bytes costs, as the environment says it (environment.hpp): curves of straight pieces.
#pragma once
#include <stdint.h>

#include "base/tcp_acknowledgements.hpp"
#include "base/tcp_window.hpp"

namespace ww::interpose {

// Seconds of n bytes: BASE + PER_BYTE * n of the last piece that begins at or before n.
struct Pieces {
  static constexpr int most = 256;
  struct Piece {
    double from_bytes, base_s, s_per_byte;
    double at(uint64_t bytes) const { return base_s + s_per_byte * static_cast<double>(bytes); }
  } piece[most];
  int count = 0;

  // "FROM:BASE:PER_BYTE,..."; nullptr is no piece. Gives what follows the pieces in the text.
  const char* read(const char* text);
  const Piece* of(uint64_t bytes) const;  // nullptr: none begins there
  double at(uint64_t bytes) const {       // 0 where there is no piece
    const Piece* found = of(bytes);
    return found == nullptr ? 0 : found->at(bytes);
  }
  void multiply(double by);
};

// The frames into which a stream (TCP) is cut, whatever the messages in it: each holds payload_bytes of them and overhead_bytes
// beside; a message is message_bytes longer than what the program gave.
struct StreamFrames {
  double payload_bytes = 0, overhead_bytes = 0, message_bytes = 0, s_per_byte = 0;  // payload 0: not known
  // What is to go sooner has been cut into frames already (simulate/costs.hpp).
  double cut_ahead_s() const { return 3 * (payload_bytes + overhead_bytes) * s_per_byte; }
  // What a message takes in full frames only.
  double packed_s(uint64_t bytes) const {
    return s_per_byte * (static_cast<double>(bytes) + message_bytes) * (1 + overhead_bytes / payload_bytes);
  }
  // A message is in a full frame or more, or nothing is known of frames.
  bool fills_one(uint64_t bytes) const { return static_cast<double>(bytes) + message_bytes >= payload_bytes; }
  double empty_frame_s() const { return overhead_bytes * s_per_byte; }
  // How much longer `before` bytes take with so many more behind them.
  double added_s(double before, double bytes) const;
  // "PAYLOAD:OVERHEAD:MESSAGE:S_PER_BYTE"; gives what follows them in the text.
  const char* read(const char* text);
};

// One message between two ranks, nothing in its way: send + flight + receive is the model's one-way time.
// The parts are those that simulation plays out (machine/message_cost.hpp).
struct MessageCosts {
  bool known = false;
  double eager_bytes = 0;  // a larger message waits until its receiver is ready
  Pieces send;             // in the sender's call
  Pieces flight;           // from there to the receiver, all of a large message's requests and replies too
  Pieces receive;          // in the receiver's call, after arrival
  Pieces port;   // of the flight: how long the message keeps the receiving host's port; of none within a host
  Pieces reply;  // of the flight: a large message's request and reply
  // Replies lie behind data, and what comes so long after a wait is over is still read with it (replies.hpp). Negative: a
  // reply goes when both sides are ready.
  double together_s = -1;
  // The same of messages that no play has, as replays have it (machine/message_cost.hpp).
  double read_together_s = -1;
  // Its sender waits until a large message's data are acknowledged, one crossing before their receiver is told (Library::handshake_crossings).
  bool acknowledged = false;
  bool reads_on = true;  // ... with that before its rank goes on, else until the rank's own next message goes
  StreamFrames frames;   // between hosts
  Pieces
      meeting;  // between hosts: how much longer the message keeps the port while its host sends all the time
  // Of TCP as Linux sets it, between two ranks that are all there are: full frames of its first window (base/tcp_window.hpp); 0: none
  // is in the way. stretched: so many times as long as on the wire the flight is (a dilated run).
  double window_frames = 0, stretched = 1;
  // What its sender's system takes ahead of the wire, of a stream (Link::sent_ahead_bytes); 0: a send is over when its data have left.
  double ahead_bytes = 0;
  // Of a request or a reply on the wire, between hosts: so long after what it lies behind it is there.
  double control_frame_s = 0;

  // "EAGER;SEND;FLIGHT;RECEIVE;PORT;REPLY" and, where there is one, ";TOGETHER" (":0": not reads_on), then ";FRAMES", and at last ";meeting=MEETING",
  // ";window=FRAMES", ";ahead=BYTES", ";control=SECONDS" and ";near=SECONDS" (read_together_s; else TOGETHER); nullptr: not known
  void read(const char* text);
  bool rendezvous(uint64_t bytes) const { return static_cast<double>(bytes) > eager_bytes; }
  // Before the message, or a large one's request, leaves; what else a large one's software is comes before its data.
  double ask_s(uint64_t bytes) const {
    const double all_s = send.at(bytes), small_s = rendezvous(bytes) ? send.at(1) : all_s;
    return small_s < all_s ? small_s : all_s;
  }
  // When the data of a large message are ready to leave, after its request and its receiver's reply.
  double data_ready_s(uint64_t bytes, double requested_s, double posted_s) const {
    const double asked_s = requested_s + control_s(bytes);
    return (asked_s > posted_s ? asked_s : posted_s) + control_s(bytes) + rest_s(bytes);
  }
  double control_s(uint64_t bytes) const { return reply.at(bytes) / 2; }  // one way, of a request or a reply
  double rest_s(uint64_t bytes) const { return send.at(bytes) - ask_s(bytes); }
  // For how long a large message stands still behind others_s of what goes back.
  double stands_still_s(TcpWindow& window, double port_s, double others_s, double now_s) const {
    const double frame_s = (frames.payload_bytes + frames.overhead_bytes) * frames.s_per_byte * stretched;
    return window.stands_still_s(window_frames, frame_s, port_s, others_s, now_s, stretched);
  }
  bool in_order(uint64_t bytes) const { return together_s >= 0 && rendezvous(bytes); }
  // From the departure of its data to their first arrival.
  double head_s(uint64_t bytes) const {
    const double head = flight.at(bytes) - port.at(bytes) - (rendezvous(bytes) ? reply.at(bytes) : 0);
    return head > 0 ? head : 0;
  }
  // ... to when the last of them is with the receiving host: after they have left.
  double landing_s(uint64_t bytes) const {
    const double landing = head_s(bytes) - (acknowledged ? reply.at(bytes) : 0);
    return landing > 0 ? landing : 0;
  }
  // An acknowledgement that is written when data have come, after the last of what goes its way.
  double acknowledged_behind_s() const {
    if (!(frames.payload_bytes > 0)) return control_frame_s;
    return late_acknowledgement_s(frames.empty_frame_s() * stretched, control_frame_s,
                                  send.at(1) + receive.at(1));
  }
  // When the send of a large message is over that nobody acknowledges, whose data were ready at `ready_s` and have left at `out_s`.
  double sent_s(uint64_t bytes, double ready_s, double out_s) const {
    if (!(ahead_bytes > 0) || bytes == 0) return out_s;
    const double taken_s = out_s - port.at(bytes) / static_cast<double>(bytes) * ahead_bytes;
    return taken_s > ready_s ? taken_s : ready_s;
  }
};

struct NetworkCosts {
  MessageCosts inter, intra;  // between hosts, within a host
  const MessageCosts& of(bool between_hosts) const { return between_hosts ? inter : intra; }
};

extern NetworkCosts machine_costs;  // of the machine that the program runs on
extern NetworkCosts target_costs;   // of the machine that it is to run as if it were on

void read_costs(int ranks);  // all four variables, of a program of so many ranks

}  // namespace ww::interpose
