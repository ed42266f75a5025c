"""The Ethernet model of M. H. MacDougall, "Simulating Computer Systems: Techniques and Tools" (MIT Press, 1987),
chapter 5, written anew from its rules, with sources that always have a frame: a reference that shares nothing
with the bus it is compared to.

Its channel is busy or idle as a whole; a station learns of a change after a delay that is drawn anew each time,
of two points at random on a cable of `cable_us`. Who finds the channel idle (an interframe gap after it was
heard to fall idle) starts; who starts on a busy channel collides with the frame on it. The book gives up after
17 attempts, here after the standard's 16.
"""
import heapq
import itertools
import math
import random

GAP_US, SLOT_US, JAM_US, ATTEMPTS = 9.6, 51.2, 3.2, 16


class Channel:
    def __init__(self, stations, frame_us, cable_us, seed):
        self.frame_us, self.cable_us = frame_us, cable_us
        self.random = random.Random(seed)
        self.now, self.events, self.numbers = 0.0, [], itertools.count()
        self.busy, self.busy_since, self.idle_since = False, -1e9, -1e9
        self.on_the_wire, self.end_event, self.colliding = None, None, 0
        self.deferring = []
        self.attempts = [0] * stations
        self.sent = self.collided = self.dropped = 0
        for station in range(stations):
            self.after(0.001 * station, self.wants, station)

    def after(self, delay, action, station=None):
        event = [self.now + delay, next(self.numbers), action, station]
        heapq.heappush(self.events, event)
        return event

    def propagation(self):
        return self.cable_us * (1 - math.sqrt(self.random.random()))

    def run(self, until_us):
        while self.events and self.events[0][0] <= until_us:
            self.now, _, action, station = heapq.heappop(self.events)
            if action is not None:
                action(station)

    def wants(self, station):
        delay = self.propagation()
        if self.busy and self.now > self.busy_since + delay + GAP_US:
            self.deferring.append(station)
        else:
            self.after(max(self.idle_since + delay + GAP_US - self.now, 0), self.starts, station)

    def starts(self, station):
        if not self.busy:
            self.busy, self.busy_since, self.colliding = True, self.now, 0
            self.on_the_wire = station
            self.end_event = self.after(self.frame_us, self.succeeds, station)
            return
        delay = self.propagation()
        self.colliding += 1
        if self.colliding == 1:
            self.end_event[2] = None
            self.after(JAM_US + delay, self.backs_off, self.on_the_wire)
            self.after(max(JAM_US + delay, self.busy_since + self.cable_us - self.now), self.falls_idle)
        self.after(JAM_US + max(self.busy_since + delay - self.now, 0), self.backs_off, station)

    def succeeds(self, station):
        self.sent += 1
        self.attempts[station] = 0
        self.falls_idle()
        self.after(1e-6, self.wants, station)

    def backs_off(self, station):
        self.collided += 1
        self.attempts[station] += 1
        if self.attempts[station] == ATTEMPTS:
            self.dropped += 1
            self.attempts[station] = 0
            self.after(1e-6, self.wants, station)
            return
        slots = self.random.randrange(2 ** min(self.attempts[station], 10))
        if slots == 0:
            self.deferring.append(station)
        else:
            self.after(SLOT_US * slots, self.wants, station)

    def falls_idle(self, _=None):
        self.busy, self.idle_since = False, self.now
        for station in self.deferring:
            self.after(self.propagation() + GAP_US, self.starts, station)
        self.deferring = []


def saturated(stations, frame_bytes, seconds, cable_us=1.0, seeds=3):
    """Utilisation and collisions per packet, means over the seeds. frame_bytes without the preamble's 8."""
    frame_us = (frame_bytes + 8) * 0.8
    utilisation = collisions = 0.0
    for seed in range(1, seeds + 1):
        channel = Channel(stations, frame_us, cable_us, seed)
        channel.run(2e6)
        sent, collided = channel.sent, channel.collided
        channel.run(2e6 + seconds * 1e6)
        utilisation += (channel.sent - sent) * frame_us / (seconds * 1e6) / seeds
        collisions += (channel.collided - collided) / (channel.sent - sent) / seeds
    return utilisation, collisions
