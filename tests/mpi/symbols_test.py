#!/usr/bin/env python3
"""symbols_test.py LIBRARY PROGRAM...: every MPI function that the MPI libraries of these programs (one of each language) export
has a wrapper in the recorder's LIBRARY, or is an exception that is named here, with its reason. A function that has no wrapper of
its own is also in order when all that it does goes through a wrapper: when it calls the C function under its name MPI_ (MPICH's
mpif.h, and its mpi_f08 where choice buffers are descriptors)."""
import re
import subprocess
import sys
from collections import Counter

library, *programs = sys.argv[1:]

EXCEPTIONS = {
    "the tool interface, used before MPI_Init and by tools like this one": r"mpi_t_\w+",
    "a conversion between the languages' handles or statuses: no communication, and called by the wrappers themselves":
        r"mpi_\w+_(f2c|c2f|f2f08|f082f|f08_?2c|c2f08)(_f08)?_*",
    "a predefined callback: it is given to MPI, not called": r"mpi_(\w+_)?(null_copy|null_delete|dup|conversion)_fn(_null)?(_f08|_f)?_*",
    "arithmetic, or a hint to the compiler": r"mpi_(aint_(add|diff)|f_sync_reg|sizeof_\w+)(_f08ts|_f08|_f90|_f)?_*",
    "the C side of the Fortran module's MPI_Wtime, behind mpi_wtime_": r"mpi_(wtime|wtick)_f90_*",
    "tells what the library was built with": r"mpix_(query_\w+|gpu_query)_support(_f08|_f)?_*",
    "takes names of error classes away, MPICH 4.0 declares it nowhere": r"mpix?_delete_error_(class|code|string)(_f08)?_*",
    "a constant": r"mpi_fortran_\w+",
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(file):
    """Functions of MPI, also in capitals."""
    names = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", file).splitlines()
             if line.split()[-2] in "TWi"}
    return {n for n in names if re.match(r"mpix?_\w", n, re.I)}


def calls(file):
    """Of each function, what it calls in other files, also through functions of this file that have no name."""
    entries, jumps, called = {}, [], {}
    for line in run("objdump", "-d", "--no-show-raw-insn", file).splitlines():
        label = re.match(r"([0-9a-f]+) <([^@>]+)", line)
        if label:
            entries.setdefault(int(label[1], 16), set()).add(label[2])
            continue
        jump = re.match(r"\s*([0-9a-f]+):\s+(call|jmp)\s+([0-9a-f]+) <([^@>+]+)(@plt>)?", line)
        if jump and (jump[5] or jump[2] == "call"):  # other jumps stay within their function
            jumps.append((int(jump[1], 16), int(jump[3], 16), jump[4] if jump[5] else None))
    for line in run("nm", "-D", "--defined-only", file).splitlines():
        entries.setdefault(int(line.split()[0], 16), set()).add(line.split()[-1].split("@")[0])
    for at, to, outside in jumps:
        if outside is None:
            entries.setdefault(to, set())
    starts = sorted(entries)
    at = 0
    direct, inner = {start: set() for start in starts}, {start: set() for start in starts}
    for address, to, outside in sorted(jumps):
        while at + 1 < len(starts) and starts[at + 1] <= address:
            at += 1
        if outside is not None:
            direct[starts[at]].add(outside)
        else:
            inner[starts[at]].add(to)
    for start, names in entries.items():
        for name in names:
            found = set(direct[start])
            for to in inner[start]:
                found |= direct[to]
            called.setdefault(name, set()).update(found)
    return called


libraries = sorted({line.split()[2] for program in programs for line in run("ldd", program).splitlines()
                    if re.match(r"\s*lib(mpi|mpich)\w*\.so", line)})
wrapped = exported(library)
ways, missing = Counter(), []
for file in libraries:
    called = None  # taking a library apart takes a while
    c_names = {name.lower(): name for name in wrapped if re.match(r"MPIX?_[A-Z][a-z]", name)}
    for name in sorted(exported(file)):
        # as the C function would be called: without the marks of Fortran and of its overloads
        plain = re.sub(r"(_f08ts_large|_f08_large)_*$", "_c", name.lower())
        plain = re.sub(r"(_f08ts|_f08|_f)?_*$", "", plain)
        if name in wrapped:
            ways["wrapped"] += 1
        elif any(re.fullmatch(pattern, name.lower()) for pattern in EXCEPTIONS.values()):
            ways["exceptions"] += 1
        elif plain in c_names and c_names[plain] in (called := called or calls(file)).get(name, ()):
            ways["through the C function"] += 1
        else:
            missing.append(f"{file}: {name}")
assert len(libraries) >= 2 and ways["wrapped"] > 500, (libraries, ways)
assert not missing, f"{len(missing)} functions have no wrapper:\n" + "\n".join(missing)
print(", ".join(f"{n} {way}" for way, n in ways.items()), "of", " ".join(libraries))
