#!/usr/bin/env python3
"""ends_test.py MPIRUN LIBRARY PROGRAM WAY=CODE[:CALL]...: each way to end has the exit code (where it is given, that of the language's
or MPI's definition) and the output that it has without the recorder, and every call that returned is in the spool, and CALL, which did
not."""
import subprocess
import sys
import tempfile
from pathlib import Path

import launcher
import spool

mpirun, library, program, *ways = sys.argv[1:]


def run(*arguments, **variables):
    done = subprocess.run(launcher.command(mpirun, 1, program, *arguments, **variables), capture_output=True, text=True,
                          env=launcher.environment, timeout=60)
    return done.returncode, done.stdout.splitlines()[:1]


for text in ways:
    way, _, rest = text.partition("=")
    wanted, _, last = rest.partition(":")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "spool").mkdir()
        alone = run(way)
        recorded = run(way, LD_PRELOAD=library, WW_SPOOL_DIR=Path(place) / "spool")
        assert alone[1] == recorded[1] == ["before the end"], (way, alone, recorded)
        # MPICH's launcher, when it sees the connection close before the exit, hangs up on the program itself: 1, now and then
        codes = {int(wanted) if wanted else alone[0]} | (set() if launcher.of_openmpi(mpirun) else {1})
        assert alone[0] in codes and recorded[0] in codes, (way, alone, recorded)
        calls = [r.call for r in spool.records(Path(place) / "spool", 0)]
        assert calls[0] in ("MPI_Init", "MPI_Init_thread") and calls[1:3] == ["MPI_Comm_rank", "MPI_Bcast"], (way, calls)
        if last == "other thread":
            assert [r.call for r in spool.records(Path(place) / "spool", 0, 1)] == ["MPI_Abort"], way
            last = ""
        assert calls[3:] == ([last] if last else []), (way, calls)
        print(way, recorded[0], *calls)
