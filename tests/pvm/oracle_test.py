#!/usr/bin/env python3
"""The recorder of PVM beside libpvm3's own tracing, which knows nothing of it. oracle_test.py WHATWIRE PATTERN NO_PARENT [PROGRAM...]
Each program is run by PVM's console with the events of what is compared traced (what XPVM shows), and recorded in another run: the messages that its tasks got from each other
must be the same, with their codes and sizes, and so must be how often they called what they call themselves.
PROGRAM: paths of other ones instead of those that are here, each run in its folder, where its input is. (Those that begin with no parent do so for no_parent.c. With every event
traced libpvm3 3.4.6 aborts in pvm_spawn of Sweep3D, with or without this recorder.)"""
import collections
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from machine import Machine

WHATWIRE, PATTERN, NO_PARENT = (Path(argument).resolve() for argument in sys.argv[1:4])
PROGRAMS = [Path(argument).resolve() for argument in sys.argv[4:]] or [PATTERN, *(Path("/usr/bin", name) for name in ("hitc", "spmd", "fspmd", "joinleave"))]
# Calls of programs that neither poll nor are made by PVM's functions for one another.
CALLS = ("send", "psend", "mcast", "recv", "precv", "trecv", "spawn", "setopt", "parent", "joingroup", "barrier", "bcast", "reduce", "gather", "scatter", "lvgroup",
         "pkbyte", "pkdouble", "pkfloat", "upkbyte", "upkdouble", "upkfloat", "initsend")
OPTIONS_OF_CATCHOUT = 5  # that pvm_catchout sets, which are traced like the program's
RECEIVES = ("recv", "nrecv", "trecv", "precv")  # whose last events all have TS, TU, TID, MB (precv: CC), MNB, MC, MCX, SRC


class Events:
    """Of a trace file of the console's (SDDF in text): (name, which end, numbers)."""

    def __init__(self, text):
        self.all = []
        for name, end, rest in re.findall(r'^"([a-z_]+)\(([0-9.]+)\)" \{ (.*) \};;$', text, re.M):
            self.all.append((name, end, [int(word) for word in re.findall(r"-?\d+", re.sub(r'\[\d+\] \{[^}]*\}', "", rest))]))
        self.tasks = sorted({numbers[2] for name, _, numbers in self.all if name == "newtask"})

    def calls(self):
        return collections.Counter(name for name, end, _ in self.all if end.startswith("0."))

    def messages(self):
        """(sender, receiver, code, bytes), tasks by the order of their tids."""
        got = collections.Counter()
        for name, end, numbers in self.all:
            if name not in RECEIVES or not end.startswith("1."):
                continue
            _, _, task, buffer, size, code, _, source = numbers
            done = buffer >= 0 if name == "precv" else buffer > 0
            if done and source in self.tasks:
                got[self.tasks.index(source), self.tasks.index(task), code, size] += 1
        return got


def traced(machine, program, place):
    """By the console, until it says that the file is complete."""
    file = place / "events"
    console = subprocess.Popen(["pvm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=machine.environment)
    console.stdin.write(f"trace - *\ntrace + {' '.join({*CALLS, *RECEIVES})}\nspawn -@{file} -> {program}\n")
    console.stdin.flush()
    said = ""
    limit = time.monotonic() + 60
    while "Trace File Complete" not in said and time.monotonic() < limit:
        said += console.stdout.readline()
    console.stdin.write("quit\n")
    console.stdin.close()
    console.wait(timeout=20)
    console.stdout.close()
    if "Trace File Complete" not in said:
        raise RuntimeError(said)
    return Events(file.read_text(errors="replace"))


def asked(*arguments):
    done = subprocess.run([WHATWIRE, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class BesideTheLibrarysOwnTrace(unittest.TestCase):
    maxDiff = None

    def recorded(self, program, place, logs):
        trace = place / "run.ww"
        with Machine(str(program.parent), environment={"HOME": str(program.parent)}) as machine:
            done = subprocess.run([WHATWIRE, "record", "--force", "-o", trace, "--", program], env=dict(machine.environment, PATTERN_LOG=logs, PVM_EXPORT="PATTERN_LOG"),
                                  cwd=program.parent, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        self.assertIn("whatwire: recorded", done.stderr)
        tables = {}
        for what in ("csv", "csv-messages"):
            asked("export", trace, "--to", what, "-o", place / what)
            with (place / what).open() as file:
                tables[what] = list(csv.DictReader(file))
        return tables

    def test_messages_and_calls_are_the_same(self):
        for program in PROGRAMS:
            with self.subTest(program=program), tempfile.TemporaryDirectory(prefix="oracle-pvm-") as directory:
                place = Path(directory)
                with Machine(str(program.parent), environment={"HOME": str(program.parent), "LD_PRELOAD": str(NO_PARENT)}) as machine:
                    machine.environment |= {"PATTERN_LOG": directory, "PVM_EXPORT": "PATTERN_LOG"}
                    events = traced(machine, program.name, place)
                tables = self.recorded(program, place, directory)
                # group servers are no tasks of the program's, and not among the traced: one, and those that found it there already
                facts = json.loads((place / "run.ww" / "run.json").read_text())["ranks"]
                served = {str(rank["rank"]) for rank in facts if rank.get("program", "").endswith("pvmgs")}
                tids = {str(rank["rank"]): int(rank["address"], 16) for rank in json.loads(asked("report", place / "run.ww", "--json"))["ranks"] if "address" in rank}
                ranks = sorted({line["rank"] for line in tables["csv"]} - served, key=tids.get)
                # pvm_exit takes what nobody has received (Sweep3D's first task sends to itself, too), which is not traced
                messages = collections.Counter((ranks.index(m["source"]), ranks.index(m["destination"]), int(m["tag"]), int(m["bytes"])) for m in tables["csv-messages"]
                                               if {m["source"], m["destination"]} <= set(ranks) and m["receive_call"] != "pvm_exit")
                self.assertEqual(messages, events.messages())
                calls = collections.Counter(line["call"].removeprefix("pvm_") for line in tables["csv"] if line["rank"] in ranks)
                known = events.calls()
                known["setopt"] -= OPTIONS_OF_CATCHOUT * calls["catchout"]
                self.assertEqual({name: calls[name] for name in CALLS}, {name: known[name] for name in CALLS})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
