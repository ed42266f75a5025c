#include "interpose/core/virtual_streams.hpp"

#include "interpose/core/lone_acknowledgements.hpp"
#include "interpose/core/shared_lock.hpp"

namespace ww::interpose {

namespace {

constexpr double never_again_s = 1e300;  // of data that go while their rank waits
constexpr double request_s = 1e-6;       // of one stream, so who reads a reply has read the request before it

struct Stream {
  static constexpr uint32_t remembered = 32;
  struct Written {
    double at_s, left_s, looked_s, there_s;
  };
  uint32_t lock, next;
  Written written[remembered];
  Unacknowledged<double> unacknowledged;
  double busy_until_s, bytes_since;  // when all written has left; of eager messages, since that was so
};

Stream* all_streams = nullptr;
double* all_progress = nullptr;
uint64_t ranks_of_all = 0;

Stream& stream_of(int from_rank, int to_rank) {
  return all_streams[static_cast<uint64_t>(from_rank) * ranks_of_all + static_cast<uint64_t>(to_rank)];
}

struct Way {
  double left_s, there_s;
};
// Something small that is written at `at_s`, of a message of so many bytes, is there a crossing after it leaves, and a frame after what it lies
// behind, or `frames_s`; `before`: whether that is so.
template <class Before>
Way way(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s, double frames_s,
        Before&& before) {
  Stream& stream = stream_of(from_rank, to_rank);
  SharedLock held(stream.lock);
  double out_s = at_s, there_s = 0;
  for (const Stream::Written& one : stream.written) {
    if (!before(one)) continue;
    if (one.left_s > out_s) out_s = one.left_s;
    if (one.there_s > there_s) there_s = one.there_s;
  }
  const double alone_s = out_s + costs.control_s(bytes), behind_s = there_s + frames_s;
  return {out_s, alone_s > behind_s ? alone_s : behind_s};
}
Way asks(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s) {
  return way(costs, bytes, from_rank, to_rank, at_s, costs.control_frame_s,
             [at_s](const Stream::Written& one) { return one.at_s < at_s; });
}

// When the reply to a request of that time comes back.
double answered_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double requested_s,
                  const Posting& posting) {
  const double comes_s = asks(costs, bytes, from_rank, to_rank, requested_s).there_s;
  const double read_s = comes_s > posting.at_s ? comes_s : posting.at_s;
  const bool in_time = comes_s <= posting.looked_s + costs.read_together_s;
  // It stays in its call for a request that follows what it waited for, so that all that it writes after that is written later.
  const bool stays_for_it = in_time && costs.reads_on && comes_s > posting.looked_s;
  const double until_s = stays_for_it ? posting.looked_s : read_s;
  const auto before = [&](const Stream::Written& one) {
    // (between polls no time passes: what is sent then comes after what was posted)
    return in_time ? one.at_s < until_s : one.at_s <= read_s || one.looked_s <= posting.looked_s;
  };
  return way(costs, bytes, to_rank, from_rank, read_s, costs.control_frame_s, before).there_s;
}

}  // namespace

size_t streams_memory(int ranks) {
  const auto all = static_cast<size_t>(ranks);
  return all * all * sizeof(Stream) + all * sizeof(double);
}

void start_streams(void* memory, int ranks) {
  all_streams = static_cast<Stream*>(memory);
  ranks_of_all = static_cast<uint64_t>(ranks);
  all_progress = reinterpret_cast<double*>(all_streams + ranks_of_all * ranks_of_all);
}

void note_progress(int own_rank, double now_s) {
  __atomic_store(&all_progress[own_rank], &now_s, __ATOMIC_RELEASE);
}
double progress_s(int rank) {
  double now_s = 0;
  __atomic_load(&all_progress[rank], &now_s, __ATOMIC_ACQUIRE);
  return now_s;
}

double request_comes_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank,
                       double requested_s) {
  return asks(costs, bytes, from_rank, to_rank, requested_s).there_s;
}

