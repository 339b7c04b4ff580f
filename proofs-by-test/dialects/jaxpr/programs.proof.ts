/**
 * An export against a kernel that was written by hand: the same effects in the same order in every thread.
 *
 * fa3-attention and JAX's attention differ in two statements of each thread: JAX allocates in two scopes, one in the other, and the threads meet on
 * entering each.
 */
import { expect, test } from 'vitest'
import { causal, fa3Attention, noMask } from '../../../src/kernels/attention/index.js'
import { effectsOf, type Program } from '../../../src/semantics/language/program.js'
import { right } from '../../either.js'
import { base } from '../../kernels/attention/attending.js'
import { exported, programOf } from './shipped.js'

/** What each thread does, without the scopes that it enters. */
const effects = (program: Program, thread: string): ReadonlyArray<string> =>
  effectsOf(program.entry.body).flatMap(({ site, instruction }) =>
    site.path[0] !== thread || site.label === 'enter' ? [] : [instruction._tag],
  )

test.each([
  ['attention_f16_causal_256x256x2x1x64', causal()],
  ['attention_f16_full_128x384x1x1x128', noMask],
] as const)('%s', (name, mask) => {
  const c = name.includes('causal') ? { q: 256, kv: 256, heads: 2 } : { q: 128, kv: 384, headDim: 128 }
  const ours = right(fa3Attention({ ...base, ...c, mask }))
  const theirs = programOf(exported('0.11.2', name))
  for (const thread of ['wg0', 'wg1', 'wg2']) {
    expect(effects(ours, thread).length).toBeGreaterThan(10)
    expect(effects(theirs, thread)).toEqual(effects(ours, thread))
  }
  const entered = effectsOf(theirs.entry.body).filter((s) => s.site.label === 'enter')
  expect(entered.map((s) => s.site.path[0])).toEqual(['wg0', 'wg0', 'wg1', 'wg1', 'wg2', 'wg2'])
})
