/**
 * Every single change of a module's synchronisation and of its data movement, on its syntax tree.
 *
 * The operators are those of `semantics/mutation`. A changed module is one that Triton's parser takes: where a result was given that is still asked for,
 * what it stands for takes its place (`kinds.ts`); what a change needs is computed right before it.
 *
 * | operator | in a module                                                                                             |
 * |----------|---------------------------------------------------------------------------------------------------------|
 * | DROP     | an operation is left out; PRIME: an arrival outside all loops; EXIT: a wait behind which there is no access |
 * | DUP      | an operation twice                                                                                      |
 * | MOVE, FENCE, ORDER | on the other side of a neighbour                                                              |
 * | RETARGET | the next slot of its ring of barriers; the same slot of every other one that is in sight                 |
 * | SLOT     | slot 0 of its ring, always; of buffers also the next                                                    |
 * | COUNT    | counts, pending groups, bytes                                                                           |
 * | PRIME    | the other phase; an arrival right behind an initialisation                                               |
 * | FLAG     | predicates, `relaxed`, `noIncrement`, asynchronous products, accumulation                                |
 * | FENCE    | `bCluster`                                                                                              |
 * | SLICE    | the next tile of a copy through a tensor map, along each axis                                            |
 * | ALLOC    | rings of one slot more, of one slot less                                                                |
 *
 *     ttng.wait_barrier %b, %phase        PRIME the other phase      %phase.other = arith.xori %phase, %c1
 *                                                                    ttng.wait_barrier %b, %phase.other
 *
 * Laws
 * 1. Every changed module is printed and read again as itself.
 */
import {
  attributeOf,
  type Attribute,
  type Module,
  type Operation,
  type Type,
  type Value,
} from '../text/syntax.js'
import type { Manner, MutantClass, Operator } from '../../../semantics/mutation/index.js'
import { computes, initialises, isFlagged, kindOf, mayGo, partOf, type Kind, type Stands } from './kinds.js'
import { everyOperation } from '../elaboration/regions.js'
import {
  exchanged,
  freshName,
  inPlaceOf,
  isIsolated,
  namesIn,
  operandsWith,
  resultsOf,
  sitesOf,
  usesOf,
  withBlock,
  withOperands,
  withType,
  type Becomes,
  type TextSite,
} from './tree.js'
import { own } from '../../../own.js'

/** A change of a module, before it is made. */
export interface TextChange {
  readonly operator: Operator
  readonly class: MutantClass
  readonly manner: Manner
  /** in words without sizes */
  readonly change: string
  readonly site: TextSite
  /** the operation that it changes places with, and those inside it */
  readonly other: Operation | null
  readonly passes: ReadonlyArray<Operation>
  /** is the allocation changed, and not what is done with it? */
  readonly declares: boolean
  readonly module: () => Module
}

type Block = ReadonlyArray<Operation>
type Make = (
  operator: Operator,
  change: string,
  body: () => Block,
  how?: { readonly manner?: Manner; readonly class?: MutantClass },
) => TextChange

// ---------------------------------------------------------------- operations that a change needs

interface Names {
  readonly taken: ReadonlySet<string>
}

const i32: Type = { _tag: 'integer', bits: 32, sign: '' }
const i1: Type = { _tag: 'integer', bits: 1, sign: '' }

const made = (
  like: Operation,
  name: string,
  result: string,
  type: Type,
  operands: Operation['operands'],
  attributes: Operation['attributes'] = [],
): Operation => ({
  name,
  at: like.at,
  names: [{ name: result, count: 1 }],
  results: [type],
  operands,
  attributes,
  successors: [],
  regions: [],
  location: like.location,
})

const valueOf = (op: Operation): Value => ({ name: op.names[0]!.name, index: null, type: op.results[0]! })

const constant = ({ taken }: Names, like: Operation, base: string, type: Type, value: Attribute): Operation =>
  made(like, 'arith.constant', freshName(taken, base), type, {}, [{ name: 'value', value }])

const integer = (names: Names, like: Operation, base: string, type: Type, value: number): Operation =>
  constant(names, like, base, type, { _tag: 'integer', value: BigInt(value), type })

