"""`whatwire instrument`: copies mean what their sources mean, and say besides what they were asked to say. What is expected of values is
what the program itself prints as it assigns them, of regions how often it says that a function was entered."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import EXAMPLES, WHATWIRE, Case

BUILD = pathlib.Path(os.environ["BUILD"])
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "examples"
HAS_CLANG = (BUILD / "libexec" / "whatwire" / "whatwire-instrument").exists()
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror", "-DOMPI_SKIP_MPICXX"]
COMPILERS = {".c": "OPENMPI_CC", ".cpp": "OPENMPI_CXX"}

# Each line "name value" that it prints is an assignment to a variable of that name; "enter NAME" a function that is entered.
VALUES_C = r"""
#include <mpi.h>
#include <stdio.h>
#define X(i, j) x[(i) * 2 + (j)]
#define HALVE residual = residual / 2
#define TOLD(name, value) printf("%s %.17g\n", name, (double)(value))
struct point { double x, y; unsigned bits : 3; struct point* next; };
enum colour { red, green = 7 };
static double residual;
static unsigned long long all = 0;

static double norm(const double* x, int n) {
  double residual = 0;  /* another of that name */
  int i;
  TOLD("residual@norm", residual);
  for (i = 0; i < n; ++i) { residual += x[i] * x[i]; TOLD("residual@norm", residual); }
  return residual;
}

static double solve(double* x, int n, struct point* p) {
  float f = 0.1f;
  unsigned char c = 250;
  enum colour colour = red;
  int k;
  TOLD("f", f); TOLD("c", c); TOLD("colour", colour);
  for (k = 0; k < n; k++) {
    x[k] = k + 0.5; TOLD("x[k]", x[k]);
    if (k == 2) TOLD("x[2]", x[2]);
    c += 3; TOLD("c", c);
  }
  X(1, 0) = 7; TOLD("X(1,0)", x[2]);
  residual = norm(x, n); TOLD("residual@solve", residual);
  while ((residual -= 20) > 0) TOLD("residual@solve", residual);
  TOLD("residual@solve", residual);
  HALVE; TOLD("residual@solve", residual);
  if ((p->x = 2, p->y = p->x * 2) > 3)
    f /= 3;
  else
    f = 0;
  TOLD("p->x", p->x); TOLD("p->y", p->y); TOLD("f", f);
  (*p).y = 8; TOLD("(*p).y", p->y);
  p->bits = 13; TOLD("p->bits", p->bits);
  c++; TOLD("c", c);
  ++c; TOLD("c", c);
  c--; TOLD("c", c);
  colour = green; TOLD("colour", colour);
  all = ~0ULL; TOLD("all", 9223372036854775807.0);
  switch (n) {
    case 4: all = 5; TOLD("all", all); break;
    default: all = 6;
  }
  return residual;
}

