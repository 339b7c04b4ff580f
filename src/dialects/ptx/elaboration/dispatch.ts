/**
 * One instruction, by the name of its row.
 *
 * What a family does stands in its own record; what is in none of them is arithmetic, and there a row of `numerics/scalar`; what is neither is refused.
 *
 * Source: PTX ISA, instruction set.
 */
import { composed, moves, tabled } from './arithmetic.js'
import { constant, emit, refuse } from './emitter.js'
import { constantOf, target, type Elaborations, type Here } from './here.js'
import { matrices } from './matrices.js'
import { bulk } from './bulk.js'
import { memory } from './memory.js'
import { products } from './products.js'
import { tcgen05 } from './tcgen05.js'
import { tensors } from './tensors.js'
import { warp } from './warp.js'
import { wgmma } from './wgmma.js'

const nothing = (h: Here): void => {
  emit(h.e, { _tag: 'nothing' }, h.guard)
}

/** What was there is lost, which is not followed. */
const drops = (h: Here): void => {
  emit(h.e, { _tag: 'nothing', drops: true }, h.guard)
}

const gridDependency = (h: Here): void => {
  const action = h.modifiers['action'] === 'wait' ? 'wait' : 'launchDependents'
  emit(h.e, { _tag: 'gridDependency', action }, h.guard)
}

/** A cache policy is opaque: zero, which nothing may look into. */
const policy = (h: Here): void => {
  const zero = constant(h.e, 0)
  const to = target(h, h.operands['d'], 'b64')
  emit(h.e, { _tag: 'move', to, from: to.map(() => zero) }, h.guard)
}

const setRegisters = (h: Here): void => {
  const action = h.modifiers['action'] === 'inc' ? 'increase' : 'decrease'
  emit(h.e, { _tag: 'setRegisters', count: constantOf(h, h.operands['n']), action }, h.guard)
}

/** What changes nothing that a kernel can see. */
const silent: Elaborations = {
  nanosleep: nothing,
  pmevent: nothing,
  prefetch: nothing,
  prefetchu: nothing,
  applypriority: nothing,
  // what a line holds that was dropped is left as it was: a kernel that reads it is not told
  discard: drops,
  'createpolicy.fractional': policy,
  'createpolicy.range': policy,
  'createpolicy.cvt': policy,
  brkpt: nothing,
  'cp.async.bulk.prefetch': nothing,
  'cp.async.bulk.prefetch.tensor': nothing,
}

/** What is between this grid and the rest of the machine. */
const resources: Elaborations = { griddepcontrol: gridDependency, setmaxnreg: setRegisters }

const families: ReadonlyArray<Elaborations> = [
  silent,
  resources,
  moves,
  memory,
  bulk,
  matrices,
  products,
  tensors,
  tcgen05,
  warp,
  wgmma,
]

const byBase: ReadonlyMap<string, (h: Here) => void> = new Map(families.flatMap((f) => Object.entries(f)))

export const dispatch = (h: Here): void => {
  const known = byBase.get(h.form.base)
  if (known !== undefined) known(h)
  else if (!tabled(h) && !composed(h)) refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
}
