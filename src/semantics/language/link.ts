/**
 * Linking: names become slots, once.
 *
 * The machine runs the linked form; printing, JSON, mutation and diffs use the named one. Every *body* (the entry, and each
 * branch of a `Fork`) has a frame of its own: the slots of all names that it binds, in order of binding. A region inside a
 * body shares its frame, since names are bound once. A branch starts with its captures in the first slots.
 *
 *     entry   let s = rem(k, 2)          slot 3 := rem(slot 1, 2)
 *
 * Linking also collects the sites, numbers the agents, and says why control may depend on timing (`timing.ts`).
 *
 * Laws
 * 1. Linking forgets names and keeps meaning: two programs that differ in the choice of names link to equal data.
 * 2. Every slot read is bound on every path to it, or the read is a fault at run time (a skipped `Do`).
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../failure.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import { mapChildren, type ExprNode } from './expression.js'
import type { Instruction } from './instruction.js'
import type { Agent, Do, Program, Region, Site, Stmt } from './program.js'
import { mapOperands } from './signature.js'
import { peeksOf, type Peeks, type Spared } from './peeks.js'
import { controlReasons, timingReasons, unlikePeeks } from './timing.js'

// ---------------------------------------------------------------- model

export interface LinkedRegion {
  readonly params: ReadonlyArray<number>
  readonly body: ReadonlyArray<LinkedStmt>
  readonly yields: ReadonlyArray<ExprNode>
}
export interface LinkedCarried {
  readonly slot: number
  readonly init: ExprNode
}
export interface LinkedLet {
  readonly _tag: 'Let'
  readonly slot: number
  readonly expr: ExprNode
  readonly site: number
}
export interface LinkedDo {
  readonly _tag: 'Do'
  readonly results: ReadonlyArray<number>
  /** register layout of each result that is a tile, as its binder says */
  readonly layouts: ReadonlyArray<RegisterLayout | 'any'>
  readonly instruction: Instruction
  readonly when: ExprNode | null
  /** a test whose outcome spares waits, or a wait that is spared where this outcome is true (`peeks.ts`) */
  readonly peek?: 'makes' | ExprNode
  readonly site: number
}
export interface LinkedFor {
  readonly _tag: 'For'
  readonly index: number
  readonly from: ExprNode
  readonly to: ExprNode
  readonly step: ExprNode
  readonly carried: ReadonlyArray<LinkedCarried>
  readonly body: LinkedRegion
  readonly results: ReadonlyArray<number>
  readonly site: number
}
export interface LinkedWhile {
  readonly _tag: 'While'
  readonly carried: ReadonlyArray<LinkedCarried>
  readonly before: LinkedRegion
  readonly after: LinkedRegion
  readonly results: ReadonlyArray<number>
  readonly site: number
}
export interface LinkedIf {
  readonly _tag: 'If'
  readonly cond: ExprNode
  readonly then: LinkedRegion
  readonly else: LinkedRegion
  readonly results: ReadonlyArray<number>
  readonly site: number
}
export interface LinkedBranch {
  /** index in the launch's agents */
  readonly agent: number
  readonly captures: ReadonlyArray<{ readonly slot: number; readonly value: ExprNode }>
  readonly body: LinkedRegion
  readonly frameSize: number
}
export interface LinkedFork {
  readonly _tag: 'Fork'
  readonly branches: ReadonlyArray<LinkedBranch>
  readonly results: ReadonlyArray<number>
  readonly site: number
}
export type LinkedStmt = LinkedLet | LinkedDo | LinkedFor | LinkedWhile | LinkedIf | LinkedFork

export interface Linked {
  readonly program: Program
  readonly agents: ReadonlyArray<Agent>
  /** per agent: runs `entry` (true) or waits for a fork */
  readonly starts: ReadonlyArray<boolean>
  readonly entry: LinkedRegion
  readonly frameSize: number
  readonly sites: ReadonlyArray<Site>
  readonly nondeterminism: ReadonlyArray<string>
  /** control may depend on how fast agents are */
  readonly timed: boolean
  /** the instructions that occur in it */
  readonly instructions: ReadonlySet<string>
}

export type LinkError = Failure<'name.unbound' | 'name.rebound' | 'agent.unknown'>