int main(int argc, char** argv) {
  double x[4];
  struct point p;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL) return 1;
  solve(x, 4, &p);
  MPI_Finalize();
  return 0;
}
"""

VALUES_OPENMP = r"""
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#define TOLD(name, value) printf("%s %.17g\n", name, (double)(value))
int main(int argc, char** argv) {
  int i, j, rank;
  double s, m[3][4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL) return 1;
  omp_set_num_threads(1);
  s = 0; TOLD("s", s);
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (i = 0; i < 3; i++)
    for (j = 0; j < 4; j++) {
      m[i][j] = i * j; TOLD("m[i][j]", m[i][j]);
      s += m[i][j]; TOLD("s", s);
    }
#pragma omp atomic
  s += 1; /* atomic */
  for (i = 0; i < 3; ++i) { m[i][i] = s; TOLD("m[i][i]", m[i][i]); }
  MPI_Finalize();
  return 0;
}
"""

VALUES_CXX = r"""
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#include <vector>
#define TOLD(name, value) std::printf("%s %.17g\n", name, static_cast<double>(value))
enum class Level : short { low = -1, high = 3 };
template <class T>
T total(const std::vector<T>& from) {
  T sum = 0;
  TOLD("sum", sum);
  for (const T& one : from) { sum += one; TOLD("sum", sum); }
  return sum;
}
struct Grid {
  std::vector<double> cells = std::vector<double>(4);
  double heat_ = 0;
  void step(int i) {
    cells[static_cast<std::size_t>(i)] = i * 1.5;
    TOLD("cells[static_cast<std::size_t>(i)]", cells[static_cast<std::size_t>(i)]);
    heat_ += cells.at(2) = 0.25;
    TOLD("cells.at(2)", cells[2]);
    TOLD("heat_", heat_);
  }
};
static int increased(int& by) { return by = by + 1; }
static int deepest(int n) {
  int depth{n * 2};
  TOLD("depth", depth);
  if (n == 0) throw std::runtime_error("deep");
  int a[4] = {};
  a[n] = n; if (n == 2) TOLD("a[2]", a[2]);
  a[(n + 1) % 4] = deepest(n - 1); if ((n + 1) % 4 == 2) TOLD("a[2]", a[2]);
  return a[n];
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  total(std::vector<double>{0.5, 0.25});
  total(std::vector<int>{3, 4});
  Grid grid;
  for (int i = 0; i < 3; ++i) grid.step(i);
  Level level = Level::low;
  TOLD("level", level);
  level = Level::high;
  TOLD("level", level);
  int n(3);
  TOLD("n", n);
  increased(n = 5);  // what is assigned to is handed on
  TOLD("n", 5);
  std::printf("n is %d now\n", n);
  try {
    deepest(2);
  } catch (const std::exception&) {
  }
  if (const int odd = n % 2; odd == 0) TOLD("odd", odd);
  MPI_Finalize();
}
"""

PATHS_C = r"""
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
#define GIVE(x) do { if ((x) > 0) return x; } while (0)
static int early(int n) {
  printf("enter early\n");
  if (n > 2) return n;
  GIVE(n);
  return 0;
}
static int jumps(int n) {
  printf("enter jumps\n");
  for (;;) {
    int k;
    for (k = 0; k < 5; ++k)
      if (k == n) goto out;
    goto again;
  }
again:
  n = 1;
out:
  return n;
}
static void no_return_at_all(void) { printf("enter no_return_at_all\n"); }
static int recursive(int n) {
  printf("enter recursive\n");
  return n == 0 ? 0 : recursive(n - 1) + 1;
}
static void far(void) { printf("enter far\n"); longjmp(back, 1); }
static void lands(void) {
  printf("enter lands\n");
  if (setjmp(back) == 0) far();
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL) return 1;
  early(5); early(1); early(0);
  jumps(3); jumps(9);
  no_return_at_all();
  recursive(3);
  if (argc > 1) lands();
  MPI_Finalize();
  return 0;
}
"""

PATHS_CXX = r"""
#include <mpi.h>
#include <cstdio>
#include <stdexcept>
#define ENTER(name) std::printf("enter %s\n", name)
namespace deep {
struct Noisy {
  Noisy() { ENTER("deep::Noisy::Noisy"); }
  ~Noisy() { ENTER("deep::Noisy::~Noisy"); }
  Noisy& operator+=(int) { ENTER("deep::Noisy::operator+="); return *this; }
};
namespace {
int thrower(int n) {
  ENTER("deep::thrower");
  Noisy noisy;
  noisy += 1;
  if (n == 0) throw std::runtime_error("zero");
  const auto twice = [](int of) { if (of > 1) return 2 * of; return of; };
  return twice(n);
}
}  // namespace
template <class T>
T through(T n) {
  ENTER("deep::through");
  try {
    return thrower(static_cast<int>(n));
  } catch (const std::logic_error&) {
    return -1;
  }
}
}  // namespace deep
static int tried(int n) try {
  ENTER("tried");
  return deep::through(n);
} catch (const std::exception&) {
  return -2;
}
constexpr int constant(int n) { return n * 2; }
static_assert(constant(2) == 4);
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) return 1;
  tried(0);
  tried(3);
  deep::through(1L);
  std::printf("%d\n", constant(4));
  MPI_Finalize();
}
"""


class InstrumentingCase(Case):
    def write(self, name, text):
        (self.dir / name).parent.mkdir(parents=True, exist_ok=True)
        (self.dir / name).write_text(text)
        return name

    def build(self, source, program, *flags, link=True):
        compiler = os.environ[COMPILERS[pathlib.Path(source).suffix]]
        library = [f"-L{BUILD}/lib", "-lwhatwire-marker"] if link else []
        return subprocess.run([compiler, *flags, "-o", self.dir / program, source, *library, "-lm"], cwd=self.dir, capture_output=True, text=True)

    def built(self, source, program, *flags):
        done = self.build(source, program, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)

    def refused(self, *arguments):
        done = self.run_whatwire("instrument", "-o", "refused", *arguments)
        self.assertIn(done.returncode, (1, 2), done.stdout)
        self.assertFalse((self.dir / "refused").exists())
        return done.stderr


@unittest.skipUnless(HAS_CLANG, "built without Clang's library")
class InstrumentedExamples(InstrumentingCase):
    """All programs of examples/ in C and C++ with all their functions, compiled with the warnings of the originals."""

    def alike(self, text):
        return sorted(line for line in text.splitlines() if not line.startswith("time "))

    def check(self, name, sources, arguments, *watched):
        watches = [word for variable in watched for word in ("--watch", variable)]
        before = {source: source.read_bytes() for source in sources}
        std = ["-std=c++20"] if sources[0].suffix == ".cpp" else []
        flags = [*std, "-DOMPI_SKIP_MPICXX"]  # as examples/CMakeLists.txt has them
        done = self.json_of("instrument", "--functions", "*", *watches, "-o", "copy", "--force", *sources, "--", *flags)
        regions = {region for file in done["files"] for region in file["regions"]}
        self.assertIn("main", regions)
        self.assertEqual({source: source.read_bytes() for source in sources}, before)
        copy = self.dir / "copy" / sources[0].name
        self.built(copy, "program", "-O1", *std, *WARNINGS)
        lines = [["mpirun.openmpi", "--oversubscribe", "-n", "2", program, *arguments] for program in (EXAMPLES / name, self.dir / "program")]
        ran = [subprocess.run(line, cwd=self.dir, capture_output=True, text=True, timeout=120) for line in lines]
        self.assertEqual([done.returncode for done in ran], [0, 0], ran)
        self.assertEqual(self.alike(ran[0].stdout), self.alike(ran[1].stdout))
        recorded = self.succeed("record", "-o", "t.ww", "--force", "--", *lines[1])
        self.assertEqual(self.alike(ran[0].stdout), self.alike(recorded.stdout))
        report = self.json_of("report", "t.ww", "--ask", "regions", "--ask", "values")
        found = {d["name"]: d["count"] for d in report["diagnostics"] if d["name"].startswith("region-")}
        self.assertEqual(found, {}, "what MPI_Finalize is called in ends with the recording")
        visited = {region["region"] for region in report["regions"] if region["visits"]}
        self.assertIn("main", visited)
        self.assertLessEqual(visited, regions)
        return {value["name"]: value["ranks"][0] for value in report["values"]["values"]}

    def test_ring(self):
        self.check("ring", [SOURCES / "ring.cpp"], ["--messages", "3", "--length", "64", "--work", "10"])

    def test_cg(self):
        values = self.check("cg", [SOURCES / "cg.cpp"], ["--solves", "2"], "iteration@conjugate_gradients", "worst")
        # two solves from nought, one value an iteration, and the end of each loop
        self.assertEqual(values["worst"]["count"], 3)
        self.assertGreater(values["iteration"]["count"], 4)

    def test_transpose(self):
        self.check("transpose", [SOURCES / "transpose.c"], ["--size", "20"], "pending")

    def test_nas(self):
        for name in ("cg", "mg", "is", "ft"):
            self.check(f"nas/{name}", [SOURCES / "nas" / f"{name}.cpp", SOURCES / "nas" / "nas.hpp"], ["--class", "T"])

    def test_token_ring_of_pvm(self):
        source = SOURCES / "token_ring.c"
        before = source.read_bytes()
        self.succeed("instrument", "--functions", "*", "--watch", "round", "--watch", "wrong", "-o", "copy", source)
        self.assertEqual(source.read_bytes(), before)
        library = [f"-L{BUILD}/lib", "-lwhatwire-marker", "-lgpvm3", "-lpvm3"]
        subprocess.run([os.environ["CC"], *WARNINGS, "-O1", "-o", self.dir / "token_ring", self.dir / "copy" / "token_ring.c", *library], check=True)
        sys_path = pathlib.Path(__file__).resolve().parents[1] / "pvm"
        script = ("import os,subprocess,sys\nfrom machine import Machine\nwith Machine(sys.argv[1]) as machine:\n"
                  "    sys.exit(subprocess.run([sys.argv[1] + '/token_ring', '1000'], env=dict(machine.environment, TASKS='2')).returncode)\n")
        done = subprocess.run(["python3", "-c", script, str(self.dir)], env=dict(os.environ, PYTHONPATH=str(sys_path)), capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 tasks, 1000 bytes, 2 rounds: verified", done.stdout)


@unittest.skipUnless(HAS_CLANG, "built without Clang's library")
class InstrumentedValues(InstrumentingCase):
    def recorded(self, source, *flags):
        self.built(f"copy/{source}", "program", *flags)
        done = self.succeed("record", "-o", "t.ww", "--", "mpirun.openmpi", "-n", "2", "./program")
        self.succeed("export", "t.ww", "--to", "csv-user", "-o", "user.csv")
        values = {}
        for row in csv.DictReader((self.dir / "user.csv").read_text().splitlines()):
            if row["rank"] == "0" and row["name"] and row["value"]:
                values.setdefault(row["name"], []).append(float(row["value"]))
        printed = {}
        for name, value in re.findall(r"^(\S+) (-?[\d.e+-]+)$", done.stdout, re.M):
            printed.setdefault(name, []).append(float(value))
        return values, printed

    def check_alike(self, values, printed, name):
        """The export has nine digits."""
        self.assertEqual(len(values.get(name, ())), len(printed[name]), name)
        for value, said in zip(values[name], printed[name]):
            self.assertAlmostEqual(value, said, delta=1e-8 * max(1, abs(said)), msg=name)

    def test_in_c(self):
        self.write("v.c", VALUES_C)
        watched = ("residual", "x@solve", "p@solve", "f", "c", "colour", "all")
        done = self.json_of("instrument", *[word for name in watched for word in ("--watch", name)], "-o", "copy", "v.c")
        for flags in (["-O2"], ["-std=c89", "-O0", "-Wno-comment"]):
            values, printed = self.recorded("v.c", *flags)
            for name in printed:
                if name != "x[2]":
                    self.check_alike(values, printed, name)
            self.assertEqual(set(values), set(printed) - {"x[2]"})
            self.assertEqual(len(values), 12)
            shutil.rmtree(self.dir / "t.ww")
        self.assertEqual(set(done["files"][0]["values"]), set(values))

    def test_one_element_in_c(self):
        self.write("v.c", VALUES_C)
        self.succeed("instrument", "--watch", "x[2]", "-o", "copy", "v.c")
        values, printed = self.recorded("v.c")
        self.assertEqual(values["x[2]"], printed["x[2]"])

    def test_with_openmp(self):
        """What its directives prescribe stays as it is, and the rest is recorded."""
        self.write("o.c", VALUES_OPENMP)
        done = self.json_of("instrument", "--functions", "*", "--watch", "s", "--watch", "m", "--watch", "i", "-o", "copy", "o.c", "--", "mpicc.openmpi", "-fopenmp")
        lines = VALUES_OPENMP.splitlines()
        self.assertEqual({lines[note["line"] - 1].strip() for note in done["notes"]}, {"for (i = 0; i < 3; i++)", "s += 1; /* atomic */"}, done["notes"])
        values, printed = self.recorded("o.c", "-fopenmp")
        for name in printed:
            self.check_alike(values, printed, name)
        self.assertEqual(len(values["m[i][j]"]), 12)
        self.assertEqual(values["i"], [0, 1, 2, 3])

    def test_in_cxx(self):
        self.write("v.cpp", VALUES_CXX)
        watched = ("sum", "cells", "heat_", "level", "n@main", "depth", "odd", "a[2]")
        self.succeed("instrument", *[word for name in watched for word in ("--watch", name)], "-o", "copy", "v.cpp", "--", "mpicxx.openmpi", "-std=c++20")
        values, printed = self.recorded("v.cpp", "-std=c++20", *WARNINGS)
        for name in printed:
            self.check_alike(values, printed, name)
        self.assertEqual(set(values), set(printed) | {"odd"})  # which is 1, and printed if it is 0
        self.assertGreater(len(values), 7)


@unittest.skipUnless(HAS_CLANG, "built without Clang's library")
class InstrumentedFunctions(InstrumentingCase):
    def entered(self, source, flags, *arguments):
        """Visits of each region, and how often each function said that it was entered (main says nothing)."""
        self.built(f"copy/{source}", "program", *flags)
        alone = subprocess.run(["./program", *arguments], cwd=self.dir, capture_output=True, text=True, timeout=100)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        done = self.succeed("record", "-o", "t.ww", "--force", "--", "mpirun.openmpi", "-n", "1", "./program", *arguments)
        self.assertEqual(done.stdout, alone.stdout)
        report = self.json_of("report", "t.ww", "--ask", "regions")
        said = re.findall(r"^enter (.+)$", done.stdout, re.M)
        visits = {region["region"]: region["visits"] for region in report["regions"] if region["visits"]}
        self.assertEqual(visits.pop("main"), 1)
        self.assertEqual(visits, {name: said.count(name) for name in said})
        found = {d["name"]: d["count"] for d in report["diagnostics"] if d["name"].startswith("region-")}
        return found

    def test_which_are_recorded_is_decided_when_it_runs(self):
        """A copy made once: all of its functions, some by their names, only counted, and of one that is called all the time some calls."""
        self.write("q.c", """
