#!/usr/bin/env python3
"""other_jobs_test.py MPIRUN LIBRARY PROGRAM: jobs that inherit the recorder's variables from the one that records (a script
that starts several) leave its spools as they are, whatever their number of ranks, and are counted."""
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import launcher
import spool

mpirun, library, program = sys.argv[1:4]
with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    (place / "spool").mkdir()
    variables = dict(launcher.environment, LD_PRELOAD=library, WW_SPOOL_DIR=str(place / "spool"))
    line = " && ".join(shlex.join(launcher.command(mpirun, ranks, program, place / f"file{ranks}")) for ranks in (2, 3, 4))
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, env=variables, timeout=100)
    assert done.returncode == 0, done.stderr
    left = sorted(os.listdir(place / "spool"))
    assert left == ["loaded", "other-job-1", "other-job-2", "rank-0.defs", "rank-0.thread-0.spool", "rank-1.defs",
                    "rank-1.thread-0.spool", "world-0"], left
    assert [r.call for r in spool.records(place / "spool", 0)][-1] == "MPI_Finalize"
    process = [d for d in spool.definitions(place / "spool", 0) if d["def"] == "process"]
    assert [p["size"] for p in process] == [2], process
