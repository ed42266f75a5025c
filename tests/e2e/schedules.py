"""Schedules in GOAL: imported, simulated, explained; and what is wrong with bad ones."""
import json
import signal
import subprocess
import time

from support import WHATWIRE, Case


def binomial(ranks, late_ns=0):
    """A broadcast of one byte; rank 0 computes first."""
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        before = None
        if rank == 0 and late_ns:
            lines.append(f"first: calc {late_ns}")
            before = "first"
        if rank:
            lines.append(f"got: recv 1b from {rank - (1 << (rank.bit_length() - 1))}")
            before = "got"
        distance = 1 << rank.bit_length() if rank else 1
        while rank + distance < ranks:
            lines.append(f"s{distance}: send 1b to {rank + distance}")
            if before:
                lines.append(f"s{distance} requires {before}")
            distance *= 2
        lines.append("}")
    return "\n".join(lines) + "\n"


class Schedules(Case):
    def simulate(self, *args):
        return json.loads(self.succeed("simulate", *args, "--json").stdout)

    def test_a_schedule_is_imported_and_simulated(self):
        (self.dir / "tree.goal").write_text(binomial(32))
        made = json.loads(self.succeed("import", "tree.goal", "-o", "tree.ww", "--json").stdout)
        self.assertEqual((made["ranks"], made["messages"], made["events"]), (32, 31, 93))
        for what in "tree.goal", "tree.ww", "tree.ww/program.wws":
            out = self.simulate(what, "--machine", "loggops-default")
            # LogGOPSim 76451de on the same tree: 27500; log2(P) (2 o + L) of LogGP
            self.assertAlmostEqual(out["predicted_s"], 27.5e-6, delta=1e-15)
            self.assertEqual(out["events"], 93)
            self.assertEqual(out["contention_free"]["chain"]["L"], 5)
            self.assertEqual(len(out["ranks"]), 32)
            threads = self.simulate(what, "--machine", "loggops-default", "--threads", "2")
            self.assertEqual(threads["ranks"], out["ranks"])
        text = self.succeed("simulate", "tree.ww", "--machine", "loggops-default", "--explain").stdout
        self.assertIn("27.5 us", text)
        self.assertIn("LogGOPS: L 2.50 us", text)

    def test_curves_and_tolerance_follow_the_closed_form(self):
        (self.dir / "tree.goal").write_text(binomial(32, late_ns=72500))  # 100 us in all
        out = self.simulate("tree.goal", "--machine", "loggops-default", "--explain")["contention_free"]
        # 72.5 us + 5 (2 o + L): straight in L with slope 5, in o with slope 10
        self.assertEqual([piece["s_per_s"] for piece in out["curves"]["L"]["pieces"]][-1], 5)
        self.assertEqual([piece["s_per_s"] for piece in out["curves"]["o"]["pieces"]][-1], 10)
        by_name = {(t["parameter"], t["slower"]): t["up_to_s"] for t in out["tolerance"]}
        self.assertAlmostEqual(by_name["L", 0.05], 2500e-9 + 5e-6 / 5, delta=1e-12)
        self.assertAlmostEqual(by_name["o", 0.01], 1500e-9 + 1e-6 / 10, delta=1e-12)
        self.assertAlmostEqual(out["chain"]["compute_s"], 72.5e-6, delta=1e-15)
        # messages of one byte: the same plane whatever G is, and where L is small those of chains with more sends in a row
        planes = {(plane["latency_s_per_s"], plane["seconds_per_byte_s_per_s"]) for plane in out["map"]["planes"]}
        self.assertIn((5, 0), planes)
        self.assertEqual({bytes_ for _, bytes_ in planes}, {0})
        self.assertFalse(out["map"]["cut"])
        table = {(row["latency_times"], row["seconds_per_byte_times"]): row["predicted_s"] for row in out["map"]["table"]}
        self.assertAlmostEqual(table[1, 1], 100e-6, delta=1e-15)
        self.assertAlmostEqual(table[10, 5], 100e-6 + 5 * 9 * 2500e-9, delta=1e-15)
        text = self.succeed("simulate", "tree.goal", "--machine", "loggops-default", "--explain").stdout
        self.assertRegex(text, r"by latency and the time a byte together, up to 25.0 us and 60.0 ns: \d+ planes?;")

    def test_one_replay_alone_has_no_interval(self):
        (self.dir / "tree.goal").write_text(binomial(32))
        for evaluator in [], ["--evaluator", "free"], ["--evaluator", "events"]:
            arguments = "tree.goal", "--machine", "loggops-default", "--no-interval", *evaluator
            out = self.simulate(*arguments)
            self.assertAlmostEqual(out["predicted_s"], 5 * (2 * 1500e-9 + 2500e-9), delta=1e-12)
            self.assertIsNone(out["predicted_low_s"])
            self.assertIsNone(out["sensitivity"]["latency_s_per_s"])
            self.assertIn("one replay, as asked for: it has no interval", self.succeed("simulate", *arguments).stdout)
        # what is asked for by name is there: the longest chain
        self.assertEqual(self.simulate("tree.goal", "--machine", "loggops-default", "--no-interval", "--explain")["contention_free"]["chain"]["L"], 5)

    def test_interrupted_it_ends_at_once(self):
        (self.dir / "tree.goal").write_text(binomial(4096))
        grid = ["--sweep", "latency=1us:2us:1000", "--sweep", "bandwidth=x1:x2:1000"]
        for long in (["--evaluator", "windows", *["--what-if", "latency=x2"] * 20000],
                     ["--evaluator", "free", *["--what-if", "latency=x2"] * 20000],
                     ["--evaluator", "events", *grid], ["--evaluator", "free", *grid]):
            running = subprocess.Popen([WHATWIRE, "simulate", "tree.goal", "--machine", "loggops-default", *long], cwd=self.dir,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

            def heeds():
                caught = [line for line in open(f"/proc/{running.pid}/status", encoding="ascii") if line.startswith("SigCgt")]
                return caught and int(caught[0].split()[1], 16) & 1 << (signal.SIGINT - 1)
            while running.poll() is None and not heeds():
                time.sleep(0.005)
            running.send_signal(signal.SIGINT)
            asked = time.monotonic()
            out, err = running.communicate()
            self.assertEqual((running.returncode, out), (130, ""), err)
            self.assertIn("interrupted; no prediction was made", err)
            self.assertLess(time.monotonic() - asked, 2)

    def test_what_ifs_change_the_parameters(self):
        (self.dir / "tree.goal").write_text(binomial(32))
        out = self.simulate("tree.goal", "--machine", "loggops-default", "--what-if", "latency=1us", "--what-if", "software=x0.5")
        self.assertAlmostEqual(out["what_ifs"][0]["predicted_s"], 5 * (2 * 1500e-9 + 1e-6), delta=1e-12)
        self.assertAlmostEqual(out["what_ifs"][1]["predicted_s"], 5 * (1500e-9 + 2500e-9), delta=1e-12)
        done = self.run_whatwire("simulate", "tree.goal", "--machine", "loggops-default", "--what-if", "compute@rank:0=x2")
        self.assertEqual(done.returncode, 2, done.stderr)
        for refused in ["--signature"], ["--evaluator", "windows", "--network", "torus:dims=32"], ["--evaluator", "guess"]:
            self.assertEqual(self.run_whatwire("simulate", "tree.goal", "--machine", "loggops-default", *refused).returncode, 2)

    def test_a_sweep_over_latency_follows_the_closed_form(self):
        (self.dir / "tree.goal").write_text(binomial(32))
        for evaluator in [], ["--evaluator", "windows"], ["--evaluator", "free"], ["--evaluator", "events"]:
            out = self.simulate("tree.goal", "--machine", "loggops-default", "--sweep", "latency=x1,x2,x10", *evaluator)
            cells = out["sweep"]["cells"]
            # log2(P) (2 o + L); latency= of a link is what is left of its smallest message beside software and wire: L less g
            grows_s = 2500e-9 - (1000e-9 if "events" in evaluator else 0)
            for cell, times in zip(cells, (1, 2, 10), strict=True):
                self.assertAlmostEqual(cell["predicted_s"], 5 * (2 * 1500e-9 + 2500e-9 + (times - 1) * grows_s), delta=1e-12)
            self.assertIsNone(out["recorded_s"])
            self.assertAlmostEqual(cells[1]["gain"], cells[0]["predicted_s"] / cells[1]["predicted_s"], delta=1e-9)
            self.assertEqual(cells[1]["sensitivity"]["latency_s_per_s"].__round__(6), 5)
        lines = self.succeed("simulate", "tree.goal", "--machine", "loggops-default", "--sweep", "latency=x1,x2", "--csv").stdout.splitlines()
        self.assertEqual(len(lines), 3)
        text = self.succeed("simulate", "tree.goal", "--machine", "loggops-default", "--scenarios").stdout
        self.assertIn("software=x0.1", text)

    def test_machines_are_drawn_from_the_intervals_of_the_model(self):
        (self.dir / "far.goal").write_text("num_ranks 2\nrank 0 {\nl1: send 1b to 1\n}\nrank 1 {\nl1: recv 1b from 0\n}\n")
        model = json.loads(self.succeed("machine", "show", "ethernet-1", "--json").stdout)
        link = next(link for link in model["links"] if link["between"] == "inter")
        base_s = link["segments"][0]["base_s"]
        link["segments"][0]["base_ci_s"] = [base_s * 0.9, base_s * 1.2]
        (self.dir / "model.json").write_text(json.dumps(model))
        arguments = "far.goal", "--machine", "model.json", "--monte-carlo", "2000"
        out = self.simulate(*arguments, "--evaluator", "free")
        spread = out["monte_carlo"]
        self.assertEqual(spread["draws"], 2000)
        # one message: its one-way time moves with base_s alone; quantiles of 2000 draws lie within a tenth of the interval
        self.assertAlmostEqual(spread["median_s"], out["predicted_s"], delta=0.02 * base_s)
        self.assertAlmostEqual(spread["low_s"], out["predicted_s"] - 0.1 * base_s, delta=0.02 * base_s)
        self.assertAlmostEqual(spread["high_s"], out["predicted_s"] + 0.2 * base_s, delta=0.03 * base_s)
        text = self.succeed("simulate", *arguments, "--evaluator", "free").stdout
        self.assertIn("over 2000 machines within the model's intervals: median", text)
        self.assertEqual(self.run_whatwire("simulate", *arguments).returncode, 2)
        for refused in ["--sweep", "latency=x1,x2"], ["--csv"]:
            self.assertEqual(self.run_whatwire("simulate", *arguments, "--evaluator", "free", *refused).returncode, 2)
        self.assertEqual(self.run_whatwire("simulate", "far.goal", "--machine", "loggops-default", "--evaluator", "free",
                                           "--monte-carlo", "100").returncode, 2)

    def test_a_schedule_runs_on_networks_and_measured_machines(self):
        (self.dir / "far.goal").write_text(
            "num_ranks 8\nrank 0 {\nl1: send 1b to 3\n}\nrank 3 {\nl1: recv 1b from 0\n}\n")
        arguments = "far.goal", "--machine", "loggops-default"
        # 2 o + L, and on a ring of eight the switches of nodes 0, 1, 2 and 3
        on_torus = self.simulate(*arguments, "--network", "torus:dims=8:hop=1us")
        self.assertAlmostEqual(on_torus["predicted_s"], 5.5e-6 + 4e-6, delta=1e-12)
        self.assertEqual(on_torus["network"]["name"], "torus")
        swept = self.simulate(*arguments, "--sweep", "network=ideal,torus:dims=8:hop=1us", "--sweep", "software=x1,x2")["sweep"]
        self.assertEqual([round(cell["predicted_s"] * 1e9) for cell in swept["cells"]], [5500, 8500, 9500, 12500])
        # a machine with curves instead of LogGOPS: by its own one-way times
        model = json.loads(self.succeed("machine", "show", "ethernet-1", "--json").stdout)
        events = self.simulate("far.goal", "--machine", "ethernet-1", "--evaluator", "events")
        one = next(link for link in model["links"] if link["between"] == "inter")["segments"][0]
        self.assertAlmostEqual(events["predicted_s"], one["base_s"] + one["seconds_per_byte"], delta=1e-9)
        small = self.run_whatwire("simulate", *arguments, "--network", "torus:dims=4")
        self.assertEqual(small.returncode, 1)
        self.assertIn("8 hosts and the network 4 nodes", small.stderr)

    def test_bad_schedules_are_named(self):
        (self.dir / "bad.goal").write_text("num_ranks 2\nrank 0 {\nl1: sent 1b to 1\n}\n")
        done = self.run_whatwire("import", "bad.goal", "-o", "bad.ww")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("bad.goal, line 3", done.stderr)
        self.assertFalse((self.dir / "bad.ww").exists())
        (self.dir / "stuck.goal").write_text("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
                                             "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n")
        done = self.run_whatwire("simulate", "stuck.goal", "--machine", "loggops-default")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("4 of 4 operations are left", done.stderr)
        (self.dir / "tree.goal").write_text(binomial(8))
        self.succeed("import", "tree.goal", "-o", "tree.ww")
        file = self.dir / "tree.ww" / "program.wws"
        file.write_bytes(file.read_bytes()[:300])
        done = self.run_whatwire("simulate", "tree.ww", "--machine", "loggops-default")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cut short", done.stderr)
