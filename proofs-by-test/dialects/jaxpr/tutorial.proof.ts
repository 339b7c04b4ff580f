/**
 * The tutorial's seven kernels, written in Python as its text has them (`python/kernels/tutorial`), against those of `src/kernels/blackwell`: the same
 * statements but for those listed, the same bits, the same proof, and the same verdict but for the notes that go with what is listed. The last two are
 * compared with the printed forms: the text's wait in the wrong warp is theirs, too.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { decodeDocument, elaborate } from '../../../src/dialects/jaxpr/index.js'
import type { Failure } from '../../../src/failure.js'
import { matmul0 } from '../../../src/kernels/blackwell/matmul0.js'
import { matmul1 } from '../../../src/kernels/blackwell/matmul1.js'
import { matmul2 } from '../../../src/kernels/blackwell/matmul2.js'
import { matmul3 } from '../../../src/kernels/blackwell/matmul3.js'
import { matmul4 } from '../../../src/kernels/blackwell/matmul4.js'
import { matmul5That } from '../../../src/kernels/blackwell/matmul5.js'
import { matmul6That } from '../../../src/kernels/blackwell/matmul6.js'
import type { TiledGrid } from '../../../src/kernels/blackwell/setup.js'
import { naiveMatmul } from '../../../src/kernels/reference.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import type { Program, Spec } from '../../../src/semantics/language/program.js'
import { readTensor } from '../../../src/semantics/execution/launch.js'
import { bits } from '../../arithmetic.js'
import { right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'
import { base } from '../../kernels/blackwell-steps.js'
import { checked, statementsOf } from '../pallas/programs.js'
import { inFolder } from './cases.js'

type Make = (c: TiledGrid) => E.Either<Failure, Program>

/** What Python's program has more, and what it has less, statement for statement; and notes that it has more. */
interface Differences {
  readonly more: ReadonlyArray<string>
  readonly less: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}
const same: Differences = { more: [], less: [], notes: [] }
/** The page waits for loads of tensor memory only where another product may follow: here that is added. */
const asPrinted: Differences = { more: [], less: ['tcgen05.waitLd'], notes: ['M3'] }
/** `emit_pipeline` as JAX traces it: the first fetches are a loop, later ones stand under a branch. */
const pipelined: Differences = {
  more: ['For', 'If'],
  less: ['mbarrier.arriveExpectTx', 'mbarrier.arriveExpectTx', 'tma.load', 'tma.load', ...asPrinted.less],
  notes: asPrinted.notes,
}
/** The peer's wait for the store where the page has it (`store-done.ts`). */
const printed5: Make = (c) => matmul5That('as printed', c)
const printed6: Make = (c) => matmul6That('as printed', c)

const kernels: ReadonlyArray<readonly [name: string, make: Make, differences: Differences]> = [
  ['matmul0', matmul0, pipelined],
  ['matmul0.0.10.2', matmul0, pipelined],
  ['matmul1', matmul1, asPrinted],
  ['matmul2', matmul2, asPrinted],
  ['matmul3', matmul3, asPrinted],
  ['matmul4', matmul4, same],
  ['matmul5', printed5, same],
  ['matmul6', printed6, same],
  ['matmul6.0.10.2', printed6, same],
]

const computes: Spec = {
  _tag: 'matmul',
  a: 'a_gmem',
  b: 'b_gmem',
  out: 'out_gmem',
  accumulator: 'f32',
  blockK: 16,
}
const documents = inFolder('tutorial')
const traced = (name: string): Program =>
  right(
    elaborate(right(decodeDocument(JSON.parse(documents.text(name)))), {
      computes,
    }),
  )

/** Statements with effects and regions; the barriers of threads and warps, which order nothing more here, do not count. */
const said = (p: Program): ReadonlyArray<string> =>
  statementsOf(p.entry).flatMap((s) =>
    s._tag === 'Let'
      ? []
      : s._tag !== 'Do'
        ? [s._tag]
        : s.instruction._tag === 'bar.sync'
          ? []
          : [s.instruction._tag],
  )
/** Those of the first that the second has not, as often as they are missing. */
const beyond = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...others]
  return some
    .filter((s) => {
      const at = left.indexOf(s)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
    .sort()
}
const ids = (all: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  [...new Set(all.map((f) => f.id))].sort()

/** By day one of two traces of a kernel is looked at. */
const again = new Set(['matmul0.0.10.2', 'matmul6.0.10.2'])

describe.each(kernels.filter(([name]) => nightly || !again.has(name)))(
  '%s',
  (name, make, { more, less, notes }) => {
    const python = traced(name)
    const ours = right(make(base))

    test('statement for statement', () => {
      const [theirs, mine] = [said(python), said(ours)]
      expect(beyond(theirs, mine)).toEqual([...more].sort())
      expect(beyond(mine, theirs)).toEqual([...less].sort())
    })

    test('right for all inputs, and bit for bit the naive product', () => {
      const b = bits('blackwell')
      const { dtype, m, n, k } = base
      const [x, y] = [randomPatterns(dtype, 1, 0, m * k), randomPatterns(dtype, 1, 1, k * n)]
      const inputs = new Map([
        ['a_gmem', x],
        ['b_gmem', y],
      ])
      const { verdict, world, machine } = checked(python, { strict: false }, b, inputs)
      expect(verdict).toMatchObject({
        verdict: 'ok',
        decidedBy: 'one-schedule',
        findings: [],
        provenance: { proved: true, inOrder: true },
      })
      const types = { operand: dtype, accumulator: 'f32', out: dtype } as const
      expect(readTensor(world, machine, 'out_gmem')).toEqual(right(naiveMatmul(b, types, { m, n, k }, x, y)))
    })

    test('notes, and what they are with strict: those of ours, and what was left out', () => {
      const [theirs, mine] = [python, ours].map((p) => checked(p, { strict: false, explain: false }).verdict)
      const more = notes.filter((id) => !ids(mine!.notes).includes(id))
      expect(ids(theirs!.notes).filter((id) => !ids(mine!.notes).includes(id))).toEqual(more)
      const strictly = [python, ours].map((p) =>
        ids(checked(p, { strict: true, explain: false }).verdict.findings),
      )
      expect(strictly[0]).toEqual([...new Set([...strictly[1]!, ...(more.length > 0 ? ['M3'] : [])])].sort())
    })
  },
)

describe.each(
  sampled(2, [
    ['matmul5', printed5],
    ['matmul6', printed6],
  ] as const),
)('%s of four tiles in one cluster', (name, make) => {
  test('the wait in the wrong warp: the deadlock of the printed form, at its line', () => {
    const verdicts = [traced(`${name}.four`), right(make({ ...base, m: 1024 }))].map(
      (p) => checked(p, { strict: false, explain: false }).verdict,
    )
    const [theirs, mine] = verdicts.map((v) => [v.verdict, v.decidedBy, ids(v.findings), ids(v.notes)])
    expect(theirs).toEqual(mine)
    expect(verdicts[0]!.verdict).toBe('deadlock')
    expect(verdicts[0]!.findings[0]!.a.loc).toBe(name === 'matmul5' ? 'matmul5.py:79' : 'matmul6.py:82')
  })
})
