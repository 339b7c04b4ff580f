/**
 * The operations of `conformance/layouts/cute.json`. An expected layout that a test of CUTLASS states is compared as text. One that
 * python/pycute computed, or that another implementation writes otherwise, is compared as a function, with the shape it must have up to modes of extent 1.
 */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import * as cute from '../../../src/layouts/cute/index.js'
import type { ComposedLayout, IntTuple, Layout, Tiler } from '../../../src/layouts/cute/index.js'
import type { LoadShape } from '../../../src/layouts/cute/fragments.js'
import type { TensorMapSwizzle } from '../../../src/layouts/cute/tensor-map.js'
import type { Pair } from '../../../src/dialects/cutlass/multicast.js'
import * as cutlass from '../../../src/dialects/cutlass/index.js'
import * as banks from '../../../src/layouts/shared-memory/banks.js'
import * as mbarrier from '../../../src/semantics/machine/mbarrier.js'
import { image, L, tupleText, values } from './readers.js'
import { right } from '../../either.js'

interface Arg {
  readonly kind: string
  readonly value: string
}
interface Case {
  readonly id: string
  readonly op: string
  readonly inputs: never
  readonly expected: never
  readonly authority: string
  readonly pycute_agreement?: string
}

const { cases }: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('../../../conformance/layouts/cute.json', import.meta.url), 'utf8'),
)

/** Cases that this library does not answer, with the reason. */
const outOfScope: Readonly<Record<string, string>> = {}

type Any = Layout | ComposedLayout
type Result<A> = E.Either<Failure, A>

const parseAny = (text: string): Any =>
  text.includes(' o ') ? right(cute.parseComposed(text)) : right(cute.parseLayout(text))
const showAny = (l: Any): string => (l._tag === 'layout' ? cute.showLayout(l) : cute.showComposed(l))

/** Lifts an operation on layouts to composed ones. */
const onInner =
  (f: (l: Layout) => Result<Layout>) =>
  (l: Any): Result<Any> =>
    l._tag === 'layout' ? f(l) : cute.composedLayouts.mapInner(f)(l)

const asTiler = ({ kind, value }: Arg): Tiler =>
  kind === 'shape' || kind === 'int_tuple'
    ? cute.tilerOfShape(right(cute.parseTuple(value)))
    : right(cute.parseTiler(value))
const asTuple = ({ value }: Arg): IntTuple => right(cute.parseTuple(value))
const numbers = (attr: string): readonly number[] => (attr.match(/\d+/g) ?? []).map(Number)

/** A shape without its modes of extent 1 and the brackets that they leave. */
const bare = (t: IntTuple): IntTuple => {
  if (typeof t === 'number') return t
  const kept = t.map(bare).filter((n) => n !== 1 && !(typeof n !== 'number' && n.length === 0))
  return kept.length === 1 ? kept[0]! : kept
}

const byTiler: Readonly<Record<string, (a: Layout, by: Tiler) => Result<Layout>>> = {
  composition: cute.composition,
  logical_divide: cute.logicalDivide,
  zipped_divide: cute.zippedDivide,
  tiled_divide: cute.tiledDivide,
  flat_divide: cute.flatDivide,
  logical_product: cute.logicalProduct,
  zipped_product: cute.zippedProduct,
  tiled_product: cute.tiledProduct,
  flat_product: cute.flatProduct,
}
const byLayout: Readonly<Record<string, (a: Layout, b: Layout) => Result<Layout>>> = {
  blocked_product: cute.blockedProduct,
  raked_product: cute.rakedProduct,
}
const unary: Readonly<Record<string, (l: Layout) => Result<Layout>>> = {
  coalesce: (l) => E.right(cute.coalesce(l)),
  flatten: (l) => E.right(cute.layouts.flatten(l)),
  left_inverse: cute.leftInverse,
  right_inverse: cute.rightInverse,
  make_layout_like: cute.layouts.layoutLike,
}

