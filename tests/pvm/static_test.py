#!/usr/bin/env python3
"""Programs that are linked statically with PVM. static_test.py WHATWIRE PATTERN STATIC UNSEEN BUILD_DIR
PATTERN, STATIC and UNSEEN are pattern.c, linked with the shared libraries, with libwhatwire-pvm-wrap.a and PVM's archives, and with those alone. What is expected of
STATIC is what PATTERN leaves, and what its tasks write down of themselves by hand; which calls cannot be seen is in PVM's own objects."""
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

WHATWIRE, PATTERN, STATIC, UNSEEN, BUILD = (Path(argument).resolve() for argument in sys.argv[1:6])
WRAPPED = [f"@{BUILD}/lib/whatwire/pvm-wrap.options", f"-L{BUILD}/lib", "-lwhatwire-pvm-wrap"]
LOWEST = {"select", "read", "write"}
ASK_AGAIN = {"pvm_nrecv", "pvm_probe"}  # as often as it takes until a message is there
# What these call depends on who was first to need the server of groups.
OF_SERVER = {"pvm_joingroup", "pvm_barrier", "pvm_lvgroup"}
# What comes while these wait is chance: of two tasks that open a direct connection one asks first; as for what is left when a task leaves.
WITH_OTHERS = {"pvm_send", "pvm_exit"}
ENVIRONMENT = {"PVM_EXPORT": "PATTERN_LOG"}
FORTRAN = """
      program own
      include 'fpvm3.h'
      integer tid, info, numbers(25)
      call pvmfmytid(tid)
      call pvmfinitsend(PVMDEFAULT, info)
      call pvmfpack(INTEGER4, numbers, 25, 1, info)
      call pvmfsend(tid, 7, info)
      call pvmfrecv(tid, 7, info)
      call pvmfjoingroup('alone', info)
      call pvmfbarrier('alone', 1, info)
      call pvmfexit(info)
      end
"""
OWN_CALLS = r"""
#include <pvm3.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  int number = 0;
  char word[8] = "";
  const int own = pvm_mytid();
  for (int i = 0; i < 1000; ++i) if (write(1, "x", 1) != 1) return 1;
  pvm_initsend(PvmDataDefault);
  pvm_packf("%d %s", 42, "word");
  pvm_send(own, 1);
  pvm_recv(own, 1);
  pvm_unpackf("%d %s", &number, word);
  printf("%d %s", number, word);
  pvm_exit();
  return 0;
}
"""


def asked(*arguments):
    return subprocess.run([WHATWIRE, *arguments], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120).stdout


