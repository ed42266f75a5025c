#!/usr/bin/env python3
"""The grid of truth. run.py WHATWIRE -o FILE.jsonl --programs FILE [options]
Every program x change of the wire x TCP of the hosts x MPI library x number of hosts is one cell: recorded on the one wire of a lab, predicted for the
other by simulation, by dilation and in virtual time, and run on the other (`whatwire study --lab`), each --rounds times. One line of JSON a cell, as soon as it
is there; cells that the file has are not run again, so that an interrupted grid goes on. `page.py FILE.jsonl` makes docs/truth.md of it.

FILE of programs: a line each, NAME LIBRARY RANKS COMMAND [ARGUMENT...], LIBRARY openmpi or mpich, RANKS how many, on as many hosts; # begins a comment.
Of PVM LIBRARY is pvm or pvm-direct, by the route of its messages: not dilated, and without --libraries not run.
Programs of others are fetched into a folder outside this repository, and named by this file alone.

A machine model is measured for each wire, library, TCP and number of hosts (45 s; --quick 8 s). What used more than --foreign processors beside a study is
told in its cell and run again, up to --tries times; the least disturbed counts.

--burn SHARE is a disturbed hour: during every study another process takes that share of a core, a few milliseconds at a time, on any core. The models are those of
a quiet hour. Its cells say so ("burn"), and whether the study did ("said": the diagnostic `times-disturbed`)."""
import argparse
import json
import os
import random
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# name: base rate, base delay in us, rate factor, new delay in us. Rates alone first, then the delay, then both.
CHANGES = {
    "10 to 100 Mb/s": ("10Mb/s", 0, 10, 0),
    # Of the slow wires, which are run where asked for: where four hosts have time enough on two cores, or two on slow ones.
    "1 to 10 Mb/s": ("1Mb/s", 0, 10, 0),
    "3 to 30 Mb/s": ("3Mb/s", 0, 10, 0),
    "5 to 50 Mb/s": ("5Mb/s", 0, 10, 0),
    "30 to 3 Mb/s": ("30Mb/s", 0, 0.1, 0),
    "30 Mb/s, 1 ms to 10 us": ("30Mb/s", 1000, 1, 10),
    "30 Mb/s, 10 us to 1 ms": ("30Mb/s", 10, 1, 1000),
    "100 to 10 Mb/s": ("100Mb/s", 0, 0.1, 0),
    "100 to 1000 Mb/s": ("100Mb/s", 0, 10, 0),
    "1 ms to 10 us": ("100Mb/s", 1000, 1, 10),
    "10 us to 1 ms": ("100Mb/s", 10, 1, 1000),
    "10 Mb/s, 1 ms to 100 Mb/s, 10 us": ("10Mb/s", 1000, 10, 10),
}
SLOW = ("1 to 10 Mb/s", "3 to 30 Mb/s", "5 to 50 Mb/s", "30 to 3 Mb/s", "30 Mb/s, 1 ms to 10 us", "30 Mb/s, 10 us to 1 ms")
LAUNCHERS = {"openmpi": ["mpirun.openmpi"], "mpich": ["mpirun.mpich"]}
# Programs of PVM start their tasks themselves. Ours (src/mpi_by_pvm) take the variable DIRECT, others set the route as they like.
ROUTES = {"pvm": [], "pvm-direct": ["--direct-route"]}
TIMED = Path(__file__).resolve().parent.parent / "netpipe" / "timed.py"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("-o", "--output", type=Path, required=True)
parser.add_argument("--programs", type=Path, required=True)
parser.add_argument("--only", nargs="+", help="programs by name")
parser.add_argument("--changes", nargs="+", default=[change for change in CHANGES if change not in SLOW], choices=[*CHANGES])
parser.add_argument("--tcp", nargs="+", default=["steady", "default"], choices=["steady", "default"])
parser.add_argument("--libraries", nargs="+", default=[*LAUNCHERS], choices=[*LAUNCHERS, *ROUTES])
parser.add_argument("--hosts", nargs="+", type=int, default=[2])
parser.add_argument("--wire", default="switch", choices=["switch", "kernel", "tbf"], help="the lab's: its own switch, or the kernel's token bucket, which has no delay")
parser.add_argument("--at-once", type=int, default=1, help="frames of a stream that hosts of the lab hand over together")
parser.add_argument("--cores", default="awake", choices=["awake", "machine"], help="of the lab's hosts while nothing runs: pages before docs/truth-awake.md are of machine")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--keep", type=Path, help="models and studies stay in this directory; models that are there are not measured again")
parser.add_argument("--quick", action="store_true", help="quick measurements of the machine")
parser.add_argument("--budget", type=float, help="seconds of each measurement of the machine; on slow wires sizes take seconds each")
parser.add_argument("--foreign", type=float, default=0.04, help="processors that others may use during a study")
parser.add_argument("--tries", type=int, default=2)
parser.add_argument("--burn", type=float, default=0, help="share of a core that another process takes during the studies")
options = parser.parse_args()
if options.wire == "tbf":
    options.changes = [change for change in options.changes if CHANGES[change][1] == CHANGES[change][3] == 0]
