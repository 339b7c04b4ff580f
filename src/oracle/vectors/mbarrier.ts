/**
 * The suite `mbarrier`: a script of operations on one barrier, and what each leaves behind (`semantics/machine/mbarrier.ts`).
 *
 *     {"count": 2, "operations": [["arrive", 1], ["expect_tx", 16], ["arrive", 1], ["complete_tx", 16]]}
 *
 * After the initialisation and after each operation: does a wait for parity 0 pass, does one for parity 1, how many arrivals are pending, how many bytes are missing. An
 * operation that the chip does not survive ends the script: `trap` says why, and there is no step for it.
 *
 * | operation          | arrivals | bytes | what it is                                                      |
 * |--------------------|----------|-------|-----------------------------------------------------------------|
 * | `arrive` n         | n        |       |                                                                 |
 * | `arrive_drop` n    | n        |       | and n fewer are expected from the next phase on                 |
 * | `expect_tx` b      |          | + b   |                                                                 |
 * | `complete_tx` b    |          | - b   |                                                                 |
 * | `arrive_expect_tx` b | 1      | + b   | the bytes first                                                 |
 * | `arrive_drop_expect_tx` b | 1 | + b   | the two together                                                |
 * | `inval`            |          |       | there is no barrier any more, and no step for it                |
 * | `init` n           |          |       | the barrier is made anew                                        |
 *
 * Between `inval` and `init` no operation is defined, and a script that has one there is refused.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { barrierScript } from '../../arbitraries/barrier.js'
import { refuse, type Failure } from '../../failure.js'
import { init, isTrap, passes, update, type Mbarrier, type Trap } from '../../semantics/machine/mbarrier.js'
import { bool, define, either, integer, list, nat, nothing, oneOf, record, type Wire } from '../../wire.js'
import { drawn, sameJson, suite, type Case, type Suite } from './suite.js'

const verbs = [
  'arrive',
  'arrive_drop',
  'expect_tx',
  'complete_tx',
  'arrive_expect_tx',
  'arrive_drop_expect_tx',
  'inval',
  'init',
] as const
type Verb = (typeof verbs)[number]

interface Operation {
  readonly op: Verb
  readonly arg: number
}
interface Question {
  /** arrivals that end a phase */
  readonly count: number
  readonly operations: ReadonlyArray<Operation>
}
interface Step {
  /** does a wait for this parity pass? */
  readonly parity0: boolean
  readonly parity1: boolean
  readonly pending: number
  /** bytes that are expected and have not come; negative where they came first */
  readonly bytes: number
}
interface Answer {
  /** after the initialisation, and after each operation that the chip survives */
  readonly steps: ReadonlyArray<Step>
  readonly trap: Trap | null
}

const question: Wire<Question> = record<Question>()(
  'a script of a barrier',
  {
    count: nat,
    operations: list(
      define('BarrierOperation', () =>
        record<Operation>()('an operation', { op: oneOf(...verbs), arg: nat }, {}),
      ),
    ),
  },
  {},
)
const answer: Wire<Answer> = record<Answer>()(
  'the states of a barrier',
  {
    steps: list(
      record<Step>()('a state', { parity0: bool, parity1: bool, pending: integer, bytes: integer }, {}),
    ),
    trap: either('null or a trap', nothing, oneOf<Trap>('over-arrival', 'tx-range', 'count-range')),
  },
  {},
)

/** Null: there is no barrier. */
const after = (b: Mbarrier, { op, arg }: Operation): Mbarrier | Trap | null => {
  switch (op) {
    case 'arrive':
      return update(b, arg, 0)
    case 'arrive_drop':
      return update(b, arg, 0, arg)
    case 'expect_tx':
      return update(b, 0, arg)
    case 'complete_tx':
      return update(b, 0, -arg)
    case 'arrive_expect_tx':
      return update(b, 1, arg)
    case 'arrive_drop_expect_tx':
      return update(b, 1, arg, 1)
    case 'inval':
      return null
    case 'init':
      return init(arg)
  }
}

const stepOf = (b: Mbarrier): Step => ({
  parity0: passes(b, 0),
  parity1: passes(b, 1),
  pending: b.pending,
  // -0 is no number of JSON
  bytes: b.tx === 0 ? 0 : b.tx,
})

