#!/usr/bin/env python3
"""The grid's simulations again. again.py WHATWIRE GRID.jsonl --keep DIR -o NEW.jsonl [options]
Predicts every cell of a grid (run.py --keep DIR) again from the recordings and models that it kept, with another whatwire: what a change
of the simulation does to all cells, in minutes, on a machine that need not be quiet. What was run (recorded, dilated, virtual, real) stays
as it was, and what it says of single calls. A cell's prediction is the median over its recordings, and its interval that of the middle one with what other runs may
differ by, as in a study (src/study/agreement.cpp), but for computations that a study replaces because another round did not have them."""
import argparse
import concurrent.futures
import json
import math
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
parser.add_argument("--intervals", action="store_true", help="the intervals alone, of the predictions that the kept studies have")
parser.add_argument("--models", type=Path, help="the models are here (fitted again: whatwire machine fit), not in DIR")
options = parser.parse_args()


def simulated(cell, trace, *more):
    model = (options.models or options.keep) / cell["kept"][1]
    done = subprocess.run([options.whatwire, "simulate", trace, "--machine", model, "--what-if", cell["spec"], "--json", *more], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-500:])
    return json.loads(done.stdout)


def with_quicker(cell, trace, told, quicker):
    """As a study takes its second recording (src/study/second_recording.hpp)."""
    if not quicker.exists() or told["predicted_s"] >= told["recorded_s"]:
        return told
    try:
        cooled = simulated(cell, trace, "--also", quicker)
    except RuntimeError:
        return told
    moved = cooled["predicted_s"] - told["predicted_s"]
    low, high = (math.hypot(cooled[key] - cooled["predicted_s"], moved / 2) for key in ("predicted_low_s", "predicted_high_s"))
    return {**cooled, "predicted_low_s": cooled["predicted_s"] - low, "predicted_high_s": cooled["predicted_s"] + high}


def predictions(cell):
    study = options.keep / cell["kept"][0]
    for trace in sorted(study.glob("recorded-*.ww")):
        yield with_quicker(cell, trace, simulated(cell, trace), study / "quicker-1.ww")


STUDENT = (4.303, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)  # of 1 degree as of 2


def of_other_runs(predicted, alike):
    """As src/stats/student.hpp, half_interval_of_other_median; of more than twelve degrees somewhat wider."""
    count = len(predicted)
    if count < 2:
        return 0
    groups = [group for group in (predicted, *alike) if len(group) > 1]
    degrees = sum(len(group) - 1 for group in groups)
    deviation = math.sqrt(sum((len(group) - 1) * (statistics.stdev(group) / statistics.mean(group)) ** 2 for group in groups) / degrees)
    return STUDENT[min(degrees, len(STUDENT)) - 1] * statistics.mean(predicted) * deviation * math.sqrt(2 * {2: 0.5, 3: 0.4487, 4: 0.2982, 5: 0.2868}.get(count, math.pi / 2 / count))


def with_interval(cell, middle, predicted):
    """The cell, its prediction and interval as src/study/agreement.cpp has them."""
    others = [cell.get(f"{way}_runs_s") or [] for way in ("dilated", "virtual") if not cell.get(f"not_{way}")]
    value, runs = statistics.median(predicted), of_other_runs(predicted, others)
    low = max(0, value - math.hypot(middle["predicted_s"] - middle["predicted_low_s"], runs))
    high = value + math.hypot(middle["predicted_high_s"] - middle["predicted_s"], runs)
    return {**cell, "simulated": {"s": value, "low": low, "high": high}, "simulated_error": value / cell["real_s"] - 1, "held": low <= cell["real_s"] <= high}


def again(cell):
    if "failed" in cell or not cell.get("real_runs_s"):
        return cell
    if options.intervals:
        study = json.loads((options.keep / cell["kept"][0] / "study.json").read_text())
        answer = next(one for one in study["what_ifs"] if one["spec"] == cell["spec"])
        return with_interval(cell, answer["prediction"], answer["simulated_runs_s"])
    try:
        told = sorted(predictions(cell), key=lambda one: one["predicted_s"])
    except (RuntimeError, KeyError) as problem:
        return {**cell, "failed": f"not predicted again: {problem}"}
    if not told:
        return {**cell, "failed": f"{cell['kept'][0]} was not kept"}
    middle = told[(len(told) - 1) // 2]
    return {**with_interval(cell, middle, [one["predicted_s"] for one in told]), "replayed_s": middle["replayed_s"], "rules": middle["rules"],
            "also_possible": middle.get("also_possible", []), "on_shared_cores_s": middle.get("on_shared_cores_s"), "doubts": middle.get("doubts", []), "diagnostics": [said["name"] for said in middle["diagnostics"]]}


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
