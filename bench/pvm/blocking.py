#!/usr/bin/env python3
"""Blocked time of tasks of PVM: what the simulation says beside what the system says. blocking.py WHATWIRE KEEP [-o FILE.md]

KEEP is what `bench/truth/run.py --keep` left of studies of PVM programs (library pvm or pvm-direct): of each its recorded and real runs, the model, and the change of
the wire. For every task: how long it was in select when it was recorded and how long the simulation of the recorded run has it blocked, in which parts; the same on the other
wire, where the simulation predicts from the recorded run and the real run was made. (S4, 6.1 and 6.3: both were to agree, and only service blocking to shrink.)
select is what libpvm3 calls to wait: the recorder's lowest level, which no model or replay sees."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("keep", type=Path)
parser.add_argument("-o", "--output", type=Path)
options = parser.parse_args()


def whatwire(*arguments):
    done = subprocess.run([options.whatwire, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def select_s(trace):
    """Of each rank."""
    with tempfile.TemporaryDirectory() as place:
        whatwire("export", trace, "--to", "s4", "-o", f"{place}/s4")
        count = len(list(Path(place, "s4").glob("overhead.*")))
        times = []
        for rank in range(count):
            words = (line.split() for line in Path(place, "s4", f"overhead.{rank}").read_text().splitlines())
            times.append(sum(int(word[2]) for word in words if word[0] == "select") * 1e-6)
        return times


def simulated(trace, model, what_if):
    spec = ["--what-if", what_if] if what_if else []
    return json.loads(whatwire("simulate", trace, "--machine", model, *spec, "--no-interval", "--json"))


def median_of(directory, runs):
    """The run of the median time, of a study's."""
    def elapsed_s(trace):
        return json.loads(whatwire("report", trace, "--json"))["elapsed_s"]
    traces = sorted(directory.glob(f"{runs}-*.ww"), key=elapsed_s)
    return traces[(len(traces) - 1) // 2]


def main():
    lines = ["| program | task | recorded: select s | simulated: blocked s | algorithmic | service | other wire, real: select s | simulated: blocked s | algorithmic | service | algorithmic moved |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    sums = []
    for directory in sorted(options.keep.glob("*-pvm*.study")):
        study = json.loads((directory / "study.json").read_text())
        words = directory.name.removesuffix(".study").split("-")
        name, route = words[0], "direct" if "direct" in words else "default"
        answer = study["what_ifs"][0]
        model = options.keep / f"machine-{'-'.join(words[1:-1])}.json"  # of its wire, as run.py names both
        route += f" {words[-3]}"
        recorded, real = median_of(directory, "recorded"), median_of(directory, f"real-{answer['spec']}")
        then, now = simulated(recorded, model, ""), simulated(recorded, model, answer["spec"])
        for rank, (select, other) in enumerate(zip(select_s(recorded), select_s(real))):
            a, b = then["ranks"][rank], now["ranks"][rank]
            moved = b["blocked_algorithmic_s"] / a["blocked_algorithmic_s"] - 1 if a["blocked_algorithmic_s"] > 0 else 0
            lines.append(f"| {name} {route} | {rank} | {select:.3f} | {a['blocked_s']:.3f} | {a['blocked_algorithmic_s']:.3f} | {a['blocked_service_s']:.3f} | {other:.3f} "
                         f"| {b['blocked_s']:.3f} | {b['blocked_algorithmic_s']:.3f} | {b['blocked_service_s']:.3f} | {100 * moved:+.1f}% |")
        total = {key: [sum(rank[key] for rank in run["ranks"]) for run in (then, now)] for key in ("blocked_algorithmic_s", "blocked_service_s")}
        sums.append(f"| {name} {route} | {total['blocked_algorithmic_s'][0]:.3f} | {total['blocked_algorithmic_s'][1]:.3f} | {total['blocked_service_s'][0]:.3f} | {total['blocked_service_s'][1]:.3f} "
                    f"| {100 * answer['simulated_error']:+.1f}% | {answer['real']['s']:.3f} |")
    text = "\n".join([*lines, "", "| program | algorithmic s, recorded wire | other wire | service s, recorded wire | other wire | the study's error of the time | real s |", "|---|---|---|---|---|---|---|", *sums, ""])
    if options.output:
        options.output.write_text(text)
    print(text)


main()
