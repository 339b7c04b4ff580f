/**
 * Outputs of which no byte is touched twice: a log is judged as on a plane that is no output, whose accesses are all put on their atoms; and what an output
 * lacks is counted byte by byte.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import {
  eachMissing,
  writtenOnce,
  deferWrite,
} from '../../../../src/semantics/judging/detector/written-once.js'
import { asSpans, type Access, type Footprint } from '../../../../src/semantics/log/events.js'
import { prop } from '../../../prop.js'
import { record } from './records.js'
import { script } from './script.js'

const bytes = 100

interface Touch {
  readonly agent: number
  readonly rw: 'r' | 'w'
  readonly atomic: boolean
  readonly cluster: boolean
  readonly by: number
  /** gaps and lengths, in turns */
  readonly steps: ReadonlyArray<number>
}
/** A few pieces, most of them a write. */
const touch: fc.Arbitrary<Touch> = fc.record({
  agent: fc.nat(1),
  rw: fc.constantFrom('w', 'w', 'w', 'w', 'r'),
  atomic: fc.constantFrom(false, false, false, false, true),
  cluster: fc.constantFrom(false, false, false, true),
  by: fc.constantFrom(0, 3, 32, 40),
  steps: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 6 }),
})

const spansOf = ({ steps, by }: Touch): { readonly list: Int32Array; readonly by: number } => {
  const list: number[] = []
  let at = -1
  for (const step of steps) {
    at += step
    if (at + by <= bytes) list.push(at)
  }
  return { list: Int32Array.from(list.length % 2 === 0 ? list : list.slice(0, -1)), by }
}

const logOf = (touches: ReadonlyArray<Touch>): ReturnType<typeof script> => {
  const s = script({ agents: ['p@0', 'c@0'], barriers: [] })
  const feet = new Map<string, Footprint>()
  s.push({ _tag: 'cluster', id: 0 })
  touches.forEach((t, i) => {
    if (t.cluster) s.push({ _tag: 'cluster', id: i + 1 })
    const spans = spansOf(t)
    if (spans.list.length === 0) return
    const key = `${spans.list.join()} ${String(spans.by)}`
    const footprint = feet.get(key) ?? { ...s.footprint('g 0'), id: 1000 + feet.size, spans }
    feet.set(key, footprint)
    const e: Access = {
      _tag: 'access',
      stamp: s.stamp(t.agent, `${t.rw} ${String(i)}`),
      rw: t.rw,
      proxy: 'generic',
      footprint,
      role: 'source',
      atomic: t.atomic,
    }
    s.push(t.atomic ? { ...e, scope: 'gpu' } : e)
  })
  return s
}

const judgedAs = (s: ReturnType<typeof script>, output: boolean): Judgement =>
  judgeLog(
    {
      ...s.header,
      planes: s.header.planes.map((p) => (p.name === 'g' ? { ...p, bytes, initialised: false, output } : p)),
    },
    s.events,
    defaults,
  )
const said = ({ findings, notes, conditions, digest, looked, events }: Judgement): unknown => ({
  findings: findings.filter(({ id }) => id !== 'O1'),
  notes,
  conditions: { ...conditions, C5: null },
  digest,
  looked,
  events,
})

prop([fc.array(touch, { maxLength: 8 })])('law 1: judged as without', (touches) => {
  const s = logOf(touches)
  const judged = judgedAs(s, true)
  expect(said(judged)).toEqual(said(judgedAs(s, false)))
  const there = new Set<number>()
  let last: string | undefined
  for (const e of s.events)
    if (e._tag === 'access' && e.rw === 'w') {
      const { list, by } = e.footprint.spans
      for (let i = 0; i < list.length; i += 2) for (let a = list[i]!; a < list[i + 1]!; a++) there.add(a + by)
      last = s.header.sites[e.stamp.site]!.label
    }
  const lacking = judged.findings.find(({ id }) => id === 'O1')
  expect(lacking?.text).toBe(
    there.size === bytes ? undefined : `${String(bytes - there.size)} bytes of output g are never written`,
  )
  if (lacking !== undefined && last !== undefined) expect(lacking.a.site).toBe(last)
  return true
})

test('by hand: bytes that begin and end within a word of bits, over its edge, and all of it', () => {
  const p = writtenOnce(true, 80)
  const write = (...spans: ReadonlyArray<number>): boolean =>
    deferWrite(
      p,
      record({ rw: 'w', footprint: { ...record({}).footprint, spans: asSpans(Int32Array.from(spans)) } }),
      0,
    )
  const missing = (): ReadonlyArray<readonly [number, number]> => {
    const out: (readonly [number, number])[] = []
    eachMissing(p, (from, to) => out.push([from, to]))
    return out
  }
  expect(missing()).toEqual([[0, 80]])
  expect(write(31, 33)).toBe(true)
  expect(write(32, 33)).toBe(false)
  expect(write(0, 4, 30, 32)).toBe(false)
  // of a write that is not kept no byte is taken
  expect(write(0, 4, 8, 31)).toBe(true)
  expect(write(64, 80)).toBe(true)
  expect(missing()).toEqual([
    [4, 8],
    [33, 64],
  ])
  expect(write(33, 64, 4, 8)).toBe(true)
  expect(missing()).toEqual([])
  expect(write(80, 81)).toBe(false)
})
