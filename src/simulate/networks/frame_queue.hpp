// What TCP has to send from one host, frame by frame, as Linux sends it. The messages of a pair of ranks are one stream of bytes in
// its socket. Frames are cut from it when they come into the host's queue, which is served first come first served and lets some
// through to the card ahead of the wire. A connection has only so many frames in that queue, and one that is not full
// only if it has no other there (small queues, autocorking): until then what is written goes on in it. So messages that wait share
// frames, all that end in one arrive together, and connections share the wire by turns of some frames.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/networks/ended_messages.hpp"

namespace ww::simulate {

// Of a stream: full frames of one message (of a large one several at a time), or what a card takes at once (one frame, mostly) with the end
// of a message and what follows.
struct CutPiece {
  std::uint32_t message = 0;  // its first byte is of
  EndedMessages ends;         // messages whose last byte it has
  double length_s = 0;        // of the wire
  double first_frame_s = 0;   // of that
  double full_frames = 0;
  bool acknowledges = false;  // the message, to its sender; nothing else
};

class FrameQueue {
 public:
  // most_queued: frames of a connection in the host's queue. most_pieces: of a message; a large one goes several frames at a time.
  FrameQueue(const ReplayCosts& costs, std::size_t most_queued, double most_pieces);
  void write(std::uint32_t message, std::uint64_t pair);
  // Frames without data, which the message's receiver sends back.
  void acknowledge(std::uint32_t message, double frames);
  bool has_data(std::uint64_t pair) const;  // that wait, with which acknowledgements go
  bool empty() const { return card_.empty(); }
  CutPiece take();             // for the wire; the queue is not empty
  void sent(double length_s);  // what was taken has left

 private:
  struct Written {
    std::uint32_t message = 0;
    double bytes = 0;    // that are not cut yet
    double left_s = 0;   // of its port_s
    bool mixed = false;  // a frame has bytes of it and of another message
  };
  struct Stream {
    std::deque<Written> written;
    double bytes = 0;
    std::size_t queued = 0;
  };
  struct Queued {
    CutPiece piece;
    std::uint64_t pair = 0;
  };
  bool has_room(double length_s) const;
  void to_card(CutPiece piece);
  void admit(std::uint64_t pair);
  double at_once_bytes() const { return wire_.frames_at_once * wire_.frame_payload_bytes; }
  double frames_of(double bytes) const;
  double frames_s(double bytes, double frames) const;
  CutPiece cut(Stream& stream);
  CutPiece cut_full(Stream& stream);
  CutPiece cut_last(Stream& stream);

  const ReplayCosts& costs_;
  WireFacts wire_;
  std::size_t most_queued_;
  double most_pieces_;
  std::unordered_map<std::uint64_t, Stream> streams_;  // by pair
  std::deque<Queued> queue_;
  std::deque<CutPiece> card_;
  std::size_t on_card_ = 0;  // with what is on the wire
  double card_s_ = 0;
};

}  // namespace ww::simulate
