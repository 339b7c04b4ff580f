/**
 * Random programs of warps whose lanes are threads.
 *
 * As in `random.ts` there are soups, drawn blindly, and programs as they should be with up to three damages.
 *
 * | style    | who tells whom                                                                                        |
 * |----------|-------------------------------------------------------------------------------------------------------|
 * | exchange | lanes write, meet, and read what another lane of their warp has written; and again                    |
 * | elected  | lanes write and meet, one of them arrives; of the other warp all wait, or one does and they meet      |
 * | each     | every lane arrives for itself                                                                         |
 * | stored   | lanes write and fence and meet, one issues a bulk store, commits and waits, and they meet again        |
 * | loaded   | one lane expects and loads; all wait, or one does and they meet                                       |
 * | copied   | lanes copy (cp.async), commit and wait, and meet                                                      |
 * | flagged  | lanes write and meet, one tells a word; of the other warp one hears it, and they meet                 |
 * | counted  | every lane adds to a word; another lane waits for all of them                                         |
 * | turns    | one lane writes, one reads; all wait, and one of them gives back                                      |
 * | announced | one lane expects the bytes, and another arrives behind a meeting                                     |
 * | arriving | copies of all lanes arrive on a barrier when they are done                                            |
 * | barred   | lanes of both warps write and come to bar.sync                                                        |
 *
 * A damage drops a statement, narrows or widens who does it, gives it to another lane, swaps it with the next, or changes a place.
 *
 * Law 1. A program without a damage is clean in every schedule of its threads.
 */
import { dice, type Dice } from '../../../../src/semantics/schedules/naive/random.js'
import * as S from '../../../../src/semantics/schedules/naive/skeleton.js'
import type { Atom, Op } from '../../../../src/semantics/schedules/naive/skeleton.js'
import { bar, meet, statement, type Simt, type Statement } from './program.js'

const parity = (n: number): 0 | 1 => ((n & 1) === 1 ? 1 : 0)
const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, k) => k)

const x = (k: number): Atom => S.smem(0, `x${String(k)}`)
const g = (k: number): Atom => S.gmem(`g${String(k)}`)

/** Statements of one warp that wait for a barrier: all lanes, each lane for itself, or one lane and they meet. */
const waits = (
  die: Dice,
  warp: number,
  lanes: ReadonlyArray<number>,
  b: number,
  phase: number,
): ReadonlyArray<Statement> => {
  const op = (): Op => S.wait(b, parity(phase))
  const m = die.below(3)
  if (m === 0) return [statement(warp, lanes, op)]
  if (m === 1) return lanes.map((lane) => statement(warp, [lane], op))
  return [statement(warp, [die.pick(lanes)], op), meet(warp, lanes)]
}

/** All lanes do it, at once or each for itself. */
const byAll = (
  die: Dice,
  warp: number,
  lanes: ReadonlyArray<number>,
  op: (lane: number) => Op,
): ReadonlyArray<Statement> =>
  die.chance(0.7)
    ? [statement(warp, lanes, op)]
    : (die.chance(0.5) ? lanes : [...lanes].reverse()).map((lane) => statement(warp, [lane], op))

const writes = (
  die: Dice,
  warp: number,
  lanes: ReadonlyArray<number>,
  from: number,
): ReadonlyArray<Statement> => {
  const turn = die.below(lanes.length)
  return byAll(die, warp, lanes, (lane) => S.write([x(from + ((lane + turn) % lanes.length))]))
}

/** Each lane reads one place of `n`, or all lanes read all of them. */
const reads = (
  die: Dice,
  warp: number,
  lanes: ReadonlyArray<number>,
  from: number,
  n: number,
): ReadonlyArray<Statement> => {
  if (die.chance(0.2)) return [statement(warp, lanes, () => S.read(upTo(n).map((k) => x(from + k))), true)]
  const turn = die.below(n)
  return byAll(die, warp, lanes, (lane) => S.read([x(from + ((lane + turn) % n))]))
}

// ---------------------------------------------------------------- as they should be

