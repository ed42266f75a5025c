"""Launch lines with wrappers, scripts, files of programs and odd names, from end to end: what `record` finds without whatwire's
help must be found by every command that starts the line. That the lines are right is what their launchers do with them."""
import json

from support import EXAMPLES, Case

MPI_OF = {"openmpi": EXAMPLES, "mpich": EXAMPLES / "mpich"}


class Lines(Case):
    def recorded(self, *line, ranks=2, name=None, mpi="openmpi"):
        out = name or "t.ww"
        arguments = [] if name else ["-o", out]
        self.succeed("record", *arguments, "--", *line)
        report = self.json_of("report", out)
        self.assertEqual(len(report["ranks"]), ranks, line)
        self.assertGreater(report["events"], 0, line)
        self.assertEqual(json.loads((self.dir / out / "run.json").read_text())["mpi"], mpi, line)

    def script(self, name, text):
        (self.dir / name).write_text(text)
        (self.dir / name).chmod(0o755)


class Launching(Lines):
    def test_lines(self):
        app = [str(EXAMPLES / "transpose"), "--size", "8"]
        mpich = [str(EXAMPLES / "mpich" / "transpose"), "--size", "8"]
        (self.dir / "apps").write_text(f"-n 1 {' '.join(app)}\n-n 1 {' '.join(app)}\n")
        mpirun = ["mpirun.openmpi", "-n", "2"]
        for line in (["mpirun.openmpi", "--timeout", "60", "-n", "2", *app], ["mpirun.openmpi", "--stdin", "none", "-n", "2", *app],
                     ["mpirun.openmpi", "--max-restarts", "1", "-n", "2", *app], ["mpirun.openmpi", "--app", "apps"],
                     ["env", "X=1", *mpirun, *app], ["timeout", "60", *mpirun, *app], ["sh", "-c", " ".join(mpirun + app)],
                     ["sh", "-c", "cd . && " + " ".join(mpirun + app)], ["nice", *mpirun, *app], ["stdbuf", "-oL", *mpirun, *app],
                     ["taskset", "-c", "0", *mpirun, *app], [*mpirun, "env", "-u", "NOTHING", "X=1", *app],
                     [*mpirun, "stdbuf", "-oL", "nice", *app], [*mpirun, "--", *app]):
            self.recorded(*line)
        for line in (["mpirun.mpich", "-genv", "X=1", "-n", "2", *mpich], ["mpirun.mpich", "-genv", "X", "1", "-n", "2", *mpich],
                     ["mpirun.mpich", "-n", "2", "--", *mpich], ["sh", "-c", "true; mpirun.mpich -n 2 " + " ".join(mpich)]):
            self.recorded(*line, mpi="mpich")

    def test_an_empty_environment(self):
        # The program finds no mpirun then: each of its processes is a job of one rank, and only the first has the name of rank 0.
        root = ["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
        self.recorded("mpirun.openmpi", "-n", "2", "env", "-i", "PATH=/usr/bin", *root, str(EXAMPLES / "transpose"), "--size", "8", ranks=1)
        self.assertIn("other-job", [said["name"] for said in self.json_of("report", "t.ww")["diagnostics"]])

    def test_an_equals_sign_in_the_path(self):
        (self.dir / "n=4").mkdir()
        (self.dir / "n=4" / "transpose").symlink_to(EXAMPLES / "transpose")
        self.recorded("mpirun.openmpi", "-n", "2", "./n=4/transpose", "--size", "8")
        self.recorded("env", "X=1", "mpirun.openmpi", "-n", "2", "./n=4/transpose", "--size", "8")

    def test_names_after_scripts(self):
        self.script("ring.py", f"import os\nos.execv('{EXAMPLES}/transpose', ['transpose', '--size', '8'])\n")
        self.recorded("mpirun.openmpi", "-n", "2", "python3", "ring.py", name="ring.py.ww")

    def test_two_readings(self):
        # mpirun.openmpi tells its options (--help full), and refuses those that it does not know: no reading is run.
        self.script("srun", "#!/bin/sh\nexit 1\n")
        for name in ("a", "b"):
            self.script(name, "#!/bin/sh\n")
        done = self.run_whatwire("record", "--", "./srun", "--new", "./a", "./b")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("which word is the program: ./a (word 3), or ./b (word 4)", done.stderr)
        self.assertIn("--program 3 or --program 4", done.stderr)
        done = self.run_whatwire("record", "--program", "9", "--", "./srun", "--new", "./a", "./b")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such word", done.stderr)

    def test_the_program_is_said(self):
        # A launcher that nobody knows: by its word.
        self.script("starter", '#!/bin/sh\nshift\nexec env -u LD_PRELOAD mpirun.openmpi -n 2 "$@"\n')
        self.succeed("record", "-o", "t.ww", "--program", "3", "--", "./starter", "--fast", EXAMPLES / "transpose", "--size", "8")
        self.assertEqual(len(self.json_of("report", "t.ww")["ranks"]), 2)

    def test_words_in_their_order(self):
        done = self.run_whatwire("record", "src/imbal", "2", "-n", "mpirun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not expected: src/imbal;", done.stderr)

    def test_an_empty_argument(self):
        done = self.run_whatwire("")
        self.assertEqual((done.returncode, "no such command" in done.stderr), (2, True), done.stderr)


class LaunchingMeasured(Lines):
    """The commands that start a line more than once."""

    def test_measure_behind_wrappers(self):
        for prefix in (["env", "X=1", "mpirun.mpich", "-n", "2"], ["nice", "-n", "1", "mpirun.openmpi", "-n", "2"]):
            model = self.json_of("measure", "--quick", "-o", "m.json", "--", *prefix)
            self.assertTrue(model["links"], prefix)

    def test_study_behind_wrappers(self):
        app = [str(EXAMPLES / "transpose"), "--size", "64", "--repeat", "20"]
        self.script("run.sh", "#!/bin/sh\nset -e\nmpirun.openmpi -n 2 " + " ".join(app) + "\n")
        for line in (["timeout", "60", "mpirun.openmpi", "-n", "2", *app], ["./run.sh"],
                     ["mpirun.openmpi", "-n", "1", *app, ":", "-n", "1", *app]):
            study = self.json_of("study", "--no-dilate", "--repeat", "1", "--what-if", "bandwidth=x10", "-o", "s.study", "--", *line)
            self.assertGreater(study["what_ifs"][0]["simulated"]["s"], 0, line)
            self.assertEqual("launcher-not-seen" in [d["name"] for d in study["diagnostics"]], line == ["./run.sh"])
