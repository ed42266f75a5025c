// What PRASE recorded as a trace, to be written as an archive (otf2_write.hpp) and looked at like any other.
//
// Ranks are the processes by node and pid, hosts the nodes. Calls have the names of the iPSC's (sendw, recvw, copen, ...); init, end and dump are PRASE's own,
// and the program proper lies between init and end. Tags are the message types; all receives are from any sender, as the iPSC's are by type only. A receipt
// without wait (recv) is one call where nothing else was recorded between its begin and its end; else it is posted by a call without length at its begin
// and completed by one without length, "status", at its end. Marked variables are values named by their type ("mdble"), as PRASE keeps no names, characters are
// markers. Times are from the earliest record on.
//
// Matching goes by order in an archive, and by S5's counts here (correlate.hpp): where a send or receipt has no other end before others that have, it is noted
// at the other process that a message was not recorded. What is received in another order than it was sent cannot be said (`message-order-lost`).
//
// Not in the trace: channels, the markers of Seecube, results of probe and status, lamps' states, pids of syslog, sizes of dumps.
#pragma once
#include "trace/prase/correlate.hpp"
#include "trace/trace.hpp"

namespace ww::prase {

inline constexpr const char* records_form = "PRASE's event records";
// For help.
inline constexpr const char* records_say =
    "Event records of PRASE (Kahl 1988, S5): a directory of n0_p0, n1_p0, ... as its collector wrote them "
    "or\n"
    "its pv shows them, or a file of these; or Seecube's file human. Becomes a trace, for report and view:\n"
    "sends and receipts are joined by the counts in the records.";

struct PraseTrace {
  Trace trace;  // not matched; its diagnostics are those of the records and of the correlation
  std::vector<std::string> processes;                               // by rank: "node 5 pid 0"
  std::uint64_t messages = 0, sends_alone = 0, receipts_alone = 0;  // as correlated
};

// Errors: no times, or more than a trace can hold between the first and the last.
Result<PraseTrace> trace_of(const PraseRun& run);

// Makes the archive and its run.json in a directory that is there and empty. `from`: what was read.
Result<void> write_imported(const PraseTrace& imported, const std::string& from,
                            const std::filesystem::path& directory);

}  // namespace ww::prase