#include <mpi.h>
#include <stdio.h>
static volatile long sink;
static long often(long i) { return sink = i; }
static void seldom(void) { for (long i = 0; i < 1000; ++i) sink = i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (long i = 0; i < 400000; ++i) often(i);
  for (int i = 0; i < 20; ++i) seldom();
  MPI_Finalize();
  puts("400000 20");
  return 0;
}
""")
        self.succeed("instrument", "--functions", "*", "-o", "copy", "q.c")
        self.built("copy/q.c", "program", "-O2")
        for options, recorded, thinned in (([], {"main", "often", "seldom"}, True), (["--functions", "sel*,main"], {"main", "seldom"}, False), (["--count-functions", "*,!main"], set(), False)):
            self.succeed("record", "-o", "t.ww", "--force", *options, "--", "mpirun.openmpi", "-n", "1", "./program")
            report = self.json_of("report", "t.ww", "--by", "region", "--ask", "functions")
            visits = {region["region"]: region["visits"] for region in report.get("regions", []) if region["visits"]}
            counted = {one["function"]: one["calls"] for one in report["functions"]["functions"]}
            said = {d["name"] for d in report["diagnostics"]}
            self.assertEqual(visits.keys(), recorded, options)
            self.assertEqual(counted, {"main": 1, "often": 400000, "seldom": 20} if not options else {"main": 1, "seldom": 20} if recorded else {"often": 400000, "seldom": 20})
            self.assertEqual("functions-thinned" in said, thinned, options)
            self.assertFalse({"no-function-seen", "no-function-wanted", "region-left-open"} & said, options)
            if "often" in visits:
                self.assertLess(visits["often"], 400000, "in some hundredths of a second")
        self.assertEqual(visits, {})

    def test_every_exit_in_c_and_after_it_a_longjmp(self):
        self.write("p.c", PATHS_C)
        done = self.json_of("instrument", "--functions", "*", "-o", "copy", "p.c")
        self.assertEqual(self.entered("p.c", ["-O2", "-std=c89"]), {})
        self.assertEqual(self.entered("p.c", ["-O0"], "far"), {}, "what the jump left ends with what it came back to")
        line = PATHS_C.splitlines().index("  if (setjmp(back) == 0) far();") + 1
        self.assertTrue([note for note in done["notes"] if note["line"] == line and "longjmp" in note["text"]], done["notes"])

    def test_every_exit_in_cxx(self):
        self.write("p.cpp", PATHS_CXX)
        done = self.json_of("instrument", "--functions", "*", "-o", "copy", "p.cpp", "--", "mpicxx.openmpi", "-std=c++17")
        self.assertEqual(self.entered("p.cpp", ["-O2", "-std=c++17", *WARNINGS, "-Wno-unused-function"]), {})
        told = {(note["line"], note["text"].split(" ")[0]) for note in done["notes"]}
        lines = PATHS_CXX.splitlines()
        line_of = {name: next(i + 1 for i, line in enumerate(lines) if f" {name}(int n)" in line) for name in ("tried", "constant")}
        self.assertEqual(told, {(line_of["tried"], "tried"), (line_of["constant"], "constant")}, done["notes"])

    def test_patterns_and_headers(self):
        self.write("src/a.c", '#include "a.h"\n#include <inc.h>\nint main(void) { return in_a() + in_inc() - 3; }\n')
        self.write("src/a.h", '#include "b.h"\nstatic int in_a(void) { return in_b(); }\n')
        self.write("src/b.h", "static int in_b(void) { return 1; }\n")
        self.write("inc/inc.h", "static int in_inc(void) { return 2; }\n")
        flags = ["--", os.environ["CC"], "-Iinc"]
        names = lambda done: sorted(region for file in done["files"] for region in file["regions"])
        done = self.json_of("instrument", "--functions", "*,!in_b", "-o", "one", "src/a.c", *flags)
        self.assertEqual(names(done), ["main"])
        self.assertEqual(len([note for note in done["notes"] if "not copied" in note["text"]]), 2, done["notes"])
        self.assertEqual(len([note for note in done["notes"] if "!in_b excludes none" in note["text"]]), 1, done["notes"])
        done = self.json_of("instrument", "--functions", "*,!in_b", "-o", "all", "src/a.c", "src/a.h", "src/b.h", "inc/inc.h", *flags)
        self.assertEqual(names(done), ["in_a", "in_inc", "main"])
        for copy in ("one/a.c", "all/src/a.c"):
            self.built(copy, "program", "-Iinc", "-Wall", "-Werror")
            self.assertEqual(subprocess.run([self.dir / "program"]).returncode, 0)
        # a copy of b.h alone would be beside the original that a.h includes
        self.assertIn("src/a.h:1: this includes", self.refused("--functions", "in_b", "src/a.c", "src/b.h", *flags))

    def test_by_a_list_of_compile_commands(self):
        self.write("src/a.c", "#ifndef N\n#error N\n#endif\nint f(void) { return N; }\nint main(void) { return f() - 3; }\n")
        entry = {"directory": str(self.dir), "file": "src/a.c", "command": f"{os.environ['CC']} -DN=3 -c src/a.c -o a.o"}
        self.write("build/compile_commands.json", json.dumps([entry]))
        for arguments in (["-p", "build"], ["-p", "build", "src/a.c"], ["src/a.c"]):  # the last finds it by itself
            done = self.json_of("instrument", "--functions", "f", "-o", "copy", "--force", *arguments)
            self.assertEqual([file["regions"] for file in done["files"]], [["f"]])
        self.assertIn("not in the list", self.refused("--functions", "f", "-p", "build", self.write("b.c", "int f(void) { return 1; }\n")))

    def test_lines_are_the_originals(self):
        """Of warnings, and in the program's lines for debuggers."""
        self.write("w.c", 'int g(int n) {\n  int unused;\n  if (n) return 1;\n  return n +\n    2;\n}\nint main(void) { return g(3); }\n')
        self.succeed("instrument", "--functions", "*", "-o", "copy", "w.c", "--", os.environ["CC"])
        messages = [self.build(source, program, "-g", "-O0", "-Wall").stderr for source, program in ((self.dir / "w.c", "before"), ("copy/w.c", "after"))]
        places = [re.findall(r"^(\S+?):(\d+):\d+: (warning: .*)$", text, re.M) for text in messages]
        self.assertEqual(len(places[0]), 1)
        self.assertEqual(places[0], places[1])
        lines = subprocess.run(["objdump", "--dwarf=decodedline", self.dir / "after"], capture_output=True, text=True, check=True).stdout
        found = {int(line) for line in re.findall(r"^w\.c\s+(\d+)\s", lines, re.M)}
        self.assertLessEqual({1, 3, 4, 6, 7}, found)
        self.assertLessEqual(max(found), 7)


