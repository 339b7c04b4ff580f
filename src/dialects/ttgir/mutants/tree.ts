/**
 * Places in a module, and other modules that differ in one place.
 *
 * A site is an operation with the way to it: which operation of the module, which of its regions, which block, and so on. A region of a
 * partition, or of a function, sees nothing from outside; every other region sees what stands before it.
 *
 *     module: tt.func: scf.for: ttng.wait_barrier       address [0 0 0] [31 0 0], the 9th of its block
 *
 * Operations change places across the operations between them that only compute: those that one needs go with it, up.
 *
 * Laws
 * 1. `sitesOf` lists every operation once, in the order of the text.
 * 2. What is not at the address is the same operation, not a copy of it.
 */
import { everyOperation } from '../elaboration/regions.js'
import type { Module, Operation, Region, Type, Value } from '../text/syntax.js'

// ---------------------------------------------------------------- model

/** The way from the module to a block: operation, region and block of it, from the outside. */
export type Address = ReadonlyArray<readonly [operation: number, region: number, block: number]>

/** A value that can be taken at a place, and what gives it: an operation, or null for an argument of a region. */
export interface Known {
  readonly value: Value
  readonly by: Operation | null
}

export interface TextSite {
  readonly address: Address
  /** the operations of its block, and which it is */
  readonly body: ReadonlyArray<Operation>
  readonly index: number
  readonly operation: Operation
  /** is it in a loop? */
  readonly looped: boolean
  /** what can be taken here, the latest last */
  readonly known: () => ReadonlyArray<Known>
}

// ---------------------------------------------------------------- walking

export const operationsIn = (region: Region): ReadonlyArray<Operation> =>
  region.blocks.flatMap((b) => b.operations)

/** Does a region see nothing of what stands around it? */
export const isIsolated = (op: Operation, region: Region): boolean =>
  op.name === 'tt.func' || (region.name !== null && region.name !== 'default')

export const resultsOf = (op: Operation): ReadonlyArray<Value> => {
  let k = 0
  return op.names.flatMap(({ name, count }) =>
    Array.from({ length: count }, (_, index): Value => ({
      name,
      index: count === 1 ? null : index,
      type: op.results[k++]!,
    })),
  )
}

const isLoop = (op: Operation): boolean => op.name === 'scf.for' || op.name === 'scf.while'

const inBlock = (
  body: ReadonlyArray<Operation>,
  address: Address,
  outer: () => ReadonlyArray<Known>,
  looped: boolean,
): ReadonlyArray<TextSite> =>
  body.flatMap((operation, index): ReadonlyArray<TextSite> => {
    const known = (): ReadonlyArray<Known> => [
      ...outer(),
      ...body.slice(0, index).flatMap((by) => resultsOf(by).map((value): Known => ({ value, by }))),
    ]
    return [
      { address, body, index, operation, looped, known },
      ...operation.regions.flatMap((region, r) =>
        region.blocks.flatMap((block, b) =>
          inBlock(
            block.operations,
            [...address, [index, r, b]],
            () => [
              ...(isIsolated(operation, region) ? [] : known()),
              ...block.parameters.map(({ name, type }): Known => ({
                value: { name, index: null, type },
                by: null,
              })),
            ],
            looped || isLoop(operation),
          ),
        ),
      ),
    ]
  })

export const sitesOf = (m: Module): ReadonlyArray<TextSite> => inBlock(m.operations, [], () => [], false)

// ---------------------------------------------------------------- another block

const rewritten = (
  body: ReadonlyArray<Operation>,
  address: Address,
  by: (body: ReadonlyArray<Operation>) => ReadonlyArray<Operation>,
): ReadonlyArray<Operation> => {
  const [first, ...rest] = address
  if (first === undefined) return by(body)
  const [at, region, block] = first
  return body.map((op, i) =>
    i !== at
      ? op
      : {
          ...op,
          regions: op.regions.map((r, k) =>
            k !== region
              ? r
              : {
                  ...r,
                  blocks: r.blocks.map((b, n) =>
                    n !== block ? b : { ...b, operations: rewritten(b.operations, rest, by) },
                  ),
                },
          ),
        },
  )
}

/** The module with another block at this address. */
export const withBlock = (
  m: Module,
  address: Address,
  by: (body: ReadonlyArray<Operation>) => ReadonlyArray<Operation>,
): Module => ({ ...m, operations: rewritten(m.operations, address, by) })

// ---------------------------------------------------------------- values

const isValue = (x: Value, { name, index }: Value): boolean => x.name === name && x.index === index

/** What becomes of a value: another; `null`: it is left out of the list it stands in. */
export type Becomes = (v: Value) => Value | null

/** Other operands; a list of which nothing is left is not there. */
export const operandsWith = (
  { operands }: Operation,
  by: (name: string, values: ReadonlyArray<Value>) => ReadonlyArray<Value>,
): Operation['operands'] =>
  Object.fromEntries(
    Object.entries(operands).flatMap(([name, values]) => {
      const others = by(name, values)
      return values.length > 0 && others.length === 0 ? [] : [[name, others] as const]
    }),
  )

