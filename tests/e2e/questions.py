"""The questions of `whatwire report --ask` on a real run. Expectations: identities between the answers, and the
numbers of messages that the example program prints itself."""
import csv
import json
import re
import shutil
import subprocess

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
        both = self.succeed("report", "t.ww", "--by", "peer", "--ask", "unmatched").stdout
        self.assertIn("from  to  messages", both)
        self.assertIn("every send has its receive", both)
        late = self.run_whatwire("report", "t.ww", "--at", "5s")
        self.assertEqual(late.returncode, 1)
        self.assertIn("name a time within it", late.stderr)

    def test_parts_of_a_run_add_up(self):
        self.succeed("record", "-o", "p.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "64")
        whole = self.json_of("report", "p.ww", "--ask", "all")
        middle = f"{whole['elapsed_s'] / 2:.9f}"
        parts = [self.json_of("report", "p.ww", "--ask", "all", option, middle) for option in ("--to", "--from")]
        for rank in whole["ranks"]:
            halves = [part["ranks"][rank["rank"]] for part in parts]
            for key, value in rank.items():
                if key not in ("rank", "host"):
                    self.assertAlmostEqual(sum(half[key] for half in halves), value, 9, key)
        for keys in (("messages", "all", "messages"), ("messages", "all", "sum_bytes"), ("sent", "collective_bytes"),
                     ("critical_path", "length_s"), ("delays", "blocked_by_network_s"), ("delays", "blocked_s")):
            def value_of(report):
                for key in keys:
                    report = report[key]
                return report
            self.assertAlmostEqual(sum(map(value_of, parts)), value_of(whole), 9, keys)
        self.assertEqual(self.json_of("report", "p.ww", "--ranks", "1")["selection"], {"ranks": "1"})
        self.assertIn("selected: ranks 1", self.succeed("report", "p.ww", "--ranks", "1").stdout)
        for words, code, remedy in ((("--ranks", "9"), 1, "ranks 0 to 1"), (("--from", "2ms", "--to", "1ms"), 2, "exchange"),
                                    (("--calls", "MPI_Snedrecv"), 1, "do you mean"), (("--ranks", "x"), 2, "0-3,7")):
            wrong = self.run_whatwire("report", "p.ww", *words)
            self.assertEqual(wrong.returncode, code, wrong.stderr)
            self.assertIn(remedy, wrong.stderr)

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
        self.assertNotIn("other-program", self.succeed("compare", "a.ww", "b.ww").stdout)
        self.succeed("record", "-o", "c.ww", "--", "mpirun", "-n", "2", EXAMPLES / "ring", "--messages", "5")
        self.assertIn("B ran ring, A ran transpose", self.succeed("compare", "a.ww", "c.ww").stdout)
        refused = self.run_whatwire("compare", "a.ww", "study.json")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not a study", refused.stderr)


class Export(Case):
    def setUp(self):
        super().setUp()
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "64", "--repeat", "5")
        self.report = self.json_of("report", "t.ww")
        self.sent = sum(r["messages_sent"] for r in self.report["ranks"])
        self.calls = sum(c["count"] for c in self.report["calls"].values())

    def test_chrome(self):
        self.succeed("export", "t.ww", "--to", "chrome", "-o", "t.json")
        events = json.loads((self.dir / "t.json").read_text())["traceEvents"]
        slices = [e for e in events if e["ph"] == "X"]
        self.assertEqual(len(slices), self.calls)
        for rank in (0, 1):  # begins and ends nest: of each rank, a slice ends before the next begins, or around it
            ends = []
            for e in sorted((e for e in slices if e["pid"] == rank), key=lambda e: (e["ts"], -e["dur"])):
                while ends and ends[-1] <= e["ts"]:
                    ends.pop()
                end = round(e["ts"] + e["dur"], 3)
                self.assertTrue(not ends or end <= ends[-1], e)
                ends.append(end)
        begun = {e["id"]: e for e in events if e["ph"] == "s"}
        ended = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(len(begun), self.sent)
        self.assertEqual(set(begun), set(ended))
        self.assertTrue(all(begun[i]["ts"] <= ended[i]["ts"] for i in begun))

    def test_csv(self):
        self.succeed("export", "t.ww", "--to", "csv", "-o", "calls.csv")
        self.succeed("export", "t.ww", "--to", "csv-messages", "-o", "messages.csv")
        rows = list(csv.DictReader((self.dir / "calls.csv").open()))
        self.assertEqual(len(rows), self.calls)
        self.assertEqual(sum(int(r["messages_sent"]) for r in rows), self.sent)
        messages = list(csv.DictReader((self.dir / "messages.csv").open()))
        self.assertEqual(sum(int(m["bytes"]) for m in messages), sum(r["bytes_sent"] for r in self.report["ranks"]))

    def test_paje(self):
        self.succeed("export", "t.ww", "--to", "paje", "-o", "t.paje")
        text = (self.dir / "t.paje").read_text()
        self.assertEqual(len(re.findall(r"^6 ", text, re.M)), self.calls)
        self.assertEqual(len(re.findall(r"^8 ", text, re.M)), self.sent)
        if shutil.which("pj_dump"):  # pajeng: an independent reader
            dump = subprocess.run(["pj_dump", "t.paje"], cwd=self.dir, capture_output=True, text=True, check=True).stdout
            self.assertEqual(len(re.findall(r"^State,", dump, re.M)), self.calls)
            self.assertEqual(len(re.findall(r"^Link,", dump, re.M)), self.sent)

    def test_what_there_is_nothing_of_is_said(self):
        for kind in "user", "one-sided", "files":
            done = self.succeed("export", "t.ww", "--to", f"csv-{kind}", "-o", "empty.csv")
            self.assertIn("nothing-to-export", done.stderr)
            self.assertEqual((self.dir / "empty.csv").read_text().count("\n"), 1)
        self.assertNotIn("nothing-to-export", self.succeed("export", "t.ww", "--to", "csv-messages", "-o", "t.csv").stderr)

    def test_refusals(self):
        self.assertEqual(self.run_whatwire("export", "t.ww", "--to", "nonsense", "-o", "x").returncode, 2)
        before = {p.name for p in self.dir.iterdir()}
        done = self.run_whatwire("export", "t.ww", "--to", "csv", "-o", "no/such/place")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-o", done.stderr)
        self.assertEqual(self.left_behind(before), [])
