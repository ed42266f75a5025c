// What the ranks must know of one another before their events can be written: how large a message was that
// the receiver recorded no size of, and when it was sent. Kept outside of memory, 32 bytes an operation and
// 56 a message (spill.hpp).
#pragma once
#include <deque>
#include <limits>
#include <set>
#include <span>
#include <unordered_map>

#include "trace/spill.hpp"
#include "trace/spool_decode.hpp"

namespace ww::spool {

// What becomes of an operation that was begun, by its serial.
struct Fate {
  std::uint64_t bytes = 0;           // irecv: that arrived; isend: number of the message in Outgoing
  std::int64_t sent_ns = 0;          // irecv, once matched: when its send began
  std::int32_t peer = -1, tag = -1;  // irecv: of the message that arrived, else as asked for
  enum class State : std::uint8_t { open, done, cancelled } state = State::open;
  bool is_send = false, unsized = false, matched = false;
};

// A message, or (sent_ns = was_left_out) as many as `bytes` says that were not recorded.
struct Sent {
  static constexpr std::int64_t was_left_out = std::numeric_limits<std::int64_t>::min();
  std::uint64_t bytes = 0;
  std::int64_t sent_ns = 0;  // when the call that began it was entered
  std::uint32_t comm = 0;
  std::int32_t tag = 0;
};

// The messages of one sender, each receiver's together in the order of their sends.
struct Outbox {
  explicit Outbox(const std::filesystem::path& dir) : messages(dir) {}
  Spill<Sent> messages;
  std::vector<std::pair<std::int32_t, std::uint64_t>> begins;  // (receiver, its first message), by receiver
  std::pair<std::uint64_t, std::uint64_t> range(std::int32_t receiver) const;
};

// First reading of a rank: the fates of its operations and its messages.
class Survey {
 public:
  explicit Survey(const std::filesystem::path& dir) : fates(dir), outbox(dir), outgoing_(dir), dir_(dir) {}
  void take(const DecodedCall& call);
  Result<void> finish();  // sorts the messages by receiver; error: no room on the disk

  Spill<Fate> fates;
  Outbox outbox;
  std::vector<std::uint16_t>
      calls;  // numbers of the calls that were made or named, in the order of their first
  std::set<std::vector<std::int32_t>> groups;  // that epochs of windows name
  Damage damage;

 private:
  struct Outgoing {
    Sent sent;
    std::int32_t receiver = -1;  // -1: cancelled
    std::int32_t unused = 0;
  };
  Fate* fate(std::uint64_t serial) {
    return serial >= 1 && serial <= fates.size() ? &fates[serial - 1] : nullptr;
  }
  void note_call(std::uint16_t call);

  Spill<Outgoing> outgoing_;
  std::vector<bool> seen_;
  std::uint64_t released_ = 0;
  std::filesystem::path dir_;
};

// Second reading: joins the receives of one rank, in the order in which they were posted, with the messages
// sent to it (MPI's non-overtaking rule: trace/match.hpp). What it passes over it keeps, which is no more
// than MPI itself had under way.
class Inbox {
 public:
  Inbox(std::int32_t receiver, const std::vector<const Outbox*>& outboxes)
      : receiver_(receiver), outboxes_(outboxes) {}
  // nullopt: nothing was sent, or it was not recorded.
  std::optional<Sent> take(std::int32_t sender, std::uint32_t comm, std::int32_t tag);
  // As many receives were not recorded.
  void pass(std::int32_t sender, std::uint32_t comm, std::int32_t tag, std::uint64_t count);
  // Nothing more will be taken: the messages' pages leave this process.
  void release() const;

 private:
  struct From;
  std::optional<Sent> next(std::int32_t sender, std::uint32_t comm, std::int32_t tag, From*& of);
  struct From {
    std::uint64_t next, end;
    std::unordered_map<std::uint64_t, std::deque<Sent>> passed;  // by communicator and tag
  };
  std::int32_t receiver_;
  const std::vector<const Outbox*>& outboxes_;  // by rank; nullptr: left nothing
  std::unordered_map<std::int32_t, From> from_;
  std::uint64_t taken_ = 0;
};

}  // namespace ww::spool
