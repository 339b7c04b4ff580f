/** Kernels of CUDA C++ as nvcc compiled them leave what they left on an H100, every byte. */
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { launchWarps } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { right } from '../../either.js'
import { fileText, held, kernelNames, launchOf } from './cuda.js'
import { argumentsOf } from './runs.js'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('outputs of an H100', () => {
  for (const kernel of kernelNames)
    it(kernel, () => {
      const module = right(parseModule(fileText(`${kernel}/${kernel}.ptx`)))
      const { program, parameters } = right(elaborate(module, null, `${kernel}.ptx`))
      const { world, machine, planeOf } = right(
        launchWarps(program, argumentsOf(kernel, parameters), bits('hopper')),
      )
      const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
      expect(outcome).toEqual({ _tag: 'completed' })
      for (const output of launchOf(kernel).outputs) {
        const expected = new Uint8Array(held(kernel, `${output}.npy`).bytes)
        const found = new Uint8Array(expected.length)
        Plane.copyOut(after.planes[planeOf.get(output)!]!, 0, found.length, found)
        expect(hex(found)).toBe(hex(expected))
      }
    })
})
