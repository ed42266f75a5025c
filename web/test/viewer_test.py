#!/usr/bin/env python3
"""Opens a recorded trace in a browser and uses what the viewer's shell has: viewer_test.py WHATWIRE MPIRUN PROGRAM BROWSER DIRECTORY

What the page shows is compared with what `whatwire report --json` says of the same trace; screenshots stay in DIRECTORY.
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
RANKS = 4
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")


def seconds_of(text):
    """"12.345 678 ms" and "3.2 µs" in seconds."""
    number, unit = text.replace("\u2009", "").replace("\u2212", "-").rsplit(" ", 1)
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def near(seen, expected, share=0.01):
    assert abs(seen - expected) <= share * abs(expected) + 1e-12, f"{seen} on the page, {expected} in the report"


def facts(page):
    return page.run("return Object.fromEntries([...document.querySelectorAll('.first .facts div')].map((one) => "
                    "[one.querySelector('dt').textContent, one.querySelector('dd').textContent]))")


def address(page):
    time.sleep(0.6)  # it is written every third of a second
    return page.run("return Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")


def window(page):
    return [float(one) for one in address(page)["window"].split("..")]


def settle(page):
    page.wait("document.querySelector('.timeline-stage').dataset.pending === '0' && !document.querySelector('.pane.working')", "all that was asked for")
    time.sleep(0.15)


def check_times(page, report):
    """The timeline's own numbers, added up, against those of the report: calls of the program proper."""
    rows = browser.saved_table(page, "timeline")
    for rank in report["ranks"]:
        calls = [row for row in rows if row["rank"] == str(rank["rank"])]
        for column, key in (("algorithmic_ns", "blocked_algorithmic_s"), ("service_ns", "blocked_service_s")):
            near(sum(float(call[column]) for call in calls) * 1e-9, rank[key], 1e-6)


