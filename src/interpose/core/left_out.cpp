#include "interpose/core/left_out.hpp"

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

namespace {

using spool::Kind;
using spool::LeftOut;
using spool::Record;

constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ull;

// Channels are never removed: the table is open addressing, 0 in `what` marks a free place.
struct Channel {
  uint32_t comm;
  int32_t peer, tag;
  LeftOut what;
  bool listed;
  int64_t pending;  // counted, and not yet told the spool
  uint32_t next;    // of those with something to tell
};
constexpr int channel_bits = 16;
Channel channels[1u << channel_bits];  // untouched pages cost nothing
uint32_t channel_count = 0;
uint32_t first_to_tell = 0;  // number of the place + 1

// Its place in the table; if `what` there is 0, a free one.
Channel& place_of(uint32_t comm, int32_t peer, int32_t tag, LeftOut what) {
  constexpr uint32_t mask = (1u << channel_bits) - 1;
  const uint64_t mixed =
      ((static_cast<uint64_t>(comm) << 32 | static_cast<uint32_t>(peer)) * multiplier ^
       (static_cast<uint64_t>(static_cast<uint32_t>(tag)) << 8 | static_cast<uint64_t>(what))) *
      multiplier;
  for (uint32_t at = static_cast<uint32_t>(mixed >> 40) & mask;; at = (at + 1) & mask) {
    Channel& channel = channels[at];
    if (channel.what == LeftOut{} ||
        (channel.comm == comm && channel.peer == peer && channel.tag == tag && channel.what == what))
      return channel;
  }
}

Channel* made_channel(Channel& place, uint32_t comm, int32_t peer, int32_t tag, LeftOut what) {
  if (place.what != LeftOut{}) return &place;
  if (channel_count >= (1u << channel_bits) / 4 * 3) return nullptr;
  ++channel_count;
  place = {comm, peer, tag, what, false, 0, 0};
  return &place;
}

// Of a window or a file: together with all its members.
bool is_of_all(const Record& record) {
  const auto kind = static_cast<Kind>(record.kind);
  return kind == Kind::collective || kind == Kind::icollective ||
         (record.flags & spool::flag_collective) != 0;
}

// Calls about windows and files move no messages.
bool is_message(const Record& record) {
  switch (static_cast<Kind>(record.kind)) {
    case Kind::send:
    case Kind::recv:
    case Kind::isend:
    case Kind::irecv:
    case Kind::irecv_done:
      return true;
    default:
      return false;
  }
}

LeftOut what_of(const Record& record) {
  if (is_of_all(record)) return LeftOut::collectives;
  const auto kind = static_cast<Kind>(record.kind);
  return kind == Kind::send || kind == Kind::isend ? LeftOut::sends : LeftOut::receives;
}

// The place of the channel that a record of a message or collective is about.
Channel& place_of(const Record& record, LeftOut what) {
  return what == LeftOut::collectives ? place_of(record.comm, 0, 0, what)
                                      : place_of(record.comm, record.peer, record.tag, what);
}

// Takes what is to be told of the channel. False: nothing.
bool tell(Channel& channel, Record& record) {
  if (channel.pending == 0) return false;
  record = {0,
            0,
            static_cast<uint64_t>(channel.pending),
            static_cast<uint64_t>(channel.what),
            channel.what == LeftOut::collectives ? spool::no_peer : channel.peer,
            channel.tag,
            channel.comm,
            static_cast<uint8_t>(Kind::left_out),
            0,
            0};
  channel.pending = 0;
  return true;
}

// Open operations: chained by bucket; those that may join also in the order of posting.
struct Open {
  Record begun;
  uint32_t next;          // in the bucket
  uint32_t older, newer;  // among the receives that may join
  bool may_join;
};
constexpr uint32_t open_capacity = 1u << 16, open_buckets = 1u << 12;
Open open_operations[open_capacity];  // 0 is none
uint32_t bucket_first[open_buckets];
uint32_t never_used = 1, free_list = 0, oldest = 0, newest = 0;

uint32_t& bucket_of(uint64_t operation) {
  return bucket_first[operation % open_buckets];
}

uint32_t* find(uint64_t operation) {
  uint32_t* at = &bucket_of(operation);
  while (*at != 0 && open_operations[*at].begun.operation != operation) at = &open_operations[*at].next;
  return at;
}

bool waits_for_its_channel(const Record& record) {
  return record.kind == static_cast<uint8_t>(Kind::irecv) && is_wildcard(record) &&
         record.peer != spool::no_peer;
}

void unchain(uint32_t at) {
  const Open& open = open_operations[at];
  if (!open.may_join) return;
  (open.older == 0 ? oldest : open_operations[open.older].newer) = open.newer;
  (open.newer == 0 ? newest : open_operations[open.newer].older) = open.older;
}

}  // namespace

void count_left_out(const Record& record, int more) {
  if (!is_of_all(record) && (record.peer < 0 || !is_message(record))) return;  // MPI_PROC_NULL
  const LeftOut what = what_of(record);
  Channel& place = place_of(record, what);
  Channel* channel = is_of_all(record) ? made_channel(place, record.comm, 0, 0, what)
                                       : made_channel(place, record.comm, record.peer, record.tag, what);
  if (channel == nullptr) {
    trouble(Trouble::left_out_table_full);
    return;
  }
  if (more < 0 && channel->pending == 0) {  // the spool was told already, and messages after it are numbered
    trouble(Trouble::left_out_cancelled);
    return;
  }
  channel->pending += more;
  if (channel->listed) return;
  channel->listed = true;
  channel->next = first_to_tell;
  first_to_tell = static_cast<uint32_t>(channel - channels) + 1;
}

void begin_left_out(const Record& record, bool may_join) {
  if (!waits_for_its_channel(record)) {
    count_left_out(record, 1);
    may_join = false;
  }
  uint32_t at = free_list;
  if (at != 0)
    free_list = open_operations[at].next;
  else if (never_used < open_capacity)
    at = never_used++;
  if (at == 0) {
    trouble(Trouble::left_out_table_full);
    return;
  }
  uint32_t& bucket = bucket_of(record.operation);
  open_operations[at] = {record, bucket, 0, 0, may_join};
  bucket = at;
  if (!may_join) return;
  open_operations[at].older = newest;
  (newest == 0 ? oldest : open_operations[newest].newer) = at;
  newest = at;
}

bool is_left_out(uint64_t operation) {
  return *find(operation) != 0;
}

bool forget_left_out(uint64_t operation, Record& begun) {
  uint32_t* const place = find(operation);
  const uint32_t at = *place;
  if (at == 0) return false;
  begun = open_operations[at].begun;
  unchain(at);
  *place = open_operations[at].next;
  open_operations[at].next = free_list;
  free_list = at;
  return true;
}

bool may_join() {
  return oldest != 0;
}

bool left_out_before(const Record& next, Record& record) {
  if (!is_of_all(next) && (!is_message(next) || next.kind == static_cast<uint8_t>(Kind::irecv_done)))
    return false;
  return tell(place_of(next, what_of(next)), record);
}

bool next_left_out(Record& record, bool with_receives) {
  while (first_to_tell != 0) {
    Channel& channel = channels[first_to_tell - 1];
    first_to_tell = channel.next;
    channel.listed = false;
    if (tell(channel, record)) return true;
  }
  return with_receives && oldest != 0 && forget_left_out(open_operations[oldest].begun.operation, record);
}

}  // namespace ww::interpose
