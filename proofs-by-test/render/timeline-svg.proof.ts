/** Causal time, and the picture that is drawn on it: read back out of the SVG. */
import { describe, expect, test } from 'vitest'
import { causalTimes } from '../../src/render/causal-time.js'
import { write } from '../../src/render/svg.js'
import { timelineSvg } from '../../src/render/timeline-svg.js'
import { unit } from '../../src/numerics/unit.js'
import { check } from '../../src/semantics/verdict/check.js'
import { zoo } from '../../src/kernels/broken/zoo/index.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import type { Header, LogEvent } from '../../src/semantics/log/events.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import type { Program } from '../../src/semantics/language/program.js'
import { collect, run, settings } from '../../src/semantics/execution/run.js'
import { chronicle, type Entry } from '../../src/semantics/files/trace/index.js'
import { catalogue } from '../semantics/files/trace/written.js'
import { all, groupOf, readSvg, textOf, tipOf, type Node } from './read-svg.js'
import { right } from '../either.js'
import { sampled } from '../extent.js'

interface Log {
  readonly header: Header
  readonly events: ReadonlyArray<LogEvent>
}
const ran = (program: Program, policy: Policy.AnyPolicy): Log => {
  const { world, machine } = right(launch(program, unit, noArguments))
  return { header: world.header, events: run(world, machine, settings(policy), collect).result }
}
const eagerly = new WeakMap<Program, Log>()
/** A log, written once where it is that of an eager run. */
const logOf = (program: Program, policy: Policy.AnyPolicy = Policy.eager): Log => {
  const log = (policy === Policy.eager ? eagerly.get(program) : undefined) ?? ran(program, policy)
  if (policy === Policy.eager) eagerly.set(program, log)
  return log
}
const checking = {
  ...{ settings: {}, algebra: unit, arguments: noArguments, policy: Policy.eager, strict: false },
  ...{ strictProxies: false, hazards: true, provenance: false, explore: false, fuel: 1e6 },
}
const kernels = catalogue()
const chronicles = new WeakMap<Log, ReadonlyArray<Entry>>()
const chronicled = (log: Log): ReadonlyArray<Entry> => {
  const entries = chronicles.get(log) ?? chronicle(log.header, log.events)
  chronicles.set(log, entries)
  return entries
}

// ---------------------------------------------------------------- time

/** What an event is, whatever its place: who did it, which statement, which of the statement's events. */
const identities = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  let wave = -1
  return entries.map(({ event, stamp, agent }) => {
    if (event._tag === 'cluster') wave++
    const part = event._tag === 'perform' || event._tag === 'signal' ? ` ${String(event.part)}` : ''
    const own = `${String(wave)} ${String(agent)} ${String(stamp?.at)} ${event._tag}${part}`
    const nth = seen.get(own) ?? 0
    seen.set(own, nth + 1)
    return `${own} #${String(nth)}`
  })
}

/** By day every third. */
const some = sampled(3, kernels)

