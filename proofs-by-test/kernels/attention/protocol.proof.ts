/**
 * The protocol of fa3-attention, whoever goes first: one verdict, one digest; invariants of the log; and what becomes of it one statement short.
 *
 * Of the invariants of FlashAttention's pipelines these are Hopper's, and this is where they are shown:
 *
 * | invariant                                                           | shown by                                                       |
 * |---------------------------------------------------------------------|----------------------------------------------------------------|
 * | operands are those of the step, and complete                        | `fa3.proof.ts`: equal to naive attention, no R1                 |
 * | no copy writes a slot that a product reads                          | `fa3.proof.ts`: no W1, no W3                                    |
 * | out is scaled and added to exactly once in a step                   | `fa3.proof.ts`: to 1e-12 in real arithmetic                     |
 * | a wait is never a phase late: parities cannot alias                 | here: parity of every wait, by counting                         |
 * | both warpgroups meet 2 T + 1 times                                  | here                                                            |
 * | both give every slot back equally often, whatever they skip         | here                                                            |
 * | arrivals of a phase never exceed its count; every copy is awaited   | here: completions, by counting                                  |
 *
 * The oracle of the counts is arithmetic on the mask.
 */
import { describe, expect, test } from 'vitest'
import { brokenOf, isBad, without } from '../../../src/kernels/broken/index.js'
import {
  bandOf,
  blocksOf,
  causal,
  fa3Attention,
  noMask,
  showMask,
  slidingWindow,
  type Fa3Attention,
  type Mask,
} from '../../../src/kernels/attention/index.js'
import * as fast from '../../../src/fast/index.js'
import { unit } from '../../../src/numerics/index.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import type { Header, LogEvent } from '../../../src/semantics/log/events.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import { effectsOf, type Program, type Region, type Stmt } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { base, judged, patterns } from './attending.js'
import { nightly, sampled } from '../../extent.js'
import { right } from '../../either.js'

/** Five steps on two slots; wg0 sees four of them. */
const small: Fa3Attention = { ...base, kv: 320, mask: causal('bottom-right') }
const seedsOf = (byDay: number, byNight = 1000): ReadonlyArray<number> =>
  Array.from({ length: nightly ? byNight : byDay }, (_, i) => i + 1)

// ---------------------------------------------------------------- schedules

test('many schedules: one verdict, one digest, one output', () => {
  const p = right(fa3Attention(small))
  const seen = seedsOf(3).map((seed) => {
    const { verdict } = judged(p, { policy: Policy.seeded(seed), explain: false })
    return `${verdict.verdict} by ${verdict.decidedBy} ${verdict.digest.order}`
  })
  expect(seen[0]).toMatch(/^ok by one-schedule [0-9a-f]{16}$/)
  expect(new Set(seen).size).toBe(1)
  const { q, k, v } = patterns(small, 3)
  const given = new Map([
    ['q', q],
    ['k', k],
    ['v', v],
  ])
  const outputs = seedsOf(2, 30).map(
    (seed) =>
      judged(p, { policy: Policy.seeded(seed), explain: false }, fast.bits('hopper'), given).verdict.digest
        .output,
  )
  expect(new Set(outputs).size).toBe(1)
})

// ---------------------------------------------------------------- invariants

interface Heard {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
}

const heard = (p: Program, policy: Policy.AnyPolicy): Heard => {
  const l = right(launch(p, unit, noArguments))
  const events: LogEvent[] = []
  Run.run(l.world, l.machine, Run.settings(policy), {
    init: () => null,
    observe: (_: null, e) => {
      events.push(e)
      return null
    },
    finish: () => null,
  })
  return { header: l.world.header, events }
}

