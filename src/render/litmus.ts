/**
 * A litmus test for people: as text, and as a picture.
 *
 * The text: the lines, the verdict, and each pair of accesses that meet with what the model says of it and the arrows that make it so.
 *
 *     ok
 *         1 `T0: write x`, 4 `T1: read x`: before by program 1 -> 2, release 2 -> 3, program 3 -> 4; seen in generic
 *
 * Laws
 * 1. Every pair that meets has a line, and no other; an atomic access is one, though it reads and writes.
 */
import type { LitmusArrow, LitmusDocument, LitmusPair } from './litmus-document.js'
import type { Palette } from './palette.js'
import { fields } from './table.js'

// ---------------------------------------------------------------- words

/** An event by its line. */
const lineText = (d: LitmusDocument, event: number): string => {
  const line = d.events[event]?.line ?? null
  return line === null ? 'the beginning' : String(line)
}

/** What an event is, as the test says it. */
export const eventText = (d: LitmusDocument, event: number): string => {
  const e = d.events[event]!
  const line = d.lines.find((l) => l.line === e.line)
  return line === undefined ? `${e.by}: ${e.what}` : line.text
}

/** One arrow of a chain: its clause, and the way that it goes; nothing where it says no more than that an event comes after itself. */
interface Step {
  readonly clause: string
  readonly way: string
  readonly from: string
  readonly to: string
}
const stepOf = (d: LitmusDocument, a: LitmusArrow): ReadonlyArray<Step> => {
  const [from, to] = [lineText(d, a.from), lineText(d, a.to)]
  const one = (way: string): ReadonlyArray<Step> => [{ clause: a.clause, way, from, to }]
  if (a.phase !== null) return one(` of phase ${String(a.phase.phase)} of ${a.phase.barrier} at ${to}`)
  if (a.from === a.to) return a.clause === 'program' ? [] : one(` at ${to}`)
  return one(` ${from} -> ${to}`)
}

/** A way of a fact, arrow by arrow: `program 1 -> 2 -> 3, release 3 -> 5`. */
export const chainText = (d: LitmusDocument, chain: ReadonlyArray<number>): string =>
  chain
    .flatMap((k) => stepOf(d, d.arrows[k]!))
    .reduce<ReadonlyArray<Step>>((all, step) => {
      const last = all.at(-1)
      return last?.clause === step.clause && last.to === step.from && last.way.includes('->')
        ? [...all.slice(0, -1), { ...step, way: `${last.way} -> ${step.to}` }]
        : [...all, step]
    }, [])
    .map(({ clause, way }) => `${clause}${way}`)
    .join(', ')

const doneText = (p: LitmusPair): string =>
  p.done === 'never'
    ? ': nothing says when the first is done'
    : p.done === 'itself'
      ? ''
      : `: the first is done with phase ${String(p.done.phase)} of ${p.done.barrier}`

/** What the model says of a pair, and why. */
export const pairText = (d: LitmusDocument, p: LitmusPair): string => {
  const way = p.beforeBy === null ? '' : chainText(d, p.beforeBy) || 'program'
  const order = p.beforeBy === null ? `not before${doneText(p)}` : `before by ${way}`
  if (p.because === 'in one unit' || p.because === 'atomic' || p.because === 'not asked')
    return p.beforeBy === null ? p.because : `${p.because}; ${order}`
  if (p.seen === null || p.beforeBy === null) return order
  const window = p.window ?? ''
  if (p.seenBy === null) return `${order}; ${p.because === 'landed' ? 'landed' : `not seen in ${window}`}`
  const seen = chainText(d, p.seenBy) || 'program'
  return `${order}; seen in ${window}${seen === way ? '' : ` by ${seen}`}`
}

export const isWrongPair = (p: LitmusPair): boolean => p.is !== null && p.is !== 'ok'

// ---------------------------------------------------------------- text

const optionsText = ({ strict, strictProxies, tensorPipe }: LitmusDocument['options']): string =>
  [
    ...(strict ? ['strict'] : []),
    ...(strictProxies ? ['strictProxies'] : []),
    ...(tensorPipe === 'documented' ? ['tensorPipe documented'] : []),
  ].join(', ')

/** What the model says, for people. */
export const litmusText = (palette: Palette, d: LitmusDocument): string => {
  const width = String(d.lines.at(-1)?.line ?? 0).length
  const verdict = ({ ok, says }: LitmusDocument['model']): string =>
    says.map((s) => (ok ? palette.good(s) : palette.bad(s))).join('; ')
  const meeting = d.pairs.filter((p) => p.is !== null && d.events[p.a]?.line !== d.events[p.b]?.line)
  const options = optionsText(d.options)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ...(options === '' ? [] : [['under', options] as const]),
    ['the model', verdict(d.model)],
    ...(d.without === null ? [] : [['without', `${d.leftOut.join(', ')}: ${verdict(d.without)}`] as const]),
    ...d.findings.map(
      (f) =>
        [
          f.id,
          `${f.lines.length === 0 ? '' : `${f.lines.length === 1 ? 'line' : 'lines'} ${f.lines.join(' and ')}: `}${f.text}${f.missing === null ? '' : `; ${f.missing}`}`,
        ] as const,
    ),
  ]
  return [
    ...d.lines.map(({ line, text }) => `${palette.dim(String(line).padStart(width))}  ${text}`),
    '',
    fields(palette, 11, rows),
    ...(meeting.length === 0
      ? []
      : [
          '',
          ...meeting.map((p) => {
            const word = `${p.is ?? ''}${p.hazards.length === 0 ? '' : ` (${p.hazards.join()})`}`
            const line = (event: number): string => `${lineText(d, event)} \`${eventText(d, event)}\``
            const text = fields(palette, 4, [['', `${line(p.a)}, ${line(p.b)}: ${pairText(d, p)}`]])
            return `${isWrongPair(p) ? palette.bad(word) : palette.good(word)}\n${text}`
          }),
        ]),
  ].join('\n')
}