type Way = (die: Dice) => Simt

const size = (die: Dice): number => die.pick([2, 2, 3])

const exchange: Way = (die) => {
  const n = size(die)
  const lanes = upTo(n)
  const rounds = 1 + die.below(2)
  const two = die.chance(0.3)
  const body = (warp: number): ReadonlyArray<Statement> =>
    upTo(rounds).flatMap((k) => [
      ...(k > 0 ? [meet(warp, lanes)] : []),
      ...writes(die, warp, lanes, 4 * warp),
      meet(warp, lanes),
      ...reads(die, warp, lanes, 4 * warp, n),
    ])
  return { warps: two ? [n, n] : [n], counts: [], statements: [...body(0), ...(two ? body(1) : [])] }
}

const elected: Way = (die) => {
  const [n, m] = [2, size(die)]
  const [p, c] = [upTo(n), upTo(m)]
  const rounds = 1 + die.below(2)
  const statements: Statement[] = []
  for (const k of upTo(rounds)) {
    if (k > 0) statements.push(...waits(die, 0, p, 1, k - 1))
    statements.push(
      ...writes(die, 0, p, 0),
      meet(0, p),
      statement(0, [die.pick(p)], () => S.arrive([0])),
    )
  }
  for (const k of upTo(rounds)) {
    statements.push(...waits(die, 1, c, 0, k), ...reads(die, 1, c, 0, n))
    if (k + 1 < rounds)
      statements.push(
        meet(1, c),
        statement(1, [die.pick(c)], () => S.arrive([1])),
      )
  }
  return { warps: [n, m], counts: [1, 1], statements }
}

const each: Way = (die) => {
  const [n, m] = [2, die.pick([1, 2, 2])]
  const [p, c] = [upTo(n), upTo(m)]
  const rounds = 1 + die.below(2)
  const statements: Statement[] = []
  for (const k of upTo(rounds)) {
    if (k > 0) statements.push(...waits(die, 0, p, 1, k - 1))
    statements.push(...writes(die, 0, p, 0), ...byAll(die, 0, p, () => S.arrive([0])))
  }
  for (const k of upTo(rounds)) {
    statements.push(...waits(die, 1, c, 0, k), ...reads(die, 1, c, 0, n))
    if (k + 1 < rounds) statements.push(...byAll(die, 1, c, () => S.arrive([1])))
  }
  return { warps: [n, m], counts: [n, m], statements }
}

const stored: Way = (die) => {
  const n = size(die)
  const lanes = upTo(n)
  const rounds = 1 + die.below(2)
  const leader = die.pick(lanes)
  // by the writing lanes before they meet, or by the leader behind it
  const early = die.chance(0.5)
  const fence = (): Op => S.fence('cta')
  const statements = upTo(rounds).flatMap((k): ReadonlyArray<Statement> => [
    ...writes(die, 0, lanes, 0),
    ...(early ? byAll(die, 0, lanes, fence) : []),
    meet(0, lanes),
    ...(early ? [] : [statement(0, [leader], fence)]),
    statement(0, [leader], () => S.store(lanes.map(x), [g(k)])),
    statement(0, [leader], () => S.bulkCommit),
    statement(0, [leader], () => S.bulkWait(0, k + 1 < rounds && die.chance(0.5) ? 'read' : 'full')),
    ...(k + 1 < rounds ? [meet(0, lanes)] : []),
  ])
  return { warps: [n], counts: [], statements }
}

