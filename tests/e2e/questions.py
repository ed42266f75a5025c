"""The questions of `whatwire report --ask` on a real run. Expectations: identities between the answers, and the
numbers of messages that the example program prints itself."""
import re

from support import EXAMPLES, Case


class Questions(Case):
    def test_answers_agree_with_each_other_and_the_program(self):
        run = self.succeed("record", "-o", "r.ww", "--", "mpirun", "--oversubscribe", "-n", "2", EXAMPLES / "ring",
                           "--messages", "20", "--length", "500", "--work", "50")
        counted = re.findall(r"^rank (\d+) sent (\d+) messages (\d+) bytes$", run.stdout, re.M)
        self.assertEqual(len(counted), 2, run.stdout)
        report = self.json_of("report", "r.ww", "--ask", "all")

        pop = report["pop"]
        self.assertAlmostEqual(pop["parallel_efficiency"], pop["load_balance"] * pop["communication_efficiency"], 9)
        self.assertAlmostEqual(pop["communication_efficiency"], pop["serialisation"] * pop["transfer"], 9)
        self.assertLessEqual(pop["most_compute_s"], pop["ideal_s"] * (1 + 1e-9))

        path = report["critical_path"]
        self.assertAlmostEqual(path["length_s"], path["compute_s"] + sum(c["time_s"] for c in path["calls"].values()), 6)
        self.assertLessEqual(path["length_s"], report["elapsed_s"] + 1e-9)

        sent = sum(int(messages) for _, messages, _ in counted)
        volume = sum(int(size) for _, _, size in counted)
        sizes = report["messages"]["all"]
        self.assertEqual((sizes["messages"], sizes["sum_bytes"]), (sent, volume))
        self.assertEqual(sum(b["messages"] for b in sizes["histogram"]), sent)
        self.assertEqual(sum(q["messages"] for q in report["queues"]["ranks"]), sent)
        self.assertEqual(report["unmatched"], [])
        for rank in report["utilisation"]["ranks"]:
            self.assertLessEqual(rank["idle_s"], report["ranks"][rank["rank"]]["blocked_s"] + 1e-9)

    def test_one_message_followed(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        followed = self.json_of("report", "t.ww", "--message", "0:1:any:1")["message"]
        self.assertEqual((followed["source"], followed["destination"], followed["sequence"]), (0, 1, 1))
        again = self.json_of("report", "t.ww", "--message", str(followed["number"]))["message"]
        self.assertEqual(followed, again)
        text = self.succeed("report", "t.ww", "--message", "0:1").stdout
        self.assertIn("begins to send it", text)
        wrong = self.run_whatwire("report", "t.ww", "--message", "nonsense")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("SOURCE:DESTINATION", wrong.stderr)
        self.assertEqual(self.run_whatwire("report", "t.ww", "--message", "99999999").returncode, 1)
        self.assertEqual(self.run_whatwire("report", "t.ww", "--ask", "nonsense").returncode, 2)

    def test_two_runs_compared(self):
        for name, repeat in (("a.ww", "20"), ("b.ww", "10")):
            self.succeed("record", "-o", name, "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "64", "--repeat", repeat)
        both = self.json_of("compare", "a.ww", "b.ww")
        times = [self.json_of("report", name)["elapsed_s"] for name in ("a.ww", "b.ww")]
        self.assertAlmostEqual(both["speed_up"], times[0] / times[1], 9)
        self.assertGreater(both["a"]["messages_sent"], both["b"]["messages_sent"])
        self.assertEqual([(c["sends_to"], c["receives_from"]) for c in both["classes"]], [(1, 1)])
        self.assertIn("speed-up", self.succeed("compare", "a.ww", "b.ww").stdout)
        (self.dir / "study.json").write_text('{"name": "no report"}')
        refused = self.run_whatwire("compare", "a.ww", "study.json")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not a study", refused.stderr)
