#!/usr/bin/env python3
"""kill_everywhere.py WHATWIRE KILL_AT SOME_SPOOL [--every K] [--only NAME] [--jobs J]

Ends whatwire with SIGKILL at its Kth, 2Kth, ... system call (K 1: at every one), in these pieces of work: `unify` of a recording,
`report` of one that is not unified, `unify` of what an ended one left, the removal of its spool, the end of `record` (from the end
of the program on), the end of `study` (from the first word of study.json on). After each the numbers of `report --json` must be those
of an undisturbed run, and a second command must bring everything in order. Prints one JSON object; exits with 1 if anything was lost,
or said wrongly.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("whatwire", type=pathlib.Path)
parser.add_argument("kill_at", type=pathlib.Path)
parser.add_argument("some_spool", type=pathlib.Path)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only", default="")
parser.add_argument("--jobs", type=int, default=2)
options = parser.parse_args()
for tool in "whatwire", "kill_at", "some_spool":
    setattr(options, tool, getattr(options, tool).resolve())
top = pathlib.Path(tempfile.mkdtemp(prefix="ww-kills-"))
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=str(top / "tmp"))


class Wrong(Exception):
    pass


def run(line, where, check=True):
    done = subprocess.run(list(map(str, line)), cwd=where, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    if check and (done.returncode != 0 or "unexpected" in done.stderr):
        raise Wrong(f"{line[1] if len(line) > 1 else line}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return done


def numbers(trace, where):
    said = json.loads(run([options.whatwire, "report", "--json", trace], where).stdout)
    return said["events"], said["elapsed_s"], sum(rank["messages_sent"] for rank in said["ranks"]), len(said["ranks"])


def make_recording(where, ranks, messages):
    run([options.some_spool, where, ranks, messages], top)


# A launcher as mpirun, and a program that leaves a recording as one of MPI does: what happens after its end is all that counts. Its
# name says which MPI it is, as whatwire would ask a plain mpirun first, and the program must be the first child that ends.
def make_launcher(where, recording):
    mpirun, program = where / "mpirun.openmpi", where / "program"
    mpirun.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    program.write_text(f'#!/bin/sh\nunset LD_PRELOAD\ncp {recording}/spool/rank-* "$WW_SPOOL_DIR"\n')
    for file in mpirun, program:
        file.chmod(0o755)
    return [mpirun, "-n", "2", program]


# A marker names the inode of its directory: that of a copy is no marker.
def mark_as_ours(copy):
    for marker in copy.rglob(".whatwire"):
        marker.write_text(" ".join([*marker.read_text().split()[:-1], str(marker.parent.stat().st_ino)]) + "\n")


class Unify:
    """Of two ranks, from the first look at the trace on."""
    start = "PATH:recording.ww"

    def prepare(self, to):
        make_recording(to / "recording.ww", 2, 30)

    def line(self):
        return [options.whatwire, "unify", "recording.ww"]

    def verify(self, where):
        found = numbers("recording.ww", where)
        left = [p.name for p in (where / "recording.ww").iterdir() if p.name.startswith(".unify") or "spool" in p.name]
        run([options.whatwire, "unify", "recording.ww"], where)
        names = sorted(p.name for p in (where / "recording.ww").iterdir() if p.name != ".whatwire")
        if names != ["run.json", "traces", "traces.def", "traces.otf2"]:
            raise Wrong(f"left in the trace: {names}, before {left}")
        return found


class Reader(Unify):
    """`report` of what is still a spool unifies it."""

    def line(self):
        return [options.whatwire, "report", "recording.ww"]


class Resumed(Unify):
    """Of what an earlier unify left that was ended at a part of its way."""

    def __init__(self, part):
        self.part = part

    def prepare(self, to):
        super().prepare(to / "whole")
        calls = json.loads(run([options.kill_at, 0, self.start, *self.line()], to / "whole").stderr.strip().splitlines()[-1])["calls"]
        shutil.rmtree(to / "whole")
        super().prepare(to)
        run([options.kill_at, int(calls * self.part), self.start, *self.line()], to, check=False)


class Removal(Unify):
    """Of the spool of 60 ranks, from its renaming on."""
    start = "PATH:.spool-done"

    def prepare(self, to):
        make_recording(to / "recording.ww", 60, 2)


class RecordEnd:
    """From the end of the program on."""
    start = "child"

    def prepare(self, to):
        make_recording(to / "left", 2, 30)
        self.launch = make_launcher(to, "left")

    def line(self):
        return [options.whatwire, "record", "-o", "recording.ww", "--", "./mpirun.openmpi", "-n", "2", "./program"]

    verify = Unify.verify


class RecordAgain(RecordEnd):
    """The same, in place of an earlier recording, of which nothing may be lost either."""

    def prepare(self, to):
        super().prepare(to)
        make_recording(to / "left", 3, 20)
        run(self.line(), to)
        shutil.rmtree(to / "left")
        make_recording(to / "left", 2, 30)

    def verify(self, where):
        found = {}
        for trace in where.glob("recording.ww*"):
            one = numbers(trace.name, where)
            found[one] = trace.name
        if "recording.ww" not in found.values():
            raise Wrong("nothing has the name")
        return tuple(sorted(found))


class StudyEnd:
    """From the first word of study.json on; an earlier study has the name."""
    start = "PATH:study.json."

    def prepare(self, to):
        RecordEnd.prepare(self, to)
        machine = json.loads(run([options.whatwire, "machine", "show", "loggops-default", "--json"], to).stdout)
        machine["links"].append(dict(machine["links"][0], between="intra"))
        (to / "machine.json").write_text(json.dumps(machine))
        run(self.line(), to)

    def line(self):
        return [options.whatwire, "study", "-o", "a.study", "--machine", "machine.json", "--no-dilate", "--no-virtual", "--repeat", "1",
                "--what-if", "bandwidth=x2", "--", "./mpirun.openmpi", "-n", "2", "./program"]

    def verify(self, where):
        complete = []
        for study in where.glob("a.study*"):
            for trace in study.glob("recorded-1.ww"):
                complete.append(numbers(trace, where))
            if (study / "study.json").exists():
                json.loads((study / "study.json").read_text())
        if not (where / "a.study" / "study.json").exists() or not (where / "a.study" / "report.html").read_text().rstrip().endswith("</html>"):
            raise Wrong("no complete study has the name")
        run([options.whatwire, "summary", "a.study"], where)
        run(self.line(), where)
        return tuple(sorted(set(complete)))


SCENARIOS = {"unify": Unify(), "report": Reader(), "unify, ended at a third": Resumed(1 / 3),
             "unify, ended at nine tenths": Resumed(0.9), "removal": Removal(), "record's end": RecordEnd(), "record's end, again": RecordAgain(),
             "study's end": StudyEnd()}


def explore(name, scenario):
    template = top / name.replace(" ", "-").replace("'", "").replace(",", "")
    template.mkdir()
    scenario.prepare(template)
    number = itertools.count()

    def at(n):
        where = top / f"{template.name}-{next(number)}-{threading.get_ident()}"
        shutil.copytree(template, where, symlinks=True)
        try:
            mark_as_ours(where)
            done = run([options.kill_at, n, scenario.start, *scenario.line()], where, check=False)
            told = json.loads(done.stderr.strip().splitlines()[-1])
            if not told["killed"] and told["exit"] != 0:
                raise Wrong(f"undisturbed it exits with {told['exit']}: {done.stderr[-400:]}")
            return told, scenario.verify(where), ""
        except (Wrong, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as wrong:
            return None, None, f"{name} at {n}: {wrong}"
        finally:
            shutil.rmtree(where, ignore_errors=True)

    began = time.monotonic()
    told, expected, wrong = at(0)
    if wrong:
        return {"points": 0, "calls": 0, "wrong": [wrong]}
    points, wrongs, not_killed, seen = 0, [], 0, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        next_n = options.every
        while not_killed < 3:
            batch = range(next_n, next_n + 8 * options.every, options.every)
            next_n = batch.stop
            for n, (told_n, found, wrong) in zip(batch, pool.map(at, batch)):
                if wrong:
                    wrongs.append(wrong)
                    points += 1
                    continue
                if not told_n["killed"]:
                    not_killed += 1
                else:
                    points += 1
                    seen[told_n["at"]] = seen.get(told_n["at"], 0) + 1
                if not acceptable(found, expected):
                    wrongs.append(f"{name} at {n}: {found} instead of {expected}")
            if len(wrongs) > 20:
                break
    return {"points": points, "calls": told["calls"], "different_calls": len(seen), "s": round(time.monotonic() - began, 1), "wrong": wrongs}


def acceptable(found, expected):
    return found == expected


try:
    (top / "tmp").mkdir()
    result = {name: explore(name, scenario) for name, scenario in SCENARIOS.items() if options.only in ("", name)}
finally:
    shutil.rmtree(top, ignore_errors=True)
total = {"points": sum(one["points"] for one in result.values()), "wrong": sum(len(one["wrong"]) for one in result.values())}
print(json.dumps({"scenarios": result, **total}, indent=1))
sys.exit(0 if total["wrong"] == 0 and total["points"] > 0 else 1)