describe('causal time', () => {
  test('the table of the essay', () => {
    const [, program] = kernels.find(([name]) => name === 'hopper-matmul')!
    const { header: some } = logOf(program)
    const header: Header = {
      ...some,
      agents: ['memory', 'compute', 'init'].map((name) => ({ name, cta: 0, warps: 1, starts: true })),
    }
    const stamp = (agent: number, at: number) => ({ agent, at, site: 0, iteration: [] })
    const issue = (agent: number, at: number, operation: number, unit: 'tmaLoad' | 'wgmma'): LogEvent => ({
      ...{ _tag: 'issue', stamp: stamp(agent, at), operation, unit, bytes: 0, macs: 0 },
      accumulates: false,
    })
    const performed = (operation: number): LogEvent => ({
      _tag: 'perform',
      operation,
      stage: 'write',
      part: 0,
    })
    const signalled = (operation: number, barrier: number): LogEvent => ({
      ...{ _tag: 'signal', operation, part: 0, to: 'arrive', barrier },
    })
    const init = (at: number, barrier: number): LogEvent => ({
      ...{ _tag: 'barrier', stamp: stamp(2, at), kind: 'init', barrier, count: 1, bytes: 0 },
      ...{ release: false, scope: 'cta', tensor: false },
    })
    const wait = (at: number, barrier: number): LogEvent => ({
      ...{ _tag: 'wait', stamp: stamp(1, at), barrier, parity: 0, acquire: true, scope: 'cta' },
      ...{ tensor: false, outcome: 'passed' },
    })
    const table: ReadonlyArray<readonly [LogEvent, number]> = [
      [{ _tag: 'cluster', id: 0 }, 0],
      [init(1, 0), 0],
      [init(2, 1), 1],
      [issue(0, 1, 0, 'tmaLoad'), 0],
      [performed(0), 1],
      [signalled(0, 0), 2],
      [issue(0, 2, 1, 'tmaLoad'), 1],
      [performed(1), 2],
      [signalled(1, 1), 3],
      [wait(1, 0), 3],
      [issue(1, 2, 2, 'wgmma'), 4],
      [wait(3, 1), 5],
      [issue(1, 4, 3, 'wgmma'), 6],
      // law 3: clusters that begin later begin at 0
      [{ _tag: 'cluster', id: 1 }, 0],
      [issue(0, 1, 0, 'tmaLoad'), 0],
      [performed(0), 1],
    ]
    const log = { header, events: table.map(([event]) => event) }
    expect([...causalTimes(header, chronicled(log))]).toEqual(table.map(([, time]) => time))
  })
  test.each(some)('%s: law 1, whatever comes before is earlier', (_, program) => {
    const log = logOf(program)
    const entries = chronicled(log)
    const times = causalTimes(log.header, entries)
    const last = new Map<number, Entry>()
    const wrong: (readonly [before: number, after: number])[] = []
    for (const e of entries) {
      if (e.event._tag === 'cluster') last.clear()
      if (e.event._tag !== 'access')
        for (const cause of e.causes) if (!(times[cause]! < times[e.i]!)) wrong.push([cause, e.i])
      if (e.stamp === null || e.issue >= 0) continue
      const before = last.get(e.agent)
      if (before !== undefined)
        if (
          before.stamp!.at < e.stamp.at
            ? !(times[before.i]! < times[e.i]!)
            : !(times[before.i]! <= times[e.i]!)
        )
          wrong.push([before.i, e.i])
      last.set(e.agent, e)
    }
    expect(wrong).toEqual([])
  })
  test.each(some)(
    '%s: law 1, and no earlier than it must be: time t has something at t - 1 before it',
    (_, program) => {
      const log = logOf(program)
      const entries = chronicled(log)
      const times = causalTimes(log.header, entries)
      let wave: Entry[] = []
      for (const e of entries) {
        if (e.event._tag === 'cluster') wave = []
        else if (times[e.i]! > 0 && e.event._tag !== 'access')
          // in the log before it, one unit earlier: another event of its agent, its operation or its queue, or a cause
          expect(
            wave.some(
              (b) =>
                (times[b.i] === times[e.i]! - 1 &&
                  (b.agent === e.agent ||
                    e.causes.includes(b.i) ||
                    b.event._tag === 'perform' ||
                    (e.event._tag === 'rendezvous' && b.event._tag === 'rendezvous'))) ||
                (times[b.i] === times[e.i] && b.stamp?.at === e.stamp?.at && b.agent === e.agent),
            ),
          ).toBe(true)
        wave.push(e)
      }
    },
  )
  test.each(some)('%s: law 2, the schedule does not change it', (_, program) => {
    const timed = (policy: Policy.AnyPolicy): ReadonlyMap<string, number> => {
      const log = logOf(program, policy)
      const entries = chronicled(log)
      const times = causalTimes(log.header, entries)
      return new Map(identities(entries).map((name, i) => [name, times[i]!]))
    }
    const eager = timed(Policy.eager)
    for (const policy of [Policy.lazy, Policy.seeded(1), Policy.seeded(2)]) {
      const other = timed(policy)
      expect(other.size).toBe(eager.size)
      expect([...eager].filter(([name, time]) => other.get(name) !== time)).toEqual([])
    }
  })
})

// ---------------------------------------------------------------- the picture

const number = (node: Node, key: string): number => Number(node.attributes[key])
const lanesOf = (root: Node): ReadonlyArray<Node> =>
  all(root, 'g').filter((g) => g.attributes['class'] === 'agent' || g.attributes['class'] === 'unit')
