/** f32 by a definition of its own: exact in f64, made odd where something is lost, then rounded to nearest. */
const view = new DataView(new ArrayBuffer(8))

/** An f64 sum with what it lost, as an f64 that rounds to f32 as the exact sum does. */
const odd = (sum: number, lost: number): number => {
  if (lost === 0 || !Number.isFinite(sum)) return sum
  view.setFloat64(0, sum)
  const pattern = view.getBigUint64(0)
  if ((pattern & 1n) === 1n) return sum
  // towards what was lost: one more in size if it has the sum's sign
  view.setBigUint64(0, lost > 0 === sum > 0 ? pattern + 1n : pattern - 1n)
  return view.getFloat64(0)
}
const sumOf = (x: number, y: number): number => {
  const s = x + y
  const t = s - x
  return odd(s, x - (s - t) + (y - t))
}

export const add = (x: number, y: number): number => Math.fround(sumOf(x, y))
export const sub = (x: number, y: number): number => add(x, -y)
/** A product of two f32 is exact in f64. */
export const mul = (x: number, y: number): number => Math.fround(x * y)
export const fma = (x: number, y: number, z: number): number => Math.fround(sumOf(x * y, z))
