/**
 * Copies of tensors, and tensor maps.
 *
 * A prefetch and a cache policy change nothing that a kernel can see. What is not described (im2col, shared memory of a CTA alone as the destination of a
 * multicast) is refused at its line.
 *
 * Source: PTX ISA, cp.async.bulk.tensor; cp.reduce.async.bulk.tensor; tensormap.replace; tensormap.cp_fenceproxy.
 */
import type { ReduceKind } from '../../../semantics/language/instruction.js'
import type { MapField } from '../../../semantics/instructions/tma/object.js'
import type { Operand } from '../text/module.js'
import { emit, refuse } from './emitter.js'
import { place, source, type Here } from './here.js'
import { scopeOf } from './memory.js'

type Operands = ReadonlyArray<Operand>

const reductions: ReadonlyArray<ReduceKind> = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']
const known: ReadonlySet<string> = new Set([
  'cp',
  'async',
  'reduce',
  'bulk',
  'tensor',
  '1d',
  '2d',
  '3d',
  '4d',
  '5d',
  'shared::cluster',
  'shared::cta',
  'global',
  'tile',
  'tile::gather4',
  'tile::scatter4',
  'mbarrier::complete_tx::bytes',
  'bulk_group',
  'multicast::cluster',
  'cta_group::1',
  'cta_group::2',
  'L2::cache_hint',
])

/** The coordinates behind a map in the same brackets. */
const coordinatesOf = (o: Operand | undefined): Operands => {
  if (o?._tag !== 'address') return []
  const [list] = o.more
  return list?._tag === 'vector' ? list.items : []
}

export const tensorCopy = (h: Here, operands: Operands): void => {
  const { words } = h
  const combine = words.includes('reduce') ? (reductions.find((kind) => words.includes(kind)) ?? null) : null
  const strange = words.find((w) => !known.has(w) && w !== combine)
  const spaces = words.filter((w) => w.startsWith('shared') || w === 'global')
  if (strange !== undefined || (words.includes('reduce') && combine === null) || spaces.length !== 2) {
    refuse(h.e, 'ptx.opcode', 'a tensor copy that is supported', h.opcode)
    return
  }
  const isIn = spaces[1] === 'global'
  const rows = words.includes('tile::gather4') || words.includes('tile::scatter4')
  const map = isIn ? operands[1] : operands[0]
  const coordinates = coordinatesOf(map)
  const dimensions = Number(words.find((w) => /^[1-5]d$/u.test(w))?.[0] ?? 0)
  const expected = rows ? 5 : dimensions
  if (coordinates.length !== expected) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: ${String(expected)} coordinates`, String(coordinates.length))
    return
  }
  const multicast = words.includes('multicast::cluster') ? operands[3] : undefined
  emit(
    h.e,
    {
      _tag: 'tensorCopy',
      direction: isIn ? 'in' : 'out',
      rows,
      map: place(h, map, 'generic'),
      coordinates: coordinates.map((c) => source(h, c, 's32')[0]!),
      shared: place(h, isIn ? operands[0] : operands[1], 'shared'),
      barrier: isIn ? place(h, operands[2], 'shared') : null,
      multicast: multicast === undefined ? null : source(h, multicast, 'u16')[0]!,
      group: words.includes('cta_group::2') ? 2 : 1,
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
const perDimension: ReadonlySet<MapField> = new Set<MapField>([
  'global_dim',
  'box_dim',
  'element_stride',
  'global_stride',
])

export const tensormap = (h: Here, operands: Operands): void => {
  const { words } = h
  if (words[1] === 'cp_fenceproxy') {
    emit(
      h.e,
      {
        _tag: 'tensormapPublish',
        into: place(h, operands[0], 'global'),
        from: place(h, operands[1], 'shared'),
        scope: scopeOf(h, 'gpu'),
      },
      h.guard,
    )
    return
  }
  const field = fieldNames.find((name) => words.includes(name))
  if (words[1] !== 'replace' || field === undefined) {
    refuse(h.e, 'ptx.opcode', 'a tensor map instruction that is supported', h.opcode)
    return
  }
  const [map, first, second] = operands
  const many = perDimension.has(field)
  const ordinal = many && first?._tag === 'integer' ? Number(first.value) : 0
  if ((many && first?._tag !== 'integer') || (field === 'global_stride' && ordinal > 3) || ordinal > 4) {
    refuse(h.e, 'ptx.operand', `${h.opcode}: the number of a dimension`, String(ordinal))
    return
  }
  const space = words.includes('global')
    ? 'global'
    : words.some((w) => w.startsWith('shared'))
      ? 'shared'
      : 'generic'
  emit(
    h.e,
    {
      _tag: 'tensormapReplace',
      map: place(h, map, space),
      field,
      ordinal,
      value: source(h, many ? second : first, words.includes('b64') ? 'b64' : 'b32'),
    },
    h.guard,
  )
}
