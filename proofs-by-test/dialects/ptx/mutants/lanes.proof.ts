/**
 * Changes of what lanes of a warp have with one another. Oracle: small kernels of which it can be read off by hand who has to know of whom, and the machine, which says
 * of every event which lanes did it.
 */
import { describe, expect, test } from 'vitest'
import { elaborate } from '../../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule, printModule } from '../../../../src/dialects/ptx/index.js'
import {
  judgingPtx,
  ptxMutants,
  type PtxGround,
  type PtxMutant,
} from '../../../../src/dialects/ptx/mutants/judge.js'
import { warpSource } from '../../../../src/semantics/execution/launch-warps.js'
import { eager } from '../../../../src/semantics/execution/policy.js'
import { run, settings } from '../../../../src/semantics/execution/run.js'
import type { Fold } from '../../../../src/semantics/log/events.js'
import { noArguments } from '../../../../src/semantics/machine/source.js'
import { bits } from '../../../../src/numerics/bits.js'
import { right } from '../../../either.js'
import { groundOf, groundOfText } from './subjects.js'
import {
  acquire,
  apart,
  arrival,
  fenced,
  lowerLanes,
  mirrored,
  release,
  textOf,
  told,
  wait,
} from './warps.js'

const mutantsOf = (g: PtxGround): ReadonlyArray<PtxMutant> => right(ptxMutants(g))
const ofLanes = (g: PtxGround): ReadonlyArray<PtxMutant> =>
  mutantsOf(g).filter(({ change }) => change.operator === 'LANES' || change.site.kind === 'warp barrier')

/** Of each change of lanes what it is called, and what became of it. */
const fates = (text: string, threads: number): Readonly<Record<string, string>> => {
  const g = groundOfText(text, threads)
  const judge = judgingPtx(g)
  return Object.fromEntries(
    ofLanes(g).map((m) => {
      const j = judge(m)
      const { operator, change } = m.change
      return [
        `${operator} ${change}`,
        j.fate === 'killed'
          ? `${j.ids[0] ?? j.verdict}${j.named ? '' : ', not named'}${j.accurate ? '' : ', not accurate'}`
          : (j.certificate ?? j.fate),
      ]
    }),
  )
}

/** Lanes that execute an opcode in a run, a mask an event. */
const lanesAt = (g: PtxGround, m: PtxMutant, opcode: string): ReadonlyArray<number> => {
  const { program } = right(elaborate(m.module(), g.entry, g.name))
  const { world, machine } = right(warpSource(program, g.given).launch(bits('hopper'), noArguments))
  const masks: number[] = []
  const listening: Fold<null, null> = {
    init: () => null,
    observe: (s, e) => {
      if ('stamp' in e && world.header.sites[e.stamp.site]?.label.includes(` ${opcode} `) === true)
        if (e.stamp.agent === 0) masks.push(e.stamp.lanes ?? -1)
      return s
    },
    finish: () => null,
  }
  run(world, machine, settings(eager), listening)
  return masks
}

const named = (g: PtxGround, ...words: ReadonlyArray<string>): PtxMutant =>
  mutantsOf(g).find(({ key }) => words.every((w) => key.includes(w)))!

describe('law 1: the lanes that execute a narrowed bar.warp.sync are those that it names', () => {
  test.each([
    ['bar.warp.sync -1;', 'without the lowest lane', -2],
    ['bar.warp.sync -1;', 'the lower half', 0xffff],
    ['bar.warp.sync 4294967295;', 'the lower half', 0xffff],
    ['mov.u32 %r12, -1; bar.warp.sync %r12;', 'without the lowest lane', -2],
  ])('%s %s', (meet, change, lanes) => {
    const g = groundOfText(mirrored(meet), 32)
    const m = named(g, 'LANES', change)
    expect(lanesAt(g, m, 'bar.warp.sync')).toEqual([lanes])
    const text = printModule(m.module())
    expect(printModule(right(parseModule(text)))).toBe(text)
  })
  test('of some lanes, and under a guard', () => {
    const half = groundOfText(lowerLanes([]), 32)
    expect(lanesAt(half, named(half, 'the lower half'), 'bar.warp.sync')).toEqual([0xff])
    expect(lanesAt(half, named(half, 'without the lowest'), 'bar.warp.sync')).toEqual([0xfffe])
    const guarded = groundOfText(mirrored('setp.lt.u32 %p3, %r7, 4; @%p3 bar.warp.sync 15;'), 32)
    expect(lanesAt(guarded, named(guarded, 'the lower half'), 'bar.warp.sync')).toEqual([3])
    const not = groundOfText(mirrored('setp.ge.u32 %p3, %r7, 4; @!%p3 bar.warp.sync 15;'), 32)
    expect(lanesAt(not, named(not, 'without the lowest'), 'bar.warp.sync')).toEqual([14])
  })
  test('a mask of all lanes is made no wider, one of one lane no narrower', () => {
    const changes = (meet: string) =>
      mutantsOf(groundOfText(mirrored(meet), 32)).flatMap(({ change: { operator, change } }) =>
        operator === 'LANES' ? [change] : [],
      )
    expect(changes('bar.warp.sync -1;')).toEqual([
      'the same without the lowest lane of its mask',
      'the lower half of its lanes alone',
    ])
    expect(changes('setp.lt.u32 %p3, %r7, 1; @%p3 bar.warp.sync 1;')).toEqual(['all lanes of the warp'])
    expect(changes('mov.u32 %r12, -1; bar.warp.sync %r12;')).toEqual([
      'the same without the lowest lane of its mask',
      'all lanes of the warp',
    ])
  })
})

