/**
 * Triton's operations, every one that it knows (`conformance/triton/operations.json`, which Triton's parser said): elaborated, or refused and why.
 * What shows an operation is a text of Triton that is elaborated as a whole.
 */
import { readdirSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { handled, refusals } from '../../../src/dialects/ttgir/elaboration/operations.js'
import { operationNames, readModule, type Operation } from '../../../src/dialects/ttgir/index.js'
import { unread } from '../../../src/dialects/ttgir/text/unread.js'

const conformance = new URL('../../../conformance/triton/', import.meta.url)

interface Known {
  readonly triton: string
  readonly operations: ReadonlyArray<string>
}
const known = JSON.parse(readFileSync(new URL('operations.json', conformance), 'utf8')) as Known
export const operations: ReadonlyArray<string> = known.operations

/** In which folder of texts an operation stands. */
const namesIn = (list: ReadonlyArray<Operation>): ReadonlyArray<string> =>
  list.flatMap((op) => [
    op.name,
    ...namesIn(op.regions.flatMap((r) => r.blocks.flatMap((b) => b.operations))),
  ])
const folders = ['modules', 'beyond', 'gluon'].map((folder) => {
  const where = new URL(`${folder}/`, conformance)
  const files = readdirSync(where, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ttgir'))
  const names = files.flatMap((f) => {
    const module = readModule(readFileSync(new URL(f, where), 'utf8'))
    return E.isLeft(module) ? [] : namesIn(module.right.operations)
  })
  return [folder, new Set(names)] as const
})

/** How an operation is taken: what elaborates it, or why it is refused; more than one, or none, is an error of the tables. */
export const takenAs = (name: string): ReadonlyArray<string> => [
  ...(handled.has(name) && operationNames.includes(name) ? ['elaborated'] : []),
  ...(refusals[name] === undefined ? [] : [`refused: ${refusals[name]}`]),
  ...(unread.has(name) ? [`not supported: ${unread.get(name)!}`] : []),
]

export const readable: ReadonlyArray<string> = operationNames
export const standsIn = (name: string): string =>
  folders
    .filter(([, names]) => names.has(name))
    .map(([folder]) => folder)
    .join(', ')

const rows = (): ReadonlyArray<string> =>
  operations.map((name) => `| \`${name}\` | ${takenAs(name).join('; ')} | ${standsIn(name)} |`)

export const ttgirSection = (): string =>
  [
    '## TTGIR',
    'In `src/dialects/ttgir`.',
    `Every operation of the dialects that a text of Triton ${known.triton} can have, as its parser knows them. The last column says in which texts of \`conformance/triton\` it stands.`,
    ['| operation | taken as | stands in |', '| --- | --- | --- |', ...rows()].join('\n'),
  ].join('\n\n')
