/**
 * Classification against its table: rows by hand, the first that fits, on records drawn from a small domain.
 *
 * The rows speak of reads, writes and who was meant first; they never ask in which order the two stand in the log, which the records do.
 */
import { describe, expect, test } from 'vitest'
import type { AccessRecord } from '../../../../src/semantics/judging/detector/access-record.js'
import {
  atomicTogether,
  commutes,
  doneBy,
  fencedClock,
  known,
  seen,
  unsound,
} from '../../../../src/semantics/judging/detector/access-record.js'
import { cell } from '../../../../src/semantics/judging/detector/cell.js'
import type { Direction, Facts } from '../../../../src/semantics/judging/detector/classify.js'
import { direction, invisibleId, raceId } from '../../../../src/semantics/judging/detector/classify.js'
import { singleton } from '../../../../src/semantics/judging/detector/generation-set.js'
import type { Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import { clockOf, nothing } from '../../../../src/semantics/judging/detector/knowledge.js'
import type { Place } from '../../../../src/semantics/judging/detector/queue.js'
import type { HazardId } from '../../../../src/semantics/judging/finding.js'
import type { Combine, Proxy, Unit } from '../../../../src/semantics/log/events.js'
import type { Space } from '../../../../src/semantics/language/types.js'
import { footprint, record } from './records.js'
import { put } from '../../../../src/semantics/judging/detector/sparse.js'
import { fillRow } from './rows.js'
import type { Vector } from '../../../../src/semantics/judging/detector/knowledge.js'

// ---------------------------------------------------------------- records

/** Mulberry32: the same draws each time. */
const draws = (seed: number): (<A>(...xs: ReadonlyArray<A>) => A) => {
  let state = seed
  return (...xs) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return xs[((t ^ (t >>> 14)) >>> 0) % xs.length]!
  }
}

/** Every unit, and how often it is drawn: tsc asks for one that is new. */
const often: Readonly<Record<Unit | 'agent', number>> = {
  agent: 3,
  tmaLoad: 1,
  tmaStore: 1,
  stAsync: 1,
  cpAsync: 1,
  wgmma: 1,
  tcgen05: 1,
  tcgen05Ld: 1,
  tcgen05St: 1,
  clc: 1,
}
const units = (Object.keys(often) as ReadonlyArray<Unit | 'agent'>).flatMap((unit) =>
  Array.from({ length: often[unit] }, () => unit),
)
const place = (pair: boolean): Place => ({
  unit: 0,
  position: 0,
  entry: 'mma',
  lane: 0,
  afterMma: 0,
  afterCopy: 0,
  afterShift: 0,
  pair,
})
const anyRecord = (pick: ReturnType<typeof draws>): AccessRecord =>
  record({
    rw: pick<'r' | 'w'>('r', 'w'),
    proxy: pick<Proxy>('generic', 'async', 'async', 'tensor'),
    stamp: { agent: pick(0, 1, 2), at: pick(1, 2, 3), site: 0, iteration: [] },
    unit: pick(...units),
    completion: {
      clock: 0,
      at: 1,
      alternative: -1,
      barrier: pick(-1, -1, 0, 1, 2),
      generation: pick(0, 1),
    },
    queue: pick(undefined, place(true), place(false)),
    lastWait: pick(-1, 0, 1, 2),
    lastObserved: pick(-1, 0),
  })

/** Barriers 0 and 1 are one array, 2 is another; agents 0 and 2 are in one CTA, 1 in the other. */
const arrayOf = (barrier: number): string => (barrier < 2 ? 'ring' : 'other')
const ctaOf = (agent: number): number => agent % 2

// ---------------------------------------------------------------- the table of races

interface Pair {
  readonly read: AccessRecord
  readonly write: AccessRecord
  readonly both: ReadonlyArray<AccessRecord>
  readonly twoWrites: boolean
  readonly first: AccessRecord
  readonly second: AccessRecord
  readonly d: Direction
  readonly facts: Facts
}
type Row = readonly [(p: Pair) => boolean, HazardId]

