"""Starts MPI programs under either MPI, with the recorder's variables where whatwire record puts them: before the program."""
import os
import resource
import subprocess
import sys
import time

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def of_openmpi(mpirun):
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, env=environment, timeout=60).stdout
    return "Open MPI" in version or "OpenRTE" in version


def command(mpirun, ranks, program, *arguments, **variables):
    more_ranks_than_cores = ["--oversubscribe"] if of_openmpi(mpirun) else []
    set_variables = ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items())] if variables else []
    return [mpirun, "-n", str(ranks), *more_ranks_than_cores, *set_variables, program, *map(str, arguments)]


def _use():
    """Seconds of all processors since the machine started that were busy and that its host kept, and those of our children."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, interrupts, soft, stolen = map(int, file.readline().split()[1:9])
    tick_s = 1 / os.sysconf("SC_CLK_TCK")
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (time.monotonic(), (user + nice + system + interrupts + soft) * tick_s, stolen * tick_s,
            sum(one.ru_utime + one.ru_stime for one in own))


def busy():
    """Others have the processors, so that a time says nothing."""
    return os.getloadavg()[0] > os.cpu_count()


_not_judged = []


def holds(check, undisturbed=3, attempts=6):
    """What is wrong is wrong each time. Times that were missed while others had a part of the machine (other programs, the host of
    a virtual machine) say nothing of us: they are tried again, and if that does not end, finish() ends the test as skipped."""
    failures = 0
    for attempt in range(attempts):
        began_s, busy_s, stolen_s, own_s = _use()
        try:
            return check()
        except AssertionError as failure:
            ended_s, busy_after_s, stolen_after_s, own_after_s = _use()
            took_s = ended_s - began_s
            others = (busy_after_s - busy_s - (own_after_s - own_s)) / took_s
            stolen = (stolen_after_s - stolen_s) / took_s
            disturbed = f"others had {others:.2f} cores, the machine's host {stolen:.2f}"
            failures += others < 0.05 and stolen < 0.02
            if failures == undisturbed:
                raise
            print(f"attempt {attempt + 1}: {failure} ({disturbed})")
    _not_judged.append(disturbed)


def finish():
    """At the end of a test of `holds`."""
    if _not_judged:
        print("not judged, as the machine was not ours:", *_not_judged, sep="\n  ")
        sys.exit(77)
