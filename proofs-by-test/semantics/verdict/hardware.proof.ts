/**
 * What hardware alone knows, and memory holds: its bytes are named in a note, and a verdict is `ok` only where nothing but memory depends on them.
 *
 * The text is asked for the sites, and the log for the bytes. So each proof has a wrong twin: the same kernel, with the one line that makes a branch depend on what was read back.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, test } from 'vitest'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import { npy } from '../../dialects/ptx/small-kernels.js'
import { inMemory } from '../../oracle/disk.js'
import { worldOf } from '../../oracle/world.js'
import { ofZeros, verdictOfText } from '../../dialects/ptx/launched-text.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

const verdictOf = (body: string): ReturnType<typeof verdictOfText> =>
  verdictOfText(
    moduleOf(
      ['py', 'pz'],
      `.reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<5>; .shared .align 16 .b8 s[256];
ld.param.u64 %rd1, [py]; ld.param.u64 %rd5, [pz]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd5, %rd2;
mov.u32 %r2, %smid; mov.u32 %r4, s; mad.lo.u32 %r5, %r1, 4, %r4; setp.eq.u32 %p1, %r1, 0; mov.b32 %r3, 7;
${body}
st.global.b32 [%rd3], %r3;
ret;`,
    ),
    { threads: 64, buffers: ofZeros(64, 'y', 'z') },
    { provenance: false },
  )
const notesOf = ({ notes }: ReturnType<typeof verdictOfText>): ReadonlyArray<unknown> =>
  notes.map(({ id, place }) => [id, place?.plane, place?.spans])

/** Where the value is kept, and where it is read back into %r6; the bytes of tensors that hold it. */
const kept: ReadonlyArray<readonly [string, string, string, ReadonlyArray<unknown>]> = [
  ['shared memory', 'st.shared.b32 [%r5], %r2; bar.sync 0;', 'ld.shared.b32 %r6, [s+8];', []],
  ['a tensor', 'st.global.b32 [%rd4], %r2;', 'ld.global.b32 %r6, [%rd4];', [['N1', 'gmem z', [[0, 256]]]]],
  [
    'a sum that an atomic makes',
    'red.global.add.u32 [%rd4], %r2;',
    'atom.global.add.u32 %r6, [%rd4], 0;',
    [['N1', 'gmem z', [[0, 256]]]],
  ],
  [
    'a copy of a word',
    '@%p1 st.shared.b32 [s], %r2; bar.sync 0; ld.shared.b32 %r7, [s]; bar.sync 0; st.shared.b32 [%r5], %r7; bar.sync 0;',
    'ld.shared.b32 %r6, [s+12];',
    [],
  ],
  [
    'a bulk copy',
    `st.shared.b32 [%r5], %r2; fence.proxy.async.shared::cta; bar.sync 0;
@!%p1 bra M; cp.async.bulk.global.shared::cta.bulk_group [%rd5], [%r4], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; M: bar.sync 0;`,
    'ld.global.b32 %r6, [%rd5+4];',
    [['N1', 'gmem z', [[0, 16]]]],
  ],
]

describe('what hardware alone knows', () => {
  test.each(kept)('kept in %s, is named with its bytes', (_, keep, _back, notes) => {
    const verdict = verdictOf(keep)
    expect(verdict.verdict).toBe('ok')
    expect(notesOf(verdict)).toEqual(notes)
    expect(verdict.conditions.C1.holds).toBe(true)
  })

  test.each(kept)('kept in %s and read back, is undecided where a branch depends on it', (_, keep, back) => {
    const { verdict, reason } = verdictOf(
      `${keep} ${back} setp.eq.u32 %p2, %r6, 1; @!%p2 bra E; mov.b32 %r3, 8; bar.sync 1, 32; E:`,
    )
    expect(verdict).toBe('undecided')
    expect(reason).toContain('%smid')
  })

  test.each(kept)('kept in %s and read back, goes on to what is stored', (_, keep, back, notes) => {
    const verdict = verdictOf(`${keep} ${back} add.u32 %r3, %r3, %r6;`)
    expect(verdict.verdict).toBe('ok')
    expect(notesOf(verdict)).toContainEqual(['N1', 'gmem y', [[0, 256]]])
    for (const note of notes) expect(notesOf(verdict)).toContainEqual(note)
  })

  it('is not in what is read from other bytes', () => {
    const verdict = verdictOf(
      '@%p1 st.global.b32 [%rd5+252], %r2; ld.global.b32 %r6, [%rd5+128]; setp.eq.u32 %p2, %r6, 1; @%p2 add.u32 %r3, %r3, 1;',
    )
    expect(verdict.verdict).toBe('ok')
    expect(notesOf(verdict)).toEqual([['N1', 'gmem z', [[252, 256]]]])
  })

  it('that nothing keeps is not told', () => {
    const verdict = verdictOf('add.u32 %r6, %r2, 1;')
    expect([verdict.verdict, verdict.notes]).toEqual(['ok', []])
  })

  it('is told of all blocks, and a block is not asked for another', () => {
    const text = moduleOf(
      ['py'],
      `.reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 8; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, %clock; st.global.b32 [%rd3], %r2; st.global.b32 [%rd3+4], %r1;
ret;`,
    )
    const verdict = verdictOfText(text, { threads: 1, grid: 16, buffers: ofZeros(32, 'y') })
    expect(verdict.verdict).toBe('ok')
    expect(notesOf(verdict)).toEqual([
      ['N1', 'gmem y', Array.from({ length: 16 }, (_, k) => [8 * k, 8 * k + 4])],
    ])
  })
})

it.each([
  ['a word that a clock gives', [9, 1], /not\s+compared\s+\(N1\)\s+verdict\s+ok/u],
  ['the word after it', [0, 2], /1 of 2 elements differ.*not\s+compared\s+\(N1\)\s+verdict\s+wrong-result/su],
])('of a file that has another number for %s', (_, words, says) => {
  const text = moduleOf(
    ['py'],
    ` .reg .b32 %r<4>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [py]; mov.u32 %r1, %clock; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], 1;
ret;`,
  )
  const y = { kind: 'pointer', tensor: 'y', dtype: 'u32', shape: [2], role: 'out' }
  const files = new Map([
    ['k.ptx', new TextEncoder().encode(text)],
    [
      'l.json',
      new TextEncoder().encode(JSON.stringify({ grid: [1], block: [1], args: [y], outputs: ['y'] })),
    ],
    ['y.npy', npy(Uint32Array.from(words))],
  ])
  const ran = runPtx(worldOf(inMemory(files)), 'k.ptx', { launch: 'l.json' })
  expect(E.isLeft(ran) ? ran.left.message : ran.right.text()).toMatch(says)
})
