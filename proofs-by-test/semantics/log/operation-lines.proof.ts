/**
 * What each asynchronous operation says in the log, from its issue to its last signal, and each access of an agent: every field, by hand.
 *
 * CTA 1 of a pair runs the list alone, so that every index differs from that of CTA 0. A line is an event without its stamp; in its place stands
 * the number of the step that it belongs to. A place is a storage, the CTA that has it, and bytes from its start: `x@1 0..16`. Of more than two
 * intervals the first, their number and the end of the last stand there.
 */
import { describe, expect, test } from 'vitest'
import { tmemLaneBytes } from '../../../src/layouts/tensor-memory/geometry.js'
import { bits } from '../../../src/numerics/bits.js'
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { Footprint, LogEvent, Stamp } from '../../../src/semantics/log/events.js'
import type { World } from '../../../src/semantics/machine/world.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { launched, logged } from '../machine/machine-samples.js'
import {
  barrier,
  declarations,
  eights,
  fours,
  map,
  one,
  pointer,
  pointers,
  view,
  yes,
} from '../language/operands.js'
import { spansOf, startOf } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'

type Line = Readonly<Record<string, unknown>>
interface Said {
  /** what the agent does itself, and the issues */
  readonly own: ReadonlyArray<Line>
  /** of each operation what comes later, one part after another */
  readonly operations: ReadonlyArray<ReadonlyArray<Line>>
}

const whereOf = (world: World, f: Footprint): string => {
  const p = world.header.planes[f.plane]!
  // a storage of tensor memory begins in the first lane
  const first = p.space === 'tmem' ? startOf(f.spans) % tmemLaneBytes : startOf(f.spans)
  const cta = p.cta ?? 0
  const inside = [...world.storages.values()]
    .filter((s) => s.plane + cta * world.planesPerCta === f.plane && s.offset <= first)
    .sort((a, b) => b.offset - a.offset)[0]
  const [name, offset] =
    (p.space === 'smem' || p.space === 'tmem') && inside !== undefined
      ? [inside.id, inside.offset]
      : [p.name, 0]
  const ends = [...spansOf(f)].map((x) => x - offset)
  const interval = (k: number): string => `${String(ends[k])}..${String(ends[k + 1])}`
  const at = p.space === 'gmem' ? name : `${name}@${String(cta)}`
  if (ends.length > 4) return `${at} ${interval(0)} of ${String(ends.length / 2)} to ${String(ends.at(-1))}`
  return [at, ...ends.flatMap((_, k) => (k % 2 === 0 ? [interval(k)] : []))].join(' ')
}

const said = (list: ReadonlyArray<Instruction | B.Steps<void>>): Said => {
  const program = right(
    B.draft(
      { name: 'lines', arch: 'sm100a', grid: [2], cluster: [2], agents: [B.warpgroup('wg', 0)] },
      function* () {
        yield* declarations()
        yield* B.ifThen('in CTA 1', X.eq(X.place('ctaRank'), X.i32(1)), function* () {
          for (const [i, step] of list.entries())
            if ('_tag' in step) yield* B.run(`step ${String(i)}`, step)
            else yield* step
        })
      },
    ),
  )
  const l = launched(program, bits('blackwell'))
  const { result, outcome } = logged(l, Policy.eager)
  expect(outcome).toEqual({ _tag: 'completed' })
  const { header } = l.world
  const stepOf = (s: Stamp): string => {
    const label = header.sites[s.site]!.label
    // an agent counts its events from 1, and each step here is one
    expect([s.agent, s.iteration, `step ${String(s.at - 1)}`]).toEqual([1, [], label])
    return label
  }
  const line = (e: LogEvent): Line =>
    Object.fromEntries(
      Object.entries(e).map(([key, x]): [string, unknown] =>
        key === 'stamp'
          ? ['step', Number(stepOf(x as Stamp).slice(5))]
          : key === 'footprint'
            ? ['where', whereOf(l.world, x as Footprint)]
            : [key, x],
      ),
    )
  const own: Line[] = []
  const operations: Line[][] = []
  const parts: number[] = []
  const partOf = new Map<Line, number>()
  for (const e of result) {
    const operation = e._tag !== 'issue' && 'operation' in e ? e.operation : undefined
    const as = line(e)
    if (operation === undefined) {
      if ('stamp' in e && !('kind' in e && e.kind === 'init')) own.push(as)
      if (e._tag === 'issue') operations[e.operation] = []
      continue
    }
    if ('part' in e) parts[operation] = e.part
    partOf.set(as, parts[operation]!)
    operations[operation]!.push(as)
  }
  return { own, operations: operations.map((o) => o.sort((a, b) => partOf.get(a)! - partOf.get(b)!)) }
}

