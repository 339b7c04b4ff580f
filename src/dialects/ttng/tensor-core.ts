/**
 * The tensor core of Blackwell: `tc_gen5_mma`, `tc_gen5_mma_scaled`, `tc_gen5_commit`.
 *
 * D in tensor memory becomes (useD ? D : 0) + A B. The product is asynchronous; each of its barriers gets one arrival when it is done, if
 * the barrier's own predicate holds. The synchronous form has no barriers: it makes one, waits and invalidates it.
 *
 *     tc_gen5_mma %a, %b, %d, %useD, %pred, %bar[%p] {is_async}
 *       tcgen05.mma d += a b, accumulate useD, completions [bar when p]        when pred
 *     tc_gen5_mma %a, %b, %d, %useD, %pred
 *       mbarrier.init done 1    tcgen05.mma ... completions [done]    mbarrier.wait done 0    mbarrier.inval done
 *
 * The block of a product may be larger than an instruction: 128 rows by 256 columns each, all K at once, useD for the first of K, and the
 * barriers after the last. A commit tells a barrier of everything that this thread issued before, in the order of the commits.
 *
 * two_ctas: the CTAs of even rank issue, for themselves and the next; each has half of the rows of A and D and half of the columns of B, and the
 * arrivals come to the barriers of both. Multicast: to those of all CTAs that a copy of an operand was loaded for.
 *
 * A barrier of a completion is each CTA's own, or one for the whole cluster.
 *
 * | operation          | seed's form                                                | today's                                              |
 * |--------------------|------------------------------------------------------------|------------------------------------------------------|
 * | tc_gen5_mma        | acc_dep, useD, pred, barriers and their preds, is_async, two_ctas | multicast; is_unsigned: i8 is read as u8         |
 * | tc_gen5_mma_scaled | the same with a_scale, b_scale, a_type, b_type; one CTA     | two_ctas, multicast                                  |
 * | tc_gen5_commit     | barrier, pred, two_ctas                                     | descs, up to 4, instead of two_ctas; a module has one |
 *
 * e2m1 with another type: the memdesc of e2m1 is padded (`fp4Padded`), for the tensor core reads 16 elements from every 16 bytes; with e2m1 it is not.
 * e2m3 and e3m2: a memdesc of i8 with one byte for each element of K, of which every 16 have their 16 elements in the first 12. Triton's lowering knows their
 * codes, and its dialect has no other memdesc for them.
 *
 * Not in this library: the weight-stationary form.
 *
 * Source: Triton, TritonNvidiaGPU dialect, its verifiers and its lowering; PTX ISA, tcgen05.
 */
import * as E from 'fp-ts/lib/Either.js'
import { bitsOf, type Dtype } from '../../numerics/dtype.js'
import {
  barriers as barrierStorage,
  block,
  freshStorage,
  run,
  type Build,
} from '../../semantics/writing/builder.js'
import {
  i1,
  i32,
  or,
  reinterpret,
  slice,
  type Condition,
  type Expr,
  type Int,
  type View,
} from '../../semantics/language/expression.js'
import { checked } from '../../semantics/language/index-types.js'
import type { AccumulatorDtype, Completion, TensorBarrier } from '../../semantics/language/instruction.js'
import type { ViewType } from '../../semantics/language/types.js'
import { mmaOperand } from '../../transforms/mma-operand.js'
import { paddedBytes, paddedOf } from '../../transforms/padded-operand.js'
import type { TransformedRef } from '../../transforms/ref.js'
import * as Ref from '../../transforms/ref.js'
import { sameShape, showShape } from '../../transforms/shape.js'
import { asOperand } from '../read-as.js'
import { resolve } from './barrier.js'
import { evenCta, groupMask, sharedBits, type CgaLayout } from './cluster-layout.js'
import { refused, type Code } from './codes.js'
import { ScaleDotElemType, nameOf, showTable, type Attribute } from './enums.js'
import { numCtas, on, partitionSync, speaks } from './issue.js'
import {
  memDescHere,
  token,
  type BarrierDesc,
  type Issuer,
  type MemDesc,
  type OpOptions,
  type Token,
} from './types.js'

