/**
 * Random scripts for barriers and pipelines: sequences of operations that a correct program could make.
 *
 * A drawn number becomes an operation that is legal where it stands, by what the specification says of the state: an arrive never has more than
 * is pending, a drop leaves a count, a commit has something to commit. So every script may be handed to a chip, and shrinks towards few
 * operations and small counts.
 *
 *     init 2; expectTx 16; arrive 1; arrive 1; completeTx 16        the phase ends with the last
 *
 * Laws
 * 1. No operation of a script traps (`machine/mbarrier.ts`), and the states of the script are those of the specification.
 * 2. Every kind of operation occurs; so do phases that end by an arrive, by bytes and by a drop, and bytes that come before they are expected.
 * 3. In a pipeline script nothing is committed that was not acquired, and nothing released that was not waited for.
 */
import * as fc from 'fast-check'
import * as Mbarrier from '../semantics/machine/mbarrier.js'

// ---------------------------------------------------------------- barriers

export type BarrierOperation =
  | { readonly op: 'arrive'; readonly count: number }
  | { readonly op: 'expectTx'; readonly bytes: number }
  | { readonly op: 'completeTx'; readonly bytes: number }
  | { readonly op: 'drop'; readonly count: number }

export interface BarrierScript {
  /** arrivals that end a phase */
  readonly count: number
  readonly operations: ReadonlyArray<BarrierOperation>
}

/** The state of the barrier after an operation that does not trap. */
export const afterOperation = (b: Mbarrier.Mbarrier, o: BarrierOperation): Mbarrier.Mbarrier => {
  const next =
    o.op === 'arrive'
      ? Mbarrier.update(b, o.count, 0)
      : o.op === 'drop'
        ? Mbarrier.update(b, o.count, 0, o.count)
        : Mbarrier.update(b, 0, o.op === 'expectTx' ? o.bytes : -o.bytes)
  return Mbarrier.isTrap(next) ? b : next
}

/** The states of a script: one before the first operation, one after each. */
export const barrierStates = ({ count, operations }: BarrierScript): ReadonlyArray<Mbarrier.Mbarrier> => {
  const states = [Mbarrier.init(count)]
  for (const o of operations) states.push(afterOperation(states[states.length - 1]!, o))
  return states
}

const kinds = ['arrive', 'expectTx', 'completeTx', 'drop'] as const
type Drawn = readonly [kind: (typeof kinds)[number], amount: number]

/** Bytes come in units of 16. */
const unit = 16

/** The legal operation nearest to what was drawn; nothing, when there is none of this kind. */
const legal = (b: Mbarrier.Mbarrier, [kind, amount]: Drawn): BarrierOperation | null => {
  switch (kind) {
    case 'arrive':
      return b.pending === 0 ? null : { op: 'arrive', count: 1 + (amount % b.pending) }
    case 'expectTx':
    case 'completeTx':
      return { op: kind, bytes: unit * (1 + (amount % 3)) }
    case 'drop':
      return b.pending === 0 || b.expected < 2
        ? null
        : { op: 'drop', count: 1 + (amount % Math.min(b.pending, b.expected - 1)) }
  }
}

export interface BarrierConstraints {
  /** 4 if not given */
  readonly maxCount?: number
  /** 16 if not given */
  readonly maxOperations?: number
  /** all if not given */
  readonly operations?: ReadonlyArray<BarrierOperation['op']>
}

export const barrierScript = ({
  maxCount = 4,
  maxOperations = 16,
  operations = kinds,
}: BarrierConstraints = {}): fc.Arbitrary<BarrierScript> =>
  fc
    .tuple(
      fc.integer({ min: 1, max: maxCount }),
      fc.array(fc.tuple(fc.constantFrom(...operations), fc.nat(11)), { maxLength: maxOperations }),
    )
    .map(([count, drawn]) => {
      let state = Mbarrier.init(count)
      const kept: BarrierOperation[] = []
      for (const one of drawn) {
        const o = legal(state, one)
        if (o === null) continue
        kept.push(o)
        state = afterOperation(state, o)
      }
      return { count, operations: kept }
    })

export const showBarrierOperation = (o: BarrierOperation): string =>
  `${o.op} ${String('bytes' in o ? o.bytes : o.count)}`
export const showBarrierScript = ({ count, operations }: BarrierScript): string =>
  [`init ${String(count)}`, ...operations.map(showBarrierOperation)].join('; ')

// ---------------------------------------------------------------- pipelines

/** The next step of a producer or a consumer; an acquire or a wait may have to wait. */
export type PipelineStep = 'acquire' | 'commit' | 'wait' | 'release'

/** The number of steps of each kind that have passed: slots acquired and committed, waited for and released. */
export interface PipelineCounts {
  readonly acquired: number
  readonly committed: number
  readonly waited: number
  readonly released: number
}

export const noSteps: PipelineCounts = { acquired: 0, committed: 0, waited: 0, released: 0 }

/** Whether the step can pass now. A slot is acquired when it has been released as often as it was acquired
 * before, and waited for when it is committed. */
export const goesThrough = (stages: number, c: PipelineCounts, step: PipelineStep): boolean => {
  switch (step) {
    case 'acquire':
      return c.acquired - c.released < stages
    case 'commit':
      return c.committed < c.acquired
    case 'wait':
      return c.waited < c.committed
    case 'release':
      return c.released < c.waited
  }
}

export const afterStep = (c: PipelineCounts, step: PipelineStep): PipelineCounts => ({
  acquired: c.acquired + (step === 'acquire' ? 1 : 0),
  committed: c.committed + (step === 'commit' ? 1 : 0),
  waited: c.waited + (step === 'wait' ? 1 : 0),
  released: c.released + (step === 'release' ? 1 : 0),
})

/** Steps in some order; a commit or a release that has no slot becomes the step that must come before it. */
export const pipelineScript = (
  stages: number,
  maxSteps: number = 12 * stages,
): fc.Arbitrary<ReadonlyArray<PipelineStep>> =>
  fc
    .array(fc.constantFrom<PipelineStep>('acquire', 'commit', 'wait', 'release'), { maxLength: maxSteps })
    .map((drawn) => {
      let counts = noSteps
      return drawn.map((one) => {
        const step =
          one === 'commit' && counts.committed === counts.acquired
            ? 'acquire'
            : one === 'release' && counts.released === counts.waited
              ? 'wait'
              : one
        if (goesThrough(stages, counts, step)) counts = afterStep(counts, step)
        return step
      })
    })
