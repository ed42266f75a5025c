#!/usr/bin/env python3
"""found_software.py KEEP [-o FILE.jsonl] | FILE.jsonl: how alike the software is that studies found in recordings of one program on two wires, a message between
hosts beside the model's. KEEP is a folder that `run.py --keep` left; what it tells is written to FILE, which can be read again in its place."""
import argparse
import itertools
import json
import re
import statistics
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("given", type=Path)
parser.add_argument("-o", "--output", type=Path)
options = parser.parse_args()
if not options.given.exists():
    parser.error(f"there is no {options.given}")
if options.given.is_dir():
    found = []
    for study in sorted(options.given.glob("*.study/study.json")):
        named = re.fullmatch(r"(.+)-(\w+)-\d+-(.+Mbs-\d+)-0\.study", study.parent.name)
        if named:
            us = 1e6 * json.loads(study.read_text())["what_ifs"][0]["prediction"]["calibrated_software_s"]
            found.append({"program": named[1], "library": named[2], "wire": named[3], "found_us": round(us, 2)})
else:
    found = [json.loads(line) for line in options.given.read_text().splitlines()]
if not found:
    parser.error(f"no studies in {options.given}")
if options.output:
    options.output.write_text("".join(json.dumps(one) + "\n" for one in found))
by_wire = {}
for one in found:
    by_wire.setdefault(one["wire"], {})[one["program"], one["library"]] = one["found_us"]
for first, second in itertools.combinations(by_wire, 2):
    both = [(by_wire[first][key], by_wire[second][key]) for key in by_wire[first] if key in by_wire[second]]
    if len(both) >= 5:
        correlation, (slope, _) = statistics.correlation(*zip(*both)), statistics.linear_regression(*zip(*both))
        print(f"{first} and {second}: {len(both)} pairs, correlation {correlation:+.2f}, slope {slope:+.2f}")
