/**
 * Contraction: where the assembler rounds a product and a sum once.
 *
 * A product without a rounding in its name goes into the sums behind it, if nothing else uses it:
 *
 *     mul.f32 p, x, y;  add.f32 s, p, z                       s = fma(x, y, z)
 *     mul.rn.f32 p, x, y;  add.f32 s, p, z                    s = p + z: `rn` forbids it, of the one and of the other
 *     mul.f32 p, x, y;  add.f32 s, p, z;  st p                s = p + z: the product is needed by itself
 *     mul.f16 p, x, y;  mov.b16 q, p;  sub.f16 s, z, q        s = fma(-x, y, z)
 *     mul.f32 p, x, y;  mul.f32 q, z, w;  add.f32 s, p, q     s = fma(x, y, q): that with fewer uses, of as many the left one
 *     div.full.f32 p, x, y;  add.f32 s, p, z                  s = fma(1 / y, x, z): a quotient ends in a product
 *
 * | asked                                                                     | else it is no product that is taken |
 * |---------------------------------------------------------------------------|-------------------------------------|
 * | `mul`, `div.full`, `div.approx`, of whatever floats, of no `sat`, unguarded | it is computed by itself            |
 * | no write is guarded by which its register, or that of a use, is written again | the same                          |
 * | all uses, through moves and changes of sign, are sums of its type and `ftz`, in its block | the same             |
 * | each of these takes it                                                     | the same                            |
 *
 * What follows a block and nothing else comes to is of the block. A sum may saturate and be guarded. A register that is written again is another one from there on (`mul.f32 p, x, y;
 * add.f32 p, p, z` is one fused operation), so all uses are those up to the next write, and none may be in a block that the value still comes to. A change of sign with `ftz` is for a product with `ftz`.
 *
 * Law 1. As in the machine code that ptxas makes of each case.
 *
 * Source: read off machine code of ptxas 13.0; PTX ISA, mul and add without rounding.
 */
import { remembered } from '../../../remembered.js'
import type { Code, Resolved, Value } from '../opcodes/resolve.js'
import { graphOf, type Graph } from './graph.js'

/** A sum that takes a product: by its number, and which operand it is. */
export interface Taking {
  readonly product: number
  readonly operand: 'a' | 'b'
  /** the product has the other sign where it is used */
  readonly negated: boolean
}

/** What a function contracts: products that are taken, and who takes them. */
export interface Contraction {
  readonly products: ReadonlySet<number>
  readonly sums: ReadonlyMap<number, Taking>
}

const floats: ReadonlySet<string> = new Set(['f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'])

/** Type and `ftz`, if it is said without a rounding. */
const kindOf = ({ modifiers: m }: Resolved): string | null =>
  m['rnd'] === undefined && floats.has(m['type'] ?? '') ? `${m['type'] ?? ''} ${m['ftz'] ?? ''}` : null

/** A quotient without a rounding in its name is an approximation. */
const isProduct = (i: Resolved): boolean =>
  i.guard === null &&
  i.modifiers['sat'] === undefined &&
  kindOf(i) !== null &&
  (i.form.base === 'mul' || i.form.base === 'div')

const isSum = (i: Resolved): boolean => i.form.base === 'add' || i.form.base === 'sub'

const registerOf = (v: Value | undefined): number | null => (v?._tag === 'register' ? v.index : null)

/** A register by another name, or with the other sign. */
const renaming = (i: Resolved): 'same' | 'negated' | null => {
  if (i.guard !== null || registerOf(i.operands['d']) === null) return null
  if (i.form.base === 'mov') return 'same'
  return i.form.base === 'neg' ? 'negated' : null
}

/** Of each block, the first of those that nothing else comes between. */
const straight = (graph: Graph): ReadonlyArray<number> => {
  const first: number[] = []
  graph.blocks.forEach(({ predecessors }, b) => {
    const [only] = predecessors
    const isBehind =
      predecessors.length === 1 &&
      only !== undefined &&
      only < b &&
      graph.blocks[only]!.successors.length === 1
    first.push(isBehind ? first[only]! : b)
  })
  return first
}

interface Use {
  readonly sum: number
  readonly operand: 'a' | 'b'
  readonly negated: boolean
}

/** Instructions by the register that they read or write, in order. */
type Touching = ReadonlyMap<number, ReadonlyArray<number>>

interface Text {
  readonly code: Code
  readonly graph: Graph
  /** of each block, the one that its straight run of blocks begins with */
  readonly first: ReadonlyArray<number>
  readonly readers: Touching
  readonly writers: Touching
}

const placeOf = ({ graph, first }: Text, k: number): number => first[graph.blockOf[k]!]!

