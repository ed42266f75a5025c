#!/usr/bin/env python3
"""far_departures_test.py MPIRUN LIBRARY PROGRAM CLOCKS SKEWED_CLOCK WHATWIRE: two ranks believe to be on two machines, and the clock of the
second is 5 s ahead and loses (skewed_clock.c). Each is told when the other's messages departed, on its own clock; the program
itself says when by the true one. And who receives late under dilation is held back for what is left, as within a machine. All of it
once more on two hosts of a lab, over its wire, where there can be one."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import launcher
import spool

mpirun, library, program, clocks, skewed_clock, whatwire = sys.argv[1:7]
OFFSET_NS, DRIFT = 5_000_000_000, -300e-6
boot_id = "/proc/sys/kernel/random/boot_id"
clock_source = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def on_machine(place, fake_boot):
    """No machine here uses its counter as the clock, so that the recorder reads the system's; a fake boot is another machine."""
    (place / "source").write_text("hpet\n")
    mounts = f"mount --bind {place / 'source'} {clock_source}"
    if fake_boot:
        (place / "boot_id").write_text("00000000-0000-0000-0000-000000000000\n")
        mounts += f" && mount --bind {place / 'boot_id'} {boot_id}"
    return ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$0" "$@"']


HERE = object()  # in `what`: a directory for files that the ranks write


def run(what, lab, **more):
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "spool").mkdir()
        # Between two machines MPICH goes over TCP: src/lab/mpich/finalize.c.
        ends = "" if launcher.of_openmpi(mpirun) else f":{Path(library).parent / 'libwhatwire-lab-mpich.so'}"
        variables = ["/usr/bin/env", f"LD_PRELOAD={library}:{skewed_clock}{ends}", f"WW_SPOOL_DIR={place / 'spool'}", "WW_STAMPS=1",
                     "WW_CLOCK_INTERVAL=0.2", *(f"{name}={value}" for name, value in more.items())]
        options = ["--oversubscribe"] if launcher.of_openmpi(mpirun) else []
        skew = f"{OFFSET_NS} {time.monotonic_ns()} {DRIFT} {time.monotonic_ns()} 0"
        on_lab = [whatwire, "lab", "run", "--name", lab, "--"] if lab else []
        what = [place if word == HERE else word for word in what]
        first = ["-n", "1", *on_machine(place, False), *variables, *what]
        second = ["-n", "1", *on_machine(place, True), *variables, f"SKEWED_CLOCK={skew}", *what]
        line = [*on_lab, mpirun, *([] if lab else options), *first, ":", *second]
        done = subprocess.run(list(map(str, line)), env=launcher.environment, timeout=60, stdout=subprocess.PIPE, text=True, check=True)
        definitions = [spool.definitions(place / "spool", rank) for rank in range(2)]
        said = [file.read_text() for file in place.glob("said-*")] or done.stdout.splitlines()
    assert all(d["same_clock"] == (rank == 0) for rank in range(2) for d in definitions[rank] if d["def"] == "clock"), "two machines"
    unknown = [d for rank in definitions for d in rank if d["def"] == "diagnostic" and d["name"].startswith("departure")]
    assert not unknown, unknown
    return sorted(map(json.loads, said), key=lambda side: side["rank"])


def is_told(lab=None):
    """Drifting by 300 us a second, which is more than any two clocks do: from 1 s on the exchanges have measured it, and what is
    left is how far one exchange is off. Without the drift it would be 60 us at each exchange, and 600 us at the end without those."""
    for side in run([program, 400, HERE], lab):
        assert side["unknown"] == 0, side
        errors = [abs(error) for after, error in side["errors"] if after > 1e9]
        errors.sort()
        print(f"rank {side['rank']}: {len(errors)} departures, median error {errors[len(errors) // 2] / 1e3:.1f} us, "
              f"95% {errors[len(errors) * 95 // 100] / 1e3:.1f} us, largest {errors[-1] / 1e3:.1f} us")
        assert len(errors) > 100 and errors[len(errors) // 2] < 50e3 and errors[len(errors) * 95 // 100] < 200e3, errors


def holds_back_what_is_left(lab=None):
    """A message that takes 10 ms at D = 2, received 6 ms after its departure (dilation_test.py). Were that not known, a receive that
    does not wait would be held back by nothing."""
    zero = "0:0:0"
    place = "INTER" if lab else "INTRA"
    costs = {f"WW_MACHINE_{place}": ";".join(["inf"] + [zero] * 5),
             f"WW_TARGET_{place}": f"inf;{zero};0:0.005:0;{zero};{zero};{zero}"}
    for mode in ("late", "late-test"):
        side = run([clocks, mode], lab, WW_DILATION=2, **costs)[1]
        print(mode, "between machines", side["middle_round_s"])
        assert abs(side["middle_round_s"] - 0.004) < 0.15 * 0.004, side


with tempfile.TemporaryDirectory() as first:
    if os.geteuid() != 0 or subprocess.run([*on_machine(Path(first), True), "true"], capture_output=True).returncode != 0:
        print("needs the right to make a mount namespace")
        sys.exit(77)
launcher.holds(is_told)
launcher.holds(holds_back_what_is_left)
lab = f"far-{os.getpid()}"
up = subprocess.run([whatwire, "lab", "up", "--name", lab, "--hosts", "2", "--rate", "100Mb/s", "--delay", "50us"], capture_output=True,
                    text=True)
if up.returncode == 0:
    try:
        launcher.holds(lambda: is_told(lab))
        launcher.holds(lambda: holds_back_what_is_left(lab))
    finally:
        subprocess.run([whatwire, "lab", "down", "--name", lab], check=True, stdout=subprocess.DEVNULL)
else:
    print("no lab:", up.stderr)
launcher.finish()
