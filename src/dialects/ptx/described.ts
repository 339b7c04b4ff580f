/**
 * What is in a module: entries and their parameters, shared memory, barriers, opcodes by family, what waits, what is in flight.
 *
 *     .param .u64 a, .param .u32 n, .param .align 64 .b8 map[128]       a at 0 of 8 bytes, n at 8 of 4, map at 64 of 128
 *
 * Laws
 * 1. Parameters do not overlap, and each begins at a multiple of its alignment.
 * 2. Opcodes by family and unsupported ones together are all instructions.
 * 3. What is unsupported is what elaboration refuses, and nothing else.
 *
 * Source: PTX ISA 9.0, kernel function parameters.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import { refusedIn, type RefusedInstruction } from './elaboration/elaborate.js'
import { flightsOf } from './flow/flight.js'
import { peeksOf } from './flow/peeks.js'
import { spinsOf } from './flow/spins.js'
import type { Ordering } from './opcodes/acts.js'
import type { Family } from './opcodes/form.js'
import { resolveModule, widthOf, type Code, type Resolution } from './opcodes/resolve.js'
import type { Function, Instruction, Module, Parameter, Statement, Variable } from './text/module.js'
import type { PtxError } from './text/position.js'
import { own } from '../../own.js'

export interface DescribedParameter {
  readonly name: string
  readonly type: string
  readonly offset: number
  readonly bytes: number
  /** the state space that a pointer points into, where it is said */
  readonly pointer: string | null
}

export interface DescribedShared {
  readonly name: string
  /** null: as many as the launch gives */
  readonly bytes: number | null
  readonly align: number
}

export interface Unsupported {
  readonly opcode: string
  readonly count: number
  readonly line: number
  /** what was expected of an opcode that has a row; null: no row has it */
  readonly why: string | null
}

export interface DescribedFunction {
  readonly name: string
  readonly kind: 'entry' | 'func'
  readonly line: number
  readonly parameters: ReadonlyArray<DescribedParameter>
  /** `reqntid 128, 1, 1` */
  readonly directives: ReadonlyArray<string>
  readonly instructions: number
  readonly families: ReadonlyArray<{ readonly family: Family; readonly count: number }>
  /** opcodes that no row of the table has, or that do not run as they stand, each with its first line */
  readonly unsupported: ReadonlyArray<Unsupported>
  /** ids of `bar` and `barrier`; of one in a register null */
  readonly barriers: ReadonlyArray<number | null>
  readonly mbarriers: ReadonlyArray<{ readonly line: number; readonly count: number | null }>
  /** these and those below are known where every opcode has a row */
  readonly spins: ReadonlyArray<{ readonly line: number; readonly kind: string }>
  readonly peeks: ReadonlyArray<{ readonly line: number; readonly waits: ReadonlyArray<number> }>
  readonly flights: ReadonlyArray<{
    readonly line: number
    readonly accumulators: number
    readonly sources: number
    readonly waits: ReadonlyArray<number>
    readonly touches: ReadonlyArray<number>
  }>
}

export interface DescribedPtx {
  readonly version: string
  readonly target: string
  readonly addressSize: number | null
  readonly shared: ReadonlyArray<DescribedShared>
  readonly functions: ReadonlyArray<DescribedFunction>
}

// ---------------------------------------------------------------- parameters and memory

const bytesOfType = (type: string): number => Math.max(1, widthOf(type) / 8)
const elements = (extents: ReadonlyArray<number | null>): number =>
  extents.reduce<number>((n, extent) => n * (extent ?? 0), 1)

const parametersOf = (parameters: ReadonlyArray<Parameter>): ReadonlyArray<DescribedParameter> => {
  let next = 0
  return parameters.map((p) => {
    const size = bytesOfType(p.type)
    const align = Math.max(size, p.align ?? 1)
    const offset = Math.ceil(next / align) * align
    const bytes = size * elements(p.extents)
    next = offset + bytes
    return {
      name: p.name,
      type: p.type,
      offset,
      bytes,
      pointer: p.pointer === null ? null : (p.pointer.space ?? 'generic'),
    }
  })
}

const variablesIn = (body: ReadonlyArray<Statement>): ReadonlyArray<Variable> =>
  body.flatMap((s) => (s._tag === 'variable' ? [s] : s._tag === 'scope' ? variablesIn(s.body) : []))

