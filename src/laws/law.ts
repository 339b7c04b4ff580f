/**
 * Laws: what an implementation of your own has to satisfy, as data.
 *
 * A law has a name, a statement, and a check that takes the *subject*, a record of functions, and says either how much evidence there
 * is or where the law fails. A kit is a list of laws about one kind of subject.
 *
 *     const report = checkLaws(swizzleLaws(128))({ apply: mySwizzle })
 *     report.broken[0]   // { law: 'swizzle.bijection', input: 'bytes 128 and 144', expected: 'two addresses', found: '144 for both' }
 *
 * A law about every point of a finite set is checked on all of them when there are at most 2^18, and on a thousand drawn by fast-check
 * otherwise; a failure found by drawing is shrunk. A function that throws breaks the law that called it. Nothing here throws.
 *
 * `describeLaws` hands the laws of a kit to a test runner, one test each: it takes the runner's `test`, so it depends on none.
 *
 * Laws
 * 1. A report mentions every law of the kit exactly once.
 * 2. An exhaustive law that fails fails at the first point; one that holds counts all points.
 */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

// ---------------------------------------------------------------------------------------------- model

/** Where a law fails. */
export interface Counterexample {
  readonly law: string
  readonly statement: string
  readonly input: string
  readonly expected: string
  readonly found: string
}

/** The evidence for a law: all points, or drawn ones; `absent` if the subject lacks the function that the law
 * is about. */
export interface Evidence {
  readonly law: string
  readonly method: 'exhaustion' | 'property' | 'absent'
  readonly cases: number
}

export interface Law<Subject> {
  readonly id: string
  readonly statement: string
  readonly check: (subject: Subject) => E.Either<Counterexample, Evidence>
}

export interface Kit<Subject> {
  readonly name: string
  readonly laws: ReadonlyArray<Law<Subject>>
}

export interface Report {
  readonly kit: string
  readonly held: ReadonlyArray<Evidence>
  readonly broken: ReadonlyArray<Counterexample>
}

/** What was wrong at one point. */
export interface Fault {
  readonly expected: string
  readonly found: string
  /** Details, if the point alone does not show the fault. */
  readonly input?: string
}

/** A finite set, listed. */
export interface Domain<X> {
  readonly size: number
  readonly at: (position: number) => X
  readonly show: (point: X) => string
}

// ------------------------------------------------------------------------------------------- judgements

const limit = 2 ** 18
const runs = 1_000
const seed = 20

/** `[1, 2]`, `{"lane":3}`, `undefined`: any value on one line. */
export const show = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** Equal numbers, or lists of equal things of equal length. */
export const same = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((entry, k) => same(entry, b[k]))
    : a === b

/** Compares a value with the expected one. */
export const expectSame = (expected: unknown, found: unknown): Fault | null =>
  same(expected, found) ? null : { expected: show(expected), found: show(found) }

/** Checks a condition; the fault has `expected`, which says what should hold. */
export const expectThat = (holds: boolean, expected: string, found: unknown): Fault | null =>
  holds ? null : { expected, found: show(found) }

export const numbers = (size: number, name: string): Domain<number> => ({
  size,
  at: (position) => position,
  show: (point) => `${name} ${String(point)}`,
})

// ---------------------------------------------------------------------------------------- constructors

/** What the subject's functions throw is what was found. */
const guarded = (judge: () => Fault | null): Fault | null =>
  pipe(
    E.tryCatch(judge, (error): Fault => ({ expected: 'a value', found: `threw ${String(error)}` })),
    E.getOrElse<Fault, Fault | null>((fault) => fault),
  )

/**
 * A law about every point of a domain. `judge` is made anew for each check, so it may remember points that it has seen, but only
 * where `wholly` says that all are judged in order. Returns null where the subject lacks what the law is about.
 */
