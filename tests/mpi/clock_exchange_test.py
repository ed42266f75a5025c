#!/usr/bin/env python3
"""clock_exchange_test.py MPIRUN LIBRARY PROGRAM: ranks 1 and 2 believe to be on another machine (another boot_id, in mount
namespaces of their own), so clocks are exchanged, by one of the two for both; as all ranks really share one counter, the true
offset is 0."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import spool

mpirun, library, program = sys.argv[1:4]
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
boot_id = "/proc/sys/kernel/random/boot_id"


def elsewhere(place):
    fake = place / "boot_id"
    fake.write_text("00000000-0000-0000-0000-000000000000\n")
    return ["unshare", "--mount", "sh", "-c", f'mount --bind {fake} {boot_id} && exec "$0" "$@"']


with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    if os.geteuid() != 0 or subprocess.run([*elsewhere(place), "true"], capture_output=True).returncode != 0:
        print("needs the right to make a mount namespace")
        sys.exit(77)
    (place / "spool").mkdir()
    variables = ["-x", f"LD_PRELOAD={library}", "-x", f"WW_SPOOL_DIR={place / 'spool'}"]
    subprocess.run([mpirun, "--oversubscribe", *variables, "-n", "1", program, "barrier", ":",
                    *variables, "-n", "2", *elsewhere(place), program, "barrier"],
                   env=environment, timeout=60, check=True, stdout=subprocess.DEVNULL)
    found = {}
    for rank in range(3):
        lines = spool.definitions(place / "spool", rank)
        process = next(d for d in lines if d["def"] == "process")
        exchanges = [d for d in lines if d["def"] == "clock"]
        assert [d["when"] for d in exchanges] == ["init", "finalize"]
        found[rank] = [(d["root_ticks_offset"], d["uncertainty_ticks"]) for d in exchanges]
        for d in exchanges:
            print(rank, d["root_ticks_offset"], "+-", d["uncertainty_ticks"], "ticks")
            assert d["same_clock"] == (rank == 0)
            assert abs(d["root_ticks_offset"]) <= d["uncertainty_ticks"]
            if rank > 0:
                assert 0 < d["uncertainty_ticks"] < 0.01 * process["ticks_per_s"]
        # the counter's rate, from pairs of ticks and CLOCK_MONOTONIC, agrees over the run within 100 parts in a million
        end = next(d for d in lines if d["def"] == "end")
        rate = (end["ticks"] - process["ticks"]) / (end["monotonic_ns"] - process["monotonic_ns"]) * 1e9
        assert abs(rate / process["ticks_per_s"] - 1) < 1e-4, (rate, process["ticks_per_s"])
    assert found[1] == found[2], "one exchange for all ranks of a boot"
