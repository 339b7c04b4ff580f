/**
 * Which events are enough, by hand: the table of independence, a row at a time. `*` stands before the operation that an agent is about to do; what is
 * expected are those to be followed, agents by name and operations in flight by name and number.
 */
import { describe, expect, it } from 'vitest'
import * as B from '../../../../src/semantics/writing/builder.js'
import * as X from '../../../../src/semantics/language/expression.js'
import { Claims, Places } from '../../../../src/semantics/schedules/explore/index.js'
import { reduction } from '../../../../src/semantics/schedules/explore/reduction.js'
import type { Launched } from '../../../../src/semantics/execution/launch.js'
import type { Machine } from '../../../../src/semantics/machine/state.js'
import { embed } from '../../../../src/semantics/schedules/naive/embed.js'
import { offered, sameKey, take, type EventKey } from '../../../../src/semantics/execution/step.js'
import { skeleton } from '../naive/skeletons.js'
import { kindsOf, launchedProgram, launchedSkeleton, searched } from './programs.js'
import {
  arr,
  ask,
  atom,
  gather,
  gathered,
  rdG,
  rdH,
  rdY,
  things,
  wrG,
  wrH,
  type Word,
  atomY,
  barArrive,
  behindCopies,
  drop,
  expecting,
  forked,
  init,
  inval,
  rd,
  signal,
  sleep,
  team,
  wait,
  wr,
  wrY,
  type Team,
  type Things,
} from './team.js'
import { right } from '../../../either.js'

/** The machine after all agents have come so far that `isThere`; operations stay in flight. */
const standing = ({ world, machine }: Launched, isThere: (m: Machine, agent: number) => boolean): Machine => {
  let m = machine
  for (;;) {
    const o = offered(world, m).find((x) => x.operation === null && !isThere(m, x.key.agent))
    if (o === undefined) return m
    const done = take(world, m, o)
    if ('kind' in done) throw new Error(done.message)
    m = done.machine
  }
}

const enough = (
  { world, machine }: Launched,
  m: Machine,
  nameOf: (agent: number) => string,
  frozen: EventKey | null = null,
): string => {
  const touched = Claims.future(world, machine)
  const seen: Places.Seen = new Map()
  Claims.mapFuture(touched, (t) => Claims.noteAll(seen, t))
  const places = Places.places(world.header, seen)
  const choices = offered(world, m).filter((o) => frozen === null || !sameKey(o.key, frozen))
  const claims = choices.map((o) => Claims.claim(places, Claims.touchesOf(world, m, o)))
  const chosen = reduction(
    world,
    Claims.mapFuture(touched, (t) => Claims.claim(places, t)),
  )(m, choices, claims, frozen)
  return [...chosen]
    .sort((p, q) => p - q)
    .map((i) => {
      const { key, operation } = choices[i]!
      if (operation === null) return nameOf(key.agent)
      return `${nameOf(key.agent)}#${String(m.inFlight.filter((f) => f.agent === key.agent).indexOf(operation))}`
    })
    .join(' ')
}

/** `cold`: by name, what is never to be taken. */
const ofSkeleton = (text: string, cold: string | null = null): string => {
  const s = skeleton(text.replace(/; \* \|/g, ' |').replaceAll('*', ''))
  const { program, agents, events } = right(embed(s))
  const bodies = text.split('|').slice(1)
  const goals = bodies.map((body, x) => {
    const before = body.slice(body.indexOf(':') + 1).split('*')[0]!
    const op = before.split(';').length - 1
    return events[x]![op]?.[0] ?? Infinity
  })
  const launched = launchedProgram(program)
  const m = standing(launched, (state, agent) => {
    const x = agents.indexOf(agent)
    return x >= 0 && state.agents[agent]!.at >= goals[x]!
  })
  agents.forEach((agent, x) => {
    if (goals[x] !== Infinity) expect(m.agents[agent]!.at, text).toBe(goals[x])
  })
  const nameOf = (agent: number): string => s.agents[agents.indexOf(agent)]!.name
  const never = offered(launched.world, m).find(
    (o) => cold === `${nameOf(o.key.agent)}${o.operation === null ? '' : '#0'}`,
  )
  expect(never === undefined).toBe(cold === null)
  return enough(launched, m, nameOf, never?.key ?? null)
}

