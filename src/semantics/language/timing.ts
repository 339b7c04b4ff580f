/**
 * Timing: which control of a program can depend on how fast its agents are.
 *
 * Condition C1 asks that every agent is a function of the values it reads, and that those do not depend on timing. Race-free reads do not; three
 * results do: whether a barrier's phase is over (`mbarrier.test`), and what an atomic found (`smem.atomic`, `gmem.atomicPtr`: its return
 * order). A value made of such a result is *timed*; it stays so through lets, loops, branches and captures. A timed value may be computed with, but
 * nothing may act on it: no branch, no bound of a loop, no operand of an instruction. A test that passes orders what was signalled before what comes
 * after it, as a wait does, so a test acts by itself, even if nothing uses its outcome.
 *
 *     n = atomic add c 1           n is timed
 *     let m = n * 2                m is timed
 *     if m < 4 ...                 control depends on an atomic's return order
 *     store n                      so does memory
 *
 * A *peek* (`peeks.ts`) is a test that no more than spares a later wait: nothing else acts on it, and what it orders is judged as if it were its wait. It gives no reason.
 *
 * An atomic of a program that has one agent in all has no order but that of the program.
 *
 * What cluster launch control grants, and what a semaphore has when a wait passes, is not asked here: the detector asks whether requests and
 * signals are in order.
 *
 * Laws
 * 1. A program without these three instructions has no reason, nor has one whose only such instructions are peeks, or atomics of an agent that is alone.
 * 2. More uses of a timed value give no fewer reasons.
 *
 * Source: docs/hazards.md, condition C1.
 */
import { children, type ExprNode } from './expression.js'
import type { InstructionName } from './instruction.js'
import { peeksOf, type Peeks } from './peeks.js'
import { statementsOf, type Program, type Region, type Stmt } from './program.js'
import { operandsOf } from './signature.js'

/** Why a name is timed. */
type Timed = Map<string, string>

const reasonOf = (name: InstructionName): string | null => {
  switch (name) {
    case 'mbarrier.test':
      return 'the outcome of a test'
    case 'smem.atomic':
    case 'gmem.atomicPtr':
      return 'an atomic’s return order'
    default:
      return null
  }
}

/** Why an expression is timed, null if it is not. */
const why = (timed: Timed, e: ExprNode): string | null => {
  if (e._tag === 'name') return timed.get(e.name) ?? null
  for (const c of children(e)) {
    const found = why(timed, c)
    if (found !== null) return found
  }
  return null
}

/** Marks what is timed, once through; says whether anything was new. `spared`: tests whose outcomes are not. */
const mark = (timed: Timed, spared: ReadonlySet<Stmt>, r: Region): boolean => {
  let grew = false
  const flows = (name: string, e: ExprNode | undefined): void => {
    const reason = e === undefined ? null : why(timed, e)
    if (reason === null || timed.has(name)) return
    timed.set(name, reason)
    grew = true
  }
  const one = (s: Stmt): void => {
    switch (s._tag) {
      case 'Let':
        flows(s.binder.name, s.expr)
        return
      case 'Do': {
        const reason = reasonOf(s.instruction._tag)
        if (reason === null || spared.has(s)) return
        for (const b of s.results)
          if (!timed.has(b.name)) {
            timed.set(b.name, reason)
            grew = true
          }
        return
      }
      case 'For':
        grew = mark(timed, spared, s.body) || grew
        s.carried.forEach((c, i) => {
          flows(c.binder.name, c.init)
          flows(c.binder.name, s.body.yields[i])
        })
        s.body.params.forEach((p, i) => {
          flows(p.name, s.body.yields[i])
        })
        s.results.forEach((b, i) => {
          flows(b.name, s.carried[i]?.init)
          flows(b.name, s.body.yields[i])
        })
        return
      case 'While':
        grew = mark(timed, spared, s.before) || grew
        grew = mark(timed, spared, s.after) || grew
        s.carried.forEach((c, i) => {
          flows(c.binder.name, c.init)
          flows(c.binder.name, s.after.yields[i])
        })
        s.before.params.forEach((p, i) => {
          flows(p.name, s.carried[i]?.init)
          flows(p.name, s.after.yields[i])
        })
        s.after.params.forEach((p, i) => {
          flows(p.name, s.before.yields[i + 1])
        })
        s.results.forEach((b, i) => {
          flows(b.name, s.before.yields[i + 1])
        })
        return
      case 'If':
        grew = mark(timed, spared, s.then) || grew
        grew = mark(timed, spared, s.else) || grew
        s.results.forEach((b, i) => {
          flows(b.name, s.then.yields[i])
          flows(b.name, s.else.yields[i])
        })
        return
      case 'Fork':
        for (const b of s.branches) {
          b.captures.forEach((c) => {
            flows(c.binder.name, c.value)
          })
          grew = mark(timed, spared, b.body) || grew
        }
        s.results.forEach((b, i) => {
          flows(b.name, s.branches[0]?.body.yields[i])
        })
        return
    }
  }
  r.body.forEach(one)
  return grew
}

