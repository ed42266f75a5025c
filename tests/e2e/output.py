"""Standard output that cannot be written: exit 1 and one line that says so, as the interface page has it for work that failed; a
reader that went away: the signal that ends other programs then (POSIX, write: EPIPE and SIGPIPE)."""
import json
import os
import signal
import subprocess

from support import EXAMPLES, WHATWIRE, Case

SAYS = "cannot write to standard output"


class Output(Case):
    def setUp(self):
        super().setUp()
        self.succeed("record", "-o", "t.ww", "--", "mpirun.openmpi", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        model = json.loads(self.succeed("machine", "show", "loggops-default", "--json").stdout)
        model["links"].append({**model["links"][0], "between": "intra"})
        (self.dir / "m.json").write_text(json.dumps(model))
        (self.dir / "pv").write_text("sendw 0 4 3480 3492 139 10 256 1 18 7 -1\n")
        self.commands = [
            ["--help"], ["--version"], ["report", "--help"], ["machine", "list"], ["machine", "show", "loggops-default"],
            ["machine", "show", "loggops-default", "--json"], ["report", "t.ww"], ["report", "t.ww", "--json"],
            ["report", "t.ww", "--ask", "all"], ["compare", "t.ww", "t.ww"], ["compare", "--json", "t.ww", "t.ww"],
            ["simulate", "t.ww", "--machine", "m.json"], ["simulate", "t.ww", "--machine", "m.json", "--json"],
            ["export", "t.ww", "--to", "csv", "-o", "t.csv", "--json"], ["doctor"], ["doctor", "--json"],
            ["convert", "pv", "--to", "prase-pv"],
        ]

    def to(self, output, command, **more):
        return subprocess.run([WHATWIRE, *command], cwd=self.dir, stdout=output, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, timeout=120, **more)

    def test_full(self):
        for command in self.commands:
            with open("/dev/full", "w") as full:
                done = self.to(full, command)
            self.assertEqual((done.returncode, SAYS in done.stderr, "No space left" in done.stderr), (1, True, True),
                             f"{command}: {done.returncode} {done.stderr}")
            self.assertNotIn("unexpected", done.stderr)

    def test_closed(self):
        for command in self.commands:
            done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&-', WHATWIRE, *command], cwd=self.dir, text=True,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120)
            self.assertEqual((done.returncode, SAYS in done.stderr), (1, True), f"{command}: {done.returncode} {done.stderr}")

    def test_what_is_opened_next_does_not_become_standard_output(self):
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&-', WHATWIRE, "export", "t.ww", "--to", "csv", "-o", "t.csv", "--json"],
                              cwd=self.dir, text=True, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.succeed("export", "t.ww", "--to", "csv", "-o", "whole.csv")
        self.assertEqual((self.dir / "t.csv").read_text(), (self.dir / "whole.csv").read_text())

    def test_a_reader_that_went_away(self):
        for command in self.commands:
            for handler, code in ((signal.SIG_DFL, -signal.SIGPIPE), (signal.SIG_IGN, 1)):
                reading, writing = os.pipe()
                os.close(reading)
                done = self.to(writing, command, restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, handler))
                os.close(writing)
                self.assertEqual(done.returncode, code, f"{command}: {done.stderr}")
                self.assertEqual(SAYS in done.stderr, code == 1, done.stderr)

    def test_work_goes_on_without_standard_error(self):
        # What is said of a recording is not the recording.
        for name, redirected in (("full", "2>/dev/full"), ("closed", "2>&-")):
            done = subprocess.run(["/bin/sh", "-c", f'exec "$0" "$@" {redirected}', WHATWIRE, "record", "-o", f"{name}.ww", "--",
                                   "mpirun.openmpi", "-n", "2", str(EXAMPLES / "transpose"), "--size", "8"], cwd=self.dir,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120)
            self.assertEqual(done.returncode, 0, name)
            self.assertTrue((self.dir / f"{name}.ww" / "traces.otf2").exists())

    def test_programs_that_are_started_have_their_signals(self):
        # A program that writes to a pipe nobody reads ends by SIGPIPE under whatwire as it does without.
        program = self.compile("""
            #include <mpi.h>
            #include <signal.h>
            #include <stdio.h>
            int main(int c, char** v) { struct sigaction a; MPI_Init(&c, &v); sigaction(SIGPIPE, 0, &a);
              printf("%d\\n", a.sa_handler == SIG_DFL); MPI_Finalize(); return 0; }""", "signals")
        done = self.run_whatwire("record", "--", "mpirun.openmpi", "-n", "1", program)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)