const by = (p: Pair, unit: Unit | 'agent'): boolean => p.both.some((r) => r.unit === unit)
const readFirst = (p: Pair): boolean => p.d.meant === 'readFirst'
const writeFirst = (p: Pair): boolean => p.d.meant === 'writeFirst'
const signals = (r: AccessRecord): number => r.completion.barrier
const sameAgent = (p: Pair): boolean => p.both[0]!.stamp.agent === p.both[1]!.stamp.agent
const released =
  (...reading: ReadonlyArray<Unit>): Row[0] =>
  (p) =>
    readFirst(p) && p.d.knewIssue && reading.some((u) => u === p.read.unit)

const rows: Readonly<Record<Space, ReadonlyArray<Row>>> = {
  gmem: [[() => true, 'D2']],
  regs: [
    [(p) => by(p, 'wgmma') && !p.twoWrites && p.read.unit === 'wgmma', 'W3'],
    [(p) => by(p, 'wgmma'), 'M1'],
    [(p) => by(p, 'tcgen05Ld'), 'M3'],
    [() => true, 'D1'],
  ],
  tmem: [
    [(p) => readFirst(p) && p.read.unit === 'tcgen05Ld', 'M3'],
    [(p) => writeFirst(p) && p.read.unit === 'tcgen05Ld' && p.write.unit === 'tcgen05St', 'M4'],
    [(p) => writeFirst(p) && p.read.unit === 'tcgen05Ld', 'M2'],
    [(p) => p.both.every((r) => r.queue?.pair === true) && !sameAgent(p), 'M7'],
    [(p) => by(p, 'tcgen05St') && sameAgent(p), 'M4'],
    [(p) => by(p, 'tcgen05St') && !readFirst(p), 'M4'],
    [() => true, 'D4'],
  ],
  smem: [
    [
      (p) =>
        p.twoWrites &&
        signals(p.first) >= 0 &&
        signals(p.first) === signals(p.second) &&
        p.first.completion.generation === p.second.completion.generation &&
        ctaOf(p.first.stamp.agent) !== ctaOf(p.second.stamp.agent),
      'K3',
    ],
    [
      ({ d: { replaced }, twoWrites, second, write }) => {
        const w = twoWrites ? second : write
        return (
          replaced !== undefined &&
          signals(w) >= 0 &&
          signals(replaced) >= 0 &&
          signals(w) !== signals(replaced) &&
          arrayOf(signals(w)) === arrayOf(signals(replaced))
        )
      },
      'W5',
    ],
    [
      ({ first, second, facts }) =>
        second.lastWait >= 0 &&
        second.lastObserved === -1 &&
        second.stamp.agent !== first.stamp.agent &&
        facts.tookPart(first.stamp.agent, second.lastWait),
      'B6',
    ],
    [(p) => p.both.every((r) => r.unit === 'agent'), 'D1'],
    [(p) => p.twoWrites, 'W1'],
    [released('tmaStore'), 'W4'],
    [released('wgmma'), 'W3'],
    [released('tcgen05', 'tcgen05Ld', 'tcgen05St', 'cpAsync'), 'W2'],
    [readFirst, 'W1'],
    [({ read, write }) => signals(write) >= 0 && read.lastWait === signals(write), 'R3'],
    [
      ({ read, write }) =>
        signals(write) >= 0 && read.lastWait >= 0 && arrayOf(read.lastWait) === arrayOf(signals(write)),
      'R2',
    ],
    [(p) => p.read.unit === 'agent' && p.write.proxy === 'async' && sameAgent(p), 'P4'],
    [() => true, 'R1'],
  ],
}

