/** Two ways in which others write these layouts, as oracles: XOR of bases, and shape:stride modes. */

/** A coordinate is the XOR of the bases at the set bits of the inputs, which follow one another. */
export const byBases =
  (...groups: readonly (readonly (readonly number[])[])[]) =>
  (...inputs: readonly number[]): readonly number[] => {
    const sum = [0, 0]
    groups.forEach((bases, g) => {
      bases.forEach((basis, bit) => {
        if (((inputs[g]! >> bit) & 1) === 1) basis.forEach((c, k) => (sum[k]! ^= c))
      })
    })
    return sum
  }

export const log2 = (n: number): readonly number[] => Array.from({ length: Math.log2(n) }, (_, k) => k)

/** CuTe: the first mode runs fastest. */
export const byModes =
  (modes: readonly (readonly [size: number, stride: number])[]) =>
  (index: number): number => {
    let rest = index
    let sum = 0
    for (const [size, stride] of modes) {
      sum += (rest % size) * stride
      rest = Math.floor(rest / size)
    }
    return sum
  }
