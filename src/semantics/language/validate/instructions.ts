/**
 * Single instructions: what is demanded of each beyond the kinds of its operands.
 *
 * `rule` is a case distinction over all instructions; most have no rule, since their signature says all. The larger families
 * have a module each: tensor maps and copies, matrix products.
 *
 * | instruction                 | rule                                                        | code            |
 * |-----------------------------|-------------------------------------------------------------|-----------------|
 * | mbarrier.init, arrive       | count from 1 to 2^20 - 1                                    | barrier.count   |
 * | bar.sync, bar.arrive        | id 0 to 15; a multiple of 32 threads up to 1024             | barrier.id, barrier.count |
 * | stores, atomics             | the value has the shape and elements of what it goes into   | type.mismatch, L2 |
 * | compare-and-swap            | has `compare`; no other atomic has                          | type.mismatch   |
 * | st.async                    | elements of 32 or 64 bits                                   | type.mismatch   |
 * | tcgen05.alloc, dealloc      | 32, 64, 128, 256 or 512 columns                             | T3              |
 * | setMaxRegisters             | a multiple of 8 from 24 to 256                              | registers.count |
 * | setMaxRegisters             | run by whole warpgroups, from a multiple of 4 warps on      | mma.agent       |
 * | anything that names registers | they belong to an agent that may run it                   | storage.owner   |
 *
 * Laws
 * 1. The table, row by row, each with a program that breaks that row alone.
 *
 * Source: PTX ISA 9, the restrictions of each instruction.
 */
import { bitsOf } from '../../../numerics/dtype.js'
import { isAllocation, tmemColumns } from '../../../layouts/tensor-memory/geometry.js'
import { sameShape, showShape } from '../../../transforms/shape.js'
import type { ExprNode } from '../expression.js'
import type { Instruction } from '../instruction.js'
import { showType } from '../typecheck.js'
import { ptr, tile } from '../types.js'
import { alignedWarpgroups, onArch, tcgen05Rules, wgmmaRules, wholeWarpgroups } from './matrix.js'
import { type Operands, fits, pointerTile, throughPointers } from './operands.js'
import { type Checked, first, isNat, no } from './problem.js'
import type { Here } from './scope.js'
import { cpRules, shiftRules } from './tensor-copies.js'
import { storeRules } from './tensor-lanes.js'
import {
  asyncReduceRules,
  boxRules,
  copyRules,
  groupRules,
  notNegative,
  reduceRules,
  rowRules,
} from './tensor-maps.js'

// ---------------------------------------------------------------- counts

const barrierCount = (count: number): Checked =>
  isNat(count) && count >= 1 && count < 2 ** 20
    ? null
    : no(
        'barrier.count',
        `count: a barrier counts from 1 to ${String(2 ** 20 - 1)} arrivals, found ${String(count)}`,
      )

const rendezvous = (id: number, count: number): Checked =>
  !isNat(id) || id > 15
    ? no('barrier.id', `id: there are 16 named barriers, found ${String(id)}`)
    : isNat(count) && count > 0 && count % 32 === 0 && count <= 1024
      ? null
      : no('barrier.count', `count: expected a multiple of 32 threads up to 1024, found ${String(count)}`)

// ---------------------------------------------------------------- atomics

const casNeedsCompare = (op: string, given: boolean): Checked =>
  (op === 'cas') === given
    ? null
    : no('type.mismatch', `compare: ${op === 'cas' ? 'a compare-and-swap needs it' : `${op} takes none`}`)

// ---------------------------------------------------------------- registers

/** A register storage belongs to one agent. */
export const ownRegisters = (here: Here, field: string, expr: ExprNode): Checked => {
  if (expr._tag === 'storage') {
    const owner = here.scene.declarations.storage.get(expr.storage)?.owner
    return owner === undefined || owner === 'cta' || here.runners.some(({ name }) => name === owner.agent)
      ? null
      : no(
          'storage.owner',
          `${field}: registers ${expr.storage} belong to ${owner.agent}, found in the code of ${here.runners.map(({ name }) => name).join(', ')}`,
        )
  }
  return expr._tag === 'slot' ||
    expr._tag === 'slice' ||
    expr._tag === 'transposeView' ||
    expr._tag === 'reshapeView' ||
    expr._tag === 'reinterpret'
    ? ownRegisters(here, field, expr.of)
    : null
}

// ---------------------------------------------------------------- all instructions

