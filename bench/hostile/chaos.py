#!/usr/bin/env python3
"""chaos.py WHATWIRE [--minutes M] [--workers W] [--seed S]

W workers (8) start `record`, `report`, `unify` and `study` at random on the same three names for M minutes (10), and end a third of
them at a random moment with SIGINT, SIGTERM or SIGKILL. A recording is known by the number of its messages, which is another for
each `record` and `study`. What must hold:

 1. no command says "unexpected", ends by a signal that it was not sent, or with a code other than 0, 1 and 130; 130 only if it was
    sent SIGINT or SIGTERM
 2. `report` gives the numbers of a recording that was made under this name: all of its messages, or of one that was interrupted no
    more than it has; where it gives none it says one of the sentences below
 3. a command that was sent nothing fails with one of the sentences below only
 4. once `record` or `study` has exited with 0 its result is there whole, under NAME or as NAME.old, until a later one has taken that
    place: after any command on it, whatever was killed, the newest such result or one begun after it has the name
 5. at the end each name reports, everything that was recorded whole and has not been replaced is whole, and no process of ours
    is left

Prints one JSON object; exits with 1 if anything of this did not hold.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("whatwire", type=pathlib.Path)
parser.add_argument("--minutes", type=float, default=10)
parser.add_argument("--workers", type=int, default=8)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--mpicc", default="mpicc.openmpi")
parser.add_argument("--mpirun", default="mpirun.openmpi")
options = parser.parse_args()
options.whatwire = options.whatwire.resolve()

PLAIN = {
    "report": ["it is still being recorded", "no such trace", "the program still runs", "nothing was recorded",
               "neither an archive nor a spool", "not a trace directory"],
    "unify": ["it is still being recorded", "nothing to unify", "the program still runs", "nothing was recorded",
              "no such trace", "neither an archive nor a spool"],
    "record": ["another whatwire is writing it"],
    "study": ["another whatwire is writing it"],
}
SOURCE = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, n = atoi(argv[1]), x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; ++i)
    if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
"""
place = pathlib.Path(tempfile.mkdtemp(prefix="ww-chaos-"))
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", TMPDIR=str(place / "tmp"),
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")
NAMES = ["a.ww", "b.ww", "c.study"]
lock = threading.Lock()
broken, counts, next_messages = [], collections.Counter(), [10]
begun = {name: {} for name in NAMES}  # messages: when its command was started
whole = {name: [] for name in NAMES}  # (when its command was started, when it had ended, messages), of those that exited with 0


def breaks(what, line, code, output):
    with lock:
        broken.append(f"{what}: {' '.join(map(str, line))}: exit {code}: {output.strip()[-600:]}")
        print(broken[-1], file=sys.stderr, flush=True)


