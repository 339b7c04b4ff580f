/** Schedules: what a run chose as a text, and the run that this text gives; and a verdict on a long run is no longer than on a short one. */
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import * as A from '../../../src/arbitraries/program.js'
import { without } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed, type Settings } from '../../../src/kernels/catalogue/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { check, standardOptions, type CheckOptions } from '../../../src/semantics/verdict/check.js'
import { launch, noArguments, type Launched } from '../../../src/semantics/execution/launch.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { ignore, run, settings } from '../../../src/semantics/execution/run.js'
import { noted, readKeys, readSchedule, replaying, showKeys } from '../../../src/semantics/files/schedule.js'
import { offered, showKey, type EventKey } from '../../../src/semantics/execution/step.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { launched, logged, matmul } from '../machine/machine-samples.js'
import { programOf } from '../schedules/explore/programs.js'
import { prop } from '../../prop.js'

const l = launched(matmul({ k: 32, n: 64, m: 64 }), unit)

/** The keys of a run under a policy, and its schedule. */
const taken = (
  of: Launched,
  policy: Policy.AnyPolicy,
): { readonly keys: ReadonlyArray<EventKey>; readonly text: string } => {
  const { policy: listened, scheduleOf } = noted(policy)
  const { schedule } = run(of.world, of.machine, settings(listened, true), ignore)
  return { keys: schedule, text: scheduleOf(schedule) }
}

/** The last on offer, always: no policy of the module, whatever it calls itself. */
const last =
  (name: string): Policy.AnyPolicy =>
  (k) =>
    k({ name, init: 0, choose: (state, offered) => [offered.length - 1, state + 1] })

const policies: ReadonlyArray<readonly [name: string, policy: Policy.AnyPolicy]> = [
  ['eager', Policy.eager],
  ['lazy', Policy.lazy],
  ['roundrobin', Policy.roundRobin],
  ['seeded:7', Policy.seeded(7)],
  ['seeded:-3', Policy.seeded(-3)],
  ['starving:1,seeded:4', Policy.starvingAgent(1, 4)],
  ['starving:0:3,seeded:4', Policy.starvingOperation(0, 3, 4)],
]

/** An event that is on offer at a step, and the policy does not choose. */
const detourAt = (policy: Policy.AnyPolicy, step: number): Policy.Detour | null => {
  const { keys } = taken(l, policy)
  const { machine } = run(
    l.world,
    l.machine,
    { ...settings(Policy.recorded(keys.slice(0, step))), fuel: step },
    ignore,
  )
  const other = offered(l.world, machine).find(({ key }) => showKey(key) !== showKey(keys[step]!))
  return other === undefined ? null : { step, key: other.key }
}

describe('detours', () => {
  const length = taken(l, Policy.eager).keys.length
  prop([fc.constantFrom(...policies), fc.array(fc.nat({ max: length - 1 }), { maxLength: 4 })], {
    numRuns: 25,
  })(
    'law 2: a policy with detours is its name with them, and that name gives the run',
    ([name, policy], steps) => {
      let text = name
      let along = policy
      for (const step of [...new Set(steps)].sort((a, b) => a - b)) {
        const detour = detourAt(along, step)
        if (detour === null) continue
        const before = taken(l, along).keys
        text = `${text} ${Policy.showDetour(detour)}`
        along = Policy.named(text)!
        const { keys } = taken(l, along)
        // as before up to the step, and there another event
        expect(keys.slice(0, step)).toEqual(before.slice(0, step))
        expect(keys[step]).toEqual(detour.key)
      }
      const { keys, text: said } = taken(l, along)
      expect(said).toBe(text)
      expect(taken(l, right(readSchedule(said))).keys).toEqual(keys)
      return true
    },
  )
  test('none are the policy itself', () => {
    expect(Policy.detouring(Policy.lazy, [])).toBe(Policy.lazy)
  })
  test('one that is not on offer is refused, with what is', () => {
    const { outcome, steps } = run(l.world, l.machine, settings(Policy.named('lazy 3=9:9')!), ignore)
    expect(steps).toBe(3)
    expect(outcome).toMatchObject({ _tag: 'refused', key: { agent: 9, at: 9, stage: 'agent', part: 0 } })
  })
  test.each([
    'eager 3',
    'eager 3=',
    'eager =0:1',
    'eager 3=0:1 2=0:2',
    'eager 3=0:1 3=0:2',
    '3=0:1',
    'eager  3=0:1',
  ])('no name: %s', (text) => {
    expect(Policy.named(text)).toBeNull()
  })
})

