/**
 * Mending: the program with the edge that a finding says is missing.
 *
 * The inverse of a mutation that leaves a statement out. What the edge can be in the program is tried, the likeliest first (`candidates.ts`), and the verdict
 * of each is asked for: the first with which the program is ok is taken, else the first with which the finding is gone and no other has come. So what was added is
 * right because it was judged, and not because it was guessed.
 *
 *     zoo/R1   R1: a wait for generation 0 of full@0 before `read s`        mbarrier.wait @full parity=0 before `read s` of consumer: ok
 *     zoo/D3   D3: nothing orders clusters                                  refused: no statement mends it
 *
 * Laws
 * 1. The mended program is ok, or its verdict has neither the finding nor one that was not there; anything else is refused.
 * 2. Statements, and barriers of their own, are added and nothing else is touched; `in place of` says so where an arrive, a wait or an announcement becomes another one, `moved` where it is moved.
 * 3. It is a function of the program, the finding and the judgement.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import { readBarrierName } from '../log/barrier-name.js'
import type { Diagnosis, Finding } from '../judging/finding.js'
import type { Program } from '../language/program.js'
import { startingAgents } from '../language/validate.js'
import type { Checked } from '../verdict/check.js'
import { candidates, type Sides } from './candidates.js'
import { withEdge, type Added } from './edge.js'
import { placesIn, statementsAt } from './where.js'

// ---------------------------------------------------------------- model

/**
 * | code             | why nothing was added                                                          |
 * |------------------|--------------------------------------------------------------------------------|
 * | mend.unknown     | the missing edge was not looked for: it is of the first findings, in runs that are not too long |
 * | mend.statement   | the finding is of no statement of the program                                  |
 * | mend.no-edge     | what is wrong is no order: other bytes, another count, one statement less      |
 * | mend.not-found   | with every edge that was tried the finding stays, or another comes             |
 */
export type MendCode = 'mend.unknown' | 'mend.statement' | 'mend.no-edge' | 'mend.not-found'

export interface Mending {
  readonly program: Program
  readonly added: ReadonlyArray<Added>
  /** of the mended program */
  readonly checked: Checked
  /** edges that were judged */
  readonly tried: number
}

/** The judgement of another program, as that of this one was made. */
export type Judge = (program: Program) => E.Either<Failure, Checked>

// ---------------------------------------------------------------- what has changed

const nameOf = (f: Finding): string =>
  [f.id, f.a.agent, f.a.site, f.b?.agent ?? '', f.b?.site ?? ''].join('|')

const all = ({ verdict }: Checked): ReadonlyArray<Finding> => [...verdict.findings, ...verdict.notes]

const isDecided = ({ verdict: { verdict } }: Checked): boolean =>
  verdict !== 'undecided' && verdict !== 'out-of-fuel' && verdict !== 'invalid'

/** Is the program ok, or else the finding gone, and has no other come? */
export const isBetter = (before: Checked, finding: Finding, after: Checked): boolean => {
  if (after.verdict.verdict === 'ok') return true
  const known = new Set(all(before).map(nameOf))
  const left = all(after).map(nameOf)
  return (
    !left.includes(nameOf(finding)) &&
    left.every((name) => known.has(name)) &&
    (isDecided(after) || after.verdict.verdict === before.verdict.verdict)
  )
}

// ---------------------------------------------------------------- the search

/** Edges that are judged, and those that are judged behind one that is better: one that is ok may follow. */
const mostTried = 96
const mostBehind = 8

const sidesOf = (program: Program, { world }: Checked, finding: Diagnosis): Sides => {
  const places = placesIn(program)
  return {
    finding,
    places,
    a: statementsAt(places, finding.a),
    b: finding.b === undefined ? [] : statementsAt(places, finding.b),
    barrier: (number) => {
      const name = world.header.barriers[number]?.name
      if (name === undefined) return null
      const { storage, index } = readBarrierName(name)
      return { storage, index: index === '' ? 0 : Number(index) }
    },
    starting: startingAgents(program).map((agent) => agent.name),
  }
}

/** The program with the missing edge of a finding of its judgement. */
export const mended = (
  program: Program,
  before: Checked,
  finding: Diagnosis,
  judge: Judge,
): E.Either<Failure<MendCode>, Mending> => {
  const { missing } = finding
  if (missing === undefined)
    return refuse(
      'mend.unknown',
      `${program.name}: no edge is known to be missing for ${finding.id}: tcspec looks for one only between unordered operations, for the first findings of a short run`,
    )
  const sides = sidesOf(program, before, finding)
  if (sides.a.length === 0 || (finding.b !== undefined && sides.b.length === 0))
    return refuse(
      'mend.statement',
      `${program.name}: ${finding.id} is of \`${(sides.a.length === 0 ? finding.a : (finding.b ?? finding.a)).site}\`, which is not a statement of the program`,
    )
  let best: Mending | null = null
  // where no more is known than before, what is decided is better
  let open: Mending | null = null
  let nearest: Checked | null = null
  let tried = 0
  let since = 0
  for (const edge of candidates(sides)) {
    if (tried === mostTried || since === mostBehind) break
    const made = withEdge(program, edge)
    if (E.isLeft(made)) continue
    const judged = judge(made.right.program)
    if (E.isLeft(judged)) continue
    tried++
    if (best !== null) since++
    const checked = judged.right
    if (!isBetter(before, finding, checked)) {
      nearest ??= checked
      continue
    }
    const found: Mending = { program: made.right.program, added: made.right.added, checked, tried }
    if (checked.verdict.verdict === 'ok') return E.right(found)
    if (isDecided(checked)) best ??= found
    else open ??= found
  }
  const found = best ?? open
  if (found !== null) return E.right(found)
  if (nearest === null)
    return refuse(
      'mend.no-edge',
      `${program.name}: no statement that could be added fixes ${finding.id}; the fix is: ${missing.text}`,
    )
  return refuse(
    'mend.not-found',
    `${program.name}: ${tried === 1 ? 'one edge was' : `${String(tried)} edges were`} tried for ${finding.id}, and with none of them is it gone without another in its place; with the first the verdict is ${nearest.verdict.verdict}`,
  )
}
