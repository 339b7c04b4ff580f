/**
 * Litmus tests with changes: what no line of a litmus test says.
 *
 *     T0: arrive b ~ kind=drop count=2         the barrier event of the line is another
 *     T0: write x ~ spans=0,8                  the access is of these bytes of its plane
 *     T0: issue #1 copy ~ at=4              the event is of the same step of its agent as another is
 *     ~ T1 warps=1 firstWarp=1                 an agent, or a barrier, is another
 *     ~ fences=compiler                        the header is
 *
 * A change is of every event of its line that has what the change is of. So a log may be one that no run leaves; the two judgements of it are the same all the same.
 */
import {
  asSpans,
  scattered,
  type Footprint,
  type Header,
  type LogEvent,
  type Stamp,
} from '../../../src/semantics/log/events.js'
import { read } from './litmus.js'

type Field = string | number | boolean | undefined

const valueOf = (text: string): Field => {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'none') return undefined
  return /^-?\d+$/.test(text) ? Number(text) : text
}
const fieldsOf = (text: string): ReadonlyArray<readonly [string, string]> =>
  text
    .trim()
    .split(' ')
    .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])

/** What may be changed of each kind of event. */
const fields: Readonly<Record<string, ReadonlyArray<string>>> = {
  barrier: ['kind', 'count', 'bytes'],
  wait: ['outcome'],
  group: ['blocked', 'pending'],
  fence: ['kind', 'scope', 'half', 'sequential'],
  access: ['proxy', 'combine', 'rounds', 'idle', 'agrees', 'role', 'part', 'dtype', 'spans'],
  rendezvous: ['id', 'count', 'threads', 'tensor', 'kind', 'loose'],
  semaphore: ['decrement', 'outcome', 'until', 'unheeded', 'before', 'spans'],
  issue: ['pipe', 'ctaGroup', 'signals', 'unit', 'tensor', 'at'],
  perform: ['stage', 'part'],
  signal: ['part', 'to', 'family', 'side'],
  alloc: ['ctaGroup', '_tag', 'spans'],
  dealloc: ['ctaGroup', '_tag', 'spans'],
}

export const readChanged = (
  text: ReadonlyArray<string>,
): { readonly header: Header; readonly log: ReadonlyArray<LogEvent> } => {
  const lines = text.filter((line) => !line.startsWith('~'))
  const plain = read(lines.map((line) => line.split(' ~ ')[0]!))
  const feet = new Map<string, number>()
  const foot = (of: Footprint, name: string, value: string): Footprint => {
    const key = `${String(of.id)} ${name} ${value}`
    const id = 1000 + (feet.get(key) ?? feet.set(key, feet.size).size - 1)
    if (name === 'dtype') return Object.assign({}, of, { id, dtype: value })
    const bounds = value.split(',').map(Number)
    const words = bounds.flatMap((start, k) =>
      k % 2 === 0
        ? Array.from({ length: Math.max(1, (bounds[k + 1]! - start) >> 2) }, (_, w) => start + 4 * w)
        : [],
    )
    return Object.assign({}, of, {
      id,
      spans: asSpans(Int32Array.from(bounds)),
      map: scattered([words.length], Int32Array.from(words)),
    })
  }
  const changed = (e: LogEvent, at: number): LogEvent => {
    const change = (lines[at] ?? '').split(' ~ ')[1]
    if (change === undefined) return e
    return fieldsOf(change)
      .filter(([name]) => fields[e._tag]?.includes(name) === true)
      .reduce<LogEvent>(
        (to, [name, value]) =>
          Object.assign(
            {},
            to,
            name === 'spans' || name === 'dtype'
              ? { footprint: foot((to as { footprint: Footprint }).footprint, name, value) }
              : name === 'at'
                ? { stamp: Object.assign({}, (to as { stamp: Stamp }).stamp, { at: Number(value) }) }
                : { [name]: valueOf(value) },
          ),
        e,
      )
  }
  const header = text
    .filter((line) => line.startsWith('~'))
    .reduce<Header>((h, line) => {
      const [name, ...rest] = line.slice(2).split(' ')
      const all = Object.fromEntries(
        fieldsOf(rest.length === 0 ? name! : rest.join(' ')).map(([k, v]) => [k, valueOf(v)]),
      )
      if (rest.length === 0) return Object.assign({}, h, all)
      const put = <X extends { readonly name: string }>(of: ReadonlyArray<X>): ReadonlyArray<X> =>
        of.map((x) => (x.name === name ? Object.assign({}, x, all) : x))
      return Object.assign({}, h, { agents: put(h.agents), barriers: put(h.barriers) })
    }, plain.header)
  return { header, log: plain.log.map((e, i) => changed(e, plain.lineOf[i]!)) }
}
