"""What `whatwire doctor` says is what then happens: to root, to an ordinary user, and in a container that may do nothing. Expected is
what the commands themselves do under the same conditions."""
import json
import os
import pathlib
import subprocess
import time

from support import WHATWIRE, Case

OTHER_USER = 65531  # nobody has it


class Doctor(Case):
    def setUp(self):
        super().setUp()
        self.dir.chmod(0o777)
        self.environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}
        self.environment["TMPDIR"] = str(self.dir)
        self.prefix, self.user = [], None

    def ww(self, *arguments):
        as_user = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        return subprocess.run([*self.prefix, WHATWIRE, *arguments], cwd=self.dir, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=200, env=self.environment, **as_user)

    def root_only(self):
        if os.geteuid() != 0:
            self.skipTest("not root")

    def checks(self):
        done = self.ww("doctor", "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual(said["complete"], done.returncode == 0)
        for check in said["checks"]:
            self.assertEqual(check["remedy"] == "", check["state"] == "ok", check)
        return said["checks"]

    def one(self, checks, subject):
        found = [c for c in checks if c["subject"] == subject]
        self.assertEqual(len(found), 1, f"{subject} in {checks}")
        return found[0]

    # The words about labs, and what `lab up` makes of the same wish.
    def check_labs(self, checks):
        works = {}
        for subject, wire in (("lab", "switch"), ("lab (kernel)", "kernel"), ("lab (tbf)", "tbf")):
            check = self.one(checks, subject)
            name = f"labdoc{os.getpid() % 100000}"
            up = self.ww("lab", "up", "--rate", "none", "--wire", wire, "--name", name)
            works[wire] = up.returncode == 0
            if works[wire]:
                self.ww("lab", "down", "--name", name)
                self.assertTrue(check["found"].startswith("two hosts made and removed"), check)
            else:
                self.assertIn(f"{check['found']}; {check['remedy']}", up.stderr)
                self.assertEqual(check["state"], "limited")
        return works

    def nothing_left(self):
        self.assertEqual([p.name for p in self.dir.iterdir() if "doctor" in p.name], [])
        self.assertNotIn("doctor", self.ww("lab", "status").stdout)

    def test_root(self):
        self.root_only()
        begin = time.monotonic()
        checks = self.checks()
        print(f"doctor took {time.monotonic() - begin:.1f} s")
        works = self.check_labs(checks)
        for check in checks:
            if check["subject"] == "recording":
                self.assertEqual(check["state"], "ok", check)
        self.assertEqual(len([c for c in checks if c["subject"] == "recording"]), 2, "both MPIs")
        if works["switch"]:
            self.assertIn("Open MPI and MPICH ran on them", self.one(checks, "lab")["found"])
        self.nothing_left()

    def test_an_ordinary_user(self):
        self.root_only()
        self.other_users_only(OTHER_USER)
        self.user = OTHER_USER
        runtime = pathlib.Path(f"/tmp/whatwire-{OTHER_USER}")
        if runtime.exists():
            self.skipTest(f"{runtime} is there")
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", "--one-file-system", str(runtime)]))
        checks = self.checks()
        works = self.check_labs(checks)
        if not os.stat("/dev/net/tun").st_mode & 0o006:
            self.assertFalse(works["switch"])
            self.assertIn("--wire tbf", self.one(checks, "lab")["remedy"])
        self.nothing_left()

    def test_root_without_a_right(self):
        """As in a container that was not given any."""
        self.root_only()
        self.prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
        checks = self.checks()
        self.assertEqual(self.check_labs(checks), {"switch": False, "kernel": False, "tbf": False})
        self.assertEqual(self.one(checks, "namespaces")["state"], "limited")
        self.assertIn("--privileged", self.one(checks, "namespaces")["remedy"])
        self.nothing_left()

    def test_an_ordinary_user_without_user_namespaces(self):
        """Whose kernel or container allows none: here because there may be none below a process in a chroot."""
        self.root_only()
        self.other_users_only(OTHER_USER)
        root = self.dir / "root"
        root.mkdir()
        # user_namespaces(7): EPERM if the caller is in a chroot, i.e. its root directory is not that of its mount namespace.
        mounted = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c",
                                  f"mount --rbind / {root} && exec chroot --userspec={OTHER_USER}:{OTHER_USER} {root} "
                                  f"env TMPDIR=/tmp {WHATWIRE} doctor --json"], capture_output=True, text=True,
                                 env=self.environment, stdin=subprocess.DEVNULL, timeout=200)
        checks = json.loads(mounted.stdout)["checks"]
        for subject in ("namespaces", "lab", "lab (kernel)", "lab (tbf)"):
            self.assertEqual(self.one(checks, subject)["state"], "limited", checks)
            self.assertIn("cannot make namespaces", self.one(checks, subject)["found"])

    def test_an_mpi_that_does_not_run(self):
        """Its launcher is there and gives its version; nothing else works."""
        fake = self.dir / "bin"
        fake.mkdir()
        (fake / "mpirun.openmpi").write_text("#!/bin/sh\n"
                                             "case $1 in --version) echo 'mpirun (Open MPI) 4.1.4';; "
                                             "*) echo '-----' >&2; echo 'no orted: exec format error' >&2; exit 1;; esac\n")
        (fake / "mpirun.openmpi").chmod(0o755)
        self.environment["PATH"] = f"{fake}:{self.environment['PATH']}"
        checks = self.checks()
        recordings = [c for c in checks if c["subject"] == "recording"]
        self.assertEqual([c["state"] for c in recordings], ["limited", "ok"], recordings)
        self.assertIn("two ranks of Open MPI do not run: no orted: exec format error", recordings[0]["found"])
        self.assertNotIn("Open MPI ran", self.one(checks, "lab")["found"])
        self.nothing_left()
