"""A virtual machine of PVM's on this host alone, beside whatever else runs here: daemon and sockets in a directory of its own."""
import os
import shutil
import subprocess
import tempfile


class Machine:
    """`with Machine(programs) as machine: machine.environment`: spawned programs are looked for in the directories `programs`, the group server where Debian has it.
    They run in HOME, and have of `environment` what the daemon has."""

    def __init__(self, *programs, environment=()):
        self.place = tempfile.mkdtemp(prefix="pvm-", dir="/tmp")  # PVM has room for short paths only
        self.environment = dict(os.environ, PVM_ROOT="/usr/lib/pvm3", PVM_TMP=self.place, PVM_ALLOW_ROOT="1", PVM_PATH=":".join([*programs, "/usr/lib/pvm3/lib"]), **dict(environment))
        for name in ("PVM_EXPORT", "PVM_VMID", "PVMSOCK"):
            self.environment.pop(name, None)

    def console(self, command):
        return subprocess.run(["/usr/lib/pvm3/lib/pvm"] if not shutil.which("pvm") else ["pvm"], input=command + "\n", env=self.environment, capture_output=True,
                              text=True, timeout=60)

    def __enter__(self):
        started = self.console("quit")
        if not os.path.exists(os.path.join(self.place, f"pvmd.{os.getuid()}")):
            self.__exit__()
            raise RuntimeError(f"no daemon: {started.stdout}{started.stderr}")
        return self

    def __exit__(self, *_):
        self.console("halt")
        shutil.rmtree(self.place, ignore_errors=True)
