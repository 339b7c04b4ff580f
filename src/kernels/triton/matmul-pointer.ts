/**
 * A matmul through tiles of pointers, as Triton compiles it for Hopper, operation by operation.
 *
 * `c[M, N] = a[M, K] b[K, N]`, f16 with f32 accumulators, blocks of 64 x 64 x 32, four stages filled by `cp.async` three blocks
 * ahead. One agent of four warps. Every statement is one operation of the module `mm_ptr_64x64x32_s4_w4_sm90`; its site is the
 * name of that operation's result.
 *
 * | module                                   | here                                                                |
 * |------------------------------------------|---------------------------------------------------------------------|
 * | `warp_group_dot %x, %y, %acc`, async      | `wgmma.fence`, `wgmma.mma` into the registers `acc`, `wgmma.commitGroup` |
 * | `warp_group_dot_wait {pendings = n}`      | `wgmma.waitGroup n`; after the loop the result is `regs.read`        |
 * | the accumulator among the loop's values   | the registers `acc`: the unit writes them by itself                  |
 * | `async_wait %tokens {num = n}`            | `cpAsync.waitGroup n`                                               |
 * | `local_dealloc`                           | nothing: a storage lives as long as its CTA                         |
 *
 * The module waits for its copies but does not fence them. What `cp.async` writes is a generic access, and `wgmma` reads through the
 * async proxy, so as compiled this is hazard P1; with `fence` it is not.
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import * as B from '../../semantics/builder.js'
import type { Expr, Ptr, Tile } from '../../semantics/expression.js'
import type { Blocked, NvidiaMma, Slice } from '../../layouts/triton/encoding.js'
import { onShape } from '../../layouts/triton/to-linear.js'
import * as X from '../../semantics/expression.js'
import type { Program } from '../../semantics/program.js'
import type { PtrIndex } from '../../semantics/types.js'
import { swizzle, tile } from '../../transforms/transform.js'

const blockM = 64
const blockN = 64
const blockK = 32
const stages = 4

const blocked0: Blocked = {
  _tag: 'blocked',
  sizePerThread: [1, 8],
  threadsPerWarp: [8, 4],
  warpsPerCTA: [4, 1],
  order: [1, 0],
}
const blocked1: Blocked = {
  _tag: 'blocked',
  sizePerThread: [1, 8],
  threadsPerWarp: [4, 8],
  warpsPerCTA: [4, 1],
  order: [1, 0],
}

const mma0: NvidiaMma = {
  _tag: 'nvidia_mma',
  versionMajor: 3,
  instrShape: [16, blockN, 16],
  warpsPerCTA: [4, 1],
}

const slice = (dim: number, parent: Blocked): Slice => ({ _tag: 'slice', dim, parent })

const fits = <A>(either: E.Either<Failure, A>): B.Build<A> => B.fromEither(either)

type AnyLayout = Parameters<typeof X.convertLayout>[1]

const splatPtr = (
  ptr: Ptr<'f16'>,
  shape: ReadonlyArray<number>,
  layout: AnyLayout,
): Tile<PtrIndex<'f16'>, 2> => X.splat<PtrIndex<'f16'>, 2>(ptr, shape, layout)

export interface MatmulPointer {
  /** make the copies of the block visible to the tensor core before it reads them; the module does not */
  readonly fence: boolean
}
export const asCompiled: MatmulPointer = { fence: false }

