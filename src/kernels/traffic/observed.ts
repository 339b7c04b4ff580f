/**
 * What a run asks memory for: the boxes that its TMA loads read, cluster by cluster.
 *
 * A log names the bytes that a copy reads; the strides of the tensor say which rows and columns these are. Where the CTAs of a cluster each copy a part
 * of one box (`partitioned_axis`), their parts are loads of one statement and one iteration, and are put together: the first that each CTA issues
 * there with the first, the second with the second (an agent that is forked anew for each tile counts its iterations anew, too).
 *
 *     CTA 0   copy a [2, 5]   a[512:640, 320:384]
 *     CTA 1   copy a [2, 5]   a[640:768, 320:384]        cluster 0   a[512:768, 320:384]
 *
 * Laws
 * 1. Loads stand in the order in which they were issued, a load of several parts where its first one was.
 * 2. A load's elements are those that its parts read: of parts that are apart, as many as the box has.
 *
 * Tensors of other ranks than two are left out, and operations that never read.
 */
import { bitsOf } from '../../numerics/dtype.js'
import {
  clusterOf,
  type Access,
  type Header,
  type LogEvent,
  type LoggedTensor,
  spansOf,
} from '../../semantics/log/events.js'

// ---------------------------------------------------------------- model

/** Rows and columns, each from a first one to before an end. */
export interface Box {
  readonly rows: readonly [from: number, to: number]
  readonly columns: readonly [from: number, to: number]
}

export interface Load extends Box {
  /** in the grid */
  readonly cluster: number
  readonly tensor: string
  readonly iteration: ReadonlyArray<number>
  /** that its parts read */
  readonly elements: number
  /** the copies that it consists of */
  readonly parts: number
}

// ---------------------------------------------------------------- boxes

/** The box that a footprint covers, and how many elements it has. */
const boxOf = (tensor: LoggedTensor, spans: Int32Array): { readonly box: Box; readonly elements: number } => {
  const bits = bitsOf(tensor.dtype)
  const [outer, inner] = tensor.strides[0]! >= tensor.strides[1]! ? [0, 1] : [1, 0]
  const pitch = tensor.strides[outer]!
  const low = [Infinity, Infinity]
  const high = [0, 0]
  let elements = 0
  for (let s = 0; s < spans.length; s += 2) {
    const first = (spans[s]! * 8) / bits
    const last = (spans[s + 1]! * 8) / bits - 1
    const [from, to] = [Math.floor(first / pitch), Math.floor(last / pitch)]
    elements += last - first + 1
    low[outer] = Math.min(low[outer]!, from)
    high[outer] = Math.max(high[outer]!, to + 1)
    // a span over several rows is whole rows
    low[inner] = Math.min(low[inner]!, from === to ? first % pitch : 0)
    high[inner] = Math.max(high[inner]!, from === to ? (last % pitch) + 1 : tensor.shape[inner]!)
  }
  return { box: { rows: [low[0]!, high[0]!], columns: [low[1]!, high[1]!] }, elements }
}

const around = (a: readonly [number, number], b: readonly [number, number]): readonly [number, number] => [
  Math.min(a[0], b[0]),
  Math.max(a[1], b[1]),
]

const joined = (a: Load, b: Load): Load => ({
  ...a,
  rows: around(a.rows, b.rows),
  columns: around(a.columns, b.columns),
  elements: a.elements + b.elements,
  parts: a.parts + b.parts,
})

// ---------------------------------------------------------------- the log

/** The loads of a run. */
export const loadsOf = (header: Header, events: ReadonlyArray<LogEvent>): ReadonlyArray<Load> => {
  const tensors = new Map(header.tensors.filter((t) => t.shape.length === 2).map((t) => [t.plane, t]))
  /** by operation, in the order of issue; operations are counted anew where clusters begin */
  const issued = new Map<string, { readonly key: string; source: Access | null }>()
  let first = 0
  let begun = 0
  /** how often each agent has been at a statement and iteration */
  const times = new Map<string, number>()
  for (const e of events)
    if (e._tag === 'cluster') {
      first = e.id
      begun++
    } else if (e._tag === 'issue' && e.unit === 'tmaLoad') {
      const { agent, site, iteration } = e.stamp
      const cluster = first + clusterOf(header, header.agents[agent]!.cta)
      const here = `${String(site)} ${iteration.join(' ')}`
      const mine = `${String(begun)} ${String(agent)} ${here}`
      const nth = times.get(mine) ?? 0
      times.set(mine, nth + 1)
      issued.set(`${String(begun)} ${String(e.operation)}`, {
        key: `${String(cluster)} ${here} #${String(nth)}`,
        source: null,
      })
    } else if (e._tag === 'access' && e.operation !== undefined && e.rw === 'r' && e.role === 'source') {
      const o = issued.get(`${String(begun)} ${String(e.operation)}`)
      if (o !== undefined) o.source = e
    }
  const loads = new Map<string, Load>()
  for (const { key, source } of issued.values()) {
    const tensor = source === null ? undefined : tensors.get(source.footprint.plane)
    if (source === null || tensor === undefined) continue
    const { box, elements } = boxOf(tensor, spansOf(source.footprint))
    const load: Load = {
      ...box,
      cluster: Number(key.split(' ')[0]),
      tensor: tensor.name,
      iteration: source.stamp.iteration,
      elements,
      parts: 1,
    }
    const known = loads.get(key)
    loads.set(key, known === undefined ? load : joined(known, load))
  }
  return [...loads.values()]
}
