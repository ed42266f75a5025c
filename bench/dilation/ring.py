#!/usr/bin/env python3
"""S3's ring really dilated: ring.py WHATWIRE RING [options]
In a lab of two hosts (or --hosts 16, whose nodes then sleep instead of computing, so that they share the cores) `whatwire dilate` runs
three settings of examples/ring at several D: one like S3's first example, one like its second, and one with a logical delay.
Printed is what dilate says; exit code 1 where a verdict is not the one that the setting is made for."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("ring")
parser.add_argument("--hosts", type=int, default=2)
parser.add_argument("--rate", default="100Mb/s")
parser.add_argument("--delay", default="1ms", help="one crossing, which is what S3's network takes for a message")
parser.add_argument("-D", default="1,2,4,6,8,16")
parser.add_argument("--repeat", type=int, default=2)
parser.add_argument("--only", nargs="+", help="names of settings")
parser.add_argument("--json", type=Path, help="what dilate said of each setting goes here")
options = parser.parse_args()
signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))  # so that the lab goes
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
LAB = f"ring{os.getpid() % 100000}"

# Messages of 128 data, one frame, so that an acknowledgement takes nearly as long. Microseconds a datum: with a crossing of 1 ms S3's second
# example works 0.21 ms on a message (the preset s3-hypercube: 1.69 ms where a crossing takes 7.94), its first 8.3 ms.
many = options.hosts > 2
idle = ["--idle"] if many else []
SETTINGS = {
    "EX1": ("computation-bound", ["--messages", "5" if many else "15", "--time-us", "64.7", "--uneven", "6.5", "--window", "2",
                                  "--circulating", "2"]),
    "EX2": ("communication-bound", ["--messages", "25" if many else "200", "--time-us", "1.66", "--window", "2", "--circulating", "2"]),
    "delay": ("logical-delay", ["--messages", "5" if many else "15", "--time-us", "64.7", "--originators", "4" if many else "1"]),
}


def whatwire(*arguments):
    command = [options.whatwire, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def row(D, shares, normalised_s, parts):
    cells = [f"{shares[part + '_percent']:6.1f}% {1e3 * parts[part + '_s']:9.2f} ms"
             for part in ("user", "communication", "receive_wait", "send")]
    return f"{D:5g} {1e3 * normalised_s:9.1f} ms {'  '.join(cells)} {shares['receive_wait_algorithmic_percent']:6.1f}%"


said, missed = {}, []
with tempfile.TemporaryDirectory() as directory:
    whatwire("lab", "up", "--name", LAB, "--hosts", options.hosts, "--rate", options.rate, "--delay", options.delay)
    try:
        for name, (verdict, arguments) in SETTINGS.items():
            if options.only and name not in options.only:
                continue
            launch = ["mpirun", "-n", options.hosts, options.ring, "--length", "128", *arguments, *idle]
            said[name] = found = json.loads(whatwire("dilate", "--json", "--lab", LAB, "-D", options.D, "--repeat", options.repeat, "-o",
                                                     f"{directory}/{name}", "--", *launch))
            print(f"{name}: {' '.join(map(str, launch[3:]))}\n    D    elapsed/D  user                 comm. intr.          "
                  "receive wait         async. send          algorithmic")
            for at in found["shares"]:
                print(row(at["D"], at, at["normalised_s"], at["components"]))
            print("speed-up", "  ".join(f"{s['D']:g}: {s['value']:.2f} [{s['low']:.2f}, {s['high']:.2f}]" for s in found["speedup"][1:]))
            print("flattens:", found["flattens"]["because"] if found["flattens"] else "no")
            print(f"{found['verdict']}: {found['because']}\n", flush=True)
            if found["verdict"] != verdict:
                missed.append(f"{name} should be {verdict}")
    finally:
        whatwire("lab", "down", "--name", LAB)
if options.json:
    options.json.write_text(json.dumps(said, indent=1))
for miss in missed:
    print("MISSED:", miss)
sys.exit(1 if missed else 0)