/** The kernel; its sizes are its scalar parameters, M and N multiples of 64, K of 32. */
export const matmulPointer = (settings: MatmulPointer = asCompiled): E.Either<Failure, Program> =>
  B.kernel(
    {
      name: 'mm_ptr',
      arch: 'sm90a',
      grid: [X.quo(X.name<'i32'>('M'), X.i32(blockM)), X.quo(X.name<'i32'>('N'), X.i32(blockN))],
      agents: [B.warpgroup('main', 0)],
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'c', accumulator: 'f32', blockK },
    },
    function* () {
      const M = yield* B.scalarParam('M', 'i32')
      const N = yield* B.scalarParam('N', 'i32')
      const K = yield* B.scalarParam('K', 'i32')
      const sam = yield* B.scalarParam('sam', 'i32')
      const sbk = yield* B.scalarParam('sbk', 'i32')
      const scm = yield* B.scalarParam('scm', 'i32')
      const a = yield* B.tensorParam('a', 'f16', [M, K], { role: 'in', strides: [sam, 1] })
      const b = yield* B.tensorParam('b', 'f16', [K, N], { role: 'in', strides: [sbk, 1] })
      const c = yield* B.tensorParam('c', 'f16', [M, N], { role: 'out', strides: [scm, 1] })

      const rowsA = yield* fits(onShape(slice(1, blocked0))([blockM]))
      const rowsC = yield* fits(onShape(slice(1, blocked1))([blockM]))
      const columnsB = yield* fits(onShape(slice(0, blocked1))([blockN]))
      const kA = yield* fits(onShape(slice(0, blocked0))([blockK]))
      const kB = yield* fits(onShape(slice(1, blocked1))([blockK]))
      const columnA = yield* fits(onShape(blocked0)([blockM, 1]))
      const rowA = yield* fits(onShape(blocked0)([1, blockK]))
      const blockA = yield* fits(onShape(blocked0)([blockM, blockK]))
      const columnB = yield* fits(onShape(blocked1)([blockK, 1]))
      const rowB = yield* fits(onShape(blocked1)([1, blockN]))
      const blockB = yield* fits(onShape(blocked1)([blockK, blockN]))
      const columnC = yield* fits(onShape(blocked1)([blockM, 1]))
      const blockC = yield* fits(onShape(blocked1)([blockM, blockN]))
      const mma = yield* fits(onShape(mma0)([blockM, blockN]))

      const tileX = yield* fits(tile([8, 32]))
      const swizzleX = yield* fits(swizzle(64))
      const tileY = yield* fits(tile([8, 64]))
      const swizzleY = yield* fits(swizzle(128))
      const accumulator = yield* B.registers('acc', 'main', 'f32', [blockM, blockN])

      const cst = yield* B.letIn('cst', X.splat<'f32', 2>(X.float('f32', 0), [blockM, blockN], mma))
      const c0 = yield* B.letIn('c0_i32', X.i32(0))
      const c64 = yield* B.letIn('c64_i32', X.i32(64))
      const c32 = yield* B.letIn('c32_i32', X.i32(32))
      const cst0 = yield* B.letIn('cst_0', X.splat<'i32', 2>(X.i32(32), [blockM, blockK], blockA))
      const cMinus1 = yield* B.letIn('c-1_i32', X.i32(-1))
      const c1 = yield* B.letIn('c1_i32', X.i32(1))
      const c4 = yield* B.letIn('c4_i32', X.i32(4))
      const c96 = yield* B.letIn('c96_i32', X.i32(96))
      const c2 = yield* B.letIn('c2_i32', X.i32(2))
      const pm = yield* B.letIn('pm', X.place('programId', 0))
      const pn = yield* B.letIn('pn', X.place('programId', 1))

      const rm = yield* B.letIn('rm', X.mul(pm, c64))
      const rm1 = yield* B.letIn('rm_1', X.iota<1>([blockM], 0, rowsA))
      const rm2 = yield* B.letIn('rm_2', X.iota<1>([blockM], 0, rowsC))
      const rm3 = yield* B.letIn('rm_3', X.iota<1>([blockN], 0, columnsB))
      const rm4 = yield* B.letIn('rm_4', X.splat<'i32', 1>(rm, [blockM], rowsA))
      const rm5 = yield* B.letIn('rm_5', X.splat<'i32', 1>(rm, [blockM], rowsC))
      const rm6 = yield* B.letIn('rm_6', X.add(rm4, rm1))
      const rm7 = yield* B.letIn('rm_7', X.add(rm5, rm2))
      const rn = yield* B.letIn('rn', X.mul(pn, c64))
      const rn8 = yield* B.letIn('rn_8', X.splat<'i32', 1>(rn, [blockN], columnsB))
      const rn9 = yield* B.letIn('rn_9', X.add(rn8, rm3))

      const pa = yield* B.letIn('pa', X.expandDims(rm6, 1, columnA))
      const pa10 = yield* B.letIn('pa_10', X.expandDims(rm7, 1, columnC))
      const pa11 = yield* B.letIn('pa_11', X.splat<'i32', 2>(sam, [blockM, 1], columnA))
      const pa12 = yield* B.letIn('pa_12', X.mul(pa, pa11))
      const pa13 = yield* B.letIn('pa_13', splatPtr(a.ptr, [blockM, 1], columnA))
      const pa14 = yield* B.letIn('pa_14', X.addptr(pa13, pa12))
      const pa15 = yield* B.letIn('pa_15', X.iota<1>([blockK], 0, kA))
      const pa16 = yield* B.letIn('pa_16', X.expandDims(pa15, 0, rowA))
      const pa17 = yield* B.letIn('pa_17', X.broadcast(pa14, [blockM, blockK], blockA))
      const pa18 = yield* B.letIn('pa_18', X.broadcast(pa16, [blockM, blockK], blockA))
      const pa19 = yield* B.letIn('pa_19', X.addptr(pa17, pa18))

      const pb = yield* B.letIn('pb', X.iota<1>([blockK], 0, kB))
      const pb20 = yield* B.letIn('pb_20', X.expandDims(pb, 1, columnB))
      const pb21 = yield* B.letIn('pb_21', X.splat<'i32', 2>(sbk, [blockK, 1], columnB))
      const pb22 = yield* B.letIn('pb_22', X.mul(pb20, pb21))
      const pb23 = yield* B.letIn('pb_23', splatPtr(b.ptr, [blockK, 1], columnB))
      const pb24 = yield* B.letIn('pb_24', X.addptr(pb23, pb22))
      const pb25 = yield* B.letIn('pb_25', X.expandDims(rn9, 0, rowB))
      const pb26 = yield* B.letIn('pb_26', X.broadcast(pb24, [blockK, blockN], blockB))
      const pb27 = yield* B.letIn('pb_27', X.broadcast(pb25, [blockK, blockN], blockB))
      const pb28 = yield* B.letIn('pb_28', X.addptr(pb26, pb27))
      const pb29 = yield* B.letIn('pb_29', X.mul(sbk, c32))
      const pb30 = yield* B.letIn('pb_30', X.splat<'i32', 2>(pb29, [blockK, blockN], blockB))

      const x = yield* B.sharedMemory('x', 'f16', [stages, blockM, blockK], [tileX, swizzleX])
      const y = yield* B.sharedMemory('y', 'f16', [stages, blockK, blockN], [tileY, swizzleY])

      const maskA = (label: string, condition: Expr<'i1'>): B.Build<Tile<'i1', 2>> =>
        B.letIn(label, X.splat<'i1', 2>(condition, [blockM, blockK], blockA))
      const maskB = (label: string, condition: Expr<'i1'>): B.Build<Tile<'i1', 2>> =>
        B.letIn(label, X.splat<'i1', 2>(condition, [blockK, blockN], blockB))

      // The prologue fills three stages, whether there is that much of K or not: the masks say.
      const acc = yield* B.letIn('acc', X.gt(K, c0))
      const x31 = yield* B.letIn('x_31', X.slot(x, c0))
      const acc32 = yield* maskA('acc_32', acc)
      yield* B.copyAsync('x_33', pa19, x31, { mask: acc32 })
      const x34 = yield* B.commitAsync('x_34')
      const y35 = yield* B.letIn('y_35', X.slot(y, c0))
      const acc36 = yield* maskB('acc_36', acc)
      yield* B.copyAsync('y_37', pb28, y35, { mask: acc36 })
      const y38 = yield* B.commitAsync('y_38')
      const acc39 = yield* B.letIn('acc_39', X.gt(K, c32))
      const pa40 = yield* B.letIn('pa_40', X.addptr(pa19, cst0))
      const pb41 = yield* B.letIn('pb_41', X.addptr(pb28, pb30))
      const x42 = yield* B.letIn('x_42', X.slot(x, c1))
      const acc43 = yield* maskA('acc_43', acc39)
      yield* B.copyAsync('x_44', pa40, x42, { mask: acc43 })
      const x45 = yield* B.commitAsync('x_45')
      const y46 = yield* B.letIn('y_46', X.slot(y, c1))
      const acc47 = yield* maskB('acc_47', acc39)
      yield* B.copyAsync('y_48', pb41, y46, { mask: acc47 })
      const y49 = yield* B.commitAsync('y_49')
      const acc50 = yield* B.letIn('acc_50', X.gt(K, c64))
      const pa51 = yield* B.letIn('pa_51', X.addptr(pa40, cst0))
      const pb52 = yield* B.letIn('pb_52', X.addptr(pb41, pb30))
      const x53 = yield* B.letIn('x_53', X.slot(x, c2))
      const acc54 = yield* maskA('acc_54', acc50)
      yield* B.copyAsync('x_55', pa51, x53, { mask: acc54 })
      const x56 = yield* B.commitAsync('x_56')
      const y57 = yield* B.letIn('y_57', X.slot(y, c2))
      const acc58 = yield* maskB('acc_58', acc50)
      yield* B.copyAsync('y_59', pb52, y57, { mask: acc58 })
      const y60 = yield* B.commitAsync('y_60')
      yield* B.run('acc_65', { _tag: 'regs.write', destination: accumulator, value: cst })

      yield* B.forRange(
        {
          label: 'acc_64',
          from: c0,
          to: K,
          step: c32,
          carried: {
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
        function* (k, carried) {
          const acc76 = yield* B.letIn('acc_76', X.sub(K, c96))
          const acc77 = yield* B.letIn('acc_77', X.lt(k, acc76))
          const acc78 = yield* B.letIn('acc_78', X.add(carried.acc_69, c1))
          const acc79 = yield* B.letIn('acc_79', X.ge(acc78, c4))
          const acc80 = yield* B.letIn('acc_80', X.select(acc79, c0, acc78))
          yield* B.waitAsync('x_81', 4)
          if (settings.fence) yield* B.run('x_81 fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
          const x82 = yield* B.letIn('x_82', X.slot(x, acc80))
          const y83 = yield* B.letIn('y_83', X.slot(y, acc80))
          yield* B.run('acc_84 fence', { _tag: 'wgmma.fence' })
          yield* B.run('acc_84', {
            _tag: 'wgmma.mma',
            accumulator,
            a: x82,
            b: y83,
            scaleD: X.i1(true),
            negateA: false,
            negateB: false,
          })
          yield* B.run('acc_84 commit', { _tag: 'wgmma.commitGroup' })
          yield* B.run('acc_85', { _tag: 'wgmma.waitGroup', pending: 1 })
          const pa86 = yield* B.letIn('pa_86', X.addptr(carried.pa_66, cst0))
          const pb87 = yield* B.letIn('pb_87', X.addptr(carried.pb_67, pb30))
          const acc88 = yield* B.letIn('acc_88', X.add(carried.acc_68, c1))
          const acc89 = yield* B.letIn('acc_89', X.ge(acc88, c4))
          const acc90 = yield* B.letIn('acc_90', X.select(acc89, c0, acc88))
          const x91 = yield* B.letIn('x_91', X.slot(x, acc90))
          const acc92 = yield* maskA('acc_92', acc77)
          yield* B.copyAsync('x_93', pa86, x91, { mask: acc92 })
          const x94 = yield* B.commitAsync('x_94')
          const y95 = yield* B.letIn('y_95', X.slot(y, acc90))
          const acc96 = yield* maskB('acc_96', acc77)
          yield* B.copyAsync('y_97', pb87, y95, { mask: acc96 })
          const y98 = yield* B.commitAsync('y_98')
          return {
            pa_66: pa86,
            pb_67: pb87,
            acc_68: acc90,
            acc_69: acc80,
            x_70: carried.x_71,
            x_71: carried.x_72,
            x_72: x94,
            y_73: carried.y_74,
            y_74: carried.y_75,
            y_75: y98,
          }
        },
      )
      yield* B.run('acc_62 wait', { _tag: 'wgmma.waitGroup', pending: 0 })
      const acc62 = yield* B.regsRead('acc_62', accumulator, { layout: mma })
      yield* B.waitAsync('acc_63', 0)

      const o0 = yield* B.letIn('0', X.splat<'i32', 2>(scm, [blockM, 1], columnC))
      const o1 = yield* B.letIn('1', X.mul(pa10, o0))
      const o2 = yield* B.letIn('2', splatPtr(c.ptr, [blockM, 1], columnC))
      const o3 = yield* B.letIn('3', X.addptr(o2, o1))
      const o4 = yield* B.letIn('4', X.broadcast(o3, [blockM, blockN], blockC))
      const o5 = yield* B.letIn('5', X.broadcast(pb25, [blockM, blockN], blockC))
      const o6 = yield* B.letIn('6', X.addptr(o4, o5))
      const o7 = yield* B.letIn('7', X.cast(acc62, 'f16'))
      const o8 = yield* B.letIn('8', X.convertLayout(o7, blockC))
      yield* B.run('store', { _tag: 'gmem.storePtr', destination: o6, value: o8 })
    },
  )

/** The scalar arguments in the order of the module. */
export const matmulPointerScalars: ReadonlyArray<string> = ['M', 'N', 'K', 'sam', 'sbk', 'scm']