// ---------------------------------------------------------------- linking

/** What one body has bound so far. It grows while the body is walked, and nowhere else. */
interface Scope {
  readonly slots: Map<string, number>
}
interface Walk {
  readonly agents: ReadonlyMap<string, number>
  readonly forked: Set<number>
  readonly sites: Site[]
  readonly siteIndex: Map<Site, number>
  readonly instructions: Set<string>
  readonly peeks: Peeks
  readonly errors: LinkError[]
}

const scope = (): Scope => ({ slots: new Map() })

const bind = (walk: Walk, at: Scope, name: string): number => {
  if (at.slots.has(name)) walk.errors.push(failure('name.rebound', `the name ${name} is bound twice`))
  const slot = at.slots.size
  at.slots.set(name, slot)
  return slot
}

const siteOf = (walk: Walk, site: Site): number => {
  const known = walk.siteIndex.get(site)
  if (known !== undefined) return known
  walk.siteIndex.set(site, walk.sites.length)
  return walk.sites.push(site) - 1
}

const resolve = (walk: Walk, at: Scope, scalars: ReadonlySet<string>, e: ExprNode): ExprNode =>
  mapNames(e, (name) => {
    const slot = at.slots.get(name)
    if (slot !== undefined) return { _tag: 'local', slot }
    if (!scalars.has(name)) walk.errors.push(failure('name.unbound', `the name ${name} is not bound here`))
    return { _tag: 'name', name }
  })

/** Rebuild an expression with its names replaced; the combine of a `reduce` keeps its own. */
const mapNames = (e: ExprNode, f: (name: string) => ExprNode): ExprNode => {
  if (e._tag === 'name') return f(e.name)
  const outer = mapChildren(e, (x) => mapNames(x, f))
  if (outer._tag !== 'reduce') return outer
  const { params, body, result } = outer.combine
  const own = new Set([...params, ...body.map((b) => b.name)])
  const inside = (x: ExprNode): ExprNode =>
    mapNames(x, (name) => (own.has(name) ? { _tag: 'name', name } : f(name)))
  return {
    _tag: 'reduce',
    x: outer.x,
    axis: outer.axis,
    combine: {
      params,
      body: body.map((b) => ({ name: b.name, value: inside(b.value) })),
      result: inside(result),
    },
    layout: outer.layout,
  }
}

const linkRegion = (walk: Walk, at: Scope, scalars: ReadonlySet<string>, r: Region): LinkedRegion => {
  const params = r.params.map((p) => bind(walk, at, p.name))
  const body = r.body.flatMap((s) => {
    const spared = walk.peeks.spared.get(s)
    return spared === undefined ? [linkStmt(walk, at, scalars, s)] : linkSpared(walk, at, scalars, spared)
  })
  return { params, body, yields: r.yields.map((y) => resolve(walk, at, scalars, y)) }
}

/** A wait that is spared is one statement, however it is written; what is bound before it is pure. */
const linkSpared = (
  walk: Walk,
  at: Scope,
  scalars: ReadonlySet<string>,
  { ready, lets, wait }: Spared,
): ReadonlyArray<LinkedStmt> => {
  const outcome = resolve(walk, at, scalars, ready)
  return [
    ...lets.map((s) => linkStmt(walk, at, scalars, s)),
    linkDo(walk, at, scalars, wait, undefined, outcome),
  ]
}

const linkDo = (
  walk: Walk,
  at: Scope,
  scalars: ReadonlySet<string>,
  s: Do,
  condition: ExprNode | undefined,
  peek: 'makes' | ExprNode | null,
): LinkedDo => {
  const when = condition === undefined ? null : resolve(walk, at, scalars, condition)
  walk.instructions.add(s.instruction._tag)
  const instruction = mapOperands((e) => resolve(walk, at, scalars, e))(s.instruction)
  const linked: LinkedDo = {
    _tag: 'Do',
    results: s.results.map((r) => bind(walk, at, r.name)),
    layouts: s.results.map((r) => (r.type._tag === 'tile' ? r.type.layout : 'any')),
    instruction,
    when,
    site: siteOf(walk, s.site),
  }
  return peek === null ? linked : Object.assign(linked, { peek })
}