void note_written(int from_rank, int to_rank, double at_s, double left_s, double looked_s, double there_s) {
  {
    Stream& stream = stream_of(from_rank, to_rank);
    SharedLock held(stream.lock);
    stream.written[stream.next++ % Stream::remembered] = {at_s, left_s, looked_s, there_s};
    if (left_s > stream.busy_until_s) stream.busy_until_s = left_s;
  }
  note_told(from_rank, to_rank, at_s);
}

void note_told(int from_rank, int to_rank, double at_s) {
  Stream& heard = stream_of(to_rank, from_rank);
  SharedLock held(heard.lock);
  heard.unacknowledged.told(at_s);
}

void note_read(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, int host, double came_s,
               double read_s) {
  bool acknowledges = false;
  {
    Stream& heard = stream_of(from_rank, to_rank);
    SharedLock held(heard.lock);
    if (costs.frames.fills_one(bytes))
      heard.unacknowledged.told(came_s);
    else
      acknowledges = heard.unacknowledged.reads(came_s);
  }
  if (!acknowledges) return;
  Stream& written = stream_of(to_rank, from_rank);
  double busy_until_s = 0;
  {
    SharedLock held(written.lock);
    busy_until_s = written.busy_until_s;
  }
  if (busy_until_s <= read_s) pass_sending_port(host, read_s, costs.frames.empty_frame_s());
}

// What follows a request is in the next frame at the earliest.
void note_asked(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s,
                double looked_s) {
  const Way request = asks(costs, bytes, from_rank, to_rank, at_s);
  note_written(from_rank, to_rank, at_s, request.left_s + request_s, looked_s,
               request.there_s - costs.control_frame_s + request_s);
}

double joined_port_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double at_s) {
  const StreamFrames& frames = costs.frames;
  if (frames.payload_bytes <= 0) return costs.port.at(bytes);
  const double own = static_cast<double>(bytes) + frames.message_bytes;
  Stream& stream = stream_of(from_rank, to_rank);
  SharedLock held(stream.lock);
  const double before = at_s + frames.cut_ahead_s() < stream.busy_until_s ? stream.bytes_since : 0;
  stream.bytes_since = before + own;
  return before > 0 ? frames.added_s(before, own) : costs.port.at(bytes);
}

Passage large_passes_sending_port(const MessageCosts& costs, uint64_t bytes, int host, int from_rank,
                                  int to_rank, uint32_t number, double requested_s, const Posting& posting,
                                  double* ready_s) {
  const double port_s = costs.port.at(bytes);
  const bool in_order = costs.in_order(bytes);
  const double from_s =
      in_order ? answered_s(costs, bytes, from_rank, to_rank, requested_s, posting) : requested_s;
  const double data_s =
      in_order ? from_s + costs.rest_s(bytes) : costs.data_ready_s(bytes, requested_s, posting.at_s);
  if (ready_s != nullptr) *ready_s = data_s;
  bool decided = false;
  const Passage out =
      data_pass_sending_port(host, from_rank, to_rank, number, data_s, port_s, &decided, &costs);
  // It reads nothing while it hands them over, so what comes meanwhile is answered behind them.
  if (decided && in_order)
    note_written(from_rank, to_rank, from_s, out.end_s, never_again_s, out.end_s + costs.landing_s(bytes));
  return out;
}

// A crossing for this and one for telling are in head_s; where that has no room for them nothing holds them back, as in simulation.
double acknowledged_s(const MessageCosts& costs, uint64_t bytes, int from_rank, int to_rank, double left_s) {
  if (costs.head_s(bytes) < costs.reply.at(bytes))
    return left_s + costs.head_s(bytes) - costs.control_s(bytes);
  const double landed_s = left_s + costs.landing_s(bytes);
  return way(costs, bytes, to_rank, from_rank, landed_s, costs.acknowledged_behind_s(),
             [landed_s](const Stream::Written& one) { return one.at_s <= landed_s; })
      .there_s;
}

}  // namespace ww::interpose
