/**
 * A finding as a short block: what is wrong, the two operations, the bytes, what was known, what is missing, how to see it again.
 *
 *     W3  wgmma operand overwritten in flight
 *         wgmma reads and tmaLoad writes of smem@0 are not ordered (8 times)
 *         first     compute@0  compute / k / wgmma [0]    wgmma reads      event 11
 *         second    memory@0   memory / k / copy a [2]    tmaLoad writes   event 13
 *         source    kernel.py:31: acc = tl.dot(x, y, acc)  (ttng.warp_group_dot, line 107), where there is a text
 *         bytes     smem@0 0 to 16,384, in a_smem
 *         known     ...
 *         missing   a wgmma group wait that covers `wgmma` of compute@0 ...
 *         replay    --schedule eager
 *
 * Law 1. Every statement, iteration, byte and word of the finding that a reader can act on is in the block.
 */
import { hazards } from '../semantics/judging/hazards.js'
import type { Finding, Operation, Place } from '../semantics/judging/finding.js'
import type { Palette } from './palette.js'
import { fields, table, thousands, wrap } from './table.js'

/** A named interval of shared memory, for saying whose bytes are at stake. */
export interface NamedBytes {
  readonly name: string
  readonly start: number
  readonly end: number
}

export interface FindingContext {
  readonly palette: Palette
  /** storages of shared memory */
  readonly smem: ReadonlyArray<NamedBytes>
  /** how to see it again, in the reader's terms; empty for nothing */
  readonly replay: string
  /** what the author wrote there, and what the compiler made of it; null: there is no text */
  readonly quote?: (o: Operation) => string | null
}

/** The texts of the operations, each once. */
const quoted = ({ quote }: FindingContext, f: Finding): ReadonlyArray<readonly [string, string]> => {
  const texts = [f.a, ...(f.b === undefined ? [] : [f.b])].flatMap((o) => quote?.(o) ?? [])
  return [...new Set(texts)].map((text, i) => [i === 0 ? 'source' : '', text] as const)
}

const showPath = (o: Operation): string =>
  `${[...o.path, o.site].join(' / ')}${o.iteration.length === 0 ? '' : ` [${o.iteration.join(', ')}]`}`

const operationRow = (o: Operation): ReadonlyArray<string> => [
  o.agent,
  showPath(o),
  o.does,
  `event ${String(o.at)}${o.loc === undefined ? '' : `, ${o.loc}`}`,
]

const listedSpans = 3

export const showPlace = (place: Place, smem: ReadonlyArray<NamedBytes>): string => {
  const spans = place.spans
    .slice(0, listedSpans)
    .map(([start, end]) => `${thousands(start)} to ${thousands(end)}`)
    .join(', ')
  const rest = place.spans.length - listedSpans + (place.more ?? 0)
  const more = rest > 0 ? ` and ${String(rest)} more intervals` : ''
  const owners = place.plane.startsWith('smem@')
    ? smem.filter((s) => place.spans.some(([start, end]) => start < s.end && s.start < end))
    : []
  return `${place.plane} ${spans}${more}${owners.length === 0 ? '' : `, in ${owners.map((s) => s.name).join(', ')}`}`
}

const severity = (f: Finding): string =>
  f.severity === 'E' ? '' : f.severity === 'C' ? ' (contract)' : ' (note)'

export const findingBlock = (context: FindingContext, f: Finding): string => {
  const { palette } = context
  const mark = f.severity === 'E' ? palette.bad : palette.doubtful
  const operations = table([operationRow(f.a), ...(f.b === undefined ? [] : [operationRow(f.b)])]).split('\n')
  const rows: ReadonlyArray<readonly [string, string]> = [
    ...operations.map(
      (line, i) => [i === 0 ? (f.b === undefined ? 'where' : 'first') : 'second', line] as const,
    ),
    ...quoted(context, f),
    ...(f.place === undefined ? [] : [['bytes', showPlace(f.place, context.smem)] as const]),
    ...(f.knew === undefined ? [] : [['known', f.knew] as const]),
    ...(f.missing === undefined ? [] : [['missing', f.missing.text] as const]),
    ...(context.replay === '' ? [] : [['replay', context.replay] as const]),
  ]
  // The table of operations is aligned as it stands: it is not wrapped.
  const body = [
    ...operations.map((line, i) => `${palette.dim(rows[i]![0].padEnd(10))}${line}`),
    ...fields(palette, 10, rows.slice(operations.length)).split('\n'),
  ].filter((line) => line !== '')
  return [
    `${mark(palette.bold(f.id))}  ${palette.bold(hazards[f.id].title)}${severity(f)}`,
    ...[...wrap(f.text, 106), ...body].map((line) => `    ${line}`),
  ].join('\n')
}
