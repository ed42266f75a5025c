#!/usr/bin/env python3
"""NetPIPE and our ping-pong side by side: run.py OUTPUT.json WHATWIRE [options]
In one lab, at each rate and with each MPI, runs NetPIPE 3.7 (Debian's netpipe-openmpi and netpipe-mpich2) and `whatwire measure` in
turns and prints size | NetPIPE | ours | difference. NetPIPE's time is the median of its rounds, each the least of three trials'
means, as NetPIPE reports it; ours the median over the rounds of each round's median one-way time at that size, and the fitted
curve there. NetPIPE is steady at a size where its rounds agree within --steady. Exit code 1 where fewer than --share of the steady
sizes of some MPI and rate agree within --agree. A run during which other processes took the machine's processors is made again,
up to --tries times, and of its tries the least disturbed counts: a rank that shares its core is late by milliseconds."""
import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# NetPIPE takes at least nine round trips a size: the largest size is what keeps a run under 40 s.
LARGEST_BYTES = {"10Mb/s": 65536, "100Mb/s": 786432, "none": 4194304}
PROGRAMS = {"openmpi": "NPopenmpi", "mpich": "NPmpich2"}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("output", type=Path)
parser.add_argument("whatwire")
parser.add_argument("--rates", nargs="+", default=list(LARGEST_BYTES), choices=list(LARGEST_BYTES))
parser.add_argument("--mpis", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--budget", type=float, default=15, help="seconds of each measurement of ours")
parser.add_argument("--steady", type=float, default=0.02, help="NetPIPE's rounds: (most - least) / median at most this")
parser.add_argument("--agree", type=float, default=0.05)
parser.add_argument("--share", type=float, default=0.95)
parser.add_argument("--foreign", type=float, default=0.04, help="processors that others may use during a timed run")
parser.add_argument("--tries", type=int, default=4)
parser.add_argument("--under", default="", help="a command in front of each timed run, such as one that waits for a quiet machine")
options = parser.parse_args()
signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))  # so that the lab goes
LAB = f"netpipe{os.getpid() % 100000}"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def timed(commands):
    """Runs them one after the other; of each, how many processors the rest of the machine used meanwhile."""
    helper = Path(__file__).parent / "timed.py"
    all_done = json.loads(run(*options.under.split(), sys.executable, helper, options.whatwire, LAB, json.dumps(commands)))
    for command, done in zip(commands, all_done):
        if done["exit_code"] != 0:
            sys.exit(f"{command} ended with {done['exit_code']}\n{done['said'][-2000:]}")
    return [done["foreign"] for done in all_done]


class NetPipe:
    """bytes -> one-way seconds. -p 0: without NetPIPE's three bytes less and more, which are sizes of their own."""
    def __init__(self, rate, mpi, place):
        self.file = str(place / "np.out")
        self.command = [options.whatwire, "lab", "run", "--name", LAB, "--", f"mpirun.{mpi}", "-n", "2", PROGRAMS[mpi], "-p", "0",
                        "-u", str(LARGEST_BYTES[rate]), "-o", self.file]

    def result(self):
        lines = Path(self.file).read_text().splitlines()
        return {int(size): float(seconds) for size, _, seconds in map(str.split, lines)}


class Ours:
    """(bytes -> median one-way seconds, the fitted curve, the model)"""
    def __init__(self, mpi, place):
        self.file = place / "model.json"
        self.command = [options.whatwire, "measure", "--lab", LAB, "--budget", str(options.budget), "-o", str(self.file), "--",
                        f"mpirun.{mpi}", "-n", "2"]

    def result(self):
        model = json.loads(self.file.read_text())
        segments = link_of(model)["segments"]
        samples = json.loads((self.file.parent / model["samples"]).read_text())["records"]
        times = {}
        for record in samples:  # a size has a record of each launch
            if record["kind"] == "pingpong" and record["between"] == "inter":
                times.setdefault(record["bytes"], []).extend(record["one_way_s"])
        measured = {size: statistics.median(of_size) for size, of_size in times.items()}

        def curve(size):
            segment = next((s for s in segments if size <= s["to_bytes"]), segments[-1])
            return segment["base_s"] + segment["seconds_per_byte"] * size
        return measured, curve, model


def one_round(pair):
    """The results of both, each of the least disturbed of up to --tries tries, and what others used meanwhile."""
    best = {}
    for _ in range(options.tries):
        again = [one for one in pair if one not in best or best[one][1] > options.foreign]
        if not again:
            break
        for one, foreign in zip(again, timed([one.command for one in again])):
            if one not in best or foreign < best[one][1]:
                best[one] = (one.result(), foreign)
    return best