type Row = readonly [what: string, text: string, enough: string]
const rows: ReadonlyArray<Row> = [
  // accesses
  ['two writes of one place', ' | t@0: * wr s0.x | u@0: * wr s0.x', 't u'],
  ['two reads', ' | t@0: * rd s0.x | u@0: * rd s0.x', 't'],
  ['a write and a read', ' | t@0: * wr s0.x | u@0: * rd s0.x', 't u'],
  ['a read and a write', ' | t@0: * rd s0.x | u@0: * wr s0.x', 't u'],
  ['two places', ' | t@0: * wr s0.x | u@0: * wr s0.y', 't'],
  ['what comes later counts, too', ' | t@0: * wr s0.x | u@0: * rd s0.y; rd s0.x', 'u'],
  ['both ways later', ' | t@0: * wr s0.x; wr s0.y | u@0: * wr s0.y; wr s0.x', 't u'],
  ['three, two of them together', ' | t@0: * wr s0.x | u@0: * wr s0.x | v@0: * wr s0.y', 'v'],
  ['three, all of them together', ' | t@0: * wr s0.x | u@0: * rd s0.x | v@0: * rd s0.x', 't u v'],
  [
    'a chain: what a later event depends on does not matter yet',
    ' | t@0: * wr s0.x | u@0: * rd s0.x; rd s0.y | v@0: * wr s0.y',
    't u',
  ],
  ['what touches nothing comes first', ' | t@0: * wr s0.x | u@0: * fen cta; rd s0.x', 'u'],
  // counts of an mbarrier
  ['two arrivals of three', 'b@0:3 | t@0: * arr #0 | u@0: * arr #0', 't'],
  ['two arrivals of two', 'b@0:2 | t@0: * arr #0 | u@0: * arr #0', 't'],
  ['two arrivals of one', 'b@0:1 | t@0: * arr #0 | u@0: * arr #0', 't u'],
  ['two arrivals, the second of which comes later', 'b@0:1 | t@0: * arr #0 | u@0: * rd s0.x; arr #0', 'u'],
  [
    'bytes expected before the arrival of the same agent',
    'b@0:2 | t@0: * arr #0 | u@0: * exp #0 1; arr #0',
    'u',
  ],
  ['bytes that are expected by the arrival', 'b@0:2 | t@0: * arr #0 | u@0: * arx #0 1', 'u'],
  ['arrivals at two barriers', 'b@0:1 e@0:1 | t@0: * arr #0 | u@0: * arr #1', 't'],
  ['two arrivals of one, while bytes are missing', 'b@0:1 | t@0: exp #0 1; * arr #0 | u@0: * arr #0', 't u'],
  // a count and a wait
  [
    'an arrival that ends the phase, a wait that passes before',
    'b@0:1 | t@0: * arr #0 | u@0: * wait #0 1',
    't u',
  ],
  ['the same, turned', 'b@0:1 | t@0: * wait #0 1 | u@0: * arr #0', 't u'],
  ['an arrival that does not end it', 'b@0:2 | t@0: * arr #0 | u@0: * wait #0 1', 't'],
  ['an arrival of another barrier', 'b@0:1 e@0:1 | t@0: * arr #1 | u@0: * wait #0 1', 't'],
  ['a wait that waits for the end', 'b@0:1 | t@0: * arr #0 | u@0: * wait #0 0 | v@0: * wr s0.x', 't'],
  ['two waits', 'b@0:1 | t@0: arr #0; * wait #0 0 | u@0: * wait #0 0', 't'],
  [
    'a wait, and a phase that may end later',
    'b@0:1 | t@0: * wait #0 0 | u@0: arr #0; * rd s0.x; arr #0',
    'u',
  ],
  ['a phase that may end now', 'b@0:1 | t@0: * wait #0 0 | u@0: arr #0; * arr #0', 't u'],
  // who waits reaches nothing
  [
    'behind a wait that only we can end',
    'b@0:1 | t@0: * wr s0.x; arr #0 | u@0: * wait #0 0; rd s0.x | v@0: * wr s0.y',
    't',
  ],
  [
    'behind a wait that another can end',
    'b@0:1 | t@0: * wr s0.x; wr s0.y | u@0: * wait #0 0; rd s0.x | v@0: * wr s0.y; arr #0',
    't v',
  ],
  [
    'behind a wait that needs us, too',
    'b@0:2 | t@0: * wr s0.x; arr #0 | u@0: * wait #0 0; rd s0.x | v@0: * wr s0.y; arr #0',
    't',
  ],
  [
    'behind the wait of the one who could end it',
    'b@0:1 e@0:1 | t@0: * wr s0.x; arr #1 | u@0: * wait #0 0; rd s0.x | v@0: * wait #1 0; arr #0 | w@0: * wr s0.y',
    't',
  ],
  [
    'the bytes of a load that is ours',
    'b@0:1 | t@0: arx #0 1; ld > s0.x:#0:1; * rd s0.x | u@0: * wait #0 0; rd s0.x',
    't t#0',
  ],
  [
    'two loads of one phase',
    'b@0:1 | t@0: arx #0 2; ld > s0.x:#0:1; ld > s0.y:#0:1; * | u@0: * wait #0 0; rd s0.x',
    't#0',
  ],
  [
    'a load, and a read that does not wait',
    'b@0:1 | t@0: arx #0 2; ld > s0.x:#0:1; ld > s0.y:#0:1; * | u@0: * rd s0.x',
    't#1',
  ],
  // groups
  [
    'behind a wait for a group',
    ' | t@0: st s0.x > g.z; bc; * bw 0 full; wr s0.y | u@0: * wr s0.x; rd s0.y',
    'u t#0',
  ],
  [
    'behind a wait for a group, elsewhere',
    ' | t@0: st s0.x > g.z; bc; * bw 0 full; wr s0.y | u@0: * rd s0.y',
    't#0',
  ],
  [
    'whoever can let a wait for a group pass',
    ' | t@0: st s0.x > g.z; bc; * bw 0 full; wr s0.y | u@0: * rd s0.y; wr s0.x',
    'u t#0',
  ],
  [
    'a product that is held by the one before it',
    ' | t@0: wg s0.x > r0.a; wc; wg s0.y > r0.b; wc; * | u@0: * wr s0.y; wr s0.x',
    'u t#0',
  ],
  // named barriers
  ['both of a named barrier', ' | t@0: * rdv a 0,1; wr s0.x | u@0: * rdv a 0,1; wr s0.x', 't'],
  [
    'one is there, the other comes',
    ' | t@0: * wr s0.x | u@0: * rdv a 1,2; rd s0.x | v@0: * rd s0.y; rdv a 1,2',
    'u',
  ],
  [
    'behind a meeting that we are missing at',
    ' | t@0: * wr s0.x; rdv a 0,1 | u@0: * rdv a 0,1; rd s0.x',
    't',
  ],
  ['both of a cluster', ' | t@0: * rdv c 0,1; wr g.z | u@1: * rdv c 0,1; rd g.z', 't'],
  [
    'behind a meeting of the cluster that we are missing at',
    ' | t@0: * wr g.z; rdv c 0,1 | u@1: * rd s1.x; rdv c 0,1; rd g.z',
    't',
  ],
  ['behind no meeting', ' | t@0: * wr g.z; rdv c 0,1 | u@1: * rd g.z; rdv c 0,1', 't u'],
]

