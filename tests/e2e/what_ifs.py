"""What-ifs on a real run: scenarios, sweeps and parts of a program. Expectations: what the program does (a known computation
in a marked region, a known number of messages), and identities of S4's tables."""
import csv
import io
import json
import os
import pathlib
import re

from support import EXAMPLES, WHATWIRE, Case

WHAT_IFS = pathlib.Path(__file__).resolve().parents[2] / "docs/what-ifs.md"

# Rank 0 computes about 20 ms in "solve" and sends; rank 1 waits. 20 messages of 1000 bytes.
SOLVE = r"""
#include <mpi.h>
#include <whatwire/marker.h>
static char data[1000];
int main(int argc, char** argv) {
  int rank, i;
  double until;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 20; ++i) {
    if (rank == 0) {
      ww_region_begin("solve");
      for (until = MPI_Wtime() + 1e-3; MPI_Wtime() < until;) {}
      ww_region_end("solve");
      MPI_Send(data, 1000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(data, 1000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return MPI_Finalize();
}
"""


class WhatIfs(Case):
    def record(self):
        include = pathlib.Path(__file__).parents[2] / "include"
        stub = pathlib.Path(os.environ["BUILD"]) / "lib" / "libwhatwire-marker.a"
        program = self.compile(SOLVE, "solve", "OPENMPI_CC", f"-I{include}", str(stub), "-lpthread")
        self.succeed("record", "--calls", "MPI_Send,MPI_Recv", "-o", "t.ww", "--", "mpirun", "--oversubscribe", "-n", "2",
                     program)

    def test_scenarios_and_parts(self):
        self.record()
        base = ("t.ww", "--machine", "comet")
        result = self.json_of("simulate", *base, "--scenarios", "--what-if", "compute@region:solve=x2")
        names = [one["name"] for one in result["scenarios"]]
        self.assertEqual(names, ["today", "faster wire", "software cut 90%", "both", "compute@region:solve=x2"])
        for one in result["scenarios"]:
            self.assertEqual(one["messages"], 20)
            self.assertEqual(one["bytes"], 20000)
            self.assertEqual([s["messages"] for s in one["stations"]], [20, 0])
            for s in one["stations"]:
                self.assertAlmostEqual(s["blocked_s"], s["blocked_service_s"] + s["blocked_algorithmic_s"], 9)
                self.assertAlmostEqual(s["elapsed_s"], s["compute_s"] + s["library_s"] + s["blocked_s"], 9)
        today, faster = result["scenarios"][:2]
        self.assertLess(faster["stations"][0]["network_s"], today["stations"][0]["network_s"])
        self.assertLess(faster["mean"]["blocked_service_s"], today["mean"]["blocked_service_s"])
        self.assertAlmostEqual(faster["mean"]["blocked_algorithmic_s"] / today["mean"]["blocked_algorithmic_s"], 1, 2)
        # twenty times at least 1 ms in the region, now in half the time
        halved = today["stations"][0]["compute_s"] - result["scenarios"][4]["stations"][0]["compute_s"]
        self.assertGreater(halved, 20 * 0.5e-3 * 0.99)
        pop = self.json_of("report", "t.ww", "--machine", "comet", "--ask", "pop")["pop"]
        for key in ("serialisation", "transfer", "communication_efficiency", "ideal_s"):
            self.assertAlmostEqual(result["pop"][key], pop[key], 9)
        table = list(csv.DictReader(io.StringIO(self.succeed("simulate", *base, "--scenarios", "--csv").stdout)))
        self.assertEqual([row["station"] for row in table], ["0", "1", "mean"] * 4)
        self.assertAlmostEqual(float(table[0]["execution_s"]), today["stations"][0]["elapsed_s"], 7)
        text = self.succeed("simulate", *base, "--scenarios", "--faster-wire", "bandwidth=x100").stdout
        self.assertIn("software cut 90%", text)
        self.assertIn("bandwidth=x100", text)
        self.assertTrue(all(len(line) <= 100 for line in text.split("assuming:")[0].splitlines()), text)

    # Rank 1 waits for rank 0's computation: half of the ranks' time, which no network shortens (S3, section 3.4).
    def test_signature_of_a_simulated_machine(self):
        # Of a run of 20 ms from which a rank was kept for 2 the replay is 10% off, and no verdict is given, rightly: the
        # program's run on Comet, as it is predicted, nothing disturbs.
        self.record()
        self.json_of("simulate", "t.ww", "--machine", "comet", "-o", "on-comet.ww")
        base = ("simulate", "on-comet.ww", "--machine", "comet")
        told = self.json_of(*base, "--signature", "-D", "2,16")
        self.assertEqual([run["D"] for run in told["runs"]], [1, 2, 16])
        self.assertAlmostEqual(told["runs"][0]["normalised_s"], self.json_of(*base)["predicted_s"], 9)
        for run in told["runs"]:
            for rank in run["ranks"]:
                parts = rank["components"]
                self.assertAlmostEqual(sum(parts[part] for part in ("user_s", "communication_s", "receive_wait_s", "send_s")),
                                       rank["elapsed_s"], 9)
        self.assertAlmostEqual(told["signature"]["receive_wait_percent"], 50, delta=10)
        self.assertEqual(told["verdict"], "logical-delay")
        self.assertEqual(told["flattens"]["D"], 1)
        text = self.succeed(*base, "--signature", "-D", "2", "--ranks").stdout
        self.assertIn("rank 1", text)
        self.assertIn("logical-delay: at D = 1", text)
        for wrong in (["-D", "2"], ["--signature", "--scenarios"], ["--signature", "-D", "0.5"]):
            self.assertEqual(self.run_whatwire(*base, *wrong).returncode, 2, wrong)

    # The program kept beside the trace says what the trace says, in any number of threads, and follows it.
    def test_a_kept_program_predicts_the_same(self):
        self.record()
        kept = self.dir / "t.ww" / "traces.wwp"
        asked = ("simulate", "t.ww", "--machine", "comet", "--what-if", "latency=x2")

        def answer(*more):
            said = self.json_of(*asked, *more)
            return {key: value for key, value in said.items() if key not in ("load_s", "evaluate_s")}

        self.assertFalse(kept.exists())
        compiled = answer("--threads", "1")
        written = kept.stat().st_mtime_ns
        self.assertEqual(answer("--threads", "1"), compiled)
        self.assertEqual(answer("--threads", "5"), compiled)
        self.assertEqual(kept.stat().st_mtime_ns, written)
        kept.write_bytes(kept.read_bytes()[:-100])
        self.assertEqual(answer(), compiled)
        self.assertNotEqual(kept.stat().st_mtime_ns, written)
        self.succeed("simulate", "t.ww", "--machine", "comet", "--what-if", "compute@region:solve=x2")

    def test_sweeps_are_the_same_in_any_number_of_processes(self):
        self.record()
        sweep = ("simulate", "t.ww", "--machine", "comet", "--sweep", "bandwidth=x1:x100:5", "--sweep", "latency=1us,10us")
        alone = self.succeed(*sweep, "--csv", "--threads", "1").stdout
        rows = list(csv.DictReader(io.StringIO(alone)))
        self.assertEqual(len(rows), 10)
        one = self.json_of("simulate", "t.ww", "--machine", "comet", "--what-if", "bandwidth=x100,latency=10us")
        self.assertEqual((float(rows[9]["bandwidth"]), float(rows[9]["latency"])), (100, 1e-5))
        self.assertAlmostEqual(float(rows[9]["predicted_s"]), one["predicted_s"], 9)
        self.assertEqual(self.succeed(*sweep, "--csv", "--threads", "5").stdout, alone)
        before = {p.name for p in (self.dir / "t.ww").iterdir()}
        for launcher in (("mpirun.openmpi", "--oversubscribe"), ("mpiexec.mpich",)):
            shared = self.succeed(*launcher[1:], "-n", "3", WHATWIRE, *sweep, "--csv", program=launcher[0])
            self.assertEqual(shared.stdout, alone, shared.stderr)
        self.assertEqual({p.name for p in (self.dir / "t.ww").iterdir()}, before)
        swept = self.json_of(*sweep, "--html", "map.html")["sweep"]
        self.assertEqual([axis["part"] for axis in swept["axes"]], ["bandwidth", "latency"])
        self.assertEqual(swept["cells"][9]["at"], [4, 1])
        self.assertIn("latency=10us", (self.dir / "map.html").read_text())

    def test_networks_are_documented(self):
        """docs/what-ifs.md has a row for each network that help lists, with its keys, and for no other."""
        help_text = self.succeed("simulate", "--help").stdout
        listed = re.search(r"(?s)Networks and their keys.*?\n(.*?)--scenarios", help_text).group(1)
        helped = {name: set(re.findall(r"[\w-]+", keys or "")) for name, keys in re.findall(r"(?m)^  (\S+) .*?(?:\(([^()]*)\))?$", listed)}
        self.assertIn("dragonfly", helped)
        page = re.search(r"(?s)\n\| network \|[^\n]*\n\|[-|]*\n(.*?)\n\n", WHAT_IFS.read_text()).group(1)
        rows = dict(re.findall(r"(?m)^\| `([\w-]+)` \| (.*?) \|", page))
        self.assertEqual(set(rows), set(helped))
        for name, keys in helped.items():
            self.assertEqual(keys - set(re.findall(r"`([\w-]+)[=`]", rows[name])), set(), name)

    def test_networks(self):
        self.record()
        base = ("simulate", "t.ww", "--machine", "comet")
        simulated = self.json_of(*base, "--network", "bus")
        self.assertEqual(simulated["what_if"], "network=bus")
        self.assertEqual((simulated["network"]["name"], simulated["network"]["packets"]), ("bus", 0))
        self.assertIn("network-not-used", [d["name"] for d in simulated["diagnostics"]])  # both ranks on one host
        both = self.json_of(*base, "--what-if", "bandwidth=x10,network=torus:dims=4x4:hop=100ns")
        self.assertEqual(both["network"]["name"], "torus")
        swept = self.json_of(*base, "--sweep", "network=ports,ideal,fat-tree:k=4")["sweep"]
        self.assertEqual(swept["axes"][0]["values"], ["ports", "ideal", "fat-tree:k=4"])
        for options, says in ((("--network", "fattree"), "did you mean 'fat-tree'"),
                              (("--what-if", "network=torus:dim=4"), "did you mean 'dims'"),
                              (("--network", "bus", "--what-if", "network=ideal"), "two networks"),
                              (("--sweep", "network=bus,ideall"), "did you mean 'ideal'")):
            done = self.run_whatwire(*base, *options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)

    def test_collectives_are_those_of_the_library(self):
        said = {}
        for mpirun, program in (("mpirun.openmpi --oversubscribe", EXAMPLES / "cg"), ("mpirun.mpich", EXAMPLES / "mpich/cg")):
            trace = f"{mpirun.split()[0]}.ww"
            self.succeed("record", "-o", trace, "--", *mpirun.split(), "-n", "4", program, "--nx", "8", "--ny", "8", "--nz", "8",
                         "--sweeps", "1", "--solves", "1")
            said[trace] = "\n".join(self.json_of("simulate", trace, "--machine", "comet")["assumptions"])
        self.assertIn("MPI_Allreduce replayed by recursive doubling", said["mpirun.openmpi.ww"])
        self.assertIn("MPI_Allreduce replayed by MPICH's shared memory", said["mpirun.mpich.ww"])
        self.assertNotIn("MPICH", said["mpirun.openmpi.ww"])

    def test_what_the_models_say_of_themselves(self):
        """Each flag of each machine stands among the assumptions of what is predicted on it, and is counted."""
        self.record()
        flags = {name: [f"the model '{name}' says of itself: {flag}" for flag in self.shown(name)["flags"]]
                 for name in ("comet", "stampede", "infiniband-hdr")}
        def check(told, *names):
            expected = [flag for name in names for flag in flags[name]]
            self.assertEqual([said for said in told["assumptions"] if "says of itself" in said], expected)
            self.assertEqual({d["name"]: d["count"] for d in told["diagnostics"]}["model-flagged"], len(expected))
        base = ("simulate", "t.ww", "--machine", "comet")
        for evaluator in ("events", "windows", "free"):
            check(self.json_of(*base, "--evaluator", evaluator), "comet")
            check(self.json_of(*base, "--evaluator", evaluator, "--what-if", "machine=stampede"), "comet", "stampede")
            text = self.succeed(*base, "--evaluator", evaluator, "--what-if", "latency=x2", "--what-if", "machine=stampede").stdout
            for flag in flags["comet"] + flags["stampede"]:
                self.assertEqual(text.count(flag + "\n"), 1, flag)
            self.assertIn("warning: model-flagged", text)
        check(self.json_of(*base, "--sweep", "machine=stampede,infiniband-hdr"), "comet", "stampede", "infiniband-hdr")
        self.assertIn(flags["stampede"][0], self.succeed(*base, "--sweep", "machine=comet,stampede").stdout)
        self.assertIn(flags["comet"][0], self.succeed(*base, "--signature", "-D", "1,2").stdout)
        self.assertIn(flags["comet"][0], self.succeed(*base, "--scenarios").stdout)
        # a model without flags says nothing
        model = {**self.shown("comet"), "flags": []}
        (self.dir / "m.json").write_text(json.dumps(model))
        told = self.json_of("simulate", "t.ww", "--machine", "m.json")
        self.assertNotIn("says of itself", " ".join(told["assumptions"]))
        self.assertNotIn("model-flagged", [d["name"] for d in told["diagnostics"]])

    def test_refusals(self):
        self.record()
        for what_if, says, code in (("ranks=8", "record the program with that many ranks", 2),
                                    ("compute@region:slove=x2", "solve", 2), ("compute@rank:7=x2", "ranks 0 to 1", 2),
                                    ("machine=no-such", "no-such", 1)):
            done = self.run_whatwire("simulate", "t.ww", "--machine", "comet", "--what-if", what_if)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