const ask = ({ count, operations }: Question): E.Either<Failure, Answer> => {
  let barrier: Mbarrier | null = init(count)
  const steps = [stepOf(barrier)]
  for (const [k, operation] of operations.entries()) {
    if (barrier === null && operation.op !== 'init')
      return refuse(
        'mbarrier.life',
        `operation ${String(k)}: expected init, for the barrier is invalid, found ${operation.op}`,
      )
    const next: Mbarrier | Trap | null = barrier === null ? init(operation.arg) : after(barrier, operation)
    if (next !== null && isTrap(next)) return E.right({ steps, trap: next })
    barrier = next
    if (barrier !== null) steps.push(stepOf(barrier))
  }
  return E.right({ steps, trap: null })
}

// ---------------------------------------------------------------- cases

const script = (count: number, ...operations: ReadonlyArray<readonly [Verb, number]>): Question => ({
  count,
  operations: operations.map(([op, arg]) => ({ op, arg })),
})

/** Scripts that an H100 was given (`conformance/hopper/structure/mbarrier.json`, `mbarrier_limits.json`). */
export const capturedScripts: ReadonlyArray<Question> = [
  script(1, ['arrive', 1], ['arrive', 1], ['arrive', 1], ['arrive', 1], ['arrive', 1]),
  script(4, ['arrive', 1], ['arrive', 2], ['arrive', 1], ['arrive', 4], ['arrive', 3], ['arrive', 1]),
  script(
    1,
    ['expect_tx', 256],
    ['arrive', 1],
    ['complete_tx', 128],
    ['expect_tx', 128],
    ['complete_tx', 256],
    ['arrive', 1],
  ),
  script(
    1,
    ['complete_tx', 64],
    ['expect_tx', 64],
    ['arrive', 1],
    ['complete_tx', 32],
    ['arrive_expect_tx', 32],
    ['arrive', 1],
  ),
  script(
    3,
    ['arrive_drop', 1],
    ['arrive', 1],
    ['arrive', 1],
    ['arrive', 1],
    ['arrive', 1],
    ['arrive', 1],
    ['arrive_drop', 1],
    ['arrive', 1],
    ['arrive', 1],
  ),
  script(1, ['expect_tx', 1048575], ['arrive', 1], ['complete_tx', 1048575], ['arrive', 1]),
  script(
    128,
    ['arrive', 127],
    ['arrive_expect_tx', 100],
    ['complete_tx', 60],
    ['complete_tx', 40],
    ['arrive', 128],
  ),
  script(1, ['init', 7], ['arrive', 1]),
  script(1, ['complete_tx', 16], ['arrive', 1], ['expect_tx', 16], ['arrive', 1]),
  script(1, ['expect_tx', 16], ['arrive', 1], ['complete_tx', 16], ['arrive', 1]),
  script(2, ['arrive', 3], ['arrive', 1]),
  script(0, ['arrive', 1]),
  script(1048576, ['arrive', 1]),
  script(1, ['arrive_drop', 1], ['arrive', 1], ['arrive', 1]),
  script(2, ['arrive_drop', 1], ['arrive_drop', 1], ['arrive', 1]),
  script(2, ['arrive', 1], ['arrive', 0], ['arrive', 1]),
  script(1, ['complete_tx', 16], ['arrive', 1], ['arrive', 1]),
  script(
    1,
    ['expect_tx', 1048575],
    ['expect_tx', 1048575],
    ['complete_tx', 1048575],
    ['complete_tx', 1048575],
    ['arrive', 1],
  ),
  script(1, ['expect_tx', 1048575], ['expect_tx', 1048575], ['expect_tx', 2], ['arrive', 1]),
  script(1, ['complete_tx', 1048575], ['complete_tx', 1048575], ['complete_tx', 2], ['arrive', 1]),
  script(1, ['complete_tx', 1048575], ['complete_tx', 2], ['arrive', 1]),
  script(1, ['expect_tx', 1], ['arrive', 1], ['arrive', 1]),
  script(1, ['complete_tx', 16], ['expect_tx', 32], ['arrive', 1], ['complete_tx', 16]),
]

interface Row {
  readonly word: string
  readonly says: string
  readonly scripts: ReadonlyArray<readonly [string, Question]>
}

