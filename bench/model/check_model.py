#!/usr/bin/env python3
"""Is the machine model true? In labs of several rates, for both MPIs: the full measurement's time, its fit against fresh sizes that it was not
made of, the eager threshold beside the library's own setting, --quick beside it; and whether the 95% intervals of repeated measurements
hold their pooled value. Usage: check_model.py WHATWIRE [--rates 10Mb/s,100Mb/s,none] [--mpis openmpi,mpich] [--repeats 20] [-o FILE]"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
LAB = "check-model"


def whatwire(*arguments):
    run = subprocess.run([WHATWIRE, *arguments], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(f"whatwire {' '.join(arguments)}: {run.stderr.strip()}")
    return run.stdout


def measured(directory, mpi, name, *options):
    file = directory / f"{name}.json"
    begin = time.monotonic()
    whatwire("measure", *options, "--lab", LAB, "-o", str(file), "--", f"mpirun.{mpi}", "-n", "2")
    return file, json.loads(file.read_text()), time.monotonic() - begin


def full_and_quick(directory, mpi):
    full_file, full, full_s = measured(directory, mpi, "full")
    quick_file, quick, quick_s = measured(directory, mpi, "quick", "--quick")
    difference = json.loads(whatwire("machine", "diff", str(quick_file), str(full_file), "--json"))["links"][0]
    check, sweep = (full["environment"].get(key, {}).get("inter") for key in ("check", "check_sweep"))
    loop = {}
    for one in full["closed_loop"]:
        loop.setdefault(one["experiment"], []).append(abs(one["relative"]))
    return {"full_s": full_s, "quick_s": quick_s, "check": check, "sweep": sweep,
            "eager_threshold_bytes": full["links"][0]["eager_threshold_bytes"],
            "quick_eager_threshold_bytes": quick["links"][0]["eager_threshold_bytes"],
            "quick_difference": {key: difference[key] for key in ("mean", "max")},
            "closed_loop": {key: {"mean": statistics.mean(values), "max": max(values)} for key, values in loop.items()},
            "flags": full["flags"]}


# What is repeated: the latency, the seconds a byte of the wire, and those of the last segment.
def quantities(model):
    link = model["links"][0]
    out = {"latency": (link["smallest_s"], link["smallest_ci_s"])}
    if "wire" in link:
        out["wire, a byte"] = (link["wire"]["seconds_per_byte"], link["wire"]["seconds_per_byte_ci"])
    last = link["segments"][-1]
    out["last segment, a byte"] = (last["seconds_per_byte"], last["seconds_per_byte_ci"])
    return out


def coverage(directory, mpi, repeats):
    runs = [quantities(measured(directory, mpi, f"repeat-{i}", "--quick")[1]) for i in range(repeats)]
    out = {}
    for name in runs[0]:
        values = [run[name] for run in runs if name in run]
        pooled = statistics.median(value for value, _ in values)
        out[name] = {"pooled": pooled, "of": len(values), "held": sum(low <= pooled <= high for _, (low, high) in values),
                     "spread": [min(v for v, _ in values) / pooled - 1, max(v for v, _ in values) / pooled - 1],
                     "half_interval": statistics.median((high - low) / 2 / pooled for _, (low, high) in values)}
    return out


def percent(value):
    return f"{100 * value:.2f}%"


def main(options):
    results = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for rate in options.rates.split(","):
            subprocess.run([WHATWIRE, "lab", "down", "--name", LAB], capture_output=True)
            whatwire("lab", "up", "--name", LAB, "--hosts", "2", "--rate", rate)
            try:
                for mpi in options.mpis.split(","):
                    result = {"rate": rate, "mpi": mpi, **full_and_quick(directory, mpi)}
                    check, difference = result["check"], result["quick_difference"]
                    print(f"{rate} {mpi}: {result['full_s']:.1f} s, fresh sizes ({check['sizes']}) mean {percent(check['mean'])} largest "
                          f"{percent(check['max'])}, eager {result['eager_threshold_bytes']}; quick {result['quick_s']:.1f} s, off the full model "
                          f"mean {percent(difference['mean'])} largest {percent(difference['max'])}", flush=True)
                    if sweep := result["sweep"]:
                        print(f"  fine sweep ({sweep['sizes']} sizes) mean {percent(sweep['mean'])} largest {percent(sweep['max'])}")
                    for experiment, error in result["closed_loop"].items():
                        print(f"  closed loop, {experiment}: mean {percent(error['mean'])} largest {percent(error['max'])}")
                    if options.repeats > 1:
                        result["coverage"] = coverage(directory, mpi, options.repeats)
                        for quantity, one in result["coverage"].items():
                            print(f"  {quantity}: 95% intervals (half {percent(one['half_interval'])}) hold the pooled value in {one['held']} of "
                                  f"{one['of']}; values {percent(one['spread'][0])} to {percent(one['spread'][1])}", flush=True)
                    results.append(result)
            finally:
                subprocess.run([WHATWIRE, "lab", "down", "--name", LAB], capture_output=True)
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(results, indent=1) + "\n")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("whatwire")
parser.add_argument("--rates", default="10Mb/s,100Mb/s,none")
parser.add_argument("--mpis", default="openmpi,mpich")
parser.add_argument("--repeats", type=int, default=20)
parser.add_argument("-o", "--output")
chosen = parser.parse_args()
WHATWIRE = chosen.whatwire
main(chosen)
