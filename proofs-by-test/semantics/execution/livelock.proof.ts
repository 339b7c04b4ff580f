/**
 * Livelock: of programs of three warps that take locks by loops of their own, which get stuck is said by hand; under every policy a run says the same, and within few events. Oracle
 * of law 1: from where a run is stuck, a thousand more events, drawn at random among those that the machine offers, leave every byte and barrier as it is.
 */
import { describe, expect, test } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { elaborate } from '../../../src/dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../src/dialects/ptx/index.js'
import { usualSharedBase, warpSource } from '../../../src/semantics/execution/launch-warps.js'
import {
  eager,
  lazy,
  random,
  recorded,
  roundRobin,
  seeded,
  starvingAgent,
} from '../../../src/semantics/execution/policy.js'
import { noArguments } from '../../../src/semantics/execution/launch.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { offered, take } from '../../../src/semantics/execution/step.js'
import * as Plane from '../../../src/semantics/machine/plane.js'
import type { Source } from '../../../src/semantics/machine/source.js'
import type { Machine } from '../../../src/semantics/machine/state.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { groundOfText } from '../../dialects/ptx/mutants/subjects.js'
import { textOf } from '../../dialects/ptx/mutants/warps.js'
import { right } from '../../either.js'
import { moduleOf } from '../../dialects/ptx/small-text.js'

/** %r11 is the warp; one lane of each goes on. Words of shared memory: flag, and s+0, s+4, ..., all zero. */
const begun: ReadonlyArray<string> = [
  'shr.u32 %r11, %r1, 5;',
  '@%p2 st.shared.u32 [%r4], 0;',
  '@%p2 st.global.u32 [%rd3], 0;',
  'setp.eq.u32 %p5, %r1, 0;',
  '@%p5 st.shared.u32 [%r9], 0;',
  'bar.sync 0;',
  '@%p1 bra end;',
]
const program = (body: ReadonlyArray<string>): string => textOf([...begun, ...body, 'end:'])

type Takes = (name: string, address: string) => ReadonlyArray<string>
/** A loop that does nothing but ask: a wait (`warps/locks.ts`). */
const waits: Takes = (name, address) => [
  `${name}:`,
  `atom.acquire.cta.shared.cas.b32 %r12, [${address}], 0, 1;`,
  'setp.ne.u32 %p3, %r12, 0;',
  `@%p3 bra ${name};`,
]
/** With a load, so that the loop is none. */
const takes: Takes = (name, address) => [
  `${name}:`,
  'ld.relaxed.cta.shared.u32 %r14, [%r2+8];',
  `atom.acquire.cta.shared.cas.b32 %r12, [${address}], 0, 1;`,
  'setp.ne.u32 %p3, %r12, 0;',
  `@%p3 bra ${name};`,
]
const exchanges: ReadonlyArray<string> = [
  'ask:',
  'atom.acquire.cta.shared.exch.b32 %r12, [%r9], 1;',
  'setp.ne.u32 %p3, %r12, 0;',
  '@%p3 bra ask;',
]
const gives = (address: string): ReadonlyArray<string> => [
  `atom.release.cta.shared.exch.b32 %r13, [${address}], 0;`,
]
const counts = ['ld.relaxed.cta.shared.u32 %r14, [%r2+8];', 'st.relaxed.cta.shared.u32 [%r2+8], %r14;']
/** Two locks, in one order by the first warp and in the other by the others. */
const two = (same: boolean, asks: Takes = takes): ReadonlyArray<string> => [
  'setp.eq.u32 %p4, %r11, 0;',
  'add.u32 %r15, %r2, 0;',
  'add.u32 %r16, %r2, 4;',
  ...(same ? [] : ['@%p4 add.u32 %r15, %r2, 4;', '@%p4 add.u32 %r16, %r2, 0;']),
  ...asks('one', '%r15'),
  ...asks('next', '%r16'),
  ...counts,
  ...gives('%r16'),
  ...gives('%r15'),
]

const policies = [
  eager,
  lazy,
  roundRobin,
  starvingAgent(0, 1),
  starvingAgent(2, 2),
  ...Array.from({ length: 6 }, (_, k) => seeded(k)),
  recorded([]),
]

const sourceOf = (text: string): Source => {
  const { program: p, given } = groundOfText(text, 96)
  return warpSource(p, given)
}

/** How a run ends under each policy: the text is read once, and each run has a launch of its own. */
const endsOf = (source: Source, fuel: number): ReadonlyArray<string> =>
  policies.map((policy) => {
    const { world, machine } = right(source.launch(bits('hopper'), noArguments))
    return run(world, machine, { ...settings(policy), fuel }, ignore).outcome._tag
  })
const outcomes = (text: string): ReadonlyArray<string> => endsOf(sourceOf(text), 5000)
const always = (tag: string): ReadonlyArray<string> => policies.map(() => tag)

