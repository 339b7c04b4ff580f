/**
 * Attention with warp specialisation, as Triton compiles it for Blackwell, operation by operation.
 *
 * One block of 128 rows of Q against all of K and V, 64 rows at a time; head dimension 64; f16 with f32 accumulators. Four
 * roles: `default` (four warps) does the softmax, `partition0` (one warp) issues the MMAs, `partition1` (two warps) the copies,
 * `partition2` (four warps) rescales the accumulator. Every statement is one operation of the module
 * `attn_ws_128x64x64_sm100`; its site is the name of that operation's result, or of the place it acts on. In the module the
 * partitions repeat each other's names; here names are bound once, and the site still says the module's.
 *
 * | module                                     | here                                                                   |
 * |--------------------------------------------|------------------------------------------------------------------------|
 * | `warp_specialize`                          | `Fork`; the default region is branch 0, what it uses of outside it captures |
 * | `barrier_expect %b, n, %p`                 | `mbarrier.arriveExpectTx`, one arrival that brings n bytes, when %p     |
 * | `wait_barrier %b, %phase, %p`              | `mbarrier.wait`, when %p                                               |
 * | `tc_gen5_mma %a, %b, %d, %use, %p, %b[%q]` | `tcgen05.mma` with its completions, when %p                            |
 * | `tmem_load`                                | `tcgen05.ld` into registers, `tcgen05.waitLd`, `regs.read`              |
 * | `tmem_store`                               | `tcgen05.st`, `tcgen05.waitSt`                                          |
 * | three `tmem_alloc`                         | three storages inside one `tcgen05.alloc` of 256 columns               |
 * | `async_tma_copy_local_to_global`           | `tma.store` and the `bulk.commitGroup` that it implies                  |
 * | `memdesc_trans`                            | `transposeView`                                                        |
 *
 * The barriers of this dialect carry all order, so all of them may be signalled by the tensor core.
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import type { RegisterLayout } from '../../layouts/register-layout.js'
import type { Blocked } from '../../layouts/triton/encoding.js'
import { onShape } from '../../layouts/triton/to-linear.js'
import * as B from '../../semantics/builder.js'
import type { Condition, Descriptor, Int, Tile, View } from '../../semantics/expression.js'
import * as X from '../../semantics/expression.js'
import type { AnyBarrier, TensorBarrier } from '../../semantics/instruction.js'
import type { Program } from '../../semantics/program.js'
import { swizzle, tile } from '../../transforms/transform.js'

const tensorOrder = { ordersTensorCore: true } as const

/** A row a lane: the encoding of a tile of 128 rows of tensor memory. The module writes its bases out. */
const rowPerLane: Blocked = {
  _tag: 'blocked',
  sizePerThread: [1, 64],
  threadsPerWarp: [32, 1],
  warpsPerCTA: [4, 1],
  order: [0, 1],
}

const on = (when: Condition | undefined): B.DoOptions => (when === undefined ? {} : { when })

const init = (label: string, barrier: AnyBarrier, count: number): B.Build<void> =>
  B.run(`init ${label}`, { _tag: 'mbarrier.init', barrier, count })
const inval = (label: string, barrier: AnyBarrier): B.Build<void> =>
  B.run(`inval ${label}`, { _tag: 'mbarrier.inval', barrier })
const arrive = (label: string, barrier: AnyBarrier, count: number): B.Build<void> =>
  B.run(`arrive ${label}`, { _tag: 'mbarrier.arrive', barrier, count, release: true, scope: 'cta' })
const expectTx = (label: string, barrier: AnyBarrier, bytes: number, when: Condition): B.Build<void> =>
  B.run(
    `expect ${label}`,
    { _tag: 'mbarrier.arriveExpectTx', barrier, bytes: X.i32(bytes), release: true, scope: 'cta' },
    { when },
  )
const wait = (label: string, barrier: AnyBarrier, parity: Int, when?: Condition): B.Build<void> =>
  B.run(`wait ${label}`, { _tag: 'mbarrier.wait', barrier, parity, acquire: true, scope: 'cta' }, on(when))
const copyIn = (
  label: string,
  descriptor: Descriptor<'f16', 2>,
  coords: ReadonlyArray<Int>,
  destination: View<'smem', 'f16', 2>,
  barrier: AnyBarrier,
  when: Condition,
): B.Build<void> =>
  B.run(label, { _tag: 'tma.load', descriptor, coords, destination, barrier, ctaGroup: 1 }, { when })
const mma = (
  label: string,
  a: View<'smem' | 'tmem', 'f16', 2>,
  b: View<'smem', 'f16', 2>,
  accumulator: View<'tmem', 'f32', 2>,
  accumulate: Condition,
  when: Condition,
  completions: ReadonlyArray<readonly [barrier: TensorBarrier, when: Condition]>,
): B.Build<void> =>
  B.run(
    `mma ${label}`,
    {
      _tag: 'tcgen05.mma',
      accumulator,
      a,
      b,
      accumulate,
      ctaGroup: 1,
      completions: completions.map(([barrier, predicate]) => ({ barrier, when: predicate })),
    },
    { when },
  )
