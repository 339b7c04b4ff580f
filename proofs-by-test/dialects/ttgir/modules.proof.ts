/**
 * The modules of `conformance/triton`, each elaborated and judged at a small launch. Oracle: what their kernels are written to compute,
 * `c = a b`, for all inputs of the shape.
 */
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../src/dialects/ttgir/elaboration/elaborate.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { launched } from './launches.js'
import { moduleFiles } from './modules.js'

const matmuls = moduleFiles.filter((file) => /^mm_(?!scaled)/.test(file))
/** By day those that lie in tensor memory in blocks of 64 rows, and one of each kernel. */
const looked = nightly ? matmuls : matmuls.filter((file) => /64x64x32.*sm100|_ws_64x64x32.*sm90/.test(file))

describe.each(looked)('%s', (file) => {
  it('computes the product, for all inputs', () => {
    const { module, launch, arguments: given, computes } = launched(file)
    const program = right(elaborate(module, { ...launch, computes: computes! }))
    const { verdict } = right(check(program, { ...standardOptions, arguments: given, hazards: false }))
    expect(verdict.provenance).toMatchObject({ proved: true })
  })
})
