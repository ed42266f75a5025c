#!/usr/bin/env python3
"""life_test.py MPIRUN LIBRARY PROGRAM: what is left after each way to end, and that nothing else is disturbed."""
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import launcher
import spool

mpirun, library, program = sys.argv[1:4]


def start(place, ranks, *arguments):
    (place / "spool").mkdir()
    command = launcher.command(mpirun, ranks, program, *arguments, LD_PRELOAD=library, WW_SPOOL_DIR=place / "spool")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=launcher.environment)


def finish(process):
    output = process.communicate(timeout=60)[0]
    return process.returncode, output.decode(errors="replace")


def the_end(place, rank=0):
    return [d for d in spool.definitions(place / "spool", rank) if d["def"] == "end"]


def count_at(path):
    data = path.read_bytes() if path.exists() else b""
    return struct.unpack_from("<qq", data) if len(data) >= 16 else (0, 0)


def killed(place):
    """Every call that had returned, by the program's own count, is in the spool."""
    process = start(place, 2, "killed", place / "counts")
    deadline = time.monotonic() + 60
    while not all(count_at(place / f"counts.{r}")[0] for r in range(2)) and time.monotonic() < deadline:
        time.sleep(0.01)
    victim, _ = count_at(place / "counts.1")
    if not victim:
        left = [(str(path.relative_to(place)), path.stat().st_size) for path in sorted(place.rglob("*"))]
        process.terminate()
        raise AssertionError(f"the program did not start: {finish(process)}, left {left}")
    time.sleep(random.uniform(0, 0.2))
    os.kill(victim, signal.SIGKILL)
    finish(process)
    _, returned = count_at(place / "counts.1")
    records = spool.records(place / "spool", 1)
    # at most the call whose return the program had no time to count
    assert returned <= len(records) <= returned + 1, f"{returned} calls returned, {len(records)} recorded"
    cycle = ["MPI_Iprobe", "MPI_Irecv", "MPI_Isend", "MPI_Waitall"]
    assert [r.call for r in records[:2]] == ["MPI_Init", "MPI_Comm_rank"]
    assert all(r.call == cycle[i % 4] for i, r in enumerate(records[2:]))
    assert not the_end(place, 1)
    return returned


def exits(place):
    code, output = finish(start(place, 1, "exit"))
    # MPICH's launcher, when it sees the connection close before the exit, hangs up on the program itself: 1, also without us
    assert code == 3 or (code == 1 and not launcher.of_openmpi(mpirun)), (code, output)
    assert [r.call for r in spool.records(place / "spool", 0)] == ["MPI_Init", "MPI_Comm_rank"]
    assert the_end(place)[0]["reason"] == "exit"


def aborts(place):
    code, _ = finish(start(place, 1, "abort"))
    assert code == 5 or (code == 1 and not launcher.of_openmpi(mpirun)), code  # as in exits: without us in 13 of 150 runs
    assert [r.call for r in spool.records(place / "spool", 0)][-1] == "MPI_Abort"
    assert the_end(place)[0]["reason"] == "abort"


def forks(place):
    code, output = finish(start(place, 1, "fork"))
    assert code == 0, output
    assert [r.call for r in spool.records(place / "spool", 0)] == ["MPI_Init", "MPI_Comm_rank", "MPI_Wtick", "MPI_Finalize"]
    left = sorted(p.name for p in (place / "spool").iterdir())
    assert left == ["loaded", "rank-0.defs", "rank-0.thread-0.spool", "world-0"], left
    assert [e["reason"] for e in the_end(place)] == ["finalize"]


def no_room(place):
    """A file that may not grow: recording stops, the loss is counted, the program goes on."""
    code, output = finish(start(place, 1, "limit", "of-files"))
    assert code == 0, output
    data = (place / "spool" / "rank-0.thread-0.spool").read_bytes()
    dropped = spool.HEADER.unpack_from(data)[6]
    kept = (len(data) - 4096) // 48
    assert kept > 300000 and kept + dropped == 400000 + 4, (kept, dropped)


def threads(place):
    code, output = finish(start(place, 1, "threads"))
    if code == 77:
        return "no MPI_THREAD_MULTIPLE here"
    assert code == 0, output
    begun, ended = Counter(), Counter()
    sends = []  # of each thread, those that followed one another in a file apart
    for thread in range(len(list((place / "spool").glob("rank-0.thread-*.spool")))):
        records = spool.records(place / "spool", 0, thread)
        sends.append(0)
        for r in records:
            if r.kind == "thread_begins":
                sends.append(0)
            sends[-1] += r.call == "MPI_Isend"
            if r.kind in ("isend", "irecv"):
                begun[r.operation] += 1
            elif r.kind in ("isend_done", "irecv_done", "cancelled"):
                ended[r.operation] += 1
            elif r.kind == "done_range":
                ended.update(range(r.operation, r.operation + r.bytes))
    assert sorted(sends) == [0, 0, 500, 500, 500, 500], sends
    assert len(begun) == 4000 + 300000 and begun == ended and set(begun.values()) == {1}
    assert "request-table-full" not in (place / "spool" / "rank-0.defs").read_text().replace("_", "-")
    return None


