// The spool: what the preloaded library leaves behind for each rank, readable after SIGKILL.
//
// TRACE/spool/rank-R.thread-T.spool     one SpoolHeader (padded to header_bytes), then Records in the order in
//                                       which the calls returned. The file may be longer than its content: the
//                                       first Record whose `call` is 0 ends it (`call` is stored last). Threads
//                                       that live at the same time have files of their own; one that begins
//                                       after another ended goes on in its file, behind a thread_begins, so
//                                       that there are no more files than threads at once.
// TRACE/spool/world-K/rank-R....        the same of the K-th MPI_COMM_WORLD that the program spawned, by rank
//                                       in it
// TRACE/spool/task-ADDRESS.thread-T.spool, .defs
//                                       the same of a process that has no rank but an address (PVM's tids): 16
//                                       hexadecimal digits. Unify numbers these tasks (trace/spool_tasks.hpp)
// TRACE/spool/daemon-N, daemon-N.thread-0.spool, .defs
//                                       what a daemon of the library did (PVM's pvmd), by the order of their
//                                       beginning; the first is empty and says that the number is taken
// TRACE/spool/world-0, other-job-N      empty: the first job of the launch records here, others were not
//                                       recorded
// TRACE/spool/rank-R.defs               lines of JSON, one definition a line, appended with write(2) when
//                                       something rare happens: see below. An incomplete last line is ignored.
//
// Definitions ("def" names the kind):
//   {"def":"process","rank","size","host","boot_id","pid","program","mpi","mpi_version","thread_level",
//    "ticks_per_s","ticks","monotonic_ns","realtime_ns","dilation","format":1}
//        once, at the end of MPI_Init; of a spawned process first "spawned_by":"WORLD.RANK.NUMBER", the root's
//        and its how manieth spawn. Of a task "address":"16 hexadecimal digits" instead of "rank" and "size"
//   {"def":"peer","index","address"}
//        of a daemon, the UDP socket of that IPv4 address (the lowest 16 bits are the port); of a task,
//        before the first record that says it: `index` is how this process's records, and the "ranks"
//        of its communicators, name the task of that address. A "comm" of the kind "world" or "context" (of
//        PVM's, "made" is its number) has no "ranks" there: all tasks are in it
//   {"def":"clock","when":"init"|"finalize"|"run","ticks","root_ticks_offset","uncertainty_ticks",
//    "same_clock":bool,"monotonic_ns","counter","at_ticks","deviation_ticks","round_trips"}
//        offset to add to this rank's ticks to get rank 0's, found at at_ticks; same_clock: same boot, offset
//        exact 0; ticks and monotonic_ns are of one instant. "run": while the program ran, written by one rank
//        for all of the same counter, with "took_ns" and "cpu_ns" of the thread that asked
//   {"def":"calls","names":["","MPI_Abort",...],"meanings":["","frame",...]}
//        the names of the calls, by Record::call, and what they mean (trace/call_meaning.hpp)
//   {"def":"comm","id","kind":"world"|"self"|"intra"|"inter"|"context","ranks":[world ranks],"remote_ranks" (inter only),
//    "name"}
//        ranks of members outside of this MPI_COMM_WORLD are -1; "foreign" and "remote_foreign" are triples for
//        those whose place in the remote group of an earlier communicator is known: [index in ranks, that id,
//        place there]. "other_world" of an intercommunicator to processes not known before: "parents", the
//        name of a spawn (spawned_by; only its root knows it), "" otherwise.
//        Ids are local to a rank; the same communicator is recognised across ranks by (ranks, "made"), a number
//        that follows from the calls that made it, or, where "made" is absent, by (ranks, how many of the same
//        ranks without it came before)
//   {"def":"name","id","use":"region"|"marker"|"integer"|"real","text","unit"}
//        of what the program says of itself ("unit" where it is known); each byte of the text that is not ASCII is a character of its
//        own, as in Latin-1
//   {"def":"window","id","name"}
//        the members of a window are those of the "comm" of the same id, which is the window's own; of several
//        lines the last one names it
//   {"def":"file","id","name","mode"}
//        likewise, of those who opened it (file_... below); deleted files have no members
//   {"def":"comm_free","id"}
//   {"def":"diagnostic","name","severity","remedy","count"}
//        lines of one name add up
//   {"def":"fact","name",...}
//        what else the rank says of its run: ranks[R][name] of run.json. "grid" of rank 0: "dims" and "periods" of the
//        first Cartesian communicator of all ranks in their order, as MPI_Cart_get has them
//   {"def":"usage","cpu_ns","elapsed_ns","involuntary_switches"}
//        of the process, from MPI_Init to MPI_Finalize; where the kernel counts it "waited_ns", in which the
//        calling thread was ready to run and had no core; where WW_DILATION is set also what a fixed chain of
//        arithmetic took at both ends ("arithmetic_begin_ns", "arithmetic_end_ns"); in virtual time
//        "polled_ns" (virtual_clock.hpp)
//   {"def":"end","reason":"finalize"|"exit"|"abort","records":N,"ticks","monotonic_ns"}
//        absent after a crash. Threads that still ran at exit or abort may have records of later times
//
// The call that a thread is in: a call that may wait for others says so where its record will be. Such a place has
// `enter_ticks`, and neither `leave_ticks` nor `call`, which is in `operation`; kind, peer, tag and comm are those that
// it waits for, as far as they are known at its entry (peer and tag as asked for), `bytes` of a completion how many
// operations it was called with. So what a rank is stuck in can be seen while it hangs, and after it was killed.
//
// This header pulls in nothing: it is shared with the library that is loaded into other people's programs.
#pragma once
#include <stdint.h>

