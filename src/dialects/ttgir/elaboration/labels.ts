/**
 * Labels: what findings call an operation, and which operation a label or a line means.
 *
 * | operation                                       | label                                       |
 * |-------------------------------------------------|---------------------------------------------|
 * | `%x = ttg.memdesc_index ...`                    | `x`, the name of its result                 |
 * | `%7 = ttg.local_alloc ...` in line 57           | `local_alloc 57`, as one without a result   |
 * | `scf.for %k = ...`                              | `k`, the name of its variable               |
 * | `ttng.wait_barrier ...` in line 57              | `wait_barrier 57`, its own name and its line |
 * | one of several that have a result `%x`, or where `x` is a parameter: line 57 | `x 57`         |
 *
 * A region that is elaborated several times (a called function, what a reduction combines with) has other labels each time: behind that of the
 * operation that asks for it, `sum.tie`. An operation of a module that was changed keeps the label that it had (`called`).
 *
 * An operation may be several statements of a program: behind its label these have a dot and a word, `x.fence`.
 *
 * Laws
 * 1. No two operations have one label.
 * 2. Every statement that an operation becomes is that operation's (`ownerOf`).
 */
import type { Module, Operation } from '../text/syntax.js'
import type { Launch } from './arguments.js'
import type { Here } from './here.js'
import { placeOf } from './places.js'
import { everyOperation } from './regions.js'

/** Without its dialect: `wait_barrier`. */
const bareName = (op: Operation): string => op.name.slice(op.name.indexOf('.') + 1)

/**
 * A name for each operation that no other has. `taken` has the names that are not free, those of parameters of the program at first, and grows; `within`:
 * the label of the operation that asks for these.
 */
export const labelsOf = (
  operations: ReadonlyArray<Operation>,
  taken: Set<string>,
  { within, called }: { readonly within?: string; readonly called?: Called } = {},
): ReadonlyMap<Operation, string> => {
  const named = operations.map((op): readonly [Operation, string] => {
    const loop = op.name === 'scf.for' ? op.regions[0]?.blocks[0]?.parameters[0]?.name : undefined
    const name = loop ?? op.names[0]?.name ?? ''
    // a number is no name
    return [op, /^\d+$/.test(name) ? '' : name]
  })
  const times = new Map<string, number>()
  for (const [, name] of named) times.set(name, (times.get(name) ?? 0) + 1)
  const labels = new Map<Operation, string>()
  for (const [op, name] of named) {
    const behind = (text: string): string => (within === undefined ? text : `${within}.${text}`)
    const isFree = name !== '' && times.get(name) === 1 && !taken.has(behind(name))
    const base = behind(isFree ? name : `${name === '' ? bareName(op) : name} ${String(op.at.line)}`)
    const known = called?.(op)
    let label = known ?? base
    if (known === undefined) for (let k = 2; taken.has(label); k++) label = `${base}, ${String(k)}`
    taken.add(label)
    labels.set(op, label)
  }
  return labels
}

/** What an operation is called already. */
export type Called = (op: Operation) => string | undefined

export const relabelled = (h: Here, operations: ReadonlyArray<Operation>, within: string): Here => ({
  ...h,
  labels: labelsOf(operations, h.taken, { within }),
})

/** An operation, its label in findings, and the place where its author wrote it. */
export interface Labelled {
  readonly op: Operation
  readonly label: string
  /** `kernel.py:31` */
  readonly place: string | null
}

/** The names that a launch takes for the parameters of a program. */
export const reservedBy = ({ tensors }: Launch): ReadonlySet<string> =>
  new Set([...tensors].flatMap(([parameter, { tensor }]) => [parameter, tensor]))

/** The operations of a function, by their labels in a launch. */
export const labelledIn = (m: Module, func: Operation, launch: Launch): ReadonlyMap<string, Labelled> =>
  new Map(
    [...labelsOf(everyOperation([func]), new Set(reservedBy(launch)))].map(([op, label]) => [
      label,
      { op, label, place: placeOf(m, op.location) },
    ]),
  )

/** The operation that became the statement with this label; null for a statement of no operation. */
export const ownerOf = (
  labelled: ReadonlyMap<string, Labelled>,
): ((statement: string) => Labelled | null) => {
  // what is written before a loop begins is called as the loop carries it
  const carried = new Map(
    [...labelled.values()].flatMap((loop) =>
      loop.op.name === 'scf.for'
        ? (loop.op.regions[0]?.blocks[0]?.parameters ?? []).map((p) => [p.name, loop] as const)
        : [],
    ),
  )
  return (statement) => {
    for (let end = statement.length; end > 0; end = statement.lastIndexOf('.', end - 1)) {
      const name = statement.slice(0, end)
      const found = labelled.get(name) ?? carried.get(name)
      if (found !== undefined) return found
    }
    return null
  }
}

/** Operations that a text can refer to: a label, a result, a line of the module, a name and a line, a line of
 * the author's. */
export const meantBy =
  (labelled: ReadonlyMap<string, Labelled>) =>
  (text: string): ReadonlyArray<Labelled> => {
    const bare = text.replace(/^%/, '')
    const results = [...labelled.values()].filter(({ op }) => op.names.some((n) => n.name === bare))
    if (text.startsWith('%')) return results
    const exact = labelled.get(bare)
    if (exact !== undefined) return [exact]
    const [, name, line] = /^(?:(.*?)\s+)?(\d+)$/s.exec(bare) ?? []
    if (line === undefined)
      return results.length > 0
        ? results
        : [...labelled.values()].filter(({ place }) => place === text.replace(/^.*[/\\]/s, ''))
    return [...labelled.values()].filter(
      ({ op }) =>
        String(op.at.line) === line &&
        (name === undefined ||
          name === op.name ||
          name === bareName(op) ||
          op.names.some((n) => n.name === name)),
    )
  }