const linkStmt = (walk: Walk, at: Scope, scalars: ReadonlySet<string>, s: Stmt): LinkedStmt => {
  const site = siteOf(walk, s.site)
  switch (s._tag) {
    case 'Let': {
      const expr = resolve(walk, at, scalars, s.expr)
      return { _tag: 'Let', slot: bind(walk, at, s.binder.name), expr, site }
    }
    case 'Do':
      return linkDo(walk, at, scalars, s, s.when, walk.peeks.tests.has(s) ? 'makes' : null)
    case 'For': {
      const from = resolve(walk, at, scalars, s.from)
      const to = resolve(walk, at, scalars, s.to)
      const step = resolve(walk, at, scalars, s.step)
      const inits = s.carried.map((c) => resolve(walk, at, scalars, c.init))
      const index = bind(walk, at, s.index.name)
      const carried = s.carried.map((c, i) => ({ slot: bind(walk, at, c.binder.name), init: inits[i]! }))
      const body = linkRegion(walk, at, scalars, s.body)
      return {
        _tag: 'For',
        index,
        from,
        to,
        step,
        carried,
        body,
        results: s.results.map((r) => bind(walk, at, r.name)),
        site,
      }
    }
    case 'While': {
      const inits = s.carried.map((c) => resolve(walk, at, scalars, c.init))
      const carried = s.carried.map((c, i) => ({ slot: bind(walk, at, c.binder.name), init: inits[i]! }))
      const before = linkRegion(walk, at, scalars, s.before)
      const after = linkRegion(walk, at, scalars, s.after)
      return {
        _tag: 'While',
        carried,
        before,
        after,
        results: s.results.map((r) => bind(walk, at, r.name)),
        site,
      }
    }
    case 'If': {
      const cond = resolve(walk, at, scalars, s.cond)
      const then = linkRegion(walk, at, scalars, s.then)
      const otherwise = linkRegion(walk, at, scalars, s.else)
      return {
        _tag: 'If',
        cond,
        then,
        else: otherwise,
        results: s.results.map((r) => bind(walk, at, r.name)),
        site,
      }
    }
    case 'Fork': {
      const branches = s.branches.map((b, i): LinkedBranch => {
        const agent = walk.agents.get(b.agent)
        if (agent === undefined)
          walk.errors.push(failure('agent.unknown', `${s.site.label}: no agent ${b.agent} is declared`))
        else if (i > 0) walk.forked.add(agent)
        const inner = scope()
        const values = b.captures.map((c) => resolve(walk, at, scalars, c.value))
        const captures = b.captures.map((c, k) => ({
          slot: bind(walk, inner, c.binder.name),
          value: values[k]!,
        }))
        const body = linkRegion(walk, inner, scalars, b.body)
        return { agent: agent ?? 0, captures, body, frameSize: inner.slots.size }
      })
      return { _tag: 'Fork', branches, results: s.results.map((r) => bind(walk, at, r.name)), site }
    }
  }
}

/** First what would make of a test a peek, then what is made of it. */
const nondeterminismOf = (program: Program, peeks: Peeks): ReadonlyArray<string> => [
  ...unlikePeeks(peeks),
  ...timingReasons(program, peeks),
]

/** Link a program. Refused: a name that is unbound or bound twice in a body, a fork of an undeclared agent. */
export const link = (program: Program): E.Either<LinkError, Linked> => {
  const agents = program.launch.agents
  const walk: Walk = {
    agents: new Map(agents.map((a, i) => [a.name, i])),
    forked: new Set(),
    sites: [],
    siteIndex: new Map(),
    instructions: new Set(),
    peeks: peeksOf(program),
    errors: [],
  }
  const scalars = new Set(program.params.flatMap((p) => (p._tag === 'scalar' ? [p.name] : [])))
  const outer = scope()
  const entry = linkRegion(walk, outer, scalars, program.entry)
  const first = walk.errors[0]
  return first === undefined
    ? E.right({
        program,
        agents,
        starts: agents.map((_, i) => !walk.forked.has(i)),
        entry,
        frameSize: outer.slots.size,
        sites: walk.sites,
        nondeterminism: nondeterminismOf(program, walk.peeks),
        timed: controlReasons(program).length > 0,
        instructions: walk.instructions,
      })
    : E.left(first)
}
