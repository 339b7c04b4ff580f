/**
 * Cluster launch control: `clc_try_cancel`, `clc_load_result`, `clc_is_canceled`, `clc_get_program_id`.
 *
 * A program that is running takes over one that has not been launched. The answer is two words of i64 in shared memory, and 16 bytes on a
 * barrier, for every CTA of the module; each must expect them. It is read once, and then asked.
 *
 *     ttng.barrier_expect %bar, 16                              in every CTA
 *     ttng.clc_try_cancel %result, %bar                         clc.tryCancel, of CTA 0 for all of them
 *     ttng.wait_barrier %bar, %phase
 *     %r = ttng.clc_load_result %result                         clc.query
 *     %c = ttng.clc_is_canceled %r                              was there a program left?
 *     %x = ttng.clc_get_program_id %r, x                        its `tt.get_program_id`: one for the CTAs of a module
 *
 * In the IR a result is one i128; here it is a condition and three numbers, so that a loop carries them under names of its own. The numbers
 * mean nothing where nothing was cancelled: a kernel that uses them is at fault.
 *
 * Source: Triton, TritonNvidiaGPU dialect; PTX ISA, clusterlaunchcontrol.
 */
import { block, clcQuery, letIn, run, type Build } from '../../semantics/writing/builder.js'
import { eq, i32, place, quo, type Condition, type Int } from '../../semantics/language/expression.js'
import { sameShape } from '../../transforms/shape.js'
import { resolve, type BarrierOptions } from './barrier.js'
import { refused } from './codes.js'
import { numCtas, on, speaks } from './issue.js'
import { shown } from './tensor.js'
import { memDescHere, type BarrierDesc, type Issuer, type MemDesc } from './types.js'

/** An answer in registers. */
export interface ClcResult {
  readonly canceled: Condition
  /** of the first CTA of what was cancelled */
  readonly first: readonly [x: Int, y: Int, z: Int]
  readonly numCtas: number
}

const needAnswer = (label: string, field: string, of: MemDesc): Build<void> =>
  block(function* () {
    const type = yield* memDescHere(label, field, of)
    if (type.space !== 'smem' || type.dtype !== 'i64' || !sameShape(type.layout.shape, [2]))
      return yield* refused(
        'ttng.clc.result',
        `${label}: ${field} must be a memdesc of 2 x i64 in shared memory, found ${shown(type)}`,
      )
  })

/** `ttng.clc_try_cancel %result, %mbarrier`. */
export const clcTryCancel = (
  label: string,
  result: MemDesc<'smem', 'i64', 1>,
  mbarrier: BarrierDesc,
  options: BarrierOptions = {},
): Build<void> =>
  block(function* () {
    const { from, when } = options
    yield* needAnswer(label, 'result', result)
    const { own } = yield* resolve(label, mbarrier, options)
    const many = numCtas(from) > 1
    const first = many ? eq(place('ctaRank'), i32(0)) : undefined
    yield* run(
      label,
      { _tag: 'clc.tryCancel', response: result, barrier: own, multicast: many },
      on(when, speaks(from), first),
    )
  })

/** `ttng.clc_load_result %src`. */
export const clcLoadResult = (
  label: string,
  src: MemDesc<'smem', 'i64', 1>,
  options: { readonly from?: Issuer } = {},
): Build<ClcResult> =>
  block(function* () {
    yield* needAnswer(label, 'src', src)
    const [canceled, ...first] = yield* clcQuery(label, src)
    return { canceled, first, numCtas: numCtas(options.from) }
  })

/** `ttng.clc_is_canceled %result`. */
export const clcIsCanceled = (label: string, result: ClcResult): Build<Condition> =>
  letIn(label, result.canceled)

/** `ttng.clc_get_program_id %result, x`: the value of `tt.get_program_id` in the cancelled program. */
export const clcGetProgramId = (label: string, result: ClcResult, dim: 'x' | 'y' | 'z'): Build<Int> =>
  block(function* () {
    const axis = 'xyz'.indexOf(dim)
    const id = result.first[axis]
    if (dim.length !== 1 || id === undefined)
      return yield* refused('ttng.clc_get_program_id.dim', `${label}: dim must be x, y or z, found ${dim}`)
    // the CTAs of a module are next to each other along x
    return yield* letIn(label, axis === 0 && result.numCtas > 1 ? quo(id, i32(result.numCtas)) : id)
  })
