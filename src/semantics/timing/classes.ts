/**
 * Classes of work: which unit of a multiprocessor an operation keeps busy.
 *
 * Each of the four schedulers issues one instruction a cycle to units of its own, which take a warp of 32 lanes in one or more cycles. What moves a register, or names
 * a constant, is taken to cost nothing: a compiler leaves it out.
 *
 * | class     | of PTX                                             | of the core                       |
 * |-----------|----------------------------------------------------|-----------------------------------|
 * | `fma`     | `add.f32`, `mul.f32`, `fma.rn.f32`                 | `add`, `mul`, `fma` of tiles      |
 * | `alu`     | integers, comparisons, choices, `max.f32`          | the same, and addresses           |
 * | `half`    | the same on f16, bf16 and pairs of them            |                                   |
 * | `sfu`     | `ex2`, `rcp`, `lg2`, `rsqrt`, `tanh`               | `exp2`, `log`, divisions          |
 * | `convert` | `cvt` to and from floats                           | `convert`                         |
 * | `shuffle` | `shfl`, `vote`, `elect`                            | the last steps of `reduce`        |
 * | `shared`  |                                                    | another layout of registers       |
 * | `mma`     | `mma.sync`                                         | `dot`                             |
 *
 * Law 1. Every name has a class: what is not known is `alu`.
 */

export type Class = 'free' | 'fma' | 'alu' | 'half' | 'sfu' | 'convert' | 'shuffle' | 'shared' | 'mma'

/** An operation as instructions of one class, so many for each of its elements. */
export interface Kind {
  readonly class: Class
  readonly times: number
  /** instructions of `alu` that an assembler adds */
  readonly besides: number
}

const kind = (of: Class, times = 1, besides = 0): Kind => ({ class: of, times, besides })

const special: ReadonlyMap<string, number> = new Map([
  ['ex2', 1],
  ['lg2', 1],
  ['rcp', 1],
  ['rsqrt', 1],
  ['sqrt', 2],
  ['sin', 1],
  ['cos', 1],
  ['tanh', 1],
  ['div', 2],
  ['exp2', 1],
  ['exp', 1],
  ['log', 1],
  ['log2', 1],
  ['log1p', 2],
  ['expm1', 2],
  ['erf', 2],
  ['pow', 3],
  ['fdiv', 2],
  ['quo', 3],
  ['rem', 3],
  ['mod', 3],
])
const moving: ReadonlySet<string> = new Set([
  '',
  'mov',
  'move',
  'setPredicate',
  'predicate',
  'nothing',
  'cvta',
])
const exchanging: ReadonlySet<string> = new Set([
  'shuffle',
  'vote',
  'match',
  'elect',
  'shfl',
  'transposeMatrix',
])
const arithmetic: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'fma', 'mad', 'neg', 'abs'])
const narrow: ReadonlySet<string> = new Set(['f16', 'bf16', 'f16x2', 'bf16x2'])
const floats: ReadonlySet<string> = new Set([...narrow, 'f32', 'f64', 'e4m3x2', 'e5m2x2', 'tf32'])

export const kindOf = (name: string): Kind => {
  const [op = '', ...modifiers] = name.split('.')
  const type = modifiers.at(-1)
  if (moving.has(op)) return kind('free')
  if (exchanging.has(op)) return kind('shuffle')
  if (op === 'reduce') return kind('fma')
  if (op === 'convertLayout' || op === 'gather') return kind('shared', 2)
  if (op === 'dot' || op === 'multiply') return kind('mma')
  const times = special.get(op)
  // without .ftz small arguments are scaled before, and the result after
  if (times !== undefined)
    return kind('sfu', times, modifiers.some((m) => m === 'ftz') ? 0 : op === 'div' ? 6 : 2)
  if (op === 'convert') return kind('convert', narrow.has(type ?? '') ? 0.5 : 1)
  if (op === 'cvt') return modifiers.some((m) => floats.has(m)) ? kind('convert') : kind('alu')
  if (type !== undefined && narrow.has(type)) return kind('half')
  if (arithmetic.has(op))
    return type === undefined || type === 'f32' ? kind('fma') : type === 'f64' ? kind('fma', 2) : kind('alu')
  return kind('alu')
}
