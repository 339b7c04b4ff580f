/**
 * The launches that made `conformance/hopper/structure/mbarrier*.json`: sequences of operations on one mbarrier by one thread, as the programs of
 * `conformance/cuda/capture_mbar.ptx` and `capture_mbar_steps.ptx` take them, and what they left on an H100, in the words that they write.
 *
 * | program | entry | parameters | an operation | a result |
 * |---|---|---|---|---|
 * | `capture_mbar` | `_Z1kPK2OpiP3Rec` | operations, their number, results | 12 bytes: code, argument, 0 | 40 bytes: the state twice, the token, `test_wait.parity` of 0 and of 1, `test_wait` of the last token (2: none yet), `pending_count` of it (-1: none yet) |
 * | `capture_mbar_steps` | `_Z1kPKiiPVi` | likewise | 8 bytes: code, argument | 8 bytes: 10 + `test_wait.parity` of 0, the upper word of the token |
 *
 * One thread in one CTA. The state of a barrier is opaque, and so are the low 32 bits of a token.
 */
import { readFileSync } from 'node:fs'

const structure = new URL('../../../conformance/hopper/structure/', import.meta.url)
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, structure), 'utf8'))

/** A word of a result that the capture has an opinion on: which, counted in 32 bits from the first of all results. */
export interface ExpectedWord {
  readonly at: number
  readonly value: number
  readonly what: string
}

export interface MbarrierCapture {
  /** in `conformance/` */
  readonly module: string
  readonly entry: string
  /** bytes of dynamic shared memory */
  readonly shared: number
  /** the first parameter, in words of 32 bits */
  readonly operations: Int32Array
  /** the second */
  readonly count: number
  /** words of the third */
  readonly resultWords: number
  readonly expected: ReadonlyArray<ExpectedWord>
  /** the operation that did not finish, for the chip trapped; null where all did */
  readonly trappedAt: number | null
}

interface Step {
  readonly op: string
  readonly arg: number
  readonly token: string
  readonly wait_parity0: number
  readonly wait_parity1: number
  readonly test_wait_last_token: number
  readonly pending_count_last_token: number
}
interface LimitStep {
  readonly op: string
  readonly arg: number
  readonly wait_parity0?: number
  readonly token_high?: string
}

const codes = [
  'init',
  'arrive',
  'arrive_count',
  'expect_tx',
  'arrive_expect_tx',
  'complete_tx',
  'arrive_drop',
  'arrive_noComplete',
]
const limitCodes = ['init', 'arrive', 'expect_tx', 'complete_tx', 'arrive_drop']

const codeOf = (among: ReadonlyArray<string>, op: string): number => {
  const found = among.indexOf(op)
  if (found < 0) throw new Error(`no operation: ${op}`)
  return found
}

const mbarrier = read('mbarrier.json') as { readonly sequences: ReadonlyArray<ReadonlyArray<Step>> }
const limits = read('mbarrier_limits.json') as {
  readonly sequences: ReadonlyArray<{
    readonly steps: ReadonlyArray<LimitStep>
    readonly trapped_at_step: number | null
  }>
}

/** Eight sequences within the limits. */
export const mbarrierCaptures: ReadonlyArray<MbarrierCapture> = mbarrier.sequences.map((steps) => ({
  module: 'cuda/capture_mbar.ptx',
  entry: '_Z1kPK2OpiP3Rec',
  shared: 256,
  operations: Int32Array.from(steps.flatMap(({ op, arg }) => [codeOf(codes, op), arg, 0])),
  count: steps.length,
  resultWords: 10 * steps.length,
  expected: steps.flatMap((step, i) => [
    {
      at: 10 * i + 5,
      value: parseInt(step.token.slice(0, 8), 16) | 0,
      what: `${step.op}: token, upper word`,
    },
    { at: 10 * i + 6, value: step.wait_parity0, what: `${step.op}: test_wait.parity 0` },
    { at: 10 * i + 7, value: step.wait_parity1, what: `${step.op}: test_wait.parity 1` },
    { at: 10 * i + 8, value: step.test_wait_last_token, what: `${step.op}: test_wait of the last token` },
    { at: 10 * i + 9, value: step.pending_count_last_token, what: `${step.op}: pending_count of it` },
  ]),
  trappedAt: null,
}))

/** Fifteen up to the limits and past them. What stands behind a trap was never written. */
export const limitCaptures: ReadonlyArray<MbarrierCapture> = limits.sequences.map(
  ({ steps, trapped_at_step }) => ({
    module: 'cuda/capture_mbar_steps.ptx',
    entry: '_Z1kPKiiPVi',
    shared: 64,
    operations: Int32Array.from(steps.flatMap(({ op, arg }) => [codeOf(limitCodes, op), arg])),
    count: steps.length,
    resultWords: 2 * steps.length,
    expected: steps.slice(0, trapped_at_step ?? steps.length).flatMap((step, i) => [
      ...(step.wait_parity0 === undefined
        ? []
        : [{ at: 2 * i, value: 10 + step.wait_parity0, what: `${step.op}: test_wait.parity 0` }]),
      ...(step.token_high === undefined
        ? []
        : [
            {
              at: 2 * i + 1,
              value: parseInt(step.token_high, 16) | 0,
              what: `${step.op}: token, upper word`,
            },
          ]),
    ]),
    trappedAt: trapped_at_step,
  }),
)
