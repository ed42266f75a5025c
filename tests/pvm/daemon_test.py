#!/usr/bin/env python3
"""PVM's daemons recorded in a lab. daemon_test.py WHATWIRE ECHOES RECORDER
What is expected: of packets, what the kernels of the hosts count (/proc/net/snmp); of fragments and bytes, what echoes.c sends, with PVM's header of
32 bytes a message (as in S4's replay input, record_test.py)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine import Machine

WHATWIRE, ECHOES, RECORDER = (Path(argument).resolve() for argument in sys.argv[1:4])
LAB = f"pvd{os.getpid() % 100000}"


def whatwire(*arguments):
    return subprocess.run([WHATWIRE, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280)


class DaemonsOnALab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = whatwire("lab", "up", "--name", LAB, "--hosts", 3, "--rate", "100Mb/s", "--json")
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        cls.hosts = {host["name"]: host["namespace"] for host in json.loads(made.stdout)["hosts"]}

    @classmethod
    def tearDownClass(cls):
        whatwire("lab", "down", "--name", LAB)

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="daemon-pvm-")
        self.addCleanup(directory.cleanup)
        self.trace = Path(directory.name) / "run.ww"

    def datagrams(self):
        """By host: what its kernel sent and received so far."""
        counts = {}
        for host, namespace in self.hosts.items():
            text = subprocess.run(["nsenter", f"--net={namespace}", "cat", "/proc/net/snmp"], capture_output=True, text=True, check=True).stdout
            names, values = (line.split()[1:] for line in text.splitlines() if line.startswith("Udp:"))
            counted = dict(zip(names, map(int, values)))
            counts[host] = counted["OutDatagrams"], counted["InDatagrams"]
        return counts

    def echoes(self, *arguments):
        """Recorded: what the program said, `report --json --ask daemons`."""
        done = whatwire("record", "--force", "-o", self.trace, "--lab", LAB, "--", ECHOES, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done, json.loads(whatwire("report", self.trace, "--ask", "daemons", "--json").stdout)

    def test_packets_are_those_of_the_kernels_and_fragments_those_of_the_program(self):
        size, count = 10000, 40
        before = self.datagrams()
        _, report = self.echoes(size, count)
        after = self.datagrams()
        daemons = {daemon["host"]: daemon for daemon in report["daemons"]["daemons"]}
        self.assertEqual(set(daemons), set(self.hosts))
        first = min(self.hosts)
        for host, daemon in daemons.items():
            with self.subTest(host):
                udp = daemon["life"]["udp"]
                counted = tuple(b - a for a, b in zip(before[host], after[host]))
                # On the first host a child of its daemon, which is not recorded, starts the others and tells it so by a packet from an address of its own (again, if
                # that is slow), and ends when one is acknowledged.
                of_child = sum(peer["packets_received"] for peer in daemon["life"]["peers"] if peer["host"] is None)
                self.assertEqual(of_child > 0, host == first)
                self.assertEqual((udp["packets_sent"] + of_child, udp["packets_received"] + (host == first)), counted)
                self.assertTrue(daemon["ended"])
                self.assertGreater(daemon["cpu_s"], 0)
                self.assertEqual(udp["packets_sent"], sum(peer["packets_sent"] for peer in daemon["life"]["peers"]))
                for use in daemon["life"], daemon["program"]:
                    self.assertAlmostEqual(use["time_s"], use["own_s"] + sum(call["time_s"] for call in use["calls"].values()), places=6)
                self.assertLess(daemon["program"]["time_s"], daemon["life"]["time_s"])
        other = next(host for host in sorted(self.hosts) if any(way["to"] == host != first for way in report["daemons"]["ways"]))
        ways = {(way["from"], way["to"]): way for way in report["daemons"]["ways"]}
        for way in (ways[first, other], ways[other, first]):
            self.assertEqual(way["bytes"], count * (size + 32))
            self.assertGreaterEqual(way["fragments"], count * -(-(size + 32) // 4064))
            for stage in ("held", "under_way", "delivered", "acknowledged"):
                self.assertEqual(way[stage]["fragments"], way["fragments"], stage)
            # Two of a message's three fragments are of 4048 bytes or more, which with nothing else take 324 us at 100 Mb/s.
            self.assertGreater(way["under_way"]["median_s"], 324e-6)
            self.assertGreater(way["acknowledged"]["median_s"], way["under_way"]["median_s"])
        # Every packet with data is acknowledged, those that came again too.
        a, b = daemons[first]["life"]["peers"], daemons[other]["life"]["peers"]
        there = next(peer for peer in a if peer["host"] == other)
        back = next(peer for peer in b if peer["host"] == first)
        self.assertEqual(there["packets_sent"], back["packets_received"])
        # The last one, of the halt, comes when the first daemon may have gone.
        self.assertIn(back["acknowledgements_sent"] - there["acknowledgements_received"], (0, 1))
        self.assertEqual({rank["host"] for rank in report["ranks"]}, {first, other})

    def test_a_daemon_that_is_killed_keeps_what_it_did(self):
        size, count = 100, 30
        _, report = self.echoes(size, count, "kill")
        daemons = {daemon["host"]: daemon for daemon in report["daemons"]["daemons"]}
        # The program names a host as PVM has it, by its address where names are not known.
        other = next(way["to"] for way in report["daemons"]["ways"] if way["from"] == min(self.hosts) != way["to"])
        self.assertFalse(daemons[other]["ended"])
        self.assertIsNone(daemons[other]["cpu_s"])
        self.assertIn("daemon-ended-early", {one["name"] for one in report["diagnostics"]})
        way = next(way for way in report["daemons"]["ways"] if (way["from"], way["to"]) == (min(self.hosts), other))
        self.assertEqual(way["fragments"], count + 1)
        # The call that writes the last one to the task is perhaps not over when that kills the daemon.
        self.assertIn(way["delivered"]["fragments"], (count, count + 1))
        self.assertRegex(whatwire("report", self.trace).stdout, rf"daemons of the default route, busy: .*{other} [0-9.]+%.*; \d+ packets sent, \d+ again")
        self.assertIn(f"the daemon on {other} was killed", whatwire("report", self.trace, "--ask", "daemons").stdout)


class DaemonsOfTheUser(unittest.TestCase):
    def test_are_joined_to_a_run_and_go_on(self):
        size, count = 5000, 20
        with tempfile.TemporaryDirectory(prefix="own-pvmd-") as directory:
            place = Path(directory)
            machine = Machine(str(ECHOES.parent))
            machine.environment.update(LD_PRELOAD=str(RECORDER), WW_DAEMON_SPOOL_DIR=directory)
            with machine:
                environment = {name: value for name, value in machine.environment.items() if name != "LD_PRELOAD"}

                def run(*command):
                    return subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)

                alone = run(ECHOES, size, count)
                self.assertEqual(alone.returncode, 0, alone.stderr)
                self.assertEqual(alone.stdout.split()[2], "0", "a task has the daemon's recorder")
                done = run(WHATWIRE, "record", "-o", place / "run.ww", "--daemons", directory, "--", ECHOES, size, count)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                report = json.loads(whatwire("report", place / "run.ww", "--ask", "daemons", "--json").stdout)
                self.assertTrue((place / "daemon-1.defs").exists())
            (daemon,) = report["daemons"]["daemons"]
            self.assertFalse(daemon["ended"])
            self.assertNotIn("daemon-ended-early", {one["name"] for one in report["diagnostics"]})
            # The program ran alone before: that is of the daemon's life, and not of the recorded run.
            (way,) = report["daemons"]["ways"]
            self.assertEqual(way["bytes"], 2 * count * (size + 32))
            self.assertEqual(way["under_way"]["fragments"], 0)
            self.assertLessEqual(daemon["program"]["time_s"], report["elapsed_s"] * 1.5)
            self.assertLess(daemon["program"]["time_s"], daemon["life"]["time_s"])

    def test_a_place_without_any_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="own-pvmd-") as directory:
            done = whatwire("record", "-o", Path(directory) / "run.ww", "--daemons", directory, "--", ECHOES, 8, 1)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("no daemon has recorded there", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
