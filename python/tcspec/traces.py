"""Traces for tensorcore-spec: your simulator writes them, and `tcspec check run.jsonl` judges them.

This file imports nothing from the package, so you can copy it next to your simulator. The format is described in
docs/Traces.md and schemas/trace.schema.json.

    from tcspec.traces import Trace

    trace = Trace('my kernel')
    x = trace.tensor('x', [2, 512], 'f16')
    smem = trace.shared(2048)
    full = trace.barrier('full', smem, 1024)
    producer = trace.agent('producer')
    consumer = trace.agent('consumer')

    producer.at('init').init(full, 1)
    producer.at('load', 0).expect_arrive(full, 1024)
    load = producer.load(1024)                          # issued; it goes on by itself
    load.perform('write', reads=[x[0:1024]], writes=[smem[0:1024]])
    load.signal(full, 1024)
    consumer.at('consume', 0).wait(full, 0)
    consumer.read(smem[0:1024])
    producer.exit()
    consumer.exit()
    trace.write('run.jsonl')

Call a method when your simulator does what the method's name says. The order of the calls is the order of the trace, which must be a possible order
of the run. Nothing is judged here. The only check is that bytes are inside their memory.
"""

from __future__ import annotations

import json
from typing import Any, Iterable, Mapping, Sequence, Union

SCHEMA = 'tcspec.trace/1'

BITS = {
    'f32': 32, 'tf32': 32, 'i32': 32, 'u32': 32, 'f16': 16, 'bf16': 16, 'i16': 16, 'u16': 16, 'i64': 64, 'u64': 64,
    'e4m3': 8, 'e5m2': 8, 'ue4m3': 8, 'e8m0': 8, 'i8': 8, 'u8': 8, 'e2m3': 6, 'e3m2': 6, 'e2m1': 4, 'i1': 1,
}


class Region:
    """Bytes of a memory: intervals in ascending order, and the type of the elements (by default, bytes)."""

    def __init__(self, memory: Memory, spans: Sequence[Sequence[int]], dtype: str | None = None) -> None:
        end = -1
        for start, size in spans:
            if size <= 0 or start <= end or start + size > memory.bytes:
                raise ValueError(
                    '%s: expected ascending, separate intervals [start, bytes] of its %d bytes, found %r'
                    % (memory.name, memory.bytes, list(spans)))
            end = start + size
        self.memory, self.spans, self.dtype = memory, [list(s) for s in spans], dtype

    def of(self, dtype: str) -> Region:
        """The same bytes as elements of a type."""
        return Region(self.memory, self.spans, dtype)

    def written(self) -> dict[str, Any]:
        footprint: dict[str, Any] = {'_tag': 'spans', 'plane': self.memory.index, 'spans': self.spans}
        if self.dtype is not None:
            footprint['dtype'] = self.dtype
        return footprint


class Memory:
    """A memory plane: `memory[a:b]` are its bytes from a up to b."""

    def __init__(self, index: int, space: str, name: str, size: int, dtype: str | None = None) -> None:
        self.index, self.space, self.name, self.bytes, self.dtype = index, space, name, size, dtype

    def __getitem__(self, part: slice) -> Region:
        start, stop, step = part.indices(self.bytes)
        if step != 1 or (part.stop is not None and part.stop != stop):
            raise ValueError('%s: expected bytes of its %d, found %r' % (self.name, self.bytes, part))
        return Region(self, [(start, stop - start)], self.dtype)

    def rows(self, start: int, size: int, count: int, pitch: int) -> Region:
        """`count` rows of `size` bytes, one every `pitch` bytes: a box of a tensor."""
        if size == pitch:
            return Region(self, [(start, size * count)], self.dtype)
        return Region(self, [(start + k * pitch, size) for k in range(count)], self.dtype)


class Barrier:
    """An mbarrier: eight bytes of shared memory."""

    def __init__(self, index: int, name: str) -> None:
        self.index, self.name = index, name


#: bytes, or bytes with their role in the operation
Touched = Union[Region, 'tuple[Region, str]']


