#!/usr/bin/env python3
"""suite_test.py MPIRUN WHATWIRE LIBRARY RANKS PROGRAM [ARGUMENT...]: standard output and exit code are the same with and without the recorder,
and the archive, as otf2-print of OTF2 itself reads it, holds exactly the messages, collectives and calls that the program
counted for itself (suite.h); so does the report."""
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import launcher
import suite_beside

mpirun, whatwire, library, ranks, program, *arguments = sys.argv[1:]
#What the calls that make and free communicators are in the archive, and OTF2's names of the others.
COMMUNICATOR = "CREATE_HANDLE"
#Collectives whose calls do not say for each rank what goes to it.
SAME_FOR_ALL = re.compile(r"MPIX?_I?(bcast|gather|scatter|reduce|allgather|alltoall)(_init)?(_c)?", re.IGNORECASE)
#What reports say of the machine that these tests run on, and not of the recording.
OF_THE_MACHINE = ["oversubscribed", "core-shared", "other-load", "stolen-time", "times-disturbed"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, env=launcher.environment, timeout=150)


def launched(prefix, **variables):
    return launcher.command(mpirun, ranks, program, prefix, *arguments, **variables)


def record(trace, prefix):
    """(standard output, exit code of the program)"""
    if launcher.of_openmpi(mpirun):
        done = run(whatwire, "record", "-o", str(trace), "--", *launched(prefix))
        return done.stdout, json.loads((trace / "run.json").read_text())["exit_code"]
    (trace / "spool").mkdir(parents=True)  # the report makes the archive of it
    done = run(*launched(prefix, LD_PRELOAD=library, WW_SPOOL_DIR=str(trace / "spool")))
    assert run(whatwire, "report", str(trace)).returncode == 0
    return done.stdout, done.returncode


def counted(path):
    """(calls, messages sent, messages received, collectives, what they sent to each, messages cut off, calls
    left, what other collectives carried from rank to rank) as the program wrote them."""
    found = tuple(Counter() for _ in range(8))
    calls, sent, received, collectives, volumes, truncated, left, carried = found
    for line in path.read_text().splitlines():
        what, first, *numbers = line.split()
        if what == "call":
            calls[first] += 1
        elif what == "collective":
            name = COMMUNICATOR if first == "MPI_communicator" else first[len("MPI_"):].upper()
            collectives[name, int(numbers[0]), int(numbers[1])] += 1
        elif what == "volume":
            volumes[int(first), int(numbers[0])] += 1
        elif what == "carried":
            carried[int(first), int(numbers[0])] += int(numbers[1])
        elif what == "truncated":
            truncated[int(first), int(numbers[0])] += 1
        elif what == "left":  # a call that an exception or a jump left, with the message that it was receiving
            left[first] += 1
        elif what in ("sent", "received"):
            (sent if what == "sent" else received)[int(first), int(numbers[0]), int(numbers[1])] += 1
    return found


def members(anchor):
    """World ranks of each communicator's group, by its name and number in otf2-print's text."""
    text = run("otf2-print", "-G", str(anchor)).stdout
    groups, comms = {}, {
}
    for line in text.splitlines():
        group = re.match(r"GROUP\s+(\d+)\s.*Type: COMM_GROUP.* Members?: (.*)$", line)
        if group:
            groups[int(group[1])] = [int(n) for n in re.findall(r"(?:^|, )(\d+) \(", group[2])]
        comm = re.match(r'(COMM|INTER_COMM)\s+(\d+)\s.*?Group(?: A)?: .*?<(\d+)>(?:, Group B: .*?<(\d+)>)?', line)
        if comm:
            comms[int(comm[2])] = [int(g) for g in comm.groups()[2:] if g is not None]
    return {
      c: [groups[g] for g in of] for c, of in comms.items()
      }

def recorded(anchor, processes):
    """The same of each rank, from the archive."""
    found = [tuple(Counter() for _ in range(5)) for _ in range(processes)]
    comms = members(anchor)
    rank_of = {int(location): int(group) for location, group in re.findall(
        r'^LOCATION\s+(\d+)\s.*CPU_THREAD.*Group: ".*?" <(\d+)>', run("otf2-print", "-G", str(anchor)).stdout, re.M)}
    printed = run("otf2-print", str(anchor))
    assert printed.returncode == 0, printed.stderr
    lines = printed.stdout.splitlines()
    for number, line in enumerate(lines):
        event = re.match(r"([A-Z_0-9]+)\s+(\d+)\s+(\d+)\s+(.*)$", line)
        if not event or rank_of[int(event[2])] >= processes:
            continue
        kind, rank, rest = event[1], rank_of[int(event[2])], event[4]
        calls, sent, received, collectives, volumes = found[rank]
        if kind == "ENTER":
            calls[re.search(r'Region: "(\w+)"', rest)[1]] += 1
        elif kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
            peer, comm, tag, length = (int(n) for n in re.search(
                r"(?:Receiver|Sender): (\d+).*Communicator: .*?<(\d+)>, Tag: (\d+), Length: (\d+)", rest).groups())
            groups = comms[comm]
            there = groups[0] if len(groups) == 1 else groups[1] if rank in groups[0] else groups[0]
            (sent if kind.endswith("SEND") else received)[there[peer], tag, length] += 1
        elif kind == "PARAMETER_UINT64" and "whatwire:sent-to" in rest:
            peer = re.search(r'"whatwire:sent-to" <\d+>; INT32; (\d+)', " ".join(lines[number:number + 2]))
            volumes[int(peer[1]), int(re.search(r"Value: (\d+)", rest)[1])] += 1
        elif kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
            op, given, got = re.search(r"Operation: (\w+),.*Sent: (\d+), Received: (\d+)", rest).groups()
            collectives[op, int(given), int(got)] += 1
    return found


