/**
 * Naming, by hand: a mutant for each row of the table of `naming.ts`; and its law: no name is read.
 */
import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { judgedAt, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check, type Checked } from '../../../src/semantics/verdict/check.js'
import { effectsOf, type Do, type Program } from '../../../src/semantics/language/program.js'
import { validate } from '../../../src/semantics/language/validate.js'
import { judging, mutantsOf, type Judge, type Mutant } from '../../../src/semantics/mutation/index.js'
import { namingOf, refusalNames } from '../../../src/semantics/mutation/naming.js'
import { families } from '../../../src/semantics/log/units.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import { space, statement, declared, type Concern } from '../../../src/semantics/language/refusal.js'
import { options, programOf } from './settings.js'
import { sampled } from '../../extent.js'
import { right } from '../../either.js'

const instance = (name: string): Program => right(judgedAt(right(kernelNamed(name)))).program
const queue = programOf('queue', { m: 3, n: 8, rows: 1, buffering: 2 })

describe('the table', () => {
  const judges = new Map<string, Judge>()
  const judgeOf = (name: string, program: Program): Judge => {
    const judge = judges.get(name) ?? judging(program, options)
    judges.set(name, judge)
    return judge
  }
  test.each([
    ['queue', 'DUP | producer / i / arrive produced | twice', 'deadlock', 'site'],
    ['queue', 'FLAG | producer / i / arrive produced | relaxed', 'hazard', 'edge'],
    ['queue', 'DROP | init barriers / init produced[0] | left out', 'deadlock', 'cycle'],
    // the bytes that it would have written are read
    ['queue', 'DROP | producer / i / queue[slot] = value | left out', 'hazard', 'rule'],
    ['queue', 'DROP | producer / i / produce | left out', 'wrong-result', 'tile'],
    // refused before it runs: at a statement that names the storage
    ['queue', 'ALLOC | produced | a slot less', 'invalid', 'rule'],
    // a group that is not waited for, a load that is not
    ['hopper-matmul', 'DROP | compute / k / wgmma_wait 1 | left out', 'hazard', 'edge'],
    ['kv-pipeline', 'DROP | epilogue / load qk.wait | left out', 'hazard', 'edge'],
    // what is refused while it runs: columns that are not there, and an allocation that comes too late
    ['kv-pipeline', 'DROP | allocate | left out', 'invalid', 'rule'],
    ['kv-pipeline', 'ORDER | allocate | behind relinquish', 'invalid', 'rule'],
    ['kv-pipeline', 'DROP | deallocate | left out', 'hazard', 'rule'],
    // more than there is, of a space and not of a statement
    ['matmul-mxfp8', 'ALLOC | a_scale_tmem | a slot more', 'invalid', 'rule'],
    // two statements of which one was changed
    ['matmul3', 'FLAG | tensor memory / allocate | not collective', 'invalid', 'rule'],
  ] as const)('%s: %s', (name, key, verdict, naming) => {
    const program = name === 'queue' ? queue : instance(name)
    const m = mutantsOf(program).find((x) => x.key === key)!
    const judged = judgeOf(name, program)(m)
    expect([judged.verdict, judged.naming]).toEqual([verdict, naming])
  })
})

// ---------------------------------------------------------------- refusals and verdicts, made by hand

const mutants = new Map(mutantsOf(queue).map((m) => [m.key, m]))
const mutant = (key: string): Mutant => mutants.get(key) ?? expect.fail(key)
/** A mutant that is about these statements, and about no barrier. */
const about = (of: Mutant, statements: ReadonlyArray<Do>, more: Partial<Mutant> = {}): Mutant =>
  Object.assign({}, of, { statements, passes: [], barriers: [], next: null, manner: 'absent' }, more)
const stated = (instruction: Instruction, label = 'it', path: ReadonlyArray<string> = ['one']): Do => ({
  _tag: 'Do',
  results: [],
  instruction,
  site: { label, path },
})