// ---------------------------------------------------------------- model

/** A barrier of a product, with its own predicate. */
export interface MmaBarrier {
  readonly barrier: BarrierDesc
  /** true if not given */
  readonly when?: Condition
  /** how the CTAs share it */
  readonly layout?: CgaLayout
}

export interface MmaOptions extends OpOptions {
  readonly accDep?: Token
  readonly barriers?: ReadonlyArray<MmaBarrier>
  readonly isAsync?: boolean
  readonly twoCtas?: boolean
  /** today's: the barriers of all CTAs that hold a copy of an operand */
  readonly multicast?: boolean
  /** how the blocks of the operands are distributed over the CTAs: a row for each bit of the rank */
  readonly cga?: { readonly a?: CgaLayout; readonly b?: CgaLayout; readonly d?: CgaLayout }
}

export interface DenseOptions extends MmaOptions {
  /** today's: operands of i8 are unsigned */
  readonly isUnsigned?: boolean
}

export interface ScaledOptions extends MmaOptions {
  readonly aType: Attribute<typeof ScaleDotElemType>
  readonly bType: Attribute<typeof ScaleDotElemType>
}

// ---------------------------------------------------------------- completions

/** The CTAs whose barriers an arrival comes to; none: this one's. */
const maskOf = (twoCtas: boolean, groups: ReadonlyArray<number>): Int | null => {
  const pair = twoCtas ? 1 : 0
  const all = groups.length === 0 ? [0] : groups
  const masks = all.map((bits) => bits | pair).filter((bits) => bits !== 0)
  return masks.length === 0 ? null : masks.map(groupMask).reduce((x, y) => or(x, y))
}

const completion = (
  label: string,
  barrier: BarrierDesc,
  layout: CgaLayout | undefined,
  from: Issuer | undefined,
  twoCtas: boolean,
  groups: ReadonlyArray<number>,
): Build<{ readonly barrier: TensorBarrier; readonly multicast?: Int }> =>
  block(function* () {
    const { own, lead, bits } = yield* resolve(label, barrier, {
      layout,
      from,
    })
    const every = numCtas(from) - 1
    if (bits !== 0 && bits !== every)
      return yield* refused(
        'ttng.tc_gen5.completion_layout',
        `${label}: the barrier of a completion is each CTA's own or one for the whole cluster, found one that is shared over rank bits ${bits.toString(2)}`,
      )
    if (bits !== 0) return { barrier: lead }
    const mask = maskOf(twoCtas, groups)
    return mask === null ? { barrier: own } : { barrier: own, multicast: mask }
  })

/** The bits over which an operand's copies are loaded. */
const groupsOf = (layouts: ReadonlyArray<CgaLayout | undefined>): ReadonlyArray<number> =>
  layouts.map((layout) => sharedBits(layout ?? [])).filter((bits) => bits !== 0)

export interface CommitOptions extends OpOptions {
  /** the seed's attribute; today a property of the module */
  readonly twoCtas?: boolean
  /** today's: the CGA layouts of up to four memdescs, whose copies say which CTAs hear */
  readonly descs?: ReadonlyArray<CgaLayout>
  /** of the barrier */
  readonly layout?: CgaLayout
}

/** `ttng.tc_gen5_commit %barrier (, %pred)`: one arrival when all that this thread issued to the tensor core before is done. */
export const tcGen5Commit = (label: string, barrier: BarrierDesc, options: CommitOptions = {}): Build<void> =>
  block(function* () {
    const { from, twoCtas = false, descs = [], when } = options
    if (descs.length > 4)
      return yield* refused(
        'ttng.tc_gen5_commit.descs',
        `${label}: tc_gen5_commit takes at most 4 descs, found ${String(descs.length)}`,
      )
    yield* pairs(label, from, twoCtas)
    const to = yield* completion(label, barrier, options.layout, from, twoCtas, groupsOf(descs))
    yield* run(
      label,
      { _tag: 'tcgen05.commit', ...to, ctaGroup: twoCtas ? 2 : 1 },
      on(when, twoCtas ? evenCta : undefined, speaks(from)),
    )
  })

