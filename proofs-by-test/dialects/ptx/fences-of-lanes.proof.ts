/**
 * What lane 0 of a warp tells by a relaxed store, after fences and meetings of some of its lanes. Oracle: sets of lanes, lane by lane.
 *
 *     every lane stores a word; some lanes fence, some meet, ...; lane 0 sets a flag; another warp finds it set, and reads all words
 *
 * A lane knows its own store, and lanes that meet know what any of them does. A fence makes what its lane knows fit to be told by that lane. Where it is a fence.sc, and the reader
 * has one, too, lanes that meet may tell what any of them could. All words are in order exactly if lane 0 may tell of all lanes.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { right } from '../../either.js'
import { draws } from '../../extent.js'
import { groundOfText } from './mutants/subjects.js'
import { textOf, told } from './mutants/warps.js'

interface Step {
  readonly does: 'fence' | 'meet'
  /** from the first of these lanes to before the other */
  readonly from: number
  readonly to: number
}

const lanes = Array.from({ length: 32 }, (_, lane) => lane)

type Kind = 'sc' | 'acq_rel'

const tellsAll = (steps: ReadonlyArray<Step>, kind: Kind): boolean => {
  const knows = lanes.map((lane) => new Set([lane]))
  const mayTell = lanes.map(() => new Set<number>())
  for (const { does, from, to } of steps) {
    const those = lanes.slice(from, to)
    if (does === 'fence') for (const lane of those) for (const x of knows[lane]!) mayTell[lane]!.add(x)
    else
      for (const of of kind === 'sc' ? [knows, mayTell] : [knows]) {
        const all = those.flatMap((lane) => [...of[lane]!])
        for (const lane of those) of[lane] = new Set(all)
      }
  }
  return mayTell[0]!.size === 32
}

const maskOf = ({ from, to }: Step): number =>
  lanes.slice(from, to).reduce((mask, lane) => mask | (1 << lane), 0)

const written = (steps: ReadonlyArray<Step>, kind: Kind): ReadonlyArray<string> =>
  steps.flatMap((step) => [
    `setp.ge.u32 %p6, %r7, ${String(step.from)};`,
    `setp.lt.and.u32 %p6, %r7, ${String(step.to)}, %p6;`,
    step.does === 'fence' ? `@%p6 fence.${kind}.cta;` : `@%p6 bar.warp.sync ${String(maskOf(step))};`,
  ])

const verdictOf = (text: string, threads: number = 64): string => {
  const { program, given } = groundOfText(text, threads)
  const how = Object.assign({}, standardOptions, { algebra: bits('hopper') })
  return right(checkSource(warpSource(program, given), how)).verdict.verdict
}

const stored = ['st.shared.u32 [%r4], %r1;']

const hear = [
  'again:',
  'ld.relaxed.cta.shared.u32 %r11, [%r9];',
  'setp.eq.u32 %p5, %r11, 0;',
  '@%p5 bra again;',
]

const verdictOn = (steps: ReadonlyArray<Step>, kind: Kind, reader: Kind = kind): string =>
  verdictOf(
    told(
      [...written(steps, kind), '@%p1 bra told;', 'st.relaxed.cta.shared.u32 [%r9], 1;', 'told:'],
      [...hear, `fence.${reader}.cta;`],
      stored,
    ),
  )

/** The other way round: lane 0 finds the flag set, and all lanes read. */
const verdictOnHearing = (steps: ReadonlyArray<Step>, kind: Kind): string =>
  verdictOf(
    told(
      [
        'bar.warp.sync -1;',
        `fence.${kind}.cta;`,
        '@%p1 bra told;',
        'st.relaxed.cta.shared.u32 [%r9], 1;',
        'told:',
      ],
      [
        '@%p1 bra heard;',
        'again:',
        'ld.relaxed.cta.shared.u32 %r11, [%r9];',
        'setp.eq.u32 %p5, %r11, 0;',
        '@%p5 bra again;',
        'heard:',
        ...written(steps, kind),
      ],
      stored,
    ),
  )

/** A lane has heard what it has found, and with fence.sc what one has that it has met; a fence makes known what its lane has heard; lanes that meet know what one of them does. */
const allKnow = (steps: ReadonlyArray<Step>, kind: Kind): boolean => {
  const heard = new Set([0])
  const know = new Set<number>()
  for (const { does, from, to } of steps) {
    const those = lanes.slice(from, to)
    if (does === 'fence') for (const lane of those) if (heard.has(lane)) know.add(lane)
    if (does === 'meet')
      for (const of of kind === 'sc' ? [heard, know] : [know])
        if (those.some((lane) => of.has(lane))) for (const lane of those) of.add(lane)
  }
  return know.size === 32
}

const step = (does: Step['does'], from = 0, to = 32): Step => ({ does, from, to })

