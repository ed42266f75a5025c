"""`whatwire instrument` for Fortran, both forms. Expectations: what the programs print themselves, with and without the copies."""
import csv
import os
import pathlib
import subprocess
import sys
import unittest
from collections import Counter

from support import Case

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "examples"
BUILD = pathlib.Path(os.environ["BUILD"])
FC = os.environ["OPENMPI_FC"]
HAS_FLANG = (BUILD / "libexec" / "whatwire" / "whatwire-instrument-fortran").exists()
sys.path.insert(0, str(HERE.parent / "pvm"))
from machine import Machine  # noqa: E402

# Fixed form with what S5's preprocessor could not read (its section on what it does not support): logical IFs with calls and assignments, calls
# in conditions, continuations with comments between, statement functions; alternate returns, labels on returns and ends, sequence numbers.
FIXED = """\
      PROGRAM OLD
      INTEGER N, K
      REAL A(10), TOTAL
      DOUBLE PRECISION RES
      LOGICAL DONE
      COMMON /BLK/ RES
      SQ(X) = X*X
      A(1) = 0.5
      N = 3
      PRINT *, 'N', N
      TOTAL = 0
      PRINT *, 'TOTAL', TOTAL
      DO 10 I = 1, 10
   10 A(I) = I
      DO 15 J = 1, 2
      DO 15 I = 1, 2
   15 IF (I .EQ. J) N = N + 0
      I = 0
   17 I = I + 1
      IF (I .LT. 2) GOTO 17
      DO 20 I = 1, 10
        IF (A(I) .GT. 5.0) TOTAL = TOTAL +
C a comment between
     &    SQ(A(I))
        IF (SQ(A(I)) .GT. 49.0 .AND. I .NE. 9 .AND. A(I) .LT. 100.0)N=I SEQ00010
   20 CONTINUE
      K = 7
      CALL SUB(A, K, *30, *40)
      PRINT *, 'NEVER'
   30 PRINT *, 'ALTERNATE 1'
      GOTO 50
   40 PRINT *, 'ALTERNATE 2'
   50 DONE = .TRUE.
      RES = FUN(2.0)
      IF (FUN(0.5) .LT. 1.0) CALL SUB(A, K, *60, *60)
   60 PRINT *, TOTAL, N, K, RES, DONE, A
      END

      SUBROUTINE SUB(A, K, *, *)
      REAL A(*)
      A(3) = 33
      IF (K .EQ. 7) THEN
        K = K + 1
        RETURN 2
      END IF
      IF (K .EQ. 8) RETURN
      IF (K .GT. 100) RETURN 1
      RETURN
      END

      REAL FUNCTION FUN(X)
      DOUBLE PRECISION RES
      COMMON /BLK/ RES
      RES = 1.5D0
      IF (X .GT. 1.0) GOTO 99
      FUN = X
      RETURN
   99 FUN = X * 3
  100 END
"""

MODULE = """\
#define SIZE_OF 8
#define LIMIT(a, b) max(a, b)
module grid
  implicit none
  type cell
    real(8) :: t = 0
    integer :: hits(3) = 0
    logical :: wet = .false.
    character(4) :: name = 'a;b!'
  end type
  type(cell) :: cells(SIZE_OF)
  real(8), allocatable :: field(:)
  integer :: steps
contains
  elemental real(8) function twice(x)
    real(8), intent(in) :: x
    twice = 2 * x
  end function
  subroutine step(k)
    integer, intent(in) :: k
    integer :: i
    !$omp parallel do
    do i = 1, SIZE_OF
      cells(i)%t = twice(real(i, 8)) + k; cells(i)%hits(1 + mod(i, 3)) = i  ! two on a line
      if (i > 3 .and. &
          ! between
          i < 6) &
        cells(i)%wet = .true.
    end do
    steps = steps + LIMIT(0, 1); if (k < 0) return
    where (field > 1) field = 1
    field(2:3) = k
    field(next(1)) = 5
    call inner()
  contains
    integer function next(j)
      integer, intent(in) :: j
      next = j + 1
    end function
    subroutine inner
      steps = steps + 10
      if (k == 2) return
      block
        integer :: many
        many = steps
        if (many > 1000) stop 'far'
      end block
    end subroutine inner
  end subroutine step
end module grid
"""