def without(*arguments):
    """Exit code and output of the program alone; launchers name the process, which differs."""
    done = subprocess.run(launcher.command(mpirun, 1, program, *map(str, arguments)), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env=launcher.environment, timeout=60)
    return done.returncode, done.stdout.decode()


def ends(place):
    """Every way to end without MPI_Finalize: exit code and output as without us, and all 1000 calls are there."""
    # MPICH's launcher hangs up on a program whose connection closes before it ends, or not, as it happens, without us
    # too: there the program is its own launcher (a singleton), and its end is seen as it is
    own_launcher = not launcher.of_openmpi(mpirun)

    def run(how, **variables):
        command = launcher.command(mpirun, 1, program, f"end-{how}", **variables)
        if own_launcher:
            command = ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items()), program, f"end-{how}"]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=launcher.environment, timeout=60)

    def check(how):
        here = place / how
        (here / "spool").mkdir(parents=True)
        done, alone = run(how, LD_PRELOAD=library, WW_SPOOL_DIR=here / "spool"), run(how)
        ours = [line for line in done.stdout.decode().splitlines() if "PID" not in line and str(library) not in line]
        theirs = [line for line in alone.stdout.decode().splitlines() if "PID" not in line]
        assert "the program says 1000" in theirs and (how != "exec" or "another program" in theirs), (how, alone)
        assert ours[:2] == theirs[:2], (how, alone, ours)
        assert done.returncode == alone.returncode, (how, done.returncode, alone)
        assert Counter(r.call for r in spool.records(here / "spool", 0))["MPI_Iprobe"] == 1000, how
        assert not the_end(here), how

    with ThreadPoolExecutor(3) as pool:  # Open MPI takes seconds to end after some of them
        list(pool.map(check, ("segv", "kill", "abort", "_exit", "exec")))


def durable(place):
    """The program counts msync: none of its calls returns before one."""
    (place / "spool").mkdir()
    done = subprocess.run(launcher.command(mpirun, 1, program, "durable", LD_PRELOAD=library, WW_SPOOL_DIR=place / "spool",
                                           WW_DURABLE="1"), capture_output=True, env=launcher.environment, timeout=60)
    assert done.returncode == 0, done
    assert Counter(r.call for r in spool.records(place / "spool", 0))["MPI_Iprobe"] == 20
    assert without("durable")[0] == 8  # without us nobody syncs: the test can fail


def full_disk(place):
    """A disk of 20 MiB: a third is the spool's, since the archive needs its room too; the program goes on, the loss is counted."""
    disk = place / "disk"
    disk.mkdir()
    command = launcher.command(mpirun, 1, program, "limit", LD_PRELOAD=library, WW_SPOOL_DIR=disk / "spool")
    script = (f'mount -t tmpfs -o size=20m none {disk} || exit 77; mkdir {disk}/spool; "$@"; code=$?; '
              f'cp -r {disk}/spool {place}/spool; exit $code')
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", *map(str, command)], capture_output=True,
                          env=dict(launcher.environment), timeout=100)
    if done.returncode == 77 or b"unshare" in done.stderr:
        print("no mounts here:", done.stderr.decode())
        sys.exit(77)
    assert done.returncode == 0 == without("limit")[0], done
    data = (place / "spool" / "rank-0.thread-0.spool").read_bytes()
    dropped = spool.HEADER.unpack_from(data)[6]
    kept = (len(data) - 4096) // 48
    assert 100000 < kept < 20 * 2**20 / 48 / 2 and kept + dropped == 400000 + 4, (kept, dropped)


def other_programs(place):
    """Loaded into programs that know nothing of MPI, it changes nothing, and leaves a note that it was there."""
    (place / "spool").mkdir()
    with_it = dict(os.environ, LD_PRELOAD=library, WW_SPOOL_DIR=str(place / "spool"), WW_DILATION="3")
    script = "cat /proc/version; for i in 1 2 3; do (echo $((i * 7))); done; ls / | sort | head -3; exit 4"
    runs = [subprocess.run(["bash", "-c", script], capture_output=True, env=e, timeout=30) for e in (None, with_it)]
    assert runs[0].returncode == runs[1].returncode == 4
    assert runs[0].stdout == runs[1].stdout and runs[1].stderr == runs[0].stderr == b""
    assert [p.name for p in (place / "spool").iterdir()] == ["loaded"]  # in our own directory
    # the clock of a program that does not use MPI is the real one, whatever the dilation
    code = "import time, sys; sys.stdout.write(repr(time.time()))"
    before = time.time()
    seen = float(subprocess.run([sys.executable, "-c", code], capture_output=True, env=with_it, timeout=30).stdout)
    assert before <= seen <= time.time()


def in_temporary(check, *arguments):
    with tempfile.TemporaryDirectory() as place:
        return check(Path(place), *arguments)


if len(sys.argv) > 4 and sys.argv[4] == "killed":
    with ThreadPoolExecutor(3) as pool:
        print("calls that had returned when killed:", *pool.map(lambda _: in_temporary(killed), range(10)))
elif len(sys.argv) > 4 and sys.argv[4] == "full_disk":
    in_temporary(full_disk)
else:
    for check in (ends, durable, exits, aborts, forks, no_room, threads, other_programs):
        print(check.__name__, in_temporary(check) or "")
