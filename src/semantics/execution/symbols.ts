/**
 * Symbols: tensors whose floats are terms of their own, for a run over the free algebra (`numerics/terms.ts`).
 *
 *     a: f16[2, 2]     terms input 0.0, 0.1, 0.2, 0.3
 *     n: i32[4]        0, 0, 0, 0: an integer is a value in every algebra
 */
import { isFloat } from '../../numerics/dtype.js'
import type { Header, LoggedTensor } from '../log/events.js'

/** Tensors by their names, row-major. */
export type Contents = ReadonlyMap<string, Float64Array>

export const sizeOf = (t: LoggedTensor): number => t.shape.reduce((n, d) => n * d, 1)

/** What the inputs hold, element by element; integers are zeros. */
export const inputsOf = (header: Header, element: (tensor: number, index: number) => number): Contents =>
  new Map(
    header.tensors.flatMap((t, number) => {
      if (!header.planes[t.plane]!.initialised) return []
      const data = new Float64Array(sizeOf(t))
      if (isFloat(t.dtype)) data.forEach((_, i) => (data[i] = element(number, i)))
      return [[t.name, data] as const]
    }),
  )
