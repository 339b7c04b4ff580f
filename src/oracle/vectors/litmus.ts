/**
 * The suite `litmus`: what a run may be said to have done wrong, from its log alone (`semantics/model`, docs/MemoryModel.md).
 *
 * The log is a litmus test, an event a line in the words of that page (`semantics/model/litmus.ts`). Asked are either its pairs of accesses, which a model in herd's
 * words or any race detector can say, or the run: the conditions under which one schedule stands for all, and what is left over at its end; or what strong accesses could have
 * found or left otherwise.
 *
 *     {"lines": ["T0: write x", "T1: read x"], "asks": "pairs", ...}      {"pairs": [{"a": 0, "b": 1, "is": "race"}], "nothing": []}
 *     {"lines": ["T0: write x", "T0: arrive b", "T1: wait b 0", "T1: read x"], "asks": "pairs", ...}   {"pairs": [], "nothing": []}
 *     {"lines": ["T0: issue #1 store", "#1: read x", "T0: commit bulk"], "asks": "run", ...}    {"conditions": ["C5"], "ends": ["U2"]}
 *     {"lines": ["T0: store s", "T1: load s"], "asks": "otherwise", ...}      {"older": [{"read": 1, "missed": 0}], "stale": [], "order": []}
 *
 * `a` and `b`, and what stands for an access there, are lines, counted from 0, in the order of the log; only pairs that are wrong are listed. Each clause of the model is a rule, whose cases are the test that
 * needs it, that test less one line, and that test under other options.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { ConditionName } from '../../semantics/judging/finding.js'
import { clauses, model, usual, type Clause, type Modelled } from '../../semantics/model/index.js'
import { litmusLog, type LitmusLog } from '../../semantics/model/litmus.js'
import type { PairKind } from '../../semantics/model/race.js'
import type { Touch } from '../../semantics/model/reading.js'
import { bool, either, list, nat, oneOf, record, text, wordOf, type Wire } from '../../wire.js'
import { sameJson, suite, type Case, type Feature, type Suite } from './suite.js'

// ---------------------------------------------------------------- question and answer

interface Question {
  readonly lines: ReadonlyArray<string>
  readonly asks: 'pairs' | 'run' | 'otherwise'
  /** by the manual's word: relaxed edges order no access */
  readonly strict: boolean
  /** a generic read before an asynchronous overwrite needs a proxy fence too */
  readonly strictProxies: boolean
  /** are products after products of one queue in order, or the pairs of the ISA alone? */
  readonly tensorPipe: 'issueOrder' | 'documented'
}

type Word = 'race' | 'not visible' | 'unfenced' | 'race of clusters' | 'any order'

interface Pair {
  readonly a: number
  readonly b: number
  readonly is: Word
}

type Answer =
  | {
      readonly pairs: ReadonlyArray<Pair>
      /** reads of bytes that nothing has written */
      readonly nothing: ReadonlyArray<number>
    }
  | {
      /** those that fail */
      readonly conditions: ReadonlyArray<ConditionName>
      /** ids of hazards, sorted */
      readonly ends: ReadonlyArray<string>
    }
  | {
      /** reads whose value only comes into memory, each with the newest write that it could have missed */
      readonly older: ReadonlyArray<{ readonly read: number; readonly missed: number }>
      /** reads that a branch depends on, with a write that they could have taken or missed */
      readonly stale: ReadonlyArray<{ readonly read: number; readonly write: number }>
      /** two writes of which the first could have been the later one */
      readonly order: ReadonlyArray<{ readonly first: number; readonly second: number }>
    }

const question: Wire<Question> = record<Question>()(
  'a litmus test',
  {
    lines: list(text),
    asks: oneOf<Question['asks']>('pairs', 'run', 'otherwise'),
    strict: bool,
    strictProxies: bool,
    tensorPipe: oneOf<Question['tensorPipe']>('issueOrder', 'documented'),
  },
  {},
)

const conditionNames = { C1: true, C2: true, C3: true, C4: true, C5: true, C6: true } as const
const conditions: ReadonlyArray<ConditionName> = ['C1', 'C2', 'C3', 'C4', 'C5', 'C6']

type OfPairs = Extract<Answer, { readonly pairs: unknown }>
type OfRun = Extract<Answer, { readonly ends: unknown }>
type Otherwise = Extract<Answer, { readonly stale: unknown }>

