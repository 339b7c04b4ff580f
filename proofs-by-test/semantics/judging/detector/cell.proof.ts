/**
 * The race check on one atom of memory: accesses one after the other, and after each what is told, by hand.
 *
 * An access has a name, and knowledge is written as program counters of agents: `sees` in order and visibly, `hears` in order alone. What is told is
 * written `what: earlier / later`. The last tables look at what is kept, since forgetting too much or too little is told much later.
 */
import { describe, expect, test } from 'vitest'
import type { AccessRecord } from '../../../../src/semantics/judging/detector/access-record.js'
import { doneBy } from '../../../../src/semantics/judging/detector/access-record.js'
import type { Cell, Conflicts } from '../../../../src/semantics/judging/detector/cell.js'
import {
  cell,
  duplicate,
  judge,
  judgeDealloc,
  settle,
} from '../../../../src/semantics/judging/detector/cell.js'
import type { Options } from '../../../../src/semantics/judging/detector/index.js'
import { defaults, standard } from '../../../../src/semantics/judging/detector/index.js'
import type { Knowledge } from '../../../../src/semantics/judging/detector/knowledge.js'
import { clockOf, copy, nothing, programOf } from '../../../../src/semantics/judging/detector/knowledge.js'
import { inOrder } from '../../../../src/semantics/judging/detector/queue.js'
import type { ReadFence } from '../../../../src/semantics/judging/detector/read-fence.js'
import { footprint, record } from './records.js'
import { put, valueAt } from '../../../../src/semantics/judging/detector/sparse.js'
import './rows.js'

const extent = { agents: 36, barriers: 1 }
const blank = nothing()

// ---------------------------------------------------------------- accesses by name

/** `ra@2`: the read named `ra`, by agent 0, its event 2. The letter after r or w is the agent. */
const access = (name: string, over: Partial<AccessRecord> = {}): AccessRecord => {
  const [what, at] = name.split('@')
  const agent = 'abcd'.indexOf(what!.charAt(1))
  const stamp = { agent, at: Number(at), site: names.push(name) - 1, iteration: [] }
  return record({
    rw: what!.startsWith('r') ? 'r' : 'w',
    stamp,
    completion: doneBy(programOf(agent), stamp.at),
    when: Number(at),
    ...over,
    footprint: footprint((over.footprint ?? footprint('f16')).dtype, stamp.site),
  })
}
const names: Array<string> = []
const nameOf = (r: AccessRecord): string => names[r.footprint.id]!

/** The same of an operation: done by a clock of its own. */
const operation = (name: string, number: number, over: Partial<AccessRecord> = {}): AccessRecord => {
  const made = access(name, over)
  return {
    ...made,
    unit: over.unit ?? 'wgmma',
    proxy: over.proxy ?? 'async',
    operation: over.operation ?? number,
    completion: over.completion ?? doneBy(clockOf('wgmma', made.stamp.agent), number),
  }
}
const atomic = (name: string, over: Partial<AccessRecord> = {}): AccessRecord =>
  access(name, { reach: 3, combine: 'add', footprint: footprint('i32'), ...over })

type Counters = Partial<Record<'a' | 'b' | 'c' | 'd', number>>
const hears = (counters: Counters): Knowledge => {
  const k = copy(blank)
  for (const [agent, at] of Object.entries(counters)) put(k.order, programOf('abcd'.indexOf(agent)), at)
  return k
}
const sees = (counters: Counters): Knowledge => {
  const k = hears(counters)
  for (const vector of [k.visible.counters, k.async.counters, k.tensor])
    for (let clock = 0; clock < 48; clock++) put(vector, clock, valueAt(k.order, clock))
  return k
}

// ---------------------------------------------------------------- the run

interface Step {
  readonly r: AccessRecord
  readonly k?: Knowledge
  readonly cluster?: number
}
interface Setting {
  readonly written?: boolean
  readonly global?: boolean
  readonly initialised?: boolean
  readonly options?: Partial<Options>
  /** what is asked of a generic read before an asynchronous write */
  readonly fence?: ReadFence
}
const listener = (heard: Array<string>, asked: ReadFence = 'not asked'): Conflicts => {
  const two =
    (what: string) =>
    (a: AccessRecord, b: AccessRecord): void => {
      heard.push(`${what}: ${nameOf(a)} / ${nameOf(b)}`)
    }
  return {
    race: two('race'),
    twice: two('twice'),
    invisible: two('invisible'),
    readFence: () => asked,
    unfencedRead: two('unfenced'),
    restsOn: (what, a, b) => heard.push(`${what}: ${nameOf(a)} / ${nameOf(b)}`),
    anyOrder: two('order'),
    decided: two('decided'),
    foreign: two('foreign'),
    shown: () => false,
    mapped: () => false,
    early: (r) => heard.push(`early: ${nameOf(r)}`),
    nothingThere: (r) => heard.push(`nothing: ${nameOf(r)}`),
  }
}
const play = (
  steps: ReadonlyArray<Step>,
  o: Setting = {},
): { readonly heard: ReadonlyArray<string>; readonly cell: Cell } => {
  const c = cell(0, o.written ?? true)
  const heard: Array<string> = []
  const options = { ...defaults, ...o.options }
  const out = listener(heard, o.fence ?? (options.strictProxies ? 'demanded' : 'not asked'))
  for (const { r, k, cluster } of steps)
    judge(c, r, k ?? blank, cluster ?? 0, o.global ?? false, o.initialised ?? true, options, out)
  return { heard, cell: c }
}
type Row = readonly [
  what: string,
  steps: ReadonlyArray<Step>,
  heard: ReadonlyArray<string>,
  setting?: Setting,
]
const rows = (all: ReadonlyArray<Row>): void => {
  for (const [what, steps, heard, setting] of all)
    test(what, () => {
      expect(play(steps, setting).heard).toEqual(heard)
    })
}
const [wa, wb, wc] = [access('wa@1'), access('wb@1'), access('wc@1')]
const [ra, rb, rc] = [access('ra@1'), access('rb@1'), access('rc@1')]

