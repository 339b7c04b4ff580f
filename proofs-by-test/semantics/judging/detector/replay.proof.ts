/**
 * A log judged again: without actions the same judgement; an action before an event is done before it and after the one in front, one behind the last at
 * the end; and where in a log the side of a finding stands. By hand.
 */
import { describe, expect, test } from 'vitest'
import { indexOf, replay, replayUntil, stampOf } from '../../../../src/semantics/judging/detector/replay.js'
import { applyFence } from '../../../../src/semantics/judging/detector/fences.js'
import { defaults } from '../../../../src/semantics/judging/detector/rules.js'
import type { Operation as Side } from '../../../../src/semantics/judging/finding.js'
import type { LogEvent } from '../../../../src/semantics/log/events.js'
import { ids, load, script, type Script } from './script.js'

const world = { agents: ['p@0', 'c@0'], barriers: [{ name: 'full', count: 1 }] }
const storing = (s: Script): void => {
  s.w(0, 's0 0', 'epilogue')
  const op = s.issue(0, 'tmaStore', 'store')
  s.commit(0, 'bulk')
  s.perform(op, ['s0 0'], [])
  s.group(op, 'bulk', 'read')
  s.perform(op, [], ['g 0'])
  s.group(op, 'bulk', 'full')
  s.awaits(0, 'bulk', 0)
}
const made = (...steps: ReadonlyArray<(s: Script) => void>): Script => {
  const s = script(world)
  for (const step of steps) step(s)
  return s
}
const nothing = (): void => undefined

describe('law 1: without actions it is the judgement of the log', () => {
  test.each<readonly [string, (s: Script) => void]>([
    ['an empty one', nothing],
    ['a store without its fence', storing],
    ['a race', (s) => [s.w(0, 's0 0'), s.r(1, 's0 0')]],
    ['a copy in flight', (s) => load(s, 0, 0, 's0 0')],
    ['a deadlock', (s) => s.wait(0, 0, 0, { blocked: true })],
  ])('%s', (_, step) => {
    const s = made(step)
    expect(replay(s.header, s.events, defaults, [], nothing)).toEqual(s.judge())
    const strict = { ...defaults, strict: true, strictProxies: true }
    expect(replay(s.header, s.events, strict, [], nothing)).toEqual(s.judge(strict))
  })
})

describe('actions', () => {
  const s = made(storing)
  const write = s.events.findIndex((e) => e._tag === 'access')
  /** What is left to find if p fences before the event of this index. */
  const fenced = (before: number): ReadonlyArray<string> => {
    const action = {
      before,
      act: (d: Parameters<Parameters<typeof replay>[4]>[0]) => {
        applyFence(d.context, 0, 'shared')
      },
    }
    return ids(replay(s.header, s.events, defaults, [action], nothing))
  }
  test('before the event that they name: a fence right before the write or behind the issue is none', () => {
    expect([fenced(write), fenced(write + 1), fenced(write + 2)]).toEqual([['P1'], [], ['P1']])
    expect(s.events[write + 1]!._tag).toBe('issue')
  })
  test('each once, in their order, and what stands behind the last event at the end', () => {
    const log: Array<string> = []
    const say = (before: number, text: string) => ({
      before,
      act: () => {
        log.push(text)
      },
    })
    const two = s.events.slice(0, 2)
    const actions = [
      say(2, 'end'),
      say(1, 'b'),
      say(0, 'a'),
      say(1, 'c'),
      say(7, 'far behind'),
      say(-1, 'never'),
    ]
    replay(s.header, two, defaults, actions, (d, i) => {
      log.push(`event ${String(i)}, ${String(d.context.when)} seen`)
    })
    expect(log).toEqual(['a', 'event 0, 1 seen', 'b', 'c', 'event 1, 2 seen', 'end', 'far behind'])
  })
})

