/**
 * Memory of a program by its name: bytes of it, variables of modules, addresses in structs; and what is wrong with a use of it.
 *
 * A variable is memory as soon as something names it or a kernel of its module is launched.
 *
 * Law 1. What is used and cannot be is a finding (H4), and nothing of it is read or written.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../failure.js'
import { didYouMean } from '../../nearest.js'
import { encoded, mapBytes } from '../../semantics/instructions/tma/object.js'
import type { Variable } from '../../semantics/warps/program.js'
import { fieldsOf } from '../launch/ptx-maps.js'
import type { Laying } from '../launch/ptx-parameters.js'
import type { Meant, Spot } from './file.js'
import { addressOf, memory, type Memory, withBytes } from './memory.js'
import { type HostFinding, neverWritten, ofLife } from './findings.js'
import type { Modules } from './modules.js'
import { type Host, host } from './state.js'

export const named = (h: Host, name: string): E.Either<Failure, Memory> => {
  const m = h.memories.get(name)
  return m === undefined
    ? refuse('host.memory', `there is no memory '${name}'; ${didYouMean([...h.memories.keys()])(name)}`)
    : E.right(m)
}

export const numberOf = (h: Host): number => h.memories.size

export const withMemory = (h: Host, m: Memory): Host =>
  host(h, { memories: new Map([...h.memories, [m.name, m]]) })

const initialOf = (h: Host, v: Variable, path: string): Uint8Array => {
  const bytes = v.initial.slice()
  const view = new DataView(bytes.buffer)
  for (const { at, symbol, offset } of v.addresses) {
    const m = [...h.memories.values()].find((x) => x.symbol?.module === path && x.symbol.name === symbol)
    if (m !== undefined) view.setBigUint64(at, addressOf(m) + BigInt(offset), true)
  }
  return bytes
}

/** With memory for the variables of a module that have none. */
export const withVariables = (
  h: Host,
  path: string,
  variables: ReadonlyArray<Variable>,
  now: number,
): Host => {
  let next = h
  const isThere = (v: Variable): boolean =>
    [...next.memories.values()].some(({ symbol }) => symbol?.module === path && symbol.name === v.symbol)
  const fresh = variables.filter((v) => !isThere(v))
  for (const v of fresh) {
    const name = next.memories.has(v.symbol) ? `${path}:${v.symbol}` : v.symbol
    next = withMemory(
      next,
      memory(name, numberOf(next), v.managed ? 'managed' : 'symbol', v.bytes, v.initial.slice(), now, {
        module: path,
        name: v.symbol,
      }),
    )
  }
  // addresses of one another, once all are there
  for (const v of fresh) {
    const m = [...next.memories.values()].find(
      ({ symbol }) => symbol?.module === path && symbol.name === v.symbol,
    )!
    if (v.addresses.length > 0) next = withMemory(next, withBytes(m, 0, initialOf(next, v, path)))
  }
  return next
}

interface Place {
  readonly memory: Memory
  readonly at: number
}

export const spotOf = (
  h: Host,
  modules: Modules,
  spot: Spot,
  now: number,
): E.Either<Failure, readonly [Place, Host]> => {
  const name = typeof spot === 'string' ? spot : spot.memory
  const variable = h.memories.has(name) ? null : modules.variable(name)
  const next = variable === null ? h : withVariables(h, variable.path, [variable.variable], now)
  const of =
    variable === null
      ? undefined
      : [...next.memories.values()].find(
          ({ symbol }) => symbol?.module === variable.path && symbol.name === variable.variable.symbol,
        )
  return pipe(
    named(next, of?.name ?? name),
    E.map((m) => [{ memory: m, at: typeof spot === 'string' ? 0 : spot.at }, next] as const),
  )
}

/** A place that is used and cannot be; null: it can. */
export const misuse = (
  now: number,
  what: string,
  stream: string | null,
  { memory: m, at }: Place,
  bytes: number,
): HostFinding | null =>
  m.freed !== null
    ? ofLife(
        now,
        what,
        stream,
        m.name,
        `${what} (operation ${String(now)}) uses ${m.name}, which operation ${String(m.freed)} has freed`,
        `operation ${String(m.freed)} was issued before operation ${String(now)}`,
        `free ${m.name} after operation ${String(now)}`,
      )
    : at + bytes > m.bytes
      ? ofLife(
          now,
          what,
          stream,
          m.name,
          `${what} (operation ${String(now)}) uses bytes ${String(at)} to ${String(at + bytes)} of ${m.name}, which has ${String(m.bytes)}`,
          `operation ${String(m.made)} allocated ${String(m.bytes)} bytes`,
          `at most ${String(m.bytes - at)} bytes`,
        )
      : null

export const unwrittenIn = (
  now: number,
  what: string,
  stream: string,
  { memory: m, at }: Place,
  bytes: number,
): ReadonlyArray<HostFinding> => {
  const there = m.written?.subarray(at, at + bytes) ?? null
  // of bytes that are copied together some may be padding
  return there === null || bytes === 0 || there.includes(1)
    ? []
    : [neverWritten(now, what, stream, m, at, at + bytes, null)]
}

/** The bytes of parameters, or of a struct, with the addresses of memories in them. */
export const resolved = (
  h: Host,
  laying: Laying,
  now: number,
): E.Either<Failure, readonly [Uint8Array, Host]> => {
  let next = h
  const bytes = laying.bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const { into, offset, tensor, fields } of laying.maps) {
    const m = named(next, tensor)
    if (E.isLeft(m)) return m
    const address = addressOf(m.right)
    const map = encoded(fields, Number(address & 0xffffffffn), Number(address >> 32n))
    if (into === null) bytes.set(map, offset)
    else next = withMemory(next, memory(into, numberOf(next), 'device', map.length, map, now))
  }
  for (const { offset, tensor, at = 0 } of laying.pointers) {
    const m = named(next, tensor)
    if (E.isLeft(m)) return m
    view.setBigUint64(offset, addressOf(m.right) + BigInt(at), true)
  }
  return E.right([bytes, next])
}

/** Bytes with the addresses of memories in them, and with tensor maps. */
export const pointing = (
  h: Host,
  bytes: Uint8Array,
  { pointers = [], maps = [] }: Meant,
): E.Either<Failure, Uint8Array> => {
  if (pointers.length + maps.length === 0) return E.right(bytes)
  const out = bytes.slice()
  const view = new DataView(out.buffer)
  const outside = (what: string, at: number): E.Either<Failure, never> =>
    refuse(
      'host.pointer',
      `${what}: expected it among ${String(out.length)} bytes, found it at ${String(at)}`,
    )
  for (const { at, memory: name, byte } of pointers) {
    const m = named(h, name)
    if (E.isLeft(m)) return m
    if (at + 8 > out.length) return outside(`a pointer to ${name}`, at)
    view.setBigUint64(at, addressOf(m.right) + BigInt(byte), true)
  }
  for (const { at, byte, map } of maps) {
    const m = named(h, map.tensor)
    if (E.isLeft(m)) return m
    const fields = fieldsOf(map.tensor, map)
    if (!('elements' in fields)) return E.left(fields)
    if (at + mapBytes > out.length) return outside(`a tensor map of ${map.tensor}`, at)
    const address = addressOf(m.right) + BigInt(byte)
    out.set(encoded(fields, Number(address & 0xffffffffn), Number(address >> 32n)), at)
  }
  return E.right(out)
}
