/** Register counts of a warpgroup: its warps set the same, one by one; by hand, and law 1. */
import { describe, expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import type { Header, LogEvent } from '../../../../src/semantics/log/events.js'
import { script } from './script.js'

/** `counts[i]` of the i-th warp; `ended`: the warps that end. */
const told = (
  counts: ReadonlyArray<ReadonlyArray<number>>,
  how: { readonly warps?: number; readonly ended?: number; readonly order?: ReadonlyArray<number> } = {},
): ReadonlyArray<string> => {
  const s = script({ agents: counts.map((_, i) => `w${String(i)}@0`), barriers: [] })
  const header: Header = {
    ...s.header,
    agents: s.header.agents.map((a, i) => ({ ...a, warps: how.warps ?? 1, firstWarp: i })),
  }
  const events: LogEvent[] = (how.order ?? counts.map((_, i) => i)).flatMap((agent) => [
    ...counts[agent]!.map((count, k): LogEvent => ({
      _tag: 'registers',
      stamp: { agent, at: k + 1, site: 0, iteration: [] },
      count,
      needs: 0,
      free: 0,
      blocked: false,
    })),
    ...(agent < (how.ended ?? counts.length) ? [{ _tag: 'exit' as const, agent }] : []),
  ])
  return judgeLog(header, events, defaults).findings.map((f) => `${f.id}: ${f.text}`)
}

const same = 'A2: setmaxnreg: all warps of a warpgroup must execute the same one:'

describe('the warps of a warpgroup', () => {
  test('set the same, or nothing', () => {
    expect(told([[40], [40], [40], [40]])).toEqual([])
    expect(told([[40, 232], [40, 232], [40, 232], [40, 232], [], [], [], []])).toEqual([])
    expect(told([[40], [40], [40], [40], [232], [232], [232], [232]])).toEqual([])
    // a block of two warps has no others
    expect(told([[40], [40]])).toEqual([])
  })
  test('some of them do not', () => {
    expect(told([[40], [40], [], []])).toEqual([
      `${same} w0@0, w1@0 set 40 registers, w2@0, w3@0 do not execute it`,
    ])
    expect(told([[], [], [], [], [], [], [40], []])).toEqual([
      `${same} w6@0 sets 40 registers, w4@0, w5@0, w7@0 do not execute it`,
    ])
    expect(told([[40, 24], [40, 24], [40, 24], [40]])).toEqual([
      `${same} w0@0, w1@0, w2@0 set 24 registers, w3@0 does not execute it`,
    ])
  })
  test('or another one', () => {
    expect(told([[40], [40], [48], []])).toEqual([
      `${same} w0@0, w1@0 set 40 registers, w3@0 does not execute it, w2@0 sets 48`,
    ])
  })
  test('law 1: whichever is first', () => {
    for (const order of [
      [3, 2, 1, 0],
      [1, 3, 0, 2],
    ])
      expect(told([[40], [], [40], []], { order })).toEqual(told([[40], [], [40], []]))
  })
  test('may be on their way', () => {
    expect(told([[40], [40], [], []], { ended: 3 })).toEqual([])
  })
  test('are not agents of several warps', () => {
    expect(told([[40], [], [], []], { warps: 4 })).toEqual([])
  })
})