const loaded: Way = (die) => {
  const own = die.chance(0.5)
  const [n, m] = own ? [size(die), 0] : [1 + die.below(2), size(die)]
  const [p, c] = [upTo(n), upTo(own ? n : m)]
  const reader = own ? 0 : 1
  const rounds = 1 + die.below(2)
  const statements: Statement[] = []
  const leader = die.pick(p)
  for (const k of upTo(rounds)) {
    if (k > 0)
      statements.push(...(own ? [meet(0, p)] : [statement(0, [leader], () => S.wait(1, parity(k - 1)))]))
    statements.push(
      statement(0, [leader], () => S.arriveExpect(0, 1)),
      statement(0, [leader], () => S.load([], [{ atoms: [x(0), x(1)], barrier: 0, units: 1 }])),
    )
    if (!own) continue
    statements.push(...waits(die, 0, p, 0, k), ...reads(die, 0, p, 0, 2))
  }
  if (!own)
    for (const k of upTo(rounds)) {
      statements.push(...waits(die, reader, c, 0, k), ...reads(die, reader, c, 0, 2))
      if (k + 1 < rounds)
        statements.push(
          meet(reader, c),
          statement(reader, [die.pick(c)], () => S.arrive([1])),
        )
    }
  return { warps: own ? [n] : [n, m], counts: [1, 1], statements }
}

const copied: Way = (die) => {
  const n = size(die)
  const lanes = upTo(n)
  const rounds = 1 + die.below(2)
  const split = die.chance(0.3)
  const statements = upTo(rounds).flatMap((k): ReadonlyArray<Statement> => [
    ...(k > 0 ? [meet(0, lanes)] : []),
    ...(split
      ? lanes.map((lane) => statement(0, [lane], () => S.copy([], [x(lane)])))
      : [statement(0, lanes, (lane) => S.copy([], [x(lane)]))]),
    ...byAll(die, 0, lanes, () => S.copyCommit),
    ...byAll(die, 0, lanes, () => S.copyWait(0)),
    meet(0, lanes),
    ...reads(die, 0, lanes, 0, n),
  ])
  return { warps: [n], counts: [], statements }
}

const flagged: Way = (die) => {
  const [n, m] = [2, size(die)]
  const [p, c] = [upTo(n), upTo(m)]
  const f = die.chance(0.5) ? S.gmem('f') : S.smem(0, 'f')
  const [releases, acquires] = [die.chance(0.6), die.chance(0.6)]
  const [teller, hearer] = [die.pick(p), die.pick(c)]
  const fence = (): Op => S.fenceMemory(true)
  return {
    warps: [n, m],
    counts: [],
    statements: [
      ...writes(die, 0, p, 0),
      meet(0, p),
      ...(releases ? [] : [statement(0, [teller], fence)]),
      statement(0, [teller], () => S.tell(f, 'store', 1, releases)),
      statement(1, [hearer], () => S.hear(f, die.pick(['eq', 'ge']), 1, acquires)),
      ...(acquires ? [] : [statement(1, [hearer], fence)]),
      meet(1, c),
      ...reads(die, 1, c, 0, n),
    ],
  }
}

const counted: Way = (die) => {
  const [n, m] = [2, die.pick([1, 2])]
  const [p, c] = [upTo(n), upTo(m)]
  const f = die.chance(0.5) ? S.gmem('f') : S.smem(0, 'f')
  const own = die.chance(0.3)
  const hearer = die.pick(own ? p : c)
  const telling = byAll(die, 0, p, () => S.tell(f, 'add', 1))
  const hear = statement(own ? 0 : 1, [hearer], () => S.hear(f, 'ge', n))
  return {
    warps: own ? [n] : [n, m],
    counts: [],
    statements: [
      ...writes(die, 0, p, 0),
      ...telling,
      hear,
      ...(own ? [meet(0, p), ...reads(die, 0, p, 0, n)] : [meet(1, c), ...reads(die, 1, c, 0, n)]),
    ],
  }
}

const barred: Way = (die) => {
  const [n, m] = [2, die.pick([1, 2])]
  const [p, c] = [upTo(n), upTo(m)]
  const rounds = 1 + die.below(2)
  const statements: Statement[] = []
  for (const k of upTo(rounds)) {
    if (k > 0) statements.push(bar(0, p), bar(1, c))
    statements.push(
      ...writes(die, 0, p, 0),
      ...writes(die, 1, c, n),
      bar(0, p),
      bar(1, c),
      ...reads(die, 0, p, 0, n + m),
      ...reads(die, 1, c, 0, n + m),
    )
  }
  return { warps: [n, m], counts: [], statements }
}

