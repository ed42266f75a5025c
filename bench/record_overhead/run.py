#!/usr/bin/env python3
"""What recording costs a call: run.py MPIRUN LIBRARY LOOPS [JSON]. Starts loops.cpp's program with the recorder, one rank, and
prints a table; JSON (default record_overhead.json) gets the same numbers. Fails if a call costs more than 3 floors."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

mpirun, library, program = sys.argv[1:4]
output = Path(sys.argv[4] if len(sys.argv) > 4 else "record_overhead.json")
limit = 3.0
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
with tempfile.TemporaryDirectory(dir=".") as place:
    command = [mpirun, "-n", "1", "-x", f"LD_PRELOAD={library}", "-x", f"WW_SPOOL_DIR={Path(place).resolve()}", program]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    recorded = sum(f.stat().st_size for f in Path(place).glob("*.spool")) // 48
result = json.loads(done.stdout)
calls = sum(l["calls_per_round"] for l in result["loops"].values()) * result["rounds"] * (result["repetitions"] + 1)
if recorded < calls:
    sys.exit(f"the recorder left {recorded} records of {calls} calls: it was not loaded")
print(f"floor (two counter reads, one 48-byte store): {result['floor_ns']:.1f} ns")
print(f"{'loop':32} {'bare':>8} {'extra':>8} {'least':>8} {'most':>8} {'floors':>7}   (ns a call, median of {result['repetitions']})")
for name, loop in result["loops"].items():
    print(f"{name:32} {loop['bare_ns']:8.1f} {loop['extra_ns_per_call']:8.1f} {loop['least']:8.1f} {loop['most']:8.1f} "
          f"{loop['floors']:7.2f}")
output.write_text(json.dumps(result, indent=1) + "\n")
sys.exit(0 if all(loop["floors"] <= limit for loop in result["loops"].values()) else 1)
