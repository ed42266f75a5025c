#!/usr/bin/env python3
"""Opens every display of the viewer on a recorded trace: displays_test.py WHATWIRE MPIRUN PROGRAM CHROMIUM DIRECTORY

At least one number that each shows is compared with what `whatwire report --json` says of the same trace; what clicks and drags select
is compared with the report of that part. Screenshots stay in DIRECTORY.
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote, parse_qsl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

whatwire, mpirun, program, chromium, directory = sys.argv[1:6]
RANKS = 8  # a hypercube of three dimensions
shots = pathlib.Path(directory)
shots.mkdir(parents=True, exist_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
place = pathlib.Path(tempfile.mkdtemp(prefix="whatwire-displays-"))
trace, again = place / "run.ww", place / "again.ww"


def report(*options, of=trace):
    return json.loads(subprocess.run([whatwire, "report", of, "--json", *options], check=True, capture_output=True, text=True).stdout)


def record(into, *arguments):
    subprocess.run([whatwire, "record", "-o", into, "--", mpirun, "--oversubscribe", "-n", str(RANKS), program, *arguments], env=environment, check=True,
                   cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def near(seen, expected, what, share=1e-6, room=1e-12):
    assert abs(float(seen) - expected) <= share * abs(expected) + room, f"{what}: {seen} on the page, {expected} in the report"


class Viewer:
    def __init__(self, page, url):
        self.page, self.url = page, url

    def open(self, display, look="", **options):
        pane = "1." + display + "".join(f"~{name}={quote(value, safe='').replace('.', '%2e')}" for name, value in options.items())
        self.page.open("about:blank")
        self.page.open(f"{self.url}#panes={quote(pane, safe='')}{look}")
        self.settle(display)
        self.page.screenshot(shots / f"{display}{'-' if options else ''}{'-'.join(options.values()).replace(':', '_')}.png")

    def settle(self, display):
        drawn = f"document.querySelector('.display[data-drawn=\"{display}\"]') && !document.querySelector('.pane.working')"
        self.page.wait(f"document.documentElement?.dataset.ready === 'yes' && (({drawn}) || document.querySelector('.fault:not([hidden])'))", display)
        fault = self.page.run("return document.querySelector('.fault:not([hidden])')?.textContent ?? ''")
        assert not fault, f"{display}: {fault}"
        time.sleep(0.1)

    # The data of the elements of a display, as numbers where they are.
    def data(self, selector):
        return self.page.run(f"return [...document.querySelectorAll('.display-body {selector}')].map((one) => ({{ ...one.dataset }}))")

    def rows(self, name):
        return self.page.run(f"return [...document.querySelectorAll('[data-table=\"{name}\"] tbody tr')].map((row) => "
                             "[...row.children].map((cell) => cell.textContent))")

    def address(self):
        time.sleep(0.6)  # it is written every third of a second
        return dict(parse_qsl(self.page.run("return location.hash.slice(1)")))


def over_time(viewer, whole):
    ranks = whole["ranks"]
    elapsed = RANKS * whole["elapsed_s"]  # of the picture: a rank that begins later or ends sooner is outside there
    viewer.open("utilisation")
    seen = viewer.data("svg.over-time")[0]
    keys = {"compute": "compute_s", "library": "library_s", "service": "blocked_service_s", "algorithmic": "blocked_algorithmic_s"}
    for part, key in keys.items():
        near(seen[part], sum(rank[key] for rank in ranks) / elapsed, part, room=0.005)
    for measure in ("bytes", "messages"):
        viewer.open("traffic", measure=measure)
        seen = viewer.data("svg.over-time")[0]
        near(seen["sent"], sum(rank[f"{measure}_sent"] for rank in ranks), measure)
        near(seen["received"], sum(rank[f"{measure}_received"] for rank in ranks), measure)
    for shape in ("map", "surface"):
        viewer.open("surface", measure="messages_sent", shape=shape)
        near(viewer.data("canvas")[0]["sum"], sum(rank["messages_sent"] for rank in ranks), "surface")
    # By keys the tooltip of a cell: what the map's first one says.
    viewer.open("surface", measure="messages_sent")
    viewer.page.run("document.querySelector('.display-body canvas').focus()")
    viewer.page.key("ArrowRight")
    assert "messages sent" in viewer.page.text("#tooltip") and "rank 0" in viewer.page.text("#tooltip"), viewer.page.text("#tooltip")
    viewer.open("surface", measure="messages_sent", shape="surface")
    turned = viewer.data("canvas")[0]["turn"]
    left, top, width, height = viewer.page.box(".display-body canvas")
    viewer.page.drag((left + width / 2, top + height / 2), (left + width / 2 + 100, top + height / 2))
    assert viewer.data("canvas")[0]["turn"] != turned, "a drag does not turn the surface"
    viewer.open("values", value="residual")
    for row, value in zip(viewer.rows("values"), report("--ask", "values")["values"]["values"], strict=True):
        assert row[:2] == [value["name"], str(value["count"])], (row, value)
        near(row[4], value["least"], "least value", share=1e-5)


def by_rank(viewer, whole):
    viewer.open("ranks")
    for bar, rank in zip(viewer.data("g.bar"), whole["ranks"], strict=True):
        assert int(bar["rank"]) == rank["rank"]
        near(bar["whole"], rank["elapsed_s"], "a rank's time")
    viewer.open("ranks", measure="blocked_s", groups="4")
    blocked = [rank["blocked_s"] for rank in whole["ranks"]]
    for bar, of in zip(viewer.data("g.bar"), (blocked[:4], blocked[4:]), strict=True):
        near(bar["whole"], sum(of) / 4, "the mean of a group")
    viewer.open("kiviat")
    for spoke, rank in zip(viewer.data("svg.kiviat g"), whole["ranks"], strict=True):
        near(spoke["mean"], 1 - rank["blocked_algorithmic_s"] / whole["elapsed_s"], "what is not idle", room=0.01)


def messages(viewer, whole):
    sent = report("--ask", "sent")["sent"]
    viewer.open("cube")
    near(viewer.data("svg.cube")[0]["all"], sent["messages"], "messages over the cube")
    loads = {}
    for pair in sent["pairs"]:  # the lowest dimension first
        at = pair["source"]
        while at != pair["destination"]:
            differ = at ^ pair["destination"]
            to = at ^ (differ & -differ)
            loads[at, to] = loads.get((at, to), 0) + pair["bytes"]
            at = to
    links = viewer.data("svg.cube g[data-link]")
    assert len(links) == 12, links
    for link in links:
        low, high = (int(node) for node in link["link"].split("-"))
        near(link["forward"], loads.get((low, high), 0), f"link {low} to {high}")
        near(link["backward"], loads.get((high, low), 0), f"link {high} to {low}")

    viewer.open("clump")
    near(viewer.data("svg.clump")[0]["total"], sent["bytes"] + sent["collective_bytes"], "who to whom")
    pairs = {(str(pair["source"]), str(pair["destination"])): pair["bytes"] + pair["collective_bytes"] for pair in sent["pairs"]}
    for cell in viewer.data("svg.clump g"):
        near(cell["value"], pairs[cell["from"], cell["to"]], f"{cell}")
    viewer.open("clump", measure="wait_s")
    waited = sum(one["blocked_algorithmic_s"] for one in report("--ask", "waits")["waits"]["waited_for"])
    near(viewer.data("svg.clump")[0]["total"], waited, "who waits for whom")

    viewer.open("queues")
    for bar, rank in zip(viewer.data("g.bar"), report("--ask", "queues")["queues"]["ranks"], strict=True):
        near(bar["incoming"], rank["waiting"]["maximum"], "the longest queue")
        near(bar["outgoing"], rank["outgoing"]["maximum"], "its own")
    at_ns = int(whole["elapsed_s"] * 0.3e9)
    viewer.open("queues", look=f"&at={at_ns}")
    waiting = [0] * RANKS
    for one in report("--ask", "queues", "--at", f"{at_ns}ns")["queues"]["at"]["messages"]:
        waiting[one["destination"]] += 1
    assert [int(bar["incoming"]) for bar in viewer.data("g.bar")] == waiting, (viewer.data("g.bar"), waiting)

    viewer.open("sizes")
    of_size = report("--ask", "messages")["messages"]["all"]["histogram"]
    for bar, size in zip(viewer.data("g.bar"), of_size, strict=True):
        assert [int(bar[key]) for key in ("from", "messages", "bytes")] == [size[key] for key in ("from_bytes", "messages", "bytes")], (bar, size)
    viewer.open("message", message="0:1:1")
    followed = report("--message", "0:1:1")["message"]
    seen = viewer.data("svg.message")[0]
    assert [int(seen[key]) for key in ("source", "destination", "bytes")] == [followed[key] for key in ("source", "destination", "bytes")], seen
    # S5's system test 2: to the next node, over one and over two nodes in between, and back, which is another path there.
    for ends, path in (("2:3", "2 \u2192 3"), ("3:2", "3 \u2192 2"), ("1:2", "1 \u2192 0 \u2192 2"), ("2:1", "2 \u2192 3 \u2192 1"),
                       ("3:4", "3 \u2192 2 \u2192 0 \u2192 4"), ("4:3", "4 \u2192 5 \u2192 7 \u2192 3")):
        viewer.open("message", message=ends)
        said = viewer.page.run("return [...document.querySelectorAll('.display-note')].map((one) => one.textContent).join(' ')")
        assert f"over the hypercube of 8 ranks: {path}." in said, (ends, said)
    viewer.open("one-sided")
    windows = report("--ask", "one-sided")["one_sided"]["windows"]
    assert [int(bar["out"]) for bar in viewer.data("g.bar")] == [target["bytes_out"] for window in windows for target in window["targets"]]


def calls(viewer):
    viewer.open("blocked")
    waits = report("--ask", "waits")["waits"]["calls"]
    bars = viewer.data("g.bar")
    assert {bar["call"] for bar in bars} == {name for name, call in waits.items() if call["blocked_algorithmic_s"] + call["blocked_service_s"] > 0}
    for bar in bars:
        near(bar["algorithmic"], waits[bar["call"]]["blocked_algorithmic_s"], bar["call"])
        near(bar["service"], waits[bar["call"]]["blocked_service_s"], bar["call"])
    viewer.open("skew")
    counts = {}
    for one in report("--ask", "messages")["messages"]["collectives"]:
        counts[one["operation"]] = counts.get(one["operation"], 0) + one["count"]
    for bar in viewer.data("g.bar"):
        if bar["op"] in counts:
            near(bar["count"], counts[bar["op"]], bar["op"])
    assert {"MPI_Allreduce", "MPI_Barrier"} <= {bar["op"] for bar in viewer.data("g.bar")}
    viewer.open("files")
    assert [int(bar["written"]) for bar in viewer.data("g.bar")] == [one["bytes_written"] for one in report("--ask", "files")["files"]["files"]]


def of_the_program(viewer):
    viewer.open("critical-path")
    path = report("--ask", "critical-path")["critical_path"]
    for bar in viewer.data("g.bar[data-what]"):
        near(bar["time"], path["compute_s"] if bar["what"] == "computation" else path["calls"][bar["what"]]["time_s"], bar["what"])
    viewer.open("delays")
    made = {rank["rank"]: rank["delays_others_direct_s"] + rank["delays_others_propagated_s"] for rank in report("--ask", "delays")["delays"]["ranks"]}
    for bar in viewer.data("g.bar"):
        near(bar["made"], made[int(bar["rank"])], f"rank {bar['rank']} makes others wait")
    viewer.open("pop")
    pop = report("--ask", "pop")["pop"]
    factors = viewer.data("svg.pop g")
    assert [one["factor"] for one in factors] == ["parallel_efficiency", "load_balance", "communication_efficiency", "serialisation", "transfer"]
    for one in factors:
        near(one["value"], pop[one["factor"]], one["factor"])
    viewer.open("regions")
    regions = {region["region"]: region["time_s"] for region in report("--ask", "regions")["regions"]}
    flames = viewer.data("svg.flames g")
    assert [one["region"] for one in flames] and {one["region"] for one in flames} == {"round", *(f"round \u203a {name}" for name in ("work", "exchange", "reduce"))}
    for one in flames:
        near(one["time"], regions[one["region"].split(" \u203a ")[-1]], one["region"])


def selecting(viewer):
    # A bar selects its rank; what is counted is what the report counts of it.
    viewer.open("ranks")
    viewer.page.run("document.querySelector('.display-body g.bar[data-rank=\"3\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    viewer.settle("ranks")
    assert viewer.address()["ranks"] == "3"
    near(viewer.data("g.bar")[0]["whole"], report("--ranks", "3")["ranks"][0]["elapsed_s"], "the rank that is selected")
    # In a chart over time a drag selects its span, a click sets the instant.
    viewer.open("utilisation")
    left, top, width, height = viewer.page.box(".display-body svg.over-time")
    viewer.page.drag((left + 200, top + 80), (left + 400, top + 80))
    viewer.settle("utilisation")
    from_ns, to_ns = (float(one) for one in viewer.address()["span"].split(".."))
    ranks = report("--from", f"{int(from_ns)}ns", "--to", f"{int(to_ns)}ns")["ranks"]
    compute = sum(rank["compute_s"] for rank in ranks) / (len(ranks) * (to_ns - from_ns) * 1e-9)
    near(viewer.data("svg.over-time")[0]["compute"], compute, "computing in the span", room=0.01)
    viewer.page.click(left + 300, top + 80)
    at_ns = float(viewer.address()["at"])
    assert from_ns < at_ns < to_ns, (from_ns, at_ns, to_ns)
    # What there is nothing of is said.
    viewer.open("blocked", look="&calls=MPI_Comm_rank")
    assert "No call waited" in viewer.page.text(".display .nothing")


def saving(viewer):
    viewer.open("blocked")
    viewer.page.run("""window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved.push(blob); return make(blob); };
        HTMLAnchorElement.prototype.click = () => {};""")
    for kind in ("CSV", "SVG", "PNG"):
        viewer.page.run("document.querySelector('.pane-tools button').click()")
        viewer.page.run(f"[...document.querySelectorAll('.menu button')].find((one) => one.textContent.startsWith('{kind}')).click()")
    viewer.page.wait("window.saved.some((blob) => blob.type === 'image/png')", "the picture")
    text = viewer.page.run("return await saved.find((blob) => blob.type === 'text/csv').text()")
    rows = list(csv.DictReader(io.StringIO(text)))
    waits = report("--ask", "waits")["waits"]["calls"]
    for row in rows:
        near(row["blocked_service_s"], waits[row["call"]]["blocked_service_s"], row["call"])
    assert len(rows) > 5, rows
    picture = viewer.page.run("return await saved.find((blob) => blob.type === 'image/svg+xml').text()")
    assert "MPI_Sendrecv" in picture and "var(" not in picture, "the picture needs the page's style"


def comparing(viewer, whole):
    viewer.open("compare")
    other = report(of=again)
    # The program does the same each time: all its calls are aligned but MPI_Init and MPI_Finalize, which are not of the program proper.
    aligned = sum(call["count"] for name, call in whole["calls"].items() if name not in ("MPI_Init", "MPI_Finalize"))
    assert int(viewer.data("canvas")[0]["aligned"]) == aligned, (viewer.data("canvas"), aligned)
    # By what it is made of, the difference is that of the ranks' times.
    said = viewer.page.run("return await (await fetch('data/compare?a=0&b=1')).json()")
    parts = sum(one["later_s"] for one in (said["computing"], said["not_aligned"], *said["calls"]))
    near(parts, sum(b["elapsed_s"] - a["elapsed_s"] for a, b in zip(whole["ranks"], other["ranks"], strict=True)), "the difference", room=1e-8)
    rows = viewer.rows("lags")
    assert {row[0] for row in rows} >= {"computing", "MPI_Recv", "MPI_Sendrecv", "MPI_Allreduce"}, rows


def simulated(*options, machine="comet"):
    command = [whatwire, "simulate", trace, "--machine", machine, "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def curves(viewer):
    for by, machine in (("latency", "comet"), ("seconds_per_byte", "comet"), ("overhead", "pvm-ethernet-10")):
        viewer.open("curves", machine=machine, by=by)
        told = simulated("--explain", machine=machine)
        curve = told["contention_free"]["curves"][by]
        picture = viewer.data("svg.chart")[0]
        near(picture["now"], curve["now_s"], by)
        near(picture["recorded"], curve["now_s"], by)
        near(viewer.data("circle.predicted")[0]["predicted"], told["predicted_s"], "predicted")
        # Beyond what the machine has the curve is that of simulate --explain; below it begins where there is nothing.
        seen = [one for one in viewer.data("circle.breakpoint") if float(one["at"]) > curve["now_s"] * (1 + 1e-9)]
        assert len(seen) == len(curve["pieces"]) - 1, (by, seen, curve["pieces"])
        for one, piece in zip(seen, curve["pieces"][1:], strict=True):
            near(one["at"], piece["from_s"], f"breakpoint of {by}")
            near(one["predicted"], piece["predicted_s"], f"time at a breakpoint of {by}")
            assert int(one["slope"]) == piece["s_per_s"], (one, piece)
    # A click sets the slider, and the picture follows it; by keys the tooltips of its marks.
    viewer.open("curves", machine="comet")
    left, top, width, height = viewer.page.box(".display-body svg.chart .hits")
    viewer.page.click(left + width / 2, top + height / 2)
    viewer.page.wait("document.querySelector('.display-body line.now')", "the slider's mark")
    viewer.settle("curves")
    what_if = viewer.address()["what_if"]
    factor = float(what_if.removeprefix("latency=x"))
    assert 4.5 < factor < 5.5, what_if  # the picture goes to ten times the latency
    near(viewer.data("circle.predicted")[0]["predicted"], simulated("--what-if", what_if)["predicted_s"], what_if)
    viewer.page.run("document.querySelector('.display-body svg.chart').focus()")
    viewer.page.key("ArrowRight")
    assert "without contention" in viewer.page.text("#tooltip"), viewer.page.text("#tooltip")
    # Of a network by name none is told, and the page says so.
    viewer.open("curves", look="&what_if=" + quote("network=bus", safe=""), machine="comet")
    assert "network by name" in viewer.page.text(".display .nothing")


def scenarios(viewer, whole):
    asked = ["bandwidth=x10", "software=x0.1"]
    viewer.open("scenarios", machine="comet", what_ifs=";".join(asked))
    told = simulated("--what-if", "latency=x1", *(word for spec in asked for word in ("--what-if", spec)))["what_ifs"]
    bars = viewer.data("g.bar")
    assert len(bars) == (1 + RANKS) * 4, len(bars)
    keys = {"elapsed": "elapsed_s", "compute": "compute_s", "library": "library_s", "service": "blocked_service_s", "algorithmic": "blocked_algorithmic_s"}
    ranks_of = {"recorded": whole["ranks"], "": told[0]["ranks"], asked[0]: told[1]["ranks"], asked[1]: told[2]["ranks"]}
    for bar in bars:
        members = [ranks_of[bar["scenario"]][rank] for rank in (range(RANKS) if "-" in bar["ranks"] else [int(bar["ranks"])])]
        for name, key in keys.items():
            near(bar[name], sum(one[key] for one in members) / len(members), f"{bar['scenario']}, ranks {bar['ranks']}: {key}")
    near(bars[2]["predicted"], told[1]["predicted_s"], "the run with ten times the bandwidth")
    viewer.page.run("document.querySelector('.display-body g.bar[data-scenario=\"software=x0.1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    assert viewer.address()["what_if"] == "software=x0.1"
    viewer.open("scenarios", machine="comet")
    assert "ideal network" in viewer.page.text(".display-body svg.bars"), "the usual what-ifs"
    viewer.open("scenarios", machine="comet", show="mean", look="&ranks=2-3")
    bars = viewer.data("g.bar")
    assert {bar["ranks"] for bar in bars} == {"2-3"} and len(bars) == 6, bars


def of_models(viewer):
    near_line = "document.querySelectorAll('.display-body polyline.fit').length"
    viewer.open("machine", machine="comet")
    model = json.loads(subprocess.run([whatwire, "machine", "show", "comet", "--json"], check=True, capture_output=True, text=True).stdout)
    inter = next(link for link in model["links"] if link["between"] == "inter")
    assert viewer.page.run(f"return {near_line}") == len(inter["segments"])
    viewer.open("machine", machine="ncube-seven", show="six")
    model = json.loads(subprocess.run([whatwire, "machine", "show", "ncube-seven", "--json"], check=True, capture_output=True, text=True).stdout)
    assert {one["series"] for one in viewer.data("polyline.curve")} == {*model["costs"]} - {term for term, costs in model["costs"].items() if not costs}


# A model with measured points and runs at several D, given on the command line.
def given_files(opened):
    model = json.loads(subprocess.run([whatwire, "machine", "show", "comet", "--json"], check=True, capture_output=True, text=True).stdout)
    for link in model["links"]:
        last = link["segments"][-1]
        link["points"] = [{"bytes": size, "median_s": 1.02 * one, "low_s": one, "high_s": 1.05 * one, "samples": 9}
                          for size in (1, 64, 1024, 65536) for one in [last["base_s"] + last["seconds_per_byte"] * size]]
    machine, runs = place / "machine.json", place / "dilation.json"
    machine.write_text(json.dumps(model))
    with runs.open("w") as out:
        subprocess.run([whatwire, "dilate", "-D", "1,2", "--json", "-o", place / "dilated", "--", mpirun, "--oversubscribe", "-n", "2", program],
                       env=environment, check=True, cwd=place, stdout=out, stderr=subprocess.DEVNULL, timeout=120)
    told = json.loads(runs.read_text())
    with browser.served([whatwire, "view", "--no-browser", trace, "--machine", machine, "--dilation", runs]) as address:
        viewer = Viewer(opened, address)
        viewer.open("machine")
        assert len(viewer.data("circle.point")) == 4 and len(viewer.page.run("return [...document.querySelectorAll('.residual')]")) == 4
        viewer.open("dilation", show="components")
        body = viewer.data(".dilated")[0]
        assert body["by"] == "dilation", body
        for i, key in enumerate(("user_s", "communication_s", "receive_wait_s", "send_s"), 1):
            for seen, row in zip(body[f"s{i}"].split(), told["shares"], strict=True):
                near(seen, row["components"][key], f"{key} at D = {row['D']}")
        viewer.open("dilation")
        near(viewer.data(".dilated")[0]["speedup"], told["speedup"][-1]["value"], "the speed-up at D = 2")
        # The same by replays, which it says.
        viewer.open("dilation", **{"from": "simulated", "machine": "comet", "show": "components"})
        signature = simulated("--signature")
        body = viewer.data(".dilated")[0]
        assert body["by"] == "simulation" and "Simulated" in viewer.page.text(".display-note")
        for i, key in enumerate(("user_s", "communication_s", "receive_wait_s", "send_s"), 1):
            for seen, row in zip(body[f"s{i}"].split(), signature["shares"], strict=True):
                near(seen, row["components"][key], f"simulated {key} at D = {row['D']}")


try:
    record(trace)
    record(again)
    all_of_it = report()
    with browser.served([whatwire, "view", "--no-browser", trace, again]) as address, browser.browser(chromium) as opened:
        looking = Viewer(opened, address)
        over_time(looking, all_of_it)
        by_rank(looking, all_of_it)
        messages(looking, all_of_it)
        calls(looking)
        of_the_program(looking)
        selecting(looking)
        saving(looking)
        comparing(looking, all_of_it)
        curves(looking)
        scenarios(looking, all_of_it)
        of_models(looking)
        given_files(opened)
        assert opened.run("return document.documentElement.dataset.errors") == "0", opened.text("#errors")
        assert opened.problems == [], opened.problems
        print(f"every display says what the report says; screenshots: {shots}")
finally:
    shutil.rmtree(place)
