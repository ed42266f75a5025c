"""The nine system tests of S5 (its section 4.2), as ours. Each says which it is and what its items became here: nodes are ranks, the
preprocessors `whatwire instrument` and the preloaded recorder, the translator `whatwire export` and `convert`, Seecube the questions
of `whatwire report` and the viewer, whose own tests of displays are web/test/displays_test.py."""
import csv
import json
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.request
from collections import Counter
from pathlib import Path

from instrumenting import HAS_CLANG
from support import EXAMPLES, WHATWIRE, Case

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pvm"))
from machine import Machine  # noqa: E402

INCLUDE = HERE.parents[1] / "include" / "whatwire"
BUILD = Path(os.environ["BUILD"])

# Test 1 with a hundredth of its seconds: ten messages, one every 20 ms; the other waits 400 ms and takes one every 20 ms.
FLOW = r"""
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static void pause_s(double s) { struct timespec t = {(time_t)s, (long)((s - (time_t)s) * 1e9)}; nanosleep(&t, 0); }
int main(int argc, char** argv) {
  int rank, i, token;
  double at[10];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 1) pause_s(0.4);
  for (i = 0; i < 10; ++i) {
    at[i] = MPI_Wtime() - begin;
    if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    else MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pause_s(0.02);
  }
  MPI_Finalize();
  for (i = 0; i < 10; ++i) printf("%d %d %.6f\n", rank, i, at[i]);
  return 0;
}
"""

# Test 3: a thousand messages to others; each line says when it began to send, by the clock that MPI_Init ended on.
THOUSAND = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, i, token;
  static double at[1000];
  MPI_Init(&argc, &argv);
  const double begin = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 1000; ++i) {
    const int to = 1 + i % 2;
    const double until = MPI_Wtime() + 0.0005;
    if (rank == 0) { while (MPI_Wtime() < until) {} }
    at[i] = MPI_Wtime() - begin;
    if (rank == 0) MPI_Send(&i, 1, MPI_INT, to, i, MPI_COMM_WORLD);
    if (rank == to) MPI_Recv(&token, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  if (rank == 0) for (i = 0; i < 1000; ++i) printf("%.9f\n", at[i]);
  return 0;
}
"""

# Test 7: every routine of whatwire/marker.h but ww_dilate, which is of tests/e2e/dilating.py. What is said while paused is not recorded.
MARKERS = r"""
#include <mpi.h>
#include <whatwire/marker.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    ww_region_begin("solving");
    ww_marker("turn");
    ww_value_double("double", 1.0 / (i + 1 + rank));
    ww_value_float("float", 0.5f * i);
    ww_value_long("long", i * 10000000000L);
    ww_value_int("int", -i);
    ww_value_short("short", (short)(300 * i));
    ww_value_char("char", (char)('a' + i));
    ww_region_end("solving");
    ww_pause();
    ww_marker("unheard");
    ww_resume();
  }
  OTHERS
  MPI_Finalize();
  return 0;
}
"""
MARKERS_OF_FORTRAN = """
program markers
  use mpi
  use whatwire
  implicit none
  integer :: rank, error, i
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  do i = 0, 4
    call ww_region_begin('solving')
    call ww_marker('turn')
    call ww_value_double('double', 1d0 / (i + 1 + rank))
    call ww_value_float('float', 0.5 * i)
    call ww_value_long('long', i * 10000000000_8)
    call ww_value_int('int', -i)
    call ww_value_short('short', int(300 * i, 2))
    call ww_value_char('char', achar(97 + i))
    call ww_region_end('solving')
    call ww_pause()
    call ww_marker('unheard')
    call ww_resume()
  end do
  call mpi_finalize(error)
