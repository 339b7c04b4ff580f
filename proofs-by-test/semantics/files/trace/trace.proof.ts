/** Traces: what is written is read back, and what is wrong is named. */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { bits } from '../../../../src/numerics/bits.js'
import { unit } from '../../../../src/numerics/unit.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { defaults, judgeLog as judge } from '../../../../src/semantics/judging/detector/index.js'
import * as X from '../../../../src/semantics/language/expression.js'
import type { Judgement } from '../../../../src/semantics/judging/finding.js'
import type { Footprint, Header, LogEvent } from '../../../../src/semantics/log/events.js'
import { provenance } from '../../../../src/semantics/judging/provenance/index.js'
import * as Policy from '../../../../src/semantics/execution/policy.js'
import { both, collect, run, settings } from '../../../../src/semantics/execution/run.js'
import { decodeTrace, encodeTrace, foldTrace, tracing } from '../../../../src/semantics/files/trace/index.js'
import { ofStrides } from '../../../../src/transforms/ref.js'
import { launched, logged, matmul, solo } from '../../machine/machine-samples.js'
import { ring } from '../../samples.js'
import { script } from '../../judging/detector/script.js'
import { asSpans, spansOf } from '../../../../src/semantics/log/events.js'
import { code, right } from '../../../either.js'

const judgeLog = (h: Header, es: ReadonlyArray<LogEvent>): Judgement => judge(h, es, defaults)

/** A box that hangs over the edge of its tensor: one address an element. */
const overhanging = logged(
  launched(
    solo(function* () {
      const a = yield* B.tensorParam('a', 'f16', [20, 64], { role: 'in' })
      const map = yield* B.descriptorParam('map', a, [16, 64], { swizzle: 128 })
      const buffer = yield* B.sharedMemory('buffer', 'f16', [16, 64])
      const full = yield* B.barriers('full', [])
      yield* B.run('init', { _tag: 'mbarrier.init', barrier: full, count: 1 })
      for (const row of [8, 16, 8]) {
        yield* B.run('load', {
          _tag: 'tma.load',
          descriptor: map,
          coords: [X.i32(row), X.i32(0)],
          destination: buffer,
          barrier: full,
          ctaGroup: 1,
        })
      }
    }),
    unit,
  ),
  Policy.eager,
)

const clean = logged(launched(matmul({ k: 128 }), unit), Policy.seeded(5))
const header = clean.launched.world.header
const events = clean.result
const forks = logged(launched(ring(), bits('hopper'), { scalars: new Map([['n', 2]]) }), Policy.seeded(3))

const provenanceOf = (h: Header, es: ReadonlyArray<LogEvent>): unknown =>
  provenance.finish(es.reduce(provenance.observe, provenance.init(h)))

/** An event with its footprint by content. */
const plain = (e: LogEvent): unknown =>
  'footprint' in e
    ? {
        ...e,
        footprint: { ...e.footprint, id: null, spans: [...spansOf(e.footprint)], map: mapOf(e.footprint) },
      }
    : e
const mapOf = (f: Footprint): unknown =>
  f.map._tag === 'view' ? f.map : { ...f.map, offsets: [...f.map.offsets] }
const footprints = (es: ReadonlyArray<LogEvent>): ReadonlyArray<Footprint> =>
  es.flatMap((e) => ('footprint' in e ? [e.footprint] : []))

/** Every flag that an access, a fence or a semaphore can have, and none of them. */
const flagged = (h: Header, es: ReadonlyArray<LogEvent>): ReadonlyArray<LogEvent> => {
  const [access] = es.flatMap((e) => (e._tag === 'access' && e.operation === undefined ? [e] : []))
  const { stamp, footprint } = access!
  const bare = { _tag: 'access', stamp, proxy: 'generic', footprint, role: 'source' } as const
  return [
    {
      ...bare,
      rw: 'r',
      atomic: true,
      scope: 'sys',
      acquires: true,
      decides: true,
      joins: true,
      combine: 'cas',
      value: 3,
      outside: 'other',
    },
    {
      ...bare,
      rw: 'w',
      atomic: true,
      scope: 'cta',
      releases: true,
      rounds: true,
      agrees: true,
      found: [1],
      left: [2],
      combine: 'add',
    },
    { ...bare, rw: 'w', atomic: false, agrees: true },
    { _tag: 'fence', stamp, kind: 'memory', scope: 'global', sequential: true },
    { _tag: 'fence', stamp, kind: 'memory', scope: 'cta' },
    { _tag: 'warpSync', stamp: { ...stamp, lanes: 7 } },
    { _tag: 'warpSync', stamp: { ...stamp, lanes: 7 }, how: 'exchanges', loads: [h.sites.length - 1] },
    { _tag: 'warpSync', stamp: { ...stamp, lanes: -1, whole: true }, how: 'arrives', loads: [] },
  ]
}

