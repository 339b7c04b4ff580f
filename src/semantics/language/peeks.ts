/**
 * Peeks: tests of a barrier that do no more than spare a later wait.
 *
 *     let ready = mbarrier.test full[1] 0          the peek
 *     ...                                          work that the barrier has nothing to do with
 *     when not ready: mbarrier.wait full[1] 0      the wait that it spares
 *
 * Any other test makes control a matter of timing (`timing.ts`). A peek does not: true, it has acquired what its wait would have, only earlier; false, it has done
 * nothing. So a run with peeks is judged as if each were false, but for those that cannot be (`judging/detector/peeks.ts`), and C1 holds.
 *
 * Which tests are peeks is asked of the text, here, of each body apart (the entry, and each branch of a fork):
 *
 * | the outcome may                                                              | else, in words                        |
 * |------------------------------------------------------------------------------|---------------------------------------|
 * | be bound to another name, carried by a loop, yielded by a loop or a branch   | the expression that computes with it  |
 * | meet constants there: true spares the wait, false does not                   | -                                     |
 * | decide one thing: whether an mbarrier.wait, and nothing beside it, is made if it is false | the statement that it decides, or its operand |
 * | stay with its agent                                                          | the fork that hands it on             |
 * | and some wait must be spared by it                                           | that none is                          |
 *
 * A wait is spared by `when: not ready`, by `if not ready: wait` and by `if ready: nothing, else wait`; lets may stand before it. Tests whose outcomes meet in one name
 * are peeks together or not at all.
 *
 * What the text cannot say is asked of the run, where outcomes are values that remember their test: that barrier and parity of the wait are those of the test
 * (equal values, not equal text), that the test acquires what the wait would have, and that it was the agent's last one of that barrier.
 *
 * Laws
 * 1. A program without tests has no peek and no reason.
 * 2. Every test is a peek or has a reason.
 *
 * Names: CUTLASS's `consumer_try_wait` and `consumer_wait` with its token.
 */
import { children, type ExprNode } from './expression.js'
import { statementsOf, type Do, type If, type Let, type Program, type Region, type Stmt } from './program.js'
import { operandsOf } from './signature.js'

// ---------------------------------------------------------------- model

/** A wait that is made unless `ready`, the name of an outcome, is true. */
export interface Spared {
  readonly ready: ExprNode
  readonly lets: ReadonlyArray<Let>
  readonly wait: Do
}
export interface Peeks {
  readonly tests: ReadonlySet<Stmt>
  /** by statement: the wait itself, or the branch around it */
  readonly spared: ReadonlyMap<Stmt, Spared>
  /** tests that are none, and why, as words behind their label */
  readonly others: ReadonlyMap<Do, string>
}

/** Outcomes that meet: one class. */
interface Class {
  readonly tests: Do[]
  readonly spared: (readonly [Stmt, Spared])[]
  broken: string | undefined
}

/** What one body does with names. */
interface Body {
  /** outcome of each test; null where it has none */
  readonly tests: (readonly [Do, string | null])[]
  readonly moves: (readonly [to: string, from: ExprNode, by: string])[]
  readonly uses: (readonly [ExprNode, words: string])[]
  readonly spared: (readonly [Stmt, string, Spared])[]
}

const none: Peeks = { tests: new Set(), spared: new Map(), others: new Map() }

// ---------------------------------------------------------------- guards

/** The name of which this is the negation. */
const negated = (e: ExprNode | undefined): string | null =>
  e?._tag === 'binary' && e.op === 'xor' && e.x._tag === 'name' && e.y._tag === 'const' && e.y.value === 1
    ? e.x.name
    : null

/** Lets and a wait, and no more. */
const loneWait = (r: Region): { readonly lets: ReadonlyArray<Let>; readonly wait: Do } | null => {
  const wait = r.body[r.body.length - 1]
  if (wait?._tag !== 'Do' || wait.instruction._tag !== 'mbarrier.wait' || wait.when !== undefined) return null
  const before = r.body.slice(0, -1)
  const lets = before.flatMap((s) => (s._tag === 'Let' ? [s] : []))
  return r.yields.length === 0 && lets.length === before.length ? { lets, wait } : null
}

const isEmpty = (r: Region): boolean => r.body.length === 0 && r.yields.length === 0

/** Is this a wait that a name decides about? */
const sparedBy = (s: Do | If): readonly [string, Spared] | null => {
  const made = (name: string | null, lone: ReturnType<typeof loneWait>): readonly [string, Spared] | null =>
    name === null || lone === null
      ? null
      : [name, { ready: { _tag: 'name', name }, lets: lone.lets, wait: lone.wait }]
  if (s._tag === 'Do')
    return made(negated(s.when), s.instruction._tag === 'mbarrier.wait' ? { lets: [], wait: s } : null)
  if (s.results.length > 0) return null
  const name = s.cond._tag === 'name' ? s.cond.name : null
  return isEmpty(s.else)
    ? made(negated(s.cond), loneWait(s.then))
    : isEmpty(s.then)
      ? made(name, loneWait(s.else))
      : null
}

// ---------------------------------------------------------------- bodies

/** What the statements of a body do; branches of forks are bodies of their own. */
const read = (b: Body, bodies: Region[], r: Region): void => {
  for (const s of r.body) one(b, bodies, s)
}

