/**
 * Kernels beyond products and attention, and Gluon's: what an H100 left in every output of each, bit for bit. The same texts ran there
 * (`conformance/triton/beyond.py --run`, `gluon/make.py capture`); outputs held zeros before.
 */
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { launched } from '../../../src/oracle/launch/launched.js'
import { inputsOf, outputOf } from '../../../src/oracle/cli/tensors.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { bits } from '../../arithmetic.js'
import { right } from '../../either.js'
import { sampled } from '../../extent.js'

const folder = (path: string): string =>
  fileURLToPath(new URL(`../../../conformance/triton/${path}/`, import.meta.url))

interface Ran {
  readonly name: string
  readonly module: string
  readonly launch: string
}
const ran = (captures: string, texts: string): ReadonlyArray<Ran> =>
  readdirSync(folder(captures)).flatMap((name) =>
    readdirSync(`${folder(captures)}${name}`).some((f) => f.endsWith('.npy'))
      ? [
          {
            name,
            module: `${folder(texts)}${name}.ttgir`,
            launch: `${folder(captures)}${name}/launch.json`,
          },
        ]
      : [],
  )
const every = [...ran('beyond/captures', 'beyond'), ...ran('gluon/launches', 'gluon/texts')]
const all = sampled(4, every)

/** Refused, with the reason. */
const refused: Readonly<Record<string, RegExp>> = {
  last_one:
    /tt\.atomic_rmw: expected an atomic operation whose order is modelled in TTGIR .*, found sem = acq_rel/,
  locked:
    /tt\.atomic_cas: expected an atomic operation whose order is modelled in TTGIR .*, found sem = acq_rel/,
}

describe('what the chip left', () => {
  it('of forty-eight kernels and six', () => {
    expect(every.length).toBe(54)
    for (const { module } of every) expect(existsSync(module)).toBe(true)
  })
  it.each(every.filter(({ name }) => name in refused))(
    '$name is refused',
    ({ name, module, launch: file }) => {
      const found = launched(onDisk)(module, { launch: file })
      expect(E.isLeft(found) ? found.left.message : 'launched').toMatch(refused[name]!)
    },
  )
  it.each(all.filter(({ name }) => !(name in refused)))('$name', ({ module, launch: file }) => {
    const { program, inputs, expected } = right(launched(onDisk)(module, { launch: file }))
    const algebra = bits('hopper', 'triton')
    const brought = new Map([...inputs].map(([name, { tensor }]) => [name, tensor]))
    const given = {
      scalars: new Map(),
      tensors: right(inputsOf(program, algebra, { _tag: 'bits' }, brought)),
    }
    const { world, machine } = right(launch(program, algebra, given))
    const { outcome, machine: end } = run(world, machine, settings(eager), ignore)
    expect(outcome).toEqual({ _tag: 'completed' })
    expect(expected.size).toBeGreaterThan(0)
    for (const [name, { tensor: wanted }] of expected) {
      const found = right(outputOf(program, { _tag: 'bits' }, name, readTensor(world, end, name)))
      const other = [...found.bits].flatMap((x, i) => (x === wanted.bits[i] ? [] : [i]))
      expect([name, other]).toEqual([name, []])
    }
  })
})
