#!/usr/bin/env python3
"""reads_test.py MPIRUN LIBRARY PROGRAM WHATWIRE: tests/lab/reads.c in virtual time. A rank comes late to an exchange of two large messages; where it has read the
other's request before, they go one after the other (2), else both at once (1). Expected: what the libraries do on a lab's wire (tests/lab/mpi_test.cpp)."""
import json
import os
import subprocess
import sys
import tempfile

import launcher

mpirun, _, program, whatwire = sys.argv[1:5]
LINE = [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 60e-6, "seconds_per_byte": 8e-8}]
COST = [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 5e-6, "seconds_per_byte": 0}]
MODEL = {"name": "virtual", "costs": {"F": COST, "U": COST}, "links": [{"between": "inter", "latency_s": 50e-6, "segments": LINE, "eager_threshold_bytes": 65536}]}
EXPECTED = {"nothing": 1, "receive": 2, "probe": 2, "own-4096": 1, "own-8192": 1 if launcher.of_openmpi(mpirun) else 2}

with tempfile.TemporaryDirectory() as place:
    model = os.path.join(place, "m.json")
    with open(model, "w") as file:
        json.dump(MODEL, file)
    more = ["--oversubscribe"] if launcher.of_openmpi(mpirun) else []
    done = subprocess.run([whatwire, "dilate", "--virtual", "--ranks-per-host", "1", "--machine", model, "-o", place + "/runs", "--", mpirun, "-n", "2", *more, program, *EXPECTED],
                          capture_output=True, text=True, env=launcher.environment, timeout=250)
    assert done.returncode == 0, done.stderr
    for run in (1, 2, 3):
        with open(f"{place}/runs/virtual-{run}.out") as file:
            times = {what: float(ratio) for what, ratio in (line.split() for line in file)}
        print(times)
        assert {what: round(ratio) for what, ratio in times.items()} == EXPECTED, times
