#!/usr/bin/env python3
"""not_followed_test.py MPIRUN LIBRARY PROGRAM: what is recorded as calls only is counted under a name (the counts are those of
the calls in not_followed.c)."""
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import launcher
import spool

mpirun, library, program = sys.argv[1:4]
with tempfile.TemporaryDirectory() as place:
    line = launcher.command(mpirun, 2, program, Path(place) / "file", LD_PRELOAD=library, WW_SPOOL_DIR=place)
    done = subprocess.run(line, capture_output=True, text=True, env=launcher.environment, timeout=60)
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        counts = Counter()
        for line in spool.definitions(place, rank):
            if line["def"] == "diagnostic":
                counts[line["name"]] += line["count"]
        wanted = {}
        if not launcher.of_openmpi(mpirun):
            wanted["isendrecv-from-any"] = 1
        assert counts == wanted, counts
