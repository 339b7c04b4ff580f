/** Operations of TTGIR made by hand, of which only what matters is there: for proofs of functions that look at operations, not at texts. */
import type {
  Attribute,
  Dictionary,
  Module,
  Operation,
  Type,
  Value,
} from '../../../src/dialects/ttgir/index.js'

type Shape = ReadonlyArray<number>

const unit: Attribute = { _tag: 'unit' }
export const float = (name: string): Type => ({ _tag: 'float', name })
export const number: Type = { _tag: 'integer', bits: 32, sign: '' }
export const pointer: Type = { _tag: 'pointer', pointee: float('f16'), space: 1 }
export const tensor = (
  shape: Shape,
  element: Type = float('f16'),
  encoding: Attribute | null = null,
): Type => ({
  _tag: 'tensor',
  shape,
  element,
  encoding,
})
export const pointers = (...shape: Shape): Type => tensor(shape, pointer)
export const buffer = (shape: Shape, encoding: Attribute = unit): Type => ({
  _tag: 'memdesc',
  shape,
  element: float('f16'),
  encoding,
  space: unit,
  mutable: true,
  allocation: null,
})
export const value = (name: string, type: Type = float('f32')): Value => ({ name, index: null, type })
export const integer = (n: number): Attribute => ({ _tag: 'integer', value: BigInt(n), type: null })

/** One region of one block; `name`: what stands before it. */
export interface Body {
  readonly name?: string
  readonly parameters?: ReadonlyArray<readonly [string, Type]>
  readonly operations: ReadonlyArray<Operation>
}

export const made = (
  name: string,
  operands: Readonly<Record<string, ReadonlyArray<Value>>> = {},
  results: ReadonlyArray<readonly [string, Type]> = [],
  bodies: ReadonlyArray<Body> = [],
  more: { readonly line?: number; readonly attributes?: Dictionary } = {},
): Operation => ({
  name,
  at: { line: more.line ?? 1, column: 1 },
  names: results.map(([of]) => ({ name: of, count: 1 })),
  results: results.map(([, type]) => type),
  operands,
  attributes: more.attributes ?? [],
  successors: [],
  regions: bodies.map((body) => ({
    name: body.name ?? null,
    blocks: [
      {
        label: null,
        parameters: (body.parameters ?? []).map(([of, type]) => ({
          name: of,
          type,
          attributes: [],
          location: null,
        })),
        operations: body.operations,
      },
    ],
  })),
  location: null,
})

export const moduleOf = (operations: ReadonlyArray<Operation>): Module => ({
  name: null,
  attributes: [],
  definitions: [],
  leading: 0,
  operations,
  location: null,
})
