/** Operations of jaxprs: which rows elaborate them, what they became in two kernels that ship with JAX, and what is refused and why. */
import { labelledIn, ownerOf, type Document } from '../../../src/dialects/jaxpr/index.js'
import { allocationRows } from '../../../src/dialects/jaxpr/allocation.js'
import { arrayRows } from '../../../src/dialects/jaxpr/arrays.js'
import { controlRows } from '../../../src/dialects/jaxpr/control.js'
import { coordinateRows } from '../../../src/dialects/jaxpr/coordinates.js'
import { elementwiseRows } from '../../../src/dialects/jaxpr/elementwise.js'
import { memoryRows } from '../../../src/dialects/jaxpr/memory.js'
import { asynchronousRows } from '../../../src/dialects/jaxpr/operations/index.js'
import { refusals } from '../../../src/dialects/jaxpr/refusals.js'
import { rows } from '../../../src/dialects/jaxpr/rows.js'
import { effectsOf } from '../../../src/semantics/language/program.js'
import { exported, programOf } from '../jaxpr/shipped.js'

const families = {
  'elementwise.ts': elementwiseRows,
  'arrays.ts': arrayRows,
  'memory.ts': memoryRows,
  'allocation.ts': allocationRows,
  'control.ts': controlRows,
  'coordinates.ts': coordinateRows,
  'operations/': asynchronousRows,
}

/** Where the row of an operation stands; none, or several, is an error of the tables. */
export const familiesOf = (op: string): ReadonlyArray<string> =>
  Object.entries(families).flatMap(([file, own]) => (Object.hasOwn(own, op) ? [file] : []))
export const operations: ReadonlyArray<string> = Object.keys(rows).sort()
export const refused: Readonly<Record<string, string>> = refusals

/** What an operation became in a matmul and an attention of `conformance/jaxpr`. */
const becoming = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const name of ['matmul_f16_256x256x128_cluster', 'attention_f16_causal_256x256x2x1x64']) {
    const d: Document = exported('0.11.2', name)
    const owner = ownerOf(labelledIn(d))
    for (const { site, instruction } of effectsOf(programOf(d).entry.body)) {
      const op = owner(site.label)?.eqn.op
      if (op !== undefined) found.set(op, (found.get(op) ?? new Set()).add(instruction._tag))
    }
  }
  return found
}

export const jaxprSection = (): string => {
  const became = becoming()
  return [
    '## Jaxprs of Pallas:MGPU',
    'In `src/dialects/jaxpr`: kernels as JAX traced them (`tcspec.jaxpr/1`), elaborated by calls of Pallas:MGPU above.',
    'An operation becomes the same as its call there; the third column says what it became in a matmul and an attention of `conformance/jaxpr`. Operations that only compute are expressions.',
    [
      '| operation | in | became |',
      '| --- | --- | --- |',
      ...operations.map(
        (op) =>
          `| \`${op}\` | \`${familiesOf(op).join(', ')}\` | ${[...(became.get(op) ?? [])]
            .sort()
            .map((tag) => `\`${tag}\``)
            .join(' ')} |`,
      ),
    ].join('\n'),
    '### Refused',
    [
      '| operation | why |',
      '| --- | --- |',
      ...Object.entries(refusals)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([op, why]) => `| \`${op}\` | ${why} |`),
    ].join('\n'),
  ].join('\n\n')
}
