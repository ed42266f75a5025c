#!/usr/bin/env python3
"""The page of evidence. page.py FILE.jsonl -o docs/truth.md [--machine TEXT] [--causes FILE]
From the cells that run.py measured: medians, quantiles, coverage and widths for simulation, dilation and virtual time, by change, TCP, library and hosts, every cell that
misses a mark, and a picture (docs/truth.svg) of every interval. A line of --causes is a cell's key (PROGRAM LIBRARY HOSTS TCP CHANGE, by tabs) and its cause, by
one more tab. Nothing in the page is written by hand."""
import argparse
import collections
import json
import math
import statistics
from pathlib import Path

WAYS = {"simulated": "simulation", "dilated": "dilation", "virtual": "virtual time"}
MARKS = {"simulated": 0.08, "dilated": 0.10, "virtual": 0.08}  # that 95% of the cells are to be within
KEY = ("program", "library", "hosts", "tcp", "change")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("cells", type=Path, nargs="+")
parser.add_argument("-o", "--output", type=Path, required=True)
parser.add_argument("--machine", default="", help="what it ran on, and when")
parser.add_argument("--causes", type=Path)
parser.add_argument("--group", nargs="+", action="append", default=[], metavar=("TITLE", "PROGRAM"), help="programs to tell of by themselves, under a sentence that says which they are; again for more")
options = parser.parse_args()


def quantile(values, share):
    """The smallest value that at least so much of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def percent(value, signed=False):
    return "" if value is None else f"{100 * value:{'+' if signed else ''}.1f}%"


def half_width(cell):
    simulated = cell["simulated"]
    return (simulated["high"] - simulated["low"]) / 2 / simulated["s"]


def errors(cells, way):
    return [abs(cell[f"{way}_error"]) for cell in cells if cell.get(f"{way}_error") is not None]


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table(head, rows):
    return [row(*head), row(*["---"] * len(head)), *(row(*one) for one in rows), ""]


def summary(cells, way):
    found = errors(cells, way)
    if not found:
        return ["0", "", "", ""]
    return [len(found), percent(statistics.median(found)), percent(quantile(found, 0.95)), percent(max(found))]


def floor(cells):
    """What no prediction can be asked to beat: each real run taken for a prediction of the median of the cell's others."""
    found = [abs(run / statistics.median(cell["real_runs_s"][:k] + cell["real_runs_s"][k + 1:]) - 1) for cell in cells if len(cell["real_runs_s"]) > 2 for k, run in enumerate(cell["real_runs_s"])]
    return [["a real run, of the others", len(found), percent(statistics.median(found)), percent(quantile(found, 0.95)), percent(max(found))]] if found else []


def of_three_others(runs_s):
    """Half the 95% interval, as a part of it, that runs give the median of as many others: as a study has it (src/stats/student.hpp), told by two or three runs."""
    factor = {2: 4.303, 3: 4.303 * math.sqrt(2 * 0.4487)}.get(len(runs_s))
    return factor * statistics.stdev(runs_s) / statistics.median(runs_s) if factor else None


def of_real_runs(cells):
    """How wide the interval is that the real runs themselves give: whoever has that network and runs the program as often knows no better."""
    found = [width for width in (of_three_others(cell["real_runs_s"]) for cell in cells) if width is not None]
    return percent(statistics.median(found)) if found else ""


def of_group(name, cells):
    simulated = errors(cells, "simulated")
    held = sum(cell["held"] for cell in cells)
    return [name, len(cells), percent(statistics.median(simulated)), percent(quantile(simulated, 0.95)), percent(max(simulated)), f"{held} ({percent(held / len(cells))})",
            percent(statistics.median(map(half_width, cells))), *(percent(statistics.median(errors(cells, way))) if errors(cells, way) else "" for way in ("dilated", "virtual"))]


