"""simulate -o: a predicted run is a trace. Expectations: what simulate printed of the same prediction; that a prediction, replayed
on its own machine, takes the time that it was predicted to take."""
import signal
import subprocess
import time

from support import EXAMPLES, WHATWIRE, Case

MANY = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, i;
  char data[8] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 150000; ++i) {
    if (rank == 0) MPI_Send(data, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
"""


class Predicted(Case):
    def is_like_its_prediction(self, trace, what_if):
        told = self.json_of("simulate", trace, "--machine", "comet", "--what-if", what_if, "-o", "p.ww", "--force")
        report = self.json_of("report", "p.ww")
        self.assertAlmostEqual(report["elapsed_s"], told["predicted_s"], 8)
        for one, simulated in zip(report["ranks"], told["ranks"], strict=True):
            for key in ("elapsed_s", "compute_s", "library_s", "blocked_s", "blocked_algorithmic_s", "blocked_service_s"):
                # an archive counts in nanoseconds, of which each wait has two
                self.assertAlmostEqual(one[key], simulated[key], delta=1e-5 * told["predicted_s"] + 1e-8, msg=key)
        recorded = self.json_of("report", trace)
        for key in ("peers", "types", "unmatched_sends", "unmatched_receives", "wildcard_receives"):
            self.assertEqual(report[key], recorded[key])
        self.assertEqual({name: call["count"] for name, call in report["calls"].items()},
                         {name: call["count"] for name, call in recorded["calls"].items()})
        self.assertIn("predicted", [d["name"] for d in report["diagnostics"]])
        for machine in ([], ["--machine", "p.ww/machine.json"]):
            again = self.json_of("simulate", "p.ww", *machine)
            for key in ("recorded_s", "replayed_s", "predicted_s"):
                self.assertLess(abs(again[key] / told["predicted_s"] - 1), 1e-3, key)
        return told

    def test_examples_of_both_libraries(self):
        for launch, examples in ((["mpirun", "--oversubscribe"], EXAMPLES), (["mpiexec.mpich"], EXAMPLES / "mpich")):
            for n, program in ((2, [examples / "cg", "--nx", "16", "--ny", "16", "--nz", "16", "--sweeps", "2"]),
                               (3, [examples / "ring"]), (4, [examples / "nas" / "is"])):
                if not program[0].exists():
                    continue
                with self.subTest(launch=launch[0], program=program[0].name):
                    self.succeed("record", "--force", "-o", "t.ww", "--", *launch, "-n", str(n), *program)
                    self.is_like_its_prediction("t.ww", "latency=x0.5,bandwidth=x10")
        compared = self.json_of("compare", "t.ww", "p.ww")
        self.assertIn("predicted", [d["name"] for d in compared["diagnostics"]["b"]])
        self.assertNotIn("predicted", [d["name"] for d in compared["diagnostics"]["a"]])
        self.assertIn("predicted, not recorded", self.succeed("report", "p.ww").stdout)
        self.assertIn("has all of it at its host", self.succeed("report", "p.ww", "--message", "0").stdout)
        self.succeed("export", "p.ww", "--to", "chrome", "-o", "p.json")
        self.assertIn("predicted, not recorded", (self.dir / "p.json").read_text())

    def test_names_intervals_and_wrong_use(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "--oversubscribe", "-n", "2", EXAMPLES / "ring")
        ask = ("simulate", "t.ww", "--machine", "comet")
        self.succeed(*ask, "-o", "p.ww")
        self.assertIn("p.ww.old", self.succeed(*ask, "-o", "p.ww").stderr)
        (self.dir / "mine").mkdir()
        (self.dir / "mine" / "thesis.txt").write_text("all of it")
        self.assertEqual(self.run_whatwire(*ask, "-o", "mine").returncode, 1)
        self.assertEqual(sorted(p.name for p in (self.dir / "mine").iterdir()), ["thesis.txt"])
        with_interval, alone = self.json_of(*ask), self.json_of(*ask, "--no-interval")
        self.assertEqual(alone["predicted_s"], with_interval["predicted_s"])
        self.assertIsNone(alone["predicted_low_s"])
        self.assertIn("95%: none, as asked for", self.succeed(*ask, "--no-interval").stdout)
        for evaluator in "windows", "free":
            told = self.json_of(*ask, "--evaluator", evaluator, "-o", "l.ww", "--force")
            self.assertAlmostEqual(self.json_of("report", "l.ww")["elapsed_s"], told["predicted_s"], 8)
            with_interval, alone = (self.json_of(*ask, "--evaluator", evaluator, *more) for more in ([], ["--no-interval"]))
            self.assertEqual(alone["predicted_s"], with_interval["predicted_s"])
            self.assertEqual(told["predicted_s"], with_interval["predicted_s"])
        # by free, of which it is a prediction
        again = self.json_of("simulate", "l.ww")
        self.assertLess(abs(again["predicted_s"] / told["predicted_s"] - 1), 1e-3)
        self.assertEqual(again["predicted_s"], self.json_of("simulate", "l.ww", "--evaluator", "free")["predicted_s"])
        for wrong in (("simulate", "t.ww"), (*ask, "-o", "q.ww", "--sweep", "bandwidth=x1:x10:3"),
                      (*ask, "-o", "q.ww", "--what-if", "latency=x2", "--what-if", "latency=x3"),
                      (*ask, "--no-interval", "--scenarios")):
            self.assertEqual(self.run_whatwire(*wrong).returncode, 2, wrong)

    def test_interrupted_it_ends_at_once_and_leaves_nothing(self):
        program = self.compile(MANY, "many")
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "--oversubscribe", "-n", "2", program)
        before = [p.name for p in self.dir.iterdir()]
        whole = time.monotonic()
        self.succeed("simulate", "t.ww", "--machine", "comet")
        whole = time.monotonic() - whole
        running = subprocess.Popen([WHATWIRE, "simulate", "t.ww", "--machine", "comet", "-o", "p.ww"], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.dir / "p.ww").exists() and running.poll() is None:
            time.sleep(0.005)
        running.send_signal(signal.SIGINT)
        asked = time.monotonic()
        self.assertEqual(running.wait(), 130)
        self.assertLess(time.monotonic() - asked, max(1, whole / 4))
        self.assertEqual(self.left_behind(before), [])