const truth = (names: Names, like: Operation, value: boolean): Operation =>
  constant(names, like, value ? 'always' : 'never', i1, { _tag: 'boolean', value })

const binary = (
  { taken }: Names,
  like: Operation,
  name: string,
  base: string,
  lhs: Value,
  rhs: Value,
): Operation => made(like, name, freshName(taken, base), lhs.type, { lhs: [lhs], rhs: [rhs] })

/** Zeros of a tensor of numbers; null for anything else. */
const zeros = (names: Names, like: Operation, name: string, type: Type): Operation | null => {
  if (type._tag !== 'tensor') return null
  const zero: Attribute | null =
    type.element._tag === 'float'
      ? { _tag: 'float', text: '0.000000e+00', type: null }
      : type.element._tag === 'integer'
        ? { _tag: 'integer', value: 0n, type: null }
        : null
  return zero === null
    ? null
    : made(like, 'arith.constant', freshName(names.taken, name), type, {}, [
        { name: 'value', value: { _tag: 'dense', value: zero, type } },
      ])
}

// ---------------------------------------------------------------- what is known of values

const definitionOf = (site: TextSite, { name }: Value): Operation | null =>
  [...site.known()].reverse().find((k) => k.value.name === name)?.by ?? null

const constantOf = (site: TextSite, v: Value): number | null => {
  const by = definitionOf(site, v)
  const a = by?.name === 'arith.constant' ? attributeOf(by.attributes, 'value') : undefined
  return a?._tag === 'integer' ? Number(a.value) : a?._tag === 'boolean' ? (a.value ? 1 : 0) : null
}

const setAttribute = (op: Operation, name: string, value: Attribute): Operation => ({
  ...op,
  attributes: op.attributes.some((a) => a.name === name)
    ? op.attributes.map((a) => (a.name === name ? { name, value } : a))
    : [...op.attributes, { name, value }],
})
const withoutAttribute = (op: Operation, name: string): Operation => ({
  ...op,
  attributes: op.attributes.filter((a) => a.name !== name),
})

const withOperand = (op: Operation, name: string, k: number, by: Value | null): Operation => ({
  ...op,
  operands: operandsWith(op, (n, values) =>
    n !== name
      ? values
      : by === null
        ? values.filter((_, i) => i !== k)
        : values.map((v, i) => (i === k ? by : v)),
  ),
})

// ---------------------------------------------------------------- presence

/** What stands behind a site, with other values in the place of an operation's results; null where one is asked for that nothing stands for. */
const without = (names: Names, site: TextSite, stands: ReadonlyArray<Stands>): Block | null => {
  const { body, index, operation } = site
  const rest = body.slice(index + 1)
  const instead: Operation[] = []
  const becomes: Becomes[] = []
  for (const [k, value] of resultsOf(operation).entries()) {
    const uses = usesOf(rest, value)
    const by = stands[k] ?? 'nothing'
    if (uses.length === 0) continue
    if (by === 'zeros') {
      const zero = zeros(names, operation, `${value.name}.zeros`, value.type)
      if (zero === null) return null
      instead.push(zero)
      becomes.push(inPlaceOf(value, valueOf(zero)))
    } else if (by === 'nothing') {
      if (!uses.every(([, operand]) => mayGo.has(operand))) return null
      becomes.push(inPlaceOf(value, null))
    } else becomes.push(inPlaceOf(value, by))
  }
  const all: Becomes = (v) => becomes.reduce<Value | null>((x, b) => (x === null ? null : b(x)), v)
  return [...body.slice(0, index), ...instead, ...rest.map((op) => withOperands(op, all))]
}

const accesses = (op: Operation): boolean => kindOf(op)?.class === 'data'

/** Is there an access that the same agents can come to behind this site? Partitions are other agents. */
const isAccessBehind = (m: Module, { address, index }: TextSite): boolean => {
  const among = (operations: Block): boolean =>
    operations.some((op) => op.name !== 'ttg.warp_specialize' && everyOperation([op]).some(accesses))
  let body = m.operations
  let found = false
  for (const [at, region, block] of address) {
    const op = body[at]!
    const inner = op.regions[region]!
    found = !isIsolated(op, inner) && (found || among(body.slice(at + 1)))
    body = inner.blocks[block]!.operations
  }
  return found || among(body.slice(index + 1))
}

