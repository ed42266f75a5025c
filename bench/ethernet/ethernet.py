#!/usr/bin/env python3
"""The simulated CSMA/CD bus beside theory, a published model and published measurements; writes ethernet.json."""
import json
import pathlib
import subprocess
import sys

import macdougall

SECONDS = 20
# Boggs, Mogul and Kent, "Measured capacity of an Ethernet: myths and reality", SIGCOMM 1988, figure 12 (long net,
# 4 clusters, 24 hosts; gaps and preambles count as used): between which lines of the ordinate the curve of so
# many long packets in eight ends. Mb/s.
BOGGS = {0: (8.0, 8.5), 1: (8.5, 9.0), 4: (9.0, 9.5), 8: (9.5, 10.0)}


def off(value, reference):
    return f"{100 * (value / reference - 1):+.1f}%"


def main():
    rows = json.loads(subprocess.run([sys.argv[1], str(SECONDS)], check=True, capture_output=True, text=True).stdout)
    saturated = [row for row in rows if row["setting"] == "saturated"]
    print("| bytes | stations | utilisation (range of 5 seeds) | MacDougall | | Metcalfe, Boggs | | collisions a packet "
          "| MacDougall | | ms a packet and station | MacDougall | |")
    print("|" + "---|" * 13)
    for row in saturated:
        frame_s = (row["bytes"] + 8) * 0.8e-6
        used, collided = macdougall.saturated(row["stations"], row["bytes"], SECONDS / 2)
        each_s = row["stations"] * frame_s / used
        row["macdougall"] = {"utilisation": used, "collisions_per_packet": collided,
                             "seconds_a_packet_and_station": each_s}
        print(f"| {row['bytes']} | {row['stations']} | {row['utilisation']:.3f} ({row['utilisation_low']:.3f} to "
              f"{row['utilisation_high']:.3f}) | {used:.3f} | {off(row['utilisation'], used)} | "
              f"{row['metcalfe_boggs']:.3f} | {off(row['utilisation'], row['metcalfe_boggs'])} | "
              f"{row['collisions_per_packet']:.3f} | {collided:.3f} | "
              f"{off(row['collisions_per_packet'], collided) if collided else ''} | "
              f"{1e3 * row['seconds_a_packet_and_station']:.3f} | {1e3 * each_s:.3f} | "
              f"{off(row['seconds_a_packet_and_station'], each_s)} |", flush=True)
    print("\n| bytes | two stations, exactly: utilisation | simulated | collisions a packet | simulated | drops a packet "
          "| simulated |\n|" + "---|" * 7)
    for row in saturated:
        if "exact" in row:
            exact = row["exact"]
            print(f"| {row['bytes']} | {exact['utilisation']:.4f} | {row['utilisation']:.4f} | "
                  f"{exact['collisions_per_packet']:.4f} | {row['collisions_per_packet']:.4f} | "
                  f"{exact['drops_per_packet']:.5f} | {row['drops_per_packet']:.5f} |")
    print("\n| long of 8 packets | Boggs et al., Mb/s | simulated, hosts that pause 0, 50, 200 us |\n|---|---|---|")
    for mix, (low, high) in BOGGS.items():
        simulated = [f"{10 * row['utilisation_with_gaps']:.2f}" for row in rows
                     if row["setting"] == "boggs" and row["long_of_eight"] == mix]
        print(f"| {mix} | {low} to {high} | {', '.join(simulated)} |")
    pathlib.Path("ethernet.json").write_text(json.dumps(rows, indent=1))


main()
