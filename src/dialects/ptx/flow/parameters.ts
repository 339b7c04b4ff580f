/**
 * What an entry does with its parameters, as far as its text shows it: which bytes it loads and with what type, which of them are addresses and what is
 * read and written through them, which are tensor maps and of how many dimensions.
 *
 *     ld.param.u64 %rd1, [x];  cvta.to.global.u64 %rd2, %rd1;  add.s64 %rd3, %rd2, %rd4;  ld.global.f32 %f1, [%rd3];      x at 0: an address, f32 is read
 *
 * Registers are followed without regard to order: what any instruction writes of a parameter, every reader may have. It is a guess for a form, not a
 * verdict: an address that comes through memory is not seen, and an index that is added to one is taken for it.
 *
 * Law 1. Of code whose pointers go through moves, windows, sums and choices alone, an address is a parameter that an access goes through.
 */
import type { Code, Resolved, Value } from '../opcodes/resolve.js'

/** Bytes of a parameter that the entry looks at. */
export interface ParameterUse {
  /** its number in the entry */
  readonly parameter: number
  readonly offset: number
  /** the type of the load; of the parameter's own address null */
  readonly type: string | null
  /** element types of accesses that go through it */
  readonly read: ReadonlyArray<string>
  readonly written: ReadonlyArray<string>
  /** dimensions of the tensor map that it is, or is the address of; 0: it is none */
  readonly rank: number
  readonly stored: boolean
}

/** Instructions through which an address stays one. */
const carries: ReadonlySet<string> = new Set(
  'mov cvta cvta.to add sub selp mad mad.wide mad.lo or and cvt'.split(' '),
)

interface Seen {
  readonly key: string
  readonly parameter: number
  readonly offset: number
  type: string | null
  readonly read: Set<string>
  readonly written: Set<string>
  rank: number
  stored: boolean
}

const basesOf = (v: Value | undefined): ReadonlyArray<Value> =>
  v === undefined ? [] : v._tag === 'vector' || v._tag === 'list' ? v.items.flatMap(basesOf) : [v]

const addressesOf = ({
  operands,
}: Resolved): ReadonlyArray<readonly [name: string, at: Value & { readonly _tag: 'address' }]> =>
  Object.entries(operands).flatMap(([name, v]) => (v._tag === 'address' ? [[name, v] as const] : []))

/** Element type of an access; of a copy, which has none, words. */
const typeOf = (i: Resolved): string => {
  const type = i.modifiers['type']
  return typeof type === 'string' ? type : 'b32'
}

/** Whether an access reads or writes what it names by this operand; null of what moves nothing, and of what says what a tensor map is. */
const direction = (
  { form: { act, family }, modifiers }: Resolved,
  name: string,
): 'read' | 'write' | 'both' | null => {
  if (act._tag !== 'accesses' || family === 'tensor map') return null
  switch (act.moves) {
    case 'reads':
      return 'read'
    case 'writes':
      return 'write'
    case 'updates':
      return 'both'
    case 'copies':
      return name === 'd' || (name === 'map' && modifiers['dst'] === 'global') ? 'write' : 'read'
    case 'combines':
      return name === 's' ? 'read' : 'both'
  }
}

const isLoad = ({ form }: Resolved): boolean => form.base === 'ld'