const absence = (m: Module, site: TextSite, kind: Kind): Operator => {
  if (site.looped) return 'DROP'
  if (site.operation.name === 'ttng.arrive_barrier') return 'PRIME'
  return kind.isWait === true && !isAccessBehind(m, site) ? 'EXIT' : 'DROP'
}

const leftOut = (
  m: Module,
  names: Names,
  site: TextSite,
  kind: Kind,
  make: Make,
): ReadonlyArray<TextChange> => {
  const { operation } = site
  if (initialises(operation)) return []
  const by = without(names, site, kind.stands?.(operation) ?? [])
  return by === null ? [] : [make(absence(m, site, kind), 'left out', () => by, { manner: 'absent' })]
}

/** A buffer that is allocated and not written. */
const uninitialised = (m: Module, site: TextSite, make: Make): ReadonlyArray<TextChange> => {
  const { operation } = site
  const type = operation.results[0]
  if (!initialises(operation) || type?._tag !== 'memdesc') return []
  const empty = withOperand(operation, 'src', 0, null)
  const name = operation.names[0]!.name
  const mutable: Type = { ...type, mutable: true }
  const change = make('DROP', 'what it writes, left out', () => site.body, { manner: 'absent' })
  return [
    {
      ...change,
      module: () =>
        withType(
          withBlock(m, site.address, (body) => body.map((op, k) => (k === site.index ? empty : op))),
          site,
          name,
          mutable,
        ),
    },
  ]
}

const twice = (names: Names, site: TextSite, kind: Kind, make: Make): ReadonlyArray<TextChange> => {
  const { operation, body, index } = site
  if (initialises(operation)) return []
  const second: Operation = {
    ...operation,
    names: operation.names.map(({ name, count }) => ({
      name: freshName(names.taken, `${name}.again`),
      count,
    })),
  }
  const [before, after] = [resultsOf(operation), resultsOf(second)]
  const stood = kind.stands?.(operation) ?? []
  const chained: Becomes = (v) => {
    const k = stood.findIndex((s) => typeof s !== 'string' && s.name === v.name && s.index === v.index)
    return before[k] ?? v
  }
  const later: Becomes = (v) => after[before.findIndex((b) => b.name === v.name && b.index === v.index)] ?? v
  const [again, rest] =
    kind.chains === true
      ? [withOperands(second, chained), body.slice(index + 1).map((op) => withOperands(op, later))]
      : [second, body.slice(index + 1)]
  return [make('DUP', 'twice', () => [...body.slice(0, index + 1), again, ...rest])]
}

// ---------------------------------------------------------------- places

/** Index of the operation before, or behind, that does more than compute; null at the end of the block. */
const neighbour = ({ body, index }: TextSite, step: -1 | 1): number | null => {
  for (let i = index + step; i >= 0 && i < body.length; i += step) if (!computes(body[i]!)) return i
  return null
}

/** Operations inside one that has regions. */
const inside = (op: Operation): Block =>
  everyOperation([op])
    .slice(1)
    .filter((x) => kindOf(x) !== null)

const elsewhere = (
  site: TextSite,
  kind: Kind,
  called: (op: Operation) => string,
  make: Make,
): ReadonlyArray<TextChange> => {
  const { body, index } = site
  const moved = ([-1, 1] as const).flatMap((step): ReadonlyArray<TextChange> => {
    const i = neighbour(site, step)
    if (kind.class !== 'synchronisation' || i === null) return []
    const op = body[i]!
    const within = inside(op)
    if (!accesses(op) && within.length === 0) return []
    const by = step < 0 ? exchanged(body, i, index) : exchanged(body, index, i)
    const operator: Operator = kind.isFence === true ? 'FENCE' : 'MOVE'
    const text = `${step < 0 ? 'before' : 'after'} ${called(op)}`
    if (by === null) return []
    const change = make(operator, text, () => by, { manner: step < 0 ? 'earlier' : 'later' })
    return [{ ...change, other: accesses(op) ? op : null, passes: op.name === 'scf.if' ? within : [] }]
  })
  const i = neighbour(site, 1)
  const op = i === null ? undefined : body[i]
  if (i === null || op === undefined || kindOf(op)?.class !== kind.class) return moved
  const by = exchanged(body, index, i)
  if (by === null) return moved
  const change = make('ORDER', `after ${called(op)}`, () => by, { manner: 'later' })
  return [...moved, { ...change, other: op }]
}

