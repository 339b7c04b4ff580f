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
 * 3. `distributedOf(describeEncoding(e))` has every field of e, for every encoding of registers.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../failure.js'
import type { Index, Shape } from '../transforms/shape.js'
import type { Wire } from '../wire.js'
import { bool, define, described, dictionary, kinded, list, nat, oneOf, record, text } from '../wire.js'
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
const said = {
  name: described(text, 'what an answer calls it'),
  shape: described(nats, 'extents of the array that it is for'),
}
const blocks = {
  ...said,
  cgaBases: described(
    rows,
    "a row for each bit of the block's number, in tiles of a block; absent: one block",
  ),
}
const kind = <K extends string>(name: K): Wire<K> => described(oneOf(name), 'which kind this is')
const order: Wire<ReadonlyArray<number>> = described(
  nats,
  'a permutation of the dimensions, the fastest first',
)
const warpsPerCTA: Wire<ReadonlyArray<number>> = described(nats, 'warps along each dimension')
const fp4Padded: Wire<boolean> = described(bool, 'whether 4-bit numbers have gaps between them')

export const linearWire: Wire<LinearDescription> = record<LinearDescription>()(
  'a linear layout',
  {
    kind: kind('linear'),
    bases: described(dictionary('bases by input', rows), 'values at 1, 2, 4, ... of each input'),
    outputs: described(linearOutputs, 'the dimensions, in their order'),
  },
  said,
)

const blocked: Wire<BlockedDescription> = record<BlockedDescription>()(
  'a blocked encoding',
  {
    kind: kind('blocked'),
    sizePerThread: described(nats, 'neighbours in a lane, along each dimension'),
    threadsPerWarp: described(nats, 'lanes along each dimension'),
    warpsPerCTA,
    order,
  },
  blocks,
)

const mma: Wire<MmaDescription> = record<MmaDescription>()(
  'an nvidia_mma encoding',
  {
    kind: kind('nvidia_mma'),
    versionMajor: described(oneOf<2 | 3>(2, 3), '2: mma.sync; 3: wgmma'),
    instrShape: described(nats, 'rows, columns (and depth) of the instruction'),
    warpsPerCTA,
  },
  { ...blocks, versionMinor: described(nat, 'for the compiler; has no meaning here') },
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
    {
      kind: kind('slice'),
      dim: described(nat, 'the dimension of the parent that is dropped'),
      parent: described(parents, 'the layout that it is a slice of'),
    },
    said,
  ),
  dot_operand: record<DotOperandDescription>()(
    'a dot_operand encoding',
    {
      kind: kind('dot_operand'),
      opIdx: described(oneOf<0 | 1>(0, 1), '0: M x K; 1: K x N'),
      parent: described(
        kinded<BlockedDescription | MmaDescription>()('a parent of a dot operand', {
          blocked,
          nvidia_mma: mma,
        }),
        'the encoding of the result',
      ),
    },
    { ...said, kWidth: described(nat, 'neighbours along K in a lane') },
  ),
  linear: linearWire,
}

/** Every encoding: registers, shared memory, tensor memory. */
export const encodingWire: Wire<EncodingDescription> = kinded<EncodingDescription>()('an encoding', {
  ...distributedCases,
  swizzled_shared: record<Written<Triton.SwizzledShared>>()(
    'a swizzled_shared encoding',
    {
      kind: kind('swizzled_shared'),
      vec: described(nat, 'number of number of elements that stay together'),
      perPhase: described(nat, 'number of rows with the same swizzle'),
      maxPhase: described(nat, 'number of phases before the pattern repeats'),
      order,
    },
    blocks,
  ),
  nvmma_shared: record<Written<Triton.NvmmaShared>>()(
    'an nvmma_shared encoding',
    {
      kind: kind('nvmma_shared'),
      swizzlingByteWidth: described(nat, '0, 32, 64 or 128'),
      transposed: described(bool, 'whether the first dimension is contiguous'),
      elementBitWidth: described(nat, '8, 16, 32 or 64'),
      fp4Padded,
    },
    blocks,
  ),
  shared_linear: record<Written<Triton.SharedLinear>>()(
    'a shared_linear encoding',
    { kind: kind('shared_linear'), offsetBases: described(rows, 'a row for each bit of the offset') },
    {
      ...said,
      blockBases: described(rows, "a row for each bit of the block's number"),
      alignment: described(nat, 'in bytes'),
    },
  ),
  tensor_memory: record<Written<Triton.TensorMemory>>()(
    'a tensor_memory encoding',
    {
      kind: kind('tensor_memory'),
      blockM: described(nat, '64 or 128 rows'),
      blockN: described(nat, 'columns, at most 512'),
      colStride: described(nat, "1, 2 or 4: columns of the element's width from one element to the next"),
      twoCTAs: described(bool, 'whether a pair of blocks works on one product'),
      fp4Padded,
    },
    blocks,
  ),
  tensor_memory_scales: record<Written<Triton.TensorMemoryScales>>()(
    'a tensor_memory_scales encoding',
    { kind: kind('tensor_memory_scales') },
    {
      ...blocks,
      blockRepOrder: described(
        oneOf<'mnThenK' | 'kThenMn'>('mnThenK', 'kThenMn'),
        'which dimension repeats first; absent: mnThenK',
      ),
    },
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

const describeBlocked = ({
  sizePerThread,
  threadsPerWarp,
  warpsPerCTA: warps,
  order: fastest,
  cgaBases,
}: Triton.Blocked): BlockedDescription => ({
  kind: 'blocked',
  sizePerThread,
  threadsPerWarp,
  warpsPerCTA: warps,
  order: fastest,
  ...(cgaBases === undefined ? {} : { cgaBases }),
})

const describeMma = ({
  versionMajor,
  versionMinor,
  instrShape,
  warpsPerCTA: warps,
  cgaBases,
}: Triton.NvidiaMma): MmaDescription => ({
  kind: 'nvidia_mma',
  versionMajor,
  ...(versionMinor === undefined ? {} : { versionMinor }),
  instrShape,
  warpsPerCTA: warps,
  ...(cgaBases === undefined ? {} : { cgaBases }),
})

/** An encoding of registers as a description. */
export const describeEncoding = (spec: DistributedSpec): DistributedDescription => {
  switch (spec._tag) {
    case 'blocked':
      return describeBlocked(spec)
    case 'nvidia_mma':
      return describeMma(spec)
    case 'dot_operand':
      return {
        kind: 'dot_operand',
        opIdx: spec.opIdx,
        ...(spec.kWidth === undefined ? {} : { kWidth: spec.kWidth }),
        parent: spec.parent._tag === 'blocked' ? describeBlocked(spec.parent) : describeMma(spec.parent),
      }
    case 'slice':
      return { kind: 'slice', dim: spec.dim, parent: describeEncoding(spec.parent) }
    case 'linear':
      return {
        kind: 'linear',
        bases: Object.fromEntries(spec.layout.inputs.map(({ name, bases }) => [name, bases])),
        outputs: spec.layout.outputs,
      }
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
