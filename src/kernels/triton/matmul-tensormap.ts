/**
 * A matmul through tensor maps that the kernel makes for itself, as Triton compiles it for Hopper, call by call.
 *
 * `c[M, N] = a[M, K] b[K, N]`, f16 with f32 accumulators, blocks of 64 x 64 x 32, four stages filled by TMA three blocks ahead. Four
 * warps, no specialisation. Every call is one operation of the module `mm_tma_nows_64x64x32_s4_w4_sm90`, in its order.
 *
 * Each program writes three tensor maps into scratch of its own, publishes and acquires them, and copies through them. One wait with one product
 * still running stands between a product and the copy that overwrites what the product before it read, so no barrier says that a slot is empty:
 *
 *     round k    wait full k    product k    wait_group 1: product k - 1 is done    fill the slot of k - 1 with block k + 3
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Ttng from '../../dialects/ttng/index.js'
import type { Failure } from '../../failure.js'
import type { NvidiaMma } from '../../layouts/triton/encoding.js'
import * as X from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { flat, nvmma16 } from './encodings.js'

const mma: NvidiaMma = {
  _tag: 'nvidia_mma',
  versionMajor: 3,
  versionMinor: 0,
  warpsPerCTA: [4, 1],
  instrShape: [16, 64, 16],
}
const shared = nvmma16(64)
const shared1 = nvmma16(128)
const shared2 = flat

/** The kernel; its sizes are its scalar parameters, M and N multiples of 64, K of 32. */
export const matmulTensormap = (P: typeof Ttng = Ttng): E.Either<Failure, Program> => {
  const grid = [X.quo(X.name<'i32'>('M'), X.i32(64)), X.quo(X.name<'i32'>('N'), X.i32(64))]
  return P.func(
    { numWarps: 4, target: 'cuda:90' },
    'mm_tma',
    {
      grid,
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 32 },
    },
    function* ({ from }) {
      const M = yield* P.scalarArg('M', 'i32')
      const N = yield* P.scalarArg('N', 'i32')
      const K = yield* P.scalarArg('K', 'i32')
      const a = yield* P.ptrArg('a', 'f16', { shape: [M, K], role: 'in' })
      const b = yield* P.ptrArg('b', 'f16', { shape: [K, N], role: 'in' })
      const c = yield* P.ptrArg('c', 'f16', { shape: [M, N], role: 'out' })
      const mmaLayout = yield* P.layoutOf('mma', mma, [64, 64])

      const cst = yield* P.constant('cst', 'f32', 0, [64, 64], mma)
      const c32 = yield* P.constant('c32_i32', 'i32', 32)
      const c0 = yield* P.constant('c0_i32', 'i32', 0)
      const c64 = yield* P.constant('c64_i32', 'i32', 64)
      const cMinus1 = yield* P.constant('c-1_i32', 'i32', -1)
      const c1 = yield* P.constant('c1_i32', 'i32', 1)
      const c2 = yield* P.constant('c2_i32', 'i32', 2)
      const c3 = yield* P.constant('c3_i32', 'i32', 3)
      const c4 = yield* P.constant('c4_i32', 'i32', 4)
      const c96 = yield* P.constant('c96_i32', 'i32', 96)
      const c2Wide = yield* P.constant('c2_i64', 'i64', 2n)
      const pm = yield* P.getProgramId('pm', 'x')
      const pn = yield* P.getProgramId('pn', 'y')
      const da = yield* P.extsi('da', K, 'i64')
      const da0 = yield* P.globalScratchAlloc('da_0', { alignment: 128, nbytes: 128, grid })
      const da1 = yield* P.muli('da_1', da, c2Wide)
      yield* P.tensormapCreate('create da_0', da0, a, [32, 64], [K, M], [da1], [1, 1], {
        elemType: 6,
        fillMode: 0,
        interleaveLayout: 0,
        swizzleMode: 2,
      })
      const da0Raw = yield* P.tensormapFenceproxyAcquire('acquire da_0', da0, { dtype: 'f16', rank: 2 })
      const da2 = yield* P.reinterpretTensorDescriptor('da_2', da0Raw, { dtype: 'f16', rank: 2 })
      const db = yield* P.extsi('db', N, 'i64')
      const db3 = yield* P.globalScratchAlloc('db_3', { alignment: 128, nbytes: 128, grid })
      const db4 = yield* P.muli('db_4', db, c2Wide)
      yield* P.tensormapCreate('create db_3', db3, b, [64, 32], [N, K], [db4], [1, 1], {
        elemType: 6,
        fillMode: 0,
        interleaveLayout: 0,
        swizzleMode: 3,
      })
      const db3Raw = yield* P.tensormapFenceproxyAcquire('acquire db_3', db3, { dtype: 'f16', rank: 2 })
      const db5 = yield* P.reinterpretTensorDescriptor('db_5', db3Raw, { dtype: 'f16', rank: 2 })
      const dc = yield* P.globalScratchAlloc('dc', { alignment: 128, nbytes: 128, grid })
      yield* P.tensormapCreate('create dc', dc, c, [64, 64], [N, M], [db4], [1, 1], {
        elemType: 6,
        fillMode: 0,
        interleaveLayout: 0,
        swizzleMode: 3,
      })
      const dcRaw = yield* P.tensormapFenceproxyAcquire('acquire dc', dc, { dtype: 'f16', rank: 2 })
      const dc6 = yield* P.reinterpretTensorDescriptor('dc_6', dcRaw, { dtype: 'f16', rank: 2 })
      const x = yield* P.muli('x', pm, c64)
      const y = yield* P.muli('y', pn, c64)
      const x7 = yield* P.localAlloc('x_7', [4, 64, 32], 'f16', shared)
      const y8 = yield* P.localAlloc('y_8', [4, 32, 64], 'f16', shared1)
      const acc = yield* P.localAlloc('acc', [4, 1], 'i64', shared2)
      const acc9 = yield* P.memdescIndex('acc_9', acc, c0)
      yield* P.initBarrier('init acc_9', acc9, 1)
      const acc10 = yield* P.memdescIndex('acc_10', acc, c1)
      yield* P.initBarrier('init acc_10', acc10, 1)
      const acc11 = yield* P.memdescIndex('acc_11', acc, c2)
      yield* P.initBarrier('init acc_11', acc11, 1)
      const acc12 = yield* P.memdescIndex('acc_12', acc, c3)
      yield* P.initBarrier('init acc_12', acc12, 1)
      const acc13 = yield* P.cmpi('acc_13', 'sgt', K, c0)
      yield* P.barrierExpect('expect acc_9', acc9, 8192, { when: acc13 })
      const x14 = yield* P.memdescIndex('x_14', x7, c0)
      yield* P.asyncTmaCopyGlobalToLocal('x_14', da2, [x, c0], x14, acc9, { when: acc13 })
      const y15 = yield* P.memdescIndex('y_15', y8, c0)
      yield* P.asyncTmaCopyGlobalToLocal('y_15', db5, [c0, y], y15, acc9, { when: acc13 })
      const acc16 = yield* P.cmpi('acc_16', 'sgt', K, c32)
      yield* P.barrierExpect('expect acc_10', acc10, 8192, { when: acc16 })
      const x17 = yield* P.memdescIndex('x_17', x7, c1)
      yield* P.asyncTmaCopyGlobalToLocal('x_17', da2, [x, c32], x17, acc10, { when: acc16 })
      const y18 = yield* P.memdescIndex('y_18', y8, c1)
      yield* P.asyncTmaCopyGlobalToLocal('y_18', db5, [c32, y], y18, acc10, { when: acc16 })
      const acc19 = yield* P.cmpi('acc_19', 'sgt', K, c64)
      yield* P.barrierExpect('expect acc_11', acc11, 8192, { when: acc19 })
      const x20 = yield* P.memdescIndex('x_20', x7, c2)
      yield* P.asyncTmaCopyGlobalToLocal('x_20', da2, [x, c64], x20, acc11, { when: acc19 })
      const y21 = yield* P.memdescIndex('y_21', y8, c2)
      yield* P.asyncTmaCopyGlobalToLocal('y_21', db5, [c64, y], y21, acc11, { when: acc19 })
      const acc25Start = yield* P.inFlight('acc_25', cst, from)
      const acc22 = yield* P.scfFor(
        'acc_24',
        {
          from: c0,
          to: K,
          step: c32,
          iterArgs: { acc_25: acc25Start, arg8: c2, acc_26: cMinus1, arg10: c0 },
        },
        function* (acc24, { acc_25: acc25, arg8, acc_26: acc26, arg10 }) {
          const acc27 = yield* P.subi('acc_27', K, c96)
          const acc28 = yield* P.cmpi('acc_28', 'slt', acc24, acc27)
          const acc29 = yield* P.addi('acc_29', acc26, c1)
          const acc30 = yield* P.cmpi('acc_30', 'sge', acc29, c4)
          const acc31 = yield* P.select('acc_31', acc30, c0, acc29)
          const acc32 = yield* P.xori('acc_32', arg10, c1)
          const acc33 = yield* P.select('acc_33', acc30, acc32, arg10)
          const acc34 = yield* P.memdescIndex('acc_34', acc, acc31)
          yield* P.waitBarrier('wait acc_34', acc34, acc33)
          const y35 = yield* P.memdescIndex('y_35', y8, acc31)
          const x36 = yield* P.memdescIndex('x_36', x7, acc31)
          const acc37 = yield* P.warpGroupDot('acc_37', x36, y35, acc25, {
            from,
            inputPrecision: 0,
            isAsync: true,
          })
          const acc38 = yield* P.warpGroupDotWait('acc_38', [acc37, x36, y35], { pendings: 1 })
          const acc39 = yield* P.addi('acc_39', arg8, c1)
          const acc40 = yield* P.cmpi('acc_40', 'sge', acc39, c4)
          const acc41 = yield* P.select('acc_41', acc40, c0, acc39)
          const acc42 = yield* P.memdescIndex('acc_42', acc, acc41)
          yield* P.barrierExpect('expect acc_42', acc42, 8192, { when: acc28 })
          const x43 = yield* P.memdescIndex('x_43', x7, acc41)
          const acc44 = yield* P.addi('acc_44', acc24, c96)
          yield* P.asyncTmaCopyGlobalToLocal('x_43', da2, [x, acc44], x43, acc42, { when: acc28 })
          const y45 = yield* P.memdescIndex('y_45', y8, acc41)
          yield* P.asyncTmaCopyGlobalToLocal('y_45', db5, [acc44, y], y45, acc42, { when: acc28 })
          return { acc_25: acc38[0], arg8: acc41, acc_26: acc31, arg10: acc33 }
        },
      )
      const acc23 = (yield* P.warpGroupDotWait('acc_23', [acc22.acc_25], {
        pendings: 0,
        layout: mmaLayout,
      }))[0]!
      yield* P.invalBarrier('inval acc_9', acc9)
      yield* P.invalBarrier('inval acc_10', acc10)
      yield* P.invalBarrier('inval acc_11', acc11)
      yield* P.invalBarrier('inval acc_12', acc12)
      yield* P.localDealloc('dealloc acc', acc)
      yield* P.localDealloc('dealloc y_8', y8)
      yield* P.localDealloc('dealloc x_7', x7)
      const o0 = yield* P.truncf('0', acc23, 'f16')
      const o1 = yield* P.localAlloc('1', [64, 64], 'f16', shared1, { src: o0 })
      yield* P.fenceAsyncShared('fence', { bCluster: false })
      yield* P.asyncTmaCopyLocalToGlobal('dc_6', dc6, [x, y], o1)
      yield* P.asyncTmaStoreWait('store wait', 0)
    },
  )
}
