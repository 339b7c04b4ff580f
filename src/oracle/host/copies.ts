/**
 * Copies, fills, functions of the host and its own accesses: what they do to memory, and what they touch.
 *
 * A copy from pageable memory has read its source when its call returns; one to pageable memory is over when its call returns.
 *
 * Law 1. Bytes that nothing has written are copied as such.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { type Access, legacy } from '../../semantics/host/index.js'
import { beside } from '../launch/beside.js'
import { layArgument, type Laying } from '../launch/ptx-parameters.js'
import { readNpy } from '../launch/ptx-tensors.js'
import type { Copy, Fill, HostOperation } from './file.js'
import { bytesOf, changed, isOfHost, withBytes } from './memory.js'
import { ofLife } from './findings.js'
import type { Modules } from './modules.js'
import { type Compared, type Done, done, type Host, host, type Launching, type Step } from './state.js'
import { added, byHost, issuedNow, part, whole } from './between.js'
import { misuse, named, pointing, resolved, spotOf, unwrittenIn, withMemory } from './places.js'

export const copied = (
  h: Host,
  modules: Modules,
  now: number,
  o: Copy,
  stream: string,
): E.Either<Failure, Done> =>
  pipe(
    spotOf(h, modules, o.from, now),
    E.bindTo('source'),
    E.bindW('target', ({ source: [, next] }) => spotOf(next, modules, o.to, now)),
    E.map(({ source: [source], target: [target, next] }) => {
      const bytes = o.bytes ?? Math.min(source.memory.bytes - source.at, target.memory.bytes - target.at)
      const what = `copy of ${source.memory.name} to ${target.memory.name}`
      const bad = misuse(now, what, stream, source, bytes) ?? misuse(now, what, stream, target, bytes)
      if (bad !== null) return done(added(next, [bad]), what, [])
      const missing = unwrittenIn(now, what, stream, source, bytes)
      const data = bytesOf(source.memory, source.at, bytes)
      const after = withMemory(
        next,
        withBytes(
          target.memory,
          target.at,
          data,
          source.memory.written?.slice(source.at, source.at + bytes) ?? null,
        ),
      )
      return done(added(after, missing), what, [
        part(source.memory, 'r', source.at, bytes, 'source'),
        part(target.memory, 'w', target.at, bytes, 'target'),
      ])
    }),
  )

/** Elements of so many bytes, one after the other. */
const repeating = (value: number, width: 1 | 2 | 4, bytes: number): Uint8Array => {
  const out = new Uint8Array(bytes)
  for (let k = 0; k < Math.min(width, bytes); k++) out[k] = (value >>> (8 * k)) & 0xff
  // each time twice as much
  for (let done = Math.min(width, bytes); done < bytes; done *= 2) out.copyWithin(done, 0, done)
  return out
}

export const filled = (
  h: Host,
  modules: Modules,
  now: number,
  o: Fill,
  stream: string,
): E.Either<Failure, Done> =>
  pipe(
    spotOf(h, modules, o.memory, now),
    E.map(([place, next]) => {
      const bytes = o.bytes ?? place.memory.bytes - place.at
      const what = `fill of ${place.memory.name}`
      const bad = misuse(now, what, stream, place, bytes)
      if (bad !== null) return done(added(next, [bad]), what, [])
      const data = repeating(o.value, o.width ?? 1, bytes)
      return done(withMemory(next, withBytes(place.memory, place.at, data)), what, [
        part(place.memory, 'w', place.at, bytes, 'target'),
      ])
    }),
  )

export const calledBack = (
  h: Host,
  o: { readonly reads?: ReadonlyArray<string>; readonly writes?: ReadonlyArray<string> },
): E.Either<Failure, ReadonlyArray<Access>> =>
  pipe(
    [...(o.reads ?? []).map((n) => ['r', n] as const), ...(o.writes ?? []).map((n) => ['w', n] as const)],
    E.traverseArray(([rw, name]) =>
      pipe(
        named(h, name),
        E.map((m) => whole(m, rw, rw)),
      ),
    ),
  )

