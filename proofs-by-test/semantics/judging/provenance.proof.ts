/**
 * Provenance: what it proves, and that it refuses what is wrong.
 *
 * The oracle is independent: the same program over a prime field with random elements. A wrong polynomial gives the right residues with
 * probability at most 2/p a trial, so `proved` must mean "equal to the naive matmul in two trials", and refused must mean unequal.
 */
import { describe, expect, test } from 'vitest'
import * as Pallas from '../../../src/dialects/pallas/index.js'
import { WGMMA } from '../../../src/layouts/tiled.js'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import { field, unit } from '../../../src/numerics/index.js'
import * as B from '../../../src/semantics/writing/builder.js'
import {
  add,
  cast,
  float,
  i1,
  i32,
  reinterpret,
  slice,
  slot,
  splat,
  sub,
  type Int,
  type View,
} from '../../../src/semantics/language/expression.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { provenance } from '../../../src/semantics/judging/provenance/index.js'
import * as Run from '../../../src/semantics/execution/run.js'
import type { Provenance } from '../../../src/semantics/judging/verdict.js'
import * as Ref from '../../../src/transforms/ref.js'
import * as Transform from '../../../src/transforms/transform.js'
import { right } from '../../either.js'

const [m, n, k, tileK] = [64, 32, 128, 32] as const
const steps = k / tileK

/** A wgmma as such: Pallas would refuse operands that lie under two swizzles. */
const multiply = (
  label: string,
  acc: Pallas.Accumulator,
  a: View<'smem', 'f16', 2>,
  b: View<'smem', 'f16', 2>,
): B.Build<void> =>
  B.block(function* () {
    const how = { scaleD: i1(true), negateA: false, negateB: false }
    yield* B.run(label, { _tag: 'wgmma.mma', accumulator: acc.view, a, b, ...how })
    yield* B.run(`${label}.group`, { _tag: 'wgmma.commitGroup' })
  })

/** One way to write a matmul, and the ways to write it wrong. */
interface Variant {
  /** the k tile of A and of B that step i multiplies */
  readonly aTile: (i: Int) => Int
  readonly bTile: (i: Int) => Int
  readonly from: number
  readonly to: number
  /** the wgmma of a step is issued this often */
  readonly times: number
  /** swizzle under which wgmma reads A */
  readonly readSwizzle: 32 | 64
  readonly plusOne: boolean
  /** halves of the tile that are exchanged on the way out */
  readonly crossed: 'rows' | 'columns' | null
}
const correct: Variant = {
  aTile: (i) => i,
  bTile: (i) => i,
  from: 0,
  to: steps,
  times: 1,
  readSwizzle: 64,
  plusOne: false,
  crossed: null,
}

const transformsOf = (span: 32 | 64): ReadonlyArray<Transform.Transform> => [
  right(Transform.tile([8, span / 2])),
  right(Transform.swizzle(span)),
]

const programOf = (v: Variant): Program =>
  right(
    B.kernel(
      {
        name: 'variant',
        arch: 'sm90a',
        agents: [B.warpgroup('wg', 0)],
        computes: { _tag: 'matmul', a: 'a', b: 'b', out: 'out', accumulator: 'f32', blockK: 16 },
      },
      function* () {
        const a = yield* B.tensorParam('a', 'f16', [m, k], { role: 'in' })
        const b = yield* B.tensorParam('b', 'f16', [k, n], { role: 'in' })
        const out = yield* B.tensorParam('out', 'f16', [m, n], { role: 'out' })
        const aSmem = yield* B.sharedMemory('a_smem', 'f16', [m, tileK], transformsOf(64))
        const bSmem = yield* B.sharedMemory('b_smem', 'f16', [tileK, n], transformsOf(64))
        const outSmem = yield* B.sharedMemory(
          'out_smem',
          'f16',
          [m, n],
          v.crossed === null ? transformsOf(64) : [],
        )
        const acc = yield* Pallas.ACC('acc', 'wg', 'f32', [m, n])
        const loaded = yield* Pallas.Barrier('loaded', { numArrivals: 2, numBarriers: 1 })
        const asRead =
          v.readSwizzle === 64
            ? aSmem
            : reinterpret<'f16', 2, 'smem'>(
                aSmem,
                'f16',
                right(Ref.ofTransforms([m, tileK], 16, transformsOf(32))),
              )
        yield* Pallas.threads(
          [loaded],
          [
            {
              name: 'wg',
              body: function* () {
                yield* Pallas.initAccumulator('zero', acc)
                yield* B.forRange(
                  {
                    label: 'k',
                    from: i32(v.from),
                    to: i32(v.to),
                    carried: { parities: Pallas.freshParities },
                  },
                  function* (i, { parities }) {
                    yield* Pallas.copyGmemToSmem(
                      'copy a',
                      Pallas.at(a, [i32(0), Pallas.blockStart(v.aTile(i), tileK)], [m, tileK]),
                      aSmem,
                      loaded,
                      i32(0),
                    )
                    yield* Pallas.copyGmemToSmem(
                      'copy b',
                      Pallas.at(b, [Pallas.blockStart(v.bTile(i), tileK), i32(0)], [tileK, n]),
                      bSmem,
                      loaded,
                      i32(0),
                    )
                    const next = yield* Pallas.barrierWait('wait', loaded, i32(0), parities)
                    for (let t = 0; t < v.times; t++)
                      yield* multiply(`wgmma ${String(t)}`, acc, asRead, bSmem)
                    yield* Pallas.wgmmaWait('wgmma_wait', 0)
                    return { parities: next }
                  },
                )
                const sum = yield* Pallas.readAccumulator('read', acc)
                const value = v.plusOne ? add(sum, splat(float('f32', 1), [m, n], WGMMA)) : sum
                yield* B.run('store', { _tag: 'smem.store', destination: outSmem, value: cast(value, 'f16') })
                if (v.crossed !== null) {
                  const sizes = v.crossed === 'rows' ? [m / 2, n] : [m, n / 2]
                  const half = (h: number): ReadonlyArray<Int> =>
                    v.crossed === 'rows' ? [i32((h * m) / 2), i32(0)] : [i32(0), i32((h * n) / 2)]
                  for (const h of [0, 1]) {
                    const t = yield* B.smemLoad(`take ${String(h)}`, slice(outSmem, half(h), sizes))
                    const destination = slice(out.view, half(1 - h), sizes)
                    yield* B.run(`put ${String(h)}`, { _tag: 'gmem.store', destination, value: t })
                  }
                  return
                }
                yield* Pallas.commitSmem('commit')
                yield* Pallas.copySmemToGmem('copy out', outSmem, Pallas.at(out, [i32(0), i32(0)], [m, n]))
                yield* Pallas.waitSmemToGmem('wait out', 0)
              },
            },
          ],
        )
      },
    ),
  )

