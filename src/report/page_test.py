#!/usr/bin/env python3
"""Draws the sample page in a browser and checks what is in it: page_test.py SAMPLE_PROGRAM CHROMIUM

What must be there is worked out from data.json, from which the page was made.
"""
import html.parser
import json
import math
import os
import subprocess
import sys
import tempfile

sample_program, chromium = sys.argv[1:3]


class Node:
    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, attributes, []

    def all(self):
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.all()

    def find(self, tag=None, **wanted):
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in wanted.items()}

        def fits(node):
            if tag is not None and node.tag != tag:
                return False
            return all(value in node.attributes.get(name, "").split() if name == "class" else node.attributes.get(name) == value
                       for name, value in wanted.items())
        return [node for node in self.all() if fits(node)]

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


class Tree(html.parser.HTMLParser):
    void = {"meta", "link", "br", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.root = Node("root", {})
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, {name: value or "" for name, value in attributes})
        self.open[-1].children.append(node)
        if tag not in self.void:
            self.open.append(node)

    def handle_endtag(self, tag):
        if any(node.tag == tag for node in self.open):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data):
        self.open[-1].children.append(data)


def digits(value, significant):
    if value == 0:
        return "0"
    return f"{value:.{max(0, significant - 1 - math.floor(math.log10(abs(value))))}f}"


def seconds(s, significant=4):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if s * scale >= 0.9995:
            return f"{digits(s * scale, significant)} {unit}"
    return f"{digits(s * 1e9, significant)} ns"


with tempfile.TemporaryDirectory() as directory:
    subprocess.run([sample_program, directory], check=True)
    data = json.load(open(os.path.join(directory, "data.json")))
    shown = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", f"--user-data-dir={directory}/profile", "--window-size=1400,2400",
         "--virtual-time-budget=3000", "--dump-dom", f"file://{directory}/page.html"],
        capture_output=True, text=True, timeout=120)
page = Tree(shown.stdout).root
top = page.find("html")[0].attributes
errors = page.find("div", id="errors")[0]
assert top.get("data-ready") == "yes", f"the page did not complete: {errors.text()}"
assert top.get("data-errors") == "0" and "hidden" in errors.attributes, errors.text()
assert "data-pwned" not in top, "a string from the data was run as a program"

studies = data["studies"]
hostile = studies[1]["name"]
assert "<script>" in hostile
sections = page.find("section", class_="program")
assert len(sections) == len(studies) == 3
assert sections[1].find("h2")[0].text().startswith(hostile), "the name is not shown as it is"
assert hostile in sections[1].find("code")[0].text().replace('\\"', '"')
assert not page.find("img"), "a string from the data became an element"

# The agreement table: every time as given, every error worked out here.
rows = page.find("table", class_="agreement")[0].find("tbody")[0].find("tr")
expected = [(study, what_if) for study in studies for what_if in study["what_ifs"]]
assert len(rows) == len(expected)
for row, (study, what_if) in zip(rows, expected):
    assert row.attributes["data-program"] == study["name"] and row.attributes["data-spec"] == what_if["spec"]
    cell = {kind: row.find("td", data_kind=kind)[0].text() for kind in ("recorded", "simulated", "dilated", "real")}
    assert cell["recorded"].startswith(seconds(study["recorded_s"])), (cell, study["recorded_s"])
    for kind in ("simulated", "dilated", "real"):
        time = what_if.get(kind)
        assert cell[kind].startswith(seconds(time["s"]) if time else "\u2013"), (kind, cell, time)
        if time and kind != "real" and what_if.get("real"):
            error = time["s"] / what_if["real"]["s"] - 1
            sign = "+" if error >= 0 else "\u2212"
            assert f"{sign}{abs(error) * 100:.1f}%" in cell[kind], (cell[kind], error)
    if what_if.get("real"):
        assert ("do not agree" in row.text()) == (not what_if["agree"])
assert len(page.find("div", class_="answer")) == len(studies)
assert "times disturbed" in sections[1].find("h2")[0].text() and "times disturbed" not in sections[0].find("h2")[0].text()

parts = {"compute": "compute_s", "library": "library_s", "algorithmic": "blocked_algorithmic_s", "service": "blocked_service_s"}
for section, study in zip(sections, studies):
    canvas = section.find("canvas", class_="ranks")[0].attributes
    assert int(canvas["data-rows"]) == len(study["timeline"]["rows"])
    assert int(canvas["data-calls"]) == study["timeline"]["listed_calls"]
    assert int(canvas["data-ticks"]) >= 3
    messages = study["timeline"]["listed_messages"]
    assert int(canvas["data-arrows"]) == (messages if messages <= 400 else 0), canvas
    for part, key in parts.items():
        bars = section.find("rect", class_="part", data_part=part)
        assert len(bars) == sum(rank[key] > 0 for rank in study["report"]["ranks"]), part
        total = sum(rank[key] for rank in study["report"]["ranks"])
        longest = max(rank["elapsed_s"] for rank in study["report"]["ranks"])
        drawn = sum(float(bar.attributes["width"]) for bar in bars) / (560 - 74 - 12) * longest
        assert abs(drawn - total) < 1e-6 * longest, (part, drawn, total)
    assert len(section.find("rect", class_="cell")) == len(study["report"]["peers"])
    calls = {row.attributes["data-call"]: row.find("td") for row in section.find("table", class_="calls")[0].find("tbody")[0].find("tr")}
    assert calls.keys() == study["report"]["calls"].keys()
    for name, cells in calls.items():
        assert cells[1].text().replace("\u2009", "") == str(study["report"]["calls"][name]["count"])
        assert cells[2].text() == seconds(study["report"]["calls"][name]["time_s"], 3)
    assert len(section.find("circle", class_="point")) == len(study["dilation"]["speedup"])
    assert {item.attributes["data-name"] for item in section.find("ul", class_="diagnostics")[0].find("li")} == \
        {d["name"] for d in study["diagnostics"]} if study["diagnostics"] else not section.find("ul", class_="diagnostics")

limits = sections[2].find("p", class_="limits")[0].text().replace("\u2009", "")
assert str(studies[2]["timeline"]["calls"]) in limits and str(studies[2]["timeline"]["messages"]) in limits, limits
assert not sections[0].find("p", class_="limits"), "nothing was left out of the small trace"

machine = page.find("section", id="machine")[0]
points = sum(len(link["points"]) for link in data["machine"]["links"])
assert len(machine.find("circle", class_="point")) == len(machine.find("line", class_="residual")) == points
assert len(machine.find("line", class_="eager")) == 2 * len(data["machine"]["links"])
assert data["machine"]["flags"][0] in machine.text()
print("the page shows what the data says")