const pairs = (label: string, from: Issuer | undefined, twoCtas: boolean): Build<void> =>
  block(function* () {
    if (twoCtas && numCtas(from) % 2 !== 0)
      return yield* refused(
        'ttng.tc_gen5.two_ctas',
        `${label}: two_ctas needs a module of an even number of CTAs, found ${String(numCtas(from))}`,
      )
  })

// ---------------------------------------------------------------- what is asked of a product

type Op = 'tc_gen5_mma' | 'tc_gen5_mma_scaled'

/** What is wrong with a product: in the words of both operations. */
const mmaNo = (
  op: Op,
  label: string,
  what: 'rank' | 'memory' | 'shape' | 'element_type' | 'layout' | 'accumulator' | 'cga' | 'sync',
  message: string,
): Build<never> => {
  const code: Code = `ttng.tc_gen5_mma.${what}`
  return refused(code, `${label}: ${message} (${op})`)
}

interface Kind {
  readonly name: 'tf32' | 'f16' | 'bf16' | 'f8f6f4' | 'i8'
  readonly into: ReadonlyArray<Dtype>
}
const kindOf = (dtype: Dtype): Kind | null => {
  switch (dtype) {
    case 'f32':
    case 'tf32':
      return { name: 'tf32', into: ['f32'] }
    case 'f16':
      return { name: 'f16', into: ['f16', 'f32'] }
    case 'bf16':
      return { name: 'bf16', into: ['f32'] }
    case 'e4m3':
    case 'e5m2':
    case 'e2m3':
    case 'e3m2':
    case 'e2m1':
      return { name: 'f8f6f4', into: ['f16', 'f32'] }
    case 'i8':
    case 'u8':
      return { name: 'i8', into: ['i32'] }
    default:
      return null
  }
}

const strideOfColumn = (ref: TransformedRef): number =>
  (ref.shape[1] ?? 1) < 2 ? 0 : Ref.addressOf(ref, 0, [0, 1]) - Ref.addressOf(ref, 0, [0, 0])

interface Operands {
  readonly a: ViewType
  readonly b: ViewType
  readonly d: ViewType
}

