#include "simulate/networks/frame_queue.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/result.hpp"

namespace ww::simulate {

namespace {
// Of frames: what is less is rounding.
constexpr double rounding = 1e-6;
constexpr std::uint64_t no_pair =
    ~std::uint64_t{0};  // of acknowledgements, which wait for nothing of their own
}  // namespace

FrameQueue::FrameQueue(const ReplayCosts& costs, std::size_t most_queued, double most_pieces)
    : costs_(costs), wire_(costs.wire()), most_queued_(most_queued), most_pieces_(most_pieces) {}

double FrameQueue::frames_s(double bytes, double frames) const {
  return wire_.seconds_per_byte * (bytes + frames * wire_.frame_overhead_bytes);
}

double FrameQueue::frames_of(double bytes) const {
  return std::max(1.0, std::ceil(bytes / wire_.frame_payload_bytes - rounding));
}

void FrameQueue::write(std::uint32_t message, std::uint64_t pair) {
  Stream& stream = streams_[pair];
  const double port_s = costs_.of(message).port_s;
  const double bytes = wire_.stream_bytes(port_s);
  stream.written.push_back({message, bytes, port_s, false});
  stream.bytes += bytes;
  admit(pair);
}

bool FrameQueue::has_room(double length_s) const {
  return on_card_ == 0 || card_s_ + length_s <= wire_.cut_ahead_s() * (1 + rounding);
}

void FrameQueue::admit(std::uint64_t pair) {
  Stream& stream = streams_[pair];
  while (!stream.written.empty()) {
    const bool full = stream.bytes >= at_once_bytes() * (1 - rounding);
    const double next_bytes = std::min(stream.bytes, at_once_bytes());
    if (!queue_.empty() || !has_room(frames_s(next_bytes, frames_of(next_bytes)))) {
      if (stream.queued >= (full ? most_queued_ : 1)) return;
      ++stream.queued;
      queue_.push_back({cut(stream), pair});
      continue;
    }
    to_card(cut(stream));
  }
}

void FrameQueue::to_card(CutPiece piece) {
  card_s_ += piece.length_s;
  ++on_card_;
  card_.push_back(std::move(piece));
}

bool FrameQueue::has_data(std::uint64_t pair) const {
  const auto stream = streams_.find(pair);
  return stream != streams_.end() && (stream->second.queued > 0 || !stream->second.written.empty());
}

void FrameQueue::acknowledge(std::uint32_t message, double frames) {
  const double length_s = frames_s(0, frames);
  CutPiece piece;
  piece.message = message;
  piece.length_s = length_s;
  piece.first_frame_s = frames_s(0, 1);
  piece.acknowledges = true;
  if (queue_.empty() && has_room(length_s))
    to_card(std::move(piece));
  else
    queue_.push_back({std::move(piece), no_pair});
}

CutPiece FrameQueue::take() {
  WW_INVARIANT(!card_.empty());
  CutPiece piece = std::move(card_.front());
  card_.pop_front();
  return piece;
}

void FrameQueue::sent(double length_s) {
  --on_card_;
  card_s_ = on_card_ == 0 ? 0 : card_s_ - length_s;
  while (!queue_.empty() && has_room(queue_.front().piece.length_s)) {
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    to_card(std::move(next.piece));
    if (next.pair == no_pair) continue;
    --streams_[next.pair].queued;
    admit(next.pair);
  }
}

CutPiece FrameQueue::cut(Stream& stream) {
  return stream.written.front().bytes >= at_once_bytes() * (1 - rounding) ? cut_full(stream)
                                                                          : cut_last(stream);
}

CutPiece FrameQueue::cut_full(Stream& stream) {
  Written& first = stream.written.front();
  const double frame_s = frames_s(wire_.frame_payload_bytes, 1);
  const double at_a_time =
      std::max(wire_.frames_at_once, std::floor(costs_.of(first.message).port_s / frame_s / most_pieces_));
  const double frames = std::min(std::floor(first.bytes / wire_.frame_payload_bytes + rounding), at_a_time);
  CutPiece piece;
  piece.message = first.message;
  piece.length_s = frames * frame_s;
  piece.full_frames = frames;
  piece.first_frame_s = frame_s;
  const double bytes = std::min(first.bytes, frames * wire_.frame_payload_bytes);
  first.bytes -= bytes;
  stream.bytes -= bytes;
  if (first.bytes <= rounding * wire_.frame_payload_bytes) {
    if (!first.mixed) piece.length_s = first.left_s;
    piece.ends.push_back(first.message);
    stream.written.pop_front();
  } else {
    first.left_s -= piece.length_s;
  }
  if (stream.written.empty()) stream.bytes = 0;
  return piece;
}

// A message alone takes port_s in all, to the last digit.
CutPiece FrameQueue::cut_last(Stream& stream) {
  CutPiece piece;
  piece.message = stream.written.front().message;
  double room = at_once_bytes(), own_s = 0;
  bool alone = !stream.written.front().mixed;
  while (!stream.written.empty()) {
    Written& next = stream.written.front();
    if (!piece.ends.empty()) alone = false;
    if (next.bytes > room * (1 + rounding)) {
      if (room < 1) break;
      next.bytes -= room;
      next.mixed = true;
      stream.bytes -= room;
      room = 0;
      break;
    }
    own_s = next.left_s;
    room -= next.bytes;
    stream.bytes -= next.bytes;
    piece.ends.push_back(next.message);
    stream.written.pop_front();
  }
  if (stream.written.empty()) stream.bytes = 0;
  const double bytes = at_once_bytes() - std::max(0.0, room);
  piece.length_s = alone && room > 0 ? own_s : frames_s(bytes, frames_of(bytes));
  if (wire_.frames_at_once > 1) piece.full_frames = std::floor(bytes / wire_.frame_payload_bytes + rounding);
  piece.first_frame_s = std::min(piece.length_s, frames_s(wire_.frame_payload_bytes, 1));
  return piece;
}

}  // namespace ww::simulate
