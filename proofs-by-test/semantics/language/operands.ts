/**
 * Storages and parameters for one instance of every instruction, and short words for operands that name them.
 *
 * Three barriers in each CTA: b[0], b[1] and one. So CTA 1 of a pair has the barriers 3, 4 and 5.
 */
import * as B from '../../../src/semantics/writing/builder.js'
import * as X from '../../../src/semantics/language/expression.js'
import type { Expr, ExprNode } from '../../../src/semantics/language/expression.js'
import { swizzle, tile } from '../../../src/transforms/transform.js'
import { right } from '../../either.js'

export const declarations = function* (): B.Steps<void> {
  const transforms = [right(tile([8, 64])), right(swizzle(128))]
  yield* B.barriers('b', [2], { contract: 'ptx', ordersTensorCore: true })
  yield* B.barriers('one', [], { contract: 'ptx', ordersTensorCore: true })
  yield* B.sharedMemory('x', 'i32', [4])
  yield* B.sharedMemory('wide', 'i32', [16])
  yield* B.sharedMemory('box', 'u16', [8, 64], [], { align: 1024 })
  yield* B.sharedMemory('lines', 'u16', [8, 64], [], { align: 1024 })
  yield* B.sharedMemory('answer', 'i32', [4], [], { align: 16 })
  yield* B.sharedMemory('wa', 'f16', [64, 64], transforms)
  yield* B.sharedMemory('wb', 'f16', [64, 32], [])
  yield* B.sharedMemory('ta', 'f16', [128, 64], transforms)
  yield* B.sharedMemory('tb', 'f16', [64, 64], [])
  yield* B.sharedMemory('rows of copies', 'u32', [128, 8])
  yield* B.sharedMemory('half of b', 'f16', [64, 32], [])
  yield* B.sharedMemory('one row', 'u32', [1, 8])
  yield* B.sharedMemory('halves', 'f16', [4])
  yield* B.sharedMemory('bytes', 'u8', [64])
  yield* B.sharedMemory('cube', 'f16', [2, 2, 2])
  yield* B.sharedMemory('ints', 'i8', [64, 64])
  yield* B.sharedMemory('scales', 'e8m0', [128, 2])
  yield* B.sharedMemory('scales of 64', 'e8m0', [64, 2])
  yield* B.sharedMemory('other scales', 'ue4m3', [64, 2])
  yield* B.sharedMemory('wrong scales', 'e8m0', [64, 1])
  yield* B.sharedMemory('no scales', 'f16', [128, 2])
  yield* B.sharedMemory('stored', 'f16', [128, 32])
  yield* B.sharedMemory('narrow a', 'e4m3', [128, 64])
  yield* B.sharedMemory('narrow b', 'e4m3', [64, 64])
  yield* B.sharedMemory('many scales', 'e8m0', [64, 8])
  yield* B.registers('whole', 'wg', 'i32', [64, 64])
  yield* B.registers('r of floats', 'wg', 'f32', [128, 8])
  yield* B.registers('long', 'wg', 'u32', [128, 4])
  yield* B.registers('wacc', 'wg', 'f32', [64, 32])
  yield* B.registers('r', 'wg', 'u32', [128, 8])
  yield* B.registers('r4', 'wg', 'i32', [4])
  yield* B.tensorMemory('d', 'f32', [128, 64])
  yield* B.tensorMemory('c', 'u32', [128, 8])
  yield* B.tensorMemory('whole d', 'i32', [64, 64])
  yield* B.tensorMemory('metadata', 'u32', [128, 2])
  const t = yield* B.tensorParam('t', 'u16', [16, 64], { role: 'inout' })
  const n = yield* B.tensorParam('n', 'i32', [16], { role: 'inout' })
  yield* B.tensorParam('maps', 'u8', [256], { role: 'inout' })
  yield* B.descriptorParam('map', t, [8, 64])
  yield* B.descriptorParam('line', t, [1, 64])
  yield* B.descriptorParam('words', n, [16])
}

// ---------------------------------------------------------------- operands by name

export const expr = <T extends Expr>(tree: ExprNode): T => tree as unknown as T
export const view = (id: string): never => expr<never>({ _tag: 'storage', storage: id })
export const barrier = (k: number): never =>
  expr<never>({ _tag: 'slot', of: { _tag: 'storage', storage: 'b' }, index: X.i32(k) as unknown as ExprNode })
export const one: never = view('one')
export const pointer = (param: string): never => expr<never>({ _tag: 'paramPtr', param })
export const map = (param: string): never => expr<never>({ _tag: 'descriptor', param })
export const fours: X.Tile<'i32', 1> = X.iota<1>([4], 0)
export const eights: X.Tile<'i32', 1> = X.iota<1>([8], 0)
export const pointers = X.addptr(
  X.splat<never, 1>(pointer('n'), [4]) as unknown as X.Tile<never, 1>,
  fours,
) as unknown as never
export const yes: X.Tile<'i1', 1> = X.splat(X.i1(true), [4])
