// A switched network as its hosts see it: each host has a sending and a receiving port. A message occupies both
// for port_s, the receiving port head_s later; it has arrived when the receiving port has served it and its
// last byte, head_s after it left, is there. Of a wire whose frames are known (WireFacts) a sending port serves what TCP has for it,
// frame by frame (frame_queue.hpp), and a receiving port serves frames as they come; else a port serves one whole
// message at a time, first come first served or by another rule (arbitration.hpp). While both ports of a host are busy, each works at
// two_way_efficiency of its rate (acknowledgements queue behind the data of the other direction).
#pragma once
#include <unordered_map>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/networks/frame_queue.hpp"
#include "simulate/networks/network.hpp"
#include "simulate/networks/per_pair.hpp"
#include "simulate/networks/port_queue.hpp"
#include "simulate/networks/small_acknowledgements.hpp"
#include "simulate/networks/tcp_windows.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

class Ports final : public Network {
 public:
  Ports(const Program& program, const ReplayCosts& costs, const TrafficRules& rules, Arbitration arbitration,
        EventQueue& events, Listener& listener);
  void start(std::uint32_t message, double now_s) override;
  void start_control(EventKind kind, std::uint32_t message, double now_s) override;
  bool holds_back(EventKind kind, std::uint32_t message, double now_s) override;
  void handle(const Event& event) override;
  void reads(std::int32_t rank, double now_s) override;

 private:
  struct Control {
    EventKind kind;
    std::uint32_t message;
  };
  // What a port serves at a stretch.
  struct Piece {
    CutPiece of;
    double head_s = 0;
    double tail_s = -1;  // when its last byte is at the receiving port; negative: it has not left
  };
  struct Port {
    PortWaiting waiting;  // pieces; of a sending port that has frames they are in frames_
    bool busy = false;    // serving `piece`
    bool served = false;  // receiving: served, but the last byte is not there yet
    std::uint32_t piece = 0;
    double left_s = 0;  // of service at full rate, at since_s
    double since_s = 0;
    double rate = 1;
    std::uint32_t stamp = 0;  // of the valid port_done event
  };
  // sending port of a host: 2 * host; receiving: 2 * host + 1
  struct Way {
    std::int32_t from, to;  // hosts
  };
  Way way_of(const Control& control) const;
  bool is_behind_data(const Way& way);  // that have not all left
  double there_s(const Control& control, double now_s);
  void deliver(const Control& control, double now_s);
  void take_turns(const Control& control, double now_s);
  std::uint64_t pair_of(std::uint32_t message) const;
  std::int32_t host_of(std::int32_t rank) const;
  static std::uint64_t pair_of(std::int32_t from, std::int32_t to);  // of ranks
  std::uint32_t sending_port(std::uint32_t message) const;
  std::uint32_t receiving_port(std::uint32_t message) const;
  std::uint32_t receiving_port(const CutPiece& piece) const;
  std::uint64_t pair_of(const CutPiece& piece) const;
  void acknowledge(std::uint32_t message, double frames, double now_s);
  void came(const CutPiece& piece, double now_s);
  std::uint32_t message_at(std::uint32_t port) const { return pieces_[ports_[port].piece].of.message; }
  double head_s(const CutPiece& piece) const;
  std::uint32_t new_piece(CutPiece of);
  void begin_next(std::uint32_t port, double now_s);
  void begin_sending(std::uint32_t port, std::uint32_t piece, double now_s);
  void begin(std::uint32_t port, std::uint32_t piece, double now_s, double still_s = 0);
  double stands_still_s(const CutPiece& piece, double now_s);
  void sent(std::uint32_t port, double now_s);
  void left(std::uint32_t message, double now_s);
  void tail_left(std::uint32_t piece, double now_s);
  void tell_of_tail(std::uint32_t piece);
  void served(std::uint32_t port, double now_s);
  void received(std::uint32_t port, double now_s);
  bool has_data(std::uint32_t port) const;           // being served
  void set_rates(std::uint32_t port, double now_s);  // of the port and of its twin
  void promise(std::uint32_t port, double now_s);

  const Program& program_;
  const ReplayCosts& costs_;
  TrafficRules rules_;
  EventQueue& events_;
  Listener& listener_;
  std::vector<Port> ports_;
  std::vector<FrameQueue> frames_;  // of each host; empty: whole messages
  bool acknowledges_ = false;       // full frames
  SmallAcknowledgements small_;     // where frames are
  TcpWindows windows_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> free_pieces_;
  std::vector<bool> left_;            // by message
  PerPair<std::uint32_t> last_data_;  // by sending and receiving host: what replies lie behind; none
  PerPair<double> landed_s_;          // by hosts: when the data that left last are there
  PerPair<double> heads_s_;           // by pair of ranks: when the latest first byte is there
  PerPair<double> asked_s_;           // by hosts: when the one last sent the other a request; negative: never
  std::unordered_map<std::uint32_t, std::vector<Control>> behind_;  // by message
};

}  // namespace ww::simulate
