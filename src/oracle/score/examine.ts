/**
 * An examination: a back end is asked every case of the suites, then random questions about each rule, and its replies are judged.
 *
 * | expected  | reply          | verdict |
 * |-----------|----------------|---------|
 * | an answer | an equal one   | pass    |
 * | an answer | another        | fail    |
 * | an answer | a refusal      | fail    |
 * | a refusal | a refusal      | pass: its code is the back end's own |
 * | a refusal | an answer      | fail    |
 * | anything  | a skip         | skip    |
 * | anything  | a fault        | fail    |
 *
 * Of each rule that fails, one question is shown: fast-check shrinks the random ones that fail, and the smaller of the result and the case that failed first
 * is taken. A case of many elements is projected onto the first that is wrong, if that is still wrong when it is asked for alone. What is left of both is
 * asked with less in it, such as fewer products of a sum, as long as that is still wrong. Random questions are the same for the same seed.
 *
 * Laws
 *  1. the reference passes everything: a back end whose reply to `q` is what `ask(q)` says fails nowhere
 *  2. a rule of which no case was asked is a skip, never a pass
 *  3. what is shown of a rule fails when it is asked again, if the back end answers equal questions equally
 */
import { asyncProperty, check, pre } from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Json } from '../../wire.js'
import type { Case, Fidelity, Rule, Suite } from '../vectors/suite.js'
import type { BackEnd, Reply } from './back-end.js'
import { firstDifference, showDifference, weight } from './difference.js'

// ---------------------------------------------------------------- model

export type Verdict =
  { readonly _tag: 'pass' } | { readonly _tag: 'skip' } | { readonly _tag: 'fail'; readonly why: string }

/** The question that is shown of a rule that fails. */
export interface Shown {
  readonly question: Json
  /** what the specification answers */
  readonly expected: Json
  readonly why: string
  /** the case that failed first; null: only random questions failed */
  readonly case: string | null
}

/** What became of a rule. */
export interface Marked {
  readonly suite: string
  readonly rule: string
  readonly says: string
  readonly source: string
  readonly fidelity: Fidelity
  /** of its cases and its random questions */
  readonly pass: number
  readonly fail: number
  readonly skip: number
  readonly shown: Shown | null
}

export interface Asking {
  /** random questions about each rule */
  readonly random: number
  readonly seed: number
  /** questions that are asked at a time */
  readonly window: number
  readonly leaveOut: (one: Case<Json>) => boolean
  readonly progress: (done: number, of: number) => void
}

// ---------------------------------------------------------------- judging

const expectedOf = (suite: Suite, question: Json): Json => {
  const expected = suite.ask(question)
  return E.isRight(expected) ? { answer: expected.right } : { refused: expected.left.code }
}

export const judge = (suite: Suite, question: Json, reply: Reply): Verdict => {
  // what was not answered is held against nothing: some references take their time
  if (reply._tag === 'Skip') return { _tag: 'skip' }
  if (reply._tag === 'Fault') return { _tag: 'fail', why: reply.message }
  const expected = suite.ask(question)
  switch (reply._tag) {
    case 'Refusal':
      return E.isLeft(expected)
        ? { _tag: 'pass' }
        : { _tag: 'fail', why: `expected an answer, found a refusal: ${reply.code}: ${reply.message}` }
    case 'Answer':
      if (E.isLeft(expected))
        return { _tag: 'fail', why: `expected a refusal (${expected.left.code}), found an answer` }
      if (suite.same(expected.right, reply.answer)) return { _tag: 'pass' }
      return { _tag: 'fail', why: difference(expected.right, reply.answer) }
  }
}

/** Answers that are not equal by the suite may be equal as JSON: then their form is wrong somewhere. */
const difference = (expected: Json, found: unknown): string => {
  const first = firstDifference(expected, found)
  return first === null ? 'expected an answer of this form' : showDifference(first)
}

// ---------------------------------------------------------------- asking

interface Tally {
  pass: number
  fail: number
  skip: number
  first: Failed | null
}

interface Wrong {
  readonly question: Json
  readonly why: string
  readonly reply: Reply
}

/** The first case of a rule that fails. */
interface Failed extends Wrong {
  readonly name: string
}

/** Every item through `ask`, at most `window` at a time, in any order. */
const windowed = async <A>(
  items: ReadonlyArray<A>,
  window: number,
  ask: (item: A) => Promise<void>,
): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) await ask(items[i]!)
  }
  await Promise.all(Array.from({ length: Math.min(window, items.length) }, lane))
}