test('what an event says of itself comes back, whatever it says', () => {
  const es = flagged(clean.launched.world.header, clean.result)
  const all = [clean.result[0]!, ...es]
  const back = right(decodeTrace(encodeTrace(clean.launched.world.header, all)))
  expect(back.events.slice(1).map(plain)).toEqual(es.map(plain))
})

describe.each([
  ['hopper-matmul in unit', header, events],
  ['a ring with forks in bits', forks.launched.world.header, forks.result],
  ['boxes over the edge', overhanging.launched.world.header, overhanging.result],
] as const)('%s', (_, h: Header, es: ReadonlyArray<LogEvent>) => {
  const lines = encodeTrace(h, es)
  const back = right(decodeTrace(lines))

  test('law 1: header and events come back, equal footprints as one object', () => {
    expect(es.length).toBeGreaterThan(10)
    expect(back.header).toEqual(h)
    expect(back.events.map(plain)).toEqual(es.map(plain))
    const ours = footprints(es)
    const theirs = footprints(back.events)
    const pairs = new Map(ours.map((f, k) => [f.id, theirs[k]!]))
    ours.forEach((f, k) => {
      expect(theirs[k]).toBe(pairs.get(f.id))
    })
    expect(new Set(theirs.map((f) => f.id)).size).toBe(new Set(ours.map((f) => f.id)).size)
  })

  test('law 2: written again it is the same text', () => {
    expect(encodeTrace(back.header, back.events)).toEqual(lines)
  })

  test('law 1: the judgement of the trace is the judgement of the run', () => {
    expect(judgeLog(back.header, back.events)).toEqual(judgeLog(h, es))
    expect(provenanceOf(back.header, back.events)).toEqual(provenanceOf(h, es))
  })

  test('a line is one line of JSON, and every layout stands in it once', () => {
    for (const line of lines) expect(line).not.toContain('\n')
    const defined = lines.flatMap((line) => line.match(/"define":\{.*?\}/g) ?? [])
    expect(new Set(defined).size).toBe(defined.length)
  })
})

test('law 1: what strong accesses and waits for words say comes back', () => {
  const s = script({ agents: ['a@0', 'b@1'], barriers: [], bare: true })
  const footprint: Footprint = {
    ...s.footprint('g 0'),
    spans: asSpans(Int32Array.of(0, 4)),
    dtype: 'i32',
    map: { _tag: 'scatter', shape: [1], offsets: Int32Array.of(0), by: 0 },
  }
  const strong = {
    _tag: 'access',
    proxy: 'generic',
    footprint,
    atomic: true,
    scope: 'gpu',
  } as const
  s.cluster(0)
  const stamp = s.stamp(0, 'atomic')
  s.push({ ...strong, stamp, rw: 'r', role: 'source', decides: true })
  s.push({
    ...strong,
    stamp,
    rw: 'w',
    role: 'destination',
    combine: 'add',
    acquires: true,
    releases: true,
    found: [0],
    left: [1],
  })
  s.push({
    _tag: 'semaphore',
    stamp: s.stamp(1, 'wait'),
    kind: 'wait',
    footprint,
    value: 1,
    decrement: false,
    scope: 'gpu',
    before: 1,
    outcome: 'passed',
    until: 'eq',
    relaxed: true,
  })
  const back = right(decodeTrace(encodeTrace(s.header, s.events)))
  expect(back.events.map(plain)).toEqual(s.events.map(plain))
})

test('a fold that streams lines gives the same lines beside any other fold', () => {
  const written: string[] = []
  const { world, machine } = launched(matmul({ k: 128 }), unit)
  const ran = run(
    world,
    machine,
    settings(Policy.seeded(5)),
    both(
      tracing((line) => written.push(line)),
      collect,
    ),
  )
  expect(written).toEqual(encodeTrace(header, events))
  expect(ran.result[0]).toBe(written.length)
  expect(right(foldTrace(collect)(written)).length).toBe(written.length - 1)
})