describe('races', () => {
  const spaces: ReadonlyArray<Space> = ['gmem', 'regs', 'tmem', 'smem']
  test.each(spaces)('%s: the first row that fits', (space) => {
    const pick = draws(space.length + space.charCodeAt(0))
    const given = new Set<HazardId>()
    const wrong: Array<readonly [HazardId, HazardId, AccessRecord, AccessRecord, Direction]> = []
    for (let n = 0; n < 4_000; n++) {
      const a = anyRecord(pick)
      const other = anyRecord(pick)
      const b: AccessRecord = a.rw === 'r' ? record({ ...other, rw: 'w' }) : other
      const twoWrites = b.rw === 'w' && a.rw === 'w'
      const d: Direction = {
        meant: twoWrites ? 'twoWrites' : pick<'readFirst' | 'writeFirst'>('readFirst', 'writeFirst'),
        knewIssue: pick(true, false),
        replaced: pick(undefined, anyRecord(pick)),
      }
      const tookPart = [0, 1, 2].map(() => [0, 1, 2].map(() => pick(true, false, false)))
      const facts: Facts = {
        array: arrayOf,
        cta: ctaOf,
        tookPart: (agent, barrier) => tookPart[agent]![barrier]!,
      }
      const [read, write] = a.rw === 'r' ? [a, b] : [b, a]
      const [first, second] = twoWrites ? [a, b] : d.meant === 'readFirst' ? [read, write] : [write, read]
      const p: Pair = { read, write, both: [a, b], twoWrites, first, second, d, facts }
      const expected = rows[space].find(([fits]) => fits(p))![1]
      given.add(expected)
      const found = raceId(space, a, b, d, facts)
      if (found !== expected) wrong.push([found, expected, a, b, d])
    }
    expect(wrong.slice(0, 1)).toEqual([])
    // every row was met
    expect([...given].sort()).toEqual([...new Set(rows[space].map(([, id]) => id))].sort())
  })
})

// ---------------------------------------------------------------- who was meant first

describe('direction', () => {
  const knowing = (agent: number, at: number): Knowledge => {
    const k = nothing()
    put(k.order, clockOf('program', agent), at)
    return k
  }
  const at = (rw: 'r' | 'w', agent: number, when: number, order?: Vector): AccessRecord =>
    record({
      rw,
      stamp: { agent, at: when, site: 0, iteration: [] },
      completion: doneBy(clockOf('program', agent), when),
      order,
    })
  const blank = nothing().order
  const before = at('w', 2, 1)
  const withCell = (over: object): ReturnType<typeof cell> => Object.assign(cell(0, true), over)

  test('two writes: the one in the log is replaced, and its issue may be known', () => {
    const w = at('w', 0, 5)
    for (const [seenAt, knew] of [
      [4, false],
      [5, true],
      [6, true],
    ] as const)
      expect(direction(w, at('w', 1, 3), withCell({}), knowing(0, seenAt))).toEqual({
        meant: 'twoWrites',
        knewIssue: knew,
        replaced: w,
      })
  })
  test('one agent: its program says', () => {
    const c = withCell({ write: before, before: undefined })
    for (const [read, write] of [
      [1, 2],
      [2, 1],
      [2, 2],
    ] as const) {
      const meant = read <= write ? 'readFirst' : 'writeFirst'
      expect(direction(at('r', 0, read), at('w', 0, write), c, knowing(0, 0))).toEqual({
        meant,
        knewIssue: true,
        replaced: before,
      })
      expect(direction(at('w', 0, write), at('r', 0, read), c, knowing(0, 0))).toEqual({
        meant,
        knewIssue: true,
        replaced: undefined,
      })
    }
  })
  test('two agents: whoever knew of the other’s issue was meant second', () => {
    const c = withCell({ write: before })
    // the read stands first in the log: what the writer knew is given, what the reader knew it kept
    expect(direction(at('r', 0, 4, blank), at('w', 1, 3), c, knowing(0, 4)).meant).toBe('readFirst')
    expect(direction(at('r', 0, 4, knowing(1, 3).order), at('w', 1, 3), c, knowing(0, 3))).toEqual({
      meant: 'writeFirst',
      knewIssue: true,
      replaced: before,
    })
    expect(direction(at('r', 0, 4, knowing(1, 2).order), at('w', 1, 3), c, knowing(0, 3))).toEqual({
      meant: 'readFirst',
      knewIssue: false,
      replaced: before,
    })
    // the write stands first
    expect(direction(at('w', 1, 3, knowing(0, 4).order), at('r', 0, 4), c, knowing(1, 2)).meant).toBe(
      'readFirst',
    )
    expect(direction(at('w', 1, 3, blank), at('r', 0, 4), c, knowing(1, 3)).meant).toBe('writeFirst')
    // neither kept what it knew
    expect(direction(at('r', 0, 4), at('w', 1, 3), c, knowing(0, 3)).knewIssue).toBe(false)
  })
  test('neither knew: the read stands first, and nothing had been written there', () => {
    const c = withCell({ write: undefined })
    expect(direction(at('r', 0, 4), at('w', 1, 3), c, nothing())).toEqual({
      meant: 'writeFirst',
      knewIssue: false,
      replaced: undefined,
    })
  })
  test('neither knew: the write stands first; the reader wanted the version before if it knew it and had not read it', () => {
    const [w, r] = [at('w', 1, 3), at('r', 0, 4)]
    const case_ = (c: object, k: Knowledge): string => direction(w, r, withCell(c), k).meant
    const knew = knowing(2, 1)
    expect(case_({ before, readersBefore: 0 }, knew)).toBe('readFirst')
    expect(case_({ before, readersBefore: 0b110 }, knew)).toBe('readFirst')
    expect(case_({ before, readersBefore: 0b001 }, knew)).toBe('writeFirst')
    expect(case_({ before, readersBefore: 0 }, nothing())).toBe('writeFirst')
    expect(case_({ before: undefined, readersBefore: 0 }, knew)).toBe('writeFirst')
  })
})

