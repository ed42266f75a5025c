"""`whatwire explain TERM`: what a result names can be asked for by the same word. Expected is what the results themselves name, and the
interface page: any diagnostic, column or verdict."""
import json
import re

from support import EXAMPLES, Case


class Explaining(Case):
    def terms(self, *args):
        return json.loads(self.succeed("explain", *args, "--json").stdout)["terms"]

    def test_what_a_report_names(self):
        self.succeed("record", "--max-records", "20", "-o", "t.ww", "--", "mpirun.openmpi", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        report = json.loads(self.succeed("report", "t.ww", "--json").stdout)
        named = {each["name"]: each for each in report["diagnostics"]}
        self.assertIn("calls-over-limit", named)
        for name, diagnostic in named.items():
            (term,) = self.terms(name)
            self.assertEqual(term["name"], name)
            if name != "stolen-time":  # whose severity depends on how much it was
                self.assertEqual(term["kind"], f"diagnostic, {diagnostic['severity']}")
        self.assertIn(named["calls-over-limit"]["remedy"], self.succeed("explain", "calls-over-limit").stdout)
        for column in ("elapsed_s", "compute_s", "library_s", "blocked_s"):
            self.assertIn(column, report["ranks"][0])
            self.assertEqual([term["name"] for term in self.terms(column)], [column[:-2]])

    def test_verdicts_and_letters(self):
        for verdict in ("computation-bound", "communication-bound", "logical-delay"):
            self.assertEqual(self.terms(verdict)[0]["kind"], "verdict")
        self.assertIn("per byte", self.terms("G")[0]["text"])
        self.assertIn("between two messages", self.terms("g")[0]["text"])

    def test_all_and_none(self):
        names = [term["name"] for term in self.terms()]
        self.assertGreater(len(names), 100)
        self.assertIn("utilisation", names)
        done = self.run_whatwire("explain", "unmatched-sendd")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean unmatched-send?", done.stderr)

    def test_every_command_has_an_example_and_json(self):
        """README.md promises both of every command; which there are, the program says."""
        listed = self.succeed("--help").stdout.split("Subcommands:")[1]
        names = re.findall(r"(?m)^  ([a-z][\w-]*) ", listed)
        self.assertGreater(len(names), 10)
        for name in names:
            helped = self.succeed(name, "--help").stdout
            self.assertRegex(helped, rf"Examples?: .*\bwhatwire {name}\b", name)
            if "Subcommands:" not in helped:
                self.assertIn("--json", helped, name)
