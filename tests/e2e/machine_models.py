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