// ---------------------------------------------------------------- plain accesses

describe('a write and what follows it', () => {
  rows([
    ['a read that knows and sees it', [{ r: wa }, { r: rb, k: sees({ a: 1 }) }], []],
    ['a read that does not know it', [{ r: wa }, { r: rb, k: sees({ a: 0 }) }], ['race: wa@1 / rb@1']],
    ['a read that knows it alone', [{ r: wa }, { r: rb, k: hears({ a: 1 }) }], ['invisible: wa@1 / rb@1']],
    ['a write that does not know it', [{ r: wa }, { r: wb }], ['race: wa@1 / wb@1']],
    ['a write that knows it alone', [{ r: wa }, { r: wb, k: hears({ a: 1 }) }], ['invisible: wa@1 / wb@1']],
    [
      'the last write alone is asked about',
      [{ r: wa }, { r: wb, k: sees({ a: 1 }) }, { r: rc, k: sees({ b: 1 }) }],
      [],
    ],
    [
      'of one operation',
      [{ r: operation('wa@1', 7) }, { r: operation('wa@1', 7) }, { r: operation('ra@1', 7) }],
      [],
    ],
    [
      'of one operation, the first of the log',
      [{ r: operation('wa@1', 7, { operation: 0 }) }, { r: operation('wa@1', 7, { operation: 0 }) }],
      [],
    ],
    [
      'of another operation',
      [{ r: operation('wa@1', 7) }, { r: operation('ra@2', 8) }],
      ['race: wa@1 / ra@2'],
    ],
    ['of an agent and of its operation', [{ r: wa }, { r: operation('ra@2', 0) }], ['race: wa@1 / ra@2']],
  ])
  // what is stored: of no bytes at all it is the same
  const same = { stored: { terms: new Float64Array(0), index: new Uint8Array(0) } }
  const [first, again] = [access('wa@1', same), access('wc@1', same)]
  rows([
    [
      'a write of the same leaves those who read before it, and do not come before it, to be asked about',
      [
        { r: first },
        { r: rb, k: sees({ a: 1 }) },
        { r: again, k: sees({ a: 1 }) },
        { r: access('wc@2'), k: sees({ a: 1, c: 1 }) },
      ],
      ['twice: rb@1 / wc@1', 'race: rb@1 / wc@2'],
    ],
    [
      'and not those who come before it',
      [
        { r: first },
        { r: rb, k: sees({ a: 1 }) },
        { r: again, k: sees({ a: 1, b: 1 }) },
        { r: access('wc@2'), k: sees({ a: 1, c: 1 }) },
      ],
      [],
    ],
    [
      'a write of something else leaves none',
      [
        { r: first },
        { r: rb, k: sees({ a: 1 }) },
        { r: wc, k: sees({ a: 1 }) },
        { r: access('wc@2'), k: sees({ a: 1, c: 1 }) },
      ],
      ['race: rb@1 / wc@1'],
    ],
  ])
  const queued = (name: string, unit: number, position: number): AccessRecord =>
    operation(name, position, { queue: inOrder(unit, position, 'mma', false) })
  rows([
    ['of one queue', [{ r: queued('wa@1', 1, 1) }, { r: queued('wa@2', 1, 2) }], []],
    // what the unit does first may stand second in the log
    ['of one queue, the later first', [{ r: queued('wa@2', 1, 2) }, { r: queued('ra@1', 1, 1) }], []],
    ['of two queues', [{ r: queued('wa@1', 1, 1) }, { r: queued('wa@2', 3, 2) }], ['race: wa@1 / wa@2']],
    [
      'one of a queue, one of none',
      [{ r: queued('wa@1', 1, 1) }, { r: operation('wa@2', 2) }, { r: queued('wa@3', 1, 3) }],
      ['race: wa@1 / wa@2', 'race: wa@2 / wa@3'],
    ],
  ])
})

describe('reads and the write after them', () => {
  rows([
    ['known', [{ r: ra }, { r: wb, k: sees({ a: 1 }) }], []],
    ['known, whether seen or not', [{ r: ra }, { r: wb, k: hears({ a: 1 }) }], []],
    ['not known', [{ r: ra }, { r: wb }], ['race: ra@1 / wb@1']],
    ['each of them', [{ r: ra }, { r: rc }, { r: wb }], ['race: ra@1 / wb@1', 'race: rc@1 / wb@1']],
    ['reads do not conflict', [{ r: ra }, { r: rb }, { r: rc }], []],
    [
      'they are over with the write',
      [{ r: ra }, { r: wb, k: sees({ a: 1 }) }, { r: wc, k: sees({ b: 1 }) }],
      [],
    ],
    ['of one operation', [{ r: operation('ra@1', 7) }, { r: operation('wa@1', 7) }], []],
  ])
})

