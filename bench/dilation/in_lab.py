"""What the benches of dilation share: whatwire in a lab that goes with them, and a model of it."""
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path


class InLab:
    """With it as W: `W.whatwire(...)` gives what the command printed, `W.place` is where files go (`keep`, or until the end), `W.name` is a
    lab with two hosts at that rate, taken away at the end, by SIGTERM too."""

    def __init__(self, program, rate="10Mb/s", keep=None, wire="switch"):
        self.program, self.rate, self.keep, self.wire = program, rate, keep, wire
        self.name = f"bench{os.getpid() % 100000}"
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))
        self.temporary = tempfile.TemporaryDirectory()
        self.place = self.keep or Path(self.temporary.name)
        self.place.mkdir(parents=True, exist_ok=True)
        self.whatwire("lab", "up", "--name", self.name, "--hosts", 2, "--rate", self.rate, "--wire", self.wire)
        return self

    def __exit__(self, *_):
        subprocess.run([self.program, "lab", "down", "--name", self.name], capture_output=True, env=self.environment)
        self.temporary.cleanup()

    def whatwire(self, *arguments):
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, stdin=subprocess.DEVNULL, timeout=1800)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def model(self):
        """Of the lab's rate; one that `keep` has is not measured again."""
        model = self.place / "machine.json"
        if not model.exists():
            self.whatwire("measure", "--lab", self.name, "-o", model, "--", "mpirun", "-n", 2)
        return model

    def study(self, name, line, *options):
        """study.json of the line on two ranks."""
        study = self.place / f"{name}.study"
        self.whatwire("study", "--force", "--lab", self.name, "--machine", self.model(), *options, "-o", study, "--", "mpirun", "-n", 2, *line)
        return json.loads((study / "study.json").read_text())
