"""Answers that were wrong or misleading, by programs and files that showed it. Expectations: closed forms, and that one answer agrees
with another of the same run."""
import csv
import io
import json

from support import EXAMPLES, Case

# Rounds of a ping-pong without computation: every wait is one for a message.
PING_PONG = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, i;
  static char data[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < atoi(argv[1]); ++i) {
    if (rank == 0) MPI_Send(data, 4096, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 4096, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, 4096, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
"""

# Rank 0 computes for 20 ms in all, rank 1 waits for it.
LATE_SENDER = PING_PONG.replace("if (rank == 0) MPI_Send", """
    if (rank == 0) { double until = MPI_Wtime() + 1e-3; while (MPI_Wtime() < until) continue; }
    if (rank == 0) MPI_Send""")


class Answers(Case):
    def trace(self, source, name, rounds):
        program = self.compile(source, name)
        self.succeed("record", "-o", f"{name}.ww", "--", "mpirun.openmpi", "--oversubscribe", "-n", "2", program, rounds)
        return f"{name}.ww"

    # A model whose every message takes `scale` times what the trace's took is off by as much.
    def model(self, name, small_s, software_s=0.0):
        line = [{"from_bytes": 0, "to_bytes": 1 << 30, "base_s": small_s, "seconds_per_byte": 1e-10}]
        costs = [{"from_bytes": 0, "to_bytes": 1 << 30, "base_s": software_s, "seconds_per_byte": 0}]
        model = {"name": name, "links": [{"between": place, "latency_s": small_s, "segments": line} for place in ("inter", "intra")],
                 "costs": {"F": costs, "U": costs}}
        (self.dir / f"{name}.json").write_text(json.dumps(model))
        return f"{name}.json"

    # A model by which the replay takes about as long as the recorded run.
    def fitting(self, trace):
        recorded_s = self.json_of("report", trace)["elapsed_s"]
        guess = 1e-6
        for _ in range(6):
            replayed_s = self.json_of("simulate", trace, "--machine", self.model("fits", guess))["replayed_s"]
            if abs(replayed_s / recorded_s - 1) < 0.05:
                break
            guess *= max(0.01, recorded_s / replayed_s)
        self.assertLess(abs(replayed_s / recorded_s - 1), 0.1, (recorded_s, replayed_s))
        return "fits.json", recorded_s, replayed_s

    def test_a_gain_is_against_the_replay(self):
        trace = self.trace(PING_PONG, "pingpong", 2000)
        model, recorded_s, replayed_s = self.fitting(trace)
        none = self.json_of("simulate", trace, "--machine", model)
        self.assertEqual([none[key] for key in ("gain", "gain_low", "gain_high")], [1, 1, 1])
        self.assertRegex(self.succeed("simulate", trace, "--machine", model).stdout,
                         r"speed-up +1\.00x +95%: 1\.00x to 1\.00x +gain against the replayed time")
        faster = self.json_of("simulate", trace, "--machine", model, "--what-if", "latency=x0.5")
        self.assertAlmostEqual(faster["gain"], faster["replayed_s"] / faster["predicted_s"], 9)
        self.assertAlmostEqual(faster["gain_low"], faster["replayed_s"] / faster["predicted_high_s"], 9)
        rows = list(csv.DictReader(io.StringIO(self.succeed(
            "simulate", trace, "--machine", model, "--csv", "--what-if", "latency=x0.5", "--what-if", "bandwidth=x1").stdout)))
        self.assertAlmostEqual(float(rows[0]["gain"]), faster["gain"], 6)
        self.assertEqual(float(rows[1]["gain"]), 1)
        sweep = self.json_of("simulate", trace, "--machine", model, "--sweep", "latency=x1,x0.5", "--html", "map.html")["sweep"]
        self.assertEqual(sweep["cells"][0]["gain"], 1)
        self.assertAlmostEqual(sweep["cells"][1]["gain"], faster["gain"], 9)
        self.assertEqual(sweep["replayed_s"], replayed_s)
        scenarios = self.json_of("simulate", trace, "--machine", model, "--scenarios")["scenarios"]
        self.assertEqual(scenarios[0]["gain"], 1)
        self.assertIn("gain against the replayed time", self.succeed("simulate", trace, "--machine", model, "--scenarios").stdout)

    def test_a_gain_is_withheld_where_the_self_check_is_off(self):
        trace = self.trace(PING_PONG, "pingpong", 2000)
        off = self.model("off", 1e-12)
        base = ("simulate", trace, "--machine", off, "--what-if", "latency=x0.5")
        told = self.json_of(*base)
        self.assertGreater(abs(told["replayed_s"] / told["recorded_s"] - 1), 0.1)
        self.assertEqual([told[key] for key in ("gain", "gain_low", "gain_high")], [None] * 3)
        self.assertIn("the replay on the recording machine takes", told["gain_withheld"])
        for key in ("recorded_s", "replayed_s", "predicted_s", "predicted_low_s", "predicted_high_s"):
            self.assertIsInstance(told[key], (int, float))
        text = self.succeed(*base).stdout
        self.assertRegex(text, r"speed-up +withheld")
        self.assertIn("dilate --virtual", text)
        self.assertRegex(text, r"predicted +\S+ \S+ +95%: ")
        self.assertNotRegex(text, r"\d+\.\d\dx")
        signature = self.json_of("simulate", trace, "--machine", off, "--signature", "-D", "4")
        self.assertIsNone(signature["verdict"])
        self.assertIn("dilate --virtual", signature["verdict_withheld"])
        text = self.succeed("simulate", trace, "--machine", off, "--signature", "-D", "4").stdout
        self.assertIn("no verdict: ", text)
        self.assertIn("speed-up at D = 4: withheld", text)
        sweep = self.succeed("simulate", trace, "--machine", off, "--sweep", "latency=x1,x0.5", "--csv").stdout
        self.assertEqual([row["gain"] for row in csv.DictReader(io.StringIO(sweep))], ["", ""])

    def test_the_latency_shown_is_the_latency_set(self):
        trace = self.trace(PING_PONG, "pingpong", 500)
        model = self.model("m", 3e-6, 1e-6)
        shown = json.loads(self.succeed("machine", "show", model, "--json").stdout)
        for link in shown["links"]:
            self.assertAlmostEqual(link["latency_s"], 1e-6 + 1e-10, 12)  # 3 us less 1 us on both sides
        self.assertIn("latency     1.00 us", self.succeed("machine", "show", model).stdout)
        as_it_is = self.json_of("simulate", trace, "--machine", model, "--what-if", "latency=x1")["predicted_s"]
        for said in (f"{shown['links'][1]['latency_s'] * 1e6:.12g}us", "1.00us"):
            told = self.json_of("simulate", trace, "--machine", model, "--what-if", f"latency={said}")["predicted_s"]
            self.assertAlmostEqual(told / as_it_is, 1, 3)
        explained = self.json_of("simulate", trace, "--machine", model, "--explain")["contention_free"]["curves"]["latency"]
        self.assertAlmostEqual(explained["now_s"], shown["links"][1]["latency_s"], 12)

    def test_waits_are_followed_to_their_causes(self):
        both = {name: self.json_of("report", self.trace(source, name, 300), "--ask", "delays")
                for name, source in (("pingpong", PING_PONG), ("late", LATE_SENDER))}
        for told in both.values():
            for rank in told["ranks"]:
                self.assertAlmostEqual(rank["blocked_by_network_s"] + rank["blocked_by_algorithm_s"], rank["blocked_s"], 9)
                self.assertAlmostEqual(rank["blocked_algorithmic_s"] + rank["blocked_service_s"], rank["blocked_s"], 9)
        delays = both["pingpong"]["delays"]
        # what remains is what lies between the two calls of a round
        self.assertLess(delays["blocked_by_algorithm_s"], 0.4 * delays["blocked_s"], delays)
        # 300 times 1 ms of rank 0's computation, for which rank 1 waits
        late = both["late"]["delays"]
        self.assertGreater(late["ranks"][1]["blocked_by_algorithm_s"], 0.29)
        self.assertGreater(late["ranks"][0]["delays_others_direct_s"], 0.29)
        text = self.succeed("report", "late.ww", "--ask", "delays").stdout
        self.assertIn("no network shortens them", text)
        self.assertNotIn("no network helps", self.succeed("report", "--help").stdout)
        self.assertIn("which no network shortens", self.succeed("report", "late.ww").stdout)

    def test_as_many_runs_in_virtual_time_as_asked_for(self):
        for runs in ("2", "1"):
            done = self.succeed("dilate", "--virtual", "--repeat", runs, "--machine", "ethernet-1", "--ranks-per-host", "1", "--",
                                "mpirun.openmpi", "--oversubscribe", "-n", "2", EXAMPLES / "ring", "--messages", "5")
            self.assertRegex(done.stdout, rf"of {runs} runs?\n")
            self.assertIn("assumes: the model 'ethernet-1' says of itself: ", done.stdout)
            self.assertIn("model-flagged", done.stderr)

    def test_a_dilation_mentions_its_second_witness(self):
        said = self.json_of("dilate", "-D", "1,4", "--repeat", "2", "--machine", "comet", "--", "mpirun.openmpi",
                            "--oversubscribe", "-n", "2", EXAMPLES / "ring", "--messages", "20")
        self.assertIn("D1-", said["simulated"]["trace"])
        self.assertIn("verdict_withheld", said)
        text = self.succeed("dilate", "-D", "1,4", "--repeat", "1", "--machine", "comet", "--", "mpirun.openmpi",
                            "--oversubscribe", "-n", "2", EXAMPLES / "ring", "--messages", "20").stdout
        self.assertIn("simulation of the run at D = 1: ", text)
        flags = [f"the model 'comet' says of itself: {flag}" for flag in self.shown("comet")["flags"]]
        self.assertEqual([one for one in said["assumptions"] if "says of itself" in one], flags)
        self.assertEqual({d["name"]: d["count"] for d in said["diagnostics"]}["model-flagged"], len(flags))
        for flag in flags:
            self.assertIn(f"assumed: {flag}\n", text)

    def test_a_study_says_once_what_its_models_say_of_themselves(self):
        done = self.succeed("study", "--repeat", "1", "--dilate", "1,2", "--machine", "comet", "--what-if", "latency=x0.5", "--what-if",
                            "machine=stampede", "-o", "s", "--", "mpirun.openmpi", "--oversubscribe", "-n", "2", EXAMPLES / "ring",
                            "--messages", "20")
        study = json.loads((self.dir / "s" / "study.json").read_text())
        flags = [f"the model '{name}' says of itself: {flag}" for name in ("comet", "stampede")
                 for flag in self.shown(name)["flags"]]
        self.assertEqual({d["name"]: d["count"] for d in study["diagnostics"]}["model-flagged"], len(flags))
        self.assertIn("model-flagged", done.stderr)
        told = " ".join(done.stdout.split())
        for flag in flags:
            self.assertEqual(study["assumptions"].count(flag), 1)
            self.assertEqual(told.count(flag), 1, flag)
            self.assertIn(json.dumps(flag)[1:-1], (self.dir / "s" / "report.html").read_text())
