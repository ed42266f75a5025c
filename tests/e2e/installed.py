"""cmake --install gives a relocatable tree that works from another directory."""
import json
import os
import shlex
import shutil
import signal
import subprocess
import urllib.request

from support import Case

MARKED = r"""
#include <mpi.h>
#include <whatwire/marker.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ww_region_begin("solve");
  ww_value_double("residual", 0.5);
  MPI_Barrier(MPI_COMM_WORLD);
  ww_region_end("solve");
  return MPI_Finalize();
}
"""
PLAIN = r"""
#include <mpi.h>
static double solve(void) {
  double residual = 1;
  residual /= 2;
  return residual;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return solve() > 1 || MPI_Finalize();
}
"""
MARKED_FORTRAN = """
program marked
  use mpi
  use whatwire
  integer :: ierror
  call MPI_Init(ierror)
  call ww_region_begin("solve")
  call ww_value("residual", 0.5d0)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call ww_region_end("solve")
  call MPI_Finalize(ierror)
end program
"""
CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(marked CXX)
find_package(whatwire REQUIRED)
set_source_files_properties(marked.c PROPERTIES LANGUAGE CXX)
add_executable(marked_cxx marked.c)
target_link_libraries(marked_cxx whatwire::marker)
"""


class Installed(Case):
    def test_a_moved_tree_records_and_reports(self):
        subprocess.run(["cmake", "--install", os.environ["BUILD"], "--prefix", self.dir / "first"], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.move(self.dir / "first", self.dir / "moved")
        moved = self.dir / "moved" / "bin" / "whatwire"
        cg = self.dir / "moved" / "share" / "whatwire" / "examples" / "cg"
        self.assertTrue(cg.exists())
        self.succeed("doctor", program=moved)
        self.succeed("record", "-o", "t.ww", "--", "mpirun", "-n", "2", cg, "--solves", "2", program=moved)
        report = self.json_of("report", "t.ww", program=moved)
        self.assertEqual(len(report["ranks"]), 2)
        self.assertGreater(sum(r["messages_sent"] for r in report["ranks"]), 0)
        self.check_viewer(moved)
        self.check_marked_programs(self.dir / "moved")
        if (self.dir / "moved" / "libexec" / "whatwire" / "whatwire-instrument").exists():  # built with Clang's library
            self.check_instrumented_program(self.dir / "moved")

    # With the library that it loads, and its page.
    def check_viewer(self, moved):
        with subprocess.Popen([moved, "view", "t.ww", "--json", "--no-browser"], cwd=self.dir, stdout=subprocess.PIPE,
                              text=True) as viewer:
            try:
                url = json.loads(viewer.stdout.readline())["url"]
                for path in ("", "view.js", "data/0/trace"):
                    with urllib.request.urlopen(url + path) as answer:
                        self.assertEqual(answer.status, 200)
            finally:
                viewer.send_signal(signal.SIGINT)

    # With what the command itself says about linking.
    def check_instrumented_program(self, prefix):
        whatwire = prefix / "bin" / "whatwire"
        (self.dir / "plain.c").write_text(PLAIN)
        said = self.json_of("instrument", "--functions", "solve", "--watch", "residual", "-o", "copy", "plain.c", program=whatwire)
        subprocess.run([os.environ["OPENMPI_CC"], "copy/plain.c", *shlex.split(said["link_flags"]), "-o", "plain"], check=True, cwd=self.dir)
        self.succeed("record", "-o", "p.ww", "--", "mpirun", "-n", "2", "./plain", program=whatwire)
        report = self.json_of("report", "p.ww", "--ask", "regions", "--ask", "values", program=whatwire)
        self.assertEqual([(r["region"], r["visits"]) for r in report["regions"] if r["visits"]], [("solve", 2)])
        self.assertEqual([(v["name"], v["ranks"][0]["last"]) for v in report["values"]["values"]], [("residual", 0.5)])

    # As README.md says: by pkg-config in C and Fortran, by CMake in C++, from the tree that was moved.
    def check_marked_programs(self, prefix):
        def asked(what):
            return subprocess.run(["pkg-config", what, "whatwire-marker"], check=True, capture_output=True, text=True,
                                  env=dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig"))).stdout.split()

        (self.dir / "marked.c").write_text(MARKED)
        (self.dir / "marked.f90").write_text(MARKED_FORTRAN)
        (self.dir / "CMakeLists.txt").write_text(CMAKE)
        run = lambda *command: subprocess.run(list(map(str, command)), check=True, cwd=self.dir, stdout=subprocess.DEVNULL)
        run(os.environ["OPENMPI_CC"], *asked("--cflags"), "marked.c", *asked("--libs"), "-o", "marked_c")
        run(os.environ["OPENMPI_FC"], *asked("--variable=fortran"), "marked.f90", *asked("--libs"), "-o", "marked_fortran")
        run("cmake", "-G", "Ninja", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={os.environ['OPENMPI_CXX']}")
        run("cmake", "--build", "made")
        for program in ("marked_c", "marked_fortran", "made/marked_cxx"):
            self.succeed("record", "-o", "m.ww", "--", "mpirun", "-n", "2", f"./{program}", program=prefix / "bin" / "whatwire")
            report = json.loads(self.succeed("report", "m.ww", "--by", "region", "--ask", "values", "--json").stdout)
            self.assertEqual([(r["region"], r["visits"]) for r in report["regions"]], [("solve", 2)], program)
            self.assertEqual([(v["name"], v["first"]) for v in report["values"]["values"]], [("residual", 0.5)], program)
            text = self.succeed("report", "m.ww", "--by", "region").stdout
            self.assertRegex(text, r"solve +2 ")
            shutil.rmtree(self.dir / "m.ww")
