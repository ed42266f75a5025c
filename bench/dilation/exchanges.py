#!/usr/bin/env python3
"""Is dilation true where messages meet? exchanges.py WHATWIRE EXCHANGE [options]
In a lab of two hosts at 10 Mb/s, `whatwire study` with bandwidth=x10, which the lab can then be set to: exchange.c's kinds and sizes,
and every executable of a folder of programs of others (--programs; two ranks, no arguments). Dilated beside real, simulated and virtual
time, medians of the rounds. Exit code 1 where dilated is more than 5% off real."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

# bytes: steps of it, so that a row takes some seconds
SIZES = {64: 300, 4096: 100, 65536: 20, 1048576: 4}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("exchange", type=Path)
parser.add_argument("--kinds", nargs="*", default=["sendrecv", "planes"], choices=["sendrecv", "blocking", "all", "planes"])
parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), choices=list(SIZES))
parser.add_argument("--programs", type=Path, help="a folder of programs of others")
parser.add_argument("--only", nargs="*", help="of the folder, these")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--keep", type=Path, help="studies and the model stay in this directory; a model that is there is not measured again")
parser.add_argument("-o", "--output", type=Path)
options = parser.parse_args()
signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))  # so that the lab goes
LAB = f"exchanges{os.getpid() % 100000}"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def whatwire(*arguments):
    command = [options.whatwire, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=1800)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def lines():
    for kind in options.kinds:
        for size in options.sizes:
            yield f"{kind} {size}", [options.exchange, kind, size, SIZES[size], 1000, 300]
    if options.programs:
        for program in sorted(options.programs.iterdir()):
            if program.is_file() and os.access(program, os.X_OK) and (not options.only or program.name in options.only):
                yield program.name, [program]


def run(place):
    model = place / "machine.json"
    if not model.exists():
        whatwire("measure", "--lab", LAB, "-o", model, "--", "mpirun", "-n", 2)
    rows = []
    print(f"{'':18s}  recorded  simulated    dilated    virtual       real  dil/real  sim/real  vir/real  said")
    for name, line in lines():
        study = place / f"{name.replace(' ', '-')}.study"
        whatwire("study", "--lab", LAB, "--machine", model, "--what-if", "bandwidth=x10", "--dilate", 1, "--repeat", options.rounds, "-o", study,
                 "--", "mpirun", "-n", 2, *line)
        found = json.loads((study / "study.json").read_text())
        answer = found["what_ifs"][0]
        s = {kind: answer[kind]["s"] if answer.get(kind) else float("nan") for kind in ("simulated", "dilated", "virtual", "real")}
        off = {kind: s[kind] / s["real"] - 1 for kind in ("dilated", "simulated", "virtual")}
        said = sorted({one["name"] for one in found["diagnostics"]})
        rows.append({"name": name, "recorded_s": found["recorded_s"], **s, "off": off, "diagnostics": said})
        print(f"{name:18s}{found['recorded_s']:10.4f}" + "".join(f"{value:11.4f}" for value in s.values())
              + "".join(f"{100 * value:+9.1f}%" for value in off.values()) + "  " + " ".join(said), flush=True)
    return rows


with tempfile.TemporaryDirectory() as temporary:
    place = options.keep or Path(temporary)
    place.mkdir(parents=True, exist_ok=True)
    whatwire("lab", "up", "--name", LAB, "--hosts", 2, "--rate", "10Mb/s")
    try:
        rows = run(place)
    finally:
        subprocess.run([options.whatwire, "lab", "down", "--name", LAB], capture_output=True, env=environment)
if options.output:
    options.output.write_text(json.dumps(rows, indent=1) + "\n")
missed = [row["name"] for row in rows if not abs(row["off"]["dilated"]) <= 0.05]
print(f"{len(rows) - len(missed)} of {len(rows)} within 5%" + (": not " + ", ".join(missed) if missed else ""))
sys.exit(1 if missed else 0)
