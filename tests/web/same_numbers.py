#!/usr/bin/env python3
"""What an exported page answers is what `whatwire view` and the commands answer, to the last byte:

    same_numbers.py WHATWIRE NODE --record MPIRUN PROGRAMS     of programs recorded here: PROGRAMS is build/examples
    same_numbers.py WHATWIRE NODE TRACE=MODEL...               of these, with the models of the machines that recorded them

The page's WebAssembly runs in node (web/ask_exported.mjs). Left out of the comparison is how long an answer took to make.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.parse

ASK = pathlib.Path(__file__).resolve().parents[2] / "web" / "ask_exported.mjs"
WHAT_IFS = ["", "bandwidth=x10", "latency=x0.3,bandwidth=x2", "software=x0.5", "compute=x1.5", "network=bus:rate=100Mbit", "network=fat-tree:k=4",
            "network=switch", "network=torus:dims=4x1x1", "network=hypercube:dims=2", "network=dragonfly:groups=3:routers=2:hosts=2", "compute@rank:0=x3", "machine=ethernet-100",
            "machine=pvm-ethernet-10", "ranks-per-host=1"]
TIMES = re.compile(rb'"(evaluate_s|load_s)":[-+.0-9e]+')


def questions(whatwire, span):
    help_text = subprocess.run([whatwire, "report", "--help"], capture_output=True, text=True, check=True).stdout
    listed = help_text.split("Questions of --ask", 1)[1].split("\n\n")[0]
    names = re.findall(r"^  ([a-z-]+) ", listed, re.M)
    assert len(names) > 8, listed
    middle = [span[0] + (span[1] - span[0]) * part for part in (0.3, 0.6)]
    part = f"from_ns={max(0, middle[0]):.0f}&to_ns={middle[1]:.0f}"
    for query in ("", part, "ranks=1", "calls=p2p", part + "&ranks=0"):
        yield "data/0/report", query
        for name in names:
            yield "data/0/ask", f"question={name}" + ("&message=0" if name == "message" else "") + (query and "&" + query)
    yield "data/0/first", ""
    yield "data/0/find", "text=MPI"
    width = max(1, int(span[1] - span[0])).bit_length()
    for level in (width - 8, width - 12, width - 18):
        for tile in (0, 1):
            yield "data/0/tile", f"level={max(0, level)}&tile={tile}&group=0&block=0"
    window = f"from_ns={middle[0]:.0f}&to_ns={middle[1]:.0f}"
    for name in ("calls", "messages"):
        yield f"data/0/{name}", window
        yield f"data/0/{name}", window + "&ranks=0&limit=100"
    for measure in ("compute", "library", "blocked", "algorithmic", "service", "bytes_sent", "bytes_received", "messages_sent", "messages_received",
                    "queue_messages", "queue_bytes"):
        yield "data/0/series", f"measure={measure}&bins=37"
        yield "data/0/series", f"measure={measure}&bins=50&{part}"
    yield "data/0/state", f"at_ns={middle[0]:.0f}"
    yield "data/0/call", "rank=1&call=5"
    yield "data/0/skew", ""
    yield "data/0/jump", "what=longest-wait"
    yield "data/0/no-such-thing", ""
    yield "data/0/predict", "what_if=nonsense"
    yield "data/0/curves", "what_if=latency%3Dx2"
    yield "data/0/scenarios", "what_ifs=bandwidth%3Dx10%3Blatency%3Dx0.1"
    yield "data/0/dilation", ""
    yield "data/0/machine", ""
    for what_if in WHAT_IFS:
        for quick in (0, 1):
            yield "data/0/predict", f"what_if={urllib.parse.quote(what_if)}&quick={quick}"


def ask_server(whatwire, trace, more, asked):
    process = subprocess.Popen([whatwire, "view", "--json", "--no-browser", trace, *more], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        url = urllib.parse.urlsplit(json.loads(process.stdout.readline())["url"])
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=300)
        answers = []
        for path, query in asked:
            connection.request("GET", url.path + path + ("?" + query if query else ""))
            answer = connection.getresponse()
            answers.append((answer.status, answer.read()))
        return answers
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def ask_page(whatwire, node, trace, more, asked, directory):
    page = directory / "page.html"
    page.unlink(missing_ok=True)
    subprocess.run([whatwire, "export", trace, "--to", "html", "-o", page, *more], check=True, capture_output=True)
    (directory / "questions.json").write_text(json.dumps(asked))
    subprocess.run([node, ASK, page, directory / "questions.json", directory], check=True)
    told = json.loads((directory / "answers.json").read_text())
    return [(one["status"], (directory / f"{number}.body").read_bytes()) for number, one in enumerate(told["answers"])], told, page.stat().st_size


def compare(whatwire, node, given, directory):
    trace, model = given.split("=")
    more = ["--machine", model]
    span = json.loads(ask_server(whatwire, trace, more, [("data/0/trace", "")])[0][1])["span_ns"]
    asked = list(questions(whatwire, span))
    served = ask_server(whatwire, trace, more, asked)
    paged, told, size = ask_page(whatwire, node, trace, more, asked, directory)
    answered = 0
    for (path, query), (status, body), (page_status, page_body) in zip(asked, served, paged, strict=True):
        assert status == page_status, f"{trace} {path}?{query}: {status} {body[:300]} served, {page_status} {page_body[:300]} in the page"
        assert TIMES.sub(b"", body) == TIMES.sub(b"", page_body), \
            f"{trace} {path}?{query}: {difference(body, page_body)}"
        answered += status == 200
        if os.environ.get("WW_REFUSALS") and status != 200:
            print(status, path, query, body[:160])
    assert answered > len(asked) / 2, f"{trace}: {answered} of {len(asked)} questions were answered"
    report = json.loads(subprocess.run([whatwire, "report", trace, "--json", *more], check=True, capture_output=True).stdout)
    assert report == json.loads(paged[0][1]), f"{trace}: not what report --json says"
    calls = sum(one["count"] for one in report["calls"].values())
    print(f"{trace}: {answered} of {len(asked)} answers, all the same; {calls} calls, {told['packed'] / calls:.1f} bytes a call, page of {size} bytes")


# Blocking and non-blocking messages, collectives, and a model whose numbers have intervals, so that all doubts are replayed.
def record(whatwire, mpirun, programs, directory):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
    programs = pathlib.Path(programs)
    lines = {"heat": ["-n", "4", programs / "heat"], "cg": ["-n", "4", programs / "cg"],
             "ring": ["-n", "2", programs / "ring", "--messages", "50", "--length", "5000"],
             "transpose": ["-n", "4", programs / "transpose", "--size", "64"], "is": ["-n", "4", programs / "nas" / "is", "--class", "S"]}
    for name, line in lines.items():
        subprocess.run([whatwire, "record", "-o", directory / name, "--", mpirun, "--oversubscribe", *line], env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    model = json.loads(subprocess.run([whatwire, "machine", "show", "comet", "--json"], check=True, capture_output=True).stdout)
    for link in model["links"]:
        for segment in link["segments"]:
            for key, interval in (("base_s", "base_ci_s"), ("seconds_per_byte", "seconds_per_byte_ci")):
                segment[interval] = [0.93 * segment[key], 1.08 * segment[key]]
    doubtful = directory / "doubtful.json"
    doubtful.write_text(json.dumps(model))
    return [f"{directory / name}={doubtful if name in ('heat', 'is') else 'comet'}" for name in lines]


def difference(a, b):
    for at, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"{a[max(0, at - 200):at + 60]} served, {b[max(0, at - 200):at + 60]} in the page"
    return f"{len(a)} and {len(b)} bytes"


def main():
    whatwire, node, *traces = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ww-same-") as directory:
        if traces[0] == "--record":
            traces = record(whatwire, *traces[1:], pathlib.Path(directory))
        for trace in traces:
            compare(whatwire, node, trace, pathlib.Path(directory))


if __name__ == "__main__":
    main()
