"""`whatwire machine` without a measurement: the presets, their pictures, and models that cannot be drawn."""
import json
import re

from support import Case


class MachineModels(Case):
    def page_data(self, file):
        text = (self.dir / file).read_text()
        self.assertTrue(text.startswith("<!doctype html>"))
        return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])

    def test_every_preset_is_listed_shown_and_drawn(self):
        presets = json.loads(self.succeed("machine", "list", "--json").stdout)["presets"]
        listed = self.succeed("machine", "list").stdout
        # the classes that issue 4 names
        classes = {"ncube-seven", "ipsc-1", "s3-hypercube", "comet", "stampede", "ethernet-1", "ethernet-10", "ethernet-25", "ethernet-100", "ethernet-400",
                   "infiniband-hdr", "infiniband-ndr", "slingshot-11"}
        self.assertLessEqual(classes, {preset["name"] for preset in presets})
        for preset in presets:
            self.assertIn(preset["source"], listed)
            shown = self.succeed("machine", "show", preset["name"]).stdout
            self.assertNotIn("e+0", shown, "a number that nobody reads")
            model = json.loads(self.succeed("machine", "show", preset["name"], "--json", "--html", "page.html").stdout)
            data = self.page_data("page.html")
            self.assertEqual(data["machine"], model, "the page's data are the model")
            self.assertEqual(data["studies"], [])

    def test_frames_are_counted_only_where_there_are_some(self):
        self.assertIn("; in one piece\n", self.succeed("machine", "show", "ncube-seven").stdout)
        self.assertIn("frames of 1448 + 90 bytes", self.succeed("machine", "show", "ethernet-10").stdout)

    def test_alpha_and_beta_of_each_link(self):
        """S2's table. Its own numbers, read as its programs measure: Comet's t_s / 2 and t_c / 16 (figure 3.5; 16 and 8 by the listings)."""
        model = self.shown("comet")
        between, within = model["alpha_beta"]
        self.assertAlmostEqual(between["t_s"], 2.82577289e-6 / 2, 15)
        self.assertAlmostEqual(1e-9 / between["t_c_s_per_byte"], 5.509, 3)
        self.assertAlmostEqual(model["links"][0]["smallest_s"], 1.412886445e-6, 15)
        self.assertAlmostEqual(between["alpha_cycles"], 7629.586803 / 2, 5)
        self.assertAlmostEqual(between["beta_operations_per_byte"], 125.4663648 / 16, 6)
        self.assertAlmostEqual(within["inverse_beta_bytes_per_cycle"], 0.3364073259 * 16, 6)
        self.assertEqual([row["t_c_s_per_byte"] for row in model["observations"]["printed"]], [2.904314e-8, 1.1009581e-9])
        self.assertTrue(any("round trip (Send and Recv) of MPI_DOUBLE" in flag for flag in model["flags"]))
        text = self.succeed("machine", "show", "comet").stdout
        self.assertRegex(text, r"between hosts +1\.413 +0\.1815 +3815 +0\.4901 +2\.04 +61037 +7\.842\n")
        self.assertRegex(text, r"between hosts, as printed +2\.82577289 +29\.04314 +7629\.586803 ")
        # neither is known of this one, until it is given
        row = self.shown("ethernet-100")["alpha_beta"][0]
        self.assertEqual((row["alpha_cycles"], row["alpha_operations"]), (None, None))
        self.assertIn("clock not known (--clock), operations a cycle not known (--ipc)", self.succeed("machine", "show", "ethernet-100").stdout)
        model = self.shown("ethernet-100", "--clock", "2.5GHz", "--ipc", "16")
        row = model["alpha_beta"][0]
        self.assertAlmostEqual(row["alpha_cycles"], row["t_s"] * 2.5e9, 6)
        self.assertAlmostEqual(row["alpha_operations"], row["t_s"] * 40e9, 6)
        self.assertAlmostEqual(model["alpha_cycles"], row["alpha_cycles"], 6)
        for wrong in (("--clock", "fast"), ("--clock", "-1GHz"), ("--ipc", "0")):
            self.assertEqual(self.run_whatwire("machine", "show", "comet", *wrong).returncode, 2, wrong)
        # a file of it is a model again, and its table follows from the rest
        changed = {**model, "alpha_beta": [{**row, "t_s": 1}]}
        (self.dir / "m.json").write_text(json.dumps(changed))
        self.assertEqual(self.shown("m.json"), model)

    def test_two_models_on_one_page(self):
        done = self.succeed("machine", "diff", "ethernet-10", "ethernet-100", "--html", "both.html")
        self.assertIn("both.html", done.stdout)
        self.assertEqual([model["name"] for model in self.page_data("both.html")["machines"]], ["ethernet-10", "ethernet-100"])

    def test_a_model_that_cannot_be_drawn_is_named(self):
        model = json.loads(self.succeed("machine", "show", "comet", "--json").stdout)
        model["collectives"] = {"bcast": [{"ranks": 2, "bytes": "many", "median_s": 1}]}
        (self.dir / "wrong.json").write_text(json.dumps(model))
        done = self.run_whatwire("machine", "show", "wrong.json", "--html", "page.html")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("key collectives.bcast[0].bytes", done.stderr)
        self.assertFalse((self.dir / "page.html").exists())
        done = self.run_whatwire("machine", "show", "wrong.json")  # a damaged model is one for every command
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("key collectives.bcast[0].bytes", done.stderr)
        done = self.run_whatwire("machine", "show", "comet", "--html", "no/such/place.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no/such/place.html", done.stderr)
