"""Settings in a file: what `whatwire init` writes, and what `--config` makes of it. What a file may say word by word is in
src/cli/settings_test.cpp; here is what turns out only when a program runs or a source is read, and the way from one command to the next."""
import subprocess

from support import EXAMPLES, WHATWIRE, Case

RING = ["mpirun", "--oversubscribe", "-n", "2", EXAMPLES / "ring", "--messages", "20", "--length", "10"]


class Settings(Case):
    def calls_of(self, trace):
        return {name: call["count"] for name, call in self.json_of("report", trace, "--by", "call")["calls"].items()}

    def test_a_run_from_a_file_is_the_run_from_the_command_line(self):
        said = self.succeed("init", "--set", "record.calls=p2p", "--set", "record.output=file.ww", "--", *RING)
        self.assertIn("next: whatwire record --config whatwire.toml", said.stdout)
        self.succeed("record", "--config", "whatwire.toml")
        self.succeed("record", "--calls", "p2p", "-o", "line.ww", "--", *RING)
        from_file, from_line = self.calls_of("file.ww"), self.calls_of("line.ww")
        self.assertEqual(from_file, from_line)
        self.assertNotIn("MPI_Barrier", from_file)
        self.succeed("record", "--config", "whatwire.toml", "--calls", "collective", "-o", "other.ww")  # what is said here wins
        self.assertFalse([name for name in self.calls_of("other.ww") if "Send" in name or "Recv" in name])

    def test_asking(self):
        answers = [" ".join(map(str, RING)), "p2p, collective", "soon", "0.5", "", "", "", "solve.c main.c", "solve*", "residual, p->x", "mpicc -O2", ""]
        done = subprocess.run([WHATWIRE, "init", "--ask", "asked.toml"], cwd=self.dir, input="\n".join(answers) + "\n", capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("soon is not a number", done.stderr)  # and asked again
        text = [line for line in (self.dir / "asked.toml").read_text().splitlines() if line and not line.startswith("#")]
        self.assertEqual(text, ["[record]", "launch = [" + ", ".join(f"'{word}'" for word in map(str, RING)) + "]", "calls = 'p2p, collective'", "start = 0.5",
                                "[instrument]", "compiler = ['mpicc', '-O2']", "source = ['solve.c', 'main.c']", "functions = ['solve*']",
                                "watch = ['residual', 'p->x']", "output = 'instrumented'"])
        ended = subprocess.run([WHATWIRE, "init", "--ask", "ended.toml"], cwd=self.dir, input="./app\n", capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertFalse((self.dir / "ended.toml").exists())

    def test_what_is_there_stays(self):
        (self.dir / "whatwire.toml").write_text("mine")
        refused = self.run_whatwire("init", "--set", "record.start=1")
        self.assertEqual((refused.returncode, (self.dir / "whatwire.toml").read_text()), (1, "mine"))
        self.succeed("init", "--force", "--set", "record.start=1")
        self.assertIn("\nstart = 1\n", (self.dir / "whatwire.toml").read_text())

    def test_mistakes_that_only_the_work_finds_name_their_line(self):
        for text, command, part in (
                ("[record]\n\ncalls = ['p2p', 'MPI_Sned']\n", ("record", "--", *RING), ("(w.toml:3, 'calls')", "did you mean 'MPI_Send'?")),  # class 31 of S5
                ("[instrument]\nwatch = 'x'\nsource = 'nowhere.c'\noutput = 'o'\n", ("instrument",), ("nowhere.c (w.toml:3, 'source')",)),  # 52
                ("[record]\nprogram = 99\n", ("record", "--", *RING), ("LAUNCH has no such word", "(w.toml:2, 'program')")),  # 20
                ("[instrument]\nwatch = 'x'\noutput = 'o'\n", ("instrument",), ("no source is named",)),  # 15, 48
                ("[record]\nstart = 1\n", ("record",), ("whatwire",))):  # 15: nothing to run
            (self.dir / "w.toml").write_text(text)
            name, *rest = command
            done = self.run_whatwire(name, "--config", "w.toml", *rest)
            self.assertNotEqual(done.returncode, 0)
            for wanted in part:
                self.assertIn(wanted, done.stderr)
        missing = self.run_whatwire("record", "--config", "none.toml", "--", *RING)  # 58
        self.assertEqual(missing.returncode, 2)
        self.assertIn("none.toml", missing.stderr)
        self.assertIn("whatwire init writes one", missing.stderr)

    def test_instrumenting_from_a_file(self):
        (self.dir / "a.c").write_text("double residual;\nvoid solve(double by) { residual = residual / by; }\n"
                                      "int main(void) { residual = 1; for (int i = 0; i < 3; ++i) solve(2); return residual != 0.125; }\n")
        self.succeed("init", "--set", "instrument.source=a.c", "--set", "instrument.watch=residual", "--set", "instrument.functions=solve",
                     "--set", "instrument.output=copy", "--set", "instrument.compiler=cc -O1")
        done = self.succeed("instrument", "--config", "whatwire.toml")
        self.assertIn("regions: solve", done.stdout)
        self.assertIn("values in 2 places: residual", done.stdout)