/** A trace by somebody else: one CTA, two agents, bytes as spans. */
const foreignHeader = {
  schema: 'tcspec.trace/1',
  arch: 'sm90a',
  program: 'elsewhere',
  agents: [
    { name: 'writer', cta: 0, warps: 1, starts: true },
    { name: 'reader', cta: 0, warps: 1, starts: true },
  ],
  ctas: 1,
  planes: [{ space: 'smem', name: 'smem', cta: 0, bytes: 1024, initialised: false }],
  tensors: [],
  computes: null,
  barriers: [],
  sites: [
    { label: 'store', path: [] },
    { label: 'load', path: [] },
  ],
  nondeterminism: [],
}
const stamp = (agent: number, at: number): object => ({ agent, at, site: agent, iteration: [] })
const accessOf = (agent: number, rw: string, spans: unknown): object => ({
  _tag: 'access',
  stamp: stamp(agent, 1),
  rw,
  proxy: 'generic',
  footprint: { _tag: 'spans', plane: 0, spans },
  role: 'source',
})
const foreign = (...body: ReadonlyArray<object>): ReadonlyArray<string> => [
  JSON.stringify(foreignHeader),
  ...[{ _tag: 'cluster', id: 0 }, ...body].map((e, i) => JSON.stringify({ i, ...e })),
]

describe('foreign traces', () => {
  test('spans are bytes: the race of two agents is found, and none where they do not meet', () => {
    const judged = (...body: ReadonlyArray<object>): ReadonlyArray<string> => {
      const trace = right(
        decodeTrace(foreign(...body, { _tag: 'exit', agent: 0 }, { _tag: 'exit', agent: 1 })),
      )
      return judgeLog(trace.header, trace.events).findings.map((f) => f.id)
    }
    const write = accessOf(0, 'w', [
      [0, 16],
      [64, 16],
    ])
    expect(judged(write, accessOf(1, 'w', [[79, 1]])).length).toBe(1)
    expect(judged(write, accessOf(1, 'w', [[16, 48]]))).toEqual([])
  })

  test('equal spans are one footprint', () => {
    const trace = right(decodeTrace(foreign(accessOf(0, 'w', [[0, 4]]), accessOf(1, 'r', [[0, 4]]))))
    const [a, b] = footprints(trace.events)
    expect(a).toBe(b)
    expect([...spansOf(a!)]).toEqual([0, 4])
  })
})

