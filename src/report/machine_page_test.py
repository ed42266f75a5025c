#!/usr/bin/env python3
"""Draws the page of a machine model in a browser and reads the model back from what is drawn: machine_page_test.py
SAMPLE_PROGRAM CHROMIUM PAGE_MODULES

A chart tells its scale (data-x-low and the like), which must agree with the labels on its axes; every mark is then a
value, and must be one of the model's (machine.json, by the formulas of sample_machine.cpp).
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from page_browser import drawn_by_browser

sample_program, chromium, page_modules = sys.argv[1:4]

# What a reader does by the keyboard: the focus on the overlap chart, two points further, one back; then the other axes.
reader = """
const holder = document.createElement("pre"), said = [], tip = () => document.getElementById("tooltip");
const chart = document.querySelector('svg[data-chart="overlap"]');
const key = (name) => { chart.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  said.push(tip() && !tip().hidden ? tip().textContent : ""); };
chart.focus(); said.push(document.activeElement === chart ? "focus" : "");
key("ArrowRight"); key("ArrowRight"); key("ArrowLeft"); key("Escape");
document.querySelectorAll(".card button").forEach((button) => button.textContent === "logarithmic" && button.click());
said.push(document.querySelector('svg[data-chart="six-lines"]').dataset.xKind);
holder.id = "said"; holder.textContent = JSON.stringify(said); document.body.append(holder);
"""

# Draws 600 models, each damaged in up to three places as model_check.cpp lets it pass, and notes what could not be
# drawn. The same damages in every run.
damage = """
const whole = JSON.parse(document.getElementById("data").textContent).machine, places = [], faults = [];
const needed = new Set(["bytes", "median_s", "base_s", "seconds_per_byte", "from_bytes", "jump_s", "measured_s", "simulated_s", "ranks"]);
let seed = 7;
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
(function walk(value, path) {
  if (value === null || typeof value !== "object") return;
  for (const key of Object.keys(value)) { places.push([...path, key]); walk(value[key], [...path, key]); }
})(whole, []);
for (let i = 0; i < 600; ++i) {
  const model = structuredClone(whole), done = [];
  for (let n = 0; n <= random(3); ++n) {
    const path = places[random(places.length)], key = path.at(-1);
    const holder = path.slice(0, -1).reduce((value, step) => value?.[step], model), old = holder?.[key];
    const element = /^[0-9]+$/.test(key), optional = path[0] === "observations" ? !element : !element && !needed.has(key);
    if (typeof old === "number") holder[key] = [optional ? null : 0, 0, -1, 1e300, 1e-300, 1e9][random(6)];
    else if (typeof old === "string") holder[key] = "";
    else if (Array.isArray(old)) holder[key] = [];
    else if (["six_lines", "collectives", "observations", "environment", "wire"].includes(key)) holder[key] = random(2) ? {} : null;
    else continue;
    done.push(path.join(".") + " = " + JSON.stringify(holder[key]));
  }
  try { modules.el("div", {}, modules.machine_cards(model)); } catch (error) { faults.push(done.join(", ") + ": " + error.message); }
}
document.body.append(modules.el("pre", {id: "faults"}, JSON.stringify(faults)));
"""


def number(node, name):
    return float(node.attributes[name])


def close(a, b, share=2e-3):
    return math.isclose(a, b, rel_tol=share, abs_tol=share * 1e-9)


class Chart:
    def __init__(self, page, name):
        found = page.find("svg", data_chart=name)
        assert len(found) == 1, (name, len(found))
        self.svg, data = found[0], found[0].attributes
        self.ends = {axis: (float(data[f"data-{axis}-low"]), float(data[f"data-{axis}-high"])) for axis in "xy"}
        self.log = {axis: data[f"data-{axis}-kind"] == "log" for axis in "xy"}
        self.edges = {"x": (float(data["data-left"]), float(data["data-right"])),
                      "y": (float(data["data-bottom"]), float(data["data-top"]))}
        self.name = name

    def value(self, axis, pixel):
        (low, high), (begin, end) = self.ends[axis], self.edges[axis]
        share = (pixel - begin) / (end - begin)
        return low * (high / low) ** share if self.log[axis] else low + share * (high - low)

    def marks(self, series=None):
        wanted = {"class_": "mark"} | ({"data_series": series} if series else {})
        return sorted((self.value("x", number(mark, "cx")), self.value("y", number(mark, "cy")))
                      for mark in self.svg.find("circle", **wanted))

    def intervals(self):
        return sorted((self.value("x", number(line, "x1")), self.value("y", number(line, "y1")),
                       self.value("y", number(line, "y2"))) for line in self.svg.find("line", class_="interval"))

    def curve(self, series, kind="curve"):
        points = self.svg.find("polyline", class_=kind, data_series=series)[0].attributes["points"].split()
        return [(self.value("x", float(x)), self.value("y", float(y))) for x, y in (point.split(",") for point in points)]

    def labels(self, axis):
        """Value of each tick label, by its text, and the value at the place where it stands."""
        place = "x" if axis == "x" else "y"
        for text in self.svg.find("text", class_="tick"):
            bottom = text.attributes.get("text-anchor") == "middle"
            if bottom == (axis == "x"):
                yield text.text(), self.value(axis, number(text, place) - (0 if axis == "x" else 4))


def read_number(text):
    """500 us of "500 µs", 4096 of "4 Ki"; None of other texts."""
    match = re.fullmatch(r"([+\u2212\u00d7]?)([0-9.]+) ?(ns|µs|ms|s|Ki|Mi|%|k/s|M/s|/s)?", text)
    if not match:
        return None
    scale = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "Ki": 1024, "Mi": 1048576, "%": 0.01, "k/s": 1e3, "M/s": 1e6}
    return (-1 if match[1] == "\u2212" else 1) * float(match[2]) * scale.get(match[3], 1)


def same_points(drawn, expected, what):
    expected = sorted(expected)
    assert len(drawn) == len(expected), (what, drawn, expected)
    for got, wanted in zip(drawn, expected):
        assert all(close(a, b) for a, b in zip(got, wanted)), (what, got, wanted)


def check_labels(chart):
    for axis in "xy":
        read = [(read_number(text), place, text) for text, place in chart.labels(axis)]
        assert len(read) >= 2, (chart.name, axis, read)
        span = chart.ends[axis][1] - chart.ends[axis][0]
        for value, place, text in read:
            assert value is not None, (chart.name, axis, text)
            # labels have two digits
            assert math.isclose(value, place, rel_tol=0.06, abs_tol=0.01 * span), (chart.name, axis, text, place)


def check_pingpong(card, link):
    """The logarithmic axes are read from two of their labels each."""
    picture = card.find("svg", role="img")[0]
    points, segments = link["points"], link["segments"]
    sizes = [max(point["bytes"], 1) for point in points]
    left, right = 66, 600 - 18
    low, high = min(sizes), max(sizes) * 1.15

    def x(bytes_):
        return left + math.log(bytes_ / low) / math.log(high / low) * (right - left)

    times = [point[key] for point in points for key in ("low_s", "high_s")]
    least, most = min(times) / 1.4, max(times) * 1.4

    def y(s):
        return 330 - 26 + math.log(s / least) / math.log(most / least) * (26 - (330 - 26))

    for text in picture.find("text", class_="tick"):
        value = read_number(text.text())
        if text.attributes["text-anchor"] == "middle":
            assert abs(x(value) - number(text, "x")) < 0.01, text.text()
        else:
            assert abs(y(value) + 4 - number(text, "y")) < 0.01, text.text()
    circles = picture.find("circle", class_="point")
    assert len(circles) == len(points)
    for circle, line, point in zip(circles, picture.find("line", class_="interval"), points):
        assert abs(number(circle, "cx") - x(point["bytes"])) < 0.01 and abs(number(circle, "cy") - y(point["median_s"])) < 0.01
        assert abs(number(line, "y1") - y(point["low_s"])) < 0.01 and abs(number(line, "y2") - y(point["high_s"])) < 0.01
    fits = picture.find("polyline", class_="fit")
    assert [float(fit.attributes["data-from"]) for fit in fits] == [segment["from_bytes"] for segment in segments]
    for fit, segment in zip(fits, segments):
        ends = [tuple(map(float, point.split(","))) for point in fit.attributes["points"].split()]
        begin, end = max(segment["from_bytes"], low), segment["to_bytes"]
        for (px, py), bytes_ in ((ends[0], begin), (ends[-1], high if segment is segments[-1] else end)):
            s = segment["base_s"] + segment["seconds_per_byte"] * bytes_
            assert abs(px - x(bytes_)) < 0.2 and abs(py - y(s)) < 0.2, (segment, px, py, x(bytes_), y(s))
    switches = link["switches"]
    for line, one in zip(picture.find("line", class_="switch"), switches, strict=True):
        assert abs(number(line, "x1") - x(one["bytes"])) < 0.01, one
    avoided = [one for one in switches if one["avoid_up_to_bytes"] > 0]
    for box, one in zip(picture.find("rect", class_="avoid"), avoided, strict=True):
        assert abs(number(box, "x") - x(one["bytes"])) < 0.01
        assert abs(number(box, "x") + number(box, "width") - x(one["avoid_up_to_bytes"])) < 0.01
    items = card.find("ol", class_="switches")[0].find("li")
    for item, one in zip(items, switches, strict=True):
        text = item.text().replace("\u2009", "")
        assert f"above {one['bytes']} bytes" in text and one["cause"] in text, text
        assert (f"avoid sizes up to {one['avoid_up_to_bytes']} bytes" in text) == (one["avoid_up_to_bytes"] > 0), text
    assert "surely between 500 and 520" in items[0].text()

    # Residuals: each fourth point is 5% above its line, so the line is 1 - 1/1.05 below it.
    lower = card.find("svg", role="img")[1]
    band, residuals = lower.find("rect", class_="band")[0], lower.find("line", class_="residual")
    share = (number(band, "height")) / 0.06  # pixels for 100%
    for i, (line, point) in enumerate(zip(residuals, points, strict=True)):
        off = (number(line, "y1") - number(line, "y2")) / share
        assert abs(off - (1 / 1.05 - 1 if i % 4 == 3 else 0)) < 1e-4, (i, off)
        assert abs(number(line, "x1") - x(point["bytes"])) < 0.01


def check_heat(page, name, values, hosts):
    picture = page.find("svg", data_chart=name)[0]
    cells = {(int(cell.attributes["data-row"]), int(cell.attributes["data-column"])): cell for cell in picture.find("rect", class_="heat")}
    ranks = len(values)
    assert cells.keys() == {(r, c) for r in range(ranks) for c in range(ranks) if r != c}, cells.keys()
    seen = [values[r][c] for r, c in cells]
    least, most = min(seen), max(seen)
    assert close(number(picture, "data-low"), least) and close(number(picture, "data-high"), most)
    size = number(cells[0, 1], "width")
    for (r, c), cell in cells.items():
        filled = float(re.search(r"([0-9.]+)%", cell.attributes["style"])[1]) / 100
        assert abs(filled - math.log(values[r][c] / least) / math.log(most / least)) < 1e-3, (r, c, filled)
        assert number(cell, "x") - number(cells[1, 0], "x") == c * (size + 2), (r, c)
        assert number(cell, "y") - number(cells[0, 1], "y") == r * (size + 2), (r, c)
    borders = {int(line.attributes["data-rank"]) for line in picture.find("line", class_="host")}
    assert borders == {i for i in range(1, ranks) if hosts[i] != hosts[i - 1]} == {2}
    # the border is the left edge of the cells of rank 2, less the gap between cells
    lines = picture.find("line", class_="host")
    assert number(lines[0], "x1") == number(cells[0, 2], "x") - 1 and number(lines[1], "y1") == number(cells[2, 0], "y") - 1
    assert [text.text() for text in picture.find("text", class_="strong")] == ["alpha", "beta"]


with tempfile.TemporaryDirectory() as directory:
    subprocess.run([sample_program, directory], check=True)
    machine = json.load(open(os.path.join(directory, "machine.json")))
    bare = json.load(open(os.path.join(directory, "bare.json")))
    page = drawn_by_browser(chromium, f"{directory}/machine.html")
    bare_page = drawn_by_browser(chromium, f"{directory}/bare.html")
    many = json.load(open(os.path.join(directory, "many.json")))
    many_page = drawn_by_browser(chromium, f"{directory}/many.html")
    both_page = drawn_by_browser(chromium, f"{directory}/compare.html")
    text = open(f"{directory}/machine.html").read()
    with open(f"{directory}/read.html", "w") as file:
        file.write(text.replace("</body>", f"<script>{reader}</script></body>"))
    with open(f"{directory}/damaged.html", "w") as file:
        file.write(text.replace("</body>", f"<script>{open(page_modules).read()}</script><script>{damage}</script></body>"))
    faults = json.loads(drawn_by_browser(chromium, f"{directory}/damaged.html").find("pre", id="faults")[0].text())
    said = json.loads(drawn_by_browser(chromium, f"{directory}/read.html").find("pre", id="said")[0].text())

section = page.find("section", id="machine")[0]
assert not page.find("section", id="answer") and not page.find("nav"), "a page of a machine alone has no programs"
cards = {card.find("h3")[0].text(): card for card in section.find("div", class_="card")}
# us, ns a byte, cycles; operations a cycle are not known
cells = [cell.text() for cell in cards["Alpha and beta"].find("td")]
assert cells == ["between hosts", "250.0", "820.0", "625000", "2050", "0.0004878", "\u2013", "\u2013"], cells
assert "from 32.0 KiB to 4.00 MiB" in cards["Alpha and beta"].text(), cards["Alpha and beta"].text()
assert machine["flags"][0] in cards["Notes and doubtful values of the model"].text()
check_pingpong(cards["Messages between hosts"], machine["links"][0])
check_pingpong(cards["Messages within a host"], machine["links"][1])

observations = machine["observations"]
charts = {chart.attributes["data-chart"] for chart in page.find("svg") if "data-x-kind" in chart.attributes}
for name in charts:
    check_labels(Chart(page, name))
assert charts == {"six-lines", "interference", "interference-message", "message_rate", "overlap", "bidirectional", "congestion",
                  "relay", "forwarding", "busy", "after_computation", "loggp", "collective-allreduce", "collective-bcast", "closed-loop"} | \
    {f"{kind}-{link}" for kind in ("pingpong", "residual") for link in ("inter", "intra")}, charts

# S1, Table 3, from 0 to its largest size of 2000 bytes
six = Chart(page, "six-lines")
for term, line in machine["six_lines"].items():
    same_points(six.marks(term), [(p["bytes"], p["median_s"]) for p in line["points"]], term)
    ends = [(bytes_, line["base_s"] + line["seconds_per_byte"] * bytes_) for bytes_ in (0, 2000)]
    same_points(six.curve(term), ends, term)
assert len(six.intervals()) == 6 * 5
terms = {row.attributes["data-term"]: row for row in section.find("table", class_="terms")[0].find("tr") if "data-term" in row.attributes}
assert "160 µs" in terms["F"].text() and "600 ns" in terms["F"].text() and "220 µs" in terms["E"].text()

matrix = observations["matrix"]
check_heat(page, "latency", matrix["latency_s"], matrix["hosts"])
check_heat(page, "rate", matrix["bytes_per_s"], matrix["hosts"])

rows = [row for row in observations["interference"] if "slowdown" in row]
assert len(rows) < len(observations["interference"]), "the sample has a row without its number"
interference = Chart(page, "interference")
same_points(interference.marks("1\u2009000 bytes"), [(n, slow) for n, slow in enumerate((1, 1.20, 1.61, 3.78))], "slow-down")
same_points(interference.marks("1\u2009000 bytes, by software costs"), [(n, 1 + 0.2 * n) for n in range(4)], "predicted")
same_points(interference.intervals(), [(row["neighbours"], *row["slowdown_ci"]) for row in rows], "its intervals")
same_points(Chart(page, "interference-message").marks(), [(row["neighbours"], row["message_s"]) for row in rows], "time per message")
for between, name in (("inter", "between hosts"), ("intra", "within a host")):
    same_points(Chart(page, "message_rate").marks(name),
                [(row["bytes"], row["messages_per_s"]) for row in observations["message_rate"] if row["between"] == between], name)
for name, key in (("overlap", "overlapped"), ("bidirectional", "efficiency")):
    same_points(Chart(page, name).marks(), [(row["bytes"], row[key]) for row in observations[name] if row[key] is not None], name)
same_points(Chart(page, "congestion").marks(), [(row["pairs"], row["relative"]) for row in observations["congestion"]], "congestion")
same_points(Chart(page, "relay").marks(), [(row["hops"], row["echo_s"]) for row in observations["relay"]], "relay")
passing = Chart(page, "forwarding")
for name, key in (("lost", "loss_s"), ("daemon", "daemon_s"), ("task", "task_s")):
    same_points(passing.marks(f"{name}, between hosts, integer"), [(row["bytes"], row[key]) for row in observations["forwarding"]], key)
same_points(Chart(page, "after_computation").marks("send between hosts, after computing"),
            [(row["bytes"], 5e-6) for row in observations["after_computation"] if row["call"] == "send"], "after_computation")
same_points(Chart(page, "busy").marks("between hosts, busy"), [(row["bytes"], 3e-4) for row in observations["busy"]], "busy")
same_points(Chart(page, "loggp").marks("L between hosts"), [(row["bytes"], -1e-6) for row in observations["loggp"]], "an impossible L is shown")
for name, rows in machine["collectives"].items():
    for ranks in (2, 4, 8):
        same_points(Chart(page, "collective-" + name).marks(f"{ranks} ranks"),
                    [(row["bytes"], row["median_s"]) for row in rows if row["ranks"] == ranks], (name, ranks))
    same_points(Chart(page, "collective-" + name).intervals(), [(row["bytes"], row["low_s"], row["high_s"]) for row in rows], name)
for ranks in (2, 8):
    same_points(Chart(page, "collective-allreduce").marks(f"{ranks} ranks, simulated"),
                [(1024, 1.1 * math.log2(ranks) * (50e-6 + 10e-9 * 1024))], "the model's allreduce")
assert not Chart(page, "collective-bcast").svg.find("circle", data_series="2 ranks, simulated")
assert "6 runs were thrown out" in cards["MPI_Allreduce"].text()
loop = Chart(page, "closed-loop")
for experiment in ("pingpong", "relay"):
    same_points(loop.marks(experiment + " between hosts"),
                [(row["bytes"], row["relative"]) for row in machine["closed_loop"] if row["experiment"] == experiment], experiment)
loop_card = next(card for title, card in cards.items() if title.startswith("The closed loop"))
assert "off by 1.5% on average and 3.0% at most" in loop_card.text(), loop_card.text()  # of -2, -1, 0, 1, 2 and 3%
assert "furthest off" in loop_card.text() and "+3.0%" in loop_card.find("tbody")[0].find("tr")[0].text()
assert "21.0 ns" in cards["Timer"].text() and "Open MPI" in cards["Measured on"].text()
assert not any(title.startswith("Not measured") for title in cards)

# What a model does not hold is named, and has no picture.
cards = {card.find("h3")[0].text(): card for card in bare_page.find("section", id="machine")[0].find("div", class_="card")}
missing = [item.text() for item in cards["Not measured"].find("li")]
for key in ("points", "six_lines", "collectives", "observations.matrix", "observations.interference", "observations.timer", "closed_loop"):
    assert any(key in item for item in missing), (key, missing)
assert {chart.attributes["data-chart"] for chart in bare_page.find("svg") if "data-chart" in chart.attributes} == {"six-lines", "pingpong-inter"}
assert len(cards["Messages between hosts"].find("polyline", class_="fit")) == len(bare["links"][0]["segments"])
assert not bare_page.find("circle", class_="point") and not bare_page.find("circle", class_="mark")
cost = bare["costs"]["F"][0]  # drawn as a line where there are no six lines
same_points(Chart(bare_page, "six-lines").curve("F"),
            [(bytes_, cost["base_s"] + cost["seconds_per_byte"] * bytes_) for bytes_ in (0, 512)], "costs")

# 100 ranks are 50 by 50 cells: each the median of its pairs.
wide = many["observations"]["matrix"]
cells = many_page.find("svg", data_chart="latency")[0].find("rect", class_="heat")
assert len(cells) == 50 * 50
cell = next(c for c in cells if c.attributes["data-row"] == "1" and c.attributes["data-column"] == "2")
pairs = sorted(wide["latency_s"][r][c] for r in (2, 3) for c in (4, 5))
least, most = (number(many_page.find("svg", data_chart="latency")[0], "data-" + end) for end in ("low", "high"))
filled = float(re.search(r"([0-9.]+)%", cell.attributes["style"])[1]) / 100
assert abs(filled - math.log((pairs[1] + pairs[2]) / 2 / least) / math.log(most / least)) < 1e-3
assert {int(line.attributes["data-rank"]) for line in many_page.find("svg", data_chart="latency")[0].find("line", class_="host")} == {25}

# Two models in one page: the same link, so that their ratio is 1 everywhere.
assert [s.attributes["id"] for s in both_page.find("section")] == ["comparison", "machine-0", "machine-1"]
for name in ("two made-up hosts", "bare"):
    for bytes_, s in Chart(both_page, "compare-inter").curve(name)[::8]:
        line = next(part for part in machine["links"][0]["segments"] if round(bytes_) <= part["to_bytes"])
        assert close(s, line["base_s"] + line["seconds_per_byte"] * bytes_, 0.01), (name, bytes_, s)
assert all(close(value, 1) for _, value in Chart(both_page, "ratio-inter").curve("ratio"))
assert not both_page.find("svg", data_chart="compare-intra"), "only one of them has that link"

assert said[0] == "focus" and said[4] == "" and said[5] == "log", said
assert said[1].startswith("between hosts, 8 bytes") and "\u221210.0%" in said[1].replace("-", "\u2212"), said[1]
assert said[2].startswith("between hosts, 1\u2009024 bytes") and "80.0%" in said[2] and said[3] == said[1], said
assert not faults, "\n".join(faults[:20])
print("the page shows what the model holds")