/** The bytes of memory, and all else of a machine but its agents and pages. */
const shared = ({ planes, barriers, named, inFlight }: Machine, bytes: ReadonlyArray<number>): string =>
  JSON.stringify([
    barriers,
    named,
    inFlight,
    planes.map((plane, k) => Plane.wordAt(plane, 0, Math.min(256, bytes[k]!))),
  ])

const stuckKernels: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['a lock that nobody gives back, compared', [...takes('ask', '%r9'), ...counts]],
  ['a lock that nobody gives back, exchanged', exchanges],
  [
    'a flag that nobody sets, added to by nothing',
    ['ask:', 'atom.relaxed.cta.shared.add.u32 %r12, [%r9], 0;', 'setp.eq.u32 %p3, %r12, 0;', '@%p3 bra ask;'],
  ],
  [
    'who has the lock asks for it again',
    [...takes('once', '%r9'), ...takes('twice', '%r9'), ...gives('%r9')],
  ],
  [
    'one asks for another word, whose owner waits for the lock',
    [
      'setp.eq.u32 %p4, %r11, 0;',
      '@!%p4 bra later;',
      ...takes('own', '%r9'),
      'seen:',
      'atom.acquire.cta.shared.cas.b32 %r12, [%r2], 1, 1;',
      'setp.ne.u32 %p3, %r12, 1;',
      '@%p3 bra seen;',
      ...gives('%r9'),
      'bra end;',
      'later:',
      // it waits until somebody has the lock, and then for the lock
      'held:',
      'ld.relaxed.cta.shared.u32 %r12, [%r9];',
      'add.u32 %r12, %r12, 0;',
      'setp.eq.u32 %p3, %r12, 0;',
      '@%p3 bra held;',
      ...takes('mine', '%r9'),
      'atom.release.cta.shared.exch.b32 %r12, [%r2], 1;',
      ...gives('%r9'),
    ],
  ],
]

const endingKernels: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['a lock that is given back, compared', [...takes('ask', '%r9'), ...counts, ...gives('%r9')]],
  ['a lock that is given back, exchanged', [...exchanges, ...gives('%r9')]],
  ['two locks in one order', two(true)],
  [
    'tries that are counted, of a lock that nobody gives back',
    [
      'mov.u32 %r15, 0;',
      'ask:',
      'atom.acquire.cta.shared.cas.b32 %r12, [%r9], 0, 1;',
      'add.u32 %r15, %r15, 1;',
      'setp.ne.u32 %p3, %r12, 0;',
      'setp.lt.and.u32 %p3, %r15, 40, %p3;',
      '@%p3 bra ask;',
    ],
  ],
  [
    'the last warp sets what the others ask for',
    [
      'setp.eq.u32 %p4, %r11, 2;',
      '@%p4 atom.release.cta.shared.exch.b32 %r13, [%r9], 1;',
      'ask:',
      'atom.acquire.cta.shared.cas.b32 %r12, [%r9], 1, 1;',
      'setp.ne.u32 %p3, %r12, 1;',
      '@%p3 bra ask;',
    ],
  ],
]

describe('a run gets stuck where everybody asks in vain', () => {
  test.each(stuckKernels)('%s', (_, body) => {
    expect(outcomes(program(body))).toEqual(always('stuck'))
  })
  test.each(stuckKernels)('law 1: nothing changes any more: %s', (_, body) => {
    const launched = right(sourceOf(program(body)).launch(bits('hopper'), noArguments))
    const ran = run(launched.world, launched.machine, { ...settings(eager), fuel: 5000 }, ignore)
    const stood = shared(ran.machine, launched.world.planeBytes)
    let m = ran.machine
    let state = 7
    for (let k = 0; k < 1000; k++) {
      const all = offered(launched.world, m)
      expect(all.length).toBeGreaterThan(0)
      const [r, next] = random(state)
      state = next
      const done = take(launched.world, m, all[r % all.length]!)
      m = 'kind' in done ? expect.fail(done.message) : done.machine
    }
    expect(shared(m, launched.world.planeBytes)).toBe(stood)
  })
  test.each(endingKernels)('law 2: one that can end is not stuck: %s', (_, body) => {
    expect(outcomes(program(body))).toEqual(always('completed'))
  })
  test('two locks in two orders: in some schedules', () => {
    expect(new Set(outcomes(program(two(false))))).toEqual(new Set(['stuck', 'completed']))
  })
})

/** As Triton takes a lock: one thread of a CTA asks, and tells the others through shared memory. %c5: it is the first thread. */
const throughShared = (asks: string, goesOn: string, after: string): string =>
  moduleOf(
    ['p'],
    `.reg .b32 %t, %r<9>; .reg .b64 %p; .reg .pred %c<9>; .shared .align 4 .b32 told; .shared .align 4 .b32 spare[32];
ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; setp.eq.u32 %c5, %t, 0; mov.b32 %r6, 0; mov.b32 %r7, 0; mov.u32 %r8, %ctaid.x;
ask: bar.sync 0;
${asks}
@%c5 st.shared.b32 [told], %r1; bar.sync 0; ld.shared.b32 %r2, [told]; ${goesOn} @%c1 bra ask;
${after} ret;`,
  )
