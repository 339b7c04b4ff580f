/**
 * Block-scaled matmul on Blackwell (mxfp8): 8-bit floats that share scales of e8m0, 32 of k to a scale.
 *
 *     out[x, y] = sum over k of (a[x, k] sa[x, k div 32]) (b[k, y] sb[y, k div 32])
 *
 * `matmul1` with two operands more. The tensor core takes scales from tensor memory, so they go there in two steps: TMA brings those of a step to
 * shared memory with a and b, and the warp that multiplies has them copied on (`tcgen05.cp`) right before the product, which needs no wait for a
 * copy of its own thread. In global memory they lie ready for that copy, in atoms of 128 rows by 4 blocks: lane x mod 32 of an atom has, in word
 * x div 32, the 4 scales of row x.
 *
 *     a_scale (m / 128, k / 128, 32, 16)    an atom is 512 bytes    tile 128 x 128 x 128: one of a and one of b for each step
 *
 *     memory    k:  wait consumed[s] (from k = S on)   copy a, b, sa, sb -> slot s, loaded[s]
 *     products  k:  wait loaded[s]   cp sa, sb -> tensor memory s   scaled MMA, then consumed[s]
 *
 * Nothing orders a copy of scales behind the product that reads those before it. So tensor memory has a place for the scales of every slot: when `consumed`
 * says that the slot may be filled again, it says so of these too.
 *
 * a is (m, k); b is the (k, n) matrix of the product and lies column by column, so that both run along k, as their scales do. The last completions
 * of `consumed` are waited for after the loop: every barrier completes as often as it is waited for.
 *
 * Fidelity: documented. Nothing here was captured on a Blackwell chip.
 *
 * Source: JAX docs, Pallas:MGPU reference (tcgen05_mma with scales, async_copy_scales_to_tmem); PTX ISA, tcgen05.mma, block scaling; OCP Microscaling
 * Formats.
 */
import type * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { scales as scalesLayout } from '../../layouts/tensor-memory/tensor-memory-layout.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/writing/builder.js'
import { cast, eq, ge, gt, i32, mul, rem, slot } from '../../semantics/language/expression.js'
import type { Program } from '../../semantics/language/program.js'

export interface MatmulMxfp8 {
  readonly aDtype: 'e4m3' | 'e5m2'
  readonly bDtype: 'e4m3' | 'e5m2'
  readonly outDtype: 'f16' | 'bf16' | 'f32'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  /** slots of the ring */
  readonly stages: number
}

/** Elements of k that share a scale; products of one instruction. */
const block = 32
/** Rows of an atom of scales, and elements of k: 4 blocks. */
const [atomRows, atomK] = [128, 4 * block]