test.each([
  ['a fence, and all meet', [step('fence'), step('meet')], 'ok'],
  ['all meet, and a fence', [step('meet'), step('fence')], 'ok'],
  ['half of them meet, and a fence', [step('meet', 0, 16), step('fence')], 'hazard'],
  ['a fence, and half of them meet', [step('fence'), step('meet', 0, 16)], 'hazard'],
  [
    'a fence, and both halves meet, each for itself',
    [step('fence'), step('meet', 16), step('meet', 0, 16)],
    'hazard',
  ],
  [
    'a fence, and halves that have a lane in common',
    [step('fence'), step('meet', 16), step('meet', 0, 17)],
    'ok',
  ],
] as const)('%s: %#', (_, steps, verdict) => {
  expect(verdictOn(steps, 'sc')).toBe(verdict)
  expect(tellsAll(steps, 'sc') ? 'ok' : 'hazard').toBe(verdict)
})

test.each([
  [
    'a lane in common, and the others once more',
    [step('meet', 1), step('meet', 0, 16), step('meet', 1)],
    'ok',
  ],
  ['the others twice', [step('meet', 1), step('meet', 1)], 'hazard'],
] as const)('what lane 0 has heard, fenced by all: %s', (_, met, verdict) => {
  const of = [step('fence'), ...met]
  expect(verdictOnHearing(of, 'sc')).toBe(verdict)
  expect(allKnow(of, 'sc') ? 'ok' : 'hazard').toBe(verdict)
})

test('a fence that all of them have is handed on where it is a fence.sc, to a reader that has one', () => {
  const of = [step('fence'), step('meet')]
  expect(
    (['sc', 'acq_rel'] as const).map((kind) =>
      (['sc', 'acq_rel'] as const).map((reader) => verdictOn(of, kind, reader)),
    ),
  ).toEqual([
    ['ok', 'hazard'],
    ['hazard', 'hazard'],
  ])
})

const bounds = fc.constantFrom([0, 32], [0, 32], [0, 16], [16, 32], [0, 17], [8, 24], [0, 1], [1, 32])
const steps = fc.array(
  fc.tuple(fc.constantFrom('fence' as const, 'meet' as const), bounds).map(([does, [from, to]]) => ({
    does,
    from: from!,
    to: to!,
  })),
  { minLength: 1, maxLength: 6 },
)

test('drawn: all words are in order exactly if lane 0 may tell of all lanes', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom('sc' as const, 'acq_rel' as const), (of, kind) => {
      expect(verdictOn(of, kind)).toBe(tellsAll(of, kind) ? 'ok' : 'hazard')
    }),
    { numRuns: draws(60) },
  )
})

test('drawn: all lanes may read exactly if each knows what lane 0 has heard', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom('sc' as const, 'acq_rel' as const), (of, kind) => {
      expect(verdictOnHearing(of, kind)).toBe(allKnow(of, kind) ? 'ok' : 'hazard')
    }),
    { numRuns: draws(60) },
  )
})

// ---------------------------------------------------------------- between warps

/** Halves of two warps store all words of `s`, fence, and meet; thread 0 sets the flag. A warp finds it, hands it on to another, fences, and that one reads. */
const acrossWarps = (writer: Kind, reader: Kind): string =>
  textOf([
    'shr.u32 %r12, %r1, 5;',
    'setp.ne.u32 %p4, %r1, 0;',
    '@%p4 bra begin;',
    'st.shared.u32 [%r9], 0;',
    'begin:',
    'bar.sync 0;',
    'setp.eq.u32 %p4, %r12, 2;',
    '@%p4 bra hears;',
    'setp.eq.u32 %p4, %r12, 3;',
    '@%p4 bra reads;',
    'shr.u32 %r13, %r7, 4;',
    'setp.ne.u32 %p6, %r13, %r12;',
    '@%p6 bra stored;',
    'st.shared.u32 [%r4], 7;',
    'stored:',
    `fence.${writer}.cta;`,
    'bar.sync 1, 64;',
    '@%p4 bra told;',
    'setp.ne.u32 %p4, %r1, 0;',
    '@%p4 bra told;',
    'st.relaxed.cta.shared.u32 [%r9], 1;',
    'told:',
    'ret;',
    'hears:',
    '@%p1 bra heard;',
    ...hear,
    'heard:',
    'bar.sync 2, 64;',
    'ret;',
    'reads:',
    'bar.sync 2, 64;',
    `fence.${reader}.cta;`,
    'ld.shared.u32 %r6, [%r4];',
    'st.global.u32 [%rd3], %r6;',
  ])

test('a barrier hands on what those who come to it have fenced, and what they have found, where both fences are fence.sc', () => {
  const kinds = ['sc', 'acq_rel'] as const
  expect(kinds.map((writer) => kinds.map((reader) => verdictOf(acrossWarps(writer, reader), 128)))).toEqual([
    ['ok', 'hazard'],
    ['hazard', 'hazard'],
  ])
})
