#!/usr/bin/env python3
"""What the lab's wire does to programs of PVM: wires.py WHATWIRE KERNEL... [--hosts N] [--rate RATE] [--rounds N]
Each kernel runs in turn on four labs: the switch in user space and the one within the kernel, each with single frames and with three at once. For each: the
runs' times, the part of its time that the task that fared worst was ready and without a core (median), and what the hosts' TCP counted in all runs together."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire", type=Path)
parser.add_argument("kernels", nargs="+", type=Path, metavar="KERNEL", help="build/release/examples/pvm/nas/mg and such")
parser.add_argument("--hosts", type=int, default=4)
parser.add_argument("--rate", default="100Mb/s")
parser.add_argument("--rounds", type=int, default=4)
options = parser.parse_args()
LABS = {f"w{wire[0]}{at_once}n{os.getpid() % 100000}": (wire, at_once) for wire in ("switch", "kernel") for at_once in (1, 3)}
COUNTS = ("retransmitted", "timeouts", "no_room")
environment = dict(os.environ, PVM_ROOT=os.environ.get("PVM_ROOT", "/usr/lib/pvm3"), PVM_ALLOW_ROOT="1")


def whatwire(*words):
    subprocess.run([options.whatwire.resolve(), *map(str, words)], check=True, capture_output=True, env=environment)


def one_run(lab, kernel, trace):
    whatwire("record", "--force", "--lab", lab, "-o", trace, "--", "env", "DIRECT=1", kernel.resolve(), "--class", "Z")
    return json.loads((trace / "run.json").read_text())["ranks"]


def show(kernel, lab, runs):
    times = [max(task["elapsed_s"] for task in tasks) for tasks in runs]
    without_core = statistics.median(max(task["waited_s"] / task["elapsed_s"] for task in tasks) for tasks in runs)
    counted = {name: sum(task["tcp"][name] for tasks in runs for task in tasks) for name in COUNTS}  # one task a host
    wire, at_once = LABS[lab]
    print(f"{kernel.name} {wire} {at_once}: {statistics.median(times):.3f} s ({', '.join(f'{time:.3f}' for time in times)}), without a core {100 * without_core:.0f}%, "
          + ", ".join(f"{name} {count}" for name, count in counted.items()), flush=True)


try:
    for lab, (wire, at_once) in LABS.items():
        whatwire("lab", "up", "--name", lab, "--hosts", options.hosts, "--rate", options.rate, "--wire", wire, "--at-once", at_once)
    with tempfile.TemporaryDirectory(prefix="wires-") as place:
        for kernel in options.kernels:
            runs = {lab: [] for lab in LABS}
            for _ in range(options.rounds):
                for lab in LABS:
                    runs[lab].append(one_run(lab, kernel, Path(place) / "run.ww"))
            for lab in LABS:
                show(kernel, lab, runs[lab])
finally:
    for lab in LABS:
        subprocess.run([options.whatwire, "lab", "down", "--name", lab], capture_output=True)
