#!/usr/bin/env python3
"""Programs of PVM on the hosts of a lab. lab_test.py WHATWIRE PATTERN
What is expected is what the tasks of pattern.c write down by hand, and the daemons that are there and are not."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from pattern_log import messages_by_hand, messages_of

WHATWIRE, PATTERN = (Path(argument).resolve() for argument in sys.argv[1:3])
LAB = f"pvm{os.getpid() % 100000}"


def whatwire(*arguments, **variables):
    return subprocess.run([WHATWIRE, *map(str, arguments)], env={**os.environ, **variables}, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200)


def daemons():
    """Those in a lab's namespaces too; not those that have ended and that init has not been told of yet."""
    all_of_them = subprocess.run(["pgrep", "-a", "pvmd"], capture_output=True, text=True).stdout
    return [line for line in all_of_them.splitlines() if "<defunct>" not in line]


class OnALab(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        made = whatwire("lab", "up", "--name", LAB, "--hosts", 3, "--rate", "20Mb/s")
        if made.returncode != 0:
            raise RuntimeError(made.stderr)

    @classmethod
    def tearDownClass(cls):
        whatwire("lab", "down", "--name", LAB)

    def test_tasks_are_on_all_hosts_and_their_messages_on_the_wire(self):
        with tempfile.TemporaryDirectory(prefix="lab-pvm-") as directory:
            place = Path(directory)
            logs = place / "logs"
            logs.mkdir()
            trace = place / "run.ww"
            done = whatwire("record", "--lab", LAB, "-o", trace, "--", PATTERN, PATTERN_LOG=str(logs), PVM_EXPORT="PATTERN_LOG")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("Terminated", done.stderr)
            report = json.loads(whatwire("report", trace, "--json").stdout)
            sent, got = messages_by_hand(logs, report)
            self.assertEqual(sent, got, "the program itself")
            self.assertEqual(messages_of(WHATWIRE, trace, place, {key[0] for key in sent}), sent)
            self.assertNotIn("PVM runs on the lab without", done.stderr)
            hosts = {rank["host"] for rank in report["ranks"] if rank["rank"] in {key[0] for key in sent}}
            self.assertEqual(hosts, {f"ww{LAB}-h{k}" for k in range(3)})

    def test_the_wire_of_a_route_is_measured(self):
        """The lab's rate is what it was made with (one that three hosts on two slow cores hold); that tasks have one route each the program
        says itself (pattern.c chooses the direct one)."""
        with tempfile.TemporaryDirectory(prefix="lab-pvm-") as directory:
            model = Path(directory) / "machine.json"
            done = whatwire("measure", "--library", "pvm", "--direct-route", "--quick", "--lab", LAB, "-o", model)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            link = next(one for one in json.loads(model.read_text())["links"] if one["between"] == "inter")
            self.assertAlmostEqual(link["wire"]["seconds_per_byte"] / (8 / 20e6), 1, delta=0.05)
            host = next(one for one in json.loads((Path(directory) / "machine.samples.json").read_text())["records"] if one["kind"] == "host")
            self.assertRegex(host["mpi"], r"^PVM 3\.4")
            trace = Path(directory) / "run.ww"
            done = whatwire("record", "--lab", LAB, "-o", trace, "--", PATTERN, PATTERN_LOG=directory, PVM_EXPORT="PATTERN_LOG")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            ranks = json.loads((trace / "run.json").read_text())["ranks"]
            self.assertEqual({rank["route"]["direct"] for rank in ranks if not rank.get("program", "").endswith("pvmgs")}, {True})

    def test_words_that_fit_nothing_are_refused(self):
        for words, what in ((["--library", "pvm", "--", "mpirun", "-n", "2"], "start themselves"), (["--library", "openmpi"], "no launch prefix"),
                            (["--direct-route", "--", "mpirun.openmpi", "-n", "2"], "only messages of PVM"),
                            (["--library", "mpich", "--", "mpirun.openmpi", "-n", "2"], "starts programs of Open MPI, not of MPICH")):
            done = whatwire("measure", *words)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(what, done.stderr)

    def test_the_machine_is_gone_with_the_program(self):
        before = daemons()
        for command, code in (("/usr/bin/hello.pvm", 0), ("/usr/bin/thb", 255), ("/usr/bin/hello.pvm", 0)):
            done = whatwire("lab", "run", "--name", LAB, "--", command)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertEqual(daemons(), before)

    def test_a_program_that_is_none_of_pvm_is_refused(self):
        done = whatwire("lab", "run", "--name", LAB, "--", "/bin/echo", "hello")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("or those of PVM", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
