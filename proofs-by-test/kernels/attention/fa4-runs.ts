/** FA4, run and judged: what its proofs share. */
import { bits as fastBits } from '../../../src/fast/index.js'
import {
  counters,
  fa4,
  fa4Attention,
  type Counters,
  type Fa4,
} from '../../../src/kernels/attention/fa4/index.js'
import {
  decodedAttention,
  sizesOf,
  type Attended,
  type AttentionShape,
  type Operands,
} from '../../../src/kernels/attention/index.js'
import { randomPatterns } from '../../../src/kernels/reference-inputs.js'
import type { Algebra } from '../../../src/numerics/algebra.js'
import { decoder } from '../../../src/numerics/float-format.js'
import { real64 } from '../../../src/numerics/real64.js'
import { unit } from '../../../src/numerics/unit.js'
import { check, standardOptions, type Checked } from '../../../src/semantics/verdict/check.js'
import { launch, noArguments, readTensor, type Arguments } from '../../../src/semantics/execution/launch.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import type { World } from '../../../src/semantics/machine/world.js'
import { eager, type AnyPolicy } from '../../../src/semantics/execution/policy.js'
import { without } from '../../../src/kernels/broken/without.js'
import type { Do, Program, Region, Stmt } from '../../../src/semantics/language/program.js'
import * as Run from '../../../src/semantics/execution/run.js'
import { right } from '../../either.js'

export type Rest = Partial<Omit<Fa4, keyof AttentionShape>>

// ---------------------------------------------------------------- instances

/** `tiles` tiles of 16 keys for one block of 256 rows: what the protocol depends on, and no more. */
export const small = (tiles: number, stages: number, rest: Rest = {}): Fa4 =>
  fa4(
    { batch: 1, q: 256, kv: 16 * tiles, heads: 1, kvHeads: 1, headDim: 64 },
    { blockKv: 16, stages, ...rest },
  )

const programs = new Map<string, Program>()

/** Made once for each configuration, unless it counts otherwise: to make a program takes as long as to judge it. */
export const programOf = (c: Fa4, made: Partial<Counters> = {}): Program => {
  const make = (): Program => right(fa4Attention(c, { ...counters, ...made }))
  if (Object.keys(made).length > 0) return make()
  const key = JSON.stringify(c, (_, x: unknown) => (typeof x === 'number' ? String(x) : x))
  const program = programs.get(key) ?? make()
  programs.set(key, program)
  return program
}

// ---------------------------------------------------------------- verdicts

export interface Judging {
  readonly policy?: AnyPolicy
  readonly explore?: boolean
  readonly tensorPipe?: 'issueOrder' | 'documented'
  readonly strict?: boolean
  readonly arguments?: Arguments
  readonly algebra?: Algebra
}

/** Synchronisation alone, unless an algebra is given; which edge is missing is not asked. */
export const judged = (program: Program, how: Judging = {}): Checked =>
  right(
    check(program, {
      ...standardOptions,
      algebra: how.algebra ?? unit,
      arguments: { ...(how.arguments ?? noArguments), tensorPipe: how.tensorPipe ?? 'issueOrder' },
      policy: how.policy ?? eager,
      strict: how.strict ?? false,
      provenance: false,
      explain: false,
      explore: how.explore ?? false,
    }),
  )

/** ids of the errors, each once, in the order of the findings */
export const idsOf = ({ verdict }: Checked): ReadonlyArray<string> => [
  ...new Set(verdict.findings.map((f) => f.id)),
]

// ---------------------------------------------------------------- values

/** Bit patterns of the seed. */
export const patternsOf = (c: Fa4, seed: number = 1): Operands => {
  const sizes = sizesOf(c)
  return {
    q: randomPatterns(c.dtype, seed, 0, sizes.q),
    k: randomPatterns(c.dtype, seed, 1, sizes.k),
    v: randomPatterns(c.dtype, seed, 2, sizes.v),
  }
}

const chip: Algebra = fastBits('blackwell')

export const argumentsOf = (c: Fa4, algebra: Algebra, { q, k, v }: Operands): Arguments => {
  const value = decoder(c.dtype)
  const of = (x: Float64Array): Float64Array => (algebra.name === 'real64' ? x.map(value) : x)
  return {
    scalars: new Map(),
    tensors: new Map([
      ['q', of(q)],
      ['k', of(k)],
      ['v', of(v)],
    ]),
  }
}

/** Values that the kernel writes: nothing rounded, or as the chip has it. */
export const computed = (
  c: Fa4,
  over: 'real64' | 'bits',
  operands: Operands = patternsOf(c),
  policy: AnyPolicy = eager,
  program: Program = programOf(c),
): Attended => {
  const algebra = over === 'bits' ? chip : real64
  const { world, machine } = right(launch(program, algebra, argumentsOf(c, algebra, operands)))
  const ran = Run.run(world, machine, Run.settings(policy), Run.ignore)
  if (ran.outcome._tag !== 'completed') return { out: new Float64Array(0), lse: new Float64Array(0) }
  const read = (name: string, value: (x: number) => number): Float64Array => {
    const data = readTensor(world, ran.machine, name) ?? new Float64Array(0)
    return algebra.name === 'bits' ? Float64Array.from(data, value) : Float64Array.from(data)
  }
  return { out: read('out', decoder(c.dtype)), lse: read('lse', decoder('f32')) }
}

export const expected = (c: Fa4, operands: Operands = patternsOf(c)): Attended =>
  right(decodedAttention(c.dtype, c, operands))

// ---------------------------------------------------------------- logs

/** The log of one run, and what it is about. */
export const logOf = (
  program: Program,
  policy: AnyPolicy = eager,
): { readonly world: World; readonly events: ReadonlyArray<LogEvent>; readonly completed: boolean } => {
  const { world, machine } = right(launch(program, unit, noArguments))
  const ran = Run.run(world, machine, Run.settings(policy), Run.collect)
  return { world, events: ran.result, completed: ran.outcome._tag === 'completed' }
}

// ---------------------------------------------------------------- forms of a program

/** verdict, who decided, ids */
export const answer = (program: Program, how: Judging = {}): ReadonlyArray<string> => {
  const c = judged(program, how)
  return [c.verdict.verdict, c.verdict.decidedBy ?? 'nothing', ...idsOf(c)]
}
export const clean: ReadonlyArray<string> = ['ok', 'one-schedule']

export const leaving =
  (...labels: ReadonlyArray<string>) =>
  (program: Program): Program =>
    labels.reduce((p, label) => right(without(label)(p)), program)

/** Every region of a program, changed. */
export const regions = (
  change: (body: ReadonlyArray<Stmt>) => ReadonlyArray<Stmt>,
): ((program: Program) => Program) => {
  const region = (r: Region): Region => ({ ...r, body: change(r.body).map(inside) })
  const inside = (s: Stmt): Stmt => {
    switch (s._tag) {
      case 'Let':
      case 'Do':
        return s
      case 'For':
        return { ...s, body: region(s.body) }
      case 'While':
        return { ...s, before: region(s.before), after: region(s.after) }
      case 'If':
        return { ...s, then: region(s.then), else: region(s.else) }
      case 'Fork':
        return { ...s, branches: s.branches.map((b) => ({ ...b, body: region(b.body) })) }
    }
  }
  return (program: Program): Program => ({ ...program, entry: region(program.entry) })
}
export const statements = (change: (s: Do) => Do): ((program: Program) => Program) =>
  regions((body) => body.map((s) => (s._tag === 'Do' ? change(s) : s)))
