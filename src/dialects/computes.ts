/**
 * What a kernel is to compute, in a word: `matmul:A,B,OUT`, `gemm:A,B,OUT` or `copy:FROM,OUT`, by the names of its tensors. A name with `.T` is that of the transpose of its tensor.
 *
 *     matmul:a,b,c      c = a @ b        a (m, k), b (k, n), c (m, n)
 *     matmul:a,b.T,c    c = a @ b.T      a (m, k), b (n, k), c (m, n)
 *     matmul:a,b,c.T    c.T = a @ b      a (m, k), b (k, n), c (n, m): a column-major product
 *     gemm:a,b,d        d = alpha * (a @ b) + beta * c + bias, or any other sum and product of that kind: the proof says which it is
 */
import * as E from 'fp-ts/lib/Either.js'
import { didYouMean } from '../nearest.js'
import { bitsOf, isFloat, type Dtype } from '../numerics/dtype.js'
import type { Spec } from '../semantics/language/program.js'

/** What was expected in the place of what was found. */
export interface NotComputed {
  readonly expected: string
  readonly found: string
}
export interface Computed {
  readonly shape: ReadonlyArray<number>
  readonly dtype: Dtype
}

const shown = (shape: ReadonlyArray<number>): string => `(${shape.map(String).join(', ')})`

/** `matmul:a,b,c` of these tensors. */
export const computesOf = (
  text: string,
  tensors: ReadonlyMap<string, Computed>,
): E.Either<NotComputed, Spec> => {
  const wrong = (expected: string, found: string): E.Either<NotComputed, never> => E.left({ expected, found })
  const match = /^(?:(?:matmul|gemm):([^,]*),([^,]*),([^,]*)|copy:([^,]*),([^,]*))$/.exec(text)
  if (match === null)
    return wrong('matmul:A,B,OUT, gemm:A,B,OUT or copy:FROM,OUT, with names of tensors', `'${text}'`)
  const said = match.slice(1).filter((n) => n !== undefined)
  const isTurned = (k: number): boolean =>
    said.length === 3 && said[k]!.endsWith('.T') && !tensors.has(said[k]!)
  const names = said.map((n, k) => (isTurned(k) ? n.slice(0, -2) : n))
  const unknown = names.find((n) => !tensors.has(n))
  if (unknown !== undefined)
    return wrong(
      `tensors, ${[...tensors.keys()].join(', ')}`,
      `'${unknown}'; ${didYouMean([...tensors.keys()])(unknown)}`,
    )
  const [x, y, z] = names.map((n) => tensors.get(n)!)
  const shapes = names.map((n) => `${n} ${shown(tensors.get(n)!.shape)}`).join(', ')
  if (z === undefined)
    return x!.shape.join() === y!.shape.join()
      ? E.right({ _tag: 'copy', from: names[0]!, out: names[1]! })
      : wrong('two tensors of one shape', shapes)
  const along = ({ shape }: Computed, turned: boolean): ReadonlyArray<number> =>
    turned ? [...shape].reverse() : shape
  const [m, k] = along(x!, isTurned(0))
  const [k2, n] = along(y!, isTurned(1))
  const transposed = isTurned(0) ? (isTurned(1) ? 'both' : 'a') : isTurned(1) ? 'b' : null
  const [rows, columns] = along(z, isTurned(2))
  if ([x!, y!, z].some((t) => t.shape.length !== 2) || k !== k2 || rows !== m || columns !== n)
    return wrong(
      `${said[2]!} = ${said[0]!} @ ${said[1]!} of (m, k) and (k, n)${transposed === null && !isTurned(2) ? ', with .T after the name of a transpose' : ''}`,
      shapes,
    )
  return E.right({
    _tag: 'matmul',
    a: names[0]!,
    b: names[1]!,
    out: names[2]!,
    accumulator: isFloat(x!.dtype) ? 'f32' : 'i32',
    // an instruction takes 32 bytes of k
    blockK: 256 / bitsOf(x!.dtype),
    ...(transposed === null ? {} : { transposed }),
    ...(isTurned(2) ? { transposedOut: true } : {}),
    ...(text.startsWith('gemm') ? { epilogue: true } : {}),
  })
}
