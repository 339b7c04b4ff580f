/**
 * Copies of tensors, and tensor maps.
 *
 * A prefetch and a cache policy change nothing that a kernel can see. What is not described (the modes im2col::w of Blackwell, shared memory of a CTA alone as the destination of a
 * multicast) is refused at its line.
 *
 * Source: PTX ISA, cp.async.bulk.tensor; cp.reduce.async.bulk.tensor; tensormap.replace; tensormap.cp_fenceproxy.
 */
import type { ReduceKind } from '../../../semantics/language/instruction.js'
import type { MapField } from '../../../semantics/instructions/tma/object.js'
import type { Row } from '../../../semantics/machine/warp-stand.js'
import { emit, refuse } from './emitter.js'
import { constantOf, place, source, type Elaborations, type Here } from './here.js'
import { scopeOf, spaceNamed } from './memory.js'

const reductions: ReadonlyArray<ReduceKind> = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']
const modes: ReadonlyMap<string, 'tile' | 'rows' | 'im2col'> = new Map([
  ['tile', 'tile'],
  ['tile::gather4', 'rows'],
  ['tile::scatter4', 'rows'],
  ['im2col', 'im2col'],
  ['im2col_no_offs', 'im2col'],
])

/** Offsets of columns of pixels. */
const offsetsOf = (h: Here): ReadonlyArray<Row> => {
  const given = h.operands['offsets']
  return given?._tag === 'vector' ? given.items.map((offset) => source(h, offset, 'u16')[0]!) : []
}

const copy =
  (reduces: boolean) =>
  (h: Here): void => {
    const { modifiers: m, operands } = h
    const mode = modes.get(m['mode'] ?? 'tile')
    const combine = reduces ? (reductions.find((kind) => kind === m['op']) ?? null) : null
    if (mode === undefined || (reduces && combine === null)) {
      refuse(h.e, 'ptx.opcode', 'a tensor copy that is supported', h.opcode)
      return
    }
    const isIn = m['src'] === 'global'
    const map = operands['map']
    const inShared = m['dst'] === 'shared::cluster' ? 'sharedCluster' : 'shared'
    const coordinates = map?._tag === 'address' ? map.coordinates : []
    emit(
      h.e,
      {
        _tag: 'tensorCopy',
        direction: isIn ? 'in' : 'out',
        mode,
        map: place(h, map, 'generic'),
        coordinates: coordinates.map((c) => source(h, c, 's32')[0]!),
        offsets: offsetsOf(h),
        shared: place(h, operands[isIn ? 'd' : 's'], isIn ? inShared : 'shared'),
        barrier: isIn
          ? place(h, operands['mbar'], m['group'] === 'cta_group::2' ? 'sharedCluster' : inShared)
          : null,
        multicast: operands['mask'] === undefined ? null : source(h, operands['mask'], 'u16')[0]!,
        group: m['group'] === 'cta_group::2' ? 2 : 1,
        combine,
      },
      h.guard,
    )
  }

const fieldNames: ReadonlyArray<MapField> = [
  'global_address',
  'rank',
  'elemtype',
  'interleave_layout',
  'swizzle_mode',
  'fill_mode',
  'swizzle_atomicity',
  'global_dim',
  'box_dim',
  'element_stride',
  'global_stride',
]

const replace = (h: Here): void => {
  const { modifiers: m, operands } = h
  const field = fieldNames.find((name) => name === m['field'])
  if (field === undefined) {
    refuse(h.e, 'ptx.opcode', 'a field of a tensor map', h.opcode)
    return
  }
  const ordinal = operands['ordinal'] === undefined ? 0 : constantOf(h, operands['ordinal'])
  if (field === 'global_stride' && ordinal > 3) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: the number of a stride, from 0 to 3`, String(ordinal))
    return
  }
  emit(
    h.e,
    {
      _tag: 'tensormapReplace',
      map: place(h, operands['map'], spaceNamed(m['space'])),
      field,
      ordinal,
      value: source(h, operands['value'], m['type'] === 'b64' ? 'b64' : 'b32'),
    },
    h.guard,
  )
}

const publish = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'tensormapPublish',
      into: place(h, h.operands['d'], 'global'),
      from: place(h, h.operands['s'], 'shared'),
      scope: scopeOf(h, 'gpu'),
    },
    h.guard,
  )
}

export const tensors: Elaborations = {
  'cp.async.bulk.tensor': copy(false),
  'cp.reduce.async.bulk.tensor': copy(true),
  'tensormap.replace': replace,
  'tensormap.cp_fenceproxy': publish,
}
