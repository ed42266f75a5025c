#!/usr/bin/env python3
"""Is dilation true where messages meet? exchanges.py WHATWIRE EXCHANGE [options]
In a lab of two hosts (--rate), `whatwire study` with bandwidth=x10, which the lab can then be set to: exchange.c's kinds and sizes,
and every executable of a folder of programs of others (--programs; two ranks, no arguments). Dilated beside real, simulated and virtual
time, medians of the rounds. On a machine whose cores the hosts' ranks share with the lab's switch, ranks of the real run wait for their cores, as on no other wire: what
it would take without is between `no waits`, the real time less all such waits, and the real time. Exit code 1 where dilated is more than 5%
off real."""
import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from in_lab import InLab

# bytes: steps of it, so that a row takes some seconds
SIZES = {64: 300, 4096: 100, 65536: 20, 1048576: 4}
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("exchange", type=Path)
parser.add_argument("--kinds", nargs="*", default=["sendrecv", "planes"], choices=["sendrecv", "blocking", "all", "planes"])
parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), choices=list(SIZES))
parser.add_argument("--programs", type=Path, help="a folder of programs of others")
parser.add_argument("--only", nargs="*", help="of the folder, these")
parser.add_argument("--rate", default="10Mb/s", help="of the lab, until it is ten times that; the slower, the less of a run is what the switch takes from the ranks")
parser.add_argument("--work-us", type=int, default=1000, help="computed in each step of an exchange; one rank 3/10 longer in turn")
parser.add_argument("--wire", choices=("switch", "tbf"), default="switch",
                    help="tbf: the kernel's token bucket, which takes no core from the ranks but lets a message of less than its bucket (three frames) pass at once: "
                         "a truth for 64 bytes, not for 4 KiB")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--keep", type=Path, help="studies and the model stay in this directory; a model that is there is not measured again")
parser.add_argument("-o", "--output", type=Path)
options = parser.parse_args()
options.exchange = options.exchange.resolve()


def lines():
    for kind in options.kinds:
        for size in options.sizes:
            yield f"{kind} {size}", [options.exchange, kind, size, SIZES[size], options.work_us, options.work_us * 3 // 10]
    if options.programs:
        for program in sorted(options.programs.iterdir()):
            if program.is_file() and os.access(program, os.X_OK) and (not options.only or program.name in options.only):
                yield program.name, [program]


def without_waits(traces):
    """Seconds, the median of the runs: their times less the mean of what their ranks waited for a core."""
    left = []
    for trace in traces:
        ranks = json.loads((trace / "run.json").read_text())["ranks"]
        left.append(max(rank["elapsed_s"] for rank in ranks) - statistics.mean(rank["waited_s"] for rank in ranks))
    return statistics.median(left)


def run(lab):
    rows = []
    print(f"{'':18s}  recorded  simulated    dilated    virtual       real   no waits  dil/real  sim/real  vir/real  said")
    for name, line in lines():
        found = lab.study(name.replace(" ", "-"), line, "--what-if", "bandwidth=x10", "--dilate", 1, "--repeat", options.rounds)
        answer = found["what_ifs"][0]
        s = {kind: answer[kind]["s"] if answer.get(kind) else float("nan") for kind in ("simulated", "dilated", "virtual", "real")}
        off = {kind: s[kind] / s["real"] - 1 for kind in ("dilated", "simulated", "virtual")}
        s["without_waits"] = without_waits(sorted((lab.place / f"{name.replace(' ', '-')}.study").glob("real-*.ww")))
        said = sorted({one["name"] for one in found["diagnostics"]})
        rows.append({"name": name, "recorded_s": found["recorded_s"], **s, "off": off, "diagnostics": said})
        print(f"{name:18s}{found['recorded_s']:10.4f}" + "".join(f"{value:11.4f}" for value in s.values())
              + "".join(f"{100 * value:+9.1f}%" for value in off.values()) + "  " + " ".join(said), flush=True)
    return rows


with InLab(options.whatwire, options.rate, keep=options.keep, wire=options.wire) as lab:
    rows = run(lab)
if options.output:
    options.output.write_text(json.dumps(rows, indent=1) + "\n")
missed = [row["name"] for row in rows if not abs(row["off"]["dilated"]) <= 0.05]
print(f"{len(rows) - len(missed)} of {len(rows)} within 5%" + (": not " + ", ".join(missed) if missed else ""))
sys.exit(1 if missed else 0)
