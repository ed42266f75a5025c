#!/usr/bin/env python3
"""exchanges.py WHATWIRE BYTES ALONE_MS TRACE...: how exchanges of large messages of two ranks go in recorded or real runs (`real-*.ww` of a study's folder).
Of each blocking send of so many bytes that both ranks begin within 3 ms: how far apart they began, whether it went in turn (the longer send over one and a half
times ALONE_MS, what one lasts alone), and, of those at once, by how much who began first ended later. Medians of a dozen groups, nearest first."""
import csv
import io
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

whatwire, size, alone_s = sys.argv[1], sys.argv[2], float(sys.argv[3]) * 1e-3
apart = []
for trace in sys.argv[4:]:
    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder) / "calls.csv"
        subprocess.run([whatwire, "export", trace, "--to", "csv", "-o", calls], check=True, capture_output=True)
        ranks = {"0": [], "1": []}
        for row in csv.DictReader(io.StringIO(calls.read_text())):
            ranks[row["rank"]].append(row)
    for one, other in zip(ranks["0"], ranks["1"]):
        if one["call"] != other["call"] or one["call"] not in ("MPI_Send", "MPI_Sendrecv") or one["bytes_sent"] != size or one["peer"] == "0":
            continue
        first, second = sorted((float(row["enter_s"]), float(row["leave_s"])) for row in (one, other))
        if second[0] - first[0] < 3e-3:
            longer_s = max(first[1] - first[0], second[1] - second[0])
            apart.append((second[0] - first[0], longer_s > 1.5 * alone_s, first[1] - second[1]))
if not apart:
    sys.exit("no such exchanges: is BYTES what both ranks send one another, in MPI_Send or MPI_Sendrecv?")
apart.sort()
print("apart us | exchanges | in turn | at once: first ends later by us")
each = max(1, len(apart) // 12)
for begin in range(0, len(apart), each):
    group = apart[begin : begin + each]
    later = [by for _, in_turn, by in group if not in_turn]
    print(f"{1e6 * statistics.median(delta for delta, _, _ in group):8.1f} | {len(group):9} | {sum(in_turn for _, in_turn, _ in group):7} | {f'{1e6 * statistics.median(later):+.1f}' if later else ''}")
