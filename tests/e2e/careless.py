"""What careless use must not destroy: other people's files, earlier results; and how an interruption ends. Each test does what once
destroyed something, and looks at the victim afterwards."""
import hashlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from support import EXAMPLES, WHATWIRE, Case

TWO = ["mpirun.openmpi", "--oversubscribe", "-n", "2"]
CG = [*TWO, EXAMPLES / "cg", "--solves", "2"]
SLOW = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, n = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; ++i) {
    usleep(20000);
    MPI_Sendrecv_replace(&i, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
"""


def contents(directory):
    """Every path below it with what it holds, links as links."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        found[name] = os.readlink(path) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    return found


class Careless(Case):
    def model(self, name="../model.json"):
        """Of a machine whose hosts are joined, within and without, by what the preset has between them; beside what is looked at."""
        shown = self.succeed("machine", "show", "ethernet-1", "--json").stdout
        model = json.loads(shown)
        model["links"].append({**model["links"][0], "between": "intra"})
        path = self.dir / name if name != "../model.json" else self.dir.parent / (self.dir.name + ".model.json")
        path.write_text(json.dumps(model))
        self.addCleanup(path.unlink, missing_ok=True)
        return path


class Ownership(Careless):
    def put(self, *names):
        for name in names:
            (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
            (self.dir / name).write_text("mine: " + name)

    def refused(self, *arguments, says="", **how):
        before = contents(self.dir)
        done = self.run_whatwire(*arguments, **how)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(contents(self.dir), before, "something was touched")
        self.assertIn(says, done.stderr)
        self.assertNotIn("unexpected", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_a_directory_that_only_looks_like_a_study(self):
        for mark in ("study.json", ".study"):
            self.put(f"precious/{mark}", "precious/thesis.txt", "precious/sub/data", "precious/.git/HEAD")
            self.refused("study", "-o", "precious", "--", *CG, says="it holds other files")
            self.refused("study", "--force", "-o", "precious", "--", *CG, says="it holds other files")
        (self.dir / "link").symlink_to("precious")
        self.refused("study", "-o", "link", "--", *CG, says="it is a symbolic link to precious")
        self.refused("study", "-o", "link/", "--", *CG, says="it is a symbolic link to precious")
        self.put("study.json")
        self.refused("study", "-o", ".", "--", *CG, says="other files")
        self.refused("study", "-o", "precious/..", "--", *CG, says="other files")
        self.refused("study", "-o", "/", "--", *CG, says="root directory")

    def test_a_directory_that_only_looks_like_a_recording(self):
        for names in (["run.json"], ["spool/mail"], ["traces.otf2"], ["traces/road.csv", "spool/cups/job"]):
            self.put(*[f"precious/{name}" for name in names], "precious/log/messages")
            for launch in (CG, [*TWO, "./no-such-program"], [*TWO, "/bin/true"]):
                for force in ([], ["--force"]):
                    self.refused("record", *force, "-o", "precious", "--", *launch)
        self.put("theirs/spool/mail")  # nothing but a name of ours, but what is in it is not
        self.refused("record", "-o", "theirs", "--", *CG, says="it holds other files (spool/mail)")
        self.put("file")
        self.refused("record", "-o", "file", "--", *CG, says="it is a file")
        self.put("import/program.wws", "import/thesis.txt", "a.goal")
        (self.dir / "a.goal").write_text("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n")
        self.refused("import", "a.goal", "-o", "import", says="it holds other files")

    def test_a_directory_that_only_looks_like_a_dilation(self):
        self.put("precious/D1-1.ww/run.json", "precious/D1-1.ww/spool/mail", "precious/D1-1.ww/traces/road.csv")
        self.refused("dilate", "-D", "1", "-o", "precious", "--", *CG, says="it holds other files")
        self.refused("dilate", "--virtual", "--machine", "ethernet-1", "-o", "precious", "--", *CG, says="it holds other files")

    def test_a_failing_command_leaves_the_earlier_result(self):
        self.succeed("record", "-o", "good.ww", "--", *CG)
        self.succeed("dilate", "-D", "1", "--repeat", "1", "-o", "good.dilated", "--", *CG)
        self.succeed("study", "--no-dilate", "--repeat", "1", "--machine", self.model(), "-o", "good.study", "--", *CG)
        before = contents(self.dir)
        for arguments in (["record", "--lab", "nosuch", "-o", "good.ww", "--", *CG],
                          ["record", "-o", "good.ww", "--", "mpirun.openmpi", "--bogus"],
                          ["record", "-o", "good.ww", "--", *TWO, EXAMPLES / "no-such-program"],
                          ["record", "-o", "good.ww", "--", *TWO, "/bin/true"],
                          ["record", "-o", "good.ww", "--force", "--", *TWO, "/bin/false"],
                          ["dilate", "-D", "1", "-o", "good.dilated", "--", *TWO, EXAMPLES / "cg", "--nonsense"],
                          ["study", "-o", "good.study", "--", *TWO, EXAMPLES / "cg", "--nonsense"],
                          ["study", "-o", "good.study", "--machine", "no-such.json", "--", *CG]):
            done = self.run_whatwire(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(contents(self.dir), before, f"{arguments}: {done.stderr}")
        # ... nor anything where there was nothing
        self.assertNotEqual(self.run_whatwire("record", "-o", "new/deep/t.ww", "--", *TWO, "/bin/true").returncode, 0)
        self.assertNotEqual(self.run_whatwire("study", "-o", "new.study", "--", *TWO, EXAMPLES / "cg", "--nonsense").returncode, 0)
        self.assertEqual(contents(self.dir), before)

    def test_the_earlier_result_is_kept_and_that_is_said(self):
        counts = []
        for number, more in ((1, []), (2, []), (3, []), (4, ["--force"])):
            done = self.succeed("record", *more, "-o", "t.ww", "--", *TWO, EXAMPLES / "cg", "--solves", number)
            kept = "whatwire: the previous t.ww is kept as t.ww.old\n"
            self.assertEqual(done.stderr.count(kept), 1 if number in (2, 3) else 0, done.stderr)
            self.assertEqual(done.stderr.count("was replaced"), 1 if number == 4 else 0, done.stderr)
            counts.append(self.json_of("report", "t.ww")["events"])
            if number > 1:
                self.assertEqual(self.json_of("report", "t.ww.old")["events"], counts[{2: 0, 3: 1, 4: 1}[number]])
            self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["t.ww", "t.ww.old"][:number])
        # files of somebody else's in a result are kept with it
        self.put("t.ww/notes.txt")
        self.succeed("record", "-o", "t.ww", "--", *CG)
        self.assertEqual((self.dir / "t.ww.old" / "notes.txt").read_text(), "mine: t.ww/notes.txt")
        self.assertIn("t.ww.old.2", self.succeed("record", "-o", "t.ww", "--", *CG).stderr)
        self.assertEqual((self.dir / "t.ww.old" / "notes.txt").read_text(), "mine: t.ww/notes.txt")

    def test_a_result_of_a_version_without_markers(self):
        self.succeed("record", "-o", "t.ww", "--", *CG)
        (self.dir / "t.ww" / ".whatwire").unlink()
        events = self.json_of("report", "t.ww")["events"]
        self.refused("record", "-o", "t.ww", "--", *TWO, EXAMPLES / "cg", "--solves", "1", says="--force")
        self.succeed("record", "--force", "-o", "t.ww", "--", *TWO, EXAMPLES / "cg", "--solves", "1")
        self.assertEqual(self.json_of("report", "t.ww.old")["events"], events)

    def test_three_at_once_into_one_name(self):
        program = self.compile(SLOW.replace("<unistd.h>", "<stdlib.h>\n#include <unistd.h>"), "slow")
        for earlier in (False, True):
            if earlier:
                self.succeed("record", "-o", "t.ww", "--", *TWO, program, "3")
            running = [subprocess.Popen([WHATWIRE, "record", "-o", "t.ww", "--", *map(str, TWO), program, "40"], cwd=self.dir,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                       for _ in range(3)]
            said = [(one.communicate(timeout=120)[1], one.returncode) for one in running]
            self.assertEqual(sorted(code for _, code in said), [0, 1, 1], said)
            for text, code in said:
                if code == 1:
                    self.assertIn("another whatwire is writing it", text)
                    self.assertEqual(text.count("\n"), 1, text)
            report = self.json_of("report", "t.ww")
            self.assertEqual([rank["messages_sent"] for rank in report["ranks"]], [40, 40])
            self.assertEqual(report["unmatched_sends"] + report["unmatched_receives"], 0)
            self.assertEqual([d for d in report["diagnostics"] if d["severity"] in ("data loss", "error")], [])

    def test_a_path_in_a_spec_is_no_path_of_the_result(self):
        (self.dir / "a" / "b" / "c").mkdir(parents=True)
        self.model("m.json")
        before = contents(self.dir)
        self.succeed("study", "--repeat", "1", "--dilate", "1", "--machine", self.dir / "m.json", "--what-if", "machine=../../../m.json",
                     "-o", "s4", "--", *CG, cwd=self.dir / "a" / "b" / "c")
        after = contents(self.dir)
        self.assertEqual([name for name in after if name not in before and not name.startswith("a/b/c/s4")], [])
        study = json.loads((self.dir / "a/b/c/s4/study.json").read_text())
        self.assertEqual(study["what_ifs"][0]["spec"], "machine=../../../m.json")
        self.assertEqual({p.name for p in (self.dir / "a/b/c/s4").glob("*.json") if p.is_file()}, {"study.json"})

    def test_files_that_were_there(self):
        """-o FILE: what whatwire did not write is kept beside; a link is not written through."""
        self.succeed("measure", "--simulated", "ncube-seven", "-o", "m.json")
        first = (self.dir / "m.json").read_text()
        done = self.succeed("measure", "--simulated", "ncube-seven", "-o", "m.json")
        self.assertIn("whatwire: the previous m.json is kept as m.json.old", done.stderr)
        self.assertEqual((self.dir / "m.json.old").read_text(), first)
        self.put("thesis.txt")
        self.succeed("measure", "--simulated", "ncube-seven", "-o", "thesis.txt")
        self.succeed("measure", "--simulated", "ncube-seven", "-o", "thesis.txt")
        self.assertEqual((self.dir / "thesis.txt.old").read_text(), "mine: thesis.txt")
        self.succeed("record", "-o", "t.ww", "--", *CG)
        for number, (name, arguments) in enumerate({"c.csv": ["export", "t.ww", "--to", "csv", "-o"], "p.json": ["export", "t.ww", "--to", "chrome", "-o"],
                                                    "m.html": ["machine", "show", "m.json", "--html"]}.items()):
            self.put(name)
            done = [self.succeed(*arguments, name) for _ in range(3)]
            self.assertEqual([f"the previous {name} is kept as {name}.old" in one.stderr for one in done], [True, False, False])
            self.assertEqual((self.dir / f"{name}.old").read_text(), f"mine: {name}")
            self.assertNotIn("mine", (self.dir / name).read_text()[:5])
            self.assertFalse((self.dir / f"{name}.old.2").exists())
            self.succeed(*arguments, "/dev/stdout")
        (self.dir / "link.json").symlink_to("m.json.old")
        self.refused("measure", "--simulated", "ncube-seven", "-o", "link.json", says="it is a symbolic link to m.json.old")


class Interruption(Careless):
    """SIGINT to the group (Ctrl-C): a short message, exit 130, and what there is is kept."""

    WAYS = {"Ctrl-C": lambda pid, terminal: os.write(terminal, b"\x03")}

    def setUp(self):
        super().setUp()
        self.slow = self.compile(SLOW.replace("<unistd.h>", "<stdlib.h>\n#include <unistd.h>"), "slow")

    def interrupted(self, arguments, when, way, within_s=25):
        """What whatwire says on a terminal of its own, interrupted as soon as the path `when` is there, and how it ends."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.execv(WHATWIRE, [WHATWIRE, *map(str, arguments)])
        said, asked = b"", None
        while True:
            if asked is None and list(self.dir.glob(when)):
                time.sleep(0.4)
                self.WAYS[way](pid, terminal)
                asked = time.monotonic()
            if select.select([terminal], [], [], 0.02)[0]:
                try:
                    said += os.read(terminal, 65536)
                except OSError:
                    break
        os.close(terminal)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said = said.decode()
        self.assertIsNotNone(asked, said)
        self.assertLess(time.monotonic() - asked, within_s)
        self.assertEqual(code, 130, said)
        self.assertIn("interrupted", said)
        self.assertNotIn("WW_", said)
        self.assertLess(max(map(len, re.split("[\r\n]+", said))), 2000, said)
        left = subprocess.run(["pgrep", "-f", str(self.dir)], capture_output=True, text=True).stdout
        self.assertEqual(left, "")
        return said

    def test_a_study_keeps_the_rounds_that_were_complete(self):
        for way in self.WAYS:
            for what in ("recorded-2.ww", "virtual-latency=x0.5/virtual-2.ww"):  # in virtual time the environment is long
                said = self.interrupted(["study", "--repeat", "5", "--dilate", "1", "--machine", self.model(), "--what-if", "latency=x0.5",
                                         "-o", "s", "--", *TWO, self.slow], f"s/{what}", way)
                self.assertIn("interrupted after 1 of 5 rounds", said)
                study = json.loads((self.dir / "s" / "study.json").read_text())
                self.assertEqual((study["interrupted"], study["rounds"]), (True, {"complete": 1, "asked_for": 5}))
                self.assertEqual(len(study["recorded_runs_s"]), 1)
                self.assertIn("interrupted", [d["name"] for d in study["diagnostics"]])
                self.assertNotIn("WW_TARGET", json.dumps(study["what_ifs"]))
                self.assertIn("latency=x0.5", (self.dir / "s" / "report.html").read_text())
                summary = self.succeed("summary", "s")
                self.assertNotIn("WW_", summary.stdout + summary.stderr)
                (self.dir / "s").rename(self.dir / f"{way}-{what.replace('/', '-')}")

    def test_a_study_of_which_nothing_is_complete(self):
        self.succeed("study", "--no-dilate", "--repeat", "1", "--machine", self.model(), "-o", "s", "--", *TWO, self.slow)
        before = contents(self.dir)
        for way in self.WAYS:
            self.interrupted(["study", "--dilate", "1", "--machine", self.model(), "-o", "s", "--", *TWO, self.slow, "100"],
                             "s.new/recorded-1.ww/spool/*.spool", way)
            self.assertEqual(contents(self.dir), before)
            self.interrupted(["study", "--dilate", "1", "--machine", self.model(), "-o", "t", "--", *TWO, self.slow, "100"],
                             "t/recorded-1.ww/spool/*.spool", way)
            self.assertEqual(contents(self.dir), before)

    def test_a_recording_keeps_what_was_recorded(self):
        for way in self.WAYS:
            self.interrupted(["record", "-o", f"{way}.ww", "--", *TWO, self.slow, "1000"], f"{way}.ww/spool/*.spool", way)
            report = self.json_of("report", f"{way}.ww")
            self.assertIn("interrupted", [d["name"] for d in report["diagnostics"]])
            self.assertGreater(report["ranks"][0]["messages_sent"], 0)

    def test_a_dilation_keeps_the_rounds_that_were_complete(self):
        for way in self.WAYS:
            said = self.interrupted(["dilate", "-D", "1,2", "--repeat", "4", "-o", f"{way}.d", "--", *TWO, self.slow],
                                    f"{way}.d/D1-2.ww", way)
            self.assertIn("interrupted after 1 of 4 rounds", said)
            self.assertTrue((self.dir / f"{way}.d" / "D2-1.ww" / "traces.otf2").exists())
            said = self.interrupted(["dilate", "--virtual", "--machine", "ethernet-1", "--repeat", "5", "-o", f"{way}.v", "--", *TWO,
                                     self.slow], f"{way}.v/virtual-3.ww", way)
            self.assertIn("interrupted after 2 of 5 runs", said)

    def test_a_measurement_keeps_its_samples(self):
        for way in self.WAYS:
            began = time.monotonic()
            pid, terminal = pty.fork()
            if pid == 0:
                os.chdir(self.dir)
                os.execv(WHATWIRE, [WHATWIRE, "measure", "--budget", "60", "-o", f"{way}.json", "--", *TWO])
            time.sleep(6)
            self.WAYS[way](pid, terminal)
            said = b""
            try:
                while part := os.read(terminal, 65536):
                    said += part
            except OSError:
                pass
            os.close(terminal)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130, said)
            self.assertLess(time.monotonic() - began, 30)
            self.assertIn(b"interrupted", said)
            self.assertTrue((self.dir / f"{way}.samples.json").exists(), said)
            self.assertFalse((self.dir / f"{way}.json").exists())


class InterruptionOfWhatwireAlone(Interruption):
    """The same of a SIGINT or SIGTERM that whatwire alone is sent."""

    WAYS = {"SIGINT": lambda pid, terminal: os.kill(pid, signal.SIGINT), "SIGTERM": lambda pid, terminal: os.kill(pid, signal.SIGTERM)}
