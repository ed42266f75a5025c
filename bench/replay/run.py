"""Replays the same programs with us, SimGrid's SMPI and LogGOPSim, one after the other on one core, and compares their CPU time.

run.py BENCH [--loggopsim DIR] [--only PROGRAM...] [--repeats N] [--scale] [--slow] [-o OUT.json]

BENCH is replay_bench. DIR holds LogGOPSim and txt2bin (and, with its std::sort made stable, LogGOPSim_stable, which is then taken:
the plain one dead-locks on the ring); without it that column is empty. SMPI is Debian's smpirun, if there. Everything counts: starting
the process and loading the program (ours and LogGOPSim's compiled, SMPI's as its text). --slow: also what takes the others over a minute.
--scale: our cost an event from 10^4 to 10^8 events, with a picture beside OUT."""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

PROGRAMS = [("halo", 1024, 100), ("dissemination", 65536, 1), ("all-to-all", 1024, 1), ("ring", 1024, 1), ("binomial", 1 << 20, 1)]
SLOW = {("smpi", "dissemination"), ("smpi", "all-to-all"), ("loggopsim", "all-to-all"), ("smpi", "ring"), ("smpi", "binomial"), ("loggopsim", "binomial")}


def cpu(command, env=None):
    """CPU seconds, largest resident set and output of a command on core 1."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(["taskset", "-c", "1", *map(str, command)], stdout=out, stderr=subprocess.STDOUT, env=env)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if child.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit {child.returncode}: {text[-400:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text


class Ours:
    def __init__(self, bench, which):
        self.bench, self.which = bench, which

    def prepare(self, program, work):
        self.file = work / "program.wws"
        subprocess.run([self.bench, "make", *map(str, program), self.file], check=True)

    def run(self):
        s, rss, text = cpu([self.bench, "play", self.file, "1", self.which])
        told = json.loads(text)
        return s, rss, told[f"{self.which}_finish_ns"], told


class LogGopsim:
    def __init__(self, bench, directory):
        self.bench, self.directory = bench, directory
        stable = directory / "LogGOPSim_stable"
        self.program = stable if stable.exists() else directory / "LogGOPSim"

    def prepare(self, program, work):
        subprocess.run([self.bench, "make", *map(str, program), work / "p.goal"], check=True)
        self.file = work / "p.bin"
        subprocess.run([self.directory / "txt2bin", "-i", work / "p.goal", "-o", self.file], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def run(self):
        s, rss, text = cpu([self.program, "-f", self.file, "-b"])
        return s, rss, int(re.search(r"Maximum finishing time at host \d+: (\d+)", text)[1]), None


class Smpi:
    def __init__(self, bench, smpirun):
        self.bench, self.smpirun = bench, smpirun

    def prepare(self, program, work):
        self.work, self.ranks = work, program[1]
        subprocess.run([self.bench, "make", *map(str, program), work / "p.ti"], check=True)
        (work / "platform.xml").write_text(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
            f"<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{self.ranks - 1}\" speed=\"1Tf\" bw=\"166.67MBps\" lat=\"1.25us\"/>\n</platform>\n")
        (work / "hosts").write_text("".join(f"n{i}\n" for i in range(self.ranks)))

    def run(self):
        # A mapping and an open file a rank: the kernel's usual limits are too low for 65536.
        s, rss, text = cpu(["bash", "-c", f"ulimit -n $(ulimit -Hn); exec {self.smpirun} -np {self.ranks} -platform {self.work}/platform.xml "
                            f"-hostfile {self.work}/hosts --cfg=smpi/simulate-computation:no --cfg=contexts/stack-size:64 "
                            f"--cfg=contexts/guard-size:0 -replay {self.work}/p.ti"])
        return s, rss, round(float(re.search(r"Simulation time ([\d.]+)", text)[1]) * 1e9), None


def compare(tools, repeats, slow, only):
    """The tools take turns, so that an hour in which the machine is slower is slow for all."""
    rows = []
    for program in PROGRAMS:
        if only and program[0] not in only:
            continue
        row = {"program": program[0], "ranks": program[1], "rounds": program[2], "tools": {}}
        chosen = {name: tool for name, tool in tools.items() if slow or (name, program[0]) not in SLOW}
        runs = {name: [] for name in chosen}
        with tempfile.TemporaryDirectory() as directory:
            for name, tool in chosen.items():
                work = pathlib.Path(directory) / name
                work.mkdir()
                tool.prepare(program, work)
            for turn in range(repeats):
                for name, tool in chosen.items():
                    if turn == 0 or (name, program[0]) not in SLOW:
                        runs[name].append(tool.run())
        for name, told in runs.items():
            row["tools"][name] = {"cpu_s": statistics.median(run[0] for run in told), "all_cpu_s": [run[0] for run in told],
                                  "rss_bytes": max(run[1] for run in told), "finish_ns": told[0][2]}
            if told[0][3]:
                row["events"], row["operations"] = told[0][3]["events"], told[0][3]["operations"]
        show(row)
        rows.append(row)
    return rows


def show(row):
    print(f"{row['program']}, {row['ranks']} ranks: {row['events']} events, {row['operations']} operations")
    ours = row["tools"]["events"]["cpu_s"], row["tools"]["maxplus"]["cpu_s"]
    for name, tool in row["tools"].items():
        ratio = "" if name in ("events", "maxplus") else f"{tool['cpu_s'] / ours[0]:8.1f} {tool['cpu_s'] / ours[1]:8.1f}"
        print(f"  {name:10}{tool['cpu_s']:10.4f} s {1e9 * tool['cpu_s'] / row['events']:9.1f} ns/event "
              f"{tool['rss_bytes'] / row['operations']:8.1f} B/op {tool['finish_ns']:12d} ns {ratio}", flush=True)


def scale(bench, out):
    points = []
    for events in (10**4, 10**5, 10**6, 10**7, 10**8):
        ranks = min(1024, events // 70)
        rounds = max(1, events // (7 * ranks))
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "p.wws"
            subprocess.run([bench, "make", "halo", str(ranks), str(rounds), file], check=True)
            told = [json.loads(cpu([bench, "play", file, "3"])[2])][0]
        n = told["events"]
        points.append({"events": n, "events_ns": 1e9 * told["events_s"] / n, "maxplus_ns": 1e9 * told["maxplus_s"] / n,
                       "load_s": told["load_s"], "check_ns": 1e9 * told["check_s"] / n, "bytes_per_operation": told["rss_bytes"] / told["operations"]})
        print(f"{n:10d} events: events engine {points[-1]['events_ns']:6.1f} ns, max-plus {points[-1]['maxplus_ns']:6.1f} ns an event, "
              f"mapped in {1e6 * told['load_s']:.0f} us, checked in {points[-1]['check_ns']:.1f} ns an event, "
              f"{points[-1]['bytes_per_operation']:.1f} bytes an operation", flush=True)
    if out:
        out.with_suffix(".svg").write_text(picture(points))
    return points


def picture(points):
    """ns an event (up) against events (right, powers of ten)."""
    import math
    width, height, left, bottom = 520, 300, 60, 40
    top = max(max(p["events_ns"], p["maxplus_ns"]) for p in points) * 1.1
    x = lambda n: left + (width - left - 20) * (math.log10(n) - 4) / 4
    y = lambda ns: height - bottom - (height - bottom - 20) * ns / top
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(4, 9):
        lines.append(f'<text x="{x(10**power)}" y="{height - 18}" text-anchor="middle">10^{power}</text>')
    for tick in range(5):
        ns = top * tick / 4
        lines.append(f'<text x="{left - 6}" y="{y(ns) + 4}" text-anchor="end">{ns:.0f}</text><path d="M{left} {y(ns)}H{width - 20}" stroke="#ddd"/>')
    for key, name, colour in ("events_ns", "events engine", "#1f6fb4"), ("maxplus_ns", "max-plus", "#d95f02"):
        path = "L".join(f"{x(max(10**4, p['events'])):.1f} {y(p[key]):.1f}" for p in points)
        last = points[-1]
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{x(last["events"]) - 4}" y="{y(last[key]) - 6}" text-anchor="end" fill="{colour}">{name}</text>')
    lines.append(f'<text x="{left}" y="14">CPU ns an event, one core</text><text x="{width - 20}" y="{height - 4}" text-anchor="end">events</text></svg>')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("--loggopsim", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=[program[0] for program in PROGRAMS])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    args = parser.parse_args()
    tools = {"events": Ours(args.bench, "events"), "maxplus": Ours(args.bench, "maxplus")}
    if args.loggopsim:
        tools["loggopsim"] = LogGopsim(args.bench, args.loggopsim)
    if shutil.which("smpirun"):
        tools["smpi"] = Smpi(args.bench, shutil.which("smpirun"))
    print("CPU time of the whole process, median; ratios to our events engine and to max-plus")
    result = {"programs": compare(tools, args.repeats, args.slow, args.only)}
    if args.scale:
        result["scale"] = scale(args.bench, args.output)
    if args.output:
        args.output.write_text(json.dumps(result, indent=1) + "\n")


main()
