/**
 * A kernel has one `.cta_group` for its tensor memory. Oracle: what ptxas 13.0 for sm_100a says about the same lines, which is written in each row.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../../src/dialects/ptx/index.js'
import { right } from '../../../either.js'
import { moduleOf } from '../small-text.js'

const declared = `.reg .b32 %r<2>; .reg .b64 %rd<2>;
.shared .align 128 .b8 sm[128]; .shared .align 8 .b64 mb;
ld.param.u64 %rd1, [map]; mov.u32 %r1, 0;`
const permit = (group: 1 | 2): string =>
  `tcgen05.relinquish_alloc_permit.cta_group::${String(group)}.sync.aligned;`
const alloc = (group: 1 | 2): string =>
  `tcgen05.alloc.cta_group::${String(group)}.sync.aligned.shared::cta.b32 [sm], 32;`
const commit = (group: 1 | 2): string =>
  `tcgen05.commit.cta_group::${String(group)}.mbarrier::arrive::one.shared::cluster.b64 [mb];`
const shift = (group: 1 | 2): string => `tcgen05.shift.cta_group::${String(group)}.down [%r1];`
const load = (group: 1 | 2): string =>
  `cp.async.bulk.tensor.2d.cta_group::${String(group)}.shared::cluster.global.mbarrier::complete_tx::bytes [sm], [%rd1, {%r1, %r1}], [mb];`
const called = (group: 1 | 2): string => `.func f() { ${permit(group)} ret; }`

describe('one .cta_group in a kernel', () => {
  it.each<{ what: string; lines: ReadonlyArray<string>; before?: string; ptxas: 'takes' | 'refuses' }>([
    { what: 'one CTA throughout', lines: [alloc(1), permit(1), shift(1), commit(1)], ptxas: 'takes' },
    { what: 'a pair throughout', lines: [alloc(2), permit(2), shift(2), commit(2)], ptxas: 'takes' },
    { what: 'an allocation and a permit', lines: [permit(1), alloc(2)], ptxas: 'refuses' },
    { what: 'two commits', lines: [commit(1), commit(2)], ptxas: 'refuses' },
    { what: 'a shift and a commit', lines: [shift(2), commit(1)], ptxas: 'refuses' },
    { what: 'a line that is not reached', lines: ['bra E;', permit(1), 'E:', alloc(2)], ptxas: 'refuses' },
    {
      what: 'a function that is called',
      lines: ['call.uni f, ();', commit(2)],
      before: called(1),
      ptxas: 'refuses',
    },
    { what: 'a load for a pair and an allocation of a CTA', lines: [load(2), alloc(1)], ptxas: 'takes' },
    { what: 'a load for a CTA and an allocation of a pair', lines: [load(1), alloc(2)], ptxas: 'takes' },
  ])('$what: ptxas $ptxas it', ({ lines, before = '', ptxas }) => {
    const text = moduleOf(['map'], [declared, ...lines, 'ret;'].join('\n'), { target: 'sm_100a', before })
    const answer = elaborate(right(parseModule(text)), null, 'k.ptx')
    expect(E.isLeft(answer) ? answer.left.code : 'taken', text).toBe(
      ptxas === 'takes' ? 'taken' : 'ptx.opcode',
    )
    if (E.isLeft(answer)) expect(answer.left.message).toContain('a kernel has one')
  })
})
