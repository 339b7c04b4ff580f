/**
 * What a function does with the tensors behind its parameters: it reads them, writes them, or both.
 *
 * A pointer or a descriptor is followed through everything that makes another of it: sums with offsets, broadcasts, loops, conditions, partitions,
 * tensor maps. What a load takes is read, what a store takes is written.
 *
 *     %pa = tt.splat %a          of a
 *     %x = tt.load %pa           a is read
 *
 * Laws
 * 1. A parameter that no access takes is read: nothing is written through it.
 * 2. What is handed to an operation that is not known here may be read and written.
 */
import type { Role } from './arguments.js'
import { keyOf, resultKeys } from './flight.js'
import { operationsOf } from './regions.js'
import type { Operation, Region, Type, Value } from '../text/syntax.js'

const reading: ReadonlySet<string> = new Set([
  'tt.load',
  'tt.descriptor_load',
  'tt.descriptor_gather',
  'ttg.async_copy_global_to_local',
  'ttng.async_tma_copy_global_to_local',
  'ttng.async_tma_gather',
])
const writing: ReadonlySet<string> = new Set([
  'tt.store',
  'tt.descriptor_store',
  'tt.descriptor_scatter',
  'ttng.async_tma_copy_local_to_global',
  'ttng.async_tma_scatter',
])
const both: ReadonlySet<string> = new Set([
  'tt.atomic_rmw',
  'tt.atomic_cas',
  'tt.descriptor_reduce',
  'ttng.async_tma_reduce',
])

/** They hand on what they are given, or only name it. */
const passing: ReadonlySet<string> = new Set([
  'scf.yield',
  'scf.condition',
  'ttg.warp_yield',
  'ttg.warp_return',
  'ttng.tensormap_create',
  'ttng.tensormap_fenceproxy_acquire',
])

const pointing = (t: Type | undefined): boolean =>
  t !== undefined &&
  (t._tag === 'pointer' || t._tag === 'descriptor' || (t._tag === 'tensor' && t.element._tag === 'pointer'))

/** Parameters that a value may point into, by value; one such map for each region that sees nothing from outside. */
type Origins = Map<string, ReadonlySet<string>>

export const rolesOf = (func: Operation): ReadonlyMap<string, Role> => {
  const read = new Set<string>()
  const written = new Set<string>()
  const isolated = new Map<Region, Origins>()
  let grown: boolean

  const add = (origins: Origins, key: string, from: ReadonlySet<string>): void => {
    const before = origins.get(key)
    const all = new Set([...(before ?? []), ...from])
    if (all.size === (before?.size ?? 0)) return
    origins.set(key, all)
    grown = true
  }
  const of = (origins: Origins, values: ReadonlyArray<Value>): ReadonlySet<string> =>
    new Set(values.flatMap((v) => [...(origins.get(keyOf(v.name, v.index)) ?? [])]))
  const yielded = (region: Region | undefined): ReadonlyArray<Value> =>
    operationsOf(region).at(-1)?.operands['values'] ?? []

  const follow = (origins: Origins, op: Operation): void => {
    const pointers = Object.values(op.operands).flatMap((values) => values.filter((v) => pointing(v.type)))
    // most operations have to do with numbers alone
    if (pointers.length === 0 && op.regions.length === 0 && !op.results.some(pointing)) return
    const taken = of(origins, pointers)
    const isUnknown = op.regions.length === 0 && !passing.has(op.name) && !op.results.some(pointing)
    const isBoth = both.has(op.name) || (isUnknown && !reading.has(op.name) && !writing.has(op.name))
    if (reading.has(op.name) || isBoth) for (const p of taken) read.add(p)
    if (writing.has(op.name) || isBoth) for (const p of taken) written.add(p)
    const results = resultKeys(op)
    if (op.name === 'ttng.tensormap_create') {
      const base = of(origins, op.operands['global_address'] ?? [])
      for (const v of op.operands['desc_ptr'] ?? []) add(origins, keyOf(v.name, v.index), base)
    } else if (op.name === 'scf.for') {
      const carried = op.regions[0]?.blocks[0]?.parameters.slice(1) ?? []
      const last = yielded(op.regions[0])
      ;(op.operands['initArgs'] ?? []).forEach((init, k) => {
        if (!pointing(init.type)) return
        const from = of(origins, [init, ...(last[k] === undefined ? [] : [last[k]])])
        if (carried[k] !== undefined) add(origins, keyOf(carried[k].name, null), from)
        if (results[k] !== undefined) add(origins, results[k], from)
      })
    } else if (op.name === 'ttg.warp_specialize')
      op.regions.forEach((region) => {
        if (region.name === 'default') return
        const inside = isolated.get(region) ?? new Map<string, ReadonlySet<string>>()
        isolated.set(region, inside)
        region.blocks[0]?.parameters.forEach((p, k) => {
          const captured = op.operands['explicitCaptures']?.[k]
          if (captured !== undefined) add(inside, keyOf(p.name, null), of(origins, [captured]))
        })
      })
    else
      op.results.forEach((type, k) => {
        if (!pointing(type) || results[k] === undefined) return
        const inner = op.regions.flatMap((region) => yielded(region)[k] ?? [])
        add(origins, results[k], new Set([...taken, ...of(origins, inner)]))
      })
    for (const region of op.regions) walk(isolated.get(region) ?? origins, region)
  }
  const walk = (origins: Origins, region: Region): void => {
    for (const block of region.blocks) for (const op of block.operations) follow(origins, op)
  }

  const [body] = func.regions
  const parameters = body?.blocks[0]?.parameters.filter((p) => pointing(p.type)) ?? []
  const origins: Origins = new Map(parameters.map((p) => [keyOf(p.name, null), new Set([p.name])]))
  do {
    grown = false
    if (body !== undefined) walk(origins, body)
  } while (grown)
  return new Map(
    parameters.map(({ name }): readonly [string, Role] => [
      name,
      written.has(name) ? (read.has(name) ? 'inout' : 'out') : 'in',
    ]),
  )
}
