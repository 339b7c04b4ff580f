/** How a trace ends: the rows of the table, by hand. */
import { describe, expect, test } from 'vitest'
import type { Header, LogEvent, Stamp } from '../../../../src/semantics/log/events.js'
import { ending, endingOf } from '../../../../src/semantics/files/trace/ending.js'

const header = (more: Partial<Header> = {}): Header => ({
  schema: 'tcspec.trace/1',
  arch: 'sm90a',
  program: 'elsewhere',
  agents: ['p', 'c'].map((name) => ({ name, cta: 0, warps: 1, starts: true })),
  ctas: 1,
  planes: [],
  tensors: [],
  computes: null,
  barriers: [],
  sites: [],
  nondeterminism: [],
  ...more,
})
const stamp = (agent: number): Stamp => ({ agent, at: 1, site: 0, iteration: [] })
const cluster = (id: number): LogEvent => ({ _tag: 'cluster', id })
const exit = (agent: number): LogEvent => ({ _tag: 'exit', agent })
const does = (agent: number): LogEvent => ({
  _tag: 'fence',
  stamp: stamp(agent),
  kind: 'wgmma',
  scope: 'cta',
})
const blocked: LogEvent = {
  _tag: 'wait',
  stamp: stamp(1),
  barrier: 0,
  parity: 0,
  acquire: true,
  scope: 'cta',
  tensor: false,
  outcome: 'blocked',
}
const issue = (operation: number, unit: 'tmaStore' | 'tmaLoad' | 'clc' = 'tmaStore'): LogEvent => ({
  _tag: 'issue',
  stamp: stamp(0),
  operation,
  unit,
  bytes: 16,
  macs: 0,
  accumulates: false,
})
const perform = (operation: number, stage: 'read' | 'write'): LogEvent => ({
  _tag: 'perform',
  operation,
  stage,
  part: 0,
})
const signal = (operation: number): LogEvent => ({
  _tag: 'signal',
  operation,
  part: 0,
  to: 'group',
  family: 'bulk',
  side: 'full',
})
const exits = [exit(0), exit(1)]

const of = (h: Header, ...events: ReadonlyArray<LogEvent>): string => {
  const end = endingOf(ending.finish(events.reduce(ending.observe, ending.init(h))))
  return end._tag === 'stopped' ? end.why : end._tag
}

describe('a trace', () => {
  const two = header({ clusters: 2 })
  const missing = (agent: string): string => `${agent} of CTA 0 has neither exited nor blocked`
  const pair = header({
    agents: [0, 1].map((cta) => ({ name: 'a', cta, warps: 1, starts: true })),
    ctas: 2,
    resident: 2,
  })
  const rows: ReadonlyArray<readonly [what: string, found: string, is: string]> = [
    ['header alone', of(header()), 'no cluster has begun'],
    ['nothing but a beginning', of(header(), cluster(0)), `${missing('p')}, like 1 more`],
    ['one agent of two', of(header(), cluster(0), does(0), exit(0)), missing('c')],
    ['both', of(header(), cluster(0), does(0), ...exits), 'completed'],
    ['nobody', of(header({ agents: [] }), cluster(0)), 'completed'],
    [
      'an agent that is forked need not exit',
      of(
        header({ agents: [header().agents[0]!, { name: 'f', cta: 0, warps: 1, starts: false }] }),
        cluster(0),
        does(1),
        exit(0),
      ),
      'completed',
    ],
    ['blocked', of(header(), cluster(0), exit(0), blocked), 'stuck'],
    [
      'an operation that does nothing',
      of(header(), cluster(0), issue(7), ...exits),
      'operation 7 was issued and has done nothing',
    ],
    ['a signal alone is something', of(header(), cluster(0), issue(7), ...exits, signal(7)), 'completed'],
    [
      'a store that has only read',
      of(header(), cluster(0), issue(7), ...exits, perform(7, 'read')),
      'operation 7 has read and not yet written',
    ],
    [
      'and writes',
      of(header(), cluster(0), issue(7), ...exits, perform(7, 'read'), perform(7, 'write')),
      'completed',
    ],
    ['one cluster of two', of(two, cluster(0), ...exits), '1 of 2 clusters have begun'],
    ['the first is not whole', of(two, cluster(0), exit(0), cluster(1), ...exits), missing('c')],
    ['the second is not whole', of(two, cluster(0), ...exits, cluster(1), exit(1)), missing('p')],
    ['two of two', of(two, cluster(0), ...exits, cluster(1), ...exits), 'completed'],
    [
      'one of two, the other taken away',
      of(two, cluster(0), issue(0, 'clc'), signal(0), ...exits),
      'completed',
    ],
    ['how many is not said', of(header(), cluster(0), ...exits, cluster(1), ...exits), 'completed'],
    ['two together', of(pair, cluster(0), exit(0)), 'a of CTA 1 has neither exited nor blocked'],
    ['two together, and then one', of(pair, cluster(0), ...exits, cluster(2), exit(0)), 'completed'],
    [
      'a third that does nothing, of how many is not said',
      of(pair, cluster(0), ...exits, cluster(2)),
      'completed',
    ],
    [
      'a third that does nothing, of three',
      of({ ...pair, clusters: 3 }, cluster(0), ...exits, cluster(2)),
      missing('a'),
    ],
    ['three of three', of({ ...pair, clusters: 3 }, cluster(0), ...exits, cluster(2), exit(0)), 'completed'],
  ]
  test.each(rows)('%s', (_, found, is) => {
    expect(found).toBe(is)
  })
})