// ---------------------------------------------------------------- visibility

describe('an ordered write that is not visible', () => {
  const written = (over: Partial<AccessRecord>): AccessRecord =>
    record({
      rw: 'w',
      completion: doneBy(clockOf('program', 0), 3),
      stamp: { agent: 0, at: 3, site: 0, iteration: [] },
      ...over,
    })
  const visible = nothing()
  put(visible.visible.counters, clockOf('program', 0), 3)
  const blind = nothing()
  const reader = (over: Partial<AccessRecord>): AccessRecord =>
    record({ proxy: 'async', stamp: { agent: 1, at: 1, site: 0, iteration: [] }, ...over })
  const cases: ReadonlyArray<
    readonly [string, Partial<AccessRecord>, Partial<AccessRecord>, Knowledge, HazardId]
  > = [
    ['a tensor map that a copy reads', {}, { proxy: 'tensormap' }, visible, 'P5'],
    ['a tensor map beats a tensor proxy', { proxy: 'tensor' }, { proxy: 'tensormap' }, visible, 'P5'],
    [
      'a store of the same agent',
      { proxy: 'tensor', unit: 'tcgen05St' },
      { stamp: { agent: 0, at: 4, site: 0, iteration: [] } },
      visible,
      'M4',
    ],
    ['a store of another agent', { proxy: 'tensor', unit: 'tcgen05St' }, {}, visible, 'M8'],
    [
      'a product of the same agent',
      { proxy: 'tensor', unit: 'tcgen05' },
      { stamp: { agent: 0, at: 4, site: 0, iteration: [] } },
      visible,
      'M8',
    ],
    ['asynchronous, then asynchronous', { proxy: 'async' }, {}, visible, 'V1'],
    ['asynchronous, then generic', { proxy: 'async' }, { proxy: 'generic' }, visible, 'V1'],
    ['generic, then generic', {}, { proxy: 'generic' }, visible, 'V1'],
    ['generic, then asynchronous, not seen at all', {}, {}, blind, 'V1'],
    ['registers', { fence: 'registers' }, {}, blind, 'P1'],
    ['registers, fenced before', { fence: 'registers' }, { fencesBefore: 1 }, visible, 'P1'],
    ['global memory', { fence: 'global' }, {}, visible, 'P5'],
    ['global memory, not seen at all', { fence: 'global' }, {}, blind, 'V1'],
    ['no fence', {}, {}, visible, 'P1'],
    ['a fence of the issuer, who had not seen the write', {}, { fencesBefore: 1 }, visible, 'P2'],
    ['a fence of the writer before it wrote', { fencesBefore: 2 }, {}, visible, 'P2'],
  ]
  for (const [what, earlier, later, k, id] of cases)
    test(`${what}: ${id}`, () => {
      expect(invisibleId(written(earlier), reader(later), k)).toBe(id)
    })
})

// ---------------------------------------------------------------- order and visibility of one record