/** The answer to a case whose inputs are typed texts. */
const answerText = (op: string, attr: string, args: readonly Arg[]): string => {
  const [a, b, c] = [args[0]!, args[1], args[2]]
  const layoutText = (r: Result<Any>): string => showAny(right(r))
  if (op === 'coalesce' && b !== undefined)
    return layoutText(onInner((l) => cute.coalesceBy(l, asTuple(b)))(parseAny(a.value)))
  if (unary[op] !== undefined) return layoutText(onInner(unary[op])(parseAny(a.value)))
  if (byTiler[op] !== undefined)
    return layoutText(onInner((l) => byTiler[op]!(l, asTiler(b!)))(parseAny(a.value)))
  if (byLayout[op] !== undefined)
    return layoutText(onInner((l) => byLayout[op]!(l, L(b!.value)))(parseAny(a.value)))
  switch (op) {
    case 'complement':
      return layoutText(cute.complement(L(a.value), b!.kind === 'layout' ? L(b!.value).shape : asTuple(b!)))
    case 'group_modes': {
      const [from, to] = numbers(attr)
      return layoutText(onInner((l) => cute.layouts.group(l, from!, to!))(parseAny(a.value)))
    }
    case 'recast_layout': {
      const [to, from] = numbers(attr)
      const l = parseAny(a.value)
      return layoutText(
        l._tag === 'layout'
          ? cute.recasting.recast(from!, to!)(l)
          : cute.composedLayouts.recastComposed(from!, to!)(l),
      )
    }
    case 'tile_to_shape':
      return layoutText(onInner((l) => cute.tileToShape(l, asTuple(b!), c && asTuple(c)))(parseAny(a.value)))
    case 'make_ordered_layout':
      return layoutText(cute.layouts.orderedLayout(asTuple(a), asTuple(b!)))
    case 'make_identity_layout':
      return layoutText(E.right(cute.layouts.identityLayout(asTuple(a))))
    case 'slice':
    case 'dice': {
      const l = parseAny(a.value)
      const slicer = right(cute.text.parseSlicer(b!.value))
      return layoutText(
        onInner((inner) =>
          op === 'dice'
            ? cute.layouts.dice(inner, slicer)
            : E.map((s: { readonly layout: Layout }) => s.layout)(cute.layouts.slice(inner, slicer)),
        )(l),
      )
    }
    case 'cosize':
    case 'size': {
      if (a.kind === 'shape' || a.kind === 'int_tuple') return String(cute.intTuples.size(asTuple(a)))
      const l = parseAny(a.value)
      const mode = right(cute.layouts.get(l._tag === 'layout' ? l : l.inner, numbers(attr)))
      return String(op === 'size' ? cute.size(mode) : cute.cosize(mode))
    }
    case 'ceil_div': {
      const by = b!.kind === 'tile' ? cute.tilers.tilerSize(right(cute.parseTiler(b!.value)))! : asTuple(b!)
      const dividend = b!.kind === 'tile' ? cute.intTuples.size(asTuple(a)) : asTuple(a)
      return cute.showTuple(right(cute.intTuples.ceilDiv(dividend, by)))
    }
    case 'shape_div':
      return cute.showTuple(right(cute.intTuples.shapeDiv(asTuple(a), asTuple(b!))))
    case 'idx2crd':
      return cute.showTuple(right(cute.coordinates.natural(asTuple(b!))(asTuple(a))))
    case 'increment_coord':
      return cute.showTuple(right(cute.coordinates.increment(asTuple(b!))(asTuple(a))))
    case 'crd2idx':
    case 'layout_eval': {
      const l = parseAny(b!.value)
      // A hole counts from its origin.
      const crd = right(cute.parseTuple(a.value.replaceAll('_', '0')))
      return cute.showTuple(
        right(l._tag === 'layout' ? cute.evaluate(l, crd) : cute.composedLayouts.evaluate(l, crd)),
      )
    }
    case 'tuple_product':
      return String(cute.intTuples.size(asTuple(a)))
    case 'tuple_product_each':
      return cute.showTuple(cute.intTuples.sizes(asTuple(a)))
    default:
      throw new Error(`no answer to ${op}`)
  }
}

