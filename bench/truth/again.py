#!/usr/bin/env python3
"""The grid's simulations again. again.py WHATWIRE GRID.jsonl --keep DIR -o NEW.jsonl [options]
Predicts every cell of a grid (run.py --keep DIR) again from the recordings and models that it kept, with another whatwire: what a change
of the simulation does to all cells, in minutes, on a machine that need not be quiet. What was run (recorded, dilated, virtual, real) stays
as it was; a cell's prediction is the median over its recordings and its interval holds all of theirs, as in a study."""
import argparse
import concurrent.futures
import json
import statistics
import subprocess
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("grid", type=Path)
parser.add_argument("--keep", type=Path, required=True)
parser.add_argument("-o", "--output", type=Path, required=True)
parser.add_argument("--only", nargs="+", help="programs by name")
parser.add_argument("--jobs", type=int, default=2)
parser.add_argument("--link", default="{}", help="JSON that is put into the link between hosts of MPICH's models: what a newer measure would have said")
options = parser.parse_args()

# The wires of run.py's changes, as its directories name them.
BASES = {"10 to 100 Mb/s": "10Mbs-0", "100 to 10 Mb/s": "100Mbs-0", "100 to 1000 Mb/s": "100Mbs-0", "1 ms to 10 us": "100Mbs-1000",
         "10 us to 1 ms": "100Mbs-10", "10 Mb/s, 1 ms to 100 Mb/s, 10 us": "10Mbs-1000"}


def model_of(cell, base):
    file = options.keep / f"machine-{cell['library']}-{cell['hosts']}-{cell['tcp']}-{base}.json"
    more = json.loads(options.link)
    if not more or cell["library"] != "mpich":
        return file
    other = options.output.parent / f"again-{file.name}"
    if not other.exists():
        model = json.loads(file.read_text())
        for link in model["links"]:
            if link["between"] == "inter":
                link.update(more)
        other.write_text(json.dumps(model))
    return other


# Of a study that was run twice the one whose recordings took what the cell says.
def recordings(cell, base):
    for place in sorted(options.keep.glob(f"{cell['program']}-{cell['library']}-{cell['hosts']}-{cell['tcp']}-{base}-*.study")):
        study = json.loads((place / "study.json").read_text())
        if study["recorded_runs_s"] == cell["recorded_runs_s"]:
            return sorted(place.glob("recorded-*.ww"))
    return []


def again(cell):
    if "failed" in cell or not cell.get("real_runs_s"):
        return cell
    base = BASES[cell["change"]]
    told = []
    for trace in recordings(cell, base):
        done = subprocess.run([options.whatwire, "simulate", trace, "--machine", model_of(cell, base), "--what-if", cell["spec"], "--json"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            return {**cell, "failed": done.stderr[-500:]}
        told.append(json.loads(done.stdout))
    if not told:
        return {**cell, "failed": "its study was not kept"}
    values = [one["predicted_s"] for one in told]
    middle = told[values.index(statistics.median_low(values))]
    simulated = {"s": statistics.median(values), "low": min(one["predicted_low_s"] for one in told), "high": max(one["predicted_high_s"] for one in told)}
    return {**cell, "simulated": simulated, "simulated_runs_s": values, "simulated_error": simulated["s"] / cell["real_s"] - 1,
            "held": simulated["low"] <= cell["real_s"] <= simulated["high"], "replayed_s": middle["replayed_s"], "rules": middle["rules"],
            "also_possible": middle.get("also_possible", [])}


cells = [json.loads(line) for line in options.grid.read_text().splitlines()]
cells = [cell for cell in cells if not options.only or cell["program"] in options.only]
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, options.output.open("w") as file:
    for before, now in zip(cells, pool.map(again, cells)):
        file.write(json.dumps(now) + "\n")
        where = " ".join(str(now[key]) for key in ("program", "library", "hosts", "tcp", "change"))
        if "failed" in now:
            print(f"{where}: {now['failed'][:200]}", flush=True)
        else:
            print(f"{where}: {100 * before['simulated_error']:+.1f}% {'' if before['held'] else 'missed '}-> {100 * now['simulated_error']:+.1f}%"
                  f"{'' if now['held'] else ' MISSED'}", flush=True)