signal.signal(signal.SIGTERM, lambda *_: sys.exit("interrupted"))  # so that the lab goes
LAB = f"truth{os.getpid() % 100000}"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


class Failed(Exception):
    pass


def run(command, limit_s=1800):
    command = [*map(str, command)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=limit_s)
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def burn(share):
    """Takes so much of a core for ever, in pieces of 1 to 5 ms."""
    while True:
        busy_s = random.uniform(0.001, 0.005)
        until = time.monotonic() + busy_s
        while time.monotonic() < until:
            pass
        time.sleep(busy_s * (1 - share) / share)


class Burning:
    def __enter__(self):
        self.child = os.fork() if options.burn > 0 else None
        if self.child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            burn(options.burn)

    def __exit__(self, *_):
        if self.child:
            os.kill(self.child, signal.SIGTERM)
            os.waitpid(self.child, 0)


def whatwire(*arguments):
    return run([options.whatwire, *arguments])


def programs():
    for line in options.programs.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words and words[1] in options.libraries and int(words[2]) in options.hosts and (not options.only or words[0] in options.only):
            yield {"program": words[0], "library": words[1], "hosts": int(words[2]), "command": words[3:]}


def launch(program):
    if program["library"] in ROUTES:
        return [*(["env", "DIRECT=1"] if ROUTES[program["library"]] else []), *program["command"]]
    return [*LAUNCHERS[program["library"]], "-n", str(program["hosts"]), *program["command"]]


def model_of(place, library, hosts, tcp, wire):
    file = place / f"machine-{library}-{hosts}-{tcp}-{'-'.join(map(str, wire)).replace('/', '')}.json"
    if not file.exists():
        whatwire("measure", *(["--quick"] if options.quick else []), *(["--budget", options.budget] if options.budget else []), "--lab", LAB, "-o", file,
                 *(["--library", "pvm", *ROUTES[library]] if library in ROUTES else ["--", *LAUNCHERS[library], "-n", hosts]))
    return file


def latency_s(model):
    return next(link["latency_s"] for link in json.loads(model.read_text())["links"] if link["between"] == "inter")


def spec_of(change, model):
    """The what-if that says to the model what is done to the wire."""
    _, delay_us, factor, new_delay_us = CHANGES[change]
    parts = [] if factor == 1 else [f"bandwidth=x{factor:g}"]
    if new_delay_us != delay_us:
        parts.append(f"latency={1e6 * latency_s(model) + new_delay_us - delay_us:.3f}us")
    return ",".join(parts)