def asked(trace, question):
    return json.loads(run(whatwire, "report", "--json", "--ask", question, str(trace)).stdout)


def diff(seen, wanted):
    return f"too many {dict(seen - wanted)} missing {dict(wanted - seen)}"


with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    alone = run(*launched(place / "alone"))
    output, exit_code = record(place / "trace", place / "counts")
    said = [sorted(text.splitlines()) for text in (alone.stdout, output)]
    assert f"rank {int(ranks) - 1}: 0 failures" in said[0], (alone.stdout, alone.stderr)
    assert [line for line in said[1] if not line.startswith("whatwire:")] == said[0], said
    assert exit_code == alone.returncode, (alone.returncode, exit_code)
    names = ("calls", "sent", "received", "collectives", "volumes")
    processes = len(list(place.glob("counts.*")))  # with those that were spawned
    everything = recorded(place / "trace" / "traces.otf2", processes)
    assert len(everything) >= int(ranks) and everything[-1][0], "a process is missing"
    messages = cut_off = left = 0
    carried = Counter()
    anchor = place / "trace" / "traces.otf2"
    beside = suite_beside.recorded(run("otf2-print", "-G", str(anchor)).stdout, run("otf2-print", str(anchor)).stdout,
                                   members(anchor), processes)
    for rank, seen in enumerate(everything):
        wanted = counted(place / f"counts.{rank}")
        if "MPI_Session_init" not in wanted[0]:  # programs with sessions count all themselves
            wanted[0].update(["MPI_Finalize"] if wanted[0]["MPI_Init_thread"] else ["MPI_Init", "MPI_Finalize"])
        for peer, tag in wanted[5].elements():  # its recorded size is that of the room or of the message
            size = next((size for p, t, size in seen[2]
                         if (p, t) == (peer, tag) and seen[2][p, t, size] > wanted[2][p, t, size]), -1)
            wanted[2][peer, tag, size] += 1
        cut_off += wanted[5].total()
        left += wanted[6].total()
        for name, a, b in zip(names, seen, wanted):
            assert a == b, f"rank {rank}: {name} {diff(a, b)}"
        messages += wanted[1].total()
        carried.update(wanted[7])
        suite_beside.check(rank, beside[rank], suite_beside.counted(place / f"counts.{rank}"))
    report = json.loads(run(whatwire, "report", "--json", str(place / "trace")).stdout)
    for rank, (_, sent, received, _, volumes) in enumerate(everything):
        for (peer, size), n in volumes.items():
            carried[rank, peer] += size * n
        of = report["ranks"][rank]
        assert of["messages_sent"] == sent.total() and of["messages_received"] == received.total(), of
        assert of["bytes_sent"] == sum(key[2] * n for key, n in sent.items()), of
        assert of["bytes_received"] == sum(key[2] * n for key, n in received.items()) or cut_off > 0, of
    listed = {(p["source"], p["destination"]): p["collective_bytes"] for p in report["peers"]}
    # The program counts what those collectives carry that say it for each rank; the others come on top (Carried.* has them to the byte).
    assert all(listed.get(pair, 0) >= n for pair, n in carried.items()), (listed, carried)
    if not any(SAME_FOR_ALL.fullmatch(call) for calls, *_ in everything for call in calls):
        assert {pair: n for pair, n in listed.items() if n} == {pair: n for pair, n in carried.items() if n}, (listed, carried)
    transfers, accesses = (sum((getattr(rank, name) for rank in beside), Counter()) for name in ("onesided", "file"))
    if transfers:
        windows = asked(place / "trace", "one-sided")["one_sided"]["windows"]
        total = lambda *names: sum(window[name] for window in windows for name in names)
        assert total("puts", "gets", "atomics") == transfers.total(), windows
        assert total("bytes_out") == sum(key[2] * n for key, n in transfers.items()), windows
        assert total("bytes_in") == sum(key[3] * n for key, n in transfers.items()), windows
    if accesses:
        files = asked(place / "trace", "files")["files"]["files"]
        for what in ("read", "write"):
            of = {key: n for key, n in accesses.items() if key[0].startswith(what)}
            assert sum(file[what + "s"] for file in files) == sum(of.values()), files
            done = sum(file["bytes_read" if what == "read" else "bytes_written"] for file in files)
            assert done == sum(key[3] * n for key, n in of.items()), files
    assert report["unmatched_sends"] == left and report["unmatched_receives"] == 0, report["diagnostics"]
#an exit code other than 0 is wanted here; everything else that is suspect is not
    bad = [d for d in report["diagnostics"] if d["name"] not in ("program-failed", "software-not-told-apart", "polling",
                                                                 "spawned-processes")]
    assert sum(d["count"] for d in bad if d["name"] == "message-size-mismatch") <= cut_off, bad
    assert sum(d["count"] for d in bad if d["name"] == "calls-left") == left, bad
    allowed = ["message-size-mismatch", "threads-interleaved", "flooding-call", *OF_THE_MACHINE] + (["calls-left", "unmatched-send"] if left else [])
    assert not [d for d in bad if d["name"] not in allowed], bad
    print(f"{sum(sum(seen[0].values()) for seen in everything)} calls, {messages} messages")
