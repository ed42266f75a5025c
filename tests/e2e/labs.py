"""Labs as a careless and a hostile user meets them. What must hold: a name is a name and never a path; only what a lab
made is touched; what is refused is refused before anything happens, with exit code 2."""
import json
import os
import unittest

from support import EXAMPLES, Case


class LabNames(Case):
    # Each command that takes the name of a lab, with what it needs besides.
    COMMANDS = [(("lab", "status"), "--name", ()), (("lab", "down"), "--name", ()), (("lab", "rate", "1Mb/s"), "--name", ()),
                (("lab", "up", "--rate", "1Mb/s"), "--name", ()),
                (("lab", "run"), "--name", ("--", "mpirun", "-n", "1", "true")),
                (("record", "-o", "t.ww"), "--lab", ("--", "mpirun", "-n", "1", EXAMPLES / "cg")),
                (("measure", "-o", "m.json"), "--lab", ("--", "mpirun", "-n", "2")),
                (("study", "-o", "s"), "--lab", ("--", "mpirun", "-n", "2", EXAMPLES / "cg")),
                (("dilate", "-o", "d"), "--lab", ("--", "mpirun", "-n", "2", EXAMPLES / "cg"))]

    def refused(self, name):
        for command, option, rest in self.COMMANDS:
            done = self.run_whatwire(*command, option, name, *rest)
            self.assertEqual((done.returncode, done.stdout), (2, ""), f"{command} {name!r}: {done.stderr}")
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn("a lab's name is 1 to 20 letters, digits and dashes", lines[0])
            self.assertTrue(lines[0].isprintable(), "fit for a terminal")

    def test_a_path_is_no_name_and_what_is_there_stays(self):
        victim = self.dir / "victim"
        victim.mkdir()
        (victim / "thesis.txt").write_text("mine")
        (victim / "lab.json").write_text("{}")  # as if it were a lab that died
        before = sorted(p.name for p in self.dir.iterdir())
        up = "../" * 10
        for name in (str(victim), up + str(victim)[1:], "./victim", "victim/", f"{victim}/."):
            self.refused(name)
            self.assertEqual((victim / "thesis.txt").read_text(), "mine")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), before)
        # Only now, since the version that took paths would have emptied /run.
        for name in ("..", ".", "", "a/../b"):
            self.refused(name)

    def test_nor_is_anything_else_but_letters_digits_and_dashes(self):
        for name in ("a" * 21, "a" * 5000, "a b", "a\nb", "\x1b[31mred", "-x=y", "ä", "a_b"):
            self.refused("=" + name if name.startswith("-") else name)

    def test_lab_without_a_name_is_the_one_named_default(self):
        done = self.run_whatwire("record", "--lab", "--", "mpirun", "-n", "1", EXAMPLES / "cg")
        self.assertNotIn("a lab's name", done.stderr)


class LabRates(Case):
    # 1 kb/s to 100 Gb/s, or no limit: `whatwire lab rate --help`. No lab is needed to know that a rate cannot be.
    def test_numbers_that_no_wire_has_are_wrong_usage(self):
        for rate in ("1b/s", "0.1b/s", "0Mb/s", "-1Mb/s", "nan", "nanMb/s", "infMb/s", "1e300Gb/s", "1e308Tb/s", "101Gb/s", "", "10"):
            for command in (("lab", "rate", f"{rate}", "--name", "lab-no"), ("lab", "up", "--rate=" + rate, "--name", "lab-no")):
                if command[1] == "rate" and rate.startswith("-"):
                    continue  # an option that does not exist
                done = self.run_whatwire(*command)
                self.assertEqual((done.returncode, done.stdout), (2, ""), f"{command}: {done.stderr}")
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertNotIn("unexpected", done.stderr)
                self.assertNotIn("Usage", done.stderr)
        self.assertIn("1.00 kb/s to 100 Gb/s", self.run_whatwire("lab", "rate", "1b/s").stderr)

    def test_delays(self):
        for delay in ("11s", "1e300s", "-1ms", "nan", "1e308h"):
            done = self.run_whatwire("lab", "up", "--rate", "1Mb/s", "--delay=" + delay, "--name", "lab-no")
            self.assertEqual((done.returncode, done.stdout), (2, ""), f"{delay}: {done.stderr}")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


@unittest.skipIf(os.geteuid() != 0, "a wire that loses frames is root's")
class LostSegments(Case):
    """A wire that loses frames: the hosts' TCP sends them again, which the run says of itself and who recorded it is told."""

    def test_said(self):
        lab = f"loses{os.getpid() % 100000}"
        self.succeed("lab", "up", "--name", lab, "--hosts", "2", "--rate", "100Mb/s", "--loss", "5%", "--tcp", "default")
        self.addCleanup(self.run_whatwire, "lab", "down", "--name", lab)
        said = self.succeed("record", "--lab", lab, "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "cg").stderr
        ranks = json.loads((self.dir / "t.ww" / "run.json").read_text())["ranks"]
        again = sum(rank["tcp"]["retransmitted"] for rank in ranks)
        self.assertGreater(again, 0)
        self.assertGreater(min(rank["tcp"]["sent"] for rank in ranks), 0)
        # Which of the two, TCP decides: a lost segment that others follow is asked for, the last one waits for its time.
        self.assertRegex(said, "tcp-timeouts|tcp-retransmitted")
        self.assertRegex(self.succeed("report", "t.ww").stdout, "tcp-timeouts|tcp-retransmitted")