/** Memories, ranks, shapes, and how the operands lie. */
const operandsOf = (
  op: Op,
  label: string,
  given: { readonly a: MemDesc; readonly b: MemDesc; readonly d: MemDesc },
  options: MmaOptions,
  /** elements of K in one of the stored ones */
  packed: { readonly a: number; readonly b: number },
): Build<Operands> =>
  block(function* () {
    const a = yield* memDescHere(label, 'a', given.a)
    const b = yield* memDescHere(label, 'b', given.b)
    const d = yield* memDescHere(label, 'd', given.d)
    const twoCtas = options.twoCtas ?? false
    for (const [field, view] of [
      ['a', a],
      ['b', b],
      ['d', d],
    ] as const)
      if (view.layout.shape.length !== 2)
        return yield* mmaNo(
          op,
          label,
          'rank',
          `${field} must have rank 2, found ${showShape(view.layout.shape)}`,
        )
    if (a.space !== 'smem' && a.space !== 'tmem')
      return yield* mmaNo(op, label, 'memory', `a must be in shared or tensor memory, found ${a.space}`)
    if (b.space !== 'smem')
      return yield* mmaNo(op, label, 'memory', `b must be in shared memory, found ${b.space}`)
    if (d.space !== 'tmem')
      return yield* mmaNo(op, label, 'memory', `d must be in tensor memory, found ${d.space}`)
    const [m = 0, n = 0] = d.layout.shape
    const [mOfA = 0, kOfA = 0] = a.layout.shape
    const [kOfB = 0, nOfB = 0] = b.layout.shape
    const k = kOfA * packed.a
    if (mOfA !== m || k !== kOfB * packed.b || nOfB * (twoCtas ? 2 : 1) !== n)
      return yield* mmaNo(
        op,
        label,
        'shape',
        `d ${showShape([m, n])} = a ${showShape([m, k])} x b ${showShape([k, n])}${twoCtas ? ', half of its columns in each CTA' : ''}, found a ${showShape([mOfA, k])} and b ${showShape([kOfB * packed.b, nOfB])}`,
      )
    if (m !== 64 && m % 128 !== 0)
      return yield* mmaNo(
        op,
        label,
        'shape',
        `M of a CTA must be 64 or a multiple of 128, found ${String(m)}`,
      )
    if (twoCtas && n > 256)
      return yield* mmaNo(
        op,
        label,
        'shape',
        `a product of two CTAs has at most 256 columns here, found ${String(n)}`,
      )
    if (bitsOf(d.dtype) < 32 && d.layout.shape[1]! > 1 && strideOfColumn(d.layout) !== 4)
      return yield* mmaNo(
        op,
        label,
        'accumulator',
        `d must have colStride ${String(32 / bitsOf(d.dtype))}, one element of ${d.dtype} to a column, found columns ${String(strideOfColumn(d.layout))} bytes apart`,
      )
    if (a.space === 'tmem') {
      if (
        (a.layout.shape[1] ?? 1) > 1 &&
        strideOfColumn(a.layout) * 8 !== bitsOf(a.dtype) &&
        bitsOf(a.dtype) >= 8
      )
        return yield* mmaNo(
          op,
          label,
          'layout',
          `a in tensor memory must have colStride 1, found elements of ${a.dtype} ${String(strideOfColumn(a.layout))} bytes apart`,
        )
    } else {
      const lies = mmaOperand('a')(asRead(a.layout, 1, packed.a))
      if (E.isLeft(lies))
        return yield* mmaNo(
          op,
          label,
          'layout',
          `a must be nvmma_shared with a swizzle: ${lies.left.message}`,
        )
      if (bitsOf(a.dtype) === 32 && lies.right.major !== 'k')
        return yield* mmaNo(op, label, 'layout', `a of ${a.dtype} must not be transposed: contiguous along K`)
    }
    const lies = mmaOperand('b')(asRead(b.layout, 0, packed.b))
    if (E.isLeft(lies))
      return yield* mmaNo(op, label, 'layout', `b must be nvmma_shared with a swizzle: ${lies.left.message}`)
    if (bitsOf(b.dtype) === 32 && lies.right.major !== 'k')
      return yield* mmaNo(op, label, 'layout', `b of ${b.dtype} must be transposed: contiguous along K`)
    yield* cgaRules(op, label, options)
    yield* pairs(label, options.from, twoCtas)
    return { a, b, d }
  })

const cgaRules = (op: Op, label: string, { cga = {}, twoCtas = false }: MmaOptions): Build<void> =>
  block(function* () {
    const { a, b, d } = cga
    const splits = (layout: CgaLayout | undefined, axis: number): boolean =>
      layout?.some((row) => row[axis] !== 0) === true
    if (splits(a, 1))
      return yield* mmaNo(
        op,
        label,
        'cga',
        `a must not be split between CTAs along K, found ${a!.map(showShape).join(' ')}`,
      )
    if (splits(b, 0))
      return yield* mmaNo(
        op,
        label,
        'cga',
        `b must not be split between CTAs along K, found ${b!.map(showShape).join(' ')}`,
      )
    if (twoCtas && b !== undefined && !sameShape(b[0] ?? [], [0, 1]))
      return yield* mmaNo(
        op,
        label,
        'cga',
        `two_ctas: the first row of the CGA layout of b must be (0, 1), found ${b[0] === undefined ? 'none' : showShape(b[0])}`,
      )
    if (a !== undefined && b !== undefined && d !== undefined)
      for (const [bit, row] of d.entries()) {
        const expected = [a[bit]?.[0] ?? 0, twoCtas && bit === 0 ? 0 : (b[bit]?.[1] ?? 0)]
        if (!sameShape(row, expected))
          return yield* mmaNo(
            op,
            label,
            'cga',
            `row ${String(bit)} of the CGA layout of d must have the rows of a and the columns of b, expected ${showShape(expected)}, found ${showShape(row)}`,
          )
      }
  })

