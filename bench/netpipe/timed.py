#!/usr/bin/env python3
"""timed.py WHATWIRE LAB COMMANDS: runs each of COMMANDS (JSON, a list of lists of words) and prints for each, as JSON, {"exit_code",
"said", "elapsed_s", "foreign"}, foreign: how many processors the rest of the machine used meanwhile, that is all but the command, its
descendants and the lab's switch."""
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

whatwire, lab, commands = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
PR_SET_CHILD_SUBREAPER = 36
# Open MPI's daemons leave their parent: with this they become ours, and what they used is counted when they end.
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def busy_s():
    """user, nice, system, irq and softirq of all processors (proc(5))."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(int(fields[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")


def own_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run([whatwire, "lab", "status", "--json", "--name", lab], capture_output=True, text=True, check=True)
    lab_now = json.loads(status.stdout)
    # ... but those in the lab, which has a PID namespace, become its first process's.
    return used.ru_utime + used.ru_stime + lab_now["switch"]["cpu_s"] + lab_now["programs"]["orphans_cpu_s"]


def timed(command):
    own, busy, begin = own_s(), busy_s(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    elapsed, busy, own = time.monotonic() - begin, busy_s() - busy, own_s() - own
    return {"exit_code": done.returncode, "said": done.stdout + done.stderr, "elapsed_s": elapsed, "foreign": (busy - own) / elapsed}


print(json.dumps([timed(command) for command in commands]))
