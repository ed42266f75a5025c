"""Who reads a recording while it is made, unified or taken away: never a loss, always a plain word."""
import shutil
import signal
import subprocess
import time

from support import WHATWIRE, Case

WAITS = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static void wait_for(const char* file) { while (access(file, F_OK) != 0) usleep(2000); }
int main(int argc, char** argv) {
  int rank, x = 0;
  fclose(fopen("started", "w"));
  wait_for("begin");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 500; ++i)
    if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  fclose(fopen(rank == 0 ? "done.0" : "done.1", "w"));
  wait_for("end");
  MPI_Finalize();
  return 0;
}
"""


class Readers(Case):
    def record(self, name="a.ww"):
        return subprocess.Popen([WHATWIRE, "record", "-o", name, "--", "mpirun", "-n", "2", "./waits"], cwd=self.dir,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def wait_for(self, *names):
        deadline = time.time() + 60
        while not all((self.dir / name).exists() for name in names):
            self.assertLess(time.time(), deadline, names)
            time.sleep(0.002)

    def say(self, *names):
        for name in names:
            (self.dir / name).write_text("")

    def check_numbers(self, name="a.ww"):
        report = self.json_of("report", name)
        self.assertEqual(sum(rank["messages_sent"] for rank in report["ranks"]), 500)

    def test_while_it_is_recorded_and_while_it_is_unified(self):
        self.compile(WAITS, "waits")
        recorder = self.record()

        def refused():
            for verb in "report", "unify":
                done = self.run_whatwire(verb, "a.ww")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("still being recorded", done.stderr)

        self.wait_for("started")
        refused()  # before MPI_Init
        self.say("begin")
        self.wait_for("done.0", "done.1")
        refused()
        self.say("end")
        # From now on readers may come at any moment of record's own end.
        deadline = time.time() + 60
        while recorder.poll() is None:
            self.assertLess(time.time(), deadline)
            readers = [subprocess.Popen([WHATWIRE, verb, "a.ww"], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                       for verb in ("report", "unify", "report")]
            for reader in readers:
                said = reader.communicate()[1]
                self.assertTrue(reader.returncode == 0 or "still being recorded" in said, said)
        self.assertEqual(recorder.wait(), 0, recorder.stderr.read())
        recorder.stderr.close()
        self.check_numbers()

    def test_the_recorder_is_killed_and_the_program_runs_on(self):
        self.compile(WAITS, "waits")
        recorder = self.record()
        self.say("begin")
        self.wait_for("done.0", "done.1")
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        done = self.run_whatwire("report", "a.ww")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program still runs", done.stderr)
        self.say("end")
        deadline = time.time() + 60
        while self.run_whatwire("report", "a.ww").returncode != 0:
            self.assertLess(time.time(), deadline)
            time.sleep(0.1)
        recorder.stderr.close()
        self.check_numbers()

    def test_the_spool_is_removed_while_the_program_runs(self):
        self.compile(WAITS, "waits")
        recorder = self.record()
        self.say("begin")
        self.wait_for("done.0", "done.1")
        shutil.rmtree(self.dir / "a.ww" / "spool")
        self.say("end")
        said = recorder.communicate()[1]
        self.assertEqual(recorder.returncode, 1, said)
        self.assertIn("was removed or replaced while the program ran", said)
        self.assertNotIn("unexpected", said)
