#!/usr/bin/env python3
"""Runs a program from the page, in a browser: run_test.py WHATWIRE PROGRAM BROWSER DIRECTORY

What is expected: of the program by its source (tests/view/guided.c: two ranks in MPI_Sendrecv until there is a file, then one line with how often), of numbers
by `whatwire report --json` of the trace that was made, of mistakes by what `whatwire record` says of the same on the command line.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

whatwire, program, chosen, directory = sys.argv[1:5]
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-run-"))


def command(*arguments):
    return subprocess.run([whatwire, *arguments], cwd=place, capture_output=True, text=True, timeout=60)


def write(page, field, text):
    page.run(f"const f = document.getElementById('run-{field}'); f.value = {json.dumps(text)}; f.dispatchEvent(new Event(f.tagName === 'SELECT' ? 'change' : 'input'))")


def value(page, field):
    return page.run(f"return document.getElementById('run-{field}').value")


def fault(page, field):
    return page.run(f"const f = document.querySelector('.field-fault[data-field={field}]'); return f.hidden ? '' : f.textContent")


def press(page, selector, text):
    page.run(f"[...document.querySelectorAll({json.dumps(selector)})].find((one) => one.textContent === {json.dumps(text)}).click()")


def do_start(page):
    page.wait("!document.querySelector('.run-start').disabled", "that no other goes")
    page.run("document.querySelector('.run-start').click()")


def runs(page, url):
    return page.run(f"return (await (await fetch('{url}run/list')).json()).runs")


def processes():
    """Of all that runs here but the viewer: by their folder, whoever started them."""
    found = []
    for one in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(one / "cwd").startswith(str(place)) and int(one.name) != viewer.pid:
                found.append((one / "cmdline").read_bytes())
    return found


def fill_in(page):
    page.wait("document.getElementById('run-program')", "the form")
    assert page.run("return [...document.querySelectorAll('#run-program option')].map((one) => one.value)") == ["", "./build/guided"]
    write(page, "program", "./build/guided")
    page.wait("document.getElementById('run-launch').value.endsWith(' -n 2 ./build/guided')", "the line of two ranks")
    write(page, "launch", value(page, "launch") + " 'stop 1'")

    # Mistakes are said beside their fields, as the command line says them.
    write(page, "start", "soon")
    page.wait("!document.querySelector('.field-fault[data-field=start]').hidden", "the mistake")
    said = command("record", "--start", "soon", "--", "./build/guided").stderr
    what = re.search(r"soon is not .*?(?=[;\n])", said)[0]
    assert what in fault(page, "start"), (said, fault(page, "start"))
    write(page, "start", "")
    write(page, "functions", "solve*")
    write(page, "count-functions", "*")
    page.wait("[...document.querySelectorAll('.field-fault:not([hidden])')].some((one) => one.textContent.includes('exclude one another'))", "the other mistake")
    assert fault(page, "start") == ""
    write(page, "functions", "")
    write(page, "count-functions", "")
    write(page, "output", "../elsewhere.ww")
    page.wait("!document.querySelector('.field-fault[data-field=output]').hidden", "a place outside of the folder")
    page.screenshot(shots / "mistake.png")
    # Its file of settings says what is recorded.
    write(page, "file", "whatwire.toml")
    page.wait("document.getElementById('run-calls').value === 'p2p,MPI_Init'", "the settings of the file")
    write(page, "output", "first.ww")
    shown = f"whatwire record --output=first.ww --calls=p2p,MPI_Init -- {value(page, 'launch')}"
    page.wait(f"document.querySelector('.run-command').textContent === {json.dumps(shown)}", "the command")
    page.screenshot(shots / "form.png")


def first_run(page, url):
    do_start(page)
    # It is shown while it goes, by itself.
    page.wait("document.querySelector('.pane[data-display=timeline]') && document.querySelector('.pane[data-display=live] tbody tr')", "the run that goes")
    page.wait("document.querySelector('.run-output').textContent.includes('begins')", "what it prints")
    page.wait("document.querySelector('.run-desk h2') && [...document.querySelectorAll('.run-desk h2')].some((one) => one.textContent.startsWith('first.ww runs'))", "its state")
    page.wait("[...document.querySelectorAll('.live tbody tr td:nth-child(2)')].some((one) => one.textContent.startsWith('MPI_Sendrecv'))", "what its ranks are in")
    assert page.run("return document.querySelector('.run-start').disabled")
    page.screenshot(shots / "going.png")
    (place / "stop 1").touch()
    # Then all of it, in the same page.
    page.wait("document.querySelector('.pane[data-display=first] .cause, .pane[data-display=first] p')", "the whole trace")
    page.wait("document.querySelector('.timeline-stage').dataset.pending === '0' && !document.querySelector('.pane.working')", "all that was asked for")
    rounds = re.search(r"rounds (\d+)", page.text(".run-output"))[1]
    told = page.run(f"return await (await fetch('{url}data/0/report')).json()")
    assert told == json.loads(command("report", "--json", "first.ww").stdout)
    assert told["ranks"][0]["messages_sent"] == int(rounds), (told["ranks"][0], rounds)
    page.screenshot(shots / "ended.png")


def second_run(page, url):
    press(page, "tr[data-run='0'] button", "Again")
    page.wait("document.getElementById('run-calls').value === 'p2p,MPI_Init'", "the settings of the first")
    write(page, "calls", "")
    write(page, "output", "second.ww")
    write(page, "launch", value(page, "launch").replace("stop 1", "stop 2"))
    do_start(page)
    page.wait("[...document.querySelectorAll('.run-desk h2')].some((one) => one.textContent.startsWith('second.ww runs'))", "the second run")
    page.wait("document.querySelector('.pane[data-display=live] tbody tr')", "that it goes")
    page.run("document.querySelector('.run-stop').click()")
    page.wait("[...document.querySelectorAll('.run-desk h2')].some((one) => one.textContent.startsWith('second.ww stopped'))", "its end")
    told = runs(page, url)
    assert [one["state"] for one in told] == ["done", "stopped"], told
    assert page.run(f"return (await (await fetch('{url}data/{told[1]['trace']}/trace')).json()).name") == "second.ww"
    report = json.loads(command("report", "--json", "second.ww").stdout)
    assert "interrupted" in [one["name"] for one in report["diagnostics"]], report["diagnostics"]
    # Both, one below the other.
    page.wait("document.querySelector(\"tr[data-run='0'] .run-acts\").textContent.includes('Compare')", "two results")
    press(page, "tr[data-run='0'] button", "Compare")
    page.wait("document.querySelectorAll('.trace[aria-pressed=true]').length === 2 && document.querySelector('.pane[data-display=compare] svg')", "the comparison")
    page.wait("document.querySelector('.pane[data-display=first]') && !document.querySelector('.pane[data-display=live]')", "all of the second")
    page.screenshot(shots / "compared.png")
    # It is reached by a key, too.
    page.run("document.activeElement?.blur()")
    page.key("R")
    page.wait("document.activeElement?.dataset.display === 'run'", "the display of runs")


def ended_with_the_viewer(page, url):
    """A run that goes when the viewer ends is ended as by Ctrl-C; nothing of it is left but its trace."""
    press(page, "tr[data-run='0'] button", "Again")
    write(page, "output", "third.ww")
    write(page, "launch", value(page, "launch").replace("stop 1", "stop 3"))
    do_start(page)
    end = time.monotonic() + 20
    while not ((told := runs(page, url)) and len(told) == 3 and told[2]["trace"] is not None):  # a rank has recorded
        assert time.monotonic() < end, told
        time.sleep(0.05)
    assert any(b"build/guided" in one for one in processes())
    viewer.send_signal(signal.SIGINT)
    assert viewer.wait(40) == 0
    assert processes() == []
    assert (place / "third.ww/traces.otf2").exists()


viewer = None
try:
    (place / "build").mkdir()
    shutil.copy(program, place / "build/guided")
    (place / "whatwire.toml").write_text('[record]\ncalls = ["p2p", "MPI_Init"]\n')
    viewer = subprocess.Popen([whatwire, "view", "--allow-run", "--no-browser"], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = viewer.stdout.readline().strip()
    with browser.browser(chosen) as page:
        page.open(url)
        page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
        fill_in(page)
        first_run(page, url)
        second_run(page, url)
        assert page.run("return document.documentElement.dataset.errors ?? '0'") == "0", page.text("#errors")
        unexpected = [one for one in page.problems if "409" not in one and "404" not in one]
        assert unexpected == [], unexpected
        ended_with_the_viewer(page, url)
    print(f"screenshots: {shots}")
finally:
    if viewer is not None and viewer.poll() is None:
        viewer.send_signal(signal.SIGINT)
        viewer.wait(40)
    shutil.rmtree(place, ignore_errors=True)
