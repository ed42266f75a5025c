#!/usr/bin/env python3
"""The grid's virtual time again. virtual_again.py WHATWIRE GRID.jsonl --programs FILE --keep DIR -o NEW.jsonl [options]
Runs every cell's program in virtual time again, with the model that its grid kept (run.py --keep DIR) and on a lab as its own was: what a change of virtual
time does to all cells, in a fifth of the time that the grid takes. All else that was run stays as it was; nothing else should run meanwhile. Cells that NEW has are not run again."""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("grid", type=Path)
parser.add_argument("--programs", type=Path, required=True, help="as of run.py")
parser.add_argument("--keep", type=Path, required=True)
parser.add_argument("-o", "--output", type=Path, required=True)
parser.add_argument("--only", nargs="+", help="programs by name")
parser.add_argument("--rounds", type=int, default=3)
options = parser.parse_args()
LAB = f"virtual{os.getpid() % 100000}"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
KEY = ("program", "library", "hosts", "tcp", "change")


def whatwire(*arguments):
    done = subprocess.run([options.whatwire, *map(str, arguments)], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=900)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, arguments))} ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")
    return done.stdout


def commands():
    for line in options.programs.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield (words[0], words[1], int(words[2])), words[3:]


def wire_of(cell):
    """The lab of its recording, by its model's name: machine-LIBRARY-HOSTS-TCP-RATE-DELAY.json (run.py)."""
    rate, delay_us = cell["kept"][1].removesuffix(".json").split("-")[-2:]
    return cell["hosts"], cell["tcp"], rate.replace("Mbs", "Mb/s"), delay_us


def launcher_of(cell):
    """As of run.py, where programs of PVM start themselves."""
    of_pvm = {"pvm": [], "pvm-direct": ["env", "DIRECT=1"]}
    return of_pvm.get(cell["library"], [f"mpirun.{cell['library']}", "-n", cell["hosts"]])


def again(cell, command):
    with tempfile.TemporaryDirectory(prefix="truth-") as place:
        whatwire("dilate", "--virtual", "--force", "--repeat", options.rounds, "--recorded", options.keep / cell["kept"][0] / "recorded-1.ww", "--lab", LAB, "--machine", options.keep / cell["kept"][1], "--what-if", cell["spec"],
                 "-o", Path(place) / "run", "--", *launcher_of(cell), *command)
        runs = [json.loads(whatwire("report", trace, "--json"))["elapsed_s"] for trace in sorted((Path(place) / "run").glob("*.ww"))]
    return {**cell, "virtual_runs_s": runs, "virtual_error": statistics.median(runs) / statistics.median(cell["real_runs_s"]) - 1, "not_virtual": None}


cells = [json.loads(line) for line in options.grid.read_text().splitlines()]
cells = [cell for cell in cells if not options.only or cell["program"] in options.only]
done = {tuple(json.loads(line)[key] for key in KEY) for line in options.output.read_text().splitlines()} if options.output.exists() else set()
command_of = dict(commands())
try:
    up = None
    for cell in sorted(cells, key=lambda one: wire_of(one) if "kept" in one else ()):
        if tuple(cell[key] for key in KEY) in done:
            continue
        if cell.get("virtual_error") is not None or cell.get("not_virtual"):
            wire = wire_of(cell)
            if up != wire:
                subprocess.run([options.whatwire, "lab", "down", "--name", LAB], capture_output=True)
                whatwire("lab", "up", "--name", LAB, "--hosts", wire[0], "--tcp", wire[1], "--rate", wire[2], "--delay", f"{wire[3]}us")
                up = wire
            before = "not run" if cell.get("virtual_error") is None else f"{100 * cell['virtual_error']:+.1f}%"
            cell = again(cell, command_of[cell["program"], cell["library"], cell["hosts"]])
            print(" ".join(str(cell[key]) for key in KEY) + f": {before} -> {100 * cell['virtual_error']:+.1f}%", flush=True)
        with options.output.open("a") as file:
            file.write(json.dumps(cell) + "\n")
finally:
    subprocess.run([options.whatwire, "lab", "down", "--name", LAB], capture_output=True)
