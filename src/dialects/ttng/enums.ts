/**
 * Enumerations: the attributes of the dialect that are one of a few names, and the number that stands for each in the text.
 *
 *     evictionPolicy = 2     evict_first          ttng.async_tma_reduce add, ...     DescriptorReduceKind 1
 *
 * An operation takes the name or the number: both are in use, and `nameOf` makes one of the two. Where a table has a hole (0 of the
 * reduce kinds) there is no such attribute.
 *
 * | seed's page                       | today's only                                                                        |
 * |-----------------------------------|-------------------------------------------------------------------------------------|
 * | CacheModifier, EvictionPolicy, DescriptorReduceKind, ScaleDotElemType, InputPrecision, the four of tensormap_create | TensorMode, TMEMLoadReduceModifier, TensorMemoryScalesBlockRepOrder |
 *
 * Laws
 * 1. `nameOf(table)(table[name]) = name`, and nothing but a name or its number is accepted.
 *
 * Source: Triton, attribute definitions of the Triton and TritonNvidiaGPU dialects.
 */

// ---------------------------------------------------------------- model

/** Names and the numbers that stand for them. */
export type Enumeration = Readonly<Record<string, number>>
/** One of an enumeration, by name or by number. */
export type Attribute<T extends Enumeration> = (keyof T & string) | T[keyof T]

// ---------------------------------------------------------------- tables

export const CacheModifier = { none: 1, ca: 2, cg: 3, wb: 4, cs: 5, wt: 6, cv: 7 } as const
export const EvictionPolicy = { evict_normal: 1, evict_first: 2, evict_last: 3 } as const
export const DescriptorReduceKind = {
  add: 1,
  min: 2,
  max: 3,
  inc: 4,
  dec: 5,
  and: 6,
  or: 7,
  xor: 8,
} as const
export const ScaleDotElemType = { e4m3: 0, e5m2: 1, e2m3: 2, e3m2: 3, e2m1: 4, bf16: 5, fp16: 6 } as const
export const InputPrecision = { tf32: 0, tf32x3: 1, ieee: 2, bf16x3: 3, bf16x6: 4 } as const
export const TensorMode = { tiled: 0, im2col: 1 } as const
export const TMEMLoadReduceModifier = { min: 1, max: 2 } as const
export const TensorMemoryScalesBlockRepOrder = { mnThenK: 0, kThenMn: 1 } as const
/** Element types of a tensor map. */
export const TensormapElemType = {
  u8: 0,
  u16: 1,
  u32: 2,
  s32: 3,
  u64: 4,
  s64: 5,
  f16: 6,
  f32: 7,
  f32_ftz: 8,
  f64: 9,
  bf16: 10,
  tf32: 11,
  tf32_ftz: 12,
  b4x16: 13,
  b4x16_p64: 14,
  b6x16_p32: 15,
} as const
export const TensormapInterleave = { none: 0, '16B': 1, '32B': 2 } as const
/** Swizzles of 16-byte atoms, by the length of a line. */
export const TensormapSwizzle = { none: 0, '32B': 1, '64B': 2, '128B': 3 } as const
/** The value that a load gets outside the tensor. */
export const TensormapFill = { zero: 0, nan: 1 } as const

// ---------------------------------------------------------------- names and numbers

/** The name of an attribute that is given by name or by number; null: there is none. */
export const nameOf = <T extends Enumeration>(
  table: T,
  given: string | number,
): (keyof T & string) | null => {
  const is = (name: string): name is keyof T & string => Object.hasOwn(table, name)
  return (
    Object.keys(table)
      .filter(is)
      .find((name) => name === given || table[name] === given) ?? null
  )
}

/** "add (1), min (2), ..." */
export const showTable = (table: Enumeration): string =>
  Object.entries(table)
    .map(([name, number]) => `${name} (${String(number)})`)
    .join(', ')