const provenanceOf = (p: Program): Provenance => {
  const l = right(launch(p, unit, { scalars: new Map(), tensors: new Map() }))
  return Run.run(l.world, l.machine, Run.settings(Policy.eager), provenance).result!
}

/** Is the output the naive matmul of random residues, in two trials? */
const isMatmul = (p: Program): boolean =>
  [1, 2].every((seed) => {
    const f = field(seed)
    const a = Float64Array.from({ length: m * k }, (_, i) => f.element(0, i))
    const b = Float64Array.from({ length: k * n }, (_, i) => f.element(1, i))
    const l = right(
      launch(p, f, {
        scalars: new Map(),
        tensors: new Map([
          ['a', a],
          ['b', b],
        ]),
      }),
    )
    const ran = Run.run(l.world, l.machine, Run.settings(Policy.eager), Run.ignore)
    const naive = right(naiveMatmul(f, { operand: 'f16', accumulator: 'f32', out: 'f16' }, { m, n, k }, a, b))
    return readTensor(l.world, ran.machine, 'out')!.every((x, i) => x === naive[i])
  })

const reversed = (i: Int): Int => sub(i32(steps - 1), i)

describe('theorem 1: proved iff equal over the field', () => {
  const cases: ReadonlyArray<readonly [name: string, v: Variant, proved: boolean, says: RegExp]> = [
    ['as written', correct, true, /every k of 0:128 exactly once, added in ascending order$/],
    [
      'k tiles in descending order',
      { ...correct, aTile: reversed, bTile: reversed },
      true,
      /every k of 0:128 exactly once$/,
    ],
    [
      'the last k tile left out',
      { ...correct, to: steps - 1 },
      false,
      /out\[0, 0\], written by copy out, has k-slices 96:128 missing/,
    ],
    ['the first k tile left out', { ...correct, from: 1 }, false, /k-slices 0:32 missing/],
    [
      'every product added twice',
      { ...correct, times: 2 },
      false,
      /k-slices 0:32, 32:64, 64:96, 96:128 repeated|repeated/,
    ],
    [
      'A runs backwards and B does not',
      { ...correct, aTile: reversed },
      false,
      /the operands do not match: k-slice 96 of A with k-slice 0 of B/,
    ],
    ['one tile of A throughout', { ...correct, aTile: () => i32(1) }, false, /the operands do not match/],
    [
      'one tile throughout',
      { ...correct, aTile: () => i32(1), bTile: () => i32(1) },
      false,
      /k-slices 0:32, 64:128 missing, k-slices 32:64.* repeated/,
    ],
    [
      'A read under another swizzle',
      { ...correct, readSwizzle: 32 },
      false,
      /operand A is scrambled: its element \[.*\] is a\[.*\], where a\[.*\] was expected/,
    ],
    [
      'halves of the rows exchanged',
      { ...correct, crossed: 'rows' },
      false,
      /is the sum for row 32 and column 0/,
    ],
    [
      'halves of the columns exchanged',
      { ...correct, crossed: 'columns' },
      false,
      /is the sum for row 0 and column 16/,
    ],
    [
      'one added to the sum',
      { ...correct, plusOne: true },
      false,
      /store writes a value computed by other means than a matrix product/,
    ],
  ]
  for (const [name, v, proved, says] of cases)
    test(name, () => {
      const p = programOf(v)
      const said = provenanceOf(p)
      expect([said.text, said.proved]).toEqual([expect.stringMatching(says), proved])
      expect(isMatmul(p)).toBe(proved)
    })
  test('a sum that starts from anything but zero is not the product', () => {
    const startingFrom = (start: number): Program => {
      const changed = (u: unknown): unknown =>
        typeof u !== 'object' || u === null
          ? u
          : Array.isArray(u)
            ? u.map(changed)
            : '_tag' in u && u._tag === 'splat'
              ? { ...u, x: float('f32', start) }
              : Object.fromEntries(Object.entries(u).map(([key, of]) => [key, changed(of)]))
      return changed(programOf(correct)) as Program
    }
    expect(provenanceOf(startingFrom(0))).toEqual(provenanceOf(programOf(correct)))
    for (const start of [1, -1, 0.5]) {
      const p = startingFrom(start)
      const { proved, text } = provenanceOf(p)
      expect([proved, text]).toEqual([
        false,
        expect.stringMatching(/computed by other means than a matrix product/),
      ])
      expect(isMatmul(p)).toBe(false)
    }
  })
  test('a product of other tensors is not the one that is claimed', () => {
    const p = programOf(correct)
    for (const [claims, says] of [
      [{ a: 'b', b: 'a' }, false],
      [{ a: 'a', b: 'a' }, false],
      [{ a: 'a', b: 'b' }, true],
    ] as const) {
      const said = provenanceOf({ ...p, computes: { ...p.computes!, ...claims } } as Program)
      expect([claims.a, claims.b, said.proved]).toEqual([claims.a, claims.b, says])
      if (!says) expect(said.text).toContain('multiplies other tensors')
    }
  })
  test('ascending order is what theorem 2 needs, and only then is it said', () => {
    expect(provenanceOf(programOf(correct)).inOrder).toBe(true)
    expect(provenanceOf(programOf({ ...correct, aTile: reversed, bTile: reversed })).inOrder).toBe(false)
  })
})