// ---------------------------------------------------------------- the instructions

interface Scales {
  readonly scaleA: View<'tmem'>
  readonly scaleB: View<'tmem'>
}

/** Rows and columns of one instruction. */
const instructionRows = 128
const instructionColumns = 256

/** An accumulator whose dtype has been found to be one that the product adds up in. */
const sums = (d: View<'tmem', Dtype, 2>): View<'tmem', AccumulatorDtype, 2> =>
  checked<View<'tmem', AccumulatorDtype, 2>, Expr>(d)

const issueMma = (
  label: string,
  a: View<'smem' | 'tmem', Dtype, 2>,
  b: View<'smem', Dtype, 2>,
  d: View<'tmem', AccumulatorDtype, 2>,
  { a: aType, b: bType, d: dType }: { readonly [K in 'a' | 'b' | 'd']: ReadonlyArray<number> },
  accumulate: Condition,
  options: MmaOptions,
  completions: ReadonlyArray<Completion>,
  scales?: Scales,
): Build<void> =>
  block(function* () {
    const { twoCtas = false, from, when } = options
    const [m = 0, n = 0] = dType
    const k = aType[1] ?? 0
    const kOfB = bType[0] ?? 0
    const rows = Math.min(m, instructionRows)
    const columns = Math.min(n, instructionColumns)
    const pieces: (readonly [number, number])[] = []
    for (let row = 0; row < m; row += rows)
      for (let column = 0; column < n; column += columns) pieces.push([row, column])
    for (const [p, [row, column]] of pieces.entries()) {
      const one = pieces.length === 1
      const width = Math.min(columns, n - column)
      yield* run(
        one ? label : `${label}.${String(p)}`,
        {
          _tag: 'tcgen05.mma',
          accumulator: one ? d : slice(d, [i32(row), i32(column)], [rows, width]),
          a: m === rows ? a : slice(a, [i32(row), i32(0)], [rows, k]),
          b: n === columns ? b : slice(b, [i32(0), i32(column)], [kOfB, width]),
          accumulate,
          ctaGroup: twoCtas ? 2 : 1,
          completions: p === pieces.length - 1 ? completions : [],
          ...scales,
        },
        on(when, twoCtas ? evenCta : undefined, speaks(from)),
      )
    }
  })

