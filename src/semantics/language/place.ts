/**
 * Placing: where in its space each storage lies.
 *
 * Storages are laid one after the other in the order of their declaration, each at the next multiple of its alignment. A union is
 * laid where its first member stands: members of one number lie behind each other, different members all start at
 * the union's offset, and the union is as long as its longest member.
 *
 *     smem   a 4096 bytes align 1024      full 8 bytes align 8      b 2048 bytes align 1024
 *            0                            4096                      5120
 *
 * Shared memory and tensor memory are one plane per CTA. Tensor memory is laid in columns: byte address = lane * 2048 +
 * column * 4, so an offset is 4 times a column. A register storage and a global one is a plane by itself and lies at 0.
 * A storage that already has an offset keeps it.
 *
 * Laws
 * 1. Idempotent.
 * 2. Every offset is a multiple of its alignment.
 * 3. Two storages of one plane overlap only if they are different members of one union, or had their offsets given.
 * 4. Nothing reaches over 227 KiB of shared memory (A1) or 512 columns of tensor memory (T3).
 *
 * Source: CUDA programming guide, shared memory of compute capability 9.0 and 10.0; PTX ISA, tensor memory.
 */
import * as E from 'fp-ts/lib/Either.js'
import { greatest } from '../../greatest.js'
import { failure } from '../../failure.js'
import { tmemColumns, tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import type { TransformedRef } from '../../transforms/ref.js'
import { extentBytes, strideBits, tiledShape } from '../../transforms/ref.js'
import type { Program, Storage } from './program.js'
import { about, space, type Refusal } from './refusal.js'

// ---------------------------------------------------------------- model

export type PlaceError = 'A1' | 'T3'

/** Bytes of shared memory that a CTA may use. */
export const smemLimitBytes = 232448

/** A half-open interval of a plane: bytes of shared memory, bytes of a lane (4 a column) of tensor memory. */
export interface Extent {
  readonly start: number
  readonly end: number
}

// ---------------------------------------------------------------- destructors

/** Bytes that a layout reaches over inside one lane of tensor memory, in whole columns of 4. */
export const tmemColumnsOf = (layout: TransformedRef): number => {
  const extents = tiledShape(layout)
  const bits = extents.reduce((sum, extent, k) => {
    const stride = layout.strides[k]! * strideBits(layout.bits)
    return stride % (tmemLaneBytes * 8) === 0 ? sum : sum + (extent - 1) * stride
  }, layout.bits)
  return Math.ceil(((layout.byteOffset % tmemLaneBytes) * 8 + bits) / 32)
}

/** Length of a storage in its plane. */
export const lengthOf = (storage: Storage): number => {
  switch (storage.contents._tag) {
    case 'barriers':
      return 8 * storage.contents.shape.reduce((product, extent) => product * extent, 1)
    case 'elements': {
      const { layout } = storage.contents
      return storage.space === 'tmem' ? 4 * tmemColumnsOf(layout) : layout.byteOffset + extentBytes(layout)
    }
  }
}

/** Where a placed storage lies. */
export const extentOf = (storage: Storage): Extent => {
  const offset = storage.offset ?? 0
  const start = storage.space === 'tmem' ? offset % tmemLaneBytes : offset
  return { start, end: start + lengthOf(storage) }
}

const shared = (storage: Storage): boolean => storage.space === 'smem' || storage.space === 'tmem'

// ---------------------------------------------------------------- placing

const up = (offset: number, align: number): number => Math.ceil(offset / align) * align

const withOffset = (storage: Storage, offset: number): Storage => {
  const { id, space, owner, contents, bits, align, alias } = storage
  return alias === undefined
    ? { id, space, owner, contents, bits, align, offset }
    : { id, space, owner, contents, bits, align, offset, alias }
}

/** Offsets of the members of a union relative to its start, and its length. */
const layUnion = (
  members: ReadonlyArray<Storage>,
): { readonly offsets: ReadonlyMap<string, number>; readonly length: number; readonly align: number } => {
  const ends = new Map<number, number>()
  const offsets = new Map<string, number>()
  for (const storage of members) {
    const member = storage.alias?.member ?? 0
    const at = up(ends.get(member) ?? 0, storage.align)
    offsets.set(storage.id, at)
    ends.set(member, at + lengthOf(storage))
  }
  return {
    offsets,
    length: greatest(0)(ends.values()),
    align: members.reduce((most, { align }) => Math.max(most, align), 1),
  }
}

const placeSpace = (
  storages: ReadonlyArray<Storage>,
  space: 'smem' | 'tmem',
): ReadonlyMap<string, number> => {
  const here = storages.filter((storage) => storage.space === space)
  const offsets = new Map<string, number>()
  let next = 0
  for (const storage of here)
    if (storage.offset !== undefined) {
      offsets.set(storage.id, storage.offset)
      next = Math.max(next, extentOf(storage).end)
    }
  for (const storage of here) {
    if (offsets.has(storage.id)) continue
    const union = storage.alias?.union
    if (union === undefined) {
      const at = up(next, storage.align)
      offsets.set(storage.id, at)
      next = at + lengthOf(storage)
      continue
    }
    const laid = layUnion(here.filter(({ id, alias }) => alias?.union === union && !offsets.has(id)))
    const at = up(next, laid.align)
    for (const [id, offset] of laid.offsets) offsets.set(id, at + offset)
    next = at + laid.length
  }
  return offsets
}

/** The end of what is used of a space; 0 when nothing is. */
export const usedOf = (storages: ReadonlyArray<Storage>, space: 'smem' | 'tmem'): number =>
  greatest(0)(storages.filter((storage) => storage.space === space).map((storage) => extentOf(storage).end))

/** Refuses what does not fit. */
export const checkLimits = (
  name: string,
  storages: ReadonlyArray<Storage>,
): E.Either<Refusal<PlaceError>, null> => {
  const smem = usedOf(storages, 'smem')
  if (smem > smemLimitBytes)
    return E.left(
      about(
        failure(
          'A1',
          `${name}: a CTA has ${String(smemLimitBytes)} bytes of shared memory, the storages take ${String(smem)}`,
        ),
        space('smem'),
      ),
    )
  const columns = usedOf(storages, 'tmem') / 4
  return columns > tmemColumns ? tooManyColumns(name, columns) : E.right(null)
}

const tooManyColumns = (name: string, columns: number): E.Either<Refusal<'T3'>, never> =>
  E.left(
    about(
      failure(
        'T3',
        `${name}: a CTA has ${String(tmemColumns)} columns of tensor memory, the storages take ${String(columns)}`,
      ),
      space('tmem'),
    ),
  )

/** Fills the offsets. Errors: A1, T3. */
export const place = (program: Program): E.Either<Refusal<PlaceError>, Program> => {
  const offsets = new Map([...placeSpace(program.storage, 'smem'), ...placeSpace(program.storage, 'tmem')])
  // An offset past the last column would read as one in the next lane.
  const columns = program.storage.reduce(
    (most, one) =>
      one.space === 'tmem' && one.offset === undefined
        ? Math.max(most, ((offsets.get(one.id) ?? 0) + lengthOf(one)) / 4)
        : most,
    0,
  )
  if (columns > tmemColumns) return tooManyColumns(program.name, columns)
  const storage = program.storage.map((one) =>
    one.offset !== undefined ? one : withOffset(one, shared(one) ? (offsets.get(one.id) ?? 0) : 0),
  )
  const limits = checkLimits(program.name, storage)
  if (E.isLeft(limits)) return limits
  const { schema, name, arch, params, launch, entry, computes, fences } = program
  const placed: Program = { schema, name, arch, params, launch, storage, entry }
  return E.right(
    Object.assign(
      placed,
      computes === undefined ? null : { computes },
      fences === undefined ? null : { fences },
    ),
  )
}
