#!/usr/bin/env python3
"""departures_test.py MPIRUN LIBRARY PROGRAM: receivers are told when their messages departed (WW_STAMPS). Expected: what the
program writes into its messages before it sends them."""
import glob
import os
import subprocess
import sys
import tempfile

import launcher
import spool

mpirun, library, program = sys.argv[1:4]


def run(clock, directory, **variables):
    os.mkdir(directory)
    command = launcher.command(mpirun, 3, program, clock, LD_PRELOAD=library, WW_SPOOL_DIR=directory, **variables)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=launcher.environment, timeout=100)
    definitions = [spool.definitions(directory, rank) for rank in range(3)]
    return done, definitions


with tempfile.TemporaryDirectory() as place:
    done, definitions = run("tsc", place + "/first", WW_STAMPS=1)
    clock = next(d["clock"] for d in definitions[0] if d["def"] == "process")
    if clock != "tsc":
        done, definitions = run(clock, place + "/second", WW_STAMPS=1)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("checked") == 3, done.stdout
    print(done.stdout)
    lost = [d for rank in definitions for d in rank if d["def"] == "diagnostic" and d["name"].startswith("departure")]
    assert sum(d["count"] for d in lost) == 1, lost  # that of the receive after the one that nobody sees
    assert not glob.glob(place + "/*/stamps-*") and not glob.glob("/dev/shm/*whatwire*")

    done, definitions = run(clock, place + "/without")
    assert "not told" in done.stdout, done.stdout
