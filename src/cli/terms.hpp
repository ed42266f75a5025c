// What words of whatwire's output mean, for `whatwire explain`; diagnostics have a table of their own
// (base/diagnostics_table.hpp). One entry a term, in the order of the kinds.
#pragma once

namespace ww::cli {

struct Term {
  const char* name;
  const char* kind;  // "verdict", "time", "model", "prediction", "dilation", "message"
  const char* text;  // without a full stop at its end
};

inline constexpr Term terms[] = {
    {"computation-bound", "verdict",
     "little of the program's time is waiting, so that no faster network makes it much quicker; look at the "
     "computation, or at how it is shared out among the ranks"},
    {"communication-bound", "verdict",
     "the program waits, and most of what a faster network could take away did go away when it had one: a "
     "faster network helps"},
    {"logical-delay", "verdict",
     "the program waits, and goes on waiting with a faster network: ranks wait for what other ranks have not "
     "begun yet. The remedy is in the algorithm or the balance, not in the network"},
    {"withheld", "verdict",
     "no verdict: the evidence contradicts itself (a speed-up that no network can give, a replay that does "
     "not "
     "fit the recording, runs that differ too much), and the reason and a remedy stand in its place"},

    {"elapsed", "time",
     "from the return of MPI_Init to the entry of MPI_Finalize; of the run, from the earliest of the ranks "
     "to "
     "the latest. elapsed = compute + library + blocked, for each rank"},
    {"compute", "time",
     "time outside of recorded calls: the program's own work, and calls that were left out"},
    {"library", "time",
     "time in calls that was not waiting: the software of messages (copying, matching, protocols), tests and "
     "probes that found nothing, file I/O, starting and ending of communication"},
    {"blocked", "time",
     "time in calls spent waiting for another rank or for the network. blocked = algorithm + service"},
    {"algorithm", "time",
     "the part of blocked time in which the partner had not begun yet: from the begin of the wait to the "
     "begin "
     "of the matching send, or to the last member's entry into a collective. No network shortens it by "
     "itself"},
    {"service", "time",
     "the part of blocked time in which everybody was there and the message was on its way: software and "
     "wire"},
    {"followed to its causes", "time",
     "blocked time by what it comes from in the end: a partner may have begun late because it waited for the "
     "network itself. What a network without cost takes away is the network's, what it leaves the "
     "algorithm's"},
    {"polling", "time", "share of time in tests and probes that found nothing, which may have been waiting"},
    {"utilisation", "time",
     "share of its time in which a rank had something to do; it is idle when nothing had been sent to it"},

    {"o", "model", "overhead: the time for which the processor is busy with sending or receiving a message"},
    {"L", "model",
     "latency: the time that a message without bytes takes on the wire and through its switches"},
    {"g", "model", "gap: the least time between two messages of one sender or receiver"},
    {"G", "model", "gap per byte: the time that each further byte takes, the inverse of the bandwidth"},
    {"t_s", "model",
     "start-up: the time of the smallest message, one way; alpha is the same in cycles of the processor's "
     "clock, or in operations"},
    {"t_c", "model",
     "the time that each further byte of a message takes; beta is the same in cycles a byte, or in "
     "operations"},
    {"alpha", "model",
     "t_s times the clock's frequency: cycles that pass while the smallest message is on its way; times IPC, "
     "operations"},
    {"beta", "model",
     "t_c times the clock's frequency: cycles that each byte of a message takes; times IPC, operations"},
    {"IPC", "model",
     "operations that a processor does in a cycle (floating-point ones in S2's table); machine show --ipc"},
    {"eager", "model",
     "a small message, sent at once whether or not the receiver asked for it; the sender goes on"},
    {"rendezvous", "model",
     "a large message, for which the sender first asks and the data go when the receiver has posted the "
     "receive; the sender may wait"},
    {"hop", "model", "one link of a message's way through a network of several switches or nodes"},
    {"what-if", "model",
     "a change of the machine to predict for: bandwidth=x10, latency=5us, software=x0.1, compute=x2, "
     "network=fat-tree:k=8; see docs/what-ifs.md"},

    {"self-check", "prediction",
     "the recording replayed on the machine that recorded it, beside the time that it took. What it is off "
     "by "
     "widens every interval, and beyond a limit predictions are withheld"},
    {"interval", "prediction",
     "the range that the true time is said to be in: of the self-check, the model's own intervals, the "
     "software "
     "of messages, the computation, rules of arbitration and, of several runs, their range"},
    {"gain", "prediction",
     "predicted time against the replayed time of the machine as it is, not against the recorded"},
    {"calibration", "prediction",
     "what the software of a message costs more, or less, inside the program than in the model's ping-pong, "
     "found from the trace and kept when the wire changes; printed as an assumption"},
    {"contention", "prediction",
     "waiting of messages for each other at ports and links; what lies between the lower bound of --explain "
     "and "
     "the full replay is contention and progress"},
    {"replayed", "prediction", "played by the simulator from the recording, on the machine that is named"},
    {"assumption", "prediction", "what a prediction takes for granted, and would be wrong without"},

    {"D", "dilation",
     "the factor by which clock and computation are slowed, so that the unchanged wire is D times as quick "
     "in "
     "the program's own time; D = 1 is the undilated run"},
    {"normalised", "dilation",
     "a dilated run's time divided by D: the program's time on a wire D times as quick"},
    {"speed-up", "dilation", "time as it is divided by time on the other network; above 1 is quicker"},
    {"virtual time", "dilation",
     "a clock that each rank keeps by its own processor time and the model's costs of messages, while the "
     "program really runs"},
    {"witness", "dilation",
     "a second way to the same answer: dilation is checked by simulating the same wire"},
    {"lab", "dilation",
     "hosts on this machine joined by a wire of any rate: what predictions are checked against"},

    {"tag", "message",
     "the number by which a receive picks its message; with a communicator it makes a type"},
    {"peer", "message", "the rank at the other end of a message"},
    {"unmatched", "message", "a send or receive whose other end is not in the trace"},
    {"POP", "message",
     "efficiencies as the POP project defines them: load balance, serialisation and transfer, whose product "
     "is "
     "the parallel efficiency; report --ask pop"},
    {"critical-path", "message",
     "the chain of computation, calls and messages from the begin of the run to its end that leaves no gap: "
     "only what is on it shortens the run"},
};

}  // namespace ww::cli
