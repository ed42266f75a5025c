// A trace compiled for replay: per rank a stream of small operations in columns, every receive bound to its
// send, every collective spread into the messages of the algorithm that the MPI library uses for it. It holds
// all that a prediction needs of the trace, so that stored.hpp can keep it in its place.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/column.hpp"
#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "library/library.hpp"
#include "simulate/crossings.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

enum class OpKind : std::uint8_t {
  compute,     // the program's own time; argument: its place in seconds
  library,     // time inside a call that is kept as recorded; argument: as before
  enter,       // an MPI call begins; argument: its region
  leave,       // ... ends
  send,        // a send is begun; argument: message
  receive,     // a receive is posted; argument: message
  wait,        // until all ends of a group are complete; argument: group of this rank
  sync_begin,  // a collective without a known algorithm is entered; argument: sync
  sync_end     // ... waits for all its members; argument: sync
};

// One end of a message: message * 2 + 1 for the sender's, message * 2 for the receiver's.
using EndNumber = std::uint32_t;
constexpr EndNumber send_end(std::uint32_t message) {
  return message * 2 + 1;
}
constexpr EndNumber receive_end(std::uint32_t message) {
  return message * 2;
}
constexpr std::uint32_t message_of(EndNumber end) {
  return end / 2;
}
constexpr bool is_send_end(EndNumber end) {
  return (end & 1) != 0;
}

struct Operations {
  Column<OpKind> kind;
  Column<std::uint32_t> argument;
  Column<double> seconds;                // of computations and library time only
  Column<std::uint32_t> group_first{0};  // groups + 1 entries
  Column<EndNumber> group_end;

  std::size_t size() const { return kind.size(); }
  void add(OpKind op, std::uint32_t with);
  void add_time(OpKind op, double duration_s);        // compute or library
  void add_wait(const std::vector<EndNumber>& ends);  // nothing if empty
  // The library looks what has come, as a call does that asks and returns: a wait for nothing.
  void add_look();
  void append(const Operations& other);
};

struct RankProgram : Operations {
  std::int32_t host = 0;  // index into Program::hosts
  double begin_s = 0;     // relative to the earliest begin of a rank
};

struct ProgramMessage {
  std::int32_t source = 0, destination = 0;  // world ranks; equal: never touches a wire
  std::uint64_t bytes = 0;
  bool synchronous = false;  // the send completes only after the receive was matched
  bool inside_collective = false;
  bool reduced = false;  // the receiver combines it with what it has: arithmetic after its arrival
  std::uint8_t unused = 0;
  // What the sender's call took when it was recorded between hosts, of calls that did nothing else, in steps of 10 ns, as many as
  // go into this; 0: not known.
  static constexpr std::int64_t called_step_ns = 10;
  std::uint16_t send_called = 0;
  std::uint16_t unused_too = 0;
};

// A collective replayed as: all leave when the last has entered and its time has passed.
struct Sync {
  std::uint32_t members = 0;
  std::uint32_t shape = none;  // index into Shapes: of a non-blocking one whose algorithm is known
  double seconds = 0;          // as recorded; of one with a shape the machine's (Costs::sync)
  // What of that are small messages, one after the other, at most: these take what they do on each machine.
  std::uint32_t crossings = 0;
  std::uint32_t between_hosts = 0;  // 1: they go between hosts
};

// The messages of algorithms that are played by themselves, each once, however many collectives have them.
struct ShapeMessage {
  std::int32_t source = 0, destination = 0;  // world ranks
  std::uint64_t bytes = 0;
  std::uint32_t round = 0;  // rising; each member posts its receives of a round, sends, and waits for both
  bool reduced = false;
  std::array<std::uint8_t, 3> unused = {};
};
struct Shapes {
  Column<ShapeMessage> messages;
  Column<std::uint32_t> first{0};  // shapes + 1 entries
  std::size_t size() const { return first.size() - 1; }
};

// The run that the program is of.
struct RecordedRun {
  std::string source;  // anchor file of the trace
  std::uint64_t events = 0;
  double elapsed_s = 0;
  Place network = Place::intra;  // where its messages go
  double kept_share = 0;         // of a disturbed run: see share_kept_of()
  double lost_together = 0;      // see share_lost_together()
  double core_wait_s = 0;        // see waited_on_shared_cores_s()
  int shared_cores = 0;          // see cores_shared_by_hosts()
  double core_work_s = 0;        // see work_on_shared_cores_s()
  double lab_work_s = 0;         // of the lab's switch, on the same cores; 0: none, or not known
  Diagnostics diagnostics;       // of loading the trace
};

struct Graph;  // graph.hpp

struct Program {
  RecordedRun recorded;
  std::vector<std::string> hosts, regions;
  std::vector<RankProgram> ranks;
  Column<ProgramMessage> messages;
  Column<Sync> syncs;
  Shapes shapes;
  Crossings crossings;
  std::map<std::string, std::uint64_t> algorithms;  // "MPI_Barrier by recursive doubling" -> instances
  std::vector<std::string> assumptions;
  Diagnostics diagnostics;                     // of compiling it
  Progress progress = Progress::inside_calls;  // of the library of the trace
  double load_s = 0;                           // that compiling took, or mapping what is stored
  // A program given as operations that depend on each other: its ranks are no streams, and nothing of it was
  // recorded.
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const void> keeps;  // the mapping that its columns look at
  std::size_t operations() const;
};

// Errors: the trace has no ranks, or more messages than the replay can number.
Result<Program> compile(const Trace& trace);

}  // namespace ww::simulate