class Operation:
    """An operation that an agent has issued, and that runs asynchronously. `perform` records the accesses when they happen; then it signals."""

    def __init__(self, trace: Trace, number: int, stamp: Mapping[str, Any], proxy: str) -> None:
        self._trace, self.number, self._stamp, self._proxy = trace, number, stamp, proxy

    def perform(self, stage: str, reads: Iterable[Touched] = (), writes: Iterable[Touched] = (), part: int = 0) -> Operation:
        """A load performs 'write', a store 'read' and later 'write', a product 'all'. A region may be a pair with its role: (region, 'a')."""
        self._trace._event('perform', operation=self.number, stage=stage, part=part)
        for rw, role, regions in (('r', 'source', reads), ('w', 'destination', writes)):
            for region in regions:
                what, means = region if isinstance(region, tuple) else (region, role)
                proxy = 'tensor' if what.memory.space == 'tmem' else self._proxy
                self._trace._event('access', stamp=self._stamp, operation=self.number, rw=rw, proxy=proxy,
                                   footprint=what.written(), role=means)
        return self

    def signal(self, barrier: Barrier, size: int, part: int = 0) -> Operation:
        """Bytes have arrived: subtracts them from the bytes that the phase of the barrier expects."""
        self._trace._event('signal', operation=self.number, part=part, to='barrier', barrier=barrier.index, bytes=size)
        return self

    def arrive(self, barrier: Barrier, part: int = 0) -> Operation:
        """Arrives once, as a commit does."""
        self._trace._event('signal', operation=self.number, part=part, to='arrive', barrier=barrier.index)
        return self

    def done(self, family: str, side: str = 'full', part: int = 0) -> Operation:
        """Records that the operation is done, for waits on its group; 'read': its sources may be overwritten."""
        self._trace._event('signal', operation=self.number, part=part, to='group', family=family, side=side)
        return self


# How a unit reaches memory that is not tensor memory; what is not here goes through the asynchronous window.
_PROXIES = {'cpAsync': 'generic', 'stAsync': 'generic', 'tcgen05Ld': 'generic', 'tcgen05St': 'generic'}


