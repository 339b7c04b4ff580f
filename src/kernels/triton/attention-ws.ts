/**
 * Attention with warp specialisation, as Triton compiles it for Blackwell, call by call.
 *
 * One block of 128 rows of Q against all of K and V, 64 rows at a time; head dimension 64; f16 with f32 accumulators. Four
 * roles: the function's own warps (four) do the softmax, `partition0` (one warp) issues the products, `partition1` (two warps) the copies,
 * `partition2` (four warps) rescales the accumulator. Every call is one operation of the module `attn_ws_128x64x64_sm100`, in its order; a
 * label is the name of that operation's result, or of the place it acts on. In the module the partitions repeat each other's names.
 *
 * | here                                       | in the module                                                              |
 * |--------------------------------------------|----------------------------------------------------------------------------|
 * | `tcgen5GlobalAlloc`, `tcgen5GlobalDealloc` | the compiler allocates the columns of the whole kernel when it lowers it   |
 * | captures of the default region             | it sees every value before it                                              |
 * | `memdesc_trans`                            | the type of its result has the transposed encoding                         |
 *
 * Source: Triton, TritonGPU and TritonNvidiaGPU dialects; compiler output under conformance/ttgir.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Ttng from '../../dialects/ttng/index.js'
import type { Failure } from '../../failure.js'
import type { TensorMemory } from '../../layouts/triton/encoding.js'
import * as X from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'
import { flat, nvmma16, rowPerLane, slice } from './encodings.js'

const shared = nvmma16(128)
const shared1 = flat
const tmem: TensorMemory = {
  _tag: 'tensor_memory',
  blockM: 128,
  blockN: 64,
  colStride: 1,
  twoCTAs: false,
  fp4Padded: false,
}
/** two buffers of 64 columns for S, one for the accumulator, 32 for P: 224, and a power of two is allocated */
const columns = 256

