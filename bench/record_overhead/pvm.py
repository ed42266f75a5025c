#!/usr/bin/env python3
"""What recording costs a call of PVM: pvm.py WHATWIRE PROGRAM OUTPUT.json
Runs the loops of pvm_calls.c with and without the recorder, in turns, on a virtual machine of PVM's on this host, and divides what a round takes longer by
the calls that the trace has of it, those that libpvm3 makes inside of others among them. Beside it what S4 (3.3) says of its own instrumentation, on a 70 MHz
SPARCstation 5."""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "pvm"))
from machine import Machine  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in ("whatwire", "program", "output"):
    parser.add_argument(name, type=Path, metavar=name.upper())
options = parser.parse_args()
whatwire, program, output = options.whatwire.resolve(), options.program.resolve(), options.output
turns = 9
s4_us = {"a send": 182, "a receive": 278, "a support call": 80}


def run(machine, loop, *before):
    done = subprocess.run([*map(str, before), str(program), loop], env=machine.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    line = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode != 0 or line is None:
        sys.exit(f"{program} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(line)


def calls_of(trace):
    told = subprocess.run([whatwire, "report", trace, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout
    return {name: call["count"] for name, call in json.loads(told)["calls"].items()}


result = {"turns": turns, "s4_us": s4_us}
with Machine(str(program.parent)) as machine, tempfile.TemporaryDirectory() as place:
    for loop in ("pack", "message"):
        bare, recorded = [], []
        for _ in range(turns):
            bare.append(run(machine, loop))
            recorded.append(run(machine, loop, whatwire, "record", "--force", "-o", f"{place}/run.ww", "--"))
        calls = calls_of(f"{place}/run.ww")
        each = sum(calls.values()) / bare[0]["rounds"]
        extra = [(now["round_ns"] - before["round_ns"]) / each for before, now in zip(bare, recorded)]
        result[loop] = {"bare_ns": statistics.median(one["round_ns"] for one in bare), "recorded_ns": statistics.median(one["round_ns"] for one in recorded),
                        "calls": calls, "recorded_calls_a_round": each, "extra_ns_a_call": statistics.median(extra)}
        print(f"{loop:8} a round: bare {result[loop]['bare_ns']:7.1f} ns, recorded {result[loop]['recorded_ns']:7.1f}, {each:.1f} recorded calls, "
              f"{statistics.median(extra):.1f} ns more each (median of {turns}, from {min(extra):.1f} to {max(extra):.1f})")
print("S4's own, of 1998: " + ", ".join(f"{microseconds} us {what}" for what, microseconds in s4_us.items()))
output.write_text(json.dumps(result, indent=1) + "\n")