describe('events that are enough', () => {
  it.each(rows.map((row) => [...row] as const))('%s', (_, text, expected) => {
    expect(ofSkeleton(text)).toBe(expected)
  })
})

const frozen: ReadonlyArray<readonly [what: string, frozen: string | null, text: string, enough: string]> = [
  [
    'behind bytes that come',
    null,
    'b@0:2 | t@0: exp #0 1; arr #0; ld > s0.x:#0:1; * | u@0: * wait #0 0; rd s0.z | v@0: * wr s0.z; rd s0.y | w@0: * wr s0.y; arr #0',
    't#0',
  ],
  [
    'behind bytes that never come',
    't#0',
    'b@0:2 | t@0: exp #0 1; arr #0; ld > s0.x:#0:1; * | u@0: * wait #0 0; rd s0.z | v@0: * wr s0.z; rd s0.y | w@0: * wr s0.y; arr #0',
    'v',
  ],
  [
    'bytes of another barrier never come',
    't#0',
    'b@0:1 e@0:1 | t@0: arx #1 1; ld > s0.x:#1:1; * | u@0: * wait #0 0; rd s0.z | v@0: * wr s0.z; rd s0.y | w@0: * wr s0.y; arr #0',
    'v w',
  ],
  [
    'behind an arrival that never comes',
    't',
    'b@0:2 | t@0: * arr #0 | u@0: * wait #0 0; rd s0.z | v@0: * wr s0.z; rd s0.y | w@0: * wr s0.y; arr #0',
    'v',
  ],
  [
    'an arrival at another barrier never comes',
    't',
    'b@0:1 e@0:1 | t@0: * arr #1 | u@0: * wait #0 0; rd s0.z | v@0: * wr s0.z; rd s0.y | w@0: * wr s0.y; arr #0',
    'v w',
  ],
]

