// The trace in memory: what every later stage reads. Loaded from an OTF2 archive, ours or another tool's.
// Columns, not rows; times are integers in nanoseconds since the first event of the trace, on rank 0's clock.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.hpp"
#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "base/run_record.hpp"
#include "machine/place.hpp"
#include "trace/file_io.hpp"
#include "trace/known.hpp"
#include "trace/one_sided.hpp"
#include "trace/user.hpp"

namespace ww {

inline constexpr std::uint32_t none = 0xffffffffu;

// An MPI call has any number of actions, in the order in which they happened.
enum class ActionKind : std::uint8_t {
  send,         // blocking send (any mode)
  recv,         // blocking receive, completed
  isend,        // non-blocking send begun
  isend_done,   // ... completed in this call
  irecv,        // non-blocking receive posted
  irecv_done,   // ... completed in this call
  collective,   // blocking collective
  icollective,  // non-blocking collective begun
  icollective_done,
  test_failed,  // asked and found not complete; operation 0: a probe that found no message
  cancelled,
  sent_to,  // of the collective (or icollective: same operation) before it in the call: bytes to peer, of an
            // alltoallv or alltoallw that does not send as much to all; who is not named is sent nothing
  left_out  // not something the call did: before it, `bytes` messages or collectives were not recorded, as
            // action_left_out_... in flags says: sends to peer, receives from it, collectives over comm
};

// MPI collectives that are told apart; the rest is `other`.
enum class CollectiveOp : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  communicator,
  window,
  file,
  other
};
const char* to_string(
    CollectiveOp op);  // "MPI_Allreduce" ...; communicator: making or freeing a communicator; window: making,
                       // freeing or fencing a window; file: opening, closing, reading or writing one together
// The operation of the call of that name, "MPI_Iallreduce" and "MPI_Allreduce" alike; other if it is none of
// these.
CollectiveOp collective_op(std::string_view call);

// What a call means (call_meaning.hpp). The first role is that of calls that are told by none of the others.
enum class CallRole : std::uint8_t { other, frame, p2p, collective, one_sided, communicator, io };
// Of the frame: the program proper is what lies between.
enum class CallPhase : std::uint8_t { within, begins, ends };
// Whether a call that has something to wait for stays until it is there, asks and returns (MPI_Test,
// MPI_Iprobe), or stays until there is a message and leaves it to another call (MPI_Probe).
enum class CallManner : std::uint8_t { blocks, polls, probes };

struct CallMeaning {
  CallRole role = CallRole::other;
  CollectiveOp op = CollectiveOp::other;
  CallPhase phase = CallPhase::within;
  CallManner manner = CallManner::blocks;
  bool operator==(const CallMeaning&) const = default;
};

// What an action says beside its columns.
inline constexpr std::uint8_t action_wildcard_source = 1;  // the receive asked for any source
inline constexpr std::uint8_t action_wildcard_tag = 2;     // the receive asked for any tag
inline constexpr std::uint8_t action_synchronous = 4;      // MPI_Ssend and its kin
inline constexpr std::uint8_t action_in_place = 8;
inline constexpr std::uint8_t action_left_out_sends = 16;
inline constexpr std::uint8_t action_left_out_receives = 32;
inline constexpr std::uint8_t action_left_out_collectives = 64;

// A call that was made inside of another one: of its time, the part that lies within `call` is not the time of
// the call around it.
struct NestedCall {
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::uint32_t call = 0;  // the outermost around it: index into the columns of calls
  std::uint16_t region = 0,
                around = 0;  // its own and the one directly around it: indexes into Trace::regions
};

