/**
 * Tensor memory: its allocation, loads and stores, copies, products and commits.
 *
 * A collector buffer is a place where the tensor core keeps A for the next product: it changes nothing that a kernel can see, if its A is what was kept.
 * What has no arithmetic here (a copy that widens its elements) is refused at its line.
 *
 * A kernel acts on CTAs or on pairs of them, with the functions that it calls: a `.cta_group` that differs from the one before it is refused, as by ptxas, also
 * where it is not reached. That of a TMA load says only whose barrier is told, and may differ.
 *
 *     tcgen05.mma.cta_group::2 ...    tcgen05.commit.cta_group::1 ...    refused at the commit
 *
 * The barrier of a commit is an address of shared memory: of a generic one the lower word counts, as shipped compilers give it without the upper.
 *
 * Source: PTX ISA, tensorcore 5th generation instructions.
 */
import { accessShapeNames, type AccessShapeName } from '../../../layouts/tensor-memory/access-shape.js'
import { copyShapes } from '../../../layouts/tensor-memory/copy-shape.js'
import type { MmaKind } from '../../../layouts/shared-memory/instruction-descriptor.js'
import type { Moved, TensorAddress } from '../../../semantics/warps/operations/tcgen05.js'
import type { Value } from '../opcodes/resolve.js'
import { emit, refuse } from './emitter.js'
import {
  constantOf,
  itemsOf,
  place,
  predicateSource,
  source,
  target,
  type Elaborations,
  type Here,
} from './here.js'
import { own } from '../../../own.js'

// ---------------------------------------------------------------- operands

const groupOf = (h: Here): 1 | 2 => {
  const group = h.modifiers['group'] === 'cta_group::2' ? 2 : 1
  const first = h.e.group ?? group
  h.e.group = first
  if (group !== first)
    refuse(
      h.e,
      'ptx.opcode',
      `.cta_group::${String(first)}, as in every instruction of tensor memory before it (a kernel has one)`,
      h.opcode,
    )
  return group
}

const addressOf = (h: Here, v: Value | undefined): TensorAddress => {
  const { rows, offset } = place(h, v, 'shared')
  return { row: rows[0]!, offset }
}

const word = (h: Here, name: string): number => source(h, own(h.operands, name), 'b32')[0]!

const movedOf = (h: Here): Moved => {
  const { modifiers: m, operands } = h
  const shape = accessShapeNames.find((name: AccessShapeName) => name === m['shape']) ?? '32x32b'
  return {
    shape,
    num: Number((m['num'] ?? 'x1').slice(1)),
    split: operands['split'] === undefined ? 0 : constantOf(h, operands['split']),
    packed: m['pack'] !== undefined || m['unpack'] !== undefined,
  }
}

// ---------------------------------------------------------------- products

const kinds: ReadonlyArray<MmaKind> = ['f16', 'tf32', 'f8f6f4', 'i8', 'mxf8f6f4', 'mxf4', 'mxf4nvf4']

/** How many elements share a scale: what the instruction says, or what its kind has alone. */
const blockOf = (kind: MmaKind, said: string | undefined): 16 | 32 | null => {
  switch (said) {
    case 'scale_vec::1X':
      return kind === 'mxf8f6f4' ? 32 : null
    case 'scale_vec::2X':
      return kind === 'mxf8f6f4' ? null : 32
    case 'scale_vec::4X':
    case 'block16':
      return kind === 'mxf4nvf4' ? 16 : null
    case 'block32':
      return 32
    default:
      return kind === 'mxf4nvf4' ? null : 32
  }
}

const mma =
  (weightStationary: boolean) =>
  (h: Here): void => {
    const { modifiers: m, operands } = h
    const kind = kinds.find((name) => `kind::${name}` === m['kind'])
    if (kind === undefined) {
      refuse(h.e, 'ptx.opcode', 'a kind of product that is supported', h.opcode)
      return
    }
    const isScaled = operands['scaleA'] !== undefined
    const block = isScaled ? blockOf(kind, m['scale']) : 32
    if (block === null) {
      refuse(h.e, 'ptx.opcode', `kind ${kind} with as many scales as it has`, h.opcode)
      return
    }
    const { a } = operands
    emit(
      h.e,
      {
        _tag: 'tcgen05Mma',
        kind,
        group: groupOf(h),
        weightStationary,
        columnMask: operands['mask'] === undefined ? null : source(h, operands['mask'], 'b64'),
        d: addressOf(h, operands['d']),
        a: a?._tag === 'address' ? addressOf(h, a) : source(h, a, 'b64'),
        b: source(h, operands['b'], 'b64'),
        descriptor: word(h, 'idesc'),
        sparsity: operands['sparsity'] === undefined ? null : addressOf(h, operands['sparsity']),
        accumulates: predicateSource(h, operands['enable']),
        disabled:
          operands['disable'] === undefined
            ? null
            : itemsOf(operands['disable']).map((v) => source(h, v, 'b32')[0]!),
        shift: operands['scale'] === undefined ? 0 : constantOf(h, operands['scale']),
        scales: isScaled
          ? { a: addressOf(h, operands['scaleA']), b: addressOf(h, operands['scaleB']), block }
          : null,
      },
      h.guard,
    )
  }

