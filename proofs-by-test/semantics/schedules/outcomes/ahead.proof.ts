/**
 * Lanes of one warp that part: in waits, in loops that are none to the machine, and at a branch. Oracle: every order of the same threads, each in a warp of its own.
 *
 * | what                                                            | oracle                                    |
 * |-----------------------------------------------------------------|-------------------------------------------|
 * | random work behind each of these, by night 2,000                  | no `ok` where a warp a lane shows more    |
 * | kernels kind by kind (G1 to G4)                                    | the same, and what is right stays `ok`    |
 * | a read that takes a later write which rests on its own thread      | the axioms: no acquire, no chain of dependencies |
 */
import { expect, test } from 'vitest'
import { nightly } from '../../../extent.js'
import { show, verdictOf } from './equals.js'
import { drawn, firsts, flag, lanesOf, look, raise, warpsOf, type Lines, type Waiting } from './parted.js'

const count = Number(process.env['TCSPEC_PROGRAMS'] ?? (nightly ? 2_000 : 12))
// among the first of these are two that lanes in turn hide
const from = Number(process.env['TCSPEC_FROM'] ?? 43)

const kinds = firsts.map(([name, within]) => [`${String(count)} kernels behind ${name}`, within] as const)
test.each(kinds)('%s: no ok where a warp a lane shows more', { timeout: 14_400_000 }, (_, within) => {
  const wrong: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    const k = { ...drawn(seed), within }
    const lanes = verdictOf(lanesOf(k), false, 100_000)
    if (lanes.verdict !== 'ok') continue
    const warps = verdictOf(warpsOf(k), true, 100_000, true)
    if (!['ok', 'undecided', 'out-of-fuel'].includes(warps.verdict))
      wrong.push(`seed ${String(seed)}: ${warps.verdict} (${warps.reason})\n${show(lanesOf(k))}`)
  }
  expect(wrong).toEqual([])
})

const waitsFor72: Lines = [
  'V:',
  'ld.relaxed.gpu.global.u32 %r17, [%rd1+72];',
  'setp.eq.u32 %p4, %r17, 0;',
  '@%p4 bra V;',
]
const base: Waiting = { both: [], work: [[], [flag]], raises: [] }
test.each([
  [
    'G2 the flag of the lane that goes ahead ends the other CTA: the other lane waits for ever',
    { ...base, raises: [raise(1), ...look, '@%p5 bra DONE;', raise(0)] },
    'undecided',
    'deadlock',
  ],
  [
    'G2 the same, by a lane that waits for another word first',
    {
      ...base,
      work: [[], [...waitsFor72, flag]],
      raises: [raise(1), 'st.relaxed.gpu.global.u32 [%rd1+72], 1;', ...look, '@%p5 bra DONE;', raise(0)],
    },
    'undecided',
    'deadlock',
  ],
  [
    'G3 at a branch one lane may find what the other stores, and race then',
    {
      within: null,
      both: [],
      work: [
        [
          'ld.relaxed.gpu.global.u32 %r9, [%rd1+68];',
          'setp.eq.u32 %p5, %r9, 1;',
          '@%p5 st.global.u32 [%rd2+64], 1;',
        ],
        ['st.relaxed.gpu.global.u32 [%rd1+68], 1;'],
      ],
      raises: ['st.global.u32 [%rd2+64], 2;'],
    },
    'undecided',
    'hazard',
  ],
  [
    'G4 at a branch each lane stores into a word of its own, at which the other CTA looks',
    {
      within: null,
      both: [],
      work: [['st.relaxed.gpu.global.u32 [%rd1+68], 1;'], [flag]],
      raises: [...look, '@%p5 st.global.u32 [%rd2+64], 1;'],
    },
    'ok',
    'ok',
  ],
  [
    'G3 both words are raised before the other CTA looks',
    { ...base, raises: [raise(1), raise(0), ...look, '@%p5 bra DONE;'] },
    'ok',
    'ok',
  ],
  [
    'G2 what they do ahead is work that others do not see before a flag of both',
    {
      both: ['st.global.u32 [%rd9+32], %r16;'],
      work: [[], []],
      raises: [raise(1), ...look, '@%p5 bra DONE;', raise(0)],
    },
    'ok',
    'ok',
  ],
  [
    'G2 another agent stands at a word that they do not touch',
    {
      ...base,
      raises: [
        raise(1),
        'ld.relaxed.gpu.global.u32 %r9, [%rd1+76];',
        'setp.eq.u32 %p5, %r9, 1;',
        '@%p5 bra DONE;',
        raise(0),
      ],
    },
    'ok',
    'ok',
  ],
  [
    'a lane raises the word of the other, behind another wait of its own',
    {
      ...base,
      work: [[], [...waitsFor72, raise(0)]],
      raises: [raise(1), 'st.relaxed.gpu.global.u32 [%rd1+72], 1;'],
    },
    'ok',
    'ok',
  ],
] as const)('%s', (_, k, lanes, warps) => {
  expect(verdictOf(lanesOf(k), false).verdict).toBe(lanes)
  expect(verdictOf(warpsOf(k), true, Infinity, true).verdict).toBe(warps)
})