describe('a refusal is about what was changed', () => {
  const value = mutant('DROP | producer / i / queue[slot] = value | left out')
  const slots = mutant('ALLOC | produced | a slot less')
  const names = (m: Mutant, c: Concern): boolean => refusalNames(queue, m.program, m, [c])
  test('if it is of its statement: the label, and the path', () => {
    for (const d of effectsOf(queue.entry.body)) {
      const own = value.statements.some((x) => isDeepStrictEqual(x.site, d.site))
      expect([d.site, names(value, statement(d.site))]).toEqual([d.site, own])
    }
    const { label, path } = value.statements[0]!.site
    expect(names(value, statement({ label, path }))).toBe(true)
    expect(names(value, statement({ label, path: path.slice(1) }))).toBe(false)
    expect(names(value, statement({ label: `${label}s`, path }))).toBe(false)
  })
  test('or of a statement that names the storage', () => {
    for (const d of effectsOf(slots.program.entry.body)) {
      const own =
        slots.statements.some((x) => isDeepStrictEqual(x.site, d.site)) ||
        JSON.stringify(d.instruction).includes('"storage":"produced"')
      expect([d.site, names(slots, statement(d.site))]).toEqual([d.site, own])
    }
  })
  test('or of the storage, if that is what was declared otherwise, or has the barriers', () => {
    expect(['produced', 'consumed', 'queue'].map((x) => names(slots, declared(x)))).toEqual([
      true,
      false,
      false,
    ])
    const called = about(value, value.statements, { label: 'queue' })
    expect(['produced', 'queue'].map((x) => names(called, declared(x)))).toEqual([false, false])
    const otherwise = about(called, [], { instruction: 'declaration' })
    expect(['produced', 'queue'].map((x) => names(otherwise, declared(x)))).toEqual([false, true])
    const barriers = about(value, value.statements, { barriers: ['consumed'] })
    expect(['produced', 'consumed'].map((x) => names(barriers, declared(x)))).toEqual([false, true])
  })
  test('or of its space; of tensor memory, if it allocates', () => {
    expect((['smem', 'tmem'] as const).map((x) => names(slots, space(x)))).toEqual([true, false])
    expect((['smem', 'tmem'] as const).map((x) => names(value, space(x)))).toEqual([false, false])
    for (const [instruction, allocates] of [
      [{ _tag: 'tcgen05.alloc', columns: 32, ctaGroup: 1 }, true],
      [{ _tag: 'tcgen05.dealloc', columns: 32, ctaGroup: 1 }, true],
      [{ _tag: 'tcgen05.relinquish', ctaGroup: 1 }, true],
      [{ _tag: 'tcgen05.waitLd' }, false],
    ] as const) {
      const m = about(value, [stated(instruction as Instruction)])
      expect([instruction._tag, names(m, space('tmem')), names(m, space('smem'))]).toEqual([
        instruction._tag,
        allocates,
        false,
      ])
    }
  })
})

describe('a verdict points at a mutant', () => {
  const { verdict, reasons, world } = right(check(queue, options))
  const value = mutant('DROP | producer / i / queue[slot] = value | left out')
  const checked = (of: object, why: object = {}): Checked =>
    ({ verdict: { ...verdict, ...of }, reasons: { ...reasons, ...why }, world }) as unknown as Checked
  const of = (m: Mutant, findings: ReadonlyArray<object>, name = 'hazard'): unknown =>
    namingOf(queue, m, checked({ verdict: name, provenance: null }, { findings }))
  const side = (path: ReadonlyArray<string> = ['elsewhere']): object => ({ site: 'elsewhere', path })
  test('by its tile, if it computes something else that is refuted', () => {
    for (const name of ['ok', 'hazard', 'deadlock', 'invalid', 'wrong-result', 'undecided'])
      for (const provenance of [null, { proved: true }, { proved: false }])
        expect([
          name,
          provenance,
          namingOf(queue, about(value, []), checked({ verdict: name, provenance })),
        ]).toEqual([
          name,
          provenance,
          name === 'wrong-result' && provenance?.proved === false ? 'tile' : null,
        ])
  })
  const groups = [
    ['bulk', { _tag: 'bulk.waitGroup', pending: 0, read: false }],
    ['cpAsync', { _tag: 'cpAsync.waitGroup', pending: 0 }],
    ['wgmma', { _tag: 'wgmma.waitGroup', pending: 0 }],
    ['tcgen05Ld', { _tag: 'tcgen05.waitLd' }],
    ['tcgen05St', { _tag: 'tcgen05.waitSt' }],
  ] as const
  test.each(groups)('of %s: by what is left over of its group', (family, instruction) => {
    const m = about(value, [stated(instruction as Instruction)])
    for (const id of ['U2', 'M3', 'M4', 'D1'])
      for (const [other] of groups)
        for (const at of ['a', 'b'] as const)
          for (const path of [['one'], ['elsewhere']]) {
            const finding = {
              id,
              about: [{ _tag: 'unit', unit: families[other].unit, side: at }],
              a: at === 'a' ? side(path) : side(),
              b: at === 'b' ? side(path) : side(),
            }
            const near = path[0] === 'one'
            const is =
              other === family &&
              (id === 'U2' ||
                (id === 'M3' && family === 'tcgen05Ld' && near) ||
                (id === 'M4' && family === 'tcgen05St' && near))
            expect([id, other, at, path, of(m, [finding])]).toEqual([id, other, at, path, is ? 'edge' : null])
          }
  })
  test('by where its agents meet', () => {
    const meetings = [
      [{ _tag: 'bar.sync', id: 3, count: 64 }, 3],
      [{ _tag: 'bar.arrive', id: 4, count: 64 }, 4],
      [{ _tag: 'cluster.arrive', relaxed: false }, 'cluster'],
      [{ _tag: 'cluster.wait' }, 'cluster'],
      [{ _tag: 'fence.proxyAsync', scope: 'cta' }, null],
    ] as const
    for (const [instruction, own] of meetings)
      for (const id of [3, 4, 'cluster'] as const) {
        const subject = { _tag: 'rendezvous', id }
        const m = about(value, [stated(instruction as Instruction)])
        const expected = own === id ? 'cycle' : null
        expect([instruction, id, of(m, [{ id: 'D1', about: [subject], a: side() }])]).toEqual([
          instruction,
          id,
          expected,
        ])
        const blocked = [{ about: [subject], operation: side() }]
        for (const [name, waits] of [
          ['deadlock', expected],
          ['hazard', null],
        ] as const)
          expect([
            instruction,
            id,
            name,
            namingOf(queue, m, checked({ verdict: name, provenance: null }, { findings: [], blocked })),
          ]).toEqual([instruction, id, name, waits])
      }
  })
  test('by the first four findings, no more', () => {
    const other = { id: 'D1', about: [], a: side() }
    const own = { id: 'D1', about: [], a: { site: 'it', path: ['one'] } }
    const m = about(value, [stated({ _tag: 'bar.sync', id: 3, count: 64 })], { manner: 'other' })
    for (let k = 0; k < 7; k++)
      expect([k, of(m, [...Array.from({ length: k }, () => other), own])]).toEqual([
        k,
        k <= 3 ? 'site' : null,
      ])
    // what is absent cannot be pointed at; what stands beside it can
    expect(of(Object.assign({}, m, { manner: 'absent' }), [own])).toBe(null)
    expect(
      of(Object.assign({}, m, { manner: 'absent', statements: [m.statements[0], m.statements[0]] }), [own]),
    ).toBe('site')
    expect(of(Object.assign({}, m, { manner: 'absent', passes: m.statements }), [own])).toBe('site')
  })
})

