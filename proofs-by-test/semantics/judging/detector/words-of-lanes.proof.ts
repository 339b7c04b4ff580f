/**
 * Words that each lane of a warp tells and hears for itself. Oracle: the same log as one of threads (`log/threads.ts`), in which every lane is an agent and no event has
 * lanes: a race that is found among the threads is found among the warps.
 */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaults, judgeLog } from '../../../../src/semantics/judging/detector/index.js'
import {
  asSpans,
  scattered,
  traceSchema,
  type Access,
  type Footprint,
  type Header,
  type LogEvent,
  type Stamp,
} from '../../../../src/semantics/log/events.js'
import { spansAt } from '../../../../src/semantics/machine/addresses.js'
import { threadsOf } from '../../../../src/semantics/log/threads.js'
import { nightly } from '../../../extent.js'

// ---------------------------------------------------------------- drawn

/** Lane l of n touches the place (l + turn) of n: its own, or another's. */
interface Drawn {
  readonly warp: 0 | 1
  readonly does: 'write' | 'read' | 'tell' | 'hear' | 'add' | 'fence' | 'meet'
  readonly lanes: number
  readonly turn: number
  /** releases, or acquires */
  readonly orders: boolean
  /** all lanes name one word */
  readonly one: boolean
}
const lanes = 3
const mostSites = 9
const statement = (warp: fc.Arbitrary<0 | 1>, ...does: ReadonlyArray<Drawn['does']>): fc.Arbitrary<Drawn> =>
  fc.record({
    warp,
    does: fc.constantFrom(...does),
    lanes: fc.constantFrom(7, 7, 7, 7, 7, 7, 3, 6, 5, 1, 2, 4),
    turn: fc.constantFrom(0, 0, 1, 2),
    orders: fc.boolean(),
    one: fc.constantFrom(false, false, false, true),
  })
const some = (s: fc.Arbitrary<Drawn>): fc.Arbitrary<ReadonlyArray<Drawn>> => fc.array(s, { maxLength: 1 })
const any = statement(fc.constantFrom<0 | 1>(0, 1), 'write', 'read', 'tell', 'hear', 'add', 'fence', 'meet')

/** One warp writes and tells, the other hears and reads, and something else besides; or anything. */
const drawn: fc.Arbitrary<ReadonlyArray<Drawn>> = fc.oneof(
  fc
    .tuple(
      statement(fc.constant(0), 'write').map((s) => [s]),
      some(statement(fc.constant(0), 'meet', 'fence')),
      some(any),
      statement(fc.constant(0), 'tell', 'tell', 'add').map((s) => [s]),
      statement(fc.constant(1), 'hear', 'hear', 'add').map((s) => [s]),
      some(statement(fc.constant(1), 'fence')),
      some(statement(fc.constant(1), 'meet')),
      some(any),
      statement(fc.constant(1), 'read').map((s) => [s]),
    )
    .map((parts) => parts.flat()),
  fc.array(any, { minLength: 2, maxLength: mostSites }),
)

const lanesOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: lanes }, (_, l) => l).filter((l) => ((mask >> l) & 1) === 1)

const header: Header = {
  schema: traceSchema,
  arch: 'sm90a',
  program: 'words',
  agents: [0, 1].map((firstWarp) => ({
    name: `w${String(firstWarp)}`,
    cta: 0,
    warps: 1,
    firstWarp,
    starts: true,
  })),
  ctas: 1,
  planes: [
    { space: 'gmem', name: 'data', bytes: 4 * lanes, initialised: true },
    { space: 'gmem', name: 'flag', bytes: 4 * lanes, initialised: true },
  ],
  tensors: [],
  computes: null,
  barriers: [],
  sites: Array.from({ length: mostSites }, (_, k) => ({ file: 'words', line: k + 1, column: 1 })) as never,
  nondeterminism: [],
}

const logOf = (program: ReadonlyArray<Drawn>): ReadonlyArray<LogEvent> => {
  const log: LogEvent[] = [{ _tag: 'cluster', id: 0 }]
  const at = [0, 0]
  const places = new Map<string, Footprint>()
  const footprint = (plane: number, addresses: ReadonlyArray<number>): Footprint => {
    const key = `${String(plane)} ${addresses.join()}`
    const known = places.get(key)
    if (known !== undefined) return known
    const offsets = Int32Array.from(addresses)
    const made: Footprint = {
      id: places.size,
      plane,
      spans: asSpans(spansAt('i32', offsets)),
      dtype: 'i32',
      map: scattered([offsets.length], offsets),
    }
    places.set(key, made)
    return made
  }
  program.forEach(({ warp, does, lanes: mask, turn, orders, one }, site) => {
    const stamp: Stamp = { agent: warp, at: ++at[warp]!, site, iteration: [], lanes: mask }
    const own = footprint(
      does === 'write' || does === 'read' ? 0 : 1,
      lanesOf(mask).map((l) => (one && does !== 'write' ? 0 : 4 * ((l + turn) % lanes))),
    )
    const access = (rw: 'r' | 'w'): Access => ({
      _tag: 'access',
      stamp,
      rw,
      proxy: 'generic',
      footprint: own,
      role: rw === 'r' ? 'source' : 'destination',
      atomic: false,
    })
    const strong = (rw: 'r' | 'w'): Access => ({ ...access(rw), atomic: true, scope: 'cta' })
    switch (does) {
      case 'write':
        log.push(access('w'))
        return
      case 'read':
        log.push(access('r'))
        return
      case 'tell':
        log.push(orders ? { ...strong('w'), releases: true } : strong('w'))
        return
      case 'hear':
        log.push(orders ? { ...strong('r'), acquires: true } : strong('r'))
        return
      case 'add': {
        const both = orders ? ({ releases: true, acquires: true } as const) : {}
        log.push(
          { ...strong('r'), combine: 'add', ...(orders ? { acquires: true as const } : {}) },
          { ...strong('w'), combine: 'add', ...both },
        )
        return
      }
      case 'fence':
        log.push({ _tag: 'fence', stamp, kind: 'memory', scope: 'cta' })
        return
      case 'meet':
        log.push({ _tag: 'warpSync', stamp })
        return
    }
  })
  return [...log, { _tag: 'exit', agent: 0 }, { _tag: 'exit', agent: 1 }]
}

/** Plain data that race: what two lanes of one warp do is D1 or D2 among threads, and D5 among warps. `certain`: what is heard is heard in every schedule. */
const judged = (h: Header, log: ReadonlyArray<LogEvent>) => {
  const { findings, conditions } = judgeLog(h, log, defaults)
  const races = findings.some(
    ({ id, text }) => (id === 'D1' || id === 'D2' || id === 'D5') && text.includes('data'),
  )
  return { races, certain: conditions.C1.holds }
}

// ---------------------------------------------------------------- laws

const runs = nightly ? 100_000 : 1_500

test('a race of data among threads is one among warps, and the other way round, unless what is heard is a matter of timing', () => {
  const seen = { races: 0, none: 0 }
  fc.assert(
    fc.property(drawn, (program) => {
      const log = logOf(program)
      const threads = threadsOf(header, log)
      const [ofWarps, ofThreads] = [judged(header, log), judged(threads.header, threads.log)]
      seen[ofThreads.races ? 'races' : 'none']++
      if (ofThreads.races || ofThreads.certain) expect(ofWarps.races).toBe(ofThreads.races)
    }),
    { numRuns: runs },
  )
  expect(Math.min(seen.races, seen.none)).toBeGreaterThan(runs / 10)
})