describe('known and seen', () => {
  test('a record that did not find what was written differs in that alone', () => {
    const r = record({
      rw: 'w',
      operation: 4,
      unit: 'wgmma',
      reach: 2,
      combine: 'max',
      cta: 1,
      place: 3,
      when: 9,
      lastWait: 2,
      lastObserved: 5,
      fencesBefore: 6,
      fence: 'global',
      queue: place(true),
      order: nothing().order,
    })
    expect(unsound(r)).toStrictEqual({ ...r, sound: false })
    // completions are filled in by signals to come, so they are shared
    expect(unsound(r).completion).toBe(r.completion)
  })
  const program = clockOf('program', 1)
  const queue = clockOf('queue', 1)
  const told = (change: (k: Knowledge) => void): Knowledge => {
    const k = nothing()
    change(k)
    return k
  }
  const own = { agent: 1, at: 3, site: 0, iteration: [] }
  test('known: its clock, or the other that does as well', () => {
    const c = doneBy(queue, 2, program)
    expect(known(told(() => undefined).order, c)).toBe(false)
    for (const clock of [queue, program])
      for (const at of [1, 2, 3]) expect(known(told((k) => put(k.order, clock, at)).order, c)).toBe(at >= 2)
    expect(known(told((k) => fillRow(k.order, 9)).order, doneBy(-1, 0))).toBe(false)
    expect(known(told((k) => put(k.order, program, 9)).order, doneBy(queue, 2))).toBe(false)
  })
  /** Every place where knowledge could stand, with the number that is asked for. */
  const everywhere = (at: number): Readonly<Record<string, Knowledge>> => ({
    visible: told((k) => put(k.visible.counters, program, at)),
    async: told((k) => put(k.async.counters, program, at)),
    'fenced for global memory': told((k) => put(k.async.counters, clockOf('fencedGlobal', 1), at)),
    'fenced for registers': told((k) => put(k.async.counters, clockOf('fencedRegisters', 1), at)),
    'maps released': told((k) => {
      k.visible.released = [[], [], [0, at]]
    }),
    tensor: told((k) => put(k.tensor, program, at)),
    order: told((k) => put(k.order, program, at)),
  })
  const write = (over: Partial<AccessRecord>): AccessRecord =>
    record({ rw: 'w', stamp: own, completion: doneBy(program, 3), ...over })
  test.each([
    ['generic', 'shared', 'generic', ['visible']],
    ['generic', 'global', 'generic', ['visible']],
    ['generic', 'shared', 'async', ['async']],
    ['generic', 'global', 'async', ['fenced for global memory']],
    ['generic', 'registers', 'async', ['fenced for registers']],
    // of what an agent wrote, acquires of the map are asked (`cell.ts`)
    ['generic', 'shared', 'tensormap', ['async']],
    ['async', 'shared', 'async', ['async']],
    ['async', 'shared', 'generic', ['visible']],
    ['tensor', 'shared', 'tensor', ['tensor']],
    ['tensor', 'shared', 'generic', ['tensor']],
  ] as const)('a %s write (fence: %s), through %s: %o', (proxy, fence, through, places) => {
    for (const at of [2, 3, 4])
      for (const [name, k] of Object.entries(everywhere(at)))
        expect([name, seen(write({ proxy, fence }), through, k, false)]).toEqual([
          name,
          at >= 3 && places.some((p) => p === name),
        ])
  })
  test('what no signal has ended is seen by nobody', () => {
    const k = told((x) => {
      for (const v of [x.order, x.visible.counters, x.async.counters, x.tensor]) fillRow(v, 9)
    })
    for (const through of ['generic', 'async', 'tensor', 'tensormap'] as const)
      expect(seen(write({ completion: doneBy(-1, 0) }), through, k, false)).toBe(false)
  })
  test('a copy by a barrier: its very generation, in the window of the proxy', () => {
    const copy = write({
      proxy: 'async',
      completion: { clock: 30, at: 1, alternative: -1, barrier: 1, generation: 4 },
    })
    const acquired = (window: 'visible' | 'async', generation: number): Knowledge =>
      told((k) => {
        put(k[window].acquired, 1, singleton(generation))
      })
    expect(seen(copy, 'generic', acquired('visible', 4), false)).toBe(true)
    expect(seen(copy, 'generic', acquired('visible', 5), false)).toBe(false)
    expect(seen(copy, 'generic', acquired('visible', 5), true)).toBe(true)
    expect(seen(copy, 'generic', acquired('visible', 3), true)).toBe(false)
    expect(seen(copy, 'generic', acquired('async', 4), false)).toBe(false)
    expect(seen(copy, 'async', acquired('async', 4), false)).toBe(true)
    expect(seen(copy, 'async', acquired('visible', 4), false)).toBe(false)
    // a tensor map that a copy brought is seen as its bytes are
    expect(seen(copy, 'tensormap', acquired('async', 4), false)).toBe(true)
  })
  test('the other clock does as well: loads into registers, the whole of a bulk group', () => {
    const loaded = write({ proxy: 'async', completion: doneBy(queue, 2, clockOf('tensorLoad', 1)) })
    expect(
      seen(
        loaded,
        'generic',
        told((k) => put(k.visible.counters, clockOf('tensorLoad', 1), 2)),
        false,
      ),
    ).toBe(true)
    expect(
      seen(
        loaded,
        'generic',
        told((k) => put(k.visible.counters, clockOf('tensorLoad', 1), 1)),
        false,
      ),
    ).toBe(false)
    const tensor = write({ proxy: 'tensor', completion: doneBy(queue, 2, clockOf('tensorLoad', 1)) })
    expect(
      seen(
        tensor,
        'tensor',
        told((k) => put(k.tensor, clockOf('tensorLoad', 1), 2)),
        false,
      ),
    ).toBe(true)
    expect(
      seen(
        tensor,
        'tensor',
        told((k) => put(k.tensor, clockOf('tensorLoad', 1), 1)),
        false,
      ),
    ).toBe(false)
  })
  test('which clock stands for the program counter of the writer', () => {
    expect(fencedClock(write({}))).toBe(program)
    expect(fencedClock(write({ fence: 'global' }))).toBe(clockOf('fencedGlobal', 1))
    expect(fencedClock(write({ fence: 'registers' }))).toBe(clockOf('fencedRegisters', 1))
    expect(fencedClock(write({ fence: 'global', completion: doneBy(clockOf('cpAsync', 1), 3) }))).toBe(
      clockOf('cpAsync', 1),
    )
  })
})

