/**
 * Core programs as a front: who is forked, and that what is given stays as it was.
 */
import { describe, expect, test } from 'vitest'
import { coreFront } from '../../../src/semantics/core/front.js'
import type { Linked, LinkedFork, LinkedRegion } from '../../../src/semantics/language/link.js'
import { effort } from '../../../src/semantics/machine/effort.js'
import type { AgentState, Forking, Joining } from '../../../src/semantics/machine/state.js'
import { idle } from '../../../src/semantics/machine/state.js'
import type { World } from '../../../src/semantics/machine/world.js'

const yielding = (...values: ReadonlyArray<number>): LinkedRegion => ({
  params: [],
  body: [],
  yields: values.map((value) => ({ _tag: 'const', dtype: 'i32', value })),
})
const forking = (...agents: ReadonlyArray<number>): LinkedFork => ({
  _tag: 'Fork',
  branches: agents.map((agent, i) => ({
    agent,
    captures: [{ slot: 0, value: { _tag: 'const', dtype: 'i32', value: 10 + agent } }],
    body: yielding(7 + i),
    frameSize: 1,
  })),
  results: [1],
  site: 4,
})
const frontOf = (fork: LinkedFork) =>
  coreFront({
    program: {},
    agents: [],
    starts: [],
    sites: [],
    nondeterminism: [],
    instructions: new Set<string>(),
    timed: false,
    entry: { params: [], body: [fork], yields: [] },
  } as unknown as Linked)
const world = (): World => ({ agentsPerCta: 3, scalars: new Map(), effort: effort() }) as unknown as World
const at = (agent: number) => ({ agent, cta: Math.floor(agent / 3), place: 0, cluster: 0 })
const begun = (fork: LinkedFork, agent: number): AgentState => frontOf(fork).begin(world(), at(agent), null)

describe('a fork', () => {
  test.each([
    [0, [0, 1, 2], [1, 2]],
    [3, [0, 1, 2], [4, 5]],
    [4, [1, 0, 2], [3, 5]],
    [5, [2], []],
  ])('of agent %i with branches of agents %j of its CTA has the children %j', (agent, branches, children) => {
    expect(begun(forking(...branches), agent).ready).toMatchObject({ _tag: 'fork', site: 4, children })
  })

  test('the children begin with their captures, the parent waits for them, and then has its own results', () => {
    const fork = forking(1, 0, 2)
    const { forks } = frontOf(fork)
    const parent = begun(fork, 4)
    const agents = [idle, idle, idle, idle, parent, idle]
    const made = forks!.fork(world(), at(4), agents, parent.ready as Forking, null)!
    expect(made.children).toMatchObject([
      { status: 'done', stand: { frame: [10] } },
      { status: 'done', stand: { frame: [12] } },
    ])
    expect(made.own).toMatchObject({ status: 'running', at: 2, ready: { _tag: 'join', children: [3, 5] } })
    const joined = forks!.join(world(), at(4), made.own, made.own.ready as Joining, null)
    expect(joined).toMatchObject({ status: 'done', at: 3, stand: { frame: [undefined, 7], control: null } })
    expect(parent).toEqual(begun(fork, 4))
  })

  test('without a branch there is nothing to go on with', () => {
    const fork = forking()
    const parent = begun(fork, 0)
    expect(frontOf(fork).forks!.fork(world(), at(0), [parent], parent.ready as Forking, null)).toBe(null)
  })
})