/** A case that fails, about one element if that fails alone, too. */
const focused = async (suite: Suite, backEnd: BackEnd, failed: Failed): Promise<Failed> => {
  const expected = suite.ask(failed.question)
  if (failed.reply._tag !== 'Answer' || E.isLeft(expected)) return failed
  const question = suite.projected(failed.question, expected.right, failed.reply.answer)
  if (question === null) return failed
  const reply = await backEnd.ask(suite.name, question)
  const verdict = judge(suite, question, reply)
  return verdict._tag === 'fail' ? { name: failed.name, question, why: verdict.why, reply } : failed
}

/** Smaller questions that one that fails may cost. */
const mostSmaller = 300

/** A question that fails with as little in it as still fails. What was not answered is not asked again. */
const narrowed = async (suite: Suite, backEnd: BackEnd, wrong: Wrong): Promise<Wrong> => {
  let best = wrong
  let left = mostSmaller
  for (let again = wrong.reply._tag === 'Answer'; again;) {
    again = false
    for (const question of suite.smaller(best.question)) {
      if (left-- <= 0) return best
      const reply = await backEnd.ask(suite.name, question)
      if (reply._tag === 'Fault') return best
      const verdict = judge(suite, question, reply)
      if (verdict._tag !== 'fail') continue
      best = { question, why: verdict.why, reply }
      again = true
      break
    }
  }
  return best
}

/** Questions that fast-check may ask to shrink one that fails: each is asked at most this many times the random ones. */
const patience = 40

/** Questions that may be skipped for each that is to be answered: a rule has forms of which a back end may know one. */
const skipped = 10

/** A random question that fails, shrunk; null if none does. Counts those that it asks on its way there. */
const searched = async (
  suite: Suite,
  rule: Rule,
  backEnd: BackEnd,
  asking: Asking,
  tally: Tally,
): Promise<Wrong | null> => {
  let found: Wrong | null = null
  let left = asking.random * patience
  await check(
    asyncProperty(suite.questions(rule.id), async (question) => {
      // a search that has no patience left takes what it has
      if (left-- <= 0) return true
      const reply = await backEnd.ask(suite.name, question)
      const verdict = judge(suite, question, reply)
      if (found === null || verdict._tag === 'skip') tally[verdict._tag]++
      // what is skipped is not one of the random questions: another is asked instead
      pre(verdict._tag !== 'skip')
      if (verdict._tag !== 'fail') return true
      found = { question, why: verdict.why, reply }
      return false
    }),
    { seed: asking.seed, numRuns: asking.random, maxSkipsPerRun: skipped },
  )
  return found
}

/** Asks one suite. */
export const examine = async (
  suite: Suite,
  backEnd: BackEnd,
  asking: Asking,
): Promise<ReadonlyArray<Marked>> => {
  const cases = [...suite.cases()].filter((one) => !asking.leaveOut(one))
  const tallies = new Map<string, Tally>(
    suite.rules.map(({ id }) => [id, { pass: 0, fail: 0, skip: 0, first: null }]),
  )
  const of = cases.length + suite.rules.length
  let done = 0
  await windowed(cases, asking.window, async ({ name, rule, question }) => {
    const reply = await backEnd.ask(suite.name, question)
    const verdict = judge(suite, question, reply)
    asking.progress(++done, of)
    const tally = tallies.get(rule)
    if (tally === undefined) return
    tally[verdict._tag]++
    if (verdict._tag === 'fail' && tally.first === null)
      tally.first = { name, question, why: verdict.why, reply }
  })
  const marked: Marked[] = []
  for (const rule of suite.rules) {
    const tally = tallies.get(rule.id)!
    const asked = tally.pass + tally.fail > 0 && backEnd.lost() === null
    const shrunk = asked && asking.random > 0 ? await searched(suite, rule, backEnd, asking, tally) : null
    asking.progress(++done, of)
    const first =
      tally.first === null || backEnd.lost() !== null
        ? tally.first
        : await focused(suite, backEnd, tally.first)
    const smaller = shrunk !== null && (first === null || weight(shrunk.question) < weight(first.question))
    const left: Wrong | null = smaller ? shrunk : first
    const chosen = left === null || backEnd.lost() !== null ? left : await narrowed(suite, backEnd, left)
    marked.push({
      suite: suite.name,
      rule: rule.id,
      says: rule.says,
      source: rule.source,
      fidelity: rule.fidelity,
      pass: tally.pass,
      fail: tally.fail,
      skip: tally.skip,
      shown:
        chosen === null
          ? null
          : {
              question: chosen.question,
              expected: expectedOf(suite, chosen.question),
              why: chosen.why,
              case: first === null ? null : first.name,
            },
    })
  }
  return marked
}
