#!/usr/bin/env python3
"""Draws the sample page in a browser and checks what is in it: page_test.py SAMPLE_PROGRAM CHROMIUM

What must be there is worked out from data.json, from which the page was made.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

from page_browser import drawn_by_browser, seconds

sample_program, chromium = sys.argv[1:3]

# What a reader does with the first timeline; each step notes what the page then says.
reader = """
const canvas = document.querySelector("canvas.ranks"), status = canvas.parentNode.nextSibling, notes = [];
const step = () => new Promise((done) => setTimeout(done, 100));
const note = async (name) => { await step(); const tip = document.getElementById("tooltip");
  notes.push({ name, status: status.textContent, arrows: +canvas.dataset.arrows, tip: tip && !tip.hidden ? tip.textContent : "" }); };
const box = () => canvas.getBoundingClientRect();
const pointer = (type, share, y, more) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0,
  clientX: box().left + 112 + share * (box().width - 114), clientY: box().top + y, ...more }));
const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const wheel = () => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -120, clientX: box().left + 500, clientY: box().top + 40, cancelable: true }));
canvas.setPointerCapture = () => {};
(async () => {
  await note("all");
  wheel(); await note("wheel without focus");
  canvas.focus();
  for (let i = 0; i < 5; ++i) wheel();
  await note("wheel");
  key("0"); await note("reset");
  pointer("pointerdown", 0.25, 40); pointer("pointermove", 0.5, 40); pointer("pointerup", 0.5, 40); await note("drag");
  key("ArrowRight"); await note("right");
  key("0"); key("ArrowDown"); key("n"); await note("first call");
  key("n"); await note("second call");
  pointer("pointermove", 0.001, 40); await note("hover");
  document.querySelectorAll("button[aria-pressed]")[1].click();
  await note("toggled");
  const texts = () => [...document.querySelector("div.matrix").querySelectorAll("text")].map((text) => text.textContent);
  const first = texts();
  document.querySelectorAll("button[aria-pressed]")[2].click();
  await note("collectives"); notes.at(-1).tip = JSON.stringify(texts());
  document.querySelectorAll("button[aria-pressed]")[1].click();
  const holder = document.createElement("pre"); holder.id = "notes"; holder.textContent = JSON.stringify(notes); document.body.append(holder);
})();
"""

# How large the letters of the charts are on the screen, in a narrow window.
measurer = """
const sizes = [...document.querySelectorAll("svg[role=img]")].flatMap((picture) => [...picture.querySelectorAll("text")].map((text) =>
  parseFloat(getComputedStyle(text).fontSize) * picture.getBoundingClientRect().width / picture.viewBox.baseVal.width));
