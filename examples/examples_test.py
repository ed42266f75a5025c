#!/usr/bin/env python3
"""Runs one example under Open MPI and checks it: examples_test.py MPIRUN DIR NAME RANKS

The expected numbers of messages and bytes are worked out here from the program's parameters, independently of its own
counters: they are what a trace of the run must show too.
"""
import os
import re
import subprocess
import sys

mpirun, directory, name, ranks = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")


def run(*arguments):
    command = [mpirun, "--oversubscribe", "-n", str(ranks), os.path.join(directory, name), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    print(" ".join(command), done.stdout, done.stderr, sep="\n")
    return done.returncode, done.stdout


def neighbours(rank):
    return (rank > 0) + (rank < ranks - 1)


def share(n, rank):
    return n * (rank + 1) // ranks - n * rank // ranks


def expected(output):
    """(messages, bytes) that each rank sends."""
    if name == "cg":  # slabs of whole planes: one halo of nx * ny each way at set-up (8-byte numbers) and for each product
        iterations, solves = map(int, re.search(r"(\d+) iterations for (\d+) systems", output).groups())
        exchanges = 1 + iterations + solves
        return [(exchanges * neighbours(r), exchanges * neighbours(r) * 8 * 9 * 7) for r in range(ranks)]
    if name == "transpose":  # one piece to each other rank, for 6 x 6 and three times for 50 x 50
        return [(sum(1 for n in (6, 50, 50, 50) for q in range(ranks) if q != r and share(n, r) and share(n, q)),
                 sum(8 * share(n, r) * share(n, q) for n in (6, 50, 50, 50) for q in range(ranks) if q != r)) for r in range(ranks)]
    if name == "ring":  # every rank passes on every message once, and acknowledges every message once
        hops = 5 * ranks
        return [(2 * hops, hops * (8 * (300 + 2) + 4))] * ranks
    if name == "heat":  # a column to each neighbour in each of 2 * 20 steps
        return [(40 * neighbours(r), 40 * neighbours(r) * 8 * (30 + 2)) for r in range(ranks)]
    raise SystemExit(f"no such example: {name}")


parameters = {
    "cg": ["--nx", 9, "--ny", 7, "--nz", 12, "--solves", 2],
    "transpose": ["--size", 50, "--repeat", 3, "--show"],
    "ring": ["--messages", 5, "--length", 300, "--work", 50],
    "heat": ["--nx", 30, "--ny", 41, "--steps", 20],
}
code, output = run(*parameters[name])
assert code == 0, f"exit code {code}"
assert output.rstrip().endswith("verified"), "did not verify its result"
time_s = float(re.search(r"^time (\S+) s$", output, re.M).group(1))
assert 0 < time_s < 100, time_s
counted = [(int(m), int(b)) for m, b in re.findall(r"^rank \d+ sent (\d+) messages (\d+) bytes$", output, re.M)]
assert counted == expected(output), f"{counted} sent, {expected(output)} expected"

if name == "transpose":
    rows = [list(map(int, line.split())) for line in output.split("after\n")[1].splitlines()[:6]]
    assert rows == [[6 * j + i for j in range(6)] for i in range(6)], rows
if name == "ring":
    assert run("--messages", 3, "--length", 20, "--work", 10, "--window", 3)[0] == 0
    for options in (["--time-us", 1], ["--time-us", 20, "--idle"], ["--window", 3, "--circulating", 3, "--uneven", 50]):
        code, output = run("--messages", 4, "--length", 64, *options)
        assert code == 0 and "verified" in output
    code, output = run("--messages", 3, "--length", 20, "--originators", 1)
    assert code == 0 and all(int(m) == 2 * 3 for m in re.findall(r"sent (\d+) messages", output)), output
    assert run("--window", 1, "--circulating", 2)[0] == 2, "would wait for ever"
if name == "cg":  # a result that is wrong is found: three iterations do not solve it
    code, output = run("--iterations", 3)
    assert code != 0 and "WRONG" in output

code, output = run("--help")
assert code == 0 and output.startswith("usage: "), "no help"
assert run("--no-such-option", 1)[0] == 2, "a wrong option must give exit code 2"
