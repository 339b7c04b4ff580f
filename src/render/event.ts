/**
 * The words for one event of a log: what happens, where, on which barrier. Tables and timelines say it alike.
 */
import type { Access, Footprint, Header, LogEvent, Stamp } from '../semantics/log/events.js'
import { endOf, startOf } from '../semantics/log/events.js'
import type { Entry } from '../semantics/files/trace/index.js'

/** `tmaLoad #3`: an operation by its unit and number is named by its issue; here by its number. */
const numbered = (operation: number): string => `#${String(operation)}`

export const siteName = (header: Header, stamp: Stamp | null): string =>
  stamp === null ? '' : (header.sites[stamp.site]?.label ?? `site ${String(stamp.site)}`)

/** `kernel.py:31`, where a statement came from a text. */
export const sourceOf = (header: Header, stamp: Stamp | null): string =>
  stamp === null ? '' : (header.sites[stamp.site]?.loc ?? '')

export const iterationText = (stamp: Stamp | null): string =>
  stamp === null || stamp.iteration.length === 0 ? '' : `[${stamp.iteration.join(', ')}]`

export const agentName = (header: Header, agent: number): string => header.agents[agent]?.name ?? ''

export const barrierName = (header: Header, barrier: number): string =>
  header.barriers[barrier]?.name ?? `barrier ${String(barrier)}`

const planeText = (header: Header, plane: number): string => {
  const p = header.planes[plane]
  if (p === undefined) return ''
  const owner = p.cta === undefined || p.space === 'regs' ? '' : `@${String(p.cta)}`
  return p.space === 'gmem' || p.space === 'regs' ? `${p.space} ${p.name}` : `${p.space}${owner}`
}

const hex = (n: number): string => `0x${n.toString(16)}`

/** `smem@0 0x400..0x2400`; of several pieces the first start and the last end, and how many. */
export const placeText = (header: Header, f: Footprint): string => {
  const pieces = f.spans.list.length / 2
  if (pieces === 0) return `${planeText(header, f.plane)} nothing`
  const all = `${planeText(header, f.plane)} ${hex(startOf(f.spans))}..${hex(endOf(f.spans))}`
  return pieces === 1 ? all : `${all} in ${String(pieces)}`
}

/** The memory that an event names, if it names any. */
export const placeOf = (header: Header, e: LogEvent): string =>
  'footprint' in e ? placeText(header, e.footprint) : ''

/** The barrier of an event, with its generation where there is one. */
export const barrierOf = (header: Header, entry: Entry): string => {
  if (entry.barrier < 0) return ''
  const { cta } = header.barriers[entry.barrier]!
  const name = `${barrierName(header, entry.barrier)}@${String(cta)}`
  return entry.generation < 0 ? name : `${name} g${String(entry.generation)}`
}

const counted = (n: number, unit: string): string => (n === 0 ? '' : ` ${String(n)} ${unit}`)

/** Which write a strong access takes, or lies under, where it is not the last one; of several words and lanes the one that goes farthest, and of how many. */
const otherwiseText = ({ rw, older }: Access): string => {
  if (older === undefined) return ''
  const back = older.reduce((a, b) => Math.max(a, b), -1)
  if (back < 0) return ' (of a later write)'
  const some = older.filter((one) => one === back).length
  const of = some === older.length ? '' : `, ${String(some)} of ${String(older.length)}`
  return rw === 'r' ? ` (older: ${String(back)} back${of})` : ` (under ${String(back)} later${of})`
}

/** What happens, in a few words. */
export const whatOf = (e: LogEvent): string => {
  switch (e._tag) {
    case 'access': {
      const rw = e.rw === 'r' ? 'read' : 'write'
      const how = e.combine === undefined ? rw : `${rw} (${e.combine})`
      const by = e.operation === undefined ? '' : ` ${numbered(e.operation)}`
      return `${e.atomic ? 'atomic ' : ''}${how}${otherwiseText(e)} ${e.role}${by}, ${e.proxy}${e.acquires === true ? ', acquires' : ''}${e.releases === true ? ', releases' : ''}`
    }
    case 'issue': {
      const entry = e.tensor === undefined ? '' : ` ${e.tensor}`
      return `issue ${numbered(e.operation)} ${e.unit}${entry}${counted(e.bytes, 'B')}`
    }
    case 'perform':
      return `perform ${numbered(e.operation)} ${e.stage}${e.part === 0 ? '' : ` part ${String(e.part)}`}`
    case 'signal':
      return e.to === 'group'
        ? `signal ${numbered(e.operation)} ${e.family} ${e.side}`
        : `signal ${numbered(e.operation)} ${e.to === 'barrier' ? `${String(e.bytes)} B` : 'arrive'}`
    case 'barrier':
      return `${e.kind}${e.kind === 'expect' ? '' : ` ${String(e.count)}`}${e.bytes === 0 ? '' : `, expects ${String(e.bytes)} B`}`
    case 'wait':
      return `wait parity ${String(e.parity)}: ${e.outcome}`
    case 'group':
      return e.kind === 'commit'
        ? `commit ${e.family} group`
        : `wait ${e.family}${e.read ? ' read' : ''}, ${String(e.pending)} pending${e.blocked ? ': blocked' : ''}`
    case 'fence':
      return `fence ${e.kind} ${e.scope}${e.sequential === true ? ', sc' : e.half === undefined ? '' : `, ${e.half}`}`
    case 'rendezvous':
      return `${e.id > 15 ? 'cluster' : `bar ${String(e.id)}`} ${e.kind}, ${String(e.threads)} of ${String(e.count)}`
    case 'warpSync':
      return 'lanes of the warp meet'
    case 'semaphore':
      return `semaphore ${e.kind} ${e.until === undefined ? '' : `${e.until} `}${String(e.value)} at ${String(e.before)}${e.outcome === 'blocked' ? ': blocked' : ''}`
    case 'registers':
      return `registers ${String(e.count)}${e.blocked ? ': blocked' : ''}`
    case 'fork':
    case 'join':
      return `${e._tag} of ${String(e.children.length)}`
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
      return e._tag
    case 'ahead':
      return 'comes after a wait that is blocked'
    case 'cluster':
      return `cluster ${String(e.id)} begins`
  }
}

/** Text of at most `width` characters. */
export const cut = (text: string, width: number): string =>
  text.length <= width ? text : width < 2 ? text.slice(0, width) : `${text.slice(0, width - 1)}…`