const acts = (timed: Timed, s: Stmt): ReadonlyArray<string> => {
  const on = (e: ExprNode | undefined): ReadonlyArray<string> => {
    const reason = e === undefined ? null : why(timed, e)
    return reason === null ? [] : [`${s.site.label}: control depends on ${reason}`]
  }
  const within = (r: Region): ReadonlyArray<string> => r.body.flatMap((x) => acts(timed, x))
  switch (s._tag) {
    case 'Let':
      return []
    case 'Do':
      return [
        ...on(s.when),
        ...operandsOf(s.instruction).flatMap(({ expr, field }) => {
          const reason = why(timed, expr)
          return reason === null ? [] : [`${s.site.label}: ${field} depends on ${reason}`]
        }),
      ]
    case 'For':
      return [...on(s.from), ...on(s.to), ...on(s.step), ...within(s.body)]
    case 'While':
      return [...within(s.before), ...on(s.before.yields[0]), ...within(s.after)]
    case 'If':
      return [...on(s.cond), ...within(s.then), ...within(s.else)]
    case 'Fork':
      return s.branches.flatMap((b) => within(b.body))
  }
}

/** Tests that are no peeks, by their labels. */
const testsIn = (r: Region, peeks: Peeks): ReadonlyArray<string> =>
  statementsOf(r.body).flatMap((s) =>
    s._tag === 'Do' && s.instruction._tag === 'mbarrier.test' && !peeks.tests.has(s) ? [s.site.label] : [],
  )

/** Is there one agent in the whole launch? */
const isAlone = ({ launch }: Program): boolean =>
  launch.agents.length === 1 &&
  launch.grid.every((n) => n._tag === 'const' && Number(n.value) === 1) &&
  launch.cluster.every((n) => n === 1)

const atomicsIn = ({ entry }: Program): ReadonlyArray<Stmt> =>
  statementsOf(entry.body).filter(
    (s) => s._tag === 'Do' && reasonOf(s.instruction._tag) !== null && s.instruction._tag !== 'mbarrier.test',
  )

const noTests: ReadonlySet<Stmt> = new Set()

/** Why control may depend on timing, statement by statement; [] if it cannot. Whether a wait is spared depends on timing, too. */
export const controlReasons = (
  program: Program,
  spared: ReadonlySet<Stmt> = noTests,
): ReadonlyArray<string> => {
  const timed: Timed = new Map()
  while (mark(timed, spared, program.entry)) continue
  return timed.size === 0 ? [] : [...new Set(program.entry.body.flatMap((s) => acts(timed, s)))]
}

/** Why C1 may not hold: control, and where that does not depend on timing, the order that tests make. Peeks are no reason. */
export const timingReasons = (program: Program, peeks: Peeks = peeksOf(program)): ReadonlyArray<string> => {
  const control = controlReasons(
    program,
    isAlone(program) ? new Set([...peeks.tests, ...atomicsIn(program)]) : peeks.tests,
  )
  return control.length > 0
    ? control
    : [...new Set(testsIn(program.entry, peeks))].map(
        (label) => `${label}: what it orders depends on the outcome of a test`,
      )
}

/** What of a peek each other test lacks. */
export const unlikePeeks = ({ others }: Peeks): ReadonlyArray<string> => [
  ...new Set([...others].map(([{ site }, words]) => `${site.label} is a test and no peek: ${words}`)),
]