struct RankTrace {
  std::string host;
  std::optional<std::uint64_t> address;  // of a task (spool_tasks.hpp)
  // one entry a call of the library, in the order of entering. A call inside of another one, where such are
  // recorded, is in `nested`; what it did (its messages) is among the actions of the outermost around it.
  Column<std::int64_t> enter_ns, leave_ns;
  Column<std::uint16_t> region;  // index into Trace::regions
  Column<std::uint32_t>
      first_action;  // calls + 1 entries: actions of call i are [first_action[i], first_action[i+1])
  // one entry an action
  Column<ActionKind> kind;
  Column<std::int32_t> peer;  // world rank of the other side (of a posted wildcard receive: of what
                              // matched it, or -1); root's world rank or -1 for collectives
  Column<std::int32_t> tag;
  Column<std::uint32_t> comm;   // index into Trace::comms
  Column<std::uint64_t> bytes;  // of the message (irecv: the room posted); sent by this rank in a collective
  Column<std::uint64_t> bytes_received;  // received by this rank in a collective, else 0
  Column<std::uint64_t>
      operation;                // non-blocking: serial that joins begin and completion on this rank, else 0
  Column<std::uint32_t> match;  // index into Trace::messages or ::collectives, or none
  Column<std::uint8_t> flags;   // action_... above; may be empty: no flags
  // one entry a call: the thread that made it, as in UserEvents; empty: the first made all
  Column<std::uint32_t> thread;
  UserEvents user;
  Column<NestedCall> nested;  // in the order of entering
  // Of predicted runs, else empty: by time, and by action.
  Column<KnownWait> waits;
  Column<KnownWay> ways;

  // The columns of calls, of actions and of what is known of predicted runs, each once.
  void for_each_column(auto&& take) {
    take(enter_ns), take(leave_ns), take(region), take(first_action), take(kind), take(peer), take(tag);
    take(comm), take(bytes), take(bytes_received), take(operation), take(match), take(flags), take(thread),
        take(nested), take(waits), take(ways);
  }

  std::uint8_t flags_of(std::size_t action) const {
    return action < flags.size() ? flags[action] : std::uint8_t{0};
  }
  std::uint32_t thread_of(std::size_t call) const { return call < thread.size() ? thread[call] : 0; }
  std::size_t calls() const { return enter_ns.size(); }
  std::size_t actions() const { return kind.size(); }
  // The program proper, which all times of reports and predictions are about: from the return of MPI_Init to
  // the entry of MPI_Finalize (or to the last event, if the trace was cut).
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct Comm {
  std::string name;
  std::vector<std::int32_t>
      ranks;  // world ranks in order; of an intercommunicator: first one group, then the other
  std::size_t first_group = 0;  // intercommunicators: ranks in the first group; 0: an intracommunicator

  // The world ranks that `self` (a world rank) names by their ranks in this communicator: all, or of an
  // intercommunicator those of the group that it is not in.
  std::span<const std::int32_t> others(std::int32_t self) const;
  // World rank of a peer that `self` names by its rank in this communicator, or -1.
  std::int32_t world_rank(std::int64_t peer, std::int32_t self) const;
};

// A matched message; call numbers are indexes into the ranks' columns. Unmatched ends are counted in
// diagnostics and in Trace::unmatched_sends and ::unmatched_receives and have match == none.
struct Message {
  std::int32_t source = 0, destination = 0;  // world ranks; may be equal
  std::uint32_t comm = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t send_call = none;       // the call that began the send
  std::uint32_t send_done_call = none;  // the call in which it completed (same as send_call for blocking)
  std::uint32_t recv_post_call = none;  // the call that posted the receive
  std::uint32_t recv_done_call = none;  // the call in which it completed (same for blocking)
  bool wildcard = false;                // the receive did not name its source or tag
  bool synchronous = false;
};

struct CollectiveMember {
  std::int32_t rank = 0;           // world
  std::uint32_t call = none;       // the call that began it
  std::uint32_t done_call = none;  // the call in which it completed
  std::uint64_t bytes_sent = 0, bytes_received = 0;
};

struct Collective {
  CollectiveOp op = CollectiveOp::other;
  std::uint32_t comm = 0;
  std::int32_t root = -1;  // world rank
  // In the order of the communicator; fewer if the trace was cut. They are the trace's (Trace::members).
  std::span<const CollectiveMember> members;
};

// Keeps the members of collectives where they do not move. A copy shares them.
class CollectiveMembers {
 public:
  CollectiveMembers() : CollectiveMembers(nullptr) {}
  explicit CollectiveMembers(std::shared_ptr<ColumnStore> store)
      : kept_(std::make_shared<Kept>(Kept{std::move(store), {}})) {}
  std::span<const CollectiveMember> keep(std::span<const CollectiveMember> members);