PROGRAM = """\
program prog
  use mpi
  use grid, only: steps, field, step
  implicit none
  integer :: rank, error, k
  real(8) :: residual
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  allocate(field(8)); field = 0; steps = 0
  do k = 1, 3
    call step(k)
    residual = 1d0 / (k + rank) ; print '(a,i0,a,f20.16)', 'residual ', rank, ' ', residual
    print '(a,i0,a,i0)', 'steps ', rank, ' ', steps
  end do
  call mpi_finalize(error)
end program
"""


@unittest.skipUnless(HAS_FLANG, "built without flang's parser")
class InstrumentedFortran(Case):
    def built(self, name, *files):
        subprocess.run([FC, "-w", "-O2", "-o", self.dir / name, *files, f"-L{BUILD}/lib", "-lwhatwire-marker"], check=True, cwd=self.dir)
        return self.dir / name

    def printed(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.dir, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, trace):
        self.succeed("export", trace, "--to", "csv-user", "-o", "user.csv")
        with open(self.dir / "user.csv") as file:
            return list(csv.DictReader(file))

    def test_fixed_form(self):
        (self.dir / "old.f").write_text(FIXED)
        # started by MPI, which is what is recorded
        (self.dir / "main.f90").write_text("subroutine begin\n  use mpi\n  integer :: e\n  call mpi_init(e)\nend subroutine\nsubroutine finish\n  use mpi\n"
                                           "  integer :: e\n  call mpi_finalize(e)\nend subroutine\n")
        text = FIXED.replace("      A(1) = 0.5\n", "      CALL BEGIN\n      A(1) = 0.5\n").replace("DONE, A\n      END\n", "DONE, A\n      CALL FINISH\n      END\n")
        (self.dir / "old.f").write_text(text)
        watched = ("total", "n", "k", "res", "done", "a(3)", "fun")
        done = self.succeed("instrument", "--functions", "*", *(word for name in watched for word in ("--watch", name)), "-o", "copy", "old.f", "--", FC, "-w")
        self.assertIn("3 regions: fun, old, sub", done.stdout)
        self.assertEqual((self.dir / "old.f").read_text(), text)
        before = self.printed(self.built("before", "old.f", "main.f90"))
        after = self.printed(self.built("after", "copy/old.f", "main.f90"))
        self.assertEqual(before, after)
        recorded = self.succeed("record", "-o", "f.ww", "--", "mpirun", "-n", "1", self.dir / "after")
        self.assertEqual(recorded.stdout, before)
        rows = self.rows("f.ww")
        of = lambda name: [float(row["value"]) for row in rows if row["kind"] == "value" and row["name"].split("@")[0] == name]
        # worked out by hand: squares of 6 to 10 are added; N is 8 at 64 and 10 at 100
        self.assertEqual(of("total"), [0, 36, 85, 149, 230, 330])
        self.assertEqual(of("n"), [3, 3, 3, 8, 10])
        self.assertEqual(of("k"), [7, 8])
        self.assertEqual(of("done"), [1])
        self.assertEqual(of("a(3)"), [3, 33, 33])
        self.assertEqual(of("fun"), [6, 0.5])
        self.assertEqual(of("res"), [1.5, 6, 1.5])
        self.assertEqual(Counter(row["name"] for row in rows if row["kind"] == "region"), {"old": 1, "sub": 2, "fun": 2})
        left_open = [one["count"] for one in self.json_of("report", "f.ww")["diagnostics"] if one["name"] == "region-left-open"]
        self.assertEqual(left_open, [], "every way out ends its region, and the recording what is open then")

    def test_free_form_with_modules(self):
        (self.dir / "grid.F90").write_text(MODULE)
        (self.dir / "prog.f90").write_text(PROGRAM)
        watched = ("steps", "residual", "cells%t", "cells%hits", "cells->wet", "field", "twice")
        # in any order: the module comes behind the program that uses it
        done = self.succeed("instrument", "--functions", "*,!*next", *(word for name in watched for word in ("--watch", name)), "-o", "copy",
                            "prog.f90", "grid.F90", "--", FC, "-Wall", "-Wextra", "-fopenmp")
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["copy", "grid.F90", "prog.f90"])  # no module is left here
        for note in ("grid.F90:31: 'field' is not recorded here: it is assigned under a mask", "grid.F90:32: 'field(2:3)' is not recorded here: all of an array",
                     "grid.F90:33: 'field(next(1))' is not recorded here: its subscripts call a function", "'grid::twice' is no region: nothing may be called in a pure"):
            self.assertIn(note, done.stderr)
        program = self.built("prog", "copy/grid.F90", "copy/prog.f90")
        original = self.built("plain", "grid.F90", "prog.f90")
        alike = lambda text: sorted(line for line in text.splitlines() if line.split()[0] in ("residual", "steps"))
        plain = alike(self.printed("mpirun.openmpi", "--oversubscribe", "-n", "2", original))
        recorded = self.succeed("record", "-o", "p.ww", "--", "mpirun.openmpi", "--oversubscribe", "-n", "2", program)
        self.assertEqual(alike(recorded.stdout), plain)
        rows = self.rows("p.ww")
        for rank in range(2):
            said = {name: [float(line.split()[2]) for line in recorded.stdout.splitlines() if line.split()[:2] == [name, str(rank)]] for name in ("residual", "steps")}
            of = lambda name: [float(row["value"]) for row in rows if row["rank"] == str(rank) and row["kind"] == "value" and row["name"] == name]
            for value, printed in zip(of("residual"), said["residual"], strict=True):
                self.assertAlmostEqual(value, printed, 14)
            self.assertEqual(of("steps")[2::2], said["steps"])  # set to 0, then one and ten more each round
            self.assertEqual(of("cells(i)%t"), [2 * i + k for k in (1, 2, 3) for i in range(1, 9)])
            self.assertEqual(of("cells(i)%hits(1+mod(i,3))"), [i for _ in range(3) for i in range(1, 9)])
            self.assertEqual(of("cells(i)%wet"), [1] * 6)
            regions = Counter(row["name"] for row in rows if row["rank"] == str(rank) and row["kind"] == "region")
            self.assertEqual(regions, {"prog": 1, "grid::step": 3, "grid::step::inner": 3})

    def test_examples(self):
        for name, sources, arguments in (("heat", ["heat.f90"], ["--nx", "40", "--ny", "60", "--steps", "4"]),
                                         *((f"nas/{name}", ["nas/nas.f90", f"nas/{name}.f90"], ["--class", "T"]) for name in ("lu", "sp", "bt"))):
            with self.subTest(name):
                files = [SOURCES / source for source in sources]
                self.succeed("instrument", "--force", "--functions", "*", "-o", "copy", *files, "--", FC, "-Wall", "-Wextra", "-fallow-argument-mismatch")
                program = self.built("program", *(self.dir / "copy" / file.name for file in files))
                original = self.built("original", *files)
                alike = lambda text: sorted(line for line in text.splitlines() if not line.startswith("time "))
                lines = [["mpirun.openmpi", "--oversubscribe", "-n", "2", one, *arguments] for one in (original, program)]
                before = alike(self.printed(*lines[0]))
                recorded = self.succeed("record", "--force", "-o", "e.ww", "--", *lines[1])
                self.assertEqual(alike(recorded.stdout), before)
                self.assertGreater(len({row["name"] for row in self.rows("e.ww") if row["kind"] == "region"}), 3)

    def test_programs_of_others(self):
        """Debian's examples of PVM in Fortran: the copies say what the packaged programs say."""
        subprocess.run(["tar", "xzf", "/usr/share/doc/pvm-examples/examples.tar.gz", "-C", self.dir], check=True)
        flags = ["-w", "-std=legacy", "-I/usr/include"]
        for name in ("gexample", "master1", "slave1", "spmd"):
            self.succeed("instrument", "--force", "--functions", "*", "-o", "copy", self.dir / "examples" / f"{name}.f", "--", "gfortran", *flags)
            subprocess.run(["gfortran", *flags, "-o", self.dir / f"f{name}", self.dir / "copy" / f"{name}.f", f"-L{BUILD}/lib", "-lwhatwire-marker",
                            "-lfpvm3", "-lgpvm3", "-lpvm3"], check=True)
        said = []
        for programs in ("/usr/bin", str(self.dir)):
            with Machine(programs) as machine:
                done = subprocess.run([f"{programs}/fgexample"], env=machine.environment, input="6\n", capture_output=True, text=True, timeout=100)
                self.assertEqual(done.returncode, 0, done.stderr)
                said.append(done.stdout)
        self.assertEqual(said[0], said[1])
        self.assertIn("The 1-Norm is         5050", said[1])

    def test_names_that_mean_something_else_there(self):
        """What a name is is asked where it stands: in BLOCK, ASSOCIATE and SELECT TYPE, in a submodule, and of a function's RESULT."""
        (self.dir / "parts.f90").write_text("""\
module parent
  implicit none
  real(8) :: field(3)
  logical :: ready
  integer :: x = 0
  interface
    module subroutine part(x)
      real(8), intent(inout) :: x
    end subroutine
  end interface
contains
  logical function even(k) result(answer)
    integer, intent(in) :: k
    answer = mod(k, 2) == 0
  end function
end module
submodule (parent) child
contains
  module procedure part
    ready = .true.
    field = 7
    x = x / 4
  end procedure
end submodule
program parts
  use mpi
  use parent
  implicit none
  integer :: error
  class(*), allocatable :: any
  real(8) :: r = 1
  call mpi_init(error)
  x = 3
  block
    real(8) :: x
    real(8) :: a(2)
    a(1) = 0.25d0
    x = a(1)
  end block
  associate (x => r)
    x = 1.5d0
  end associate
  call part(r)
  allocate (any, source=2.5d0)
  select type (any)
  type is (real(8))
    any = 3.5d0
  end select
  if (even(4)) x = 5
  print *, x, r, field, ready
  call mpi_finalize(error)
end program
""")
        done = self.succeed("instrument", *(word for name in ("x", "a", "ready", "field", "answer", "any") for word in ("--watch", name)), "-o", "copy", "parts.f90",
                            "--", FC, "-Wall")
        program = self.built("parts", "copy/parts.f90")
        self.assertEqual(self.printed(program), self.printed(self.built("plain", "parts.f90")))
        self.succeed("record", "-o", "s.ww", "--", "mpirun", "-n", "1", program)
        rows = self.rows("s.ww")
        of = lambda name: [float(row["value"]) for row in rows if row["kind"] == "value" and row["name"].split("@")[0] == name]
        self.assertEqual((of("x"), of("a(1)"), of("ready"), of("answer"), of("any")), ([3, 0.25, 1.5, 0.375, 5], [0.25], [1], [1], [3.5]))
        self.assertEqual(of("field"), [])
        self.assertIn("'field' is not recorded here: all of an array", done.stderr)

    def test_openmp(self):
        """Directives stay in front of their statements, conditional lines are statements with -fopenmp, and so is what _OPENMP guards."""
        (self.dir / "threads.F90").write_text("""\
module state
  implicit none
  integer :: calls = 0
  real(8) :: total = 0, own = 0
!$omp threadprivate(own)
contains
  subroutine unrolled(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    !GCC$ ivdep
    do i = 1, n
      a(i) = i
    end do
  end subroutine
  subroutine shared_out(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
#if defined(_OPENMP) && __GNUC__ > 4
    integer :: guarded
#endif
!$  integer :: many
    ! a remark

!$omp parallel do &
!$omp private(i)
    ! between
#ifdef NEVER
!$omp& shared(a)
#endif
    do i = 1, n
      a(i) = a(i) + 1
    end do
!$  many = n
!$  if (n > 5) return
#if defined(_OPENMP) && __GNUC__ > 4
    guarded = 2 * n
    if (n == 5) return
#endif
    calls = calls + 1
  end subroutine
  subroutine atomic(n)
    integer, intent(in) :: n
    integer :: i
!$omp parallel do
    do i = 1, n
!$omp atomic
      calls = calls + 1
!$omp end atomic
    end do
!$omp parallel workshare
    total = 3
!$omp end parallel workshare
  end subroutine
end module
program threads
  use mpi
  use state
  implicit none
  real(8) :: a(6)
  integer :: error
  call mpi_init(error)
  call unrolled(a, 6)
  call shared_out(a, 4)
  call shared_out(a, 5)
  call shared_out(a, 6)
  call atomic(7)
  print *, a, calls, total
  call mpi_finalize(error)
end program
""")
        watched = ("calls", "total", "many", "guarded")
        for flags in (["-fopenmp"], []):
            with self.subTest(flags):
                names = watched if flags else watched[:2]
                done = self.succeed("instrument", "--force", "--functions", "*", *(word for name in names for word in ("--watch", name)), "-o", "copy", "threads.F90",
                                    "--", FC, "-Wall", *flags)
                self.assertIn("'total' is not recorded here: OpenMP prescribes", done.stderr)
                program = self.built("threads", *flags, "copy/threads.F90")
                self.assertEqual(self.printed(program), self.printed(self.built("plain", *flags, "threads.F90")))
                self.succeed("record", "--force", "-o", "t.ww", "--", "mpirun.openmpi", "-n", "1", program)
                rows = self.rows("t.ww")
                of = lambda name: [float(row["value"]) for row in rows if row["kind"] == "value" and row["name"] == name]
                self.assertEqual((of("many"), of("guarded")), ([4, 5, 6], [8, 10]) if flags else ([], []))
                self.assertEqual(len(of("calls")), 8 if flags else 10)
                regions = Counter(row["name"] for row in rows if row["kind"] == "region")
                self.assertEqual(regions, {"threads": 1, "state::unrolled": 1, "state::shared_out": 3, "state::atomic": 1})
                said = {one["name"]: one["count"] for one in self.json_of("report", "t.ww")["diagnostics"]}
                self.assertNotIn("region-left-open", said)

    def test_flags_that_widen_all_reals(self):
        (self.dir / "wide.f90").write_text("program wide\n  use mpi\n  integer :: error\n  real :: x\n  call mpi_init(error)\n  x = 0.25\n  print *, x\n"
                                           "  call mpi_finalize(error)\nend program\n")
        self.succeed("instrument", "--watch", "x", "-o", "copy", "wide.f90", "--", FC, "-fdefault-real-8")
        self.succeed("record", "-o", "w.ww", "--", "mpirun.openmpi", "-n", "1", self.built("wide", "-fdefault-real-8", "copy/wide.f90"))
        self.assertEqual([row["value"] for row in self.rows("w.ww") if row["kind"] == "value"], ["0.25"])

    def test_the_source_that_is_wrong_is_named_and_not_those_that_need_its_module(self):
        (self.dir / "needs.f90").write_text("program needs\n  use broken\n  call work\nend program\n")
        (self.dir / "broken.f90").write_text("module broken\n  implicit none\ncontains\n  subroutine work\n    nowhere = 1\n  end subroutine\nend module\n")
        refused = self.run_whatwire("instrument", "--functions", "*", "-o", "copy", "needs.f90", "broken.f90", "--", FC)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("the source does not compile", refused.stderr)
        self.assertIn("nowhere", refused.stderr)
        self.assertNotIn(".mod", refused.stderr)

    def test_names_that_are_not_there(self):
        (self.dir / "grid.F90").write_text(MODULE)
        for words, nearest in ((("--functions", "stepp"), "did you mean 'step'?"), (("--watch", "stps"), "did you mean 'steps'?"),
                               (("--watch", "steps@iner"), "did you mean 'inner'?")):
            refused = self.run_whatwire("instrument", *words, "-o", "copy", "grid.F90", "--", FC)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(nearest, refused.stderr)
        (self.dir / "bad.f90").write_text("program p\n  x = = 1\nend program\n")
        refused = self.run_whatwire("instrument", "--functions", "*", "-o", "copy", "bad.f90", "--", FC)
        self.assertIn("bad.f90:2", refused.stderr)
        self.assertFalse((self.dir / "copy").exists())
