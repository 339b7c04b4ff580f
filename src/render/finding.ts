/**
 * A finding in words: what is wrong, the two operations, the bytes, what was known, what is missing, how to see it again.
 *
 *     W3  wgmma operand overwritten in flight
 *         wgmma reads and tmaLoad writes of smem@0 are not ordered (8 times)
 *         first     compute@0  compute / k / wgmma [0]    wgmma reads      event 11
 *         second    memory@0   memory / k / copy a [2]    tmaLoad writes   event 13
 *         source    kernel.py:31: acc = tl.dot(x, y, acc)  (ttng.warp_group_dot, line 107), where there is a text
 *         bytes     smem@0 0 to 16,384, in a_smem
 *         why       ...
 *         fix       a wgmma group wait that covers `wgmma` of compute@0 ...
 *         silicon   in a micro-kernel with this mistake, an H100 computed wrong results in 927,611 of 4,752,000 launched blocks
 *         replay    --schedule eager
 *
 * The rows are data, made from the finding of a verdict document and from nothing else: a terminal shows them as this block, a page as it likes.
 *
 * Laws
 * 1. Every statement, iteration, byte and word of the finding that a reader can act on is in the rows.
 * 2. The block of a finding is the block of its JSON.
 */
import { hazards } from '../semantics/judging/hazards.js'
import type { Finding, Operation, Place } from '../semantics/judging/finding.js'
import type { AlikeFinding, ReplayableFinding } from '../semantics/judging/verdict.js'
import { levelTitle } from '../semantics/judging/level-names.js'
import type { Palette } from './palette.js'
import { fields, table, thousands, wrap } from './table.js'

// ---------------------------------------------------------------- rows

export type FindingLabel =
  | 'level'
  | 'where'
  | 'first'
  | 'second'
  | 'source'
  | 'bytes'
  | 'why'
  | 'fix'
  | 'same fix'
  | 'moves'
  | 'silicon'
  | 'whose'
  | 'accepted'
  | 'replay'
  | 'alike'

/** One thing that is said. An operation has a cell for its agent, its statement, what it does and its event; another row has one. */
export interface FindingRow {
  readonly label: FindingLabel
  readonly cells: ReadonlyArray<string>
}

const severities: Readonly<Record<Finding['severity'], string>> = { E: '', C: ' (contract)', L: ' (note)' }

/** What it is called, and whether it is less than an error. */
export const findingTitle = (f: Finding): string =>
  `${f.title ?? hazards[f.id].title}${severities[f.severity]}`

/** `compute / k / wgmma [0]` */
export const statementText = (o: Operation): string =>
  `${[...o.path, o.site].join(' / ')}${o.iteration.length === 0 ? '' : ` [${o.iteration.join(', ')}]`}`

/** `tmaLoad writes (tensor A)` */
export const deedText = ({ does, tensor }: Operation): string =>
  tensor === undefined ? does : `${does} (tensor ${tensor})`

const operationRow = (label: FindingLabel, o: Operation): FindingRow => ({
  label,
  cells: [
    o.agent,
    statementText(o),
    deedText(o),
    `event ${String(o.at)}${o.loc === undefined ? '' : `, ${o.loc}`}`,
  ],
})

const listedSpans = 3

/** `smem@0 0 to 16,384, in a_smem` */
export const placeText = ({ plane, spans, more = 0, within = [] }: Place): string => {
  const listed = spans
    .slice(0, listedSpans)
    .map(([start, end]) => `${thousands(start)} to ${thousands(end)}`)
    .join(', ')
  const rest = spans.length - listedSpans + more
  const others = rest > 0 ? ` and ${String(rest)} more intervals` : ''
  const owners = within.length === 0 ? '' : `, in ${within.map((s) => s.name).join(', ')}`
  return `${plane} ${listed}${others}${owners}`
}

const row = (label: FindingLabel, text: string | undefined): ReadonlyArray<FindingRow> =>
  text === undefined ? [] : [{ label, cells: [text] }]

