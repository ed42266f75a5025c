"""A recorded trace holds what the program did: counts against the program's own, with and without a crash."""
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from support import EXAMPLES, WHATWIRE, Case

COUNTER = r"""
#include <mpi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
/* Counts every MPI call that has returned in a mapped file of its own, which SIGKILL leaves behind too. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, flag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "count.%d", rank);
  int fd = open(name, O_RDWR | O_CREAT, 0666);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
  volatile long* count = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  count[1] = getpid();
  for (;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    ++count[0];
    MPI_Request request[2];
    double in = 0, out = rank;
    MPI_Irecv(&in, 1, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, &request[0]);
    ++count[0];
    MPI_Isend(&out, 1, MPI_DOUBLE, rank, 3, MPI_COMM_WORLD, &request[1]);
    ++count[0];
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    ++count[0];
  }
}
"""


# Takes 96 MiB, keeps it for a while, and gives it back; prints what the system says of it then, and when it took most.
TAKER = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long private_bytes(void) {
  long size, resident, shared;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld %ld", &size, &resident, &shared) != 3) return -1;
  fclose(file);
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  usleep(60000);
  const long before = private_bytes();
  char* volatile taken = malloc(96 << 20);
  for (long i = 0; i < 96 << 20; i += 4096) ((volatile char*)taken)[i] = 1;
  usleep(60000);
  const long most = private_bytes();
  free(taken);
  usleep(60000);
  printf("%d %ld %ld %ld\n", rank, before, most, private_bytes());
  return MPI_Finalize();
}
"""


class Recording(Case):
    def test_memory_over_time_is_what_the_program_finds_itself(self):
        program = self.compile(TAKER, "taker")
        done = self.succeed("record", "-o", "m.ww", "--memory", "5", "--", "mpirun", "-n", "2", program)
        report = self.json_of("report", "m.ww", "--ask", "memory", "--ask", "values")
        curves = {value["name"]: {rank["rank"]: rank for rank in value["ranks"]} for value in report["values"]["values"]}
        memory = {rank["rank"]: rank for rank in report["memory"]["ranks"]}
        near = 2 << 20  # what MPI and the recorder take meanwhile
        for line in done.stdout.splitlines():
            rank, before, most, after = map(int, line.split())
            self.assertGreater(most - max(before, after), 90 << 20)
            curve = curves["memory: private"][rank]
            self.assertAlmostEqual(curve["most"], most, delta=near)
            self.assertAlmostEqual(curve["last"], after, delta=near)
            self.assertLessEqual(curve["least"], before + near)
            self.assertEqual(memory[rank]["private_most_bytes"], curve["most"])
            self.assertGreaterEqual(memory[rank]["peak_bytes"], most)
            for key in ("recorder_code_bytes", "recorder_data_bytes", "spools_resident_bytes", "spools_bytes"):
                self.assertTrue(0 < memory[rank][key] < 8 << 20, (key, memory[rank]))
            self.assertGreater(curve["count"], 2)
        self.assertFalse({"memory-not-sampled"} & {d["name"] for d in report["diagnostics"]})
        # Without it nothing is looked at while it runs, and what it took at most is told all the same.
        self.succeed("record", "-o", "n.ww", "--", "mpirun", "-n", "2", program)
        report = self.json_of("report", "n.ww", "--ask", "memory", "--ask", "values")
        self.assertEqual((report["values"]["values"], len(report["memory"]["ranks"])), ([], 2))
        self.assertGreater(report["memory"]["ranks"][0]["peak_bytes"], 96 << 20)

    def test_messages_equal_what_the_program_counted_and_otf2_print_reads_it(self):
        self.check_messages("openmpi", "mpirun.openmpi", EXAMPLES)

    def test_messages_of_mpich_equal_what_the_program_counted(self):
        self.check_messages("mpich", "mpirun.mpich", EXAMPLES / "mpich")

    def check_messages(self, mpi, launcher, programs):
        for name, arguments in (("cg", ["--solves", "2"]), ("transpose", ["--size", "64"]),
                                ("ring", ["--messages", "5", "--work", "10"]), ("heat", ["--nx", "30", "--ny", "41", "--steps", "20"])):
            done = self.succeed("record", "-o", f"{name}.ww", "--", launcher, "-n", "2", programs / name, *arguments)
            counted = re.findall(r"^rank \d+ sent (\d+) messages (\d+) bytes$", done.stdout, re.M)
            self.assertEqual(len(counted), 2, done.stdout)
            messages, sent_bytes = (sum(int(rank[i]) for rank in counted) for i in (0, 1))
            report = self.json_of("report", f"{name}.ww")
            self.assertEqual(sum(r["messages_sent"] for r in report["ranks"]), messages, name)
            self.assertEqual(sum(r["bytes_sent"] for r in report["ranks"]), sent_bytes, name)
            self.assertEqual(report["unmatched_sends"] + report["unmatched_receives"], 0, name)
            # one boot, one clock
            self.assertEqual(report["clock"], {"uncertainty_s": 0, "violations": 0, "violations_remaining": 0, "largest_shift_s": 0})
            printed = subprocess.run(["otf2-print", f"{name}.ww/traces.otf2"], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            sends = len(re.findall(r"^MPI_I?SEND ", printed.stdout, re.M))
            self.assertEqual(sends, messages, name)
            # what calls mean, as the recorder's table of calls has it
            defined = subprocess.run(["otf2-print", "-G", f"{name}.ww/traces.otf2"], cwd=self.dir, capture_output=True, text=True).stdout
            for call, meaning in (("MPI_Init", "frame begins"), ("MPI_Finalize", "frame ends"), ("MPI_Alltoall", "collective alltoall")):
                if f'"{call}"' in defined:
                    self.assertRegex(defined, rf'Name: "{call}".*Descr\.: "whatwire:call {meaning}"', name)
            self.assertIn("frame begins", defined)
            self.assertEqual(json.loads((self.dir / f"{name}.ww" / "run.json").read_text())["mpi"], mpi)

    def test_a_script_that_starts_a_program_of_the_other_mpi(self):
        """The program runs as without us, and what is missing is said."""
        for launcher, program, its_mpi in (("mpirun.mpich", EXAMPLES / "transpose", "Open MPI"),
                                           ("mpirun.openmpi", EXAMPLES / "mpich" / "transpose", "MPICH")):
            script = self.dir / "script.sh"
            script.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
            script.chmod(0o755)
            done = self.run_whatwire("record", "--", launcher, "-n", "1", script, "--size", "32")
            self.assertEqual(done.returncode, 1)
            self.assertIn("32 x 32 on 1 ranks", done.stdout)
            self.assertIn("verified", done.stdout)
            self.assertIn(f"the program uses {its_mpi}", done.stderr)
            self.assertEqual([p.name for p in self.dir.iterdir()], ["script.sh"])

    def test_each_ranks_time_adds_up(self):
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", EXAMPLES / "cg", "--solves", "2")
        for rank in self.json_of("report", "t.ww")["ranks"]:
            self.assertAlmostEqual(rank["elapsed_s"], rank["compute_s"] + rank["library_s"] + rank["blocked_s"], delta=2e-9)
            self.assertAlmostEqual(rank["blocked_s"], rank["blocked_algorithmic_s"] + rank["blocked_service_s"], delta=2e-9)

    def test_the_programs_exit_code_is_not_lost(self):
        program = self.compile("#include <mpi.h>\nint main(int c,char**v){MPI_Init(&c,&v);MPI_Finalize();return 3;}", "three")
        done = self.run_whatwire("record", "-o", "t.ww", "--json", "--", "mpirun", "-n", "1", program)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(json.loads(done.stdout)["exit_code"], 3)
        self.succeed("report", "t.ww")


DEADLOCK = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, number;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 7, &number, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  puts("stuck");
  fflush(stdout);
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}
"""