/** The rule of an instruction whose operands are of their kinds. */
export const rule = (here: Here, instruction: Instruction, operand: Operands): Checked => {
  switch (instruction._tag) {
    case 'mbarrier.init':
    case 'mbarrier.arrive':
    case 'mbarrier.arriveDrop':
      return barrierCount(instruction.count)
    case 'bar.sync':
    case 'bar.arrive':
      return rendezvous(instruction.id, instruction.count)
    case 'tma.load':
      return first([
        () => copyRules(here, operand, 'destination', instruction.coords.length, 1),
        () => groupRules(here, instruction._tag, instruction.ctaGroup),
      ])
    case 'tma.gather':
      return first([
        () => rowRules(here, operand, instruction._tag, 'destination'),
        () => groupRules(here, instruction._tag, instruction.ctaGroup),
      ])
    case 'tma.reduce':
      return first([
        () => copyRules(here, operand, 'source', instruction.coords.length, 1),
        () => notNegative(instruction.coords),
        () => reduceRules(operand, instruction.kind),
      ])
    case 'tma.store':
      return first([
        () => copyRules(here, operand, 'source', instruction.coords.length, 1),
        () => notNegative(instruction.coords),
      ])
    case 'tma.scatter':
      return rowRules(here, operand, instruction._tag, 'source')
    case 'tma.prefetch': {
      const type = operand.type('descriptor')
      return type?._tag !== 'descriptor' || type.rank === instruction.coords.length
        ? null
        : no(
            'type.shape',
            `coords: expected ${String(type.rank)}, found ${String(instruction.coords.length)}`,
          )
    }
    case 'tensormap.create':
      return [instruction.dims, instruction.strides, instruction.elementStrides ?? instruction.box].every(
        (list) => list.length === instruction.box.length,
      )
        ? boxRules('box', {
            bits: bitsOf(instruction.dtype),
            extents: instruction.box,
            elementStrides: instruction.elementStrides ?? instruction.box.map(() => 1),
            swizzle: instruction.swizzle,
          })
        : no(
            'param.shape',
            `dims, strides and box must have one rank, found ${String(instruction.dims.length)}, ${String(instruction.strides.length)} and ${String(instruction.box.length)}`,
          )
    case 'smem.store':
    case 'gmem.store':
    case 'regs.write':
      return fits(operand, 'destination', 'value')
    case 'stAsync.store': {
      const into = operand.view('destination')
      return first([
        () => fits(operand, 'destination', 'value'),
        () =>
          into === undefined || bitsOf(into.dtype) === 32 || bitsOf(into.dtype) === 64
            ? null
            : no(
                'type.mismatch',
                `destination: st.async stores elements of 32 or 64 bits, found ${showType(into)}`,
              ),
      ])
    }
    case 'stAsync.reduce':
      return first([
        () => fits(operand, 'destination', 'value'),
        () => asyncReduceRules(operand, instruction.kind),
      ])
    case 'smem.atomic':
      return first([
        () => fits(operand, 'destination', 'value'),
        () => fits(operand, 'destination', 'compare'),
        () => casNeedsCompare(instruction.op, instruction.compare !== undefined),
      ])
    case 'gmem.loadPtr':
      return throughPointers(operand, 'source', ['other'])
    case 'gmem.storePtr':
      return throughPointers(operand, 'destination', ['value'])
    case 'gmem.atomicPtr':
      return first([
        () => throughPointers(operand, 'destination', ['value', 'compare']),
        () => casNeedsCompare(instruction.op, instruction.compare !== undefined),
      ])
    case 'cpAsync.copy': {
      const from = pointerTile(operand, 'source')
      const into = operand.view('destination')
      if (from === undefined || into === undefined) return null
      return first([
        () => throughPointers(operand, 'source', []),
        () =>
          from.dtype === into.dtype && sameShape(from.shape, into.layout.shape)
            ? null
            : no(
                'type.mismatch',
                `source: expected pointers to ${into.dtype} of shape ${showShape(into.layout.shape)}, found ${showType(tile(from.shape, ptr(from.dtype), 'any'))}`,
              ),
      ])
    }
    case 'wgmma.fence':
    case 'wgmma.commitGroup':
    case 'wgmma.waitGroup':
      return first([
        () => onArch(here, instruction._tag, 'sm90a'),
        () => wholeWarpgroups(here, instruction._tag),
      ])
    case 'wgmma.mma':
      return first([
        () => onArch(here, instruction._tag, 'sm90a'),
        () => wholeWarpgroups(here, instruction._tag),
        () => wgmmaRules(operand, instruction),
      ])
    case 'tcgen05.mma':
      return first([() => onArch(here, instruction._tag, 'sm100a'), () => tcgen05Rules(operand, instruction)])
    case 'tcgen05.alloc':
    case 'tcgen05.dealloc':
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () =>
          isAllocation(instruction.columns)
            ? null
            : no(
                'T3',
                `columns: expected a power of two from 32 to ${String(tmemColumns)}, found ${String(instruction.columns)}`,
              ),
      ])
    case 'tcgen05.st':
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () => fits(operand, 'destination', 'value'),
        () => storeRules(here, operand),
      ])
    case 'tcgen05.ld': {
      const from = operand.view('source')
      const into = operand.view('destination')
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () =>
          from === undefined ||
          into === undefined ||
          (from.dtype === into.dtype && sameShape(from.layout.shape, into.layout.shape))
            ? null
            : no(
                'type.mismatch',
                `destination: expected ${from.dtype} ${showShape(from.layout.shape)} as in the source, found ${showType(into)}`,
              ),
      ])
    }
    case 'tcgen05.cp':
      return first([
        () => onArch(here, instruction._tag, 'sm100a'),
        () => cpRules(operand, instruction.shape),
      ])
    case 'tcgen05.shift':
      return first([() => onArch(here, instruction._tag, 'sm100a'), () => shiftRules(operand)])
    case 'tcgen05.relinquish':
    case 'tcgen05.commit':
    case 'tcgen05.waitLd':
    case 'tcgen05.useLd':
    case 'tcgen05.waitSt':
    case 'tcgen05.fenceBefore':
    case 'tcgen05.fenceAfter':
    case 'clc.tryCancel':
    case 'clc.query':
      return onArch(here, instruction._tag, 'sm100a')
    case 'setMaxRegisters':
      return first([
        () => alignedWarpgroups(here, instruction._tag),
        () =>
          instruction.count % 8 === 0 && instruction.count >= 24 && instruction.count <= 256
            ? null
            : no(
                'registers.count',
                `count: expected a multiple of 8 from 24 to 256, found ${String(instruction.count)}`,
              ),
      ])
    default:
      return null
  }
}
