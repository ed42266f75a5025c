#!/usr/bin/env python3
"""Programs of PVM in virtual time. clocked_test.py WHATWIRE CLOCKED
Expected are the model's own numbers, a one-way time of LATENCY, F and U and 10 ns a byte, and the processor time that clocked.c spends."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine import Machine

WHATWIRE, CLOCKED = (Path(argument).resolve() for argument in sys.argv[1:3])
F = U = 5e-6
LATENCY, PORT = 5e-3, 1e-8
UNIT = 2e-3  # of clocked.c


def one_way(size):
    return F + LATENCY + U + PORT * size


def model():
    def line(base, per_byte):
        return [{"from_bytes": 0, "to_bytes": 1e9, "base_s": base, "seconds_per_byte": per_byte}]

    return {"name": "clocked", "costs": {"F": line(F, 0), "U": line(U, 0)},
            "links": [{"between": place, "latency_s": LATENCY, "segments": line(F + LATENCY + U, PORT)} for place in ("inter", "intra")]}


class Clocked(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="clocked-pvm-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        (self.place / "m.json").write_text(json.dumps(model()))

    def run_on(self, machine, *words, options=()):
        done = subprocess.run([WHATWIRE, "dilate", "--virtual", "--machine", self.place / "m.json", "--repeat", "1", "--json", *options, "-o", self.place / "runs", "--",
                               CLOCKED, *map(str, words)], env=machine.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = json.loads(done.stdout)
        task = next(json.loads(line) for line in (self.place / "runs" / "virtual-1.out").read_text().splitlines() if line.startswith("{"))
        return task, said["virtual"], {one["name"]: one["count"] for one in said["diagnostics"]}

    def virtually(self, *words, options=()):
        with Machine(str(CLOCKED.parent)) as machine:
            return self.run_on(machine, *words, options=options)

    def near(self, seen, wanted, part):
        self.assertLessEqual(abs(seen - wanted), part * wanted, f"{seen} is not within {part:.0%} of {wanted}")

    def test_messages_take_what_the_model_says(self):
        rounds = 100
        for size in (8, 100000):
            task, virtual, said = self.virtually("ring", rounds, size)
            self.near(task["seen_s"], rounds * 2 * one_way(size), 0.02)
            self.assertLess(task["real_s"], task["seen_s"] / 3)
            self.assertNotIn("departure-unknown", said)
            self.assertNotIn("damaged-record", said)
            self.assertNotIn("virtual-from-outside", said)
            # The program is longer by the spawn and the messages around what it timed; its replay by simulation knows them all.
            self.assertGreater(virtual["s"], task["seen_s"] + 2 * one_way(8))
            self.near(virtual["replayed_s"], virtual["s"], 0.03)

    def test_tasks_begin_with_the_one_that_spawned_them(self):
        # And messages are never seen to come before they were sent, on the clocks of both ends.
        task, _, _ = self.virtually("ring", 100, 8)
        self.assertGreaterEqual(task["spawned_to_begun_s"], 0)
        self.assertLess(task["spawned_to_begun_s"], 0.5)
        # This one when virtual time was a second ahead of the real one.
        self.assertGreaterEqual(task["late_to_begun_s"], 0)
        self.assertLess(task["late_to_begun_s"], 0.5)
        self.near(task["done_to_known_s"], one_way(16), 0.05)
        # What is exported goes to the daemons with the spawn, and tens of KB of costs would take their time there.
        self.assertIn("WW_VIRTUAL", task["exported"])
        self.assertNotIn("WW_TARGET", task["exported"])

    def test_in_a_ring_all_wait_for_one(self):
        rounds, others = 20, 3
        task, _, _ = self.virtually("ring", rounds, 8, others, options=["--ranks-per-host", "2"])
        self.near(task["seen_s"], rounds * (others + 1) * one_way(8), 0.02)
        task, _, _ = self.virtually("ring", rounds, 8, others, options=["--what-if", "latency=x0.1"])
        self.near(task["seen_s"], rounds * (others + 1) * (one_way(8) - 0.9 * LATENCY), 0.05)

    def test_whoever_comes_first(self):
        # A round is a worker's piece and two messages, however few cores there are; polling for the next piece is none.
        rounds, others = 10, 4
        task, _, said = self.virtually("workers", rounds, 8, others)
        self.near(task["seen_s"], rounds * (UNIT + 2 * one_way(8)), 0.08)
        self.assertIn("virtual-wildcard", said)
        self.assertIn("virtual-found-nothing", said)

    def test_polling_ends_with_the_message_and_waiting_with_its_time(self):
        task, _, said = self.virtually("polling")
        self.assertIn("virtual-found-nothing", said)
        self.near(task["seen_s"], 0.1 + one_way(8) + 0.05, 0.1)

    def test_the_end_of_a_task_is_heard_of_after_it(self):
        # One ends by pvm_exit and one is killed after all that they had to say; the daemon's message takes no time of its own, and really comes soon.
        rounds = 20
        task, _, said = self.virtually("ends", rounds, 8, 2)
        self.near(task["seen_s"], (1 + 2 * rounds) * one_way(8), 0.05)
        self.assertGreaterEqual(said["virtual-from-outside"], 2)

    def test_a_barrier_is_as_late_as_its_last(self):
        # A request to the group's server and its reply, after the computation of the one that comes last. The second run finds the server of the first,
        # which has no clock in it.
        rounds, others = 10, 2
        with Machine(str(CLOCKED.parent)) as machine:
            for run in range(2):
                task, _, said = self.run_on(machine, "barriers", rounds, 8, others)
                self.near(task["seen_s"], rounds * (UNIT + 2 * one_way(8)), 0.1)
                self.assertEqual(said.get("virtual-from-outside", 0) >= (others + 1) * rounds, run > 0, said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
