/** Programs by hand: a statement a call, named by its label, and nothing else in it that is not said. */
import { checked } from '../../../src/semantics/language/index-types.js'
import {
  i32,
  name,
  type Condition,
  type ExprNode,
  type Int,
} from '../../../src/semantics/language/expression.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import {
  region,
  site,
  type Binder,
  type Do,
  type For,
  type Program,
  type Stmt,
} from '../../../src/semantics/language/program.js'

/** A name for a number of 32 bits. */
export const int = (text: string): Int => name(text)
export const binder = (text: string): Binder => ({ name: text, type: { _tag: 'scalar', dtype: 'i32' } })

/** A tensor of 32 x 64 elements, and its descriptor with boxes of 8 x 16. */
export const params: Program['params'] = [
  {
    _tag: 'tensor',
    name: 'x',
    dtype: 'f16',
    shape: [i32(32), i32(64)],
    strides: [i32(64), i32(1)],
    role: 'in',
  },
  {
    _tag: 'descriptor',
    name: 'map',
    tensor: 'x',
    dims: [i32(32), i32(64)],
    strides: [i32(64), i32(1)],
    box: [8, 16],
    elementStrides: [1, 1],
    swizzle: 32,
    fill: 'zero',
  },
]

/** A statement with an effect: a fence of wgmma, if nothing is said. */
export const act = (
  label: string,
  instruction: object = { _tag: 'wgmma.fence' },
  path: ReadonlyArray<string> = [],
  when?: Condition,
  results: ReadonlyArray<Binder> = [],
): Do => {
  const said = {
    _tag: 'Do',
    results,
    instruction: checked<Instruction, unknown>(instruction),
    site: site(label, path),
  } as const
  return when === undefined ? said : { ...said, when }
}
export const bind = (text: string, expr: Int): Stmt => ({
  _tag: 'Let',
  binder: binder(text),
  expr,
  site: site(`let ${text}`),
})
/** It carries a number, and gives one back: `k carried`, `k result`. */
export const loop = (
  index: string,
  body: ReadonlyArray<Stmt>,
  [from, to, by]: readonly [number, number, number] = [0, 2, 1],
): For => ({
  _tag: 'For',
  index: binder(index),
  from: i32(from),
  to: i32(to),
  step: i32(by),
  carried: [{ binder: binder(`${index} carried`), init: i32(7) }],
  body: region(body, [int(`${index} carried`)]),
  results: [binder(`${index} result`)],
  site: site(index),
})
/** It passes a number on to what stands behind its condition: `spin passed`. */
export const endless = (label: string, before: ReadonlyArray<Stmt>, after: ReadonlyArray<Stmt>): Stmt => ({
  _tag: 'While',
  carried: [{ binder: binder(`${label} carried`), init: i32(0) }],
  before: region(before),
  after: region(after, [], [binder(`${label} passed`)]),
  results: [binder(`${label} result`)],
  site: site(label),
})
export const branch = (
  cond: Condition,
  then: ReadonlyArray<Stmt>,
  other: ReadonlyArray<Stmt> = [],
): Stmt => ({
  _tag: 'If',
  cond,
  then: region(then),
  else: region(other),
  results: [],
  site: site('if'),
})
/** Each captures a number: `captured by left`. */
export const fork = (branches: Readonly<Record<string, ReadonlyArray<Stmt>>>): Stmt => ({
  _tag: 'Fork',
  branches: Object.entries(branches).map(([agent, body]) => ({
    agent,
    captures: [{ binder: binder(`captured by ${agent}`), value: i32(1) }],
    body: region(body),
  })),
  results: [],
  site: site('fork'),
})
export const programOf = (
  body: ReadonlyArray<Stmt>,
  said: Partial<Pick<Program, 'params' | 'storage' | 'arch'>> & { readonly cluster?: number } = {},
): Program => ({
  schema: 'tcspec.program/1',
  name: 'by hand',
  arch: said.arch ?? 'sm90a',
  params: said.params ?? [{ _tag: 'scalar', name: 'n', dtype: 'i32' }],
  launch: { grid: [i32(1)], cluster: [said.cluster ?? 1], agents: [] },
  storage: said.storage ?? [],
  entry: region(body),
})

/** An expression in short: `@ring[mod(k, 2)]`. */
export const shown = (e: ExprNode): string => {
  switch (e._tag) {
    case 'const':
      return String(e.value)
    case 'name':
      return e.name
    case 'storage':
      return `@${e.storage}`
    case 'slot':
      return `${shown(e.of)}[${shown(e.index)}]`
    case 'slice':
      return `${shown(e.of)}{${e.starts.map(shown).join()}}`
    case 'remote':
      return `${shown(e.of)} of ${shown(e.rank)}`
    case 'binary':
      return `${e.op}(${shown(e.x)}, ${shown(e.y)})`
    default:
      return e._tag
  }
}
