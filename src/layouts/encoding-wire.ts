/**
 * Triton's encodings in JSON: the attributes of the encoding, told apart by `kind`.
 *
 *     {"kind": "blocked", "sizePerThread": [1, 8], "threadsPerWarp": [8, 4], "warpsPerCTA": [4, 1], "order": [1, 0]}
 *     {"kind": "slice", "dim": 0, "parent": {"kind": "nvidia_mma", ...}}
 *
 * Kinds and fields are those of `triton/encoding.ts`; a `linear` encoding is written as bases and outputs.
 *
 * Laws
 * 1. Every captured encoding decodes to the encoding of its fields.
 * 2. A field that is missing, misspelt or of another type is refused with its path.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import type { Index, Shape } from '../transforms/shape.js'
import type { Wire } from '../wire.js'
import { bool, define, dictionary, kinded, list, nat, oneOf, record, text } from '../wire.js'
import { linearOutputs } from './layout-wire.js'
import type { LinearError, LinearOutput, LinearSpec } from './linear/linear-layout.js'
import { linearLayout } from './linear/linear-layout.js'
import type { DistributedSpec, EncodingSpec } from './triton/encoding.js'
import type * as Triton from './triton/index.js'

// ---------------------------------------------------------------------------------------------- model

/** What people call it, and the array that it is for; both may be left out. */
export interface Said {
  readonly name?: string
  readonly shape?: Shape
}

type Written<Spec extends { readonly _tag: string }> = Omit<Spec, '_tag'> & {
  readonly kind: Spec['_tag']
} & Said

export interface LinearDescription extends Said {
  readonly kind: 'linear'
  /** Values at 1, 2, 4, ... of each input; inputs from minor to major. */
  readonly bases: Readonly<Record<string, ReadonlyArray<Index>>>
  /** For an array, in the order of its dimensions. */
  readonly outputs: ReadonlyArray<LinearOutput>
}

export type BlockedDescription = Written<Triton.Blocked>
export type MmaDescription = Written<Triton.NvidiaMma>
export type SliceDescription = Omit<Written<Triton.Slice>, 'parent'> & {
  readonly parent: DistributedDescription
}
export type DotOperandDescription = Omit<Written<Triton.DotOperand>, 'parent'> & {
  readonly parent: BlockedDescription | MmaDescription
}
export type DistributedDescription =
  BlockedDescription | MmaDescription | SliceDescription | DotOperandDescription | LinearDescription

export type BufferDescription =
  | Written<Triton.SwizzledShared>
  | Written<Triton.NvmmaShared>
  | Written<Triton.SharedLinear>
  | Written<Triton.TensorMemory>
  | Written<Triton.TensorMemoryScales>

export type EncodingDescription = DistributedDescription | BufferDescription

// --------------------------------------------------------------------------------------------- decoding

const nats: Wire<ReadonlyArray<number>> = list(nat)
const rows: Wire<ReadonlyArray<Index>> = list(nats)
const said = { name: text, shape: nats }
const blocks = { ...said, cgaBases: rows }

export const linearWire: Wire<LinearDescription> = record<LinearDescription>()(
  'a linear layout',
  { kind: oneOf('linear'), bases: dictionary('bases by input', rows), outputs: linearOutputs },
  said,
)

const blocked: Wire<BlockedDescription> = record<BlockedDescription>()(
  'a blocked encoding',
  {
    kind: oneOf('blocked'),
    sizePerThread: nats,
    threadsPerWarp: nats,
    warpsPerCTA: nats,
    order: nats,
  },
  blocks,
)

const mma: Wire<MmaDescription> = record<MmaDescription>()(
  'an nvidia_mma encoding',
  {
    kind: oneOf('nvidia_mma'),
    versionMajor: oneOf<2 | 3>(2, 3),
    instrShape: nats,
    warpsPerCTA: nats,
  },
  { ...blocks, versionMinor: nat },
)

const parents: Wire<DistributedDescription> = define('Distributed', () =>
  kinded<DistributedDescription>()('an encoding of registers', distributedCases),
)

