/** Encodings as the conformance files write them, and small readers. */
import { readFileSync } from 'node:fs'
import type { Index, Shape } from '../../../src/transforms/shape.js'
import type { LinearLayout } from '../../../src/layouts/linear/linear-layout.js'
import { apply } from '../../../src/layouts/linear/linear-layout.js'
import type {
  Blocked,
  EncodingSpec,
  NvidiaMma,
  NvmmaShared,
  TensorMemory,
} from '../../../src/layouts/triton/encoding.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import { indices } from '../captured.js'
import { right } from '../../either.js'

export { indices, range } from '../captured.js'

export type Bases = Readonly<Record<string, ReadonlyArray<Index>>>

/** An encoding as written, with `kind` for `_tag`. */
export type Written = { readonly kind: string; readonly parent?: Written }

export interface Conversion {
  readonly shape: Shape
  readonly encoding: Written
  readonly bases: Bases
}

export interface Conflicts {
  readonly shape: Shape
  readonly register: Written
  readonly shared: Written
  readonly bitwidth: number
  readonly conflicts: number
}

interface GoldenCase {
  readonly name: string
  readonly group: string
  readonly inputs: {
    readonly shape: Shape
    readonly encoding: Written
    readonly register: Written
    readonly shared: Written
    readonly bitwidth: number
  }
  readonly expectedBases: Bases
  readonly expectedOutDims: ReadonlyArray<{ readonly name: string; readonly size: number }>
  readonly expected: Readonly<Record<string, number>>
}

const read = (name: string): never =>
  JSON.parse(readFileSync(new URL(`../../../conformance/layouts/${name}`, import.meta.url), 'utf8')) as never

export const golden = (group: string): ReadonlyArray<GoldenCase> =>
  (read('linear.json') as { readonly cases: ReadonlyArray<GoldenCase> }).cases.filter(
    (one) => one.group === group,
  )

export const computed = (): {
  readonly conversion: ReadonlyArray<Conversion>
  readonly bankConflicts: ReadonlyArray<Conflicts>
} => read('triton-computed.json')

export const specOf = (written: Written): EncodingSpec =>
  ({
    ...written,
    _tag: written.kind,
    ...(written.parent === undefined ? {} : { parent: specOf(written.parent) }),
  }) as unknown as EncodingSpec

export const linearOf = (spec: EncodingSpec, shape: Shape): LinearLayout => right(onShape(spec)(shape))

export const basesByInput = (layout: LinearLayout): Bases =>
  Object.fromEntries(layout.inputs.map(({ name, bases }) => [name, bases]))

/** Bases of these inputs. */
export const basesIn = (spec: EncodingSpec, shape: Shape): Bases => basesByInput(linearOf(spec, shape))

export const blocked = (
  sizePerThread: Shape,
  threadsPerWarp: Shape,
  warpsPerCTA: Shape,
  order: ReadonlyArray<number>,
  cgaBases: ReadonlyArray<Index> = [],
): Blocked => ({ _tag: 'blocked', sizePerThread, threadsPerWarp, warpsPerCTA, order, cgaBases })

export const mmaV3 = (columns: number, warpsPerCTA: Shape = [4, 1]): NvidiaMma => ({
  _tag: 'nvidia_mma',
  versionMajor: 3,
  instrShape: [16, columns, 16],
  warpsPerCTA,
})

export const mmaV2 = (warpsPerCTA: Shape): NvidiaMma => ({
  _tag: 'nvidia_mma',
  versionMajor: 2,
  instrShape: warpsPerCTA.length === 3 ? [1, 16, 8] : [16, 8],
  warpsPerCTA,
})

export const nvmma = (
  swizzlingByteWidth: number,
  elementBitWidth: number,
  transposed: boolean = false,
  fp4Padded: boolean = false,
): NvmmaShared => ({ _tag: 'nvmma_shared', swizzlingByteWidth, elementBitWidth, transposed, fp4Padded })

export const tmem = (blockM: number, blockN: number, more: Partial<TensorMemory> = {}): TensorMemory => ({
  _tag: 'tensor_memory',
  blockM,
  blockN,
  colStride: 1,
  twoCTAs: false,
  fp4Padded: false,
  ...more,
})

/** The first index of the shape whose cell holds another element; null if every cell holds its index. */
export const misplaced = (
  layout: LinearLayout,
  shape: Shape,
  cell: (m: number, n: number) => Readonly<Record<string, number>>,
  element: (m: number, n: number) => Index = (m, n) => [m, n],
): string | null => {
  const at = apply(layout)
  for (const [m, n] of indices(shape)) {
    const [wanted, found] = [element(m!, n!), at(cell(m!, n!))]
    if (wanted.some((v, d) => v !== found[d])) return `${wanted.join()} is ${found.join()}`
  }
  return null
}