/** Asynchronous with the barriers given, or with one of its own that is waited for. */
const issued = (
  op: Op,
  label: string,
  options: MmaOptions,
  issue: (completions: ReadonlyArray<Completion>) => Build<void>,
): Build<Token> =>
  block(function* () {
    const { barriers = [], isAsync = false, twoCtas = false, from, when, multicast = false, cga } = options
    const groups = multicast ? groupsOf([cga?.a, cga?.b]) : []
    if (multicast && groups.length === 0)
      return yield* mmaNo(
        op,
        label,
        'cga',
        'multicast needs a copy of an operand in several CTAs: a zero row in its CGA layout',
      )
    if (isAsync) {
      const completions: Completion[] = []
      for (const one of barriers)
        completions.push({
          ...(yield* completion(label, one.barrier, one.layout, from, twoCtas, groups)),
          when: one.when ?? i1(true),
        })
      yield* issue(completions)
      return token
    }
    if (barriers.length > 0)
      return yield* mmaNo(
        op,
        label,
        'sync',
        `a product that is not async takes no barriers, found ${String(barriers.length)}`,
      )
    if (twoCtas && from?.specialized === true)
      return yield* mmaNo(
        op,
        label,
        'sync',
        'a synchronous product of two CTAs has a barrier of the whole cluster, which cannot be inside warp_specialize',
      )
    const done = yield* barrierStorage(yield* freshStorage(`${label}.done`), [], { ordersTensorCore: true })
    yield* run(`${label}.init`, { _tag: 'mbarrier.init', barrier: done, count: 1 }, on(when, speaks(from)))
    if (twoCtas) {
      yield* run(`${label}.fence`, { _tag: 'fence.mbarrierInit' }, on(when))
      yield* run(`${label}.arrive`, { _tag: 'cluster.arrive', relaxed: true }, on(when))
      yield* run(`${label}.meet`, { _tag: 'cluster.wait' }, on(when))
    } else yield* partitionSync(`${label}.sync`, from)
    yield* issue([{ ...(yield* completion(label, done, undefined, from, twoCtas, [])), when: i1(true) }])
    yield* run(
      `${label}.wait`,
      {
        _tag: 'mbarrier.wait',
        barrier: done,
        parity: i32(0),
        acquire: true,
        scope: twoCtas ? 'cluster' : 'cta',
      },
      on(when),
    )
    yield* partitionSync(`${label}.waited`, from)
    yield* run(`${label}.inval`, { _tag: 'mbarrier.inval', barrier: done }, on(when, speaks(from)))
    return token
  })

// ---------------------------------------------------------------- products

/** `ttng.tc_gen5_mma %a, %b, %d, %useD, %pred, %barriers...`: the predicate is `when`. */
export const tcGen5Mma = (
  label: string,
  a: MemDesc<'smem' | 'tmem', Dtype, 2>,
  b: MemDesc<'smem', Dtype, 2>,
  d: MemDesc<'tmem', Dtype, 2>,
  useD: Condition,
  options: DenseOptions = {},
): Build<Token> =>
  block(function* () {
    const op = 'tc_gen5_mma'
    const types = yield* operandsOf(op, label, { a, b, d }, options, { a: 1, b: 1 })
    const kind = kindOf(types.a.dtype)
    if (kind === null || kind.name !== kindOf(types.b.dtype)?.name)
      return yield* mmaNo(
        op,
        label,
        'element_type',
        `a and b must be of one kind (tf32, f16, bf16, f8f6f4 or i8), found ${types.a.dtype} and ${types.b.dtype}`,
      )
    if (!kind.into.includes(types.d.dtype))
      return yield* mmaNo(
        op,
        label,
        'accumulator',
        `${types.a.dtype} accumulates in ${kind.into.join(' or ')}, found ${types.d.dtype}`,
      )
    for (const [side, axis, { dtype, layout }] of [
      ['a', 1, types.a],
      ['b', 0, types.b],
    ] as const) {
      if (bitsOf(dtype) < 8 && paddedBytes(axis, layout) === null)
        return yield* mmaNo(
          op,
          label,
          'layout',
          `${side} of ${dtype} must be padded in a product of this kind: 16 elements in the first ${String(2 * bitsOf(dtype))} of every 16 bytes`,
        )
    }
    const unsigned = options.isUnsigned === true && kind.name === 'i8'
    const left = unsigned
      ? reinterpret<Dtype, 2, 'smem' | 'tmem'>(a, 'u8', types.a.layout)
      : asOperand(a, types.a)
    const right = unsigned ? reinterpret<Dtype, 2, 'smem'>(b, 'u8', types.b.layout) : asOperand(b, types.b)
    return yield* issued(op, label, options, (completions) =>
      issueMma(
        label,
        left,
        right,
        sums(d),
        { a: types.a.layout.shape, b: types.b.layout.shape, d: types.d.layout.shape },
        useD,
        options,
        completions,
      ),
    )
  })