/** Is what a register holds at the end of a straight run of blocks read in any other? */
const isReadBehind = (
  { code, graph, first, readers, writers }: Text,
  place: number,
  register: number,
): boolean => {
  const firstOf = (list: ReadonlyArray<number> = []): ReadonlyMap<number, number> =>
    new Map(list.map((k) => [graph.blockOf[k]!, k] as const).reverse())
  const reads = firstOf(readers.get(register))
  const ends = firstOf(writers.get(register)?.filter((k) => code.instructions[k]!.guard === null))
  const seen = new Set<number>()
  const stack = [...graph.blocks[first.lastIndexOf(place)]!.successors]
  while (stack.length > 0) {
    const b = stack.pop()!
    if (seen.has(b)) continue
    seen.add(b)
    const [read, end] = [reads.get(b), ends.get(b)]
    if (read !== undefined && (end === undefined || read <= end)) return true
    if (end === undefined) for (const next of graph.blocks[b]?.successors ?? []) stack.push(next)
  }
  return false
}

/** All sums that use a product; null: something else does, or some other place. */
const usesOf = (t: Text, product: number): ReadonlyArray<Use> | null => {
  const { code, readers, writers } = t
  const of = code.instructions[product]!
  const kind = kindOf(of)
  const place = placeOf(t, product)
  const out: Use[] = []
  const isUse = (k: number, register: number, negated: boolean): boolean => {
    const i = code.instructions[k]!
    const renamed = renaming(i)
    const isRenamed =
      renamed === 'same' ||
      (renamed === 'negated' && [kind, `${of.modifiers['type'] ?? ''} `].includes(kindOf(i)))
    if (isRenamed) return follow(registerOf(i.operands['d'])!, k, renamed === 'negated' ? !negated : negated)
    const [a, b] = [registerOf(i.operands['a']), registerOf(i.operands['b'])]
    if (!isSum(i) || kindOf(i) !== kind || (a === register) === (b === register)) return false
    out.push({ sum: k, operand: a === register ? 'a' : 'b', negated })
    return true
  }
  const follow = (register: number, since: number, negated: boolean): boolean => {
    const [reads, writes] = [readers.get(register) ?? [], writers.get(register) ?? []]
    const touching = [...new Set([...reads, ...writes])].sort((a, b) => a - b)
    for (const k of touching) {
      if (k <= since || placeOf(t, k) !== place) continue
      if (reads.includes(k) && !isUse(k, register, negated)) return false
      // what a guarded write leaves is the one or the other
      if (writes.includes(k)) return code.instructions[k]!.guard === null
    }
    return !isReadBehind(t, place, register)
  }
  const to = registerOf(of.operands['d'])
  const isWhole = to !== null && follow(to, product, false) && out.length > 0
  // a sum of a product and itself takes neither
  return isWhole && new Set(out.map(({ sum }) => sum)).size === out.length ? out : null
}

export const contractionOf: (code: Code) => Contraction = remembered((code) => {
  const products = code.instructions.flatMap((i, k) => (isProduct(i) ? [k] : []))
  const none: Contraction = { products: new Set(), sums: new Map() }
  if (products.length === 0 || !code.instructions.some(isSum)) return none
  const graph = graphOf(code)
  const readers = new Map<number, number[]>()
  const writers = new Map<number, number[]>()
  const note = (to: Map<number, number[]>, k: number, registers: Resolved['reads']): void => {
    for (const index of new Set(registers.map((one) => one.index))) {
      const known = to.get(index)
      if (known === undefined) to.set(index, [k])
      else known.push(k)
    }
  }
  code.instructions.forEach((i, k) => {
    note(readers, k, i.reads)
    note(writers, k, i.writes)
  })
  const text: Text = { code, graph, first: straight(graph), readers, writers }
  let left = new Map(
    products.flatMap((k) => {
      const uses = usesOf(text, k)
      return uses === null ? [] : [[k, uses] as const]
    }),
  )
  for (;;) {
    const sums = new Map<number, Taking & { readonly uses: number }>()
    for (const [product, uses] of left)
      for (const { sum, operand, negated } of uses) {
        const other = sums.get(sum)
        const isBetter =
          other === undefined || uses.length < other.uses || (uses.length === other.uses && operand === 'a')
        if (isBetter) sums.set(sum, { product, operand, negated, uses: uses.length })
      }
    const kept = new Map(
      [...left].filter(([k, uses]) => uses.every(({ sum }) => sums.get(sum)?.product === k)),
    )
    if (kept.size === left.size) return { products: new Set(left.keys()), sums }
    left = kept
  }
})
