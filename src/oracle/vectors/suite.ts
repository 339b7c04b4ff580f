/**
 * Suites: questions that any back end can be asked, and what the specification answers.
 *
 * A suite is the form of a question, the form of its answer, the function that answers it by the library's own definitions, and its cases. A case
 * is a question with a name that stays; what is expected of it is never written down by hand: it is what `ask` says. A question that the
 * specification refuses is a case too, and its answer is the stable code of the refusal.
 *
 *     suite swizzle   question  {"dtype": "f16", "shape": [8, 64], "tile": null, "swizzle": 128, "base": 0}
 *                     answer    {"addresses": {"dtype": "u32", "shape": [8, 64], "bits": [0, 2, 4, ...]}}
 *                     question  {"dtype": "f16", "shape": [8, 32], "tile": null, "swizzle": 128, "base": 0}
 *                     refused   "swizzle.minor-dimension"
 *
 * One suite has three readers: `tcspec vectors` writes its cases to files, `tcspec score` asks another back end its cases and random questions
 * about each rule, `tcspec serve` answers it as the method `ask/SUITE`.
 *
 * Tensors travel as `{dtype, shape, bits}`: one pattern an element, row-major, an integer of 0 or more. What has more than 32 bits (descriptors, sums of
 * bytes) is hexadecimal text.
 *
 * Laws
 * 1. `cases()` is the same list every time; its names are distinct and legal names of files; each rule of the suite has a case.
 * 2. The question of a case and the questions of `questions(rule)` satisfy `question`; what `ask` answers satisfies `answer`.
 * 3. A projected question is about one element or step, and what is expected of it is what was expected there.
 * 4. `ask` answers any JSON: what is no question is refused with the code `question`.
 * 5. Smaller questions satisfy `question`, and have fewer patterns or fewer that are not 0.
 */
import type { Arbitrary } from 'fast-check'
import { constantFrom, sample } from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, unreachable, type Failure } from '../../failure.js'
import type { Dtype } from '../../numerics/dtype.js'
import { dtypes } from '../../numerics/dtype.js'
import { sizeOf } from '../../transforms/shape.js'
import {
  anything,
  decode,
  integer,
  list,
  nat,
  oneOf,
  record,
  refined,
  type AnyWire,
  type Json,
  type Wire,
} from '../../wire.js'

// ---------------------------------------------------------------- model

export const arches = ['any', 'sm_90a', 'sm_100a'] as const
export type Arch = (typeof arches)[number]

export const profiles = ['layouts', 'arithmetic', 'synchronisation', 'kernels'] as const
export type Profile = (typeof profiles)[number]

/** How a statement is known: see the README. */
export type Fidelity = 'silicon' | 'documented' | 'model'

/** What a back end must know to be asked: a runner leaves out by these. */
export const features = [
  'refusal',
  'swizzle',
  'sub-byte',
  'tile',
  'tma',
  'gather4',
  'scatter4',
  'reduction',
  'element-strides',
  'out-of-bounds',
  'wgmma',
  'tcgen05',
  'tensor-memory',
  'descriptor',
  'register-layout',
  'linear-layout',
  'cute',
  'banks',
  'mbarrier',
  'transaction-count',
  'tf32',
  'bf16',
  'fp8',
  'fp4',
  'int8',
  'block-scaled',
  'sparse',
  'subnormals',
  'special-function',
  'conversion',
  'cluster',
  'hazard',
  'memory-model',
  'ptx',
] as const
export type Feature = (typeof features)[number]

/** What a case is held to: one sentence of the specification. */
export interface Rule {
  /** `SUITE.WORD`, which stays */
  readonly id: string
  readonly says: string
  /** where it is written, or what was measured */
  readonly source: string
  readonly fidelity: Fidelity
}

export interface Case<Q> {
  readonly name: string
  /** id of a rule of the suite */
  readonly rule: string
  readonly features: ReadonlyArray<Feature>
  readonly question: Q
}

/** A suite as it is written. */
export interface Definition<Q, A> {
  readonly name: string
  readonly arch: Arch
  readonly profile: Profile
  readonly title: string
  readonly rules: ReadonlyArray<Rule>
  readonly question: Wire<Q>
  readonly answer: Wire<A>
  /** Left is a refusal, and its code is what is expected. */
  readonly ask: (question: Q) => E.Either<Failure, A>
  readonly cases: () => Iterable<Case<Q>>
  /** Random questions about one rule, which shrink; those of its cases if not given. */
  readonly questions?: (rule: string) => Arbitrary<Q>
  /** Is this answer as good as the expected one? Equal as JSON if not given. */
  readonly same?: (expected: A, got: A) => boolean
  /** The question about the first element alone that is wrong; null: there is no smaller one. */
  readonly projected?: (question: Q, expected: A, got: A) => Q | null
  /** Questions of the same kind with less in them, the least first; none if not given. */
  readonly smaller?: (question: Q) => Iterable<Q>
}

/** A suite as it is read: its questions and answers are JSON. */
export interface Suite {
  readonly name: string
  readonly arch: Arch
  readonly profile: Profile
  readonly title: string
  readonly rules: ReadonlyArray<Rule>
  readonly question: AnyWire
  readonly answer: AnyWire
  readonly ask: (question: unknown) => E.Either<Failure, Json>
  readonly cases: () => Iterable<Case<Json>>
  readonly questions: (rule: string) => Arbitrary<Json>
  readonly same: (expected: Json, got: unknown) => boolean
  /** The question about the first element alone that is wrong; null: there is no smaller one. */
  readonly projected: (question: Json, expected: Json, got: unknown) => Json | null
  /** Questions of the same kind with less in them, the least first. */
  readonly smaller: (question: Json) => Iterable<Json>
}