const rows: ReadonlyArray<Row> = [
  {
    word: 'parity',
    says: 'A wait for parity p passes as long as the number of phases that have ended has another parity: at first 1 passes and 0 does not',
    scripts: [
      ['fresh', script(1)],
      ['two-phases', script(1, ['arrive', 1], ['arrive', 1])],
      ['count-of-4', script(4, ['arrive', 1], ['arrive', 2], ['arrive', 1], ['arrive', 4])],
    ],
  },
  {
    word: 'bytes',
    says: 'A phase ends when no arrival is pending and no byte is missing, whichever comes last; bytes may come before they are expected',
    scripts: [
      ['arrival-last', script(1, ['expect_tx', 16], ['complete_tx', 16], ['arrive', 1])],
      ['bytes-last', script(1, ['arrive_expect_tx', 32], ['complete_tx', 16], ['complete_tx', 16])],
      ['bytes-first', script(2, ['complete_tx', 16], ['arrive', 1], ['arrive_expect_tx', 16])],
      ['expectation-last', script(1, ['complete_tx', 16], ['arrive', 1], ['expect_tx', 16])],
      ['of-the-next-phase', script(1, ['arrive', 1], ['complete_tx', 16], ['arrive_expect_tx', 16])],
    ],
  },
  {
    word: 'drop',
    says: 'A dropping arrive counts in this phase, and later phases expect that many fewer',
    scripts: [
      ['one-of-two', script(2, ['arrive_drop', 1], ['arrive', 1], ['arrive', 1])],
      ['all', script(1, ['arrive_drop', 1])],
      [
        'with-bytes',
        script(2, ['arrive_drop_expect_tx', 16], ['complete_tx', 16], ['arrive', 1], ['arrive', 1]),
      ],
      ['the-last-with-bytes', script(2, ['arrive', 1], ['arrive_drop_expect_tx', 16], ['complete_tx', 16])],
    ],
  },
  {
    word: 'trap',
    says: 'More arrivals than are pending, more than 2^20 - 1 of bytes or of a count: the chip traps',
    scripts: [
      ['over-arrival', script(1, ['arrive', 2])],
      ['over-arrival-of-bytes', script(1, ['expect_tx', 16], ['arrive', 1], ['arrive', 1])],
      ['count-of-zero', script(0, ['arrive', 1])],
      ['bytes', script(1, ['expect_tx', 1048575], ['expect_tx', 1])],
      ['bytes-below', script(1, ['complete_tx', 1048575], ['complete_tx', 1])],
      ['nothing-is-expected-any-more', script(1, ['arrive_drop', 1], ['arrive', 1])],
    ],
  },
]

const drawnScript = (
  operations: ReadonlyArray<'arrive' | 'expectTx' | 'completeTx' | 'drop'>,
): fc.Arbitrary<Question> =>
  barrierScript({ operations, maxOperations: 12 }).map(({ count, operations: all }) => ({
    count,
    operations: all.map((o): Operation => {
      switch (o.op) {
        case 'arrive':
          return { op: 'arrive', arg: o.count }
        case 'drop':
          return { op: 'arrive_drop', arg: o.count }
        case 'expectTx':
          return { op: 'expect_tx', arg: o.bytes }
        case 'completeTx':
          return { op: 'complete_tx', arg: o.bytes }
      }
    }),
  }))

const questions = (rule: string): fc.Arbitrary<Question> => {
  switch (rule) {
    case 'mbarrier.parity':
      return drawnScript(['arrive'])
    case 'mbarrier.bytes':
      return drawnScript(['arrive', 'expectTx', 'completeTx'])
    case 'mbarrier.drop':
      return drawnScript(['arrive', 'drop'])
    case 'mbarrier.short':
      return anyScript([...shortOperations, { op: 'arrive_drop_expect_tx', arg: 16 }])
    case 'mbarrier.life':
      return anyScript([...shortOperations, { op: 'inval', arg: 0 }, { op: 'init', arg: 1 }])
    default:
      return fc.constantFrom(
        ...rows
          .flatMap(({ word, scripts }) => (rule === `mbarrier.${word}` ? scripts : []))
          .map(([, q]) => q),
      )
  }
}

// ---------------------------------------------------------------- short scripts

const shortOperations: ReadonlyArray<Operation> = [
  { op: 'arrive', arg: 1 },
  { op: 'arrive_drop', arg: 1 },
  { op: 'expect_tx', arg: 16 },
  { op: 'complete_tx', arg: 16 },
  { op: 'arrive_expect_tx', arg: 16 },
]

/** Each of three operations: the steps of shorter ones are the first steps of these. */
const shortScripts: ReadonlyArray<readonly [name: string, script: Question]> = [1, 2].flatMap((count) =>
  shortOperations.flatMap((a, i) =>
    shortOperations.flatMap((b, j) =>
      shortOperations.map((c, k): readonly [string, Question] => [
        `${String(count)}-${[i, j, k].join('')}`,
        { count, operations: [a, b, c] },
      ]),
    ),
  ),
)

