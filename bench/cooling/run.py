#!/usr/bin/env python3
"""Programs whose data cool in their caches while ranks wait: predictions with computation as recorded and by a second recording, beside
real runs in a lab. `cmake --build --preset release --target bench_cooling`; README.md has how and what came out."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dilation"))
from in_lab import InLab  # noqa: E402

# Of 5 MB and 20 MB a rank, and one that stays in the caches.
CASES = {
    "cg, 5 MB": ["cg", "--nx", "32", "--ny", "32", "--nz", "32", "--sweeps", "2", "--solves", "2"],
    "cg, 20 MB": ["cg", "--nx", "50", "--ny", "50", "--nz", "50", "--sweeps", "2", "--solves", "1"],
    "cg, as it comes": ["cg"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("whatwire")
    parser.add_argument("examples", type=Path)
    parser.add_argument("--rate", default="10Mb/s")
    parser.add_argument("--what-if", default="bandwidth=x10")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=CASES, action="append", help="these cases")
    parser.add_argument("--keep", type=Path, help="leave model and studies in this folder")
    options = parser.parse_args()
    with InLab(options.whatwire, options.rate, options.keep) as lab:
        print(f"{'':16} {'real':>9} {'as recorded [95%]':>30} {'error':>7} {'second recording [95%]':>30} {'error':>7}")
        for name, (program, *arguments) in CASES.items():
            if options.only and name not in options.only:
                continue
            study = lab.study(name.replace(", ", "-").replace(" ", "-"), [options.examples / program, *arguments], "--what-if", options.what_if,
                              "--no-dilate", "--repeat", options.repeat)
            answer = study["what_ifs"][0]
            real = answer["real"]["s"]

            def shown(estimate):
                if estimate is None:
                    return f"{'-':>30} {'-':>7}"
                bounds = f"{estimate['s'] * 1e3:.0f} ms [{estimate['low'] * 1e3:.0f}, {estimate['high'] * 1e3:.0f}]"
                return f"{bounds:>30} {estimate['s'] / real - 1:>+7.1%}"

            second = answer["simulated_as_recorded"] is not None
            before = answer["simulated_as_recorded"] if second else answer["simulated"]
            print(f"{name:16} {real * 1e3:6.0f} ms {shown(before)} {shown(answer['simulated'] if second else None)}", flush=True)
            print(f"{'':16} {study['second_recording']}", flush=True)


if __name__ == "__main__":
    main()
