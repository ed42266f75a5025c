"""However a lab ends, exactly what ran on its hosts ends with it: nothing of it is left, and nothing else is touched."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from support import WHATWIRE, Case

OTHER_USER, STRANGER = 65531, 65532  # nobody has these


def until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def processes(text, command=None):
    """The processes whose command line has this text in it, and whose program has this name."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if text in line and command in (None, (entry / "comm").read_text().strip()):
                    found.append(int(entry.name))
    return found


def links():
    return subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout.count("\n")


class LabCase(Case):
    user = None  # who runs whatwire

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("not root")
        self.made = []
        self.addCleanup(self.end_labs)
        self.environment = {key: value for key, value in os.environ.items() if key != "XDG_RUNTIME_DIR"}

    def ww(self, *arguments, **more):
        return self.run_whatwire(*arguments, env=self.environment, user=self.user, group=self.user,
                                 extra_groups=None if self.user is None else [], **more)

    def name(self, what):
        name = f"lab{what}{os.getpid() % 100000}"
        self.made.append(name)
        return name

    def up(self, name, *more):
        done = self.ww("lab", "up", "--rate", "none", "--name", name, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name

    def end_labs(self):
        for name in self.made:
            self.ww("lab", "down", "--name", name)

    def state(self, name):
        return json.loads(self.ww("lab", "status", "--json", "--name", name).stdout)

    # Where its files are: found by its switch, which names its directory.
    def directory(self, name):
        pid = self.state(name)["switch"]["pid"]
        return pathlib.Path(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[1].decode())

    # A program on all hosts of the lab. `mark` is in its command line.
    def start(self, name, mark, script="sleep {mark}"):
        # A session of its own, so that nothing that is sent to the test's group ends it.
        job = subprocess.Popen([WHATWIRE, "lab", "run", "--name", name, "--", "mpirun.openmpi", "-n", "2", "sh", "-c",
                                script.format(mark=mark)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, cwd=self.dir, env=self.environment, start_new_session=True,
                               user=self.user, group=self.user, extra_groups=None if self.user is None else [])
        self.addCleanup(self.end, job)
        self.assertTrue(until(lambda: len(self.sleepers(mark)) >= 2, 30), "the program does not start")
        return job

    def end(self, job):
        with contextlib.suppress(OSError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()

    def sleepers(self, mark):
        return processes(f"sleep {mark}", "sleep")

    def mark(self, number):
        return f"{7000 + number}.{os.getpid()}"  # seconds that nobody else sleeps


class LabEnds(LabCase):
    def test_a_lab_that_died_takes_no_other_with_it(self):
        """The numbers of namespaces recur at once: a new lab has some of the one that has just died."""
        first, second = self.name("a"), self.name("b")

        def numbers(name):
            return {os.stat(host["namespace"]).st_ino for host in self.state(name)["hosts"]}

        self.up(first)
        dead = numbers(first)
        pid = self.state(first)["switch"]["pid"]
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(until(lambda: not pathlib.Path(f"/proc/{pid}").exists()))
        for _ in range(10):
            time.sleep(0.5)  # until the kernel has taken its networks away
            self.up(second)
            if numbers(second) & dead:
                break
            self.ww("lab", "down", "--name", second)
        else:
            self.skipTest("no number recurred")
        job = self.start(second, self.mark(1))
        self.ww("lab", "status")  # finds the first one dead
        self.ww("lab", "status", "--name", first)
        time.sleep(1)
        self.assertIsNone(job.poll(), "another lab's program was ended")
        self.assertGreaterEqual(len(self.sleepers(self.mark(1))), 2)
        self.assertEqual(self.ww("lab", "status", "--name", second).returncode, 0)

    def test_a_dead_labs_state_that_names_another_labs_processes(self):
        first, second = self.name("a"), self.name("b")
        self.up(first)
        self.up(second)
        job = self.start(second, self.mark(2))
        directory = self.directory(first)
        os.kill(self.state(first)["switch"]["pid"], signal.SIGKILL)
        time.sleep(0.5)
        (directory / "running.json").write_text((self.directory(second) / "running.json").read_text())
        done = self.ww("lab", "status", "--name", first)
        self.assertEqual(done.returncode, 1)
        time.sleep(1)
        self.assertIsNone(job.poll(), "another lab's program was ended")
        self.assertGreaterEqual(len(self.sleepers(self.mark(2))), 2)
        self.assertFalse(directory.exists(), "the dead one is cleaned away")

    def test_what_is_no_lab_is_left_alone(self):
        """A directory among the labs that whatwire did not make: refused, with all that is in it."""
        name = self.up(self.name("x"))
        victim = self.directory(name).parent / self.name("mine")
        victim.mkdir()
        self.addCleanup(lambda: [subprocess.run(["rm", "-r", str(victim)])])
        for file in ("thesis.txt", "lab.json", "running.json"):
            (victim / file).write_text("{}")
        for command in (("status",), ("down",), ("rate", "1Mb/s"), ("up", "--rate", "1Mb/s")):
            done = self.ww("lab", *command, "--name", victim.name)
            self.assertEqual(done.returncode, 1, f"{command}: {done.stdout}")
            self.assertIn("it is left alone", done.stderr)
        self.ww("lab", "status")
        self.assertEqual(sorted(p.name for p in victim.iterdir()), ["lab.json", "running.json", "thesis.txt"])

    def test_programs_that_hide_end_with_their_lab(self):
        """A daemon in a session and a network of its own is still of this lab."""
        before = links()
        name = self.up(self.name("d"))
        directory, mark = self.directory(name), self.mark(3)
        job = self.start(name, mark, "setsid unshare --net sleep {mark} & sleep {mark}")
        self.assertTrue(until(lambda: len(self.sleepers(mark)) >= 4), "two and two daemons")
        self.assertEqual(self.ww("lab", "down", "--name", name).returncode, 0)
        self.assertEqual(self.sleepers(mark), [])
        self.assertTrue(until(lambda: job.poll() is not None))
        self.nothing_left(name, directory, before)

    def test_the_switch_is_killed(self):
        """No command is needed then: the kernel ends what ran there."""
        before = links()
        name = self.up(self.name("k"))
        directory, mark = self.directory(name), self.mark(4)
        job = self.start(name, mark, "setsid sleep {mark} & sleep {mark}")
        os.kill(self.state(name)["switch"]["pid"], signal.SIGKILL)
        self.assertTrue(until(lambda: not self.sleepers(mark)), "programs outlive their lab")
        self.assertTrue(until(lambda: job.poll() is not None))
        done = self.ww("lab", "status", "--name", name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has died", done.stderr)
        self.nothing_left(name, directory, before)
        self.assertEqual(self.ww("lab", "down", "--name", name).returncode, 1)
        self.assertEqual(self.ww("lab", "status", "--name", name).returncode, 1)

    def test_a_dead_lab_is_cleaned_away_by_the_next_one(self):
        first = self.up(self.name("a"))
        directory = self.directory(first)
        os.kill(self.state(first)["switch"]["pid"], signal.SIGKILL)
        time.sleep(0.3)
        self.up(self.name("b"))
        self.assertFalse(directory.exists())

    def test_up_is_killed(self):
        before = links()
        name = self.name("u")
        for after_ms in (1, 5, 10, 20, 40, 80, 160):
            up = subprocess.Popen([WHATWIRE, "lab", "up", "--hosts", "8", "--rate", "10Mb/s", "--name", name],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
            time.sleep(after_ms / 1000)
            up.kill()
            up.wait()
            # A switch that had nobody to tell ends by itself; one that was complete is a lab.
            time.sleep(0.5)
            self.ww("lab", "down", "--name", name)
            self.assertEqual(self.ww("lab", "status", "--name", name).returncode, 1, after_ms)
            self.assertTrue(until(lambda: not processes(f"/{name}")), after_ms)
        self.up(name, "--hosts", "2")
        directory = self.directory(name)
        self.assertEqual(self.ww("lab", "down", "--name", name).returncode, 0)
        self.nothing_left(name, directory, before)

    def test_two_at_once(self):
        """Of two that make a lab of one name one succeeds, of two that take it away, too; two names do not meet."""
        before = links()
        name, other = self.name("t"), self.name("o")

        def both(*commands):
            started = [subprocess.Popen([WHATWIRE, "lab", *c], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=self.environment) for c in commands]
            return sorted(p.wait() for p in started)

        up, down = ("up", "--rate", "none", "--name"), ("down", "--name")
        self.assertEqual(both((*up, name), (*up, name)), [0, 1])
        self.assertEqual(both((*up, other), ("status", "--name", name)), [0, 0])
        directory = self.directory(name)
        self.assertNotEqual(self.state(name)["wire_subnet"], self.state(other)["wire_subnet"])
        self.assertEqual(both((*down, name), (*down, name)), [0, 1])
        self.assertEqual(self.ww("lab", "status", "--name", other).returncode, 0)
        self.assertEqual(both((*down, other), (*down, name)), [0, 1])
        self.nothing_left(name, directory, before)

    def test_an_interrupted_run_leaves_no_rank(self):
        name = self.up(self.name("i"))
        for number, how in ((5, signal.SIGINT), (6, signal.SIGTERM)):
            job = self.start(name, self.mark(number))
            os.kill(job.pid, how)
            self.assertTrue(until(lambda: job.poll() is not None, 20), how)
            self.assertTrue(until(lambda: not self.sleepers(self.mark(number))), how)
        self.assertEqual(self.ww("lab", "run", "--name", name, "--", "mpirun.openmpi", "-n", "2", "true").returncode, 0)

    def nothing_left(self, name, directory, links_before):
        self.assertFalse(directory.exists())
        self.assertEqual(processes(f"/{name}"), [])
        self.assertTrue(until(lambda: links() == links_before))


class LabsOfUsers(LabCase):
    """What stands in a directory of labs is believed, so that nobody else may have put it there."""
    user = OTHER_USER
    place = pathlib.Path(f"/tmp/whatwire-{OTHER_USER}")

    def setUp(self):
        if self.place.is_symlink() or self.place.exists():
            self.skipTest(f"{self.place} is there")
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", "--one-file-system", str(self.place)]))
        super().setUp()
        self.other_users_only(self.user)

    def session(self, mode=0o700):
        session = pathlib.Path(tempfile.mkdtemp(prefix="ww-session-"))
        self.addCleanup(lambda: subprocess.run(["rm", "-r", str(session)]))
        os.chown(session, self.user, self.user)
        session.chmod(mode)
        self.environment["XDG_RUNTIME_DIR"] = str(session)
        return session

    def test_a_planted_directory_is_refused(self):
        """As of a lab that died, whose programs are to be ended: those of the namespace that all live in."""
        victim = subprocess.Popen(["sleep", "60"], user=self.user, group=self.user, extra_groups=[])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        planted = self.place / "evil"
        planted.mkdir(parents=True)
        inode = os.stat("/proc/self/ns/net").st_ino
        (planted / "lab.json").write_text(json.dumps({
            "name": "evil", "wire_subnet": "10.77.0.0/24", "management_subnet": "10.78.0.0/24", "hosts": [],
            "wire": {"kind": "switch", "rate_bytes_per_s": 0, "delay_s": 0}}))
        (planted / "running.json").write_text(json.dumps({
            "pid": 1, "own_user_namespace": False, "namespaces": ["/proc/1/ns/net"], "inodes": [inode]}))
        for path in (self.place, planted, *planted.iterdir()):
            os.chown(path, STRANGER, STRANGER)
            path.chmod(0o777)
        for command in (("status",), ("status", "--name", "evil"), ("down", "--name", "evil"), ("down", "--all"),
                        ("up", "--rate", "none", "--wire", "tbf", "--name", "new")):
            done = self.ww("lab", *command)
            self.assertIsNone(victim.poll(), f"{command} ended a process")
            self.assertEqual(done.returncode, 1, f"{command}: {done.stdout}{done.stderr}")
            self.assertIn(f"belongs to user {STRANGER}", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(sorted(p.name for p in planted.iterdir()), ["lab.json", "running.json"])
        # The remedy that it names.
        self.session()
        self.assertEqual(self.ww("lab", "status").stdout, "no lab is up\n")

    def test_a_link_is_refused(self):
        target = self.session()
        del self.environment["XDG_RUNTIME_DIR"]
        (target / "thesis.txt").write_text("mine")
        self.place.symlink_to(target)
        done = self.ww("lab", "up", "--rate", "none", "--wire", "tbf", "--name", self.name("l"))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("link", done.stderr)
        self.assertEqual([p.name for p in target.iterdir()], ["thesis.txt"])

    def test_the_session_comes_first_and_its_labs_are_found_without_it(self):
        probe = self.ww("lab", "up", "--rate", "none", "--wire", "tbf", "--name", self.name("p"))
        if probe.returncode != 0:
            self.skipTest(probe.stderr)
        self.assertEqual(oct(self.place.stat().st_mode & 0o777), oct(0o700))
        session = self.session()
        self.assertEqual(self.ww("lab", "status", "--name", self.made[-1]).returncode, 0, "from before the session")
        name = self.name("s")
        self.up(name, "--wire", "tbf")
        self.assertEqual(self.directory(name), session / "whatwire" / name)
        self.assertEqual(self.ww("lab", "down", "--all").returncode, 0)
        self.assertEqual(self.ww("lab", "status").stdout, "no lab is up\n")

    def test_a_session_that_is_open_to_others_is_not_used(self):
        session = self.session(0o755)
        self.ww("lab", "up", "--rate", "none", "--wire", "tbf", "--name", self.name("p"))
        self.assertEqual(list(session.iterdir()), [])

    def test_an_ordinary_users_lab_works_and_ends(self):
        name = self.name("o")
        probe = self.ww("lab", "up", "--rate", "100Mb/s", "--wire", "tbf", "--name", name)
        if probe.returncode != 0:
            self.skipTest(probe.stderr)
        os.chown(self.dir, self.user, self.user)
        done = self.ww("lab", "run", "--name", name, "--", "mpirun.openmpi", "-n", "2", "hostname")
        self.assertEqual(sorted(done.stdout.split()), [f"ww{name}-h0", f"ww{name}-h1"], done.stderr)
        job = self.start(name, self.mark(7), "setsid sleep {mark} & sleep {mark}")
        self.assertEqual(self.ww("lab", "down", "--name", name).returncode, 0)
        self.assertEqual(self.sleepers(self.mark(7)), [])
        self.assertTrue(until(lambda: job.poll() is not None))


if __name__ == "__main__":
    unittest.main()
