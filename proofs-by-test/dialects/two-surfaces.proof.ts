/**
 * One tile of a matmul, written in both surfaces: copies, barriers, and the tensor core of either generation. The programs differ (Pallas
 * brings its frame and counts an arrival for each copy; Triton expects all bytes at once); verdicts, proofs and bits do not.
 */
import type * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../src/dialects/pallas/index.js'
import * as Ttng from '../../src/dialects/ttng/index.js'
import type { Failure } from '../../src/failure.js'
import { randomPatterns } from '../../src/kernels/index.js'
import { TCGEN05 } from '../../src/layouts/tiled.js'
import * as B from '../../src/semantics/writing/builder.js'
import * as X from '../../src/semantics/language/expression.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program, Spec } from '../../src/semantics/language/program.js'
import {
  accumulatorEncoding,
  barrier,
  from,
  mma,
  nvmma,
  rowPerLane,
  thread,
} from './coverage/ttng/operations.js'
import { checked, statementsOf } from './pallas/programs.js'
import { right } from '../either.js'
import { bits } from '../arithmetic.js'

const n = 64
const tileK = 64
const steps = 5
const slots = 2
const k = steps * tileK
const computes: Spec = { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 }
const S = X.i32(slots)
const K = X.i32(steps)

// ---------------------------------------------------------------- Pallas

/** Slots filled ahead by the thread that computes, and refilled as soon as the product that reads them is done. */
const inPallas = (arch: Program['arch'], m: 64 | 128): E.Either<Failure, Program> =>
  B.kernel({ name: 'tile', arch, agents: Pallas.threadAgents('wg', 0), computes }, function* () {
    const transforms = yield* B.fromEither(Pallas.mmaTransforms(16, [tileK, n]))
    const a = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
    const b = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f16', [m, n], { role: 'out' })
    const aSmem = yield* B.sharedMemory('a_smem', 'f16', [slots, m, tileK], transforms)
    const bSmem = yield* B.sharedMemory('b_smem', 'f16', [slots, tileK, n], transforms)
    const outSmem = yield* B.sharedMemory('out_smem', 'f16', [m, n], transforms)
    const loaded = yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: slots })
    const done = yield* Pallas.Barrier('done', { numBarriers: 1, ordersTensorCore: true })
    const acc = arch === 'sm90a' ? yield* Pallas.ACC('acc', 'wg', 'f32', [m, n]) : null
    const accTmem = arch === 'sm100a' ? yield* Pallas.TMEM('acc_tmem', 'f32', [m, n]) : null

    const fetch = (label: string, step: X.Int, slot: X.Int, when?: X.Condition): B.Build<void> =>
      B.block(function* () {
        const start = Pallas.blockStart(step, tileK)
        const options = when === undefined ? {} : { when }
        const aSlice = Pallas.at(a, [X.i32(0), start], [m, tileK])
        const bSlice = Pallas.at(b, [start, X.i32(0)], [tileK, n])
        yield* Pallas.copyGmemToSmem(`${label} a`, aSlice, X.slot(aSmem, slot), loaded, slot, options)
        yield* Pallas.copyGmemToSmem(`${label} b`, bSlice, X.slot(bSmem, slot), loaded, slot, options)
      })

    const body = function* (): B.Steps<void> {
      if (acc !== null) yield* Pallas.initAccumulator('zero acc', acc)
      for (let s = 0; s < slots; s++) yield* fetch(`fetch ${String(s)}`, X.i32(s), X.i32(s))
      yield* B.forRange(
        {
          label: 'k',
          from: X.i32(0),
          to: K,
          carried: { full: Pallas.freshParities, over: Pallas.freshParities },
        },
        function* (step, { full, over }) {
          const slot = yield* B.letIn('slot', X.rem(step, S))
          const next = yield* Pallas.barrierWait('wait loaded', loaded, slot, full)
          const [x, y] = [X.slot(aSmem, slot), X.slot(bSmem, slot)]
          let after = over
          if (acc !== null) {
            yield* Pallas.wgmma('wgmma', acc, x, y)
            yield* Pallas.wgmmaWait('wgmma_wait', 0)
          }
          if (accTmem !== null) {
            yield* Pallas.tcgen05Mma('tcgen05_mma', accTmem, x, y, done, X.i32(0), X.gt(step, X.i32(0)))
            after = yield* Pallas.barrierWait('wait done', done, X.i32(0), over)
          }
          const ahead = X.add(step, S)
          yield* fetch('refill', ahead, slot, X.lt(ahead, K))
          return { full: next, over: after }
        },
      )
      if (acc !== null) {
        const sum = yield* Pallas.readAccumulator('acc[...]', acc)
        yield* B.run('out_smem[...]', { _tag: 'smem.store', destination: outSmem, value: X.cast(sum, 'f16') })
      }
      if (accTmem !== null) {
        const sum = yield* Pallas.asyncLoadTmem('load acc', 'wg', accTmem, [m, n], TCGEN05)
        yield* Pallas.waitLoadTmem('wait_load_tmem')
        yield* B.run('out_smem[...]', { _tag: 'smem.store', destination: outSmem, value: X.cast(sum, 'f16') })
      }
      yield* Pallas.commitSmem('commit_smem')
      yield* Pallas.copySmemToGmem('copy out', outSmem, Pallas.at(out, [X.i32(0), X.i32(0)], [m, n]))
      yield* Pallas.waitSmemToGmem('wait out', 0)
    }
    yield* Pallas.threads(arch === 'sm90a' ? [loaded] : [loaded, done], [{ name: 'wg', body }])
  })

