/** The rule of a release, and what the detector says of each order: the table of the essay. FA4 as it is written keeps the rule. */
import * as E from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import * as Mojo from '../../../src/dialects/mojo/index.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { right } from '../../either.js'
import { released } from '../coverage/mojo.js'
import { checked } from '../pallas/programs.js'

test.each([
  ['committed', 'commit', true, 'ok', []],
  ['released first', 'commit', false, 'ok', []],
  ['never committed', 'commit', false, 'deadlock', ['B6']],
  ['released first', 'arrive', false, 'hazard', ['W2']],
  ['committed', 'arrive', true, 'hazard', ['W2']],
] as const)('%s, released by %s: kept %s, %s', (order, release, kept, verdict, ids) => {
  const program = right(released(Mojo, order, release))
  const asked = Mojo.releasedAfterCommit(['kv_barriers'])(program)
  expect(E.isRight(asked) ? null : asked.left.code).toBe(kept ? null : 'mojo.release.before-producer-commit')
  const found = checked(program, { strict: false }).verdict
  expect(found.verdict).toBe(verdict)
  expect([...new Set(found.findings.map((f) => f.id))]).toEqual(expect.arrayContaining([...ids]))
})

test('another ring is not asked about', () => {
  expect(E.isRight(Mojo.releasedAfterCommit(['other'])(right(released(Mojo, 'released first'))))).toBe(true)
})

test.each(['shared', 'separate'])(
  'fa4-attention commits every product before it releases, rings %s',
  (rings) => {
    const { program } = right(instanceOf(right(kernelNamed('fa4-attention')), { rings }, []))
    const ids = program.storage.filter((s) => s.contents._tag === 'barriers').map((s) => s.id)
    const ringIds = ids.filter((id) => /^(kv|k|v)_barriers$/.test(id))
    expect(ringIds.length).toBeGreaterThan(0)
    expect(Mojo.releasedAfterCommit(ringIds)(program)).toEqual(E.right(program))
  },
)

test('kv-pipeline has no resource in tensor memory but its end, and does not keep the rule', () => {
  const { program } = right(instanceOf(right(kernelNamed('kv-pipeline')), {}, []))
  expect(E.isLeft(Mojo.releasedAfterCommit(['kv_barriers'])(program))).toBe(true)
})
