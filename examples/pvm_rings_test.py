#!/usr/bin/env python3
"""The rings for PVM verify what went around: pvm_rings_test.py DIR. What is expected are their own closed forms (token_ring.c, ring.cpp)."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "pvm"))
from machine import Machine

directory = sys.argv[1]
for tasks in ("2", "4"):
    for command in (["token_ring", "100000"], ["ring", "--length", "256", "--work", "500", "--messages", "5"]):
        with Machine(directory) as machine:
            done = subprocess.run([os.path.join(directory, command[0]), *command[1:]], env=dict(machine.environment, TASKS=tasks), capture_output=True, text=True,
                                  timeout=60)
        print(tasks, command, done.stdout, done.stderr)
        assert done.returncode == 0 and "verified" in done.stdout, f"{command} on {tasks}: exit code {done.returncode}"