namespace ww::spool {

inline constexpr char magic[8] = {'W', 'W', 'S', 'P', 'O', 'O', 'L', '1'};
inline constexpr uint32_t header_bytes = 4096;

struct SpoolHeader {
  char magic[8];
  uint32_t header_bytes;
  uint32_t record_bytes;
  int32_t world_rank;
  int32_t thread;
  uint64_t ticks_at_open;
  uint64_t dropped_records;  // the disk was full
  // Calls that were not recorded because the user wished so, each under the first reason that held.
  uint64_t calls_before_start;
  uint64_t calls_paused;
  uint64_t calls_not_named;
  uint64_t calls_over_limit;
  uint64_t markers_left_out;  // and values, regions: for any of these reasons
  uint64_t threads;           // that recorded here, one after another; 0: an older version, one
  uint64_t address;           // of a task, whose world_rank is -1
};

// What a Record says beyond "this call was entered and left".
enum class Kind : uint8_t {
  call = 0,   // nothing more
  send = 1,   // blocking send: peer, tag, comm, bytes
  recv = 2,   // blocking receive, completed: actual peer, tag, bytes from the status
  isend = 3,  // operation = serial
  irecv = 4,  // posted: peer and tag as asked for (any_peer, any_tag), bytes = capacity, operation = serial;
              // a matched probe posts one, after its record of a probe, of the message that it took
  isend_done = 5,  // operation completed in this call
  irecv_done = 6,  // operation completed: actual peer, tag, bytes
  done_range = 7,  // operations [operation, operation + bytes) completed in order, none of them a wildcard
                   // receive; receives among them got `bytes` as posted or as the matching send says
  collective =
      8,  // comm, peer = root in comm or -1, bytes = sent by this rank, operation = received by this rank
  icollective = 9,  // as collective, but operation = serial, bytes = sent; tag = in MPI_Start the number
                    // of the call that made the persistent operation, else 0
  icollective_done = 10,  // bytes = received
  probe = 11,             // peer, tag, flags & found
  test_failed = 12,       // the operation was asked for and is not complete
  cancelled = 13,         // operation
  comm_made = 14,  // comm = id of the communicator that this call created; a collective over the communicator
                   // that it was made from comes before it in the same call
  sent_to = 15,    // of the MPI_(I)alltoallv or w whose record comes before, in the same call, where it does
                   // not send as much to all: bytes to `peer` and, unless tag is -1, `operation` bytes to
                   // `tag`, both ranks in comm; ranks that are in no such record are sent nothing
  // One-sided: comm = id of the window, peer = the target's rank in it.
  window = 20,  // tag = WindowCall; peer = target, or member of the group of post and start (one record each)
  put =
      21,  // bytes; operation = serial if it has a request, else 0; completed by the window's synchronisation
  get = 22,
  atomic = 23,          // as put, tag = Atomic
  one_sided_done = 24,  // operation: its request is complete
  // File I/O: comm = id of the file. flag_joint or flag_collective: together with all who opened it.
  file = 28,  // tag = FileCall
  file_read =
      29,  // bytes transferred; operation = the offset given or no_offset; bytes asked for: peer the lower
  file_write = 30,   // half, tag the upper one
  file_iread = 31,   // begun: bytes asked for, operation = serial, the offset in peer and tag
  file_iwrite = 32,  //
  file_done = 33,    // operation; bytes transferred
  left_out = 40,  // messages or collectives that were not recorded since the last such record, so that those
                  // after it keep their number: bytes = how many, operation = LeftOut, comm, peer, tag
  // What the program said outside of its calls (call = no_call): comm = number of a name, entered and left at
  // once
  region_begin = 50,
  region_end = 51,
  marker = 52,
  value_integer = 53,  // bytes = the value, as an int64_t
  value_real = 54,     // bytes = the bits of a double
  // The thread that recorded until here ended; what follows is another's, the `operation`-th of the process
  // that called MPI (call = no_call).
  thread_begins = 60
};

// What a call about a window does. post, start: one record for each member of the group (peer -1: it is
// empty).
enum class WindowCall : int32_t {
  created = 1,
  allocated = 2,
  freed = 3,
  fence = 4,
  lock_exclusive = 5,
  lock_shared = 6,
  lock_all = 7,
  unlock = 8,
  unlock_all = 9,
  flush = 10,
  flush_all = 11,
  flush_local = 12,
  flush_local_all = 13,
  post = 14,
  start = 15,
  complete = 16,
  wait = 17,  // or a test that found the epoch complete
  sync = 18
};

enum class FileCall : int32_t { opened = 1, closed = 2, deleted = 3 };
inline constexpr int64_t no_offset = -1;  // the call goes by a file pointer

// What a file was opened for, as Open MPI and MPICH number it.
inline constexpr uint32_t file_create = 1, file_read_only = 2, file_write_only = 4, file_read_write = 8,
                          file_delete_on_close = 16, file_exclusive = 64, file_append = 128;

// What an atomic operation carries: bytes to the target, back from it, or the same number both ways.
enum class Atomic : int32_t { accumulate = 1, fetch = 2, fetch_and_accumulate = 3, compare_and_swap = 4 };

// What a left_out record counts: sends to (comm, peer, tag), receives from it, collectives over comm.
enum class LeftOut : uint8_t { sends = 1, receives = 2, collectives = 3 };

inline constexpr uint8_t flag_continued = 1;    // the next Record belongs to the same call as this one
inline constexpr uint8_t flag_wildcard = 2;     // the receive asked for any source or any tag
inline constexpr uint8_t flag_found = 4;        // a probe found a message
inline constexpr uint8_t flag_synchronous = 8;  // MPI_Ssend and its kin
inline constexpr uint8_t flag_in_place = 16;
inline constexpr uint8_t flag_collective =
    32;  // of Kind::window and file...: the call is a collective over comm, too
inline constexpr uint8_t flag_joint = 64;  // all who opened the file take part, at other calls
// The call was made inside of another one, whose record comes later: the next that was entered no later than
// this one. Only from recorders that record such calls (Frame in thread.hpp).
inline constexpr uint8_t flag_nested = 128;

inline constexpr uint16_t no_call = 0xffff;

inline constexpr int32_t any_peer = -2;  // wildcard as asked for
inline constexpr int32_t any_tag = -2;
inline constexpr int32_t no_peer = -1;  // MPI_PROC_NULL: no message; or a collective without a root

// What a Record of a daemon says, in place of Kind; the time in select is its waiting. Addresses of tasks are PVM's tids.
enum class DaemonKind : uint8_t {
  call = 0,         // bytes moved, or descriptors ready; peer = descriptor or no_peer
  packet_sent = 1,  // bytes with the header, peer, tag = destination's tid, comm = source's tid, operation =
  packet_received = 2,  // DaemonPacket
  fragment_read =
      3,  // its header, from the task of tid comm to tag: peer = descriptor, operation = how many bytes
  fragment_written = 4,  // follow; written: header and data, or the beginning of them; bytes moved
};

// `operation` of packet_sent and packet_received: what PVM's header says, of 16 bytes in the order of the network:
// destination and source (32 bits each), sequence number, the number acknowledged (16 each), flags (8), and 24 that
// say nothing.
struct DaemonPacket {
  uint16_t sequence, acknowledged;
  uint8_t flags;
  static constexpr uint8_t begins = 1, ends = 2, has_data = 4, is_last = 8, acknowledges = 16;

