#!/usr/bin/env python3
"""What a region, a value and a function compiled with -finstrument-functions cost, in nanoseconds: marks.py WHATWIRE MPICC MARKER_LIBRARY OUTPUT.json
Compiles a copy of marks.c in which `whatwire instrument` follows a variable, and starts it, one rank, in turns: by itself; recorded; recorded with --functions, which takes it and which does not; with
--count-functions. Of each the median of the turns; a function's are beside those of one that is not instrumented."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

whatwire, mpicc, marker, output = sys.argv[1:5]
here = Path(__file__).resolve()
turns = 5
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
ways = {"by itself": None, "recorded": [], "its functions recorded": ["--functions", "seen"], "other functions recorded": ["--functions", "other"], "functions counted": ["--count-functions", "*"]}

with tempfile.TemporaryDirectory() as place:
    program = f"{place}/marks"
    flags = [mpicc, "-O2", "-finstrument-functions", f"-I{here.parents[2] / 'include'}"]
    subprocess.run([whatwire, "instrument", "--watch", "watched_variable", "-o", f"{place}/copy", str(here.with_name("marks.c")), "--", *flags], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*flags, "-o", program, f"{place}/copy/marks.c", marker], check=True)
    found = {way: [] for way in ways}
    for _ in range(turns):
        for way, options in ways.items():
            line = ["mpirun", "-n", "1", program]
            if options is not None:
                line = [whatwire, "record", "--force", "-o", f"{place}/run.ww", *options, "--", *line]
            done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, env=environment, check=True)
            found[way].append(json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{"))))
result = {way: {what: round(statistics.median(one[what] for one in runs), 2) for what in runs[0]} for way, runs in found.items()}
print(f"{'ns each':26}{'function':>10}{'(not instrumented)':>20}{'region':>10}{'value':>10}{'watched':>10}")
for way, one in result.items():
    print(f"{way:26}{one['function']:10.1f}{one['plain']:20.1f}{one['region']:10.1f}{one['value']:10.1f}{one['watched']:10.1f}")
Path(output).write_text(json.dumps({"turns": turns, "ns": result}, indent=1) + "\n")
