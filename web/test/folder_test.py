#!/usr/bin/env python3
"""Opens an exported folder from a plain server of files in a browser: folder_test.py WHATWIRE MPIRUN PROGRAM BROWSER DIRECTORY

The timeline comes without the whole trace: the server's log says what was fetched. A display that needs the analysis fetches it, and predicts what
`whatwire simulate --json` does, digit by digit.
"""
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

whatwire, mpirun, program, chosen, directory = sys.argv[1:6]
MACHINE = "comet"
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
asked = []  # (path, bytes sent)


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send_head(self):
        assert "?" not in self.path, f"a question to a server of files: {self.path}"
        asked.append(self.path)
        return super().send_head()


def json_of(*command):
    return json.loads(subprocess.run([whatwire, *command], check=True, capture_output=True, text=True).stdout)


def settle(page):
    page.wait("document.querySelector('.timeline-stage').dataset.pending === '0' && !document.querySelector('.pane.working')", "all that was asked for")
    time.sleep(0.15)


def ready(page, url):
    page.open(url)
    end = time.monotonic() + 30
    while page.run("return document.documentElement?.dataset.ready ?? ''") != "yes":
        assert time.monotonic() < end, f"the page does not get ready: {page.problems} {page.run('return document.body?.innerText')}"
        time.sleep(0.1)
    settle(page)


def colours(page):
    return page.run("const c = document.querySelector('.timeline-stage canvas.picture'), s = document.createElement('canvas'); "
                    "s.width = c.width; s.height = c.height; const x = s.getContext('2d'); x.drawImage(c, 0, 0); "
                    "return new Set(new Uint32Array(x.getImageData(0, 0, c.width, c.height).data.buffer)).size")


def look_at(page, url, trace):
    report = json_of("report", trace, "--json", "--machine", MACHINE)
    ready(page, url)
    page.screenshot(shots / "folder.png")
    assert colours(page) > 2
    facts = page.run("return Object.fromEntries([...document.querySelectorAll('.first .facts div')].map((one) => "
                     "[one.querySelector('dt').textContent, one.querySelector('dd').textContent]))")
    assert int(facts["ranks"]) == len(report["ranks"]), facts
    causes = page.run("return [...document.querySelectorAll('.cause .words')].map((one) => one.textContent)")
    assert causes == [cause["sentence"] + "." for cause in report["causes"]], (causes, report["causes"])
    # Near enough for single calls.
    left, top, width, _ = page.box(".timeline-stage canvas.picture")
    for _ in range(14):
        page.wheel(left + 92 + (width - 92) * 0.5, top + 40, -100)
    settle(page)
    page.wait("Number(document.querySelector('.timeline-stage').dataset.named) > 0", "calls with their names")
    page.screenshot(shots / "folder-near.png")
    assert not any("packed" in one or "engine" in one for one in asked), f"the timeline fetched the whole trace: {asked}"
    before = len(asked)

    page.click_on(".pane[data-display=details] .chooser")
    page.wait("document.querySelector('.menu')")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.includes('Move the wire')).click()")
    page.wait("document.querySelector('.prediction')?.dataset.predictedS", "the prediction as recorded")
    assert {pathlib.PurePosixPath(one).name for one in asked[before:]} >= {"packed.bin", "engine.bin", "engine-worker.js"}, asked[before:]
    assert page.run("return Number(document.querySelector('.fetching').dataset.most)") == 1, "how much has come was not told"
    assert page.run("return document.querySelector('.fetching').hidden"), "it is there, and still said to come"
    was = page.run("return document.querySelector('.prediction').dataset.predictedS")
    page.run("const s = document.querySelector('.wire input[type=range]'); s.value = String(Number(s.max) / 2); "
             "s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change'))")
    page.wait(f"document.querySelector('.prediction').dataset.predictedS !== '{was}'", "another prediction")
    settle(page)
    time.sleep(0.6)  # the address is written every third of a second
    what_if = page.run("return new URLSearchParams(location.hash.slice(1)).get('what_if')")
    simulated = json_of("simulate", trace, "--machine", MACHINE, "--what-if", what_if, "--json")
    shown = float(page.run("return document.querySelector('.prediction').dataset.predictedS"))
    assert shown == simulated["predicted_s"], (what_if, shown, simulated["predicted_s"])
    page.screenshot(shots / "folder-wire.png")
    assert sum(one.endswith("packed.bin") for one in asked) == 1, "the trace was fetched more than once"
    return what_if, shown


place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-folder-"))
try:
    trace, site = place / "run.ww", place / "site"
    subprocess.run([whatwire, "record", "-o", trace, "--", mpirun, "--oversubscribe", "-n", "4", program], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    subprocess.run([whatwire, "export", trace, "--to", "html-folder", "-o", site / "runs" / "one", "--machine", MACHINE], check=True, capture_output=True)
    held = b"".join(one.read_bytes() for one in (site / "runs" / "one").rglob("*.json"))
    assert str(place).encode() not in held, "the folder holds the path at which its trace lay"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser.browser(chosen) as page:
            what_if, predicted_s = look_at(page, f"http://127.0.0.1:{server.server_port}/runs/one/", trace)
            assert page.run("return document.documentElement.dataset.errors") == "0", page.text("#errors")
            assert page.problems == [], page.problems
        server.shutdown()
    print(f"{len(asked)} files were asked for; {what_if}: {predicted_s} s, as simulate has it; screenshots: {shots}")
finally:
    shutil.rmtree(place)
