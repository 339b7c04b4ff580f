/**
 * One instruction, by the first word of its opcode.
 *
 * Source: PTX ISA, instruction set.
 */
import type { Operand } from '../text/module.js'
import { cvta, getctarank, isspacep, logic, mapa, mov, tabled } from './arithmetic.js'
import { emit, refuse } from './emitter.js'
import type { Here } from './here.js'
import { atom, cpAsync, fence, ld, mbarrier, st } from './memory.js'
import { tensorCopy, tensormap } from './tensors.js'
import { activemask, bar, clusterBarrier, elect, match, redux, shfl, vote } from './warp.js'

/** What changes nothing that a kernel can see. */
const silent: ReadonlySet<string> = new Set([
  'nanosleep',
  'pmevent',
  'prefetch',
  'prefetchu',
  'griddepcontrol',
  'applypriority',
  'discard',
  'brkpt',
])

export const dispatch = (h: Here, operands: ReadonlyArray<Operand>): void => {
  const [base] = h.words
  const isPredicate = h.words[h.words.length - 1] === 'pred'
  switch (base) {
    case 'mov':
      mov(h, operands)
      return
    case 'and':
    case 'or':
    case 'xor':
    case 'not':
      if (isPredicate) {
        logic(h, base, operands)
        return
      }
      break
    case 'ld':
    case 'ldu':
      ld(h, operands)
      return
    case 'st':
      if (h.words[1] === 'async') break
      st(h, operands)
      return
    case 'atom':
    case 'red':
      if (h.words[1] === 'async') break
      atom(h, operands)
      return
    case 'cvta':
      cvta(h, operands)
      return
    case 'isspacep':
      isspacep(h, operands)
      return
    case 'mapa':
      mapa(h, operands)
      return
    case 'getctarank':
      getctarank(h, operands)
      return
    case 'shfl':
      shfl(h, operands)
      return
    case 'vote':
      vote(h, operands)
      return
    case 'match':
      match(h, operands)
      return
    case 'redux':
      redux(h, operands)
      return
    case 'elect':
      elect(h, operands)
      return
    case 'activemask':
      activemask(h, operands)
      return
    case 'bar':
    case 'barrier':
      if (h.words.includes('cluster')) clusterBarrier(h)
      else bar(h, operands)
      return
    case 'fence':
    case 'membar':
      fence(h)
      return
    case 'mbarrier':
      mbarrier(h, operands)
      return
    case 'tensormap':
      tensormap(h, operands)
      return
    case 'cp':
      if (h.words.includes('prefetch')) break
      if (h.words.includes('tensor')) {
        tensorCopy(h, operands)
        return
      }
      cpAsync(h, operands)
      return
    default:
      break
  }
  if (base !== undefined && (silent.has(base) || (base === 'cp' && h.words.includes('prefetch')))) {
    emit(h.e, { _tag: 'nothing' }, h.guard)
    return
  }
  if (!tabled(h, operands)) refuse(h.e, 'ptx.opcode', 'an instruction that is supported', h.opcode)
}
