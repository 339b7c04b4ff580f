/**
 * A matmul with warp specialisation, as Triton compiles it for Blackwell, call by call.
 *
 * `c[M, N] = a[M, K] b[K, N]`, f16 with f32 accumulators, blocks of 128 x 128 x 64, three stages. Descriptors of the host. `partition0` (one
 * warp) issues the products, `partition1` (two warps) the copies; the function's own four warps clear the accumulator before and write it out
 * behind them. Every call is one operation of the module `mm_hosttma_ws_128x128x64_s3_w4_sm100`, in its order, but for two:
 *
 * | here                                       | in the module                                                         |
 * |--------------------------------------------|-----------------------------------------------------------------------|
 * | `tcgen5GlobalAlloc`, `tcgen5GlobalDealloc` | the compiler allocates the columns of the whole kernel when it lowers it |
 *
 * As compiled it leaves two things open; `repaired` closes them:
 *
 * M8  the store that clears the accumulator is done when the partitions start, but nothing orders it before the products of another thread:
 *     neither a fence of `tcgen05` nor a barrier that carries its order stands between
 * B7  the last products arrive on barriers that say that slots are empty; these are invalidated before anybody waits for the products
 *
 * A block of B is 128 columns wide: two panels of 128 bytes, so a copy of it is two messages, and its barrier hears of both.
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Ttng from '../../dialects/ttng/index.js'
import type { Failure } from '../../failure.js'
import type { TensorMemory } from '../../layouts/triton/encoding.js'
import { run } from '../../semantics/writing/builder.js'
import * as X from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { flat, nvmma16, rowPerLane } from './encodings.js'

const shared = nvmma16(128)
const shared1 = flat
const tmem: TensorMemory = {
  _tag: 'tensor_memory',
  blockM: 128,
  blockN: 128,
  colStride: 1,
  twoCTAs: false,
  fp4Padded: false,
}
const columns = 128

export interface MatmulHostTma {
  /** order tensor memory across the start of the partitions, and wait for the products before barriers go; the module does neither */
  readonly repaired: boolean
}

