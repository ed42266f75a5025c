"""Functions of programs compiled with -finstrument-functions. What is expected the program says itself: it counts its own calls."""
import os
import subprocess

from support import Case

CPP = r"""
#include <mpi.h>
#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <vector>
static long steps, inners, throwers, tinies, mains;
namespace nas {
template <class T>
struct Grid {
  std::vector<T> v = std::vector<T>(4000);
  __attribute__((noinline)) void step(int k) {
    ++steps;
    for (auto& x : v) x = x * 0.5 + k;
  }
};
__attribute__((noinline)) void solve_inner(Grid<double>& g, int k) {
  ++inners;
  g.step(k);
}
__attribute__((noinline)) void solve(int n) {
  Grid<double> g;
  for (int k = 0; k < n; ++k) solve_inner(g, k);
}
}
__attribute__((noinline)) int tiny(int x) {
  ++tinies;
  return x + 1;
}
__attribute__((noinline)) void thrower(int i) {
  ++throwers;
  if (i % 2) throw std::runtime_error("odd");
}
static std::jmp_buf back;
__attribute__((noinline)) void jumper(int i) {
  if (i % 3 == 0) std::longjmp(back, 1);
}
__attribute__((noinline)) void round(int r) {
  nas::solve(10);
  try {
    thrower(r);
  } catch (const std::runtime_error&) {
  }
  if (setjmp(back) == 0) jumper(r);
  double one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int argc, char** argv) {
  int t = 0, rank = 0;
  const int many = argc > 1 ? 2000000 : 100;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int r = 0; r < 30; ++r) round(r);
  for (int i = 0; i < many; ++i) t = tiny(t);
  MPI_Finalize();
  if (rank == 0) std::printf("%ld %ld %ld %ld %d\n", steps, inners, throwers, tinies, t);
}
"""

FORTRAN = r"""
module grid
contains
  subroutine step(x)
    real(8), intent(inout) :: x(:)
    x = x * 0.5d0 + 1
  end subroutine
end module
subroutine solve(x, n)
  use grid
  integer, intent(in) :: n
  real(8), intent(inout) :: x(*)
  call step(x(1:n))
end subroutine
program p
  use mpi
  real(8) :: x(1000)
  integer :: i, error
  x = 0
  call mpi_init(error)
  do i = 1, 25
    call solve(x, 1000)
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
end program
"""


# Recursion deeper than is followed, and threads that meet new functions while MPI ends, by hundreds of them.
HARD = """
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink, done;
__attribute__((noinline)) int deep(int n) { return n == 0 ? 0 : deep(n - 1) + 1; }
__attribute__((noinline)) void handler(int s) { sink = s; }
%(functions)s
static void (*const all[])(void) = {%(names)s};
static void* meet(void* from) {
  for (long i = (long)from; !done || i < (long)(sizeof all / sizeof all[0]); i = (i + 1) %% (long)(sizeof all / sizeof all[0])) {
    all[i]();
    if (done) break;
  }
  return 0;
}
int main(int argc, char** argv) {
  pthread_t threads[4];
  MPI_Init(&argc, &argv);
  signal(SIGALRM, handler);
  ualarm(500, 500);
  for (long t = 0; t < 4; ++t) pthread_create(&threads[t], 0, meet, (void*)(t * 100));
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) { all[i](); _exit(deep(10) == 10 ? 0 : 1); }
    int status = 1;
    while (waitpid(child, &status, 0) < 0) {}
    if (status != 0) return 9;
  }
  const int reached = deep(6000);
  MPI_Finalize();
  done = 1;
  for (int t = 0; t < 4; ++t) pthread_join(threads[t], 0);
  printf("%%d\\n", reached);
  return 0;
}
""" % {"functions": "\n".join(f"__attribute__((noinline)) void f{i}(void) {{ sink = {i}; }}" for i in range(400)), "names": ", ".join(f"f{i}" for i in range(400))}


