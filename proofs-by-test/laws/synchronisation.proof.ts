/** The kits for barriers and pipelines: what is right passes them, and each law is broken by a mistake of its own. */
import { describe, expect, test } from 'vitest'
import * as L from '../../src/laws/index.js'
import type { ForeignBarrier, ForeignPipeline } from '../../src/laws/index.js'

const broken = <S>(kit: L.Kit<S>, subject: S): readonly string[] =>
  L.checkLaws(kit)(subject).broken.map(({ law }) => law.replace(/^\w+\./, ''))

// ---------------------------------------------------------------- barriers

/** Of independent writing: it remembers everything that was done to it, and counts anew each time it is asked. */
interface History {
  readonly count: number
  readonly done: ReadonlyArray<readonly [arrivals: number, bytes: number, dropped: number]>
}
const phases = ({ count, done }: History): number => {
  let ended = 0
  let arrived = 0
  let missing = 0
  let asked = count
  for (const [arrivals, bytes, dropped] of done) {
    arrived += arrivals
    missing += bytes
    const wanted = asked
    asked -= dropped
    if (arrived === wanted && missing === 0) {
      ended++
      arrived = 0
    }
  }
  return ended
}
/** A drop takes effect on the count of the phase that is open only by its arrival. */
const did = (h: History, arrivals: number, bytes: number, dropped: number): History => ({
  count: h.count,
  done: [...h.done, [arrivals, bytes, dropped]],
})
const remembering: ForeignBarrier<History> = {
  init: (count) => ({ count, done: [] }),
  arrive: (h, count) => did(h, count, 0, 0),
  expectTx: (h, bytes) => did(h, 0, bytes, 0),
  completeTx: (h, bytes) => did(h, 0, -bytes, 0),
  test: (h, parity) => phases(h) % 2 !== parity,
}

/** Four numbers, with a place for every mistake. */
interface Four {
  readonly n: number
  readonly pending: number
  readonly tx: number
  readonly phase: number
}
const settled = (b: Four): Four =>
  b.pending === 0 && b.tx === 0 ? { ...b, pending: b.n, phase: b.phase + 1 } : b
const plain: Required<ForeignBarrier<Four>> = {
  init: (n) => ({ n, pending: n, tx: 0, phase: 0 }),
  arrive: (b, k) => settled({ ...b, pending: b.pending - k }),
  expectTx: (b, bytes) => settled({ ...b, tx: b.tx + bytes }),
  completeTx: (b, bytes) => settled({ ...b, tx: b.tx - bytes }),
  drop: (b, k) => settled({ ...b, n: b.n - k, pending: b.pending - k }),
  test: (b, parity) => b.phase % 2 !== parity,
}

describe('barriers', () => {
  const kit = L.barrierLaws<Four>()
  test('right ones: four numbers, and a history that is counted each time', () => {
    expect(broken(kit, plain)).toEqual([])
    expect(broken(L.barrierLaws<History>(), remembering)).toEqual([])
  })

  const mistakes: ReadonlyArray<readonly [string, Partial<ForeignBarrier<Four>>, ReadonlyArray<string>]> = [
    [
      'the other sense of parity',
      { test: (b, parity) => b.phase % 2 === parity },
      ['fresh', 'count', 'at-once', 'bytes', 'early-bytes', 'drop', 'parity', 'definition'],
    ],
    [
      'a count that is used up',
      { arrive: (b, k) => settled({ ...b, n: 1, pending: b.pending - k }) },
      ['count', 'at-once', 'drop', 'definition'],
    ],
    [
      'one arrival, however many they are',
      { arrive: (b) => settled({ ...b, pending: b.pending - 1 }) },
      ['at-once', 'drop', 'definition'],
    ],
    ['bytes that are not waited for', { expectTx: (b) => b, completeTx: (b) => b }, ['bytes', 'definition']],
    [
      'bytes that cannot come early',
      { completeTx: (b, bytes) => settled({ ...b, tx: Math.max(0, b.tx - bytes) }) },
      ['early-bytes', 'definition'],
    ],
    [
      'a drop for this phase alone',
      { drop: (b, k) => settled({ ...b, pending: b.pending - k }) },
      ['drop', 'definition'],
    ],
    ['a phase that is never old', { test: (b, parity) => b.phase !== parity }, ['count', 'definition']],
  ]
  test.each(mistakes)('%s', (_, change, laws) => {
    const found = broken(kit, { ...plain, ...change })
    for (const law of laws) expect(found).toContain(law)
  })
  test('without a drop nothing is asked about drops', () => {
    const { init, arrive, expectTx, completeTx, test: passes } = plain
    const without: ForeignBarrier<Four> = { init, arrive, expectTx, completeTx, test: passes }
    const report = L.checkLaws(kit)(without)
    expect(report.broken).toEqual([])
    expect(report.held.find(({ law }) => law === 'barrier.drop')?.method).toBe('absent')
  })
  test('a counterexample is small', () => {
    const [first] = L.checkLaws({ ...kit, laws: kit.laws.slice(-1) })({
      ...plain,
      completeTx: (b, bytes) => ({ ...b, tx: b.tx - bytes }),
    }).broken
    expect(first?.input).toBe('init 1; expectTx 16; arrive 1; completeTx 16')
  })
})