const answer: Wire<Answer> = either(
  'pairs, conditions and ends, or alternatives',
  either(
    'pairs, or conditions and ends',
    record<OfPairs>()(
      'pairs',
      {
        pairs: list(
          record<Pair>()(
            'a pair',
            {
              a: nat,
              b: nat,
              is: oneOf<Word>('race', 'not visible', 'unfenced', 'race of clusters', 'any order'),
            },
            {},
          ),
        ),
        nothing: list(nat),
      },
      {},
    ),
    record<OfRun>()(
      'conditions and ends',
      { conditions: list(wordOf<ConditionName>()(conditionNames)), ends: list(text) },
      {},
    ),
  ),
  record<Otherwise>()(
    'other values that could have been read or left',
    {
      older: list(record<Otherwise['older'][number]>()('a read and a write', { read: nat, missed: nat }, {})),
      stale: list(record<Otherwise['stale'][number]>()('a read and a write', { read: nat, write: nat }, {})),
      order: list(record<Otherwise['order'][number]>()('two writes', { first: nat, second: nat }, {})),
    },
    {},
  ),
)

const words: Readonly<Record<PairKind, Word>> = {
  race: 'race',
  visibility: 'not visible',
  unfenced: 'unfenced',
  foreign: 'race of clusters',
  anyOrder: 'any order',
}

const distinct = <A>(all: ReadonlyArray<A>, key: (a: A) => string): ReadonlyArray<A> => [
  ...new Map(all.map((a) => [key(a), a])).values(),
]

/** The line of an access. */
const lineIn =
  ({ log, lineOf }: LitmusLog, m: Modelled): ((t: Touch) => number) =>
  (t) => {
    const starts = [0, ...log.flatMap((e, i) => (i > 0 && e._tag === 'cluster' ? [i] : []))]
    const cluster = m.clusters.findIndex((c) => c.reading.touches.includes(t))
    return lineOf[(starts[cluster] ?? 0) + t.at] ?? -1
  }

const pairsOf = (test: LitmusLog, m: Modelled): Answer => {
  const line = lineIn(test, m)
  const pairs = m.clusters
    .flatMap((c) => c.found.pairs)
    .map(({ a, b, kind }): Pair => ({ a: line(a), b: line(b), is: words[kind] }))
    .sort((p, q) => p.a - q.a || p.b - q.b || (p.is < q.is ? -1 : 1))
  const nothing = m.clusters.flatMap((c) => c.found.nothing.map(line)).sort((p, q) => p - q)
  return {
    pairs: distinct(pairs, ({ a, b, is }) => `${String(a)} ${String(b)} ${is}`),
    nothing: distinct(nothing, String),
  }
}

/** Each once, by their lines. */
const sorted = <A extends object>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const key = (a: A): string =>
    Object.values(a)
      .map((n) => String(n).padStart(4, '0'))
      .join(' ')
  return [...distinct(all, key)].sort((x, y) => (key(x) < key(y) ? -1 : 1))
}

const otherwiseOf = (test: LitmusLog, m: Modelled): Answer => {
  const line = lineIn(test, m)
  const all = m.clusters.flatMap((c) => c.otherwise)
  return {
    older: sorted(
      all.flatMap((o) => (o._tag === 'older' ? [{ read: line(o.read), missed: line(o.missed) }] : [])),
    ),
    stale: sorted(
      all.flatMap((o) => (o._tag === 'stale' ? [{ read: line(o.read), write: line(o.write) }] : [])),
    ),
    order: sorted(
      all.flatMap((o) => (o._tag === 'order' ? [{ first: line(o.first), second: line(o.second) }] : [])),
    ),
  }
}

const runOf = (m: Modelled): Answer => ({
  conditions: conditions.filter(m.fails),
  ends: [
    ...new Set([
      ...m.clusters.flatMap((c) => [...c.left.map(({ id }) => id), ...c.misused.misuses.map(({ id }) => id)]),
      ...m.unwritten.map(() => 'O1'),
    ]),
  ].sort(),
})

/** The answer of the model without some of its clauses. */
export const litmusAnswer = (
  { lines, asks, strict, strictProxies, tensorPipe }: Question,
  leftOut: ReadonlyArray<string> = [],
): E.Either<Failure, Answer> =>
  pipe(
    litmusLog(lines),
    E.map((test) => {
      const said = model(test.header, test.log, { ...usual, strict, strictProxies, tensorPipe }, leftOut)
      switch (asks) {
        case 'pairs':
          return pairsOf(test, said)
        case 'run':
          return runOf(said)
        case 'otherwise':
          return otherwiseOf(test, said)
      }
    }),
  )

// ---------------------------------------------------------------- cases

const asking = (clause: Clause, lines: ReadonlyArray<string>, options: Partial<Question> = {}): Question => ({
  lines,
  asks: 'pairs',
  strict: clause.litmus.options?.strict ?? false,
  strictProxies: clause.litmus.options?.strictProxies ?? false,
  tensorPipe: clause.litmus.options?.tensorPipe ?? 'issueOrder',
  ...options,
})

/** The test of a clause: it is asked about the first of these that needs the clause. */
const testOf = (clause: Clause): Question => {
  const q = asking(clause, clause.litmus.log)
  const asked = (['pairs', 'run', 'otherwise'] as const).map((asks): Question => ({ ...q, asks }))
  return asked.find((one) => !sameJson(litmusAnswer(one), litmusAnswer(one, [clause.id]))) ?? q
}

