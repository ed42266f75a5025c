"""What the tasks of pattern.c wrote down by hand, and what a trace has of them: Counter of (source, destination, tag, bytes), by rank."""
import csv
import subprocess
from collections import Counter


def messages_by_hand(logs, report):
    """(sent, got) of the tasks that left a log, with the ranks that the report gives to their task numbers."""
    rank_of = {int(rank["address"], 16): rank["rank"] for rank in report["ranks"] if "address" in rank}
    sent, got = Counter(), Counter()
    for log in logs.iterdir():
        own = rank_of[int(log.name, 16)]
        for line in log.read_text().splitlines():
            what, *numbers = line.split()
            peer, tag, size = map(int, numbers)
            if what == "sent":
                sent[own, rank_of[peer], tag, size] += 1
            else:
                got[rank_of[peer], own, tag, size] += 1
    return sent, got


def messages_of(whatwire, trace, place, ranks):
    """Those between these ranks: without the group server and the daemons."""
    file = place / "messages.csv"
    subprocess.run([whatwire, "export", trace, "--to", "csv-messages", "-o", file], check=True, capture_output=True)
    with file.open() as lines:
        return Counter((int(m["source"]), int(m["destination"]), int(m["tag"]), int(m["bytes"])) for m in csv.DictReader(lines)
                       if {int(m["source"]), int(m["destination"])} <= ranks)