// ---------------------------------------------------------------- words for lines

const init = (b: never, count = 1): Instruction => ({ _tag: 'mbarrier.init', barrier: b, count })
const issue = (step: number, operation: number, unit: string, bytes: number, more: Line = {}): Line => ({
  _tag: 'issue',
  step,
  operation,
  unit,
  bytes,
  macs: 0,
  accumulates: false,
  ...more,
})
const perform = (operation: number, stage: 'all' | 'read' | 'write', part = 0): Line => ({
  _tag: 'perform',
  operation,
  stage,
  part,
})
const access = (
  step: number,
  operation: number | null,
  what: 'r' | 'w',
  proxy: string,
  role: string,
  where: string,
  more: Line = {},
): Line => ({
  _tag: 'access',
  step,
  ...(operation === null ? {} : { operation }),
  rw: what,
  proxy,
  role,
  where,
  atomic: false,
  ...more,
})
const onBarrier = (operation: number, part: number, b: number, bytes: number): Line => ({
  _tag: 'signal',
  operation,
  part,
  to: 'barrier',
  barrier: b,
  bytes,
})
const arrives = (operation: number, part: number, b: number): Line => ({
  _tag: 'signal',
  operation,
  part,
  to: 'arrive',
  barrier: b,
})
const inGroup = (operation: number, family: string, side: 'read' | 'full' = 'full'): Line => ({
  _tag: 'signal',
  operation,
  part: 0,
  to: 'group',
  family,
  side,
})
const other = { origin: { _tag: 'other' } }

// ---------------------------------------------------------------- accesses of the agent

describe('accesses of the agent', () => {
  test('a load and a store: which value is stored is said', () => {
    const copied = B.block(function* () {
      const found = yield* B.smemLoad('step 2', view('x'))
      yield* B.run('step 3', { _tag: 'smem.store', destination: view('x'), value: found })
    }) as B.Steps<void>
    expect(
      said([
        { _tag: 'gmem.loadPtr', source: pointers },
        { _tag: 'regs.write', destination: view('r4'), value: fours },
        copied,
      ]).own,
    ).toEqual([
      access(0, null, 'r', 'generic', 'source', 'n 0..16', { value: 0 }),
      access(1, null, 'w', 'generic', 'destination', 'r4@1 0..16', other),
      access(2, null, 'r', 'generic', 'source', 'x@1 0..16', { value: 1 }),
      access(3, null, 'w', 'generic', 'destination', 'x@1 0..16', { origin: { _tag: 'value', id: 1 } }),
    ])
  })
  test('an atomic reads, and right away writes', () => {
    const scoped = { atomic: true, scope: 'cluster' }
    const wide = { atomic: true, scope: 'gpu' }
    expect(
      said([
        { _tag: 'smem.atomic', op: 'max', destination: view('x'), value: fours, scope: 'cluster' },
        {
          _tag: 'gmem.atomicPtr',
          op: 'cas',
          destination: pointers,
          value: fours,
          compare: fours,
          scope: 'gpu',
        },
      ]).own,
    ).toEqual([
      access(0, null, 'r', 'generic', 'source', 'x@1 0..16', { ...scoped, value: 0 }),
      access(0, null, 'w', 'generic', 'destination', 'x@1 0..16', { ...scoped, combine: 'max', ...other }),
      access(1, null, 'r', 'generic', 'source', 'n 0..16', { ...wide, value: 1 }),
      access(1, null, 'w', 'generic', 'destination', 'n 0..16', { ...wide, combine: 'cas', ...other }),
    ])
  })
})