// ---------------------------------------------------------------- no name is read

type Tree = Readonly<Record<string, unknown>>

/** Names of which each is contained in the next, as it is written with an index, too. */
const nested = (names: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(names.map((name, i) => [name, 'x'.repeat(i + 1)]))

/** The program with other names: of storages, of agents, and of statements, whose labels speak of barriers and of allocations. */
const renamed = (program: Program): Program => {
  const storages = nested(program.storage.map((s) => s.id))
  const agents = nested(program.launch.agents.map((a) => a.name))
  const labels = new Map<string, string>()
  const label = (text: string): string => {
    const known = labels.get(text) ?? `allocated ${'x'.repeat(labels.size + 1)}[0]`
    labels.set(text, known)
    return known
  }
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, of]: readonly [string, unknown]): readonly [string, unknown] => {
        if (key === 'site') {
          const site = of as { readonly label: string; readonly path: ReadonlyArray<string> }
          return [key, { label: label(site.label), path: site.path.map(label) }]
        }
        if (key === 'storage' && typeof of === 'string') return [key, storages.get(of)]
        if (key === 'agent' && typeof of === 'string') return [key, agents.get(of)]
        return [key, walk(of)]
      }),
    )
  }
  const other = walk(program) as Tree & {
    readonly storage: ReadonlyArray<Tree>
    readonly launch: Tree & { readonly agents: ReadonlyArray<Tree> }
  }
  return right(
    validate({
      ...other,
      storage: other.storage.map((s) => ({ ...s, id: storages.get(s['id'] as string) })),
      launch: {
        ...other.launch,
        agents: other.launch.agents.map((a) => ({ ...a, name: agents.get(a['name'] as string) })),
      },
    } as unknown as Program),
  )
}

/** By day every eighth of them. */
const asked = (program: Program): ReadonlyArray<Mutant> => sampled(24, mutantsOf(program))

const namings = (program: Program): ReadonlyArray<string> =>
  asked(program).map((m) => {
    const valid = validate(m.program)
    const checked = E.isLeft(valid) ? valid : check(m.program, options)
    return E.isLeft(checked)
      ? `refused ${String(refusalNames(program, m.program, m, checked.left.about ?? []))}`
      : `${checked.right.verdict.verdict} ${String(namingOf(program, m, checked.right))}`
  })

test.each([
  ['queue', queue],
  [
    'hopper-matmul',
    programOf('hopper-matmul', { m: 64, n: 16, k: 48, tileM: 64, tileN: 16, tileK: 16, stages: 2 }),
  ],
])('law 1: %s: every mutant is named as it is when everything has another name', (_, program) => {
  const mutants = asked(program)
  const other = namings(renamed(program))
  expect(other.length).toBe(mutants.length)
  expect(other.map((naming, i) => [mutants[i]!.key, naming])).toEqual(
    namings(program).map((naming, i) => [mutants[i]!.key, naming]),
  )
})