describe('events that are enough, without one that is frozen', () => {
  it.each(frozen)('%s', (_, cold, text, expected) => {
    expect(ofSkeleton(text, cold)).toBe(expected)
  })
})

/** Does the agent stand in its own part of a team's program? */
const inBody = ({ world }: Launched, m: Machine, agent: number): boolean => {
  const { ready } = m.agents[agent]!
  const { sites } = world.header
  return (
    ready !== null &&
    ready._tag === 'do' &&
    (sites[ready.site]?.path.some((p) => p.startsWith('agent ')) ?? false)
  )
}

it('all of them, where nothing is known of what may come', () => {
  const { world, machine } = launchedProgram(team({ words: [[[wr], [wrY], [rd]]] }))
  const timed = { world: { ...world, front: { ...world.front, timed: true } }, machine }
  const m = standing(timed, (state, agent) => inBody(timed, state, agent))
  expect(enough(timed, m, String)).toBe('0 1 2')
})

/** `done`: how many events of its part each agent has behind it. */
const ofTeam = (of: Team, done: ReadonlyArray<number> = []): string => {
  const launched = launchedProgram(team(of))
  const begin = standing(launched, (state, agent) => inBody(launched, state, agent))
  const m = standing(
    { world: launched.world, machine: begin },
    (state, agent) => state.agents[agent]!.at >= begin.agents[agent]!.at + (done[agent] ?? 0),
  )
  return enough(launched, m, String)
}

const teams: ReadonlyArray<readonly [what: string, enough: string, words: Team['words'][number]]> = [
  ['a barrier given up, and an arrival at it', '0 1', [[inval(0)], [arr(0)]]],
  ['an arrival, and the barrier given up', '0 1', [[arr(0)], [inval(0)]]],
  ['a barrier given up, and a wait for it', '0 1', [[inval(0)], [wait(0, 1)]]],
  ['given up twice', '0 1', [[inval(0)], [inval(0)]]],
  ['given up, and another', '0', [[inval(0)], [arr(1)]]],
  ['initialised, and another', '0', [[init(0)], [inval(1)]]],
  ['atomics of one place', '0 1', [[atom()], [atom()]]],
  ['atomics of one plane', '0 1', [[atom()], [atomY()]]],
  ['an atomic and a read elsewhere', '0', [[atom()], [wrY]]],
  ['an atomic and a read', '0 1', [[atom()], [rd]]],
  ['signals at two counters', '0', [[signal('gpu', 'c')], [signal('gpu', 'd')]]],
  ['signals at one', '0 1', [[signal()], [signal()]]],
  ['a signal and a wait that passes', '0 1', [[signal()], [sleep(0)]]],
  ['waits that pass', '0', [[sleep(0)], [sleep(0)]]],
  ['arrivals that fit', '0', [[barArrive(1, 3)], [barArrive(1, 3)], [barArrive(1, 3)]]],
  ['arrivals that do not fit', '0 1 2', [[barArrive(1, 2)], [barArrive(1, 2)], [barArrive(1, 2)]]],
  ['arrivals elsewhere', '0', [[barArrive(1, 2)], [barArrive(2, 2)], [wr]]],
]

describe('events that are enough, of teams', () => {
  it.each(teams)('%s', (_, expected, words) => {
    expect(ofTeam({ words: [words] })).toBe(expected)
  })
})