const tmemLoad = (
  label: string,
  source: View<'tmem', 'f32', 2>,
  destination: View<'regs', 'f32', 2>,
  layout: RegisterLayout,
): B.Build<Tile<'f32', 2>> =>
  pipe(
    B.run(`${label} ld`, { _tag: 'tcgen05.ld', source, destination }),
    B.chain(() => B.run(`${label} wait`, { _tag: 'tcgen05.waitLd' })),
    B.chain(() => B.regsRead(label, destination, { layout })),
  )
const tmemStore = (
  label: string,
  destination: View<'tmem', 'f32' | 'f16', 2>,
  value: Tile<'f32' | 'f16', 2>,
  when: Condition,
): B.Build<void> =>
  pipe(
    B.run(`${label} st`, { _tag: 'tcgen05.st', destination, value }, { when }),
    B.chain(() => B.run(`${label} wait`, { _tag: 'tcgen05.waitSt' })),
  )

/** The kernel. `N` is the number of rows of K and V, a multiple of 64; the strides count elements. */
export const attentionWarpSpecialised = (): E.Either<Failure, Program> =>
  B.kernel(
    {
      name: 'attn_fwd',
      arch: 'sm100a',
      grid: [X.quo(X.name<'i32'>('dq_0'), X.i32(128))],
      agents: [
        B.partition('default', 0, 4),
        B.partition('partition0', 10, 1),
        B.partition('partition1', 8, 2),
        B.partition('partition2', 4, 4),
      ],
    },
    function* () {
      const operand = (
        name: string,
        role: 'in' | 'out',
        box: readonly [number, number],
      ): B.Build<Descriptor<'f16', 2>> =>
        B.block(function* () {
          const rowCount = yield* B.scalarParam(`${name}_0`, 'i32')
          const columnCount = yield* B.scalarParam(`${name}_1`, 'i32')
          const rowStride = yield* B.scalarParam(`${name}_2`, 'i64')
          yield* B.scalarParam(`${name}_3`, 'i64')
          const tensor = yield* B.tensorParam(name.slice(1), 'f16', [rowCount, columnCount], {
            role,
            strides: [X.trunc(rowStride, 'i32'), 1],
          })
          return yield* B.descriptorParam(name, tensor, box, { swizzle: 128 })
        })
      const dq = yield* operand('dq', 'in', [128, 64])
      const dk = yield* operand('dk', 'in', [64, 64])
      const dv = yield* operand('dv', 'in', [64, 64])
      const dO = yield* operand('do', 'out', [128, 64])
      const scale = yield* B.scalarParam('scale', 'f32')
      const N = yield* B.scalarParam('N', 'i32')

      const matrix = yield* B.fromEither(onShape(rowPerLane)([128, 64]))
      const columnOf = yield* B.fromEither(onShape(rowPerLane)([128, 1]))
      const rows = yield* B.fromEither(onShape({ _tag: 'slice', dim: 1, parent: rowPerLane })([128]))
      const tile128 = yield* B.fromEither(tile([8, 64]))
      const swizzle128 = yield* B.fromEither(swizzle(128))
      const registersS84 = yield* B.registers('s_84', 'default', 'f32', [128, 64])
      const registersAcc64 = yield* B.registers('acc_64', 'default', 'f32', [128, 64])
      const registersAcc114 = yield* B.registers('acc_114', 'partition2', 'f32', [128, 64])

      const yes = yield* B.letIn('true', X.i1(true))
      const c128 = yield* B.letIn('c128_i32', X.i32(128))
      const c0 = yield* B.letIn('c0_i32', X.i32(0))
      const c64 = yield* B.letIn('c64_i32', X.i32(64))
      const cst = yield* B.letIn('cst', X.splat<'f32', 1>(X.float('f32', 0), [128], rows))
      const cst16 = yield* B.letIn('cst_16', X.splat<'f32', 2>(X.float('f32', 0), [128, 64], matrix))
      const cst17 = yield* B.letIn('cst_17', X.splat<'f32', 1>(X.float('f32', -Infinity), [128], rows))
      const c1 = yield* B.letIn('c1_i32', X.i32(1))
      const c2 = yield* B.letIn('c2_i32', X.i32(2))
      const pm = yield* B.letIn('pm', X.place('programId', 0))
      const q = yield* B.letIn('q', X.mul(pm, c128))
      const q18 = yield* B.sharedMemory('q_18', 'f16', [128, 64], [tile128, swizzle128])
      const q19 = yield* B.barriers('q_19', [], tensorOrder)
      yield* init('q_19', q19, 1)
      yield* expectTx('q_19', q19, 16384, yes)
      yield* copyIn('q_18', dq, [q, c0], q18, q19, yes)
      yield* wait('q_19', q19, c0)
      yield* inval('q_19', q19)
      const s = yield* B.letIn('s', X.splat<'f32', 2>(scale, [128, 64], matrix))
      const s20 = yield* B.barriers('s_20', [2], tensorOrder)
      const s21 = yield* B.letIn('s_21', X.slot(s20, c0))
      yield* init('s_21', s21, 1)
      const s22 = yield* B.letIn('s_22', X.slot(s20, c1))
      yield* init('s_22', s22, 1)
      const s23 = yield* B.barriers('s_23', [2], tensorOrder)
      const s24 = yield* B.letIn('s_24', X.slot(s23, c0))
      yield* init('s_24', s24, 1)
      const s25 = yield* B.letIn('s_25', X.slot(s23, c1))
      yield* init('s_25', s25, 1)
      yield* wait('s_21', s21, c1)
      const acc = yield* B.barriers('acc', [1], tensorOrder)
      const acc26 = yield* B.letIn('acc_26', X.slot(acc, c0))
      yield* init('acc_26', acc26, 1)
      const acc27 = yield* B.barriers('acc_27', [1], tensorOrder)
      const acc28 = yield* B.letIn('acc_28', X.slot(acc27, c0))
      yield* init('acc_28', acc28, 1)
      yield* wait('acc_26', acc26, c1)
      yield* B.run('tensor memory', { _tag: 'tcgen05.alloc', columns: 256, ctaGroup: 1 })
      yield* B.run('tensor memory permit', { _tag: 'tcgen05.relinquish', ctaGroup: 1 })
      const acc29 = yield* B.tensorMemory('acc_29', 'f32', [1, 128, 64])
      const acc30 = yield* B.letIn('acc_30', X.slot(acc29, c0))
      yield* tmemStore('acc_30', acc30, cst16, yes)
      const m = yield* B.sharedMemory('m', 'f32', [1, 128])
      const m31 = yield* B.barriers('m_31', [1], tensorOrder)
      const m32 = yield* B.letIn('m_32', X.slot(m31, c0))
      yield* init('m_32', m32, 1)
      const m33 = yield* B.barriers('m_33', [1], tensorOrder)
      const m34 = yield* B.letIn('m_34', X.slot(m33, c0))
      yield* init('m_34', m34, 1)
      const s35 = yield* B.sharedMemory('s_35', 'f16', [3, 64, 64], [tile128, swizzle128])
      const s36 = yield* B.barriers('s_36', [3], tensorOrder)
      const s37 = yield* B.letIn('s_37', X.slot(s36, c0))
      yield* init('s_37', s37, 1)
      const s38 = yield* B.letIn('s_38', X.slot(s36, c1))
      yield* init('s_38', s38, 1)
      const s39 = yield* B.letIn('s_39', X.slot(s36, c2))
      yield* init('s_39', s39, 1)
      const s40 = yield* B.barriers('s_40', [3], tensorOrder)
      const s41 = yield* B.letIn('s_41', X.slot(s40, c0))
      yield* init('s_41', s41, 1)
      const s42 = yield* B.letIn('s_42', X.slot(s40, c1))
      yield* init('s_42', s42, 1)
      const s43 = yield* B.letIn('s_43', X.slot(s40, c2))
      yield* init('s_43', s43, 1)
      const v = yield* B.sharedMemory('v', 'f16', [3, 64, 64], [tile128, swizzle128])
      const v44 = yield* B.barriers('v_44', [3], tensorOrder)
      const v45 = yield* B.letIn('v_45', X.slot(v44, c0))
      yield* init('v_45', v45, 1)
      const v46 = yield* B.letIn('v_46', X.slot(v44, c1))
      yield* init('v_46', v46, 1)
      const v47 = yield* B.letIn('v_47', X.slot(v44, c2))
      yield* init('v_47', v47, 1)
      const v48 = yield* B.barriers('v_48', [3], tensorOrder)
      const v49 = yield* B.letIn('v_49', X.slot(v48, c0))
      yield* init('v_49', v49, 1)
      const v50 = yield* B.letIn('v_50', X.slot(v48, c1))
      yield* init('v_50', v50, 1)
      const v51 = yield* B.letIn('v_51', X.slot(v48, c2))
      yield* init('v_51', v51, 1)
      const m2 = yield* B.sharedMemory('m2', 'f32', [1, 128])
      const m252 = yield* B.barriers('m2_52', [1], tensorOrder)
      const m253 = yield* B.letIn('m2_53', X.slot(m252, c0))
      yield* init('m2_53', m253, 1)
      const m254 = yield* B.barriers('m2_54', [1], tensorOrder)
      const m255 = yield* B.letIn('m2_55', X.slot(m254, c0))
      yield* init('m2_55', m255, 1)
      const acc56 = yield* B.barriers('acc_56', [1], tensorOrder)
      const acc57 = yield* B.letIn('acc_57', X.slot(acc56, c0))
      yield* init('acc_57', acc57, 1)
      const acc58 = yield* B.barriers('acc_58', [1], tensorOrder)
      const acc59 = yield* B.letIn('acc_59', X.slot(acc58, c0))
      yield* init('acc_59', acc59, 1)
      const s60 = yield* B.tensorMemory('s_60', 'f32', [2, 128, 64])
      const acc61 = yield* B.tensorMemory('acc_61', 'f16', [1, 128, 64])
      const captures = {
        s_65: s40,
        s_66: s35,
        s_67: s60,
        q_68: q18,
        s_69: s23,
        s_70: s36,
        v_71: v48,
        v_72: v,
        acc_73: acc27,
        acc_74: acc29,
        acc_75: acc58,
        acc_76: acc61,
        acc_77: acc56,
        acc_78: acc,
        v_79: v44,
        s_80: s20,
        N_81: N,
        dk_82: dk,
        dv_83: dv,
        m_84: m33,
        m_85: m,
        m_86: m31,
        m2_87: m254,
        m2_88: m2,
        m2_89: m252,
      }
      const acc62 = yield* B.fork(
        'acc_62',
        {
          agent: 'default',
          captures: {
            c0_i32: c0,
            N,
            c64_i32: c64,
            cst_17: cst17,
            cst,
            c1_i32: c1,
            m_32: m32,
            m,
            m_34: m34,
            c2_i32: c2,
            s_23: s23,
            s_60: s60,
            s_20: s20,
            s,
            m2_53: m253,
            m2,
            m2_55: m255,
            acc_57: acc57,
            acc_61: acc61,
            true: yes,
            acc_59: acc59,
          },
          body: function* (c) {
            const acc65 = yield* B.forRange(
              {
                label: 'acc_73',
                from: c.c0_i32,
                to: c.N,
                step: c.c64_i32,
                carried: {
                  arg23: c.cst_17,
                  arg24: c.cst,
                  arg25: c.c1_i32,
                  arg26: c.c1_i32,
                  arg27: c.c1_i32,
                  arg28: c.c0_i32,
                },
              },
              function* (_acc73, carried) {
                const m74 = yield* B.letIn('m_74', X.xor(carried.arg28, c.c1_i32))
                yield* wait('m_32', c.m_32, m74)
                const m75 = yield* B.letIn('m_75', X.slot(c.m, c.c0_i32))
                yield* B.run('m_75', { _tag: 'smem.store', destination: m75, value: carried.arg23 })
                yield* arrive('m_34', c.m_34, 1)
                const s76 = yield* B.letIn('s_76', X.add(carried.arg25, c.c1_i32))
                const s77 = yield* B.letIn('s_77', X.eq(s76, c.c2_i32))
                const s78 = yield* B.letIn('s_78', X.select(s77, c.c0_i32, s76))
                const s79 = yield* B.letIn('s_79', X.xor(carried.arg26, c.c1_i32))
                const s80 = yield* B.letIn('s_80', X.select(s77, s79, carried.arg26))
                const s81 = yield* B.letIn('s_81', X.slot(c.s_23, s78))
                yield* wait('s_81', s81, s80)
                const s82 = yield* B.letIn('s_82', X.slot(c.s_60, s78))
                const s83 = yield* B.letIn('s_83', X.slot(c.s_20, s78))
                const s84 = yield* tmemLoad('s_84', s82, registersS84, matrix)
                yield* arrive('s_83', s83, 1)
                const s85 = yield* B.letIn('s_85', X.mul(s84, c.s))
                const m286 = yield* B.letIn(
                  'm2_86',
                  X.reduce(s85, 1, (x, y) => X.max(x, y), rows),
                )
                const m287 = yield* B.letIn('m2_87', X.max(carried.arg23, m286))
                yield* wait('m2_53', c.m2_53, m74)
                const m288 = yield* B.letIn('m2_88', X.slot(c.m2, c.c0_i32))
                yield* B.run('m2_88', { _tag: 'smem.store', destination: m288, value: m287 })
                yield* arrive('m2_55', c.m2_55, 1)
                const p = yield* B.letIn('p', X.expandDims(m287, 1, columnOf))
                const p89 = yield* B.letIn('p_89', X.broadcast(p, [128, 64], matrix))
                const p90 = yield* B.letIn('p_90', X.sub(s85, p89))
                const p91 = yield* B.letIn('p_91', X.exp2(p90))
                const al = yield* B.letIn('al', X.sub(carried.arg23, m287))
                const al92 = yield* B.letIn('al_92', X.exp2(al))
                const l = yield* B.letIn('l', X.mul(carried.arg24, al92))
                const l93 = yield* B.letIn(
                  'l_93',
                  X.reduce(p91, 1, (x, y) => X.add(x, y), rows),
                )
                const l94 = yield* B.letIn('l_94', X.add(l, l93))
                const acc95 = yield* B.letIn('acc_95', X.cast(p91, 'f16'))
                yield* wait('acc_57', c.acc_57, m74)
                const acc96 = yield* B.letIn('acc_96', X.slot(c.acc_61, c.c0_i32))
                yield* tmemStore('acc_96', acc96, acc95, c.true)
                yield* arrive('acc_59', c.acc_59, 1)
                const acc97 = yield* B.letIn('acc_97', X.xor(carried.arg27, c.c1_i32))
                return { arg23: m287, arg24: l94, arg25: s78, arg26: s80, arg27: acc97, arg28: m74 }
              },
            )
            const acc66 = yield* B.letIn('acc_66', X.add(acc65.arg25, c.c1_i32))
            const acc67 = yield* B.letIn('acc_67', X.eq(acc66, c.c2_i32))
            const acc68 = yield* B.letIn('acc_68', X.select(acc67, c.c0_i32, acc66))
            const acc69 = yield* B.letIn('acc_69', X.xor(acc65.arg26, c.c1_i32))
            const acc70 = yield* B.letIn('acc_70', X.select(acc67, acc69, acc65.arg26))
            const s71 = yield* B.letIn('s_71', X.slot(c.s_23, acc68))
            yield* wait('s_71', s71, acc70)
            const s72 = yield* B.letIn('s_72', X.slot(c.s_20, acc68))
            yield* arrive('s_72', s72, 1)
            return { l: acc65.arg24, parity: acc65.arg27 }
          },
        },
        [
          B.branch('partition0', captures, function* (c) {
            const c128at90 = yield* B.letIn('c128_i32_90', X.i32(128))
            const c3 = yield* B.letIn('c3_i32', X.i32(3))
            const c2at91 = yield* B.letIn('c2_i32_91', X.i32(2))
            const c1at92 = yield* B.letIn('c1_i32_92', X.i32(1))
            const c64at93 = yield* B.letIn('c64_i32_93', X.i32(64))
            const c0at94 = yield* B.letIn('c0_i32_94', X.i32(0))
            const yes95 = yield* B.letIn('true_95', X.i1(true))
            const never = yield* B.letIn('false', X.i1(false))
            const acc96 = yield* B.letIn('acc_96', X.gt(c.N_81, c0at94))
            const s97 = yield* B.letIn('s_97', X.slot(c.s_65, c0at94))
            yield* wait('s_97', s97, c0at94, acc96)
            const s98 = yield* B.letIn('s_98', X.slot(c.s_66, c0at94))
            const s99 = yield* B.letIn('s_99', X.transposeView(s98, [1, 0]))
            const s100 = yield* B.letIn('s_100', X.slot(c.s_67, c0at94))
            const s101 = yield* B.letIn('s_101', X.slot(c.s_69, c0at94))
            const s102 = yield* B.letIn('s_102', X.slot(c.s_70, c0at94))
            yield* mma('s_100', c.q_68, s99, s100, never, acc96, [
              [s101, acc96],
              [s102, acc96],
            ])
            const acc103 = yield* B.letIn('acc_103', X.extU(acc96, 'i32'))
            const s104 = yield* B.letIn('s_104', X.slot(c.s_80, c1at92))
            yield* wait('s_104', s104, c1at92, acc96)
            const acc105 = yield* B.letIn('acc_105', X.gt(c.N_81, c64at93))
            const s106 = yield* B.letIn('s_106', X.slot(c.s_65, c1at92))
            yield* wait('s_106', s106, c0at94, acc105)
            const s107 = yield* B.letIn('s_107', X.slot(c.s_66, c1at92))
            const s108 = yield* B.letIn('s_108', X.transposeView(s107, [1, 0]))
            const s109 = yield* B.letIn('s_109', X.slot(c.s_67, acc103))
            const s110 = yield* B.letIn('s_110', X.slot(c.s_69, acc103))
            const s111 = yield* B.letIn('s_111', X.slot(c.s_70, c1at92))
            yield* mma('s_109', c.q_68, s108, s109, never, acc105, [
              [s110, acc105],
              [s111, acc105],
            ])
            const s112 = yield* B.letIn('s_112', X.add(acc103, c1at92))
            const s113 = yield* B.letIn('s_113', X.eq(s112, c2at91))
            const s114 = yield* B.letIn('s_114', X.select(s113, c0at94, s112))
            const acc115 = yield* B.letIn('acc_115', X.select(acc105, s114, acc103))
            const s116 = yield* B.letIn('s_116', X.ne(s112, c2at91))
            const s117 = yield* B.letIn('s_117', X.extU(s116, 'i32'))
            const s118 = yield* B.letIn('s_118', X.slot(c.s_80, s114))
            yield* wait('s_118', s118, s117, acc105)
            const acc119 = yield* B.forRange(
              {
                label: 'acc_121',
                from: c0at94,
                to: c.N_81,
                step: c64at93,
                carried: {
                  acc_122: acc115,
                  s_123: s117,
                  arg50: c0at94,
                  arg51: c1at92,
                  arg52: c1at92,
                  arg53: c0at94,
                  arg54: c2at91,
                  arg55: c1at92,
                },
              },
              function* (acc121, carried) {
                const acc124 = yield* B.letIn('acc_124', X.sub(c.N_81, c128at90))
                const acc125 = yield* B.letIn('acc_125', X.lt(acc121, acc124))
                const v126 = yield* B.letIn('v_126', X.add(carried.arg54, c1at92))
                const v127 = yield* B.letIn('v_127', X.eq(v126, c3))
                const v128 = yield* B.letIn('v_128', X.select(v127, c0at94, v126))
                const v129 = yield* B.letIn('v_129', X.xor(carried.arg55, c1at92))
                const v130 = yield* B.letIn('v_130', X.select(v127, v129, carried.arg55))
                const v131 = yield* B.letIn('v_131', X.slot(c.v_71, v128))
                yield* wait('v_131', v131, v130)
                const v132 = yield* B.letIn('v_132', X.slot(c.v_72, v128))
                const acc133 = yield* B.letIn('acc_133', X.add(carried.arg50, c1at92))
                const acc134 = yield* B.letIn('acc_134', X.eq(acc133, c1at92))
                const acc135 = yield* B.letIn('acc_135', X.select(acc134, c0at94, acc133))
                const acc136 = yield* B.letIn('acc_136', X.xor(carried.arg51, c1at92))
                const acc137 = yield* B.letIn('acc_137', X.select(acc134, acc136, carried.arg51))
                const acc138 = yield* B.letIn('acc_138', X.slot(c.acc_73, acc135))
                yield* wait('acc_138', acc138, acc137)
                const acc139 = yield* B.letIn('acc_139', X.slot(c.acc_74, acc135))
                const acc140 = yield* B.letIn('acc_140', X.slot(c.acc_75, acc135))
                yield* wait('acc_140', acc140, acc137)
                const acc141 = yield* B.letIn('acc_141', X.slot(c.acc_76, acc135))
                const acc142 = yield* B.letIn('acc_142', X.slot(c.acc_77, acc135))
                const acc143 = yield* B.letIn('acc_143', X.slot(c.acc_78, acc135))
                const v144 = yield* B.letIn('v_144', X.slot(c.v_79, v128))
                yield* mma('acc_139', acc141, v132, acc139, yes95, yes95, [
                  [acc142, yes95],
                  [acc143, yes95],
                  [v144, yes95],
                ])
                const s145 = yield* B.letIn('s_145', X.add(carried.arg52, c1at92))
                const s146 = yield* B.letIn('s_146', X.eq(s145, c3))
                const s147 = yield* B.letIn('s_147', X.select(s146, c0at94, s145))
                const s148 = yield* B.letIn('s_148', X.xor(carried.arg53, c1at92))
                const s149 = yield* B.letIn('s_149', X.select(s146, s148, carried.arg53))
                const s150 = yield* B.letIn('s_150', X.slot(c.s_65, s147))
                yield* wait('s_150', s150, s149, acc125)
                const s151 = yield* B.letIn('s_151', X.slot(c.s_66, s147))
                const s152 = yield* B.letIn('s_152', X.transposeView(s151, [1, 0]))
                const s153 = yield* B.letIn('s_153', X.slot(c.s_67, carried.acc_122))
                const s154 = yield* B.letIn('s_154', X.slot(c.s_69, carried.acc_122))
                const s155 = yield* B.letIn('s_155', X.slot(c.s_70, s147))
                yield* mma('s_153', c.q_68, s152, s153, never, acc125, [
                  [s154, acc125],
                  [s155, acc125],
                ])
                const s156 = yield* B.letIn('s_156', X.add(carried.acc_122, c1at92))
                const s157 = yield* B.letIn('s_157', X.eq(s156, c2at91))
                const s158 = yield* B.letIn('s_158', X.select(s157, c0at94, s156))
                const s159 = yield* B.letIn('s_159', X.xor(carried.s_123, c1at92))
                const s160 = yield* B.letIn('s_160', X.select(s157, s159, carried.s_123))
                const s161 = yield* B.letIn('s_161', X.slot(c.s_80, s158))
                yield* wait('s_161', s161, s160, acc125)
                const acc162 = yield* B.letIn('acc_162', X.select(acc125, s158, carried.acc_122))
                return {
                  acc_122: acc162,
                  s_123: s160,
                  arg50: acc135,
                  arg51: acc137,
                  arg52: s147,
                  arg53: s149,
                  arg54: v128,
                  arg55: v130,
                }
              },
            )
            const s120 = yield* B.letIn('s_120', X.slot(c.s_69, acc119.acc_122))
            yield* arrive('s_120', s120, 1)
          }),
          B.branch('partition1', captures, function* (c) {
            const c128at90 = yield* B.letIn('c128_i32_90', X.i32(128))
            const c3 = yield* B.letIn('c3_i32', X.i32(3))
            const c2at91 = yield* B.letIn('c2_i32_91', X.i32(2))
            const c1at92 = yield* B.letIn('c1_i32_92', X.i32(1))
            const c64at93 = yield* B.letIn('c64_i32_93', X.i32(64))
            const c0at94 = yield* B.letIn('c0_i32_94', X.i32(0))
            const yes95 = yield* B.letIn('true_95', X.i1(true))
            const acc96 = yield* B.letIn('acc_96', X.gt(c.N_81, c0at94))
            const s97 = yield* B.letIn('s_97', X.slot(c.s_70, c0at94))
            yield* wait('s_97', s97, c1at92, acc96)
            const s98 = yield* B.letIn('s_98', X.slot(c.s_66, c0at94))
            const s99 = yield* B.letIn('s_99', X.slot(c.s_65, c0at94))
            yield* expectTx('s_99', s99, 8192, acc96)
            yield* copyIn('s_98', c.dk_82, [c0at94, c0at94], s98, s99, acc96)
            const acc100 = yield* B.letIn('acc_100', X.gt(c.N_81, c64at93))
            const s101 = yield* B.letIn('s_101', X.slot(c.s_70, c1at92))
            yield* wait('s_101', s101, c1at92, acc100)
            const s102 = yield* B.letIn('s_102', X.slot(c.s_66, c1at92))
            const s103 = yield* B.letIn('s_103', X.slot(c.s_65, c1at92))
            yield* expectTx('s_103', s103, 8192, acc100)
            yield* copyIn('s_102', c.dk_82, [c64at93, c0at94], s102, s103, acc100)
            yield* B.forRange(
              {
                label: 'acc_105',
                from: c0at94,
                to: c.N_81,
                step: c64at93,
                carried: { s_106: c1at92, s_107: c1at92, arg50: c2at91, arg51: c0at94 },
              },
              function* (acc105, carried) {
                const acc108 = yield* B.letIn('acc_108', X.sub(c.N_81, c128at90))
                const acc109 = yield* B.letIn('acc_109', X.lt(acc105, acc108))
                const v110 = yield* B.letIn('v_110', X.add(carried.arg50, c1at92))
                const v111 = yield* B.letIn('v_111', X.eq(v110, c3))
                const v112 = yield* B.letIn('v_112', X.select(v111, c0at94, v110))
                const v113 = yield* B.letIn('v_113', X.xor(carried.arg51, c1at92))
                const v114 = yield* B.letIn('v_114', X.select(v111, v113, carried.arg51))
                const v115 = yield* B.letIn('v_115', X.slot(c.v_79, v112))
                yield* wait('v_115', v115, v114)
                const v116 = yield* B.letIn('v_116', X.slot(c.v_72, v112))
                const v117 = yield* B.letIn('v_117', X.slot(c.v_71, v112))
                yield* expectTx('v_117', v117, 8192, yes95)
                yield* copyIn('v_116', c.dv_83, [acc105, c0at94], v116, v117, yes95)
                const s118 = yield* B.letIn('s_118', X.add(carried.s_106, c1at92))
                const s119 = yield* B.letIn('s_119', X.eq(s118, c3))
                const s120 = yield* B.letIn('s_120', X.select(s119, c0at94, s118))
                const s121 = yield* B.letIn('s_121', X.xor(carried.s_107, c1at92))
                const s122 = yield* B.letIn('s_122', X.select(s119, s121, carried.s_107))
                const s123 = yield* B.letIn('s_123', X.slot(c.s_70, s120))
                yield* wait('s_123', s123, s122, acc109)
                const s124 = yield* B.letIn('s_124', X.slot(c.s_66, s120))
                const s125 = yield* B.letIn('s_125', X.slot(c.s_65, s120))
                yield* expectTx('s_125', s125, 8192, acc109)
                const acc126 = yield* B.letIn('acc_126', X.add(acc105, c128at90))
                yield* copyIn('s_124', c.dk_82, [acc126, c0at94], s124, s125, acc109)
                return { s_106: s120, s_107: s122, arg50: v112, arg51: v114 }
              },
            )
          }),
          B.branch('partition2', captures, function* (c) {
            const c1at90 = yield* B.letIn('c1_i32_90', X.i32(1))
            const c64at91 = yield* B.letIn('c64_i32_91', X.i32(64))
            const c0at92 = yield* B.letIn('c0_i32_92', X.i32(0))
            const yes93 = yield* B.letIn('true_93', X.i1(true))
            const acc94 = yield* B.forRange(
              {
                label: 'acc_96',
                from: c0at92,
                to: c.N_81,
                step: c64at91,
                carried: { arg48: c0at92, arg49: c1at90 },
              },
              function* (_acc96, carried) {
                const m97 = yield* B.letIn('m_97', X.add(carried.arg48, c1at90))
                const m98 = yield* B.letIn('m_98', X.eq(m97, c1at90))
                const m99 = yield* B.letIn('m_99', X.select(m98, c0at92, m97))
                const m100 = yield* B.letIn('m_100', X.xor(carried.arg49, c1at90))
                const m101 = yield* B.letIn('m_101', X.select(m98, m100, carried.arg49))
                const m102 = yield* B.letIn('m_102', X.slot(c.m_84, m99))
                yield* wait('m_102', m102, m101)
                const m103 = yield* B.letIn('m_103', X.slot(c.m_85, m99))
                const m104 = yield* B.smemLoad('m_104', m103, { layout: rows })
                const m105 = yield* B.letIn('m_105', X.slot(c.m_86, m99))
                yield* arrive('m_105', m105, 1)
                const m2106 = yield* B.letIn('m2_106', X.slot(c.m2_87, m99))
                yield* wait('m2_106', m2106, m101)
                const m2107 = yield* B.letIn('m2_107', X.slot(c.m2_88, m99))
                const m2108 = yield* B.smemLoad('m2_108', m2107, { layout: rows })
                const m2109 = yield* B.letIn('m2_109', X.slot(c.m2_89, m99))
                yield* arrive('m2_109', m2109, 1)
                const al = yield* B.letIn('al', X.sub(m104, m2108))
                const al110 = yield* B.letIn('al_110', X.exp2(al))
                const acc111 = yield* B.letIn('acc_111', X.expandDims(al110, 1, columnOf))
                const acc112 = yield* B.letIn('acc_112', X.broadcast(acc111, [128, 64], matrix))
                const acc113 = yield* B.letIn('acc_113', X.slot(c.acc_74, carried.arg48))
                const acc114 = yield* tmemLoad('acc_114', acc113, registersAcc114, matrix)
                const acc115 = yield* B.letIn('acc_115', X.mul(acc114, acc112))
                yield* tmemStore('acc_113', acc113, acc115, yes93)
                const acc116 = yield* B.letIn('acc_116', X.slot(c.acc_73, carried.arg48))
                yield* arrive('acc_116', acc116, 1)
                const acc117 = yield* B.letIn('acc_117', X.slot(c.acc_78, m99))
                yield* wait('acc_117', acc117, m101)
                return { arg48: m99, arg49: m101 }
              },
            )
            const acc95 = yield* B.letIn('acc_95', X.slot(c.acc_73, acc94.arg48))
            yield* B.run('commit acc_95', { _tag: 'tcgen05.commit', barrier: acc95, ctaGroup: 1 })
          }),
        ],
      )
      yield* inval('m_32', m32)
      yield* inval('m_34', m34)
      yield* inval('s_37', s37)
      yield* inval('s_38', s38)
      yield* inval('s_39', s39)
      yield* inval('s_41', s41)
      yield* inval('s_42', s42)
      yield* inval('s_43', s43)
      yield* inval('v_45', v45)
      yield* inval('v_46', v46)
      yield* inval('v_47', v47)
      yield* inval('v_49', v49)
      yield* inval('v_50', v50)
      yield* inval('v_51', v51)
      yield* inval('m2_53', m253)
      yield* inval('m2_55', m255)
      yield* inval('acc_57', acc57)
      yield* inval('acc_59', acc59)
      yield* inval('s_21', s21)
      yield* inval('s_22', s22)
      yield* inval('s_24', s24)
      yield* inval('s_25', s25)
      const acc63 = yield* B.letIn('acc_63', X.xor(acc62.parity, c1))
      yield* wait('acc_28', acc28, acc63)
      const acc64 = yield* tmemLoad('acc_64', acc30, registersAcc64, matrix)
      yield* arrive('acc_26', acc26, 1)
      yield* inval('acc_26', acc26)
      yield* inval('acc_28', acc28)
      const out0 = yield* B.letIn('0', X.expandDims(acc62.l, 1, columnOf))
      const out1 = yield* B.letIn('1', X.broadcast(out0, [128, 64], matrix))
      const out2 = yield* B.letIn('2', X.fdiv(acc64, out1))
      const out3 = yield* B.letIn('3', X.cast(out2, 'f16'))
      const out4 = yield* B.sharedMemory('4', 'f16', [128, 64], [tile128, swizzle128])
      yield* B.run('4', { _tag: 'smem.store', destination: out4, value: out3 })
      yield* B.run('fence', { _tag: 'fence.proxyAsync', scope: 'cta' })
      yield* B.run('do', { _tag: 'tma.store', descriptor: dO, coords: [q, c0], source: out4 })
      yield* B.run('do commit', { _tag: 'bulk.commitGroup' })
      yield* B.run('store wait', { _tag: 'bulk.waitGroup', pending: 0, read: false })
      yield* B.run('tensor memory free', { _tag: 'tcgen05.dealloc', columns: 256, ctaGroup: 1 })
    },
  )
