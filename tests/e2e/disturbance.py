"""Whoever times a run says when the processors were not there for it."""
import json
import os
import re
import subprocess
import sys
import unittest

from support import Case

# Each rank, on a core of its own (as long as there are enough), works for SECONDS and then meets the others. What it lost of
# its time it knows by itself: in a loop that does nothing but read the clock, steps of more than 200 us were somebody else's.
WORKS = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char** argv) {
  int rank, i;
  double seconds = atof(argv[1]), lost = 0, begin, last;
  int sleeps = argc > 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cpu_set_t all, own;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&own);
  int which = rank % sysconf(_SC_NPROCESSORS_ONLN);
  CPU_SET(which, &own);
  sched_setaffinity(0, sizeof own, &own);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = last = now();
  if (sleeps) for (i = 0; i < 10; ++i) usleep((useconds_t)(seconds * 1e5));
  else
    while (last < begin + seconds) {
      double at = now();
      if (at - last > 200e-6) lost += at - last;
      last = at;
    }
  printf("lost %d %.4f\n", rank, lost / (now() - begin));
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""
SIGNS = {"core-shared", "oversubscribed", "other-load", "times-disturbed"}
CORES = os.cpu_count()


@unittest.skipIf(len(os.sched_getaffinity(0)) < CORES or CORES > 16, "needs all cores of a small machine")
class Disturbance(Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile(WORKS, "works")

    def recorded(self, ranks, *arguments, hog=False):
        """What `record` and `report` said, the names, and what the rank lost most lost."""
        busy = subprocess.Popen([sys.executable, "-c", "import os\nos.sched_setaffinity(0, {0})\nwhile True: pass"]) if hog else None
        try:
            done = self.succeed("record", "--json", "--force", "-o", "t.ww", "--", "mpirun.openmpi", "--oversubscribe", "--bind-to",
                                "none", "-n", ranks, self.program, *arguments)
        finally:
            if busy:
                busy.kill()
                busy.wait()
        lost = max(float(share) for share in re.findall(r"lost \d+ ([0-9.]+)", done.stderr))
        recorded = {d["name"]: d for d in json.loads(done.stdout)["diagnostics"]}
        reported = {d["name"]: d for d in self.json_of("report", "t.ww")["diagnostics"]}
        self.assertEqual(recorded.keys() & SIGNS, reported.keys() & SIGNS)
        return reported, lost

    def calm(self, ranks, *arguments):
        """In a run that lost nothing itself nothing may be said. The machine may be busy: until one had its cores."""
        for _ in range(12):
            said, lost = self.recorded(ranks, *arguments)
            if lost < 0.02 and not said.keys() & SIGNS:
                return
            self.assertFalse(lost < 0.005 and "core-shared" in said, (lost, said))
        self.skipTest(f"others had the cores in each of 12 runs: {lost}, {said.keys() & SIGNS}")

    def test_a_core_that_something_else_has_too(self):
        said, lost = self.recorded(min(2, CORES), "0.5", hog=True)
        self.assertGreater(lost, 0.2)
        self.assertEqual(said["core-shared"]["severity"], "warning")
        kept = re.search(r"rank 0 was ready to run and without its core for (\d+)% of its time", said["core-shared"]["remedy"])
        self.assertTrue(kept, said)
        self.assertGreater(int(kept[1]), 20)
        self.assertIn("whatwire dilate --virtual --machine machine.json -- mpirun.openmpi", said["times-disturbed"]["remedy"])
        shown = self.succeed("report", "t.ww").stdout
        self.assertIn("warning: core-shared", shown)

    def test_a_core_for_each_rank(self):
        self.calm(min(2, CORES), "0.3")

    def test_more_ranks_than_cores(self):
        said, _ = self.recorded(2 * CORES, "0.3")
        self.assertIn(f"{2 * CORES} ranks on", said["oversubscribed"]["remedy"])
        self.assertIn("dilate --virtual", said["times-disturbed"]["remedy"])

    def test_programs_that_sleep_are_not_disturbed(self):
        self.calm(min(2, CORES), "0.5", "sleep")

    def test_in_virtual_time_nothing_is_taken_away(self):
        """Real load does not reach the clocks, so that nothing is said of it."""
        (self.dir / "m.json").write_text(self.succeed("machine", "show", "loggops-default", "--json").stdout)
        told = self.json_of("dilate", "--virtual", "--repeat", "1", "--machine", "m.json", "--", "mpirun.openmpi", "--oversubscribe",
                            "--bind-to", "none", "-n", 2 * CORES, self.program, "0.1", timeout=600)
        self.assertFalse({d["name"] for d in told["diagnostics"]} & SIGNS, told["diagnostics"])
