"""Computation that depends on the wait before it, and a second recording that shows it. The program waits for messages and computes for
what the rule of src/simulate/cooling.hpp gives for the wait, with numbers of its own, so that no cache has to behave; the real run in a
lab at the rate asked for is the expectation."""
import json
import os

from support import Case

# Warm 3 ms, 1.8 times as long after an endless wait, 1/e after 5 ms. Rank 1 sends 4, 12 and 40 KB in turn: 3, 10 and 34 ms at 10 Mb/s.
COOLS = r"""
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
static char data[40000];
int main(int argc, char** argv) {
  static const int sizes[] = {4000, 12000, 40000};
  int rank, i, rounds = argc > 1 ? atoi(argv[1]) : 60;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < rounds; ++i) {
    if (rank == 1) {
      MPI_Send(data, sizes[i % 3], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(data, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      double began = MPI_Wtime(), until;
      MPI_Recv(data, sizes[i % 3], MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      until = MPI_Wtime();
      until += 3e-3 * pow(1.8, 1 - exp(-(until - began) / 5e-3));
      while (MPI_Wtime() < until) {}
      MPI_Send(data, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
  }
  return MPI_Finalize();
}
"""


class Cooling(Case):
    def setUp(self):
        super().setUp()
        self.lab = f"cooling{os.getpid() % 100000}"
        up = self.run_whatwire("lab", "up", "--name", self.lab, "--hosts", 2, "--rate", "10Mb/s")
        if up.returncode != 0:
            self.skipTest(up.stderr)
        self.addCleanup(self.run_whatwire, "lab", "down", "--name", self.lab)
        self.program = self.compile(COOLS, "cools", "OPENMPI_CC", "-lm")
        self.succeed("measure", "--quick", "--lab", self.lab, "-o", "m.json", "--", "mpirun.openmpi", "-n", 2)

    def test_a_study_takes_a_second_recording(self):
        self.succeed("study", "--lab", self.lab, "--machine", "m.json", "--what-if", "bandwidth=x10", "--no-dilate", "--repeat", 1,
                     "-o", "s", "--", "mpirun.openmpi", "-n", 2, self.program)
        study = json.loads((self.dir / "s/study.json").read_text())
        second = study["second_recording"]
        # 10 times the rate is asked for: the 1.5th power, as src/study/second_recording.hpp says
        self.assertEqual(second["network"], "the lab's wire at 31.6 times its rate")
        self.assertTrue((self.dir / second["traces"][0] / "traces.otf2").is_file())
        answer = study["what_ifs"][0]
        real, found, before = answer["real"]["s"], answer["simulated"], answer["simulated_as_recorded"]
        self.assertGreater(before["s"] / real, 1.1, "computation as recorded is too long")
        self.assertAlmostEqual(found["s"] / real, 1, delta=0.04)
        self.assertLess(found["high"] - found["low"], before["high"] - before["low"])
        self.assertLessEqual(found["low"], real)
        self.assertGreaterEqual(found["high"], real)
        computation = answer["prediction"]["computation"]
        self.assertTrue(computation["depends"])
        largest = max(computation["kinds"], key=lambda kind: kind["recorded_s"])
        self.assertAlmostEqual(largest["grows"], 1.8, delta=0.3)
        self.assertTrue(any("made the same calls" in said for said in study["assumptions"]))
        self.assertEqual(json.loads(self.succeed("lab", "status", "--name", self.lab, "--json").stdout)["wire"]["rate_bytes_per_s"], 1.25e6)

        # The same of traces by hand; and one of another program is refused with the place where it parts.
        also = ("simulate", "s/recorded-1.ww", "--machine", "m.json", "--what-if", "bandwidth=x10", "--also")
        by_hand = self.json_of(*also, second["traces"][0])
        self.assertAlmostEqual(by_hand["predicted_s"] / found["s"], 1, delta=0.01)
        self.succeed("record", "-o", "shorter.ww", "--", "mpirun.openmpi", "-n", 2, self.program, 30)
        refused = self.run_whatwire(*also, "shorter.ww")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("rank 0 made 120 calls in recorded-1.ww and 60 in shorter.ww, the first 60 alike", refused.stderr)
        self.assertEqual(self.run_whatwire(*also, "shorter.ww", "--evaluator", "free").returncode, 2)
