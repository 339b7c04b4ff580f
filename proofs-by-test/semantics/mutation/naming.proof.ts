/**
 * Naming, by hand: a mutant for each row of the table of `naming.ts`; and its law: no name is read.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { judgedAt, kernelNamed } from '../../../src/kernels/catalogue/index.js'
import { check } from '../../../src/semantics/verdict/check.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { validate } from '../../../src/semantics/language/validate.js'
import { judging, mutantsOf, type Judge, type Mutant } from '../../../src/semantics/mutation/index.js'
import { namingOf, refusalNames } from '../../../src/semantics/mutation/naming.js'
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
