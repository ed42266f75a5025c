// The machine model: what a message of n bytes costs on this machine, software and wire apart, each number
// with its interval. Written by `measure`, read by `simulate` and `dilate`. The JSON keys are those of the
// interface page.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/alpha_beta.hpp"
#include "machine/place.hpp"

namespace ww {

struct Interval {
  double low = 0, high = 0;
};

// base_s + seconds_per_byte * n for from_bytes <= n <= to_bytes.
struct Segment {
  double from_bytes = 0, to_bytes = 0;
  double base_s = 0, seconds_per_byte = 0;
  Interval base_ci_s, seconds_per_byte_ci;  // 95%
};

// Piecewise linear, segments in order of size. Beyond the last segment its line goes on.
struct Curve {
  std::vector<Segment> segments;
  bool empty() const { return segments.empty(); }
  double at(double bytes) const;  // seconds; 0 when empty
  const Segment& segment_at(double bytes) const;
};

struct FitError {
  double mean = 0, max = 0;  // relative, of the measured ping-pong against the model simulated on it
};

// How much of a port's rate is left to each direction while messages of that size pass each other.
struct TwoWay {
  double bytes = 0, efficiency = 1;
  Interval ci{1, 1};
};

// The part of a message's time that a faster wire would shrink, told apart from the software by counting the
// bytes that the interface really sent per message (headers, acknowledgements, handshakes of the library
// included).
struct Wire {
  double seconds_per_byte = 0;  // per byte on the wire, every overhead counted in bytes
  Interval seconds_per_byte_ci;
  double stages = 1;  // how often a frame is serialised one after the other (2: host, switch)
  double frame_payload_bytes = 1448,
         frame_overhead_bytes = 90;   // per frame: user data, and all headers and gaps
  double message_overhead_bytes = 0;  // the MPI library's header, beside the frames' (eager)
  double handshake_frames = 0;        // extra small frames of a rendezvous message, both directions together
  double handshake_frame_bytes = 0;
  // A reply that is sent at once queues behind the acknowledgement of a message of several frames: the
  // bytes of it that the reply usually has to wait for; 0 where the counters show no such frames.
  double acknowledgement_frame_bytes = 0;
  double two_way_efficiency = 1;  // rate of each direction when both are busy, relative to one alone
  Interval two_way_efficiency_ci{1, 1};
  // The same of messages that go at once, up to the eager threshold, which no handshake holds back behind the
  // other direction's data; absent: not told apart.
  std::optional<double> two_way_efficiency_eager;
  Interval two_way_efficiency_eager_ci{1, 1};
  std::vector<TwoWay> two_way;  // by size, rising, where measured; the two above sum them up

  double frames(double message_bytes) const;      // that carry its data; a message without bytes takes one
  double wire_bytes(double message_bytes) const;  // of the data direction
  // Seconds of a message's one-way time that are proportional to seconds_per_byte: all frames once, plus one
  // frame for every further stage (store and forward), plus the handshake's frames through all stages if
  // rendezvous, plus the acknowledgement if there are several frames.
  double serialisation_s(double message_bytes, bool rendezvous) const;
  double port_busy_s(double message_bytes) const;  // how long it keeps a port busy
};

// A size beyond which a message of one byte more takes a jump longer (or shorter).
struct Switch {
  double bytes = 0;                      // the last size below it
  double low_bytes = 0, high_bytes = 0;  // it is surely between these two sizes, which were measured
  double jump_s = 0, relative = 0;
  double avoid_up_to_bytes = 0;  // sizes above it and below this cost more a byte than `bytes` does; 0: none
  std::string cause;             // what it probably is
};

// What messages of a size were measured to take, one way.
struct MeasuredSize {
  double bytes = 0, median_s = 0, low_s = 0, high_s = 0;
  std::uint64_t samples = 0;
};

struct Link {
  Place between = Place::inter;
  double latency_s = 0;  // one way, the smallest message
  Interval latency_ci_s;
  Curve one_way;                                // half a round trip of a ping-pong; JSON "segments"
  std::optional<double> eager_threshold_bytes;  // largest message sent eagerly
  // Does a message above it move only while its sender is inside the library, too? Else the receiver alone
  // fetches it.
  bool rendezvous_needs_sender = true;
  double handshake_crossings = 2;  // that it waits for beside its data's (library.hpp)
  // So many bytes of messages above the eager threshold the sender's system takes ahead of the wire: a send is done when all but
  // these have left, of its message and of those before it to the same rank. At least so many where the largest message
  // measured was taken whole; absent: not measured, done when all have left.
  std::optional<double> sent_ahead_bytes;
  FitError pingpong_fit_error;
  std::optional<Wire> wire;  // absent: not told apart, bandwidth what-ifs scale the slope only
  std::vector<Switch> switches;
  std::vector<MeasuredSize> points;  // for pictures