describe('the next lane does what the elected one did', () => {
  const one = (elected: ReadonlyArray<string>): PtxGround =>
    groundOfText(told([...elected, 'mbarrier.arrive.shared::cta.b64 _, [%r8];', 'told:'], wait, []), 64)
  test.each([
    ['thread 0', ['setp.ne.u32 %p6, %r1, 0;', '@%p6 bra told;'], 2],
    ['lane 0', ['@%p1 bra told;'], 2],
    ['lane 5', ['setp.eq.s32 %p6, %r7, 5;', '@!%p6 bra told;'], 64],
    [
      'the remainder of a signed number',
      [
        'shr.s32 %r12, %r1, 31;',
        'shr.u32 %r13, %r12, 27;',
        'add.s32 %r14, %r1, %r13;',
        'and.b32 %r15, %r14, -32;',
        'sub.s32 %r16, %r1, %r15;',
        'setp.ne.s32 %p6, %r16, 0;',
        '@%p6 bra told;',
      ],
      2,
    ],
    ['%laneid', ['mov.u32 %r12, %laneid;', 'setp.ne.u32 %p6, %r12, 3;', '@%p6 bra told;'], 16],
    ['elect.sync', ['elect.sync _|%p6, -1;', '@!%p6 bra told;'], 2],
    [
      'a number that elect.sync chooses',
      [
        '{ .reg .pred p; elect.sync _|p, -1; selp.b32 %r12, 1, 0, p; }',
        'setp.eq.s32 %p6, %r12, 0;',
        '@%p6 bra told;',
      ],
      2,
    ],
    [
      'and something that is the same for all',
      ['setp.eq.u32 %p7, %r7, 0;', 'and.pred %p8, %p7, %p2;', '@!%p8 bra told;'],
      2,
    ],
  ] as const)('%s', (_, elected, lanes) => {
    const g = one(elected)
    expect(lanesAt(g, named(g, 'by the next lane'), 'mbarrier.arrive.shared::cta.b64')).toEqual([lanes])
  })
  test('a guard of the arrival itself', () => {
    const g = groundOfText(
      told(['setp.eq.u32 %p6, %r7, 0;', '@%p6 mbarrier.arrive.shared::cta.b64 _, [%r8];'], wait, []),
      64,
    )
    expect(lanesAt(g, named(g, 'by the next lane'), 'mbarrier.arrive.shared::cta.b64')).toEqual([2])
  })
  test.each([
    ['two lanes', ['setp.gt.u32 %p6, %r7, 1;', '@%p6 bra told;']],
    ['a warp', ['setp.ge.u32 %p6, %r1, 32;', '@%p6 bra told;']],
    ['lane 31, behind which there is none', ['setp.ne.u32 %p6, %r7, 31;', '@%p6 bra told;']],
    ['data', ['ld.shared.u32 %r12, [%r4];', 'setp.ne.u32 %p6, %r12, 0;', '@%p6 bra told;']],
  ] as const)('no election: %s', (_, elected) => {
    expect(named(one(elected), 'by the next lane')).toBeUndefined()
  })
  test('two arrivals of one branch are one change, and all that stands there is handed on', () => {
    const g = groundOfText(
      told(['@%p1 bra told;', 'mbarrier.arrive.shared::cta.b64 _, [%r10];', ...arrival.slice(1)], wait, []),
      64,
    )
    const handed = mutantsOf(g).filter(({ change }) => change.change === 'by the next lane')
    expect(handed.map(({ change }) => change.handed.size)).toEqual([2])
    expect(lanesAt(g, handed[0]!, 'mbarrier.arrive.shared::cta.b64')).toEqual([2, 2])
  })
  test('a relaxed store counts behind a fence, and a weak one never', () => {
    const relaxed = groundOfText(told(fenced.slice(1), acquire), 64)
    expect(named(relaxed, 'by the next lane')).toBeUndefined()
    expect(named(groundOfText(told(fenced, acquire), 64), 'st.relaxed', 'by the next lane')).toBeDefined()
    const weak = fenced.map((line) => line.replace('relaxed.cta.', ''))
    expect(named(groundOfText(told(weak, acquire), 64), 'by the next lane')).toBeUndefined()
  })
})

