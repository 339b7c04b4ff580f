/**
 * Truth tables: families of tiny kernels over flags, each with a rule that says from the flags alone what is wrong.
 *
 * A rule gives the pairs of statements that may meet in the wrong order, and what kind of edge is missing between them; none: the kernel is right.
 * It knows nothing of the machine. For every combination of the flags the verdict of `check` must be the rule's, the findings must stand between
 * the rule's pairs and no others, and each must name the edge that the rule says.
 */
import { expect } from 'vitest'
import * as Pallas from '../../../../src/dialects/pallas/index.js'
import * as B from '../../../../src/semantics/writing/builder.js'
import { float, i32, splat, type Int, type View } from '../../../../src/semantics/language/expression.js'
import { explained } from '../../../../src/semantics/judging/decision.js'
import type { MissingEdge } from '../../../../src/semantics/judging/finding.js'
import type { Program } from '../../../../src/semantics/language/program.js'
import { checked } from '../programs.js'
import { right } from '../../../either.js'
import { nightly } from '../../../extent.js'

// ---------------------------------------------------------------- flags

export type Flags = Readonly<Record<string, boolean | string | number>>

/** Every combination: one value of each list. */
export const combinations = <F extends Flags>(lists: {
  readonly [K in keyof F]: ReadonlyArray<F[K]>
}): ReadonlyArray<F> =>
  Object.entries<ReadonlyArray<F[keyof F]>>(lists).reduce<ReadonlyArray<F>>(
    (all, [key, values]) => all.flatMap((f) => values.map((v): F => ({ ...f, [key]: v }))),
    // the first step of a fold over the keys: what it lacks, the later steps put in
    [JSON.parse('{}')],
  )
export const either: ReadonlyArray<boolean> = [false, true]

// ---------------------------------------------------------------- rules

/** Two statements and the edge between them that is not there. */
export interface Gap {
  readonly between: readonly [string, string]
  readonly missing: ReadonlyArray<MissingEdge['kind']>
}
export type Rule<F> = (flags: F) => ReadonlyArray<Gap> | 'deadlock'

const pairOf = (a: string, b: string): string => [a, b].sort().join(' | ')

/** The whole table; the number of its rows. */
export const holds = <F extends Flags>(
  flags: ReadonlyArray<F>,
  program: (f: F) => Program,
  rule: Rule<F>,
): { readonly rows: number; readonly wrong: number } => {
  let wrong = 0
  for (const [i, f] of flags.entries()) {
    const expected = rule(f)
    wrong += expected === 'deadlock' ? 1 : expected.length
    // by day every fifth row of a large table is run
    if (!nightly && flags.length > 16 && i % 5 !== 0) continue
    const { verdict } = checked(program(f), { strict: false, explore: false, provenance: false })
    if (expected === 'deadlock') {
      expect([f, verdict.verdict]).toEqual([f, 'deadlock'])
      continue
    }
    const found = verdict.findings.map((x) => pairOf(x.a.site, x.b?.site ?? ''))
    expect([f, verdict.verdict, [...new Set(found)].sort()]).toEqual([
      f,
      expected.length === 0 ? 'ok' : 'hazard',
      expected.map(({ between }) => pairOf(...between)).sort(),
    ])
    // `check` explains the first findings
    for (const x of verdict.findings.slice(0, explained)) {
      const pair = pairOf(x.a.site, x.b?.site ?? '')
      const allowed = expected.find(({ between }) => pairOf(...between) === pair)?.missing ?? []
      expect([f, pair, x.missing?.kind]).toEqual([f, pair, expect.toBeOneOf([...allowed])])
    }
  }
  return { rows: flags.length, wrong }
}

// ---------------------------------------------------------------- what the kernels are made of

export type Body = () => B.Steps<void>

/** A kernel of these threads: what `declare` gives, and what each thread does with it. */
export const kernelOf = <R>(
  arch: 'sm90a' | 'sm100a',
  threads: number,
  declare: () => B.Steps<R>,
  barriers: (refs: R) => ReadonlyArray<Pallas.Barrier>,
  bodies: (refs: R) => ReadonlyArray<Body>,
): Program =>
  right(
    B.kernel(
      {
        name: 'row',
        arch,
        agents: Array.from({ length: threads }, (_, i) => B.warpgroup(`t${String(i)}`, i)),
      },
      function* () {
        const refs = yield* declare()
        yield* Pallas.threads(
          barriers(refs),
          bodies(refs).map((body, i) => ({ name: `t${String(i)}`, body })),
          { unsafeNoAutoBarriers: true },
        )
      },
    ),
  )

export const none: Int = i32(0)
export const rows = [8, 32] as const

/** Ordinary stores of a constant. */
export const fill = (label: string, into: View<'smem', 'f32', 2>): B.Build<void> =>
  B.run(label, { _tag: 'smem.store', destination: into, value: splat<'f32', 2>(float('f32', 1), rows) })

/** Steps that a flag chooses. */
export const iff = function* (flag: boolean, steps: () => B.Steps<unknown>): B.Steps<void> {
  if (flag) yield* steps()
}
