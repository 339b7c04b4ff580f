"""A toy: two warps and a copy engine around a ring of slots in shared memory, simulated step by step.

    python3 ring_simulator.py kernel.txt SEED run.jsonl

A kernel is a text of two columns, the statements of a producer and of a consumer, each run once a tile. Whatever can go on may be
next, as the seed has it. What the consumer has stored is printed, or who is stuck; the run is written as a trace.
"""

import random
import sys

from tcspec.traces import Trace

SLOTS, TILES, ELEMENTS = 2, 5, 128
TILE = 2 * ELEMENTS


class Barrier:
    """A phase ends when all arrivals and all bytes are there."""

    def __init__(self, arrivals, traced):
        self.arrivals = self.pending = arrivals
        self.bytes = self.phase = 0
        self.traced = traced

    def update(self, arrivals, size):
        self.pending -= arrivals
        self.bytes += size
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.arrivals

    def passed(self, parity):
        return self.phase % 2 != parity


class Ring:
    def __init__(self, kernel, name):
        self.kernel = kernel
        self.input = [10 * (tile + 1) for tile in range(TILES)]
        self.slots = [None] * SLOTS
        self.output = [None] * TILES
        self.copies = []

        self.trace = trace = Trace(name, computes={'_tag': 'copy', 'from': 'x', 'out': 'out'})
        self.x = trace.tensor('x', [TILES, ELEMENTS], 'f16')
        self.out = trace.tensor('out', [TILES, ELEMENTS], 'f16', output=True)
        self.smem = trace.shared(SLOTS * TILE + 16 * SLOTS)
        at = SLOTS * TILE
        self.full = [Barrier(1, trace.barrier('full[%d]' % k, self.smem, at + 8 * k)) for k in range(SLOTS)]
        at += 8 * SLOTS
        self.empty = [Barrier(1, trace.barrier('empty[%d]' % k, self.smem, at + 8 * k)) for k in range(SLOTS)]
        self.agents = {who: trace.agent(who) for who in ('producer', 'consumer')}

    def slot(self, k):
        return self.smem[k * TILE:(k + 1) * TILE].of('f16')

    def start(self):
        """The producer makes the barriers, and both warps meet."""
        first = self.agents['producer'].at('init')
        for barrier in self.full + self.empty:
            first.init(barrier.traced, barrier.arrivals)
        first.fence('mbarrierInit', 'cluster')
        for agent in self.agents.values():
            agent.at('start').meet_arrive(0, 64)
        for agent in self.agents.values():
            agent.meet_leave(0, 64)

    def warp(self, who):
        """One warp, statement by statement: yields what it waits for, or None."""
        agent, value = self.agents[who], None
        for tile in range(TILES):
            slot, lap = tile % SLOTS, tile // SLOTS
            for line, statement in self.kernel[who]:
                agent.at('line %d: %s' % (line, statement), tile)
                if statement == 'wait empty':
                    if lap > 0:
                        yield self.empty[slot], (lap - 1) % 2
                elif statement == 'wait full':
                    yield self.full[slot], lap % 2
                elif statement == 'expect':
                    agent.expect_arrive(self.full[slot].traced, TILE)
                    self.full[slot].update(1, TILE)
                elif statement == 'arrive':
                    agent.arrive(self.full[slot].traced)
                    self.full[slot].update(1, 0)
                elif statement == 'copy':
                    self.copies.append((agent.load(TILE), slot, tile))
                elif statement == 'read':
                    value = agent.read(self.slot(slot)), self.slots[slot]
                elif statement == 'store':
                    agent.write(self.out[tile * TILE:(tile + 1) * TILE], origin=value[0])
                    self.output[tile] = value[1]
                elif statement == 'release':
                    agent.arrive(self.empty[slot].traced)
                    self.empty[slot].update(1, 0)
                else:
                    raise SystemExit('line %d: %r is no statement' % (line, statement))
                yield None

    def land(self, load, slot, tile):
        """The copy engine: the bytes are there, then the barrier knows."""
        self.slots[slot] = self.input[tile]
        load.perform('write', reads=[self.x[tile * TILE:(tile + 1) * TILE]], writes=[self.slot(slot)])
        load.signal(self.full[slot].traced, TILE)
        self.full[slot].update(0, -TILE)

    def run(self, seed):
        self.start()
        choose = random.Random(seed).choice
        warps = {who: self.warp(who) for who in self.agents}
        waits = {who: None for who in warps}
        while True:
            able = [who for who in warps if waits[who] is None or waits[who][0].passed(waits[who][1])]
            if self.copies:
                able.append('copy engine')
            if not able:
                break
            who = choose(able)
            if who == 'copy engine':
                self.land(*self.copies.pop(0))
                continue
            if waits[who] is not None:
                barrier, parity = waits[who]
                self.agents[who].wait(barrier.traced, parity)
            try:
                waits[who] = next(warps[who])
            except StopIteration:
                del warps[who]
                self.agents[who].exit()
        for who in warps:
            barrier, parity = waits[who]
            self.agents[who].wait(barrier.traced, parity, outcome='blocked')
        return 'stuck: ' + ', '.join(warps) if warps else 'stored: %s' % self.output


if __name__ == '__main__':
    columns = {'producer': [], 'consumer': []}
    with open(sys.argv[1]) as text:
        for number, row in enumerate(text, 1):
            for who, statement in zip(columns, (row[:16].strip(), row[16:].strip())):
                if statement:
                    columns[who].append((number, statement))
    ring = Ring(columns, 'ring')
    print(ring.run(int(sys.argv[2])))
    ring.trace.write(sys.argv[3])