describe('strict proxies: a generic read under an asynchronous write asks for a fence', () => {
  const strict: Setting = { options: { strictProxies: true } }
  const refill = operation('wb@1', 3)
  const told = ['unfenced: ra@1 / wb@1']
  const fenced = (clock: 'program' | 'fencedGlobal', at: number): Knowledge => {
    const k = hears({ a: 1 })
    put(k.async.counters, clockOf(clock, 0), at)
    return k
  }
  rows([
    ['no fence', [{ r: ra }, { r: refill, k: hears({ a: 1 }) }], told, strict],
    ['not asked for', [{ r: ra }, { r: refill, k: hears({ a: 1 }) }], []],
    [
      'noted',
      [{ r: ra }, { r: refill, k: hears({ a: 1 }) }],
      ['unfencedRead: ra@1 / wb@1'],
      { fence: 'noted' },
    ],
    ['noted where it is', [{ r: ra }, { r: refill, k: fenced('program', 1) }], [], { fence: 'noted' }],
    [
      'an atomic read',
      [{ r: access('ra@1', { reach: 3 }) }, { r: refill, k: hears({ a: 1 }) }],
      told,
      strict,
    ],
    ['the fence covers it', [{ r: ra }, { r: refill, k: fenced('program', 1) }], [], strict],
    [
      'the fence came before it',
      [
        { r: access('ra@2') },
        {
          r: refill,
          k: { ...fenced('program', 1), order: hears({ a: 2 }).order, firm: hears({ a: 2 }).order },
        },
      ],
      ['unfenced: ra@2 / wb@1'],
      strict,
    ],
    [
      'global memory has a fence of its own',
      [{ r: access('ra@1', { fence: 'global' }) }, { r: refill, k: fenced('program', 1) }],
      told,
      strict,
    ],
    [
      'global memory, fenced',
      [{ r: access('ra@1', { fence: 'global' }) }, { r: refill, k: fenced('fencedGlobal', 1) }],
      [],
      strict,
    ],
    [
      'registers are no memory',
      [{ r: access('ra@1', { fence: 'registers' }) }, { r: refill, k: hears({ a: 1 }) }],
      [],
      strict,
    ],
    ['a generic write', [{ r: ra }, { r: wb, k: hears({ a: 1 }) }], [], strict],
    [
      'an asynchronous read',
      [{ r: access('ra@1', { proxy: 'async' }) }, { r: refill, k: hears({ a: 1 }) }],
      [],
      strict,
    ],
    [
      'a read by a unit',
      [{ r: access('ra@1', { unit: 'cpAsync' }) }, { r: refill, k: hears({ a: 1 }) }],
      [],
      strict,
    ],
    ['not ordered either: a race and no more', [{ r: ra }, { r: refill }], ['race: ra@1 / wb@1'], strict],
  ])
})

describe('a write over a write that is not visible: a read in between shows that the first has landed', () => {
  const k = hears({ a: 9, b: 9, c: 9 })
  const over = (
    r: AccessRecord,
    first: AccessRecord = access('wa@3'),
    second = access('wc@9'),
  ): ReadonlyArray<Step> => [{ r: first }, { r, k: sees({ a: 9 }) }, { r: second, k }]
  const told = ['invisible: wa@3 / wc@9']
  const fill = operation('wa@3', 1, { completion: doneBy(programOf(0), 3) })
  rows([
    ['a read after it', over(access('rb@5')), []],
    ['a read at its very place in the log', over(access('rb@5', { when: 3 })), told],
    ['a read of another proxy, of a generic write', over(access('rb@5', { proxy: 'async' })), told],
    [
      'a read of the proxy of the second',
      over(access('rb@5', { proxy: 'async' }), undefined, access('wc@9', { proxy: 'async' })),
      [],
    ],
    [
      'a read of another proxy, of a copy',
      over(access('rb@5'), fill, access('wc@9', { proxy: 'async' })),
      [],
    ],
    [
      'switched off',
      over(access('rb@5')),
      told,
      { options: { rules: { ...standard, noWriteWriteException: true } } },
    ],
    [
      'a read that did not see it shows nothing',
      [{ r: access('wa@3') }, { r: access('rb@5'), k: hears({ a: 9 }) }, { r: access('wc@9'), k }],
      ['invisible: wa@3 / rb@5', ...told],
    ],
    [
      'nor does it to a read',
      [{ r: access('wa@3') }, { r: access('rb@5'), k: sees({ a: 9 }) }, { r: access('rc@9'), k }],
      ['invisible: wa@3 / rc@9'],
    ],
  ])
  test('what one operation does after its own write is sound', () => {
    const own = play([{ r: operation('wa@1', 7) }, { r: operation('ra@1', 7) }]).cell
    expect(own.reads.map((r) => r.sound)).toEqual([true])
  })
  test('a write that was not shown to follow is not sound, and a read of it shows nothing', () => {
    expect(play([{ r: wa }, { r: wb, k: hears({ a: 1 }) }]).cell.write?.sound).toBe(false)
    expect(play([{ r: wa }, { r: wb, k: sees({ a: 1 }) }]).cell.write?.sound).toBe(true)
    expect(play([{ r: wa }, { r: rb, k: hears({ a: 1 }) }]).cell.reads.map((r) => r.sound)).toEqual([false])
  })
  test('generations as a maximum', () => {
    const load = (name: string, generation: number): AccessRecord =>
      operation(name, 1, {
        completion: { clock: programOf(0), at: 1, alternative: -1, barrier: 0, generation },
      })
    const later = hears({ a: 1 })
    put(later.visible.acquired, 0, [5, 6])
    const heard = (maxGenerations: boolean): ReadonlyArray<string> =>
      play([{ r: load('wa@1', 4) }, { r: rb, k: later }], {
        options: { rules: { ...standard, maxGenerations } },
      }).heard
    expect(heard(false)).toEqual(['invisible: wa@1 / rb@1'])
    expect(heard(true)).toEqual([])
  })
})

