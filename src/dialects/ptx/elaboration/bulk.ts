/**
 * Bulk copies without tensor maps, words sent to a peer, and zeros: cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk.
 *
 * A cache policy changes nothing that a kernel can see. An st.async to global memory, which nothing tells the end of, is refused.
 *
 * Source: PTX ISA, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk.
 */
import type { Dtype } from '../../../numerics/dtype.js'
import type { ReduceKind } from '../../../semantics/language/instruction.js'
import type { Space } from '../../../semantics/warps/program.js'
import type { Reduction } from '../../../semantics/warps/operations/bulk.js'
import { emit, refuse } from './emitter.js'
import { itemsOf, place, source, type Elaborations, type Here } from './here.js'
import { spaceNamed } from './memory.js'
import { bytesOf } from './types.js'

const kinds: ReadonlyArray<ReduceKind> = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']

const dtypes: ReadonlyMap<string, Dtype> = new Map([
  ['u32', 'u32'],
  ['s32', 'i32'],
  ['b32', 'u32'],
  ['u64', 'u64'],
  ['s64', 'i64'],
  ['b64', 'u64'],
  ['f16', 'f16'],
  ['bf16', 'bf16'],
  ['f32', 'f32'],
  // two words, joined by their own operation
  ['f64', 'u64'],
])

/** What the modifiers say of a reduction; null: it is refused. */
const reductionOf = (h: Here): Reduction | null => {
  const { op, type } = { op: h.modifiers['op'], type: h.modifiers['type'] ?? '' }
  const kind = kinds.find((k) => k === op)
  const dtype = dtypes.get(type)
  const halves = type === 'f16' || type === 'bf16'
  const float = halves || type === 'f32' || type === 'f64'
  const defined =
    kind === 'add'
      ? type !== 's64' && !type.startsWith('b3') && !type.startsWith('b6')
      : kind === 'min' || kind === 'max'
        ? type === 'u32' || type === 's32' || type === 'u64' || type === 's64' || halves
        : kind === 'inc' || kind === 'dec'
          ? type === 'u32'
          : type === 'b32' || type === 'b64'
  // a sum of halves keeps what is subnormal, and says so; nothing else does
  const lawful = defined && (h.modifiers['noftz'] !== undefined) === (kind === 'add' && halves)
  // what goes into shared memory is integers of 32 bits, or a sum of u64
  const narrow =
    h.modifiers['dst'] === 'global' || !(float || (dtype === 'u64' && kind !== 'add') || dtype === 'i64')
  if (kind === undefined || dtype === undefined || !lawful || !narrow) {
    refuse(h.e, 'ptx.opcode', 'a reduction of a type that it is defined for', h.opcode)
    return null
  }
  return { joining: { kind, words: type === 'f64' ? 'add.rn.f64' : null, flushes: false }, dtype }
}

const copy =
  (reduces: boolean) =>
  (h: Here): void => {
    const { modifiers: m, operands } = h
    const reduction = reduces ? reductionOf(h) : null
    if (reduces && reduction === null) return
    const masked = m['cp_mask'] !== undefined
    const space = (word: string | undefined): Space => spaceNamed(word)
    emit(
      h.e,
      {
        _tag: 'copyBulk',
        into: place(h, operands['d'], space(m['dst'])),
        from: place(h, operands['s'], space(m['src'])),
        bytes: source(h, operands['size'], 'u32')[0]!,
        barrier: m['dst'] === 'global' ? null : place(h, operands['mbar'], space(m['dst'])),
        multicast: m['multicast'] === undefined ? null : source(h, operands['mask'], 'u16')[0]!,
        byteMask: masked ? source(h, operands['mask'], 'u16')[0]! : null,
        reduction,
      },
      h.guard,
    )
  }

const send =
  (reduces: boolean) =>
  (h: Here): void => {
    if (!reduces && h.modifiers['completion'] === undefined) {
      refuse(h.e, 'ptx.opcode', 'an st.async that signals an mbarrier', h.opcode)
      return
    }
    const reduction = reduces ? reductionOf(h) : null
    if (reduces && reduction === null) return
    const type = h.modifiers['type'] ?? 'b32'
    emit(
      h.e,
      {
        _tag: 'sendAsync',
        into: place(h, h.operands['a'], 'sharedCluster'),
        barrier: place(h, h.operands['mbar'], 'sharedCluster'),
        bytes: bytesOf(type) === 8 ? 8 : 4,
        value: itemsOf(h.operands['b']).map((v) => source(h, v, type)),
        reduction,
      },
      h.guard,
    )
  }

const zero = (h: Here): void => {
  const into = place(h, h.operands['a'], spaceNamed(h.modifiers['space']))
  const [low, high] = source(h, h.operands['size'], 'u64')
  emit(h.e, { _tag: 'zeroBulk', into, bytes: [low!, high!] }, h.guard)
}

export const bulk: Elaborations = {
  'cp.async.bulk': copy(false),
  'cp.reduce.async.bulk': copy(true),
  'st.async': send(false),
  'red.async': send(true),
  'st.bulk': zero,
}
