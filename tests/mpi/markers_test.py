#!/usr/bin/env python3
"""markers_test.py MPIRUN LIBRARY PROGRAM WHATWIRE [PART]: what the programs markers.c and markers_fortran.F90 say is in the
archive as otf2-print of OTF2 itself reads it, and in the reports; calls and messages are what they are without; standard
output and exit code do not depend on the recorder."""
import csv
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import launcher

mpirun, library, program, whatwire, *part = sys.argv[1:]
THREADED = bool(part)  # the program in C has a thread more, and a part of its own


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, env=launcher.environment, timeout=100)


def report(*options):
    done = run(whatwire, "report", "--json", *options, str(trace))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


with tempfile.TemporaryDirectory() as place:
    trace = Path(place) / "trace"
    (trace / "spool").mkdir(parents=True)
    alone = run(*launcher.command(mpirun, 2, program, *part))
    done = run(*launcher.command(mpirun, 2, program, *part, LD_PRELOAD=library, WW_SPOOL_DIR=str(trace / "spool")))
    assert sorted(alone.stdout.split("\n")) == sorted(["", "rank 0: 8", "rank 1: 8"]), (alone.stdout, alone.stderr)
    assert sorted(done.stdout.split("\n")) == sorted(alone.stdout.split("\n")), (done.stdout, done.stderr)
    assert done.returncode == alone.returncode != 0, (alone.returncode, done.returncode)

    # The report first: it makes the archive of the spools.
    seen = report("--ask", "regions", "--ask", "values")
    found = {d["name"]: d["count"] for d in seen["diagnostics"]}
    wanted = {"region-out-of-order": 2, "region-not-open": 2, "region-left-open": 2, "calls-while-paused": 4,
              "markers-left-out": 2}
    assert {name: found.get(name) for name in wanted} == wanted, found
    assert not {"unknown-name", "damaged-record", "message-size-mismatch", "overlapping-call"} & set(found), found

    # Two messages fewer, and those that are there kept their partners.
    assert seen["unmatched_sends"] == seen["unmatched_receives"] == 0
    assert seen["calls"]["MPI_Send"]["count"] == seen["calls"]["MPI_Recv"]["count"] == 4, seen["calls"]
    assert seen["ranks"][0]["bytes_sent"] == 8 * (1 + 2 + 5 + 6), seen["ranks"][0]

    regions = {r["region"]: r for r in seen["regions"]}
    visits = {"early": 2, "steps": 2, "step": 6, "outer": 2, "inner": 2} | ({"worker": 2} if THREADED else {})
    assert {name: r["visits"] for name, r in regions.items() if r["visits"]} == visits, regions
    for r in regions.values():
        assert abs(r["time_s"] - r["compute_s"] - r["library_s"] - r["blocked_s"]) < 1e-9, r
    assert regions["step"]["compute_s"] > 6 * 0.02, regions["step"]  # what the program slept
    assert regions["steps"]["time_s"] >= regions["step"]["time_s"]
    assert regions["steps"]["own_s"] <= regions["steps"]["time_s"] - regions["step"]["time_s"] + 1e-9
    # from before MPI_Init to after MPI_Finalize: the rank itself
    for of, rank in zip(regions["early"]["ranks"], seen["ranks"]):
        for time in ("compute_s", "library_s", "blocked_s"):
            assert abs(of[time] - rank[time]) < 1e-9, (of, rank)

    values = {v["name"]: v for v in seen["values"]["values"]}
    exact = {"double": [1, 0.5, 0.25], "float": [0, 0.5, 1], "long": [0, -10**10, -2 * 10**10], "int": [-1, 0, 1],
             "short": [0, -1, -2], "char": [97, 98, 99]} | ({"by worker": [7]} if THREADED else {})
    assert set(values) == set(exact), values
    for name, numbers in exact.items():
        for of in values[name]["ranks"]:
            assert (of["count"], of["first"], of["last"]) == (len(numbers), numbers[0], numbers[-1]), (name, of)
    markers = {m["text"]: m["count"] for m in seen["values"]["markers"] if m["count"]}
    said = {"begun": 2, "recording paused": 2, "recording resumed": 2} | ({"from a part": 2} if THREADED else {})
    assert markers == said, markers

    # The same by OTF2's own reader; regions are entered and left as a stack together with the calls.
    printed = run("otf2-print", str(trace / "traces.otf2"))
    assert printed.returncode == 0, printed.stderr
    metrics, open_regions, entered = [], {}, Counter()
    for line in printed.stdout.splitlines():
        event = re.match(r"(ENTER|LEAVE|METRIC|PARAMETER_STRING)\s+(\d+)\s+(\d+)\s+(.*)$", line)
        if not event:
            continue
        kind, location, rest = event[1], int(event[2]), event[4]
        if kind == "ENTER":
            open_regions.setdefault(location, []).append(re.search(r'"([^"]+)"', rest)[1])
            entered[open_regions[location][-1]] += 1
        elif kind == "LEAVE":
            assert open_regions[location].pop() == re.search(r'"([^"]+)"', rest)[1], line
        elif kind == "METRIC":
            metrics.append(re.search(r'Value: \("([^"]+)" <\d+>; (\w+); (.*)\)', rest).groups())
    assert not any(open_regions.values()), open_regions
    assert {name: entered[name] for name in visits} == visits, entered
    expected = Counter()
    for name, numbers in exact.items():
        kind = "DOUBLE" if name in ("double", "float") else "INT64"
        expected.update({(name, kind, f"{n:g}" if kind == "DOUBLE" else str(n)): 2 for n in numbers})
    assert Counter(metrics) == expected, Counter(metrics) - expected

    # Every value at its place, in full.
    assert run(whatwire, "export", str(trace), "--to", "csv-user", "-o", str(trace / "user.csv")).returncode == 0
    rows = list(csv.DictReader((trace / "user.csv").open()))
    for rank in "01":
        for name, numbers in exact.items():
            assert [float(r["value"]) for r in rows if r["rank"] == rank and r["name"] == name] == numbers, name
    if THREADED:
        assert {r["thread"] for r in rows if r["name"] in ("worker", "by worker")} == {"1"}, rows
    print(f"{len(rows)} rows")
