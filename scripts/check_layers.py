#!/usr/bin/env python3
"""Checks that data flows one way: a stage includes only what the table below allows; and that directories are removed in one place."""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "library": {"base"},
    "mpi_by_pvm": set(),
    "patterns": {"library"},
    "stats": {"base"},
    "machine": {"base", "stats"},
    "trace": {"base", "library", "stats", "machine", "interpose"},
    "ether": {"base"},
    "launch": {"base", "library"},
    "lab": {"base", "library", "stats", "ether", "launch"},
    "interpose": {"base", "library", "patterns"},
    "record": {"base", "library", "launch", "trace", "lab", "interpose"},
    "analyze": {"base", "stats", "machine", "trace"},
    "simulate": {"base", "library", "patterns", "stats", "ether", "machine", "trace"},
    "measure": {"base", "library", "stats", "machine", "trace", "launch", "lab", "simulate"},
    "dilate": {"base", "stats", "machine", "trace", "launch", "lab", "record", "analyze", "interpose"},
    "report": {"base", "stats", "machine", "trace", "analyze"},
    # All of the above as text. None of them may know it: they give plain values.
    "render": {"base", "stats", "machine", "trace", "analyze", "simulate", "measure", "dilate", "report"},
    "view": {"base", "library", "stats", "machine", "trace", "analyze", "simulate", "report", "render", "study"},
    "study": None,  # joins all
    "wasm": None,  # joins what a page computes
    "doctor": {"base", "library", "trace", "launch", "lab"},
    "instrument": {"base"},
    "cli": None,
}
# The library that is loaded into other people's programs takes only headers that pull in nothing.
INTERPOSE_HEADERS = {"interpose/core/spool_format.hpp", "interpose/core/environment.hpp"}
# The stage that is compiled into it, for virtual time: of the system's headers it takes these alone.
PATTERNS_HEADERS = {"stdint.h"}

# Removes directories and what is in them. Tests remove what they made themselves.
REMOVER = "base/owned.cpp"
REMOVAL = re.compile(r"\bremove_all\b|\brm -[a-z]*[rR]|\bnftw\b|\bfts_open\b|AT_REMOVEDIR|\bshutil\b")

root = pathlib.Path(__file__).resolve().parent.parent / "src"
bad = 0
for path in sorted(root.rglob("*")):
    if path.suffix not in {".cpp", ".hpp", ".h", ".c"}:
        continue
    stage = path.relative_to(root).parts[0]
    allowed = ALLOWED.get(stage)
    if stage not in ALLOWED:
        print(f"{path}: the stage {stage} is not in scripts/check_layers.py")
        bad += 1
        continue
    name = str(path.relative_to(root))
    test = re.search(r"(_test|_fixture|_system_test)\.[ch]pp$", name) or "/test" in name
    if not test and name != REMOVER and REMOVAL.search(path.read_text()):
        print(f"{path.relative_to(root.parent)} removes directories: only src/{REMOVER} may, by their marker (owned.hpp)")
        bad += 1
    if stage == "patterns" and not test:
        for include in set(re.findall(r"^#include <([^>]+)>", path.read_text(), re.M)) - PATTERNS_HEADERS:
            print(f"{path.relative_to(root.parent)} includes <{include}>: it is loaded into other people's programs")
            bad += 1
    for include in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
        target = include.split("/")[0]
        if target == stage or allowed is None or target not in ALLOWED:
            continue
        if target not in allowed or (target == "interpose" and include not in INTERPOSE_HEADERS):
            print(f"{path.relative_to(root.parent)} includes {include}: {stage} may not know {target}")
            bad += 1
sys.exit(1 if bad else 0)