// ---------------------------------------------------------------- operands

/** The block with another operation at the site, and what it needs right before it. */
const instead = ({ body, index }: TextSite, before: Block, by: Operation, behind: Block = []): Block => [
  ...body.slice(0, index),
  ...before,
  by,
  ...behind,
  ...body.slice(index + 1),
]

/** Another value in the place of one, and what computes it. */
interface Other {
  readonly text: string
  readonly zero: boolean
  readonly before: Block
  readonly value: Value
}

const slotsOf = (v: Value): number => (v.type._tag === 'memdesc' ? (v.type.shape[0] ?? 0) : 0)

/** A slot of a ring, of the type that a slot of it has here. */
const slotOf = (names: Names, like: Operation, ring: Value, index: Value, type: Type): Operation =>
  made(like, 'ttg.memdesc_index', freshName(names.taken, `${ring.name}.slot`), type, {
    src: [ring],
    index: [index],
  })

const constantIndex = (names: Names, like: Operation, k: number): Operation =>
  integer(names, like, 'slot', i32, k)

/** Another index into a ring: a constant, or computed from the one that is there. */
const nextIndex = (
  names: Names,
  site: TextSite,
  index: Value,
  size: number,
): { readonly before: Block; readonly value: Value } => {
  const like = site.operation
  const known = constantOf(site, index)
  if (known !== null) {
    const c = constantIndex(names, like, (known + 1) % size)
    return { before: [c], value: valueOf(c) }
  }
  const one = integer(names, like, 'one', index.type, 1)
  const count = integer(names, like, 'slots', index.type, size)
  const next = binary(names, like, 'arith.addi', 'next', index, valueOf(one))
  const wrapped = binary(names, like, 'arith.remui', 'wrapped', valueOf(next), valueOf(count))
  return { before: [one, count, next, wrapped], value: valueOf(wrapped) }
}

/** Other slots of the ring that a value is a part of: the next one; slot 0, unless it is that. */
const otherSlots = (names: Names, site: TextSite, v: Value): ReadonlyArray<Other> => {
  const by = definitionOf(site, v)
  const like = site.operation
  if (by === null || !partOf.has(by.name)) return []
  const src = by.operands['src']?.[0]
  if (src === undefined) return []
  if (by.name !== 'ttg.memdesc_index')
    return otherSlots(names, site, src).map((o): Other => {
      const part: Operation = {
        ...by,
        at: like.at,
        location: like.location,
        names: by.names.map(({ name, count }) => ({ name: freshName(names.taken, `${name}.other`), count })),
        operands: { ...by.operands, src: [o.value] },
      }
      return { ...o, before: [...o.before, part], value: valueOf(part) }
    })
  const index = by.operands['index']?.[0]
  const size = slotsOf(src)
  if (index === undefined || size < 2) return []
  const at = (text: string, zero: boolean, before: Block, i: Value): Other => {
    const slot = slotOf(names, like, src, i, v.type)
    return { text, zero, before: [...before, slot], value: valueOf(slot) }
  }
  const next = nextIndex(names, site, index, size)
  const zero = constantIndex(names, like, 0)
  return [
    at('the next slot', false, next.before, next.value),
    ...(constantOf(site, index) === 0 ? [] : [at('always slot 0', true, [zero], valueOf(zero))]),
  ]
}

const isBarriers = (t: Type): boolean =>
  t._tag === 'memdesc' &&
  t.element._tag === 'integer' &&
  t.element.bits === 64 &&
  t.shape.length <= 2 &&
  t.shape[t.shape.length - 1] === 1

