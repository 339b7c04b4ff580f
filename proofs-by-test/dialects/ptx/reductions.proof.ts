/** Which reductions there are. Oracle: ptxas 13.0 for sm_90a, asked for every operation, type and `.noftz` into both memories: it takes these and refuses all others. */
import { expect, test } from 'vitest'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { isRight } from 'fp-ts/lib/Either.js'
import { right } from '../../either.js'
import { moduleOf } from './small-text.js'

const types = ['f16', 'bf16', 'b32', 'u32', 's32', 'b64', 'u64', 's64', 'f32', 'f64']
const operations = ['and', 'or', 'xor', 'add', 'inc', 'dec', 'min', 'max']

const taken: Readonly<Record<string, string>> = {
  global: `
    and.b32 and.b64 or.b32 or.b64 xor.b32 xor.b64
    add.noftz.f16 add.noftz.bf16 add.u32 add.s32 add.u64 add.f32 add.f64 inc.u32 dec.u32
    min.f16 min.bf16 min.u32 min.s32 min.u64 min.s64 max.f16 max.bf16 max.u32 max.s32 max.u64 max.s64`,
  shared: `
    and.b32 or.b32 xor.b32 add.u32 add.s32 add.u64 inc.u32 dec.u32 min.u32 min.s32 max.u32 max.s32`,
}
const written: Readonly<Record<string, (what: string) => string>> = {
  global: (what) => `cp.reduce.async.bulk.global.shared::cta.bulk_group.${what} [%g], [%s], 16;`,
  shared: (what) =>
    `cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.${what} [%s], [%t], 16, [%b];`,
}

const isTaken = (line: string): boolean =>
  isRight(
    elaborate(
      right(
        parseModule(
          moduleOf(
            [],
            `.reg .b32 %s, %t, %b; .reg .b64 %g;
${line}
ret;`,
          ),
        ),
      ),
      'k',
      'k.ptx',
    ),
  )

test.each(['global', 'shared'])('into %s memory', (space) => {
  const all = operations.flatMap((op) =>
    ['', '.noftz'].flatMap((z) => types.map((type) => `${op}${z}.${type}`)),
  )
  expect(all.filter((what) => isTaken(written[space]!(what))).sort()).toEqual(
    taken[space]!.trim().split(/\s+/u).sort(),
  )
})
