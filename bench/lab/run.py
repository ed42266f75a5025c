#!/usr/bin/env python3
"""What the lab's own switch does to what runs on it. run.py WHATWIRE [--pauses PROGRAM] [--command WORD... [--hosts N] [--rate RATE]]
Always: both directions of two hosts full for --seconds, at each of --rates: a round trip of 8 bytes beside them in the first and the last third of that time, and
what the switch takes of the cores. --pauses PROGRAM (build/release/bench/pauses): half a round trip of 8 bytes between two ranks of Open MPI, in a loop and after
pauses. --command: a program on --hosts hosts (an MPI launch line, or a program of PVM): its time and the switch's for each frame."""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("whatwire")
parser.add_argument("--rates", nargs="+", default=["10Mb/s", "30Mb/s", "100Mb/s"])
parser.add_argument("--at-once", type=int, default=1, help="frames of a stream that hosts hand over together")
parser.add_argument("--wire", default="switch", help="of the lab: switch or kernel")
parser.add_argument("--seconds", type=float, default=4)
parser.add_argument("--pauses", metavar="PROGRAM")
parser.add_argument("--command", type=shlex.split)
parser.add_argument("--hosts", type=int, default=2)
parser.add_argument("--rate", default="100Mb/s")
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PVM_ALLOW_ROOT="1")
NAME = f"bench{os.getpid() % 100000}"

# At the end that listens: takes all of one connection, and sends back what comes by the other.
LISTENER = """
import socket, threading
def take(one):
    while one.recv(1 << 20): pass
def echo(one):
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := one.recv(8): one.send(data)
def serve(port, work):
    with socket.create_server(('', port)) as listening:
        print('there', flush=True)
        while True: threading.Thread(target=work, args=(listening.accept()[0],), daemon=True).start()
threading.Thread(target=serve, args=(5601, take), daemon=True).start()
serve(5602, echo)
"""
# At the end that calls: sends all it can for so long, and prints when each round trip began and how long it took.
CALLER = """
import json, socket, sys, threading, time
to, seconds = sys.argv[1], float(sys.argv[2])
begin = time.monotonic()
def send():
    with socket.create_connection((to, 5601)) as one:
        while time.monotonic() - begin < seconds: one.send(bytes(65536))
sending = threading.Thread(target=send)
sending.start()
trips = []
with socket.create_connection((to, 5602)) as one:
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while (at := time.monotonic() - begin) < seconds:
        one.send(b'12345678')
        one.recv(8)
        trips.append((at, time.monotonic() - begin - at))
        time.sleep(0.01)
sending.join()
print(json.dumps(trips))
"""


def whatwire(*words):
    done = subprocess.run([options.whatwire, *map(str, words)], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"whatwire {shlex.join(map(str, words))}: {done.stderr or done.stdout}")
    return done.stdout


def status():
    return json.loads(whatwire("lab", "status", "--name", NAME, "--json"))


class Lab:
    def __init__(self, hosts, rate):
        self.words = ["--hosts", hosts, "--rate", rate, "--at-once", options.at_once, "--wire", options.wire]

    def __enter__(self):
        whatwire("lab", "up", "--name", NAME, *self.words)
        return status()["hosts"]

    def __exit__(self, *_):
        whatwire("lab", "down", "--name", NAME)


def busy_s():
    """Core-seconds that the machine has worked."""
    user, nice, system, _, _, interrupts, soft, *_ = map(int, open("/proc/stat").readline().split()[1:])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def streams(rate):
    with Lab(2, rate) as hosts:
        on = [["nsenter", f"--net={host['namespace']}", sys.executable, "-c"] for host in hosts]
        listening = [subprocess.Popen([*one, LISTENER], stdout=subprocess.PIPE, text=True) for one in on]
        for one in listening:
            for _ in range(2):
                one.stdout.readline()
        before_s, busy_before_s = status()["switch"]["cpu_s"], busy_s()
        calling = [subprocess.Popen([*on[k], CALLER, hosts[1 - k]["address"], str(options.seconds)], stdout=subprocess.PIPE, text=True) for k in (0, 1)]
        trips = [trip for one in calling for trip in json.loads(one.communicate()[0])]
        busy = busy_s() - busy_before_s
        switch = status()["switch"]
        for one in listening:
            one.kill()
    third_s = options.seconds / 3
    first = statistics.median(took for at, took in trips if at < third_s)
    last = statistics.median(took for at, took in trips if at > 2 * third_s)
    print(f"{rate}: round trips beside both directions {1e3 * first:.1f} ms in the first third, {1e3 * last:.1f} ms in the last; the switch took {switch['cpu_s'] - before_s:.2f} core-seconds for {switch['frames']} frames, "
          f"the machine {busy:.2f}, {1e6 * busy / max(switch['frames'], 1):.0f} us a frame", flush=True)


def pauses(rate):
    with Lab(2, rate):
        told = whatwire("lab", "run", "--name", NAME, "--", "mpirun.openmpi", "-n", 2, options.pauses, 8, 0, 200, 500, 1000, 2000, 5000, 20000)
    for line in told.splitlines():
        pause_us, low, median, high = line.split()
        print(f"{rate}: 8 bytes after a pause of {pause_us} us: {median} us one way ({low} to {high})", flush=True)


def command():
    with Lab(options.hosts, options.rate):
        before = status()["switch"]
        begin = time.monotonic()
        whatwire("lab", "run", "--name", NAME, "--", *options.command)
        took_s = time.monotonic() - begin
        after = status()["switch"]
    frames, cpu_s = after["frames"] - before["frames"], after["cpu_s"] - before["cpu_s"]
    print(f"{options.rate}: {took_s:.2f} s; the switch took {cpu_s:.2f} core-seconds for {frames} frames, {1e6 * cpu_s / max(frames, 1):.0f} us each")


for rate in options.rates:
    streams(rate)
if options.pauses:
    for rate in options.rates:
        pauses(rate)
if options.command:
    command()