/** Bars have tips, the ground of a lane has none. */
const barsOf = (lane: Node): ReadonlyArray<Node> => all(lane, 'rect').filter((r) => tipOf(r) !== '')
const firstWave = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const next = entries.findIndex((e) => e.i > 0 && e.event._tag === 'cluster')
  return next < 0 ? entries : entries.slice(0, next)
}

describe('the picture', () => {
  test.each(some)('%s: laws 1 and 2, lanes and bars', (_, program) => {
    const log = logOf(program)
    const root = readSvg(write(timelineSvg(log.header, log.events)))
    const drawn = new Map(lanesOf(root).map((l) => [l.attributes['data-lane'], l]))
    const entries = firstWave(chronicled(log))
    const statements = new Map<string, Set<number>>()
    const operations = new Map<string, number>()
    for (const { event, agent, stamp, issue } of entries) {
      if (stamp !== null && issue < 0) {
        const { name, cta } = log.header.agents[agent]!
        const key = `${name}@${String(cta)}`
        statements.set(key, (statements.get(key) ?? new Set()).add(stamp.at))
      }
      if (event._tag === 'issue') {
        const key = `${event.unit} ${String(log.header.agents[agent]!.cta)}`
        operations.set(key, (operations.get(key) ?? 0) + 1)
      }
    }
    expect(drawn.size).toBe(statements.size + operations.size)
    for (const [key, own] of statements) expect(barsOf(drawn.get(key)!)).toHaveLength(own.size)
    const units = [...drawn.values()].filter((l) => l.attributes['class'] === 'unit')
    expect(units.map((l) => barsOf(l).length).sort()).toEqual([...operations.values()].sort())
    // bars of one row do not overlap
    for (const lane of drawn.values()) {
      const bars = [...barsOf(lane)].sort((a, b) => number(a, 'x') - number(b, 'x'))
      const ends = new Map<number, number>()
      for (const bar of bars) {
        const y = number(bar, 'y')
        expect(number(bar, 'x')).toBeGreaterThanOrEqual((ends.get(y) ?? 0) - 0.02)
        ends.set(y, number(bar, 'x') + number(bar, 'width'))
      }
    }
  })
  test.each(some)('%s: law 3, arrows go on; every one is drawn', (_, program) => {
    const log = logOf(program)
    const root = readSvg(write(timelineSvg(log.header, log.events)))
    const paths = all(groupOf(root, 'arrows'), 'path').filter((p) => p.attributes['fill'] === 'none')
    for (const path of paths) {
      const at = path.attributes['d']!.match(/-?[\d.]+/g)!.map(Number)
      expect(at[6]! - at[0]!).toBeGreaterThan(0)
    }
    const entries = firstWave(chronicled(log))
    const arrows = entries.flatMap((e) =>
      e.stamp === null || e.issue >= 0
        ? []
        : e.causes.filter((c) => {
            const source = entries[c]!
            if (source.event._tag === 'barrier' && source.event.kind === 'expect') return false
            return source.issue >= 0 || source.agent !== e.agent
          }),
    )
    expect(paths).toHaveLength(arrows.length)
  })
  test('hopper-matmul, by hand: lanes in order, and as wide as a screen', () => {
    const [, program] = kernels.find(([name]) => name === 'hopper-matmul')!
    const log = logOf(program)
    const root = readSvg(write(timelineSvg(log.header, log.events)))
    expect(lanesOf(root).map((l) => l.attributes['data-lane'])).toEqual([
      'compute@0',
      'memory@0',
      'TMA load@0',
      'TMA store@0',
      'wgmma@0',
    ])
    expect(number(root, 'width')).toBeLessThanOrEqual(1601)
    const legend = all(groupOf(root, 'legend'), 'text').map(textOf)
    expect(legend).toEqual(
      expect.arrayContaining(['TMA load', 'TMA store', 'wgmma', 'barrier', 'other statements', 'waits']),
    )
  })
  test('what never ends has a red edge: a deadlock of the zoo', () => {
    const twin = zoo.find((t) => t.id === 'B5')!
    const log = logOf(right(twin.draft(false)))
    const blocked = log.events.filter((e) => e._tag === 'wait' && e.outcome === 'blocked').length
    const root = readSvg(write(timelineSvg(log.header, log.events)))
    const edges = all(root, 'rect').filter((r) => r.attributes['fill'] === '#b91c1c')
    expect(blocked).toBeGreaterThan(0)
    expect(edges.length).toBeGreaterThanOrEqual(blocked)
  })
  test('of several clusters the first is drawn, and the picture says so', () => {
    const [, program] = kernels.find(([name]) => name === 'hopper-matmul')!
    const log = logOf(program)
    const twice = [...log.events, ...log.events.map((e) => (e._tag === 'cluster' ? { ...e, id: 1 } : e))]
    const [one, two] = [log.events, twice].map((events) => readSvg(write(timelineSvg(log.header, events))))
    expect(textOf(two!)).toContain('the first of 2 clusters or waves of clusters')
    expect(textOf(one!)).not.toContain('waves of clusters')
    expect(lanesOf(two!).map((l) => barsOf(l).length)).toEqual(lanesOf(one!).map((l) => barsOf(l).length))
  })
  test('law 4: the two bars of a finding are framed, whichever ran first; twice is once', () => {
    const program = right(zoo.find((t) => t.id === 'R1')!.draft(false))
    const { verdict } = right(check(program, checking))
    const log = logOf(program)
    const finding = verdict.findings[0]!
    const drawn = (findings: typeof verdict.findings): ReadonlyArray<Node> =>
      all(readSvg(write(timelineSvg(log.header, log.events, findings))), 'g').filter(
        (g) => g.attributes['class'] === 'finding',
      )
    const both = [finding, { ...finding, id: 'W1' as const }]
    const [mark, ...others] = drawn(both)
    expect(others).toEqual([])
    expect(mark!.attributes['data-id']).toBe('R1 W1')
    const lanes = lanesOf(readSvg(write(timelineSvg(log.header, log.events, both))))
    const framed = all(mark!, 'rect').map((frame) =>
      lanes.flatMap((lane) =>
        barsOf(lane).flatMap((bar) =>
          number(bar, 'x') === number(frame, 'x') + 1 && number(bar, 'y') === number(frame, 'y') + 1
            ? [`${lane.attributes['data-lane']!}: ${tipOf(bar)}`]
            : [],
        ),
      ),
    )
    expect(framed).toEqual([
      [expect.stringMatching(/^TMA load@0: load s: issue/)],
      [expect.stringMatching(/^consumer@0: read s: read/)],
    ])
    // what is not drawn is not marked
    expect(drawn([{ ...finding, a: { ...finding.a, at: 99 } }])).toEqual([])
    expect(drawn([{ ...finding, b: { ...finding.b!, site: 'another' } }])).toEqual([])
    expect(drawn([])).toEqual([])
  })
  test('law 5: the legend names every id that is found, and counts what is not drawn', () => {
    const program = right(zoo.find((t) => t.id === 'R1')!.draft(false))
    const { verdict } = right(check(program, checking))
    const log = logOf(program)
    const finding = verdict.findings[0]!
    const later = { ...finding, a: { ...finding.a, at: 99 } }
    const legend = (findings: typeof verdict.findings): ReadonlyArray<string> =>
      all(readSvg(write(timelineSvg(log.header, log.events, findings))), 'g')
        .filter((g) => g.attributes['class'] === 'found')
        .flatMap((g) => all(g, 'text').map(textOf))
    expect(legend([finding])).toEqual(['R1  read before arrival'])
    expect(legend([finding, { ...later, id: 'W1' }])).toEqual([
      'R1  read before arrival',
      'W1  overwritten before it was consumed (not drawn here)',
    ])
    expect(legend([finding, later, later])).toEqual(['R1  read before arrival (2 of 3 not drawn here)'])
    expect(legend([])).toEqual([])
    // the document says as much of a finding as a mark needs
    const printed: typeof verdict.findings = JSON.parse(JSON.stringify(verdict)).findings
    expect(write(timelineSvg(log.header, log.events, printed))).toBe(
      write(timelineSvg(log.header, log.events, verdict.findings)),
    )
  })
  test('an empty log is an empty picture', () => {
    const [, program] = kernels.find(([name]) => name === 'hopper-matmul')!
    expect(lanesOf(readSvg(write(timelineSvg(logOf(program).header, []))))).toEqual([])
  })
})