def start(verb, line, kill):
    """Its exit code, what it printed, what it said, and the signal that it was sent."""
    process = subprocess.Popen([str(options.whatwire), *map(str, line)], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    sent = None
    if kill is not None:
        try:
            process.wait(kill[0])
        except subprocess.TimeoutExpired:
            sent = kill[1]
            process.send_signal(sent)
    try:
        printed, said = process.communicate(timeout=150)
    except subprocess.TimeoutExpired:
        breaks("hangs", line, "none", "")
        os.killpg(process.pid, signal.SIGKILL)
        printed, said = process.communicate()
    # the launcher of a recorder that was killed runs on
    if sent == signal.SIGKILL:
        try:
            os.killpg(process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
    code = process.returncode
    with lock:
        counts[verb, "killed" if sent == signal.SIGKILL else "interrupted" if sent else "left alone", code] += 1
    if "unexpected" in said or "internal error" in said or "Traceback" in said:
        breaks("says unexpected", line, code, said)
    allowed = {None: (0, 1), signal.SIGKILL: (-9, 0, 1)}.get(sent, (0, 1, 130, -sent if sent else 0))
    if code not in allowed:
        breaks("wrong exit code", line, code, said)
    if sent is None and code == 1 and not any(plain in said for plain in PLAIN[verb]):
        breaks("fails though nobody ended it", line, code, said)
    return code, printed, said, sent


def messages_of(text):
    said = json.loads(text)
    return sum(rank["messages_sent"] for rank in said["ranks"])


def trace_in(name):
    return f"{name}/recorded-1.ww" if name.endswith(".study") else name


def record(name, kill):
    with lock:
        next_messages[0] += 1
        messages = next_messages[0]
        begun[name][messages] = time.monotonic()
    began = time.monotonic()
    program = [options.mpirun, "-n", "2", "./program", messages]
    if name.endswith(".study"):
        line = ["study", "-o", name, "--machine", "machine.json", "--no-dilate", "--no-virtual", "--repeat", "1", "--", *program]
    else:
        line = ["record", "-o", name, "--", *program]
    code, _, said, _ = start(line[0], line, kill)
    if code == 0:
        with lock:
            whole[name].append((began, time.monotonic(), messages))


def judge(name, code, printed, said, line, asked):
    """What `report` says of a name that was asked at this time."""
    with lock:
        due = [one for one in whole[name] if one[1] < asked]
    if code == 0:
        messages = messages_of(printed)
        with lock:
            is_one = messages in begun[name] or any(messages <= known for known in begun[name])
        if not is_one:
            breaks("numbers of no recording", line, code, f"{messages} messages")
        return messages
    if code == 1 and due and ("no such trace" in said or "neither" in said):
        breaks("a whole result is lost", line, code, f"{said} {due[-1]}")
    return None


def report(name, kill):
    asked = time.monotonic()
    line = ["report", "--json", trace_in(name)]
    code, printed, said, sent = start("report", line, kill)
    if sent is None:
        judge(name, code, printed, said, line, asked)


def unify(name, kill):
    start("unify", ["unify", trace_in(name)], kill)


def work(seed, until):
    dice = random.Random(seed)
    while time.monotonic() < until:
        name = dice.choice(NAMES)
        verb = dice.choices([record, report, unify], [3, 4, 2])[0]
        kill = None
        if dice.random() < 1 / 3:
            kill = (dice.uniform(0, 2.5 if verb is record else 0.2), dice.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
        try:
            verb(name, kill)
        except Exception as wrong:  # a bench that breaks says so
            breaks("the bench itself", [verb.__name__, name], "none", repr(wrong))


def at_the_end():
    """Every whole result that no later one has replaced, and what has its name, reports."""
    for name in NAMES:
        found = {}
        for path in sorted(place.glob(name + "*")):
            trace = trace_in(path.name) if name.endswith(".ww") else f"{path.name}/recorded-1.ww"
            if not (place / trace).exists():
                continue
            line = ["report", "--json", trace]
            code, printed, said, _ = start("report", line, None)
            if code == 0:
                found[messages_of(printed)] = path.name
        if not whole[name]:
            continue
        newest = max(whole[name], key=lambda one: one[1])[2]
        if newest not in found:
            breaks("a whole result is lost at the end", [name], "none", f"{newest} messages; there are {found}")
        elif found[newest] != name:
            breaks("a whole result lost its name", [name], "none", f"{newest} messages; there are {found}")


try:
    (place / "tmp").mkdir()
    (place / "program.c").write_text(SOURCE)
    subprocess.run([options.mpicc, "-O1", "-o", place / "program", place / "program.c"], check=True, env=dict(environment, TMPDIR="/tmp"))
    machine = json.loads(subprocess.run([str(options.whatwire), "machine", "show", "loggops-default", "--json"], capture_output=True,
                                        text=True, check=True).stdout)
    machine["links"].append(dict(machine["links"][0], between="intra"))  # so that studies need not measure
    (place / "machine.json").write_text(json.dumps(machine))
    until = time.monotonic() + options.minutes * 60
    workers = [threading.Thread(target=work, args=(options.seed * 1000 + i, until)) for i in range(options.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    time.sleep(3)  # for what the killed left running
    at_the_end()
finally:
    shutil.rmtree(place, ignore_errors=True)
table = collections.defaultdict(dict)
for (verb, how, code), many in sorted(counts.items(), key=str):
    table[f"{verb}, {how}"][str(code)] = many
print(json.dumps({"minutes": options.minutes, "commands": sum(counts.values()), "exit_codes": table,
                  "whole_results": {name: len(ones) for name, ones in whole.items()}, "broken": len(broken), "first": broken[:20]}, indent=1))
sys.exit(1 if broken else 0)
