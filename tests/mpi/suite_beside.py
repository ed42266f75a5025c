"""What an archive holds beside messages and collectives, as otf2-print of OTF2 itself reads it, in the words of suite.h: for each
rank counters of transfers (kind, target, out, in), calls that synchronise windows, accesses of files (kind, offset, asked for,
transferred) and what else happens to files."""
import re
from collections import Counter, defaultdict

COLLECTIVE = {"CREATE_HANDLE": "created", "CREATE_HANDLE_AND_ALLOCATE": "created", "DESTROY_HANDLE": "freed", "BARRIER": "fence"}
ATOMIC = {"ACCUMULATE": "accumulate", "FETCH_AND_ACCUMULATE": "fetch", "COMPARE_AND_SWAP": "compare_and_swap"}
SYNCS = {"RMA_ACQUIRE_LOCK": "lock", "RMA_RELEASE_LOCK": "unlock", "RMA_SYNC": "memory"}
FILES = {"IO_CREATE_HANDLE": "opened", "IO_DESTROY_HANDLE": "closed", "IO_DELETE_FILE": "deleted"}


class Rank:
    def __init__(self):
        self.onesided, self.window, self.file, self.file_event = Counter(), Counter(), Counter(), Counter()
        self.here, self.there, self.issued = Counter(), Counter(), Counter()
        self.open = {}


def counted(path):
    """As the program wrote them."""
    found = defaultdict(Counter)
    for line in path.read_text().splitlines():
        what, first, *numbers = line.split()
        if what in ("onesided", "file"):
            found[what][first, *map(int, numbers)] += 1
        elif what in ("window", "file_event"):
            found[what][first] += 1
    return found


def recorded(definitions, events, comms, ranks):
    """definitions, events: otf2-print's text; comms: members by number of the communicator"""
    members = {}
    for name, comm in re.findall(r'^RMA_WIN\s+(\d+)\s.*Communicator: .*?<(\d+)>', definitions, re.M):
        members[int(name)] = comms[int(comm)][0]
    found = [Rank() for _ in range(ranks)]
    begun = None  # the operation whose attributes may follow
    for line in events.splitlines():
        offset = re.search(r'"whatwire:offset" <\d+>; INT64; (\d+)', line)
        if offset and begun:
            begun["offset"] = int(offset[1])
        event = re.match(r"((?:RMA|IO)_\w+)\s+(\d+)\s+\d+\s+(.*)$", line)
        if not event or int(event[2]) >= ranks:
            continue
        kind, rest, rank = event[1], event[3], found[int(event[2])]
        number = lambda name: int(re.search(name + r": (\d+)", rest)[1])
        window = re.search(r'Window: (?:".*?" )?<(\d+)>', rest)
        window = window and int(window[1])
        if kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
            target = members[window][number("Remote")]
            if kind == "RMA_ATOMIC":
                transfer = ATOMIC[re.search(r"Type: (\w+)", rest)[1]], target, number("Sent"), number("Received")
            else:
                size = number("Bytes")
                transfer = ("put", target, size, 0) if kind == "RMA_PUT" else ("get", target, 0, size)
            rank.onesided[transfer] += 1
            rank.issued[window, number("Matching")] += 1
        elif kind == "RMA_OP_COMPLETE_NON_BLOCKING":
            rank.here[window, number("Matching")] += 1
        elif kind == "RMA_OP_COMPLETE_REMOTE":
            rank.there[window, number("Matching")] += 1
        elif kind == "RMA_COLLECTIVE_END":
            rank.window[COLLECTIVE[re.search(r"Operation: (\w+)", rest)[1]]] += 1
        elif kind == "RMA_GROUP_SYNC":
            rank.window["epoch_end" if "MEMORY" in rest else "epoch_begin"] += 1
        elif kind in SYNCS:
            rank.window[SYNCS[kind]] += 1
        elif kind in FILES:
            rank.file_event[FILES[kind]] += 1
        elif kind == "IO_OPERATION_BEGIN":
            begun = {"kind": re.search(r"Mode: (\w+)", rest)[1].lower() + ("_all" if "COLLECTIVE" in rest else ""),
                     "offset": -1, "wanted": number("Bytes Request")}
            rank.open[re.search(r"<(\d+)>, Mode", rest)[1], number("Matching Id")] = begun
        elif kind == "IO_OPERATION_COMPLETE":
            done = rank.open.pop((re.search(r"<(\d+)>, Bytes", rest)[1], number("Matching Id")))
            rank.file[done["kind"], done["offset"], done["wanted"], number("Bytes Result")] += 1
    return found


def check(rank, seen, wanted):
    for name in ("onesided", "window", "file", "file_event"):
        a, b = getattr(seen, name), wanted[name]
        assert a == b, f"rank {rank}: {name} too many {dict(a - b)} missing {dict(b - a)}"
    assert not seen.open, f"rank {rank}: never complete {seen.open}"
    # every transfer is complete once at its origin; nobody tells of the target of an epoch among groups
    assert seen.here == seen.issued and seen.there <= seen.issued, (rank, seen.here, seen.issued)
