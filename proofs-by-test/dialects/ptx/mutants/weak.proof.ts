/**
 * Changes of fences that order strong accesses, and loads that are made weak. Oracle: the store-buffering litmus test of the memory model: of two threads that each store their own flag and then load the
 * other's, both may find 0 unless a `fence.sc` stands between in both. No interleaving shows that, so no search of interleavings may say that a fence is not needed.
 * Of a load its strength counts only where a strong write may be found: the oracle is the definition of morally strong operations.
 */
import { expect, test } from 'vitest'
import { judgingPtx, ptxMutants } from '../../../../src/dialects/ptx/mutants/judge.js'
import { right } from '../../../either.js'
import { groundOfText } from './subjects.js'
import { entering, textOf } from './warps.js'

/** Lane 0 of each of two warps raises its flag, and enters where that of the other is down. */
const raised = entering([
  'st.relaxed.cta.shared.u32 [%r12], 1;',
  'fence.sc.cta;',
  'ld.relaxed.cta.shared.u32 %r14, [%r13];',
])
const fates = (text: string, threads: number): ReadonlyArray<string> => {
  const g = groundOfText(text, threads)
  const judge = judgingPtx(g)
  return right(ptxMutants(g))
    .filter(({ change }) => change.site.kind === 'fence' && change.operator !== 'DUP')
    .map((m) => {
      const j = judge(m)
      return `${m.change.operator} ${j.fate === 'killed' ? j.ids.join() : (j.certificate ?? j.fate)}`
    })
}

test('of two threads that exclude one another by flags: a fence.sc that is left out, or is no fence.sc any more, is a race', () => {
  const all = fates(raised, 64)
  expect(all.length).toBeGreaterThan(1)
  expect(new Set(all.map((line) => line.slice(line.indexOf(' ') + 1)))).toEqual(
    new Set(['D1', 'wider fence']),
  )
})

/** One warp stores a word, both meet, and the other loads it strongly. */
const handed = (store: string): string =>
  textOf([
    `@!%p2 ${store} [%r9], 7;`,
    'bar.sync 0;',
    '@!%p2 bra over;',
    'ld.relaxed.cta.shared.u32 %r6, [%r9];',
    'st.global.u32 [%rd3], %r6;',
    'over:',
  ])
const weakened = (text: string): ReadonlyArray<string> => {
  const g = groundOfText(text, 64)
  const judge = judgingPtx(g)
  return right(ptxMutants(g))
    .filter(
      ({ change: { operator, change, site } }) =>
        operator === 'FLAG' && change === 'weak' && site.opcode.startsWith('ld'),
    )
    .map((m) => {
      const j = judge(m)
      return `${j.verdict} ${j.certificate ?? j.fate}`
    })
}

test.each([
  ['weakly', 'st.shared.u32', 'ok weak writes alone'],
  ['strongly', 'st.relaxed.cta.shared.u32', 'ok all schedules'],
])('a load of what was stored %s, and is in order with it, may be weak', (_, store, said) => {
  expect(weakened(handed(store))).toEqual([said])
})
