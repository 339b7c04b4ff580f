/** With products in vectors or without them, a kernel of the catalogue has the same verdict, all of it, and the same output. */
import { expect, test } from 'vitest'
import * as fast from '../../src/fast/index.js'
import { cutDownTo, instanceOf, kernels } from '../../src/kernels/catalogue/index.js'
import { randomCarriers } from '../../src/kernels/reference-inputs.js'
import { shapeOf, tensorsOf } from '../../src/kernels/reference.js'
import type { Algebra } from '../../src/numerics/algebra.js'
import { bits } from '../../src/numerics/bits.js'
import { isFloat } from '../../src/numerics/dtype.js'
import { elementOf, field } from '../../src/numerics/field.js'
import { check, standardOptions } from '../../src/semantics/verdict/check.js'
import { readTensor } from '../../src/semantics/execution/launch.js'
import type { Program } from '../../src/semantics/language/program.js'
import { nightly, sampled } from '../extent.js'
import { right } from '../either.js'

const ran = (program: Program, algebra: Algebra): readonly [unknown, ReadonlyArray<unknown>] => {
  const tensors = new Map(
    tensorsOf(program)
      .filter((p) => p.role === 'in')
      .map((p, index): readonly [string, Float64Array] => {
        const size = (shapeOf(p) ?? []).reduce((n, x) => n * x, 1)
        if (algebra.name === 'field' && isFloat(p.dtype))
          return [p.name, Float64Array.from({ length: size }, (_, i) => elementOf(0, index, i))]
        return [p.name, randomCarriers(algebra, p.dtype, 0, index, size)]
      }),
  )
  const { verdict, world, machine } = right(
    check(program, {
      ...standardOptions,
      algebra,
      arguments: { scalars: new Map(), tensors },
      explore: false,
    }),
  )
  return [
    verdict,
    tensorsOf(program)
      .filter((p) => p.role !== 'in')
      .map((p) => readTensor(world, machine, p.name)),
  ]
}

/** By day as small as the kernel can be, two steps of one tile, and over one of the algebras, each in its turn. */
// by day every second kernel
test.each(sampled(2, kernels).map((kernel, i) => [kernel.name, kernel, i] as const))('%s', (_, kernel, i) => {
  const small = { n: 64, k: 128, stages: 2 }
  // the scales of a block-scaled product come in atoms of 128
  const least = kernel.name === 'matmul-mxfp8' ? { n: 128 } : {}
  const given = Object.fromEntries(
    Object.entries({ ...small, ...least }).filter(([name]) => kernel.parameters.some((p) => p.name === name)),
  )
  const { program } = right(nightly ? instanceOf(kernel, given, []) : cutDownTo(kernel, 2, 1))
  const chip = program.arch === 'sm100a' ? 'blackwell' : 'hopper'
  const pairs = [
    [fast.bits(chip), bits(chip)],
    [fast.bits('ieee32'), bits('ieee32')],
    [fast.field(0), field(0)],
  ] as const
  for (const [x, y] of pairs.filter((_pair, at) => nightly || at === i % 3))
    expect(ran(program, x)).toEqual(ran(program, y))
})
