/**
 * Operations of a text and the places that they say they come from: what tells whose its barriers are (`semantics/judging/ownership.ts`).
 *
 * Of a module of TTGIR its operations by name, of PTX the instructions as they were read; what has no role tells nothing.
 */
import { columnOf, type Module, type Operation as Ttgir } from '../../dialects/ttgir/index.js'
import type { Placed, Role } from '../../semantics/judging/ownership.js'
import type { Operation, WarpProgram } from '../../semantics/warps/program.js'
import type { LaunchedModule } from './launched.js'

/** In Python no statement of a function stands in column 0: what does is the function. */
export const placed = (role: Role, place: string | null): Placed => {
  const [, column] = /\.py:\d+:(\d+)$/u.exec(place ?? '') ?? []
  return { role, place: column === undefined ? null : place, ofFunction: column === '0' }
}

const roles: ReadonlyMap<string, Role> = new Map([
  ['ttg.async_copy_global_to_local', 'copy'],
  ['ttng.async_tma_copy_global_to_local', 'copy'],
  ['ttng.async_tma_gather', 'copy'],
  ['ttg.async_commit_group', 'commit'],
  ['ttng.init_barrier', 'init'],
  ['ttng.warp_group_dot', 'product'],
  ['ttng.tc_gen5_mma', 'product'],
  ['ttng.tc_gen5_mma_scaled', 'product'],
  ['scf.for', 'loop'],
  ['ttng.tmem_alloc', 'tensor memory'],
  ['ttng.tmem_store', 'tensor memory'],
  ['ttng.tmem_load', 'tensor memory'],
])

export const placedIn = (module: Module, operations: ReadonlyArray<Ttgir>): ReadonlyArray<Placed> =>
  operations.flatMap((op) => {
    const role = roles.get(op.name)
    return role === undefined ? [] : [placed(role, columnOf(module, op.location))]
  })

export const placedInModule = ({ module, operations }: LaunchedModule): ReadonlyArray<Placed> =>
  placedIn(
    module,
    [...operations.values()].map(({ op }) => op),
  )

/** Instructions that tell something; the others are not in the table. */
const instructions: Readonly<Partial<Record<Operation['_tag'], Role>>> = {
  copyAsync: 'copy',
  tensorCopy: 'copy',
  commitAsync: 'commit',
  mbarrierInit: 'init',
  wgmma: 'product',
  tcgen05Mma: 'product',
  branch: 'loop',
  tcgen05Load: 'tensor memory',
  tcgen05Store: 'tensor memory',
}

export const placedInPtx = ({ code, sites }: WarpProgram): ReadonlyArray<Placed> =>
  code.flatMap(({ operation, site }) => {
    const role = instructions[operation._tag]
    return role === undefined ? [] : [placed(role, sites[site]?.loc ?? null)]
  })
