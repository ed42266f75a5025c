#!/usr/bin/env python3
"""What recording tasks and daemons of PVM costs a message of the default route. daemon_cost.py WHATWIRE ECHOES [--runs N] [--rate R]
A way there and back between two hosts of a lab (tests/pvm/echoes.c, built as build/release/tests/pvm/echoes), recorded with its daemons and run unrecorded, in turn: the
medians of the runs' medians and the range of the pairs' differences, in microseconds."""
import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("echoes", type=Path)
parser.add_argument("--runs", type=int, default=12)
parser.add_argument("--rate", default="1Gb/s")
parser.add_argument("--sizes", type=int, nargs="+", default=[4, 10000])
options = parser.parse_args()
LAB = f"pvc{os.getpid() % 100000}"


def run(*arguments):
    done = subprocess.run([options.whatwire, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def way_us(size, *how):
    return float(run(*how, "--", options.echoes.resolve(), size, 1000).split()[1])


run("lab", "up", "--name", LAB, "--hosts", 2, "--rate", options.rate)
try:
    with tempfile.TemporaryDirectory() as place:
        for size in options.sizes:
            pairs = [(way_us(size, "lab", "run", "--name", LAB), way_us(size, "record", "--lab", LAB, "--force", "-o", Path(place, "run.ww"))) for _ in range(options.runs)]
            unrecorded, recorded = (statistics.median(times) for times in zip(*pairs))
            differences = [b - a for a, b in pairs]
            print(f"{size} bytes: {unrecorded:.1f} us unrecorded, {recorded:.1f} recorded; pairs differ by {min(differences):+.1f} to {max(differences):+.1f}")
finally:
    run("lab", "down", "--name", LAB)