COUNTS_INTERRUPTS = """#!/usr/bin/env python3
import signal, time
count = 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print("ready", flush=True)
while count == 0:
    time.sleep(0.01)
time.sleep(0.1)
print("interrupts:", count, flush=True)
"""


class Interrupted(Case):
    """A program that hangs is ended with Ctrl-C, or by the batch system; what it did until then is the trace."""

    def interrupted_when(self, seen, times, how, *launch):
        """whatwire record on a terminal of its own, interrupted once `seen` was printed so often."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.execv(WHATWIRE, [WHATWIRE, "record", "-o", "t.ww", "--", *launch])
        said = b""
        asked = False
        while True:
            self.assertTrue(select.select([terminal], [], [], 60)[0], said)
            try:
                part = os.read(terminal, 65536)
            except OSError:  # its other end was closed
                break
            said += part
            if said.count(seen) >= times and not asked:
                asked = True
                how(pid, terminal)
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def check_deadlock(self, compiler, launcher, how):
        program = self.compile(DEADLOCK, "deadlock", compiler)
        code, said = self.interrupted_when(b"stuck", 2, how, launcher, "-n", "2", program)
        self.assertEqual(code, 130, said)
        self.assertIn("warning: interrupted", said)
        report = self.json_of("report", "t.ww")
        self.assertIn("interrupted", [d["name"] for d in report["diagnostics"]])
        self.assertEqual([rank["messages_received"] for rank in report["ranks"]], [1, 1])
        self.assertEqual(report["calls"]["MPI_Barrier"]["count"], 2)

    def test_by_control_c(self):
        self.check_deadlock("OPENMPI_CC", "mpirun.openmpi", lambda pid, terminal: os.write(terminal, b"\x03"))

    def test_by_the_batch_system(self):
        self.check_deadlock("OPENMPI_CC", "mpirun.openmpi", lambda pid, terminal: os.kill(pid, signal.SIGTERM))

    def test_by_control_c_under_mpich(self):
        self.check_deadlock("CC_OF_MPICH", "mpirun.mpich", lambda pid, terminal: os.write(terminal, b"\x03"))

    def test_the_launcher_gets_one_interrupt(self):
        """Of two, Open MPI aborts at once and leaves the ranks behind. A second one comes through only if the first was
        taken already, which was one time in five while Ctrl-C was passed on: hence often."""
        script = self.dir / "counts"
        script.write_text(COUNTS_INTERRUPTS)
        script.chmod(0o755)
        for how in [lambda pid, terminal: os.write(terminal, b"\x03")] * 15 + [lambda pid, terminal: os.kill(pid, signal.SIGINT)]:
            code, said = self.interrupted_when(b"ready", 1, how, "./counts")
            self.assertIn("interrupts: 1\r", said)
            self.assertIn("interrupted before the program entered MPI_Init", said)
            self.assertEqual(code, 130)
            self.assertFalse((self.dir / "t.ww").exists())


class Killed(Case):
    """SIGKILL at a random moment, ten times: every call that had returned is in the trace."""

    def test_every_call_that_returned_is_there(self):
        program = self.dir / self.compile(COUNTER, "counter")
        # One runs at a time; several end, which takes Open MPI seconds.
        self.running = threading.Lock()
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda attempt: self.kill(program, attempt), range(10)))

    def kill(self, program, attempt):
        place = self.dir / str(attempt)
        place.mkdir()
        counters = [place / f"count.{rank}" for rank in (0, 1)]
        with self.running:
            recorder = subprocess.Popen([WHATWIRE, "record", "-o", "k.ww", "--", "mpirun", "-n", "2", program], cwd=place,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.time() + 20
            while time.time() < deadline and not all(c.exists() and c.stat().st_size and self.read(c)[0] > 100 for c in counters):
                time.sleep(0.002)
            time.sleep(0.03 * int.from_bytes(os.urandom(2), "big") / 65536)
            os.kill(self.read(counters[attempt % 2])[1], signal.SIGKILL)
        recorder.wait(timeout=60)
        report = self.json_of("report", str(place / "k.ww"))
        self.assertIn("rank-ended-early", [d["name"] for d in report["diagnostics"]])
        kinds = ("MPI_Iprobe", "MPI_Irecv", "MPI_Isend", "MPI_Waitall")
        recorded = sum(report["calls"][kind]["count"] for kind in kinds)
        returned = sum(self.read(c)[0] for c in counters)
        self.assertGreaterEqual(recorded, returned, f"attempt {attempt}")
        self.assertLessEqual(recorded, returned + 2, f"attempt {attempt}: at most one call a rank was not counted yet")

    @staticmethod
    def read(path):
        return struct.unpack("qq", path.read_bytes()[:16])
