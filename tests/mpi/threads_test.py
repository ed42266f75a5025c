#!/usr/bin/env python3
"""threads_test.py MPIRUN LIBRARY THREADS WHATWIRE SLOW_END: programs of many threads, at one time and one after another."""
import json
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import launcher
import spool

mpirun, library, program, whatwire, slow_end = sys.argv[1:6]
MIB = 1 << 20


def run(place, ranks, *arguments, preload=library):
    (place / "spool").mkdir(parents=True)
    done = subprocess.run(launcher.command(mpirun, ranks, program, *arguments, LD_PRELOAD=preload, WW_SPOOL_DIR=place / "spool"),
                          capture_output=True, text=True, env=launcher.environment, timeout=250)
    if done.returncode == 77:
        print("no MPI_THREAD_MULTIPLE here")
        sys.exit(77)
    return done


def unified(place):
    begin = time.monotonic()
    done = subprocess.run([whatwire, "unify", place], capture_output=True, text=True, env=launcher.environment, timeout=250)
    assert done.returncode == 0, done
    return time.monotonic() - begin, json.loads((place / "run.json").read_text())


def names(run_json):
    return Counter({d["name"]: d["count"] for d in run_json["diagnostics"]})


def in_files(place, rank):
    """Records of all files of a rank, by call."""
    counted = Counter()
    files = sorted((place / "spool").glob(f"rank-{rank}.thread-*.spool"))
    for file in files:
        thread = int(re.search(r"thread-(\d+)", file.name)[1])
        counted.update(r.call for r in spool.records(place / "spool", rank, thread))
    return len(files), counted


def at_once(place):
    """500 threads in each of 2 ranks that are all there: what their files take, while they are being recorded, beyond 48 bytes a record;
    what they called is in them, though they still live when MPI_Finalize is called."""
    threads, calls = 500, 20
    done = run(place, 2, "at_once", threads, calls)
    assert done.returncode == 0, done
    disk = int(re.search(r"^disk (\d+)$", done.stdout, re.M)[1])
    records = 0
    for rank in range(2):
        files, counted = in_files(place, rank)
        assert files == threads + 1 and counted["MPI_Sendrecv"] >= threads * calls, (files, counted)
        records += sum(counted.values())
    assert 0 < disk - 48 * records < 64 * MIB, (disk, records)
    took_s, facts = unified(place)
    assert took_s < 5 or launcher.busy(), took_s
    assert not names(facts), facts["diagnostics"]
    return f"{(disk - 48 * records) / MIB:.1f} MiB beyond {records} records, unified in {took_s:.1f} s"


def in_turn(place):
    """More threads than there are places for, one after another: all are recorded, in one file and one location of the archive."""
    threads = 5000
    done = run(place, 1, "in_turn", threads)
    assert done.returncode == 0, done
    files, counted = in_files(place, 0)
    assert files == 2 and counted[""] == threads - 1, (files, counted)
    assert counted["MPI_Sendrecv"] == threads or counted["MPI_Sendrecv"] == 2 * threads, counted
    number = 1
    for record in spool.records(place / "spool", 0, 1):
        if record.kind == "thread_begins":
            number += 1
            assert record.operation == number + 1, (number, record)  # the main thread is the first
    _, facts = unified(place)
    assert not names(facts), facts["diagnostics"]
    assert len(list((place / "traces").glob("*.evt"))) == 2
    report = json.loads(subprocess.run([whatwire, "report", "--json", place], capture_output=True, text=True, timeout=250).stdout)
    assert report["ranks"][0]["messages_sent"] == threads and report["unmatched_sends"] == report["unmatched_receives"] == 0, report
    return re.search(r"took .*", done.stdout)[0]


def at_exit(place):
    """exit() while other threads call, and for a while after the recorder noted the end: whatever returned is in the trace."""
    done = run(place, 1, "exit", 8, place / "counts", preload=f"{library}:{slow_end}")
    # MPICH's launcher may hang up on a program that ends without MPI_Finalize, also without us
    assert done.returncode == 3 or (done.returncode == 1 and not launcher.of_openmpi(mpirun)), done
    counts = (place / "counts.0").read_bytes()
    returned = sum(struct.unpack_from("<q", counts, 64 * thread)[0] for thread in range(8))
    _, counted = in_files(place, 0)
    # at most one a thread whose return the program had no time to count
    assert returned <= counted["MPI_Iprobe"] <= returned + 8, (returned, counted)
    ended = next(d for d in spool.definitions(place / "spool", 0) if d["def"] == "end")
    late = sum(r.leave > ended["ticks"] for t in range(1, 9) for r in spool.records(place / "spool", 0, t))
    assert late > 0, "nothing was called after the end: this test would not see what it is for"
    _, facts = unified(place)
    assert not names(facts), facts["diagnostics"]
    return f"{returned} calls, {late} of them after the end was noted"


def first_calls(place):
    """The first call of each kind waits for no page of ours: at 298ac7a the first MPI_Waitany for four, and a mapping."""
    def faults(output):
        main, thread = (Counter() for _ in range(2))
        for line in output.split("in a thread\n")[0].splitlines():
            name, count = line.split()
            main[name] += int(count)
        for line in output.split("in a thread\n")[1].splitlines():
            name, count = line.split()
            thread[name] += int(count)
        thread.pop("MPI_Iprobe")  # the thread's first call of all makes its file
        return main, thread

    alone = faults(subprocess.run(launcher.command(mpirun, 1, program, "first", 1), capture_output=True, text=True,
                                  env=launcher.environment, timeout=60).stdout)
    ours = faults(run(place, 1, "first", 1).stdout)
    for mine, bare in zip(ours, alone):
        extra = mine - bare
        # a page of the program's own stack or of MPI's, on one side and not on the other
        assert sum(extra.values()) <= 3, (mine, bare)
    return [sum((mine - bare).values()) for mine, bare in zip(ours, alone)]


with tempfile.TemporaryDirectory() as first:
    for check in (first_calls, in_turn, at_once, at_exit):
        print(check.__name__, check(Path(first) / check.__name__), flush=True)