/**
 * CTA 1 raises the flag of a lane behind its read, and nothing between the two depends on what is read; the lane answers. The read may take that answer (load buffering), and then CTA 1 does
 * more before it raises the flag than it did: a store that races. However a lane comes to know of its flag, it is the same.
 */
test.each(
  [53, 64, 81, 89].flatMap((seed) => firsts.slice(1).map(([name, within]) => [seed, name, within] as const)),
)('seed %i behind %s: a read takes what is stored behind what its thread does later', (seed, _, within) => {
  const k = { ...drawn(seed), within }
  expect(verdictOf(lanesOf(k), false).verdict).toBe('hazard')
  expect(verdictOf(warpsOf(k), true, Infinity, true).verdict).toBe('hazard')
})
const acq = 'fence.acq_rel.gpu;'
const answered = (between: Lines, before: Lines = []): Waiting => ({
  within: ['ld.param.u64 %rd20, [a];'],
  both: [],
  work: [[...before, flag], ['st.global.u32 [%rd2+64], 1;']],
  raises: [raise(1), ...look, ...between, '@%p5 st.global.u32 [%rd2+64], 2;'],
})
const counts = ['add.u32 %r11, %r9, 1;', 'st.relaxed.gpu.global.u32 [%rd1], %r11;']
const unless = '@!%p5 st.relaxed.gpu.global.u32'
test.each([
  ['nothing depends on the read before the flag is raised', answered([raise(0)]), 'hazard'],
  ['it does less before it raises the flag', answered([`${unless} [%rd1+72], 1;`, raise(0)]), 'hazard'],
  [
    'it does more before it raises the flag',
    answered(['@%p5 st.relaxed.gpu.global.u32 [%rd1+72], 1;', raise(0)]),
    'hazard',
  ],
  ['a fence on one side', answered([raise(0)], [acq]), 'hazard'],
  ['fences on both sides show that the read was before', answered([acq, raise(0)], [acq]), 'ok'],
  ['the flag is raised only if the read has not taken the answer', answered([`${unless} [%rd1], 1;`]), 'ok'],
  ['what it raises the flag with is made of the read', answered(counts), 'undecided'],
  ['the same, where a wait asks for it', { ...answered(counts), within: [] }, 'undecided'],
] as const)('a read of an answer, %s', (_, k, verdict) => {
  expect(verdictOf(warpsOf(k), true, Infinity, true).verdict).toBe(verdict)
})

test.each([
  ['the lanes meet behind the wait', 'bar.warp.sync 3;'],
  ['so does the block', 'bar.sync 0;'],
  ['they vote', 'vote.sync.any.pred %p4, %p2, 3;'],
])('%s: nothing goes ahead', (_, meet) => {
  const raises = [raise(1), ...look, '@%p5 bra DONE;', raise(0)]
  // the flag is raised when both have come, so no CTA leaves early
  const { verdict } = verdictOf(lanesOf({ ...base, both: [meet], raises }), false)
  expect(verdict).toBe('ok')
})