describe('copies', () => {
  /** in -> smem -> out by the agent itself, in two halves; `crossed` exchanges the halves, `half` leaves one out. */
  const copyOf = (which: 'whole' | 'halves' | 'crossed' | 'half' | 'narrow'): Program =>
    right(
      B.kernel(
        {
          name: 'copy',
          arch: 'sm90a',
          agents: [B.warpgroup('wg', 0)],
          computes: { _tag: 'copy', from: 'x', out: 'y' },
        },
        function* () {
          const x = yield* B.tensorParam('x', 'f16', [2, 128], { role: 'in' })
          const y = yield* B.tensorParam('y', 'f16', [2, 128], { role: 'out' })
          const s = yield* B.sharedMemory('s', 'f16', [2, 128])
          const halves = [0, 1]
          for (const h of halves) {
            const t = yield* B.gmemLoad(`load ${String(h)}`, slot(x.view, i32(h)))
            yield* B.run(`keep ${String(h)}`, { _tag: 'smem.store', destination: slot(s, i32(h)), value: t })
          }
          if (which === 'whole') {
            // one read over two writes
            const t = yield* B.smemLoad('both', s)
            yield* B.run('put', { _tag: 'gmem.store', destination: y.view, value: t })
            return
          }
          if (which === 'narrow') {
            const bf = reinterpret(s, 'bf16', right(Ref.ofStrides([2, 128], 16, [128, 1])))
            const t = yield* B.smemLoad('as bf16', bf)
            yield* B.run('put', { _tag: 'gmem.store', destination: y.view, value: cast(t, 'f16') })
            return
          }
          for (const h of which === 'half' ? [0] : halves) {
            const t = yield* B.smemLoad(`fetch ${String(h)}`, slot(s, i32(which === 'crossed' ? 1 - h : h)))
            yield* B.run(`put ${String(h)}`, {
              _tag: 'gmem.store',
              destination: slot(y.view, i32(h)),
              value: t,
            })
          }
        },
      ),
    )
  test('whole, over two writes', () => {
    expect(provenanceOf(copyOf('whole'))).toMatchObject({ proved: true })
  })
  test('in halves', () => {
    expect(provenanceOf(copyOf('halves'))).toMatchObject({ proved: true })
  })
  test('the halves exchanged', () => {
    expect(provenanceOf(copyOf('crossed')).text).toBe('element 0 of y is another element of x')
  })
  test('one half missing', () => {
    expect(provenanceOf(copyOf('half')).text).toBe('element 128 of y is never written')
  })
  test('read as another dtype of the same width', () => {
    expect(provenanceOf(copyOf('narrow'))).toMatchObject({ proved: false })
  })
})