/** How often something happened, by agent of the first block and barrier: `wg0 k_consumed[1]`. */
const counted = (
  { header, events }: Heard,
  what: (e: LogEvent) => { readonly agent: number; readonly barrier: number } | null,
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const e of events) {
    const one = what(e)
    if (one === null) continue
    const barrier = header.barriers[one.barrier]!
    const bare = (name: string): string => name.replace(/@\d+$/, '').replace(/\[0\]$/, '')
    const key = `${bare(header.agents[one.agent]!.name)} ${bare(barrier.name)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}
const arrivals = (h: Heard) =>
  counted(h, (e) =>
    e._tag === 'barrier' && e.kind === 'arrive' ? { agent: e.stamp.agent, barrier: e.barrier } : null,
  )
const waits = (h: Heard) =>
  counted(h, (e) => (e._tag === 'wait' ? { agent: e.stamp.agent, barrier: e.barrier } : null))

const walks: ReadonlyArray<readonly [name: string, c: Fa3Attention]> = (
  [
    [noMask, 128, 320],
    [causal(), 128, 320],
    [causal('bottom-right'), 128, 320],
    [slidingWindow(100), 128, 448],
    [slidingWindow(30, 200), 128, 448],
    [slidingWindow(null, 60), 128, 256],
    [causal('bottom-right'), 128, 64],
  ] as const satisfies ReadonlyArray<readonly [Mask, number, number]>
).flatMap(([mask, q, kv]) =>
  [2, 3].map(
    (maxConcurrentSteps) =>
      [
        `${showMask(mask)}, ${String(kv)} keys, ${String(maxConcurrentSteps)} slots`,
        { ...base, mask, q, kv, maxConcurrentSteps },
      ] as const,
  ),
)

describe('law 3: counts', () => {
  test.each(walks)('%s', (_, c) => {
    const lengths = { q: c.q, kv: c.kv }
    const band = bandOf(c.mask, lengths)
    const { from, to } = blocksOf(band, lengths, { first: 0, count: 2 * c.blockQ }, c.blockKv)
    const steps = to - from
    const slots = Math.min(c.maxConcurrentSteps, Math.ceil(c.kv / c.blockKv))
    const own = [0, 1].map((wg) => {
      const o = blocksOf(band, lengths, { first: wg * c.blockQ, count: c.blockQ }, c.blockKv)
      // before its last step a warpgroup hears of every copy
      return Math.max(0, o.to - from)
    })
    /** Steps below n that slot s holds. */
    const inSlot = (s: number, n: number): number => Math.max(0, Math.ceil((n - s) / slots))
    const p = right(fa3Attention(c))
    for (const policy of [Policy.eager, ...seedsOf(1, 20).map(Policy.seeded)]) {
      const h = heard(p, policy)
      const [arrived, waited] = [arrivals(h), waits(h)]
      for (const wg of [0, 1]) {
        const of = (counts: Readonly<Record<string, number>>, barrier: string): number =>
          counts[`wg${String(wg)} ${barrier.replace('[0]', '')}`] ?? 0
        expect([wg, of(arrived, 'schedule[0]'), of(waited, 'schedule[0]')]).toEqual([
          wg,
          2 * steps + 1,
          2 * steps + 1,
        ])
        for (let s = 0; s < slots; s++)
          for (const ring of ['k', 'v']) {
            const slot = `[${String(s)}]`
            expect([wg, ring, s, of(arrived, `${ring}_consumed${slot}`)]).toEqual([
              wg,
              ring,
              s,
              inSlot(s, steps),
            ])
            expect([wg, ring, s, of(waited, `${ring}_loaded${slot}`)]).toEqual([
              wg,
              ring,
              s,
              inSlot(s, own[wg]!),
            ])
          }
      }
      // the n-th wait of an agent for a barrier is for its n-th completion, whose parity is that of n
      const nth = new Map<string, number>()
      for (const e of h.events) {
        if (e._tag !== 'wait') continue
        const key = `${String(e.stamp.agent)} ${String(e.barrier)}`
        const n = nth.get(key) ?? 0
        expect(e.parity).toBe(n % 2)
        nth.set(key, n + 1)
      }
    }
  })
})

// ---------------------------------------------------------------- one statement short

/** Without the statements of this label that one thread runs. */
const withoutIn =
  (thread: string, label: string) =>
  (p: Program): Program => {
    const gone = (s: Stmt): boolean =>
      s._tag === 'Do' && s.site.label === label && s.site.path.includes(thread)
    const dropped = (r: Region): Region => ({
      ...r,
      body: r.body
        .filter((s) => !gone(s))
        .map((s): Stmt => {
          switch (s._tag) {
            case 'Let':
            case 'Do':
              return s
            case 'For':
              return { ...s, body: dropped(s.body) }
            case 'While':
              return { ...s, before: dropped(s.before), after: dropped(s.after) }
            case 'If':
              return { ...s, then: dropped(s.then), else: dropped(s.else) }
            case 'Fork':
              return { ...s, branches: s.branches.map((b) => ({ ...b, body: dropped(b.body) })) }
          }
        }),
    })
    return { ...p, entry: dropped(p.entry) }
  }

describe('broken', () => {
  const p = right(fa3Attention(small))
  const forms = brokenOf('fa3-attention')
  test('at least ten forms', () => {
    expect(forms.length).toBeGreaterThanOrEqual(10)
  })
  // by day every ninth
  test.each(forms.filter((_, i) => nightly || i % 9 === 0))(
    'without $without: $verdict, $shows',
    ({ without: label, verdict, shows, asksOthers }) => {
      const less = right(without(label)(p))
      const eager = judged(less, { explore: true, explain: false }).verdict
      expect([eager.verdict, eager.findings.map((f) => f.id)]).toEqual([
        verdict,
        expect.arrayContaining([...shows]),
      ])
      const from = seedsOf(1, asksOthers ? 50 : 1000).map(
        (seed) =>
          [
            seed,
            judged(less, { policy: Policy.seeded(seed), explore: true, explain: false }).verdict.verdict,
          ] as const,
      )
      expect(from.filter(([, v]) => !isBad(v))).toEqual([])
    },
  )
  test.each(sampled(2, ['skip k_consumed', 'skip v_consumed']))(
    'without %s a window gets stuck: the steps that wg1 skips come first',
    (label) => {
      const window = right(fa3Attention({ ...small, kv: 448, mask: slidingWindow(100) }))
      const v = judged(right(without(label)(window)), { explore: true }).verdict
      expect([v.verdict, v.findings.map((f) => f.id)]).toEqual(['deadlock', expect.arrayContaining(['B5'])])
    },
  )
  test.each([
    ['wait k', 'wg1 hears from wg0, through the meetings, that k has arrived'],
    ['wait v', 'the same of v'],
    ['copy out.group', 'the group of lse holds both copies'],
    ['acc_wg0_whole := init.fence', 'the fence of the weights in registers comes behind it'],
  ])('what is redundant: without %s of one warpgroup nothing changes, since %s', (label) => {
    const c: Fa3Attention = { ...base, kv: 320 }
    const whole = right(fa3Attention(c))
    // `wait k`, `wait v` of wg1 alone: wg0 is the one that hears of the copies
    const less = label.startsWith('wait') ? withoutIn('wg1', label)(whole) : right(without(label)(whole))
    const { q, k, v } = patterns(c, 4)
    const given = new Map([
      ['q', q],
      ['k', k],
      ['v', v],
    ])
    expect(effectsOf(less.entry.body).length).toBeLessThan(effectsOf(whole.entry.body).length)
    const [a, b] = [whole, less].map((one) => judged(one, {}, fast.bits('hopper'), given).verdict)
    expect([b!.verdict, b!.decidedBy, b!.digest.output]).toEqual(['ok', 'one-schedule', a!.digest.output])
  })
  test('the published form: under a causal mask the first block ends while copies are under way', () => {
    // rows 0 to 127 see two blocks of keys, and three are fetched ahead
    const c: Fa3Attention = { ...base, kv: 320, mask: causal(), maxConcurrentSteps: 3 }
    const all = judged(right(fa3Attention({ ...c, prefetch: 'all' })), { explore: true }).verdict
    expect([all.verdict, all.findings.map((f) => f.id)]).toEqual(['hazard', expect.arrayContaining(['U2'])])
    expect(judged(right(fa3Attention({ ...c, prefetch: 'needed' }))).verdict.verdict).toBe('ok')
  })
})