/** The encodings of tensors in registers, for unions that have more. */
export const distributedCases: {
  readonly blocked: Wire<BlockedDescription>
  readonly nvidia_mma: Wire<MmaDescription>
  readonly slice: Wire<SliceDescription>
  readonly dot_operand: Wire<DotOperandDescription>
  readonly linear: Wire<LinearDescription>
} = {
  blocked,
  nvidia_mma: mma,
  slice: record<SliceDescription>()(
    'a slice encoding',
    { kind: oneOf('slice'), dim: nat, parent: parents },
    said,
  ),
  dot_operand: record<DotOperandDescription>()(
    'a dot_operand encoding',
    {
      kind: oneOf('dot_operand'),
      opIdx: oneOf<0 | 1>(0, 1),
      parent: kinded<BlockedDescription | MmaDescription>()('a parent of a dot operand', {
        blocked,
        nvidia_mma: mma,
      }),
    },
    { ...said, kWidth: nat },
  ),
  linear: linearWire,
}

/** Every encoding: registers, shared memory, tensor memory. */
export const encodingWire: Wire<EncodingDescription> = kinded<EncodingDescription>()('an encoding', {
  ...distributedCases,
  swizzled_shared: record<Written<Triton.SwizzledShared>>()(
    'a swizzled_shared encoding',
    { kind: oneOf('swizzled_shared'), vec: nat, perPhase: nat, maxPhase: nat, order: nats },
    blocks,
  ),
  nvmma_shared: record<Written<Triton.NvmmaShared>>()(
    'an nvmma_shared encoding',
    {
      kind: oneOf('nvmma_shared'),
      swizzlingByteWidth: nat,
      transposed: bool,
      elementBitWidth: nat,
      fp4Padded: bool,
    },
    blocks,
  ),
  shared_linear: record<Written<Triton.SharedLinear>>()(
    'a shared_linear encoding',
    { kind: oneOf('shared_linear'), offsetBases: rows },
    { ...said, blockBases: rows, alignment: nat },
  ),
  tensor_memory: record<Written<Triton.TensorMemory>>()(
    'a tensor_memory encoding',
    {
      kind: oneOf('tensor_memory'),
      blockM: nat,
      blockN: nat,
      colStride: nat,
      twoCTAs: bool,
      fp4Padded: bool,
    },
    blocks,
  ),
  tensor_memory_scales: record<Written<Triton.TensorMemoryScales>>()(
    'a tensor_memory_scales encoding',
    { kind: oneOf('tensor_memory_scales') },
    { ...blocks, blockRepOrder: oneOf<'mnThenK' | 'kThenMn'>('mnThenK', 'kThenMn') },
  ),
})

// -------------------------------------------------------------------------------------------- meaning

type Meant<Spec> = E.Either<Failure<LinearError>, Spec>

export const linearSpecOf = ({ bases, outputs }: LinearDescription): LinearSpec => ({
  inputs: Object.entries(bases).map(([name, own]) => ({ name, bases: own })),
  outputs,
})

const parentOf = (d: BlockedDescription | MmaDescription): Triton.Blocked | Triton.NvidiaMma =>
  d.kind === 'blocked' ? { ...d, _tag: 'blocked' } : { ...d, _tag: 'nvidia_mma' }

/** The encoding that is written. Errors: a linear layout that is none. */
export const distributedOf = (d: DistributedDescription): Meant<DistributedSpec> => {
  switch (d.kind) {
    case 'blocked':
    case 'nvidia_mma':
      return E.right(parentOf(d))
    case 'dot_operand':
      return E.right({ ...d, _tag: 'dot_operand', parent: parentOf(d.parent) })
    case 'slice':
      return pipe(
        distributedOf(d.parent),
        E.map((parent) => ({ _tag: 'slice', dim: d.dim, parent })),
      )
    case 'linear':
      return pipe(
        linearLayout(linearSpecOf(d)),
        E.map((layout) => ({ _tag: 'linear', layout })),
      )
  }
}

/** The same for every kind of memory. */
export const encodingOf = (d: EncodingDescription): Meant<EncodingSpec> => {
  switch (d.kind) {
    case 'swizzled_shared':
      return E.right({ ...d, _tag: 'swizzled_shared' })
    case 'nvmma_shared':
      return E.right({ ...d, _tag: 'nvmma_shared' })
    case 'shared_linear':
      return E.right({ ...d, _tag: 'shared_linear' })
    case 'tensor_memory':
      return E.right({ ...d, _tag: 'tensor_memory' })
    case 'tensor_memory_scales':
      return E.right({ ...d, _tag: 'tensor_memory_scales' })
    case 'blocked':
    case 'nvidia_mma':
    case 'dot_operand':
    case 'slice':
    case 'linear':
      return distributedOf(d)
  }
}