  bool rendezvous(double message_bytes) const;  // above the eager threshold
  // Of the wire's sizes on the same side of the eager threshold: between two of them in proportion to the size's logarithm,
  // beyond them the nearest; without such, the wire's sum of them. 1 without a wire.
  double two_way_efficiency(double message_bytes) const;
};

// S1's six terms. What was not measured is empty. A receive call whose message is already there takes A + U;
// where only that sum was measured it stands in U, A is empty, and a flag says so.
struct Costs {
  Curve F, S, R, A, U, E;
};

// Nodes joined as a hypercube, each of which forwards what others send through it and pays R + S for that
// (S1).
struct Hypercube {
  int dimensions = 6;
  double clock_tick_s = 0, clock_call_s = 0;  // a node's clock counts whole ticks; reading it takes a call
  // So many active channels would take all of a node's memory (src/simulate/hypercube/memory.hpp); 0: what
  // they take beyond R and S is not known.
  double memory_channels = 0;
};

// The machine as LogGOPS has it (Hoefler, Schneider, Lumsdaine, HPDC 2010), for schedules in GOAL: latency, a
// message's time on a processor, the gap between two on a card, and both a byte; beyond S bytes a message is
// asked for first.
struct LogGops {
  double L_s = 0, o_s = 0, g_s = 0, G_s_per_byte = 0, O_s_per_byte = 0, S_bytes = 0;
};

// One of S1's six terms at one size. Of so many trials, each of all the experiments that it is solved from, the mean and
// the deviation (S1, Table 1); 0 trials: too few samples, or none are told.
struct TermPoint {
  double bytes = 0, median_s = 0;
  int trials = 0;
  double mean_s = 0, deviation_s = 0;
};

// One of S1's six terms as one line by least squares (S1, Table 3).
struct TermLine {
  double base_s = 0, seconds_per_byte = 0, max_error_s = 0;
  std::vector<TermPoint> points;
};
using SixLines = std::map<std::string, TermLine>;

// Streams of neighbours through a node that computes (S1, 5.2).
struct Stream {
  int neighbours = 0;
  double bytes = 0, message_s = 0, slowdown = 0;
  std::optional<double> predicted_slowdown;  // by software costs alone
  std::optional<double> final_message_s;     // when the streams have settled
};

// What messages that pass a host take from a computation there, for each message (S1's experiment 5, under PVM).
struct Passing {
  Place between = Place::inter;
  std::string computation;
  bool direct = false;  // the route: not by the daemons
  double bytes = 0, loss_s = 0;
  std::optional<double> daemon_s, task_s;  // of that, or beside it on other cores: what these two ran
  double echo_s = 0, idle_echo_s = 0;      // through the host and back, beside the computation and without it
};

// An experiment simulated on the model, against what it measured.
struct Again {
  std::string experiment;
  Place between = Place::inter;
  double bytes = 0, relative = 0;
};

// The lab's wire while the machine was measured (measure --lab), as far as it is known.
struct LabWire {
  bool shared_bus = false;
  double rate_bytes_per_s = 0;  // 0: not known
  double delay_s = 0;
  double late_median_us = -1, late_p99_us = -1;  // how late it delivered frames; negative: not known
  bool linux_tcp = false;                        // as Linux sets it (lab up --tcp default)
  double at_once = 1;        // frames of a stream that a host hands over together (lab up --at-once)
  bool cores_awake = false;  // its hosts' cores did not sleep (lab up --cores)
};

inline constexpr const char* nothing_shown =
    R"({"closed_loop":[],"collectives":{},"environment":{},"observations":{},"six_lines":{}})";

struct MachineModel {
  std::string name;
  std::vector<Link> links;
  Costs costs;
  // The arithmetic of a reduction (two vectors of so many bytes of doubles added) beside its messages; empty:
  // not measured, and taken for nothing.
  Curve reduction;
  // For those who show it, as it stands in the file (docs/machine-model.md): an object, as JSON text. What is
  // asked of it here follows; keep_shown sets all of it.
  std::string shown = nothing_shown;
  SixLines six_lines;              // over a computation of integer operations, where there was one
  SixLines six_lines_floating;     // over floating-point operations (S1, Table 2)
  SixLines six_lines_idle;         // E with idle processors (S1, 5.1)
  std::vector<Stream> streams;     // "interference" of the observations
  std::vector<Passing> passing;    // "forwarding" of the observations
  std::vector<AlphaBeta> printed;  // ... what a source prints of its links, as it prints it
  std::vector<Again> closed_loop;
  LabWire lab;  // of the environment
  std::optional<Hypercube> hypercube;
  std::optional<LogGops> loggops;
  double clock_hz = 0, alpha_cycles = 0, beta_cycles_per_byte = 0;
  double ipc = 0;                  // operations a cycle (S2); 0: not known
  std::string samples;             // file of raw samples
  std::vector<std::string> flags;  // impossible or doubtful values, said

  const Link* link(Place place) const;
};

// `shown`: any of "six_lines" (and ..._floating, ..._idle), "collectives", "observations", "closed_loop" and "environment", each of the form
// that machine_check (model_check.hpp) wants; what it lacks is empty.
void keep_shown(MachineModel& model, const nlohmann::json& shown);

// Every problem of a model file names the key. Unknown keys are refused with the nearest known one.
Result<MachineModel> model_from_json(const nlohmann::json& json);
nlohmann::json to_json(const MachineModel& model);
// A path, or the name of a preset (presets.hpp) where there is no such file.
Result<MachineModel> load_model(const std::filesystem::path& file);
Result<void> save_model(const MachineModel& model, const std::filesystem::path& file);

}  // namespace ww
