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
 * | its register is written once                                               | the same                            |
 * | all uses, through moves and changes of sign, are sums of its type and `ftz`, in its block | the same             |
 * | each of these takes it                                                     | the same                            |
 *
 * What follows a block and nothing else comes to is of the block. A sum may saturate and be guarded.
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
  m['rnd'] === undefined && m['atype'] === undefined && floats.has(m['type'] ?? '')
    ? `${m['type'] ?? ''} ${m['ftz'] ?? ''}`
    : null

const isProduct = (i: Resolved): boolean =>
  i.guard === null &&
  i.modifiers['sat'] === undefined &&
  kindOf(i) !== null &&
  (i.form.base === 'mul' ||
    (i.form.base === 'div' && (i.modifiers['full'] !== undefined || i.modifiers['approx'] !== undefined)))

const isSum = (i: Resolved): boolean => (i.form.base === 'add' || i.form.base === 'sub') && kindOf(i) !== null

const registerOf = (v: Value | undefined): number | null => (v?._tag === 'register' ? v.index : null)

/** A register by another name, or with the other sign. */
const renaming = (i: Resolved): 'same' | 'negated' | null => {
  if (i.guard !== null || registerOf(i.operands['a']) === null || registerOf(i.operands['d']) === null)
    return null
  if (i.form.base === 'mov') return 'same'
  return i.form.base === 'neg' && kindOf(i) !== null ? 'negated' : null
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

/** All sums that use a product; null: something else does, or some other place. */
const usesOf = (
  code: Code,
  place: (k: number) => number,
  readers: ReadonlyMap<number, ReadonlyArray<number>>,
  writers: ReadonlyMap<number, number>,
  product: number,
): ReadonlyArray<Use> | null => {
  const of = code.instructions[product]!
  const kind = kindOf(of)
  const out: Use[] = []
  const follow = (register: number, negated: boolean): boolean => {
    if (writers.get(register) !== 1) return false
    for (const k of readers.get(register) ?? []) {
      const i = code.instructions[k]!
      if (k <= product || place(k) !== place(product)) return false
      const renamed = renaming(i)
      if (renamed !== null && (renamed === 'same' || kindOf(i)?.split(' ')[0] === kind?.split(' ')[0])) {
        if (!follow(registerOf(i.operands['d'])!, renamed === 'negated' ? !negated : negated)) return false
        continue
      }
      const [a, b] = [registerOf(i.operands['a']), registerOf(i.operands['b'])]
      if (!isSum(i) || kindOf(i) !== kind || (a === register) === (b === register)) return false
      out.push({ sum: k, operand: a === register ? 'a' : 'b', negated })
    }
    return true
  }
  const to = registerOf(of.operands['d'])
  const isWhole = to !== null && follow(to, false) && out.length > 0
  // a sum of a product and itself takes neither
  return isWhole && new Set(out.map(({ sum }) => sum)).size === out.length ? out : null
}

export const contractionOf: (code: Code) => Contraction = remembered((code) => {
  const products = code.instructions.flatMap((i, k) => (isProduct(i) ? [k] : []))
  const none: Contraction = { products: new Set(), sums: new Map() }
  if (products.length === 0 || !code.instructions.some(isSum)) return none
  const graph = graphOf(code)
  const first = straight(graph)
  const place = (k: number): number => first[graph.blockOf[k]!]!
  const readers = new Map<number, number[]>()
  const writers = new Map<number, number>()
  code.instructions.forEach((i, k) => {
    for (const { index } of new Set(i.reads)) {
      const known = readers.get(index)
      if (known === undefined) readers.set(index, [k])
      else if (known[known.length - 1] !== k) known.push(k)
    }
    for (const { index } of i.writes) writers.set(index, (writers.get(index) ?? 0) + 1)
  })
  let left = new Map(
    products.flatMap((k) => {
      const uses = usesOf(code, place, readers, writers, k)
      return uses === null ? [] : [[k, uses] as const]
    }),
  )
  for (;;) {
    const sums = new Map<number, Taking & { readonly uses: number }>()
    for (const [product, uses] of left)
      for (const { sum, operand, negated } of uses) {
        const other = sums.get(sum)
        const isBetter =
          other === undefined ||
          uses.length < other.uses ||
          (uses.length === other.uses && operand === 'a' && other.operand === 'b')
        if (isBetter) sums.set(sum, { product, operand, negated, uses: uses.length })
      }
    const kept = new Map(
      [...left].filter(([k, uses]) => uses.every(({ sum }) => sums.get(sum)?.product === k)),
    )
    if (kept.size === left.size) return { products: new Set(left.keys()), sums }
    left = kept
  }
})
