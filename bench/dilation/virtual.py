#!/usr/bin/env python3
"""Is virtual time true? virtual.py WHATWIRE EXAMPLES_DIRECTORY [options]
Programs in virtual time on machines of presets, with one rank a host and with two, beside simulation of the same run's trace on the same
machine: two evaluators of one model, written apart (order of real time and generic collectives here; events and the library's own
algorithms there). More ranks than cores. Exit code 1 where they part by more than 10%."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("examples", type=Path)
parser.add_argument("--machines", nargs="+", default=["comet", "ethernet-10"])
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
PROGRAMS = [(kernel, 4, [options.examples / "nas" / kernel, "--class", "S"]) for kernel in ("mg", "cg", "is", "ft", "lu", "sp", "bt")]
PROGRAMS += [("transpose", 16, [options.examples / "transpose"]), ("heat", 16, [options.examples / "heat"])]
LARGEST = 0.10


def hosts_of(machine):
    """A model that knows no link within a host cannot have two ranks on one."""
    shown = subprocess.run([options.whatwire, "machine", "show", machine, "--json"], check=True, capture_output=True, text=True)
    places = {link["between"] for link in json.loads(shown.stdout)["links"]}
    return (1, 2) if "intra" in places else (1,)


apart = []
with tempfile.TemporaryDirectory() as place:
    print("program  ranks  machine       a host  virtual time (runs)               simulated   apart")
    for machine in options.machines:
        for per_host in hosts_of(machine):
            for name, ranks, line in PROGRAMS:
                command = [options.whatwire, "dilate", "--virtual", "--json", "--machine", machine, "--ranks-per-host", per_host, "-o",
                           f"{place}/{name}", "--", "mpirun", "--oversubscribe", "-n", ranks, *line]
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
                if done.returncode != 0:
                    sys.exit(f"{name}: {done.stderr}")
                found = json.loads(done.stdout)["virtual"]
                middle = min(found["runs_s"], key=lambda s: abs(s - found["s"]))
                apart.append(found["replayed_s"] / middle - 1)
                runs = " ".join(f"{1e3 * s:8.2f}" for s in found["runs_s"])
                print(f"{name:9s} {ranks:4d}  {machine:14s} {per_host:4d}  {runs} ms  {1e3 * found['replayed_s']:9.2f} ms {100 * apart[-1]:+6.1f}%",
                      flush=True)
off = [abs(a) for a in apart]
print(f"simulation against virtual time: median {100 * statistics.median(off):.1f}%, largest {100 * max(off):.1f}%")
sys.exit(1 if max(off) > LARGEST else 0)