def of_distributions(cells):
    """Of the call that takes most of the real time of a cell: how far the predicted median, 95th percentile and sum of its times are from the real ones; and each rank's blocked time."""
    apart = collections.defaultdict(list)
    for cell in cells:
        both = cell.get("distributions")
        if not both or not both["real"]["calls"]:
            continue
        name, real = max(both["real"]["calls"].items(), key=lambda call: call[1]["sum_s"])
        predicted = both["predicted"]["calls"].get(name)
        for key in ("sum_s", "median_s", "p95_s"):
            if predicted and real[key] > 0:
                apart[key].append(abs(predicted[key] / real[key] - 1))
        for of_predicted, of_real in zip(both["predicted"]["blocked_s"], both["real"]["blocked_s"]):
            apart["rank"].append(abs(of_predicted - of_real) / cell["real_s"])
    if not apart["rank"]:
        return []
    rows = [[name, len(apart[key]), percent(statistics.median(apart[key])), percent(quantile(apart[key], 0.95))]
            for key, name in (("sum_s", "all its calls"), ("median_s", "the median call"), ("p95_s", "the 95th percentile of its calls"), ("rank", "a rank's blocked time, of the run")) if apart[key]]
    return ["Beyond the total: the call that takes most of a cell's real time, predicted against real, and what each rank is blocked for.", "", *table(["", "compared", "median difference", "95th percentile"], rows)]


def headline(cells):
    held = sum(cell["held"] for cell in cells)
    return [f"{len(cells)} cells. 95% intervals hold in {held} of them ({percent(held / len(cells))}); their median half-width is {percent(statistics.median(map(half_width, cells)))} of the prediction. "
            f"Real runs themselves give the median of as many others with a half-width of {of_real_runs(cells)} in the median.", "",
            *table(["", "cells", "median error", "95th percentile", "largest"], [*([name, *summary(cells, way)] for way, name in WAYS.items()), *floor(cells)])]


MOST_WITHOUT_CORE = 0.40  # of a real run: beyond it a study says `lab-lacks-cores` (src/base/disturbance.hpp)
IN_TWO_MODES = "exchanges-in-two-modes"


def lacks_cores(cell):
    """Whether the lab left its ranks so few cores that what ran there is not its wire alone; of cells whose runs were not asked, where it is known to be so."""
    found = cell.get("without_core")
    return found["real"] > MOST_WITHOUT_CORE if found else cell["hosts"] > 2 or "to 1000 Mb/s" in cell["change"]


def kind(cell):
    """What a lab of two cores cannot be asked, and what a prediction says of itself, apart from the rest."""
    if lacks_cores(cell):
        return "the lab lacked cores, over two fifths of the real run"
    return "said to have exchanges in either of two modes" if IN_TWO_MODES in cell["diagnostics"] else "all others"