export const written = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'write' }>,
): Step =>
  pipe(
    spotOf(h, l.modules, o.to, now),
    E.bindTo('spot'),
    E.bindW('data', ({ spot: [, next] }): E.Either<Failure, readonly [Uint8Array, Host]> => {
      if (o.value === undefined)
        return pipe(
          readNpy(l.p.files)(beside(l.p.where, o.file ?? '')),
          E.chainW((a) => pointing(next, a.data, o)),
          E.map((data) => [data, next] as const),
        )
      const laying: Laying = { bytes: new Uint8Array(o.value.bytes), pointers: [], maps: [], tensors: [] }
      const bad = layArgument(laying, { name: 'value', offset: 0, bytes: o.value.bytes, type: 'b8' }, o.value)
      return bad === null ? resolved(next, laying, now) : E.left(bad)
    }),
    E.map(({ spot: [{ memory: m, at }], data: [data, next] }) => {
      const stream = o.stream ?? legacy
      const what = `copy to ${m.name}`
      const bad = misuse(now, what, stream, { memory: m, at }, data.length)
      const d =
        bad !== null
          ? done(added(next, [bad]), what, [])
          : done(withMemory(next, withBytes(next.memories.get(m.name)!, at, data)), what, [
              part(m, 'w', at, data.length, 'target'),
            ])
      return issuedNow(now, Object.assign({ staged: o.returns === true }, d), stream, false)
    }),
  )

export const readBack = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'read' }>,
): Step =>
  pipe(
    spotOf(h, l.modules, o.from, now),
    E.bindTo('spot'),
    E.bindW('expected', ({ spot: [, next] }) =>
      o.file === undefined
        ? E.right(null)
        : pipe(
            readNpy(l.p.files)(beside(l.p.where, o.file)),
            E.chainW(({ data, shape }) =>
              E.map((bytes: Uint8Array) => ({ data: bytes, shape }))(pointing(next, data, o)),
            ),
          ),
    ),
    E.map(({ spot: [place, next], expected }) => {
      const stream = o.stream ?? legacy
      const bytes = o.bytes ?? expected?.data.length ?? place.memory.bytes - place.at
      const what = `copy of ${place.memory.name} to the host`
      const bad = misuse(now, what, stream, place, bytes)
      if (bad !== null) return issuedNow(now, done(added(next, [bad]), what, []), stream, true)
      const missing = unwrittenIn(now, what, stream, place, bytes)
      const after =
        expected === null
          ? next
          : host(next, {
              compared: [
                ...next.compared,
                comparedWith(
                  now,
                  place.memory.name,
                  bytesOf(place.memory, place.at, bytes),
                  expected.data,
                  expected.shape,
                ),
              ],
            })
      return issuedNow(
        now,
        done(added(after, missing), what, [part(place.memory, 'r', place.at, bytes, 'source')]),
        stream,
        true,
      )
    }),
  )

export const comparedWith = (
  operation: number,
  name: string,
  found: Uint8Array,
  expected: Uint8Array,
  shape: ReadonlyArray<number>,
): Compared => {
  const elements = shape.reduce((n, x) => n * x, 1)
  const size = elements === 0 ? 1 : expected.length / elements
  let differ = 0
  for (let i = 0; i < elements; i++)
    for (let b = 0; b < size; b++)
      if (found[i * size + b] !== expected[i * size + b]) {
        differ++
        break
      }
  return { operation, memory: name, elements, differ }
}

/** The host itself reads and writes. */
export const touchedByHost = (
  l: Launching,
  h: Host,
  now: number,
  o: Extract<HostOperation, { op: 'touch' }>,
): Step =>
  pipe(
    calledBack(h, o),
    E.bindTo('named'),
    E.bindW('values', () =>
      pipe(
        o.values ?? [],
        E.traverseArray(({ to, file }) =>
          pipe(
            spotOf(h, l.modules, to, now),
            E.bindTo('spot'),
            E.bindW('data', () => readNpy(l.p.files)(beside(l.p.where, file))),
          ),
        ),
      ),
    ),
    E.map(({ named: accesses, values }) => {
      const written = values.map(({ spot: [{ memory: m, at }], data }) =>
        part(m, 'w', at, data.data.length, 'w'),
      )
      const all = [...accesses, ...written]
      const wrong = all.flatMap((a) => {
        const m = h.memories.get(a.memory)!
        return isOfHost(m)
          ? []
          : [
              ofLife(
                now,
                'the host',
                null,
                m.name,
                `the host (operation ${String(now)}) uses ${m.name}, which is memory of the device`,
                'only managed, mapped and pinned memory is seen by the host',
                `copy ${m.name} to memory of the host`,
              ),
            ]
      })
      const marked = accesses.reduce<Host>(
        (s, a) => (a.rw === 'w' ? withMemory(s, changed(s.memories.get(a.memory)!, { written: null })) : s),
        byHost(h, now, all),
      )
      const after = values.reduce<Host>(
        (s, { spot: [{ memory: m, at }], data }) =>
          withMemory(s, withBytes(s.memories.get(m.name)!, at, data.data)),
        marked,
      )
      return added(after, wrong)
    }),
  )
