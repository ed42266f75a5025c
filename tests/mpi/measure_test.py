#!/usr/bin/env python3
"""whatwire measure on this machine: a valid model, and clear ends where there cannot be one. Usage: WHATWIRE MPIRUN"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import launcher

WHATWIRE, MPIRUN = sys.argv[1:3]
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
OPEN_MPI = launcher.of_openmpi(MPIRUN)
PREFIX = [MPIRUN, "--oversubscribe"] if OPEN_MPI else [MPIRUN]


def whatwire(*arguments):
    return subprocess.run([WHATWIRE, *arguments], capture_output=True, text=True, timeout=120)


def check(condition, why, run=None):
    if not condition:
        sys.exit(f"{why}\n{run.stdout[-2000:] if run else ''}\n{run.stderr[-2000:] if run else ''}")


def a_model_comes_out(directory):
    file = directory / "m.json"
    run = whatwire("measure", "--budget", "6", "--json", "-o", str(file), "--", *PREFIX, "-n", "2")
    check(run.returncode == 0, "measure failed", run)
    model = json.loads(run.stdout)
    check([link["between"] for link in model["links"]] == ["intra"], "one link, within a host", run)
    link = model["links"][0]
    check(len(link["segments"]) >= 1 and link["smallest_s"] > 0, "a fitted link", run)
    check(0 <= link["latency_ci_s"][0] <= link["latency_s"] <= link["latency_ci_s"][1] and link["latency_s"] <= link["smallest_s"] * 1.5,
          "a latency is what software leaves of the smallest message", run)
    check("wire" not in link, "shared memory has no counted wire", run)
    check(f'{"Open MPI" if OPEN_MPI else "MPICH"}' in json.dumps(model["environment"]), "the MPI of the launcher", run)
    # shared memory hands over small messages without a receive, never a megabyte
    # (MPICH's ranks wait busily and yield to nobody: where they share their cores, the time runs out; then it is said)
    found = link["eager_threshold_bytes"]
    check(1 <= found < 1048576 if found or OPEN_MPI else "threshold was not found" in " ".join(model["flags"]),
          "the eager threshold", run)
    check(all(segment["base_ci_s"][0] <= segment["base_s"] <= segment["base_ci_s"][1] for segment in link["segments"]),
          "intervals hold their estimates", run)
    check(model["clock_hz"] > 1e8 and abs(model["alpha_cycles"] - link["smallest_s"] * model["clock_hz"]) < 1,
          "alpha = t_s f (S2)", run)
    # what every other experiment leaves, and the model simulated on them
    for key in ("message_rate", "loggp", "overlap", "bidirectional", "after_computation", "busy", "matrix", "interference", "timer"):
        check(model["observations"].get(key) or not OPEN_MPI, f"the observation {key}", run)
    check(model["collectives"].get("allreduce") or not OPEN_MPI, "collectives", run)
    check(model["reduction"] and model["reduction"][-1]["to_bytes"] >= 65536 and
          all(segment["base_s"] + segment["seconds_per_byte"] * segment["to_bytes"] > 0 for segment in model["reduction"]),
          "the arithmetic of reductions", run)
    check({"ping-pong", "two-way"} <= {one["experiment"] for one in model["closed_loop"]}, "a closed loop", run)
    check((directory / model["samples"]).exists(), "raw samples beside the model", run)
    # An experiment leaves records of its name, or of what samples.hpp calls them; the warm-up leaves none.
    called = {"ping-pong": "pingpong", "fine-sweep": "sweep", "software-costs": "cost", "underlying-computation": "six"}
    records = json.loads((directory / model["samples"]).read_text())["records"]
    run_names = {called.get(name, name) for record in records if record["kind"] == "pair" for name in record["order"]}
    left_out = run_names - {record["kind"] for record in records} - {"warm-up"}
    check(len(run_names) > 10 and not left_out or not OPEN_MPI, f"every experiment leaves a record; {left_out} did not", run)
    # S1's experiments with both kinds of computation underneath, the echoes (1, 6) too, and with idle processors.
    made = {(record["experiment"], record["computation"]) for record in records if record["kind"] == "six"}
    wanted = {(number, over) for number in (1, 2, 4, 6) for over in ("integer", "floating")} | {(1, "none"), (6, "none")}
    check(made == wanted or not OPEN_MPI, f"S1's experiments {wanted}, not {made}", run)
    check(all(model.get(key, {}).get("E", {}).get("points") for key in ("six_lines", "six_lines_floating", "six_lines_idle")) or not OPEN_MPI,
          "lines over integer and floating-point operations, and of idle processors", run)
    tables = whatwire("machine", "show", str(file), "--tables")
    check(tables.returncode == 0 and "S1, Table 2" in tables.stdout or not OPEN_MPI, "S1's tables", tables)
    raw = whatwire("machine", "show", str(file), "--raw")
    check(raw.returncode == 0 and "2F+2E+2U" in raw.stdout or not OPEN_MPI, "S1's raw listing", raw)
    shown = whatwire("machine", "show", str(file), "--json")
    check(shown.returncode == 0 and json.loads(shown.stdout) == model, "machine show gives it back", shown)
    again = whatwire("machine", "fit", str(directory / model["samples"]), "--json")
    check(json.loads(again.stdout)["links"] == model["links"], "the samples give the same fit", again)


def it_stops_by_the_rule_of_s2(directory):
    """S2's listing: 3 to 20 rounds until 1.96 s / sqrt(k) is within 5% of their mean, each of 186 round trips, 8 fewer a doubling from one
    double; where the time does not last, of fewer in the same proportion."""
    run = whatwire("measure", "--budget", "12", "--stop", "mean", "--json", "-o", str(directory / "s.json"), "--", *PREFIX, "-n", "2")
    check(run.returncode == 0, "measure --stop mean failed", run)
    model = json.loads(run.stdout)
    check(model["environment"]["stop"] == "mean", "the model says how it was measured", run)
    records = json.loads((directory / model["samples"]).read_text())["records"]
    rounds = [record for record in records if record["kind"] == "pingpong"]
    check(len(rounds) > 20, "sizes were measured", run)
    wide = set()
    for record in rounds:
        seconds = record["one_way_s"]
        k, mean = len(seconds), sum(seconds) / len(seconds)
        margin = 1.96 * (sum((s - mean) ** 2 for s in seconds) / k) ** 0.5 / k ** 0.5
        check(k <= 20 and record["visits"] == [1] * k, f"at most 20 rounds, a sample each: {record['bytes']}")
        check(record["within_margin"] == (k >= 3 and margin <= 0.05 * mean), f"the margin of {record['bytes']}: {margin / mean}, {k}")
        if not record["within_margin"]:
            wide.add(record["bytes"])
        for first in range(3, k):  # it did not go on after it could stop
            some = seconds[:first]
            mean = sum(some) / first
            check(1.96 * (sum((s - mean) ** 2 for s in some) / first) ** 0.5 / first ** 0.5 > 0.05 * mean, "it stopped too late")
    flagged = [flag for flag in model["flags"] if "1.96 s / sqrt(k)" in flag]
    check(len(flagged) == (1 if wide else 0), f"sizes that did not come within 5% are said: {len(wide)}", run)
    # of one launch; by proportion, to a whole round trip below
    first = {record["bytes"]: record["passes"] for record in rounds if record["launch"] == 0}
    part = first[1] / 186
    for size, passes in first.items():
        whole = max(10, 186 - 8 * max(0, (size // 8).bit_length() - 1))
        check(max(1, part * whole - 1) <= passes <= max(1, (first[1] + 1) / 186 * whole), f"{passes} round trips a round of {size} bytes")


def other_ranks_do_not_disturb(directory):
    run = whatwire("measure", "--budget", "2", "--json", "-o", str(directory / "n.json"), "--", *PREFIX, "-n", "4")
    check(run.returncode == 0 and json.loads(run.stdout)["links"], "four ranks, two of them asleep", run)
    model = json.loads(run.stdout)
    # 4 ranks on fewer cores disturb each other where all of them work, and nobody may take that for the machine
    said = any("share cores" in flag for flag in model["flags"])
    check(said == (len(os.sched_getaffinity(0)) < 4), "ranks that share cores are said, and only then", run)
    check(len(model["observations"]["matrix"]["latency_s"]) == 4, "every pair of four ranks", run)


def one_rank_is_refused(directory):
    run = whatwire("measure", "-o", str(directory / "o.json"), "--", *PREFIX, "-n", "1")
    check(run.returncode == 1 and "two ranks" in run.stderr and run.stderr.count("\n") == 1, "one rank", run)
    check(not (directory / "o.json").exists(), "nothing half-written")


def a_dying_rank_leaves_its_samples(directory):
    killer = directory / "killer.sh"
    # it dies when it has computed and polled for 2 s: long after MPI_Init, however slow the start (a name server that is away)
    killer.write_text('#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 1 ] || exec "$@"\n"$@" &\n'
                      "until [ $(awk '{print $14 + $15}' /proc/$!/stat || echo 200) -ge 200 ]; do sleep 0.1; done\n"
                      "kill -9 $!\nwait $!\n")
    killer.chmod(0o755)
    run = whatwire("measure", "--budget", "20", "-o", str(directory / "p.json"), "--", *PREFIX, "-n", "2", str(killer))
    check(run.returncode == 1 and "broke off" in run.stderr, "a rank that dies", run)
    check(not (directory / "p.json").exists(), "no model of a broken run")
    kept = json.loads((directory / "p.samples.json").read_text())
    check(kept["complete"] is False and kept["records"], "what was measured is kept and marked")


def a_budget_too_small_is_said(directory):
    """Too few sizes are measured, on any machine: of two ranks that poll on one core each has a turn of the scheduler's for each message, milliseconds of the
    100. (With a core each they are enough for a model once in many runs.) And less than may be asked for."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    for budget, code in ("0.1", 1), ("0.0001", 2):
        run = whatwire("measure", "--budget", budget, "-o", str(directory / "q.json"), "--", *PREFIX, "-n", "2")
        check(run.returncode == code and "--budget" in run.stderr, "a budget too small", run)
    os.sched_setaffinity(0, cores)


def a_wrong_prefix_is_said(directory):
    for prefix in (["no-such-mpirun"], ["false"]):
        run = whatwire("measure", "-o", str(directory / "r.json"), "--", *prefix)
        check(run.returncode == 1 and run.stderr.startswith("whatwire: "), "a wrong prefix", run)
    check(whatwire("measure").returncode == 2, "no prefix is wrong usage")


with tempfile.TemporaryDirectory() as name:
    for test in (a_model_comes_out, it_stops_by_the_rule_of_s2, other_ranks_do_not_disturb, one_rank_is_refused, a_dying_rank_leaves_its_samples,
                 a_budget_too_small_is_said, a_wrong_prefix_is_said):
        test(pathlib.Path(name))
