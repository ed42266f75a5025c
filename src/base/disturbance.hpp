// Were the processors there when a run wanted them? Every command that timed a run says so, from what the run
// says of itself (run.json):
//   oversubscribed   more ranks, or threads of them that compute, on this machine than it has cores
//   core-shared      others had a rank's core while it was ready to run
//   other-load       other programs had cores that the ranks wanted
//   stolen-time      the host of a virtual machine kept cores from it
//   times-disturbed  any of these: what to do
// The measure is the time that a rank was ready to run and did not ("waited_s": the kernel's count of its run
// queues, of the thread that called MPI_Init, from MPI_Init to MPI_Finalize). It is exactly what was taken
// away: a rank that sleeps, or blocks in the kernel (MPICH over sockets), has its core for little of its time
// and is not disturbed by that. Kernels without it, and older traces: ranks poll, so one that had its core
// for less than its time and was pushed off it again and again was disturbed; one that slept was not pushed.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/diagnostic.hpp"
#include "base/processors.hpp"
#include "base/run_record.hpp"

namespace ww {

// Of its time that a rank may be kept from its core, by others than a lab's switch (636 quiet runs of programs
// of others in a lab: 0.4% in the median, 2.6% in the 95th percentile);
// and in a lab that does not say what its switch took.
inline constexpr double most_kept = 0.10, most_kept_in_lab = 0.30;
// Two programs on one core take turns some 250 times a second; one that sleeps is not pushed off.
inline constexpr double most_switches_per_s = 30;

// Of its time that a rank in a lab may be ready and without a core, whoever had it, its own switch among them. In 355 cells of programs of others
// on three machines (docs/truth.md, "By how long ranks lacked a core") predictions are off by 1.2, 1.7 and 3.6% in the median below it, and by
// 6.3 to 9.3% beyond it: what runs there is no longer the lab's wire alone. Put where these cells part.
inline constexpr double most_without_core_in_lab = 0.40;

// Of the whole machine, and of this process and all that it has waited for.
struct MachineUse {
  ProcessorTimes machine;
  double own_s = 0, wall_s = 0;
};
MachineUse machine_use_now();

// "use" of run.json's "machine": {"wall_s","busy_s","stolen_s","own_s"}, sums over processors.
nlohmann::json use_between(const MachineUse& before, const MachineUse& after);

// The first four. `when` is said with each, as "at D = 2"; it may be empty. Of a run in virtual time, none.
Diagnostics signs_of_disturbance(const RunRecord& run, const std::string& when);

// All of them.
Diagnostics disturbance_of(const RunRecord& run);

// lab-lacks-cores, which is no disturbance by others: a run in a lab whose ranks and switch leave each other no cores.
Diagnostics lack_of_cores_in(const RunRecord& run);

// The share of its time for which the rank that fared worst was kept from its core, as far as the kernel counted it, be it enough
// to be said or not. 0 in virtual time.
double share_kept_of(const RunRecord& run);

// Of a run that was disturbed (says_disturbed) the share of its time in which some rank was kept from its core, were they kept from them
// independently: where ranks wait for one another and for nothing else, all lose so much. 0 else.
double share_lost_together(const RunRecord& run);

// Seconds for which the rank that fared worst waited for its core where ranks share cores, as their work made it: more ranks than
// cores, of which none was kept from its core by others than ranks and a lab's switch. For the same work it waits as long on any network, not for
// the same share of its time. 0 elsewhere, where it is not known, and in virtual time.
double waited_on_shared_cores_s(const RunRecord& run);

// Of a run in a lab whose ranks are more than the machine's cores, which its hosts then share: how many there are. Else 0.
int cores_shared_by_hosts(const RunRecord& run);

// Seconds of processors that such a run's ranks and switch took, summed. 0 where a rank had one for more than half of the time that it
// could: it may have waited so, which is no work. Else, and where it is not known, 0.
double work_on_shared_cores_s(const RunRecord& run);

// Is any of them among these?
bool says_disturbed(const Diagnostics& diagnostics);

}  // namespace ww
