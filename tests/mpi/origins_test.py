#!/usr/bin/env python3
"""origins_test.py MPIRUN LIBRARY PROGRAM WHATWIRE: what is one communicator (window, file) to MPI is one in the trace, in whatever
order the ranks made and completed them; and a message taken by a matched probe is not mixed up with later ones.

Expected: all that the program sends over its k-th communicator, or puts into the k-th window, or writes, is of 8 * k bytes, so that a
size names the communicator; by spool_format.hpp it is one if members and "made" are the same. Of messages, sizes differ, so that
a message that is taken for another is a message-size-mismatch; all are received."""
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import launcher
import spool

mpirun, library, program, whatwire = sys.argv[1:5]
RANKS = 3


def record(place, what):
    trace = Path(place) / f"{what}.ww"
    (trace / "spool").mkdir(parents=True)
    command = launcher.command(mpirun, RANKS, program, what, LD_PRELOAD=library, WW_SPOOL_DIR=trace / "spool")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=launcher.environment, timeout=200,
                          cwd=place)
    assert done.returncode == 0 and done.stdout.count("done") == RANKS, done.stdout
    return trace, "threads 1" in done.stdout


def objects_by_size(trace, threads):
    """size of what went over it -> members and number of what it was, one for each rank"""
    found = defaultdict(lambda: defaultdict(set))
    for rank in range(RANKS):
        of_id, seen = {}, Counter()
        for d in spool.definitions(trace / "spool", rank):
            if d["def"] == "comm":
                members = tuple(d["ranks"])
                if "made" not in d:
                    seen[members] += 1
                of_id[d["id"]] = (members, d.get("made", -seen[members]))
        for thread in range(threads):
            for r in spool.records(trace / "spool", rank, thread):
                if r.kind in ("send", "recv", "put"):
                    found[r.kind == "put", r.bytes][rank].add(of_id[r.comm])
                if r.kind == "file_write":
                    found["file", r.bytes][rank].add(of_id[r.comm])
    return found


def check(trace, threads, wanted):
    found = objects_by_size(trace, threads)
    assert len(found) == wanted, sorted(found)
    wrong = {size: dict(of) for size, of in found.items() if len(of) != RANKS or len(set.union(*of.values())) != 1}
    assert not wrong, f"{len(wrong)} of {wanted} are another one on another rank: {wrong}"
    ids = [next(iter(of[0])) for of in found.values()]
    assert len(set(ids)) == wanted, "two are taken for one"


def report(trace):
    done = subprocess.run([whatwire, "report", "--json", str(trace)], stdout=subprocess.PIPE, text=True, timeout=200, check=True)
    told = json.loads(done.stdout)
    names = {d["name"]: d["count"] for d in told["diagnostics"]}
    assert told["unmatched_sends"] == told["unmatched_receives"] == 0, told
    assert not {"message-size-mismatch", "clock-violation", "incomplete-collective", "collective-incomplete"} & set(names), names
    return told


with tempfile.TemporaryDirectory() as place:
    trace, _ = record(place, "idup")
    check(trace, 1, 4)
    report(trace)

    trace, at_once = record(place, "threads")
    if at_once:
        check(trace, 4, 3 * (6 if launcher.of_openmpi(mpirun) else 5))
        report(trace)

    trace, _ = record(place, "matched")
    told = report(trace)
    assert told["ranks"][1]["messages_received"] == 6 and told["ranks"][1]["bytes_received"] == 8 * 21, told["ranks"][1]
    assert told["wildcard_receives"] == 3, told["wildcard_receives"]
    print("idup, threads, matched probes", "" if at_once else "(without threads)")
