"""`whatwire measure --simulated`. Expectations: Krumme and Greenfield 1988 (S1), Table 3 and section 5.2."""
import json

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

        fitted = json.loads(self.succeed("machine", "fit", "m.samples.json", "--json").stdout)
        self.assertEqual(fitted, model)

        # What was measured is a machine again, and measures the same: nothing but the six terms was used.
        self.succeed("measure", "--simulated", "m.json", "-o", "again.json")
        again = json.loads((self.dir / "again.json").read_text())
        for term in TABLE_3:
            self.assertAlmostEqual(again["six_lines"][term]["base_s"], model["six_lines"][term]["base_s"], delta=3e-6)
        self.succeed("machine", "show", "m.json", "--html", "m.html")

    def test_what_cannot_be_simulated_is_refused(self):
        done = self.run_whatwire("measure", "--simulated", "comet", "-o", "m.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the model's costs have no F", done.stderr)
        done = self.run_whatwire("measure", "--simulated", "no-such-machine")
        self.assertEqual(done.returncode, 1)
        done = self.run_whatwire("measure", "--simulated", "ncube-seven", "--", "mpirun", "-n", "2")
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.dir / "m.json").exists())
