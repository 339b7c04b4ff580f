/**
 * Products of a warpgroup.
 *
 * Single bits (k of 256) are bytes of eight, whose bits in common are counted.
 *
 * Source: PTX ISA, asynchronous warpgroup level matrix instructions.
 */
import type { Described, WgmmaOperation } from '../../../semantics/warps/operations/wgmma.js'
import type { Value } from '../opcodes/resolve.js'
import { emit, refuse } from './emitter.js'
import { constantOf, itemsOf, predicateSource, source, target, type Elaborations, type Here } from './here.js'
import { own } from '../../../own.js'

type Mma = Extract<WgmmaOperation, { readonly _tag: 'wgmma' }>

const operands: ReadonlyMap<string, Mma['aType']> = new Map([
  ['f16', 'f16'],
  ['bf16', 'bf16'],
  ['tf32', 'tf32'],
  ['e4m3', 'e4m3'],
  ['e5m2', 'e5m2'],
  ['s8', 'i8'],
  ['u8', 'u8'],
  ['b1', 'u8'],
])
const accumulators: ReadonlyMap<string, Mma['dType']> = new Map([
  ['f16', 'f16'],
  ['f32', 'f32'],
  ['s32', 'i32'],
])

const shape = /^m64n(\d+)k(\d+)$/u

const product = (h: Here): void => {
  const { modifiers: m, operands: given } = h
  const [aType, bType, dType] = [
    operands.get(m['atype'] ?? ''),
    operands.get(m['btype'] ?? ''),
    accumulators.get(m['dtype'] ?? ''),
  ]
  const extents = shape.exec(m['shape'] ?? '')
  if (aType === undefined || bType === undefined || dType === undefined || extents === null) {
    refuse(h.e, 'ptx.opcode', 'a product of types that are supported', h.opcode)
    return
  }
  const flag = (name: string, otherwise: number): number =>
    own(given, name) === undefined ? otherwise : constantOf(h, own(given, name))
  const described = (v: Value | undefined, transpose: string): Described => ({
    _tag: 'described',
    descriptor: source(h, v, 'b64'),
    major: flag(transpose, 0) === 1 ? 'mn' : 'k',
  })
  const { a } = given
  emit(
    h.e,
    {
      _tag: 'wgmma',
      n: Number(extents[1]),
      k: Number(extents[2]) / (m['atype'] === 'b1' ? 8 : 1),
      a:
        a?._tag === 'vector'
          ? { _tag: 'registers', rows: a.items.map((v) => source(h, v, 'b32')[0]!) }
          : described(a, 'transA'),
      b: described(given['b'], 'transB'),
      d: itemsOf(given['d']).map((v) => target(h, v, 'b32')[0]!),
      aType,
      bType,
      dType,
      saturate: m['satfinite'] !== undefined,
      counts: m['atype'] === 'b1',
      sparsity:
        given['metadata'] === undefined
          ? null
          : {
              row: source(h, given['metadata'], 'b32')[0]!,
              selector: constantOf(h, given['selector']),
              order: 'any',
            },
      accumulates: predicateSource(h, given['scaleD']),
      negateA: flag('scaleA', 1) === -1,
      negateB: flag('scaleB', 1) === -1,
    },
    h.guard,
  )
}

const plainly =
  (operation: WgmmaOperation) =>
  (h: Here): void => {
    emit(h.e, operation, h.guard)
  }

export const wgmma: Elaborations = {
  'wgmma.mma_async': product,
  'wgmma.fence': plainly({ _tag: 'wgmmaFence' }),
  'wgmma.commit_group': plainly({ _tag: 'wgmmaCommit' }),
  'wgmma.wait_group': (h) => {
    emit(h.e, { _tag: 'wgmmaWait', pending: constantOf(h, h.operands['n']) }, h.guard)
  },
}
