/**
 * Memory of a program: allocations with numbers, from which their addresses follow (`warps/launched.ts`).
 *
 * | kind     | kernels | host | address                                             |
 * |----------|---------|------|-----------------------------------------------------|
 * | device   | yes     | no   | `7f000000 + number` << 32                           |
 * | managed, mapped | yes | yes | `2000 + number` << 32, which a process can have, too |
 * | pinned, pageable | no | yes | the same                                           |
 * | symbol   | yes     | no   | as of the device: a variable of a module            |
 *
 * A number is given once: an address of memory that was freed is never that of other memory, so that a use after the free is seen.
 *
 * Law 1. The bytes that are written are exactly those that some operation has written; of memory that begins with zeros, all.
 */
import * as Plane from '../../semantics/machine/plane.js'
import type { HeldMemory } from '../../semantics/execution/launch-warps.js'
import { upperWord } from '../../semantics/warps/launched.js'
import type { NpyArray } from '../tensor-files/npy.js'
import type { MemoryKind } from './file.js'

// ---------------------------------------------------------------- model

export interface Memory {
  readonly name: string
  readonly number: number
  readonly kind: MemoryKind | 'symbol'
  readonly bytes: number
  readonly holds: Plane.Plane
  /** a byte for each, 1 where it was written; null: all were */
  readonly written: Uint8Array | null
  /** of a variable: its module and its name there */
  readonly symbol: { readonly module: string; readonly name: string } | null
  /** the operation that made it, and the one that freed it */
  readonly made: number
  readonly freed: number | null
  /** what it holds, as a launch calls it, and what is expected at the end */
  readonly tensor: {
    readonly dtype: string
    readonly shape: ReadonlyArray<number>
    readonly expected: NpyArray | null
  } | null
}

// ---------------------------------------------------------------- constructors

export const memory = (
  name: string,
  number: number,
  kind: Memory['kind'],
  bytes: number,
  contents: Uint8Array | null,
  made: number,
  symbol: Memory['symbol'] = null,
  tensor: Memory['tensor'] = null,
): Memory => ({
  name,
  number,
  kind,
  bytes,
  holds:
    contents === null || contents.every((b) => b === 0)
      ? Plane.ofZeros(bytes, true)
      : Plane.ofBytes(contents, true),
  written: contents === null ? new Uint8Array(bytes) : null,
  symbol,
  made,
  freed: null,
  tensor,
})

/** As it is after something has happened to it. */
export const changed = (m: Memory, to: Partial<Pick<Memory, 'holds' | 'written' | 'freed'>>): Memory =>
  Object.assign({}, m, to)

// ---------------------------------------------------------------- destructors

/** Does the host see it? */
export const isOfHost = ({ kind }: Memory): boolean => kind !== 'device' && kind !== 'symbol'

/** Do kernels? */
export const isOfKernels = ({ kind }: Memory): boolean => kind !== 'pinned' && kind !== 'pageable'

export const addressOf = (m: Memory): bigint => BigInt(upperWord(m.number, isOfHost(m))) << 32n

/** The memory that an address means, and the byte in it. */
export const memoryAt = (
  all: ReadonlyMap<string, Memory>,
  address: bigint,
): { readonly memory: Memory; readonly at: number } | null => {
  for (const m of all.values()) {
    const at = address - addressOf(m)
    if (at >= 0n && at < 1n << 32n) return { memory: m, at: Number(at) }
  }
  return null
}

export const bytesOf = (m: Memory, at: number, bytes: number): Uint8Array => heldBytes(m.holds, at, bytes)

/** Bytes of what some memory holds or has held. */
export const heldBytes = (holds: Plane.Plane, at: number, bytes: number): Uint8Array => {
  // a plane is copied to the same addresses
  const all = new Uint8Array(at + bytes)
  Plane.copyOut(holds, at, at + bytes, all)
  return all.subarray(at)
}

/** What memory of the host holds that begins with zeros, or has these bytes. */
export const zeros = (bytes: number): Plane.Plane => Plane.ofZeros(bytes, true)
export const holding = (bytes: Uint8Array): Plane.Plane => Plane.ofBytes(bytes, true)

/** With other bytes; `isWritten`: of each whether it was written, null: all were. */
export const withBytes = (
  m: Memory,
  at: number,
  data: Uint8Array,
  isWritten: Uint8Array | null = null,
): Memory => {
  const holds = Plane.withBytes(m.holds, at, data)
  // what was written stays so
  if (isWritten === null && m.written?.subarray(at, at + data.length).includes(0) !== true)
    return changed(m, { holds, written: m.written })
  const written = m.written?.slice() ?? new Uint8Array(m.bytes).fill(1)
  written.set(isWritten ?? new Uint8Array(data.length).fill(1), at)
  return changed(m, { holds, written: written.includes(0) ? written : null })
}

/** As a launch has it. */
export const held = (m: Memory, module: string): HeldMemory => ({
  name: m.name,
  region: m.number,
  bytes: m.bytes,
  holds:
    m.freed !== null
      ? `which operation ${String(m.freed)} has freed`
      : isOfKernels(m)
        ? m.holds
        : 'which is memory of the host that no kernel may use',
  ofHost: isOfHost(m),
  symbol: m.symbol?.module === module ? m.symbol.name : null,
})
