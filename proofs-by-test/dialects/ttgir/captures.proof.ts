/**
 * Triton's kernels from their text. Oracle: the outputs of an H100 that ran the same text, bit for bit; and by hand, what is known of the
 * modules: pointer matmuls have no proxy fence between cp.async and wgmma, in warp-specialised ones of 64 rows both consumers store the same tile, with the same values; and where two consumers are
 * made, barriers that nothing waits for lie under a buffer and are never invalidated (`conformance/triton/lowering.json`: no mbarrier.inval).
 * Every matmul is proved to be one for all inputs of its shape, also where tiles leave the tensors.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { unit } from '../../../src/numerics/unit.js'
import { launch, readTensor } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { run, settings, collect } from '../../../src/semantics/execution/run.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { captureNames, captured } from './captures.js'

/** By day one of each kernel is judged, the warp-specialised one by night (and by day as compiled, `compiled.proof.ts`), and two are computed. */
const looked = nightly
  ? captureNames
  : captureNames.filter((name) => /^(mm_ptr_64|mm_persistent_nows_128x128|attn_nows_64x128)/.test(name))

/** What a verdict says, by what is in the module. */
const expectedOf = (name: string): string =>
  name.startsWith('mm_ptr')
    ? 'hazard P1'
    : /_ws_64x64/.test(name)
      ? 'hazard B7 N4'
      : /_ws_128x128/.test(name)
        ? 'hazard B7'
        : 'ok'

describe.each(looked)('%s', (name) => {
  const isMatmul = name.startsWith('mm_')
  const computes = isMatmul ? 'matmul:a,b,c' : undefined
  const { program, arguments: given, output, expected } = captured(name, computes)
  const isComputed = nightly || /^(mm_persistent.*_wide|attn)/.test(name)
  it.runIf(isComputed)('computes what the chip computed', () => {
    const { world, machine } = right(launch(right(program), bits('hopper', 'triton'), given))
    const ran = run(world, machine, settings(eager), collect)
    expect(ran.outcome).toEqual({ _tag: 'completed' })
    const found = readTensor(world, ran.machine, output)!
    expect(found.length).toBe(expected.length)
    expect(found.filter((x, k) => x !== expected[k]).length).toBe(0)
  })
  it('is judged', () => {
    const { verdict } = right(
      check(right(program), {
        ...standardOptions,
        algebra: unit,
        arguments: { scalars: given.scalars, tensors: new Map() },
        provenance: isMatmul,
      }),
    )
    const ids = [...new Set([...verdict.findings, ...verdict.notes].map((f) => f.id))].join(' ')
    expect(`${verdict.verdict} ${ids}`.trim()).toBe(expectedOf(name))
    if (isMatmul) expect(verdict.provenance).toMatchObject({ proved: true, inOrder: true })
  })
})

it('twenty-two launches of matmuls and four of attention are there', () => {
  expect(captureNames.filter((name) => name.startsWith('mm_')).length).toBe(22)
  expect(captureNames.length).toBe(26)
})