/** One lane of each warp writes and reads; all wait, and one of them gives back. */
const turns: Way = (die) => {
  const [n, m] = [size(die), 2]
  const [p, c] = [upTo(n), upTo(m)]
  const rounds = 2 + die.below(2)
  const [writer, reader] = [die.pick(p), die.pick(c)]
  const own = (
    warp: number,
    lanes: ReadonlyArray<number>,
    b: number,
    phase: number,
  ): ReadonlyArray<Statement> =>
    die.chance(0.7)
      ? lanes.map((lane) => statement(warp, [lane], () => S.wait(b, parity(phase))))
      : [statement(warp, lanes, () => S.wait(b, parity(phase)))]
  const statements: Statement[] = []
  for (const k of upTo(rounds)) {
    if (k > 0) statements.push(...own(0, p, 1, k - 1), ...(die.chance(0.8) ? [meet(0, p)] : []))
    statements.push(
      statement(0, [writer], () => S.write([x(0)])),
      statement(0, [writer], () => S.arrive([0])),
    )
  }
  for (const k of upTo(rounds)) {
    statements.push(
      ...own(1, c, 0, k),
      statement(1, [reader], () => S.read([x(0)])),
    )
    if (k + 1 < rounds)
      statements.push(
        ...(die.chance(0.7) ? [meet(1, c)] : []),
        statement(1, [reader], () => S.arrive([1])),
      )
  }
  return { warps: [n, m], counts: [1, 1], statements }
}

/** One lane announces the bytes, and they meet before another arrives. */
const announced: Way = (die) => {
  const n = size(die)
  const lanes = upTo(n)
  const rounds = 1 + die.below(2)
  const [leader, other] = [die.pick(lanes), die.pick(lanes)]
  return {
    warps: [n],
    counts: [1],
    statements: upTo(rounds).flatMap((k): ReadonlyArray<Statement> => [
      ...(k > 0 ? [meet(0, lanes)] : []),
      statement(0, [leader], () => S.expect(0, 1)),
      meet(0, lanes),
      statement(0, [other], () => S.arrive([0])),
      statement(0, [leader], () => S.load([], [{ atoms: [x(0)], barrier: 0, units: 1 }])),
      ...waits(die, 0, lanes, 0, k),
      ...(die.chance(0.5) ? reads(die, 0, lanes, 0, 1) : [statement(0, [other], () => S.read([x(0)]))]),
    ]),
  }
}

/** Copies of all lanes arrive on a barrier when they are done. */
const arriving: Way = (die) => {
  const own = die.chance(0.5)
  const n = 2
  const [p, c] = [upTo(n), upTo(own ? n : size(die))]
  const reader = own ? 0 : 1
  return {
    warps: own ? [n] : [n, c.length],
    counts: [n],
    statements: [
      ...byAll(die, 0, p, (lane) => S.copy([], [x(lane)])),
      ...byAll(die, 0, p, () => S.copyArrive(0)),
      ...waits(die, reader, c, 0, 0),
      ...reads(die, reader, c, 0, n),
    ],
  }
}

/** Whose programs are as they should be; `turns` leaves out a meeting now and then. */
export const carefulStyles = [
  'announced',
  'arriving',
  'exchange',
  'elected',
  'each',
  'stored',
  'loaded',
  'copied',
  'flagged',
  'counted',
  'barred',
] as const
type CarefulStyle = (typeof carefulStyles)[number]
export type Style = CarefulStyle | 'turns'
export const allStyles: ReadonlyArray<Style> = ['turns', ...carefulStyles]

const careful: Readonly<Record<CarefulStyle, Way>> = {
  announced: announced,
  arriving: arriving,
  exchange: exchange,
  elected: elected,
  each: each,
  stored: stored,
  loaded: loaded,
  copied: copied,
  flagged: flagged,
  counted: counted,
  barred: barred,
}
const wayOf = (style: Style): Way => (style === 'turns' ? turns : careful[style])

// ---------------------------------------------------------------- soups

