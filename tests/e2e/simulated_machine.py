"""`whatwire measure --simulated`. Expectations: Krumme and Greenfield 1988 (S1), Table 3 and section 5.2."""
import json
import re

from support import Case

TABLE_3 = {"E": (220, 1.285), "R": (180, 0.04), "S": (150, 0.01), "F": (160, 0.60), "U": (130, 0.61), "A": (120, 0.0)}


class SimulatedMachine(Case):
    def test_the_ncube_gives_its_lines_back(self):
        text = self.succeed("measure", "--simulated", "ncube-seven", "-o", "m.json").stdout
        model = json.loads((self.dir / "m.json").read_text())
        for term, (base_us, slope_us) in TABLE_3.items():
            line = model["six_lines"][term]
            self.assertAlmostEqual(line["base_s"] * 1e6, base_us, delta=5)
            self.assertAlmostEqual(line["seconds_per_byte"] * 1e6, slope_us, delta=0.01)
            self.assertEqual([point["bytes"] for point in line["points"]], [16, 500, 1000, 1500, 2000])
        self.assertEqual([round(one["message_s"] * 1e6, -2) for one in model["observations"]["interference"]],
                         [2800, 2800, 3000])
        self.assertTrue(all(abs(one["relative"]) < 0.01 for one in model["closed_loop"]))
        # the same numbers to read
        self.assertRegex(text, r"E +2(19|20|21)\.\d+ +1\.28\d+")
        self.assertIn("closed loop", text)
        shown = self.succeed("machine", "show", "m.json").stdout
        self.assertIn(shown.strip(), text)
        samples = json.loads((self.dir / "m.samples.json").read_text())
        self.assertEqual({r["experiment"] for r in samples["records"] if r["kind"] == "six"}, {1, 2, 3, 4, 5, 6})

        # S1's Table 1 form of the same, and its raw listings, which the samples beside the model have.
        tables = self.succeed("machine", "show", "m.json", "--tables").stdout
        self.assertIn("over integer operations (S1, Table 1), us: mean and deviation of 5 trials", tables)
        for term, (base_us, slope_us) in TABLE_3.items():
            cells = re.search(rf"^{term} +(.*)$", tables, re.M)[1]
            means = [float(mean) for mean in re.findall(r"([\d.]+) \+- [\d.]+", cells)]
            self.assertEqual(len(means), 5, tables)
            for bytes_, mean in zip((16, 500, 1000, 1500, 2000), means):
                self.assertAlmostEqual(mean, base_us + slope_us * bytes_, delta=3)
        raw = json.loads(self.succeed("machine", "show", "m.json", "--raw", "--json").stdout)
        self.assertAlmostEqual(raw["clock_resolution_s"] * 1e6, 1024 / 7, places=1)
        echoes = [one for one in raw["observations"] if (one["experiment"], one["computation"], one["bytes"]) == (1, "integer", 500)]
        self.assertEqual([one["hops"] for one in echoes], [1, 2, 3, 4, 5])
        for one in echoes:  # 2F + 2dE + 2U at 500 bytes
            self.assertAlmostEqual(one["mean_s"] * 1e6, 2 * (460 + one["hops"] * 862.5 + 435), delta=5)
        self.assertEqual(len(raw["differences"]), 2 * 5 * 4, "with Q underneath and without, five sizes, four steps")
        self.assertRegex(self.succeed("machine", "show", "m.json", "--raw").stdout, r"inter +integer +5 +R\+S +1 +2000 ")
        self.assertIn("final_message_s", model["observations"]["interference"][0])

        fitted = json.loads(self.succeed("machine", "fit", "m.samples.json", "--json").stdout)
        self.assertEqual(fitted, model)

        # What was measured is a machine again, and measures the same: nothing but the six terms was used.
        self.succeed("measure", "--simulated", "m.json", "-o", "again.json")
        again = json.loads((self.dir / "again.json").read_text())
        for term in TABLE_3:
            self.assertAlmostEqual(again["six_lines"][term]["base_s"], model["six_lines"][term]["base_s"], delta=3e-6)
        self.succeed("machine", "show", "m.json", "--html", "m.html")

    def test_the_tables_of_s1_itself(self):
        tables = self.succeed("machine", "show", "ncube-seven", "--tables").stdout
        self.assertRegex(tables, r"E +242 \+- 1 +864 \+- 2 +1506 \+- 1 +2149 \+- 1 +2792 \+- 0\n")  # Table 1
        self.assertRegex(tables, r"E +245 \+- 1 +868 \+- 1 +1509 \+- 0 +2154 \+- 1 +2797 \+- 1\n")  # Table 2
        done = self.run_whatwire("machine", "show", "ncube-seven", "--raw")
        self.assertEqual(done.returncode, 1)
        self.assertIn("names no file of samples", done.stderr)
        done = self.run_whatwire("machine", "show", "comet", "--tables")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no lines of the six terms", done.stderr)
        self.assertEqual(self.run_whatwire("machine", "show", "comet", "--tables", "--raw").returncode, 2)

    def test_what_cannot_be_simulated_is_refused(self):
        done = self.run_whatwire("measure", "--simulated", "comet", "-o", "m.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the model's costs have no F", done.stderr)
        done = self.run_whatwire("measure", "--simulated", "no-such-machine")
        self.assertEqual(done.returncode, 1)
        done = self.run_whatwire("measure", "--simulated", "ncube-seven", "--", "mpirun", "-n", "2")
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.dir / "m.json").exists())