// ---------------------------------------------------------------- nothing there

describe('reads of what nothing has written', () => {
  const cold: Setting = { written: false }
  rows([
    ['a read', [{ r: ra }], ['early: ra@1'], cold],
    ['of an initialised plane', [{ r: ra }], []],
    ['after a write', [{ r: wa }, { r: access('ra@2'), k: sees({ a: 1 }) }], [], cold],
    ['a write that knows of it', [{ r: ra }, { r: wb, k: hears({ a: 1 }) }], ['early: ra@1'], cold],
    // once, although it stands among the reads too
    ['a write that does not', [{ r: ra }, { r: wb }], ['early: ra@1', 'race: ra@1 / wb@1'], cold],
    [
      'a second write that does not, the first having known of it',
      [{ r: ra }, { r: wb, k: hears({ a: 1 }) }, { r: wc, k: sees({ b: 1 }) }],
      ['early: ra@1', 'race: ra@1 / wc@1'],
      cold,
    ],
    [
      'a race is told once, and no later write is held against it',
      [{ r: ra }, { r: wb }, { r: wc, k: sees({ b: 1 }) }],
      ['early: ra@1', 'race: ra@1 / wb@1'],
      cold,
    ],
    [
      'of one operation that reads and writes',
      [{ r: operation('ra@1', 7) }, { r: operation('wa@1', 7) }],
      ['early: ra@1'],
      cold,
    ],
    [
      'an atomic read and an atomic write',
      [{ r: atomic('ra@1') }, { r: atomic('wb@1') }],
      ['early: ra@1'],
      cold,
    ],
    [
      'an atomic read and a plain write: told by the atomics alone',
      [{ r: atomic('ra@1') }, { r: wb }],
      ['early: ra@1', 'race: ra@1 / wb@1'],
      cold,
    ],
    [
      'an atomic write fills it as well',
      [{ r: atomic('wa@1') }, { r: access('ra@2'), k: sees({ a: 1 }) }],
      [],
      cold,
    ],
  ])
  test('the first of each agent and site is kept, and told at the end of its cluster', () => {
    const at = (agent: number, site: number, name: string): AccessRecord => {
      const made = access(name)
      return { ...made, stamp: { ...made.stamp, agent, site } }
    }
    const { cell: c } = play(
      [
        { r: at(0, 900, 'ra@1') },
        { r: at(0, 900, 'ra@2') },
        { r: at(0, 901, 'ra@3') },
        { r: at(1, 900, 'rb@4') },
      ],
      cold,
    )
    const heard: Array<string> = []
    settle(c, 1, listener(heard))
    expect(heard).toEqual([])
    settle(c, 0, listener(heard))
    expect(heard).toEqual(['nothing: ra@1', 'nothing: ra@3', 'nothing: rb@4'])
    settle(c, 0, listener(heard))
    expect(heard.length).toBe(3)
  })
  test('what a write explains is not told at the end, the others are', () => {
    const { cell: c } = play([{ r: ra }, { r: rc }, { r: wb, k: hears({ a: 1 }) }], cold)
    const heard: Array<string> = []
    settle(c, 0, listener(heard))
    expect(heard).toEqual(['nothing: ra@1'])
  })
  /** A read of nothing, then a write that does not know of it: what is told at the end, unless the write explains it. */
  test.each<readonly [string, AccessRecord, AccessRecord, explained: boolean]>([
    ['a race explains it', ra, wb, true],
    ['the write of its own operation does not', operation('ra@1', 7), operation('wa@1', 7), false],
    ['an atomic write that it may stand beside does not', atomic('ra@1'), atomic('wb@1'), false],
    [
      'of one cluster, each atomic for it: neither',
      atomic('ra@1', { reach: 2 }),
      atomic('wb@1', { reach: 2, cta: 1 }),
      false,
    ],
    [
      'of two clusters, each atomic for its own: a race',
      atomic('ra@1', { reach: 2 }),
      atomic('wb@1', { reach: 2, cta: 1, place: 1 }),
      true,
    ],
  ])('%s', (_, read, write, explained) => {
    const { cell: c } = play([{ r: read }, { r: write }], cold)
    const heard: Array<string> = []
    settle(c, 0, listener(heard))
    expect(heard).toEqual(explained ? [] : [`nothing: ${nameOf(read)}`])
  })
})

