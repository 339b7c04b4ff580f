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
 * What cluster launch control grants, and what a semaphore has when a wait passes, is not asked here: the detector asks whether requests and
 * signals are in order.
 *
 * Laws
 * 1. A program without these three instructions has no reason.
 * 2. More uses of a timed value give no fewer reasons.
 *
 * Source: docs/hazards.md, condition C1.
 */
import { children, type ExprNode } from './expression.js'
import type { InstructionName } from './instruction.js'
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

/** Marks what is timed, once through; says whether anything was new. */
const mark = (timed: Timed, r: Region): boolean => {
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
        if (reason === null) return
        for (const b of s.results)
          if (!timed.has(b.name)) {
            timed.set(b.name, reason)
            grew = true
          }
        return
      }
      case 'For':
        grew = mark(timed, s.body) || grew
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
        grew = mark(timed, s.before) || grew
        grew = mark(timed, s.after) || grew
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
        grew = mark(timed, s.then) || grew
        grew = mark(timed, s.else) || grew
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
          grew = mark(timed, b.body) || grew
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

/** Tests, by their labels. */
const testsIn = (r: Region): ReadonlyArray<string> =>
  statementsOf(r.body).flatMap((s) =>
    s._tag === 'Do' && s.instruction._tag === 'mbarrier.test' ? [s.site.label] : [],
  )

/** Why control may depend on timing, statement by statement; [] if it cannot. */
export const controlReasons = (program: Program): ReadonlyArray<string> => {
  const timed: Timed = new Map()
  while (mark(timed, program.entry)) continue
  return timed.size === 0 ? [] : [...new Set(program.entry.body.flatMap((s) => acts(timed, s)))]
}

/** Why C1 may not hold: control, and where that does not depend on timing, the order that tests make. */
export const timingReasons = (program: Program): ReadonlyArray<string> => {
  const control = controlReasons(program)
  return control.length > 0
    ? control
    : [...new Set(testsIn(program.entry))].map(
        (label) => `${label}: what it orders depends on the outcome of a test`,
      )
}
