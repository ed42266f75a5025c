#!/usr/bin/env python3
"""beside_fortran_test.py MPIRUN LIBRARY PROGRAM: what Fortran does with windows and files is recorded with its arguments; the
expected records are those of the calls in beside_fortran.F90."""
import subprocess
import sys
import tempfile
from pathlib import Path

import launcher
import spool

mpirun, library, program = sys.argv[1:4]
# WindowCall and FileCall of spool_format.hpp
CREATED, FREED, FENCE, LOCK_SHARED, UNLOCK, FLUSH, POST, START, COMPLETE, WAIT = 1, 3, 4, 6, 8, 10, 14, 15, 16, 17
OPENED, CLOSED, DELETED = 1, 2, 3
ACCUMULATE, FETCH_AND_ACCUMULATE = 1, 3
CREATE, READ_WRITE = 1, 8


def window_part(rank):
    other = 1 - rank
    return [("window", CREATED, -1), ("window", FENCE, -1), ("put", 0, other, 12), ("window", FENCE, -1),
            ("window", LOCK_SHARED, other), ("get", 0, other, 8), ("one_sided_done", 0, other, 8),
            ("window", FLUSH, other), ("atomic", FETCH_AND_ACCUMULATE, other, 4), ("window", UNLOCK, other),
            ("window", POST, other), ("window", START, other), ("atomic", ACCUMULATE, other, 16), ("window", COMPLETE, -1),
            ("window", WAIT, -1), ("window", FREED, -1)]


def file_part(rank):
    at = 40 * rank
    nowhere = 2**64 - 1
    # kind, bytes asked for, transferred, offset
    found = [("file", OPENED), ("file_write", 40, 40, at), ("file_write", 40, 40, at), ("file_iread", 8, None, at + 8),
             ("file_done", None, 8, None), ("file_iread", 4, None, nowhere), ("file_done", None, 4, None), ("file", CLOSED)]
    return found + ([("file", DELETED)] if rank == 0 else [])


def halves(r):
    return (r.peer & 0xffffffff) | (r.tag & 0xffffffff) << 32


def described(r):
    return {"window": lambda: (r.kind, r.tag, r.peer), "file": lambda: (r.kind, r.tag),
            "file_write": lambda: (r.kind, halves(r), r.bytes, r.operation),
            "file_iread": lambda: (r.kind, r.bytes, None, halves(r)),
            "file_done": lambda: (r.kind, None, r.bytes, None)}.get(r.kind, lambda: (r.kind, r.tag, r.peer, r.bytes))()


with tempfile.TemporaryDirectory() as place:
    prefix = Path(place) / "counts"
    outputs = []
    for variables in ({}, {"LD_PRELOAD": library, "WW_SPOOL_DIR": place}):
        done = subprocess.run(launcher.command(mpirun, 2, program, prefix, **variables), capture_output=True, text=True,
                              env=launcher.environment, timeout=60)
        assert done.returncode == 0, done.stderr
        outputs.append(sorted(done.stdout.splitlines()))
    assert outputs == [["rank 0 failures 0", "rank 1 failures 0"]] * 2, outputs
    for rank in range(2):
        seen = [described(r) for r in spool.records(place, rank)
                if r.kind in ("window", "put", "get", "atomic", "one_sided_done") or r.kind.startswith("file")]
        wanted = window_part(rank) + file_part(rank)
        assert seen == wanted, (rank, [pair for pair in zip(seen, wanted) if pair[0] != pair[1]], len(seen), len(wanted))
        definitions = spool.definitions(place, rank)
        assert [d["name"] for d in definitions if d["def"] == "window"][-1] == "ghost cells"
        files = [(d["name"], d["mode"]) for d in definitions if d["def"] == "file"]
        assert files[0] == (f"{prefix}.file", CREATE | READ_WRITE), files
        assert len(files) == (2 if rank == 0 else 1) and files[-1][0] == f"{prefix}.file", files
        assert not [d for d in definitions if d["def"] == "diagnostic"]