// ---------------------------------------------------------------- atomics

describe('atomics since the last plain write', () => {
  const near = (name: string, cta: number): AccessRecord => atomic(name, { reach: 1, cta })
  rows([
    ['two that commute', [{ r: atomic('wa@1') }, { r: atomic('wb@1') }], []],
    [
      'two that do not, in no order',
      [{ r: atomic('wa@1') }, { r: atomic('wb@1', { combine: 'max' }) }],
      ['order: wa@1 / wb@1'],
    ],
    [
      'two that do not, in order',
      [{ r: atomic('wa@1') }, { r: atomic('wb@1', { combine: 'max' }), k: hears({ a: 1 }) }],
      [],
    ],
    [
      'two that do not, of one operation',
      [{ r: atomic('wa@1', { operation: 7 }) }, { r: atomic('wa@1', { operation: 7, combine: 'max' }) }],
      [],
    ],
    [
      'an atomic read and an atomic write',
      [{ r: atomic('ra@1') }, { r: atomic('wb@1', { combine: 'max' }) }],
      [],
    ],
    [
      'an atomic write and an atomic read',
      [{ r: atomic('wa@1') }, { r: atomic('rb@1', { combine: 'max' }) }],
      [],
    ],
    ['two atomic reads', [{ r: near('ra@1', 0) }, { r: near('rb@1', 1) }], []],
    ['an atomic read and a plain read', [{ r: atomic('ra@1') }, { r: rb }], []],
    ['an atomic read and a plain write', [{ r: atomic('ra@1') }, { r: wb }], ['race: ra@1 / wb@1']],
    ['the same in order', [{ r: atomic('ra@1') }, { r: wb, k: hears({ a: 1 }) }], []],
    [
      'the same of one operation',
      [{ r: atomic('ra@1', { operation: 7 }) }, { r: access('wa@1', { operation: 7 }) }],
      [],
    ],
    ['an atomic write and a plain read', [{ r: atomic('wa@1') }, { r: rb }], ['race: wa@1 / rb@1']],
    [
      'the same in order, unseen',
      [{ r: atomic('wa@1') }, { r: rb, k: hears({ a: 1 }) }],
      ['invisible: wa@1 / rb@1'],
    ],
    [
      'of two CTAs, each for its own',
      [{ r: near('wa@1', 0) }, { r: near('wb@1', 1) }],
      ['race: wa@1 / wb@1'],
    ],
    ['of one CTA, each for it', [{ r: near('wa@1', 0) }, { r: near('wb@1', 0) }], []],
    [
      'of two clusters that run together, each for its own',
      [{ r: atomic('wa@1', { reach: 2, place: 0 }) }, { r: atomic('wb@1', { reach: 2, place: 1, cta: 1 }) }],
      ['race: wa@1 / wb@1'],
    ],
    [
      'of one cluster, each for it',
      [{ r: atomic('wa@1', { reach: 2 }) }, { r: atomic('wb@1', { reach: 2, cta: 1 }) }],
      [],
    ],
    [
      'a plain access follows the atomics and is not asked about the write before them',
      [{ r: wa }, { r: atomic('wb@1'), k: sees({ a: 1 }) }, { r: rc, k: sees({ b: 1 }) }],
      [],
    ],
    [
      'an atomic is asked about the plain write before them',
      [{ r: wa }, { r: atomic('wb@1'), k: sees({ a: 1 }) }, { r: atomic('wc@1'), k: sees({ b: 1 }) }],
      ['race: wa@1 / wc@1'],
    ],
    [
      'an atomic is asked about the plain reads, and they stay',
      [{ r: ra }, { r: atomic('wb@1') }, { r: atomic('wc@1') }],
      ['race: ra@1 / wb@1', 'race: ra@1 / wc@1'],
    ],
    [
      'a plain write ends them',
      [{ r: atomic('wa@1') }, { r: wb, k: sees({ a: 1 }) }, { r: rc, k: sees({ b: 1 }) }],
      [],
    ],
  ])
  test.each([
    ['the first', [hears({ a: 1 }), { a: 1, b: 1 }, { b: 1 }]],
    ['the second', [hears({ b: 1 }), { a: 1, b: 1 }, { a: 1 }]],
  ] as const)('of two atomics %s is not seen: the access is not sound', (_, [, order, visible]) => {
    const k: Knowledge = { ...sees(visible), order: hears(order).order }
    const { heard, cell: c } = play([{ r: atomic('wa@1') }, { r: atomic('wb@1') }, { r: rc, k }])
    expect(heard.length).toBe(1)
    expect(c.reads.map((r) => r.sound)).toEqual([false])
  })
  test('both seen: it is', () => {
    const { heard, cell: c } = play([
      { r: atomic('wa@1') },
      { r: atomic('wb@1') },
      { r: rc, k: sees({ a: 1, b: 1 }) },
    ])
    expect([heard, c.reads.map((r) => r.sound)]).toEqual([[], [true]])
  })
  test('an unsound atomic and a sound plain write before it: not sound', () => {
    const k: Knowledge = { ...sees({ a: 1 }), order: hears({ a: 1, b: 1 }).order }
    const cellOf = play([
      { r: wa },
      { r: atomic('wb@1', { proxy: 'async' }), k: sees({ a: 1 }) },
      { r: atomic('wc@1'), k },
    ])
    expect(cellOf.heard).toEqual(['invisible: wb@1 / wc@1'])
    expect(cellOf.cell.atomics.map((r) => [nameOf(r), r.sound])).toEqual([
      ['wb@1', true],
      ['wc@1', false],
    ])
  })
})

