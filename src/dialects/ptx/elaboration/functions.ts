/**
 * Functions as values: their addresses, whom a call through one may reach, and who comes back to itself.
 *
 *     .global .align 8 .u64 vtable[3] = {0, 0, area};
 *     ld.u64 %rd1, [vtable+16];
 *     call (r), %rd1, (p), prototype;            area, or another function whose address is taken and whose parameters are as long
 *
 * An address has an upper word of its own, where no memory is; the lower word counts functions. A call through an address is a call of each of them that
 * it may be, by the lanes that have its address.
 *
 * A function has one place for its parameters, its registers and its local memory, so none may call itself. Where only a call through an address leads back, it is
 * refused when it comes to that.
 *
 * Laws
 * 1. Two functions have two addresses, and an alias has that of its function.
 * 2. Whom a call may reach does not depend on where it stands.
 *
 * Source: PTX ISA, call; taking the address of a function.
 */
import type { Function, Initial, Instruction, Module, Operand, Parameter, Statement } from '../text/module.js'
import { functionsOf } from '../text/module.js'
import { bitsOf } from './types.js'

/** Upper word of the address of a function. */
export const functionWindow = 0x7c000000

export interface Functions {
  /** the lower word of the address, by name */
  readonly addresses: ReadonlyMap<string, number>
  /** of those whose address is taken and that have a body */
  readonly taken: ReadonlyArray<Function>
  /** whom a function calls by name, and through addresses, too */
  readonly direct: ReadonlyMap<Function, ReadonlySet<Function>>
  readonly all: ReadonlyMap<Function, ReadonlySet<Function>>
}

const sizeOf = (p: Parameter): number =>
  p.extents.reduce<number>((n, extent) => n * (extent ?? 0), Math.max(1, bitsOf(p.type) / 8))

/** Parameters and results by their bytes. */
export const shapeOf = (parameters: ReadonlyArray<Parameter>, results: ReadonlyArray<Parameter>): string =>
  `${results.map(sizeOf).join(' ')} of ${parameters.map(sizeOf).join(' ')}`

const instructionsOf = (body: ReadonlyArray<Statement>): ReadonlyArray<Instruction> =>
  body.flatMap((s) => (s._tag === 'instruction' ? [s] : s._tag === 'scope' ? instructionsOf(s.body) : []))

const namesIn = (o: Operand): ReadonlyArray<string> =>
  o._tag === 'name' ? [o.name] : o._tag === 'vector' || o._tag === 'list' ? o.items.flatMap(namesIn) : []

const namesOfInitial = (i: Initial): ReadonlyArray<string> =>
  i._tag === 'symbol' ? [i.name] : i._tag === 'braced' ? i.items.flatMap(namesOfInitial) : []

const isCall = (i: Instruction): boolean => i.opcode === 'call' || i.opcode.startsWith('call.')

export const functionsIn = (m: Module): Functions => {
  const bodies = functionsOf(m).filter((f) => f.kind === 'func')
  const byName = new Map(bodies.map((f) => [f.name, f]))
  const addresses = new Map<string, number>()
  for (const item of m.items)
    if (item._tag === 'function' && item.kind === 'func' && !addresses.has(item.name))
      addresses.set(item.name, 16 * (addresses.size + 1))
  for (const item of m.items)
    if (item._tag === 'alias') {
      const of = byName.get(item.of)
      if (of !== undefined) byName.set(item.name, of)
      addresses.set(item.name, addresses.get(item.of) ?? 0)
    }
  const codes = functionsOf(m).map((f): readonly [Function, ReadonlyArray<Instruction>] => [
    f,
    instructionsOf(f.body ?? []),
  ])
  const named = new Set(
    [
      ...codes.flatMap(([, code]) =>
        code.filter((i) => !isCall(i)).flatMap((i) => i.operands.flatMap(namesIn)),
      ),
      ...m.items.flatMap((item) =>
        item._tag === 'variable' && item.initial !== null ? namesOfInitial(item.initial) : [],
      ),
    ].flatMap((name) => byName.get(name) ?? []),
  )
  const taken = bodies.filter((f) => named.has(f))
  const direct = new Map(
    codes.map(([f, code]): [Function, ReadonlySet<Function>] => [
      f,
      new Set(
        code.filter(isCall).flatMap((i) => i.operands.flatMap(namesIn).flatMap((n) => byName.get(n) ?? [])),
      ),
    ]),
  )
  const all = new Map(
    codes.map(([f, code]): [Function, ReadonlySet<Function>] => {
      const called = direct.get(f) ?? new Set<Function>()
      const through = code.some(
        (i) => isCall(i) && !i.operands.some((o) => o._tag === 'name' && addresses.has(o.name)),
      )
      return [f, through ? new Set([...called, ...taken]) : called]
    }),
  )
  return { addresses, taken, direct, all }
}

/** Does one function come to another, by such calls? */
export const comesTo = (
  graph: ReadonlyMap<Function, ReadonlySet<Function>>,
  from: Function,
  to: Function,
): boolean => {
  const seen = new Set([from])
  for (const f of seen) {
    if (f === to) return true
    for (const next of graph.get(f) ?? []) seen.add(next)
  }
  return false
}
