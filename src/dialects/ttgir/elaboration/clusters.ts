/**
 * Clusters: a program of `num-ctas` CTAs, as one of them sees it.
 *
 * The types of a text are those of the whole cluster, and `CGALayout` says how they are dealt: a row for each bit of a CTA's rank, in shares. Here each type
 * becomes that of one share, without the rows, and the operations that differ between the CTAs keep their rows (`Dealt`):
 *
 *     tensor<128x64xf32, #blocked>, CGALayout = [[1, 0]]          tensor<64x64xf32>, the rows from 64 on where bit 0 of the rank is set
 *
 * | operation                                 | between the CTAs                                                          |
 * |-------------------------------------------|---------------------------------------------------------------------------|
 * | `make_range`                              | begins where the share begins                                             |
 * | TMA copies                                | move the share                                                            |
 * | stores, atomics                           | of what several CTAs have: the first of them alone                        |
 * | everything else                           | the same in each                                                          |
 *
 * Law 1. What would have to cross from one CTA to another (a conversion to another dealing, a reduction along a dimension that is dealt) is refused.
 *
 * Source: Triton 3.6, its lowering of `num-ctas`.
 */
import * as E from 'fp-ts/lib/Either.js'
import { failure, type Failure } from '../../../failure.js'
import type { CgaLayout } from '../../ttng/index.js'
import { resolved } from './encodings.js'
import { showPosition } from '../text/position.js'
import { showAttribute } from '../text/show.js'
import {
  attributeOf,
  type Attribute,
  type Block,
  type Dictionary,
  type Module,
  type Operation,
  type Parameter,
  type Region,
  type Type,
  type Value,
} from '../text/syntax.js'
import { own } from '../../../own.js'

/** How an operation's tensor is dealt, for those that differ between CTAs. */
export type Dealt = ReadonlyMap<Operation, CgaLayout>

// ---------------------------------------------------------------- encodings

const rowsIn = (a: Attribute | undefined): CgaLayout =>
  a?._tag !== 'list'
    ? []
    : a.items.map((row) =>
        row._tag === 'list' ? row.items.map((n) => (n._tag === 'integer' ? Number(n.value) : 0)) : [],
      )

const entriesOf = (
  m: Module,
  a: Attribute | null | undefined,
): readonly [name: string, of: Dictionary] | null => {
  const found = a === null || a === undefined ? null : resolved(m, a)
  return found?._tag === 'dialect' ? [found.name, found.entries ?? []] : null
}
const numberIn = (of: Dictionary, name: string): number => {
  const a = attributeOf(of, name)
  return a?._tag === 'integer' ? Number(a.value) : 0
}

/** The rows of an encoding. */
const dealing = (m: Module, a: Attribute | null | undefined): CgaLayout => {
  const found = entriesOf(m, a)
  if (found === null) return []
  const [name, of] = found
  const parent = attributeOf(of, 'parent')
  switch (name) {
    case 'ttg.slice':
      return dealing(m, parent).map((row) => row.filter((_, d) => d !== numberIn(of, 'dim')))
    case 'ttg.dot_op': {
      // K lies last of the left operand, and second to last of the right one; no CTA has a part of it
      const isLeft = numberIn(of, 'opIdx') === 0
      return dealing(m, parent).map((row) => row.map((v, d) => (d === row.length - (isLeft ? 1 : 2) ? 0 : v)))
    }
    case 'ttg.linear':
    case 'ttg.shared_linear':
      return rowsIn(attributeOf(of, 'block'))
    default:
      return rowsIn(attributeOf(of, 'CGALayout'))
  }
}

/** An encoding of one CTA. */
const ownOf = (m: Module, a: Attribute): Attribute => {
  const found = resolved(m, a)
  if (found._tag !== 'dialect' || found.entries === null) return found
  const entries = found.entries
    .filter(({ name }) => name !== 'CGALayout')
    .map(({ name, value }) => ({ name, value: name === 'parent' ? ownOf(m, value) : value }))
  return { _tag: 'dialect', name: found.name, entries, braced: found.braced }
}