def look_at_all(page, url, report):
    page.open(url)
    page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
    settle(page)
    page.screenshot(shots / "start.png")

    seen = facts(page)
    near(seconds_of(seen["elapsed"]), report["elapsed_s"], 0.001)
    assert int(seen["ranks"]) == len(report["ranks"]) == RANKS, seen
    sent = sum(rank["messages_sent"] for rank in report["ranks"])
    assert int(seen["messages"].replace("\u2009", "")) == sent, (seen, sent)
    causes = page.run("return [...document.querySelectorAll('.cause .words')].map((one) => one.textContent)")
    assert causes == [cause["sentence"] + "." for cause in report["causes"]], (causes, report["causes"])
    remedies = page.run("return [...document.querySelectorAll('.cause .remedy')].map((one) => one.textContent)")
    assert remedies == [f"What to do: {cause['remedy']}." for cause in report["causes"]], remedies
    transfers = sum(cause["fault"] == "transfer" for cause in report["causes"])
    assert page.run("return document.querySelectorAll('.cause-box .move').length") == transfers
    check_times(page, report)
    if report["diagnostics"]:
        page.wait("document.querySelector('.notices .count')", "diagnostics")
    assert page.run("return document.querySelector('.notices').hidden") == (report["diagnostics"] == [])

    # The wheel zooms at the pointer: what is under it stays.
    page.key("0")
    settle(page)
    left, top, width, height = page.box(".timeline-stage canvas.picture")
    span = page.run("return (await (await fetch('data/0/trace')).json()).span_ns")
    x, y = left + 92 + (width - 92) * 0.5, top + 40
    for _ in range(12):
        page.wheel(x, y, -100)
    settle(page)
    from_ns, to_ns = window(page)
    middle, before = (from_ns + to_ns) / 2, (span[0] + span[1]) / 2
    assert to_ns - from_ns < (span[1] - span[0]) / 5, "the wheel does not zoom"
    assert abs(middle - before) < 0.02 * (to_ns - from_ns), f"zoomed around {middle}, not around {before}"
    page.screenshot(shots / "zoomed.png")

    # A drag moves by as much time as it is wide.
    page.drag((x, y), (x - 200, y))
    moved = window(page)
    near(moved[0] - from_ns, 200 / (width - 92) * (to_ns - from_ns), 0.02)

    # Undo goes back, redo forth; the keys reach the whole.
    page.key("u")
    assert window(page) == [from_ns, to_ns], (window(page), from_ns, to_ns)
    page.key("U")
    assert window(page) == moved
    page.key("0")
    assert "window" not in address(page)

    # The longest wait, by key: what the details say of the call is what the server says of it.
    page.key("n")
    page.wait("document.querySelector('.details h2')", "the call's details")
    settle(page)
    page.screenshot(shots / "longest-wait.png")
    trace, rank, call = (int(one) for one in address(page)["call"].split("."))
    details = page.run("return Object.fromEntries([...document.querySelectorAll('.details .pairs dt')].map((dt) => [dt.textContent, dt.nextSibling.textContent]))")
    parts = [seconds_of(details[name]) for name in ("blocked, algorithmic", "blocked, service", "library")]
    near(sum(parts), seconds_of(details["takes"]), 1e-6)
    said = page.run(f"return await (await fetch('data/{trace}/call?rank={rank}&call={call}')).json()")
    near(seconds_of(details["takes"]), (said["leave_ns"] - said["enter_ns"]) * 1e-9, 1e-6)

    # A span and ranks, selected by a drag with shift: all is counted of it.
    page.key("Escape")
    page.key("0")
    settle(page)
    rows = page.run("return document.querySelector('.timeline-stage').clientHeight")
    assert rows > 100
    page.drag((left + 92 + 100, top + 30), (left + 92 + 300, top + 60), shift=True)
    selected = address(page)
    chosen_ns = [float(one) for one in selected["span"].split("..")]
    near(chosen_ns[1] - chosen_ns[0], 200 / (width - 92) * (span[1] - span[0]), 0.02)
    assert selected["ranks"] == "0", selected
    page.screenshot(shots / "selected.png")

    # The address is what is looked at: opened anew, it is the same.
    page.open("about:blank")
    page.open(url + page_hash(selected))
    page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
    assert {**address(page)} == selected
    page.key("Escape")

    # Replay: the instant moves on its own, stops when told; goes on a step to the next call, from the middle: on a slow machine it may
    # have played to the end, where there is none.
    page.key(" ")
    page.wait("document.querySelector('.transport').dataset.playing === 'true'")
    time.sleep(0.7)
    page.key(" ")
    page.wait("document.querySelector('.transport').dataset.playing === 'false'")
    played = float(address(page)["at"])
    page.click(x, top + 60)
    page.wait(f"Number(new URLSearchParams(location.hash.slice(1)).get('at')) !== {played}", "the instant that was clicked")
    first = float(address(page)["at"])
    page.key(".")
    page.wait(f"Number(new URLSearchParams(location.hash.slice(1)).get('at')) > {first}", "the next event")
    page.screenshot(shots / "replayed.png")

    # Panes: by keys and menus; dark; the sheet.
    page.click_on(".pane[data-display=details] .chooser")
    page.wait("document.querySelector('.menu')")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.startsWith('Query')).click()")
    page.wait("document.querySelector('.pane[data-display=query]')")
    page.run("document.querySelector('.query textarea').value = 'SELECT count(*) AS calls FROM calls'; document.querySelector('.query .primary').click()")
    page.wait("document.querySelector('.query td')", "the query's answer")
    assert page.text(".query td") == seen["calls"].replace("\u2009", ""), page.text(".query td")
    page.click(left + 200, top + 40)
    page.key("t")
    page.key("t")
    page.wait("document.documentElement.dataset.theme === 'dark'")
    settle(page)
    page.screenshot(shots / "dark.png")
    page.key("?")
    page.wait("document.querySelector('dialog[open]')")
    page.screenshot(shots / "keys.png")
    page.run("document.querySelector('dialog').close()")
    return page.run("return document.querySelector('.timeline-stage').dataset.drawP95")


def page_hash(fields):
    return "#" + page_escape(fields)


def page_escape(fields):
    from urllib.parse import quote
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items())


place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-viewer-"))
try:
    trace = place / "run.ww"
    subprocess.run([whatwire, "record", "-o", trace, "--", mpirun, "--oversubscribe", "-n", str(RANKS), program], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    report = json.loads(subprocess.run([whatwire, "report", trace, "--json"], check=True, capture_output=True, text=True).stdout)
    with browser.served([whatwire, "view", "--no-browser", trace]) as url, browser.browser(chosen) as page:
        draw = look_at_all(page, url, report)
        assert page.run("return document.documentElement.dataset.errors") == "0", page.text("#errors")
        assert page.problems == [], page.problems
        outside = [one for one in getattr(page, "requests", []) if not one.startswith((url, "data:", "blob:", "about:"))]
        assert outside == [], f"asked for elsewhere: {outside}"
        print(f"drawing took {draw} ms at p95; screenshots: {shots}")
finally:
    shutil.rmtree(place)
