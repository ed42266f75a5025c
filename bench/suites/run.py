#!/usr/bin/env python3
"""Suites of others, run bare and recorded: does a program pass with the recorder that passes without it, and is its trace whole?

usage: run.py --whatwire BIN/whatwire --mpirun MPIRUN [--programs DIR] [--mpi4py DIR [--exclude spawn,...]] [--only REGEX] [--ranks 4] [--limit 60] [-o out.json]

--programs  a folder of built programs with their lists, as MPICH's test/mpi is built (`testlist`: a line has a program, its number of
            ranks and options, or a folder). A program passes that exits with 0 and says "No Errors", as its suite has it. Programs
            that were not built, or need more ranks than --ranks, are left out and counted.
--mpi4py    the folder test/ of mpi4py's source; its tests are run on two ranks with the interpreter of --python.
Both are fetched and built by whoever runs this, outside of the repository. Of each trace the unmatched messages, the messages
received before they were sent and what else is said of the recording are listed. A verdict that differs is tried twice more, bare
and recorded, since programs of suites depend on time, too. The exit code is 1 if one still differs.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
# Diagnostics that say that a recording is not whole, or not right.
DOUBTS = re.compile(r"clock-violation|damaged.*|unknown-.*|message-size-mismatch|collective.*incomplete.*|incomplete-.*|.*-table-full|"
                    r"too-many-.*|.*-late|records-dropped|unmatched-.*")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whatwire", required=True, type=os.path.abspath)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--mpi4py", type=Path)
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--exclude", default="", help="files of mpi4py's tests that are left out, with commas between them")
    parser.add_argument("--only", default="")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--limit", type=float, default=60, help="seconds for a run")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


def run(command, cwd, limit):
    """(exit code, output); the code of a program that does not end is None"""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment,
                                   start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        return code, output.read()


def listed(folder):
    """(folder, program, ranks, arguments, variables) of every line of the lists below `folder`"""
    lists = folder / "testlist"
    if not lists.is_file():
        return
    for line in lists.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if (folder / words[0]).is_dir() and len(words) == 1:
            yield from listed(folder / words[0])
            continue
        ranks = int(words[1]) if len(words) > 1 and words[1].isdigit() else 2
        options = [word.partition("=")[::2] for word in words[1:] if "=" in word]
        yield (folder, words[0], ranks, [value for key, value in options if key == "arg"],
               [value for key, value in options if key == "env"])


def whole(whatwire, trace):
    """What a reader says of the recording."""
    if not trace.exists():
        return {"trace": "none"}
    code, text = run([whatwire, "report", "--json", str(trace)], None, 300)
    if code != 0:
        return {"trace": f"report: exit {code}: {text[-300:]}"}
    told = json.loads(text[text.index("{"):])
    found = {d["name"]: d["count"] for d in told["diagnostics"] if DOUBTS.fullmatch(d["name"])}
    found |= {key: told[key] for key in ("unmatched_sends", "unmatched_receives") if told[key]}
    return found


class Suite:
    def __init__(self, options, place):
        self.options, self.place = options, place
        version = subprocess.run([options.mpirun, "--version"], capture_output=True, text=True, env=environment).stdout
        self.more = ["--oversubscribe"] if "Open MPI" in version or "OpenRTE" in version else []
        self.runs = 0

    def launch(self, ranks, command, variables=()):
        set_variables = ["/usr/bin/env", *variables] if variables else []
        return [self.options.mpirun, "-n", str(ranks), *self.more, *set_variables, *command]

    def bare(self, line, cwd, times=1):
        return run(line, cwd, times * self.options.limit)

    def recorded(self, line, cwd):
        self.runs += 1
        trace = self.place / f"{self.runs}.ww"
        code, text = run([self.options.whatwire, "record", "-o", str(trace), "--", *line], cwd, 2 * self.options.limit)
        doubts = whole(self.options.whatwire, trace)
        shutil.rmtree(trace, ignore_errors=True)
        return code, text, doubts


def of_program(suite, folder, program, ranks, given, variables):
    line = suite.launch(ranks, [f"./{program}", *given], variables)

    def verdict(code, text):
        return "hangs" if code is None else "passes" if code == 0 and re.search(r"No Errors|Test passed", text, re.I) else "fails"

    bare, recorded, doubts, took_s = [], [], {}, []
    for attempt in range(3):
        began = time.monotonic()
        bare.append(verdict(*suite.bare(line, folder, 1 if attempt == 0 else 2)))  # as long as recorded, where it counts
        middle = time.monotonic()
        code, text, doubts = suite.recorded(line, folder)
        recorded.append(verdict(code, text))
        took_s.append((middle - began, time.monotonic() - middle))
        if set(bare) & set(recorded):
            break
    differs = not set(bare) & set(recorded)
    return {"bare": bare, "recorded": recorded, "doubts": doubts, "differs": differs, "seconds": took_s,
            **({"output": text[-1500:]} if differs else {})}


def of_programs(suite, options):
    results, left_out = {}, {"not built": 0, "more ranks": 0}
    for folder, program, ranks, given, variables in listed(options.programs):
        name = f"{folder.relative_to(options.programs)}/{program} {' '.join(given)}".strip()
        if not re.search(options.only, name):
            continue
        if not (folder / program).is_file():
            left_out["not built"] += 1
            continue
        if ranks > options.ranks:
            left_out["more ranks"] += 1
            continue
        name = name if name not in results else f"{name} ({ranks} ranks, {' '.join(variables)})"
        results[name] = of_program(suite, folder, program, ranks, given, variables)
        one = results[name]
        mark = "DIFFERS" if one["differs"] else ""
        print(f"{name}: {'/'.join(one['bare'])} recorded {'/'.join(one['recorded'])} {one['doubts'] or ''} {mark}", flush=True)
    return results, left_out


def of_mpi4py(suite, options):
    """Test by test, as unittest tells them on each rank; each rank tells it to a file, since lines of two would mix."""
    excluded = [word for name in options.exclude.split(",") if name for word in ("-e", name)]
    command = [options.python, str(options.mpi4py.resolve() / "runtests.py"), "-v", "--no-builddir", *excluded]
    suite.options.limit = max(suite.options.limit, 1500)

    def told_by(run, name):
        place = suite.place / name
        place.mkdir()
        line = suite.launch(2, ["/bin/sh", "-c", f'exec "$@" 2>{place}/rank-${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}', "sh", *command])
        result, found = run(line, options.mpi4py), {}
        for file in place.iterdir():
            for test, verdict in re.findall(r"^(test\w+ \([\w.]+\)).*? \.\.\. (?:.*\n)*?.*?(ok|FAIL|ERROR|skipped)\b",
                                            file.read_text(errors="replace"), re.M):
                found[f"{file.name}: {test}"] = verdict
        return result, found

    (bare_code, _), before = told_by(suite.bare, "bare")
    (code, _, doubts), after = told_by(suite.recorded, "recorded")
    differ = {name: (before.get(name), after.get(name)) for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    kinds = {kind: sum(one == kind for one in before.values()) for kind in sorted(set(before.values()))}
    print(f"mpi4py: exit {bare_code}, recorded {code}; {len(before)} tests told of ({kinds}), recorded {len(after)}, {len(differ)} differ; {doubts}")
    for name, verdicts in sorted(differ.items())[:20]:
        print(f"  {name}: {verdicts[0]}, recorded {verdicts[1]}")
    return {"bare": [bare_code], "recorded": [code], "tests": len(before), "doubts": doubts, "differ": differ,
            "differs": bool(differ) or bare_code != code or not before}


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as place:
        suite = Suite(options, Path(place))
        results, left_out = of_programs(suite, options) if options.programs else ({}, {})
        if options.mpi4py:
            results["mpi4py"] = of_mpi4py(suite, options)
    differing = [name for name, one in results.items() if one["differs"]]
    doubtful = {name: one["doubts"] for name, one in results.items() if one["doubts"]}
    if options.output:
        options.output.write_text(json.dumps({"results": results, "left_out": left_out}, indent=1))
    print(f"{len(results)} programs, {sum(one['bare'][-1] in ('passes', 0) for one in results.values())} pass bare; left out: {left_out}")
    print(f"{len(doubtful)} traces with messages or clocks to explain; {len(differing)} verdicts differ: {' '.join(differing)}")
    return 1 if differing else 0


sys.exit(main())