export const parameterUses = (code: Code): ReadonlyArray<ParameterUse> => {
  const names = (code.function.parameters ?? []).filter((p) => p.space === 'param')
  const seen = new Map<string, Seen>()
  const see = (parameter: number, offset: number, type: string | null): string => {
    const key = `${String(parameter)} ${type === null ? '&' : ''}${String(offset)}`
    const known = seen.get(key)
    if (known === undefined)
      seen.set(key, {
        key,
        parameter,
        offset,
        type,
        read: new Set(),
        written: new Set(),
        rank: 0,
        stored: false,
      })
    return key
  }
  const held = new Map<number, Set<string>>()
  const give = (index: number, keys: Iterable<string>): boolean => {
    const before = held.get(index) ?? new Set<string>()
    const size = before.size
    for (const key of keys) before.add(key)
    held.set(index, before)
    return before.size > size
  }
  const parameterOf = (v: Value | null): number => {
    const symbol = v?._tag === 'symbol' ? v.symbol : v
    return symbol?._tag === 'parameter' ? names.indexOf(symbol.parameter) : -1
  }
  const keysOf = (v: Value | undefined): ReadonlyArray<string> =>
    basesOf(v).flatMap((x) => {
      if (x._tag === 'register') return [...(held.get(x.index) ?? [])]
      const parameter = parameterOf(x)
      return parameter < 0 ? [] : [see(parameter, x._tag === 'symbol' ? x.offset : 0, null)]
    })
  // loads of parameters, each register of a vector at its own bytes
  for (const i of code.instructions) {
    const [, at] = addressesOf(i)[0] ?? []
    const base = at?.base
    if (!isLoad(i) || at === undefined || base == null || base._tag !== 'parameter') continue
    const parameter = names.indexOf(base.parameter)
    if (parameter < 0) continue
    const type = typeOf(i)
    const width = Math.max(1, Number(/\d+$/u.exec(type)?.[0] ?? 8) / 8)
    i.writes.forEach((r, k) => give(r.index, [see(parameter, at.offset + k * width, type)]))
  }
  for (let changed = true; changed;) {
    changed = false
    for (const i of code.instructions) {
      // through the address of a parameter
      const at = isLoad(i) ? addressesOf(i)[0]?.[1] : undefined
      if (at?.base?._tag === 'register') {
        const type = typeOf(i)
        const width = Math.max(1, Number(/\d+$/u.exec(type)?.[0] ?? 8) / 8)
        for (const key of held.get(at.base.index) ?? []) {
          const one = seen.get(key)
          if (one?.type !== null) continue
          i.writes.forEach((r, k) => {
            const found = see(one.parameter, one.offset + at.offset + k * width, type)
            changed = give(r.index, [found]) || changed
          })
        }
      }
      if (!carries.has(i.form.base)) continue
      const keys = Object.entries(i.operands).flatMap(([name, v]) => (name === 'd' ? [] : keysOf(v)))
      if (keys.length > 0) for (const r of i.writes) changed = give(r.index, keys) || changed
    }
  }
  for (const i of code.instructions) {
    // what a map that a kernel makes lies over
    if (i.form.base === 'tensormap.replace' && i.instruction.opcode.includes('global_address'))
      for (const key of Object.values(i.operands).flatMap((v) => (v._tag === 'address' ? [] : keysOf(v)))) {
        seen.get(key)?.read.add('f16')
        seen.get(key)?.written.add('f16')
      }
    for (const [name, at] of addressesOf(i)) {
      const { base } = at
      const keys =
        base === null
          ? []
          : base._tag === 'register'
            ? [...(held.get(base.index) ?? [])]
            : base._tag === 'parameter' && !isLoad(i)
              ? [see(names.indexOf(base.parameter), at.offset, null)]
              : []
      const how = direction(i, name)
      for (const key of keys) {
        const one = seen.get(key)
        if (one === undefined) continue
        if (at.coordinates.length > 0) {
          one.rank = Math.max(one.rank, at.coordinates.length)
          if (how === 'write' || how === 'both') one.stored = true
          continue
        }
        if (how === null || (one.type === null && one.rank === 0 && isLoad(i))) continue
        if (how !== 'write') one.read.add(typeOf(i))
        if (how !== 'read') one.written.add(typeOf(i))
      }
    }
  }
  return [...seen.values()]
    .filter((s) => s.parameter >= 0)
    .map(({ parameter, offset, type, read, written, rank, stored }) => ({
      parameter,
      offset,
      type,
      read: [...read].sort(),
      written: [...written].sort(),
      rank,
      stored,
    }))
    .sort((a, b) => a.parameter - b.parameter || a.offset - b.offset)
}

/** Axes of the grid along which an entry asks for its place: 1 to 3. */
export const axesOf = (code: Code): number =>
  code.instructions.reduce((most, i) => {
    const specials = Object.values(i.operands)
      .flatMap(basesOf)
      .flatMap((v) => (v._tag === 'special' ? [v.name] : []))
    return specials.reduce(
      (n, name) => Math.max(n, name.startsWith('%ctaid.z') ? 3 : name.startsWith('%ctaid.y') ? 2 : 1),
      most,
    )
  }, 1)
