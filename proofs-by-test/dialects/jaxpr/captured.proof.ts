/**
 * Kernels that ship with JAX, exported unchanged: every bit of what an H100 computed (JAX 0.11.2, `conformance/kernels`), and verdicts.
 *
 * The published attention ends its first blocks under a causal mask while copies are under way where it fetches more keys than there are: U2.
 * What JAX 0.10.2 exports adds rows up in one partial sum, and has other bits in two elements.
 */
import { describe, expect, test } from 'vitest'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { asCaptured, exported, matmul, programOf } from './shipped.js'

const product = (name: string, suffix: string): Readonly<Record<string, string>> => ({
  a_gmem: `${name}_a${suffix}`,
  b_gmem: `${name}_b${suffix}`,
  out_gmem: `${name}_out${suffix}`,
})
const attention = (name: string): Readonly<Record<string, string>> => ({
  q_ref: `${name}_q`,
  k_ref: `${name}_k`,
  v_ref: `${name}_v`,
  out_ref: `${name}_out`,
  lse_ref: `${name}_lse`,
})

const ok = { verdict: 'ok', findings: [] }
const [f16, bf16] = ['matmul_f16_256x256x256', 'matmul_bf16_512x512x1024'] as const
const lse = { out_ref: 0, lse_ref: 0 }
const all = [
  [f16, product(f16, ''), { ...ok, differ: { out_gmem: 0 } }],
  ['attention_f16_causal_256x256x2x1x64', null, { ...ok, differ: lse }],
  [bf16, product(bf16, '_bf16bits'), { ...ok, differ: { out_gmem: 0 } }],
  ['attention_f16_full_128x384x1x1x128', null, { ...ok, differ: lse }],
  ['attention_f16_full_256x256x1x1x64_b128x64', null, { ...ok, differ: lse }],
  ['attention_f16_full_256x256x2x1x64', null, { ...ok, differ: { out_ref: 0 } }],
  [
    'attention_f16_causal_256x256x1x1x128_b64x128',
    null,
    { verdict: 'hazard', findings: ['U2'], differ: lse },
  ],
] as const

describe('every bit', () => {
  test.each(sampled(7, all).map((one) => [one[0], one] as const))('%s', (name, [, files, wanted]) => {
    expect(asCaptured(programOf(exported('0.11.2', name)), files ?? attention(name))).toEqual(wanted)
  })
  test.skipIf(!nightly)('JAX 0.10.2: two elements of out, by another order of the sums', () => {
    const name = 'attention_f16_full_256x256x2x1x64'
    expect(asCaptured(programOf(exported('0.10.2', name)), attention(name)).differ).toEqual({ out_ref: 2 })
  })
})

describe('out = a @ b', () => {
  test.each(
    sampled(5, [
      ['0.11.2', 'matmul_f16_256x256x256_sms3'],
      ['0.11.2', 'matmul_f16_256x256x128_cluster'],
      ['0.11.2', f16],
      ['0.10.2', f16],
      ['0.11.2', bf16],
    ] as const),
  )('JAX %s %s', (version, name) => {
    const program = programOf(exported(version, name), matmul)
    const { verdict } = right(check(program, { ...standardOptions, explore: false, fuel: 1e7 }))
    expect(verdict.verdict).toBe('ok')
    expect(verdict.provenance?.text).toContain('out_gmem = a_gmem @ b_gmem for all inputs')
  })
})