const sharedOf = (m: Module): ReadonlyArray<DescribedShared> =>
  m.items
    .flatMap((item) =>
      item._tag === 'variable' ? [item] : item._tag === 'function' ? variablesIn(item.body ?? []) : [],
    )
    .filter((v) => v.space === 'shared')
    .map((v) => {
      const element = v.vector * bytesOfType(v.type)
      return {
        name: v.name,
        bytes: v.extents[0] === null ? null : element * elements(v.extents) * (v.count ?? 1),
        align: Math.max(element, v.align ?? 1),
      }
    })

// ---------------------------------------------------------------- functions

const tallied = <K>(keys: ReadonlyArray<K>): ReadonlyMap<K, number> =>
  keys.reduce((map, key) => map.set(key, (map.get(key) ?? 0) + 1), new Map<K, number>())

const number = (code: Code, k: number, name: string): number | null => {
  const value = own(code.instructions[k]?.operands, name)
  return value?._tag === 'immediate' ? Number(value.bits) : null
}

interface Missing {
  readonly instruction: Instruction
  readonly why: string | null
}

/** By opcode, in the order of the text. */
const unsupportedOf = (missing: ReadonlyArray<Missing>): ReadonlyArray<Unsupported> => {
  const inOrder = [...missing].sort((a, b) => a.instruction.at.line - b.instruction.at.line)
  return [...tallied(inOrder.map((x) => x.instruction.opcode))].map(([opcode, count]) => {
    const first = inOrder.find((x) => x.instruction.opcode === opcode)
    return { opcode, count, line: first?.instruction.at.line ?? 0, why: first?.why ?? null }
  })
}

const functionOf = (
  { code, unsupported }: Resolution,
  refused: ReadonlyArray<RefusedInstruction>,
): DescribedFunction => {
  const f: Function = code.function
  const lineOf = (k: number): number => code.instructions[k]?.instruction.at.line ?? 0
  const those = (kind: Ordering): ReadonlyArray<number> =>
    code.instructions.flatMap(({ form: { act } }, k) =>
      act._tag === 'orders' && act.kind === kind ? [k] : [],
    )
  const whole = unsupported.length === 0
  const refusals = new Set(refused.map((r) => r.instruction))
  const runs = code.instructions.filter((i) => !refusals.has(i.instruction))
  return {
    name: f.name,
    kind: f.kind,
    line: f.at.line,
    parameters: parametersOf((f.parameters ?? []).filter((p) => p.space === 'param')),
    directives: f.directives.map((d) => [d.name, [...d.numbers, ...d.strings].join(', ')].join(' ').trim()),
    instructions: code.instructions.length + unsupported.length,
    families: [...tallied(runs.map((i) => i.form.family))]
      .map(([family, count]) => ({ family, count }))
      .sort((a, b) => b.count - a.count),
    unsupported: unsupportedOf([
      ...unsupported.map((instruction) => ({ instruction, why: null })),
      ...refused.map(({ instruction, failure }) => ({ instruction, why: failure.message })),
    ]),
    barriers: [...new Set(those('bar').map((k) => number(code, k, 'a')))].sort(
      (a, b) => (a ?? Infinity) - (b ?? Infinity),
    ),
    mbarriers: those('mbarrier init').map((k) => ({ line: lineOf(k), count: number(code, k, 'count') })),
    spins: whole ? spinsOf(code).map((s) => ({ line: lineOf(s.test), kind: s.kind })) : [],
    peeks: whole ? peeksOf(code).map((p) => ({ line: lineOf(p.test), waits: p.spins.map(lineOf) })) : [],
    flights: whole
      ? flightsOf(code).map((x) => ({
          line: lineOf(x.product),
          accumulators: x.accumulators.length,
          sources: x.sources.length,
          waits: x.waits.map(lineOf),
          touches: x.touches.map(lineOf),
        }))
      : [],
  }
}

/** What is in a module; an instruction that is wrong is a refusal, an opcode that is not supported is not. */
export const describePtx = (m: Module): E.Either<Failure<PtxError>, DescribedPtx> => {
  const resolved = resolveModule(m)
  if (E.isLeft(resolved)) return resolved
  const wrong = resolved.right.flatMap((r) => r.refused.filter((f) => f.code !== 'ptx.opcode'))[0]
  if (wrong !== undefined) return E.left(wrong)
  const functions: DescribedFunction[] = []
  for (const r of resolved.right) {
    const refused = refusedIn(m, r.code.function)
    if (E.isLeft(refused)) return refused
    functions.push(functionOf(r, refused.right))
  }
  return E.right({
    version: m.version,
    target: m.targets.join(', '),
    addressSize: m.addressSize,
    shared: sharedOf(m),
    functions,
  })
}
