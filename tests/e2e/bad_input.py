"""Each bad input: one clear line with the remedy, the exit code of the interface page, nothing half-written.
Expectations come from the interface page: exit 1 when the work failed, 2 for wrong usage."""
import json
import shutil

from support import EXAMPLES, Case


class BadInput(Case):
    def refused(self, *arguments, code, says, remedy=None):
        before = {p.name for p in self.dir.iterdir()}
        done = self.run_whatwire(*arguments)
        lines = [line for line in done.stderr.splitlines() if line]
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("whatwire: "), lines)
        self.assertIn(says, lines[0])
        if remedy:
            self.assertIn(remedy, lines[0])
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.left_behind(before), [], "something was left behind")

    def test_missing_program(self):
        for command in ("record", "study", "dilate"):
            self.refused(command, "--", "mpirun", "-n", "2", "./no-such-program", code=1, says="no such program",
                         remedy="check the path")

    def test_nothing_to_run(self):
        self.refused("record", code=2, says="nothing to run", remedy="-- mpirun -n 4 ./app")
        self.refused("record", "--", "mpirun", "-n", "2", code=2, says="no program in the launch line")

    def test_launch_line_without_dashes(self):
        self.refused("record", "mpirun", "-n", "2", "./app", code=2, says="not expected", remedy="behind --")
        self.refused("report", "a.ww", "b.ww", code=2, says="b.ww", remedy="whatwire report --help")
        self.refused("lab", "run", "mpirun", code=2, says="mpirun", remedy="whatwire lab run -- ")
        self.refused("record", "--calls", "MPI_Foo", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=2, says="'MPI_Foo'",
                     remedy="p2p")
        self.assertIn("Usage: whatwire record [OPTIONS] -- LAUNCH\n", self.run_whatwire("record", "--help").stdout)

    def test_static_program(self):
        program = self.compile("int main(void){return 0;}", "s", "CC", "-static")
        self.refused("record", "--", "mpirun", "-n", "2", program, code=1, says="static program",
                     remedy="link it dynamically")

    def test_program_of_another_mpi(self):
        (self.dir / "l.c").write_text("int f(void){return 0;}")
        library = self.dir / "libmpi.so.12"  # as Intel's and MVAPICH's
        import os
        import subprocess
        subprocess.run([os.environ["CC"], "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", library, self.dir / "l.c"],
                       check=True)
        program = self.compile("int f(void); int main(void){return f();}", "p", "CC", str(library))
        self.refused("record", "--", "mpirun", "-n", "2", program, code=1, says="MPI that is not known", remedy="mpicc.mpich")

    def test_launcher_of_the_other_mpi(self):
        self.refused("record", "--", "mpirun.mpich", "-n", "2", EXAMPLES / "cg", code=1, says="linked to Open MPI",
                     remedy="mpirun.openmpi")
        self.refused("record", "--", "mpirun.openmpi", "-n", "2", EXAMPLES / "mpich" / "cg", code=1, says="linked to MPICH",
                     remedy="mpirun.mpich")

    def test_a_program_that_is_no_program(self):
        (self.dir / "data").write_text("x" * 100)
        (self.dir / "data").chmod(0o755)
        self.refused("record", "--", "mpirun", "-n", "2", "./data", code=1, says="not a program")
        (self.dir / "data").chmod(0o644)
        self.refused("record", "--", "mpirun", "-n", "2", "./data", code=1, says="not an executable file", remedy="chmod +x")

    def test_a_directory_that_holds_other_files(self):
        (self.dir / "mine").mkdir()
        (self.dir / "mine" / "thesis.tex").write_text("years of work")
        self.refused("record", "-o", "mine", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=1, says="holds other files",
                     remedy="-o")
        self.refused("study", "-o", "mine", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=1, says="holds other files",
                     remedy="-o")
        self.assertEqual((self.dir / "mine" / "thesis.tex").read_text(), "years of work")

    def test_unreadable_trace(self):
        self.refused("report", "no-such.ww", code=1, says="no-such.ww")
        self.refused("unify", "no-such.ww", code=1, says="no-such.ww", remedy="whatwire record")
        (self.dir / "empty.ww").mkdir()
        self.refused("report", "empty.ww", code=1, says="empty.ww")
        (self.dir / "noise.otf2").write_bytes(bytes(range(256)) * 20)
        self.refused("report", "noise.otf2", code=1, says="noise.otf2")

    def test_truncated_trace(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8", "--repeat", "50")
        whole = self.dir / "t.ww"
        for part in ["traces.otf2", "traces.def", *[str(p.relative_to(whole)) for p in (whole / "traces").glob("*.evt")][:1]]:
            cut = self.dir / "cut.ww"
            shutil.copytree(whole, cut)
            content = (cut / part).read_bytes()
            (cut / part).write_bytes(content[: len(content) // 2])
            done = self.run_whatwire("report", "cut.ww")
            if done.returncode == 0:  # as far as it goes, but then it is said
                self.assertIn("data loss", done.stdout + done.stderr, part)
            else:
                self.assertEqual(done.returncode, 1, part)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, f"{part}: {done.stderr}")
                self.assertIn(";", done.stderr, f"{part}: no remedy in: {done.stderr}")
            shutil.rmtree(cut)

    def test_model_with_a_wrong_key(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "transpose", "--size", "8")
        model = json.loads(self.succeed("machine", "show", "loggops-default", "--json").stdout)
        model["links"][0]["latncy_s"] = model["links"][0].pop("latency_s")
        (self.dir / "m.json").write_text(json.dumps(model))
        self.refused("simulate", "t.ww", "--machine", "m.json", code=1, says="latncy_s", remedy="latency_s")
        (self.dir / "m.json").write_text("{not json")
        self.refused("simulate", "t.ww", "--machine", "m.json", code=1, says="m.json")

    def test_a_rate_of_ten_apples(self):
        self.refused("lab", "up", "--rate", "10 apples", code=2, says="'10 apples' is not a rate", remedy="10Mb/s")

    def test_what_ifs(self):
        self.refused("study", "--what-if", "bandwith=x10", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=2,
                     says="bandwith", remedy="bandwidth")
        self.refused("study", "--what-if", "bandwidth=10", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=2, says="10")

    def test_a_lab_that_is_not_there(self):
        self.refused("record", "--lab", "nolab", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=1, says="nolab",
                     remedy="lab up")

    def test_dilation_below_one(self):
        self.refused("dilate", "-D", "0.5", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=2, says="below 1")
        self.refused("dilate", "--self-test", "--", "mpirun", "-n", "2", EXAMPLES / "cg", code=2, says="needs a machine model")

    def test_a_program_that_never_calls_mpi(self):
        self.refused("record", "--", "/bin/true", code=1, says="never called MPI_Init")

    def test_an_unknown_command(self):
        self.refused("frobnicate", code=2, says="frobnicate")
