/** Types from rows: one instruction for each form of words, against its type by hand; text of no form gives none. */
import type { Dtype } from '../../../src/numerics/dtype.js'
import type { CopyShape } from '../../../src/layouts/tensor-memory/copy-shape.js'
import type { Derived, Given, Rows } from '../../../src/semantics/language/derive.js'
import type {
  Barrier,
  Condition,
  Descriptor,
  Expr,
  Int,
  Ptr,
  Tile,
  View,
} from '../../../src/semantics/language/expression.js'
import type {
  AccumulatorDtype,
  Instruction,
  InstructionName,
  InstructionOf,
  Scope,
} from '../../../src/semantics/language/instruction.js'
import type { Contract, PtrIndex, ScalarName } from '../../../src/semantics/language/types.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

interface ByHand {
  readonly load: {
    readonly _tag: 'tma.load'
    readonly descriptor: Descriptor
    readonly coords: ReadonlyArray<Int>
    readonly destination: View<'smem'>
    readonly barrier: Barrier<Contract, boolean>
    readonly ctaGroup: 1 | 2
    readonly multicast?: Int
  }
  readonly create: {
    readonly _tag: 'tensormap.create'
    readonly at: Ptr
    readonly tensor: Ptr
    readonly dims: ReadonlyArray<Int>
    readonly strides: ReadonlyArray<Expr<'i64'>>
    readonly box: ReadonlyArray<number>
    readonly elementStrides?: ReadonlyArray<number>
    readonly dtype: Dtype
    readonly swizzle: 16 | 32 | 64 | 128
    readonly fill: 'zero' | 'nan'
  }
  readonly atomic: {
    readonly _tag: 'gmem.atomicPtr'
    readonly op: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange' | 'cas'
    readonly destination: Tile<PtrIndex>
    readonly value: Tile<ScalarName>
    readonly scope: 'cta' | 'cluster' | 'gpu' | 'sys'
    readonly compare?: Tile<ScalarName>
    readonly mask?: Tile<'i1'>
  }
  readonly scatter: {
    readonly _tag: 'tma.scatter'
    readonly descriptor: Descriptor
    readonly rows: Tile<'i32', 1>
    readonly column: Int
    readonly source: View<'smem'>
  }
  readonly product: {
    readonly _tag: 'tcgen05.mma'
    readonly accumulator: View<'tmem', 'f32' | 'f16' | 'i32', 2>
    readonly a: View<'smem' | 'tmem', Dtype, 2>
    readonly b: View<'smem', Dtype, 2>
    readonly accumulate: Condition
    readonly ctaGroup: 1 | 2
    readonly completions: ReadonlyArray<{
      readonly barrier: Barrier<Contract, true>
      readonly when: Condition
      readonly multicast?: Int
    }>
    readonly scaleA?: View<'tmem'>
    readonly scaleB?: View<'tmem'>
    readonly sparsity?: View<'tmem'>
    readonly saturate?: boolean
    readonly weightStationary?: boolean
  }
  readonly copy: {
    readonly _tag: 'tcgen05.cp'
    readonly source: View<'smem'>
    readonly destination: View<'tmem'>
    readonly shape: CopyShape
    readonly ctaGroup: 1 | 2
  }
  readonly init: {
    readonly _tag: 'mbarrier.init'
    readonly barrier: Barrier<Contract, boolean>
    readonly count: number
  }
  readonly trap: {
    readonly _tag: 'trap'
    readonly why?: string
    readonly left?: Expr<'i64'>
    readonly right?: Expr<'i64'>
  }
}
type Read = {
  readonly [E in keyof ByHand]: Same<Derived<ByHand[E]['_tag']>, { [F in keyof ByHand[E]]: ByHand[E][F] }>
}
export const read: Read = {
  load: true,
  create: true,
  atomic: true,
  scatter: true,
  product: true,
  copy: true,
  init: true,
  trap: true,
}

export const names: Same<keyof Rows, InstructionName> = true
export const one: Same<InstructionOf<'trap' | 'elect'>, Derived<'trap'> | Derived<'elect'>> = true
export const scope: Same<Scope, 'cta' | 'cluster' | 'gpu' | 'sys'> = true
export const sums: Same<AccumulatorDtype, 'f32' | 'f16' | 'i32'> = true

/** Every field of every row has words of some form. */
type Unread = {
  [I in Instruction as I['_tag']]: { [F in keyof I]-?: [I[F]] extends [never] ? F : never }[keyof I]
}
export const all: Same<Unread[InstructionName], never> = true

type Misspelt =
  'views smem' | 'view shared' | 'view smem of f33' | 'view smem rank two' | 'tile i33' | 'i33' | ''
export const unread: Same<{ [T in Misspelt]: Given<T> }[Misspelt], never> = true
