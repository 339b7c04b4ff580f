/**
 * Hopper matmul: out = a @ b with a TMA ring, wgmma, and a store through shared memory.
 *
 * One block computes one (tileM, tileN) tile of the output with two threads. `memory` keeps a ring of `stages` slots full;
 * `compute` multiplies slot after slot into an accumulator and gives a slot back once the multiplication that read it is known
 * to be done, which is one step late: while step k runs, step k - 1 is waited for.
 *
 *     memory    k:  wait consumed[k mod S] (from k = S on)   copy a, b -> slot k mod S, loaded[k mod S]
 *     compute   k:  wait loaded[k mod S]   wgmma slot k mod S   wgmma_wait 1   arrive consumed[(k - 1) mod S]
 *     compute  end: read the accumulator, cast, store to SMEM, commit, copy to GMEM, wait
 *
 * `consumed` is signalled exactly as often as it is awaited: for the steps whose slot is filled again.
 *
 * Source: JAX docs, Pallas:MGPU reference (pipelining, wgmma, asynchronous copies).
 */
import * as E from 'fp-ts/lib/Either.js'
import * as Pallas from '../../dialects/pallas/index.js'
import { refuse, type Failure } from '../../failure.js'
import { bitsOf } from '../../numerics/dtype.js'
import * as B from '../../semantics/builder.js'
import { add, cast, ge, i32, and, lt, rem, slot, sub } from '../../semantics/expression.js'
import type { Program } from '../../semantics/program.js'

export interface HopperMatmul {
  readonly dtype: 'f16' | 'bf16'
  readonly m: number
  readonly n: number
  readonly k: number
  readonly tileM: number
  readonly tileN: number
  readonly tileK: number
  /** slots of the ring */
  readonly stages: number
}

/** Why these settings are no kernel, or null. */
const illegal = (c: HopperMatmul): string | null => {
  const positive = (['m', 'n', 'k', 'tileM', 'tileN', 'tileK', 'stages'] as const).find(
    (name) => !Number.isInteger(c[name]) || c[name] < 1,
  )
  if (positive !== undefined) return `${positive} is ${String(c[positive])}: expected a positive integer`
  if (c.tileM % 64 !== 0)
    return `tileM is ${String(c.tileM)}: expected a multiple of 64, the rows of one wgmma`
  if (c.tileN % 16 !== 0 || c.tileN > 256)
    return `tileN is ${String(c.tileN)}: expected a multiple of 16, at most 256`
  if (c.tileK % 16 !== 0) return `tileK is ${String(c.tileK)}: expected a multiple of 16, the k of one wgmma`
  if (c.stages < 2)
    return `stages is ${String(c.stages)}: expected at least 2, since a slot is given back one step after it is read`
  for (const [size, tile, s, t] of [
    ['m', 'tileM', c.m, c.tileM],
    ['n', 'tileN', c.n, c.tileN],
    ['k', 'tileK', c.k, c.tileK],
  ] as const)
    if (s % t !== 0) return `${size} is ${String(s)}: expected a multiple of ${tile}, which is ${String(t)}`
  return null
}

/** The kernel. Refuses sizes that the tiles do not divide and tiles that wgmma, TMA or shared memory do not take. */
export const hopperMatmul = (c: HopperMatmul): E.Either<Failure, Program> => {
  const why = illegal(c)
  if (why !== null) return refuse('kernel.settings', `hopper-matmul: ${why}`)
  const kSteps = c.k / c.tileK
  return B.kernel(
    {
      name: 'hopper-matmul',
      arch: 'sm90a',
      grid: [c.m / c.tileM, c.n / c.tileN],
      agents: [B.warpgroup('compute', 0), B.warpgroup('memory', 1)],
      computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
    },
    function* () {
      const transforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(c.dtype), [c.tileK, c.tileN]))
      const outTransforms = yield* B.fromEither(Pallas.mmaTransforms(bitsOf(c.dtype), [c.tileN]))

      const a = yield* B.tensorParam('a', c.dtype, [c.m, c.k], { role: 'in' })
      const b = yield* B.tensorParam('b', c.dtype, [c.k, c.n], { role: 'in' })
      const out = yield* B.tensorParam('out', c.dtype, [c.m, c.n], { role: 'out' })
      const aSmem = yield* B.sharedMemory('a_smem', c.dtype, [c.stages, c.tileM, c.tileK], transforms)
      const bSmem = yield* B.sharedMemory('b_smem', c.dtype, [c.stages, c.tileK, c.tileN], transforms)
      const outSmem = yield* B.sharedMemory('out_smem', c.dtype, [c.tileM, c.tileN], outTransforms)
      const acc = yield* Pallas.ACC('acc', 'compute', 'f32', [c.tileM, c.tileN])
      // one arrival for each operand's copy
      const loaded = yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: c.stages })
      const consumed = yield* Pallas.Barrier('consumed', { numBarriers: c.stages })

      const mStart = yield* B.letIn('m_start', Pallas.blockStart(Pallas.programId(0), c.tileM))
      const nStart = yield* B.letIn('n_start', Pallas.blockStart(Pallas.programId(1), c.tileN))
      const K = i32(kSteps)
      const S = i32(c.stages)

      const compute = function* (): Generator<B.Step, void, B.State> {
        yield* Pallas.initAccumulator('zero acc', acc)
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const next = yield* Pallas.barrierWait('wait loaded', loaded, s, parities)
            yield* Pallas.wgmma('wgmma', acc, slot(aSmem, s), slot(bSmem, s))
            yield* Pallas.wgmmaWait('wgmma_wait 1', 1)
            const before = yield* B.letIn('before', sub(k, i32(1)))
            const refilled = and(ge(k, i32(1)), lt(add(before, S), K))
            yield* Pallas.barrierArrive('arrive consumed', consumed, rem(add(before, S), S), refilled)
            return { parities: next }
          },
        )
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        const rounded = yield* B.letIn('rounded', cast(sum, c.dtype))
        yield* B.run('out_smem[...] = acc', { _tag: 'smem.store', destination: outSmem, value: rounded })
        yield* Pallas.commitSmem('commit_smem')
        yield* Pallas.copySmemToGmem(
          'copy out',
          outSmem,
          Pallas.at(out, [mStart, nStart], [c.tileM, c.tileN]),
        )
        yield* Pallas.waitSmemToGmem('wait out', 0)
      }

      const memory = function* (): Generator<B.Step, void, B.State> {
        yield* B.forRange(
          { label: 'k', from: i32(0), to: K, carried: { parities: Pallas.freshParities } },
          function* (k, { parities }) {
            const s = yield* B.letIn('slot', rem(k, S))
            const full = ge(k, S)
            const next = yield* Pallas.barrierWait('wait consumed', consumed, s, parities, full)
            const kStart = yield* B.letIn('k_start', Pallas.blockStart(k, c.tileK))
            yield* Pallas.copyGmemToSmem(
              'copy a',
              Pallas.at(a, [mStart, kStart], [c.tileM, c.tileK]),
              slot(aSmem, s),
              loaded,
              s,
            )
            yield* Pallas.copyGmemToSmem(
              'copy b',
              Pallas.at(b, [kStart, nStart], [c.tileK, c.tileN]),
              slot(bSmem, s),
              loaded,
              s,
            )
            return { parities: next }
          },
        )
      }

      yield* Pallas.threads(
        [loaded, consumed],
        [
          { name: 'compute', body: compute },
          { name: 'memory', body: memory },
        ],
        // each thread is one agent, so they would order nothing; without them the listing is the kernel as it is explained
        { unsafeNoAutoBarriers: true },
      )
    },
  )
}
