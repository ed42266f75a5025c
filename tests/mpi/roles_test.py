#!/usr/bin/env python3
"""roles_test.py MPIRUN LIBRARY PROGRAM: the program behaves the same with and without the recorder, and the recorder says
what the program counted for itself (each expected number comes from the program, written beside each of its calls)."""
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import launcher
import spool

mpirun, library, program = sys.argv[1:4]


def run(prefix, **variables):
    done = subprocess.run(launcher.command(mpirun, 2, program, prefix, **variables), capture_output=True, text=True,
                          env=launcher.environment, timeout=60)
    return done.returncode, sorted(done.stdout.splitlines())


def expected_of(path):
    calls, actions, collectives = Counter(), Counter(), Counter()
    for line in path.read_text().splitlines():
        what, name, *numbers = line.split()
        if what == "call":
            calls[name] += 1
        elif what == "action":
            actions[name, int(numbers[0])] += 1
        else:
            collectives[name, int(numbers[0]), int(numbers[1])] += 1
    return calls, actions, collectives


def check(rank, directory, path):
    calls, actions, collectives = expected_of(path)
    freed = actions.pop(("freed", 0), 0)
    seen_calls, seen_actions, seen_collectives = Counter(), Counter(), Counter()
    begun, done = {}, set()
    records = spool.records(directory, rank)

    def complete(serial):
        assert serial in begun, f"operation {serial} completed, but never begun"
        assert serial not in done, f"operation {serial} completed twice"
        done.add(serial)
        return begun[serial]

    continued = False
    latest = 0
    got = {}
    for r in records:
        assert latest <= r.enter <= r.leave or continued, "the calls of a thread follow one another"
        latest = r.leave
        if not continued:
            seen_calls[r.call] += 1
        continued = bool(r.flags & spool.CONTINUED)
        if r.kind in ("send", "recv", "isend", "irecv"):
            seen_actions[r.kind, r.bytes] += 1
        if r.kind in ("isend", "irecv", "icollective"):
            assert r.operation not in begun
            begun[r.operation] = r
        if r.kind in ("isend_done", "irecv_done", "icollective_done", "cancelled"):
            complete(r.operation)
            seen_actions[r.kind, r.bytes] += 1
            if r.kind == "irecv_done":
                assert r.peer >= -1 and r.tag >= -1, "a completed receive says what it received"
        if r.kind == "done_range":
            for serial in range(r.operation, r.operation + r.bytes):
                operation = complete(serial)
                assert not operation.flags & spool.WILDCARD
                # a receive's size is that of its message, which this program makes equal to what was posted here
                seen_actions[operation.kind + "_done", operation.bytes] += 1
        if r.kind in ("test_failed", "comm_made"):
            seen_actions[r.kind, 0] += 1
        if r.kind == "probe":
            seen_actions["probe" if r.flags & spool.FOUND else "probe_failed", r.bytes] += 1
        if r.kind in ("collective", "icollective"):
            given, told = r.bytes, 0
        if r.kind == "sent_to":  # two ranks a record, and all of it when the call has no further record
            told += r.bytes + (r.operation if r.tag >= 0 else 0)
            assert r.flags & spool.CONTINUED or told == given, f"{r.call}: {told} of {given} bytes"
        if r.kind == "collective":
            seen_collectives[r.call, r.bytes, r.operation] += 1
        if r.kind == "icollective":
            seen_collectives[r.call, r.bytes, None] += 1
    assert not continued
    # of a non-blocking collective the received bytes are in its completion
    wanted = Counter()
    for (name, given, received), n in collectives.items():
        wanted[name, given, None if name.startswith("MPI_I") and name != "MPI_Intercomm_create" else received] += n
    # Open MPI's status of a receive from MPI_PROC_NULL is of size 0; in a range the posted size stands
    assert seen_calls == calls, f"rank {rank}: calls {diff(seen_calls, calls)}"
    assert seen_actions == actions, f"rank {rank}: actions {diff(seen_actions, actions)}"
    assert seen_collectives == wanted, f"rank {rank}: collectives {diff(seen_collectives, wanted)}"
    assert len(begun) - len(done) == freed
    end = [d for d in spool.definitions(directory, rank) if d["def"] == "end"]
    assert len(end) == 1 and end[0]["reason"] == "finalize" and end[0]["records"] == len(records)
    assert not [d for d in spool.definitions(directory, rank) if d["def"] == "diagnostic"]
    return records


def diff(seen, wanted):
    return f"too many {dict(seen - wanted)} missing {dict(wanted - seen)}"


with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    (place / "spool").mkdir()
    alone = run(place / "alone")
    recorded = run(place / "counts", LD_PRELOAD=library, WW_SPOOL_DIR=place / "spool")
    assert alone == recorded, f"alone {alone}, recorded {recorded}"
    assert alone[0] == 7, alone
    sides = [check(rank, place / "spool", place / f"counts.{rank}") for rank in range(2)]
    sent = sum(r.kind in ("send", "isend") and r.peer >= 0 for side in sides for r in side)
    print(f"{sum(map(len, sides))} records, {sent} messages")