// ---------------------------------------------------------------- clusters

describe('another cluster', () => {
  const global: Setting = { global: true }
  const after = (first: ReadonlyArray<AccessRecord>, then: AccessRecord): ReadonlyArray<Step> => [
    ...first.map((r): Step => ({ r, k: sees({ a: 9, b: 9, c: 9 }) })),
    { r: then, k: sees({ a: 9, b: 9, c: 9 }), cluster: 1 },
  ]
  const add = atomic('wa@1')
  const look = atomic('ra@1')
  rows([
    ['write, read', after([wa], rb), ['foreign: wa@1 / rb@1'], global],
    ['write, write', after([wa], wb), ['foreign: wa@1 / wb@1'], global],
    ['read, write', after([ra], wb), ['foreign: ra@1 / wb@1'], global],
    ['read, read', after([ra], rb), [], global],
    [
      'write and read, write: the write says it',
      after([wa, access('ra@2')], wb),
      ['foreign: wa@1 / wb@1'],
      global,
    ],
    ['atomic write, plain read', after([add], rb), ['foreign: wa@1 / rb@1'], global],
    ['atomic read, plain read', after([look], rb), [], global],
    ['atomic read, plain write', after([look], wb), ['foreign: ra@1 / wb@1'], global],
    ['atomic write, atomic write', after([add], atomic('wb@1')), [], global],
    [
      'in no order, and they do not commute',
      after([add], atomic('wb@1', { combine: 'max' })),
      ['order: wa@1 / wb@1'],
      global,
    ],
    ['atomic write, atomic read', after([add], atomic('rb@1', { combine: 'max' })), [], global],
    ['atomic read, atomic write', after([look], atomic('wb@1', { combine: 'max' })), [], global],
    [
      'an atomic for its cluster alone',
      after([add], atomic('wb@1', { reach: 2 })),
      ['foreign: wa@1 / wb@1'],
      global,
    ],
    ['of several atomics a write', after([look, atomic('wb@2')], rb), ['foreign: wb@2 / rb@1'], global],
    ['private memory: nothing', after([wa], rb), []],
    ['private memory, reads and atomics: nothing', after([ra, add], wb), []],
    ['private memory begins unwritten', after([wa], rb), ['early: rb@1'], { initialised: false }],
    [
      'private memory that is initialised begins written',
      after([wa], rb),
      [],
      { written: false, initialised: true },
    ],
    [
      'global memory stays written',
      after([wa], rb),
      ['foreign: wa@1 / rb@1'],
      { ...global, written: false, initialised: false },
    ],
    [
      'inside the second cluster accesses are remembered',
      [{ r: wa }, { r: wb, cluster: 1 }, { r: rc, cluster: 1 }],
      ['race: wb@1 / rc@1'],
    ],
    [
      'a third cluster still finds the write of the first, the second having read',
      [{ r: wa }, { r: rb, cluster: 1 }, { r: rc, cluster: 2 }],
      ['foreign: wa@1 / rb@1', 'foreign: wa@1 / rc@1'],
      global,
    ],
    [
      'it finds the write of the second, where there is one',
      [{ r: wa }, { r: wb, cluster: 1 }, { r: rc, cluster: 2 }],
      ['foreign: wa@1 / wb@1', 'foreign: wb@1 / rc@1'],
      global,
    ],
    [
      'and the atomic write of the first, the second having read it by an atomic',
      [{ r: add }, { r: atomic('rb@1'), cluster: 1 }, { r: rc, cluster: 2 }],
      ['foreign: wa@1 / rc@1'],
      global,
    ],
    [
      'and the read and the atomic of the first, the second having neither',
      [{ r: ra }, { r: atomic('wb@1'), cluster: 1 }, { r: rc, cluster: 2 }, { r: wc, cluster: 3 }],
      ['foreign: ra@1 / wb@1', 'foreign: wb@1 / rc@1', 'foreign: wb@1 / wc@1', 'foreign: rc@1 / wc@1'],
      global,
    ],
    [
      'a read of the second cluster takes the place of the first’s',
      [{ r: ra }, { r: rb, cluster: 1 }, { r: wc, cluster: 2 }],
      ['foreign: rb@1 / wc@1'],
      global,
    ],
    [
      'the plain read of the first, the second having read atomically alone',
      [{ r: ra }, { r: atomic('rb@1'), cluster: 1 }, { r: wc, cluster: 2 }],
      ['foreign: rb@1 / wc@1', 'foreign: ra@1 / wc@1'],
      global,
    ],
  ])
  test('nothing else of the first cluster is left', () => {
    const busy = play([
      { r: access('rd@1') },
      { r: wa, k: sees({ d: 1 }) },
      { r: rb, k: sees({ a: 1 }) },
      { r: wb, k: sees({ a: 1, b: 1 }) },
      { r: atomic('wc@2'), k: sees({ b: 1 }) },
      { r: rc, k: sees({ b: 1, c: 2 }), cluster: 1 },
    ]).cell
    expect(busy).toEqual({ ...cell(1, true), reads: [rc] })
    const early = play([{ r: ra }, { r: wb, cluster: 1 }], { written: false, initialised: false })
    expect([early.heard, early.cell.early]).toEqual([['early: ra@1'], []])
  })
})

