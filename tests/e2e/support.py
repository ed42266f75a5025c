"""What the end-to-end tests share: running whatwire in a directory of its own."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

WHATWIRE = os.environ["WHATWIRE"]
EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="ww-e2e-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def other_users_only(self, user):
        """Below a folder that only root may enter (a chroot made by mktemp is one) another user cannot start anything."""
        try:
            subprocess.run([WHATWIRE, "--version"], user=user, group=user, extra_groups=[], capture_output=True, check=True)
        except PermissionError:
            self.skipTest("other users may not enter a folder above whatwire's")

    def run_whatwire(self, *arguments, program=WHATWIRE, timeout=400, cwd=None, **more):
        return subprocess.run([str(program), *map(str, arguments)], cwd=cwd or self.dir, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=timeout, **more)

    def succeed(self, *arguments, **more):
        done = self.run_whatwire(*arguments, **more)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def json_of(self, *arguments, **more):
        command, *rest = arguments
        return json.loads(self.succeed(command, "--json", *rest, **more).stdout)

    def shown(self, model, *more):
        return json.loads(self.succeed("machine", "show", model, "--json", *more).stdout)

    def compile(self, source, name, compiler="OPENMPI_CC", *flags):
        (self.dir / f"{name}.c").write_text(source)
        subprocess.run([os.environ[compiler], "-O2", "-o", self.dir / name, self.dir / f"{name}.c", *flags], check=True)
        return f"./{name}"

    def left_behind(self, before):
        return sorted(p.name for p in self.dir.iterdir() if p.name not in before)
