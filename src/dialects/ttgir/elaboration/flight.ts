/**
 * Which tensors are results of products that may still be on their way.
 *
 * `ttng.warp_group_dot {isAsync}` gives registers that the tensor core writes by itself. In a text they look like any tensor: a loop carries
 * them, the next product accumulates on them, and only behind a `warp_group_dot_wait` they may be read. Where they are read, and where they
 * are only handed on, decides what they are in a program: a tensor, or the place in registers (`InFlight` of `dialects/ttng`).
 *
 *     %d = warp_group_dot %a, %b, %acc {isAsync}       in flight
 *     %w:2 = warp_group_dot_wait %d, %a                in flight if %w#0 is only handed on, else a tensor: read here
 *     scf.yield %w#0                                   hands on, if what the loop carries is in flight
 *
 * A value is in flight if it can be: begun by a product, and from there handed on through waits and loops. The greatest such set. What a wait gives and
 * another operation takes is a tensor, read at the wait; so is what it gives to a loop that carries a tensor. What no wait has given is read where it is taken, ready or not.
 *
 * A loop over the tiles of a matrix and over K in one (`tl.range(..., flatten=True)`) begins a new sum by a choice between zeros and what is in flight:
 *
 *     %r = arith.select %last, %zeros, %w#0            hands on, if the loop carries it and nothing else takes it
 *     scf.if %last { %v = warp_group_dot_wait %w#0 {pendings = 0}; ... }
 *     scf.yield %r
 *
 * No register is read there. What the compiler makes of it is a write of zeros behind the wait, on the way on which there is one: so they are written where the loop hands
 * on, and not before. Taken as a read of all registers at its place it was a race (M1) of a product that its author waits for.
 *
 * Of two sides of a condition one may end with what is in flight, and the other with a tensor. What they give is a tensor, read where that side ends:
 *
 *     %acc = scf.if %some { %l = scf.for ... iter_args(%a = %zeros) { ... scf.yield %w#0 }; scf.yield %l } else { scf.yield %zeros }
 *
 * Laws
 * 1. What a wait gives, and any other operation takes, is a tensor.
 * 2. A loop that carries a product on its way is given one, or a tensor to begin with, and hands one on.
 * 3. A choice is in flight only if one of its two sides is, and the other cannot be, a number decides it, and the loop around it hands it on and nothing else does.
 */
import { attributeOf, type Operation, type Region, type Value } from '../text/syntax.js'

/** A value by its name and which of several results it is. */
export const keyOf = (name: string, index: number | null): string => `${name}#${String(index ?? 0)}`
export const keyOfValue = ({ name, index }: Value): string => keyOf(name, index)

/** The keys of the results of an operation. */
export const resultKeys = (op: Operation): ReadonlyArray<string> =>
  op.names.flatMap(({ name, count }) => Array.from({ length: count }, (_, k) => keyOf(name, k)))

const isAsync = (op: Operation): boolean => {
  if (op.name !== 'ttng.warp_group_dot') return false
  const a = attributeOf(op.attributes, 'isAsync')
  return a?._tag === 'unit' || (a?._tag === 'boolean' && a.value)
}

/** Operations of a region and of those in it, but not of partitions: these see nothing from outside. */
const operationsOf = (region: Region): ReadonlyArray<Operation> =>
  region.blocks.flatMap((block) =>
    block.operations.flatMap((op) => [
      op,
      ...op.regions.filter((inner) => inner.name === null || inner.name === 'default').flatMap(operationsOf),
    ]),
  )

/** What is carried around a loop: the argument in it, what it yields, what it ends with. */
interface Carried {
  readonly argument: string
  readonly initial: string
  readonly yielded: string
  readonly result: string
}
const carriedBy = (op: Operation): ReadonlyArray<Carried> => {
  const block = op.regions[0]?.blocks[0]
  const last = block?.operations[block.operations.length - 1]
  const yielded = last?.name === 'scf.yield' ? (last.operands['values'] ?? []) : []
  const results = resultKeys(op)
  return (op.operands['initArgs'] ?? []).flatMap((initial, k) => {
    const argument = block?.parameters[k + 1]
    const next = yielded[k]
    const result = results[k]
    return argument === undefined || next === undefined
      ? []
      : [
          {
            argument: keyOf(argument.name, null),
            initial: keyOfValue(initial),
            yielded: keyOfValue(next),
            result: result ?? '',
          },
        ]
  })
}

