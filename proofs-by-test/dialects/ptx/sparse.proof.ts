/**
 * `wgmma.mma_async.sp`, and `wgmma` on single bits, from their text: the kernels of the capture leave what an H100 left, through descriptors drawn at random; and what
 * the metadata are to the judgement.
 *
 * By day one tuple of some forms, by night all.
 */
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { shadow } from '../../../src/numerics/shadow.js'
import { launchWarps, usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { hashOf } from '../../numerics/mma/captured.js'
import { kernelText, leftBytes, sparseForms, tupleOf, type SparseForm } from './sparse-kernels.js'
import { programOf } from './small-text.js'

const argumentsOf = (given: Uint8Array, left: number): Parameters<typeof warpSource>[1] => ({
  grid: [1],
  block: [128],
  cluster: null,
  dynamicBytes: 0,
  parameters: new Uint8Array(16),
  pointers: ['in', 'out'].map((name, i) => ({ offset: 8 * i, tensor: name })),
  tensors: [
    { name: 'in', role: 'in', contents: given, bytes: given.length, elements: null, symbol: null },
    { name: 'out', role: 'out', contents: null, bytes: left, elements: null, symbol: null },
  ],
  sharedBase: usualSharedBase,
})

const hashLeft = (program: ReturnType<typeof programOf>, f: SparseForm, tuple: number): number => {
  const { world, machine, planeOf } = right(
    launchWarps(program, argumentsOf(tupleOf(f, tuple), leftBytes(f)), bits('hopper')),
  )
  const { machine: after, outcome } = run(world, machine, settings(eager), ignore)
  expect(outcome, `${f.name} ${String(tuple)}`).toEqual({ _tag: 'completed' })
  const bytes = new Uint8Array(leftBytes(f))
  Plane.copyOut(after.planes[planeOf.get('out')!]!, 0, bytes.length, bytes)
  return hashOf(new Uint32Array(bytes.buffer))
}

describe('every word that the chip left', () => {
  const kinds = ['numbers', 'any', 'layout', 'bits'] as const
  it.each(kinds)('%s', { timeout: 600_000 }, (kind) => {
    const forms = sampled(
      kind === 'numbers' ? 5 : 1,
      sparseForms.filter((f) => f.kind === kind && (nightly || f.n < 256)),
    )
    for (const [index, f] of forms.entries()) {
      const program = programOf(kernelText(f))
      const tuples = nightly ? Array.from(f.hashes, (_, t) => t) : [(7 * index) % f.hashes.length]
      for (const tuple of tuples)
        expect(hashLeft(program, f, tuple), `${f.name} ${String(tuple)}`).toBe(f.hashes[tuple])
    }
  })
})

describe('the metadata', () => {
  const f = sparseForms.find((x) => x.kind === 'numbers' && x.types[1] === 'f16' && x.selector === '1')!
  const source = kernelText(f)
  const judged = (text: string, over: 'bits' | 'shadow' = 'bits') =>
    right(
      checkSource(warpSource(programOf(text), argumentsOf(tupleOf(f, 0), leftBytes(f))), {
        ...standardOptions,
        algebra: over === 'bits' ? bits('hopper') : shadow(bits('hopper')),
        policy: eager,
        provenance: false,
        explore: false,
      }),
    ).verdict
  const lastLoad = /^ld\.global\.b32 %e, \[%p4\+[0-9]+\];$/mu

  it('are read of the lanes that the selector means, and of no others, when the product is issued', () => {
    expect(judged(source).verdict).toBe('ok')
    // %e held words of the image before; selector 1 reads lanes 2 and 3 of four
    const fresh = source
      .replace('.reg .b32 %e;', '.reg .b32 %e, %g; .reg .pred %q;')
      .replace(/%e, 1,/u, '%g, 1,')
    const loaded = (lanes: string): string =>
      fresh.replace(lastLoad, (line) => `and.b32 %g, %t0, 3;\n${lanes}\n@%q ${line.replace('%e', '%g')}`)
    expect(judged(loaded('setp.ge.u32 %q, %g, 2;')).reason).not.toContain('metadata')
    expect(judged(loaded('setp.ge.u32 %q, %g, 3;')).verdict).not.toBe('ok')
    // written behind the product, before it is done: it has been read
    expect(judged(source.replace('wgmma.commit', 'mov.b32 %e, 0;\nwgmma.commit')).verdict).toBe('ok')
  })

  it('that nothing has written are found, and such as mean nothing', () => {
    const unwritten = source.replace('.reg .b32 %e;', '.reg .b32 %e, %g;').replace(/%e, 1,/u, '%g, 1,')
    expect(JSON.stringify(judged(unwritten))).toContain(
      'the metadata of row 0 come from an unwritten register',
    )
    const nothing = source.replace(lastLoad, 'mov.b32 %e, 0;')
    expect(JSON.stringify(judged(nothing))).toContain('expected two different numbers of 2 bits')
  })

  it('are not asked over shadow', () => {
    // descriptors come from the input here, so they are made of constants
    const constants = source
      .replace(/^ld\.global\.b64 %x0.*$/mu, 'mov.b64 %x0, 0x1000080000;')
      .replace(/^ld\.global\.b64 %x1.*$/mu, 'mov.b64 %x1, 0x2000080080;')
    expect(judged(constants, 'shadow').verdict).toBe('ok')
  })
})