// ---------------------------------------------------------------- atomics

describe('atomics', () => {
  test('for one another: both reach the other, by one proxy, equally wide', () => {
    for (const x of [0, 1, 2, 3] as const)
      for (const y of [0, 1, 2, 3] as const)
        for (const together of [true, false])
          for (const sameCta of [true, false]) {
            const a = record({ reach: x, cta: 0 })
            const b = record({ reach: y, cta: sameCta ? 0 : 1 })
            // cta: 1, cluster: 2, gpu: 3
            const least = Math.min(x, y)
            const expected = together ? least >= 2 || (least === 1 && sameCta) : least === 3
            expect(atomicTogether(a, b, together)).toBe(expected)
            expect(atomicTogether(a, record({ ...b, proxy: 'async' }), together)).toBe(false)
            expect(atomicTogether(a, record({ ...b, footprint: footprint('i32') }), together)).toBe(false)
            expect(atomicTogether(a, record({ ...b, footprint: footprint('bf16') }), together)).toBe(expected)
          }
  })
  test('which commute', () => {
    const ops: ReadonlyArray<Combine | undefined> = [
      'add',
      'min',
      'max',
      'and',
      'or',
      'xor',
      'inc',
      'dec',
      'exchange',
      'cas',
      undefined,
    ]
    const commuting = (
      op: Combine | undefined,
      x: 'i32' | 'u32' | 'f32',
      y: 'i32' | 'u32' | 'f32',
    ): boolean => {
      if (op === 'add') return x !== 'f32' && y !== 'f32'
      if (op === 'min' || op === 'max') return x === y
      return op === 'and' || op === 'or' || op === 'xor'
    }
    for (const a of ops)
      for (const b of ops)
        for (const x of ['i32', 'u32', 'f32'] as const)
          for (const y of ['i32', 'u32', 'f32'] as const)
            expect(
              commutes(
                record({ combine: a, footprint: footprint(x) }),
                record({ combine: b, footprint: footprint(y) }),
              ),
              `${String(a)} ${x}, ${String(b)} ${y}`,
            ).toBe(a === b && commuting(a, x, y))
  })
})