// ---------------------------------------------------------------- copies

describe('copies', () => {
  test('cp.async, and its arrivals: an increment stands before the issue', () => {
    expect(
      said([
        init(one),
        { _tag: 'cpAsync.copy', source: pointers, mask: yes, destination: view('x') },
        { _tag: 'mbarrier.cpAsyncArrive', barrier: one, noIncrement: false },
        { _tag: 'mbarrier.cpAsyncArrive', barrier: one, noIncrement: true },
      ]),
    ).toEqual({
      own: [
        issue(1, 0, 'cpAsync', 16),
        {
          _tag: 'barrier',
          step: 2,
          kind: 'increment',
          barrier: 5,
          count: 1,
          bytes: 0,
          release: false,
          scope: 'cta',
          tensor: false,
        },
        issue(2, 1, 'cpAsync', 0),
        issue(3, 2, 'cpAsync', 0),
      ],
      operations: [
        [
          perform(0, 'all'),
          access(1, 0, 'r', 'generic', 'source', 'n 0..16'),
          access(1, 0, 'w', 'generic', 'destination', 'x@1 0..16'),
          inGroup(0, 'cpAsync'),
        ],
        [perform(1, 'all'), arrives(1, 0, 5)],
        [perform(2, 'all'), arrives(2, 0, 5)],
      ],
    })
  })
  test('st.async', () => {
    expect(
      said([init(one), { _tag: 'stAsync.store', destination: view('x'), value: fours, barrier: one }]),
    ).toEqual({
      own: [issue(1, 0, 'stAsync', 16, { signals: 1 })],
      operations: [
        [
          perform(0, 'write'),
          access(1, 0, 'w', 'generic', 'destination', 'x@1 0..16', other),
          onBarrier(0, 0, 5, 16),
        ],
      ],
    })
  })
  test('a load into both CTAs: a part for each', () => {
    expect(
      said([
        {
          _tag: 'tma.load',
          descriptor: map('map'),
          coords: [X.i32(8), X.i32(0)],
          destination: view('box'),
          barrier: one,
          multicast: X.i32(3),
          ctaGroup: 1,
        },
      ]),
    ).toEqual({
      own: [issue(0, 0, 'tmaLoad', 1024, { signals: 2 })],
      operations: [
        [0, 1].flatMap((cta) => [
          perform(0, 'write', cta),
          access(0, 0, 'r', 'async', 'source', 't 1024..2048'),
          access(0, 0, 'w', 'async', 'destination', `box@${String(cta)} 0..1024`),
          onBarrier(0, cta, cta === 0 ? 2 : 5, 1024),
        ]),
      ],
    })
  })
  test('a gather of two messages: a part for each', () => {
    expect(
      said([
        {
          _tag: 'tma.gather',
          descriptor: map('line'),
          rows: eights,
          column: X.i32(0),
          destination: view('lines'),
          barrier: one,
          ctaGroup: 1,
        },
      ]),
    ).toEqual({
      own: [issue(0, 0, 'tmaLoad', 1024, { signals: 2 })],
      operations: [
        ['0..512', '512..1024'].flatMap((bytes, k) => [
          perform(0, 'write', k),
          access(0, 0, 'r', 'async', 'source', `t ${bytes}`),
          access(0, 0, 'w', 'async', 'destination', `lines@1 ${bytes}`),
          onBarrier(0, k, 5, 512),
        ]),
      ],
    })
  })
  test('a store, and a scatter of two messages: an operation for each', () => {
    const whole = (step: number, operation: number, from: string, to: string): ReadonlyArray<Line> => [
      perform(operation, 'read'),
      access(step, operation, 'r', 'async', 'source', from),
      inGroup(operation, 'bulk', 'read'),
      perform(operation, 'write'),
      access(step, operation, 'w', 'async', 'destination', to),
      inGroup(operation, 'bulk'),
    ]
    expect(
      said([
        { _tag: 'tma.store', descriptor: map('map'), coords: [X.i32(8), X.i32(0)], source: view('box') },
        {
          _tag: 'tma.scatter',
          descriptor: map('line'),
          rows: eights,
          column: X.i32(0),
          source: view('lines'),
        },
      ]),
    ).toEqual({
      own: [issue(0, 0, 'tmaStore', 1024), issue(1, 1, 'tmaStore', 512), issue(1, 2, 'tmaStore', 512)],
      operations: [
        whole(0, 0, 'box@1 0..1024', 't 1024..2048'),
        whole(1, 1, 'lines@1 0..512', 't 0..512'),
        whole(1, 2, 'lines@1 512..1024', 't 512..1024'),
      ],
    })
  })
  test('a reduction reads and writes at once, for everybody', () => {
    const joins = { atomic: true, scope: 'gpu', combine: 'max' }
    expect(
      said([
        {
          _tag: 'tma.reduce',
          kind: 'max',
          descriptor: map('words'),
          coords: [X.i32(0)],
          source: view('wide'),
        },
      ]),
    ).toEqual({
      own: [issue(0, 0, 'tmaStore', 64)],
      operations: [
        [
          perform(0, 'read'),
          access(0, 0, 'r', 'async', 'source', 'wide@1 0..64'),
          inGroup(0, 'bulk', 'read'),
          perform(0, 'write'),
          access(0, 0, 'r', 'async', 'destination', 'n 0..64', joins),
          access(0, 0, 'w', 'async', 'destination', 'n 0..64', joins),
          inGroup(0, 'bulk'),
        ],
      ],
    })
  })
  test('through a tensor map in memory: each copy reads the map first', () => {
    const through = B.block(function* () {
      const found = yield* B.acquireTensormap('step 1', pointer('maps'), 'u16', 2)
      yield* B.run('step 2', {
        _tag: 'tma.load',
        descriptor: found,
        coords: [X.i32(0), X.i32(0)],
        destination: view('box'),
        barrier: one,
        ctaGroup: 1,
      })
      yield* B.run('step 3', {
        _tag: 'tma.store',
        descriptor: found,
        coords: [X.i32(8), X.i32(0)],
        source: view('box'),
      })
    }) as B.Steps<void>
    const read = (step: number, operation: number): Line =>
      access(step, operation, 'r', 'tensormap', 'map', 'maps 0..128')
    expect(
      said([
        {
          _tag: 'tensormap.create',
          at: pointer('maps'),
          tensor: pointer('t'),
          dims: [X.i32(16), X.i32(64)],
          strides: [X.i64(64n), X.i64(1n)],
          box: [8, 64],
          dtype: 'u16',
          swizzle: 16,
          fill: 'zero',
        },
        through,
      ]),
    ).toEqual({
      own: [
        access(0, null, 'w', 'generic', 'map', 'maps 0..128'),
        { _tag: 'fence', step: 1, kind: 'tensormapAcquire', scope: 'global', where: 'maps 0..128' },
        issue(2, 0, 'tmaLoad', 1024, { signals: 1 }),
        issue(3, 1, 'tmaStore', 1024),
      ],
      operations: [
        [
          perform(0, 'write'),
          read(2, 0),
          access(2, 0, 'r', 'async', 'source', 't 0..1024'),
          access(2, 0, 'w', 'async', 'destination', 'box@1 0..1024'),
          onBarrier(0, 0, 5, 1024),
        ],
        [
          perform(1, 'read'),
          read(3, 1),
          access(3, 1, 'r', 'async', 'source', 'box@1 0..1024'),
          inGroup(1, 'bulk', 'read'),
          perform(1, 'write'),
          access(3, 1, 'w', 'async', 'destination', 't 1024..2048'),
          inGroup(1, 'bulk'),
        ],
      ],
    })
  })
  test('a request to cancel, answered in both CTAs or in one, and its answer', () => {
    const answered = (step: number, operation: number, part: number, cta: number): ReadonlyArray<Line> => [
      perform(operation, 'write', part),
      access(step, operation, 'w', 'async', 'response', `answer@${String(cta)} 0..16`),
      onBarrier(operation, part, cta === 0 ? 2 : 5, 16),
    ]
    expect(
      said([
        { _tag: 'clc.tryCancel', response: view('answer'), barrier: one, multicast: true },
        { _tag: 'clc.tryCancel', response: view('answer'), barrier: one, multicast: false },
        { _tag: 'clc.query', response: view('answer') },
      ]),
    ).toEqual({
      own: [
        issue(0, 0, 'clc', 16, { signals: 2 }),
        issue(1, 1, 'clc', 16, { signals: 1 }),
        access(2, null, 'r', 'generic', 'response', 'answer@1 0..16'),
      ],
      operations: [[...answered(0, 0, 0, 0), ...answered(0, 0, 1, 1)], answered(1, 1, 0, 1)],
    })
  })
})

