#!/usr/bin/env python3
"""virtual_test.py MPIRUN LIBRARY PROGRAM WHATWIRE: virtual time. Expected: the model's own numbers, a one-way time of
60 us + 10 ns a byte with latency 50 us, F = U = 5 us, eager up to 64 KiB; and the processor time that the program had."""
import json
import os
import subprocess
import sys
import tempfile

import launcher

mpirun, _, program, whatwire = sys.argv[1:5]
F = U = 5e-6
LATENCY, PORT = 50e-6, 1e-8
LINE = [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 60e-6, "seconds_per_byte": PORT}]
COST = [{"from_bytes": 0, "to_bytes": 1e9, "base_s": 5e-6, "seconds_per_byte": 0}]
MODEL = {"name": "virtual", "costs": {"F": COST, "U": COST},
         "links": [{"between": place, "latency_s": LATENCY, "segments": LINE, "eager_threshold_bytes": 65536}
                   for place in ("inter", "intra")]}


def one_way(size):
    return 60e-6 + PORT * size


def run(ranks, *arguments, fails=False, options=("--ranks-per-host", "1"), ahead=None):
    with tempfile.TemporaryDirectory() as place:
        model = os.path.join(place, "m.json")
        with open(model, "w") as file:
            links = [link | ({"sent_ahead_bytes": ahead} if ahead else {}) for link in MODEL["links"]]
            json.dump(MODEL | {"links": links}, file)
        more = ["--oversubscribe"] if launcher.of_openmpi(mpirun) else []
        command = [whatwire, "dilate", "--virtual", "--machine", model, "--json", *options, "-o", place + "/runs", "--",
                   mpirun, "-n", str(ranks), *more, program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=launcher.environment, timeout=250)
        if fails:
            assert done.returncode == 1, done
            return done.stderr
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        with open(place + "/runs/virtual-1.out") as file:
            sides = sorted((json.loads(line) for line in file if line.startswith("{")), key=lambda side: side["rank"])
        return said["virtual"], sides, [d["name"] for d in said["diagnostics"]]


def near(seen, wanted, part, what):
    assert abs(seen - wanted) <= part * wanted, f"{what}: {seen} is not within {part:.0%} of {wanted}"
    print(f"{what}: {seen:.6f} s for {wanted:.6f}")


def holds(check):
    """Other work on the machine disturbs single runs; what is wrong is wrong each time."""
    for attempt in range(3):
        try:
            return check()
        except AssertionError:
            if attempt == 2:
                raise


def alternates():
    """Section 2.4 of our notes: each round takes the longer of the two computations and one message (the processor's time is
    asked for in whole 1000s of additions)."""
    _, sides, _ = run(2, "alternate", 50)
    near(sides[0]["seen_s"], 50 * (4e-3 + one_way(8)), 0.05, "alternate")


def messages():
    # between the calls there is a microsecond or two of the processor's time
    for size in (8, 100000):
        virtual, sides, _ = run(2, "pingpong", 500, size)
        near(sides[0]["seen_s"], 1000 * one_way(size), 0.08, f"ping-pong of {size} bytes")
        near(virtual["s"], 1000 * one_way(size), 0.08, "by whatwire")
    _, sides, _ = run(2, "pingpong", 500, 8, options=["--ranks-per-host", "1", "--what-if", "latency=x0.5"])
    near(sides[0]["seen_s"], 1000 * (one_way(8) - 25e-6), 0.08, "with half the latency")


def overlaps():
    for kind in ("overlap", "persistent"):
        _, sides, _ = run(2, kind, 20, 8)
        near(sides[0]["seen_s"], 20 * (2e-3 + F + U), 0.05, kind)


def large_messages_wait_for_receivers():
    """Posted at 20 ms; a reply, and 1 MB of data."""
    _, sides, _ = run(2, "late", 1, 1000000)
    start = sides[1]["had_s"] + LATENCY
    near(sides[0]["seen_s"], start + PORT * 1e6, 0.02, "sender")


def senders_go_on_when_their_system_has_the_data():
    """Under Open MPI: of 1 MB all, or but 250 kB of which wait for the wire. MPICH's wait for what acknowledges them."""
    if not launcher.of_openmpi(mpirun):
        return
    for ahead, left in (1000000, 0), (250000, 750000):
        _, sides, _ = run(2, "late", 1, 1000000, ahead=ahead)
        near(sides[0]["seen_s"], sides[1]["had_s"] + LATENCY + PORT * left, 0.02, f"sender with {ahead} bytes ahead")


def ports_take_turns():
    """Seven messages of 100 us each at one port, then a barrier, in which rank 0 comes last: the next messages leave one to three
    empty messages later."""
    _, sides, _ = run(8, "incast", 10, 10000)
    round_s = one_way(10000) + 6 * PORT * 10000
    assert 10 * (round_s + one_way(0)) <= sides[0]["seen_s"] <= 10.5 * (round_s + 3 * one_way(0)), sides[0]
    print("incast:", sides[0]["seen_s"], "for at least", 10 * (round_s + one_way(0)))


def hosts_have_one_port():
    """Two ranks a host, two messages of 100 us at a port each round, which is the least that a round takes; how much more follows
    from who waits for whom, for which the events of simulation are the reference. With a rank a host nobody waits. Every broadcast
    passes the root's port, though the root waits for nobody."""
    rounds, size = 40, 10000
    virtual, sides, _ = run(4, "shift", rounds, size, options=["--ranks-per-host", "2"])
    assert max(side["seen_s"] for side in sides) > rounds * 2 * PORT * size, sides
    near(virtual["s"], virtual["replayed_s"], 0.08, "exchanges with 2 ranks a host")
    _, sides, _ = run(4, "shift", rounds, size)
    near(sides[0]["seen_s"], rounds * (one_way(size) + one_way(0)), 0.08, "exchanges with 1 rank a host")
    _, sides, _ = run(2, "broadcasts", rounds, size)
    near(sides[1]["seen_s"], rounds * PORT * size + one_way(0), 0.08, "broadcasts")


def collectives():
    """16 ranks on few cores: 4 stages each; every second one waits for a computation."""
    virtual, sides, _ = run(16, "collectives", 20)
    near(sides[0]["seen_s"], 20 * (2e-3 + 4 * one_way(8)) + 20 * 4 * one_way(8) + 2 * 4 * one_way(0), 0.15, "collectives")


def any_number_of_collectives_is_open():
    """More than there are places for what they took (256), begun by one rank before the other begins any: no start waits for others."""
    _, sides, _ = run(2, "many_open", 400)
    assert len(sides) == 2, sides


def says_what_depends_on_time():
    _, sides, names = run(2, "polling")
    assert "virtual-found-nothing" in names, names
    near(sides[0]["seen_s"], 0.1 + one_way(8), 0.05, "polling for a sleeping sender")
    _, _, names = run(4, "wildcards")
    assert "virtual-wildcard" in names, names
    assert "one-sided" in run(2, "one_sided", fails=True)
    assert "MPI_THREAD_MULTIPLE" in run(2, "threads", fails=True)


for part in (alternates, messages, overlaps, large_messages_wait_for_receivers, senders_go_on_when_their_system_has_the_data, ports_take_turns, hosts_have_one_port, collectives,
             any_number_of_collectives_is_open,
             says_what_depends_on_time):
    holds(part)