/** A choice between a tensor and what may be in flight, that the loop around it hands on. */
interface Chosen {
  readonly result: string
  readonly side: string
}
/** `candidates`: what may be in flight; `reached`: what a product may come to. */
const chosenIn = (
  operations: ReadonlyArray<Operation>,
  candidates: ReadonlySet<string>,
  reached: ReadonlySet<string>,
): ReadonlyArray<Chosen> => {
  const used = operations.flatMap((op) => Object.values(op.operands).flat().map(keyOfValue))
  return operations
    .filter((op) => op.name === 'scf.for')
    .flatMap((loop) => {
      const handed = new Set(carriedBy(loop).map(({ yielded }) => yielded))
      return (loop.regions[0]?.blocks[0]?.operations ?? []).flatMap((op): ReadonlyArray<Chosen> => {
        if (op.name !== 'arith.select') return []
        const isOfTensors = op.results[0]?._tag === 'tensor'
        const isByNumber = op.operands['condition']?.[0]?.type._tag !== 'tensor'
        if (!isOfTensors || !isByNumber) return []
        const [result = ''] = resultKeys(op)
        if (!handed.has(result) || used.filter((key) => key === result).length > 1) return []
        const sides = [...(op.operands['true'] ?? []), ...(op.operands['false'] ?? [])].map(keyOfValue)
        const [side, ...others] = sides.filter((key) => candidates.has(key))
        return side === undefined || others.length > 0 || !reached.has(side) ? [] : [{ result, side }]
      })
    })
}

/** Values that a product may come to, by way of waits, loops and choices. */
const reachedFrom = (
  begun: ReadonlySet<string>,
  ways: ReadonlyArray<readonly [from: string, to: string]>,
): ReadonlySet<string> => {
  const reached = new Set(begun)
  for (let before = -1; before !== reached.size;) {
    before = reached.size
    for (const [from, to] of ways) if (reached.has(from)) reached.add(to)
  }
  return reached
}

/** The values of an isolated region that are in flight. */
export const inFlightIn = (region: Region): ReadonlySet<string> => {
  const operations = operationsOf(region)
  const loops = operations.filter((op) => op.name === 'scf.for').flatMap(carriedBy)
  const waits = operations.filter((op) => op.name === 'ttng.warp_group_dot_wait')
  const waited = waits.flatMap((op) => {
    const results = resultKeys(op)
    return (op.operands['inputs'] ?? []).map((input, k) => ({ input: keyOfValue(input), result: results[k] }))
  })
  const begun = new Set(operations.filter(isAsync).flatMap(resultKeys))
  const candidates = new Set([
    ...begun,
    ...waits.flatMap(resultKeys),
    ...loops.flatMap(({ argument, result }) => [argument, result]),
  ])
  const reached = reachedFrom(begun, [
    ...waited.flatMap(({ input, result }) => (result === undefined ? [] : [[input, result] as const])),
    ...loops.flatMap(({ argument, initial, yielded, result }) => [
      [initial, argument] as const,
      [yielded, argument] as const,
      [yielded, result] as const,
    ]),
    ...operations.flatMap((op) =>
      op.name === 'arith.select'
        ? Object.values(op.operands)
            .flat()
            .map((value) => [keyOfValue(value), resultKeys(op)[0] ?? ''] as const)
        : [],
    ),
  ])
  const chosen = chosenIn(operations, candidates, reached)
  const choices = new Set(chosen.map(({ result }) => result))
  const flying = new Set([...candidates, ...choices])
  // what waits give and is taken as a tensor: every use but those that hand on
  const given = new Set(waits.flatMap((op) => op.names.map(({ name }) => name)))
  const read = new Set(
    operations.flatMap((op) =>
      Object.entries(op.operands).flatMap(([operand, values]) =>
        (op.name === 'ttng.warp_group_dot' && operand === 'c') ||
        op.name === 'ttng.warp_group_dot_wait' ||
        (op.name === 'arith.select' && resultKeys(op).some((key) => choices.has(key))) ||
        (op.name === 'scf.for' && operand === 'initArgs') ||
        op.name === 'scf.yield'
          ? []
          : values.flatMap((value) => (given.has(value.name) ? [keyOfValue(value)] : [])),
      ),
    ),
  )
  const ofWaits = new Set(waits.flatMap(resultKeys))
  const loopYields = new Set(loops.map(({ yielded }) => yielded))
  for (const op of operations)
    if (op.name === 'scf.yield')
      for (const value of op.operands['values'] ?? [])
        if (!loopYields.has(keyOfValue(value))) read.add(keyOfValue(value))
  for (const key of ofWaits) if (read.has(key)) flying.delete(key)
  for (let before = -1; before !== flying.size;) {
    before = flying.size
    for (const { result, side } of chosen) {
      if (!flying.has(side)) flying.delete(result)
      // it is read where it is chosen
      if (!flying.has(result) && ofWaits.has(side)) flying.delete(side)
    }
    for (const { input, result } of waited)
      if (result !== undefined && !flying.has(input)) flying.delete(result)
    for (const { argument, initial, yielded, result } of loops) {
      if (!flying.has(argument) || !flying.has(yielded) || (result !== '' && !flying.has(result))) {
        flying.delete(argument)
        flying.delete(result)
        if (!begun.has(yielded)) flying.delete(yielded)
      }
      if (!flying.has(argument) && !begun.has(initial)) flying.delete(initial)
    }
  }
  return flying
}
