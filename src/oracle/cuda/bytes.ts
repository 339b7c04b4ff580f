/**
 * Messages as bytes: what the stand-ins send, read field by field, and answers to it (`shim/common.h`).
 *
 * Law 1. Any bytes can be read: what is not there is 0.
 */

// ---------------------------------------------------------------- model

/** Bytes for memory that the host sees. */
export interface Delivery {
  readonly address: bigint
  readonly bytes: Uint8Array
}

export interface Answer {
  readonly status: number
  readonly deliveries: ReadonlyArray<Delivery>
  /** functions of the host that run now, by their numbers */
  readonly due: ReadonlyArray<bigint>
  /** what kernels have printed: on standard output, and on standard error */
  readonly printed: readonly [Uint8Array, Uint8Array]
  readonly payload: Uint8Array
}

export interface Reader {
  readonly u32: () => number
  readonly u64: () => bigint
  readonly take: (n: number) => Uint8Array
  readonly rest: () => Uint8Array
  readonly text: () => string
}

// ---------------------------------------------------------------- reading

export const reader = (bytes: Uint8Array): Reader => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const u32 = (): number => {
    at += 4
    return at <= bytes.length ? view.getUint32(at - 4, true) : 0
  }
  const u64 = (): bigint => {
    at += 8
    return at <= bytes.length ? view.getBigUint64(at - 8, true) : 0n
  }
  const take = (n: number): Uint8Array => {
    at += n
    return bytes.slice(Math.min(at - n, bytes.length), Math.min(at, bytes.length))
  }
  return {
    u32,
    u64,
    take,
    rest: () => take(Math.max(0, bytes.length - at)),
    text: () => new TextDecoder().decode(take(u32())),
  }
}

// ---------------------------------------------------------------- writing

/** Words of 4 bytes, and of 8 where they are big. */
export const numbers = (words: ReadonlyArray<number | bigint>): Uint8Array => {
  const out = new DataView(
    new ArrayBuffer(words.reduce<number>((n, w) => n + (typeof w === 'bigint' ? 8 : 4), 0)),
  )
  let at = 0
  for (const w of words)
    if (typeof w === 'bigint') {
      out.setBigUint64(at, w, true)
      at += 8
    } else {
      out.setUint32(at, w, true)
      at += 4
    }
  return new Uint8Array(out.buffer)
}

/** With its length before it. */
export const encoded = ({ status, deliveries, due, printed, payload }: Answer): Uint8Array => {
  const parts: Uint8Array[] = [numbers([status >>> 0, deliveries.length])]
  for (const { address, bytes } of deliveries) parts.push(numbers([address, BigInt(bytes.length)]), bytes)
  parts.push(numbers([due.length, ...due]))
  for (const text of printed) parts.push(numbers([text.length]), text)
  parts.push(payload)
  const length = parts.reduce((n, p) => n + p.length, 0)
  const out = new Uint8Array(4 + length)
  out.set(numbers([length]))
  let at = 4
  for (const p of parts) {
    out.set(p, at)
    at += p.length
  }
  return out
}

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

// ---------------------------------------------------------------- differences

/** Runs of bytes that differ, more of which are taken as one. */
const mostRuns = 256

/** Runs of bytes in which two differ. */
export const differing = (
  a: Uint8Array,
  b: Uint8Array,
): ReadonlyArray<readonly [start: number, end: number]> => {
  const out: [number, number][] = []
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue
    const last = out[out.length - 1]
    if (last?.[1] === i) last[1] = i + 1
    else out.push([i, i + 1])
  }
  return out.length > mostRuns ? [[out[0]![0], out[out.length - 1]![1]]] : out
}