describe('law 2: until enough has been seen', () => {
  const s = made(storing)
  test.each([defaults, { ...defaults, strict: true }])('never is all', (options) => {
    expect(replayUntil(s.header, s.events, options, [], () => false)).toEqual(
      replay(s.header, s.events, options, [], nothing),
    )
  })
  test('at an event: nothing is judged, and nothing behind it is looked at', () => {
    const seen: number[] = []
    const stopped = replayUntil(s.header, s.events, defaults, [], (d, i) => {
      seen.push(d.context.when)
      return i === 1
    })
    expect([stopped, seen]).toEqual([null, [1, 2]])
  })
})

describe('who did it, and where it stands', () => {
  const stamp = { agent: 1, at: 3, site: 0, iteration: [] }
  const footprint = made().footprint('s0 0')
  const access = {
    _tag: 'access',
    stamp,
    rw: 'r',
    proxy: 'generic',
    footprint,
    role: 'source',
    atomic: false,
  } as const
  const barrier = {
    _tag: 'barrier',
    stamp,
    barrier: 0,
    count: 1,
    bytes: 0,
    release: true,
    scope: 'cta',
    tensor: false,
  } as const
  test.each<readonly [LogEvent, boolean]>([
    [access, true],
    [{ ...access, operation: 0 }, false],
    [{ _tag: 'perform', operation: 0, stage: 'all', part: 0 }, false],
    [{ _tag: 'signal', operation: 0, part: 0, to: 'arrive', barrier: 0 }, false],
    [{ _tag: 'exit', agent: 1 }, false],
    [{ _tag: 'cluster', id: 1 }, false],
    [{ _tag: 'issue', stamp, operation: 0, unit: 'wgmma', bytes: 0, macs: 0, accumulates: false }, true],
    [{ ...barrier, kind: 'arrive' }, true],
    [
      {
        _tag: 'wait',
        stamp,
        barrier: 0,
        parity: 0,
        acquire: true,
        scope: 'cta',
        tensor: false,
        outcome: 'passed',
      },
      true,
    ],
    [{ _tag: 'group', stamp, kind: 'commit', family: 'bulk', pending: 0, read: false, blocked: false }, true],
    [{ _tag: 'fence', stamp, kind: 'proxyAsync', scope: 'cta' }, true],
    [{ _tag: 'rendezvous', stamp, kind: 'arrive', id: 1, count: 128, threads: 128 }, true],
    [
      {
        _tag: 'semaphore',
        stamp,
        kind: 'signal',
        footprint,
        value: 1,
        decrement: false,
        scope: 'gpu',
        before: 0,
        outcome: 'passed',
      },
      true,
    ],
    [{ _tag: 'registers', stamp, count: 40, needs: 1, free: 9, blocked: false }, true],
    [{ _tag: 'fork', stamp, children: [] }, true],
    [{ _tag: 'join', stamp, children: [] }, true],
    [{ _tag: 'alloc', stamp, footprint }, true],
    [{ _tag: 'dealloc', stamp, footprint }, true],
  ])('%j', (e, its) => {
    expect(stampOf(e)).toEqual(its ? stamp : undefined)
    const side = (index: number, at: number): Side => ({
      index,
      agent: 'c@0',
      site: 'x',
      path: [],
      iteration: [],
      at,
      does: 'reads',
    })
    const front: LogEvent = { _tag: 'cluster', id: 0 }
    expect(indexOf([front, e, e], side(1, 3))).toBe(its ? 1 : -1)
    expect([indexOf([e], side(0, 3)), indexOf([e], side(1, 2))]).toEqual([-1, -1])
  })
  test('an operation stands at its issue, also where it performs first', () => {
    const s = made(
      (x) => load(x, 0, 0, 's0 0', 'load'),
      (x) => x.r(1, 's0 0'),
    )
    const [found] = s.judge().findings
    expect(s.events[indexOf(s.events, found!.a)]!._tag).toBe('issue')
    expect(s.events[indexOf(s.events, found!.b!)]!._tag).toBe('access')
  })
})
