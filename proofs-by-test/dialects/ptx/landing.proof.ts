/**
 * Where strong writes land among the writes of their word. Oracle: litmus tests of the memory model in PTX, each with the answer of the axioms (`semantics/axioms`): what the two
 * threads find, and a race where both enter.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  atomic,
  behaviours,
  fence,
  load,
  place,
  store,
  strong,
  thread,
  type Instruction,
} from '../../../src/semantics/axioms/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { warpSource } from '../../../src/semantics/execution/launch-warps.js'
import { checkSource, standardOptions } from '../../../src/semantics/verdict/check.js'
import { whatOf } from '../../../src/render/event.js'
import type { Access } from '../../../src/semantics/log/events.js'
import { right } from '../../either.js'
import { groundOfText } from './mutants/subjects.js'
import { entering } from './mutants/warps.js'

const relaxed = strong('relaxed', 'cta')

/** What stands in a thread: as the axioms have it, and as PTX. `own`, `other`: its word, and that of the other thread. */
interface Step {
  readonly axiom: (own: string, other: string) => Instruction
  readonly ptx: string
}
const own = '%r12'
const other = '%r13'
const steps: Readonly<Record<string, Step>> = {
  st: { axiom: (x) => store(x, 1, relaxed), ptx: `st.relaxed.cta.shared.u32 [${own}], 1;` },
  exch: {
    axiom: (x) => atomic('q', x, 'exch', 1, relaxed),
    ptx: `atom.relaxed.cta.shared.exch.b32 %r16, [${own}], 1;`,
  },
  ld: { axiom: (_, y) => load('r', y, relaxed), ptx: `ld.relaxed.cta.shared.u32 %r14, [${other}];` },
  add0: {
    axiom: (_, y) => atomic('r', y, 'add', 0, relaxed),
    ptx: `atom.relaxed.cta.shared.add.u32 %r14, [${other}], 0;`,
  },
  add1: {
    axiom: (_, y) => atomic('r', y, 'add', 1, relaxed),
    ptx: `atom.relaxed.cta.shared.add.u32 %r14, [${other}], 1;`,
  },
  sc: { axiom: () => fence('sc', 'cta'), ptx: 'fence.sc.cta;' },
  ar: { axiom: () => fence('acq_rel', 'cta'), ptx: 'fence.acq_rel.cta;' },
}

/** Do the axioms let both find 0? */
const mayBoth = (body: ReadonlyArray<string>): boolean => {
  const all = behaviours({
    memory: new Map([
      ['x', 0],
      ['y', 0],
    ]),
    threads: [
      thread(
        'P0',
        place(0),
        body.map((s) => steps[s]!.axiom('x', 'y')),
      ),
      thread(
        'P1',
        place(0),
        body.map((s) => steps[s]!.axiom('y', 'x')),
      ),
    ],
  })
  if (E.isLeft(all)) throw new Error(JSON.stringify(all.left))
  return all.right.outcomes.some(({ state }) => ['P0:r', 'P1:r'].every((r) => state.registers.get(r) === 0))
}

/** Lane 0 of each of two warps: who finds 0 counts, without a lock. */
const verdictOf = (body: ReadonlyArray<string>): string => {
  const { program, given } = groundOfText(entering(body.map((s) => steps[s]!.ptx)), 64)
  const how = Object.assign({}, standardOptions, { algebra: bits('hopper') })
  const { verdict } = right(checkSource(warpSource(program, given), how))
  return `${verdict.verdict} ${[...new Set(verdict.findings.map(({ id }) => id))].join()}`.trim()
}

describe('two threads that raise a flag each, and look at that of the other', () => {
  const raises = ['st', 'exch']
  const fences: ReadonlyArray<ReadonlyArray<string>> = [[], ['ar'], ['sc']]
  const looks = ['ld', 'add0', 'add1']
  const all = raises.flatMap((raise) =>
    fences.flatMap((between) => looks.map((look) => [raise, ...between, look])),
  )
  test.each(all.map((body) => [body.join(' '), body] as const))('%s', (_, body) => {
    expect(verdictOf(body)).toBe(mayBoth(body) ? 'hazard D1' : 'ok')
  })
  test('some may and some may not', () => {
    const may = all.filter(mayBoth).length
    expect([may > 3, all.length - may > 3]).toEqual([true, true])
  })
})

test('an event says which write it took', () => {
  const access = (rw: 'r' | 'w', older: ReadonlyArray<number> | undefined): string => {
    const e = {
      _tag: 'access',
      rw,
      atomic: true,
      role: 'source',
      proxy: 'generic',
      older,
    } as unknown as Access
    return whatOf(e)
  }
  expect([access('r', undefined), access('r', [0, 2]), access('w', [1]), access('r', [-1])]).toEqual([
    'atomic read source, generic',
    'atomic read (older: 2 back, 1 of 2) source, generic',
    'atomic write (under 1 later) source, generic',
    'atomic read (of a later write) source, generic',
  ])
})
