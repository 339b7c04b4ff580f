/**
 * Shapes: the finite index sets that everything else is a function on.
 *
 * A shape `[d0, ..., dr-1]` stands for the set of indices `[i0, ..., ir-1]` with `0 <= ik < dk`, listed in
 * row-major order: the last coordinate runs fastest. `ravel` and `unravel` are the two halves of that listing.
 *
 *     shape [2, 3]:   [0,0] [0,1] [0,2] [1,0] [1,1] [1,2]
 *     position          0     1     2     3     4     5
 *
 * CuTe lists the other way round (the first mode runs fastest); Pallas, Triton and Mojo print row-major.
 *
 * Laws
 * 1. `ravel(s)(unravel(s)(p)) = p` for `0 <= p < sizeOf(s)`; `unravel(s)(ravel(s)(i)) = i` for every index.
 * 2. `ravel(s)(i) = sum of i_k * rowMajorStrides(s)_k`.
 */

/** The extents of an array, major to minor. Every extent is a positive integer. */
export type Shape = ReadonlyArray<number>

/** One coordinate per dimension of a shape. */
export type Index = ReadonlyArray<number>

/** How many elements a shape has; 1 for the shape of rank 0. */
export const sizeOf = (shape: Shape): number => shape.reduce((product, extent) => product * extent, 1)

/** The strides, in elements, of the dense row-major array of this shape. */
export const rowMajorStrides = (shape: Shape): ReadonlyArray<number> => {
  const strides: number[] = new Array<number>(shape.length).fill(1)
  for (let k = shape.length - 2; k >= 0; k--) strides[k] = strides[k + 1]! * shape[k + 1]!
  return strides
}

/** Position of an index in the row-major listing. */
export const ravel =
  (shape: Shape) =>
  (index: Index): number =>
    shape.reduce((position, extent, k) => position * extent + index[k]!, 0)

/** The index at a position of the row-major listing. */
export const unravel =
  (shape: Shape) =>
  (position: number): Index => {
    const index: number[] = new Array<number>(shape.length).fill(0)
    let rest = position
    for (let k = shape.length - 1; k >= 0; k--) {
      index[k] = rest % shape[k]!
      rest = Math.floor(rest / shape[k]!)
    }
    return index
  }

export const sameShape = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((extent, k) => extent === b[k])

export const isExtent = (n: number): boolean => Number.isSafeInteger(n) && n > 0

/** `(2, 3)`: how messages print shapes, tiles and indices. */
export const showShape = (shape: ReadonlyArray<number>): string =>
  shape.length === 1 ? `(${String(shape[0])},)` : `(${shape.join(', ')})`