const holder = document.createElement("pre"); holder.id = "sizes"; holder.textContent = JSON.stringify(sizes); document.body.append(holder);
"""

with tempfile.TemporaryDirectory() as directory:
    subprocess.run([sample_program, directory], check=True)
    data = json.load(open(os.path.join(directory, "data.json")))
    page = drawn_by_browser(chromium, f"{directory}/page.html")
    text = open(f"{directory}/page.html").read()
    with open(f"{directory}/read.html", "w") as file:  # a page that is dumped, not shown, has no frames to wait for
        text = text.replace("<body>", "<body><script>window.requestAnimationFrame = (paint) => setTimeout(paint, 5);</script>")
        file.write(text.replace("</body>", f"<script>{reader}</script></body>"))
    read = drawn_by_browser(chromium, f"{directory}/read.html")
    with open(f"{directory}/narrow.html", "w") as file:
        file.write(open(f"{directory}/page.html").read().replace("</body>", f"<script>{measurer}</script></body>"))
    narrow = drawn_by_browser(chromium, f"{directory}/narrow.html", width=500)

studies = data["studies"]
hostile = studies[1]["name"]
assert "<script>" in hostile
sections = page.find("section", class_="program")
assert len(sections) == len(studies) == 4
assert sections[1].find("h2")[0].text().startswith(hostile), "the name is not shown as it is"
assert hostile in sections[1].find("code")[0].text().replace('\\"', '"')
assert not page.find("img"), "a string from the data became an element"

# The agreement table: every time as given, every error worked out here.
rows = page.find("table", class_="agreement")[0].find("tbody")[0].find("tr")
expected = [(study, what_if) for study in studies for what_if in study["what_ifs"]]
assert len(rows) == len(expected)
for row, (study, what_if) in zip(rows, expected):
    assert row.attributes["data-program"] == study["name"] and row.attributes["data-spec"] == what_if["spec"]
    cell = {kind: row.find("td", data_kind=kind)[0].text() for kind in ("recorded", "simulated", "dilated", "virtual", "real")}
    assert cell["recorded"].startswith(seconds(study["recorded_s"])), (cell, study["recorded_s"])
    for kind in ("simulated", "dilated", "virtual", "real"):
        time = what_if.get(kind)
        assert cell[kind].startswith(seconds(time["s"]) if time else "\u2013"), (kind, cell, time)
        if time and kind != "real" and what_if.get("real"):
            error = time["s"] / what_if["real"]["s"] - 1
            sign = "+" if error >= 0 else "\u2212"
            assert f"{sign}{abs(error) * 100:.1f}%" in cell[kind], (cell[kind], error)
    if what_if.get("real"):
        assert ("do not agree" in row.text()) == (not what_if["agree"])
answers = [answer.text() for answer in page.find("div", class_="answer")]
assert len(answers) == len(studies)
# What each says, of all that predicted it: 0.70 against 0.668; the virtual clock 2.928 times the real run; 0.69 against 0.668.
assert "Simulation, dilation, the virtual clock and the real run agree within 4.8%" in answers[0], answers[0]
assert "Simulation, dilation, the virtual clock and the real run do not agree: up to 192.8% apart" in answers[1], answers[1]
assert "Simulation, the virtual clock and the real run agree within 3.3%" in answers[2], answers[2]
# The figure: 1 / 0.668 by the real run; none where the replay does not carry the prediction, but its interval.
figures = [answer.find("div", class_="factor")[0].text() for answer in page.find("div", class_="answer")]
assert figures[0].startswith("\u00d71.50") and "by the real run" in figures[0], figures
assert figures[3].startswith("No answer"), figures
simulated = studies[3]["what_ifs"][0]["simulated"]
assert "No figure can be relied upon" in answers[3] and "(-94%)" in answers[3], answers[3]
assert f"[{seconds(simulated['low'], 3)}, {seconds(simulated['high'], 3)}]" in answers[3], answers[3]
assert "communication bound" not in sections[3].text() and "No verdict: the replay is off by -94%" in sections[3].text()
assert "communication bound" in sections[0].text()

# One scale for all what-ifs of a program, from zero: every mark where its time is on it, the virtual clock's too.
for row, (study, what_if) in zip(rows, expected):
    picture = row.find("svg")[0]
    kinds = ("simulated", "dilated", "virtual", "real")
    longest = max([study["recorded_s"]] + [max(t["s"], t.get("high", 0)) for w in study["what_ifs"] for t in map(w.get, kinds) if t])
    assert abs(float(picture.attributes["data-longest"]) - longest) < 1e-9 * longest, (study["name"], what_if["spec"])
    for kind in kinds[:3]:
        drawn = picture.find("line", data_kind=kind)
        assert len(drawn) == (1 if what_if.get(kind) else 0), (kind, what_if)
        if drawn:
            low = what_if[kind].get("low", what_if[kind]["s"])
            assert abs(float(drawn[0].attributes["x1"]) - (4 + low / longest * 292)) < 0.01, (kind, drawn[0].attributes)
    assert seconds(longest, 3) in picture.text(), "the scale has no end"
assert "times disturbed" in sections[1].find("h2")[0].text() and "times disturbed" not in sections[0].find("h2")[0].text()

parts = {"compute": "compute_s", "library": "library_s", "algorithmic": "blocked_algorithmic_s", "service": "blocked_service_s"}
for section, study in zip(sections, studies):
    canvas = section.find("canvas", class_="ranks")[0].attributes
    assert int(canvas["data-rows"]) == len(study["timeline"]["rows"])
    assert int(canvas["data-calls"]) == study["timeline"]["listed_calls"]
    assert int(canvas["data-ticks"]) >= 3
    # regions are lines of 3 pixels in the gap between rows, 26% of their height (web/src/timeline/paint.ts), as many levels as fit
    rows = study["timeline"]["rows"]
    gap = int(min(46, 620 // len(rows)) * 0.26 + 0.5)
    levels = min(3, (gap - 1) // 3) if gap >= 4 else 0
    depths = [depth for row in rows for depth in row.get("regions", {"depth": []})["depth"]]
    assert int(canvas["data-regions"]) == sum(depth < levels for depth in depths), (canvas, len(rows), levels)
    messages = study["timeline"]["listed_messages"]
    assert int(canvas["data-arrows"]) == (messages if messages <= 240 else 0), canvas
    for part, key in parts.items():
        bars = section.find("rect", class_="part", data_part=part)
        assert len(bars) == sum(rank[key] > 0 for rank in study["report"]["ranks"]), part
        total = sum(rank[key] for rank in study["report"]["ranks"])
        longest = max(rank["elapsed_s"] for rank in study["report"]["ranks"])
        drawn = sum(float(bar.attributes["width"]) for bar in bars) / (560 - 74 - 12) * longest
        assert abs(drawn - total) < 1e-6 * longest, (part, drawn, total)
    # Who sends to whom: bytes of messages first; where there are none, what collectives carry.
    peers = study["report"]["peers"]
    shown_first = "bytes" if any(peer["messages"] for peer in peers) else "collective_bytes"
    assert len(section.find("rect", class_="cell")) == sum(peer[shown_first] > 0 for peer in peers)
    matrix = section.find("div", class_="matrix")[0]
    if shown_first == "collective_bytes":
        assert [text.text() for text in matrix.find("text")].count("1.56 MiB") == 4, "50 x 32768 B of each rank"
    calls = {row.attributes["data-call"]: row.find("td") for row in section.find("table", class_="calls")[0].find("tbody")[0].find("tr")}
    assert calls.keys() == study["report"]["calls"].keys()
    for name, cells in calls.items():
        assert cells[1].text().replace("\u2009", "") == str(study["report"]["calls"][name]["count"])
        assert cells[2].text() == seconds(study["report"]["calls"][name]["time_s"], 3)
        of_run = study["report"]["calls"][name]["program_s"] / sum(rank["elapsed_s"] for rank in study["report"]["ranks"])
        assert cells[3].text() == (f"{100 * of_run:.1f}%" if of_run else "outside"), (name, cells[3].text())
        longest_call = max(call["program_s"] for call in study["report"]["calls"].values())
        widths = [float(bar.attributes["width"]) for bar in cells[5].find("rect")[:1]]
        assert len(widths) == bool(of_run) and all(abs(w - 100 * study["report"]["calls"][name]["program_s"] / longest_call) < 0.01
                                                   for w in widths), (name, widths)
    regions = section.find("table", class_="regions")
    assert bool(regions) == ("regions" in study["report"])
    for row, region in zip(regions[0].find("tbody")[0].find("tr") if regions else [],
                           sorted(study["report"].get("regions", []), key=lambda r: -r["time_s"])):
        cells = [cell.text().replace("\u2009", "") for cell in row.find("td")]
        assert cells[0] == region["region"] and cells[1] == str(region["visits"]), cells
        assert cells[3:] == [f"{region[k] / region['time_s'] * 100:.1f}%" for k in ("compute_s", "library_s", "blocked_s")], cells
    assert len(section.find("circle", class_="point")) == len(study["dilation"]["speedup"])
    if "shares" in study["dilation"]:
        for row, at in zip(section.find("table", class_="runs")[0].find("tbody")[0].find("tr"), study["dilation"]["shares"], strict=True):
            cells = [cell.text() for cell in row.find("td")]
            assert cells[2:] == [f"{at[part + '_percent']:.1f}%" for part in ("user", "communication", "receive_wait", "send")], cells
        assert study["dilation"]["flattens"]["because"] in section.text(), "where the curve flattens"
        # The program and the four components at each D, from zero upwards on one scale.
        picture = section.find("svg", data_chart="components")[0]
        drawn = {}
        for mark in picture.find("circle", class_="component"):
            drawn.setdefault(mark.attributes["data-series"], []).append(float(mark.attributes["cy"]))
        high, top, bottom = (float(picture.attributes[f"data-{key}"]) for key in ("y-high", "top", "bottom"))
        keys = {"user time": "user_s", "comm. interrupts": "communication_s", "receive wait": "receive_wait_s", "async. send": "send_s"}
        expected = {name: [at["components"][key] for at in study["dilation"]["shares"]] for name, key in keys.items()}
        expected["program"] = [at["normalised_s"] for at in study["dilation"]["shares"]]
        assert drawn.keys() == expected.keys(), drawn
        for name, times in expected.items():
            for y, s in zip(drawn[name], times, strict=True):
                assert abs((bottom - y) / (bottom - top) * high - s) < 1e-6 * high, (name, y, s)
    assert {item.attributes["data-name"] for item in section.find("ul", class_="diagnostics")[0].find("li")} == \
        {d["name"] for d in study["diagnostics"]} if study["diagnostics"] else not section.find("ul", class_="diagnostics")

assert any("shares" in study["dilation"] for study in studies)
limits = sections[2].find("p", class_="limits")[0].text().replace("\u2009", "")
assert str(studies[2]["timeline"]["calls"]) in limits and str(studies[2]["timeline"]["messages"]) in limits, limits
assert not sections[0].find("p", class_="limits"), "nothing was left out of the small trace"

machine = page.find("section", id="machine")[0]
points = sum(len(link["points"]) for link in data["machine"]["links"])
assert len(machine.find("circle", class_="point")) == len(machine.find("line", class_="residual")) == points
assert len(machine.find("line", class_="eager")) == 2 * len(data["machine"]["links"])
assert data["machine"]["flags"][0] in machine.text()
# What the reader saw. The sample's run takes as long as its report says; a drag over a quarter shows a quarter of it.
notes = {note["name"]: note for note in json.loads(read.find("pre", id="notes")[0].text())}
elapsed = studies[0]["report"]["elapsed_s"]


def shown(name):
    return notes[name]["status"].split(" shown")[0]


assert shown("all") == shown("wheel without focus") == shown("reset") == seconds(elapsed, 3), notes
assert shown("wheel") == seconds(elapsed * math.exp(-5 * 120 * 0.0022), 3), notes["wheel"]
assert shown("drag") == shown("right") == seconds(elapsed / 4, 3), notes["drag"]
assert f"from {seconds(elapsed * 0.25, 3)} to {seconds(elapsed * 0.5, 3)}" in notes["drag"]["status"], notes["drag"]
assert f"from {seconds(elapsed * 0.3, 3)} to {seconds(elapsed * 0.55, 3)}" in notes["right"]["status"], notes["right"]
assert 0 < notes["drag"]["arrows"] < notes["all"]["arrows"] == 80
# By the sample: rank 0 computes 5 ms (it is the slower one at first), then sends 4608 bytes to rank 1.
assert notes["first call"]["status"].startswith("MPI_Isend rank 0 on alpha at 5.00 ms took 40.0 µs"), notes["first call"]
assert notes["second call"]["status"].startswith("MPI_Recv"), notes["second call"]
assert notes["hover"]["tip"].startswith("compute") and "5.00 ms" in notes["hover"]["tip"], notes
cells = read.find("section", class_="program")[0].find("div", class_="matrix")[0]
assert [text.text() for text in cells.find("text")].count("20") == 4, "the matrix does not show messages"
# In the sample the collectives carry 1000, 2000, .. B along the ring and 5000 B from 0 to 2.
carried = json.loads(notes["collectives"]["tip"])
assert {"1000 B", "1.95 KiB", "2.93 KiB", "3.91 KiB", "4.88 KiB"} <= set(carried), carried
assert sections[0].find("ul", class_="causes")[0].find("li")[0].text().startswith("Late sender: rank 1 waits 82%")
letters = json.loads(narrow.find("pre", id="sizes")[0].text())
assert len(letters) > 100 and min(letters) > 7.5, (len(letters), min(letters))
print("the page shows what the data says")
