#!/usr/bin/env python3
"""What the page of an exported folder makes of the pieces of a trace is what `whatwire view` answers, to the last byte:

    folder_numbers.py WHATWIRE NODE MPIRUN PROGRAMS     of programs recorded here: PROGRAMS is build/examples
    folder_numbers.py WHATWIRE NODE TRACE...            of these

Tiles of all levels, groups and blocks, calls, messages and marks of windows, through a server that only gives files, below a path of its own. The whole
trace is not fetched for any of them.
"""
import contextlib
import functools
import http.server
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import same_numbers  # noqa: E402

ASK = pathlib.Path(__file__).resolve().parents[2] / "web" / "ask_folder.mjs"
TILE_BINS, BLOCK_ROWS = 256, 64


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def file_server(directory):
    """The address of a plain server of files."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(directory))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def questions(facts, pieces):
    chance = random.Random(7)
    from_ns, to_ns = facts["span_ns"]
    top, ranks = facts["index"]["top_level"], len(facts["ranks"])
    for group, blocks in enumerate(pieces["groups"]):
        for block in range(len(blocks)):
            for level in range(top, -1, -1):
                last = (to_ns - from_ns) // (TILE_BINS << level)
                for tile in {0, last, *(chance.randint(0, last) for _ in range(2))} if block < 4 else {chance.randint(0, last)}:
                    yield "data/0/tile", {"level": level, "tile": tile, "group": group, "block": block}
    yield "data/0/trace", {}
    yield "data/0/first", {}
    yield "data/0/report", {}
    for parts in (3, 40, 3000, 200000):
        wide = max(1, (to_ns - from_ns) // parts)
        for _ in range(6):
            begin = chance.randint(from_ns, to_ns - wide)
            chosen = "" if chance.random() < 0.5 or ranks < 2 else f"{chance.randrange(ranks // 2)}-{ranks - 1 - chance.randrange(ranks // 2)}"
            window = {"from_ns": begin, "to_ns": begin + wide, "ranks": chosen}
            yield "data/0/calls", {**window, "limit": 6000}
            yield "data/0/messages", {**window, "limit": 500}
            yield "data/0/marks", {**window, "limit": 2000}


# Of messages by what they are: pieces have them in another order where a window reaches into several.
def messages_in(body):
    count, all_of_them = (int.from_bytes(body[at:at + 4], "little") for at in (4, 8))
    columns = [body[16 + 8 * i * count:16 + 8 * (i + 1) * count] for i in range(3)]
    rest = body[16 + 24 * count:]
    words = [rest[4 * i * count:4 * (i + 1) * count] for i in range(4)]
    return all_of_them, sorted(b"".join(c[8 * i:8 * i + 8] for c in columns) + b"".join(w[4 * i:4 * i + 4] for w in words) for i in range(count))


def compare(whatwire, node, trace, directory):
    site = directory / "site"
    subprocess.run([whatwire, "export", trace, "--to", "html-folder", "-o", site / "deep" / "below"], check=True, capture_output=True)
    data = site / "deep" / "below" / "data" / "0"
    pieces, facts = json.loads((data / "pieces.json").read_text()), json.loads((data / "trace.json").read_text())
    asked = list(questions(facts, pieces))
    (directory / "questions.json").write_text(json.dumps(asked))
    with file_server(site) as address:
        subprocess.run([node, ASK, address + "deep/below/", directory / "questions.json", directory], check=True)
    served = same_numbers.ask_server(whatwire, trace, [], [(path, urllib.parse.urlencode({k: v for k, v in query.items() if v != ""})) for path, query in asked])
    fetched = json.loads((directory / "fetched.json").read_text())
    kinds, cut = {}, 0
    for number, ((path, query), (status, body)) in enumerate(zip(asked, served, strict=True)):
        said = (directory / f"{number}.body").read_bytes()
        kind = path.split("/")[-1]
        kinds[kind] = kinds.get(kind, 0) + 1
        assert status == 200, (path, query, body)
        assert not any("packed" in one or "engine" in one for one in fetched[number]), f"{path} {query} fetched {fetched[number]}"
        what = f"{trace} {path} {query}"
        if kind in ("calls", "messages") and body[4:8] != body[8:12]:  # more than are listed: of long windows the pieces have a part
            cut += 1
            if kind == "calls":
                assert said[:4] == body[:4] and int.from_bytes(said[8:12], "little") > int.from_bytes(said[4:8], "little"), what
            else:
                assert int.from_bytes(said[8:12], "little") > 500, what
            continue
        if kind == "messages":
            assert messages_in(said) == messages_in(body), what
        elif kind in ("tile", "calls"):
            assert said == body, f"{what}: {len(said)} and {len(body)} bytes"
        elif kind == "marks" and json.loads(body)["left_out"]:
            cut += 1
        else:
            assert json.loads(said) == json.loads(body), what
    nodes = "".join(block["nodes"] for blocks in pieces["groups"] for block in blocks)
    size = sum(one.stat().st_size for one in site.rglob("*") if one.is_file())
    print(f"{trace}: {sum(kinds.values())} answers, the same ({cut} of them cut): {kinds}; {nodes.count('i')} tiles and {nodes.count('l')} leaves of "
          f"{facts['calls']} calls, {size} bytes")
    return pieces


# One that is cut into several pieces, in time and ranks.
def record(whatwire, mpirun, programs, directory):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
    programs = pathlib.Path(programs)
    lines = {"ring": ["-n", "2", programs / "ring", "--messages", "60000", "--length", "8"], "heat": ["-n", "70", programs / "heat"]}
    for name, line in lines.items():
        subprocess.run([whatwire, "record", "-o", directory / name, "--", mpirun, "--oversubscribe", *line], env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=200)
    return [directory / name for name in lines]


def main():
    whatwire, node, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ww-folder-") as directory:
        recorded = "mpirun" in given[0]
        for trace in record(whatwire, *given, pathlib.Path(directory)) if recorded else given:
            with tempfile.TemporaryDirectory(prefix="ww-folder-") as place:
                pieces = compare(whatwire, node, trace, pathlib.Path(place))
            if recorded and trace.name == "ring":
                assert pieces["groups"][0][0]["nodes"].count("l") > 1 and pieces["messages"]["nodes"].count("l") > 1, "only one piece"
            if recorded and trace.name == "heat":
                assert len(pieces["groups"]) > 1 and len(pieces["groups"][0]) == 2, "one block of ranks"


if __name__ == "__main__":
    main()