class Agent:
    """An agent executes statements: a warp, a warpgroup, or the like in your simulator. `at` sets the current statement."""

    def __init__(self, trace: Trace, index: int, name: str, warps: int) -> None:
        self._trace, self.index, self.name, self.warps = trace, index, name, warps
        self._count = 0
        self._site: int | None = None
        self._iteration: list[int] = []

    def at(self, label: str, *iteration: int, **more: Any) -> Agent:
        """Sets the statement of the events that follow, and the iterations of the loops around it; `path`: labels of the enclosing scopes."""
        self._site = self._trace._site(label, more.get('path', ()))
        self._iteration = list(iteration)
        return self

    def _stamp(self) -> dict[str, Any]:
        if self._site is None:
            self.at(self.name)
        self._count += 1
        return {'agent': self.index, 'at': self._count, 'site': self._site, 'iteration': self._iteration}

    def _event(self, tag: str, **fields: Any) -> Agent:
        self._trace._begin()
        self._trace._event(tag, stamp=self._stamp(), **fields)
        return self

    # Memory, by the agent itself.

    def read(self, region: Region, proxy: str = 'generic', role: str = 'source', **more: Any) -> int:
        """Reads bytes; returns a number for the value, which `write(..., origin=...)` accepts."""
        value = self._trace._value()
        self._event('access', rw='r', proxy=proxy, footprint=region.written(), role=role, value=value, **more)
        return value

    def write(
        self, region: Region, origin: int | float | None = None, proxy: str = 'generic', role: str = 'destination', **more: Any
    ) -> Agent:
        """Writes bytes. `origin`: the number of a value that was read, or 0.0 for zeros; if it is absent, the origin is unknown."""
        if origin is not None:
            more['origin'] = {'_tag': 'value', 'id': origin} if isinstance(origin, int) else {'_tag': 'zero'}
        return self._event('access', rw='w', proxy=proxy, footprint=region.written(), role=role, **more)

    # Barriers.

    def _barrier(
        self, kind: str, barrier: Barrier, count: int, size: int, release: bool, scope: str, tensor: bool = False
    ) -> Agent:
        return self._event('barrier', kind=kind, barrier=barrier.index, count=count, bytes=size, release=release,
                           scope=scope, tensor=tensor)

    def init(self, barrier: Barrier, count: int) -> Agent:
        """Initialises the barrier: each phase ends after `count` arrivals."""
        return self._barrier('init', barrier, count, 0, False, 'cta')

    def inval(self, barrier: Barrier) -> Agent:
        return self._barrier('inval', barrier, 0, 0, False, 'cta')

    def expect(self, barrier: Barrier, size: int) -> Agent:
        """Announces bytes, and does not arrive."""
        return self._barrier('expect', barrier, 0, size, False, 'cta')

    def arrive(
        self, barrier: Barrier, count: int = 1, release: bool = True, scope: str = 'cta', tensor: bool = False
    ) -> Agent:
        return self._barrier('arrive', barrier, count, 0, release, scope, tensor)

    def expect_arrive(self, barrier: Barrier, size: int, release: bool = True, scope: str = 'cta') -> Agent:
        """Announces bytes and arrives once."""
        return self._barrier('arrive', barrier, 1, size, release, scope)

    def wait(
        self,
        barrier: Barrier,
        parity: int,
        outcome: str = 'passed',
        acquire: bool = True,
        scope: str = 'cta',
        tensor: bool = False,
    ) -> Agent:
        """Call it when the wait is over; or, if the wait never ends, with 'blocked' at the end of the run."""
        return self._event('wait', barrier=barrier.index, parity=parity, acquire=acquire, scope=scope, tensor=tensor,
                           outcome=outcome)

    # Order.

    def fence(self, kind: str, scope: str = 'cta', region: Region | None = None) -> Agent:
        """`kind`: proxyAsync, tensormap, tensormapAcquire (for the maps in `region`, if given), mbarrierInit, wgmma, tensorBefore or tensorAfter."""
        where = {} if region is None else {'footprint': region.written()}
        return self._event('fence', kind=kind, scope=scope, **where)

    def meet_arrive(self, number: int, count: int, threads: int | None = None, **more: Any) -> Agent:
        """The first half of bar.sync. Barriers 0 to 15 belong to the CTA, and larger numbers to the cluster; `count`: threads that meet."""
        return self._event('rendezvous', kind='arrive', id=number, count=count, threads=threads or 32 * self.warps, **more)

    def meet_leave(self, number: int, count: int, threads: int | None = None, **more: Any) -> Agent:
        """The second half: called when all have arrived."""
        return self._event('rendezvous', kind='leave', id=number, count=count, threads=threads or 32 * self.warps, **more)

    def meet_blocked(self, number: int, count: int, threads: int | None = None, **more: Any) -> Agent:
        return self._event('rendezvous', kind='blocked', id=number, count=count, threads=threads or 32 * self.warps, **more)

    def commit(self, family: str) -> Agent:
        """Closes a group of bulk, wgmma or cpAsync operations."""
        return self._event('group', kind='commit', family=family, pending=0, read=False, blocked=False)

    def wait_group(self, family: str, pending: int = 0, read: bool = False, blocked: bool = False) -> Agent:
        """All but the newest `pending` groups are done; with `read`, only the reads of their sources."""
        return self._event('group', kind='wait', family=family, pending=pending, read=read, blocked=blocked)

    def semaphore(
        self,
        kind: str,
        region: Region,
        value: int,
        before: int,
        decrement: bool = False,
        scope: str = 'gpu',
        outcome: str = 'passed',
    ) -> Agent:
        """A 'signal' adds `value` to the semaphore, which held `before`; a 'wait' has found at least `value` there."""
        return self._event('semaphore', kind=kind, footprint=region.written(), value=value, decrement=decrement,
                           scope=scope, before=before, outcome=outcome)

    # What goes on by itself.

    def issue(self, unit: str, size: int = 0, macs: int = 0, accumulates: bool = False, **more: Any) -> Operation:
        """An operation of a unit: tmaLoad, tmaStore, cpAsync, wgmma, tcgen05, tcgen05Ld, tcgen05St, ..."""
        self._trace._begin()
        stamp, number = self._stamp(), self._trace._operation()
        self._trace._event('issue', stamp=stamp, operation=number, unit=unit, bytes=size, macs=macs,
                           accumulates=accumulates, **more)
        return Operation(self._trace, number, stamp, _PROXIES.get(unit, 'async'))

    def load(self, size: int, signals: int = 1) -> Operation:
        """A TMA load of this many bytes; `signals`: the barriers that it signals, one for each destination CTA."""
        return self.issue('tmaLoad', size, signals=signals)

    def store(self, size: int) -> Operation:
        """A TMA store of this many bytes."""
        return self.issue('tmaStore', size)

    # Tensor memory, branches, registers, the end.

    def alloc(self, region: Region, **more: Any) -> Agent:
        return self._event('alloc', footprint=region.written(), **more)

    def dealloc(self, region: Region, **more: Any) -> Agent:
        return self._event('dealloc', footprint=region.written(), **more)

    def relinquish(self) -> Agent:
        return self._event('relinquish')

    def registers(self, count: int, needs: int, free: int, blocked: bool = False) -> Agent:
        return self._event('registers', count=count, needs=needs, free=free, blocked=blocked)

    def fork(self, children: Iterable[Agent]) -> Agent:
        return self._event('fork', children=[c.index for c in children])

    def join(self, children: Iterable[Agent]) -> Agent:
        return self._event('join', children=[c.index for c in children])

    def exit(self) -> None:
        """It has ended. An agent that has started must call this, unless it is blocked."""
        self._trace._begin()
        self._trace._event('exit', agent=self.index)


