/** Types of PTX by how many bits, words and bytes they have. */
const widths: ReadonlyMap<string, number> = new Map([
  ['pred', 1],
  ['b8', 8],
  ['u8', 8],
  ['s8', 8],
  ['b16', 16],
  ['u16', 16],
  ['s16', 16],
  ['f16', 16],
  ['bf16', 16],
  ['b32', 32],
  ['u32', 32],
  ['s32', 32],
  ['f32', 32],
  ['f16x2', 32],
  ['bf16x2', 32],
  ['b64', 64],
  ['u64', 64],
  ['s64', 64],
  ['f64', 64],
  ['b128', 128],
])

export const isType = (word: string): boolean => widths.has(word)
/** 32 of what is no type. */
export const bitsOf = (type: string): number => widths.get(type) ?? 32
export const wordsOf = (type: string): number => Math.max(1, bitsOf(type) / 32)
export const bytesOf = (type: string): 1 | 2 | 4 | 8 | 16 => {
  const bits = bitsOf(type)
  return bits <= 8 ? 1 : bits === 16 ? 2 : bits === 32 ? 4 : bits === 64 ? 8 : 16
}
