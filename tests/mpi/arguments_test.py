#!/usr/bin/env python3
"""arguments_test.py MPIRUN LIBRARY PROGRAM [ONLY]: a program whose arguments are wrong fares under the recorder as without it.

PROGRAM is what arguments.py generates: every wrapped function, with one argument after the other null, garbage, freed or out of
range, errors being returned. Expected: the return code, what is written to the results, the signal that ends it or that it does
not return, case by case as natively. Each case is run in a process forked from one that has initialised MPI; what cannot be, and
what differs, in a process of its own. A case is undefined, and counted, if without the recorder it differs between runs, or once other
objects were made, memory was used before, freed memory was overwritten, or the environment is another: such a library reads what was
freed, or past an end. ONLY: a regular expression for FUNCTION:CASE.
"""
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import launcher

mpirun, library, program = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])
only = re.compile(sys.argv[4] if len(sys.argv) > 4 else "")


BARE, RECORDED = range(2)
WAYS = range(1, 8)  # of being otherwise, without the recorder: see ARGUMENTS_OTHERWISE


def few_variables(way):
    """What MPICH reads past an end can depend on how long the launcher's PATH is."""
    few = {name: value for name, value in launcher.environment.items() if name.startswith("OMPI_") or name == "HOME"}
    return few | {"PATH": "/usr/bin:/bin" + ":/bin" * 20 * (way - 1)}


def run(how, *arguments, way=0):
    with tempfile.TemporaryDirectory() as place:
        spool = Path(place, "spool")
        spool.mkdir()
        variables = {RECORDED: {"LD_PRELOAD": library, "WW_SPOOL_DIR": str(spool)}, BARE: {}}[how]
        if way:
            variables |= {"ARGUMENTS_OTHERWISE": way, "MALLOC_PERTURB_": 30 * way}
        command = launcher.command(mpirun, 1, program, *arguments, **variables)
        done = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env=few_variables(way) if way else launcher.environment, timeout=280)
        if how == RECORDED:  # else nothing would be compared
            assert list(spool.glob("*.spool")), "nothing was recorded\n" + done.stdout[-2000:]
        return done


def forked(how):
    """outcome by number"""
    done = run(how, "all")
    lines = done.stdout.splitlines()
    assert "end" in lines, f"{('bare', 'recorded')[how]}: the cases were not all run\n{done.stdout[-2000:]}"
    return {int(number): outcome for number, outcome in re.findall(r"^(\d+) (rc .*|hangs|signal-\d+|exit-\d+)$", done.stdout, re.M)}


def by_itself(number, how, way=0):
    done = run(how, "one", number, way=way)
    lines = done.stdout.splitlines()
    if not any(line.endswith("ready") for line in lines):
        return f"never ready, exit {done.returncode}"
    told = [line[line.index("rc "):] for line in lines if re.match(r".*rc -?\d+ class", line)]
    if told:
        return told[0]
    text = done.stdout.lower()
    for name, pattern in (("hangs", r"profiling timer|alarm clock|signal 27|signal 14\b|exit code: 27|exit code: 14\b"),
                          ("signal-11", r"segmentation fault|signal 11\b|exit code: 11\b")):
        if re.search(pattern, text):
            return name
    return f"exit-{done.returncode}"


def main():
    names = subprocess.run([program, "list"], capture_output=True, text=True, check=True, env=launcher.environment).stdout.splitlines()
    functions = {name.removeprefix("alone ").split(":")[0] for name in names}
    assert len(functions) > 350 and len(names) > 3000, (len(functions), len(names))
    with ThreadPoolExecutor(2) as both, ThreadPoolExecutor(6) as many:  # by itself most of it sleeps until it is ended
        bare, recorded = both.map(forked, (BARE, RECORDED))
        alone = [n for n, name in enumerate(names) if name.startswith("alone ")]
        assert len(bare) == len(names) - len(alone), (len(bare), len(names), len(alone))
        suspects = alone + [n for n in bare if bare[n] != recorded.get(n)]
        suspects = [n for n in suspects if only.search(names[n])]
        seen = {n: ([], []) for n in suspects}
        for _ in range(3):  # what is equal once is equal: others' load only ever makes differences
            jobs = [(n, how) for n in suspects for how in (BARE, RECORDED)]
            for (n, how), outcome in zip(jobs, many.map(lambda job: by_itself(*job), jobs)):
                seen[n][how].append(outcome)
            suspects = [n for n in suspects if not set(seen[n][BARE]) & set(seen[n][RECORDED])]
        jobs = [(n, way) for n in suspects for way in WAYS]
        otherwise = {n: [] for n in suspects}
        for (n, way), outcome in zip(jobs, many.map(lambda job: by_itself(job[0], BARE, job[1]), jobs)):
            otherwise[n].append(outcome)
        undefined = [n for n in suspects if len({*seen[n][BARE], *otherwise[n]}) > 1]
        suspects = [n for n in suspects if n not in undefined]
    kinds = Counter("returns an error" if not re.match(r"rc 0 ", outcome) and outcome.startswith("rc") else
                    "succeeds" if outcome.startswith("rc") else outcome for outcome in bare.values())
    for n in suspects + undefined:
        what = "differs" if n in suspects else "undefined"
        print(f"{what}: {names[n]}: forked {bare.get(n)} | {recorded.get(n)}; by itself {sorted({*seen[n][BARE]})} | "
              f"{sorted({*seen[n][RECORDED]})}, otherwise {sorted({*otherwise[n]})}")
    print(f"{len(functions)} functions, {len(names)} cases ({', '.join(f'{n} {kind}' for kind, n in kinds.most_common())}, "
          f"{len(alone)} by themselves), {len(undefined)} undefined without the recorder, {len(suspects)} differences")
    assert not suspects
    assert len(undefined) <= len(names) // 100


main()
