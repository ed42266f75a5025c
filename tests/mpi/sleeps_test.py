#!/usr/bin/env python3
"""sleeps_test.py MPIRUN LIBRARY PROGRAM: under dilation the program sleeps and waits D times as long as it asks for, and its
clocks say that it was as long as it asked; without, and with real clocks, nothing is changed. Expected: what the program asks
for (50 ms), D, and the processor time that the kernel says."""
import json
import subprocess
import sys

import launcher

mpirun, library, program = sys.argv[1:4]
ASKED_S = 0.05


def run(**variables):
    command = launcher.command(mpirun, 2, program, LD_PRELOAD=library, **variables)
    done = subprocess.run(command, stdout=subprocess.PIPE, env=launcher.environment, timeout=120, check=True)
    return json.loads(done.stdout)


def near(seen, wanted, part, what):
    assert abs(seen - wanted) <= part * wanted + 1e-3, f"{what}: {seen} is not within {part:.0%} of {wanted}"


def check(factor, rate, **variables):
    """The program's sleep is `factor` times as long, and its clocks run at 1 / rate."""
    said = run(**variables)
    assert said.pop("left") in (99, 100), said  # of an alarm of 100 s
    names = [name for name in said if not name.startswith("computed")]
    assert len(names) == 18 + 17, names
    for name in names:
        seen, real = said[name]
        near(real, factor * ASKED_S, 0.1, f"{name}, real time")
        near(seen * rate, real, 0.02, name)
    for name in said.keys() - names:
        seen, real = said[name]
        near(seen * rate, real, 0.02 if name != "computed by times" else 0.1, name)  # times counts in hundredths
    print(f"D = {factor:g}:", {name: said[name] for name in ("nanosleep", "beside: poll", "computed by clock")})


launcher.holds(lambda: check(factor=3, rate=3, WW_DILATION=3))
launcher.holds(lambda: check(factor=1, rate=1, WW_DILATION=1))
launcher.finish()
