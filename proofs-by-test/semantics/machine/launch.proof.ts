/**
 * A launch of what is no core program: a front of the proof's own, which knows addresses and no storage, runs in waves.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { collect, run, settings } from '../../../src/semantics/execution/run.js'
import {
  covering,
  launchWith,
  nextWave,
  readTensor,
  type Launch,
} from '../../../src/semantics/machine/launch.js'
import type { Prepared } from '../../../src/semantics/machine/operation.js'
import { cells, copyOut, write } from '../../../src/semantics/machine/plane.js'
import { barrierAtAddress, storageOfBarrier, type World } from '../../../src/semantics/machine/world.js'
import { right } from '../../either.js'
import { launchOf, scripted } from './scripted.js'

const idle = scripted(() => [])

describe('a launch', () => {
  test('planes and barriers: those of global memory, then those of each CTA', () => {
    const { world } = right(launchWith(launchOf(idle, 2), bits('hopper')))
    expect(
      world.header.planes.map(
        (p) => `${p.space} ${p.name} ${String(p.cta ?? '-')} ${String(p.agent ?? '-')}`,
      ),
    ).toEqual([
      'gmem parameters - -',
      'gmem c - -',
      ...[0, 1, 2, 3].flatMap((cta) => [
        `smem smem ${String(cta)} -`,
        `regs local ${String(cta)} ${String(2 * cta + 1)}`,
      ]),
    ])
    expect([world.planesPerCta, world.barriersPerCta, world.clusterCount, world.resident]).toEqual([
      2, 3, 2, 2,
    ])
    expect(world.header.barriers.slice(3, 5)).toMatchObject([
      { name: 'bar 64', cta: 1, plane: 4, address: 64 },
      { name: 'bar 72', cta: 1, plane: 4, address: 72 },
    ])
    expect([0, 1, 3].map((cta) => barrierAtAddress(world, cta, 128))).toEqual([2, 5, 11])
    expect(barrierAtAddress(world, 1, 80)).toBe(-1)
    expect(storageOfBarrier(world, 11)).toBe('bar')
    expect(world.header.tensors).toEqual([{ name: 'c', plane: 1, dtype: 'i32', shape: [4], strides: [1] }])
  })

  test('contents are bytes where planes are, and nothing where none are', () => {
    const { machine } = right(launchWith(launchOf(idle), bits('hopper')))
    const bytes = new Uint8Array(16)
    copyOut(machine.planes[0]!, 0, 16, bytes)
    expect([...bytes.subarray(0, 4)]).toEqual([1, 2, 3, 4])
    expect(right(launchWith(launchOf(idle), unit)).machine.planes[0]!._tag).toBe('none')
  })

  test('waves: global memory goes on, the memories of CTAs are fresh, and after the last there is none', () => {
    const { world, machine } = right(launchWith(launchOf(idle), bits('hopper')))
    const row = cells('i32', Int32Array.of(0, 4, 8, 12))
    const planes = machine.planes.map((p, i) =>
      i === 1 || i === 2 ? write(p, row, Float64Array.of(5, 6, 7, 8), null) : p,
    )
    const next = nextWave(world, { ...machine, planes })!
    expect(next.wave.clusters).toEqual([1])
    expect([...(readTensor(world, next, 'c') ?? [])]).toEqual([5, 6, 7, 8])
    expect(next.planes[2]).toEqual(machine.planes[2])
    expect(nextWave(world, next)).toBe(null)
  })

  test('runs: one warp makes the barrier at an address ready, both arrive and wait for it, in every cluster', () => {
    const script = (world: World, cta: number, agent: number): ReadonlyArray<Prepared> => {
      const barrier = barrierAtAddress(world, cta, 72)
      const init: ReadonlyArray<Prepared> = agent === 0 ? [{ _tag: 'mbarrier.init', barrier, count: 2 }] : []
      return [
        ...init,
        { _tag: 'bar', id: 1, count: 64, waits: true, aligned: true } as Prepared,
        {
          _tag: 'mbarrier.arrive',
          kind: 'arrive',
          barrier,
          count: 1,
          bytes: 0,
          release: true,
          scope: 'cta',
        } as Prepared,
        {
          _tag: 'mbarrier.wait',
          barrier,
          parity: 0,
          acquire: true,
          scope: 'cta',
          test: false,
        } as unknown as Prepared,
      ]
    }
    const { world, machine } = right(launchWith(launchOf(scripted(script)), bits('hopper')))
    const ran = run(world, machine, settings(eager), collect)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    expect(ran.clusters).toBe(2)
    expect(ran.result.filter((e) => e._tag === 'exit').length).toBe(8)
    expect(
      ran.result
        .filter((e) => e._tag === 'barrier' && e.kind === 'init')
        .map((e) => e._tag === 'barrier' && e.barrier),
    ).toEqual([1, 4, 1, 4])
  })
})

describe('refused', () => {
  test.each<readonly [string, Partial<Launch>, string]>([
    [
      'a plane that is too large',
      { memory: [{ ...launchOf(idle).memory[1]!, bytes: 2 ** 40 }] },
      'launch.bytes',
    ],
    ['data of another size', { tensors: new Map([['c', new Float64Array(3)]]) }, 'launch.tensor'],
    ['data of no tensor', { tensors: new Map([['parameters', new Float64Array(4)]]) }, 'launch.tensor'],
    [
      'too many barriers',
      {
        barriers: Array.from({ length: 2 ** 20 }, (_, i) => ({
          ...launchOf(idle).barriers[0]!,
          address: 8 * i,
        })),
      },
      'launch.barriers',
    ],
  ])('%s', (_, by, code) => {
    expect(launchWith({ ...launchOf(idle), ...by }, bits('hopper'))).toMatchObject({ left: { code } })
  })
  test.each([
    ['launch.grid', [3, 1, 1], 1],
    ['launch.grid', [0, 1, 1], 1],
    ['launch.resident', [2, 1, 1], 0],
    ['launch.resident', [2 ** 20, 1, 1], 2 ** 19],
  ])('%s for the grid %j with %i clusters together', (code, grid, resident) => {
    expect(covering(grid, [2, 1, 1], 2, () => resident)).toMatchObject({ left: { code } })
    expect(E.isRight(covering([4, 1, 1], [2, 1, 1], 2, () => 1))).toBe(true)
  })
})
