/** Statements of every kind by hand, for proofs that ask what may be said of a program by its text. */
import * as X from '../../../src/semantics/language/expression.js'
import * as P from '../../../src/semantics/language/program.js'
import type { Binder, Do, Region, Stmt } from '../../../src/semantics/language/program.js'

export const n = (name: string): X.Int => X.name<'i32'>(name)
export const int = (name: string): Binder => ({ name, type: { _tag: 'scalar', dtype: 'i32' } })
export const truth = (x: X.Int): X.Condition => X.lt(x, X.i32(4))

export const of = (label: string, instruction: object, results: ReadonlyArray<string> = []): Do => ({
  _tag: 'Do',
  results: results.map(int),
  instruction: instruction as Do['instruction'],
  site: P.site(label),
})
export const atomic = (result: string): Stmt =>
  of('count', { _tag: 'gmem.atomicPtr', pointer: X.paramPtr('x'), value: X.i32(1), op: 'add' }, [result])
export const shared = (result: string): Stmt =>
  of('count', { _tag: 'smem.atomic', destination: X.storage('c'), value: X.i32(1), op: 'add' }, [result])
export const tested = (result: string): Stmt =>
  of('test', { _tag: 'mbarrier.test', barrier: X.storage('b'), parity: X.i32(0) }, [result])
export const granted = (result: string): Stmt =>
  of('ask', { _tag: 'clc.query', response: X.storage('r') }, [result])
export const lets = (name: string, expr: X.Expr): Stmt => ({
  _tag: 'Let',
  binder: int(name),
  expr,
  site: P.site(name),
})
export const when = (
  x: X.Int,
  then: ReadonlyArray<Stmt> = [],
  otherwise: ReadonlyArray<Stmt> = [],
): P.If => ({
  _tag: 'If',
  cond: truth(x),
  then: P.region(then),
  else: P.region(otherwise),
  results: [],
  site: P.site('if'),
})
export const arrive = (bytes: X.Int, more: Partial<Do> = {}): Stmt => ({
  ...of('arrive', {
    _tag: 'mbarrier.arriveExpectTx',
    barrier: X.storage('b'),
    bytes,
    release: true,
    scope: 'cta',
  }),
  ...more,
})
export const loop = (o: {
  readonly carried?: ReadonlyArray<readonly [name: string, init: X.Int]>
  readonly body?: ReadonlyArray<Stmt>
  readonly yields?: ReadonlyArray<X.Int>
  readonly results?: ReadonlyArray<string>
  readonly params?: ReadonlyArray<string>
  readonly from?: X.Int
  readonly to?: X.Int
  readonly step?: X.Int
}): P.For => ({
  _tag: 'For',
  index: int('i'),
  from: o.from ?? X.i32(0),
  to: o.to ?? X.i32(4),
  step: o.step ?? X.i32(1),
  carried: (o.carried ?? []).map(([name, init]) => ({ binder: int(name), init })),
  body: P.region(o.body ?? [], o.yields ?? [], (o.params ?? []).map(int)),
  results: (o.results ?? []).map(int),
  site: P.site('loop'),
})
export const until = (o: {
  readonly carried?: ReadonlyArray<readonly [name: string, init: X.Int]>
  readonly before?: Region
  readonly after?: Region
  readonly results?: ReadonlyArray<string>
}): P.While => ({
  _tag: 'While',
  carried: (o.carried ?? []).map(([name, init]) => ({ binder: int(name), init })),
  before: o.before ?? P.region([], [X.i1(false)]),
  after: o.after ?? P.region([]),
  results: (o.results ?? []).map(int),
  site: P.site('until'),
})
export const fork = (
  ...branches: ReadonlyArray<
    readonly [
      captures: ReadonlyArray<readonly [string, X.Int]>,
      body: ReadonlyArray<Stmt>,
      yields?: ReadonlyArray<X.Int>,
    ]
  >
): P.Fork => ({
  _tag: 'Fork',
  branches: branches.map(([captures, body, yields], i) => ({
    agent: `w${String(i)}`,
    captures: captures.map(([name, value]) => ({ binder: int(name), value })),
    body: P.region(body, yields ?? []),
  })),
  results: (branches[0]?.[2] ?? []).map((_, i) => int(`joined${String(i)}`)),
  site: P.site('fork'),
})