const counted: ReadonlyArray<readonly [what: string, enough: string, of: Team]> = [
  ['a test, and an arrival that ends the phase', '0 1', { words: [[[ask(0)], [arr(0)]]] }],
  ['the same, turned', '0 1', { words: [[[arr(0)], [ask(0)]]] }],
  [
    'a test, and an arrival that does not end it',
    '0',
    { words: [[[ask(0)], [arr(0)]]], counts: [2, 1, 1, 1] },
  ],
  ['a test of another barrier', '0', { words: [[[ask(1)], [arr(0)]]] }],
  ['tests', '0', { words: [[[ask(0)], [ask(0)]]] }],
  ['who drops out, and an arrival', '0 1', { words: [[[drop(0)], [arr(0)]]], counts: [3, 1, 1, 1] }],
  ['who drops out elsewhere', '0', { words: [[[drop(0)], [arr(1)]]], counts: [3, 1, 1, 1] }],
  [
    'an arrival that counts itself, and another',
    '0 1',
    { words: [[[behindCopies(0)], [arr(0)]]], counts: [3, 1, 1, 1] },
  ],
  ['one that counts itself elsewhere', '0', { words: [[[behindCopies(0)], [arr(1)]]], counts: [3, 3, 1, 1] }],
  [
    'bytes that are expected, and an arrival that would end the phase',
    '0 1',
    { words: [[[expecting(0, 16)], [arr(0)]]] },
  ],
  ['and one that would not', '0', { words: [[[expecting(0, 16)], [arr(0)]]], counts: [2, 1, 1, 1] }],
]

describe('events that are enough, of barriers', () => {
  it.each(counted)('%s', (_, expected, of) => {
    expect(ofTeam(of)).toBe(expected)
  })
})

const crowded: ReadonlyArray<
  readonly [what: string, enough: string, words: Team['words'][number], done: ReadonlyArray<number>]
> = [
  [
    'some have arrived, and the others do not all fit',
    '0 1 2',
    [[barArrive(1, 3), barArrive(1, 3)], [barArrive(1, 3)], [barArrive(1, 3)]],
    [1, 0, 0],
  ],
  [
    'some have arrived elsewhere, and the others fit',
    '0',
    [[barArrive(2, 3), barArrive(1, 3)], [barArrive(1, 3)], [barArrive(1, 3)]],
    [1, 0, 0],
  ],
]

describe('events that are enough, of named barriers under way', () => {
  it.each(crowded)('%s', (_, expected, words, done) => {
    expect(ofTeam({ words: [words] }, done)).toBe(expected)
  })
})

it('arrivals at a barrier that is not there', () => {
  const bare = { counts: [1, 1, 1, 0] } as const
  expect(ofTeam({ words: [[[arr(3)], [arr(3)]]], ...bare })).toBe('0 1')
  expect(ofTeam({ words: [[[arr(3)], [arr(2)]]], ...bare })).toBe('0')
})

describe('events that are enough, of clusters', () => {
  it('behind a meeting that another is missing at: the one who is missing', () => {
    // 0 waits for 2; 3 has arrived and reads what 0 is about to write
    const of: Team = {
      words: [
        [
          [gather(), gathered, wrG],
          [gather(), gathered],
        ],
        [
          [wrH, gather(), gathered],
          [gather(), rdG, rdH, gathered],
        ],
      ],
      cluster: 2,
    }
    expect(ofTeam(of, [1, 1, 0, 1])).toBe('2 3')
  })
  /** Two clusters of two that run together; 2 stands at the barrier of the second, and 3 is missing there. */
  const clusters = (...words: readonly [Words, Words, Words]): string => {
    const [zero, one, three] = words
    const of: Team = {
      words: [
        [[...zero, signal()]],
        [[...one]],
        [[gather(), gathered, wrG]],
        [[...three, gather(), gathered]],
      ],
      cluster: 2,
    }
    return ofTeam(of, [0, 0, 1, 0])
  }
  type Words = ReadonlyArray<Word>
  it('behind a meeting of one cluster: who of that cluster is missing, whatever another has done', () => {
    // 2 comes to write g once 3 has arrived, so nobody may read g alone; nobody writes what 3 reads
    expect(clusters([rdG], [rdG], [rdH])).toBe('3')
    // who reads g draws in 2, which waits for 3, which writes what 1 is going to read
    expect(clusters([rdG], [rdG, rdH], [wrH])).toBe('1 3')
  })
  it('nor whatever the first of the next one has not done', () => {
    // 0 comes to write g, which 2 reads, once 1 has arrived, which writes what 3 reads
    const of: Team = {
      words: [
        [[gather(), gathered, wrG, signal()]],
        [[wrH, gather(), gathered]],
        [[rdG, gather(), gathered]],
        [[rdH, gather(), gathered]],
      ],
      cluster: 2,
    }
    expect(ofTeam(of, [1, 0, 0, 0])).toBe('1 3')
  })
})

