#!/usr/bin/env python3
"""Runs one of the NAS-like kernels in class T and checks it: nas_test.py MPIRUN DIR NAME RANKS, MPIRUN "pvm" for PVM's

The expected numbers of messages and bytes are worked out here from the communication pattern that README.md describes,
independently of the program's own counters: they are what a trace of the run must show too. And a received value that
was damaged must end in FAIL: a verification that cannot fail is none.
"""
import atexit
import os
import re
import subprocess
import sys

mpirun, directory, name, P = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")

machine = None
if mpirun == "pvm":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "pvm"))
    from machine import Machine
    machine = Machine(directory)
    machine.__enter__()
    atexit.register(machine.__exit__)
    environment = machine.environment


def run(ranks, *arguments):
    launcher = [] if machine else [mpirun, "-n", str(ranks)]
    command = [*launcher, os.path.join(directory, name), *map(str, arguments)]
    done = subprocess.run(command, env=dict(environment, TASKS=str(ranks)), capture_output=True, text=True, timeout=60)
    print(" ".join(command), done.stdout, done.stderr, sep="\n")
    return done.returncode, done.stdout, done.stderr


def mg(_):
    # both faces of 16^2 and of 8^2 points: four smoothing steps, the residual and its restriction, and 16^2 once more for the
    # residual after a cycle, 8^2 for the correction that comes from it; of 4^2 points for the correction only
    faces = 7 * 16 ** 2 + 7 * 8 ** 2 + 4 ** 2
    return 6 * 2 * 15, 6 * 2 * 8 * faces, 6 + 7 + 2, 8 * (6 * 4 ** 3 // P + 7 + 2)


def cg(rank):
    products, sums = 9 * 26, 9 * (1 + 25 * 2 + 1 + 2)
    turns = products if P == 4 and rank in (1, 2) else 0
    return products + sums + turns, 8 * ((products + turns) * 128 + sums), 1, 8


def integer_sort(rank):
    last = rank == P - 1
    return 0 if last else 1, 0 if last else 4, 5 * 3 + 3, 5 * 4 * (512 + P + 4096 // P) + 4 * 8 + 16 * 4 + 8


def ft(_):
    return 0, 0, 6 * 4 + 4 + 2, 6 * 16 * 16 ** 3 // P + 8 * 6


def lu(_):
    # a line of every plane in each direction that is cut, one sweep out and the other in, and a face
    cut, across = (1, 8) if P == 2 else (2, 4)
    return 20 * cut * (8 + 1), 20 * cut * 2 * 8 * 5 * across * 8, 1 + 20 + 2, 8 * 23


def sp(_):
    lines = 8 * (8 // P)
    return 6 * (2 + 4 * (P - 1)), 6 * 5 * 8 * lines * (2 * 2 * (P - 1) + 2 * (P - 1) * (6 + 2)), 2, 16


def bt(rank):
    neighbours = (rank > 0) + (rank < P - 1)
    return 6 * (2 * (P - 1) + neighbours), 6 * 5 * 8 * (2 * (P - 1) * 8 * (8 // P) ** 2 + neighbours * 64), 2, 16


expected = {"mg": mg, "cg": cg, "is": integer_sort, "ft": ft, "lu": lu, "sp": sp, "bt": bt}[name]
# the last smoothing on the finest grid; the last sum for the eigenvalue (a product heals: the method goes on from there); the last round; anywhere
spoiled = {"mg": 183, "cg": 719, "is": 5, "ft": 3, "lu": 5, "sp": 10, "bt": 10}[name]

code, output, _ = run(P, "--class", "T")
assert code == 0, f"exit code {code}"
assert output.endswith("PASS\n") and "\nright " in output and "WRONG" not in output, "did not verify its result"
counted = [tuple(map(int, numbers)) for numbers in
           re.findall(r"^rank \d+ sent (\d+) messages (\d+) bytes, gave (\d+) collectives (\d+) bytes$", output, re.M)]
wanted = [expected(rank) for rank in range(P)]
assert counted == wanted, f"{counted} sent, {wanted} expected"
assert 0 < float(re.search(r"^time (\S+) s$", output, re.M).group(1)) < 30

code, output, _ = run(P, "--class", "T", "--spoil", spoiled)
assert code != 0 and "\nWRONG " in output and output.endswith("FAIL\n"), "a damaged message went unnoticed"

if P == 2:
    code, _, error = run(3, "--class", "T")
    assert code == 2 and "runs on 2 or 4 ranks, not on 3" in error, f"exit code {code}"
    for wrong in (["--class", "A"], ["--class"], ["--no-such-option", "1"]):
        code, _, error = run(2, *wrong)
        assert code == 2 and "no such option" in error, f"{wrong}: exit code {code}"
    code, output, _ = run(2, "--help")
    assert code == 0 and output.startswith("usage: ") and "--class" in output, "no help"
