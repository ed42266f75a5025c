#!/usr/bin/env python3
"""What a person waits for who moves the viewer's wire: slider.py WHATWIRE TRACE MACHINE CHROMIUM [PLACES]

Opens TRACE in Debian's Chromium twice, served by `whatwire view` and as one exported file with the simulator as WebAssembly, shows the predicted run below the
recorded one, and moves the slider of the bandwidth to one place after the other: by the page's own clock, from the moved slider until the picture of that prediction is drawn with all its
tiles, without those that a place of the slider waits for before it. One JSON object: milliseconds, and the calls of the trace. MACHINE is a preset or a model's file.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "web" / "test"))
import browser  # noqa: E402

whatwire, trace, machine, chromium = sys.argv[1:5]
PLACES = int(sys.argv[5]) if len(sys.argv) > 5 else 12
FIRST = 3  # of these the first find memory that later ones have


def quantiles(values):
    values = sorted(values)
    return {"count": len(values), **{name: round(values[min(len(values) - 1, int(share * len(values)))], 1)
                                     for name, share in (("p50_ms", 0.5), ("p95_ms", 0.95), ("max_ms", 1))}}


def moved(page, url):
    page.open(url)
    end = time.monotonic() + 120
    while page.run("return document.querySelector('.timeline-stage')?.dataset.wholeMs ?? ''") == "":
        assert time.monotonic() < end, page.problems
        time.sleep(0.2)
    page.run("document.querySelector('.pane[data-display=details] .chooser').click()")
    page.wait("document.querySelector('.menu')")
    page.run("[...document.querySelectorAll('.menu button')].find((one) => one.textContent.includes('Move the wire')).click()")
    page.wait("document.querySelector('.prediction')?.dataset.predictedS", "the prediction as recorded")
    page.run("const beside = document.querySelector('.wire button[aria-pressed=false]'); beside?.click()")
    page.wait("document.querySelector('.prediction')?.dataset.predictedLowS", "its interval")
    time.sleep(3)
    return page.run(f"""
      const stage = document.querySelector('.timeline-stage').dataset, slider = document.querySelectorAll('.wire input[type=range]')[1], times = [];
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      for (let place = 0; place < {PLACES + FIRST}; ++place) {{
        const before = stage.traces, begun = performance.now();
        slider.value = String(Number(slider.max) * 0.05 * (place + 1));
        slider.dispatchEvent(new Event('input'));
        while (stage.traces === before || stage.lacking !== '0') {{
          await frame();
          if (performance.now() - begun > 20000) throw new Error('no picture came');
        }}
        if (place >= {FIRST}) times.push(performance.now() - begun);
        await new Promise((done) => setTimeout(done, 100));
      }}
      return times;""")


with tempfile.TemporaryDirectory(prefix="whatwire-slider-") as place:
    exported = pathlib.Path(place) / "trace.html"
    subprocess.run([whatwire, "export", trace, "--machine", machine, "--to", "html", "-o", exported], check=True, capture_output=True)
    process = subprocess.Popen([whatwire, "view", "--json", "--no-browser", "--machine", machine, trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    try:
        url = json.loads(process.stdout.readline())["url"]
        with browser.browser(chromium, watched=False) as page:
            served = moved(page, url)
        with browser.browser(chromium, watched=False) as page:
            alone = moved(page, exported.as_uri())
    finally:
        process.terminate()
        process.wait(60)
print(json.dumps({"served": quantiles(served), "exported": quantiles(alone)}))