def by_cores(cells):
    """What the lab's want of cores does to its truth: of cells that have one mode, by how long ranks of the real run lacked a core."""
    known = [cell for cell in cells if cell.get("without_core") and IN_TWO_MODES not in cell["diagnostics"]]
    rows = []
    for low, high in ((0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (0.6, 1.01)):
        some = [cell for cell in known if low <= cell["without_core"]["real"] < high]
        if some:
            rows.append([f"{100 * low:.0f} to {min(100, 100 * high):.0f}%", *summary(some, "simulated"), *summary(some, "dilated")[1:], *summary(some, "virtual")[1:], f"{sum(cell['held'] for cell in some)}", percent(statistics.median(map(half_width, some)))])
    if not rows:
        return []
    return ["## By how long ranks lacked a core", "", "A lab's ranks and the switch that is its wire share the machine's cores. What part of the real run the rank that fared worst was ready and without one, and what predictions differ from the run by: "
            "of cells without exchanges in two modes. Where it is little, both are of the same wire; beyond two fifths a study says `lab-lacks-cores`, and the run is no longer its wire's alone; that boundary was put where the cells of these pages part.", "",
            *table(["without a core", "cells", "simulation: median", "95th percentile", "largest", "dilation: median", "95th percentile", "largest", "virtual time: median", "95th percentile", "largest", "held", "half-width"], rows)]


def by_kind(cells):
    rows = []
    for name, some in sorted({kind(cell): [one for one in cells if kind(one) == kind(cell)] for cell in cells}.items()):
        held = sum(cell["held"] for cell in some)
        rows += [[name if way == "simulated" else "", title, *summary(some, way), f"{held} ({percent(held / len(some))})" if way == "simulated" else "",
                  percent(statistics.median(map(half_width, some))) if way == "simulated" else ""] for way, title in WAYS.items()]
        rows += [["", *one, "", of_real_runs(some)] for one in floor(some)]
    return ["## By what decides", "", "Where the lab lacks cores (at 1000 Mb/s, with more hosts than cores, on a slow machine from 100 Mb/s on), its switch takes them from the ranks; studies say so since 28 November 2026. Large messages that meet go at once or one after the other by "
            "chance of microseconds, from run to run or for all of a run, which predictions say of themselves. The last row of each kind takes real runs for predictions of their cell's others, and has the half-width of the interval that they give the median of as many others: no prediction can be asked to be nearer or surer.", "",
            *table(["", "", "cells", "median error", "95th percentile", "largest", "held", "half-width"], rows), *what_widens(cells)]


def what_widens(cells):
    """The sources of doubt (`doubts` of a prediction), by how often each is the widest."""
    known = [cell for cell in cells if cell.get("doubts")]
    if not known:
        return []
    widths = collections.defaultdict(list)
    widest = collections.Counter()
    for cell in known:
        of_cell = {doubt["source"]: max(doubt["below_s"], doubt["above_s"]) / cell["simulated"]["s"] for doubt in cell["doubts"]}
        widest[max(of_cell, key=of_cell.get)] += 1
        for source, width in of_cell.items():
            widths[source].append(width)
    rows = [[source, widest[source], len(found), percent(statistics.median(found)), percent(quantile(found, 0.95))] for source, found in sorted(widths.items(), key=lambda one: (-widest[one[0]], one[0]))]
    return ["What makes the intervals of single predictions as wide as they are (what several recordings differ by comes on top):", "",
            *table(["by", "the widest in", "in cells", "half-width, median", "95th percentile"], rows)]


def groups(cells, key):
    found = collections.defaultdict(list)
    for cell in cells:
        found[str(cell[key])].append(cell)
    return sorted(found.items())


def ms(seconds):
    return f"{1e3 * seconds:.4g}"


def spread(cell):
    return (max(cell["real_runs_s"]) - min(cell["real_runs_s"])) / cell["real_s"]


def without_core(cell):
    """Of the rank that fared worst, recorded and real."""
    found = cell.get("without_core")
    return f"{100 * found['recorded']:.0f}, {100 * found['real']:.0f}%" if found else ""


def of_cell(cell, causes):
    simulated = cell["simulated"]
    return [*(cell[key] for key in KEY), ms(cell["real_s"]), percent(spread(cell)), without_core(cell), f"{ms(simulated['s'])} ({ms(simulated['low'])} to {ms(simulated['high'])})",
            *(percent(cell.get(f"{way}_error"), True) for way in WAYS), "yes" if cell["held"] else "**no**", causes.get(tuple(str(cell[key]) for key in KEY), "")]


def misses(cell):
    return not cell["held"] or any((cell.get(f"{way}_error") is not None and abs(cell[f"{way}_error"]) > mark) for way, mark in MARKS.items())


def picture(cells):
    """Each cell a line from the interval's low to its high end, as parts of the real time, with the prediction; real is the upright line. Sorted by the error."""
    row_px, left_px, width_px = 9, 300, 620
    most = 0.5
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left_px + width_px + 20}" height="{row_px * len(cells) + 60}" font-family="sans-serif" font-size="8">',
             '<rect width="100%" height="100%" fill="white"/>']

    def x(part):
        return left_px + width_px * (min(max(part, -most), most) + most) / (2 * most)

    for tick in (-0.5, -0.25, -0.1, -0.05, 0, 0.05, 0.1, 0.25, 0.5):
        lines.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="24" y2="{row_px * len(cells) + 34}" stroke="{"black" if tick == 0 else "#ddd"}"/>'
                     f'<text x="{x(tick):.1f}" y="18" text-anchor="middle">{100 * tick:+.0f}%</text>')
    for number, cell in enumerate(sorted(cells, key=lambda one: one["simulated_error"])):
        y = 32 + row_px * number
        real, simulated = cell["real_s"], cell["simulated"]
        colour = "#1b7837" if cell["held"] else "#b2182b"
        lines.append(f'<text x="{left_px - 6}" y="{y + 3}" text-anchor="end">{cell["program"]} {cell["library"]} {cell["hosts"]} {cell["tcp"]}, {cell["change"]}</text>'
                     f'<line x1="{x(simulated["low"] / real - 1):.1f}" x2="{x(simulated["high"] / real - 1):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
                     f'<circle cx="{x(cell["simulated_error"]):.1f}" cy="{y}" r="2.6" fill="{colour}"/>')
        if cell.get("dilated_error") is not None:
            lines.append(f'<circle cx="{x(cell["dilated_error"]):.1f}" cy="{y}" r="2" fill="none" stroke="#2166ac"/>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    latest = {}
    for file in options.cells:
        for line in file.read_text().splitlines():
            cell = json.loads(line)
            latest[(*(cell[key] for key in KEY), bool(cell.get("burn")))] = cell
    failed = [cell for cell in latest.values() if "failed" in cell]
    unreal = [cell for cell in latest.values() if cell.get("no_real")]
    disturbed = [cell for cell in latest.values() if cell.get("real_s") and cell.get("burn")]
    cells = [cell for cell in latest.values() if cell.get("real_s") and not cell.get("burn")]
    causes = {}
    if options.causes:
        for line in options.causes.read_text().splitlines():
            *key, cause = line.split("\t")
            causes[tuple(key)] = cause
    out = ["# How true are the predictions?", "",
           "Made by `bench/truth/page.py` from the cells that `bench/truth/run.py` measured; nothing here is written by hand. Each cell is one program on one lab, recorded on the one wire, "
           "predicted for the other, and run there: the real time is the median of " f"{max(len(cell['real_runs_s']) for cell in cells)} runs, and an interval holds if it lies in it.", ""]
    if options.machine:
        out += [options.machine, ""]
    grouped = {program for _, *programs in options.group for program in programs}
    for title, *programs in [*options.group, ["Other programs" if grouped else "", *{cell["program"] for cell in cells} - grouped]]:
        some = [cell for cell in cells if cell["program"] in programs]
        out += [*([f"**{title}**: {', '.join(sorted(programs))}.", ""] if title and some else []), *(headline(some) if some else [])]
    out += ["The last line of each takes every real run for a prediction of the median of its cell's others: what runs differ by among themselves. "
            f"In {sum(spread(cell) > MARKS['simulated'] for cell in cells)} cells the real runs are farther apart than 8% of their median, so that no one time can be near all of them.", ""]
    out += by_kind(cells)
    out += by_cores(cells)
    out += of_distributions(cells)
    out += [f"![every interval]({options.output.stem}.svg)", "",
            "Each line is a cell's interval around its prediction (dot), as parts of the real time (the upright line); red where it misses. Rings are dilation. Beyond 50% cut.", ""]
    head = ["", "cells", "median error", "95th percentile", "largest", "held", "half-width", "dilation, median", "virtual, median"]
    for key, title in (("change", "By what changes"), ("tcp", "By the hosts' TCP"), ("library", "By MPI library"), ("hosts", "By hosts"), ("program", "By program")):
        out += [f"## {title}", "", *table(head, [of_group(name, some) for name, some in groups(cells, key)])]
    if disturbed:
        held_then, said = (sum(cell[key] for cell in disturbed) for key in ("held", "said"))
        out += ["## In a disturbed hour", "", f"Another process took {percent(disturbed[0]['burn'])} of a core, in pieces of 1 to 5 ms, during {len(disturbed)} studies on models of a quiet hour. {held_then} of the intervals hold; "
                f"{said} of the studies said that the machine was disturbed. These cells are in no other table.", "",
                *table([*KEY, "real ms", "spread", "no core", "simulated ms", "simulation", "dilation", "virtual", "held", "said"], [[*of_cell(cell, {})[:-1], "yes" if cell["said"] else "**no**"] for cell in disturbed])]
    columns = [*KEY, "real ms", "spread", "no core", "simulated ms", "simulation", "dilation", "virtual", "held", "cause"]
    missed = [cell for cell in cells if misses(cell)]
    out += [f"## Cells beyond a mark ({len(missed)})", "", "Not held, or simulation or virtual time beyond 8%, or dilation beyond 10%. No core: the part of the recorded and of the real run that a rank was ready and without a core, "
            "which the lab's own processes had mostly (its switch, at 1 Gb/s all of one core of two): where it is much more than it was recorded with, the lab is not the wire.", "", *table(columns, [of_cell(cell, causes) for cell in missed])]
    out += ["## All cells", "", *table(columns, [of_cell(cell, causes) for cell in sorted(cells, key=lambda one: tuple(str(one[key]) for key in KEY))])]
    if unreal or failed:
        out += ["## Without a truth", "", *table([*KEY, "why"], [[*(cell[key] for key in KEY), (cell.get("no_real") or cell["failed"]).replace("\n", " ")[:300]] for cell in unreal + failed])]
    options.output.write_text("\n".join(out).rstrip() + "\n")
    options.output.with_suffix(".svg").write_text(picture(cells))


main()
