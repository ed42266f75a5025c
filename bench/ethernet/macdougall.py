"""The Ethernet model of M. H. MacDougall, "Simulating Computer Systems: Techniques and Tools" (MIT Press, 1987),
chapter 5, written anew from its rules, with sources that always have a frame: a reference that shares nothing
with the bus it is compared to, neither its code nor its way of computing.

Its channel is busy or idle as a whole (the bus of src/ether carries every signal to every station); a station
learns of a change after a delay. Who finds the channel idle (an interframe gap after it was heard to fall idle)
starts; who starts on a busy channel collides with the frame on it.

BOOK is the model as the book has it. STANDARD is the same channel with the rules of IEEE 802.3 (4.2.3, 4.2.8) where
the book has others; each can be changed by itself, so that its part in a difference can be said.
"""
import dataclasses
import heapq
import math
import random

GAP_NS, SLOT_NS, JAM_NS, PREAMBLE_NS = 9600, 51200, 3200, 6400


@dataclasses.dataclass(frozen=True)
class Rules:
    # A station that begins up to a gap after it heard another begin: the book has it collide, the standard defer.
    deaf_for_a_gap: bool = True
    # Who collides jams at once; the standard finishes the preamble before.
    cuts_the_preamble: bool = True
    # The channel falls idle with the jam of the first two that collide; a third whose jam ends later and that
    # draws no slot then waits for the end of the next frame.
    idle_before_last_jam: bool = True
    # The delay is drawn anew each time, of two points at random on the cable; otherwise all stations are a
    # cable's length apart, and who sends hears itself at once.
    moving_stations: bool = True
    attempts: int = 17


BOOK = Rules()
STANDARD = Rules(False, False, False, False, 16)


class Channel:
    def __init__(self, rules, stations, frame_ns, cable_ns, seed):
        self.rules, self.frame_ns, self.cable_ns = rules, frame_ns, cable_ns
        self.random = random.Random(seed)
        self.now = self.until = self.number = 0
        self.events, self.cancelled = [], set()
        self.busy, self.busy_since, self.idle_since = False, -10**9, -10**9
        self.on_the_wire, self.end_event, self.colliding = None, None, 0
        self.last_jam_ends, self.idle_event = 0, None
        self.deferring = []
        self.attempts = [0] * stations
        self.ready_since = [0] * stations
        self.sent = self.collided = self.dropped = self.delay_ns = 0
        for station in range(stations):
            self.after(station, self.wants, station)

    def after(self, delay, action, station=None):
        self.number += 1
        heapq.heappush(self.events, (self.now + delay, self.number, action, station))
        return self.number

    def propagation(self):
        return self.cable_ns * (1 - math.sqrt(self.random.random())) if self.rules.moving_stations else self.cable_ns

    def run(self, until_ns):
        self.until = until_ns
        while self.events[0][0] <= until_ns:
            self.now, number, action, station = heapq.heappop(self.events)
            if number in self.cancelled:
                self.cancelled.remove(number)
            else:
                action(station)

    def wants(self, station):
        delay = self.propagation()
        if self.busy and self.now > self.busy_since + delay + (GAP_NS if self.rules.deaf_for_a_gap else 0):
            self.deferring.append(station)
        else:
            self.after(max(self.idle_since + delay + GAP_NS - self.now, 0), self.starts, station)

    def starts(self, station):
        now = self.now
        if not self.busy:
            self.busy, self.busy_since, self.colliding = True, now, 0
            self.on_the_wire = station
            self.end_event = self.after(self.frame_ns, self.succeeds, station)
            return
        delay = self.propagation()
        preamble = 0 if self.rules.cuts_the_preamble else PREAMBLE_NS
        self.colliding += 1
        jam_ends = JAM_NS + max(self.busy_since + delay - now, preamble)
        if self.colliding == 1:
            self.cancelled.add(self.end_event)
            first_jam_ends = JAM_NS + max(delay, self.busy_since + preamble - now)
            self.after(first_jam_ends, self.backs_off, self.on_the_wire)
            if self.rules.idle_before_last_jam:
                self.after(max(first_jam_ends, self.busy_since + self.cable_ns - now), self.falls_idle)
            else:
                self.last_jam_ends = now + max(first_jam_ends, jam_ends)
                self.idle_event = self.after(self.last_jam_ends - now, self.falls_idle)
        elif not self.rules.idle_before_last_jam and now + jam_ends > self.last_jam_ends:
            self.cancelled.add(self.idle_event)
            self.last_jam_ends = now + jam_ends
            self.idle_event = self.after(jam_ends, self.falls_idle)
        self.after(jam_ends, self.backs_off, station)

    def succeeds(self, station):
        alone = not self.deferring
        self.falls_idle()
        self.counts_one(station)
        heard = self.rules.moving_stations
        start = self.now + GAP_NS + (self.propagation() if heard else 0)
        # Nobody else does anything before that frame is over: it needs no events.
        while alone and start + self.frame_ns < min(self.events[0][0] if self.events else math.inf, self.until):
            self.now = self.idle_since = start + self.frame_ns
            self.counts_one(station)
            start = self.now + GAP_NS + (self.propagation() if heard else 0)
        self.after(start - self.now, self.starts, station)

    def counts_one(self, station):
        self.sent += 1
        self.delay_ns += self.now - self.ready_since[station]
        self.next_frame(station)

    def next_frame(self, station):
        self.attempts[station] = 0
        self.ready_since[station] = self.now

    def backs_off(self, station):
        self.collided += 1
        self.attempts[station] += 1
        if self.attempts[station] == self.rules.attempts:
            self.dropped += 1
            self.next_frame(station)
            slots = 0
        else:
            slots = self.random.randrange(2 ** min(self.attempts[station], 10))
        if slots > 0:
            self.after(SLOT_NS * slots, self.wants, station)
        elif self.busy or self.rules.idle_before_last_jam:
            self.deferring.append(station)
        else:
            self.wants(station)

    def falls_idle(self, _=None):
        self.busy, self.idle_since = False, self.now
        for station in self.deferring:
            self.after(self.propagation() + GAP_NS, self.starts, station)
        self.deferring = []


def saturated(rules, stations, frame_bytes, seed, seconds, cable_ns=1000):
    """One run, after two seconds that do not count. frame_bytes without the preamble's 8."""
    frame_ns = (frame_bytes + 8) * 800
    channel = Channel(rules, stations, frame_ns, cable_ns, seed)
    channel.run(2 * 10**9)
    sent, collided, dropped, delay_ns = channel.sent, channel.collided, channel.dropped, channel.delay_ns
    channel.run(2 * 10**9 + round(seconds * 1e9))
    sent = channel.sent - sent
    return {"utilisation": sent * frame_ns / (seconds * 1e9),
            "collisions_per_packet": (channel.collided - collided) / sent,
            "drops_per_packet": (channel.dropped - dropped) / sent,
            "delay_s": (channel.delay_ns - delay_ns) / sent * 1e-9}
