/**
 * Sites: where a program can be changed, and changes of bodies.
 *
 * An address names a region of a program by the way to it: statement 3 of the entry, its region 0, statement 1 of that, ... A change
 * replaces the body at an address, so it does not matter whether regions are shared.
 *
 *     entry: 0 Let   1 If: then: 0 Do a   1 For: body: 0 Do b   1 Do c        the For's body has the address [1 then 0] [1 body 0]
 *
 * Statements change places across the pure `Let`s between them: those that a statement needs go with it, up, and need nothing from what it is
 * moved over, or it cannot go there.
 *
 * Laws
 * 1. `sitesOf` lists every statement once, in the order of the listing.
 * 2. Exchanging two statements keeps all names in scope.
 */
import { children, type ExprNode } from '../language/expression.js'
import { effectsOf, regionsOf, type Do, type Program, type Region, type Stmt } from '../language/program.js'
import { operandsOf } from '../language/signature.js'

// ---------------------------------------------------------------- model

/** The way from the entry to a region: statement and region of it, from the outside. */
export type Address = ReadonlyArray<readonly [statement: number, region: number]>

export interface Site {
  readonly address: Address
  /** the statements of its region, and which it is */
  readonly body: ReadonlyArray<Stmt>
  readonly index: number
  readonly statement: Stmt
  /** enclosing statements with their regions, outermost first */
  readonly within: ReadonlyArray<Enclosing>
}

export interface Enclosing {
  readonly statement: Stmt
  readonly body: ReadonlyArray<Stmt>
  readonly index: number
}

// ---------------------------------------------------------------- walking

const within = (
  body: ReadonlyArray<Stmt>,
  address: Address,
  outer: ReadonlyArray<Enclosing>,
): ReadonlyArray<Site> =>
  body.flatMap((statement, index): ReadonlyArray<Site> => [
    { address, body, index, statement, within: outer },
    ...regionsOf(statement).flatMap((r, region) =>
      within(r.body, [...address, [index, region]], [...outer, { statement, body, index }]),
    ),
  ])

export const sitesOf = (program: Program): ReadonlyArray<Site> => within(program.entry.body, [], [])

const withRegion = (s: Stmt, region: number, by: (r: Region) => Region): Stmt => {
  switch (s._tag) {
    case 'Let':
    case 'Do':
      return s
    case 'For':
      return Object.assign({}, s, { body: by(s.body) })
    case 'While':
      return Object.assign({}, s, region === 0 ? { before: by(s.before) } : { after: by(s.after) })
    case 'If':
      return Object.assign({}, s, region === 0 ? { then: by(s.then) } : { else: by(s.else) })
    case 'Fork':
      return Object.assign({}, s, {
        branches: s.branches.map((b, k) =>
          k === region ? { agent: b.agent, captures: b.captures, body: by(b.body) } : b,
        ),
      })
  }
}

const rewritten = (
  r: Region,
  address: Address,
  by: (body: ReadonlyArray<Stmt>) => ReadonlyArray<Stmt>,
): Region => {
  const [first, ...rest] = address
  const body =
    first === undefined
      ? by(r.body)
      : r.body.map((s, i) =>
          i === first[0] ? withRegion(s, first[1], (inner) => rewritten(inner, rest, by)) : s,
        )
  return { params: r.params, body, yields: r.yields }
}

/** The program with another body at this address. */
export const withBody = (
  program: Program,
  address: Address,
  by: (body: ReadonlyArray<Stmt>) => ReadonlyArray<Stmt>,
): Program => Object.assign({}, program, { entry: rewritten(program.entry, address, by) })

/** The program with other statements in place of this one. */
export const replace = (program: Program, site: Site, by: ReadonlyArray<Stmt>): Program =>
  withBody(program, site.address, (body) => [
    ...body.slice(0, site.index),
    ...by,
    ...body.slice(site.index + 1),
  ])

// ---------------------------------------------------------------- names

const namesOf = (e: ExprNode): ReadonlyArray<string> =>
  e._tag === 'name' ? [e.name] : children(e).flatMap(namesOf)

