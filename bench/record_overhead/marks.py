#!/usr/bin/env python3
"""What a region, a value and a function compiled with -finstrument-functions, or with -fpatchable-function-entry=5, cost, in nanoseconds: marks.py WHATWIRE MPICC MPIF90 MARKER_LIBRARY OUTPUT.json
Compiles a copy of marks.c in which `whatwire instrument` follows a variable, and starts it, one rank, in turns: by itself; recorded; recorded with --functions, which takes it and which does not; with
--count-functions. Of each the median of the turns; a function's are beside those of one that is not instrumented. Then the copy of marks.f90, in which it makes a region and follows variables, by
itself and recorded; the source as it is beside them. Without flang's parser in WHATWIRE's build that is left out."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

whatwire, mpicc, mpif90, marker, output = sys.argv[1:6]
here = Path(__file__).resolve()
turns = 5
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
ways = {"by itself": None, "recorded": [], "its functions recorded": ["--functions", "seen"], "other functions recorded": ["--functions", "other"], "functions counted": ["--count-functions", "*"]}

fortran_ways = {"as it is": None, "by itself": None, "recorded": []}


def said(program, options, trace):
    line = ["mpirun", "-n", "1", program]
    if options is not None:
        line = [whatwire, "record", "--force", "-o", trace, *options, "--", *line]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, env=environment, check=True)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def medians(found):
    return {way: {what: round(statistics.median(one[what] for one in runs), 2) for what in runs[0]} for way, runs in found.items()}


def instrument(*words):
    subprocess.run([whatwire, "instrument", *words], check=True, stdout=subprocess.DEVNULL)


with tempfile.TemporaryDirectory() as place:
    program = f"{place}/marks"  # with -finstrument-functions
    plain_flags = [mpicc, "-O2", f"-I{here.parents[2] / 'include'}"]
    instrument("--watch", "watched_variable", "-o", f"{place}/copy", str(here.with_name("marks.c")), "--", *plain_flags)
    for name, flag in (("marks", "-finstrument-functions"), ("patched", "-fpatchable-function-entry=5")):
        subprocess.run([*plain_flags, flag, "-o", f"{place}/{name}", f"{place}/copy/marks.c", marker], check=True)
    found, of_patched = {way: [] for way in ways}, {way: [] for way in ways}
    of_fortran = {}
    if (Path(whatwire).resolve().parents[1] / "libexec" / "whatwire" / "whatwire-instrument-fortran").exists():
        source, flags = str(here.with_name("marks.f90")), [mpif90, "-O2", f"-J{place}"]
        watched = [word for name in ("watched_real", "watched_integer", "elements(1)") for word in ("--watch", name)]
        instrument("--functions", "region", *watched, "-o", f"{place}/fortran", source, "--", *flags)
        for name, one in (("original", source), ("copied", f"{place}/fortran/marks.f90")):
            subprocess.run([*flags, "-o", f"{place}/{name}", one, marker], check=True)
        of_fortran = {way: [] for way in fortran_ways}
    for _ in range(turns):
        for way, options in ways.items():
            found[way].append(said(program, options, f"{place}/run.ww"))
            of_patched[way].append(said(f"{place}/patched", options, f"{place}/run.ww"))
        for way, runs in of_fortran.items():
            runs.append(said(f"{place}/{'original' if way == 'as it is' else 'copied'}", fortran_ways[way], f"{place}/run.ww"))
result, patched, fortran = medians(found), medians(of_patched), medians(of_fortran)
print(f"{'ns each':26}{'function':>10}{'patched':>10}{'(not instrumented)':>20}{'region':>10}{'value':>10}{'watched':>10}")
for way, one in result.items():
    print(f"{way:26}{one['function']:10.1f}{patched[way]['function']:10.1f}{one['plain']:20.1f}{one['region']:10.1f}{one['value']:10.1f}{one['watched']:10.1f}")
if fortran:
    print(f"{'ns each, in Fortran':26}{'(not instrumented)':>20}{'region':>10}{'real':>10}{'integer':>10}{'element':>10}")
for way, one in fortran.items():
    print(f"{way:26}{one['plain']:20.1f}{one['region']:10.1f}{one['real']:10.1f}{one['integer']:10.1f}{one['element']:10.1f}")
Path(output).write_text(json.dumps({"turns": turns, "ns": result, "ns_patched": patched, "ns_in_fortran": fortran}, indent=1) + "\n")
