#!/usr/bin/env python3
"""What a model misses where messages meet, on a quick and on a slow wire. loop.py MODELS...
MODELS are the folders in which run.py --keep left its models (or fitted ones): NAME-100Mbs-0.json is paired with NAME-10Mbs-0.json (the rate), and
NAME-100Mbs-10.json with NAME-100Mbs-1000.json (the delay). Of the closed loop's experiments but ping-pong, by what messages take on their way: the root
mean square of the relative error on either wire, and what the quick wire's would be on the slow one if it fell with the time of a message to a power.
And of all models there, how alike what is missed is in two experiments of one: the sum of the products of their relative errors to that of their squares' means.
The power and the likeness in src/simulate/doubts.cpp are from here."""
import argparse
import collections
import itertools
import json
import math
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("models", type=Path, nargs="+")
options = parser.parse_args()
PAIRS = {"rate": ("-100Mbs-0.json", "-10Mbs-0.json"), "delay": ("-100Mbs-10.json", "-100Mbs-1000.json")}
POWERS = (1, 0.8, 0.5)


def loop_of(model):
    return {(one["experiment"], one["bytes"]): one for one in model["closed_loop"] if one["between"] == "inter" and one["experiment"] != "ping-pong"}


def way(link, size):
    frame = link["wire"]["frame_payload_bytes"] - link["wire"]["message_overhead_bytes"]
    if size > (link.get("eager_threshold_bytes") or math.inf):
        return "a handshake"
    return "one frame" if size <= frame else "more frames"


def rms(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def alike(models):
    sums = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for model in models:
        for one, other in itertools.combinations(loop_of(model).values(), 2):
            apart = max(one["bytes"], other["bytes"]) > 2 * max(1, min(one["bytes"], other["bytes"]))
            sum_of = sums["the same" if one["experiment"] == other["experiment"] else "another", "sizes over twice apart" if apart else "like sizes"]
            a, b = one["relative"], other["relative"]
            sum_of[0] += 1
            sum_of[1] += a * b
            sum_of[2] += (a * a + b * b) / 2
    return {key: (count, products / squares) for key, (count, products, squares) in sums.items()}


found = collections.defaultdict(list)
for folder in options.models:
    for what, (of_quick, of_slow) in PAIRS.items():
        for path in sorted(folder.glob("machine-*" + of_quick)):
            other = path.with_name(path.name.removesuffix(of_quick) + of_slow)
            if not other.exists():
                continue
            quick, slow = (json.loads(one.read_text()) for one in (path, other))
            link = next(one for one in quick["links"] if one["between"] == "inter")
            before, after = loop_of(quick), loop_of(slow)
            for key in before.keys() & after.keys():
                found[what, way(link, key[1])].append((before[key]["relative"], after[key]["relative"], before[key]["simulated_s"] / after[key]["simulated_s"]))
if not found:
    parser.error("no pair of models there: they are called machine-...-100Mbs-0.json and such")
for (what, how), rows in sorted(found.items()):
    powers = ", ".join(f"{100 * rms([quick * ratio ** power for quick, _, ratio in rows]):.1f}% with the power {power}" for power in POWERS)
    print(f"{what}, {how} ({len(rows)}): {100 * rms([row[0] for row in rows]):.1f}% on the quick wire, {100 * rms([row[1] for row in rows]):.1f}% on the slow one; {powers}")
models = [json.loads(path.read_text()) for folder in options.models for path in sorted(folder.glob("machine-*.json")) if not path.name.endswith(".samples.json")]
for (experiment, sizes), (count, likeness) in sorted(alike([model for model in models if model.get("closed_loop")]).items()):
    print(f"{experiment} experiment, {sizes} ({count} pairs): {likeness:.2f} alike")