const ruleOf = ({ id }: Clause): string => `litmus.${id}`

const tagsOf = (q: Question): ReadonlyArray<Feature> => [
  'memory-model',
  ...(q.lines.some((line) => / (arrive|wait|expect|bytes) [bcd]/.test(line)) ? (['mbarrier'] as const) : []),
  ...(q.lines.some((line) => / \+?\d+$/.test(line) && line.includes('bytes'))
    ? (['transaction-count'] as const)
    : []),
  ...(q.lines.some((line) => line.startsWith('U')) ? (['cluster'] as const) : []),
  ...(q.lines.some((line) => /#\d+ (mma|cp|shift|commit|ld|st)$/.test(line)) ? (['tcgen05'] as const) : []),
  ...(E.isLeft(litmusLog(q.lines)) ? (['refusal'] as const) : []),
]

const refusals: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<string>]> = [
  ['no-such-event', ['T0: write x', 'T0: bless x']],
  ['no-such-place', ['T0: write w']],
  ['no-such-parity', ['T0: arrive b', 'T1: wait b 2']],
  ['operation-not-issued', ['#1: write x']],
  ['operation-issued-twice', ['T0: issue #1 load', 'T0: issue #1 load']],
  ['operation-before-its-issue', ['#1: read x', 'T0: issue #1 store']],
  ['too-long', Array.from({ length: 129 }, () => 'T0: read x')],
]

function* cases(): Iterable<Case<Question>> {
  for (const clause of clauses) {
    const test = testOf(clause)
    const one = (name: string, asked: Question): Case<Question> => ({
      name: `${clause.id.toLowerCase()}${name}`,
      rule: ruleOf(clause),
      features: tagsOf(asked),
      question: asked,
    })
    yield one('', test)
    for (const k of test.lines.keys()) {
      const less: Question = { ...test, lines: test.lines.filter((_, i) => i !== k) }
      if (E.isRight(litmusLog(less.lines))) yield one(`-less-${String(k)}`, less)
    }
    yield one('-strict', { ...test, strict: true, strictProxies: true })
    if (clause.id === 'pipe') yield one('-documented', { ...test, tensorPipe: 'documented' })
  }
  for (const [name, lines] of refusals) {
    const asked: Question = {
      lines,
      asks: 'pairs',
      strict: false,
      strictProxies: false,
      tensorPipe: 'issueOrder',
    }
    yield { name: `refused-${name}`, rule: 'litmus.refused', features: tagsOf(asked), question: asked }
  }
}

// ---------------------------------------------------------------- random questions

/** What may come between the lines of a test. */
const between = [
  'T0: read x',
  'T0: write x',
  'T1: read x',
  'T1: write x',
  'T0: write g',
  'T1: read g',
  'T0: arrive b',
  'T1: wait b 0',
  'T1: wait b 0 relaxed',
  'T0: fence async',
  'T1: fence async',
  'T0, T1: meet',
  'T0: wait.group bulk 0',
] as const

/** Most lines of the test of a clause, and some others; fewer of both where it shrinks. */
const drawnOf = (clause: Clause): fc.Arbitrary<Question> => {
  const test = testOf(clause)
  return fc
    .tuple(
      fc.subarray([...test.lines], { minLength: Math.max(1, test.lines.length - 2) }),
      fc.array(fc.tuple(fc.nat(test.lines.length), fc.constantFrom(...between)), { maxLength: 3 }),
      fc.constantFrom(test.strict, true),
    )
    .map(([kept, more, strict]) => {
      const lines = [...kept]
      for (const [at, line] of more) lines.splice(Math.min(at, lines.length), 0, line)
      return { ...test, lines, strict }
    })
}

const questions = (rule: string): fc.Arbitrary<Question> => {
  const clause = clauses.find((one) => ruleOf(one) === rule)
  return clause === undefined
    ? fc.constantFrom(...refusals).map(([, lines]): Question => ({
        lines,
        asks: 'pairs',
        strict: false,
        strictProxies: false,
        tensorPipe: 'issueOrder',
      }))
    : drawnOf(clause)
}

export const litmusSuite: Suite = suite({
  name: 'litmus',
  arch: 'any',
  profile: 'synchronisation',
  title: 'Litmus tests of the memory model: races, invisible writes, conditions and ends of a log',
  rules: [
    ...clauses.map((clause) => ({
      id: ruleOf(clause),
      says: clause.says,
      source: clause.source,
      fidelity: clause.evidence,
    })),
    {
      id: 'litmus.refused',
      says: 'A line is an event in the words of the page, and an operation is issued once, before its accesses',
      source: 'docs/MemoryModel.md, the parts of a litmus test',
      fidelity: 'model',
    },
  ],
  question,
  answer,
  ask: (q) => litmusAnswer(q),
  cases,
  questions,
})