const alphabets = [
  'rwrwmM',
  'rwaWmM',
  'rwaWWmMf',
  'wfsbomM',
  'wrfsbomMB',
  'rwkKjmM',
  'eteWrwmM',
  'rwthmM',
  'rwthFmM',
  'rwtTHmM',
  'aWwsbofm',
  'rwBmM',
  'kKjaWrfsbo',
  'kvWrwmM',
  'EatWrmM',
]

const waiting =
  (b: number, phase: 0 | 1, relaxed: boolean): (() => Op) =>
  () =>
    S.wait(b, phase, relaxed)

const soup: Way = (die) => {
  const letters = [...die.pick(alphabets)]
  const warps = die.pick([[2], [3], [2, 1], [2, 2], [2, 2]])
  const counts = [die.pick([1, 1, 2, 2, 3]), die.pick([1, 2])]
  const length = die.below(warps.length === 1 ? 8 : 10) + 2
  const f = S.smem(0, 'f')
  const statements: Statement[] = []
  const places = 1 + die.below(3)
  for (let k = 0; k < length; k++) {
    const warp = die.below(warps.length)
    const all = upTo(warps[warp]!)
    const some = die.chance(0.4) ? all : all.filter(() => die.chance(0.6))
    const lanes = some.length === 0 ? [die.pick(all)] : some
    const one = [die.pick(all)]
    const turn = die.below(3)
    const place = (lane: number): Atom => x((lane + turn) % places)
    switch (die.pick(letters)) {
      case 'r':
        statements.push(
          die.chance(0.15)
            ? statement(warp, lanes, () => S.read(upTo(places).map(x)), true)
            : statement(warp, lanes, (lane) => S.read([place(lane)])),
        )
        break
      case 'w':
        statements.push(statement(warp, lanes, (lane) => S.write([place(lane)])))
        break
      case 'a':
        statements.push(
          statement(warp, die.chance(0.5) ? one : lanes, () => S.arrive([die.below(1) + (turn % 2)], false)),
        )
        break
      case 'W':
        // one instruction is relaxed or not, whichever lanes execute it
        statements.push(statement(warp, lanes, waiting(turn % 2, parity(turn >> 1), die.chance(0.05))))
        break
      case 'm':
        statements.push(meet(warp, all))
        break
      case 'M':
        statements.push(meet(warp, lanes))
        break
      case 'f':
        statements.push(statement(warp, lanes, () => S.fence('cta')))
        break
      case 'F':
        statements.push(statement(warp, lanes, () => S.fenceMemory(true)))
        break
      case 's':
        statements.push(statement(warp, one, () => S.store([x(turn % places)], [g(0)])))
        break
      case 'b':
        statements.push(statement(warp, die.chance(0.7) ? one : lanes, () => S.bulkCommit))
        break
      case 'o':
        statements.push(
          statement(warp, lanes, () => S.bulkWait(turn === 0 ? 1 : 0, turn === 1 ? 'read' : 'full')),
        )
        break
      case 'k':
        statements.push(statement(warp, lanes, (lane) => S.copy([], [place(lane)])))
        break
      case 'K':
        statements.push(statement(warp, lanes, () => S.copyCommit))
        break
      case 'j':
        statements.push(statement(warp, lanes, () => S.copyWait(turn === 0 ? 1 : 0)))
        break
      case 'v':
        statements.push(statement(warp, lanes, () => S.copyArrive(0)))
        break
      case 'E':
        statements.push(statement(warp, one, () => S.expect(0, 1)))
        break
      case 'e':
        statements.push(statement(warp, one, () => S.arriveExpect(0, 1)))
        break
      case 't':
        if (letters.includes('h'))
          statements.push(statement(warp, one, () => S.tell(f, 'store', 1, turn > 0)))
        else
          statements.push(
            statement(warp, one, () => S.load([], [{ atoms: [x(turn % places)], barrier: 0, units: 1 }])),
          )
        break
      case 'T':
        statements.push(statement(warp, lanes, () => S.tell(f, 'add', 1, turn > 0)))
        break
      case 'h':
        statements.push(statement(warp, lanes, () => S.hear(f, 'ge', 1, turn > 0)))
        break
      case 'H':
        statements.push(statement(warp, one, () => S.hear(f, 'ge', 1 + (turn % 2), turn > 0)))
        break
      default:
        for (const [w, count] of warps.entries()) statements.push(bar(w, upTo(count)))
    }
  }
  return { warps, counts, statements }
}

