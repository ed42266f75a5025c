"""Partial recordings: what is asked for is there, what is missing is said, and messages keep their partners."""
import os
import pathlib

from support import EXAMPLES, Case

# Message i has 8 (i + 1) bytes, so that a receive matched with the wrong send shows by its size. The sender never waits
# and the receiver begins 200 ms later, so that they are at different numbers at any time; it posts its receives, from any source for tag 1, ahead of time.
NUMBERED = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
enum { messages = 400, ahead = 4 };
static char buffers[messages][8 * messages], named[messages][8 * messages];
int main(int argc, char** argv) {
  int rank, i, sum = 1;
  MPI_Request open[messages], sends[2 * messages];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) usleep(200000);
  for (i = 0; i < messages; ++i) {
    usleep(1000);
    if (rank == 0) {
      MPI_Isend(buffers[i], 8 * (i + 1), MPI_CHAR, 1, 1, MPI_COMM_WORLD, &sends[2 * i]);
      MPI_Issend(buffers[i], 8 * (i + 1), MPI_CHAR, 1, 2, MPI_COMM_WORLD, &sends[2 * i + 1]);
    } else {
      int first = i == 0 ? 0 : i + ahead - 1, k;
      for (k = first; k < i + ahead && k < messages; ++k)
        MPI_Irecv(buffers[k], sizeof buffers[k], MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &open[k]);
      MPI_Recv(named[i], sizeof named[i], MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&open[i], MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) MPI_Waitall(2 * messages, sends, MPI_STATUSES_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("sum %d\n", sum);
  return MPI_Finalize();
}
"""

REGIONS = r"""
#include <mpi.h>
#include <whatwire/marker.h>
int main(int argc, char** argv) {
  int i;
  MPI_Init(&argc, &argv);
  for (i = 0; i < 100; ++i) {
    ww_region_begin("step");
    ww_region_begin("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
    ww_region_end("barrier");
    ww_value_int("step", i);
    ww_region_end("step");
  }
  return MPI_Finalize();
}
"""

# 8 bytes to rank 0 and 16 to rank 1: two records a call.
UNEVEN = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, i, counts[] = {1, 2}, places[] = {0, 1}, from[2], at[2];
  double mine[4] = {0}, all[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 2; ++i) from[i] = rank + 1, at[i] = i * (rank + 1);
  for (i = 0; i < 100; ++i) MPI_Alltoallv(mine, counts, places, MPI_DOUBLE, all, from, at, MPI_DOUBLE, MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""

# Three threads of each rank with a channel each, one of them slow, while a fourth pauses and resumes.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include <whatwire/marker.h>
enum { threads = 3, messages = 400 };
static char buffers[threads][8 * messages];
static int rank;
static volatile int done;
static void* exchange(void* number) {
  int tag = (int)(long)number, i;
  for (i = 0; i < messages; ++i) {
    if (rank == 0) MPI_Send(buffers[tag], 8 * (i + 1), MPI_CHAR, 1, tag, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(buffers[tag], 8 * messages, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) usleep(tag == 0 ? 3000 : 50);
  }
  return NULL;
}
static void* toggle(void* unused) {
  while (!done) {
    ww_pause();
    usleep(300);
    ww_resume();
    usleep(700);
  }
  return unused;
}
int main(int argc, char** argv) {
  pthread_t of[threads + 1];
  long t;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&of[threads], NULL, toggle, NULL);
  for (t = 0; t < threads; ++t) pthread_create(&of[t], NULL, exchange, (void*)t);
  for (t = 0; t < threads; ++t) pthread_join(of[t], NULL);
  done = 1;
  pthread_join(of[threads], NULL);
  return MPI_Finalize();
}
"""


class Control(Case):
    def record(self, *options, program=None):
        program = program or self.compile(NUMBERED, "numbered")
        done = self.succeed("record", "-o", "t.ww", *options, "--", "mpirun", "-n", "2", program)
        report = self.json_of("report", "t.ww")
        return done, report, {d["name"]: d["count"] for d in report["diagnostics"]}

    def check_partners(self, report, diagnostics):
        self.assertNotIn("message-size-mismatch", diagnostics)
        self.assertEqual(report["unmatched_sends"] + report["unmatched_receives"], 0)

    def test_a_recording_that_starts_late_matches_by_the_number_from_the_start(self):
        done, report, diagnostics = self.record("--start", "0.25")
        self.assertIn("calls-before-start", done.stderr)
        self.check_partners(report, diagnostics)
        received = report["ranks"][1]["messages_received"]
        self.assertTrue(100 < received < 800, received)
        # the ranks left different numbers out: order in the trace alone would match wrongly
        self.assertGreater(diagnostics.get("message-half-left-out", 0), 100)
        self.assertIn("partial", self.succeed("report", "t.ww").stdout)

    def test_a_limit_keeps_the_first_records_of_each_thread(self):
        _, report, diagnostics = self.record("--max-records", "600")
        self.check_partners(report, diagnostics)
        self.assertGreater(diagnostics["calls-over-limit"], 100)
        self.assertLessEqual(sum(call["count"] for call in report["calls"].values()), 2 * 601 + 10)
        self.assertEqual(report["calls"]["MPI_Finalize"]["count"], 2)

    def test_calls_by_class_and_by_name(self):
        _, report, diagnostics = self.record("--calls", "collective")
        self.assertEqual({name: call["count"] for name, call in report["calls"].items()},
                         {"MPI_Init": 2, "MPI_Finalize": 2, "MPI_Allreduce": 2, "MPI_Barrier": 2})
        self.assertEqual(diagnostics["calls-not-named"], 2 + 2 * 400 + 1 + 3 * 400)  # MPI_Comm_rank, and all that is p2p
        # the other channel is left out, and the wildcards are still open when named receives are recorded
        _, report, diagnostics = self.record("--calls", "MPI_Issend,MPI_Recv")
        self.assertEqual(report["calls"]["MPI_Issend"]["count"], 400)
        self.assertNotIn("MPI_Wait", report["calls"])
        self.check_partners(report, diagnostics)
        self.assertEqual(report["ranks"][1]["messages_received"], 400)

    def marked(self, source, name):
        include = pathlib.Path(__file__).parents[2] / "include"
        stub = pathlib.Path(os.environ["BUILD"]) / "lib" / "libwhatwire-marker.a"
        return self.compile(source, name, "OPENMPI_CC", f"-I{include}", str(stub), "-lpthread")

    def test_messages_of_threads_keep_their_partners_across_pauses(self):
        _, report, diagnostics = self.record(program=self.marked(THREADS, "threads"))
        self.check_partners(report, diagnostics)
        self.assertGreater(diagnostics["calls-while-paused"], 100)
        self.assertGreater(report["ranks"][1]["messages_received"], 100)

    def test_regions_are_whole_whatever_is_left_out(self):
        program = self.marked(REGIONS, "regions")

        def recorded(*options):
            _, report, diagnostics = self.record(*options, program=program)
            self.assertFalse({"region-not-open", "region-left-open", "region-out-of-order"} & diagnostics.keys(), diagnostics)
            values = self.json_of("report", "t.ww", "--ask", "values")["values"]["values"]
            return ({r["region"]: r["visits"] for r in report["regions"]}, sum(v["count"] for v in values), diagnostics)

        visits, values, diagnostics = recorded("--calls", "p2p")
        self.assertEqual((visits, values), ({"step": 200, "barrier": 200}, 200))
        self.assertEqual(diagnostics["calls-not-named"], 200)
        visits, values, diagnostics = recorded("--start", "1000")
        self.assertEqual((visits, values), ({"step": 200, "barrier": 200}, 0))
        self.assertEqual(diagnostics["markers-left-out"], 200)
        # six records a step, after that of MPI_Init: the limit is reached within the eighth step
        visits, values, diagnostics = recorded("--max-records", "45")
        self.assertEqual((visits, values), ({"step": 16, "barrier": 16}, 14))
        self.assertEqual(diagnostics["markers-left-out"], 2 * (3 * 100 - 8 - 8 - 7))

    def test_what_a_collective_sends_to_each_is_left_out_with_it_or_not_at_all(self):
        program = self.compile(UNEVEN, "uneven")

        def recorded(*options):
            _, report, diagnostics = self.record(*options, program=program)
            calls = report["calls"].get("MPI_Alltoallv", {"count": 0})["count"]
            return calls, {(p["source"], p["destination"]): p["collective_bytes"] for p in report["peers"]}, diagnostics

        def of(calls):
            return {(source, to): 8 * (to + 1) * calls for source in (0, 1) for to in (0, 1)} if calls else {}

        calls, sent, diagnostics = recorded("--durable")
        self.assertEqual((calls, sent), (200, of(100)))
        # MPI_Init, MPI_Comm_rank and 20 calls are 42 records: another begins below either limit and is whole
        for limit in ("43", "44"):
            calls, sent, diagnostics = recorded("--max-records", limit)
            self.assertEqual((calls, sent), (42, of(21)), limit)
            self.assertEqual(diagnostics["calls-over-limit"], 2 * 79)
        calls, sent, diagnostics = recorded("--calls", "p2p")
        self.assertEqual((calls, sent), (0, of(0)))
        self.assertEqual(diagnostics["calls-not-named"], 2 * 101)
        calls, sent, diagnostics = recorded("--calls", "MPI_Alltoallv")
        self.assertEqual((calls, sent), (200, of(100)))

    def test_what_is_no_call_is_refused_before_anything_runs(self):
        for wrong in ("MPI_Sned", "sends", "p2p,", "MPI_", ""):
            done = self.run_whatwire("record", "--calls", wrong, "-o", "no.ww", "--", "touch", "started")
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("no class of calls", done.stderr)
        self.assertEqual(self.left_behind([]), [])

    def test_a_prediction_from_a_partial_trace_says_so(self):
        self.succeed("record", "-o", "t.ww", "--calls", "p2p", "--", "mpirun", "-n", "2", EXAMPLES / "cg", "--solves", "2")
        simulated = self.json_of("simulate", "t.ww", "--machine", "stampede")
        self.assertTrue(any("partial" in said for said in simulated["assumptions"]), simulated["assumptions"])
        self.assertIn("calls-not-named", [d["name"] for d in simulated["diagnostics"]])