/** The operation, and those inside it that see the same values, with other operands. */
export const withOperands = (op: Operation, becomes: Becomes): Operation => ({
  ...op,
  operands: operandsWith(op, (_, values) =>
    values.flatMap((v) => {
      const other = becomes(v)
      return other === null ? [] : [other]
    }),
  ),
  successors: op.successors.map((s) => ({ ...s, values: s.values.map((v) => becomes(v) ?? v) })),
  regions: op.regions.map((region) =>
    isIsolated(op, region)
      ? region
      : {
          ...region,
          blocks: region.blocks.map((b) => ({
            ...b,
            operations: b.operations.map((inner) => withOperands(inner, becomes)),
          })),
        },
  ),
})

/** Where a value is taken: the operation and the name of its operands. */
export const usesOf = (
  operations: ReadonlyArray<Operation>,
  value: Value,
): ReadonlyArray<readonly [by: Operation, operand: string]> =>
  operations.flatMap((op) => [
    ...Object.entries(op.operands).flatMap(([name, values]) =>
      values.some((v) => isValue(v, value)) ? [[op, name] as const] : [],
    ),
    ...op.successors.flatMap((s) =>
      s.values.some((v) => isValue(v, value)) ? [[op, 'successor'] as const] : [],
    ),
    ...op.regions.flatMap((r) => (isIsolated(op, r) ? [] : usesOf(operationsIn(r), value))),
  ])

/** One value in the place of another. */
export const inPlaceOf =
  (value: Value, by: Value | null): Becomes =>
  (v) =>
    isValue(v, value) ? by : v

// ---------------------------------------------------------------- other types

type Retyped = (name: string) => Type | undefined

/** Operations in which the values of some names are of other types; what a loop carries and a partition is given of them, too. */
const retyped = (
  operations: ReadonlyArray<Operation>,
  given: ReadonlyMap<string, Type>,
): ReadonlyArray<Operation> => {
  const types = new Map(given)
  const of: Retyped = (name) => types.get(name)
  return operations.map((op): Operation => {
    const value = (v: Value): Value => {
      const type = v.index === null ? of(v.name) : undefined
      return type === undefined ? v : { ...v, type }
    }
    const operands = Object.fromEntries(
      Object.entries(op.operands).map(([name, values]) => [name, values.map(value)]),
    )
    const captured = operands['explicitCaptures'] ?? []
    return {
      ...op,
      operands,
      results:
        op.names.length === op.results.length
          ? op.names.map(({ name }, k) => of(name) ?? op.results[k]!)
          : op.results,
      regions: op.regions.map((region) => ({
        ...region,
        blocks: region.blocks.map((block) => {
          const inside = new Map<string, Type>(isIsolated(op, region) ? [] : types)
          const parameters = block.parameters.map((p, k) => {
            const was = op.operands['explicitCaptures']?.[k]
            const now = captured[k]
            const other =
              region.name !== null && was !== undefined && now !== undefined && now.type !== was.type
                ? now.type
                : undefined
            if (other !== undefined) inside.set(p.name, other)
            return other === undefined ? p : { ...p, type: other }
          })
          return { ...block, parameters, operations: retyped(block.operations, inside) }
        }),
      })),
    }
  })
}

/** The module in which the value that an operation of this block gives is of another type. */
export const withType = (m: Module, site: TextSite, name: string, type: Type): Module =>
  withBlock(m, site.address, (body) => retyped(body, new Map([[name, type]])))

// ---------------------------------------------------------------- names

/** Names of all values of a module. */
export const namesIn = (m: Module): ReadonlySet<string> =>
  new Set(
    everyOperation(m.operations).flatMap((op) => [
      ...op.names.map(({ name }) => name),
      ...op.regions.flatMap((r) => r.blocks.flatMap((b) => b.parameters.map(({ name }) => name))),
    ]),
  )

/** A name that no value of the module has. */
export const freshName = (taken: ReadonlySet<string>, base: string): string => {
  const stem = /^\d/.test(base) ? `v${base}` : base
  if (!taken.has(stem)) return stem
  let k = 1
  while (taken.has(`${stem}.${String(k)}`)) k++
  return `${stem}.${String(k)}`
}

// ---------------------------------------------------------------- places

/** Names that an operation takes, with all inside it that can see them. */
export const takenBy = (op: Operation): ReadonlyArray<string> => [
  ...Object.values(op.operands).flatMap((values) => values.map(({ name }) => name)),
  ...op.successors.flatMap(({ values }) => values.map(({ name }) => name)),
  ...op.regions.flatMap((r) => (isIsolated(op, r) ? [] : operationsIn(r).flatMap(takenBy))),
]

const gives = (op: Operation): ReadonlyArray<string> => op.names.map(({ name }) => name)

/** Operation `low` and, behind it, `high` with nothing between but what only computes: with their order exchanged, or null. */
export const exchanged = (
  body: ReadonlyArray<Operation>,
  low: number,
  high: number,
): ReadonlyArray<Operation> | null => {
  const between = body.slice(low + 1, high)
  const moving = body[high]!
  const needed = new Set(takenBy(moving))
  const along = new Set<Operation>()
  for (let i = between.length - 1; i >= 0; i--) {
    const op = between[i]!
    if (!gives(op).some((name) => needed.has(name))) continue
    along.add(op)
    for (const name of takenBy(op)) needed.add(name)
  }
  if (gives(body[low]!).some((name) => needed.has(name))) return null
  return [
    ...body.slice(0, low),
    ...between.filter((op) => along.has(op)),
    moving,
    body[low]!,
    ...between.filter((op) => !along.has(op)),
    ...body.slice(high + 1),
  ]
}
