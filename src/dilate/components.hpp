// What S3 splits a run into (NISTIR 4331, section 3.1 and Figure 1), of each rank.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analyze/breakdown.hpp"
#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww {

// elapsed = user + communication + receive wait + send, in seconds divided by D.
//   user           everything between calls: the program's own work, and what the system does meanwhile
//   communication  the processor's time for messages inside calls that do not begin a send (S3's
//                  communication interrupts; what the kernel does on a core while the program computes there
//                  cannot be told from user time)
//   receive wait   blocked, whatever for: a receive, a collective, or a send that waits for its receiver
//   (S3's
//                  sends never wait)
//   send           the processor's time of calls that begin a send and do nothing else (S3's asynchronous
//                  send: the time to dispatch a message)
struct Components {
  double user_s = 0, communication_s = 0, receive_wait_s = 0, send_s = 0;
  // Of the receive wait: until the other rank began its part (S4).
  double algorithmic_s = 0;
  // Of the receive wait, where waits could be followed to their causes (analyze/delays.hpp): what no network
  // shortens.
  double by_algorithm_s = 0;
  bool followed = false;

  double elapsed_s() const { return user_s + communication_s + receive_wait_s + send_s; }
  double software_s() const { return communication_s + send_s; }
  double algorithms_s() const { return followed ? by_algorithm_s : algorithmic_s; }
  Components& operator+=(const Components& other);
  Components operator/(double by) const;
};

struct RankComponents {
  std::int32_t rank = 0;
  double elapsed_s = 0;  // divided by D; the sum of the four
  Components components;
};

// The processor's time of the call is the send's: it begins sends and does nothing else.
bool only_begins_sends(const RankTrace& rank, std::size_t call);
// What of the call lies between MPI_Init and MPI_Finalize, in ns.
std::int64_t time_in_program(const RankTrace& rank, std::size_t call);

// `breakdown` is the trace's. In the order of the ranks.
std::vector<RankComponents> components_of(const Trace& trace, const Breakdown& breakdown, double factor);
Components mean_of(const std::vector<RankComponents>& ranks);

// What the software of a call takes in a run at D that keeps it from becoming faster: the receiver's D times
// as long, and the (D - 1) times of the sender's too, which are held back there.
MachineModel with_kept_software(MachineModel machine, double factor);

nlohmann::json to_json(const Components& components);  // seconds
// Of the elapsed time, in percent: at D = 1 the program's signature (S3, Table 1).
nlohmann::json shares_json(const Components& components);
nlohmann::json to_json(const std::vector<RankComponents>& ranks);

}  // namespace ww
