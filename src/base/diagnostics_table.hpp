// Every diagnostic that there is: name, severity, and in one or two sentences what it means and what to do. To
// add one, add an entry; a name that is not here does not compile (DiagnosticName). Where a text has figures of
// the case, who reports gives it, and this one is what `whatwire explain` says. The recorder, which is loaded
// into other people's programs, uses this too: it includes nothing.
#pragma once

namespace ww {

enum class Severity { info, warning, data_loss, error };
constexpr const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::data_loss:
      return "data loss";
    case Severity::error:
      break;
  }
  return "error";
}

struct DiagnosticEntry {
  const char* name;   // stable, kebab-case: scripts of others look for it
  Severity severity;  // the worst, where it depends on the case
  const char* text;   // without a full stop at its end
};

// clang-format off
inline constexpr DiagnosticEntry diagnostics_table[] = {
    // Of the recorder, in the running program.
    {"calls-left", Severity::data_loss,
     "an exception or a jump out of an error handler left a call before it returned: it is not in the trace"},
    {"clock-thread-failed", Severity::warning,
     "the clocks of the hosts could not be exchanged while the program ran, only at its start and end: let UDP "
     "pass between the hosts"},
    {"communicator-defined-late", Severity::info,
     "a communicator was made by a call that is not followed; it is known from its first use"},
    {"communicators-not-followed", Severity::data_loss,
     "free communicators that are no longer used"},
    {"departure-unknown", Severity::warning,
     "when these messages departed is not known, so they count as departed when they came: they came over a "
     "communicator that others know differently, or more than 64 to 8192 (by the number of ranks) were under way "
     "between two ranks, or a send was cancelled or failed before, or what another machine told of them came later "
     "than they did"},
    {"departures-not-shared", Severity::warning,
     "the ranks of a machine could not share memory (/proc/PID/fd, or a file in the trace directory): when "
     "messages departed is not known"},
    {"dilation-refused", Severity::warning,
     "ww_dilate was called with what is no dilation factor (0, or from 1 to a million): D stayed what it was"},
    {"file-defined-late", Severity::info,
     "a file was opened by a call that is not followed; its name is not known"},
    {"files-not-followed", Severity::data_loss,
     "close files that are no longer used"},
    {"functions-not-patched", Severity::warning,
     "functions that were asked for and could not be switched on: compile with -fpatchable-function-entry=5 (x86-64; all of "
     "its bytes behind the function's begin), or with -finstrument-functions"},
    {"functions-thinned", Severity::warning,
     "functions that a rank called more than 100,000 times a second: one call in 2, 4, 8, ... was recorded as a region; all of "
     "them are in the counts of functions (whatwire report). Leave them out: --functions '!NAME'"},
    {"isendrecv-from-any", Severity::data_loss,
     "MPI_Isendrecv with MPI_ANY_SOURCE or MPI_ANY_TAG: MPICH 4.0 does not tell what was received, so that "
     "these messages are missing"},
    {"left-out-cancelled", Severity::warning,
     "an operation that began while nothing was recorded was cancelled after recording began: later messages "
     "of its channel may be matched one off"},
    {"left-out-not-counted", Severity::data_loss,
     "more channels or operations were left out of the recording than are counted: messages after them may be "
     "matched wrongly; record all calls"},
    {"markers-inside-calls", Severity::info,
     "regions, values and markers inside callbacks of MPI are not recorded; mark around the call"},
    {"names-not-kept", Severity::warning,
     "regions, values or markers have more names than are kept, and were recorded under one name; put what "
     "changes into values"},
    {"memory-not-sampled", Severity::warning,
     "memory was asked for and could not be read over time (/proc/self/statm, or no thread for it)"},
    {"neighbours-unknown", Severity::data_loss,
     "neighbourhood collectives were recorded without their messages: no memory for the list of neighbours"},
    {"no-function-seen", Severity::warning,
     "functions were asked for and the program tells of none: compile what is to be seen with -fpatchable-function-entry=5 or "
     "-finstrument-functions (GCC, Clang, gfortran), and link it as ever"},
    {"no-function-wanted", Severity::warning,
     "none of the functions that the program called has a name that was asked for: whatwire record --count-functions '*' "
     "shows all of them"},
    {"peers-not-followed", Severity::data_loss,
     "a task exchanged messages with more than 65536 others; those with the rest are not in the trace"},
    {"requests-not-followed", Severity::data_loss,
     "more requests were open at once than the recorder follows: their completions are missing"},
    {"spawned-not-recorded", Severity::data_loss,
     "processes started by MPI_Comm_spawn were not recorded: only Open MPI hands them the recorder, and only "
     "when its path and the trace's are short (200 characters together)"},
    {"spool-not-created", Severity::error,
     "make the trace directory writable, or free space on its disk"},
    {"threads-not-recorded", Severity::data_loss,
     "calls of threads were not recorded, since more than 4096 called MPI at one time"},
    {"virtual-after-timeout", Severity::warning,
     "pvm_trecv waited by real time: so many messages that it took came after its time-out in virtual time, where the "
     "program would have gone on without them"},
    {"virtual-found-nothing", Severity::warning,
     "so many tests and probes found nothing, by real time: short computation between them counts as waiting, "
     "and is added in the upper end of the interval; what the program does meanwhile may be more or less on "
     "the emulated machine"},
    {"virtual-from-outside", Severity::info,
     "messages came from who has no virtual time (PVM's daemons, tasks that were not recorded, a group server that another run "
     "started): they took as long as was really waited for them, at a group's barrier until all had come"},
    {"virtual-no-costs", Severity::error,
     "the machine model says nothing about messages between ranks that are placed like these: measure that "
     "link, or place them otherwise with --ranks-per-host"},
    {"virtual-not-costed", Severity::warning,
     "collectives between groups, of neighbours, or more than 256 under way cost no more virtual time than a "
     "barrier"},
    {"virtual-one-sided", Severity::error,
     "one-sided communication has no virtual time: nobody is told when it reaches the target; dilate in real "
     "time"},
    {"virtual-several-machines", Severity::error,
     "virtual clocks need all ranks on one machine, where they share memory; use more ranks than cores there"},
    {"virtual-threads-at-once", Severity::error,
     "a program that asks for MPI_THREAD_MULTIPLE has no one virtual clock: ask for MPI_THREAD_SERIALIZED, or "
     "dilate in real time"},
    {"virtual-too-many-tasks", Severity::error,
     "virtual clocks of PVM's programs are for 64 tasks at most; use fewer, or dilate in real time"},
    {"virtual-unanswered", Severity::warning,
     "large messages were sent for 10 s before their receives were posted: on the emulated machine the program "
     "may hang there; they count as posted in time"},
    {"virtual-uncontended", Severity::warning,
     "so many calls of collectives were played without other messages in their way (too many open at once, or "
     "a communicator that not all members know by one number)"},
    {"virtual-wildcard", Severity::info,
     "receives from any source, or with any tag, took the message that came first in real time, which may be "
     "another than in virtual time"},
    {"virtual-wildcard-order", Severity::warning,
     "so many of these receives took a message and another one that came earlier in virtual time the other way round: "
     "the program might go another way on the emulated machine; dilate in real time"},
    {"volumes-unknown", Severity::data_loss,
     "no memory to keep what a persistent MPI_Alltoallv or w sends to each rank: only its sum was recorded"},
    {"window-defined-late", Severity::info,
     "a window was made by a call that is not followed; it is known from its first use"},
    {"windows-not-followed", Severity::data_loss,
     "free windows that are no longer used"},
    // Of spools and archives.
    {"calls-before-start", Severity::warning,
     "calls before --start were not recorded; their time counts as computation"},
    {"calls-not-named", Severity::warning,
     "calls that --calls does not name were not recorded; record without it for the whole; their time counts "
     "as computation"},
    {"calls-over-limit", Severity::warning,
     "calls after the first --max-records were not recorded; raise it for the whole; their time counts as "
     "computation"},
    {"calls-while-paused", Severity::warning,
     "calls between ww_pause and ww_resume were not recorded; their time counts as computation"},
    {"clock-exchange-rejected", Severity::warning,
     "an exchange of clocks contradicts the one before it and was not used; times between hosts are less "
     "certain"},
    {"clock-not-exchanged", Severity::warning,
     "ranks on other hosts did not compare their clocks with rank 0's (a program that only opens sessions, or "
     "that died early): times between hosts are as if their clocks were the same"},
    {"clock-unknown", Severity::data_loss,
     "no rank left the rate of its clock; times are as if a tick were a nanosecond"},
    {"clock-violation", Severity::warning,
     "messages were received before they were sent by the clocks of their hosts; their times are moved forward "
     "when the trace is loaded, which says by how much, and why"},
    {"collective-half-left-out", Severity::info,
     "not every member recorded the collective, as wished; its waiting is not analysed"},
    {"collective-mismatch", Severity::warning,
     "ranks entered different collectives in the same place of a communicator; calls are missing from the "
     "trace or the program is wrong"},
    {"daemon-clock-unknown", Severity::warning,
     "a daemon of PVM's ran on another machine than the trace's first rank, whose clock it was not compared with: what it did is "
     "told of its whole life, and not of the program's time"},
    {"daemon-ended-early", Severity::data_loss,
     "a daemon of PVM's was killed or crashed, or still ran: --ask daemons has what it did until then"},
    {"damaged-definition", Severity::data_loss,
     "lines of the spool's definitions cannot be read; what refers to them is missing"},
    {"damaged-record", Severity::data_loss,
     "records of the spool make no sense and were not taken; the disk failed or was full"},
    {"damaged-run", Severity::warning,
     "run.json, the facts beside the archive, is damaged and was used without what cannot be read"},
    {"incomplete-collective", Severity::data_loss,
     "not every member of the communicator is in the trace; a rank ended early or was not recorded"},
    {"index-not-kept", Severity::info,
     "the viewer's index could not be kept beside the trace, so that it is made again the next time: make room there"},
    {"local-definitions-unreadable", Severity::data_loss,
     "a rank's clock corrections and numbering could not be read: its times and names may be wrong; copy the "
     "archive again"},
    {"markers-left-out", Severity::info,
     "values, markers or regions were not recorded where calls were not (--start, --max-records, pauses)"},
    {"message-half-left-out", Severity::info,
     "one end of a message was left out of the recording, as wished; the other end is counted, its waiting is "
     "not analysed"},
    {"message-size-mismatch", Severity::warning,
     "the receiver recorded another size than the sender; the sender's is used"},
    {"not-unified", Severity::info,
     "the archive was made for this command only, since it could not be kept beside the trace; whatwire unify "
     "makes it once and for all where it can be written"},
    {"other-job", Severity::data_loss,
     "the command started further MPI jobs, which were not recorded; record each by itself"},
    {"overlapping-call", Severity::info,
     "a call began inside another one of the same thread; its beginning was moved to the other's end"},
    {"predicted", Severity::info,
     "the trace is no recording but a predicted run, made by whatwire simulate -o"},
    {"rank-ended-early", Severity::data_loss,
     "a rank was killed or crashed before its end; the trace goes to the last call that returned there"},
    {"rank-missing", Severity::data_loss,
     "a rank has no recording in the trace: it left no spool (was its directory shared between the hosts?), or "
     "the archive has no location of it"},
    {"records-dropped", Severity::data_loss,
     "the disk was full, but for the room that the archive needs; free space, or record less with --max- "
     "records or --calls"},
    {"region-left-open", Severity::info,
     "regions that were open at MPI_Finalize, or when their rank or thread ended, were ended there"},
    {"region-not-open", Severity::warning,
     "ww_region_end of a region that the thread had not begun was not taken"},
    {"region-out-of-order", Severity::warning,
     "a region was ended while regions begun within it were open: those were ended with it; end regions in the "
     "reverse order of their beginnings"},
    {"server-goes-on", Severity::info,
     "a server of the message library (PVM's groups) is among the ranks; it goes on after the program, and the trace has "
     "what it did until then"},
    {"spawned-clock-unknown", Severity::warning,
     "a spawned process ran on a host where no process of the launch ran: its times against theirs are as if "
     "their clocks were the same"},
    {"spawned-processes", Severity::info,
     "the program spawned processes: their ranks come after those of the launch"},
    {"spool-gap", Severity::data_loss,
     "records behind a gap in the spool were not taken; the disk or the host failed while recording"},
    {"task-not-recorded", Severity::warning,
     "a task that others send to or receive from was not recorded, such as a daemon or one that was started "
     "elsewhere: its messages have one end"},
    {"tasks-go-on", Severity::warning,
     "tasks that the program had started still ran 5 s after it had ended: the trace has what they did until then, and "
     "that they are said to have ended early is no crash of theirs"},
    {"threads-interleaved", Severity::info,
     "threads of a rank were inside MPI at once: a call within which another thread's lies is shown as "
     "several, so its times and count are less certain; messages are all there"},
    {"threads-not-read", Severity::warning,
     "threads of processes that are no MPI rank of the archive were not read"},
    {"unknown-communicator", Severity::data_loss,
     "messages or records name communicators or ranks that the trace does not define; they were not taken"},
    {"unknown-file", Severity::data_loss,
     "operations on files that the spool does not define were not taken"},
    {"unknown-member", Severity::data_loss,
     "communicators have members that are no rank of the archive"},
    {"unknown-name", Severity::data_loss,
     "regions, values or markers whose name the spool does not define were not taken"},
    {"unknown-operation", Severity::data_loss,
     "completions of operations whose beginning is not in the trace were not taken"},
    {"unknown-process", Severity::data_loss,
     "messages and collectives on communicators with processes that were not recorded, or that "
     "MPI_Comm_accept, _connect or _join brought together, are missing"},
    {"unknown-window", Severity::data_loss,
     "one-sided operations on windows that the spool does not define were not taken"},
    {"unmatched-receive", Severity::warning,
     "a receive has no send in the trace; look for a rank that was not recorded or for a receive that never "
     "completed"},
    {"unmatched-send", Severity::warning,
     "a message was sent and never received as far as the trace goes; look for a rank that ended early or for "
     "a missing receive"},
    {"unreadable-spool", Severity::data_loss,
     "a file of the spool cannot be read; what its rank did is missing"},
    // Of event records of PRASE and Seecube (src/trace/prase).
    {"count-not-kept", Severity::data_loss,
     "records of messages whose count is no count (S5: -99 where there were more message types than the collector had room for), stands twice, or would "
     "fall back behind a wrap: their ends cannot be told, and they are not correlated"},
    {"damaged-event-record", Severity::data_loss,
     "event records that are cut off, of no type that there is, of another process than the file is named for, or with one half only were not taken"},
    {"empty-record-file", Severity::data_loss,
     "files of processes are empty: PRASE writes at the end of a run, or as often as its dump threshold says, and what a process held when it was killed "
     "is lost"},
    {"instantaneous-event", Severity::info,
     "sends and receipts begin and end in the same millisecond, or end before they begin: Seecube's displays do not draw them"},
    {"message-order-lost", Severity::data_loss,
     "messages of one type between two processes were received in another order than they were sent in, which an archive cannot say: their ends are not matched"},
    {"no-place-in-format", Severity::info,
     "the format has no place for all of the trace; how much of what is said where it is exported"},
    // Of a recording.
    {"other-mpi", Severity::data_loss,
     "some processes use another message library and were not recorded; record the programs of each MPI by "
     "themselves"},
    {"program-failed", Severity::warning,
     "the program itself ended with an error; the trace holds what it did until then"},
    {"static-not-recorded", Severity::data_loss,
     "a program has the message library in its own code, and its calls do not come by the recorder: what its processes "
     "did is missing"},
    // Of the answers to questions.
    {"collectives-not-by-peer", Severity::info,
     "what MPI_Allgather and v, and MPI_Alltoall, v and w with the same size for all, send is not listed by "
     "peer: it goes from every rank to every other, which are too many pairs; export --to csv has what each "
     "call sent"},
    {"dilated", Severity::warning,
     "the run was dilated and its computation stretched by D: divide times by it"},
    {"flooding-call", Severity::info,
     "most of all calls are of one kind that waits for nothing: leave it out to record more of the rest "
     "(whatwire record --calls p2p,collective,communicator)"},
    {"polling", Severity::info,
     "ranks spent much of their time in tests and probes that found nothing; it is shown as library time, "
     "though it may have been waiting"},
    {"software-not-told-apart", Severity::info,
     "nothing tells what these calls cost in software, so that it counts as blocked time; a machine model "
     "tells it apart (whatwire measure, then --machine)"},
    // Of predictions.
    {"beside-not-predicted", Severity::info,
     "one-sided transfers and operations on files are in the recording and not in the predicted run, whose "
     "calls take as long as recorded"},
    {"calibration-large", Severity::warning,
     "messages took much more or less time inside the program than the model says; measure the machine again, "
     "without other load"},
    {"collective-cut", Severity::warning,
     "not all members of a collective were recorded in it, so it is kept as long as recorded; record the whole "
     "run"},
    {"dilated-trace", Severity::warning,
     "the trace was recorded under dilation and its computation is stretched; record without -D"},
    {"exchanges-in-two-modes", Severity::warning,
     "large messages that meet between two hosts go both at once or one after the other, by who comes first, and "
     "so by chance from run to run; the prediction's interval holds both. Take messages below the eager "
     "threshold, or raise it, where the same time is wanted in each run"},
    {"message-cut", Severity::warning,
     "one end of a message lies outside the recorded program, so the calls of the other end are kept as long "
     "as recorded; record the whole run"},
    {"messages-stood-still", Severity::warning,
     "messages took far longer than their size, the wire and the software explain: a timer of TCP (an acknowledgement that "
     "came late, a frame sent again), or a rank that had no core. The prediction keeps it as the hosts' time, and its "
     "interval holds that it does not come again; record once more to see whether it does"},
    {"model-flagged", Severity::warning,
     "the machine model says of itself what is doubtful in it, or how it was read; each such statement stands among the "
     "assumptions, and all of them in whatwire machine show MODEL. Judge the prediction by them, or measure the machine"},
    {"negative-interval", Severity::warning,
     "a call begins before the one in front of it ended; the time between is taken as zero"},
    {"network-not-used", Severity::warning,
     "all ranks share one host, so no message goes over the network asked for; record the program on several "
     "hosts"},
    {"one-sided-not-replayed", Severity::warning,
     "one-sided transfers take as long as recorded on every network; the prediction holds for the rest of the "
     "program only"},
    {"predicted-for-another", Severity::warning,
     "the trace is a prediction for another machine than the one asked for: leave --machine out, its own model "
     "is in its directory"},
    {"self-check-off", Severity::warning,
     "the program replayed on the machine that recorded it takes another time than it took: what is predicted "
     "from it is as far off, and beyond a limit it is withheld"},
    {"unmatched-kept", Severity::warning,
     "a send or receive without its other end is replayed as long as recorded and moves nothing"},
    // Of dilation and virtual time.
    {"dilated-apart", Severity::warning,
     "ranks set D (ww_dilate) at different times, so that waiting of some is divided by another D than what they "
     "wait for: call it on all ranks, after a barrier"},
    {"dilated-by-program", Severity::info,
     "the program set D itself (ww_dilate) in runs above D = 1: each part of their time is divided by the D in force"},
    {"dilated-too-little", Severity::warning,
     "in parts of the run the program had set a D (ww_dilate) that is too small for the what-if: there it ran on a "
     "slower network than was asked for"},
    {"frequency-changed", Severity::warning,
     "the processor's clock was slower in some runs than in others; fix it (cpupower frequency-set -g "
     "performance, no turbo), bind the ranks, and take the median of more runs (--repeat)"},
    {"interrupted", Severity::warning,
     "the work was interrupted (SIGINT or SIGTERM); what is shown is of what was complete until then"},
    {"no-communication", Severity::warning,
     "nothing is sent, received or done together, so that no network changes this program's time; launch it "
     "with several ranks, if it has but one"},
    {"progress-matters", Severity::info,
     "how long the program takes depends on whether the message library makes progress while the program "
     "computes: what it gains depends on whether the other network's does"},
    {"reads-tsc", Severity::warning,
     "the program reads the processor's time-stamp counter itself: what it times so is real time and not "
     "dilated, and what it decides by it may go wrong; let it read MPI_Wtime or clock_gettime"},
    {"self-test-off", Severity::warning,
     "dilated with everything held back the program should take its old time and does not; measure the machine "
     "again without other load, or trust what simulation says"},
    {"virtual-runs-differ", Severity::warning,
     "virtual times of single runs differ: processor time depends on who else computes, or the program's way "
     "depends on time; take more runs (--repeat), or a quieter machine"},
    {"virtual-shared-cores", Severity::info,
     "ranks shared processors: processor time was seen to be 10 to 15% longer there than alone, as caches are "
     "shared"},
    // Of studies.
    {"launcher-not-seen", Severity::info,
     "a script starts the ranks, so the machine was measured under a launcher of ours; if the script places "
     "them otherwise, measure as it does and give that model with --machine"},
    {"not-dilated", Severity::warning,
     "dilation failed, for the reason given; the rest of the study stands without it"},
    {"runs-differ", Severity::warning,
     "like runs took different times: the machine or the program is not steady; close other programs, give "
     "each rank its core, repeat more often"},
    {"virtual-not-checked", Severity::warning,
     "the run in virtual time could not be checked by simulating its own trace, for the reason given"},
    {"virtual-simulated-otherwise", Severity::warning,
     "simulation of the run in virtual time, with messages in the order of virtual time, gives another time: "
     "the interval holds both"},
    {"virtual-today-failed", Severity::warning,
     "the program could not be run in virtual time on the machine as it is, so that gains by virtual time are "
     "not given; the reason is given"},
    {"second-recording-missing", Severity::info,
     "the recording on a quicker wire, which tells how computation depends on waiting, could not be made or compared; the reason "
     "is given, and the intervals hold what computation may do"},
    {"witness-missing", Severity::info,
     "the run at D = 1 could not be simulated, so that dilation has no second witness; the reason is given"},
    {"witnesses-disagree", Severity::warning,
     "dilation and simulation of the same wire disagree: trust neither before both are repeated on a quiet "
     "machine; computation that took longer in one of the runs counts as a gain of dilation, and a model of "
     "another machine misleads simulation"},
    // Of the lab.
    {"lab-late", Severity::warning,
     "frames left the lab's switch later than its wire would have let them: the lab was slower than its rate, "
     "since it had no core in time; end other programs, take fewer hosts or a lower rate"},
    {"lab-lacks-cores", Severity::warning,
     "ranks in a lab were ready and without a core for more than two fifths of their time: ranks and switch want more "
     "cores than are here, and the times are not the wire's alone; take a slower rate or fewer hosts, or have their cards "
     "hand over three frames at once (lab up --at-once 3), or take a wire within the kernel (--wire kernel)"},
    // Of commands.
    {"nothing-to-export", Severity::warning,
     "the trace has nothing of what this format holds: the file has the names of its columns only, a directory no file"},
    {"page-without-analysis", Severity::info,
     "the exported folder has the timeline only: the trace is more than a browser could analyse; show it with whatwire "
     "view for the other displays"},
    {"other-program", Severity::warning,
     "the two sides ran different programs: what moved is what differs between them"},
    // Of the machine while the program ran.
    {"core-shared", Severity::warning,
     "a rank waited for its core while others ran there: end that, or give each rank a core of its own"},
    {"other-load", Severity::warning,
     "other programs used the cores while it ran: its times are not those of an idle machine; end them and "
     "repeat"},
    {"oversubscribed", Severity::warning,
     "more ranks, or threads of ranks, than cores take turns: what one waits for its core is not the "
     "network's, and differs from run to run; use fewer ranks, or a machine with more cores"},
    {"tcp-retransmitted", Severity::info,
     "the hosts' TCP sent segments again while the program ran, or asked whether they had come: each is a wait of some "
     "round trips that is neither the wire's time nor the program's, and that another network need not have"},
    {"tcp-timeouts", Severity::warning,
     "the hosts' TCP waited until the time of a segment was over (0.2 s or more each, on Linux) while the program ran: "
     "segments were lost on the way, or at a socket without room for them, which larger buffers help; predictions for "
     "another network know nothing of such waits there"},
    {"stolen-time", Severity::warning,
     "the host of this virtual machine kept part of its cores' time from it while the program ran: repeat when "
     "the host is idle, and take the median of more runs"},
    {"times-disturbed", Severity::warning,
     "these are the times of a disturbed machine: what a rank waited for its core counts as computing, library "
     "or blocked time, and as the network's; run it again with a core for each rank, or take the virtual clock "
     "(whatwire dilate --virtual)"},
};
// clang-format on
inline constexpr unsigned diagnostics_count = sizeof diagnostics_table / sizeof(DiagnosticEntry);

constexpr bool same_text(const char* a, const char* b) {
  for (; *a != 0 && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

// Its place in the table; that of the end: there is no diagnostic of that name. A place and not a pointer, for what the compiler
// decides by: with the sanitizer of undefined behaviour g++ takes no pointer into a table for a constant in comparisons.
constexpr unsigned place_of_diagnostic(const char* name) {
  unsigned place = 0;
  while (place < diagnostics_count && !same_text(diagnostics_table[place].name, name)) ++place;
  return place;
}

// Null: there is no diagnostic of that name.
constexpr const DiagnosticEntry* find_diagnostic(const char* name) {
  const unsigned place = place_of_diagnostic(name);
  return place < diagnostics_count ? &diagnostics_table[place] : nullptr;
}

void this_is_not_in_the_table_of_diagnostics();  // never defined: the compiler names it

// A name that is in the table, as the compiler saw.
class DiagnosticName {
 public:
  consteval DiagnosticName(const char* name) : place_(place_of_diagnostic(name)) {
    if (place_ == diagnostics_count) this_is_not_in_the_table_of_diagnostics();
  }
  constexpr const DiagnosticEntry& entry() const { return diagnostics_table[place_]; }

 private:
  unsigned place_;
};

}  // namespace ww
