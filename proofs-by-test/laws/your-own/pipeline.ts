import { checkLaws, pipelineLaws, showReport, type ForeignPipeline } from '../../../src/laws/index.js'

/** Index and phase, as many kernels keep them; and how often each slot was filled and emptied, as its two barriers know it. */
interface Ends {
  readonly index: number
  readonly phase: number
}
interface Ring {
  readonly producer: Ends
  readonly consumer: Ends
  readonly committed: number
  readonly released: number
  readonly filled: ReadonlyArray<number>
  readonly emptied: ReadonlyArray<number>
}

const bump = (of: ReadonlyArray<number>, at: number): ReadonlyArray<number> =>
  of.map((n, k) => (k === at ? n + 1 : n))
const passes = (completed: number, parity: number): boolean => completed % 2 !== parity
const next = (e: Ends, stages: number): Ends =>
  e.index + 1 === stages ? { index: 0, phase: e.phase ^ 1 } : { index: e.index + 1, phase: e.phase }

/** `slotOfRelease`: which slot the consumer gives back. */
const ring = (slotOfRelease: (r: Ring) => number): ForeignPipeline<Ring> => ({
  start: (stages) => {
    const none = Array.from({ length: stages }, () => 0)
    return {
      producer: { index: 0, phase: 1 },
      consumer: { index: 0, phase: 0 },
      committed: 0,
      released: 0,
      filled: none,
      emptied: none,
    }
  },
  producerAcquire: (r) => {
    const { index, phase } = r.producer
    return passes(r.emptied[index] ?? 0, phase)
      ? { slot: index, state: { ...r, producer: next(r.producer, r.filled.length) } }
      : null
  },
  producerCommit: (r) => ({
    ...r,
    committed: r.committed + 1,
    filled: bump(r.filled, r.committed % r.filled.length),
  }),
  consumerWait: (r) => {
    const { index, phase } = r.consumer
    return passes(r.filled[index] ?? 0, phase)
      ? { slot: index, state: { ...r, consumer: next(r.consumer, r.filled.length) } }
      : null
  },
  consumerRelease: (r) => ({
    ...r,
    released: r.released + 1,
    emptied: bump(r.emptied, slotOfRelease(r)),
  }),
})

/** The wait has moved the consumer on: this gives back the slot that comes next. */
const wrong = ring((r) => r.consumer.index)
console.log(showReport(checkLaws(pipelineLaws<Ring>(3))(wrong)))

const right = ring((r) => r.released % r.filled.length)
console.log(showReport(checkLaws(pipelineLaws<Ring>(3))(right)))