const grids = (text: string) => {
  const { program: p } = right(elaborate(right(parseModule(text)), 'k', 'k.ptx'))
  return warpSource(p, {
    grid: [3],
    block: [64],
    cluster: null,
    dynamicBytes: 0,
    parameters: new Uint8Array(8),
    pointers: [{ offset: 0, tensor: 'p' }],
    tensors: [
      { name: 'p', role: 'inout', contents: new Uint8Array(16), bytes: 16, elements: null, symbol: null },
    ],
    sharedBase: usualSharedBase,
  })
}
const cas = '@%c5 atom.acq_rel.gpu.global.cas.b32 %r1, [%p], 0, 1;'
const taken = 'setp.eq.u32 %c1, %r2, 1;'
const givesBack = 'bar.sync 0; @%c5 atom.acq_rel.gpu.global.exch.b32 %r1, [%p], 0;'
const counted = 'add.u32 %r6, %r6, 1; setp.lt.and.u32 %c1, %r6, 40, %c1;'

describe('a CTA comes back as a whole', () => {
  test.each([
    ['a lock that nobody gives back', cas, taken, ''],
    [
      'the same, and each try writes where it was before',
      cas,
      `${taken} @%c1 st.shared.b32 [spare], %r2;`,
      '',
    ],
    [
      'the same, and one warp counts to two again and again',
      cas,
      `${taken} xor.b32 %r6, %r6, 1; @%c5 st.shared.b32 [spare], %r6;`,
      '',
    ],
  ])('stuck: %s', (_, asks, goesOn, after) => {
    expect(endsOf(grids(throughShared(asks, goesOn, after)), 8000)).toEqual(always('stuck'))
  })
  test.each([
    ['a lock that is given back', cas, taken, givesBack],
    ['tries that are counted in a register', cas, `${taken} ${counted}`, ''],
    [
      'tries that are counted in shared memory',
      cas,
      `ld.shared.b32 %r6, [spare+4]; setp.lt.u32 %c1, %r6, 40; setp.eq.and.u32 %c1, %r2, 1, %c1; add.u32 %r6, %r6, 1; bar.sync 0; @%c5 st.shared.b32 [spare+4], %r6;`,
      '',
    ],
    [
      'tries that are counted in global memory',
      cas,
      `${taken} @%c5 atom.relaxed.gpu.global.add.u32 %r6, [%p+4], 1; setp.ge.and.u32 %c2, %r6, 100, %c5; @%c2 mov.b32 %r2, 2; @%c5 st.shared.b32 [told], %r2; bar.sync 0; ld.shared.b32 %r2, [told]; ${taken}`,
      '',
    ],
  ])('completed: %s', (_, asks, goesOn, after) => {
    const text = throughShared(asks, goesOn, after).replace(
      'ask: bar.sync 0;',
      '@%c5 st.shared.b32 [spare+4], %r6; ask: bar.sync 0;',
    )
    expect(endsOf(grids(text), 20_000)).toEqual(always('completed'))
  })
  test('law 1: what other CTAs see changes no more', () => {
    const { world, machine } = right(grids(throughShared(cas, taken, '')).launch(bits('hopper'), noArguments))
    let { machine: m } = run(world, machine, { ...settings(eager), fuel: 8000 }, ignore)
    const p = world.header.planes.findIndex(({ name }) => name === 'p')
    const stood = Plane.wordAt(m.planes[p]!, 0, 16)
    let state = 7
    for (let k = 0; k < 1000; k++) {
      const all = offered(world, m)
      expect(all.length).toBeGreaterThan(0)
      const [r, next] = random(state)
      state = next
      const done = take(world, m, all[r % all.length]!)
      m = 'kind' in done ? expect.fail(done.message) : done.machine
    }
    expect(Plane.wordAt(m.planes[p]!, 0, 16)).toBe(stood)
  })
  test('its verdict is a deadlock of those who ask for the word', () => {
    const { verdict } = right(
      checkSource(grids(throughShared(cas, taken, '')), { ...standardOptions, algebra: bits('hopper') }),
    )
    expect(verdict.verdict).toBe('deadlock')
    expect(verdict.waitFor[0]).toContain('semaphore gmem p')
  })
})

describe('its verdict', () => {
  const verdictOf = (body: ReadonlyArray<string>) => {
    return right(checkSource(sourceOf(program(body)), { ...standardOptions, algebra: bits('hopper') }))
      .verdict
  }
  test.each(stuckKernels)('a deadlock that says who asks: %s', (_, body) => {
    const v = verdictOf(body)
    expect([v.verdict, v.findings.map(({ id }) => id)]).toEqual(['deadlock', ['B5']])
    expect(v.waitFor.length).toBeGreaterThan(0)
  })
  test('two locks in two orders: found, and it replays', () => {
    const v = verdictOf(two(false, waits))
    expect(v.verdict).toBe('deadlock')
  })
  test('two in one order: in every schedule', () => {
    expect(verdictOf(two(true, waits)).verdict).toBe('ok')
  })
})
