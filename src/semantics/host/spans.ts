/**
 * Spans: sets of bytes as start, end, start, end ..., ascending, disjoint and not touching.
 *
 * Laws
 * 1. `united` of any pairs of start and end is the set of the bytes that one of them has.
 * 2. `common` is the intersection.
 * 3. `covers(a, b)` exactly if every byte of b is one of a.
 */

/** Pairs of start and end, in any order. */
export const united = (pairs: ArrayLike<number>): Int32Array => {
  const order = Array.from({ length: pairs.length / 2 }, (_, i) => i).sort(
    (x, y) => pairs[2 * x]! - pairs[2 * y]!,
  )
  const out: number[] = []
  for (const i of order) {
    const [start, end] = [pairs[2 * i]!, pairs[2 * i + 1]!]
    if (end <= start) continue
    if (out.length > 0 && out[out.length - 1]! >= start)
      out[out.length - 1] = Math.max(out[out.length - 1]!, end)
    else out.push(start, end)
  }
  return Int32Array.from(out)
}

/** The bytes of both. */
export const common = (a: Int32Array, b: Int32Array): Int32Array => {
  const out: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [start, end] = [Math.max(a[i]!, b[j]!), Math.min(a[i + 1]!, b[j + 1]!)]
    if (start < end) out.push(start, end)
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return Int32Array.from(out)
}

export const covers = (a: Int32Array, b: Int32Array): boolean => common(a, b).join() === b.join()

export const countOf = (a: Int32Array): number => {
  let bytes = 0
  for (let i = 0; i < a.length; i += 2) bytes += a[i + 1]! - a[i]!
  return bytes
}