/** The same slot of every other ring of barriers in sight, modulo its size; every other barrier that stands by itself. */
const otherRings = (names: Names, site: TextSite, v: Value): ReadonlyArray<Other> => {
  const by = definitionOf(site, v)
  const like = site.operation
  const isIndexed = by?.name === 'ttg.memdesc_index'
  const own = isIndexed ? by.operands['src']?.[0] : v
  const index = isIndexed ? by.operands['index']?.[0] : undefined
  const known = site.known()
  const latest = new Map(known.map((k) => [`${k.value.name}#${String(k.value.index)}`, k]))
  return [...latest.values()].flatMap(({ value, by: from }): ReadonlyArray<Other> => {
    if (!isBarriers(value.type) || value.type._tag !== 'memdesc' || from?.name === 'ttg.memdesc_index')
      return []
    if (value.name === own?.name && value.index === own.index) return []
    const text = `a barrier of %${value.name} in place of one of %${own?.name ?? v.name}`
    if (value.type.shape.length === 1) return [{ text, zero: false, before: [], value }]
    const size = slotsOf(value)
    const constantAt = index === undefined ? 0 : constantOf(site, index)
    if (constantAt !== null || index === undefined) {
      const c = constantIndex(names, like, (constantAt ?? 0) % size)
      const slot = slotOf(names, like, value, valueOf(c), v.type)
      return [{ text, zero: false, before: [c, slot], value: valueOf(slot) }]
    }
    if (own !== undefined && slotsOf(own) <= size) {
      const slot = slotOf(names, like, value, index, v.type)
      return [{ text, zero: false, before: [slot], value: valueOf(slot) }]
    }
    const count = integer(names, like, 'slots', index.type, size)
    const wrapped = binary(names, like, 'arith.remui', 'wrapped', index, valueOf(count))
    const slot = slotOf(names, like, value, valueOf(wrapped), v.type)
    return [{ text, zero: false, before: [count, wrapped, slot], value: valueOf(slot) }]
  })
}

const targets = (names: Names, site: TextSite, kind: Kind, make: Make): ReadonlyArray<TextChange> => {
  const { operation } = site
  return (kind.barriers ?? []).flatMap((operand) =>
    (own(operation.operands, operand) ?? []).flatMap((v, k, all) =>
      [...otherSlots(names, site, v), ...otherRings(names, site, v)].map((o) =>
        make(
          o.zero ? 'SLOT' : 'RETARGET',
          o.text + (all.length > 1 ? `, of barrier ${String(k)}` : ''),
          () => instead(site, o.before, withOperand(operation, operand, k, o.value)),
          { class: 'synchronisation' },
        ),
      ),
    ),
  )
}

const slots = (names: Names, site: TextSite, kind: Kind, make: Make): ReadonlyArray<TextChange> =>
  (kind.buffers ?? []).flatMap((operand) =>
    (own(site.operation.operands, operand) ?? []).flatMap((v, k) =>
      otherSlots(names, site, v).map((o) =>
        make('SLOT', `${o.text} of ${operand}`, () =>
          instead(site, o.before, withOperand(site.operation, operand, k, o.value)),
        ),
      ),
    ),
  )

/** The next tile along each axis of a copy through a tensor map. */
const tiles = (names: Names, site: TextSite, make: Make): ReadonlyArray<TextChange> => {
  const { operation } = site
  const map = operation.operands['desc']?.[0]?.type
  const block = map?._tag === 'descriptor' && map.block._tag === 'tensor' ? map.block.shape : []
  return (operation.operands['coord'] ?? []).map((v, axis) => {
    const size = integer(names, operation, 'tile', v.type, block[axis] ?? 1)
    const next = binary(names, operation, 'arith.addi', 'further', v, valueOf(size))
    return make('SLICE', `the next tile along axis ${String(axis)}`, () =>
      instead(site, [size, next], withOperand(operation, 'coord', axis, valueOf(next))),
    )
  })
}

// ---------------------------------------------------------------- numbers and flags