describe('the schedule of a run', () => {
  test.each(policies)('law 2: under %s it is that name, and the name gives the run', (name, policy) => {
    const { keys, text } = taken(l, policy)
    expect(text).toBe(name)
    expect(taken(l, right(readSchedule(text)))).toEqual({ keys, text })
    // the watched run is the run
    expect(logged(l, policy).schedule).toEqual(keys)
  })
  test('a name that is not true is no schedule: then the events are', () => {
    for (const name of ['eager', 'lazy', 'seeded:7', 'starving:1,seeded:4', 'my own']) {
      const { keys, text } = taken(l, last(name))
      expect(readKeys(text)).toMatchObject({ _tag: 'Right' })
      expect(taken(l, right(readSchedule(text))).keys).toEqual(keys)
    }
    // and one that is true, though another policy says so, is
    expect(taken(l, (k) => Policy.lazy((p) => k({ ...p, name: 'lazy' }))).text).toBe('lazy')
  })
  test('recorded events are written as far as eager would not have chosen them', () => {
    const { keys } = taken(l, Policy.lazy)
    const { text } = taken(l, Policy.recorded(keys))
    const written = right(readKeys(text))
    expect(written).toEqual(keys.slice(0, written.length))
    expect(written.length).toBeLessThan(keys.length)
    // not one too many: without the last it is another run
    expect(taken(l, Policy.recorded(written)).keys).toEqual(keys)
    expect(taken(l, Policy.recorded(written.slice(0, -1))).keys).not.toEqual(keys)
    // one other choice at the beginning is not worth all that comes after it
    const [, second] = keys
    const other = taken(l, Policy.recorded([second!]))
    expect(other.text.split(' ').length).toBeLessThanOrEqual(1)
    expect(taken(l, Policy.recorded(taken(l, Policy.eager).keys)).text).toBe('eager')
  })
  prop([A.program(), A.schedule(), fc.boolean()], { numRuns: 60 })(
    'law 1: any program under any policy, by name or recorded: the text gives the run',
    (program, { policy }, byKeys) => {
      const of = right(launch(program, unit, noArguments))
      const { keys } = taken(of, policy)
      const again = taken(of, byKeys ? Policy.recorded(keys) : policy)
      expect(again.keys).toEqual(keys)
      expect(taken(of, right(readSchedule(again.text))).keys.map(showKey)).toEqual(keys.map(showKey))
    },
  )
  test('law 3: what is no schedule is refused with its word', () => {
    const says = (text: string): string => {
      const read = readSchedule(text)
      return E.isLeft(read) ? read.left.message : 'accepted'
    }
    const expected =
      'expected event keys such as 0:12 or 1:4/write.0, or the name of a policy and detours such as 12=1:4/write.0 in their order, found'
    expect(says('0:1 eager')).toBe(`${expected} 'eager' as word 2`)
    for (const word of [
      'seeded',
      'seeded:',
      'seeded:1.5',
      'starving:1',
      'starving:x,seeded:1',
      'recorded',
      '0-1',
    ])
      expect(says(word)).toBe(`${expected} '${word}' as word 1`)
    for (const word of ['eager', ' seeded:3\n', '0:1 2:3/signal.1']) expect(says(word)).toBe('accepted')
    expect(right(readKeys(showKeys(taken(l, Policy.lazy).keys)))).toEqual(taken(l, Policy.lazy).keys)
  })
})

