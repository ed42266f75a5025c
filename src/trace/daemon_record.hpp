// What the daemons of a message library did while a program ran (`daemons` of run.json), if they were recorded: PVM's, which carry what goes by
// its default route from host to host. Worked out of their spools by unify (spool_daemons.hpp); times in seconds.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww {

// By UDP, packets with PVM's header of 16 bytes. Acknowledgements carry no data; again: data of a number that had been sent, or got, before.
struct DaemonTraffic {
  std::string host, address;  // of the other side; host: "" of none that was recorded
  std::uint64_t packets_sent = 0, bytes_sent = 0, acknowledgements_sent = 0, sent_again = 0;
  std::uint64_t packets_received = 0, bytes_received = 0, acknowledgements_received = 0, received_again = 0;

  void add_counts(const DaemonTraffic& other);
};

struct DaemonCallTotal {
  std::string name;  // "select", in which it waits, ...
  std::uint64_t count = 0;
  double time_s = 0;
};

// Of a stretch of time. What is not in `calls` is the daemon's own work.
struct DaemonUse {
  double time_s = 0, waiting_s = 0, own_s = 0;
  std::vector<DaemonCallTotal> calls;
  std::vector<DaemonTraffic> peers;
  double busy_s() const { return time_s - waiting_s; }
  DaemonTraffic all() const;
};

struct DaemonFacts {
  std::string host, address;  // "10.77.0.1:40000", "" if it never sent
  std::optional<std::uint32_t> tid;
  std::int64_t pid = 0;
  bool ended = false;           // of itself; else it was killed, or ran on
  std::optional<double> cpu_s;  // of those that ended
  DaemonUse life;
  std::optional<DaemonUse>
      program;       // while the program ran; nothing: its clock was not compared with the program's
  double bin_s = 0;  // of that
  std::vector<double> busy_over_time;
};

struct DaemonStage {
  std::uint64_t fragments = 0;
  double total_s = 0, median_s = 0, p90_s = 0;
};

// The fragments (4080 bytes with their header at most) of messages between tasks of two hosts, or of one.
struct DaemonWay {
  std::string from, to;
  std::uint64_t fragments = 0, bytes = 0;  // the headers left out
  DaemonStage held;          // from being read to being sent first; within a host, to being written
  DaemonStage under_way;     // from sendto to the return of recvfrom; where the clocks are one
  DaemonStage delivered;     // from there to being written to the task
  DaemonStage acknowledged;  // from sendto to the return of recvfrom with the acknowledgement
};

struct DaemonRecord {
  std::vector<DaemonFacts> daemons;
  std::vector<DaemonWay> ways;
};

nlohmann::json to_json(const DaemonRecord& record);
// Of RunRecord::daemons. Nothing: they were not recorded, or what is said of them is damaged.
std::optional<DaemonRecord> daemons_from(std::string_view text);

}  // namespace ww
