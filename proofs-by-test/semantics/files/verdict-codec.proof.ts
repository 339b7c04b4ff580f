/**
 * Verdicts of a kernel that is right and of ones that lack a statement, as JSON: the codec, and the schema as ajv reads it. And one by hand in which every
 * field is there: each is read, each may have its own words only, those that may be missing may.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { without } from '../../../src/kernels/broken/index.js'
import { instanceOf, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check, standardOptions } from '../../../src/semantics/verdict/check.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { decodeVerdict } from '../../../src/semantics/files/verdict-codec.js'
import { hazardIds } from '../../../src/semantics/judging/hazards.js'
import type { Condition, Finding, Operation } from '../../../src/semantics/judging/finding.js'
import type { ReplayableFinding, Verdict, VerdictName } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'

// One block, nine k steps on four slots.
const settings = { m: 64, n: 32, k: 144, tileK: 16, stages: 4 }
const kernel = right(instanceOf(right(kernelNamed('hopper-matmul')), settings, [])).program
const verdictOf = (program: Program): Verdict =>
  right(
    check(program, {
      ...standardOptions,
      settings,
      explore: false,
      fuel: 1e6,
    }),
  ).verdict

const lacking = (label: string): Verdict => verdictOf(right(without(label)(kernel)))
const verdicts: ReadonlyArray<readonly [what: string, verdict: Verdict, name: VerdictName]> = [
  ['hopper-matmul', verdictOf(kernel), 'ok'],
  ['hopper-matmul without commit_smem', lacking('commit_smem'), 'hazard'],
  ['hopper-matmul without a copy', lacking('copy a'), 'deadlock'],
  ['hopper-matmul without its wgmma', lacking('wgmma'), 'wrong-result'],
]
const asJson = (verdict: Verdict): unknown => JSON.parse(JSON.stringify(verdict))
const accepts = new Ajv2020({ strict: true, strictTypes: false }).compile(
  JSON.parse(
    readFileSync(new URL('../../../schemas/verdict.schema.json', import.meta.url), 'utf8'),
  ) as object,
)

describe('decodeVerdict', () => {
  test.each(verdicts)(
    'law 1: the verdict of %s survives JSON text, and satisfies the schema',
    (_what, verdict, name) => {
      expect(verdict.verdict).toBe(name)
      expect(verdict.findings.length + verdict.waitFor.length > 0).toBe(
        name === 'hazard' || name === 'deadlock',
      )
      expect(right(decodeVerdict(asJson(verdict)))).toEqual(verdict)
      expect(accepts(asJson(verdict)), JSON.stringify(accepts.errors?.[0])).toBe(true)
    },
  )

  const whole = asJson(verdicts[1]![1]) as Record<string, unknown>
  const [first] = whole['findings'] as ReadonlyArray<Record<string, unknown>>
  test.each([
    ['no schema', { ...whole, schema: undefined }, '$.schema: expected "tcspec.verdict/2", found nothing'],
    [
      'another version',
      { ...whole, schema: 'tcspec.verdict/1' },
      '$.schema: expected "tcspec.verdict/2", found "tcspec.verdict/1"',
    ],
    [
      'a setting that is a list',
      { ...whole, settings: { m: [] } },
      /^\$\.settings\.m: expected text, a number or a boolean, found an array of 0$/,
    ],
    [
      'no such hazard',
      { ...whole, findings: [{ ...first, id: 'D9' }] },
      /^\$\.findings\[0\]\.id: expected one of "D1", .*, found "D9"$/,
    ],
    [
      'a finding without a schedule',
      { ...whole, findings: [{ ...first, schedule: undefined }] },
      '$.findings[0].schedule: expected null or the number of a schedule, found nothing',
    ],
    [
      'half a span',
      { ...whole, findings: [{ ...first, place: { plane: 'smem@0', spans: [[1]] } }] },
      /^\$\.findings\[0\]\.place\.spans\[0\]: expected two elements, found an array of 1$/,
    ],
    [
      'a count below nothing',
      { ...whole, counts: { ...(whole['counts'] as object), runs: -1 } },
      '$.counts.runs: expected an integer of 0 or more, found -1',
    ],
    ['a key too many', { ...whole, ok: true }, /^\$\.ok: expected no such key in a verdict/],
  ])('law 2: %s is refused by codec and schema, in one line', (_what, json, message) => {
    const plain: unknown = JSON.parse(JSON.stringify(json))
    const result = decodeVerdict(plain)
    expect(E.isLeft(result) ? result.left.message : 'accepted').toMatch(message)
    expect(accepts(plain)).toBe(false)
  })
})

const operation: Operation = {
  index: 1,
  agent: 'w@0',
  site: 'read',
  path: ['loop', 'branch'],
  loc: 'kernel.ts:3:4',
  iteration: [2, -1],
  at: 7,
  does: 'reads',
  operation: 5,
  tensor: 'a',
}
const within: Finding = {
  id: 'R1',
  severity: 'E',
  text: 'a race',
  a: operation,
  b: operation,
  place: { plane: 'smem@0', spans: [[0, 16]], more: 3 },
  knew: 'nothing',
  missing: { kind: 'wait', text: 'a wait' },
}
const finding: ReplayableFinding = { ...within, schedule: 1 }
const condition: Condition = { holds: false, failures: ['so'], findings: [within] }
const holds: Condition = { holds: true, failures: [], findings: [] }
const full: Verdict = {
  schema: 'tcspec.verdict/2',
  kernel: 'k',
  settings: { m: 64, dtype: 'f16', fast: true },
  verdict: 'undecided',
  reason: 'why',
  lookedAt: 'exploration',
  search: { complete: false, bound: 'states', states: 3, transitions: 4 },
  schedule: 0,
  completes: 1,
  conditions: { C1: condition, C2: holds, C3: holds, C4: holds, C5: holds, C6: holds },
  findings: [finding],
  notes: [finding],
  schedules: ['seeded:3', '0:1 1:1/write.0'],
  waitFor: ['w@0 is blocked'],
  provenance: { proved: true, inOrder: false, text: 'out = a b' },
  digest: { order: '0123', output: 'none' },
  counts: { events: 1, steps: 2, agents: 3, ctas: 4, clusters: 5, runs: 6 },
  scope: ['races inside one agent'],
}

describe('every field', () => {
  type Key = string | number
  const at = (json: unknown, path: ReadonlyArray<Key>): unknown =>
    path.reduce<unknown>((x, key) => (x as Record<Key, unknown>)[key], json)
  /** The same with another value at a path; without one, without the field. */
  const changed = (path: ReadonlyArray<Key>, ...value: ReadonlyArray<unknown>): unknown => {
    const json = asJson(full)
    const owner = at(json, path.slice(0, -1)) as Record<Key, unknown>
    const last = path[path.length - 1]!
    if (value.length === 0) Reflect.deleteProperty(owner, last)
    else owner[last] = value[0]
    return json
  }
  const pathsOf = (json: unknown, path: ReadonlyArray<Key> = []): ReadonlyArray<ReadonlyArray<Key>> => [
    ...(path.length === 0 ? [] : [path]),
    ...(typeof json === 'object' && json !== null
      ? Object.entries(json).flatMap(([key, x]) =>
          pathsOf(x, [...path, Array.isArray(json) ? Number(key) : key]),
        )
      : []),
  ]
  const shown = (path: ReadonlyArray<Key>): string =>
    path.reduce<string>((s, key) => (typeof key === 'number' ? `${s}[${String(key)}]` : `${s}.${key}`), '$')
  const told = (json: unknown): string => {
    const result = decodeVerdict(json)
    return E.isLeft(result) ? result.left.message : 'accepted'
  }
  const paths = pathsOf(asJson(full))
  const optional = [
    ...['b', 'place', 'more', 'knew', 'missing', 'loc', 'operation', 'tensor'],
    ...['decidedBy', 'lookedAt', 'completes'],
  ]

  test('is read', () => {
    expect(told(asJson(full))).toBe('accepted')
    expect(right(decodeVerdict(asJson(full)))).toEqual(full)
    expect(accepts(asJson(full))).toBe(true)
    expect(paths.length).toBeGreaterThan(120)
  })
  test('has to be what it is: where another thing stands in its place, that place is told', () => {
    for (const path of paths) {
      // an object with a key that nobody knows is none of texts, numbers, lists, records and words
      const wrong = changed(path, { 'no such thing': null })
      expect(told(wrong), shown(path)).toContain(shown(path))
      expect(accepts(wrong), shown(path)).toBe(false)
    }
  })
  test('has to be there, but for those that may be missing', () => {
    const named = paths.filter((path) => typeof path[path.length - 1] === 'string' && path[0] !== 'settings')
    for (const path of named) {
      const without = changed(path)
      const may = optional.includes(String(path[path.length - 1]))
      expect(told(without) === 'accepted', shown(path)).toBe(may)
      expect(accepts(without), shown(path)).toBe(may)
    }
  })
  test('law 3: a schedule is one, and one of the table', () => {
    const other = (value: number): string =>
      `expected ${value === 2 ? 'schedule' : value === 3 ? 'findings[0].schedule' : 'notes[0].schedule'} to be the number of one of 2 schedules`
    expect(told(changed(['schedule'], 2))).toContain(other(2))
    expect(told(changed(['findings', 0, 'schedule'], 2))).toContain(other(3))
    expect(told(changed(['notes', 0, 'schedule'], 2))).toContain(other(4))
    for (const path of [['schedule'], ['findings', 0, 'schedule'], ['notes', 0, 'schedule']])
      for (const value of [0, 1, null]) expect(told(changed(path, value))).toBe('accepted')
    for (const word of ['', 'eagerly', '0:1 eager', '0-1'])
      expect(told(changed(['schedules', 1], word))).toMatch(/^\$\.schedules\[1\]: expected a schedule, found/)
    for (const word of ['lazy', 'starving:3:17,seeded:1', '4:7/signal.2'])
      expect(told(changed(['schedules', 1], word))).toBe('accepted')
  })
  test('counts are of nothing or more, rounds of loops of any sign', () => {
    for (const path of [
      ['counts', 'events'],
      ['search', 'states'],
      ['search', 'transitions'],
      ['findings', 0, 'a', 'index'],
      ['findings', 0, 'a', 'at'],
      ['findings', 0, 'a', 'operation'],
      ['findings', 0, 'place', 'spans', 0, 1],
    ]) {
      expect(told(changed(path, 0)), shown(path)).toBe('accepted')
      expect(told(changed(path, -1)), shown(path)).toBe(
        `${shown(path)}: expected an integer of 0 or more, found -1`,
      )
    }
    expect(told(changed(['findings', 0, 'a', 'iteration', 0], -5))).toBe('accepted')
    expect(told(changed(['findings', 0, 'a', 'iteration', 0], 0.5))).not.toBe('accepted')
  })
  test('words: all of them, and no other', () => {
    const words: ReadonlyArray<readonly [path: ReadonlyArray<Key>, words: ReadonlyArray<unknown>]> = [
      [['findings', 0, 'id'], hazardIds],
      [
        ['findings', 0, 'severity'],
        ['E', 'C', 'L'],
      ],
      [
        ['findings', 0, 'missing', 'kind'],
        ['fence', 'group-wait', 'wait', 'arrive', 'arrive-wait', 'bytes', 'none-found'],
      ],
      [['verdict'], ['ok', 'invalid', 'hazard', 'deadlock', 'wrong-result', 'undecided', 'out-of-fuel']],
      [['lookedAt'], ['one-schedule', 'exploration']],
      [
        ['search', 'bound'],
        ['states', 'depth', null],
      ],
      [['search'], [null]],
      [['provenance'], [null]],
      [
        ['settings', 'm'],
        ['x', 1.5, false],
      ],
    ]
    for (const [path, all] of words) {
      for (const word of all) {
        expect(told(changed(path, word)), `${shown(path)} ${String(word)}`).toBe('accepted')
        expect(accepts(changed(path, word)), `${shown(path)} ${String(word)}`).toBe(true)
      }
      if (path[0] !== 'settings')
        expect(told(changed(path, 'no such word')), shown(path)).not.toBe('accepted')
    }
    expect(told(changed(['settings', 'm'], null))).not.toBe('accepted')
  })
})