/** Some operations, in any order: the chip may trap. */
const anyScript = (operations: ReadonlyArray<Operation>): fc.Arbitrary<Question> =>
  fc.record({
    count: fc.integer({ min: 1, max: 3 }),
    operations: fc.array(fc.constantFrom(...operations), { maxLength: 6 }),
  })

const lives: ReadonlyArray<readonly [name: string, script: Question]> = [
  ['made-anew', script(2, ['arrive', 1], ['inval', 0], ['init', 1], ['arrive', 1])],
  ['bytes-are-forgotten', script(1, ['expect_tx', 16], ['inval', 0], ['init', 1], ['arrive', 1])],
  ['phase-is-forgotten', script(1, ['arrive', 1], ['inval', 0], ['init', 1])],
  ['ends-invalid', script(1, ['arrive', 1], ['inval', 0])],
  ['arrive-behind-inval', script(1, ['inval', 0], ['arrive', 1])],
  ['expect-behind-inval', script(1, ['inval', 0], ['expect_tx', 16])],
  ['inval-twice', script(1, ['inval', 0], ['inval', 0], ['init', 1])],
]

/** The rule that a captured script shows. */
const ruleOf = ({ operations }: Question, trapped: boolean): string => {
  const has = (...some: ReadonlyArray<Verb>): boolean => operations.some(({ op }) => some.includes(op))
  return trapped
    ? 'mbarrier.trap'
    : has('arrive_drop')
      ? 'mbarrier.drop'
      : has('expect_tx', 'complete_tx', 'arrive_expect_tx')
        ? 'mbarrier.bytes'
        : 'mbarrier.parity'
}

function* cases(): Iterable<Case<Question>> {
  const tagged = (name: string, rule: string, q: Question): Case<Question> => ({
    name,
    rule,
    features: [
      'mbarrier',
      ...(q.operations.some(({ op }) => op.includes('tx')) ? (['transaction-count'] as const) : []),
      ...(E.isLeft(ask(q)) ? (['refusal'] as const) : []),
    ],
    question: q,
  })
  for (const { word, scripts } of rows)
    for (const [name, q] of scripts) yield tagged(`${word}-${name}`, `mbarrier.${word}`, q)
  for (const word of ['parity', 'bytes', 'drop'])
    for (const [k, q] of drawn(questions(`mbarrier.${word}`), 8).entries())
      yield tagged(`${word}-random-${String(k)}`, `mbarrier.${word}`, q)
  for (const [name, q] of shortScripts) yield tagged(`short-${name}`, 'mbarrier.short', q)
  for (const [name, q] of lives) yield tagged(`life-${name}`, 'mbarrier.life', q)
  for (const [k, q] of capturedScripts.entries()) {
    const answered = ask(q)
    yield tagged(`captured-${String(k)}`, ruleOf(q, E.isRight(answered) && answered.right.trap !== null), q)
  }
}

export const mbarrierSuite: Suite = suite({
  name: 'mbarrier',
  arch: 'any',
  profile: 'synchronisation',
  title: 'Scripts of one mbarrier: phases, parities, bytes, traps',
  rules: [
    ...rows.map(({ word, says }) => ({
      id: `mbarrier.${word}`,
      says,
      source: 'PTX ISA, mbarrier; sequences captured on an H100',
      fidelity: 'silicon' as const,
    })),
    {
      id: 'mbarrier.short',
      says: 'Every script of three operations of one arrival or 16 bytes, on a barrier that counts 1 or 2',
      source: 'PTX ISA, mbarrier: phases, counts and what completes a phase',
      fidelity: 'documented',
    },
    {
      id: 'mbarrier.life',
      says: 'Initialising a barrier again resets its phase, its arrivals and its bytes; between inval and init nothing else is defined',
      source: 'PTX ISA, mbarrier.inval, mbarrier.init',
      fidelity: 'documented',
    },
  ],
  question,
  answer,
  ask,
  // the script up to the first operation after which something is wrong
  projected: (q, expected, got) => {
    const at = expected.steps.findIndex((step, i) => !sameJson(step, got.steps[i]))
    // `inval` has no step, and the initialisation has the first
    const stepping = q.operations.flatMap(({ op }, i) => (op === 'inval' ? [] : [i + 1]))
    const length = at === 0 ? 0 : stepping[at - 1]
    return at < 0 || length === undefined || length >= q.operations.length
      ? null
      : { count: q.count, operations: q.operations.slice(0, length) }
  },
  cases,
  questions,
})
