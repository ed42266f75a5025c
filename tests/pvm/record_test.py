#!/usr/bin/env python3
"""Programs of PVM recorded by whatwire. record_test.py WHATWIRE PATTERN
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

WHATWIRE, PATTERN = (Path(argument).resolve() for argument in sys.argv[1:3])


def record(machine, place, *command, **variables):
    trace = place / "run.ww"
    done = subprocess.run([WHATWIRE, "record", "--force", "-o", trace, "--", *command], env={**machine.environment, **variables}, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    return done, trace


def asked(*arguments):
    done = subprocess.run([WHATWIRE, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def tid(text):
    return int(text, 16)


class Recorded(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="record-pvm-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def messages_of(self, trace):
        file = self.place / "messages.csv"
        asked("export", trace, "--to", "csv-messages", "-o", file)
        with file.open() as lines:
            return list(csv.DictReader(lines))

    def test_every_message_of_every_way(self):
        logs = self.place / "logs"
        logs.mkdir()
        with Machine(str(PATTERN.parent)) as machine:
            done, trace = record(machine, self.place, PATTERN, PATTERN_LOG=str(logs), PVM_EXPORT="PATTERN_LOG")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(asked("report", trace, "--json"))
        rank_of = {tid(rank["address"]): rank["rank"] for rank in report["ranks"] if "address" in rank}
        sent, got = Counter(), Counter()
        for log in logs.iterdir():
            own = rank_of[tid(log.name)]
            for line in log.read_text().splitlines():
                what, *numbers = line.split()
                peer, tag, size = map(int, numbers)
                if what == "sent":
                    sent[own, rank_of[peer], tag, size] += 1
                else:
                    got[rank_of[peer], own, tag, size] += 1
        self.assertEqual(sent, got, "the program itself")
        self.assertEqual(len(list(logs.iterdir())), 3)
        of_pattern = set(rank_of.values()) & {key[0] for key in sent}  # without the group server
        seen = Counter((int(m["source"]), int(m["destination"]), int(m["tag"]), int(m["bytes"])) for m in self.messages_of(trace)
                       if {int(m["source"]), int(m["destination"])} <= of_pattern)
        self.assertEqual(dict(seen), dict(sent))
        self.assertNotIn("damaged-record", {said["name"] for said in report["diagnostics"]})
        self.assertNotIn("message-size-mismatch", {said["name"] for said in report["diagnostics"]})

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
                    said[recorded] = done.returncode, sorted(alike(line) for line in done.stdout.splitlines())
                    if recorded:
                        self.assertIn("whatwire: recorded", done.stderr)
                self.assertEqual(*said.values())
                report = json.loads(asked("report", self.place / "run.ww", "--json"))
                self.assertGreater(sum(rank["messages_sent"] for rank in report["ranks"]), 0)
                self.assertNotIn("damaged-record", {one["name"] for one in report["diagnostics"]})


def alike(line):
    """Without what differs from run to run: task numbers, times, the order of tasks' numbers."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "N", re.sub(r"\bt?[0-9a-f]{5}\b", "TID", line))).strip()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