  uint64_t packed() const {
    return sequence | static_cast<uint64_t>(acknowledged) << 16 | static_cast<uint64_t>(flags) << 32;
  }
  static DaemonPacket of(uint64_t operation) {
    return {static_cast<uint16_t>(operation), static_cast<uint16_t>(operation >> 16),
            static_cast<uint8_t>(operation >> 32)};
  }
};
// A header between a task and its daemon has as many bytes: destination, source, how many follow (32 each), flags (8).
inline constexpr uint32_t daemon_header_bytes = 16;
// Of a tid: a daemon, and not a task of its host.
inline constexpr uint32_t tid_of_daemon = 0x80000000u;

// The name of the value that says which D the program has set from then on (ww_dilate in whatwire/marker.h); until the
// first one it is that of the process.
inline constexpr const char* dilation_value = "dilation factor D";

// 48 bytes, in the order in which calls returned. Records of one call follow one another (flag_continued on all but the
// last) and carry the same times.
struct Record {
  uint64_t enter_ticks;
  uint64_t leave_ticks;
  uint64_t bytes;
  uint64_t operation;
  int32_t peer;  // rank in comm; of a task an index ("peer" above)
  int32_t tag;
  uint32_t comm;  // local id, as in the definitions
  uint8_t kind;   // Kind
  uint8_t flags;
  uint16_t call;  // number of the call, 1 and up, in the definition "calls", or no_call; stored last
};
static_assert(sizeof(Record) == 48, "a call costs one record of 48 bytes in the spool");

}  // namespace ww::spool