def archive_of(name):
    return subprocess.run(["cc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


def calls_in_archives():
    """(caller, called) of libpvm3 and libgpvm3, by whether both lie in one object, where there is no reference that the linker could wrap."""
    found = {True: set(), False: set()}
    for archive in ("libpvm3.a", "libgpvm3.a"):
        for text in subprocess.run(["objdump", "-dr", archive_of(archive)], check=True, capture_output=True, text=True).stdout.split("file format")[1:]:
            defined = set(re.findall(r"^[0-9a-f]+ <(\w+)>:$", text, re.M))
            for function in re.split(r"^[0-9a-f]+ <(?=\w+>:$)", text, flags=re.M)[1:]:
                caller = function[:function.index(">")]
                for name in re.findall(r"R_X86_64_P\w+\s+(\w+)", function) + re.findall(r"(?:call|jmp)\s+[0-9a-f]+ <(\w+)>$", function, re.M):
                    if name != caller:
                        found[name in defined].add((caller, name))
    return found


def nested_calls(found):
    """(caller, called) of PVM's functions, with what lies between them that is none: by whether the call itself is within one object."""
    helpers = {(a, b) for pairs in found.values() for a, b in pairs if not b.startswith("pvm_")}
    reach = {name: {name} for pairs in found.values() for name, _ in pairs if name.startswith("pvm_")}
    for reached in reach.values():
        while more := {b for a, b in helpers if a in reached} - reached:
            reached |= more
    return {within: {(name, b) for name, reached in reach.items() for a, b in found[within] if a in reached and b.startswith("pvm_")} for within in found}


class Recorded:
    """A recorded run of one of the programs."""

    def __init__(self, program, place, whatwire=WHATWIRE):
        self.trace, logs = place / "run.ww", place / "logs"
        logs.mkdir()
        with Machine(str(program.parent)) as machine:
            done = subprocess.run([whatwire, "record", "-o", self.trace, "--", program], env={**machine.environment, **ENVIRONMENT, "PATTERN_LOG": str(logs)},
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        self.done, self.report = done, None
        if done.returncode != 0:
            return
        self.report = json.loads(asked("report", self.trace, "--json"))
        self.sent, self.got = messages_by_hand(logs, self.report)
        self.tasks = {key[0] for key in self.sent}
        self.messages = messages_of(WHATWIRE, self.trace, place, self.tasks)
        self.said = {one["name"] for one in self.report["diagnostics"]}

    def calls(self, unseen):
        """How often which call was made by the tasks of the program, as OTF2's own tool reads the archive: (within which call, "" for the program; its name). Without the
        calls `unseen`: what is within them is within the one around them."""
        printed = subprocess.run(["otf2-print", self.trace / "traces.otf2"], check=True, capture_output=True, text=True).stdout
        open_calls, counted = {}, Counter()
        for event, location, name in re.findall(r'^(ENTER|LEAVE)\s+(\d+)\s+\S+\s+Region: "([^"]+)"', printed, re.M):
            stack = open_calls.setdefault(location, [])
            if event == "LEAVE":
                stack.pop()
                continue
            around, seen = stack[-1] if stack else ("", "")
            is_seen = (around, name) not in unseen
            stack.append((name, name if is_seen else seen))
            of_chance = name in ASK_AGAIN or (around and stack[0][0] in ASK_AGAIN | OF_SERVER | WITH_OTHERS)
            if is_seen and not of_chance and int(location) & 0xffffffff in self.tasks:
                counted[seen, name] += 1
        return counted


class Static(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="static-pvm-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def recorded(self, program, name, whatwire=WHATWIRE):
        place = self.place / name
        place.mkdir()
        run = Recorded(program, place, whatwire)
        self.assertEqual(run.done.returncode, 0, run.done.stdout + run.done.stderr)
        return run

    def test_it_leaves_what_the_dynamic_one_leaves(self):
        dynamic, static = self.recorded(PATTERN, "dynamic"), self.recorded(STATIC, "static")
        for run in (dynamic, static):
            self.assertEqual(run.sent, run.got, "the program itself")
            self.assertEqual(run.messages, run.sent)
            self.assertEqual(len(run.tasks), 3)
            self.assertFalse({"damaged-record", "message-size-mismatch", "static-not-recorded"} & run.said)
        self.assertEqual(sorted(key[2:] for key in static.sent.elements()), sorted(key[2:] for key in dynamic.sent.elements()))
        nested = nested_calls(calls_in_archives())
        self.assertIn(("pvm_initsend", "pvm_mkbuf"), nested[True])
        either = nested[True] & nested[False]
        seen = {name: run.calls(nested[True] - either) for name, run in (("dynamic", dynamic), ("static", static))}
        for calls in seen.values():
            self.assertEqual([pair for pair in calls if pair[0] == "" and pair[1] in LOWEST], [], "calls of libc's by the program itself")
        seen = {name: Counter({(around, call): count for (around, call), count in calls.items()
                               if (around, call) not in either and call not in LOWEST}) for name, calls in seen.items()}
        self.assertEqual(seen["static"], seen["dynamic"])
        self.assertGreater(seen["static"]["", "pvm_psend"], 0)
        self.assertGreater(seen["static"]["pvm_psend", "pvm_send"], 0)  # lpvm.o calls lpvmgen.o
        self.assertGreater(sum(count for (around, _), count in seen["static"].items() if around), 30)
        counts = {name: call["count"] for name, call in static.report["calls"].items()}
        self.assertGreaterEqual(counts["write"], sum(static.sent.values()))  # as in record_test.py
        self.assertGreaterEqual(counts["read"], 2 * sum(static.sent.values()))
        self.assertGreater(counts["select"], 0)

    def test_without_the_recorder_it_runs_as_it_is(self):
        said = {}
        for name, program in (("unseen", UNSEEN), ("static", STATIC)):
            logs = self.place / name
            logs.mkdir()
            with Machine(str(program.parent)) as machine:
                done = subprocess.run([program], env={**machine.environment, **ENVIRONMENT, "PATTERN_LOG": str(logs)}, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            said[name] = sorted(re.sub(r"^(\w+) \d+", r"\1", line) for log in logs.iterdir() for line in log.read_text().splitlines())
        self.assertGreater(len(said["static"]), 30)
        self.assertEqual(said["static"], said["unseen"])

    def test_it_can_be_dilated(self):
        with Machine(str(STATIC.parent)) as machine:
            done = subprocess.run([WHATWIRE, "dilate", "-D", "4", "--repeat", "1", "--machine", "pvm-ethernet-10", "-o", self.place / "d", "--json", "--", STATIC],
                                  env={**machine.environment, **ENVIRONMENT, "PATTERN_LOG": str(self.place)}, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = [json.loads((trace / "run.json").read_text()) for trace in (self.place / "d").glob("*.ww")]
        self.assertGreater(len(runs), 0)
        for run in runs:
            self.assertTrue(all(rank["stretch"]["count"] > 0 for rank in run["ranks"]), run["ranks"])

    def test_one_that_cannot_be_seen_is_refused_with_the_remedy(self):
        stripped = self.place / "stripped" / "pattern"
        stripped.parent.mkdir()
        subprocess.run(["strip", "-o", stripped, UNSEEN], check=True)
        for program in (UNSEEN, stripped):
            run = Recorded(program, Path(tempfile.mkdtemp(dir=self.place)))
            self.assertEqual(run.done.returncode, 1)
            self.assertIn("linked with PVM statically", run.done.stderr)
            self.assertIn("pkg-config --libs whatwire-pvm-wrap", run.done.stderr)
            self.assertFalse(run.trace.exists())
        seen = self.place / "seen" / "pattern"
        seen.parent.mkdir()
        subprocess.run(["strip", "-o", seen, STATIC], check=True)
        self.assertEqual(len(self.recorded(seen, "stripped-static").tasks), 3)

    def test_tasks_that_cannot_be_seen_are_told(self):
        # A dynamic program whose tasks, of the same name, are static ones.
        place = self.place / "mixed"
        place.mkdir()
        with Machine(str(UNSEEN.parent)) as machine:
            done = subprocess.run([WHATWIRE, "record", "-o", place / "run.ww", "--", PATTERN], env={**machine.environment, **ENVIRONMENT, "PATTERN_LOG": str(place)},
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = {one["name"]: one for one in json.loads(asked("report", place / "run.ww", "--json"))["diagnostics"]}
        self.assertIn("static-not-recorded", said)
        self.assertIn(str(UNSEEN), said["static-not-recorded"]["remedy"])
        self.assertIn("whatwire-pvm-wrap", said["static-not-recorded"]["remedy"])

    def test_each_way_of_linking(self):
        """PVM's archives and its shared libraries mixed, symbols exported, no position-independent code, another linker: the program runs, and its messages are there."""
        source = Path(__file__).with_name("pattern.c")
        both = [archive_of("libgpvm3.a"), archive_of("libpvm3.a"), "-ltirpc"]
        ways = {"groups": [archive_of("libgpvm3.a"), "-lpvm3"], "exported": ["-rdynamic", *both], "fixed": ["-no-pie", *both],
                "fixed-groups": ["-no-pie", archive_of("libgpvm3.a"), "-lpvm3"],
                "shared": ["-lgpvm3", "-lpvm3"], "shared-groups": [archive_of("libpvm3.a"), "-ltirpc", "-lgpvm3"],
                "sections": ["-Wl,--gc-sections", *both], "optimised": ["-flto", "-O2", *both], "gold": ["-fuse-ld=gold", *both]}
        for name, libraries in ways.items():
            with self.subTest(name):
                program = self.place / f"{name}-linked" / "pattern"
                program.parent.mkdir()
                subprocess.run(["cc", source, "-o", program, *WRAPPED, *libraries], check=True)
                run = self.recorded(program, name)
                self.assertEqual(run.messages, run.sent)
                self.assertEqual(len(run.tasks), 3)

    def test_from_an_installed_tree_that_was_moved(self):
        # As docs/launch-lines.md says.
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.place / "first"], check=True, stdout=subprocess.DEVNULL)
        prefix = (self.place / "first").rename(self.place / "moved")
        options = subprocess.run(["pkg-config", "--libs", "whatwire-pvm-wrap"], check=True, capture_output=True, text=True,
                                 env=dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))).stdout.split()
        program = self.place / "linked" / "pattern"
        program.parent.mkdir()
        subprocess.run(["cc", Path(__file__).with_name("pattern.c"), "-o", program, *options, "-Wl,-Bstatic", "-lgpvm3", "-lpvm3", "-Wl,-Bdynamic", "-ltirpc"], check=True)
        run = self.recorded(program, "installed", prefix / "bin" / "whatwire")
        self.assertEqual(run.messages, run.sent)
        self.assertEqual(len(run.tasks), 3)

    def test_the_programs_own_calls_of_the_system_are_none_of_pvms(self):
        """Which come from the same code as libpvm3's. And functions with any number of arguments get them; no groups, no libgpvm3."""
        source, program = self.place / "own.c", self.place / "own"
        source.write_text(OWN_CALLS)
        subprocess.run(["cc", source, "-o", program, *WRAPPED, archive_of("libpvm3.a"), "-ltirpc"], check=True)
        with Machine() as machine:
            done = subprocess.run([WHATWIRE, "record", "-o", self.place / "o.ww", "--", program], env=machine.environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "x" * 1000 + "42 word"), done.stderr)
        calls = {name: call["count"] for name, call in json.loads(asked("report", self.place / "o.ww", "--json"))["calls"].items()}
        self.assertEqual((calls["pvm_packf"], calls["pvm_unpackf"]), (1, 1))
        self.assertIn(calls["write"], range(1, 100))
        self.assertIn((0, 0, 1, 4 + 8 + 4), messages_of(WHATWIRE, self.place / "o.ww", self.place, {0}))  # XDR: an int, a text's length and its 5 bytes in 8

    def test_programs_in_fortran(self):
        source, program = self.place / "own.f", self.place / "own"
        source.write_text(FORTRAN)
        subprocess.run(["gfortran", "-I/usr/include", source, "-o", program, archive_of("libfpvm3.a"), *WRAPPED,
                        archive_of("libgpvm3.a"), archive_of("libpvm3.a"), "-ltirpc"], check=True)
        with Machine() as machine:
            done = subprocess.run([WHATWIRE, "record", "-o", self.place / "f.ww", "--", program], env=machine.environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = {name: call["count"] for name, call in json.loads(asked("report", self.place / "f.ww", "--json"))["calls"].items()}
        for name in ("pvm_mytid", "pvm_pkint", "pvm_joingroup", "pvm_barrier"):
            self.assertEqual(calls.get(name, 0) > 0, True, (name, calls))
        self.assertIn((0, 0, 7, 100), messages_of(WHATWIRE, self.place / "f.ww", self.place, {0}))


if __name__ == "__main__":
    os.environ.pop("LD_PRELOAD", None)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
