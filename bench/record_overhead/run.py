#!/usr/bin/env python3
"""What recording costs a call: run.py OUTPUT.json MPI MPIRUN LIBRARY LOOPS [MPI MPIRUN LIBRARY LOOPS]...
Starts the program of loops.cpp under each MPI, one rank, with our recorder and, where it is installed, with EZTrace (Debian's
only other MPI tracer, package eztrace), in turns, and prints a table; OUTPUT.json gets the same numbers. Fails if a call costs
more than the limits below."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

output, builds = Path(sys.argv[1]), [sys.argv[i:i + 4] for i in range(2, len(sys.argv), 4)]
limits = {"iprobe": 1.5, "isend_irecv_waitall_proc_null": 2.0, "isend_irecv_waitall_self": 2.0}  # floors
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def start(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, check=True)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))


def calls_of(result):
    return sum(l["calls_per_round"] for l in result["loops"].values()) * result["rounds"] * (result["repetitions"] + 1)


def with_whatwire(mpirun, library, program):
    with tempfile.TemporaryDirectory(dir=".") as place:
        result = start([mpirun, "-n", "1", "/usr/bin/env", f"LD_PRELOAD={library}", f"WW_SPOOL_DIR={Path(place).resolve()}",
                        program])
        spools = list(Path(place).glob("*.spool"))
        recorded = sum(f.stat().st_size for f in spools) // 48
    if recorded < calls_of(result):
        sys.exit(f"the recorder left {recorded} records of {calls_of(result)} calls: it was not loaded")
    result["bytes_per_call"] = 48 * recorded / calls_of(result)
    return result


def with_eztrace(mpi, mpirun, program):
    if shutil.which("eztrace") is None:
        return None
    with tempfile.TemporaryDirectory(dir=".") as place:
        result = start([mpirun, "-n", "1", "eztrace", "-o", str(Path(place).resolve()), "-t", mpi, program])
        left = sum(f.stat().st_size for f in Path(place).rglob("*") if f.is_file())
    result["bytes_per_call"] = left / calls_of(result)
    return result


results, good = {}, True
for mpi, mpirun, library, program in builds:
    for recorder, result in (("whatwire", with_whatwire(mpirun, library, program)), ("EZTrace", with_eztrace(mpi, mpirun, program))):
        if result is None:
            print(f"{mpi}: EZTrace is not installed here (apt-get install eztrace)")
            continue
        results[f"{mpi}, {recorder}"] = result
        print(f"{mpi}, {recorder}: {result['bytes_per_call']:.0f} bytes a call; floor (two counter reads, one 48-byte store) "
              f"{result['floor_ns']:.1f} ns")
        print(f"  {'ns a call':32} {'bare':>8} {'extra':>8} {'least':>8} {'most':>8} {'floors':>7}   (median of {result['repetitions']})")
        for name, loop in result["loops"].items():
            print(f"  {name:32} {loop['bare_ns']:8.1f} {loop['extra_ns_per_call']:8.1f} {loop['least']:8.1f} {loop['most']:8.1f} "
                  f"{loop['floors']:7.2f}")
            good = good and (recorder != "whatwire" or loop["floors"] <= limits[name])
output.write_text(json.dumps(results, indent=1) + "\n")
sys.exit(0 if good else 1)