def median_index(values):
    return sorted(range(len(values)), key=lambda k: values[k])[(len(values) - 1) // 2]


def times_of(trace):
    """Of a trace, of each call how often it was there and its times, and of each rank how long it was blocked."""
    told = json.loads(whatwire("report", trace, "--ask", "waits", "--json"))
    return {"calls": {name: {key: call["time"][key] for key in ("count", "sum_s", "median_s", "p95_s")} for name, call in told["waits"]["calls"].items()},
            "blocked_s": [rank["blocked_s"] for rank in told["ranks"]]}


def distributions(directory, model, answer):
    """The predicted run beside the real one, each the median of its rounds."""
    if not answer["real_runs_s"]:
        return None
    predicted = directory / f"predicted-{len(list(directory.glob('predicted-*')))}.ww"
    whatwire("simulate", directory / f"recorded-{median_index(answer['simulated_runs_s']) + 1}.ww", "--machine", model, "--what-if", answer["spec"], "--no-interval", "-o", predicted)
    real = directory / f"real-{answer['spec']}-{median_index(answer['real_runs_s']) + 1}.ww"
    return {"predicted": times_of(predicted), "real": times_of(real)}


def without_core(directory, runs):
    """Of the rank that fared worst: the part of a run that it was ready and without a core, in the median of the runs."""
    parts = []
    for trace in sorted(directory.glob(f"{runs}-*.ww")):
        ranks = json.loads((trace / "run.json").read_text())["ranks"]
        parts.append(max((rank["waited_s"] / rank["elapsed_s"] for rank in ranks if rank.get("waited_s", -1) >= 0 and rank["elapsed_s"] > 0), default=None))
    known = [part for part in parts if part is not None]
    return statistics.median(known) if known else None


def tcp_counts(directory, runs):
    """What the hosts' TCP counted in each run, all hosts together (ranks of a host say the same of it)."""
    out = []
    for trace in sorted(directory.glob(f"{runs}-*.ww")):
        hosts = {}
        for rank in json.loads((trace / "run.json").read_text())["ranks"]:
            host = hosts.setdefault(rank["host"], {})
            for name, count in rank.get("tcp", {}).items():
                host[name] = max(host.get(name, 0), count)
        out.append({name: sum(host.get(name, 0) for host in hosts.values()) for name in ("retransmitted", "timeouts", "no_room", "delayed_acknowledgements")})
    return out


def study(place, program, model, specs, tcp, base):
    """study.json with what distributions() says of each what-if, and how many processors others used meanwhile."""
    tries = []
    for attempt in range(options.tries):
        where = f"{program['library']}-{program['hosts']}-{tcp}-{'-'.join(map(str, base)).replace('/', '')}"
        directory = place / f"{program['program']}-{where}-{attempt}.study"
        what_ifs = [word for spec in specs for word in ("--what-if", spec)]
        command = [options.whatwire, "study", "--force", "--lab", LAB, "--machine", model, "--repeat", options.rounds, "--dilate", "1", *what_ifs, "-o",
                   directory, "--", *launch(program)]
        with Burning():
            done = json.loads(run([sys.executable, TIMED, options.whatwire, LAB, json.dumps([[*map(str, command)]])]))[0]
        if done["exit_code"] != 0:
            raise Failed(done["said"][-1500:])
        tries.append((done["foreign"], {**json.loads((directory / "study.json").read_text()), "kept": [directory.name, model.name]}, directory))
        if options.burn > 0 or done["foreign"] <= options.foreign:
            break
    foreign, found, directory = min(tries, key=lambda one: one[0])
    for answer in found["what_ifs"]:
        answer["distributions"] = distributions(directory, model, answer)
        parts = {"recorded": without_core(directory, "recorded"), "real": without_core(directory, f"real-{answer['spec']}")}
        answer["without_core"] = parts if None not in parts.values() else None
        answer["tcp_counts"] = {"recorded": tcp_counts(directory, "recorded"), "real": tcp_counts(directory, f"real-{answer['spec']}")}
    for _, _, directory in tries:
        if not options.keep:
            shutil.rmtree(directory)
    return foreign, found


def blocked_s(components):
    return components.get("receive_wait_s") if components else None


def cells_of(answer_by_change, all_of, foreign, program, tcp):
    for change, answer in answer_by_change.items():
        simulated, real = answer["simulated"], answer["real"]
        cell = {"program": program["program"], "library": program["library"], "hosts": program["hosts"], "tcp": tcp, "change": change, "spec": answer["spec"],
                "kept": all_of["kept"], "recorded_runs_s": all_of["recorded_runs_s"], "simulated": simulated, "dilated_runs_s": answer["dilated_runs_s"],
                "virtual_runs_s": answer["virtual_runs_s"], "real_runs_s": answer["real_runs_s"], "foreign": foreign,
                "not_dilated": answer.get("not_dilated"), "not_virtual": answer.get("not_virtual"), "no_real": answer.get("no_real"),
                "replayed_s": answer["prediction"]["replayed_s"], "rules": answer["prediction"]["rules"],
                "also_possible": answer["prediction"].get("also_possible", []), "doubts": answer["prediction"].get("doubts", []),
                "diagnostics": [said["name"] for said in answer["prediction"]["diagnostics"]],
                "distributions": answer["distributions"], "without_core": answer["without_core"], "tcp_counts": answer["tcp_counts"], "blocked_s": {way: blocked_s(parts) for way, parts in answer["components"].items()}}
        if options.wire != "switch":
            cell["wire"] = options.wire
        if options.burn > 0:
            cell["burn"] = options.burn
            cell["said"] = "times-disturbed" in [said["name"] for said in all_of["diagnostics"]]
        if real:
            for way in ("simulated", "dilated", "virtual"):
                cell[f"{way}_error"] = answer[f"{way}_error"]
            cell["real_s"] = real["s"]
            cell["held"] = simulated["low"] <= real["s"] <= simulated["high"]
        yield cell


def grid(place, done):
    wanted = [*programs()]
    if not wanted:
        sys.exit(f"{options.programs} has no program for these libraries and numbers of hosts")
    bases = {}
    for change in options.changes:
        bases.setdefault(CHANGES[change][:2], []).append(change)
    for hosts in sorted({program["hosts"] for program in wanted}):
        for tcp in options.tcp:
            run([options.whatwire, "lab", "up", "--name", LAB, "--hosts", hosts, "--rate", "100Mb/s", "--tcp", tcp, "--wire", options.wire, "--at-once", options.at_once,
                 "--cores", options.cores])
            try:
                for base, changes in bases.items():
                    whatwire("lab", "rate", "--name", LAB, base[0], *([] if options.wire == "tbf" else ["--delay", f"{base[1]}us"]))
                    for program in (one for one in wanted if one["hosts"] == hosts):
                        left = [change for change in changes if (program["program"], program["library"], hosts, tcp, change) not in done]
                        if left:
                            yield from one_study(place, program, tcp, base, left)
            finally:
                subprocess.run([options.whatwire, "lab", "down", "--name", LAB], capture_output=True)


def one_study(place, program, tcp, base, changes):
    try:
        model = model_of(place, program["library"], program["hosts"], tcp, base)
        specs = [spec_of(change, model) for change in changes]
        foreign, found = study(place, program, model, specs, tcp, base)
    except (Failed, subprocess.TimeoutExpired) as problem:
        for change in changes:
            yield {**{key: program[key] for key in ("program", "library", "hosts")}, "tcp": tcp, "change": change, "failed": str(problem)}
        return
    yield from cells_of(dict(zip(changes, found["what_ifs"])), found, foreign, program, tcp)


def main(place):
    done = set()
    if options.output.exists():
        for line in options.output.read_text().splitlines():
            cell = json.loads(line)
            if "failed" not in cell:
                done.add(tuple(cell[key] for key in ("program", "library", "hosts", "tcp", "change")))
    begin = time.monotonic()
    for cell in grid(place, done):
        cell["at_s"] = round(time.monotonic() - begin, 1)
        with options.output.open("a") as file:
            file.write(json.dumps(cell) + "\n")
        errors = " ".join(f"{way} {100 * cell[f'{way}_error']:+.1f}%" for way in ("simulated", "dilated", "virtual") if cell.get(f"{way}_error") is not None)
        print(f"{cell['at_s']:7.0f} s  {cell['program']} {cell['library']} {cell['hosts']} {cell['tcp']} {cell['change']}: "
              f"{cell.get('failed', '')[:200] or errors + ('' if cell.get('held') else '  MISSED')}", flush=True)


if options.keep:
    options.keep.mkdir(parents=True, exist_ok=True)
    main(options.keep.resolve())
else:
    with tempfile.TemporaryDirectory(prefix="truth-") as temporary:
        main(Path(temporary))