describe('law 3: errors', () => {
  const replaced = (path: ReadonlyArray<string>, value: unknown, of: object): object => {
    const [key, ...rest] = path
    const old = (of as Record<string, object>)[key!]
    return { ...of, [key!]: rest.length === 0 ? value : replaced(rest, value, old!) }
  }
  const access = accessOf(0, 'w', [[0, 16]])
  const numbered = (id: number, start: number): object =>
    replaced(['footprint'], { _tag: 'spans', id, plane: 0, spans: [[start, 4]] }, access)
  const viewed = (id: number, n: number): { readonly footprint: object } => ({
    ...access,
    footprint: {
      _tag: 'view',
      id,
      plane: 0,
      dtype: 'f16',
      layout: 0,
      base: 0,
      define: right(ofStrides([n], 16, [1])),
    },
  })
  const at = (path: string, value: unknown): ReadonlyArray<string> =>
    foreign(access, replaced(path.split('.'), value, access))
  const table: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, string]> = [
    ['nothing', [], 'trace.empty', 'expected the line of a header'],
    ['no JSON', [foreign()[0]!, '{'], 'trace.syntax', 'line 2: $: expected JSON, found '],
    [
      'no header',
      [JSON.stringify({ schema: 'x' })],
      'trace.form',
      'line 1: $.schema: expected "tcspec.trace/1", found "x"',
    ],
    [
      'a wrong place',
      [...foreign(), '{"i":7,"_tag":"exit","agent":0}'],
      'trace.order',
      'line 3: $.i: expected 1, found 7',
    ],
    [
      'no place',
      [...foreign(), '{"_tag":"exit","agent":0}'],
      'trace.form',
      'line 3: $.i: expected an integer of 0 or more, found nothing',
    ],
    [
      'no such event',
      foreign({ _tag: 'exits', agent: 0 }),
      'trace.form',
      'line 3: $._tag: expected an event: one of access,',
    ],
    [
      'a negative number',
      at('stamp.at', -1),
      'trace.form',
      'line 4: $.stamp.at: expected an integer of 0 or more, found -1',
    ],
    ['a word', at('rw', 'x'), 'trace.form', 'line 4: $.rw: expected one of "r", "w", found "x"'],
    [
      'a key too many',
      at('colour', 'red'),
      'trace.form',
      'line 4: $.colour: expected no such key in an access',
    ],
    [
      'no such agent',
      at('stamp.agent', 2),
      'trace.reference',
      'line 4: $.stamp.agent: expected one of 2 agents of the header, found 2',
    ],
    [
      'no such site',
      at('stamp.site', 9),
      'trace.reference',
      'line 4: $.stamp.site: expected one of 2 sites of the header, found 9',
    ],
    [
      'no such plane',
      at('footprint.plane', 1),
      'trace.reference',
      'line 4: $.footprint.plane: expected one of 1 planes of the header, found 1',
    ],
    [
      'out of its plane',
      at('footprint.spans', [[1020, 8]]),
      'trace.reference',
      'line 4: $.footprint: expected bytes inside of smem, which has 1024, found byte 1028',
    ],
    [
      'spans that touch',
      at('footprint.spans', [
        [0, 4],
        [4, 4],
      ]),
      'trace.reference',
      'line 4: $.footprint.spans[1]: expected a start after byte 4, found 4',
    ],
    [
      'half an element',
      at('footprint', { _tag: 'spans', plane: 0, dtype: 'f32', spans: [[0, 6]] }),
      'trace.reference',
      'line 4: $.footprint.spans[0]: expected a positive multiple of 4 bytes (f32), found 6',
    ],
    [
      'an unknown footprint',
      at('footprint', 3),
      'trace.reference',
      'line 4: $.footprint: expected a footprint seen before, found 3',
    ],
    [
      'an unknown layout',
      at('footprint', { _tag: 'view', id: 0, plane: 0, dtype: 'f16', layout: 0, base: 0 }),
      'trace.reference',
      'line 4: $.footprint.layout: expected a layout that was defined before, found 0',
    ],
    [
      'a program that goes back',
      foreign(replaced(['stamp', 'at'], 7, access), access),
      'trace.order',
      'line 4: $.stamp.at: expected 7 or more, in program order, found 1',
    ],
    [
      'no place in the program',
      at('stamp.at', 0),
      'trace.order',
      'line 4: $.stamp.at: expected 1 or more, in program order, found 0',
    ],
    [
      'an event before every cluster',
      [foreign()[0]!, JSON.stringify({ i: 0, ...access })],
      'trace.order',
      'line 2: $._tag: expected "cluster" before all other events, found "access"',
    ],
    [
      'a layout that leaves its plane',
      foreign({ ...access, ...viewed(0, 4096) }),
      'trace.reference',
      'line 3: $.footprint: expected bytes inside of smem, which has 1024, found byte 8192',
    ],
    [
      'an address that leaves its plane',
      at('footprint', { _tag: 'scatter', id: 0, plane: 0, dtype: 'f32', shape: [2], addresses: [-1, 1024] }),
      'trace.reference',
      'line 4: $.footprint.addresses[1]: expected bytes inside of smem, which has 1024, found byte 1028',
    ],
    [
      'a header with a CTA too many',
      [JSON.stringify({ ...foreignHeader, ctas: 2 ** 40 })],
      'trace.size',
      'line 1: $.ctas: expected at most 8192 CTAs, found 1099511627776',
    ],
    [
      'an operation that was not issued',
      at('operation', 0),
      'trace.order',
      'line 4: $.operation: expected an operation that has been issued, found 0',
    ],
    [
      'a perform before its issue',
      foreign({ _tag: 'perform', operation: 4, stage: 'all', part: 0 }),
      'trace.order',
      'line 3: $.operation: expected an operation that has been issued, found 4',
    ],
    [
      'no such barrier',
      foreign({
        _tag: 'wait',
        stamp: stamp(0, 1),
        barrier: 0,
        parity: 0,
        acquire: true,
        scope: 'cta',
        tensor: false,
        outcome: 'passed',
      }),
      'trace.reference',
      'line 3: $.barrier: expected one of 0 barriers of the header, found 0',
    ],
    [
      'a number for two footprints',
      foreign(numbered(5, 0), numbered(5, 16)),
      'trace.reference',
      'line 4: $.footprint.id: expected a number that is not in use, found 5',
    ],
    [
      'a layout defined twice, differently',
      foreign(viewed(0, 4), viewed(1, 8)),
      'trace.reference',
      'line 4: $.footprint.define: expected layout 0 as it was defined before, found another',
    ],
    [
      'a layout of other elements',
      foreign({ ...access, footprint: { ...viewed(0, 4).footprint, dtype: 'f32' } }),
      'trace.reference',
      'line 3: $.footprint.dtype: expected 16 bits as in the layout, found f32',
    ],
  ]
  test.each(table)('%s', (_, lines, expectedCode, message) => {
    const result = decodeTrace(lines)
    expect(code(result)).toBe(expectedCode)
    expect(result).toMatchObject({ left: { message: expect.stringContaining(message) } })
    const e = E.isLeft(result) ? result.left : null
    expect(e?.message).toBe(
      `line ${String(e?.line)}: ${String(e?.field)}: expected ${String(e?.expected)}, found ${String(e?.found)}`,
    )
  })
})
