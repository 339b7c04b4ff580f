/** Fat binaries as a compiler writes them, byte by byte: the other side of `launch/fatbin.ts`. */

const u16 = (n: number): ReadonlyArray<number> => [n & 255, n >> 8]
const u32 = (n: number): ReadonlyArray<number> => [...u16(n & 0xffff), ...u16(n >>> 16)]
const u64 = (n: number): ReadonlyArray<number> => [...u32(n), ...u32(0)]

export interface Entry {
  readonly kind: 1 | 2
  readonly arch: number
  readonly text: string
  /** the payload in place of the text */
  readonly packed?: ReadonlyArray<number>
}

export const fatbin = (entries: ReadonlyArray<Entry>): Uint8Array => {
  const body = entries.flatMap(({ kind, arch, text, packed }) => {
    const whole = [...new TextEncoder().encode(text)]
    const bytes = [...(packed ?? whole)]
    const compressed = packed?.length ?? 0
    while (bytes.length % 8 !== 7) bytes.push(0)
    bytes.push(0)
    const head = [
      ...u16(kind),
      ...u16(0x101),
      ...u32(64),
      ...u64(bytes.length),
      ...u32(compressed),
      ...u32(64),
      ...u16(0),
      ...u16(9),
      ...u32(arch),
    ]
    while (head.length < 56) head.push(0)
    head.push(...u64(packed === undefined ? 0 : whole.length))
    return [...head, ...bytes]
  })
  return Uint8Array.from([...u32(0xba55ed50), ...u16(1), ...u16(16), ...u64(body.length), ...body])
}
