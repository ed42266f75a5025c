#!/usr/bin/env python3
"""What waiting does to software, with cores that a lab keeps awake and with cores as the machine has them.

    awake.py WHATWIRE [--rates 10Mb/s 100Mb/s] [--rounds 2] [--budget 20]

Two labs of two hosts (--at-once 3), measured in turn under PVM, whose tasks sleep while they wait: what sending takes (F), and of a message
of 4 KiB all of its one-way time that is no wire, in microseconds. A lab lets the cores sleep ten seconds after its last frame, and so long is
waited before the other's turn.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("--rates", nargs="+", default=["10Mb/s", "100Mb/s"])
parser.add_argument("--rounds", type=int, default=2)
parser.add_argument("--budget", type=float, default=20, help="seconds of a measurement")
options = parser.parse_args()
environment = {**os.environ, "PVM_ROOT": "/usr/lib/pvm3", "PVM_ALLOW_ROOT": "1"}
LABS = {cores: f"k{cores[0]}{os.getpid() % 100000}" for cores in ("awake", "machine")}
BYTES, ASLEEP_AFTER_S = 4096, 11


def whatwire(*arguments):
    subprocess.run([options.whatwire, *map(str, arguments)], env=environment, check=True, stdout=subprocess.DEVNULL)


def at(segments, size):
    found = next((one for one in segments if one["from_bytes"] <= size <= one["to_bytes"]), segments[-1])
    return found["base_s"] + size * found["seconds_per_byte"]


def software_us(model):
    link = next(one for one in model["links"] if one["between"] == "inter")
    wire = link["wire"]
    payload, sent = wire["frame_payload_bytes"], BYTES + wire["message_overhead_bytes"]
    frames = -(-sent // payload)
    on_wire = sent + frames * wire["frame_overhead_bytes"] + (wire["stages"] - 1) * (payload + wire["frame_overhead_bytes"])
    return 1e6 * at(model["costs"]["F"], BYTES), 1e6 * (at(link["segments"], BYTES) - on_wire * wire["seconds_per_byte"])


for cores, lab in LABS.items():
    whatwire("lab", "up", "--name", lab, "--hosts", 2, "--rate", options.rates[0], "--at-once", 3, "--cores", cores)
try:
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(options.rounds):
            for rate in options.rates:
                for cores, lab in LABS.items():
                    model = Path(folder) / f"{cores}-{turn}-{rate.replace('/', '')}.json"
                    whatwire("lab", "rate", "--name", lab, rate)
                    time.sleep(ASLEEP_AFTER_S)
                    whatwire("measure", "--budget", options.budget, "--lab", lab, "-o", model, "--library", "pvm", "--direct-route")
                    sends, beside = software_us(json.loads(model.read_text()))
                    print(f"{rate} {cores}: sending {sends:.1f} us, beside the wire {beside:.0f} us", flush=True)
finally:
    for lab in LABS.values():
        whatwire("lab", "down", "--name", lab)