// ---------------------------------------------------------------- tensors

/** A tensor in JSON: patterns of at most 32 bits, row-major. */
export interface Tensor {
  readonly dtype: Dtype
  readonly shape: ReadonlyArray<number>
  readonly bits: ReadonlyArray<number>
}

/** Elements of a tensor of a question: more are refused before anything is allocated. */
export const mostElements: number = 2 ** 20

/** Is a tensor of this shape small enough to be asked about? */
export const isSmall = (shape: ReadonlyArray<number>): boolean => sizeOf(shape) <= mostElements

export const tensorWire: Wire<Tensor> = refined(
  record<Tensor>()('a tensor', { dtype: oneOf(...dtypes), shape: list(nat), bits: list(nat) }, {}),
  'a pattern for every element of the shape',
  (t): t is Tensor => t.bits.length === sizeOf(t.shape),
)

/** Is this JSON a tensor? What is written to a directory puts large ones into files of their own. */
export const isTensor = (json: Json): boolean => tensorWire.codec.is(json)

/** Where two tensors of one shape differ first; null: nowhere, or their shapes do. */
export const firstWrong = (expected: Tensor, got: Tensor): number | null => {
  const at = expected.bits.findIndex((pattern, i) => pattern !== got.bits[i])
  return at < 0 || expected.bits.length !== got.bits.length ? null : at
}

/** Some elements of a tensor, as one of another shape. */
export const picked = (
  from: Tensor,
  shape: ReadonlyArray<number>,
  places: ReadonlyArray<number>,
): Tensor => ({
  dtype: from.dtype,
  shape,
  bits: places.map((at) => from.bits[at] ?? unreachable('an element of the tensor is picked')),
})

/** Of so many in a row: those that stay where a part is left out, the largest part first. */
export const fewer = function* (count: number): Iterable<ReadonlyArray<number>> {
  const all = Array.from({ length: count }, (_, p) => p)
  for (let part = Math.ceil(count / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
    for (let from = 0; from < count; from += part) {
      const stay = all.filter((p) => p < from || p >= from + part)
      if (stay.length > 0) yield stay
    }
}

/** The same with zeros in some places; null: they are there already. */
export const zeroed = (from: Tensor, stays: (place: number) => boolean): Tensor | null =>
  from.bits.every((pattern, at) => stays(at) || pattern === 0)
    ? null
    : { dtype: from.dtype, shape: from.shape, bits: from.bits.map((p, at) => (stays(at) ? p : 0)) }

/** Integers of 0 or more, such as byte addresses. */
export const tensorOf = (
  dtype: Dtype,
  shape: ReadonlyArray<number>,
  patterns: ArrayLike<number>,
): Tensor => ({ dtype, shape, bits: Array.from(patterns) })

/** Integers, of which those below 0 are patterns of 32 bits. */
export const integersOf = (shape: ReadonlyArray<number>, values: ArrayLike<number>): Tensor =>
  tensorOf(
    'i32',
    shape,
    Array.from(values, (value) => value >>> 0),
  )

/** A shape whose extents are 1 or more, and few elements. */
export const smallShape: Wire<ReadonlyArray<number>> = refined(
  list(integer),
  `extents of 1 or more, of at most ${String(mostElements)} elements`,
  (shape): shape is ReadonlyArray<number> => shape.every((extent) => extent >= 1) && isSmall(shape),
)

// ---------------------------------------------------------------- constructors

const isObject = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null

/** Equal as JSON; keys stand in any order. */
export const sameJson = (a: unknown, b: unknown): boolean => {
  if (!isObject(a) || !isObject(b)) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  )
}

/** Data of a suite is JSON by its form. */
const json = (data: unknown): Json =>
  anything.codec.is(data) ? data : unreachable('a form of questions or answers has no undefined')

export type QuestionFailure = Failure<'question'>

/** A question that no chip has an answer for, though its form is right. */
export const noQuestion = (message: string): E.Either<QuestionFailure, never> => refuse('question', message)

/** The suite of a definition. */
export const suite = <Q, A>(of: Definition<Q, A>): Suite => {
  const { same = sameJson } = of
  const casesOf = (rule: string): ReadonlyArray<Q> =>
    [...of.cases()].filter((one) => one.rule === rule).map(({ question }) => question)
  return {
    name: of.name,
    arch: of.arch,
    profile: of.profile,
    title: of.title,
    rules: of.rules,
    question: of.question,
    answer: of.answer,
    ask: (question) => pipe(decode(of.question, 'question')(question), E.chainW(of.ask), E.map(json)),
    cases: function* () {
      for (const { name, rule, features: tags, question } of of.cases())
        yield { name, rule, features: tags, question: json(question) }
    },
    questions: (rule) => (of.questions?.(rule) ?? constantFrom(...casesOf(rule))).map(json),
    same: (expected, got) => of.answer.codec.is(expected) && of.answer.codec.is(got) && same(expected, got),
    projected: (asked, expected, got) => {
      if (of.projected === undefined) return null
      if (!of.question.codec.is(asked) || !of.answer.codec.is(expected) || !of.answer.codec.is(got))
        return null
      const smaller = of.projected(asked, expected, got)
      return smaller === null ? null : json(smaller)
    },
    smaller: function* (asked) {
      if (of.smaller === undefined || !of.question.codec.is(asked)) return
      for (const q of of.smaller(asked)) yield json(q)
    },
  }
}

/** Some of the questions that the random ones of a rule are, the same ones every time. */
export const drawn = <Q>(questions: Arbitrary<Q>, count: number): ReadonlyArray<Q> =>
  sample(questions, { seed: 1, numRuns: count })