 private:
  struct Kept {
    std::shared_ptr<ColumnStore> store;
    std::vector<Column<CollectiveMember>> parts;  // none of which grows beyond its room
  };
  std::shared_ptr<Kept> kept_;
};

// Messages that the clocks say were received before they were sent, and what was done about it
// (causality.hpp).
struct Causality {
  std::uint64_t violations = 0;  // messages whose receive completed before their send began
  std::uint64_t remaining = 0;   // such messages after the correction: those that contradict one another
  std::int64_t largest_shift_ns = 0;
};

struct Trace {
  std::filesystem::path source;      // anchor file
  bool calls_timed = true;           // false: made by hand, how long its calls took says nothing
  std::vector<std::string> regions;  // names of the calls: "MPI_Send"
  // Of the first regions; the rest goes by names (meaning_of_region in call_meaning.hpp).
  std::vector<CallMeaning> meanings;
  UserNames user;                // what the program marked
  std::vector<RankTrace> ranks;  // by world rank
  std::vector<Comm> comms;
  Column<Message> messages;  // by (destination, order of completion)
  Column<Collective> collectives;
  CollectiveMembers members;
  // Where the columns are if they may be larger than the memory, and where what is worked out of them should
  // be kept; none: in memory.
  std::shared_ptr<ColumnStore> store;
  OneSided one_sided;
  FileIo file_io;
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0, wildcard_receives = 0;
  std::uint64_t half_left_out =
      0;                      // messages of which one end was not recorded by wish; not among the unmatched
  bool volumes_told = false;  // an alltoallv without sent_to sends as much to all; else nobody knows
  std::uint64_t events = 0;   // OTF2 event records read
  double clock_uncertainty_s = 0;  // largest over the ranks; 0 when all share one clock
  Causality causality;             // times were moved when the trace was loaded
  bool predicted = false;          // not recorded: written by `whatwire simulate -o`
  double dilation = 1;             // the run was stretched by this factor
  Diagnostics diagnostics;
  RunRecord run;  // what run.json beside the archive says, as far as it is there and not damaged

  // Of a trace whose ranks are there and empty.
  void keep_in(std::shared_ptr<ColumnStore> where);
  std::int64_t begin_ns() const;  // earliest begin of a rank
  std::int64_t end_ns() const;    // latest end of a rank
  // Where its messages go: between hosts if its ranks are on several, else within the one.
  Place network() const;
  double elapsed_s() const { return static_cast<double>(end_ns() - begin_ns()) * 1e-9; }
};

// TRACE as users name it: a trace directory or the path of any OTF2 anchor file. A directory whose spool was
// not yet unified is unified first, or for this call only where it cannot be written ("not-unified"). Errors:
// not a trace, still being recorded, unreadable, damaged beyond reading.
// What columns and the questions to them need is kept in memory if it is at most half of what there is, else
// in a nameless file beside the trace, or in $TMPDIR (column_store.hpp).
struct Loading {
  std::size_t threads = 0;  // 0: one for each processor
  enum class Keep : std::uint8_t { as_fits, memory, file } keep = Keep::as_fits;
};
Result<Trace> load_trace(const std::filesystem::path& trace, const Loading& loading = {});

// The recording holds only part of the run, as somebody wished (--calls, --start, --max-records, pauses).
bool is_partial(const Trace& trace);

// The spools below DIR/spool become DIR/traces.otf2 (directory.hpp), of crashed ranks as far as they go, with
// a diagnostic. `run`, or if it is empty what the spool has of it (recording.hpp), becomes DIR/run.json, with
// the diagnostics. Where there is an archive nothing is done, and its diagnostics are given.
Result<Diagnostics> unify(const std::filesystem::path& dir, nlohmann::json run);

}  // namespace ww