const counts = (site: TextSite, kind: Kind, make: Make): ReadonlyArray<TextChange> =>
  (kind.counts ?? []).flatMap(({ name, least, step, called }) => {
    const a = attributeOf(site.operation.attributes, name)
    if (a?._tag !== 'integer') return []
    const by = (n: number): Block =>
      instead(site, [], setAttribute(site.operation, name, { ...a, value: BigInt(n) }))
    const value = Number(a.value)
    return [
      make('COUNT', `${called} more`, () => by(value + step), { manner: 'more' }),
      ...(value - step < least
        ? []
        : [make('COUNT', `${called} less`, () => by(value - step), { manner: 'less' })]),
    ]
  })

const flagged = (op: Operation, name: string, value: boolean): Operation => {
  const a = attributeOf(op.attributes, name)
  if (a === undefined || a._tag === 'unit')
    return value ? setAttribute(op, name, { _tag: 'unit' }) : withoutAttribute(op, name)
  return setAttribute(op, name, { _tag: 'boolean', value })
}

const flags = (names: Names, site: TextSite, kind: Kind, make: Make): ReadonlyArray<TextChange> => {
  const { operation } = site
  const flag = (
    operator: Operator,
    name: string,
    on: string,
    off: string,
    manners: { readonly on?: Manner; readonly off?: Manner } = {},
    of: MutantClass = kind.class,
  ): TextChange => {
    const now = isFlagged(operation, name)
    return make(operator, now ? off : on, () => instead(site, [], flagged(operation, name, !now)), {
      manner: (now ? manners.off : manners.on) ?? 'other',
      class: of,
    })
  }
  const truthAt = (operand: string, k: number, value: boolean): Block => {
    const c = truth(names, operation, value)
    return instead(site, [c], withOperand(operation, operand, k, valueOf(c)))
  }
  const predicates = (kind.truths ?? []).flatMap((operand): ReadonlyArray<TextChange> => {
    const v = own(operation.operands, operand)?.[0]
    if (v === undefined || constantOf(site, v) === 1) return []
    const text = 'even if its predicate is false'
    return operand === 'mask' ||
      operation.name === 'ttng.wait_barrier' ||
      operation.name === 'ttng.arrive_barrier'
      ? [make('FLAG', text, () => instead(site, [], withOperand(operation, operand, 0, null)))]
      : [make('FLAG', text, () => truthAt(operand, 0, true))]
  })
  switch (operation.name) {
    case 'ttng.wait_barrier': {
      const phase = operation.operands['phase']?.[0]
      if (phase === undefined) return predicates
      const known = constantOf(site, phase)
      const one = integer(names, operation, 'one', phase.type, 1)
      const before =
        known === null
          ? [one, binary(names, operation, 'arith.xori', 'other', phase, valueOf(one))]
          : [integer(names, operation, 'other', phase.type, known === 0 ? 1 : 0)]
      const other = valueOf(before[before.length - 1]!)
      return [
        ...predicates,
        make('PRIME', 'the other phase', () =>
          instead(site, before, withOperand(operation, 'phase', 0, other)),
        ),
      ]
    }
    case 'ttng.init_barrier': {
      const arrive: Operation = {
        ...operation,
        name: 'ttng.arrive_barrier',
        operands: { alloc: operation.operands['alloc'] ?? [] },
        attributes: [{ name: 'count', value: { _tag: 'integer', value: 1n, type: null } }],
      }
      return [make('PRIME', 'and an arrive', () => instead(site, [], operation, [arrive]))]
    }
    case 'ttng.fence_async_shared':
      return [flag('FENCE', 'bCluster', 'of cluster scope', 'of CTA scope', { on: 'wider' })]
    case 'ttng.cluster_arrive':
      return [flag('FLAG', 'relaxed', 'relaxed', 'not relaxed', { off: 'stronger' })]
    case 'ttng.async_copy_mbarrier_arrive':
      return [flag('FLAG', 'noIncrement', 'without increment', 'with increment')]
    case 'ttng.warp_group_dot': {
      const use = operation.operands['useC']?.[0]
      const accumulation = [true, false].flatMap((value) => {
        if ((use === undefined && value) || (use !== undefined && constantOf(site, use) === (value ? 1 : 0)))
          return []
        const c = truth(names, operation, value)
        const by: Operation = { ...operation, operands: { ...operation.operands, useC: [valueOf(c)] } }
        return [
          make('FLAG', value ? 'accumulates always' : 'never accumulates', () => instead(site, [c], by)),
        ]
      })
      return [
        ...predicates,
        ...accumulation,
        ...(isFlagged(operation, 'isAsync')
          ? [
              flag(
                'FLAG',
                'isAsync',
                'asynchronous',
                'not asynchronous',
                { off: 'stronger' },
                'synchronisation',
              ),
            ]
          : []),
      ]
    }
    case 'ttng.tc_gen5_mma':
    case 'ttng.tc_gen5_mma_scaled': {
      const use = operation.operands['useD']?.[0]
      const accumulation = [true, false].flatMap((value) =>
        use === undefined || constantOf(site, use) === (value ? 1 : 0)
          ? []
          : [
              make('FLAG', value ? 'accumulates always' : 'never accumulates', () =>
                truthAt('useD', 0, value),
              ),
            ],
      )
      const completions = (operation.operands['barrier_preds'] ?? []).map((v, k) => {
        const never = constantOf(site, v) === 1
        return make(
          'FLAG',
          never ? `completion ${String(k)} never` : `completion ${String(k)} always`,
          () => truthAt('barrier_preds', k, !never),
          { class: 'synchronisation' },
        )
      })
      return [...predicates, ...accumulation, ...completions]
    }
    default:
      return predicates
  }
}

