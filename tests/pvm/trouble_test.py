#!/usr/bin/env python3
"""What is left of a recorded program of PVM when something goes wrong. trouble_test.py WHATWIRE TROUBLE
What is expected is what trouble.c says that it sends, and how each of its tasks ended."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from machine import Machine

WHATWIRE, TROUBLE = (Path(argument).resolve() for argument in sys.argv[1:3])
LAB = f"pvt{os.getpid() % 100000}"
MESSAGES = 5


def whatwire(*arguments, **variables):
    return subprocess.run([WHATWIRE, *map(str, arguments)], env={**os.environ, **variables}, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200)


def daemon_of(machine):
    """Its process: the one that has the machine's directory in its environment."""
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "comm").read_text().startswith("pvmd") and f"PVM_TMP={machine.place}\0" in (process / "environ").read_text():
                return int(process.name)
        except (OSError, UnicodeDecodeError):
            continue
    raise RuntimeError("no daemon")


class InTrouble(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="trouble-pvm-")
        self.addCleanup(directory.cleanup)
        self.trace = Path(directory.name) / "run.ww"

    def report(self):
        said = whatwire("report", self.trace, "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.out = json.loads(said.stdout)
        return {one["name"]: one["count"] for one in self.out["diagnostics"]}

    def sent(self):
        """Of the two tasks, by tag 1 alone: where PVM tells a task of something, that is a message too."""
        file = self.trace.with_suffix(".csv")
        said = whatwire("export", self.trace, "--to", "csv-messages", "-o", file)
        self.assertEqual(said.returncode, 0, said.stderr)
        lines = [line.split(",") for line in file.read_text().splitlines()]
        tag, size = lines[0].index("tag"), lines[0].index("bytes")
        return [int(line[size]) for line in lines[1:] if line[tag] == "1"]

    def record(self, machine, mode):
        return whatwire("record", "-o", self.trace, "--", TROUBLE, mode, **machine.environment)

    def test_a_task_that_is_killed_leaves_what_it_did(self):
        with Machine(str(TROUBLE.parent)) as machine:
            done = self.record(machine, "killed")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = self.report()
        self.assertEqual(said.get("rank-ended-early"), 1, said)
        self.assertEqual(self.sent(), [8] * 2 * MESSAGES)

    def test_tasks_that_wait_for_each_other_are_seen_to(self):
        with Machine(str(TROUBLE.parent)) as machine:
            recorder = subprocess.Popen([WHATWIRE, "record", "-o", self.trace, "--", TROUBLE, "hangs"], env=machine.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                until = time.monotonic() + 60
                while time.monotonic() < until and len(list(self.trace.glob("spool/task-*.defs"))) < 2:
                    time.sleep(0.1)
                viewer = subprocess.Popen([WHATWIRE, "view", self.trace, "--json", "--no-browser"], stdout=subprocess.PIPE, text=True)
                url = json.loads(viewer.stdout.readline())["url"]
                live = {}
                while time.monotonic() < until and not live.get("ring"):
                    time.sleep(0.2)
                    with urllib.request.urlopen(url + "data/0/live") as answer:
                        live = json.load(answer)
                viewer.send_signal(signal.SIGINT)
                self.assertEqual(viewer.wait(20), 0)
                viewer.stdout.close()
            finally:
                recorder.send_signal(signal.SIGINT)
                recorder.wait(60)
        self.assertEqual(live["ring"], [0, 1], live)
        for rank in live["ranks"]:
            self.assertEqual((rank["call"], rank["peer"], rank["tag"]), ("pvm_recv", 1 - rank["rank"], 9), live)

    def test_a_message_that_is_packed_and_never_sent_is_none(self):
        with Machine(str(TROUBLE.parent)) as machine:
            done = self.record(machine, "unsent")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = self.report()
        self.assertEqual(self.sent(), [8] * 2 * MESSAGES)
        self.assertEqual({"unmatched-sends", "unmatched-receives", "rank-ended-early"} & said.keys(), set())
        self.assertEqual(self.out["calls"]["pvm_initsend"]["count"], 2 * MESSAGES + 2)
        self.assertEqual(self.out["calls"]["pvm_send"]["count"], 2 * MESSAGES)

    def test_a_daemon_that_dies_ends_the_run_and_not_the_trace(self):
        with Machine(str(TROUBLE.parent)) as machine:
            recording = subprocess.Popen([WHATWIRE, "record", "-o", self.trace, "--", TROUBLE, "daemon"], env=machine.environment, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(recording.stdout.readline(), "ready\n")
            os.kill(daemon_of(machine), signal.SIGKILL)
            _, errors = recording.communicate(timeout=100)
        self.assertNotEqual(recording.returncode, 0, errors)
        said = self.report()
        self.assertEqual(said.get("program-failed"), 1, said)  # both end by themselves: PVM's calls fail
        sent = self.sent()
        # The parent is "ready" when it has the child's fifth. The child may be within that pvm_send still, which fails when the daemon is gone.
        self.assertGreaterEqual(len(sent), 2 * MESSAGES - 1)
        self.assertEqual(set(sent), {8})

    def test_a_host_that_is_added_late_is_recorded(self):
        made = whatwire("lab", "up", "--name", LAB, "--hosts", 2, "--rate", "100Mb/s")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.addCleanup(whatwire, "lab", "down", "--name", LAB)
        late = f"ww{LAB}-h1"
        done = whatwire("record", "--lab", LAB, "-o", self.trace, "--", TROUBLE, "late")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.report()
        self.assertEqual(self.sent(), [8] * 2 * MESSAGES)
        self.assertIn(late, {rank["host"] for rank in self.out["ranks"]})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