// ---------------------------------------------------------------- types

/** The extents of a share; the rows stand for the last dimensions. */
const shareOf = (shape: ReadonlyArray<number>, rows: CgaLayout): ReadonlyArray<number> =>
  shape.map((extent, d) => {
    const parts = rows.filter((row) => (row[d - shape.length + row.length] ?? 0) !== 0).length
    return Math.max(1, extent / 2 ** parts)
  })

const ofOneCta = (m: Module, t: Type): Type => {
  switch (t._tag) {
    case 'tensor':
      return {
        _tag: 'tensor',
        shape: shareOf(t.shape, dealing(m, t.encoding)),
        element: t.element,
        encoding: t.encoding === null ? null : ownOf(m, t.encoding),
      }
    case 'memdesc':
      return {
        _tag: 'memdesc',
        shape: shareOf(t.shape, dealing(m, t.encoding)),
        element: t.element,
        encoding: ownOf(m, t.encoding),
        space: t.space,
        mutable: t.mutable,
        allocation: t.allocation === null ? null : shareOf(t.allocation, dealing(m, t.encoding)),
      }
    case 'descriptor':
      return { _tag: 'descriptor', block: ofOneCta(m, t.block) }
    case 'function':
    case 'token':
    case 'integer':
    case 'index':
    case 'float':
    case 'pointer':
      return t
  }
}

// ---------------------------------------------------------------- what would cross from CTA to CTA

const rowsOfType = (m: Module, t: Type | undefined): CgaLayout =>
  t?._tag === 'tensor' || t?._tag === 'memdesc' ? dealing(m, t.encoding) : []

const isDealt = (rows: CgaLayout, axis?: number): boolean =>
  rows.some((row) => (axis === undefined ? row.some((v) => v !== 0) : (row[axis] ?? 0) !== 0))

const same = (a: CgaLayout, b: CgaLayout): boolean =>
  a.length === b.length &&
  a.every((row, k) => {
    const [x, y] = [[...row].reverse(), [...(b[k] ?? [])].reverse()]
    return Array.from({ length: Math.max(x.length, y.length) }, (_, d) => d).every(
      (d) => (x[d] ?? 0) === (y[d] ?? 0),
    )
  })

/** Operations whose source and result must be dealt alike, by the names of both; the result where there is none. */
const alike: Readonly<Record<string, readonly [from: string, to?: string]>> = {
  'ttg.convert_layout': ['src'],
  'ttg.local_load': ['src'],
  'ttg.local_store': ['src', 'dst'],
  'ttg.local_alloc': ['src'],
  'ttg.async_copy_global_to_local': ['src', 'result'],
}
const rearranging: ReadonlySet<string> = new Set([
  'tt.reshape',
  'tt.histogram',
  'tt.cat',
  'tt.join',
  'tt.split',
  'ttg.memdesc_reshape',
  'ttg.memdesc_reinterpret',
])
const along: ReadonlySet<string> = new Set(['tt.reduce', 'tt.scan', 'tt.gather'])
const unknown = (name: string): boolean =>
  /^ttng\.(tmem|tc_gen5|async_tma_(gather|scatter|reduce))/.test(name)

