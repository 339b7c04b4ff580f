/**
 * Where an edge can go: the statements of a finding, what stands around them, and which names are known there.
 *
 * A finding names a statement by its label, its scopes and its agent. Around it, what the same agent comes to later is read off the listing: statements
 * behind it in its own branch, and, in a loop, those before it, too.
 *
 *     for k ...   let s = mod(k, 2)   do load slot(x, s)       at `load` the names k and s are known, and the step is k
 */
import type { ExprNode } from '../language/expression.js'
import { children, namesOf } from '../language/expression.js'
import type { Binder, Do, Program, Stmt } from '../language/program.js'
import { expressionsOf } from '../language/program.js'
import type { Operation } from '../judging/finding.js'
import { isDispatch, sitesOf, type Site } from '../mutation/sites.js'

// ---------------------------------------------------------------- model

export interface DoSite extends Site {
  readonly statement: Do
}
const isDo = (s: Site): s is DoSite => s.statement._tag === 'Do'

/** The program by its sites, in the order of the listing. */
export interface Places {
  readonly program: Program
  readonly sites: ReadonlyArray<Site>
  readonly effects: ReadonlyArray<DoSite>
}

export const placesIn = (program: Program): Places => {
  const sites = sitesOf(program)
  return { program, sites, effects: sites.filter(isDo) }
}

// ---------------------------------------------------------------- agents

/** How deep its branch begins: the number of regions around the innermost statement that sends agents on ways of their own, with its region. */
const branchDepth = (site: Site): number =>
  site.within.reduce((depth, { statement }, k) => (isDispatch(statement) ? k + 1 : depth), 0)

/** The way to the branch that a site is in: sites of one agent have the same; empty where every agent comes by. */
const branchOf = (site: Site): string => site.address.slice(0, branchDepth(site)).join('/')

/** Do all agents that begin come by? */
export const isOfAll = (site: Site): boolean => branchDepth(site) === 0

/** The agent in whose branch of a `Fork` a site is; null elsewhere. */
const agentOf = (site: Site): string | null => {
  const at = site.within.map(({ statement }) => statement._tag).lastIndexOf('Fork')
  const fork = site.within[at]?.statement
  const region = site.address[at]?.[1]
  return fork?._tag === 'Fork' && region !== undefined ? (fork.branches[region]?.agent ?? null) : null
}

export const isOfOneAgent = (x: Site, y: Site): boolean => branchOf(x) === branchOf(y)

/** `consumer@1` is agent `consumer`. */
const nameOf = (agent: string): string => agent.slice(0, agent.lastIndexOf('@'))

const samePath = (x: ReadonlyArray<string>, y: ReadonlyArray<string>): boolean =>
  x.length === y.length && x.every((part, k) => part === y[k])

/** The statements that an operation of a finding can be: one, unless the program says the same thing twice. */
export const statementsAt = (places: Places, o: Operation): ReadonlyArray<DoSite> =>
  places.effects.filter((s) => {
    const { label, path } = s.statement.site
    const agent = agentOf(s)
    return label === o.site && samePath(path, o.path) && (agent === null || agent === nameOf(o.agent))
  })

/** `of consumer`, where that is known; else the scopes that a site is in; nothing in the entry. */
export const showAgent = (site: Site): string => {
  const agent = agentOf(site)
  const { path } = site.statement.site
  return agent !== null ? ` of ${agent}` : path.length === 0 ? '' : ` (${path.join(' / ')})`
}

/** `\`read s\` of consumer` */
export const show = (site: Site): string => `\`${site.statement.site.label}\`${showAgent(site)}`

// ---------------------------------------------------------------- around a statement

const isLoop = (s: Stmt): boolean => s._tag === 'For' || s._tag === 'While'

export const isLooped = (site: Site): boolean =>
  site.within.slice(branchDepth(site)).some(({ statement }) => isLoop(statement))

/** What its agent can come to behind it, in the order of the listing; what stands before it in a loop comes last. */
export const behind = ({ effects }: Places, site: Site): ReadonlyArray<DoSite> => {
  const mine = effects.filter((s) => isOfOneAgent(s, site))
  const at = mine.findIndex((s) => s.statement === site.statement)
  const later = mine.slice(at + 1)
  if (!isLooped(site)) return later
  const loop = site.within.slice(branchDepth(site)).find(({ statement }) => isLoop(statement))?.statement
  return [...later, ...mine.slice(0, at).filter((s) => s.within.some(({ statement }) => statement === loop))]
}

