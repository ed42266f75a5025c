#!/usr/bin/env python3
"""Programs of PVM recorded by whatwire. record_test.py WHATWIRE PATTERN TWO_CONTEXTS
What is expected is what the tasks of pattern.c write down of themselves by hand, and of Debian's examples what they print unrecorded."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from machine import Machine
from pattern_log import messages_by_hand, messages_of

WHATWIRE, PATTERN, TWO_CONTEXTS = (Path(argument).resolve() for argument in sys.argv[1:4])


def record(machine, place, *command, options=(), **variables):
    trace = place / "run.ww"
    done = subprocess.run([WHATWIRE, "record", "--force", "-o", trace, *options, "--", *command], env={**machine.environment, **variables}, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    return done, trace


def asked(*arguments):
    done = subprocess.run([WHATWIRE, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class Recorded(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="record-pvm-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def test_messages_of_a_context_are_received_in_it(self):
        """With one code from one task, and received in the other order (two_contexts.c): told apart by nothing else."""
        with Machine(str(TWO_CONTEXTS.parent)) as machine:
            done, trace = record(machine, self.place, TWO_CONTEXTS)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        number = re.search(r"context (-?\d+)", done.stdout)[1]
        asked("export", trace, "--to", "csv-messages", "-o", str(self.place / "messages"))
        with (self.place / "messages").open() as file:
            messages = sorted((m for m in csv.DictReader(file) if m["tag"] == "7"), key=lambda m: float(m["receive_leave_s"]))
        self.assertEqual([(m["bytes"], m["communicator"]) for m in messages], [("16", "PVM"), ("8", f"PVM, context {number}")])
        self.assertGreater(float(messages[0]["send_enter_s"]), float(messages[1]["send_enter_s"]))

    def test_functions_are_regions_in_the_task_and_in_the_one_that_it_spawns(self):
        """As two_contexts.c reads; its main begins before a task enrols and ends after pvm_exit."""
        with Machine(str(TWO_CONTEXTS.parent)) as machine:
            done, trace = record(machine, self.place, TWO_CONTEXTS, options=["--functions", "main,send_doubles,receive_any"])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(asked("report", trace, "--json", "--by", "region", "--ask", "functions"))
        self.assertEqual({region["region"]: region["visits"] for region in report["regions"]}, {"main": 2, "send_doubles": 2, "receive_any": 2})
        self.assertEqual({one["function"]: one["calls"] for one in report["functions"]["functions"]}, {"main": 2, "send_doubles": 2, "receive_any": 2})
        self.assertFalse({"region-left-open", "region-out-of-order"} & {d["name"] for d in report["diagnostics"]})

    def test_every_message_of_every_way(self):
        logs = self.place / "logs"
        logs.mkdir()
        with Machine(str(PATTERN.parent)) as machine:
            done, trace = record(machine, self.place, PATTERN, PATTERN_LOG=str(logs), PVM_EXPORT="PATTERN_LOG")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(asked("report", trace, "--json"))
        sent, got = messages_by_hand(logs, report)
        self.assertEqual(sent, got, "the program itself")
        self.assertEqual(len(list(logs.iterdir())), 3)
        self.assertEqual(messages_of(WHATWIRE, trace, self.place, {key[0] for key in sent}), sent)
        # Each message is written by at least one call of its sender's system, and read by two of its receiver's (S4, 2.4: 16 bytes, then the rest).
        counts = {name: call["count"] for name, call in report["calls"].items()}
        self.assertGreaterEqual(counts["write"], sum(sent.values()))
        self.assertGreaterEqual(counts["read"], 2 * sum(sent.values()))
        self.assertGreater(counts["select"], 0)
        self.assertNotIn("damaged-record", {said["name"] for said in report["diagnostics"]})
        self.assertNotIn("message-size-mismatch", {said["name"] for said in report["diagnostics"]})
        self.replayed_as_in_s4(trace, report, sent)

    def replayed_as_in_s4(self, trace, report, sent):
        """S4's replay input has each message with PVM's header of 32 bytes, and its simulation plays it."""
        asked("export", trace, "--to", "s4", "-o", self.place / "s4")
        stations = [[line.split() for line in (self.place / "s4" / f"station.{rank['rank']}").read_text().splitlines()] for rank in report["ranks"]]
        goes, comes = Counter(), Counter()
        for number, lines in enumerate(stations):
            for function, _, size, source, *to in lines:
                if function in "sm":
                    self.assertEqual(int(source), number)
                    goes.update({(number, int(one)): int(size) for one in to})
                elif function == "r":
                    self.assertEqual([int(one) for one in to], [number])
                    comes[int(source), number] += int(size)
        self.assertEqual(goes, comes)
        tasks = {key[0] for key in sent}
        by_hand = Counter()
        for (source, to, _, size), count in sent.items():
            by_hand[source, to] += count * (size + 32)
        self.assertEqual(Counter({pair: size for pair, size in goes.items() if set(pair) <= tasks}), by_hand)
        played = json.loads(asked("simulate", self.place / "s4", "--scenarios", "--json"))
        self.assertEqual(len(played["scenarios"]), 4)
        mean = played["scenarios"][0]["mean"]
        self.assertGreater(mean["recorded_blocked_s"], 0)
        self.assertGreater(mean["library_overhead_s"], played["scenarios"][2]["mean"]["library_overhead_s"])
        self.assertAlmostEqual(mean["tcp_overhead_s"], played["scenarios"][2]["mean"]["tcp_overhead_s"], 12)

        self.played_on_another_network(report)

    def played_on_another_network(self, report):
        """The same input as a schedule has the trace's messages, each with PVM's header, whatever plays it."""
        all_ranks = {rank["rank"] for rank in report["ranks"]}
        expected = Counter()
        for (source, destination, _, size), count in messages_of(WHATWIRE, self.place / "run.ww", self.place, all_ranks).items():
            if source != destination:
                expected.update({(source, "messages"): count, (source, "bytes"): count * (size + 32)})
        made = json.loads(asked("import", self.place / "s4", "-o", self.place / "stations.ww", "--json"))
        self.assertEqual(made["messages"], sum(count for (_, what), count in expected.items() if what == "messages"))
        for network in ("bus", "fat-tree:k=4"):
            played = json.loads(asked("simulate", self.place / "stations.ww", "--machine", "pvm-ethernet-10", "--network", network, "--json"))
            self.assertTrue(any("writes and reads" in one for one in played["assumptions"]), played["assumptions"])
            self.assertEqual(Counter({(rank["rank"], what): rank[f"{what}_sent"] for rank in played["ranks"] for what in ("messages", "bytes") if rank["messages_sent"]}), expected)

    def test_tasks_that_go_on_are_told(self):
        with Machine(str(PATTERN.parent)) as machine:
            done, trace = record(machine, self.place, PATTERN, PATTERN_LOG=str(self.place), PATTERN_LINGERS="1", PVM_EXPORT="PATTERN_LOG:PATTERN_LINGERS")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = {one["name"]: one["count"] for one in json.loads(asked("report", trace, "--json"))["diagnostics"]}
        self.assertEqual((said.get("tasks-go-on"), said.get("rank-ended-early")), (1, 2))

    def test_dilated_tasks_know_when_their_messages_departed(self):
        # Its messages of every way, at D = 4 of a network of which the model's is the fourth: the run says what it does not know of any.
        logs = self.place / "logs"
        logs.mkdir()
        with Machine(str(PATTERN.parent)) as machine:
            done = subprocess.run([WHATWIRE, "dilate", "-D", "4", "--repeat", "1", "--machine", "pvm-ethernet-10", "-o", self.place / "d", "--json", "--", PATTERN],
                                  env={**machine.environment, "PATTERN_LOG": str(logs), "PVM_EXPORT": "PATTERN_LOG"}, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # What came from daemons and servers, which are not recorded, has no other end in the trace either.
        said = {one["name"]: one["count"] for one in json.loads(done.stdout)["diagnostics"]}
        self.assertNotIn("departures-not-shared", said)
        self.assertLessEqual(said.get("departure-unknown", 0), said.get("unmatched-receive", 0), said)
        for trace in (self.place / "d").glob("*.ww"):
            run = json.loads((trace / "run.json").read_text())
            self.assertEqual(run["dilation"], 4)
            self.assertTrue(all(rank["stretch"]["count"] > 0 for rank in run["ranks"]), run["ranks"])

    def test_what_is_not_there_is_said(self):
        alone = dict(os.environ, PVM_TMP=str(self.place), PVM_ROOT="/usr/lib/nowhere", PVM_ALLOW_ROOT="1")
        for words, what in ((["record", "-o", self.place / "n.ww"], "was no task of PVM"), (["dilate", "--virtual", "--machine", "pvm-ethernet-10"], "was no task of PVM"),
                            (["study"], "was no task of PVM")):
            done = subprocess.run([WHATWIRE, *words, "--", "/usr/bin/hello.pvm"], env=alone, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120,
                                  cwd=self.place)
            self.assertGreater(done.returncode, 0)
            self.assertIn(what, done.stderr)

    def test_programs_of_others_run_as_they_do_without(self):
        # Debian's examples that ask for nothing: C and Fortran, tasks that are spawned, groups, mailboxes, notification.
        for program in ("hello.pvm", "master1", "fmaster1", "spmd", "fspmd", "gexample", "fgexample", "hitc", "trsg", "frsg", "joinleave", "tst", "timing"):
            with self.subTest(program):
                said = {}
                for recorded in (False, True):
                    with Machine("/usr/bin") as machine:
                        command = ["/usr/bin/" + program]
                        if recorded:
                            command = [WHATWIRE, "record", "--force", "-o", self.place / "run.ww", "--", *command]
                        done = subprocess.run(command, env=machine.environment, input="3\n" * 3, capture_output=True, text=True, timeout=120)
                    # frsg's own sum races: unrecorded it printed ERROR in 9 of 10 fresh machines here, and OK in the other.
                    lines = [line for line in done.stdout.splitlines() if program != "frsg" or "Sum of Squares" not in line]
                    said[recorded] = done.returncode, sorted(alike(line) for line in lines)
                    if recorded:
                        self.assertIn("whatwire: recorded", done.stderr)
                self.assertEqual(*said.values())
                report = json.loads(asked("report", self.place / "run.ww", "--json"))
                self.assertGreater(sum(rank["messages_sent"] for rank in report["ranks"]), 0)
                self.assertNotIn("damaged-record", {one["name"] for one in report["diagnostics"]})


def alike(line):
    """Without what differs from run to run: numbers of tasks, times."""
    return re.sub(r"\s+", " ", re.sub(r"\bt?[0-9a-f]*\d[0-9a-f.]*\b", "N", line)).strip()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