def link_of(model):
    return next(one for one in model["links"] if one["between"] == "inter")


def side_by_side(rate, mpi, place):
    netpipe, mine = NetPipe(rate, mpi, place), Ours(mpi, place)
    theirs, own, foreign = [], [], []
    for turn in range(options.rounds):  # who begins changes from round to round
        best = one_round([netpipe, mine] if turn % 2 == 0 else [mine, netpipe])
        theirs.append(best[netpipe][0])
        own.append(best[mine][0])
        foreign.append([best[netpipe][1], best[mine][1]])
    rows = []
    for size in sorted(set.intersection(*map(set, theirs))):
        times = [one[size] for one in theirs]
        np_s = statistics.median(times)
        here = [measured[size] for measured, _, _ in own if size in measured]
        row = {"bytes": size, "netpipe_s": np_s, "netpipe_rounds_s": times, "spread": (max(times) - min(times)) / np_s,
               "ours_s": statistics.median(here) if here else None, "ours_rounds_s": here,
               "curve_s": statistics.median(curve(size) for _, curve, _ in own)}
        row["steady"] = row["spread"] <= options.steady
        row["difference"] = row["ours_s"] / np_s - 1 if here else None
        row["curve_difference"] = row["curve_s"] / np_s - 1
        rows.append(row)
    return rows, [model for _, _, model in own], foreign


def share(rows, key):
    steady = [row[key] for row in rows if row["steady"] and row[key] is not None]
    return sum(abs(one) <= options.agree for one in steady), len(steady)


def show(rate, mpi, result):
    print(f"\n{mpi}, {'no limit' if rate == 'none' else rate}, {options.rounds} rounds each, in turns")
    print(f"{'bytes':>9} {'NetPIPE us':>12} {'spread':>7} {'ours us':>12} {'differs':>8} {'curve us':>12} {'differs':>8}")
    for row in result["sizes"]:
        own = f"{row['ours_s'] * 1e6:12.1f} {row['difference']:8.1%}" if row["ours_s"] else f"{'-':>12} {'-':>8}"
        print(f"{row['bytes']:9} {row['netpipe_s'] * 1e6:12.1f} {row['spread']:7.1%} {own} {row['curve_s'] * 1e6:12.1f} "
              f"{row['curve_difference']:8.1%}{'' if row['steady'] else '  not steady'}")
    for key, what in (("measured_agree", "sizes measured by both"), ("curve_agree", "all its sizes, against the fitted curve")):
        agree, steady = result[key]
        print(f"NetPIPE is steady (rounds within {options.steady:.0%}) at {steady} of {what}; {agree} of them agree within "
              f"{options.agree:.0%}", flush=True)


for mpi in options.mpis:
    if shutil.which(PROGRAMS[mpi]) is None:
        sys.exit(f"{PROGRAMS[mpi]} is not installed: scripts/setup.sh --development")
results, good = {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "rounds": options.rounds, "steady": options.steady,
                 "agree": options.agree, "runs": []}, True
run(options.whatwire, "lab", "up", "--name", LAB, "--hosts", "2", "--rate", options.rates[0])
try:
    for rate in options.rates:
        run(options.whatwire, "lab", "rate", rate, "--name", LAB)
        for mpi in options.mpis:
            with tempfile.TemporaryDirectory() as place:
                rows, models, foreign = side_by_side(rate, mpi, Path(place))
            result = {"rate": rate, "mpi": mpi, "sizes": rows, "foreign": foreign, "measured_agree": share(rows, "difference"),
                      "curve_agree": share(rows, "curve_difference"),
                      "checks": [model["environment"].get("check", {}).get("inter") for model in models],
                      "eager_threshold_bytes": [link_of(model)["eager_threshold_bytes"] for model in models]}
            show(rate, mpi, result)
            for check, threshold in zip(result["checks"], result["eager_threshold_bytes"]):
                if check:
                    print(f"our curve at {check['sizes']} sizes that it was not fitted to: mean error {check['mean']:.2%}, largest "
                          f"{check['max']:.2%}; eager up to {threshold or 0:.0f} bytes")
            print("processors that others used during the runs:", " ".join(f"{a:.2f} {b:.2f}" for a, b in foreign), flush=True)
            results["runs"].append(result)
            agree, steady = result["measured_agree"]
            good = good and steady > 0 and agree >= options.share * steady
            options.output.write_text(json.dumps(results, indent=1) + "\n")
finally:
    subprocess.run([options.whatwire, "lab", "down", "--name", LAB], env=environment, check=False)
sys.exit(0 if good else 1)
