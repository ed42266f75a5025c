#!/usr/bin/env python3
"""Moves each slider of the display that moves the wire, on a served page: wire_test.py WHATWIRE MPIRUN PROGRAM BROWSER DIRECTORY

Predicted time, interval and self-check on the page are those of `whatwire simulate --json` with the same what-if, digit by digit.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

whatwire, mpirun, program, chosen, directory = sys.argv[1:6]
MACHINE = "comet"
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
SHOWN = {"predictedS": "predicted_s", "predictedLowS": "predicted_low_s", "predictedHighS": "predicted_high_s", "replayedS": "replayed_s", "recordedS": "recorded_s"}
# What each slider's place stands for: 10^(2 * place / 400) to three digits (web/src/view/displays/what_if.ts).
SLIDERS = [("latency", -200, "x0.1"), ("bandwidth", 200, "x10"), ("software", -60, "x0.501"), ("compute", 100, "x3.16"), ("latency", 151, "x5.69")]


def simulated(trace, what_if):
    command = [whatwire, "simulate", trace, "--machine", MACHINE, "--json"] + (["--what-if", what_if] if what_if else [])
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def address(page):
    time.sleep(0.6)  # it is written every third of a second
    return page.run("return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def settled(page, what_if):
    """The whole prediction of it is there: it has an interval."""
    shown = "document.querySelector('.prediction')?.dataset"
    page.wait(f"{shown}?.whatIf === {json.dumps(what_if)} && {shown}.predictedHighS && !document.querySelector('.pane.working')", f"the prediction of {what_if}")
    time.sleep(0.2)
    return page.run("return { ...document.querySelector('.prediction').dataset }")


def check(page, trace, seen, what_if):
    """Gives what was compared."""
    expected = simulated(trace, what_if)
    for name, key in SHOWN.items():
        if expected[key] is None:
            assert key == "recorded_s", key
            continue
        assert float(seen[name]) == expected[key], f"{what_if}: {key} is {seen[name]} on the page, {expected[key]} by simulate"
    assert expected["predicted_low_s"] <= expected["predicted_s"] <= expected["predicted_high_s"]
    # The self-check in words, to the digit that it has.
    off = expected["replayed_s"] / expected["recorded_s"] - 1
    note = page.text(".prediction .note").replace("\u2212", "-")
    said = float(note.split("off by ")[1].rstrip(".").rstrip("%").strip())
    assert abs(said - 100 * off) <= 0.051 + abs(off), (note, off)
    return expected["predicted_s"]


def move(page, name, place):
    """As a hand does: it moves through other places, and is released."""
    page.run(f"""const slider = [...document.querySelectorAll('.wire input[type=range]')].find((one) => one.getAttribute('aria-label') === {json.dumps(name)});
        for (const share of [0.3, 0.7, 1]) {{
          slider.value = String(Math.round({place} * share));
          slider.dispatchEvent(new Event('input'));
          await new Promise((done) => setTimeout(done, 60));
        }}
        slider.dispatchEvent(new Event('change'));""")


def write_into(page, label, text):
    page.run(f"""const field = document.querySelector('.wire input[aria-label={json.dumps(label)}]'); field.focus(); field.value = {json.dumps(text)};
        field.dispatchEvent(new Event('change')); field.blur();""")


def asked_for(page):
    """What the page asked of the server since this was last called."""
    names = page.run("const names = performance.getEntriesByType('resource').map(({ name }) => name); performance.clearResourceTimings(); return names")
    return [name.split("/data/")[1] for name in names if "/data/" in name]


def check_questions(page, url):
    """A page that rests asks nothing, and for a place that a slider passes no more than its picture needs."""
    page.open(url)
    page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
    page.run("document.querySelector('.pane[data-display=details] .chooser').click()")
    page.wait("document.querySelector('.menu')", "the menu of displays")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.includes('Move the wire')).click()")
    settled(page, "")
    move(page, "bandwidth", 10)
    settled(page, address(page)["what_if"])
    time.sleep(1)
    asked_for(page)
    time.sleep(1.5)
    rested = asked_for(page)
    assert rested == [], rested
    page.run("""const slider = document.querySelectorAll('.wire input[type=range]')[1], stage = document.querySelector('.timeline-stage').dataset;
        for (const place of [20, 60, 100]) {
          const before = stage.traces;
          slider.value = String(place);
          slider.dispatchEvent(new Event('input'));
          while (stage.traces === before || stage.lacking !== '0') await new Promise((done) => requestAnimationFrame(done));
        }""")
    passed = asked_for(page)
    kinds = {name.split("?")[0].split("/")[-1] for name in passed}
    assert kinds == {"predict", "traces", "trace", "tile"}, passed
    assert all("quick=1" in name for name in passed if "predict?" in name), passed
    page.run("document.querySelectorAll('.wire input[type=range]')[1].dispatchEvent(new Event('change'))")
    settled(page, address(page)["what_if"])


def look(page, url, trace):
    page.open(url + "#panes=1.wire")
    page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
    done = {"as recorded": check(page, trace, settled(page, ""), "")}
    for name, place, factor in SLIDERS:
        page.run("[...document.querySelectorAll('.wire button')].find((one) => one.textContent === 'As recorded').click()")
        settled(page, "")
        move(page, name, place)
        what_if = address(page)["what_if"]
        assert what_if == f"{name}={factor}", what_if
        done[what_if] = check(page, trace, settled(page, what_if), what_if)
    page.screenshot(shots / "slider.png")
    # All four at once, then a network, then another machine.
    for name, place, _ in SLIDERS[:4]:
        move(page, name, place)
        time.sleep(0.3)
    what_if = address(page)["what_if"]
    assert what_if == ",".join(f"{name}={factor}" for name, _, factor in SLIDERS[:4]), what_if
    done[what_if] = check(page, trace, settled(page, what_if), what_if)
    for label, text, part in (("Network", "bus:rate=100Mbit", "network=bus:rate=100Mbit"), ("Machine", "ethernet-100", "machine=ethernet-100")):
        write_into(page, label, text)
        what_if = address(page)["what_if"]
        assert part in what_if.split(","), what_if
        done[what_if] = check(page, trace, settled(page, what_if), what_if)
        page.screenshot(shots / f"{label.lower()}.png")
    # Dragged by the mouse; below the recorded run stands the predicted one, of that length.
    left, top, width, height = page.run("const b = document.querySelector('.wire input[type=range]').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    page.drag((left + width * 0.689, top + height / 2), (left + width * 0.3, top + height / 2))
    asked = address(page)
    assert asked["what_if"] != what_if, asked
    done[asked["what_if"]] = check(page, trace, settled(page, asked["what_if"]), asked["what_if"])
    number = int(address(page)["traces"].split(",")[-1])
    shown = page.run(f"return await (await fetch('data/{number}/trace')).json()")
    assert shown["kind"] == "predicted" and abs(shown["elapsed_s"] - done[asked["what_if"]]) < 1e-8, (shown["elapsed_s"], asked)
    return done


place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-wire-"))
try:
    trace = place / "run.ww"
    subprocess.run([whatwire, "record", "-o", trace, "--", mpirun, "--oversubscribe", "-n", "4", program], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    with browser.served([whatwire, "view", "--no-browser", "--machine", MACHINE, trace]) as url, browser.browser(chosen) as page:
        compared = look(page, url, trace)
        check_questions(page, url)
        assert page.run("return document.documentElement.dataset.errors") == "0", page.text("#errors")
        assert page.problems == [], page.problems
    for what_if, predicted_s in compared.items():
        print(f"{predicted_s} s: {what_if}")
finally:
    shutil.rmtree(place)