end program
"""
VALUES = {"double": lambda rank, i: 1 / (i + 1 + rank), "float": lambda rank, i: 0.5 * i, "long": lambda rank, i: i * 10**10,
          "int": lambda rank, i: -i, "short": lambda rank, i: 300 * i, "char": lambda rank, i: 97 + i}

# Test 8: a ring over all, and pairs of neighbours, two of whom are on one host.
PATTERN = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, size, i, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (i = 0; i < 7; ++i)
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (i = 0; i < 4; ++i)
    MPI_Sendrecv_replace(&token, 1, MPI_INT, rank ^ 1, 2, rank ^ 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""


class SystemOfS5(Case):
    def rows(self, trace, form):
        self.succeed("export", trace, "--to", form, "-o", "rows.csv")
        with open(self.dir / "rows.csv") as file:
            return list(csv.DictReader(file))

    def built(self, name, source, compiler="OPENMPI_CC", *flags):
        """With the library of markers, so that it runs without the recorder, too."""
        path = self.dir / name
        path.write_text(source)
        program = path.with_suffix("")
        module = [INCLUDE / "whatwire.f90"] if compiler == "OPENMPI_FC" else []
        subprocess.run([os.environ[compiler], "-O1", "-g", f"-I{INCLUDE.parent}", *module, path, "-o", program, f"-L{BUILD}/lib", "-lwhatwire-marker", *flags],
                       check=True, cwd=self.dir)
        return program

    def test_1_flow_and_timing_of_messages(self):
        done = self.succeed("record", "-o", "flow.ww", "--", "mpirun", "--oversubscribe", "-n", "2", self.compile(FLOW, "flow"))
        said = {(int(rank), int(i)): float(at) for rank, i, at in re.findall(r"^(\d) (\d) (\S+)$", done.stdout, re.M)}
        messages = sorted(self.rows("flow.ww", "csv-messages"), key=lambda one: float(one["send_enter_s"]))
        self.assertEqual(len(messages), 10)
        sent, taken = ([float(one[key]) for one in messages] for key in ("send_enter_s", "receive_enter_s"))
        for times, rank in ((sent, 0), (taken, 1)):  # as the program's own clock has them
            for i in range(10):
                self.assertAlmostEqual(times[i] - times[0], said[rank, i] - said[rank, 0], delta=2e-3)
        init_s = max(float(call["leave_s"]) for call in self.rows("flow.ww", "csv") if call["call"] == "MPI_Init")  # where the report's time begins
        for count, at in ((4, (sent[3] + sent[4]) / 2), (10, (sent[9] + taken[0]) / 2), (7, (taken[2] + taken[3]) / 2)):
            waiting = self.json_of("report", "flow.ww", "--at", f"{at - init_s:.9f}")["queues"]["at"]["messages"]
            self.assertEqual([one["destination"] for one in waiting], [1] * count, at)
        queue = self.json_of("report", "flow.ww", "--ask", "queues")["queues"]["ranks"][1]
        self.assertEqual((queue["messages"], queue["waiting"]["maximum"]), (10, 10))

    # Test 2, of paths: web/test/displays_test.py, where the viewer shows them.

    def test_3_start_within_the_run_and_4_validity_of_times(self):
        command = ["mpirun", "--oversubscribe", "-n", "3", self.compile(THOUSAND, "thousand")]
        self.succeed("init", "--set", "record.start=0.25", "--set", "record.output=late.ww", "--", *command)
        done = self.succeed("record", "--config", "whatwire.toml")
        said = [float(line) for line in re.findall(r"^(\d\.\d{9})$", done.stdout, re.M)]
        self.assertEqual(len(said), 1000)
        messages = sorted(self.rows("late.ww", "csv-messages"), key=lambda one: int(one["tag"]))
        tags = [int(one["tag"]) for one in messages]
        self.assertTrue(0 < tags[0] < 999, tags[0])  # within the run
        for rank in (1, 2):  # each begins when its own MPI_Init is so long ago; of both all that follow
            own = [tag for tag in tags if 1 + tag % 2 == rank]
            self.assertEqual(own, list(range(own[0], 1000, 2)))
        self.assertGreater(said[tags[0]], 0.245)  # the first of them, by the program's own clock, which began a little after MPI_Init's end
        self.assertLess(said[tags[0] - 1], 0.3)
        for one in messages:
            self.assertEqual((int(one["source"]), int(one["destination"])), (0, 1 + int(one["tag"]) % 2))
            self.assertLess(float(one["send_enter_s"]), float(one["receive_leave_s"]), one)  # 4: none is there before it was sent
        report = self.json_of("report", "late.ww")
        self.assertEqual(report["clock"]["violations"], 0)

    def test_5_records_of_every_kind_through_the_translator(self):
        others = """int token = rank; MPI_Request r;
  MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Sendrecv_replace(&token, 1, MPI_INT, 1 - rank, i, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);"""
        program = self.built("kinds.c", MARKERS.replace("OTHERS", others))
        self.succeed("record", "-o", "kinds.ww", "--", "mpirun", "-n", "2", program)
        exported = self.succeed("export", "kinds.ww", "--to", "prase", "-o", "prase")
        self.assertIn("no-place-in-format", exported.stderr)  # what is not pertinent is said, and does not stop it
        human = self.succeed("convert", "prase", "--to", "seecube").stdout.splitlines()
        self.assertEqual(Counter(line.split()[5] for line in human if line.split()[5] in ("wb", "we", "rb", "re")), {kind: 6 for kind in ("wb", "we", "rb", "re")})
        self.succeed("import", "prase", "-o", "again.ww")
        ends = [sorted((one["source"], one["destination"], one["bytes"]) for one in self.rows(trace, "csv-messages")) for trace in ("kinds.ww", "again.ww")]
        self.assertEqual(len(ends[0]), 6)
        self.assertEqual(ends[0], ends[1])

    @unittest.skipUnless(HAS_CLANG, "built without Clang's library")
    def test_6_code_of_others(self):
        """Debian's examples of PVM, in C through `whatwire instrument`, and in Fortran, compiled with -finstrument-functions."""
        subprocess.run(["tar", "xzf", "/usr/share/doc/pvm-examples/examples.tar.gz", "-C", self.dir], check=True)
        examples = self.dir / "examples"
        before = (examples / "gexample.c").read_bytes()
        self.succeed("instrument", "--functions", "*", "-o", "copy", examples / "gexample.c")
        self.assertEqual((examples / "gexample.c").read_bytes(), before)
        subprocess.run([os.environ["CC"], "-w", "-O1", "-o", self.dir / "gexample", self.dir / "copy" / "gexample.c", f"-L{BUILD}/lib", "-lwhatwire-marker",
                        "-lgpvm3", "-lpvm3"], check=True)
        subprocess.run(["gfortran", "-w", "-std=legacy", "-O1", "-g", "-finstrument-functions", "-I/usr/include", "-o", self.dir / "fgexample",
                        examples / "gexample.f", "-lfpvm3", "-lgpvm3", "-lpvm3"], check=True)
        with Machine(str(self.dir)) as machine:
            for name, other in (("gexample", "/usr/bin/gexample"), ("fgexample", "/usr/bin/fgexample")):
                runs = []
                for command in ([other], [WHATWIRE, "record", "--functions", "*", "-o", f"{name}.ww", "--", self.dir / name]):
                    done = subprocess.run(command, env=machine.environment, input="6\n" * 4, capture_output=True, text=True, timeout=100, cwd=self.dir)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    runs.append(done.stdout)
                self.assertEqual(runs[0], runs[1])
                regions = [region["region"] for region in self.json_of("report", f"{name}.ww", "--by", "region")["regions"]]
                self.assertIn("main" if name == "gexample" else "MAIN__", regions)

    def markers_are_right(self, trace):
        rows = self.rows(trace, "csv-user")
        for rank in range(2):
            own = [row for row in rows if int(row["rank"]) == rank]
            self.assertEqual([row["name"] for row in own if row["kind"] == "region"], ["solving"] * 5)
            self.assertEqual([row["name"] for row in own if row["kind"] == "marker"], ["turn", "recording paused", "recording resumed"] * 5)
            for name, value in VALUES.items():
                self.assertEqual([float(row["value"]) for row in own if row["kind"] == "value" and row["name"] == name], [value(rank, i) for i in range(5)], name)

    def test_7_markers_of_c_and_fortran(self):
        for name, source, compiler in (("c.c", MARKERS.replace("OTHERS", ""), "OPENMPI_CC"), ("f.f90", MARKERS_OF_FORTRAN, "OPENMPI_FC")):
            trace = name[0] + ".ww"
            self.succeed("record", "-o", trace, "--", "mpirun", "-n", "2", self.built(name, source, compiler))
            self.markers_are_right(trace)

    def test_8_several_processes_on_a_node(self):
        """Two ranks on each of two hosts of a lab: what stays within a host, and what goes over the wire."""
        self.succeed("lab", "up", "--hosts", "2", "--rate", "100Mb/s", "--name", "s5")
        try:
            self.succeed("record", "--lab", "s5", "-o", "hosts.ww", "--", "mpirun", "--npernode", "2", "--oversubscribe", "-n", "4", self.compile(PATTERN, "pattern"))
        finally:
            self.succeed("lab", "down", "--name", "s5")
        report = self.json_of("report", "hosts.ww")
        host = {rank["rank"]: rank["host"] for rank in report["ranks"]}
        self.assertEqual(sorted(Counter(host.values()).values()), [2, 2])
        seen = Counter((int(one["source"]), int(one["destination"]), int(one["tag"])) for one in self.rows("hosts.ww", "csv-messages"))
        self.assertEqual(seen, {**{(rank, (rank + 1) % 4, 1): 7 for rank in range(4)}, **{(rank, rank ^ 1, 2): 4 for rank in range(4)}})
        within = sum(count for (source, to, _), count in seen.items() if host[source] == host[to])
        self.assertEqual((host[0], host[2]), (host[1], host[3]))
        self.assertEqual((within, sum(seen.values()) - within), (4 * 4 + 2 * 7, 2 * 7))

    def test_9_from_the_program_to_the_display(self):
        """Compiled, recorded, and what the page asks for: the same numbers as those that the program prints."""
        run = self.succeed("record", "-o", "r.ww", "--", "mpirun", "--oversubscribe", "-n", "4", EXAMPLES / "ring", "--messages", "20", "--length", "500")
        sent = sum(int(count) for count in re.findall(r"^rank \d+ sent (\d+) messages", run.stdout, re.M))
        server = subprocess.Popen([WHATWIRE, "view", "--no-browser", "--json", "r.ww"], cwd=self.dir, stdout=subprocess.PIPE, text=True)
        try:
            served = json.loads(server.stdout.readline())
            url = served["url"]
            with urllib.request.urlopen(url, timeout=30) as page:
                self.assertIn("<title>", page.read().decode())
            end = time.monotonic() + 60
            while True:
                with urllib.request.urlopen(url + "data/traces", timeout=30) as answer:
                    entry = json.load(answer)["traces"][0]
                if entry.get("state", "ready") != "loading" or time.monotonic() > end:
                    break
                time.sleep(0.1)
            with urllib.request.urlopen(url + "data/0/trace", timeout=60) as answer:
                facts = json.load(answer)
            self.assertEqual((facts["messages"], len(facts["ranks"])), (sent, 4))
        finally:
            server.terminate()
            server.communicate(timeout=30)