const copy = (h: Here): void => {
  const { modifiers: m, operands } = h
  const named = m['multicast'] === undefined ? m['shape'] : `${m['shape'] ?? ''}.${m['multicast']}`
  const shape = copyShapes.find((one) => one === named)
  if (shape === undefined || m['fmt'] !== undefined) {
    refuse(h.e, 'ptx.opcode', 'a copy without conversion, of a supported shape', h.opcode)
    return
  }
  emit(
    h.e,
    {
      _tag: 'tcgen05Copy',
      into: addressOf(h, operands['d']),
      from: source(h, operands['s'], 'b64'),
      shape,
      group: groupOf(h),
    },
    h.guard,
  )
}

// ---------------------------------------------------------------- the family

const fence =
  (kind: 'tensorBefore' | 'tensorAfter') =>
  (h: Here): void => {
    emit(h.e, { _tag: 'fence', kind, scope: 'cta' }, h.guard)
  }

const wait =
  (of: 'ld' | 'st') =>
  (h: Here): void => {
    emit(h.e, { _tag: 'tcgen05Wait', of }, h.guard)
  }

export const tcgen05: Elaborations = {
  'tcgen05.alloc': (h) => {
    emit(
      h.e,
      {
        _tag: 'tcgen05Alloc',
        into: place(h, h.operands['d'], h.modifiers['space'] === undefined ? 'generic' : 'shared'),
        columns: word(h, 'columns'),
        group: groupOf(h),
      },
      h.guard,
    )
  },
  'tcgen05.dealloc': (h) => {
    emit(
      h.e,
      { _tag: 'tcgen05Dealloc', at: word(h, 'a'), columns: word(h, 'columns'), group: groupOf(h) },
      h.guard,
    )
  },
  'tcgen05.relinquish_alloc_permit': (h) => {
    emit(h.e, { _tag: 'tcgen05Relinquish', group: groupOf(h) }, h.guard)
  },
  'tcgen05.ld': (h) => {
    emit(
      h.e,
      {
        _tag: 'tcgen05Load',
        at: addressOf(h, h.operands['a']),
        moved: movedOf(h),
        to: itemsOf(h.operands['d']).map((v) => target(h, v, 'b32')[0]!),
      },
      h.guard,
    )
  },
  'tcgen05.ld.red': (h) => {
    const { modifiers: m } = h
    emit(
      h.e,
      {
        _tag: 'tcgen05Load',
        at: addressOf(h, h.operands['a']),
        moved: movedOf(h),
        to: itemsOf(h.operands['d']).map((v) => target(h, v, 'b32')[0]!),
        extreme: {
          by: `${m['op'] ?? ''}${m['nan'] === undefined ? '' : '.NaN'}.${m['type'] ?? ''}`,
          magnitudes: m['abs'] !== undefined,
          to: target(h, own(h.operands, 'r'), 'b32')[0]!,
        },
      },
      h.guard,
    )
  },
  'tcgen05.st': (h) => {
    emit(
      h.e,
      {
        _tag: 'tcgen05Store',
        at: addressOf(h, h.operands['a']),
        moved: movedOf(h),
        value: itemsOf(h.operands['b']).map((v) => source(h, v, 'b32')[0]!),
      },
      h.guard,
    )
  },
  'tcgen05.wait::ld': wait('ld'),
  'tcgen05.wait::st': wait('st'),
  'tcgen05.fence::before_thread_sync': fence('tensorBefore'),
  'tcgen05.fence::after_thread_sync': fence('tensorAfter'),
  'tcgen05.cp': copy,
  'tcgen05.shift': (h) => {
    emit(h.e, { _tag: 'tcgen05Shift', at: addressOf(h, h.operands['a']), group: groupOf(h) }, h.guard)
  },
  'tcgen05.mma': mma(false),
  'tcgen05.mma.sp': mma(false),
  'tcgen05.mma.ws': mma(true),
  'tcgen05.mma.ws.sp': mma(true),
  'tcgen05.commit': (h) => {
    emit(
      h.e,
      {
        _tag: 'tcgen05Commit',
        barrier: place(h, h.operands['mbar'], 'sharedCluster'),
        multicast: h.operands['mask'] === undefined ? null : source(h, h.operands['mask'], 'u16')[0]!,
        group: groupOf(h),
      },
      h.guard,
    )
  },
}