describe('what becomes of them', () => {
  test('lanes that read one another: each lane has to meet', () => {
    expect(fates(mirrored('bar.warp.sync -1;'), 32)).toEqual({
      'DROP left out': 'D5',
      'DUP twice': 'idempotent barrier',
      'MOVE after the next access': 'D5',
      'MOVE before the preceding access': 'D5',
      'LANES the same without the lowest lane of its mask': 'D5',
      'LANES the lower half of its lanes alone': 'D5',
    })
  })
  test('lanes that have nothing to do with one another: nobody has to', () => {
    expect(fates(apart('bar.warp.sync -1;'), 32)).toEqual({
      'DROP left out': 'nothing to order',
      'DUP twice': 'idempotent barrier',
      'MOVE after the next access': 'nothing to order',
      'MOVE before the preceding access': 'nothing to order',
      'LANES the same without the lowest lane of its mask': 'nothing to order',
      'LANES the lower half of its lanes alone': 'nothing to order',
    })
  })
  test('a wider mask: lanes that are elsewhere do not come, lanes that have ended are not waited for', () => {
    expect(fates(lowerLanes(['bar.sync 0;']), 32)).toMatchObject({
      'LANES all lanes of the warp': 'invalid',
      'LANES the lower half of its lanes alone': 'D5',
    })
    expect(fates(lowerLanes(['ret;']), 32)['LANES all lanes of the warp']).toBe('wider mask')
  })
  test.each([
    ['an arrival', arrival, wait],
    ['a release', release, acquire],
    ['a relaxed store behind a fence', fenced, acquire],
  ])('%s by a lane that has not met the one that stored', (_, tell, hear) => {
    expect(fates(told(tell, hear), 64)['LANES by the next lane']).toBe('D1')
    // where they have met it makes no difference, and so they have to
    expect(
      fates(told(['bar.warp.sync -1;', ...tell], hear, ['st.shared.u32 [%r4], %r1;']), 64),
    ).toMatchObject({
      'LANES by the next lane': 'another lane',
      'LANES the same without the lowest lane of its mask': 'D1',
      'LANES the lower half of its lanes alone': 'D1',
      'DROP left out': 'D1',
    })
  })
  test('an arrival by a lane that stored it all itself, and that is handed on as a whole', () => {
    expect(
      fates(told(['@%p1 bra told;', 'st.shared.u32 [%r2], 7;', ...arrival.slice(1)], wait, []), 64),
    ).toEqual({ 'LANES by the next lane': 'another lane' })
  })
})

describe('a search of schedules certifies nothing of lanes', () => {
  /** Two arrivals that may change places: what is found in one run is a candidate, and a search of the schedules of warps finds nothing. */
  const mixed = ['@%p1 bra mixed;', 'mbarrier.arrive.shared::cta.b64 _, [%r10];', 'mixed:']
  const text = (meet: string): string =>
    told(
      [meet, ...arrival],
      [...mixed, ...wait],
      [...mixed.map((line) => line.replace('mixed', 'mixing')), 'st.shared.u32 [%r4], 7;'],
    )
  test.each(['bar.warp.sync -1;', 'bar.sync 1, 32;'])('%s left out', (meet) => {
    const g = groundOfText(text(meet), 64)
    const m = mutantsOf(g).find(
      (of) =>
        of.change.operator === 'DROP' && !printModule(of.module()).replaceAll(/\s+/gu, ' ').includes(meet),
    )!
    expect(judgingPtx(g)(m)).toMatchObject({ certificate: null })
  })
  test('nor does a run of which the conditions do not hold', () => {
    const of = (body: ReadonlyArray<string>) => {
      const g = groundOfText(textOf([...body, ...apart]), 64)
      return judgingPtx(g)(named(g, 'DROP', 'bar.warp.sync'))
    }
    const apart = ['bar.warp.sync -1;', '@%p2 ret;', 'st.global.u32 [%rd3], %r1;']
    const ready = [
      'setp.ne.u32 %p4, %r1, 0;',
      '@%p4 bra begin;',
      'mbarrier.init.shared::cta.b64 [%r10], 1;',
      'begin:',
      'bar.sync 0;',
    ]
    expect(of([...ready, 'bar.sync 0;'])).toMatchObject({ certificate: 'nothing to order' })
    // generations of the barrier may mix
    expect(of([...ready, ...mixed, 'bar.sync 0;'])).toMatchObject({ certificate: null })
  })
})

test('of a kernel that nvcc wrote: the text of each change', () => {
  const g = groundOf('device_tensormap')
  const half = named(g, 'device_tensormap.cu:23 bar.warp.sync', 'the lower half')
  expect(printModule(half.module()).replaceAll(/\s+/gu, ' ')).toContain(
    'mov.u32 %changed, %lanemask_eq; and.b32 %changed, %changed, 65535; setp.ne.u32 %changed2, %changed, 0; @%changed2 bar.warp.sync 65535;',
  )
  const next = named(groundOf('gather_rows'), 'by the next lane')
  expect(printModule(next.module()).replaceAll(/\s+/gu, ' ')).toMatch(
    /mov\.u32 %changed2, %tid\.x; add\.s32 %changed2, %changed2, -1; setp\.ne\.s32 %changed, %changed2, 0; @%changed bra /u,
  )
})

test('textOf is a text that the parser takes', () => {
  expect(right(parseModule(textOf([]))).items.length).toBe(1)
})