describe('a verdict', () => {
  const programAt = (kernel: string, given: Settings, lacking: ReadonlyArray<string>): Program =>
    lacking.reduce(
      (p, label) => right(without(label)(p)),
      right(instanceOf(right(kernelNamed(kernel)), given, [])).program,
    )
  const judge = (p: Program, how: Partial<CheckOptions>) =>
    right(check(p, { ...standardOptions, ...how })).verdict
  /** Its document with every number the same. */
  const shape = (v: Verdict): string => JSON.stringify({ ...v, digest: null }).replace(/\d+/g, '0')

  const matmul = { m: 64, n: 32, tileK: 16, stages: 2 }
  const rows: ReadonlyArray<
    readonly [string, Settings, Settings, ReadonlyArray<string>, Partial<CheckOptions>, string]
  > = [
    ['matmul6', { k: 256 }, { k: 640 }, [], { provenance: false }, 'ok'],
    ['hopper-matmul', { ...matmul, k: 256 }, { ...matmul, k: 1024 }, ['wgmma_wait 1'], {}, 'hazard'],
    ['hopper-matmul', { ...matmul, k: 256 }, { ...matmul, k: 1024 }, ['copy a'], {}, 'deadlock'],
  ]
  test.each(rows)(
    'law 4: of %s with %j and with %j is as long',
    (kernel, short, long, lacking, how, word) => {
      const [few, many] = [short, long].map((s) => judge(programAt(kernel, s, lacking), how))
      expect([few!.verdict, many!.verdict]).toEqual([word, word])
      expect(many!.counts.steps).toBeGreaterThan(few!.counts.steps * (word === 'deadlock' ? 0 : 2))
      expect([...few!.findings, ...few!.notes].length).toBeGreaterThan(0)
      expect(shape(many!)).toBe(shape(few!))
    },
  )
  test('law 4: one that is stopped is as long after four times as many events', () => {
    const endless = programAt('hopper-matmul', { ...matmul, k: 16 * 1024 }, [])
    const [few, many] = [2_000, 8_000].map((fuel) => judge(endless, { fuel, provenance: false }))
    expect([few!.counts.steps < 2_001, many!.counts.steps > 7_000]).toEqual([true, true])
    expect(shape(many!)).toBe(shape(few!))
    expect(JSON.stringify(many).length).toBeLessThan(8_000)
  })
  test('what is said of each of many barriers does not grow with their number', () => {
    const [few, many] = [8, 64].map((n) => {
      const each = (of: (i: number) => string, by: string): string =>
        Array.from({ length: n }, (_, i) => of(i)).join(by)
      const arrive = each((i) => `arr #${String(i)}`, '; ')
      const barriers = each((i) => `b${String(i)}@0:1`, ' ')
      const v = judge(programOf(`${barriers} | t@0: ${arrive} | u@0: ${arrive}`), { explore: false })
      expect(v.findings.length).toBe(n)
      return shape(v).length / n
    })
    expect(many!).toBeLessThan(few!)
  })
  test("every finding and note replays from the document alone, the search's too", () => {
    const texts = [
      // seen by the first run; by one in which an agent is starved; by the search alone
      'b@0:1 | t@0: wr s0.x; arr #0 ~ | u@0: wait #0 0; rd s0.x',
      'b@0:1 e@0:1 | t@0: arr #0 | u@0: arr #0 | p@0: wr s0.x; arr #1 ~ | c@0: wait #1 0; rd s0.x',
      'b@0:1 e@0:1 | t@0: wait #0 1; arr #0; arr #1 | u@0: arr #0; arr #1',
    ]
    for (const text of texts) {
      const program = programOf(text)
      const v = judge(program, { provenance: false })
      expect(v.findings.length).toBeGreaterThan(0)
      for (const f of [...v.findings, ...v.notes]) {
        const policy = right(replaying(v, f))!
        const again = judge(program, { provenance: false, explore: false, policy })
        const behind = Object.values(again.conditions).flatMap((c) => c.findings)
        expect([...again.findings, ...again.notes, ...behind].map((g) => `${g.id} ${g.a.site}`)).toContain(
          `${f.id} ${f.a.site}`,
        )
      }
    }
    const [f] = judge(programOf(texts[0]!), {}).findings
    const ofTrace = { ...f!, schedule: null }
    expect(right(replaying({ schedules: [] }, ofTrace))).toBeNull()
  })
})