// ---------------------------------------------------------------- pipelines

/** A queue of items: of independent writing, without index or phase. */
interface Queue {
  readonly stages: number
  readonly acquired: ReadonlyArray<number>
  readonly ready: ReadonlyArray<number>
  readonly held: ReadonlyArray<number>
  readonly next: number
}
const queue: ForeignPipeline<Queue> = {
  start: (stages) => ({ stages, acquired: [], ready: [], held: [], next: 0 }),
  producerAcquire: (q) => {
    if (q.acquired.length + q.ready.length + q.held.length === q.stages) return null
    const slot = q.next % q.stages
    return { slot, state: { ...q, acquired: [...q.acquired, slot], next: q.next + 1 } }
  },
  producerCommit: (q) => ({
    ...q,
    acquired: q.acquired.slice(1),
    ready: [...q.ready, ...q.acquired.slice(0, 1)],
  }),
  consumerWait: (q) => {
    const [slot] = q.ready
    return slot === undefined
      ? null
      : { slot, state: { ...q, ready: q.ready.slice(1), held: [...q.held, slot] } }
  },
  consumerRelease: (q) => ({ ...q, held: q.held.slice(1) }),
}

describe('pipelines', () => {
  test.each([1, 2, 3, 4, 7])('a queue of items is a pipeline of %d slots', (stages) => {
    expect(broken(L.pipelineLaws<Queue>(stages), queue)).toEqual([])
  })
  const mistakes: ReadonlyArray<readonly [string, Partial<ForeignPipeline<Queue>>, ReadonlyArray<string>]> = [
    [
      'a slot too few',
      { start: (stages) => ({ ...queue.start(stages), stages: stages - 1 }) },
      ['capacity', 'full-laps', 'definition'],
    ],
    [
      'the newest first',
      {
        consumerWait: (q) => {
          const slot = q.ready[q.ready.length - 1]
          return slot === undefined
            ? null
            : { slot, state: { ...q, ready: q.ready.slice(0, -1), held: [...q.held, slot] } }
        },
      },
      ['full-laps', 'definition'],
    ],
    [
      'acquired is as good as committed',
      {
        consumerWait: (q) => {
          const slot = [...q.ready, ...q.acquired][0]
          return slot === undefined ? null : { slot, state: { ...q, ready: [], acquired: [], held: [slot] } }
        },
      },
      ['empty', 'definition'],
    ],
    [
      'waited for is as good as released',
      {
        producerAcquire: (q) => {
          const found = queue.producerAcquire({ ...q, held: [] })
          return found === null ? null : { slot: found.slot, state: { ...found.state, held: q.held } }
        },
      },
      ['refill', 'definition'],
    ],
    [
      'slots that do not wrap',
      {
        producerAcquire: (q) => {
          const found = queue.producerAcquire(q)
          return found === null ? null : { slot: q.next, state: found.state }
        },
      },
      ['laps', 'full-laps', 'definition'],
    ],
  ]
  test.each(mistakes)('%s', (_, change, laws) => {
    const found = broken(L.pipelineLaws<Queue>(3), { ...queue, ...change })
    for (const law of laws) expect(found).toContain(law)
  })
})
