"""whatwire study on a program of the user's own, without a lab."""
import json

from support import EXAMPLES, Case


class WholeJob(Case):
    def test_study_gives_an_answer_a_page_and_data(self):
        done = self.succeed("study", "--repeat", "2", "--what-if", "latency=x0.5", "--dilate", "1,2", "--", "mpirun", "-n", "2",
                            EXAMPLES / "cg", "--solves", "4", timeout=1000)
        self.assertIn("latency=x0.5", done.stdout)
        study = json.loads((self.dir / "cg.study" / "study.json").read_text())
        what_if = study["what_ifs"][0]
        self.assertLessEqual(what_if["simulated"]["low"], what_if["simulated"]["s"])
        self.assertLessEqual(what_if["simulated"]["s"], what_if["simulated"]["high"])
        self.assertGreater(what_if["dilated"]["s"], 0)
        self.assertLessEqual(what_if["virtual"]["low"], what_if["virtual"]["s"])
        self.assertGreater(what_if["virtual"]["s"], 0)
        self.assertEqual(set(what_if["components"]), {"simulation", "dilation", "virtual clock"})
        self.assertIsNone(what_if["real"])
        self.assertEqual([s["D"] for s in study["dilation"]["speedup"]], [1, 2])
        page = (self.dir / "cg.study" / "report.html").read_text()
        self.assertIn("latency=x0.5", page)
        self.assertNotRegex(page, r'(src|href)="https?:')
        self.assertEqual(self.json_of("report", "cg.study")["elapsed_s"], study["report"]["elapsed_s"])  # of its recording
        # gain is against what leads has for a baseline, and both are there; else why there is none
        headline = what_if["headline"]
        prediction = what_if["prediction"]
        self.assertAlmostEqual(headline["self_check"], prediction["replayed_s"] / prediction["recorded_s"] - 1, 9)
        runs = study["recorded_runs_s"]
        steady = max(runs) - min(runs) <= 0.05 * sum(runs) / 2
        if abs(headline["self_check"]) <= 0.10 and steady:
            self.assertEqual(headline["by"], "simulation")
            self.assertAlmostEqual(headline["gain"], prediction["replayed_s"] / what_if["simulated"]["s"], 9)
        else:
            self.assertIn(headline["by"], (None, "virtual clock"))
            self.assertIsNone(study["dilation"]["verdict"])
            self.assertIn("no verdict", done.stdout)
            self.assertGreater(study["virtual_today"]["s"], 0)
        self.assertLess(headline["low"], headline["high"])
        self.succeed("summary", "cg.study", "--html", "all.html", "--data", "demo.json")
        self.assertEqual(json.loads((self.dir / "demo.json").read_text())["programs"][0]["name"], "cg")
        # an older study is replaced, and --json gives one object and nothing else
        again = self.json_of("study", "--repeat", "1", "--no-dilate", "--machine", "cg.study/machine.json", "-o", "again.study",
                             "--", "mpirun", "-n", "2", EXAMPLES / "cg", "--solves", "2")
        self.assertEqual(again["dilation"], None)
        self.assertIsNone(again["what_ifs"][0]["virtual"])

        # in virtual time there may be more ranks than cores
        told = self.json_of("dilate", "--virtual", "--machine", "cg.study/machine.json", "--", "mpirun", "--oversubscribe", "-n", "4",
                            EXAMPLES / "cg", "--solves", "2")["virtual"]
        self.assertEqual([rank["rank"] for rank in told["ranks"]], [0, 1, 2, 3])
        self.assertLessEqual(max(rank["elapsed_s"] for rank in told["ranks"]), told["high"] + 1e-9)
        self.assertEqual(len(told["runs_s"]), 3)
        # ... and simulation of such a run on the same machine gives nearly the same (two clocks of one model, written apart)
        self.assertLess(abs(told["replayed_s"] / told["s"] - 1), 0.25)
        self.assertLessEqual(told["low"], told["replayed_s"] * told["s"] / min(told["runs_s"], key=lambda s: abs(s - told["s"])) + 1e-9)

        # the self-test of dilation with the study's model; how far it is off is the machine's affair
        told = self.json_of("dilate", "--self-test", "-D", "2", "--machine", "cg.study/machine.json", "--", "mpirun", "-n", "2",
                            EXAMPLES / "cg", "--solves", "2")
        self.assertEqual([test["D"] for test in told["self_test"]], [2])
        for test in told["self_test"]:
            self.assertLessEqual(test["low"], test["error"])
            self.assertLessEqual(test["error"], test["high"])
        self.assertEqual([run["D"] for run in told["runs"]], [1, 2] * 3)
        times = [run["normalised_s"] for run in told["runs"]]
        middle = sorted(dilated / undilated for undilated, dilated in zip(times[::2], times[1::2]))[1]  # pairs of a round
        self.assertAlmostEqual(told["self_test"][0]["error"], middle - 1, 6)
        # S3, Figure 1: the components of a rank sum to its time, and their shares to 100%
        for run in told["runs"]:
            self.assertEqual([rank["rank"] for rank in run["ranks"]], [0, 1])
            for rank in run["ranks"]:
                parts = rank["components"]
                self.assertAlmostEqual(sum(parts[part] for part in ("user_s", "communication_s", "receive_wait_s", "send_s")),
                                       rank["elapsed_s"], 9)
                self.assertLessEqual(rank["elapsed_s"], run["normalised_s"] + 1e-9)
                self.assertLessEqual(parts["receive_wait_algorithmic_s"], parts["receive_wait_s"])
        self.assertAlmostEqual(sum(told["signature"][f"{part}_percent"] for part in ("user", "communication", "receive_wait", "send")),
                               100, 6)

    def test_ranks_on_one_host_have_its_memory_as_their_network(self):
        """transpose of 1024 x 1024 doubles sends 2 MiB a message, whose time nearly all grows with its size: a tenth of it must show.
        Both predictions answer the same question, so that dilation must show it too."""
        study = self.json_of("study", "--repeat", "3", "--what-if", "bandwidth=x10", "--dilate", "1,2", "--", "mpirun", "-n", "2",
                             EXAMPLES / "transpose", timeout=1000)
        what_if = study["what_ifs"][0]
        self.assertIn("all ranks share one host", " ".join(study["assumptions"]))
        self.assertLess(what_if["simulated"]["s"], what_if["prediction"]["replayed_s"])
        self.assertGreater(what_if["dilated"]["s"], 0)
        self.assertIsNone(what_if["real"])


class Oversubscribed(Case):
    def test_more_ranks_than_cores_is_said_with_its_sign(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "--oversubscribe", "-n", "8", EXAMPLES / "transpose", "--size", "64")
        done = self.succeed("study", "--repeat", "1", "--no-dilate", "--what-if", "latency=x0.5", "--", "mpirun", "--oversubscribe",
                            "-n", "8", EXAMPLES / "transpose", "--size", "64", timeout=1000)
        self.assertIn("times-disturbed", done.stderr)
        self.assertIn("8 ranks on", done.stderr)
        self.assertNotIn("sign:", done.stderr)
        told = json.loads((self.dir / "transpose.study" / "study.json").read_text())["what_ifs"][0]["headline"]
        self.assertEqual(told["by"], "simulation" if abs(told["self_check"]) <= 0.10 else None)