class Functions(Case):
    def built(self, source, name, compiler="OPENMPI_CXX", *flags):
        path = self.dir / name
        path.write_text(source)
        program = path.stem
        subprocess.run([os.environ[compiler], "-O1", "-g", "-finstrument-functions", "-o", self.dir / program, path, *flags], check=True)
        return f"./{program}"

    def record(self, program, *options, more=()):
        done = self.succeed("record", "-o", "t.ww", *options, "--", "mpirun", "-n", "2", program, *more, timeout=60)
        report = self.json_of("report", "t.ww", "--by", "region", "--ask", "functions")
        return done.stdout, report, {d["name"]: d["count"] for d in report["diagnostics"]}

    def test_those_that_are_asked_for_are_regions(self):
        program = self.built(CPP, "app.cpp")
        said, report, diagnostics = self.record(program, "--functions", "solve*,Grid::*,nas::Grid::*,thrower,jumper,round,!*_inner")
        steps, inners, throwers, _, _ = map(int, said.split())
        self.assertEqual((steps, inners, throwers), (300, 300, 30))
        visits = {r["region"]: r["visits"] for r in report["regions"]}
        self.assertEqual(visits.pop("nas::Grid::step"), 2 * steps)
        self.assertEqual((visits["nas::solve"], visits["thrower"], visits["jumper"], visits["round"]), (60, 2 * throwers, 60, 60))
        self.assertNotIn("nas::solve_inner", visits)
        self.assertNotIn("tiny", visits)
        paths = {r["region"]: {tuple(path["within"]) for path in r["paths"]} for r in report["regions"]}
        self.assertEqual(paths["nas::Grid::step"], {("round", "nas::solve")}, "nested as the calls are, without what is left out")
        self.assertFalse({"region-out-of-order", "region-left-open", "region-not-open", "functions-thinned"} & diagnostics.keys(), diagnostics)
        # Its calls of MPI lie in the functions that make them.
        around = next(r for r in report["regions"] if r["region"] == "round")
        self.assertGreater(around["library_s"] + around["blocked_algorithmic_s"] + around["blocked_service_s"], 0)

    def test_the_program_is_what_it_was(self):
        program = self.built(CPP, "app.cpp")
        plain = subprocess.run(["mpirun", "-n", "2", program], cwd=self.dir, capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.record(program, "--functions", "*")[0], plain)
        said, report, diagnostics = self.record(program)
        self.assertEqual((said, report.get("regions", []), report["functions"]["functions"]), (plain, [], []))
        self.assertFalse({"no-function-seen", "no-function-wanted"} & diagnostics.keys(), "nobody asked for any")

    def test_a_first_run_says_which_are_worth_it_and_a_second_records_them(self):
        program = self.built(CPP, "app.cpp")
        said, report, diagnostics = self.record(program, "--count-functions", "*,!std::*,!__gnu_cxx::*", more=["many"])
        steps, inners, throwers, tinies, _ = map(int, said.split())
        counted = {f["function"]: f for f in report["functions"]["functions"]}
        for name, calls in {"nas::Grid::step": steps, "nas::solve_inner": inners, "thrower": throwers, "tiny": tinies}.items():
            self.assertEqual(counted[name]["calls"], 2 * calls, name)
            self.assertEqual(counted[name]["recorded"], 0, name)
        self.assertEqual((report.get("regions", []), report["functions"]["only_counted"]), ([], True))
        self.assertNotIn("functions-thinned", diagnostics)
        for one in counted.values():
            self.assertLessEqual(one["own_s"], one["all_s"] * 1.000001, one)
        self.assertGreaterEqual(counted["round"]["all_s"], counted["nas::solve"]["all_s"])
        worth = report["functions"]["worth_recording"]
        self.assertIn("nas::Grid::step", worth)
        self.assertNotIn("tiny", worth, "a million calls of some nanoseconds")
        text = self.succeed("report", "t.ww", "--ask", "functions").stdout
        line = next(line for line in text.splitlines() if line.startswith("whatwire record --functions "))
        chosen = line.removeprefix("whatwire record --functions ").removesuffix(" -- ...").strip("'")
        _, report, _ = self.record(program, "--functions", chosen, more=["many"])
        self.assertEqual({r["region"] for r in report["regions"]}, set(worth))

    def test_of_one_that_is_called_all_the_time_some_are_recorded_and_it_is_said(self):
        program = self.built(CPP, "app.cpp")
        said, report, diagnostics = self.record(program, "--functions", "tiny,round", more=["many"])
        tinies = int(said.split()[3])
        counted = {f["function"]: f for f in report["functions"]["functions"]}
        self.assertEqual(counted["tiny"]["calls"], 2 * tinies)
        self.assertTrue(counted["tiny"]["thinned"])
        self.assertFalse(counted["round"]["thinned"])
        self.assertLess(counted["tiny"]["recorded"], tinies)
        visits = {r["region"]: r["visits"] for r in report["regions"]}
        self.assertEqual(visits, {"tiny": counted["tiny"]["recorded"], "round": 60})
        self.assertIn("functions-thinned", diagnostics)

    def test_what_can_not_be_seen_is_said(self):
        program = self.built(CPP, "app.cpp")
        self.assertEqual(self.record(program, "--functions", "nothing_like_it")[2].get("no-function-wanted"), 2)
        plain = self.compile("#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); return MPI_Finalize(); }", "plain")
        self.assertEqual(self.record(plain, "--functions", "*")[2].get("no-function-seen"), 2)
        done = self.run_whatwire("record", "--functions", "a", "--count-functions", "b", "--", "mpirun", "-n", "2", plain)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(self.run_whatwire("record", "--functions", "", "--", "mpirun", "-n", "2", plain).returncode, 2)

    def test_fortran_and_what_is_stripped(self):
        program = self.built(FORTRAN, "app.f90", "OPENMPI_FC")
        _, report, _ = self.record(program, "--functions", "solve,grid::*")
        self.assertEqual({r["region"]: r["visits"] for r in report["regions"]}, {"solve_": 50, "grid::step": 50})
        subprocess.run(["strip", program], cwd=self.dir, check=True)
        _, report, _ = self.record(program, "--functions", "*")
        names = [r["region"] for r in report["regions"]]
        self.assertTrue(names and all("+0x" in name for name in names), names)

    def test_depth_threads_forks_and_signals(self):
        program = self.built(HARD, "hard.c", "OPENMPI_CC", "-lpthread")
        for way in ("--functions", "--count-functions"):
            said, report, diagnostics = self.record(program, way, "*")
            self.assertEqual(said.split(), ["6000"] * 2)
            counted = {f["function"]: f["calls"] for f in report["functions"]["functions"]}
            self.assertEqual(counted["deep"], 2 * 6001, "beyond what is followed too; of the children nothing")
            self.assertNotIn("handler", counted, "it can interrupt a thread anywhere")

    def test_mpich(self):
        program = self.built("#include <mpi.h>\nvoid step(void) { MPI_Barrier(MPI_COMM_WORLD); }\n"
                             "int main(int c, char** v) { MPI_Init(&c, &v); for (int i = 0; i < 9; ++i) step(); return MPI_Finalize(); }",
                             "app.c", "CC_OF_MPICH")
        self.succeed("record", "-o", "m.ww", "--functions", "*", "--", "mpirun.mpich", "-n", "2", program)
        report = self.json_of("report", "m.ww", "--by", "region")
        self.assertEqual({r["region"]: r["visits"] for r in report["regions"]}, {"main": 2, "step": 18})
