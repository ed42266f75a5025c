#!/usr/bin/env python3
"""What a person waits for at the viewer: page.py WHATWIRE TRACE CHROMIUM [FRAMES]

Starts `whatwire view` on a trace whose index is kept (it is made first if it is not), opens its page, and measures: from the start of the program to its
address; by the page's own clock from opening the address until all ranks of the window are drawn as finely as they will be; then, when the server has worked out what only questions need, while the
wheel zooms in by a factor of 700, moves by four windows and zooms out again, a wheel a frame: the times between frames and the work in them, how long requests for tiles take (the last 64 of them) and until the browser has all of an answer, and how long
something that is seen is coarser than it will be (the last 24 times). Frames are asked for by the screen at 60 Hz: 16.7 ms between two is the least that can be seen. One JSON object.
"""
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "web" / "test"))
import browser  # noqa: E402

whatwire, trace, chromium = sys.argv[1:4]
FRAMES = int(sys.argv[4]) if len(sys.argv) > 4 else 600


def quantiles(values):
    values = sorted(values)
    return {"count": len(values), **{name: round(values[min(len(values) - 1, int(share * len(values)))], 2)
                                     for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("max_ms", 1))}}


def served():
    begun = time.monotonic()
    process = subprocess.Popen([whatwire, "view", "--json", "--no-browser", trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    return process, json.loads(process.stdout.readline())["url"], time.monotonic() - begun


def until_drawn(page, url, seconds=300):
    """By the page's own clock, from when it was opened. The page is left alone meanwhile: each look at it would take its turn from it."""
    page.send("Page.navigate", url=url)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(2)
        try:
            whole = page.run("return document.querySelector('.timeline-stage')?.dataset.wholeMs ?? null")
        except AssertionError:
            continue  # between two documents
        if whole:
            return float(whole)
    raise AssertionError("no picture came")


def until_idle(pid, seconds=300):
    """What is worked out in the background for questions (the trace, its analysis) has been: of that, how long it took."""
    begun = time.monotonic()
    used = None
    while time.monotonic() - begun < seconds:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        now = int(words[11]) + int(words[12])
        if now == used:
            break
        used = now
        time.sleep(1)
    return time.monotonic() - begun


def frames(page):
    """Wheels once a frame: in, along, out; the page's own clock says when frames came."""
    return page.run(f"""
      const stage = document.querySelector('.timeline-stage'), box = stage.getBoundingClientRect(), times = [];
      const at = {{ clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.3, bubbles: true, cancelable: true }};
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      let last = await frame();
      for (let i = 0; i < {FRAMES}; ++i) {{
        const third = Math.floor(3 * i / {FRAMES});
        const way = third === 0 ? {{ deltaY: -15 }} : third === 1 ? {{ deltaX: i % 2 ? 30 : 25, deltaY: 0 }} : {{ deltaY: 15 }};
        await new Promise((done) => setTimeout(done)); // as a real one comes: between frames, when the page is laid out
        stage.dispatchEvent(new WheelEvent('wheel', {{ ...at, ...way }}));
        const now = await frame();
        times.push(now - last);
        last = now;
      }}
      return times;""")


process, url, _ = served()  # makes the index where there is none
with browser.browser(chromium, watched=False) as page:
    until_drawn(page, url)
process.terminate()
process.wait(60)

process, url, started_s = served()
try:
    with browser.browser(chromium, watched=False) as page:
        page.open("about:blank")
        first_ms = until_drawn(page, url)
        idle_s = until_idle(process.pid)
        page.run("performance.setResourceTimingBufferSize(5000); performance.clearResourceTimings()")
        times = frames(page)
        answers = page.run("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/tile?')).map(({ duration }) => duration)")
        stage = page.run("return { ...document.querySelector('.timeline-stage').dataset }")
        memory = int(next(line for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("RssAnon")).split()[1])
        print(json.dumps({"address_ms": round(1000 * started_s, 1), "first_picture_ms": first_ms, "background_s": round(idle_s, 1), "between_frames": quantiles(times),
                          "work_in_a_frame_p95_ms": float(stage["drawP95"]), "requests_for_tiles_p95_ms": float(stage["tileP95"]), "answers_with_tiles": quantiles(answers), "coarser_than_it_will_be_p95_ms": float(stage["coarseP95"]), "anonymous_mib": round(memory / 1024)}))
finally:
    process.terminate()
    process.wait(60)
