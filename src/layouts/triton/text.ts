/**
 * Encodings of registers as the compiler's text has them.
 *
 *     #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
 *     #ttg.slice<{dim = 1, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>}>
 *
 * Law 1. Read again (`dialects/ttgir/elaboration/encodings.ts`), the text is the encoding.
 *
 * Source: Triton 3.6, attributes of the TritonGPU dialect.
 */
import { unreachable } from '../../failure.js'
import type { Index } from '../../transforms/shape.js'
import { basesOf } from '../linear/linear-layout.js'
import type { DistributedSpec } from './encoding.js'

const list = (numbers: ReadonlyArray<number>): string => `[${numbers.join(', ')}]`
const rows = (bases: ReadonlyArray<Index>): string => `[${bases.map(list).join(', ')}]`
const blocks = (cgaBases: ReadonlyArray<Index> | undefined): ReadonlyArray<string> =>
  cgaBases === undefined || cgaBases.length === 0 ? [] : [`CGALayout = ${rows(cgaBases)}`]

const attribute = (name: string, entries: ReadonlyArray<string>): string =>
  `#ttg.${name}<{${entries.join(', ')}}>`

export const encodingText = (spec: DistributedSpec): string => {
  switch (spec._tag) {
    case 'blocked':
      return attribute('blocked', [
        `sizePerThread = ${list(spec.sizePerThread)}`,
        `threadsPerWarp = ${list(spec.threadsPerWarp)}`,
        `warpsPerCTA = ${list(spec.warpsPerCTA)}`,
        `order = ${list(spec.order)}`,
        ...blocks(spec.cgaBases),
      ])
    case 'slice':
      return attribute('slice', [`dim = ${String(spec.dim)}`, `parent = ${encodingText(spec.parent)}`])
    case 'nvidia_mma':
      return attribute('nvidia_mma', [
        `versionMajor = ${String(spec.versionMajor)}`,
        `versionMinor = ${String(spec.versionMinor ?? 0)}`,
        `warpsPerCTA = ${list(spec.warpsPerCTA)}`,
        ...blocks(spec.cgaBases),
        `instrShape = ${list(spec.instrShape)}`,
      ])
    case 'dot_operand':
      return attribute('dot_op', [
        `opIdx = ${String(spec.opIdx)}`,
        `parent = ${encodingText(spec.parent)}`,
        ...((spec.kWidth ?? 0) === 0 ? [] : [`kWidth = ${String(spec.kWidth)}`]),
      ])
    case 'linear':
      return attribute(
        'linear',
        ['register', 'lane', 'warp', 'block'].map((name) => `${name} = ${rows(basesOf(spec.layout, name))}`),
      )
    default:
      return unreachable(spec)
  }
}