// ---------------------------------------------------------------- Triton

const inTriton = (arch: Program['arch'], m: 64 | 128): E.Either<Failure, Program> =>
  B.kernel({ name: 'tile', arch, agents: [thread], computes }, function* () {
    const shared = nvmma(128)
    const a = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
    const b = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
    const out = yield* B.tensorParam('out', 'f16', [m, n], { role: 'out' })
    const aDesc = yield* Ttng.hostTensorDescriptor('a_desc', a, [m, tileK], shared)
    const bDesc = yield* Ttng.hostTensorDescriptor('b_desc', b, [tileK, n], shared)
    const outDesc = yield* Ttng.hostTensorDescriptor('out_desc', out, [m, n], shared)
    const x = yield* Ttng.localAlloc('x', [slots, m, tileK], 'f16', shared)
    const y = yield* Ttng.localAlloc('y', [slots, tileK, n], 'f16', shared)
    const z = yield* Ttng.localAlloc('z', [m, n], 'f16', shared)
    const full: ReadonlyArray<X.Barrier<'ptx', true>> = yield* B.sequence([
      barrier('full0'),
      barrier('full1'),
    ])
    const done = yield* barrier('done')
    for (const [i, f] of full.entries()) yield* Ttng.initBarrier(`init full${String(i)}`, f, 1)
    yield* Ttng.initBarrier('init done', done, 1)
    const layout = arch === 'sm90a' ? yield* mma(n) : yield* rowPerLane(n)
    const zero = X.splat<'f32', 2>(X.float('f32', 0), [m, n], layout)

    const fetch = (label: string, step: X.Int, s: number, when: X.Condition): B.Build<void> =>
      B.block(function* () {
        const start = X.mul(step, X.i32(tileK))
        const into = { x: X.slot(x, X.i32(s)), y: X.slot(y, X.i32(s)) }
        yield* Ttng.barrierExpect(`${label} expect`, full[s]!, 2 * tileK * (m + n), { when })
        yield* Ttng.asyncTmaCopyGlobalToLocal(`${label} x`, aDesc, [X.i32(0), start], into.x, full[s]!, {
          when,
        })
        yield* Ttng.asyncTmaCopyGlobalToLocal(`${label} y`, bDesc, [start, X.i32(0)], into.y, full[s]!, {
          when,
        })
      })
    for (let s = 0; s < slots; s++) yield* fetch(`fetch ${String(s)}`, X.i32(s), s, X.i1(true))

    let value: X.Tile<'f32', 2>
    if (arch === 'sm90a') {
      let acc = yield* Ttng.inFlight('acc', zero, from)
      for (let step = 0; step < steps; step++) {
        const s = step % slots
        yield* Ttng.waitBarrier('wait full', full[s]!, X.i32(Math.floor(step / slots) % 2))
        const [p, q] = [X.slot(x, X.i32(s)), X.slot(y, X.i32(s))]
        const dot = yield* Ttng.warpGroupDot('dot', p, q, acc, { from, isAsync: true })
        const [waited] = yield* Ttng.warpGroupDotWait('wait dot', [dot], { pendings: 0 })
        acc = waited!
        yield* fetch('refill', X.i32(step + slots), s, X.i1(step + slots < steps))
      }
      const [sum] = yield* Ttng.warpGroupDotWait('wait all', [acc], { pendings: 0, layout })
      value = sum!
    } else {
      yield* Ttng.tcgen5GlobalAlloc('tensor memory', 64)
      const { result: acc } = yield* Ttng.tmemAlloc('acc', 'f32', [m, n], {
        encoding: accumulatorEncoding(n),
      })
      for (let step = 0; step < steps; step++) {
        const s = step % slots
        yield* Ttng.waitBarrier('wait full', full[s]!, X.i32(Math.floor(step / slots) % 2))
        const [p, q] = [X.slot(x, X.i32(s)), X.slot(y, X.i32(s))]
        yield* Ttng.tcGen5Mma('mma', p, q, acc, X.i1(step > 0), {
          isAsync: true,
          barriers: [{ barrier: done }],
        })
        yield* Ttng.waitBarrier('wait done', done, X.i32(step % 2))
        yield* fetch('refill', X.i32(step + slots), s, X.i1(step + slots < steps))
      }
      value = (yield* Ttng.tmemLoad('load acc', acc, layout, { from })).result
      yield* Ttng.tcgen5GlobalDealloc('free', 64)
    }
    yield* Ttng.localStore('store', X.cast(value, 'f16'), z)
    yield* Ttng.fenceAsyncShared('fence')
    yield* Ttng.asyncTmaCopyLocalToGlobal('copy out', outDesc, [X.i32(0), X.i32(0)], z)
    yield* Ttng.asyncTmaStoreWait('wait out', 0)
  })

