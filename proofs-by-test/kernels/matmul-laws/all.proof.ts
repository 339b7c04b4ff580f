import { expect, test } from 'vitest'
import { statements } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernels } from '../../../src/kernels/catalogue/index.js'
import { plans } from './plans.js'
import { right } from '../../either.js'

test('every matmul of the catalogue has a plan and a manifest of broken forms', () => {
  const matmuls = kernels
    .filter((k) => right(instanceOf(k, {}, [])).program.computes?._tag === 'matmul')
    .map((k) => k.name)
    .sort()
  expect(plans.map((p) => p.kernel).sort()).toEqual(matmuls)
  const broken = new Set(statements.map((b) => b.kernel))
  // attention has its own laws (`../attention`)
  broken.delete('fa3-attention')
  expect([...broken].sort()).toEqual(matmuls)
})