/** Why these settings are no kernel, or null. */
const illegal = (c: MatmulMxfp8): string | null => {
  const positive = (['m', 'n', 'k', 'tileM', 'tileN', 'tileK', 'stages'] as const).find(
    (name) => !Number.isInteger(c[name]) || c[name] < 1,
  )
  if (positive !== undefined) return `${positive} is ${String(c[positive])}: expected a positive integer`
  if (c.tileM !== atomRows) return `tileM is ${String(c.tileM)}: expected 128, the lanes of tensor memory`
  if (c.tileN !== atomRows && c.tileN !== 2 * atomRows)
    return `tileN is ${String(c.tileN)}: expected 128 or 256, whole atoms of scales in one product`
  if (c.tileK % atomK !== 0)
    return `tileK is ${String(c.tileK)}: expected a multiple of 128, the k of an atom of scales`
  if (c.stages > 32) return `stages is ${String(c.stages)}: expected 1 to 32, the parities of a thread`
  for (const [size, tile, s, t] of [
    ['m', 'tileM', c.m, c.tileM],
    ['n', 'tileN', c.n, c.tileN],
    ['k', 'tileK', c.k, c.tileK],
  ] as const)
    if (s % t !== 0) return `${size} is ${String(s)}: expected a multiple of ${tile}, which is ${String(t)}`
  return null
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that the tensor core, TMA or memory do not take. */
export const matmulMxfp8 = (c: MatmulMxfp8): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `matmul-mxfp8: ${why}`)
  const { aDtype, bDtype, outDtype, tileM, tileN, tileK, stages } = c
  const kIters = c.k / tileK
  /** Atoms of a step, along k; its scales in a row. */
  const atoms = tileK / atomK
  const factors = tileK / block
  return Pallas.kernel(
    {
      name: 'matmul-mxfp8',
      arch: 'sm100a',
      grid: [c.m / tileM, c.n / tileN],
      gridNames: ['m', 'n'],
      computes: {
        _tag: 'matmul',
        a: 'a',
        b: 'b',
        out: 'out',
        accumulator: 'f32',
        blockK: block,
        scales: { a: 'a_scale', b: 'b_scale', block },
      },
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(8, [tileK]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(outDtype), [tileN]))
      const scalesOf = (name: string, rows: number): B.Build<B.Tensor<'e8m0', 4>> =>
        B.tensorParam(name, 'e8m0', [rows / atomRows, c.k / atomK, 32, 16], { role: 'in' })
      return {
        a: yield* B.tensorParam('a', aDtype, [c.m, c.k], { role: 'in' }),
        // column by column: k runs fastest
        b: yield* B.tensorParam('b', bDtype, [c.k, c.n], { role: 'in', strides: [1, c.k] }),
        sa: yield* scalesOf('a_scale', c.m),
        sb: yield* scalesOf('b_scale', c.n),
        out: yield* B.tensorParam('out', outDtype, [c.m, c.n], { role: 'out' }),
        aSmem: yield* Pallas.SMEM('a_smem', aDtype, [stages, tileM, tileK], { transforms }),
        bSmem: yield* Pallas.SMEM('b_smem', bDtype, [stages, tileN, tileK], { transforms }),
        saSmem: yield* Pallas.SMEM('a_scale_smem', 'e8m0', [stages, 1, atoms, 32, 16]),
        sbSmem: yield* Pallas.SMEM('b_scale_smem', 'e8m0', [stages, tileN / atomRows, atoms, 32, 16]),
        outSmem: yield* Pallas.SMEM('out_smem', outDtype, [tileM, tileN], { transforms: outTransforms }),
        accTmem: yield* Pallas.TMEM('acc_tmem', 'f32', [tileM, tileN]),
        saTmem: yield* Pallas.TMEM('a_scale_tmem', 'e8m0', [stages, tileM, factors], {
          layout: scalesLayout,
        }),
        sbTmem: yield* Pallas.TMEM('b_scale_tmem', 'e8m0', [stages, tileN, factors], {
          layout: scalesLayout,
        }),
        // one arrival for each operand's copy
        loaded: yield* Pallas.Barrier('loaded', { numArrivals: 4, numBarriers: stages }),
        consumed: yield* Pallas.Barrier('consumed', { numBarriers: stages, ordersTensorCore: true }),
        done: yield* Pallas.Barrier('done', { ordersTensorCore: true }),
      }
    },
    function* (r) {
      const mi = yield* Pallas.axisIndex('m')
      const ni = yield* Pallas.axisIndex('n')
      const S = i32(stages)
      yield* Pallas.coreMap(
        'per_warp',
        Pallas.WarpMesh({ axisName: 'warp' }),
        { mi, ni },
        function* ({ mi, ni }) {
          const warp = yield* Pallas.axisIndex('warp')

          yield* Pallas.when('memory', eq(warp, i32(0)), function* memory() {
            const bT = Pallas.transposeGmem(r.b)
            const mStart = Pallas.blockStart(mi, tileM)
            const nStart = Pallas.blockStart(ni, tileN)
            const bAtoms = tileN / atomRows
            yield* Pallas.foriLoop('k', kIters, function* (k) {
              const s = yield* B.letIn('slot', rem(k, S))
              yield* Pallas.when('used', ge(k, S), function* () {
                yield* Pallas.barrierWait('wait consumed', r.consumed, s)
              })
              const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, tileK))
              const atom = yield* B.letIn('atom', Pallas.blockStart(k, atoms))
              const zero = [i32(0), i32(0)]
              const aBlock = Pallas.at(r.a, [mStart, kStart], [tileM, tileK])
              const bBlock = Pallas.at(bT, [nStart, kStart], [tileN, tileK])
              const saBlock = Pallas.at(r.sa, [mi, atom, ...zero], [1, atoms, 32, 16])
              const sbBlock = Pallas.at(r.sb, [mul(ni, i32(bAtoms)), atom, ...zero], [bAtoms, atoms, 32, 16])
              yield* Pallas.copyGmemToSmem('copy a', aBlock, slot(r.aSmem, s), r.loaded, s)
              yield* Pallas.copyGmemToSmem('copy b', bBlock, slot(r.bSmem, s), r.loaded, s)
              yield* Pallas.copyGmemToSmem('copy a_scale', saBlock, slot(r.saSmem, s), r.loaded, s)
              yield* Pallas.copyGmemToSmem('copy b_scale', sbBlock, slot(r.sbSmem, s), r.loaded, s)
            })
            // the last products, whose slots are not filled again
            for (let last = 0; last < Math.min(kIters, stages); last++)
              yield* Pallas.barrierWait(
                `wait consumed last ${String(last)}`,
                r.consumed,
                i32((Math.max(0, kIters - stages) + last) % stages),
              )
          })

          yield* Pallas.when('products', eq(warp, i32(1)), function* products() {
            yield* Pallas.foriLoop('k', kIters, function* (k) {
              const s = yield* B.letIn('slot', rem(k, S))
              yield* Pallas.barrierWait('wait loaded', r.loaded, s)
              const saTmem = slot(r.saTmem, s)
              const sbTmem = slot(r.sbTmem, s)
              yield* Pallas.asyncCopyScalesToTmem('copy a_scale to TMEM', slot(r.saSmem, s), saTmem)
              yield* Pallas.asyncCopyScalesToTmem('copy b_scale to TMEM', slot(r.sbSmem, s), sbTmem)
              const bOperand = yield* Pallas.transposeRef('b_smem.T', slot(r.bSmem, s), [1, 0])
              yield* Pallas.tcgen05Mma(
                'tcgen05_mma',
                r.accTmem,
                slot(r.aSmem, s),
                bOperand,
                r.consumed,
                s,
                gt(k, i32(0)),
                { aScale: saTmem, bScale: sbTmem },
              )
            })
            yield* Pallas.tcgen05CommitArrive('commit done', r.done, null)
          })
        },
      )

      yield* Pallas.barrierWait('wait done', r.done, null)
      const { name } = yield* Pallas.threadHere('load acc')
      const acc = yield* Pallas.asyncLoadTmem('load acc', name, r.accTmem, [tileM, tileN])
      yield* Pallas.waitLoadTmem('wait_load_tmem')
      const value = outDtype === 'f32' ? acc : yield* B.letIn('rounded', cast(acc, outDtype))
      yield* B.run('out_smem[...] = acc', { _tag: 'smem.store', destination: r.outSmem, value })
      yield* Pallas.commitSmem('commit_smem')
      const start = [Pallas.blockStart(mi, tileM), Pallas.blockStart(ni, tileN)]
      yield* Pallas.copySmemToGmem('copy out', r.outSmem, Pallas.at(r.out, start, [tileM, tileN]))
      yield* Pallas.waitSmemToGmem('wait out', 0)
    },
  )
}