class InstrumentingRefused(InstrumentingCase):
    def test_without_clangs_library(self):
        self.write("a.c", "int main(void) { return 0; }\n")
        for folder in ("bin", "lib/whatwire"):
            (self.dir / "tree" / folder).mkdir(parents=True)
        shutil.copy(WHATWIRE, self.dir / "tree" / "bin" / "whatwire")
        done = self.run_whatwire("instrument", "--functions", "*", "-o", "copy", "a.c", program=self.dir / "tree" / "bin" / "whatwire")
        self.assertEqual(done.returncode, 1)
        self.assertIn("built without Clang's library", done.stderr)
        self.assertIn("libclang-19-dev", done.stderr)
        self.assertFalse((self.dir / "copy").exists())

    def test_what_is_asked_wrongly(self):
        self.write("a.c", "int main(void) { return 0; }\n")
        self.assertIn("nothing to instrument", self.refused("a.c"))
        self.assertIn("no source is named", self.refused("--functions", "*"))
        self.assertIn("not VAR or VAR@FUNCTION", self.refused("--watch", "x@", "a.c"))
        self.assertIn("cannot read the source", self.refused("--functions", "*", "none.c"))
        self.assertIn("not a source in C, C++ or Fortran", self.refused("--functions", "*", self.write("a.pas", "end.\n")))

    @unittest.skipUnless(HAS_CLANG, "built without Clang's library")
    def test_names_that_are_not_there_and_sources_that_do_not_compile(self):
        self.write("a.c", "static double residual;\nint solve(int n) {\n  residual = n;\n  return n;\n}\nint main(void) { return solve(0); }\n")
        said = self.refused("--functions", "solv", "a.c")
        self.assertIn("no function of these sources is called so: --functions solv; did you mean 'solve'?", said)
        self.assertIn("did you mean 'residual'?", self.refused("--watch", "resdual", "a.c"))
        self.assertIn("did you mean 'solve'?", self.refused("--watch", "residual@sovle", "a.c"))
        self.assertIn("no statement of that function assigns it", self.refused("--watch", "residual@main", "a.c"))
        self.write("b.c", "int main(void) {\n  return x;\n}\n")
        self.assertIn("b.c:2: use of undeclared identifier 'x'", self.refused("--functions", "*", "b.c"))
        (self.dir / "mine").mkdir()
        self.write("mine/thesis.txt", "mine")
        done = self.run_whatwire("instrument", "--functions", "*", "-o", "mine", "--force", "a.c")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([p.name for p in (self.dir / "mine").iterdir()], ["thesis.txt"])

    @unittest.skipUnless(HAS_CLANG, "built without Clang's library")
    def test_what_is_not_seen_is_said_with_its_line(self):
        self.write("a.c", """#include <stdio.h>
#define SET(v, to) do { v = to; } while (0)
#define CHECK(e) do { if ((e) < 0) return 1; } while (0)
struct s { int bits : 3; int* p; } s;
void fill(double* x, const double* y);
void fill(double* x, const double* y) { *x = *y; }
int main(void) {
  double x = 1, y[3];
  SET(x, 2);
  CHECK(x = 3);
  fill(&x, &x);
  fill(y, &x);
  s.bits++;
  s.p = 0;
  y[0] = x;
  return scanf("%lf", &x) != 1;
}
""")
        done = self.json_of("instrument", "--watch", "x@main", "--watch", "y", "--watch", "s", "-o", "copy", "a.c", "--", os.environ["CC"])
        said = {(note["line"], note["text"].split(" is ")[0]) for note in done["notes"]}
        self.assertEqual(said, {(9, "x"), (10, "x"), (11, "x"), (12, "y"), (13, "s.bits"), (16, "x")}, done["notes"])
        self.assertEqual(done["files"][0]["values"], ["x", "y[0]"])