class Trace:
    """A run: its events, and its header, which grows with every new agent, memory and statement."""

    def __init__(
        self,
        program: str,
        arch: str = 'sm90a',
        ctas: int = 1,
        computes: Any = None,
        nondeterminism: Iterable[str] = (),
        resident: int | None = None,
        clusters: int | None = None,
    ) -> None:
        self._head: dict[str, Any] = {'schema': SCHEMA, 'arch': arch, 'program': program, 'agents': [], 'ctas': ctas}
        if resident is not None:
            self._head['resident'] = resident
        if clusters is not None:
            self._head['clusters'] = clusters
        self._head.update(planes=[], computes=computes, tensors=[], barriers=[], sites=[],
                          nondeterminism=list(nondeterminism))
        self._sites: dict[tuple[str, tuple[str, ...]], int] = {}
        self._agents: list[Agent] = []
        self._lines: list[str] = []
        self._operations = self._values = 0

    # The header.

    def agent(
        self, name: str, cta: int = 0, warps: int = 1, first_warp: int | None = None, starts: bool = True
    ) -> Agent:
        agent = Agent(self, len(self._agents), name, warps)
        self._agents.append(agent)
        line: dict[str, Any] = {'name': name, 'cta': cta, 'warps': warps}
        if first_warp is not None:
            line['firstWarp'] = first_warp
        line['starts'] = starts
        self._head['agents'].append(line)
        return agent

    def memory(
        self, space: str, name: str, size: int, initialised: bool = False, dtype: str | None = None, **more: Any
    ) -> Memory:
        """A memory plane: a `cta` owns shared and tensor memory, an `agent` owns registers; `output`: every byte must be written by the end."""
        plane: dict[str, Any] = {'space': space, 'name': name}
        plane.update(more)
        plane.update(bytes=size, initialised=initialised)
        self._head['planes'].append(plane)
        return Memory(len(self._head['planes']) - 1, space, name, size, dtype)

    def shared(self, size: int, cta: int = 0) -> Memory:
        """The shared memory of a CTA."""
        return self.memory('smem', 'smem', size, cta=cta)

    def tensor_memory(self, size: int = 262144, cta: int = 0) -> Memory:
        """The tensor memory of a CTA: 128 lanes of 512 columns of four bytes."""
        return self.memory('tmem', 'tmem', size, cta=cta)

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        strides: Sequence[int] | None = None,
        output: bool = False,
        initialised: bool | None = None,
    ) -> Memory:
        """A tensor in global memory; row-major, unless its strides (in elements) are given. An input has contents from the start."""
        if strides is None:
            row_major = [1] * len(shape)
            for k in range(len(shape) - 2, -1, -1):
                row_major[k] = row_major[k + 1] * shape[k + 1]
            strides = row_major
        last = sum((extent - 1) * stride for extent, stride in zip(shape, strides))
        size = ((last + 1) * BITS[dtype] + 7) // 8
        plane = self.memory('gmem', name, size, not output if initialised is None else initialised, dtype, output=output)
        self._head['tensors'].append(
            {'name': name, 'plane': plane.index, 'dtype': dtype, 'shape': list(shape), 'strides': list(strides)})
        return plane

    def barrier(
        self,
        name: str,
        memory: Memory,
        address: int,
        cta: int = 0,
        contract: str = 'ptx',
        orders_tensor_core: bool = False,
    ) -> Barrier:
        """An mbarrier at a byte of shared memory."""
        self._head['barriers'].append({'name': name, 'cta': cta, 'contract': contract,
                                       'ordersTensorCore': orders_tensor_core, 'plane': memory.index, 'address': address})
        return Barrier(len(self._head['barriers']) - 1, name)

    # Events.

    def cluster(self, first: int = 0) -> None:
        """The next clusters begin, as many as run together. The first clusters need no call: they begin before the first event."""
        self._event('cluster', id=first)
        self._operations = 0
        for agent in self._agents:
            agent._count = 0

    def _begin(self) -> None:
        if not self._lines:
            self.cluster()

    def _event(self, tag: str, **fields: Any) -> None:
        event: dict[str, Any] = {'i': len(self._lines), '_tag': tag}
        event.update(fields)
        self._lines.append(json.dumps(event, separators=(',', ':')))

    def _site(self, label: str, path: Sequence[str]) -> int:
        key = (label, tuple(path))
        if key not in self._sites:
            self._sites[key] = len(self._sites)
            self._head['sites'].append({'label': label, 'path': list(path)})
        return self._sites[key]

    def _operation(self) -> int:
        self._operations += 1
        return self._operations - 1

    def _value(self) -> int:
        self._values += 1
        return self._values - 1

    # Out.

    def lines(self) -> list[str]:
        """The lines of the trace, the header first."""
        return [json.dumps(self._head, separators=(',', ':'))] + self._lines

    def write(self, path: str) -> None:
        with open(path, 'w', encoding='utf-8') as out:
            for line in self.lines():
                out.write(line + '\n')