/** The kernel. The extents and strides (in elements) of its operands are scalar parameters behind each descriptor. */
export const matmulHostTma = (
  settings: MatmulHostTma = { repaired: false },
  P: typeof Ttng = Ttng,
): E.Either<Failure, Program> =>
  P.func(
    {
      numWarps: 4,
      target: 'cuda:100',
      partitions: [
        { numWarps: 1, requestedRegisters: 24 },
        { numWarps: 2, requestedRegisters: 24 },
      ],
    },
    'mm_host_tma',
    {
      grid: [X.quo(X.name<'i32'>('da_0'), X.i32(128)), X.quo(X.name<'i32'>('db_5'), X.i32(128))],
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 64 },
    },
    function* (mod) {
      const { from } = mod
      const { desc: da } = yield* P.tensordescArg('da', 'f16', [128, 64], shared, {
        tensor: 'a',
        role: 'in',
        names: ['da_0', 'da_1', 'da_2', 'da_3'],
      })
      const { desc: db } = yield* P.tensordescArg('db', 'f16', [64, 128], shared, {
        tensor: 'b',
        role: 'in',
        names: ['db_4', 'db_5', 'db_6', 'db_7'],
      })
      const { desc: dc } = yield* P.tensordescArg('dc', 'f16', [128, 128], shared, {
        tensor: 'c',
        role: 'out',
        names: ['dc_8', 'dc_9', 'dc_10', 'dc_11'],
      })
      const K = yield* P.scalarArg('K', 'i32')
      const linear = yield* rowPerLane(128)
      const rows = yield* P.layoutOf('linear', linear, [128, 128])
      yield* P.tcgen5GlobalAlloc('tensor memory', columns)

      const yes = yield* P.constant('true', 'i1', true)
      const c128 = yield* P.constant('c128_i32', 'i32', 128)
      const c0 = yield* P.constant('c0_i32', 'i32', 0)
      const cst = yield* P.constant('cst', 'f32', 0, [128, 128], linear)
      const c1 = yield* P.constant('c1_i32', 'i32', 1)
      const c2 = yield* P.constant('c2_i32', 'i32', 2)
      const pm = yield* P.getProgramId('pm', 'x')
      const pn = yield* P.getProgramId('pn', 'y')
      const x = yield* P.muli('x', pm, c128)
      const y = yield* P.muli('y', pn, c128)
      const acc = yield* P.localAlloc('acc', [1, 1], 'i64', shared1)
      const acc12 = yield* P.memdescIndex('acc_12', acc, c0)
      yield* P.initBarrier('init acc_12', acc12, 1)
      const acc13 = yield* P.localAlloc('acc_13', [1, 1], 'i64', shared1)
      const acc14 = yield* P.memdescIndex('acc_14', acc13, c0)
      yield* P.initBarrier('init acc_14', acc14, 1)
      yield* P.waitBarrier('wait acc_12', acc12, c1)
      const { result: acc15 } = yield* P.tmemAlloc('acc_15', 'f32', [1, 128, 128], { encoding: tmem })
      const acc16 = yield* P.memdescIndex('acc_16', acc15, c0)
      yield* P.tmemStore('acc_16', cst, acc16, { when: yes })
      const x17 = yield* P.localAlloc('x_17', [3, 128, 64], 'f16', shared)
      const y18 = yield* P.localAlloc('y_18', [3, 64, 128], 'f16', shared)
      const y19 = yield* P.localAlloc('y_19', [3, 1], 'i64', shared1)
      const y20 = yield* P.memdescIndex('y_20', y19, c0)
      yield* P.initBarrier('init y_20', y20, 1)
      const y21 = yield* P.memdescIndex('y_21', y19, c1)
      yield* P.initBarrier('init y_21', y21, 1)
      const y22 = yield* P.memdescIndex('y_22', y19, c2)
      yield* P.initBarrier('init y_22', y22, 1)
      const y23 = yield* P.localAlloc('y_23', [3, 1], 'i64', shared1)
      const y24 = yield* P.memdescIndex('y_24', y23, c0)
      yield* P.initBarrier('init y_24', y24, 1)
      const y25 = yield* P.memdescIndex('y_25', y23, c1)
      yield* P.initBarrier('init y_25', y25, 1)
      const y26 = yield* P.memdescIndex('y_26', y23, c2)
      yield* P.initBarrier('init y_26', y26, 1)
      if (settings.repaired) yield* run('fence before', { _tag: 'tcgen05.fenceBefore' })
      yield* P.warpSpecialize('warp_specialize', mod, {
        operands: {
          y_28: y23,
          x_29: x17,
          y_30: y18,
          acc_31: acc15,
          y_32: y19,
          K_33: K,
          acc_34: c0,
          acc_35: acc13,
          da_36: da,
          x_37: x,
          db_38: db,
          y_39: y,
        },
        default: { captures: {}, body: function* () {} },
        partitions: [
          function* ({
            y_28: y28,
            x_29: x29,
            y_30: y30,
            acc_31: acc31,
            y_32: y32,
            K_33: K33,
            acc_34: acc34,
            acc_35: acc35,
          }) {
            const c3 = yield* P.constant('c3_i32', 'i32', 3)
            const c2At40 = yield* P.constant('c2_i32_40', 'i32', 2)
            const c1At41 = yield* P.constant('c1_i32_41', 'i32', 1)
            const c64 = yield* P.constant('c64_i32', 'i32', 64)
            const c0At42 = yield* P.constant('c0_i32_42', 'i32', 0)
            const yes43 = yield* P.constant('true_43', 'i1', true)
            if (settings.repaired) yield* run('fence after', { _tag: 'tcgen05.fenceAfter' })
            const never = yield* P.constant('false', 'i1', false)
            yield* P.scfFor(
              'acc_46',
              { from: c0At42, to: K33, step: c64, iterArgs: { arg29: never, arg30: c2At40, arg31: c1At41 } },
              function* (_acc46, { arg29, arg30, arg31 }) {
                const x47 = yield* P.addi('x_47', arg30, c1At41)
                const x48 = yield* P.cmpi('x_48', 'eq', x47, c3)
                const x49 = yield* P.select('x_49', x48, c0At42, x47)
                const x50 = yield* P.xori('x_50', arg31, c1At41)
                const x51 = yield* P.select('x_51', x48, x50, arg31)
                const y52 = yield* P.memdescIndex('y_52', y28, x49)
                yield* P.waitBarrier('wait y_52', y52, x51)
                const x53 = yield* P.memdescIndex('x_53', x29, x49)
                const x54 = yield* P.memdescIndex('x_54', y30, x49)
                const acc55 = yield* P.memdescIndex('acc_55', acc31, acc34)
                const y56 = yield* P.memdescIndex('y_56', y32, x49)
                yield* P.tcGen5Mma('mma acc_55', x53, x54, acc55, arg29, {
                  when: yes43,
                  isAsync: true,
                  barriers: [{ barrier: y56, when: yes43 }],
                })
                return { arg29: yes43, arg30: x49, arg31: x51 }
              },
            )
            const acc45 = yield* P.memdescIndex('acc_45', acc35, acc34)
            yield* P.tcGen5Commit('commit acc_45', acc45)
          },
          function* ({
            y_28: y28,
            x_29: x29,
            y_30: y30,
            y_32: y32,
            K_33: K33,
            da_36: da36,
            x_37: x37,
            db_38: db38,
            y_39: y39,
          }) {
            const c3 = yield* P.constant('c3_i32', 'i32', 3)
            const c2At40 = yield* P.constant('c2_i32_40', 'i32', 2)
            const c1At41 = yield* P.constant('c1_i32_41', 'i32', 1)
            const c64 = yield* P.constant('c64_i32', 'i32', 64)
            const c0At42 = yield* P.constant('c0_i32_42', 'i32', 0)
            const yes43 = yield* P.constant('true_43', 'i1', true)
            yield* P.scfFor(
              'acc_45',
              { from: c0At42, to: K33, step: c64, iterArgs: { arg29: c2At40, arg30: c0At42 } },
              function* (acc45, { arg29, arg30 }) {
                const x46 = yield* P.addi('x_46', arg29, c1At41)
                const x47 = yield* P.cmpi('x_47', 'eq', x46, c3)
                const x48 = yield* P.select('x_48', x47, c0At42, x46)
                const x49 = yield* P.xori('x_49', arg30, c1At41)
                const x50 = yield* P.select('x_50', x47, x49, arg30)
                const y51 = yield* P.memdescIndex('y_51', y32, x48)
                yield* P.waitBarrier('wait y_51', y51, x50)
                const x52 = yield* P.memdescIndex('x_52', x29, x48)
                const x53 = yield* P.memdescIndex('x_53', y30, x48)
                const y54 = yield* P.memdescIndex('y_54', y28, x48)
                yield* P.barrierExpect('expect y_54', y54, 32768, { when: yes43 })
                yield* P.asyncTmaCopyGlobalToLocal('x_52', da36, [x37, acc45], x52, y54, { when: yes43 })
                yield* P.asyncTmaCopyGlobalToLocal('x_53', db38, [acc45, y39], x53, y54, { when: yes43 })
                return { arg29: x48, arg30: x50 }
              },
            )
          },
        ],
      })
      if (settings.repaired) yield* P.waitBarrier('drain', acc14, c0)
      yield* P.invalBarrier('inval y_20', y20)
      yield* P.invalBarrier('inval y_21', y21)
      yield* P.invalBarrier('inval y_22', y22)
      yield* P.localDealloc('dealloc y_19', y19)
      yield* P.invalBarrier('inval y_24', y24)
      yield* P.invalBarrier('inval y_25', y25)
      yield* P.invalBarrier('inval y_26', y26)
      yield* P.localDealloc('dealloc y_23', y23)
      yield* P.waitBarrier('wait acc_14', acc14, c0)
      const { result: acc27 } = yield* P.tmemLoad('acc_27', acc16, rows, { from })
      yield* P.arriveBarrier('arrive acc_12', acc12, 1)
      yield* P.invalBarrier('inval acc_12', acc12)
      yield* P.localDealloc('dealloc acc', acc)
      yield* P.invalBarrier('inval acc_14', acc14)
      yield* P.localDealloc('dealloc acc_13', acc13)
      const o0 = yield* P.truncf('0', acc27, 'f16')
      const o1 = yield* P.localAlloc('1', [128, 128], 'f16', shared, { src: o0 })
      yield* P.fenceAsyncShared('fence', { bCluster: false })
      yield* P.asyncTmaCopyLocalToGlobal('dc', dc, [x, y], o1)
      yield* P.asyncTmaStoreWait('store wait', 0)
      yield* P.tcgen5GlobalDealloc('tensor memory free', columns)
    },
  )