const one = (b: Body, bodies: Region[], s: Stmt): void => {
  const { label } = s.site
  const moves = (to: string | undefined, from: ExprNode | undefined): void => {
    if (to !== undefined && from !== undefined) b.moves.push([to, from, `${label} computes with its outcome`])
  }
  const control = (e: ExprNode | undefined): void => {
    if (e !== undefined) b.uses.push([e, `control of ${label} depends on its outcome`])
  }
  switch (s._tag) {
    case 'Let':
      moves(s.binder.name, s.expr)
      return
    case 'Do': {
      const spared = sparedBy(s)
      if (s.instruction._tag === 'mbarrier.test') b.tests.push([s, s.results[0]?.name ?? null])
      for (const { expr, field } of operandsOf(s.instruction))
        b.uses.push([expr, `${field} of ${label} depends on its outcome`])
      if (spared === null) control(s.when)
      else b.spared.push([s, ...spared])
      return
    }
    case 'If': {
      const spared = sparedBy(s)
      if (spared === null) control(s.cond)
      else b.spared.push([s, ...spared])
      read(b, bodies, s.then)
      read(b, bodies, s.else)
      s.results.forEach((to, i) => {
        moves(to.name, s.then.yields[i])
        moves(to.name, s.else.yields[i])
      })
      return
    }
    case 'For':
      for (const e of [s.from, s.to, s.step]) control(e)
      read(b, bodies, s.body)
      s.carried.forEach(({ binder, init }, i) => {
        for (const to of [binder, s.body.params[i], s.results[i]]) {
          moves(to?.name, init)
          moves(to?.name, s.body.yields[i])
        }
      })
      return
    case 'While':
      read(b, bodies, s.before)
      control(s.before.yields[0])
      read(b, bodies, s.after)
      s.carried.forEach(({ binder, init }, i) => {
        for (const to of [binder, s.before.params[i]]) {
          moves(to?.name, init)
          moves(to?.name, s.after.yields[i])
        }
      })
      s.before.yields.slice(1).forEach((from, i) => {
        moves(s.after.params[i]?.name, from)
        moves(s.results[i]?.name, from)
      })
      return
    case 'Fork':
      for (const branch of s.branches) {
        for (const { value } of branch.captures)
          b.uses.push([value, `${label} hands its outcome to ${branch.agent}`])
        bodies.push(branch.body)
      }
      return
  }
}

const namesIn = (e: ExprNode): ReadonlyArray<string> =>
  e._tag === 'name' ? [e.name] : children(e).flatMap(namesIn)

/** The classes of one body: outcomes that meet, with what is made of them. */
const classesOf = (r: Region, bodies: Region[]): ReadonlyArray<Class> => {
  const b: Body = { tests: [], moves: [], uses: [], spared: [] }
  read(b, bodies, r)
  // what the body hands on, it hands to the agent that goes on
  for (const e of r.yields) b.uses.push([e, 'its outcome leaves the branch in which it is made'])
  const classes = new Map<string, Class>()
  const all: Class[] = []
  for (const [test, outcome] of b.tests) {
    const fresh: Class = {
      tests: [test],
      spared: [],
      broken: test.results.length > 1 ? 'it has more than one outcome' : undefined,
    }
    all.push(fresh)
    if (outcome !== null) classes.set(outcome, fresh)
  }
  const merge = (into: Class, from: Class): void => {
    for (const t of from.tests) into.tests.push(t)
    all.splice(all.indexOf(from), 1)
    for (const [name, of] of classes) if (of === from) classes.set(name, into)
  }
  for (let grew = true; grew;) {
    grew = false
    for (const [to, from] of b.moves) {
      const source = from._tag === 'name' ? classes.get(from.name) : undefined
      const target = classes.get(to)
      if (source === undefined || source === target) continue
      if (target === undefined) classes.set(to, source)
      else merge(target, source)
      grew = true
    }
  }
  const breaks = (e: ExprNode, words: string): void => {
    for (const name of namesIn(e)) {
      const of = classes.get(name)
      if (of !== undefined) of.broken ??= words
    }
  }
  for (const [e, words] of b.uses) breaks(e, words)
  for (const [, from, words] of b.moves) if (from._tag !== 'name') breaks(from, words)
  for (const [s, name, spared] of b.spared) classes.get(name)?.spared.push([s, spared])
  for (const c of all) if (c.spared.length === 0) c.broken ??= 'no wait is spared by it'
  return all
}

// ---------------------------------------------------------------- programs

export const peeksOf = (program: Program): Peeks => {
  const isTest = (s: Stmt): boolean => s._tag === 'Do' && s.instruction._tag === 'mbarrier.test'
  if (!statementsOf(program.entry.body).some(isTest)) return none
  const bodies: Region[] = [program.entry]
  const classes: Class[] = []
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift())
    for (const c of classesOf(body, bodies)) classes.push(c)
  const good = classes.filter((c) => c.broken === undefined)
  return {
    tests: new Set(good.flatMap((c) => c.tests)),
    spared: new Map(good.flatMap((c) => c.spared)),
    others: new Map(
      classes.flatMap((c) =>
        c.broken === undefined ? [] : c.tests.map((t): readonly [Do, string] => [t, c.broken ?? '']),
      ),
    ),
  }
}
