#!/usr/bin/env python3
"""run.py OUT.json WHATWIRE [--repeats N] [--other WHATWIRE] (MPIRUN PROGRAM)...: what recording adds to the shortest run.

The program alone and recorded, in turns, so that a slow minute falls on both. Where the time goes: the program itself says when it
was in main, MPI_Init and MPI_Finalize, run.json how long the launch line took, of which the rest is the launcher's (processes
started and ended, libraries loaded); what is left of the command is whatwire's own, before and after the line."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PHASES = ("launcher", "MPI_Init", "MPI_Finalize", "whatwire's own", "all")


def phases(command, trace=None):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    took = time.monotonic() - begin
    assert done.returncode == 0, done
    main, ready, last, over = map(float, next(line for line in done.stdout.splitlines() if line.startswith("at ")).split()[1:])
    wall = took if trace is None else json.loads((trace / "run.json").read_text())["wall_s"]
    return dict(zip(PHASES, (wall - (over - main), ready - main, over - last, took - wall, took)))


def medians(runs):
    return {phase: statistics.median(run[phase] for run in runs) for phase in PHASES}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("whatwire")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--other", help="another build, in the same turns")
    parser.add_argument("programs", nargs="+", metavar="MPIRUN PROGRAM")
    options = parser.parse_args()
    tools = {"recorded": options.whatwire} | ({"recorded by the other": options.other} if options.other else {})
    result = []
    with tempfile.TemporaryDirectory() as place:
        for launcher, program in zip(options.programs[::2], options.programs[1::2]):
            line = [launcher, "-n", "2", program]
            runs = {"alone": []} | {name: [] for name in tools}
            for turn in range(options.repeats + 1):
                alone = phases(line)
                recorded = {}
                for name, tool in tools.items():
                    trace = Path(place) / f"{name}-{Path(program).name}-{turn}.ww"
                    recorded[name] = phases([tool, "record", "-o", trace, "--", *line], trace)
                if turn > 0:  # the first one fills the caches
                    runs["alone"].append(alone)
                    for name in tools:
                        runs[name].append(recorded[name])
            found = {name: medians(of) for name, of in runs.items()}
            result.append({"launcher": launcher, "repeats": options.repeats, "median_s": found})
            print(launcher)
            print(f"{'ms':24}" + "".join(f"{phase:>16}" for phase in PHASES))
            for name, of in found.items():
                print(f"{name:24}" + "".join(f"{1000 * of[phase]:16.1f}" for phase in PHASES))
            for name in tools:
                extra = statistics.median(r["all"] - a["all"] for r, a in zip(runs[name], runs["alone"]))
                print(f"{name}: {1000 * extra:.1f} ms more than alone (median of the pairs)")
    options.out.write_text(json.dumps(result, indent=1) + "\n")


main()