/** Names that a statement, with all inside it, mentions. */
const mentioned = (s: Stmt): ReadonlyArray<string> => {
  const inner = regionsOf(s).flatMap((r) => [...r.body.flatMap(mentioned), ...r.yields.flatMap(namesOf)])
  switch (s._tag) {
    case 'Let':
      return namesOf(s.expr)
    case 'Do':
      return [
        ...operandsOf(s.instruction).flatMap((o) => namesOf(o.expr)),
        ...(s.when === undefined ? [] : namesOf(s.when)),
      ]
    case 'For':
      return [...[s.from, s.to, s.step, ...s.carried.map((c) => c.init)].flatMap(namesOf), ...inner]
    case 'While':
      return [...s.carried.flatMap((c) => namesOf(c.init)), ...inner]
    case 'If':
      return [...namesOf(s.cond), ...inner]
    case 'Fork':
      return [...s.branches.flatMap((b) => b.captures.flatMap((c) => namesOf(c.value))), ...inner]
  }
}

const boundBy = (s: Stmt): ReadonlyArray<string> =>
  s._tag === 'Let' ? [s.binder.name] : s.results.map((r) => r.name)

/** All names that a region binds, at any depth. */
export const boundIn = (r: Region): ReadonlySet<string> => {
  const names = new Set<string>(r.params.map((p) => p.name))
  const visit = (body: ReadonlyArray<Stmt>): void => {
    for (const s of body) {
      for (const name of boundBy(s)) names.add(name)
      if (s._tag === 'For') names.add(s.index.name)
      if (s._tag === 'For' || s._tag === 'While') for (const c of s.carried) names.add(c.binder.name)
      if (s._tag === 'Fork') for (const b of s.branches) for (const c of b.captures) names.add(c.binder.name)
      for (const inner of regionsOf(s)) {
        for (const p of inner.params) names.add(p.name)
        visit(inner.body)
      }
    }
  }
  visit(r.body)
  return names
}

// ---------------------------------------------------------------- neighbours

/** Index of the statement before, or behind, that is no `Let`; null at the end of the region. */
export const neighbour = (site: Site, step: -1 | 1): number | null => {
  for (let i = site.index + step; i >= 0 && i < site.body.length; i += step)
    if (site.body[i]!._tag !== 'Let') return i
  return null
}

export const neighbourDo = (site: Site, step: -1 | 1): Do | null => {
  const i = neighbour(site, step)
  const s = i === null ? undefined : site.body[i]
  return s?._tag === 'Do' ? s : null
}

/** Statement `low` and, behind it, `high` with nothing but `Let`s between: the body with their order exchanged, or null. */
export const exchanged = (
  body: ReadonlyArray<Stmt>,
  low: number,
  high: number,
): ReadonlyArray<Stmt> | null => {
  const between = body.slice(low + 1, high)
  const moving = body[high]!
  const needed = new Set(mentioned(moving))
  const along = new Set<Stmt>()
  for (let i = between.length - 1; i >= 0; i--) {
    const s = between[i]!
    if (!boundBy(s).some((name) => needed.has(name))) continue
    along.add(s)
    for (const name of mentioned(s)) needed.add(name)
  }
  if (boundBy(body[low]!).some((name) => needed.has(name))) return null
  return [
    ...body.slice(0, low),
    ...between.filter((s) => along.has(s)),
    moving,
    body[low]!,
    ...between.filter((s) => !along.has(s)),
    ...body.slice(high + 1),
  ]
}

// ---------------------------------------------------------------- surroundings

export const isInLoop = (site: Site): boolean =>
  site.within.some(({ statement }) => statement._tag === 'For' || statement._tag === 'While')

const mentionsPlace = (e: ExprNode, of: ReadonlyArray<string>): boolean =>
  (e._tag === 'place' && of.includes(e.of)) || children(e).some((c) => mentionsPlace(c, of))

/** A condition that depends on who asks. */
export const asksWho = (e: ExprNode): boolean => mentionsPlace(e, ['agent', 'warp', 'ctaRank'])

/** Does a statement send agents on ways of their own? */
export const isDispatch = (s: Stmt): boolean =>
  s._tag === 'Fork' || (s._tag === 'If' && mentionsPlace(s.cond, ['agent', 'warp']))

/** Effects that the same agent can come to behind this statement: not those of statements that ask which agent it is. */
export const effectsBehind = (site: Site): ReadonlyArray<Do> => {
  const rest = (body: ReadonlyArray<Stmt>, index: number): ReadonlyArray<Do> =>
    effectsOf(body.slice(index + 1).filter((s) => !isDispatch(s)))
  return [...rest(site.body, site.index), ...site.within.flatMap(({ body, index }) => rest(body, index))]
}
