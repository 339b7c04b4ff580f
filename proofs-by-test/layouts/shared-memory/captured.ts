/** What an H100 did with shared memory, and the readers of the transforms' proofs. */
import { readFileSync } from 'node:fs'
export {
  descriptorMaps,
  indices,
  range,
  tma,
  type DescriptorMap,
  type TmaEntry,
} from '../../transforms/captured.js'

export interface BankPattern {
  readonly op: string
  readonly name: string
  /** Bytes; -1 is an inactive lane. */
  readonly offsets: readonly number[]
  readonly wavefronts: number
  readonly conflicts: number
}

export const bankPatterns = (): readonly BankPattern[] =>
  JSON.parse(
    readFileSync(
      new URL('../../../conformance/hopper/functions/bank-patterns.json', import.meta.url),
      'utf8',
    ),
  ).patterns
