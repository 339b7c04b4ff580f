/**
 * No closure is in a machine, whatever its agents stand ready for: a copy of the machine by value, as a thread would be sent it, is another machine with the same parts.
 *
 * Oracle: `structuredClone`, which refuses functions. The kernels are one of the core, and one of PTX that makes its tensor maps itself: its copies stand ready before the map is read.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { ptxSubject } from '../../../src/oracle/cli/ptx.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import * as Run from '../../../src/semantics/execution/run.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { right } from '../../either.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'

/** The first machine of each kind of effect that an agent stands ready for. */
const machinesOf = (world: World, machine: Machine): ReadonlyMap<string, Machine> => {
  const seen = new Map<string, Machine>()
  const look = (m: Machine): void => {
    for (const { ready } of m.agents) {
      const tag = ready?._tag === 'do' ? ready.prepared._tag : 'none'
      if (!seen.has(tag)) seen.set(tag, structuredClone(m))
    }
  }
  const nothing = (): void => {}
  look(machine)
  Run.run(
    world,
    machine,
    {
      policy: eager,
      fuel: 4000,
      keepSchedule: false,
      transient: false,
      watch: { begun: look, stepped: look, ended: nothing },
    },
    Run.ignore,
  )
  return seen
}

test('of a program of the core', () => {
  const { program } = right(instanceOf(right(kernelNamed('hopper-matmul')), {}, []))
  const l = right(launch(program, unit, noArguments))
  const tags = [...machinesOf(l.world, l.machine).keys()]
  expect(tags).toEqual(expect.arrayContaining(['tma.load', 'mbarrier.wait', 'wgmma.mma']))
})

test('of PTX whose copies read their maps when they are issued', () => {
  const at = new URL('../../../conformance/hopper/cuda/device_tensormap/', import.meta.url)
  const files = ['device_tensormap.ptx', 'launch.json', 'given.npy', 'x.npy', 'y.npy']
  const world = worldOf(
    inMemory(new Map(files.map((f) => [f, new Uint8Array(readFileSync(new URL(f, at)))]))),
  )
  const { source, algebra } = right(ptxSubject(world, 'device_tensormap.ptx', { launch: 'launch.json' }))
  const l = right(source.launch(algebra, noArguments))
  expect([...machinesOf(l.world, l.machine).keys()]).toContain('tensormap.through')
})
