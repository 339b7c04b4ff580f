/**
 * A matmul through tiles of pointers, as Triton compiles it for Hopper, call by call.
 *
 * `c[M, N] = a[M, K] b[K, N]`, f16 with f32 accumulators, blocks of 64 x 64 x 32, four stages filled by `cp.async` three blocks
 * ahead. Four warps. Every call is one operation of the module `mm_ptr_64x64x32_s4_w4_sm90`, in its order; a label is the name of that
 * operation's result.
 *
 * | module                                        | here                                                                     |
 * |-----------------------------------------------|--------------------------------------------------------------------------|
 * | `warp_group_dot %x, %y, %acc` of an iter_arg  | the iter_arg starts `inFlight`: the products of all rounds write one place |
 * | `warp_group_dot_wait`, its result used as a tensor | with the layout of its type                                          |
 *
 * The module waits for its copies but does not fence them. What `cp.async` writes is a generic access, and `wgmma` reads through the
 * async proxy, so as compiled this is hazard P1; with `fence` it is not.
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Ttng from '../../dialects/ttng/index.js'
import type { Failure } from '../../failure.js'
import type { NvidiaMma } from '../../layouts/triton/encoding.js'
import * as X from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { blockedRows, nvmma16, slice } from './encodings.js'

const blocked = blockedRows([1, 8], [8, 4])
const blocked1 = blockedRows([1, 8], [4, 8])
const mma: NvidiaMma = {
  _tag: 'nvidia_mma',
  versionMajor: 3,
  versionMinor: 0,
  warpsPerCTA: [4, 1],
  instrShape: [16, 64, 16],
}
const shared = nvmma16(64)
const shared1 = nvmma16(128)

export interface MatmulPointer {
  /** make the copies of the block visible to the tensor core before it reads them; the module does not */
  readonly fence: boolean
}
export const asCompiled: MatmulPointer = { fence: false }

