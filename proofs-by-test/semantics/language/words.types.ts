/** The table of words (`words.ts`) against the types of the instructions: a table that has drifted would be refused. */
import type { InstructionDescriptor } from '../../../src/layouts/shared-memory/instruction-descriptor.js'
import type { View } from '../../../src/semantics/language/expression.js'
import type {
  AccumulatorDtype,
  InstructionName,
  InstructionOf,
} from '../../../src/semantics/language/instruction.js'
import type { KindOf } from './words.js'

type Kind<K extends InstructionName, F extends keyof InstructionOf<K>> = KindOf<
  InstructionOf<K>[F] extends ReadonlyArray<infer E> | undefined ? E : NonNullable<InstructionOf<K>[F]>
>

/** What the bits of an instruction can name as its accumulator. */
type Encoded = Extract<InstructionDescriptor, { readonly _tag: 'dense' }>['accumulator']
export const encoded: [[Encoded, AccumulatorDtype] extends [AccumulatorDtype, Encoded] ? true : false] = [
  true,
]

const accumulators = ['f32', 'f16', 'i32'] as const

export const lawful: {
  readonly a: Kind<'tcgen05.mma', 'a'>
  readonly d: Kind<'tcgen05.mma', 'accumulator'>
  readonly coords: Kind<'tma.load', 'coords'>
  readonly barrier: Kind<'tcgen05.commit', 'barrier'>
} = {
  a: { _tag: 'view', spaces: ['tmem', 'smem'], dtypes: 'any', rank: 2 },
  d: { _tag: 'view', spaces: ['tmem'], dtypes: accumulators, rank: 2 },
  coords: { _tag: 'scalar', dtype: 'i32' },
  barrier: { _tag: 'barrier', ordersTensorCore: true },
}

export const narrower: Kind<'tcgen05.mma', 'a'> = {
  _tag: 'view',
  // @ts-expect-error the table allows less: one of the two spaces
  spaces: ['smem'],
  dtypes: 'any',
  rank: 2,
}
export const wider: Kind<'tcgen05.mma', 'b'> = {
  _tag: 'view',
  // @ts-expect-error the table allows more: b is in shared memory alone
  spaces: ['smem', 'tmem'],
  dtypes: 'any',
  rank: 2,
}
export const anyAccumulator: Kind<'tcgen05.mma', 'accumulator'> = {
  _tag: 'view',
  spaces: ['tmem'],
  // @ts-expect-error the table allows more: a tensor core sums up in three dtypes
  dtypes: 'any',
  rank: 2,
}
export const fewAccumulators: Kind<'wgmma.mma', 'accumulator'> = {
  _tag: 'view',
  spaces: ['regs'],
  // @ts-expect-error the table allows less
  dtypes: ['f32', 'i32'],
  rank: 2,
}
export const rank: Kind<'smem.load', 'source'> = {
  _tag: 'view',
  spaces: ['smem'],
  dtypes: 'any',
  // @ts-expect-error a view of any rank
  rank: 2,
}
export const order: Kind<'tcgen05.commit', 'barrier'> = {
  _tag: 'barrier',
  // @ts-expect-error it orders the tensor core
  ordersTensorCore: false,
}
export const noOrder: Kind<'mbarrier.wait', 'barrier'> = {
  _tag: 'barrier',
  // @ts-expect-error any barrier will do
  ordersTensorCore: true,
}
export const element: Kind<'gmem.loadPtr', 'mask'> = {
  _tag: 'tile',
  // @ts-expect-error a mask is of i1
  element: 'scalar',
  rank: 'any',
}
export const width: Kind<'tensormap.create', 'strides'> = {
  _tag: 'scalar',
  // @ts-expect-error strides are of 64 bits
  dtype: 'i32',
}

/** A type that drifts is a kind that the table does not have. */
export const drifted: KindOf<View<'tmem', AccumulatorDtype | 'bf16', 2>> = {
  _tag: 'view',
  spaces: ['tmem'],
  // @ts-expect-error bf16 is missing
  dtypes: accumulators,
  rank: 2,
}