// ---------------------------------------------------------------- what is kept

describe('reads that are kept', () => {
  const base: Partial<AccessRecord> = {}
  const at = (name: string, site: number, over: Partial<AccessRecord> = base): AccessRecord => {
    const made = access(name, over)
    return { ...made, stamp: { ...made.stamp, site } }
  }
  const kept = (...reads: ReadonlyArray<AccessRecord>): ReadonlyArray<string> =>
    play(reads.map((r) => ({ r }))).cell.reads.map(nameOf)
  const place = (unit: number, position: number): AccessRecord['queue'] =>
    inOrder(unit, position, 'mma', false)
  test.each<readonly [string, AccessRecord, AccessRecord, kept: number]>([
    ['the same again, later', at('ra@1', 900), at('ra@2', 900), 1],
    ['the same again, at once', at('ra@2', 900), at('ra@2', 900), 1],
    ['the same again, earlier', at('ra@2', 900), at('ra@1', 900), 2],
    ['of another site', at('ra@1', 900), at('ra@2', 901), 2],
    ['of another agent', at('ra@1', 900), at('rb@2', 900), 2],
    ['through another proxy', at('ra@1', 900), at('ra@2', 900, { proxy: 'async' }), 2],
    ['of one queue', at('ra@1', 900, { queue: place(1, 1) }), at('ra@2', 900, { queue: place(1, 2) }), 1],
    ['of two queues', at('ra@1', 900, { queue: place(1, 1) }), at('ra@2', 900, { queue: place(3, 2) }), 2],
    [
      'of operations that have signalled nothing',
      at('ra@1', 900, { completion: doneBy(-1, 0) }),
      at('ra@2', 900, { completion: doneBy(-1, 0) }),
      2,
    ],
  ])('%s', (_, first, second, n) => {
    const names = [nameOf(first), nameOf(second)]
    expect(kept(first, second)).toEqual(n === 1 ? names.slice(1) : names)
  })
  test('one that saw the write and one that did not', () => {
    const { cell: c } = play([
      { r: wa },
      { r: at('rb@1', 900), k: sees({ a: 1 }) },
      { r: at('rb@2', 900), k: hears({ a: 1 }) },
    ])
    expect(c.reads.map((r) => r.sound)).toEqual([true, false])
  })
  test('of a dozen reads of one kind the latest is kept', () => {
    const order = [3, 5, 12, 1, 2, 4, 6, 7, 8, 9, 10]
    const eleven = order.map((n) => access(`ra@${String(n)}`))
    expect(kept(...eleven).length).toBe(11)
    expect(kept(...eleven, access('ra@11'))).toEqual(['ra@12'])
    expect(kept(...eleven, access('rb@1'))).toEqual(['ra@12', 'rb@1'])
    // of two at one place the newer
    const again = access('ra@12')
    expect(play([...eleven, again].map((r) => ({ r }))).cell.reads).toEqual([again])
  })
  test('a dozen kinds are kept, and looked through again when there are twice as many', () => {
    const kinds = (at: number): ReadonlyArray<AccessRecord> =>
      Array.from({ length: 12 }, (_, x) => {
        const made = access(`ra@${String(at)}`)
        return { ...made, completion: doneBy(programOf(x), at), stamp: { ...made.stamp, agent: x, at } }
      })
    const first = kinds(1)
    const second = kinds(2)
    const one = play(first.map((r) => ({ r }))).cell
    expect([one.reads, one.limit]).toEqual([first, 24])
    const most = play([...first, ...second.slice(0, 11)].map((r) => ({ r }))).cell
    expect(most.reads.length).toBe(23)
    const all = play([...first, ...second].map((r) => ({ r }))).cell
    expect([all.reads, all.limit]).toEqual([second, 24])
    const written = play([...first, access('wa@1')].map((r) => ({ r, k: sees({ a: 9 }) }))).cell
    expect(written.limit).toBe(12)
  })
})

