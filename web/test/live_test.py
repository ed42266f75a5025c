#!/usr/bin/env python3
"""Looks at a run that goes on, hangs and is ended, in a browser: live_test.py WHATWIRE MPIRUN PROGRAM BROWSER DIRECTORY

What is expected stands in tests/view/hangs.c: calls, peers, tags, and at the end rank 0 in MPI_Recv from 1, tag 40, and rank 1 from 0, tag 41.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

whatwire, mpirun, program, chosen, directory = sys.argv[1:6]
ROUNDS = 300
ENDED = "document.querySelector('.live h2')?.textContent === 'It has ended'"
# Answers of what the ranks are in come to the page only when it is told to let go of them.
HOLD_LIVE = """
const fetched = window.fetch, gone = new Promise((go) => (window.let_go = go));
window.held = 0;
window.fetch = async (what, how) => {
  const answer = await fetched(what, how);
  if (/\\/live\\b/.test(String(what.url ?? what))) {
    window.held++;
    await gone;
  }
  return answer;
};
"""
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")


def settle(page):
    page.wait("document.querySelector('.timeline-stage').dataset.pending === '0' && !document.querySelector('.pane.working')", "all that was asked for")
    time.sleep(0.15)


def states(page):
    """Rows of the display of what ranks are in now: rank, call, for how long, peer, tag, communicator, records."""
    return page.run("return [...document.querySelectorAll('.live tbody tr')].map((row) => [...row.querySelectorAll('td')].map((one) => one.textContent))")


def calls_of(page):
    """Of each rank the names of its calls in the picture, in their order."""
    rows = [{}]
    end = time.monotonic() + 30
    while "call" not in rows[0]:  # a new picture may come between settling and saving: its shares are there before its calls
        settle(page)
        rows = browser.saved_table(page, "timeline")
        assert time.monotonic() < end, list(rows[0])
    return [[row["name"] for row in rows if row["rank"] == str(rank)] for rank in (0, 1)]


def look(page, url, recorder, go_on):
    page.open(url)
    page.wait("document.documentElement.dataset.ready === 'yes'", "the page")
    page.wait("document.querySelector('.pane[data-display=timeline]') && document.querySelector('.pane[data-display=live] tbody tr')", "both panes")
    assert "its calls are shown" in page.text(".notices"), page.text(".notices")
    first = calls_of(page)
    for names in first:
        assert names[0] == "MPI_Init" and set(names[2:]) <= {"MPI_Sendrecv", "MPI_Recv"}, names[:5]
    page.screenshot(shots / "going.png")

    # It goes on: the picture has more, without anything being done in the page.
    go_on.touch()
    end = time.monotonic() + 30
    while (later := calls_of(page)) and len(later[0]) <= len(first[0]):
        assert time.monotonic() < end, (len(first[0]), len(later[0]))
        time.sleep(0.5)
    for before, after in zip(first, later):
        assert after[:len(before) - 1] == before[:-1]  # the last one of before may have been one that had not returned

    # It hangs: in what, with whom, by which tag, for how long.
    page.wait("document.querySelector('.live .warned')", "the ring", 60)
    assert page.text(".live .warned") == "It hangs: rank 0 waits for 1, rank 1 waits for 0.", page.text(".live .warned")
    told = sorted(states(page))
    assert [row[:2] + row[3:6] for row in told] == [["0", "MPI_Recv", "1", "40", "MPI_COMM_WORLD"], ["1", "MPI_Recv", "0", "41", "MPI_COMM_WORLD"]], told
    end = time.monotonic() + 30
    while (hanging := calls_of(page)) and [names.count("MPI_Sendrecv") for names in hanging] != [ROUNDS, ROUNDS]:
        assert time.monotonic() < end, [names.count("MPI_Sendrecv") for names in hanging]
        time.sleep(0.5)
    assert [names[-1] for names in hanging] == ["MPI_Recv", "MPI_Recv"]
    page.screenshot(shots / "hanging.png")

    # It is ended: the same page has all of it, with messages, and still says what the ranks were in, also when an answer of before comes late.
    page.run(HOLD_LIVE)
    page.wait("window.held > 0", "an answer that is held")
    recorder.send_signal(signal.SIGINT)
    recorder.wait(60)
    page.wait(ENDED, "the end", 60)
    page.run("window.let_go()")
    settle(page)
    assert page.run(f"return {ENDED}"), page.text(".live h2")
    assert "its calls are shown" not in page.text(".notices"), page.text(".notices")
    assert [row[1] for row in sorted(states(page))] == ["MPI_Recv", "MPI_Recv"]
    closed = calls_of(page)
    assert [names.count("MPI_Sendrecv") for names in closed] == [ROUNDS, ROUNDS]
    assert page.run(f"return (await (await fetch('{url}data/0/trace')).json()).messages") == 2 * ROUNDS
    page.screenshot(shots / "ended.png")


place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-live-"))
recorder = subprocess.Popen([whatwire, "record", "-o", place / "run.ww", "--", mpirun, "--oversubscribe", "-n", "2", program, str(ROUNDS), place / "go-on"], env=environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
try:
    end = time.monotonic() + 30
    while time.monotonic() < end and not all((place / f"run.ww/spool/rank-{rank}.defs").exists() for rank in (0, 1)):
        time.sleep(0.05)
    with browser.served([whatwire, "view", "--no-browser", place / "run.ww"]) as url, browser.browser(chosen) as page:
        look(page, url, recorder, place / "go-on")
        assert page.run("return document.documentElement.dataset.errors") == "0", page.text("#errors")
        unexpected = [one for one in page.problems if "409" not in one and "404" not in one]
        assert unexpected == [], unexpected
        print(f"screenshots: {shots}")
finally:
    if recorder.poll() is None:
        os.killpg(recorder.pid, signal.SIGKILL)
        recorder.wait()
    shutil.rmtree(place)
