/** The arguments of a launch of a function in a module, one for each parameter. */

export type Role = 'in' | 'out' | 'inout'
/** The value that a tensor map loads outside its tensor. */
export type Padding = 'zero' | 'nan'

/** A tensor of global memory, as a pointer or a descriptor needs it; strides in elements. */
export interface GivenTensor {
  readonly tensor: string
  readonly shape: ReadonlyArray<number>
  readonly strides: ReadonlyArray<number>
  readonly role: Role
  /** of a descriptor; zeros if not given */
  readonly padding?: Padding
}

export interface Launch {
  /** programs along x, y, z */
  readonly grid: ReadonlyArray<number>
  /** of pointers and descriptors, by the name of the parameter; several may name one tensor */
  readonly tensors: ReadonlyMap<string, GivenTensor>
  /** of scalars, by the name of the parameter; one that is not here stays a parameter of the program */
  readonly scalars?: ReadonlyMap<string, number | bigint>
}

/** Strides in elements of a tensor whose rows lie behind each other. */
export const rowMajor = (shape: ReadonlyArray<number>): ReadonlyArray<number> =>
  shape.map((_, d) => shape.slice(d + 1).reduce((n, extent) => n * extent, 1))