/** 0 has forked 1 and 2 and goes on. */
const forking = (
  children: readonly [ReadonlyArray<Word>, ReadonlyArray<Word>],
  parent: ReadonlyArray<Word>,
  after: ReadonlyArray<Word>,
): string => {
  const launched = launchedProgram(forked({ children, parent, after }))
  const m = standing(launched, (state, agent) => agent !== 0 || state.agents[0]!.ready?._tag !== 'fork')
  return enough(launched, m, String)
}

describe('events that are enough, of forks', () => {
  it('behind a join: whoever is waited for keeps it shut', () => {
    expect(forking([[wr], []], [rdY], [rd])).toBe('0')
    // a join that is still to come keeps nobody: that errs upwards
    expect(forking([[wr, wrY], []], [rdY], [rd])).toBe('0 1')
    expect(forking([[wr, wrY], []], [rdY, rd], [])).toBe('0 1')
    expect(forking([[wr], [rdY, rd]], [], [wr])).toBe('2')
    expect(forking([[wr], [rd]], [], [wr])).toBe('1 2')
    expect(forking([[wrY], [rd, rdY]], [], [wr])).toBe('2')
  })
})

/** In each of two CTAs an agent forks another. */
const forkingPair = (words: {
  readonly before?: ReadonlyArray<Word>
  readonly child0?: ReadonlyArray<Word>
  readonly child?: ReadonlyArray<Word>
  readonly parent1?: ReadonlyArray<Word>
  readonly after0?: ReadonlyArray<Word>
  readonly forked: boolean
}): string => {
  const some = function* (t: Things, of: ReadonlyArray<Word> | undefined): B.Steps<void> {
    for (const word of of ?? []) yield* word(t)
  }
  const program = right(
    B.kernel(
      { name: 'forks', arch: 'sm90a', grid: [2], cluster: [2], agents: [B.warp('p', 0), B.warp('c', 1)] },
      function* () {
        const t = yield* things()
        const inCta = (cta: number): X.Condition => X.eq(X.place('ctaRank'), X.i32(cta))
        yield* some(t, words.before)
        yield* B.fork(
          'fork',
          {
            agent: 'p',
            captures: {},
            body: function* () {
              yield* B.ifThen('parent 1', inCta(1), () => some(t, words.parent1))
              return {}
            },
          },
          [
            B.branch('c', {}, function* () {
              yield* some(t, words.child)
              yield* B.ifThen('child 0', inCta(0), () => some(t, words.child0))
            }),
          ],
        )
        yield* B.ifThen('after 0', inCta(0), () => some(t, words.after0))
      },
    ),
  )
  const launched = launchedProgram(program)
  const m = standing(
    launched,
    (state, agent) => !words.forked || agent % 2 === 1 || state.agents[agent]!.ready?._tag !== 'fork',
  )
  return enough(launched, m, String)
}

describe('events that are enough, of forks in two CTAs', () => {
  it('whoever is not there yet comes by the fork of another', () => {
    expect(forkingPair({ before: [rdG], child: [wrG], forked: false })).toBe('0 2')
    expect(forkingPair({ before: [rdG], child: [wrH], forked: false })).toBe('0')
  })
  it('who stands at a join goes on when its child has ended', () => {
    const words = { child0: [wrH], parent1: [rdG, rdH], after0: [wrG], forked: true }
    expect(forkingPair(words)).toBe('1 2')
    expect(forkingPair({ ...words, parent1: [rdG] })).toBe('1')
  })
})

it('beside an event that faults all others are followed', () => {
  const launched = launchedSkeleton(
    skeleton(' | t@0: tst t0.y; wst; dea t0.y; dea t0.y | u@0: fen cta; wr s0.x | v@0: fen cta; rd s0.x'),
  )
  const kinds = 'fault race visibility'
  expect(kindsOf(searched(launched, { reduced: false }))).toBe(kinds)
  expect(kindsOf(searched(launched))).toBe(kinds)
})