/** Why an operation would need the other CTAs; null if it does not. */
const crossing = (m: Module, op: Operation): string | null => {
  const first = (name: string): Type | undefined => own(op.operands, name)?.[0]?.type
  if (unknown(op.name)) return 'an operation of a cluster that is elaborated'
  if (Object.values(op.operands).some((list) => list.some(({ type }) => isLinear(m, type))))
    return 'encodings other than linear ones'
  const [from, to] = own(alike, op.name) ?? []
  if (from !== undefined && (own(op.operands, from) ?? []).length > 0) {
    const [a, b] = [rowsOfType(m, first(from)), rowsOfType(m, to === undefined ? op.results[0] : first(to))]
    if (!same(a, b)) return 'source and result that are distributed over the CTAs in the same way'
  }
  const operand = first('src') ?? first('srcs') ?? first('lhs')
  if (rearranging.has(op.name) && isDealt(rowsOfType(m, operand))) return 'a tensor that no two CTAs share'
  const axis = attributeOf(op.attributes, 'axis')
  return along.has(op.name) && axis?._tag === 'integer' && isDealt(rowsOfType(m, operand), Number(axis.value))
    ? 'a dimension that is not split between the CTAs'
    : null
}
const isLinear = (m: Module, t: Type): boolean =>
  t._tag === 'tensor' && /^ttg\.(linear|shared_linear)$/.test(entriesOf(m, t.encoding)?.[0] ?? '')

// ---------------------------------------------------------------- the module

/** Which operand or result says how an operation is dealt; '': its result. */
const dealtBy: Readonly<Record<string, string>> = {
  'tt.make_range': '',
  'tt.store': 'ptr',
  'tt.atomic_rmw': 'ptr',
  'tt.atomic_cas': 'ptr',
  'ttng.async_tma_copy_global_to_local': 'result',
  'ttng.async_tma_copy_local_to_global': 'src',
}

export interface OneCta {
  readonly module: Module
  readonly dealt: Dealt
  /** what each operation is in the text */
  readonly from: ReadonlyMap<Operation, Operation>
}
/** The module as one CTA sees it, and how what differs is dealt. */
export const asOneCta = (m: Module): E.Either<Failure, OneCta> => {
  const dealt = new Map<Operation, CgaLayout>()
  const from = new Map<Operation, Operation>()
  let failed: Failure | null = null
  const parameter = ({ name, type, attributes, location }: Parameter): Parameter => ({
    name,
    type: ofOneCta(m, type),
    attributes,
    location,
  })
  const value = ({ name, index, type }: Value): Value => ({ name, index, type: ofOneCta(m, type) })
  const block = ({ label, parameters, operations }: Block): Block => ({
    label,
    parameters: parameters.map(parameter),
    operations: operations.map(operation),
  })
  const region = ({ name, blocks }: Region): Region => ({ name, blocks: blocks.map(block) })
  const attribute = (a: Attribute): Attribute =>
    a._tag === 'dense' ? { _tag: 'dense', value: a.value, type: ofOneCta(m, a.type) } : a
  const operation = (op: Operation): Operation => {
    const why = crossing(m, op)
    if (why !== null)
      failed ??= failure(
        'ttgir.operation',
        `${showPosition(op.at)}: ${op.name}: expected ${why}, found ${op.results.concat(Object.values(op.operands).flatMap((list) => list.map(({ type }) => type))).flatMap((t) => (t._tag === 'tensor' || t._tag === 'memdesc' ? [showAttribute(t.encoding ?? { _tag: 'unit' })] : []))[0] ?? 'another'}`,
      )
    const made: Operation = {
      name: op.name,
      at: op.at,
      names: op.names,
      results: op.results.map((t) => ofOneCta(m, t)),
      operands: Object.fromEntries(
        Object.entries(op.operands).map(([name, list]) => [name, list.map(value)]),
      ),
      attributes: op.attributes.map(({ name, value: a }) => ({ name, value: attribute(a) })),
      successors: op.successors.map(({ block: to, values }) => ({ block: to, values: values.map(value) })),
      regions: op.regions.map(region),
      location: op.location,
    }
    from.set(made, op)
    const by = own(dealtBy, op.name)
    if (by !== undefined)
      dealt.set(made, rowsOfType(m, by === '' ? op.results[0] : own(op.operands, by)?.[0]?.type))
    return made
  }
  const module: Module = {
    name: m.name,
    attributes: m.attributes,
    definitions: m.definitions,
    leading: m.leading,
    operations: m.operations.map(operation),
    location: m.location,
  }
  return failed === null ? E.right({ module, dealt, from }) : E.left(failed)
}
