/** What the proofs of Hopper's matmuls share: small configurations, what is asked of each, and the captured products. */
import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { expect } from 'vitest'
import type { Failure } from '../../src/failure.js'
import { naiveMatmul } from '../../src/kernels/reference.js'
import { randomPatterns } from '../../src/kernels/reference-inputs.js'
import type { HopperTiles } from '../../src/kernels/hopper/tiles.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program } from '../../src/semantics/language/program.js'
import { checked } from '../dialects/pallas/programs.js'
import { right } from '../either.js'
import { bits } from '../arithmetic.js'

type Make<C> = (c: C) => E.Either<Failure, Program>

/** Steps below, at and above the slots, and more than twice as many; sizes that make odd numbers of tiles. */
export const configurations = (unitM: number, unitN: number): ReadonlyArray<HopperTiles> =>
  [2, 3, 4].flatMap((stages) =>
    [stages - 1, stages, stages + 1, 2 * stages + 1].map((steps, i): HopperTiles => ({
      dtype: stages === 4 ? 'bf16' : 'f16',
      m: unitM * (stages === 2 && i === 3 ? 3 : 1),
      n: unitN * (i % 2 === 0 ? 1 : 3),
      k: steps * (stages === 3 ? 32 : 16),
      tileM: unitM,
      tileN: unitN,
      tileK: stages === 3 ? 32 : 16,
      stages,
    })),
  )

const operands = (c: HopperTiles): ReadonlyMap<string, Float64Array> =>
  new Map([
    ['a', randomPatterns(c.dtype, 1, 0, c.m * c.k)],
    ['b', randomPatterns(c.dtype, 1, 1, c.k * c.n)],
  ])

/** Right for all inputs, in order, decided by one schedule, nothing to remark even strictly; and in bits the naive chain's. */
export const expectMatmul = <C extends HopperTiles>(make: Make<C>, c: C): void => {
  const algebra = bits('hopper')
  const inputs = operands(c)
  const run = checked(right(make(c)), {}, algebra, inputs)
  expect(run.verdict).toMatchObject({
    verdict: 'ok',
    decidedBy: 'one-schedule',
    findings: [],
    notes: [],
    provenance: { proved: true, inOrder: true },
  })
  const types = { operand: c.dtype, accumulator: 'f32', out: c.dtype } as const
  expect(readTensor(run.world, run.machine, 'out')).toEqual(
    right(naiveMatmul(algebra, types, c, inputs.get('a')!, inputs.get('b')!)),
  )
}

// ---------------------------------------------------------------- captured on an H100

const captured = {
  f16: { name: 'matmul_f16_256x256x256', suffix: '', m: 256, n: 256, k: 256 },
  bf16: { name: 'matmul_bf16_512x512x1024', suffix: '_bf16bits', m: 512, n: 512, k: 1024 },
} as const

/** Payload of a file of NumPy's: 16 bits an element after a header of 128 bytes. */
const payload = (name: string, size: number): Float64Array => {
  const file = readFileSync(new URL(`../../conformance/kernels/${name}.npy`, import.meta.url))
  expect(file.length).toBe(128 + 2 * size)
  return Float64Array.from({ length: size }, (_, i) => file.readUInt16LE(128 + 2 * i))
}

/** The kernel gives the captured product, all bits of it; `complete` adds tiles to the sizes. */
export const expectCaptured = <C extends HopperTiles>(
  make: Make<C>,
  dtype: 'f16' | 'bf16',
  complete: (sizes: Pick<HopperTiles, 'dtype' | 'm' | 'n' | 'k'>) => C,
): void => {
  const { name, suffix, m, n, k } = captured[dtype]
  const inputs = new Map([
    ['a', payload(`${name}_a${suffix}`, m * k)],
    ['b', payload(`${name}_b${suffix}`, k * n)],
  ])
  const p = right(make(complete({ dtype, m, n, k })))
  const { verdict, world, machine } = checked(
    p,
    { hazards: false, provenance: false, explore: false, fuel: 1e7 },
    bits('hopper'),
    inputs,
  )
  expect(verdict.verdict).toBe('ok')
  const out = readTensor(world, machine, 'out') ?? new Float64Array(0)
  const wanted = payload(`${name}_out${suffix}`, m * n)
  expect([out.length, out.findIndex((x, i) => x !== wanted[i])]).toEqual([m * n, -1])
}