// ---------------------------------------------------------------- damages

const damaged = (die: Dice, p: Simt, times: number): Simt => {
  const statements = [...p.statements]
  for (let t = 0; t < times; t++) {
    if (statements.length === 0) break
    const i = die.below(statements.length)
    const s = statements[i]!
    const m = die.below(100)
    const all = upTo(p.warps[s.warp]!)
    if (m < 35) statements.splice(i, 1)
    else if (m < 45) {
      const j = statements.findIndex((o, k) => k > i && o.warp === s.warp)
      if (j < 0) continue
      statements[i] = statements[j]!
      statements[j] = s
    } else if (m < 53) {
      // once more, perhaps by one lane alone
      const lane = die.pick(s.lanes)
      const again = {}
      const one = die.chance(0.5) && s.does === 'ops'
      statements[i] = Object.assign({}, s, { again })
      statements.splice(
        die.chance(0.5) ? i : i + 1,
        0,
        one
          ? {
              warp: s.warp,
              lanes: [lane],
              does: s.does,
              ops: [s.ops[s.lanes.indexOf(lane)]!],
              whole: s.whole,
              again,
            }
          : Object.assign({}, s, { again }),
      )
    } else if (s.does === 'bar') continue
    else if (m < 75 && s.lanes.length > 1) {
      // narrower
      const out = die.pick(s.lanes)
      const lanes = s.lanes.filter((lane) => lane !== out)
      statements[i] = {
        warp: s.warp,
        lanes,
        does: s.does,
        ops: s.ops.filter((_, k) => s.lanes[k] !== out),
        whole: s.whole,
      }
    } else if (m < 85 && s.lanes.length === 1) {
      // another lane
      statements[i] = { warp: s.warp, lanes: [die.pick(all)], does: s.does, ops: s.ops, whole: s.whole }
    } else if (s.does === 'ops') {
      const [op] = s.ops
      const turn = die.below(3)
      const swap = (f: (o: Op, lane: number) => Op): void => {
        statements[i] = {
          warp: s.warp,
          lanes: s.lanes,
          does: s.does,
          ops: s.ops.map((o, k) => f(o, s.lanes[k]!)),
          whole: s.whole,
        }
      }
      switch (op!._tag) {
        case 'read':
          if (!s.whole) swap((_, lane) => S.read([x((lane + turn) % 3)]))
          break
        case 'write':
          swap((_, lane) => S.write([x((lane + turn) % 3)]))
          break
        case 'bulkWait':
          swap(() => S.bulkWait(die.below(2), die.pick(['read', 'full'])))
          break
        case 'copyWait':
          swap(() => S.copyWait(1))
          break
        case 'tell':
          swap((o) => (o._tag === 'tell' ? S.tell(o.word, o.how, o.value, !o.releases) : o))
          break
        case 'hear':
          swap((o) => (o._tag === 'hear' ? S.hear(o.word, o.until, o.value, !o.acquires) : o))
          break
        case 'wait':
          swap((o) => (o._tag === 'wait' ? S.wait(o.barrier, parity(o.parity + 1)) : o))
          break
        default:
          break
      }
    }
  }
  return { warps: p.warps, counts: p.counts, statements }
}

// ---------------------------------------------------------------- drawing

export const asItShouldBe = (seed: number, style: CarefulStyle): Simt => careful[style](dice(seed))

export const simtOf = (seed: number): Simt => {
  const die = dice(seed ^ 0x51a7)
  return die.chance(0.35)
    ? soup(die)
    : damaged(die, wayOf(die.pick(allStyles))(die), die.pick([0, 1, 1, 1, 1, 2, 2, 3]))
}
