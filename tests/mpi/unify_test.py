#!/usr/bin/env python3
"""unify_test.py MPIRUN LIBRARY CLOCKS WHATWIRE SUITE_RMA SUITE_IO MARKERS: one recorded run of each, unified by one process and by
three under the launcher, gives the same archive to the byte, and as otf2-print shows it."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import launcher

mpirun, library, clocks, whatwire, suite_rma, suite_io, markers = sys.argv[1:8]


def start(line):
    return subprocess.run(list(map(str, line)), env=launcher.environment, timeout=100, capture_output=True, text=True)


def printed(trace):
    done = start(["otf2-print", trace / "traces.otf2"])
    assert done.returncode == 0 and done.stdout.count("\nENTER") > 10, done
    return done.stdout


def check(place, ranks, exit_code, program, *arguments):
    alone, together = place / "alone", place / "together"
    (alone / "spool").mkdir(parents=True)
    done = start(launcher.command(mpirun, ranks, program, *arguments, LD_PRELOAD=library, WW_SPOOL_DIR=alone / "spool"))
    assert done.returncode == exit_code, done
    shutil.copytree(alone, together)
    assert start([whatwire, "unify", alone]).returncode == 0
    done = start(launcher.command(mpirun, 3, whatwire, "unify", together, "--json"))
    assert done.returncode == 0, done
    said = json.loads(done.stdout)  # one of the three speaks
    assert said["processes"] == 3 and not said["already_unified"], said
    files = sorted(p.relative_to(alone) for p in alone.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(together) for p in together.rglob("*") if p.is_file())
    assert sum(file.suffix == ".evt" for file in files) >= ranks and not (together / "spool").exists(), files
    for file in files:
        if file.name == "run.json":
            assert json.loads((alone / file).read_text()) == json.loads((together / file).read_text())
        elif file.name != "traces.otf2":  # whose identifier is new each time
            assert (alone / file).read_bytes() == (together / file).read_bytes(), (program, file)
    if shutil.which("otf2-print"):
        assert printed(alone) == printed(together).replace(str(together), str(alone))
    again = start(launcher.command(mpirun, 2, whatwire, "unify", together))
    assert again.returncode == 0 and again.stderr.count("already unified") == 1, again


with tempfile.TemporaryDirectory() as first:
    place = Path(first)
    check(place / "clocks", 2, 0, clocks, "pingpong")
    # these end with codes of their own
    check(place / "rma", 3, 7, suite_rma, place / "rma-counts")
    check(place / "io", 3, 8, suite_io, place / "io-counts")
    check(place / "markers", 2, 5, markers)