/** A text with unknown numbers must hold for all of them, so for one. Those of the first argument are the smaller. */
const known = (text: string, argument: number): string => text.replaceAll('?', String([8, 64][argument] ?? 2))
const pattern = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[\\^$.*+()[\]{}|]/g, '\\$&').replaceAll('?', '\\d+')}$`)

interface Tree {
  readonly shape: IntTuple
  readonly stride: IntTuple
}
interface Described {
  readonly layout: Tree
  readonly text: string
  readonly size?: number
  readonly cosize?: number
  readonly table?: readonly number[]
}

const described = ({ layout, text }: Described): Layout => {
  const l = right(cute.layout(layout.shape, layout.stride))
  expect(cute.showLayout(l)).toBe(text)
  return l
}

/** The same function, and the same shape up to extents of 1. */
const expectSameFunction = (got: Layout, want: Described): void => {
  const l = described(want)
  expect(bare(got.shape)).toEqual(bare(l.shape))
  if (want.size !== undefined) expect(cute.size(got)).toBe(want.size)
  if (want.cosize !== undefined) expect(cute.cosize(got)).toBe(want.cosize)
  if (want.table === undefined) expect(image(got)).toEqual(image(l))
  else expect(want.table.map((_, i) => cute.at(got, i))).toEqual(want.table)
}

const lawfulLeftInverse = (a: Layout, inverse: Layout): void => {
  const reached = image(a, Math.min(cute.size(a), 2000))
  expect(values(a, values(inverse, reached))).toEqual(reached)
}

/** A case whose inputs are layouts as data. */
const checkDescribed = (c: Case): void => {
  const inputs: Record<string, Described> & {
    readonly cotarget?: number
    readonly tiler?: readonly Described[]
    readonly profile?: IntTuple
  } = c.inputs
  const a = described(inputs['layout'] ?? inputs['a']!)
  const answer = (): Result<Layout> => {
    if (c.op === 'coalesce_by_mode') return cute.coalesceBy(a, inputs.profile!)
    if (c.op === 'complement') return cute.complement(a, inputs.cotarget!)
    if (unary[c.op] !== undefined) return unary[c.op]!(a)
    const by = inputs.tiler === undefined ? described(inputs['b']!) : cute.tile(inputs.tiler.map(described))
    return byTiler[c.op] === undefined
      ? byLayout[c.op]!(a, right(E.right(by as never)))
      : byTiler[c.op]!(a, by)
  }
  const got = right(answer())
  const want: Described = c.expected
  const explicit = c.authority.startsWith('explicit') && c.pycute_agreement !== 'same function'
  if (explicit) expect(cute.showLayout(got)).toBe(want.text)
  // Left inverses differ off the image (the table in inverse.ts): there the law decides.
  else if (c.op === 'left_inverse') lawfulLeftInverse(a, got)
  else expectSameFunction(got, want)
}

/** Operations with inputs of their own. */
const special: Readonly<Record<string, (inputs: never, expected: never) => void>> = {
  product: ({ args: [t] }: { args: [IntTuple] }, { value }: { value: number }) =>
    expect(cute.intTuples.size(t)).toBe(value),
  inner_product: ({ args: [a, b] }: { args: [IntTuple, IntTuple] }, { value }: { value: number }) =>
    expect(cute.intTuples.innerProduct(a, b)).toBe(value),
  shape_div: ({ args: [a, b] }: { args: [IntTuple, IntTuple] }, { value }: { value: IntTuple }) =>
    expect(right(cute.intTuples.shapeDiv(a, b))).toEqual(value),
  prefix_product: ({ args: [a] }: { args: [IntTuple] }, { value }: { value: IntTuple }) =>
    expect(cute.intTuples.compactLeft(a, 'running')).toEqual(value),
  compact_col_major_dynamic: ({ args: [a] }: { args: [IntTuple] }, { value }: { value: IntTuple }) =>
    expect(cute.intTuples.compactLeft(a, 'running')).toEqual(value),
  compact_col_major_static: ({ args: [a] }: { args: [IntTuple] }, { value }: { value: IntTuple }) =>
    expect(cute.intTuples.compactLeft(a)).toEqual(value),
  compact_row_major_dynamic: ({ args: [a] }: { args: [IntTuple] }, { value }: { value: IntTuple }) =>
    expect(cute.intTuples.compactRight(a, 'running')).toEqual(value),
  compact_row_major_static: ({ args: [a] }: { args: [IntTuple] }, { value }: { value: IntTuple }) =>
    expect(cute.intTuples.compactRight(a)).toEqual(value),
  swizzle_apply: (
    i: { bits: number; base: number; shift: number; unit: number },
    e: { table_in_units: number[]; period: number; involution: boolean; bijective: boolean },
  ) => {
    const s = right(cute.swizzle(i.bits, i.base, i.shift))
    const f = cute.swizzles.apply(s)
    const table = e.table_in_units.map((_, k) => f(k * i.unit) / i.unit)
    expect(table).toEqual(e.table_in_units)
    expect(cute.swizzles.period(s)).toBe(e.period)
    expect(table.every((v, k) => f(v * i.unit) === k * i.unit)).toBe(e.involution)
    expect(new Set(table).size === table.length).toBe(e.bijective)
  },
  swizzle_apply_one: (
    i: { bits: number; base: number; shift: number; offset: number },
    { value }: { value: number },
  ) => expect(cute.swizzles.apply(right(cute.swizzle(i.bits, i.base, i.shift)))(i.offset)).toBe(value),
  swizzle_max_alignment: (
    { args: [[b, m, s]] }: { args: [[number, number, number]] },
    { value }: { value: number },
  ) => expect(cute.swizzles.maxAlignment(right(cute.swizzle(b, m, s)))).toBe(value),
  tma_swizzle_chunk_table: ({ mode }: { mode: TensorMapSwizzle }, { rows }: { rows: number[][] }) => {
    const table = cute.tensorMap.chunkTable(mode)
    expect(rows.map((_, r) => table[r % table.length])).toEqual(rows)
  },
  tma_swizzle_base_offset: (
    { mode, dst }: { mode: TensorMapSwizzle; dst: number },
    { value }: { value: number },
  ) => expect(cute.tensorMap.baseOffset(mode)(dst)).toBe(value),
  tile_to_shape: (
    i: { block: string; shape: string; order: string | number[] },
    { text }: { text: string },
  ) => {
    const shape = right(cute.parseTuple(known(i.shape, 1)))
    const order: Readonly<Record<string, IntTuple>> = { col: [0, 1, 2], row: [2, 1, 0] }
    const got = cute.tileToShape(
      L(known(i.block, 0)),
      shape,
      typeof i.order === 'string' ? order[i.order.slice(0, 3)]! : i.order,
    )
    expect(cute.showLayout(right(got))).toMatch(pattern(text))
  },
  tmem_ld_fragment: (
    { shape, num }: { shape: LoadShape; num: number },
    e: {
      registers: number
      lanes: number
      columns: number
      samples_thread_reg_lane_col: [number, number, number, number][]
    },
  ) => {
    const l = cute.fragments.tensorMemoryLoad(shape, num)
    const cells = cute.layouts.table(l).map((cell) => JSON.stringify(cell))
    expect(cute.layouts.modes(l).map(cute.size)).toEqual([32, e.registers])
    expect(new Set(cells).size).toBe(e.lanes * e.columns)
    expect(cells.length).toBe(e.lanes * e.columns)
    for (const [t, r, lane, column] of e.samples_thread_reg_lane_col)
      expect(right(cute.evaluate(l, [t, r]))).toEqual([lane, column])
  },
  pipeline_state_advance: (
    i: { stages: number; index: number; phase: number; by: number },
    e: { index: number; phase: number },
  ) => expect(cutlass.pipelineState.advance(i.stages, i.by)(i)).toEqual(e),
  umma_multicast_mask: (
    i: { cluster: Pair; atom_thr: Pair; block: Pair },
    e: { rowcol: number; row_flag_kRow: number; col_flag_kCol: number; consumer_arrival_count: number },
  ) => {
    const mask = (d: 'row' | 'column' | 'both'): number =>
      cutlass.multicast.commitMask(i.cluster, i.atom_thr, i.block, d)
    expect([mask('both'), mask('row'), mask('column')]).toEqual([e.rowcol, e.row_flag_kRow, e.col_flag_kCol])
    expect(cutlass.multicast.commitArrivals(i.cluster, i.atom_thr)).toBe(e.consumer_arrival_count)
  },
  smem_bank_wavefronts: (
    { size, addresses }: { size: banks.AccessBytes; addresses: number[] },
    e: { wavefronts: number; ideal: number },
  ) => {
    // The model has no pairs of loads, which is what stores do.
    const access: banks.BankAccess = { _tag: 'store', bytes: size }
    expect(right(banks.wavefronts(access)(addresses)).wavefronts).toBe(e.wavefronts)
    expect(banks.idealWavefronts(access)).toBe(e.ideal)
  },
  ldmatrix_phase_conflicts: (
    { row_addresses }: { row_addresses: number[] },
    { wavefronts }: { wavefronts: number },
  ) =>
    expect(right(banks.wavefronts({ _tag: 'ldmatrix', matrices: 1 })(row_addresses)).wavefronts).toBe(
      wavefronts,
    ),
  mbarrier_trace: (
    { init_count }: { init_count: number },
    {
      steps,
    }: {
      steps: {
        op: [string, number]
        completed?: boolean
        result?: boolean
        after: { phase: number; expected: number; pending: number; tx: number }
      }[]
    },
  ) => {
    let b: mbarrier.Mbarrier = mbarrier.init(init_count)
    for (const { op, completed, result, after } of steps) {
      const [name, n] = op
      const before = b.completed
      if (name.startsWith('wait')) expect(mbarrier.passes(b, n)).toBe(result)
      else {
        const to =
          name === 'expect_tx'
            ? mbarrier.update(b, 0, n)
            : name === 'complete_tx'
              ? mbarrier.update(b, 0, -n)
              : name === 'arrive.expect_tx'
                ? mbarrier.update(b, 1, n)
                : mbarrier.update(b, n ?? 1, 0, name === 'arrive_drop' ? (n ?? 1) : 0)
        if (mbarrier.isTrap(to)) throw new Error(to)
        b = to
        expect(b.completed > before).toBe(completed)
      }
      expect({ phase: b.completed, expected: b.expected, pending: b.pending, tx: b.tx }).toEqual(after)
    }
  },
}

const check = (c: Case): void => {
  const inputs: { readonly args?: readonly Arg[]; readonly attr?: string } & Record<string, never> = c.inputs
  if (inputs.attr !== undefined) {
    const want: { readonly value: string } = c.expected
    const got = answerText(
      c.op,
      inputs.attr,
      inputs.args!.map(({ kind, value }, i) => ({ kind, value: known(value, i) })),
    )
    expect(got).toMatch(pattern(want.value))
  } else if (special[c.op] !== undefined) special[c.op]!(c.inputs, c.expected)
  else checkDescribed(c)
}

describe('conformance/layouts/cute.json', () => {
  test('few cases are out of scope', () => {
    expect(Object.keys(outOfScope).length).toBeLessThanOrEqual(11)
    expect(cases.filter(({ id, op }) => outOfScope[id] ?? outOfScope[op])).toEqual([])
    expect(cases.length).toBe(220)
  })
  for (const op of [...new Set(cases.map((c) => c.op))])
    test(op, () => {
      for (const c of cases.filter((x) => x.op === op)) {
        let reason: unknown = null
        try {
          check(c)
        } catch (error) {
          reason = error
        }
        expect(reason, `${c.id} ${tupleText(JSON.parse(JSON.stringify(c.inputs)))}`).toBe(null)
      }
    })
})