describe('atomics that are kept', () => {
  test.each<readonly [string, AccessRecord, AccessRecord, kept: number]>([
    ['a write, a later one', atomic('wa@1'), atomic('wa@2'), 1],
    ['a read, a later one', atomic('ra@1'), atomic('ra@2'), 1],
    ['a read, a write', atomic('ra@1'), atomic('wa@2'), 1],
    ['a write, a read: the write says more', atomic('wa@1'), atomic('ra@2'), 2],
    ['at once', atomic('wa@1'), atomic('wa@1'), 1],
    ['an earlier one', atomic('wa@2'), atomic('wa@1'), 2],
    ['of another agent', atomic('wa@1'), atomic('wb@2'), 2],
    ['of another reach', atomic('wa@1'), atomic('wa@2', { reach: 2 }), 2],
    ['of another kind', atomic('wa@1'), atomic('wa@2', { combine: 'max' }), 2],
    ['of another element', atomic('wa@1'), atomic('wa@2', { footprint: footprint('u32') }), 2],
  ])('%s', (_, first, second, n) => {
    const k = sees({ a: 9, b: 9 })
    const names = [nameOf(first), nameOf(second)]
    expect(
      play([
        { r: first, k },
        { r: second, k },
      ]).cell.atomics.map(nameOf),
    ).toEqual(n === 1 ? names.slice(1) : names)
  })
})

describe('what a write leaves', () => {
  test('the write before it, and which agents had read that', () => {
    const reader = (agent: number): AccessRecord => {
      const made = access('ra@1')
      return { ...made, stamp: { ...made.stamp, agent }, completion: doneBy(programOf(agent), 1) }
    }
    const k = sees({ a: 9 })
    for (let x = 0; x < extent.agents; x++) put(k.order, programOf(x), 9)
    const of = (...agents: ReadonlyArray<number>): Cell =>
      play([{ r: wa }, ...agents.map((x): Step => ({ r: reader(x), k })), { r: wb, k }]).cell
    expect(of().before).toBe(wa)
    expect([of().readersBefore, of(0, 2).readersBefore, of(3).readersBefore]).toEqual([0, 0b101, 0b1000])
    // agents share bits from the thirty-second on
    expect(of(33).readersBefore).toBe(0b10)
    expect(of(0).reads).toEqual([])
  })
  test('a copy of a cell shares nothing that changes', () => {
    const c = play(
      [
        { r: ra },
        { r: atomic('wb@1'), k: hears({ a: 1 }) },
        { r: wc, k: sees({ a: 1, b: 1 }) },
        { r: atomic('ra@5') },
        { r: rb },
      ],
      { written: false },
    ).cell
    const d = duplicate(c)
    expect(d).toEqual(c)
    d.reads.push(ra)
    d.atomics.push(ra)
    d.early.push(ra)
    expect([c.reads.length, c.atomics.length, c.early.length]).toEqual([
      d.reads.length - 1,
      d.atomics.length - 1,
      d.early.length - 1,
    ])
  })
})

// ---------------------------------------------------------------- dealloc

describe('a dealloc', () => {
  const free = access('wd@5')
  const load = operation('ra@3', 1, {
    unit: 'tcgen05Ld',
    proxy: 'tensor',
    completion: doneBy(clockOf('tensorLoad', 0), 1),
  })
  const done = (k: Knowledge): Knowledge => {
    put(k.order, clockOf('tensorLoad', 0), 1)
    return k
  }
  const used = (k: Knowledge): Knowledge => {
    put(k.order, clockOf('loadedRegisters', 0), 1)
    return k
  }
  const freeing = (
    steps: ReadonlyArray<Step>,
    k: Knowledge,
    o: { readonly strict?: boolean; readonly cluster?: number } = {},
  ): ReadonlyArray<string> => {
    const heard: Array<string> = []
    judgeDealloc(
      play(steps).cell,
      free,
      k,
      o.cluster ?? 0,
      { ...defaults, strict: o.strict ?? false },
      listener(heard),
      (r, by) => heard.push(`note: ${nameOf(r)} / ${nameOf(by)}`),
    )
    return heard
  }
  test.each<readonly [string, () => ReadonlyArray<string>, ReadonlyArray<string>]>([
    ['the last write', () => freeing([{ r: wa }], blank), ['race: wa@1 / wd@5']],
    ['the last write, known', () => freeing([{ r: wa }], hears({ a: 1 })), []],
    ['reads', () => freeing([{ r: ra }, { r: rb }], hears({ a: 1 })), ['race: rb@1 / wd@5']],
    [
      'atomics',
      () => freeing([{ r: atomic('wa@1') }, { r: atomic('wb@1') }], hears({ b: 1 })),
      ['race: wa@1 / wd@5'],
    ],
    ['another cluster’s', () => freeing([{ r: wa }], blank, { cluster: 1 }), []],
    ['nothing', () => freeing([], blank), []],
    ['a load, done', () => freeing([{ r: load }], done(hears({}))), []],
    [
      'a load whose agent is known to have gone on, and no use of its registers',
      () => freeing([{ r: load }], hears({ a: 4 })),
      ['race: ra@3 / wd@5'],
    ],
    ['a load, used', () => freeing([{ r: load }], used(hears({}))), ['note: ra@3 / wd@5']],
    [
      'the same, strictly',
      () => freeing([{ r: load }], used(hears({})), { strict: true }),
      ['race: ra@3 / wd@5'],
    ],
    [
      'a product whose agent is known to have gone on',
      () => freeing([{ r: operation('wa@3', 1, { unit: 'tcgen05' }) }], hears({ a: 4 })),
      ['race: wa@3 / wd@5'],
    ],
  ])('%s', (_, heard, expected) => {
    expect(heard()).toEqual(expected)
  })
})
