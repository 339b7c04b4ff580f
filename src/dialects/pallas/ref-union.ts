/**
 * Unions of refs: groups that share memory.
 *
 * The groups all start at the start of the union; the refs of one group lie behind each other, at multiples of 1024 bytes in shared memory and of 4
 * columns in tensor memory. The union is as long as its longest group.
 *
 *     RefUnion('u', [SMEM('a', 'f32', [64, 64])], [SMEM('b', 'f16', [32, 32]), SMEM('c', 'f16', [32, 32])])
 *
 *     a   bytes 0 .. 16383
 *     b   bytes 0 .. 2047      c   bytes 2048 .. 4095
 *
 * That is safe where the groups live one after the other: what is written through a ref is read through that ref. Nothing here makes sure of it;
 * the detector and the results of a run show it. A union cannot be assigned to: what there is to write are its refs.
 *
 * Laws
 * 1. Refs of one group do not overlap; every group starts at the union's start; the union takes the maximum of its groups.
 * 2. A union of one group lies as its refs would without it.
 *
 * Names: `plgpu.RefUnion(*groups)`.
 *
 * Source: JAX docs, Pallas:MGPU reference; Mosaic GPU's aliased refs.
 */
import { block, sequence, type Build } from '../../semantics/writing/builder.js'
import { checked } from '../../semantics/language/index-types.js'
import type { Storage } from '../../semantics/language/program.js'
import { sizeBits } from '../../transforms/ref.js'
import { showShape } from '../../transforms/shape.js'
import { refused, type Code } from './codes.js'
import { alignmentOf, declareStorage, declaring, isCollective, unionName, type Results } from './memory.js'

const nameOfSpace = (s: Storage): string =>
  s.contents._tag === 'barriers' ? 'barriers' : s.space.toUpperCase()

/** Why these refs cannot share memory, or null. */
const why = (refs: ReadonlyArray<Storage>): readonly [Code, string] | null => {
  const [first] = refs
  if (first === undefined) return ['pallas.union.empty', 'a union has at least one ref, found none']
  const space = nameOfSpace(first)
  const listed = (of: (s: Storage) => string): string => refs.map((s) => `${s.id} ${of(s)}`).join(', ')
  if (refs.some((s) => nameOfSpace(s) !== space) || (space !== 'SMEM' && space !== 'TMEM'))
    return [
      'pallas.union.spaces',
      `all aliased refs must have the same memory space, SMEM or TMEM, found ${listed(nameOfSpace)}`,
    ]
  if (refs.some((s) => isCollective(s) !== isCollective(first)))
    return [
      'pallas.union.collective',
      `some aliased TMEM refs are collective and some are not: ${listed((s) => (isCollective(s) ? 'is' : 'is not'))}`,
    ]
  const inner = refs.find((s) => s.alias !== undefined && s.alias.union !== unionName(s.id, true))
  if (inner !== undefined)
    return [
      'pallas.union.nested',
      `${inner.id} is in the union ${inner.alias?.union ?? ''} already: a union has refs as members`,
    ]
  for (const s of refs) {
    if (s.contents._tag === 'barriers') continue
    const { layout } = s.contents
    if (space === 'SMEM' && sizeBits(layout) % 8 !== 0)
      return [
        'pallas.union.bytes',
        `only byte-aligned shapes are supported: ${s.id} of ${s.contents.dtype} ${showShape(layout.shape)} has ${String(sizeBits(layout))} bits`,
      ]
    const rows = rowsOf(s)
    if (space === 'TMEM' && rows !== rowsOf(first))
      return [
        'pallas.union.rows',
        `aliased TMEM refs must have equally many rows: ${first.id} has ${String(rowsOf(first))} and ${s.id} has ${String(rows)}`,
      ]
  }
  return null
}

const rowsOf = ({ contents }: Storage): number =>
  contents._tag === 'barriers' ? 0 : (contents.layout.shape[contents.layout.shape.length - 2] ?? 0)

/** `plgpu.RefUnion(*groups)`: the refs of each group. */
export const RefUnion = <const G extends ReadonlyArray<ReadonlyArray<Build<unknown>>>>(
  name: string,
  ...groups: G
): Build<{ readonly [K in keyof G]: Results<G[K]> }> =>
  block(function* () {
    const results: ReadonlyArray<unknown>[] = []
    const members: (readonly [number, Storage])[] = []
    for (const [member, group] of groups.entries()) {
      const { result, storage } = yield* declaring(sequence(group))
      results.push(result)
      for (const s of storage.values()) members.push([member, s])
    }
    const no = why(members.map(([, s]) => s))
    if (no !== null) return yield* refused(no[0], `${name}: ${no[1]}`)
    yield* declareStorage(
      members.map(([member, s]): Storage => ({
        ...s,
        align: s.space === 'tmem' ? alignmentOf.tmem : alignmentOf.smem,
        alias: { union: unionName(name, isCollective(s)), member },
      })),
    )
    return checked<{ readonly [K in keyof G]: Results<G[K]> }, unknown>(results)
  })