// ---------------------------------------------------------------- allocations

/** Rings of buffers or barriers of which slots are picked. */
const allocations = (m: Module, site: TextSite): ReadonlyArray<TextChange> => {
  const { operation, body, index } = site
  const type = operation.results[0]
  const value = resultsOf(operation)[0]
  if (operation.name !== 'ttg.local_alloc' && operation.name !== 'ttng.tmem_alloc') return []
  if (initialises(operation) || type?._tag !== 'memdesc' || value === undefined || type.allocation !== null)
    return []
  const uses = usesOf(body.slice(index + 1), value)
  const isRing =
    type.shape.length >= 2 &&
    uses.some(([op]) => op.name === 'ttg.memdesc_index' || op.name === 'ttg.warp_specialize')
  const isPlain = uses.every(
    ([op, operand]) => op.name !== 'scf.yield' && operand !== 'initArgs' && operand !== 'successor',
  )
  if (!isRing || !isPlain || (type.shape.length === 2 && !isBarriers(type))) return []
  const slots_ = type.shape[0]!
  return [[1, 'a slot more', 'more'] as const, [-1, 'a slot less', 'less'] as const].flatMap(
    ([by, change, manner]): ReadonlyArray<TextChange> =>
      slots_ + by < 1
        ? []
        : [
            {
              operator: 'ALLOC',
              class: 'synchronisation',
              manner,
              change,
              site,
              other: null,
              passes: [],
              declares: true,
              module: () =>
                withType(m, site, value.name, { ...type, shape: [slots_ + by, ...type.shape.slice(1)] }),
            },
          ],
  )
}

// ---------------------------------------------------------------- all

/** Every change of a module; `called` is what an operation is called in words. */
export const changesOf = (m: Module, called: (op: Operation) => string): ReadonlyArray<TextChange> => {
  const names: Names = { taken: namesIn(m) }
  return sitesOf(m).flatMap((site): ReadonlyArray<TextChange> => {
    const kind = kindOf(site.operation)
    const allocs = allocations(m, site)
    if (kind === null) return allocs
    const make: Make = (operator, change, body, how = {}) => ({
      operator,
      class: how.class ?? kind.class,
      manner: how.manner ?? 'other',
      change,
      site,
      other: null,
      passes: [],
      declares: false,
      module: () => withBlock(m, site.address, body),
    })
    return [
      ...leftOut(m, names, site, kind, make),
      ...uninitialised(m, site, make),
      ...twice(names, site, kind, make),
      ...elsewhere(site, kind, called, make),
      ...targets(names, site, kind, make),
      ...slots(names, site, kind, make),
      ...tiles(names, site, make),
      ...counts(site, kind, make),
      ...flags(names, site, kind, make),
      ...allocs,
    ]
  })
}
