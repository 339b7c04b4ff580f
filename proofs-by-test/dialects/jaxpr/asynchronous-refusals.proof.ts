/** What the asynchronous operations refuse, word for word: the author's line, the operation, what was expected and what was found. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import type { Failure } from '../../../src/failure.js'
import type { Json } from '../../../src/wire.js'
import type { Eqn, Value } from '../../../src/dialects/jaxpr/document.js'
import { asynchronous, changed, programOf } from './cases.js'

/** The first equation of this operation, otherwise. */
const otherwise = (name: string, op: string, change: (eqn: Eqn) => Eqn) => (): E.Either<Failure, unknown> => {
  let done = false
  return programOf(
    changed(asynchronous.read(name), (eqn) => {
      if (eqn.op !== op || done) return eqn
      done = true
      return change(eqn)
    }),
  )
}
const withParam = (name: string, op: string, param: string, value: Json) =>
  otherwise(name, op, (eqn) => ({ ...eqn, params: { ...eqn.params, [param]: value } }))
const without = (eqn: Eqn, use: string): Eqn => ({
  ...eqn,
  uses: Object.fromEntries(Object.entries(eqn.uses ?? {}).filter(([name]) => name !== use)),
})
/** Without the numbers of lines, which are those of a file that grows. */
const plain = (message: string): string =>
  message
    .replace(/^(\S+\.py):\d+/, '$1')
    .replace(/(: [a-z_0-9]+) \d+(?=:)/, '$1')
    .replace(/get_global \d+/, 'get_global')
const zero: Value = { k: 0, dtype: 'i32' }

test.each<readonly [message: string, refused: () => E.Either<Failure, unknown>]>([
  [
    'kernels_async.py: copy_gmem_to_smem: copy_gmem_to_smem: copy_gmem_to_smem needs a barrier on Hopper and later, found none',
    otherwise('copied', 'copy_gmem_to_smem', (eqn) => without(eqn, 'barrier')),
  ],
  [
    'kernels_async.py: copy_gmem_to_smem: expected leaderTracked = {"partitioned": an axis} or "replicated", found "some"',
    withParam('multicast', 'copy_gmem_to_smem', 'leaderTracked', 'some'),
  ],
  [
    'kernels_async.py: copy_gmem_to_smem: expected oobMode = zeros, undefined, promise_in_bounds, found "clamp"',
    withParam('copied', 'copy_gmem_to_smem', 'oobMode', 'clamp'),
  ],
  [
    'kernels_async.py: copy_smem_to_gmem: expected reductionOp = add, min, max, umin, umax, smin, smax, and, or, xor, inc, dec, found "mul"',
    withParam('added', 'copy_smem_to_gmem', 'reductionOp', 'mul'),
  ],
  [
    'kernels_async.py: wait_smem_to_gmem: expected a number that is known, found a value of the run',
    otherwise('from_peer', 'barrier_arrive', (eqn) => ({ ...eqn, op: 'wait_smem_to_gmem', in: [{ v: 6 }] })),
  ],
  [
    'kernels_async.py: wait_gmem_to_smem: wait_gmem_to_smem: wait_gmem_to_smem(0) is for GPUs before Hopper: on Hopper and later wait for the barrier of the copy',
    otherwise('copied', 'wait_smem_to_gmem', (eqn) => ({ ...eqn, op: 'wait_gmem_to_smem', in: [zero] })),
  ],
  [
    'helpers.py: inline_ptx: expected PTX that orders (bar.sync, bar.arrive, fence.proxy.async, tcgen05.wait, tcgen05.fence), found membar.gl',
    withParam('taken_over', 'inline_ptx', 'text', 'membar.gl;'),
  ],
  [
    'kernels_async.py: atomic_store: expected atomicType = add, max, min, and, or, xor, found "mul"',
    withParam('counted', 'atomic_store', 'atomicType', 'mul'),
  ],
  [
    'kernels_async.py: semaphore_signal: expected memoryScope = gpu or sys, found "cta"',
    withParam('signalled', 'semaphore_signal', 'memoryScope', 'cta'),
  ],
  [
    'kernels_async.py: semaphore_signal: semaphore_signal: get_global of another device (device_id is given): kernels over several devices are not judged yet',
    withParam('signalled', 'semaphore_signal', 'device', 1),
  ],
  ['helpers.py: core_map: expected numWarps = 4, found 8', withParam('warps', 'core_map', 'numWarps', 8)],
  [
    'kernels_async.py: not: expected an operation that the warpgroup lowering of JAX has a rule for in a warp, found none',
    otherwise('tested', 'ne', (eqn) => ({ ...eqn, op: 'not', in: [eqn.in![0]!] })),
  ],
  [
    'kernels_async.py: set_max_registers: expected action = increase or decrease, found "keep"',
    withParam('handed_over', 'set_max_registers', 'action', 'keep'),
  ],
  [
    'kernels_async.py: tcgen05_mma: expected collectiveAxis = an axis, found 2',
    withParam('tcgen05_pair', 'tcgen05_mma', 'collectiveAxis', 2),
  ],
  [
    'kernels_async.py: wgmma: expected an accumulator for acc, found b_smem in SMEM',
    otherwise('wgmma_integers', 'wgmma', (eqn) => ({ ...eqn, uses: { ...eqn.uses, acc: eqn.uses!['b']! } })),
  ],
  [
    'kernels_async.py: mma: mma: expected f16, bf16, e4m3 or e5m2 into f32, or integers of 8 or 4 bits into i32, found f16 into f16',
    otherwise('wgmma_registers', 'wgmma', (eqn) => ({
      op: 'mma',
      in: [eqn.in![0]!, eqn.in![0]!, eqn.in![0]!],
      ...(eqn.at == null ? {} : { at: eqn.at }),
    })),
  ],
  [
    'kernels_async.py: async_copy_sparse_metadata_to_tmem: expected whole words of 16 numbers of 2 bits, found {"from":{"k":0,"dtype":"i32"},"size":8}',
    otherwise('tcgen05_sparse', 'async_copy_sparse_metadata_to_tmem', (eqn) => {
      const tmem = eqn.uses!['tmem']!
      const view = [
        {
          index: [
            { from: zero, size: 128 },
            { from: zero, size: 8 },
          ],
        },
      ]
      return { ...eqn, uses: { ...eqn.uses, tmem: 'ref' in tmem ? { ...tmem, view } : tmem } }
    }),
  ],
])('%s', (message, refused) => {
  const found = refused()
  if (E.isRight(found)) throw new Error('accepted')
  expect(plain(found.left.message)).toBe(message)
})
