#!/usr/bin/env python3
"""at_one.py LOOPS LIBRARY WHATWIRE PROGRAM [ARGUMENTS...]: does D = 1 cost anything beyond recording?
First of a call, in nanoseconds: the loops of bench/record_overhead, one rank, with the recorder alone and with D = 1, ten interleaved
pairs. Then of a whole program on two ranks: pairs of `whatwire record` and `whatwire dilate -D 1`, the quotients of their elapsed times,
which hold the machine's noise twice: as a measure of that, pairs of recordings beside them."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

loops, library, whatwire, *program = sys.argv[1:]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PAIRS = 10


def said(*command):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment).stdout


def of_calls(**variables):
    with tempfile.TemporaryDirectory(dir=".") as place:
        given = [f"{name}={value}" for name, value in variables.items()]
        lines = said("mpirun.openmpi", "-n", "1", "/usr/bin/env", f"LD_PRELOAD={library}", f"WW_SPOOL_DIR={Path(place).resolve()}", *given, loops)
        result = json.loads(next(line for line in lines.splitlines() if line.startswith("{")))
        if not list(Path(place).glob("*.spool")):
            sys.exit("nothing was recorded: the recorder was not loaded")
    return {name: loop["extra_ns_per_call"] for name, loop in result["loops"].items()}


def quotients(values):
    return f"median {statistics.median(values):.3f}, {min(values):.3f} to {max(values):.3f}"


pairs = [(of_calls(), of_calls(WW_DILATION=1)) for _ in range(PAIRS)]
print(f"extra ns of a call, medians of {PAIRS}:    recorded      D = 1   difference (of pairs, least to most)")
for name in pairs[0][0]:
    more = [dilated[name] - recorded[name] for recorded, dilated in pairs]
    print(f"{name:36} {statistics.median(r[name] for r, _ in pairs):12.1f} {statistics.median(d[name] for _, d in pairs):10.1f} "
          f"{statistics.median(more):+12.1f} ({min(more):+.1f} to {max(more):+.1f})")

launch = ["--", "mpirun", "-n", "2", *program]
dilated, again = [], []
with tempfile.TemporaryDirectory() as place:
    def recorded_s(name):
        said(whatwire, "record", "-o", f"{place}/{name}.ww", *launch)
        return json.loads(said(whatwire, "report", f"{place}/{name}.ww", "--json"))["elapsed_s"]

    for pair in range(PAIRS):
        first_s = recorded_s(f"{pair}-first")
        out = json.loads(said(whatwire, "dilate", "-D", "1", "--repeat", "1", "--json", "-o", f"{place}/{pair}", *launch))
        dilated.append(out["runs"][0]["elapsed_s"] / first_s)
        again.append(recorded_s(f"{pair}-again") / first_s)
print(f"D = 1 over recording: {quotients(dilated)}")
print(f"recording over recording: {quotients(again)}")
