"""Functions of programs compiled with -finstrument-functions, and with -fpatchable-function-entry. What is expected the program says itself: it counts its own calls."""
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
    T* const x = v.data();
    for (int again = 0; again < 16; ++again)
      for (int i = 0; i < 4000; ++i) x[i] = x[i] * 0.5 + k / (1 + x[i] * x[i]);
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
    how = "-finstrument-functions"

    def built(self, source, name, compiler="OPENMPI_CXX", *flags):
        path = self.dir / name
        path.write_text(source)
        program = path.stem
        subprocess.run([os.environ[compiler], "-O1", "-g", self.how, "-o", self.dir / program, path, *flags], check=True)
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


# What a function that is seen must leave as it was: arguments and results of all kinds, in registers and on the stack; frames that exceptions,
# jumps, the end of a thread and a backtrace pass; functions that end in a jump to another; handlers at any instant.
UNCHANGED = r"""
#include <mpi.h>
#include <execinfo.h>
#include <immintrin.h>
#include <pthread.h>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <unistd.h>
#define SEEN __attribute__((noinline))
struct Large { double of[9]; };
struct Pair { long one, two; };
SEEN double many(int a, int b, int c, int d, int e, int f, int g, double h, long double i, const char* j) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + h + (double)i + j[0]; }
SEEN long double extended(long double x) { return x * 1.5L + 1; }
SEEN Large large(int i) { Large made; for (int k = 0; k < 9; ++k) made.of[k] = i * k; return made; }
SEEN Pair pair(long x) { return {x, x + 1}; }
SEEN double any(int n, ...) { va_list list; va_start(list, n); double sum = 0; while (n-- > 0) sum += va_arg(list, double); va_end(list); return sum; }
SEEN int last(int x) { return x * 3; }
SEEN int next_to_last(int x) { return last(x + 1); }
static SEEN int registers(int x) { return x + 1; }
SEEN long keeps_registers(int n) { long sum = 0; for (int i = 0; i < n; ++i) { const long own = i * 7L; sum += registers(i) + own; } return sum; }
__attribute__((target("avx"), noinline)) __m256d wide(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
__attribute__((target("avx"), noinline)) double widely() {
  __m256d x = _mm256_set_pd(1, 2, 3, 4);
  for (int i = 0; i < 10; ++i) x = wide(x, x);
  double out[4];
  _mm256_storeu_pd(out, x);
  return out[0] + 10 * out[1] + 100 * out[2] + 1000 * out[3];
}
struct Counted { int& n; ~Counted() { ++n; } };
static int unwound = 0;
SEEN void throws(int i) { if (i % 2) throw std::runtime_error("odd"); }
SEEN void passes(int i) { Counted counted{unwound}; throws(i); }
SEEN int catches(int i) { try { passes(i); return 1; } catch (const std::runtime_error&) { return 2; } }
static std::jmp_buf back;
SEEN void jumps(int i) { if (i % 3 == 0) std::longjmp(back, 1); }
SEEN int frames() { void* list[64]; return backtrace(list, 64); }
static volatile int handled = 0;
SEEN void in_handler() { ++handled; }
SEEN void handler(int) { in_handler(); }
SEEN void waits() { for (;;) { pthread_testcancel(); usleep(100); } }
static SEEN void* thread(void*) { waits(); return nullptr; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::signal(SIGALRM, handler);
  ualarm(300, 300);
  const bool is_wide = __builtin_cpu_supports("avx");
  double sum = 0;
  int caught = 0;
  for (int i = 0; i < 20000; ++i) {
    sum += many(1, 2, 3, 4, 5, 6, i, 1.5, 4.5L, "a") + (double)extended(i) + large(i).of[8] + any(3, 1.0, 2.0, (double)i) + next_to_last(i) + keeps_registers(5);
    const Pair two = pair(i);
    sum += two.one * two.two;
    if (is_wide) sum += widely();
  }
  for (int i = 0; i < 2000; ++i) {
    caught += catches(i);
    if (setjmp(back) == 0) jumps(i);
  }
  const int depth = frames();
  pthread_t other;
  void* ended = nullptr;
  pthread_create(&other, nullptr, thread, nullptr);
  usleep(2000);
  pthread_cancel(other);
  pthread_join(other, &ended);
  ualarm(0, 0);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%.17g %d %d %d %d %d\n", sum, caught, unwound, depth > 0, ended == PTHREAD_CANCELED, handled > 0);
  return MPI_Finalize();
}
"""


class PatchedFunctions(Functions):
    """The same, where the compiler left bytes for a call that the recorder makes of them; of functions that are not wanted nothing is changed."""
    how = "-fpatchable-function-entry=5"

    def unchanged(self, *flags):
        program = self.built(UNCHANGED, "unchanged.cpp", "OPENMPI_CXX", "-lpthread", *flags)
        plain = subprocess.run(["mpirun", "-n", "2", program], cwd=self.dir, capture_output=True, text=True, check=True).stdout
        self.assertEqual(plain.split()[1:], ["3000", "2000", "1", "1", "1"], "from the loops above")
        said, report, diagnostics = self.record(program, "--functions", "*")
        self.assertEqual(said, plain)
        self.assertNotIn("functions-not-patched", diagnostics)
        counted = {f["function"]: f["calls"] for f in report["functions"]["functions"]}
        for name, calls in {"main": 1, "many": 20000, "registers": 100000, "next_to_last": 20000, "last": 20000, "catches": 2000, "throws": 2000, "jumps": 2000, "waits": 1}.items():
            self.assertEqual(counted[name], 2 * calls, name)
        self.assertFalse({"handler", "in_handler"} & counted.keys())
        paths = {r["region"]: {tuple(path["within"]) for path in r["paths"]} for r in report["regions"]}
        self.assertEqual((paths["throws"], paths["last"]), ({("main", "catches", "passes")}, {("main", "next_to_last")}))

    def test_what_functions_take_and_give_stays(self):
        self.unchanged("-O2")

    def test_at_a_fixed_address_and_with_another_unwinder(self):
        self.unchanged("-O3", "-no-pie", "-fno-pie", "-fcf-protection=none", "-static-libgcc", "-static-libstdc++")

    def test_bytes_that_cannot_take_a_call_are_said(self):
        self.how = "-fpatchable-function-entry=2"
        program = self.built(CPP, "app.cpp")
        _, report, diagnostics = self.record(program, "--functions", "nas::solve,round")
        self.assertEqual((report.get("regions", []), diagnostics.get("functions-not-patched")), ([], 4))
        self.how = "-fpatchable-function-entry=9,2"
        program = self.built(CPP, "app.cpp")
        _, report, diagnostics = self.record(program, "--functions", "nas::solve,round")
        self.assertEqual({r["region"]: r["visits"] for r in report["regions"]}, {"nas::solve": 60, "round": 60}, "two of its bytes are before the function")
        self.assertNotIn("functions-not-patched", diagnostics)
