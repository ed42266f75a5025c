#!/usr/bin/env python3
"""dilation_test.py MPIRUN LIBRARY PROGRAM: computation is stretched by D, waiting is not, the program's clocks run at 1/D, and
injected time is added once for each message that was waited for. Expected values: D and the seconds asked for."""
import json
import os
import subprocess
import sys

mpirun, library, program = sys.argv[1:4]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(mode, **variables):
    command = [mpirun, "-n", "2", "--oversubscribe", "-x", f"LD_PRELOAD={library}"]
    for name, value in variables.items():
        command += ["-x", f"{name}={value}"]
    done = subprocess.run([*command, program, mode], stdout=subprocess.PIPE, env=environment, timeout=60, check=True)
    return sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda side: side["rank"])


def near(seen, wanted, part):
    assert abs(seen - wanted) <= part * wanted, f"{seen} is not within {part:.0%} of {wanted}"


factor = 3
sides = run("compute", WW_DILATION=factor)
for side in sides:
    for clock, seen in side["seen_s"].items():
        near(seen, side["real_s"] / factor, 0.01)
near(sides[0]["real_s"], factor * sides[0]["computed_s"], 0.05)
near(sides[1]["real_s"], sides[0]["real_s"], 0.1)  # the receiver only waits: its waiting is not stretched once more
print("stretched", sides[0]["real_s"], "for", sides[0]["computed_s"])

# WW_CLOCK=real leaves the clocks alone, and without dilation they are as they are
for variables in ({"WW_DILATION": factor, "WW_CLOCK": "real"}, {"WW_DILATION": 1}):
    for side in run("compute", **variables):
        for seen in side["seen_s"].values():
            near(seen, side["real_s"], 0.01)

# 5 ms for each message within a host: 40 messages of a ping-pong follow one another
least = 40 * 0.005
side = run("pingpong", WW_DILATION=2, WW_INJECT_INTRA="0:0.005:0")[0]
assert least <= side["real_s"] <= 1.5 * least, side
# 1 ms a byte beyond the base of a piece that begins at 4 bytes; these messages have 4
side = run("pingpong", WW_DILATION=2, WW_INJECT_INTRA="0:0:0,4:0.001:0.001")[0]
assert least <= side["real_s"] <= 1.5 * least, side
print("injected", side["real_s"], "for", least)
# what is there already is not waited for; one of twenty may be interrupted by the machine
side = run("early", WW_DILATION=2, WW_INJECT_INTRA="0:0.005:0")[1]
assert side["computed_s"] < 0.03, side
# a barrier of two ranks is one stage
side = run("barrier", WW_DILATION=2, WW_INJECT_INTRA="0:0.005:0")[0]
assert 0.1 <= side["real_s"] <= 0.2, side
# only messages between hosts: none here
side = run("pingpong", WW_DILATION=2, WW_INJECT_INTER="0:0.005:0")[0]
assert side["real_s"] < 0.1, side
