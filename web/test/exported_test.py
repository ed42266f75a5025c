#!/usr/bin/env python3
"""Opens an exported page from a file in a browser: exported_test.py WHATWIRE MPIRUN PROGRAM BROWSER SCREENSHOT

What it shows is compared with `whatwire report --json`, and what its wire sliders predict with `whatwire simulate --json`, digit by digit. It asks
nobody for anything.
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

whatwire, mpirun, program, chosen, shot = sys.argv[1:6]
MACHINE = "comet"
MOST_BYTES = 3 << 20  # of the page of a short run
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")


def json_of(*command):
    return json.loads(subprocess.run([whatwire, *command], check=True, capture_output=True, text=True).stdout)


def settle(page):
    page.wait("document.querySelector('.timeline-stage').dataset.pending === '0' && !document.querySelector('.pane.working')", "all that was asked for")


def ready(page, url):
    page.open(url)
    end = time.monotonic() + 30
    while page.run("return document.documentElement?.dataset.ready ?? ''") != "yes":
        assert time.monotonic() < end, f"the page does not get ready: {page.problems} {page.run('return document.body?.innerText')}"
        time.sleep(0.1)
    settle(page)


def look_at(page, url, trace):
    ready(page, url)
    report = json_of("report", trace, "--json", "--machine", MACHINE)
    facts = page.run("return Object.fromEntries([...document.querySelectorAll('.first .facts div')].map((one) => "
                     "[one.querySelector('dt').textContent, one.querySelector('dd').textContent]))")
    assert int(facts["ranks"]) == len(report["ranks"]), facts
    assert int(facts["messages"].replace("\u2009", "")) == sum(rank["messages_sent"] for rank in report["ranks"]), facts
    # Whoever is given the page learns the trace's name, and not where it lay.
    said = page.text(".first .soft.small")
    assert said == f"Recorded, from {trace.name}.", said
    assert str(trace.parent) not in page.run("return document.documentElement.innerHTML")
    # Some of the picture is drawn, in more than the colour of the ground.
    colours = page.run("const c = document.querySelector('.timeline-stage canvas.picture'), s = document.createElement('canvas'); "
                       "s.width = c.width; s.height = c.height; const x = s.getContext('2d'); x.drawImage(c, 0, 0); "
                       "return new Set(new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer)).size")
    assert colours > 2, f"{colours} colours"

    page.click_on(".pane[data-display=details] .chooser")
    page.wait("document.querySelector('.menu')")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.includes('Move the wire')).click()")
    page.wait("document.querySelector('.prediction')?.dataset.predictedS", "the prediction as recorded")
    before = page.run("return document.querySelector('.prediction').dataset.predictedS")
    page.run("const s = document.querySelector('.wire input[type=range]'); s.value = String(Number(s.max) / 2); "
             "s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change'))")
    page.wait(f"document.querySelector('.prediction').dataset.predictedS !== '{before}'", "another prediction")
    settle(page)
    time.sleep(0.6)  # the address is written every third of a second
    what_if = page.run("return new URLSearchParams(location.hash.slice(1)).get('what_if')")
    simulated = json_of("simulate", trace, "--machine", MACHINE, "--what-if", what_if, "--json")
    shown = float(page.run("return document.querySelector('.prediction').dataset.predictedS"))
    assert shown == simulated["predicted_s"], (what_if, shown, simulated["predicted_s"])
    pathlib.Path(shot).parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(pathlib.Path(shot))
    return what_if, shown


place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-exported-"))
try:
    trace, exported = place / "run.ww", place / "run.html"
    subprocess.run([whatwire, "record", "-o", trace, "--", mpirun, "--oversubscribe", "-n", "4", program], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    subprocess.run([whatwire, "export", trace, "--to", "html", "-o", exported, "--machine", MACHINE], check=True, capture_output=True)
    size = exported.stat().st_size
    assert size < MOST_BYTES, f"the page has {size} bytes"
    with browser.browser(chosen) as page:
        what_if, predicted_s = look_at(page, f"file://{exported}", trace)
        assert page.problems == [], page.problems
        asked = {one.split(":")[0] for one in getattr(page, "requests", []) if not one.startswith((f"file://{exported}", "about:"))}
        assert asked <= {"blob", "data"}, f"asked for elsewhere: {page.requests}"
        print(f"a page of {size} bytes; {what_if}: {predicted_s} s, as simulate has it")
finally:
    shutil.rmtree(place)
