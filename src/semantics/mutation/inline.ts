/**
 * Places by what they are, and not by a name.
 *
 * Rules and names of mutants read off a statement which barrier or buffer it is about. What a frontend writes says it by a name, bound before. So names of
 * barriers, views and constant numbers are replaced by what they stand for, where that is one thing and is known there. A value that a loop carries stays a
 * name: it is several; `storagesOf` says which.
 *
 *     let full = slot(@acc, s)          wait full, p        becomes      wait slot(@acc, s), p
 *     fork ... (capture ring = @acc)    wait slot(ring, 0)  becomes      wait slot(@acc, 0)
 *
 * Laws
 * 1. The program runs as before, event for event.
 */
import { mapChildren, namesOf, type ExprNode } from '../language/expression.js'
import {
  mapRegions,
  statementsOf,
  type Binder,
  type Do,
  type Program,
  type Region,
  type Stmt,
} from '../language/program.js'
import { mapOperands, operandsOf } from '../language/signature.js'
import { storagesIn } from './operands.js'

type Meant = ReadonlyMap<string, ExprNode>

const isPlace = ({ type }: Binder): boolean => type._tag === 'view' || type._tag === 'barrier'

const meaning =
  (meant: Meant) =>
  (e: ExprNode): ExprNode =>
    e._tag === 'name' ? (meant.get(e.name) ?? e) : mapChildren(e, meaning(meant))

const isClosed = (e: ExprNode): boolean => {
  const names = new Set<string>()
  namesOf(e, names)
  return names.size === 0
}

const inRegion = (region: Region, outer: Meant): Region => {
  const meant = new Map(outer)
  const body = region.body.map((s): Stmt => {
    if (s._tag === 'Let') {
      const expr = meaning(meant)(s.expr)
      if (isPlace(s.binder) || expr._tag === 'const') meant.set(s.binder.name, expr)
      return s
    }
    if (s._tag === 'Do') return inStatement(s, meant)
    return mapRegions(s, (inner, k) => {
      if (s._tag !== 'Fork') return inRegion(inner, meant)
      const captured = new Map<string, ExprNode>()
      for (const { binder, value } of s.branches[k]?.captures ?? []) {
        const is = meaning(meant)(value)
        if (isClosed(is)) captured.set(binder.name, is)
      }
      return inRegion(inner, captured)
    })
  })
  return { params: region.params, body, yields: region.yields }
}

const inStatement = (s: Do, meant: Meant): Do => {
  const instruction = mapOperands((e): ExprNode => meaning(meant)(e))(s.instruction)
  return Object.assign({}, s, { instruction })
}

/** The program with places in the place of their names. */
export const inlined = (program: Program): Program =>
  Object.assign({}, program, { entry: inRegion(program.entry, new Map()) })

/** What the names that loops and conditions carry can be. */
const carried = (program: Program): ReadonlyMap<string, ReadonlyArray<ExprNode>> => {
  const origins = new Map<string, ExprNode[]>()
  const from = (b: Binder, ...es: ReadonlyArray<ExprNode | undefined>): void => {
    const known = es.filter((e) => e !== undefined)
    origins.set(b.name, [...(origins.get(b.name) ?? []), ...known])
  }
  for (const s of statementsOf(program.entry.body)) {
    if (s._tag === 'Let') from(s.binder, s.expr)
    if (s._tag === 'For' || s._tag === 'While') {
      const yields = s._tag === 'For' ? s.body.yields : s.after.yields
      s.carried.forEach((c, k) => {
        from(c.binder, c.init, yields[k])
      })
    }
    if (s._tag === 'For')
      s.results.forEach((r, k) => {
        from(r, s.carried[k]?.init, s.body.yields[k])
      })
    if (s._tag === 'If')
      s.results.forEach((r, k) => {
        from(r, s.then.yields[k], s.else.yields[k])
      })
    if (s._tag === 'Fork') for (const b of s.branches) for (const c of b.captures) from(c.binder, c.value)
  }
  return origins
}

/** The storages that an operand of a program can be in, through all names. */
export const storagesOf = (program: Program): ((e: ExprNode) => ReadonlyArray<string>) => {
  const origins = carried(program)
  const within = (e: ExprNode, seen: ReadonlySet<string>): ReadonlyArray<string> => {
    const names = new Set<string>()
    namesOf(e, names)
    return [
      ...storagesIn(e),
      ...[...names].flatMap((name) =>
        seen.has(name) ? [] : (origins.get(name) ?? []).flatMap((o) => within(o, new Set([...seen, name]))),
      ),
    ]
  }
  return (e) => [...new Set(within(e, new Set()))]
}

/** Storages of the barriers that a statement of a program can be about. */
export const barriersIn = (program: Program): ((s: Do) => ReadonlyArray<string>) => {
  const storages = storagesOf(program)
  const barriers = new Set(program.storage.flatMap((s) => (s.contents._tag === 'barriers' ? [s.id] : [])))
  return (s) => [
    ...new Set(
      operandsOf(s.instruction)
        .flatMap((o) => (o.role === 'barrier' ? storages(o.expr) : []))
        .filter((id) => barriers.has(id)),
    ),
  ]
}
