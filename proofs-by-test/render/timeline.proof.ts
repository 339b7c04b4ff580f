/** Timelines and tables of logs: the format's rules, and every event is there. */
import { describe, expect, test } from 'vitest'
import { eventLanes, eventRows, eventTable } from '../../src/render/event-table.js'
import { plain } from '../../src/render/palette.js'
import { timeline, timelineText } from '../../src/render/timeline.js'
import * as Policy from '../../src/semantics/execution/policy.js'
import { chronicle, decodeTrace, type Trace } from '../../src/semantics/files/trace/index.js'
import { catalogue, random, written } from '../semantics/files/trace/written.js'
import { brokenRule } from './trace-event-format.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const traceOf = (lines: ReadonlyArray<string>): Trace => right(decodeTrace(lines))
const logs: ReadonlyArray<readonly [name: string, log: Trace]> = [
  ...catalogue().map(([name, p]) => [name, traceOf(written(p).lines)] as const),
  ...Array.from(
    { length: nightly ? 40 : 10 },
    (_, k) => [`random ${String(k)}`, traceOf(written(random(k), Policy.seeded(k)).lines)] as const,
  ),
]

type Fields = Readonly<Record<string, unknown>>
const drawn = ({ header, events }: Trace): ReadonlyArray<Fields> =>
  (JSON.parse(timelineText(timeline(header, events))) as { readonly traceEvents: ReadonlyArray<Fields> })
    .traceEvents

describe('timelines', () => {
  test.each(logs)('%s: the format has no complaint; the text is the document', (_, { header, events }) => {
    const document: unknown = JSON.parse(timelineText(timeline(header, events)))
    expect(document).toEqual(timeline(header, events))
    expect(brokenRule(document)).toBeNull()
  })

  test('the checker refuses what viewers do: each rule broken alone', () => {
    const [first] = logs
    const document = timeline(first![1].header, first![1].events)
    const at = document.traceEvents.findIndex((e) => (e as Fields)['ph'] === 'X')
    const flow = document.traceEvents.findIndex((e) => (e as Fields)['ph'] === 's')
    const changed = (k: number, by: Fields): unknown => ({
      traceEvents: document.traceEvents.map((e, j) => (j === k ? { ...(e as Fields), ...by } : e)),
    })
    expect(brokenRule(changed(at + 3, { ts: -1 }))).toContain('no time')
    expect(brokenRule(changed(at + 3, { ts: 1e9 }))).toContain('goes back')
    expect(brokenRule(changed(at + 3, { tid: 77 }))).toContain('has no name')
    expect(brokenRule(changed(at + 3, { dur: 1.5 }))).toContain('slices cross')
    expect(brokenRule(changed(flow, { id: -5 }))).toMatch(/flow .*: /)
    expect(brokenRule({ traceEvents: document.traceEvents.slice(1) })).toContain('has no name')
  })

  test('a process for each CTA, a thread for each agent that does something; operations where their unit is', () => {
    for (const [, log] of logs) {
      const events = drawn(log)
      const names = events.filter((e) => e['name'] === 'thread_name')
      const acting = new Set(
        chronicle(log.header, log.events).flatMap((e) => (e.stamp === null ? [] : [e.agent])),
      )
      for (const agent of acting) {
        const { name, cta } = log.header.agents[agent]!
        expect(names).toContainEqual(expect.objectContaining({ pid: cta, args: { name } }))
      }
      const issues = log.events.filter((e) => e._tag === 'issue').length
      expect(events.filter((e) => e['cat'] === 'operation').length).toBe(issues)
    }
  })

  test('from a copy to the wait that it lets pass: issue, signal, wait', () => {
    const [, log] = logs.find(([name]) => name === 'hopper-matmul')!
    const entries = chronicle(log.header, log.events)
    const flows = drawn(log).filter((e) => e['cat'] === 'flow')
    const wait = entries.find(({ event }) => event._tag === 'wait' && event.outcome === 'passed')!
    const copies = wait.causes.map((c) => entries[c]!).filter((e) => e.issue >= 0)
    // two copies of 16 KB on one barrier
    expect(copies.length).toBe(2)
    for (const copy of copies) {
      const start = flows.find((f) => f['ph'] === 's' && f['ts'] === copy.issue)!
      const same = flows.filter((f) => f['id'] === start['id'])
      expect(same.map((f) => [f['ph'], f['ts']])).toEqual([
        ['s', copy.issue],
        ['t', copy.i],
        ['f', wait.i],
      ])
    }
  })

  test('an agent is blocked from its last statement to the event that it waited for, and in a deadlock to the end', () => {
    const stuck = logs.find(([, { events }]) =>
      events.some((e) => e._tag === 'wait' && e.outcome === 'blocked'),
    )!
    const events = drawn(stuck[1])
    const end = stuck[1].events.length
    const waits = events.filter((e) => e['cat'] === 'wait')
    expect(waits.some((e) => Number(e['ts']) + Number(e['dur']) === end)).toBe(true)
  })
})

describe('chronicles', () => {
  test.each(logs)('%s: one entry an event; causes come before', (_, { header, events }) => {
    const entries = chronicle(header, events)
    expect(entries.map((e) => e.event)).toEqual(events)
    expect(entries.filter((e) => !e.causes.every((cause) => cause < e.i))).toEqual([])
  })
})

describe('tables', () => {
  test.each(logs.slice(0, 12))(
    '%s: a row an event, aligned, no blanks at the ends',
    (_, { header, events }) => {
      const rows = eventRows(header, events)
      const lines = eventTable(plain, rows).split('\n')
      expect(lines.length).toBe(events.length + 1)
      const column = lines[0]!.indexOf('what')
      expect(lines.filter((line) => line !== line.trimEnd() || line.length > 200)).toEqual([])
      const [, ...below] = lines
      expect(below.filter((line) => line.slice(column - 1, column) !== ' ')).toEqual([])
      expect(below.map((line) => Number(line.trimStart().split(' ')[0]))).toEqual(below.map((_, k) => k))
    },
  )

  test('lanes: an event stands under its agent', () => {
    const [, { header, events }] = logs.find(([name]) => name === 'hopper-matmul')!
    const lines = eventLanes(plain, header, events, 120).split('\n')
    expect(lines.length).toBe(events.length + 1)
    const columns = header.agents.map((a) => lines[0]!.indexOf(`${a.name}@${String(a.cta)}`))
    for (const e of chronicle(header, events)) {
      const line = lines[e.i + 1]!
      expect(line.length).toBeLessThanOrEqual(120)
      if (e.agent >= 0) expect(line.search(/(?<=^ *\d+ +)[^ ]/)).toBe(columns[e.agent])
    }
  })
})