/** The kernel. `N` is the number of rows of K and V, a multiple of 64; the strides count elements. */
export const attentionWarpSpecialised = (P: typeof Ttng = Ttng): E.Either<Failure, Program> =>
  P.func(
    {
      numWarps: 4,
      target: 'cuda:100',
      partitions: [
        { numWarps: 1, requestedRegisters: 24 },
        { numWarps: 2, requestedRegisters: 24 },
        { numWarps: 4, requestedRegisters: 88 },
      ],
    },
    'attn_fwd',
    { grid: [X.quo(X.name<'i32'>('dq_0'), X.i32(128))] },
    function* (mod) {
      const { from } = mod
      const { desc: dq } = yield* P.tensordescArg('dq', 'f16', [128, 64], shared, {
        tensor: 'q',
        role: 'in',
        names: ['dq_0', 'dq_1', 'dq_2', 'dq_3'],
      })
      const { desc: dk } = yield* P.tensordescArg('dk', 'f16', [64, 64], shared, {
        tensor: 'k',
        role: 'in',
        names: ['dk_4', 'dk_5', 'dk_6', 'dk_7'],
      })
      const { desc: dv } = yield* P.tensordescArg('dv', 'f16', [64, 64], shared, {
        tensor: 'v',
        role: 'in',
        names: ['dv_8', 'dv_9', 'dv_10', 'dv_11'],
      })
      const { desc: dO } = yield* P.tensordescArg('do', 'f16', [128, 64], shared, {
        tensor: 'o',
        role: 'out',
        names: ['do_12', 'do_13', 'do_14', 'do_15'],
      })
      const scale = yield* P.scalarArg('scale', 'f32')
      const N = yield* P.scalarArg('N', 'i32')
      const linear = yield* rowPerLane(64)
      const rows = yield* P.layoutOf('linear', linear, [128, 64])
      yield* P.tcgen5GlobalAlloc('tensor memory', columns)

      const yes = yield* P.constant('true', 'i1', true)
      const c128 = yield* P.constant('c128_i32', 'i32', 128)
      const c0 = yield* P.constant('c0_i32', 'i32', 0)
      const c64 = yield* P.constant('c64_i32', 'i32', 64)
      const cst = yield* P.constant('cst', 'f32', 0, [128], slice(1, linear))
      const cst16 = yield* P.constant('cst_16', 'f32', 0, [128, 64], linear)
      const cst17 = yield* P.constant('cst_17', 'f32', -Infinity, [128], slice(1, linear))
      const c1 = yield* P.constant('c1_i32', 'i32', 1)
      const c2 = yield* P.constant('c2_i32', 'i32', 2)
      const pm = yield* P.getProgramId('pm', 'x')
      const q = yield* P.muli('q', pm, c128)
      const q18 = yield* P.localAlloc('q_18', [128, 64], 'f16', shared)
      const q19 = yield* P.localAlloc('q_19', [1], 'i64', shared1)
      yield* P.initBarrier('init q_19', q19, 1)
      yield* P.barrierExpect('expect q_19', q19, 16384, { when: yes })
      yield* P.asyncTmaCopyGlobalToLocal('q_18', dq, [q, c0], q18, q19, { when: yes })
      yield* P.waitBarrier('wait q_19', q19, c0)
      yield* P.invalBarrier('inval q_19', q19)
      const s = yield* P.splat('s', scale, [128, 64], linear)
      const s20 = yield* P.localAlloc('s_20', [2, 1], 'i64', shared1)
      const s21 = yield* P.memdescIndex('s_21', s20, c0)
      yield* P.initBarrier('init s_21', s21, 1)
      const s22 = yield* P.memdescIndex('s_22', s20, c1)
      yield* P.initBarrier('init s_22', s22, 1)
      const s23 = yield* P.localAlloc('s_23', [2, 1], 'i64', shared1)
      const s24 = yield* P.memdescIndex('s_24', s23, c0)
      yield* P.initBarrier('init s_24', s24, 1)
      const s25 = yield* P.memdescIndex('s_25', s23, c1)
      yield* P.initBarrier('init s_25', s25, 1)
      yield* P.waitBarrier('wait s_21', s21, c1)
      const acc = yield* P.localAlloc('acc', [1, 1], 'i64', shared1)
      const acc26 = yield* P.memdescIndex('acc_26', acc, c0)
      yield* P.initBarrier('init acc_26', acc26, 1)
      const acc27 = yield* P.localAlloc('acc_27', [1, 1], 'i64', shared1)
      const acc28 = yield* P.memdescIndex('acc_28', acc27, c0)
      yield* P.initBarrier('init acc_28', acc28, 1)
      yield* P.waitBarrier('wait acc_26', acc26, c1)
      const { result: acc29 } = yield* P.tmemAlloc('acc_29', 'f32', [1, 128, 64], { encoding: tmem })
      const acc30 = yield* P.memdescIndex('acc_30', acc29, c0)
      yield* P.tmemStore('acc_30', cst16, acc30, { when: yes })
      const m = yield* P.localAlloc('m', [1, 128], 'f32', shared1)
      const m31 = yield* P.localAlloc('m_31', [1, 1], 'i64', shared1)
      const m32 = yield* P.memdescIndex('m_32', m31, c0)
      yield* P.initBarrier('init m_32', m32, 1)
      const m33 = yield* P.localAlloc('m_33', [1, 1], 'i64', shared1)
      const m34 = yield* P.memdescIndex('m_34', m33, c0)
      yield* P.initBarrier('init m_34', m34, 1)
      const s35 = yield* P.localAlloc('s_35', [3, 64, 64], 'f16', shared)
      const s36 = yield* P.localAlloc('s_36', [3, 1], 'i64', shared1)
      const s37 = yield* P.memdescIndex('s_37', s36, c0)
      yield* P.initBarrier('init s_37', s37, 1)
      const s38 = yield* P.memdescIndex('s_38', s36, c1)
      yield* P.initBarrier('init s_38', s38, 1)
      const s39 = yield* P.memdescIndex('s_39', s36, c2)
      yield* P.initBarrier('init s_39', s39, 1)
      const s40 = yield* P.localAlloc('s_40', [3, 1], 'i64', shared1)
      const s41 = yield* P.memdescIndex('s_41', s40, c0)
      yield* P.initBarrier('init s_41', s41, 1)
      const s42 = yield* P.memdescIndex('s_42', s40, c1)
      yield* P.initBarrier('init s_42', s42, 1)
      const s43 = yield* P.memdescIndex('s_43', s40, c2)
      yield* P.initBarrier('init s_43', s43, 1)
      const v = yield* P.localAlloc('v', [3, 64, 64], 'f16', shared)
      const v44 = yield* P.localAlloc('v_44', [3, 1], 'i64', shared1)
      const v45 = yield* P.memdescIndex('v_45', v44, c0)
      yield* P.initBarrier('init v_45', v45, 1)
      const v46 = yield* P.memdescIndex('v_46', v44, c1)
      yield* P.initBarrier('init v_46', v46, 1)
      const v47 = yield* P.memdescIndex('v_47', v44, c2)
      yield* P.initBarrier('init v_47', v47, 1)
      const v48 = yield* P.localAlloc('v_48', [3, 1], 'i64', shared1)
      const v49 = yield* P.memdescIndex('v_49', v48, c0)
      yield* P.initBarrier('init v_49', v49, 1)
      const v50 = yield* P.memdescIndex('v_50', v48, c1)
      yield* P.initBarrier('init v_50', v50, 1)
      const v51 = yield* P.memdescIndex('v_51', v48, c2)
      yield* P.initBarrier('init v_51', v51, 1)
      const m2 = yield* P.localAlloc('m2', [1, 128], 'f32', shared1)
      const m2At52 = yield* P.localAlloc('m2_52', [1, 1], 'i64', shared1)
      const m2At53 = yield* P.memdescIndex('m2_53', m2At52, c0)
      yield* P.initBarrier('init m2_53', m2At53, 1)
      const m2At54 = yield* P.localAlloc('m2_54', [1, 1], 'i64', shared1)
      const m2At55 = yield* P.memdescIndex('m2_55', m2At54, c0)
      yield* P.initBarrier('init m2_55', m2At55, 1)
      const acc56 = yield* P.localAlloc('acc_56', [1, 1], 'i64', shared1)
      const acc57 = yield* P.memdescIndex('acc_57', acc56, c0)
      yield* P.initBarrier('init acc_57', acc57, 1)
      const acc58 = yield* P.localAlloc('acc_58', [1, 1], 'i64', shared1)
      const acc59 = yield* P.memdescIndex('acc_59', acc58, c0)
      yield* P.initBarrier('init acc_59', acc59, 1)
      const { result: s60 } = yield* P.tmemAlloc('s_60', 'f32', [2, 128, 64], { encoding: tmem })
      const { result: acc61 } = yield* P.tmemAlloc('acc_61', 'f16', [1, 128, 64], { encoding: tmem })
      const acc62 = yield* P.warpSpecialize('acc_62', mod, {
        operands: {
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
          m2_87: m2At54,
          m2_88: m2,
          m2_89: m2At52,
        },
        default: {
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
            m2_53: m2At53,
            m2,
            m2_55: m2At55,
            acc_57: acc57,
            acc_61: acc61,
            true: yes,
            acc_59: acc59,
          },
          body: function* (
            {
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
              m2_53: m2At53,
              m2,
              m2_55: m2At55,
              acc_57: acc57,
              acc_61: acc61,
              true: yes,
              acc_59: acc59,
            },
            from,
          ) {
            const acc65 = yield* P.scfFor(
              'acc_73',
              {
                from: c0,
                to: N,
                step: c64,
                iterArgs: { arg23: cst17, arg24: cst, arg25: c1, arg26: c1, arg27: c1, arg28: c0 },
              },
              function* (_acc73, { arg23, arg24, arg25, arg26, arg27, arg28 }) {
                const m74 = yield* P.xori('m_74', arg28, c1)
                yield* P.waitBarrier('wait m_32', m32, m74)
                const m75 = yield* P.memdescIndex('m_75', m, c0)
                yield* P.localStore('store m_75', arg23, m75)
                yield* P.arriveBarrier('arrive m_34', m34, 1)
                const s76 = yield* P.addi('s_76', arg25, c1)
                const s77 = yield* P.cmpi('s_77', 'eq', s76, c2)
                const s78 = yield* P.select('s_78', s77, c0, s76)
                const s79 = yield* P.xori('s_79', arg26, c1)
                const s80 = yield* P.select('s_80', s77, s79, arg26)
                const s81 = yield* P.memdescIndex('s_81', s23, s78)
                yield* P.waitBarrier('wait s_81', s81, s80)
                const s82 = yield* P.memdescIndex('s_82', s60, s78)
                const s83 = yield* P.memdescIndex('s_83', s20, s78)
                const { result: s84 } = yield* P.tmemLoad('s_84', s82, rows, { from })
                yield* P.arriveBarrier('arrive s_83', s83, 1)
                const s85 = yield* P.mulf('s_85', s84, s)
                const m2At86 = yield* P.reduce('m2_86', s85, 1, (x, y) => X.max(x, y))
                const m2At87 = yield* P.maxnumf('m2_87', arg23, m2At86)
                yield* P.waitBarrier('wait m2_53', m2At53, m74)
                const m2At88 = yield* P.memdescIndex('m2_88', m2, c0)
                yield* P.localStore('store m2_88', m2At87, m2At88)
                yield* P.arriveBarrier('arrive m2_55', m2At55, 1)
                const p = yield* P.expandDims('p', m2At87, 1, linear)
                const p89 = yield* P.broadcast('p_89', p, [128, 64], linear)
                const p90 = yield* P.subf('p_90', s85, p89)
                const p91 = yield* P.exp2('p_91', p90)
                const al = yield* P.subf('al', arg23, m2At87)
                const al92 = yield* P.exp2('al_92', al)
                const l = yield* P.mulf('l', arg24, al92)
                const l93 = yield* P.reduce('l_93', p91, 1, (x, y) => X.add(x, y))
                const l94 = yield* P.addf('l_94', l, l93)
                const acc95 = yield* P.truncf('acc_95', p91, 'f16')
                yield* P.waitBarrier('wait acc_57', acc57, m74)
                const acc96 = yield* P.memdescIndex('acc_96', acc61, c0)
                yield* P.tmemStore('acc_96', acc95, acc96, { when: yes })
                yield* P.arriveBarrier('arrive acc_59', acc59, 1)
                const acc97 = yield* P.xori('acc_97', arg27, c1)
                return { arg23: m2At87, arg24: l94, arg25: s78, arg26: s80, arg27: acc97, arg28: m74 }
              },
            )
            const acc66 = yield* P.addi('acc_66', acc65.arg25, c1)
            const acc67 = yield* P.cmpi('acc_67', 'eq', acc66, c2)
            const acc68 = yield* P.select('acc_68', acc67, c0, acc66)
            const acc69 = yield* P.xori('acc_69', acc65.arg26, c1)
            const acc70 = yield* P.select('acc_70', acc67, acc69, acc65.arg26)
            const s71 = yield* P.memdescIndex('s_71', s23, acc68)
            yield* P.waitBarrier('wait s_71', s71, acc70)
            const s72 = yield* P.memdescIndex('s_72', s20, acc68)
            yield* P.arriveBarrier('arrive s_72', s72, 1)
            return { arg24: acc65.arg24, arg27: acc65.arg27 }
          },
        },
        partitions: [
          function* ({
            s_65: s65,
            s_66: s66,
            s_67: s67,
            q_68: q68,
            s_69: s69,
            s_70: s70,
            v_71: v71,
            v_72: v72,
            acc_73: acc73,
            acc_74: acc74,
            acc_75: acc75,
            acc_76: acc76,
            acc_77: acc77,
            acc_78: acc78,
            v_79: v79,
            s_80: s80,
            N_81: N81,
          }) {
            const c128At90 = yield* P.constant('c128_i32_90', 'i32', 128)
            const c3 = yield* P.constant('c3_i32', 'i32', 3)
            const c2At91 = yield* P.constant('c2_i32_91', 'i32', 2)
            const c1At92 = yield* P.constant('c1_i32_92', 'i32', 1)
            const c64At93 = yield* P.constant('c64_i32_93', 'i32', 64)
            const c0At94 = yield* P.constant('c0_i32_94', 'i32', 0)
            const yes95 = yield* P.constant('true_95', 'i1', true)
            const never = yield* P.constant('false', 'i1', false)
            const acc96 = yield* P.cmpi('acc_96', 'sgt', N81, c0At94)
            const s97 = yield* P.memdescIndex('s_97', s65, c0At94)
            yield* P.waitBarrier('wait s_97', s97, c0At94, { when: acc96 })
            const s98 = yield* P.memdescIndex('s_98', s66, c0At94)
            const s99 = yield* P.memdescTrans('s_99', s98, [1, 0])
            const s100 = yield* P.memdescIndex('s_100', s67, c0At94)
            const s101 = yield* P.memdescIndex('s_101', s69, c0At94)
            const s102 = yield* P.memdescIndex('s_102', s70, c0At94)
            yield* P.tcGen5Mma('mma s_100', q68, s99, s100, never, {
              when: acc96,
              isAsync: true,
              barriers: [
                { barrier: s101, when: acc96 },
                { barrier: s102, when: acc96 },
              ],
            })
            const acc103 = yield* P.extui('acc_103', acc96, 'i32')
            const s104 = yield* P.memdescIndex('s_104', s80, c1At92)
            yield* P.waitBarrier('wait s_104', s104, c1At92, { when: acc96 })
            const acc105 = yield* P.cmpi('acc_105', 'sgt', N81, c64At93)
            const s106 = yield* P.memdescIndex('s_106', s65, c1At92)
            yield* P.waitBarrier('wait s_106', s106, c0At94, { when: acc105 })
            const s107 = yield* P.memdescIndex('s_107', s66, c1At92)
            const s108 = yield* P.memdescTrans('s_108', s107, [1, 0])
            const s109 = yield* P.memdescIndex('s_109', s67, acc103)
            const s110 = yield* P.memdescIndex('s_110', s69, acc103)
            const s111 = yield* P.memdescIndex('s_111', s70, c1At92)
            yield* P.tcGen5Mma('mma s_109', q68, s108, s109, never, {
              when: acc105,
              isAsync: true,
              barriers: [
                { barrier: s110, when: acc105 },
                { barrier: s111, when: acc105 },
              ],
            })
            const s112 = yield* P.addi('s_112', acc103, c1At92)
            const s113 = yield* P.cmpi('s_113', 'eq', s112, c2At91)
            const s114 = yield* P.select('s_114', s113, c0At94, s112)
            const acc115 = yield* P.select('acc_115', acc105, s114, acc103)
            const s116 = yield* P.cmpi('s_116', 'ne', s112, c2At91)
            const s117 = yield* P.extui('s_117', s116, 'i32')
            const s118 = yield* P.memdescIndex('s_118', s80, s114)
            yield* P.waitBarrier('wait s_118', s118, s117, { when: acc105 })
            const acc119 = yield* P.scfFor(
              'acc_121',
              {
                from: c0At94,
                to: N81,
                step: c64At93,
                iterArgs: {
                  acc_122: acc115,
                  s_123: s117,
                  arg50: c0At94,
                  arg51: c1At92,
                  arg52: c1At92,
                  arg53: c0At94,
                  arg54: c2At91,
                  arg55: c1At92,
                },
              },
              function* (acc121, { acc_122: acc122, s_123: s123, arg50, arg51, arg52, arg53, arg54, arg55 }) {
                const acc124 = yield* P.subi('acc_124', N81, c128At90)
                const acc125 = yield* P.cmpi('acc_125', 'slt', acc121, acc124)
                const v126 = yield* P.addi('v_126', arg54, c1At92)
                const v127 = yield* P.cmpi('v_127', 'eq', v126, c3)
                const v128 = yield* P.select('v_128', v127, c0At94, v126)
                const v129 = yield* P.xori('v_129', arg55, c1At92)
                const v130 = yield* P.select('v_130', v127, v129, arg55)
                const v131 = yield* P.memdescIndex('v_131', v71, v128)
                yield* P.waitBarrier('wait v_131', v131, v130)
                const v132 = yield* P.memdescIndex('v_132', v72, v128)
                const acc133 = yield* P.addi('acc_133', arg50, c1At92)
                const acc134 = yield* P.cmpi('acc_134', 'eq', acc133, c1At92)
                const acc135 = yield* P.select('acc_135', acc134, c0At94, acc133)
                const acc136 = yield* P.xori('acc_136', arg51, c1At92)
                const acc137 = yield* P.select('acc_137', acc134, acc136, arg51)
                const acc138 = yield* P.memdescIndex('acc_138', acc73, acc135)
                yield* P.waitBarrier('wait acc_138', acc138, acc137)
                const acc139 = yield* P.memdescIndex('acc_139', acc74, acc135)
                const acc140 = yield* P.memdescIndex('acc_140', acc75, acc135)
                yield* P.waitBarrier('wait acc_140', acc140, acc137)
                const acc141 = yield* P.memdescIndex('acc_141', acc76, acc135)
                const acc142 = yield* P.memdescIndex('acc_142', acc77, acc135)
                const acc143 = yield* P.memdescIndex('acc_143', acc78, acc135)
                const v144 = yield* P.memdescIndex('v_144', v79, v128)
                yield* P.tcGen5Mma('mma acc_139', acc141, v132, acc139, yes95, {
                  when: yes95,
                  isAsync: true,
                  barriers: [
                    { barrier: acc142, when: yes95 },
                    { barrier: acc143, when: yes95 },
                    { barrier: v144, when: yes95 },
                  ],
                })
                const s145 = yield* P.addi('s_145', arg52, c1At92)
                const s146 = yield* P.cmpi('s_146', 'eq', s145, c3)
                const s147 = yield* P.select('s_147', s146, c0At94, s145)
                const s148 = yield* P.xori('s_148', arg53, c1At92)
                const s149 = yield* P.select('s_149', s146, s148, arg53)
                const s150 = yield* P.memdescIndex('s_150', s65, s147)
                yield* P.waitBarrier('wait s_150', s150, s149, { when: acc125 })
                const s151 = yield* P.memdescIndex('s_151', s66, s147)
                const s152 = yield* P.memdescTrans('s_152', s151, [1, 0])
                const s153 = yield* P.memdescIndex('s_153', s67, acc122)
                const s154 = yield* P.memdescIndex('s_154', s69, acc122)
                const s155 = yield* P.memdescIndex('s_155', s70, s147)
                yield* P.tcGen5Mma('mma s_153', q68, s152, s153, never, {
                  when: acc125,
                  isAsync: true,
                  barriers: [
                    { barrier: s154, when: acc125 },
                    { barrier: s155, when: acc125 },
                  ],
                })
                const s156 = yield* P.addi('s_156', acc122, c1At92)
                const s157 = yield* P.cmpi('s_157', 'eq', s156, c2At91)
                const s158 = yield* P.select('s_158', s157, c0At94, s156)
                const s159 = yield* P.xori('s_159', s123, c1At92)
                const s160 = yield* P.select('s_160', s157, s159, s123)
                const s161 = yield* P.memdescIndex('s_161', s80, s158)
                yield* P.waitBarrier('wait s_161', s161, s160, { when: acc125 })
                const acc162 = yield* P.select('acc_162', acc125, s158, acc122)
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
            const s120 = yield* P.memdescIndex('s_120', s69, acc119.acc_122)
            yield* P.arriveBarrier('arrive s_120', s120, 1)
          },
          function* ({
            s_65: s65,
            s_66: s66,
            s_70: s70,
            v_71: v71,
            v_72: v72,
            v_79: v79,
            N_81: N81,
            dk_82: dk82,
            dv_83: dv83,
          }) {
            const c128At90 = yield* P.constant('c128_i32_90', 'i32', 128)
            const c3 = yield* P.constant('c3_i32', 'i32', 3)
            const c2At91 = yield* P.constant('c2_i32_91', 'i32', 2)
            const c1At92 = yield* P.constant('c1_i32_92', 'i32', 1)
            const c64At93 = yield* P.constant('c64_i32_93', 'i32', 64)
            const c0At94 = yield* P.constant('c0_i32_94', 'i32', 0)
            const yes95 = yield* P.constant('true_95', 'i1', true)
            const acc96 = yield* P.cmpi('acc_96', 'sgt', N81, c0At94)
            const s97 = yield* P.memdescIndex('s_97', s70, c0At94)
            yield* P.waitBarrier('wait s_97', s97, c1At92, { when: acc96 })
            const s98 = yield* P.memdescIndex('s_98', s66, c0At94)
            const s99 = yield* P.memdescIndex('s_99', s65, c0At94)
            yield* P.barrierExpect('expect s_99', s99, 8192, { when: acc96 })
            yield* P.asyncTmaCopyGlobalToLocal('s_98', dk82, [c0At94, c0At94], s98, s99, { when: acc96 })
            const acc100 = yield* P.cmpi('acc_100', 'sgt', N81, c64At93)
            const s101 = yield* P.memdescIndex('s_101', s70, c1At92)
            yield* P.waitBarrier('wait s_101', s101, c1At92, { when: acc100 })
            const s102 = yield* P.memdescIndex('s_102', s66, c1At92)
            const s103 = yield* P.memdescIndex('s_103', s65, c1At92)
            yield* P.barrierExpect('expect s_103', s103, 8192, { when: acc100 })
            yield* P.asyncTmaCopyGlobalToLocal('s_102', dk82, [c64At93, c0At94], s102, s103, { when: acc100 })
            yield* P.scfFor(
              'acc_105',
              {
                from: c0At94,
                to: N81,
                step: c64At93,
                iterArgs: { s_106: c1At92, s_107: c1At92, arg50: c2At91, arg51: c0At94 },
              },
              function* (acc105, { s_106: s106, s_107: s107, arg50, arg51 }) {
                const acc108 = yield* P.subi('acc_108', N81, c128At90)
                const acc109 = yield* P.cmpi('acc_109', 'slt', acc105, acc108)
                const v110 = yield* P.addi('v_110', arg50, c1At92)
                const v111 = yield* P.cmpi('v_111', 'eq', v110, c3)
                const v112 = yield* P.select('v_112', v111, c0At94, v110)
                const v113 = yield* P.xori('v_113', arg51, c1At92)
                const v114 = yield* P.select('v_114', v111, v113, arg51)
                const v115 = yield* P.memdescIndex('v_115', v79, v112)
                yield* P.waitBarrier('wait v_115', v115, v114)
                const v116 = yield* P.memdescIndex('v_116', v72, v112)
                const v117 = yield* P.memdescIndex('v_117', v71, v112)
                yield* P.barrierExpect('expect v_117', v117, 8192, { when: yes95 })
                yield* P.asyncTmaCopyGlobalToLocal('v_116', dv83, [acc105, c0At94], v116, v117, {
                  when: yes95,
                })
                const s118 = yield* P.addi('s_118', s106, c1At92)
                const s119 = yield* P.cmpi('s_119', 'eq', s118, c3)
                const s120 = yield* P.select('s_120', s119, c0At94, s118)
                const s121 = yield* P.xori('s_121', s107, c1At92)
                const s122 = yield* P.select('s_122', s119, s121, s107)
                const s123 = yield* P.memdescIndex('s_123', s70, s120)
                yield* P.waitBarrier('wait s_123', s123, s122, { when: acc109 })
                const s124 = yield* P.memdescIndex('s_124', s66, s120)
                const s125 = yield* P.memdescIndex('s_125', s65, s120)
                yield* P.barrierExpect('expect s_125', s125, 8192, { when: acc109 })
                const acc126 = yield* P.addi('acc_126', acc105, c128At90)
                yield* P.asyncTmaCopyGlobalToLocal('s_124', dk82, [acc126, c0At94], s124, s125, {
                  when: acc109,
                })
                return { s_106: s120, s_107: s122, arg50: v112, arg51: v114 }
              },
            )
          },
          function* (
            {
              acc_73: acc73,
              acc_74: acc74,
              acc_78: acc78,
              N_81: N81,
              m_84: m84,
              m_85: m85,
              m_86: m86,
              m2_87: m2At87,
              m2_88: m2At88,
              m2_89: m2At89,
            },
            from,
          ) {
            const c1At90 = yield* P.constant('c1_i32_90', 'i32', 1)
            const c64At91 = yield* P.constant('c64_i32_91', 'i32', 64)
            const c0At92 = yield* P.constant('c0_i32_92', 'i32', 0)
            const yes93 = yield* P.constant('true_93', 'i1', true)
            const acc94 = yield* P.scfFor(
              'acc_96',
              { from: c0At92, to: N81, step: c64At91, iterArgs: { arg48: c0At92, arg49: c1At90 } },
              function* (_acc96, { arg48, arg49 }) {
                const m97 = yield* P.addi('m_97', arg48, c1At90)
                const m98 = yield* P.cmpi('m_98', 'eq', m97, c1At90)
                const m99 = yield* P.select('m_99', m98, c0At92, m97)
                const m100 = yield* P.xori('m_100', arg49, c1At90)
                const m101 = yield* P.select('m_101', m98, m100, arg49)
                const m102 = yield* P.memdescIndex('m_102', m84, m99)
                yield* P.waitBarrier('wait m_102', m102, m101)
                const m103 = yield* P.memdescIndex('m_103', m85, m99)
                const m104 = yield* P.localLoad('m_104', m103, slice(1, linear))
                const m105 = yield* P.memdescIndex('m_105', m86, m99)
                yield* P.arriveBarrier('arrive m_105', m105, 1)
                const m2At106 = yield* P.memdescIndex('m2_106', m2At87, m99)
                yield* P.waitBarrier('wait m2_106', m2At106, m101)
                const m2At107 = yield* P.memdescIndex('m2_107', m2At88, m99)
                const m2At108 = yield* P.localLoad('m2_108', m2At107, slice(1, linear))
                const m2At109 = yield* P.memdescIndex('m2_109', m2At89, m99)
                yield* P.arriveBarrier('arrive m2_109', m2At109, 1)
                const al = yield* P.subf('al', m104, m2At108)
                const al110 = yield* P.exp2('al_110', al)
                const acc111 = yield* P.expandDims('acc_111', al110, 1, linear)
                const acc112 = yield* P.broadcast('acc_112', acc111, [128, 64], linear)
                const acc113 = yield* P.memdescIndex('acc_113', acc74, arg48)
                const { result: acc114 } = yield* P.tmemLoad('acc_114', acc113, rows, { from })
                const acc115 = yield* P.mulf('acc_115', acc114, acc112)
                yield* P.tmemStore('acc_113', acc115, acc113, { when: yes93 })
                const acc116 = yield* P.memdescIndex('acc_116', acc73, arg48)
                yield* P.arriveBarrier('arrive acc_116', acc116, 1)
                const acc117 = yield* P.memdescIndex('acc_117', acc78, m99)
                yield* P.waitBarrier('wait acc_117', acc117, m101)
                return { arg48: m99, arg49: m101 }
              },
            )
            const acc95 = yield* P.memdescIndex('acc_95', acc73, acc94.arg48)
            yield* P.tcGen5Commit('commit acc_95', acc95)
          },
        ],
      })
      yield* P.invalBarrier('inval m_32', m32)
      yield* P.localDealloc('dealloc m_31', m31)
      yield* P.invalBarrier('inval m_34', m34)
      yield* P.localDealloc('dealloc m_33', m33)
      yield* P.invalBarrier('inval s_37', s37)
      yield* P.invalBarrier('inval s_38', s38)
      yield* P.invalBarrier('inval s_39', s39)
      yield* P.localDealloc('dealloc s_36', s36)
      yield* P.invalBarrier('inval s_41', s41)
      yield* P.invalBarrier('inval s_42', s42)
      yield* P.invalBarrier('inval s_43', s43)
      yield* P.localDealloc('dealloc s_40', s40)
      yield* P.invalBarrier('inval v_45', v45)
      yield* P.invalBarrier('inval v_46', v46)
      yield* P.invalBarrier('inval v_47', v47)
      yield* P.localDealloc('dealloc v_44', v44)
      yield* P.invalBarrier('inval v_49', v49)
      yield* P.invalBarrier('inval v_50', v50)
      yield* P.invalBarrier('inval v_51', v51)
      yield* P.localDealloc('dealloc v_48', v48)
      yield* P.invalBarrier('inval m2_53', m2At53)
      yield* P.localDealloc('dealloc m2_52', m2At52)
      yield* P.invalBarrier('inval m2_55', m2At55)
      yield* P.localDealloc('dealloc m2_54', m2At54)
      yield* P.invalBarrier('inval acc_57', acc57)
      yield* P.localDealloc('dealloc acc_56', acc56)
      yield* P.invalBarrier('inval acc_59', acc59)
      yield* P.localDealloc('dealloc acc_58', acc58)
      yield* P.invalBarrier('inval s_21', s21)
      yield* P.invalBarrier('inval s_22', s22)
      yield* P.localDealloc('dealloc s_20', s20)
      yield* P.invalBarrier('inval s_24', s24)
      yield* P.invalBarrier('inval s_25', s25)
      yield* P.localDealloc('dealloc s_23', s23)
      const acc63 = yield* P.xori('acc_63', acc62.arg27, c1)
      yield* P.waitBarrier('wait acc_28', acc28, acc63)
      const { result: acc64 } = yield* P.tmemLoad('acc_64', acc30, rows, { from })
      yield* P.arriveBarrier('arrive acc_26', acc26, 1)
      yield* P.invalBarrier('inval acc_26', acc26)
      yield* P.localDealloc('dealloc acc', acc)
      yield* P.invalBarrier('inval acc_28', acc28)
      yield* P.localDealloc('dealloc acc_27', acc27)
      const o0 = yield* P.expandDims('0', acc62.arg24, 1, linear)
      const o1 = yield* P.broadcast('1', o0, [128, 64], linear)
      const o2 = yield* P.divf('2', acc64, o1)
      const o3 = yield* P.truncf('3', o2, 'f16')
      const o4 = yield* P.localAlloc('4', [128, 64], 'f16', shared, { src: o3 })
      yield* P.fenceAsyncShared('fence', { bCluster: false })
      yield* P.asyncTmaCopyLocalToGlobal('do', dO, [q, c0], o4)
      yield* P.asyncTmaStoreWait('store wait', 0)
      yield* P.tcgen5GlobalDealloc('tensor memory free', columns)
    },
  )