/** The kernel; its sizes are its scalar parameters, M and N multiples of 64, K of 32. */
export const matmulPointer = (
  settings: MatmulPointer = asCompiled,
  P: typeof Ttng = Ttng,
): E.Either<Failure, Program> =>
  P.func(
    { numWarps: 4, target: 'cuda:90' },
    'mm_ptr',
    {
      grid: [X.quo(X.name<'i32'>('M'), X.i32(64)), X.quo(X.name<'i32'>('N'), X.i32(64))],
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK: 32 },
    },
    function* ({ from }) {
      const M = yield* P.scalarArg('M', 'i32')
      const N = yield* P.scalarArg('N', 'i32')
      const K = yield* P.scalarArg('K', 'i32')
      const sam = yield* P.scalarArg('sam', 'i32')
      const sbk = yield* P.scalarArg('sbk', 'i32')
      const scm = yield* P.scalarArg('scm', 'i32')
      const a = yield* P.ptrArg('a', 'f16', { shape: [M, K], strides: [sam, 1], role: 'in' })
      const b = yield* P.ptrArg('b', 'f16', { shape: [K, N], strides: [sbk, 1], role: 'in' })
      const c = yield* P.ptrArg('c', 'f16', { shape: [M, N], strides: [scm, 1], role: 'out' })
      const mmaLayout = yield* P.layoutOf('mma', mma, [64, 64])

      const cst = yield* P.constant('cst', 'f32', 0, [64, 64], mma)
      const c0 = yield* P.constant('c0_i32', 'i32', 0)
      const c64 = yield* P.constant('c64_i32', 'i32', 64)
      const c32 = yield* P.constant('c32_i32', 'i32', 32)
      const cst0 = yield* P.constant('cst_0', 'i32', 32, [64, 32], blocked)
      const cMinus1 = yield* P.constant('c-1_i32', 'i32', -1)
      const c1 = yield* P.constant('c1_i32', 'i32', 1)
      const c4 = yield* P.constant('c4_i32', 'i32', 4)
      const c96 = yield* P.constant('c96_i32', 'i32', 96)
      const c2 = yield* P.constant('c2_i32', 'i32', 2)
      const pm = yield* P.getProgramId('pm', 'x')
      const pn = yield* P.getProgramId('pn', 'y')
      const rm = yield* P.muli('rm', pm, c64)
      const rm1 = yield* P.makeRange('rm_1', 0, 64, slice(1, blocked))
      const rm2 = yield* P.makeRange('rm_2', 0, 64, slice(1, blocked1))
      const rm3 = yield* P.makeRange('rm_3', 0, 64, slice(0, blocked1))
      const rm4 = yield* P.splat('rm_4', rm, [64], slice(1, blocked))
      const rm5 = yield* P.splat('rm_5', rm, [64], slice(1, blocked1))
      const rm6 = yield* P.addi('rm_6', rm4, rm1)
      const rm7 = yield* P.addi('rm_7', rm5, rm2)
      const rn = yield* P.muli('rn', pn, c64)
      const rn8 = yield* P.splat('rn_8', rn, [64], slice(0, blocked1))
      const rn9 = yield* P.addi('rn_9', rn8, rm3)
      const pa = yield* P.expandDims('pa', rm6, 1, blocked)
      const pa10 = yield* P.expandDims('pa_10', rm7, 1, blocked1)
      const pa11 = yield* P.splat('pa_11', sam, [64, 1], blocked)
      const pa12 = yield* P.muli('pa_12', pa, pa11)
      const pa13 = yield* P.splat('pa_13', a, [64, 1], blocked)
      const pa14 = yield* P.addptr('pa_14', pa13, pa12)
      const pa15 = yield* P.makeRange('pa_15', 0, 32, slice(0, blocked))
      const pa16 = yield* P.expandDims('pa_16', pa15, 0, blocked)
      const pa17 = yield* P.broadcast('pa_17', pa14, [64, 32], blocked)
      const pa18 = yield* P.broadcast('pa_18', pa16, [64, 32], blocked)
      const pa19 = yield* P.addptr('pa_19', pa17, pa18)
      const pb = yield* P.makeRange('pb', 0, 32, slice(1, blocked1))
      const pb20 = yield* P.expandDims('pb_20', pb, 1, blocked1)
      const pb21 = yield* P.splat('pb_21', sbk, [32, 1], blocked1)
      const pb22 = yield* P.muli('pb_22', pb20, pb21)
      const pb23 = yield* P.splat('pb_23', b, [32, 1], blocked1)
      const pb24 = yield* P.addptr('pb_24', pb23, pb22)
      const pb25 = yield* P.expandDims('pb_25', rn9, 0, blocked1)
      const pb26 = yield* P.broadcast('pb_26', pb24, [32, 64], blocked1)
      const pb27 = yield* P.broadcast('pb_27', pb25, [32, 64], blocked1)
      const pb28 = yield* P.addptr('pb_28', pb26, pb27)
      const pb29 = yield* P.muli('pb_29', sbk, c32)
      const pb30 = yield* P.splat('pb_30', pb29, [32, 64], blocked1)
      const x = yield* P.localAlloc('x', [4, 64, 32], 'f16', shared)
      const y = yield* P.localAlloc('y', [4, 32, 64], 'f16', shared1)
      const acc = yield* P.cmpi('acc', 'sgt', K, c0)
      const x31 = yield* P.memdescIndex('x_31', x, c0)
      const acc32 = yield* P.splat('acc_32', acc, [64, 32], blocked)
      const x33 = yield* P.asyncCopyGlobalToLocal('x_33', pa19, x31, { mask: acc32, contiguity: 8 })
      const x34 = yield* P.asyncCommitGroup('x_34', [x33])
      const y35 = yield* P.memdescIndex('y_35', y, c0)
      const acc36 = yield* P.splat('acc_36', acc, [32, 64], blocked1)
      const y37 = yield* P.asyncCopyGlobalToLocal('y_37', pb28, y35, { mask: acc36, contiguity: 8 })
      const y38 = yield* P.asyncCommitGroup('y_38', [y37])
      const acc39 = yield* P.cmpi('acc_39', 'sgt', K, c32)
      const pa40 = yield* P.addptr('pa_40', pa19, cst0)
      const pb41 = yield* P.addptr('pb_41', pb28, pb30)
      const x42 = yield* P.memdescIndex('x_42', x, c1)
      const acc43 = yield* P.splat('acc_43', acc39, [64, 32], blocked)
      const x44 = yield* P.asyncCopyGlobalToLocal('x_44', pa40, x42, { mask: acc43, contiguity: 8 })
      const x45 = yield* P.asyncCommitGroup('x_45', [x44])
      const y46 = yield* P.memdescIndex('y_46', y, c1)
      const acc47 = yield* P.splat('acc_47', acc39, [32, 64], blocked1)
      const y48 = yield* P.asyncCopyGlobalToLocal('y_48', pb41, y46, { mask: acc47, contiguity: 8 })
      const y49 = yield* P.asyncCommitGroup('y_49', [y48])
      const acc50 = yield* P.cmpi('acc_50', 'sgt', K, c64)
      const pa51 = yield* P.addptr('pa_51', pa40, cst0)
      const pb52 = yield* P.addptr('pb_52', pb41, pb30)
      const x53 = yield* P.memdescIndex('x_53', x, c2)
      const acc54 = yield* P.splat('acc_54', acc50, [64, 32], blocked)
      const x55 = yield* P.asyncCopyGlobalToLocal('x_55', pa51, x53, { mask: acc54, contiguity: 8 })
      const x56 = yield* P.asyncCommitGroup('x_56', [x55])
      const y57 = yield* P.memdescIndex('y_57', y, c2)
      const acc58 = yield* P.splat('acc_58', acc50, [32, 64], blocked1)
      const y59 = yield* P.asyncCopyGlobalToLocal('y_59', pb52, y57, { mask: acc58, contiguity: 8 })
      const y60 = yield* P.asyncCommitGroup('y_60', [y59])
      const acc65Start = yield* P.inFlight('acc_65', cst, from)
      const acc61 = yield* P.scfFor(
        'acc_64',
        {
          from: c0,
          to: K,
          step: c32,
          iterArgs: {
            acc_65: acc65Start,
            pa_66: pa51,
            pb_67: pb52,
            acc_68: c2,
            acc_69: cMinus1,
            x_70: x34,
            x_71: x45,
            x_72: x56,
            y_73: y38,
            y_74: y49,
            y_75: y60,
          },
        },
        function* (
          acc64,
          {
            acc_65: acc65,
            pa_66: pa66,
            pb_67: pb67,
            acc_68: acc68,
            acc_69: acc69,
            x_70: x70,
            x_71: x71,
            x_72: x72,
            y_73: y73,
            y_74: y74,
            y_75: y75,
          },
        ) {
          const acc76 = yield* P.subi('acc_76', K, c96)
          const acc77 = yield* P.cmpi('acc_77', 'slt', acc64, acc76)
          const acc78 = yield* P.addi('acc_78', acc69, c1)
          const acc79 = yield* P.cmpi('acc_79', 'sge', acc78, c4)
          const acc80 = yield* P.select('acc_80', acc79, c0, acc78)
          yield* P.asyncWait('x_81', [x70, y73], 4)
          if (settings.fence) yield* P.fenceAsyncShared('x_81 fence')
          const x82 = yield* P.memdescIndex('x_82', x, acc80)
          const y83 = yield* P.memdescIndex('y_83', y, acc80)
          const acc84 = yield* P.warpGroupDot('acc_84', x82, y83, acc65, {
            from,
            inputPrecision: 0,
            isAsync: true,
          })
          const acc85 = yield* P.warpGroupDotWait('acc_85', [acc84, x82, y83], { pendings: 1 })
          const pa86 = yield* P.addptr('pa_86', pa66, cst0)
          const pb87 = yield* P.addptr('pb_87', pb67, pb30)
          const acc88 = yield* P.addi('acc_88', acc68, c1)
          const acc89 = yield* P.cmpi('acc_89', 'sge', acc88, c4)
          const acc90 = yield* P.select('acc_90', acc89, c0, acc88)
          const x91 = yield* P.memdescIndex('x_91', x, acc90)
          const acc92 = yield* P.splat('acc_92', acc77, [64, 32], blocked)
          const x93 = yield* P.asyncCopyGlobalToLocal('x_93', pa86, x91, { mask: acc92, contiguity: 8 })
          const x94 = yield* P.asyncCommitGroup('x_94', [x93])
          const y95 = yield* P.memdescIndex('y_95', y, acc90)
          const acc96 = yield* P.splat('acc_96', acc77, [32, 64], blocked1)
          const y97 = yield* P.asyncCopyGlobalToLocal('y_97', pb87, y95, { mask: acc96, contiguity: 8 })
          const y98 = yield* P.asyncCommitGroup('y_98', [y97])
          return {
            acc_65: acc85[0],
            pa_66: pa86,
            pb_67: pb87,
            acc_68: acc90,
            acc_69: acc80,
            x_70: x71,
            x_71: x72,
            x_72: x94,
            y_73: y74,
            y_74: y75,
            y_75: y98,
          }
        },
      )
      const acc62 = (yield* P.warpGroupDotWait('acc_62', [acc61.acc_65], {
        pendings: 0,
        layout: mmaLayout,
      }))[0]!
      yield* P.asyncWait('acc_63', [], 0)
      yield* P.localDealloc('dealloc y', y)
      yield* P.localDealloc('dealloc x', x)
      const o0 = yield* P.splat('0', scm, [64, 1], blocked1)
      const o1 = yield* P.muli('1', pa10, o0)
      const o2 = yield* P.splat('2', c, [64, 1], blocked1)
      const o3 = yield* P.addptr('3', o2, o1)
      const o4 = yield* P.broadcast('4', o3, [64, 64], blocked1)
      const o5 = yield* P.broadcast('5', pb25, [64, 64], blocked1)
      const o6 = yield* P.addptr('6', o4, o5)
      const o7 = yield* P.truncf('7', acc62, 'f16')
      const o8 = yield* P.convertLayout('8', o7, blocked1)
      yield* P.store('store', o6, o8)
    },
  )

/** The scalar arguments in the order of the module. */
export const matmulPointerScalars: ReadonlyArray<string> = ['M', 'N', 'K', 'sam', 'sbk', 'scm']
