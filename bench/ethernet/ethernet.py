#!/usr/bin/env python3
"""The simulated CSMA/CD bus beside theory, a published model and published measurements; writes ethernet.json.
With a second argument the bus's rows are read from that file instead of measured."""
import concurrent.futures
import dataclasses
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys

import macdougall

SECONDS = 10
FEWEST_SEEDS, MOST_SEEDS, COLLISIONS_ERROR, DELAY_ERROR = 16, 256, 0.005, 0.01  # as in ethernet_bus.cpp
NEAR = 0.05
# Boggs, Mogul and Kent, "Measured capacity of an Ethernet: myths and reality", SIGCOMM 1988, figure 12 (long net,
# 4 clusters, 24 hosts; gaps and preambles count as used): between which lines of the ordinate the curve of so
# many long packets in eight ends. Mb/s.
BOGGS = {0: (8.0, 8.5), 1: (8.5, 9.0), 4: (9.0, 9.5), 8: (9.5, 10.0)}
QUANTITIES = {"utilisation": "utilisation", "seconds_a_packet_and_station": "time a packet and station",
              "delay_s": "mean delay", "collisions_per_packet": "collisions a packet"}
FORMS = {"book": macdougall.BOOK, "standard": macdougall.STANDARD}


def off(value, reference):
    return f"{100 * (value / reference - 1):+.1f}%" if reference else ""


def measured(rules, most_seeds, stations, frame_bytes):
    """Means and relative standard errors, from as many seeds as the errors need."""
    runs = []

    def error(key):
        values = [run[key] for run in runs]
        mean = statistics.mean(values)
        return statistics.stdev(values) / len(values) ** 0.5 / mean if mean else 0

    while len(runs) < FEWEST_SEEDS or len(runs) < most_seeds and (
            error("collisions_per_packet") > COLLISIONS_ERROR or error("delay_s") > DELAY_ERROR):
        seed = f"{stations} {frame_bytes} {len(runs)}"  # so that rows do not err together
        runs.append(macdougall.saturated(rules, stations, frame_bytes, seed, SECONDS))
    out = {key: statistics.mean(run[key] for run in runs) for key in runs[0]}
    out["seconds_a_packet_and_station"] = stations * (frame_bytes + 8) * 0.8e-6 / out["utilisation"]
    return out | {"seeds": len(runs), "collisions_per_packet_error": error("collisions_per_packet"),
                  "delay_s_error": error("delay_s")}


def everywhere(pool, rules, rows, most_seeds=MOST_SEEDS):
    return list(pool.map(functools.partial(measured, rules, most_seeds), [row["stations"] for row in rows],
                         [row["bytes"] for row in rows]))


def with_error(row, key, scale=1.0):
    return f"{scale * row[key]:.3f} ± {100 * row[key + '_error']:.1f}%"


def print_forms(rows):
    print("| bytes | stations | utilisation | book | standard | ms a packet and station | book | standard "
          "| mean delay, ms | book | | standard | | collisions a packet | book | | standard | |")
    print("|" + "---|" * 18)
    for row in rows:
        book, standard = row["book"], row["standard"]
        cells = [row["bytes"], row["stations"]]
        for key, scale in (("utilisation", 1), ("seconds_a_packet_and_station", 1e3)):
            cells += [f"{scale * row[key]:.3f}", off(row[key], book[key]), off(row[key], standard[key])]
        for key, scale in (("delay_s", 1e3), ("collisions_per_packet", 1)):
            cells += [with_error(row, key, scale), with_error(book, key, scale), off(row[key], book[key]),
                      with_error(standard, key, scale), off(row[key], standard[key])]
        print("| " + " | ".join(map(str, cells)) + " |")


def print_counts(rows):
    print("\n| MacDougall's model | | rows within 5% | median difference | largest |\n|---|---|---|---|---|")
    for form in FORMS:
        for key, name in QUANTITIES.items():
            differences = [abs(row[key] / row[form][key] - 1) for row in rows if row[form][key]]
            print(f"| {form} | {name} | {sum(d <= NEAR for d in differences)} of {len(differences)} "
                  f"| {100 * statistics.median(differences):.1f}% | {100 * max(differences):.1f}% |")


def print_rules(pool, rows):
    """What each rule of the book does by itself: the standard's form with that one changed."""
    rows = [row for row in rows if row["stations"] in (2, 10, 24, 64)]
    print("\n| rule of the book | changes of the standard's form: " +
          " | ".join(QUANTITIES.values()) + " |\n|" + "---|" * (1 + len(QUANTITIES)))
    for field in dataclasses.fields(macdougall.Rules):
        rules = dataclasses.replace(macdougall.STANDARD, **{field.name: getattr(macdougall.BOOK, field.name)})
        changed = everywhere(pool, rules, rows, FEWEST_SEEDS)
        cells = []
        for key in QUANTITIES:
            changes = [new[key] / row["standard"][key] - 1 for new, row in zip(changed, rows)]
            cells.append(f"{100 * min(changes):+.1f}% to {100 * max(changes):+.1f}%")
        print(f"| {field.name} | " + " | ".join(cells) + " |", flush=True)


def print_exact(rows):
    print("\n| bytes | two stations, exactly: utilisation | simulated | collisions a packet | simulated "
          "| drops a packet | simulated |\n|" + "---|" * 7)
    for row in rows:
        if "exact" in row:
            exact = row["exact"]
            print(f"| {row['bytes']} | {exact['utilisation']:.4f} | {row['utilisation']:.4f} | "
                  f"{exact['collisions_per_packet']:.4f} | {with_error(row, 'collisions_per_packet')} "
                  f"| {exact['drops_per_packet']:.5f} | {row['drops_per_packet']:.5f} |")


def print_metcalfe_boggs(rows):
    print("\n| bytes | stations | utilisation (range of the seeds) | Metcalfe, Boggs | |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['bytes']} | {row['stations']} | {row['utilisation']:.3f} ({row['utilisation_low']:.3f} to "
              f"{row['utilisation_high']:.3f}) | {row['metcalfe_boggs']:.3f} "
              f"| {off(row['utilisation'], row['metcalfe_boggs'])} |")


def print_boggs(rows):
    print("\n| long of 8 packets | Boggs et al., Mb/s | simulated, hosts that pause 0, 50, 200 us |\n|---|---|---|")
    for mix, (low, high) in BOGGS.items():
        simulated = [f"{10 * row['utilisation_with_gaps']:.2f}" for row in rows
                     if row["setting"] == "boggs" and row["long_of_eight"] == mix]
        print(f"| {mix} | {low} to {high} | {', '.join(simulated)} |")


def main():
    if len(sys.argv) > 2:
        rows = json.loads(pathlib.Path(sys.argv[2]).read_text())
    else:
        bus = subprocess.run([sys.argv[1], str(SECONDS)], check=True, capture_output=True, text=True)
        rows = json.loads(bus.stdout)
    saturated = [row for row in rows if row["setting"] == "saturated"]
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for form, rules in FORMS.items():
            for row, other in zip(saturated, everywhere(pool, rules, saturated)):
                row[form] = other
        print_forms(saturated)
        print_counts(saturated)
        print_rules(pool, saturated)
    print_exact(saturated)
    print_metcalfe_boggs(saturated)
    print_boggs(rows)
    pathlib.Path("ethernet.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