export const forAll = <Subject, X>(
  id: string,
  statement: string,
  domain: Domain<X>,
  judge: (subject: Subject) => ((point: X) => Fault | null) | null,
  wholly: 'each' | 'wholly' = 'each',
): Law<Subject> => ({
  id,
  statement,
  check: (subject) => {
    const judged = judge(subject)
    if (judged === null) return E.right({ law: id, method: 'absent', cases: 0 })
    const faultAt = (position: number): Fault | null => guarded(() => judged(domain.at(position)))
    const broken = (position: number, fault: Fault): E.Either<Counterexample, never> =>
      E.left({
        law: id,
        statement,
        input: fault.input ?? domain.show(domain.at(position)),
        expected: fault.expected,
        found: fault.found,
      })
    if (wholly === 'wholly' || domain.size <= limit) {
      let position = 0
      // One guard around the loop: one for each point would cost more than the points.
      const fault = guarded(() => {
        for (; position < domain.size; position++) {
          const wrong = judged(domain.at(position))
          if (wrong !== null) return wrong
        }
        return null
      })
      return fault === null
        ? E.right({ law: id, method: 'exhaustion', cases: domain.size })
        : broken(position, fault)
    }
    const { counterexample } = fc.check(
      fc.property(fc.nat(domain.size - 1), (position) => faultAt(position) === null),
      { seed, numRuns: runs },
    )
    const position = counterexample?.[0]
    const fault = position === undefined ? null : faultAt(position)
    return position === undefined || fault === null
      ? E.right({ law: id, method: 'property', cases: runs })
      : broken(position, fault)
  },
})

/** A law about drawn points. */
export const forDrawn = <Subject, X>(
  id: string,
  statement: string,
  drawn: fc.Arbitrary<X>,
  showPoint: (point: X) => string,
  judge: (subject: Subject) => ((point: X) => Fault | null) | null,
): Law<Subject> => ({
  id,
  statement,
  check: (subject) => {
    const judged = judge(subject)
    if (judged === null) return E.right({ law: id, method: 'absent', cases: 0 })
    const faultAt = (point: X): Fault | null => guarded(() => judged(point))
    const { counterexample } = fc.check(
      fc.property(drawn, (point) => faultAt(point) === null),
      { seed, numRuns: runs },
    )
    const point = counterexample?.[0]
    const fault = point === undefined ? null : faultAt(point)
    return point === undefined || fault === null
      ? E.right({ law: id, method: 'property', cases: runs })
      : E.left({
          law: id,
          statement,
          input: fault.input ?? showPoint(point),
          expected: fault.expected,
          found: fault.found,
        })
  },
})

// ----------------------------------------------------------------------------------------- destructors

/**
 * Every law of the kit on one subject.
 *
 * @example
 * ```ts
 * import { checkLaws, swizzleLaws } from 'tensorcore-spec/laws'
 *
 * const { broken } = checkLaws(swizzleLaws(128))({ apply: (byte) => byte })
 * console.log(broken[0]?.law) // swizzle.definition
 * ```
 */
export const checkLaws =
  <Subject>(kit: Kit<Subject>) =>
  (subject: Subject): Report => {
    const held: Evidence[] = []
    const broken: Counterexample[] = []
    for (const law of kit.laws) {
      const result = law.check(subject)
      if (E.isLeft(result)) broken.push(result.left)
      else held.push(result.right)
    }
    return { kit: kit.name, held, broken }
  }

export const showCounterexample = (c: Counterexample): string =>
  `${c.law}: ${c.statement}\n  at ${c.input}: expected ${c.expected}, found ${c.found}`

/**
 * One line for each law that holds, two for a broken one.
 *
 * @example
 * ```ts
 * import { checkLaws, showReport, swizzleLaws } from 'tensorcore-spec/laws'
 *
 * const report = checkLaws(swizzleLaws(16))({ apply: (byte) => byte })
 * console.log(showReport(report).split('\n')[0]) // swizzle of 16 bytes: 7 of 7 laws hold
 * ```
 */
export const showReport = (report: Report): string => {
  const held = report.held.filter(({ method }) => method !== 'absent').length
  const total = held + report.broken.length
  return [
    `${report.kit}: ${String(held)} of ${String(total)} laws hold`,
    ...report.held.map(({ law, method, cases }) =>
      method === 'absent'
        ? `  -   ${law}: nothing to check`
        : `  ok  ${law}: ${method}, ${String(cases)} cases`,
    ),
    ...report.broken.map((c) => `  NO  ${showCounterexample(c).replace('\n', '\n    ')}`),
  ].join('\n')
}

/** The part of a test runner that is needed: vitest's, jest's, mocha's and node's `test` all have it. */
export type RegisterTest = (name: string, body: () => Promise<void>) => unknown

/** One test for each law; a broken one fails with its counterexample. */
export const describeLaws = <Subject>(test: RegisterTest, kit: Kit<Subject>, subject: Subject): void => {
  for (const law of kit.laws)
    test(`${kit.name}, ${law.id}: ${law.statement}`, () => {
      const result = law.check(subject)
      return E.isLeft(result) ? Promise.reject(new Error(showCounterexample(result.left))) : Promise.resolve()
    })
}
