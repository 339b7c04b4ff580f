/**
 * Matrices of a warp: ldmatrix, stmatrix, movmatrix.
 *
 * Source: PTX ISA, warp level matrix instructions.
 */
import type { MatrixShape } from '../../../layouts/shared-memory/matrix-rows.js'
import { emit, refuse } from './emitter.js'
import { itemsOf, place, source, target, type Elaborations, type Here } from './here.js'
import { spaceNamed } from './memory.js'

const shapes: ReadonlyArray<MatrixShape> = ['m8n8', 'm8n16', 'm16n8', 'm16n16']
const counts: ReadonlyMap<string, 1 | 2 | 4> = new Map([
  ['x1', 1],
  ['x2', 2],
  ['x4', 4],
])

/** What every one of them says; null: it is refused. */
const said = (
  h: Here,
): { readonly shape: MatrixShape; readonly count: 1 | 2 | 4; readonly transposed: boolean } | null => {
  const shape = shapes.find((s) => s === h.modifiers['shape'])
  const count = counts.get(h.modifiers['num'] ?? '')
  if (shape !== undefined && count !== undefined)
    return { shape, count, transposed: h.modifiers['trans'] !== undefined }
  refuse(h.e, 'ptx.opcode', 'matrices of a shape that is supported', h.opcode)
  return null
}

const storedBits = (format: string | undefined, shape: MatrixShape): 4 | 6 | 8 | 16 =>
  format === 'b4x16_p64' ? 4 : format === 'b6x16_p32' ? 6 : shape === 'm8n8' ? 16 : 8

const load = (h: Here): void => {
  const how = said(h)
  if (how === null) return
  emit(
    h.e,
    {
      _tag: 'loadMatrices',
      from: place(h, h.operands['a'], spaceNamed(h.modifiers['space'])),
      shape: how.shape,
      count: how.count,
      transposed: how.transposed,
      stored: storedBits(h.modifiers['src'], how.shape),
      to: itemsOf(h.operands['d']).map((v) => target(h, v, 'b32')[0]!),
    },
    h.guard,
  )
}

const store = (h: Here): void => {
  const how = said(h)
  if (how === null) return
  emit(
    h.e,
    {
      _tag: 'storeMatrices',
      into: place(h, h.operands['a'], spaceNamed(h.modifiers['space'])),
      shape: how.shape,
      count: how.count,
      transposed: how.transposed,
      value: itemsOf(h.operands['b']).map((v) => source(h, v, 'b32')[0]!),
    },
    h.guard,
  )
}

const transpose = (h: Here): void => {
  emit(
    h.e,
    {
      _tag: 'transposeMatrix',
      to: target(h, h.operands['d'], 'b32')[0]!,
      from: source(h, h.operands['a'], 'b32')[0]!,
    },
    h.guard,
  )
}

export const matrices: Elaborations = { ldmatrix: load, stmatrix: store, movmatrix: transpose }
