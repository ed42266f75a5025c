"""What record gives back: the program's own exit code, whatever ended it, and an error only where the recording itself failed."""
import json
import os
import shutil
import subprocess

from support import WHATWIRE, Case

ENDS = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  int rank;
  if (strcmp(argv[1], "early") == 0) return 3;
  if (strcmp(argv[1], "never") == 0) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "abort_all") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(argv[1], "abort") == 0) abort();
  if (strcmp(argv[1], "segv") == 0) raise(SIGSEGV);
  if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  MPI_Finalize();
  return strcmp(argv[1], "three") == 0 ? 3 : 0;
}
"""

# As python's ctypes takes MPI's functions: from the library itself, past what is preloaded.
OPENS = r"""
#include <dlfcn.h>
#include <stddef.h>
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) return 9;
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(library, "MPI_Init");
  int (*finalize)(void) = (int (*)(void))dlsym(library, "MPI_Finalize");
  return init(&argc, &argv) + finalize();
}
"""


class ExitCodes(Case):
    def check_codes(self, launcher, compiler):
        program = self.compile(ENDS, "ends", compiler)
        for way, least in (("none", 0), ("three", 3), ("abort_all", 5), ("abort", 1), ("segv", 1), ("kill", 1)):
            line = [launcher, "-n", "2", program, way]
            alone = subprocess.run(line, cwd=self.dir, capture_output=True, timeout=100).returncode
            done = self.run_whatwire("record", "-o", "t.ww", "--json", "--", *line)
            self.assertEqual(done.returncode, alone, (way, done.stderr))
            self.assertGreaterEqual(alone, least)
            self.assertEqual(json.loads(done.stdout)["exit_code"], alone)
            self.succeed("report", "t.ww")
        # a program that ends before MPI_Init leaves nothing to record, which is our failure
        for way, said in (("early", "exit code 3 before"), ("never", "never called MPI_Init")):
            done = self.run_whatwire("record", "-o", "early.ww", "--", launcher, "-n", "1", program, way)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)
            self.assertFalse((self.dir / "early.ww").exists())

    def test_of_open_mpi(self):
        self.check_codes("mpirun.openmpi", "OPENMPI_CC")

    def test_of_mpich(self):
        self.check_codes("mpirun.mpich", "CC_OF_MPICH")

    def refused(self, *line, **more):
        done = self.run_whatwire("record", "-o", "t.ww", "--", *line, **more)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse((self.dir / "t.ww" / "run.json").exists())
        return done.stderr

    def test_why_nothing_was_recorded(self):
        program = self.compile(ENDS, "ends")
        for name, body, said in (
                ("resets", f"exec env -u LD_PRELOAD {program} none", ("never called MPI_Init", "loaded into dash, env; ", "LD_PRELOAD")),
                ("empties", f"exec env -i {program} never", ("never called MPI_Init", "loaded into dash, env; ", "LD_PRELOAD")),
                ("removes", f"rm -r t.ww; exec {program} none", ("removed or replaced while the program ran",))):
            script = self.dir / name
            script.write_text(f"#!/bin/dash\n{body}\n")
            script.chmod(0o755)
            said_by_us = self.refused("mpirun", "-n", "1", script)
            for words in (*said, str(script)) if name != "removes" else said:
                self.assertIn(words, said_by_us, name)
            self.assertNotIn("unexpected", said_by_us)
        # an interpreter without a loader, which starts a program that is not ours to see
        starts = self.compile('#include <unistd.h>\nint main(void) { return execle("/bin/true", "true", (char*)0, (char*[]){0}); }', "starts", "CC", "-static")
        script = self.dir / "interpreted"
        script.write_text(f"#!{self.dir / starts}\n")
        script.chmod(0o755)
        self.assertIn("was not loaded into any process", self.refused("mpirun", "-n", "1", script))
        opens = self.compile(OPENS, "opens", "CC", "-ldl")
        library = subprocess.run(["ldd", self.dir / "ends"], capture_output=True, text=True).stdout.split("libmpi.so.40 => ")[1].split()[0]
        self.assertIn("past the recorder", self.refused("mpirun", "-n", "1", opens, library))

    def test_long_paths(self):
        program = self.compile(ENDS, "ends")
        place = self.dir
        while len(str(place)) < 3500:
            place = place / ("d" * 200)
        os.makedirs(place)
        self.succeed("record", "-o", place / "t.ww", "--", "mpirun", "-n", "2", program, "none")
        self.succeed("report", place / "t.ww")
        while len(str(place)) < 4040:
            place = place / "dd"
        self.assertIn("path of the trace is too long", self.run_whatwire("record", "-o", place, "--", "mpirun", "-n", "1", program, "none").stderr)

    def test_a_disk_that_is_small(self):
        """3 MB: what fits is kept, what does not is counted and said; nothing at all is an error."""
        program = self.compile(r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, flag, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 100000; ++i) MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
""", "probes")
        disk = self.dir / "disk"
        disk.mkdir()
        script = """mount -t tmpfs -o size="$SIZE" none disk || exit 77
"$WHATWIRE" record -o disk/t.ww -- mpirun -n 2 ./probes; code=$?
"$WHATWIRE" report --json disk/t.ww >report.json 2>report.txt
exit $code"""

        def run(size):
            return subprocess.run(["unshare", "--mount", "sh", "-c", script], cwd=self.dir, capture_output=True, text=True, timeout=200,
                                  env=dict(os.environ, SIZE=size, WHATWIRE=WHATWIRE))
        done = run("3m")
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("records-dropped", done.stderr)
        report = json.loads((self.dir / "report.json").read_text())
        kept = report["calls"]["MPI_Iprobe"]["count"]
        dropped = next(d["count"] for d in report["diagnostics"] if d["name"] == "records-dropped")
        self.assertGreater(kept, 10000)
        self.assertGreaterEqual(kept + dropped, 200000)
        done = run("24k")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kept nothing", done.stderr)
        self.assertNotIn("unexpected", done.stderr)