/** The last statement of the branch, or of the entry, that a site is in. */
export const lastOfItsAgent = ({ program, sites }: Places, site: Site): Stmt | undefined => {
  const depth = branchDepth(site)
  if (depth === 0) return program.entry.body.at(-1)
  const own = sites.filter((s) => branchOf(s) === branchOf(site) && s.within.length === depth)
  return own.at(-1)?.statement
}

const boundBy = (s: Stmt): ReadonlyArray<Binder> => (s._tag === 'Let' ? [s.binder] : s.results)

/** Names that are known right before a statement, the nearest last. */
export const inScope = (site: Site): ReadonlyArray<Binder> => {
  let known: ReadonlyArray<Binder> = []
  site.within.forEach(({ statement: s, body, index }, k) => {
    const region = site.address[k]?.[1] ?? 0
    if (s._tag === 'Fork') {
      known = (s.branches[region]?.captures ?? []).map((c) => c.binder)
      return
    }
    known = [...known, ...body.slice(0, index).flatMap(boundBy)]
    if (s._tag === 'For') known = [...known, s.index, ...s.carried.map((c) => c.binder)]
    if (s._tag === 'While')
      known = [...known, ...s.carried.map((c) => c.binder), ...(region === 1 ? s.after.params : [])]
  })
  return [...known, ...site.body.slice(0, site.index).flatMap(boundBy)]
}

/** Can it be said there? */
export const isKnown = (program: Program, site: Site): ((e: ExprNode) => boolean) => {
  const names = new Set(inScope(site).map((b) => b.name))
  for (const p of program.params) if (p._tag === 'scalar') names.add(p.name)
  return (e) => {
    const said = new Set<string>()
    namesOf(e, said)
    return [...said].every((name) => names.has(name))
  }
}

/** Expressions that its agent says, with all inside them: those of its own region first, then what is nearest. */
export const saidAround = ({ sites }: Places, site: Site): ReadonlyArray<ExprNode> => {
  const within = (e: ExprNode): ReadonlyArray<ExprNode> => [e, ...children(e).flatMap(within)]
  const mine = sites.filter((s) => isOfOneAgent(s, site))
  const [near, far] = [mine.filter((s) => s.body === site.body), mine.filter((s) => s.body !== site.body)]
  return [...near, ...far].flatMap((s) => expressionsOf(s.statement)).flatMap(within)
}

// ---------------------------------------------------------------- the step

export const number = (value: number): ExprNode => ({ _tag: 'const', dtype: 'i32', value })
const binary = (
  op: 'add' | 'sub' | 'mul' | 'quo' | 'and' | 'xor' | 'mod',
  x: ExprNode,
  y: ExprNode,
): ExprNode => ({
  _tag: 'binary',
  op,
  x,
  y,
})
const isNumber = (e: ExprNode, value: number): boolean => e._tag === 'const' && Number(e.value) === value

const plus = (x: ExprNode, y: ExprNode): ExprNode =>
  isNumber(y, 0) ? x : isNumber(x, 0) ? y : binary('add', x, y)
const minus = (x: ExprNode, y: ExprNode): ExprNode => (isNumber(y, 0) ? x : binary('sub', x, y))
const times = (x: ExprNode, y: ExprNode): ExprNode =>
  isNumber(y, 1) ? x : isNumber(x, 0) ? x : binary('mul', x, y)
const over = (x: ExprNode, y: ExprNode): ExprNode => (isNumber(y, 1) ? x : binary('quo', x, y))

/** How many rounds of the loops around it its agent has made before; null outside of loops that count. */
export const stepOf = (site: Site): ExprNode | null => {
  let step: ExprNode | null = null
  for (const { statement: s } of site.within.slice(branchDepth(site))) {
    if (s._tag === 'While') return null
    if (s._tag !== 'For') continue
    const round = over(minus({ _tag: 'name', name: s.index.name }, s.from), s.step)
    const rounds = over(minus(plus(s.to, minus(s.step, number(1))), s.from), s.step)
    step = step === null ? round : plus(times(step, rounds), round)
  }
  return step
}

/** The slot of a ring that a step uses, and how often it has used it before. */
export const slotAt = (step: ExprNode, slots: number): ExprNode =>
  slots === 1 ? number(0) : binary('mod', step, number(slots))
export const parityAt = (step: ExprNode, slots: number): ExprNode =>
  binary('and', over(step, number(slots)), number(1))
export const otherParity = (parity: ExprNode): ExprNode =>
  parity._tag === 'const' ? number(1 - Number(parity.value)) : binary('xor', parity, number(1))