/** Bytes of two 4-bit elements along K, as the elements; a gap between bytes stays one. */
const unpacked = (ref: TransformedRef, axis: 0 | 1): TransformedRef | null => {
  const chains = Ref.chainsOf(ref)
  const inner = chains[axis]!.length - 1
  if (chains[axis]![inner]!.stride !== 1) return null
  return Ref.ofChains(
    chains.map((chain, d) =>
      chain.map(({ size, stride }, level) =>
        d === axis && level === inner ? { size: 2 * size, stride: 1 } : { size, stride: 2 * stride },
      ),
    ),
    4,
    ref.byteOffset,
    ref.swizzle,
  )
}

/** An operand as one of bytes: padded elements lie as whole bytes would. */
const asRead = (ref: TransformedRef, axis: 0 | 1, packed: number): TransformedRef => {
  const halves = ref.bits < 8 ? ref : packed === 2 ? unpacked(ref, axis) : null
  return (halves === null ? null : paddedBytes(axis, halves)) ?? ref
}

/** What is multiplied with scales. */
type ScaledElement = 'e4m3' | 'e5m2' | 'e2m3' | 'e3m2' | 'e2m1'

const isByte = (dtype: Dtype): boolean => dtype === 'i8' || dtype === 'u8'

/**
 * `ttng.tc_gen5_mma_scaled %a, %b, %d, %a_scale, %b_scale, %useD, %pred lhs = a_type rhs = b_type, %barriers...`: D += (A scaled) (B scaled), a
 * factor for 32 elements of K or for 16.
 */
