/**
 * What the result of an operation decides: whether something is done, and where.
 *
 *     %old = tt.atomic_rmw add, acq_rel, ...
 *     %last = arith.cmpi eq, %old, %n          goes on with it
 *     scf.if %last { ... }                     decides
 *     tt.store %p, %old                        decides nothing: what is stored, not whether or where
 *
 * A value is followed through what computes with it, and through the loops and branches that carry it. What has been stored is not followed.
 *
 * | an operation with regions | the value may be                                         |
 * |---------------------------|----------------------------------------------------------|
 * | of which it is an operand | a parameter of its regions, or a result: all are followed |
 * | that ends a region        | a result of the operation around it: all are followed     |
 *
 * Laws
 * 1. What is called undecided is: no branch, mask, address or wait is reached by a chain of values from the result.
 */
import { distinct } from './distinct.js'
import type { Operation, Region, Type } from '../text/syntax.js'

/** Operands that say whether something is done, or where. */
const decisive: ReadonlySet<string> = new Set([
  'mask',
  'condition',
  'pred',
  'barrier_preds',
  'lowerBound',
  'upperBound',
  'step',
])

const isPlace = (t: Type): boolean =>
  t._tag === 'pointer' ||
  t._tag === 'descriptor' ||
  t._tag === 'memdesc' ||
  (t._tag === 'tensor' && t.element._tag === 'pointer')

/** They carry control elsewhere, and what they are given decides where to. */
const branching: ReadonlySet<string> = new Set(['cf.cond_br', 'tt.call', 'ttg.warp_specialize'])
/** They write what they are given: what, and not where. */
const written: Readonly<Record<string, ReadonlyArray<string>>> = {
  'tt.store': ['value'],
  'tt.atomic_rmw': ['val'],
  'tt.atomic_cas': ['val', 'cmp'],
  'ttg.local_store': ['src'],
  'ttg.local_alloc': ['src'],
  'tt.print': ['args'],
}
const endings: ReadonlySet<string> = new Set([
  'scf.yield',
  'scf.condition',
  'tt.reduce.return',
  'tt.scan.return',
  'tt.map_elementwise.return',
])

/** The first operation that the result of the one asked about decides; null: none. */
export const deciding = (text: Region | undefined, asked: Operation): Operation | null => {
  if (text === undefined) return null
  const { region: body, now } = distinct(text)
  const from = now.get(asked) ?? asked
  const reached = new Set(from.names.map(({ name }) => name))
  let found: Operation | null = null
  let grew = true
  const grow = (names: Iterable<string>): void => {
    for (const name of names)
      if (!reached.has(name)) {
        reached.add(name)
        grew = true
      }
  }
  const walk = (region: Region | undefined, around: Operation | null): void => {
    for (const op of (region?.blocks ?? []).flatMap((block) => block.operations)) {
      const given = Object.entries(op.operands).filter(([, values]) =>
        values.some(({ name }) => reached.has(name)),
      )
      if (given.length > 0 && op !== from) {
        const plain = Object.hasOwn(written, op.name) ? written[op.name]! : null
        const decides =
          branching.has(op.name) ||
          given.some(([name]) => decisive.has(name) || (plain !== null && !plain.includes(name))) ||
          (plain === null && op.results.some(isPlace))
        if (decides) found ??= op
        if (endings.has(op.name))
          grow([...(around?.names ?? []).map(({ name }) => name), ...parametersOf(around)])
        grow(op.names.map(({ name }) => name))
        grow(parametersOf(op))
        // a branch to a block of its own region hands on what it is given
        if (op.name === 'cf.br')
          grow((region?.blocks ?? []).flatMap((b) => b.parameters.map(({ name }) => name)))
      }
      for (const inner of op.regions) walk(inner, op)
    }
  }
  while (grew && found === null) {
    grew = false
    walk(body, null)
  }
  return found
}

const parametersOf = (op: Operation | null): ReadonlyArray<string> =>
  (op?.regions ?? []).flatMap((r) => r.blocks.flatMap((b) => b.parameters.map(({ name }) => name)))
