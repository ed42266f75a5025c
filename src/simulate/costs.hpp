// What each message of a program costs on a machine, split into the parts that the engine and the network
// play out (machine/message_cost.hpp).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "machine/message_cost.hpp"
#include "machine/model.hpp"
#include "simulate/message_kinds.hpp"
#include "simulate/program.hpp"
#include "simulate/stalls.hpp"

namespace ww::simulate {

// What networks that move frames or bytes need beside the costs of whole messages; of the link between hosts.
struct WireFacts {
  double seconds_per_byte = 0;  // of the bytes that port_s counts
  bool frames_known = false;    // by the model; else what follows is usual
  double frame_payload_bytes = 1460, frame_overhead_bytes = 40;
  double stages = 1;              // how often the model's network stores a frame before the receiver has it
  double first_frame_head_s = 0;  // head_s of a message that fills one frame
  double send_load_s = 0, receive_load_s = 0;  // S and R of such a message; 0: not in the model
  double sent_ahead_bytes = 0;                 // Link::sent_ahead_bytes
  double small_software_s = 0;                 // of a message of one byte, at both ends
  double control_frame_s = 0;                  // of a request, a reply or an acknowledgement on the wire

  double frames_at_once =
      1;  // of a stream that a host hands over together (LabWire), and that no other comes between

  // Of TCP as Linux sets it (LabWire) what a connection has under way when slow start ends, in full frames; 0: no window is in the way.
  // That is when the first frames of a window are behind a queue of 4 ms of its own (HyStart), and not before some 18.
  double window_frames = 0;
  double full_frame_s() const { return (frame_payload_bytes + frame_overhead_bytes) * seconds_per_byte; }

  // What a host's system hands to its card ahead of the wire (networks/frame_queue.hpp): some full frames, and beside them what a card
  // that takes several at once gathers. stream_bytes: of a message that occupies a port for port_s, without its frames' overhead.
  double cut_ahead_s() const {
    constexpr double usual_frames = 3;
    return (usual_frames + (frames_at_once > 1 ? frames_at_once : 0)) * full_frame_s();
  }
  double stream_bytes(double port_s) const;
};

// What a node that sends, receives or forwards a message takes from its computation meanwhile (S1): S, R, R + S.
struct NodeLoad {
  double send_s = 0, receive_s = 0;
};

// What a collective that is replayed as one takes (Sync). rest_s: of that, what no member's library does before
// that member is inside it again, after the call that began it; 0 of blocking ones.
struct SyncTime {
  double seconds = 0, rest_s = 0;
};

class ReplayCosts {
 public:
  // extra_software_s: per message between hosts, half in the sender's call and half in the receiver's after
  // arrival; if negative, all of a message but the time at the ports shrinks in proportion, not below zero.
  // Errors: a link that the program's messages need is not in the model, or has no segments.
  // stalls: what these messages take longer on their way. recorded_on: where the program was; without it what was kept at
  // its recorded duration (Sync) is kept whole.
  static Result<ReplayCosts> make(const Program& program, const MachineModel& model, double extra_software_s,
                                  std::span<const Stall> stalls = {},
                                  const MachineModel* recorded_on = nullptr);
  // The same, with what MessageKinds::of(program, recorded_on) gave.
  static Result<ReplayCosts> make(const Program& program, const MessageKinds& kinds,
                                  const MachineModel& model, double extra_software_s,
                                  std::span<const Stall> stalls, const MachineModel* recorded_on);
  const MessageCost& of(std::uint32_t message) const { return costs_[cost_of_[message]]; }
  // Of the software in a sender's call (send_s) so much keeps the rank; the message is on its way after all of it. A send behind
  // others, or behind a receive, finds its card (a lab's switch) awake, and returns at once. As the recorded calls tell, against
  // what one takes alone on the recorded machine (F): of messages of collectives as in the program's median; 1 where that is not known.
  double kept_share(std::uint32_t message) const;
  // Of a large message's data what its sender's system takes ahead of the wire, with nothing before it.
  double sent_ahead_share(std::uint32_t message) const;
  // Of messages between hosts so much of what lies between their ports is work of the receiver, after arrival.
  void receivers_do(double latency_s);
  void keep_all();  // whatever the recorded calls tell
  // Whether some message has to be answered: it is large, or its send waits for the receive.
  bool shakes_hands() const { return shakes_hands_; }
  bool uses_ports() const { return uses_ports_; }  // MessageCost::ports of some message
  const NodeLoad& load_of(std::uint32_t message) const { return loads_[cost_of_[message]]; }
  const WireFacts& wire() const { return wire_; }
  // Of two small messages that a rank sends one right after the other the second is read with the first, if no wire keeps
  // them apart for so long.
  double read_together_s() const { return read_together_s_; }
  const SyncTime& sync(std::uint32_t number) const { return syncs_[number]; }
  // When a rank begins: as recorded, but that it began one or more small messages after rank 0, as many as lie between them in
  // a broadcast, takes what these take on this machine.
  double begin_s(std::size_t rank) const { return begins_s_[rank]; }
  // Of two messages that pass each other: bulk is what both were held back by, if both had a handshake, and else that of
  // the one that had none; of two alike the mean of what either meets among its like.
  double two_way_efficiency(std::uint32_t message, std::uint32_t other) const {
    const bool handshake = of(message).protocol == Protocol::rendezvous;
    if (handshake != (of(other).protocol == Protocol::rendezvous))
      return two_way_[cost_of_[handshake ? other : message]];
    return 0.5 * (two_way_[cost_of_[message]] + two_way_[cost_of_[other]]);
  }

 private:
  std::vector<MessageCost> costs_;
  std::vector<NodeLoad> loads_;  // one for each of costs_
  std::vector<std::uint32_t> cost_of_;
  WireFacts wire_;
  double read_together_s_ = 0;
  bool shakes_hands_ = false, uses_ports_ = false;
  std::vector<SyncTime> syncs_;
  std::vector<double> begins_s_;
  std::vector<double>
      send_alone_s_;  // one for each of costs_: F on the recorded machine; 0: not an eager one between hosts
  double usual_kept_share_ = 1;
  std::span<const ProgramMessage> program_messages_;
  std::vector<double> two_way_;  // one for each of costs_: efficiency among messages of its size
};

}  // namespace ww::simulate
