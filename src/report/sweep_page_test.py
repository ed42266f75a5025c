#!/usr/bin/env python3
"""Draws the page of a sweep in a browser and reads it back: sweep_page_test.py SAMPLE_PROGRAM CHROMIUM

The sample's time is 20 - 2 log10(bandwidth) + 3 log10(latency / 1 us) ms, 1 ms less with software=x0.1 (sample_page.cpp),
so every point of a contour is known.
"""
import json
import math
import re
import subprocess
import sys
import tempfile

from page_browser import drawn_by_browser

sample_program, chromium = sys.argv[1:3]

# What a reader does: walk to the second cell, then choose the other software.
reader = """
const holder = document.createElement("pre"), said = [];
const chart = () => document.querySelector('svg[data-chart="sweep"]');
const key = (name) => { chart().dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  said.push(document.getElementById("tooltip")?.textContent ?? ""); };
chart().focus(); key("ArrowRight"); key("ArrowRight");
const choice = document.querySelector("select");
choice.selectedIndex = 1; choice.dispatchEvent(new Event("change"));
key("ArrowRight");
holder.id = "said"; holder.textContent = JSON.stringify(said); document.body.append(holder);
"""

with tempfile.TemporaryDirectory() as directory:
    subprocess.run([sample_program, directory], check=True)
    page = drawn_by_browser(chromium, f"{directory}/sweep.html")
    text = open(f"{directory}/sweep.html").read()
    with open(f"{directory}/read.html", "w") as file:
        file.write(text.replace("</body>", f"<script>{reader}</script></body>"))
    read = drawn_by_browser(chromium, f"{directory}/read.html")

assert page.find("section", class_="sweep")[0].find("h2")[0].text() == "<b>swept</b>"
assert "Replayed: 21.00 ms, which a speed-up divides" in page.find("section", class_="sweep")[0].text()
chart, = page.find("svg", data_chart="sweep")
a = chart.attributes


def back(kind, low, high, first, last, place):
    share = (place - first) / (last - first)
    return low * (high / low) ** share if kind == "log" else low + (high - low) * share


cells = chart.find("rect", class_="heat")
assert len(cells) == 12, len(cells)
for cell in cells:
    column, row = int(cell.attributes["data-column"]), int(cell.attributes["data-row"])
    wanted = f"cell {column} {row} 0: predicted {20 - 2 * column + 3 * row:.2f} ms"
    assert cell.attributes["aria-label"].startswith(wanted), (cell.attributes["aria-label"], wanted)
left, right, top, bottom = (min(float(c.attributes["x"]) for c in cells),
                            max(float(c.attributes["x"]) + float(c.attributes["width"]) for c in cells),
                            min(float(c.attributes["y"]) for c in cells),
                            max(float(c.attributes["y"]) + float(c.attributes["height"]) for c in cells))
assert [left, right, top, bottom] == [float(a[f"data-{side}"]) for side in ("left", "right", "top", "bottom")], a

contours = chart.find("path", class_="contour")
levels = [float(contour.attributes["data-level"]) for contour in contours]
assert len(levels) >= 4 and all(0.016 < level < 0.029 for level in levels), levels
points = 0
for contour, level in zip(contours, levels):
    for x, y in re.findall(r"[ML]([\d.]+),([\d.]+)", contour.attributes["d"]):
        bandwidth = back(a["data-x-kind"], float(a["data-x-low"]), float(a["data-x-high"]), left, right, float(x))
        latency = back(a["data-y-kind"], float(a["data-y-low"]), float(a["data-y-high"]), bottom, top, float(y))
        time_s = (20 - 2 * math.log10(bandwidth) + 3 * math.log10(latency / 1e-6)) * 1e-3
        assert abs(time_s - level) < 1e-6, (time_s, level)
        points += 1
assert points >= 16, points
labels = [node.text() for node in chart.find("text")]
assert {"×1", "×10", "×100", "1.0 µs", "1.0 ms"} <= set(labels), labels

said = json.loads(read.find("pre", id="said")[0].text())
assert said[0].startswith("cell 0 0 0"), said
assert said[1].startswith("cell 1 0 0") and "18.00 ms" in said[1], said
assert said[2].startswith("cell 0 0 1") and "19.00 ms" in said[2], said