/** What a reader is told; of an author's own nothing. */
const whoseText: Readonly<Record<NonNullable<Finding['whose']>, string>> = {
  compiler:
    'inserted by the compiler: the author of the kernel did not write this synchronisation and cannot add it; report it to the compiler, or accept it (--accept)',
  library: 'inserted by the library that initialises the barrier; its own examples do the same',
}

const listedAlike = 3

/** `111 more between these lines: warp 0@0 and warp 2@0, ...` */
const alikeText = (all: ReadonlyArray<AlikeFinding>): string | undefined => {
  if (all.length === 0) return undefined
  const pairs = [...new Set(all.map(({ a, b }) => (b === undefined ? a.agent : `${a.agent} and ${b.agent}`)))]
  const more = pairs.length - listedAlike
  const named = `${pairs.slice(0, listedAlike).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  const where = all[0]!.b === undefined ? 'at this line' : 'between these lines'
  return `${thousands(all.length)} more ${where}: ${named} (all of them with --json)`
}

/** `30 more findings: W1 (3), B1 (5), B3 (22) (all of them with --json)` */
const sameFixText = (others: ReadonlyArray<Finding>): string | undefined => {
  if (others.length === 0) return undefined
  const ids = [...new Set(others.map(({ id }) => id))].map(
    (id) => `${id} (${String(others.filter((f) => f.id === id).length)})`,
  )
  return `for ${thousands(others.length)} more ${others.length === 1 ? 'finding' : 'findings'}: ${ids.join(', ')} (all of them with --json)`
}

/** What is said of a finding below its title and its text, and of how many others the fix is the same. */
export const findingRows = (
  f: Omit<ReplayableFinding, 'schedule'>,
  others: ReadonlyArray<Finding> = [],
): ReadonlyArray<FindingRow> => {
  const { a, b, place } = f
  return [
    operationRow(b === undefined ? 'where' : 'first', a),
    ...(b === undefined ? [] : [operationRow('second', b)]),
    // a text that both have is quoted once
    ...[...new Set([a.source, b?.source])].flatMap((text) => row('source', text)),
    ...(place === undefined ? [] : row('bytes', placeText(place))),
    ...row('level', f.levels?.map(levelTitle).join(' and ')),
    ...row('why', f.knew),
    ...row('fix', f.fix ?? f.missing?.text),
    ...row('moves', f.missing?.moves?.source),
    ...row('same fix', sameFixText(others)),
    ...row('silicon', f.silicon),
    ...row('whose', f.whose === undefined ? undefined : whoseText[f.whose]),
    ...row('accepted', f.accepted),
    ...row('replay', f.replay),
    ...row('alike', alikeText(f.alike ?? [])),
  ]
}

// ---------------------------------------------------------------- the block

const labelWidth = 10
const textWidth = 106

/** The rows of a finding for a terminal. The operations are a table, which is not wrapped. */
export const findingBlock = (
  palette: Palette,
  f: Omit<ReplayableFinding, 'schedule'>,
  others: ReadonlyArray<Finding> = [],
): string => {
  const mark = f.severity === 'E' ? palette.bad : palette.doubtful
  const rows = findingRows(f, others)
  const operations = rows.filter(({ cells }) => cells.length > 1)
  const texts = rows.filter(({ cells }) => cells.length === 1)
  const lines = table(operations.map(({ cells }) => cells)).split('\n')
  const body = [
    ...operations.map(({ label }, i) => `${palette.dim(label.padEnd(labelWidth))}${lines[i]!}`),
    ...fields(
      palette,
      labelWidth,
      texts.map(({ label, cells: [text = ''] }, i) => [texts[i - 1]?.label === label ? '' : label, text]),
    ).split('\n'),
  ].filter((line) => line !== '')
  return [
    `${mark(palette.bold(f.id))}  ${palette.bold(f.title ?? hazards[f.id].title)}${severities[f.severity]}`,
    ...[...wrap(f.text, textWidth), ...body].map((line) => `    ${line}`),
  ].join('\n')
}