// ---------------------------------------------------------------- the same

const shown = (program: Program): { readonly verdict: string; readonly out: ReadonlyArray<number> } => {
  const rows = program.arch === 'sm90a' ? 64 : 128
  const tensors = new Map([
    ['a', randomPatterns('f16', 7, 0, rows * k)],
    ['b', randomPatterns('f16', 7, 1, k * n)],
  ])
  const { verdict, world, machine } = checked(
    program,
    {},
    bits(program.arch === 'sm90a' ? 'hopper' : 'blackwell'),
    tensors,
  )
  const { proved, inOrder } = verdict.provenance ?? { proved: false, inOrder: false }
  return {
    verdict: [
      verdict.verdict,
      verdict.decidedBy,
      verdict.findings.length,
      verdict.notes.length,
      proved,
      inOrder,
    ].join(' '),
    out: [...(readTensor(world, machine, 'out') ?? [])],
  }
}

const instructions = (program: Program): ReadonlySet<string> =>
  new Set(statementsOf(program.entry).flatMap((s) => (s._tag === 'Do' ? [s.instruction._tag] : [])))

describe.each([
  ['sm90a', 64, 'wgmma.mma'],
  ['sm100a', 128, 'tcgen05.mma'],
] as const)('one tile on %s', (arch, m, product) => {
  const programs = [right(inPallas(arch, m)), right(inTriton(arch, m))] as const
  test('copies, barriers and products in both', () => {
    for (const program of programs)
      for (const used of [
        'mbarrier.init',
        'mbarrier.arriveExpectTx',
        'tma.load',
        'mbarrier.wait',
        product,
        'tma.store',
      ])
        expect(instructions(program)).toContain(used)
  })
  test('the same verdict, the same proof and the same bits', () => {
    const [p, t] = programs.map(shown)
    expect(p!.verdict).toBe('ok one-schedule 0 0 true true')
    expect(t!.verdict).toBe(p!.verdict)
    expect(p!.out.some((v) => v !== 0)).toBe(true)
    expect(t!.out).toEqual(p!.out)
  })
})