// ---------------------------------------------------------------- products

describe('products', () => {
  test('wgmma: the old accumulator is read where it enters the sum', () => {
    const product = (scaleD: boolean): Instruction => ({
      _tag: 'wgmma.mma',
      accumulator: view('wacc'),
      a: view('wa'),
      b: view('wb'),
      scaleD: X.i1(scaleD),
      negateA: false,
      negateB: false,
    })
    const macs = 64 * 32 * 64
    const lines = (step: number, accumulates: boolean): ReadonlyArray<Line> => [
      perform(step, 'all'),
      access(step, step, 'r', 'async', 'a', 'wa@1 0..8192'),
      access(step, step, 'r', 'async', 'b', 'wb@1 0..4096'),
      ...(accumulates ? [access(step, step, 'r', 'async', 'accumulator', 'wacc@1 0..8192')] : []),
      access(step, step, 'w', 'async', 'accumulator', 'wacc@1 0..8192'),
      inGroup(step, 'wgmma'),
    ]
    expect(said([product(false), product(true)])).toEqual({
      own: [issue(0, 0, 'wgmma', 0, { macs }), issue(1, 1, 'wgmma', 0, { macs, accumulates: true })],
      operations: [lines(0, false), lines(1, true)],
    })
  })
  // 32 bytes of 128 lanes, 2048 bytes apart
  const c = 'c@1 0..32 of 128 to 260128'
  test('tcgen05.st, ld', () => {
    expect(
      said([
        { _tag: 'tcgen05.alloc', columns: 512, ctaGroup: 1 },
        { _tag: 'tcgen05.st', destination: view('c'), value: X.splat(X.i32(5), [128, 8]) },
        { _tag: 'tcgen05.waitSt' },
        { _tag: 'tcgen05.ld', source: view('c'), destination: view('r') },
        { _tag: 'tcgen05.waitLd' },
        { _tag: 'tcgen05.dealloc', columns: 512, ctaGroup: 1 },
      ]),
    ).toEqual({
      own: [
        { _tag: 'alloc', step: 0, where: 'd@1 0..262144', ctaGroup: 1 },
        issue(1, 0, 'tcgen05St', 4096),
        {
          _tag: 'group',
          step: 2,
          kind: 'wait',
          family: 'tcgen05St',
          pending: 0,
          read: false,
          blocked: false,
        },
        issue(3, 1, 'tcgen05Ld', 4096),
        {
          _tag: 'group',
          step: 4,
          kind: 'wait',
          family: 'tcgen05Ld',
          pending: 0,
          read: false,
          blocked: false,
        },
        { _tag: 'dealloc', step: 5, where: 'd@1 0..262144', ctaGroup: 1 },
      ],
      operations: [
        [perform(0, 'all'), access(1, 0, 'w', 'tensor', 'destination', c, other), inGroup(0, 'tcgen05St')],
        [
          perform(1, 'all'),
          access(3, 1, 'r', 'tensor', 'source', c),
          access(3, 1, 'w', 'generic', 'destination', 'r@1 0..4096'),
          inGroup(1, 'tcgen05Ld'),
        ],
      ],
    })
  })
  const entry = { signals: 0, pipe: 0, ctaGroup: 1 }
  test('tcgen05.cp and shift: what is copied is read through the proxy of where it lies', () => {
    expect(
      said([
        { _tag: 'tcgen05.alloc', columns: 512, ctaGroup: 1 },
        {
          _tag: 'tcgen05.cp',
          source: view('rows of copies'),
          destination: view('c'),
          shape: '128x256b',
          ctaGroup: 1,
        },
        { _tag: 'tcgen05.shift', destination: view('c'), ctaGroup: 1 },
      ]),
    ).toEqual({
      own: [
        { _tag: 'alloc', step: 0, where: 'd@1 0..262144', ctaGroup: 1 },
        issue(1, 0, 'tcgen05', 4096, { ...entry, tensor: 'cp' }),
        issue(2, 1, 'tcgen05', 127 * 32, { ...entry, tensor: 'shift' }),
      ],
      operations: [
        [
          perform(0, 'all'),
          access(1, 0, 'r', 'async', 'source', 'rows of copies@1 0..4096'),
          access(1, 0, 'w', 'tensor', 'destination', c),
        ],
        [
          perform(1, 'all'),
          access(2, 1, 'r', 'tensor', 'source', 'c@1 0..32 of 127 to 258080'),
          access(2, 1, 'w', 'tensor', 'destination', 'c@1 2048..2080 of 127 to 260128'),
        ],
      ],
    })
  })
  test('tcgen05.mma: a commit for each completion, each an operation; and a commit of its own', () => {
    const macs = 128 * 64 * 64
    const pipe = expect.any(Number) as number
    const commit = { ...entry, tensor: 'commit' }
    // 256 bytes of 128 lanes
    const d = 'd@1 0..256 of 128 to 260352'
    expect(
      said([
        { _tag: 'tcgen05.alloc', columns: 512, ctaGroup: 1 },
        {
          _tag: 'tcgen05.mma',
          accumulator: view('d'),
          a: view('ta'),
          b: view('tb'),
          accumulate: X.i1(true),
          ctaGroup: 1,
          completions: [
            { barrier: one, when: X.i1(true) },
            { barrier: barrier(0), when: X.i1(true), multicast: X.i32(3) },
          ],
        },
        { _tag: 'tcgen05.commit', barrier: one, multicast: X.i32(3), ctaGroup: 1 },
        { _tag: 'tcgen05.commit', barrier: barrier(1), ctaGroup: 1 },
      ]),
    ).toEqual({
      own: [
        { _tag: 'alloc', step: 0, where: 'd@1 0..262144', ctaGroup: 1 },
        issue(1, 0, 'tcgen05', 0, { ...entry, pipe, tensor: 'mma', macs, accumulates: true }),
        issue(1, 1, 'tcgen05', 0, { ...commit, signals: 1 }),
        issue(1, 2, 'tcgen05', 0, { ...commit, signals: 2 }),
        issue(2, 3, 'tcgen05', 0, { ...commit, signals: 2 }),
        issue(3, 4, 'tcgen05', 0, { ...commit, signals: 1 }),
      ],
      operations: [
        [
          perform(0, 'all'),
          access(1, 0, 'r', 'async', 'a', 'ta@1 0..16384'),
          access(1, 0, 'r', 'async', 'b', 'tb@1 0..8192'),
          access(1, 0, 'r', 'tensor', 'accumulator', d),
          access(1, 0, 'w', 'tensor', 'accumulator', d),
        ],
        [perform(1, 'all'), arrives(1, 0, 5)],
        // the second completion's arrivals are numbered from 1
        [perform(2, 'all'), arrives(2, 1, 0), arrives(2, 2, 3)],
        [perform(3, 'all'), arrives(3, 0, 2), arrives(3, 1, 5)],
        [perform(4, 'all'), arrives(4, 0, 4)],
      ],
    })
  })
})
