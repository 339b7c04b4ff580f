/**
 * One instruction, by the name of its row.
 *
 * What a family does stands in its own record; what is in none of them is arithmetic, and there a row of `numerics/scalar`; what is neither is refused.
 *
 * Source: PTX ISA, instruction set.
 */
import { moves, tabled } from './arithmetic.js'
import { emit, refuse } from './emitter.js'
import type { Elaborations, Here } from './here.js'
import { memory } from './memory.js'
import { tcgen05 } from './tcgen05.js'
import { tensors } from './tensors.js'
import { warp } from './warp.js'
import { wgmma } from './wgmma.js'

const nothing = (h: Here): void => {
  emit(h.e, { _tag: 'nothing' }, h.guard)
}

/** What changes nothing that a kernel can see. */
const silent: Elaborations = {
  nanosleep: nothing,
  pmevent: nothing,
  prefetch: nothing,
  prefetchu: nothing,
  griddepcontrol: nothing,
  applypriority: nothing,
  brkpt: nothing,
  'cp.async.bulk.prefetch': nothing,
  'cp.async.bulk.prefetch.tensor': nothing,
}

const families: ReadonlyArray<Elaborations> = [silent, moves, memory, tensors, tcgen05, warp, wgmma]

const byBase: ReadonlyMap<string, (h: Here) => void> = new Map(families.flatMap((f) => Object.entries(f)))

export const dispatch = (h: Here): void => {
  const known = byBase.get(h.form.base)
  if (known !== undefined) known(h)
  else if (!tabled(h)) refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
}