export const tcGen5MmaScaled = (
  label: string,
  a: MemDesc<'smem' | 'tmem', Dtype, 2>,
  b: MemDesc<'smem', Dtype, 2>,
  d: MemDesc<'tmem', Dtype, 2>,
  aScale: MemDesc<'tmem', Dtype, 2>,
  bScale: MemDesc<'tmem', Dtype, 2>,
  useD: Condition,
  options: ScaledOptions,
): Build<Token> =>
  block(function* () {
    const op = 'tc_gen5_mma_scaled'
    const stored = { a: yield* memDescHere(label, 'a', a), b: yield* memDescHere(label, 'b', b) }
    const declared: { a: ScaledElement; b: ScaledElement } = { a: 'e4m3', b: 'e4m3' }
    for (const side of ['a', 'b'] as const) {
      const given = side === 'a' ? options.aType : options.bType
      const type = nameOf(ScaleDotElemType, given)
      const { dtype } = stored[side]
      if (type === null)
        return yield* refused(
          'ttng.tc_gen5_mma_scaled.type',
          `${label}: ${side}_type is one of ${showTable(ScaleDotElemType)}, found ${String(given)}`,
        )
      if (type === 'bf16' || type === 'fp16')
        return yield* refused(
          'ttng.tc_gen5_mma_scaled.type',
          `${label}: ${side}_type ${type} is not multiplied with scales: e4m3, e5m2, e2m3, e3m2 and e2m1 are`,
        )
      if (dtype !== type && !(bitsOf(type) < 8 && isByte(dtype)))
        return yield* refused(
          'ttng.tc_gen5_mma_scaled.type',
          `${label}: ${side} of ${side}_type ${type} must be a memdesc of ${type === 'e2m1' ? 'i8, two to a byte' : bitsOf(type) === 6 ? 'i8, 16 elements in the first 12 of every 16' : type}, found ${dtype}`,
        )
      declared[side] = type
    }
    const isBytes = { a: isByte(stored.a.dtype), b: isByte(stored.b.dtype) }
    const packed = {
      a: isBytes.a && declared.a === 'e2m1' ? 2 : 1,
      b: isBytes.b && declared.b === 'e2m1' ? 2 : 1,
    }
    const types = yield* operandsOf(op, label, { a, b, d }, options, packed)
    const [m = 0, n = 0] = types.d.layout.shape
    const k = (types.a.layout.shape[1] ?? 0) * packed.a
    if (m !== 128)
      return yield* refused(
        'ttng.tc_gen5_mma_scaled.block_m',
        `${label}: d of a scaled product must have blockM 128, found ${String(m)} rows`,
      )
    if (n > instructionColumns)
      return yield* mmaNo(
        op,
        label,
        'shape',
        `a scaled product has at most ${String(instructionColumns)} columns here, found ${String(n)}`,
      )
    if (types.d.dtype !== 'f32')
      return yield* mmaNo(
        op,
        label,
        'accumulator',
        `a scaled product accumulates in f32, found ${types.d.dtype}`,
      )
    const scaleOf = (side: 'a' | 'b', scale: MemDesc<'tmem', Dtype, 2>, rows: number) =>
      block(function* () {
        const type = yield* memDescHere(label, `${side}_scale`, scale)
        const factors = type.layout.shape[1] ?? 0
        if (type.space !== 'tmem')
          return yield* refused(
            'ttng.tc_gen5_mma_scaled.scales',
            `${label}: ${side}_scale must be in tensor memory, found ${type.space}`,
          )
        if (
          type.layout.shape.length !== 2 ||
          type.layout.shape[0] !== rows ||
          (k / factors !== 32 && k / factors !== 16)
        )
          return yield* refused(
            'ttng.tc_gen5_mma_scaled.scales',
            `${label}: ${side}_scale must be ${showShape([rows, k / 32])}, a factor for 32 elements of K, or ${showShape([rows, k / 16])}, for 16, found ${showShape(type.layout.shape)}`,
          )
        const as =
          isByte(type.dtype) || type.dtype === 'e8m0'
            ? 'e8m0'
            : type.dtype === 'e4m3' || type.dtype === 'ue4m3'
              ? 'ue4m3'
              : null
        if (as === null || bitsOf(type.dtype) !== 8)
          return yield* refused(
            'ttng.tc_gen5_mma_scaled.scales',
            `${label}: ${side}_scale must be of i8 (powers of two) or e4m3, found ${type.dtype}`,
          )
        return type.dtype === as ? scale : reinterpret<Dtype, 2, 'tmem'>(scale, as, type.layout)
      })
    const scales: Scales = {
      scaleA: yield* scaleOf('a', aScale, m),
      scaleB: yield* scaleOf('b', bScale, n),
    }
    const seen = (side: 'a' | 'b', axis: 0 | 1): TransformedRef | null =>
      !isBytes[side]
        ? types[side].layout
        : declared[side] === 'e2m1'
          ? unpacked(types[side].layout, axis)
          : paddedOf(6)(axis, types[side].layout)
    const [left, right] = [seen('a', 1), seen('b', 0)]
    if (left === null || right === null) {
      const side = left === null ? 'a' : 'b'
      return yield* mmaNo(
        op,
        label,
        'layout',
        declared[side] === 'e2m1'
          ? `${side} of e2m1, two to a byte, must be contiguous along K`
          : `${side} of ${declared[side]}, 16 elements in the first 12 of every 16 bytes, must be contiguous along K, in shared memory`,
      )
    }
    // a product of both widths reads 16 elements from every 16 bytes
    const mixed = (declared.a === 'e2m1') !== (declared.b === 'e2m1')
    for (const [side, axis, ref] of [
      ['a', 1, left],
      ['b', 0, right],
    ] as const)
      if (mixed && declared[side] === 'e2m1' && paddedBytes(axis, ref) === null)
        return yield* mmaNo(
          op,
          label,
          'layout',
          `${side} of e2m1 must be nvmma_shared with fp4Padded in a product with ${side === 'a' ? declared.b : declared.a}: 16 elements in the first half of every 16 bytes`,
        )
    return yield* issued(op, label, options, (completions) =>
      issueMma(
        label,
        isBytes.a ? reinterpret<Dtype, 2, 'smem' | 'tmem'>(a, declared.a, left) : a,
        isBytes.b ? reinterpret<Dtype, 2, 'smem'>(b, declared.b, right) : b,
        sums(d),
        { a: left.shape, b: right.shape, d: types.d.layout.shape },
        useD,
        options,
        completions,
        scales,
      ),
    )
  })
