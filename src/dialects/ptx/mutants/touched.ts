/**
 * Which barriers an instruction is about: those that it touched in a run, by where they lie.
 *
 *     ring.cu:57 mbarrier.try_wait... (line 214)     mbarriers at 1024 and at 1032 of any CTA
 *     k.cu:30 bar.sync (line 80)                     named barrier 0
 *
 * Addresses are in registers, so the text does not say it. Barriers are named by their byte of shared memory: a changed text has the same ones, wherever
 * it initialises them.
 */
import { unreachable } from '../../../failure.js'
import type { Fold, Header, LogEvent } from '../../../semantics/log/events.js'
import type { Subject } from '../../../semantics/judging/subject.js'

export interface Touched {
  /** by the label of a site: keys of barriers */
  readonly barriers: ReadonlyMap<string, ReadonlySet<string>>
  /** labels of all sites that something came of */
  readonly sites: ReadonlySet<string>
}

const mbarrierKey = (header: Header, barrier: number): string =>
  `mbarrier ${String(header.barriers[barrier]?.address ?? -1)}`
const namedKey = (id: number | 'cluster'): string =>
  `barrier ${String(typeof id === 'number' && id > 15 ? 'cluster' : id)}`

/** The barrier that a finding is about; null: it is about something else. */
export const keyOf = (header: Header, s: Subject): string | null =>
  s._tag === 'barrier' ? mbarrierKey(header, s.barrier) : s._tag === 'rendezvous' ? namedKey(s.id) : null

interface Gathering {
  readonly header: Header
  readonly found: Map<string, Set<string>>
  readonly sites: Set<number>
  /** site of each operation that was issued */
  readonly issued: Map<number, number>
}

const note = ({ header, found }: Gathering, site: number, key: string): void => {
  const label = header.sites[site]?.label
  if (label === undefined) return
  const known = found.get(label)
  if (known === undefined) found.set(label, new Set([key]))
  else known.add(key)
}

const seen = (g: Gathering, e: LogEvent): void => {
  if ('stamp' in e) g.sites.add(e.stamp.site)
  switch (e._tag) {
    case 'issue':
      g.issued.set(e.operation, e.stamp.site)
      break
    case 'barrier':
    case 'wait':
      note(g, e.stamp.site, mbarrierKey(g.header, e.barrier))
      break
    case 'rendezvous':
      note(g, e.stamp.site, namedKey(e.id))
      break
    case 'signal': {
      const site = g.issued.get(e.operation)
      if (e.to !== 'group' && site !== undefined) note(g, site, mbarrierKey(g.header, e.barrier))
      break
    }
    case 'semaphore':
    case 'fence':
    case 'group':
    case 'access':
    case 'perform':
    case 'warpSync':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'exit':
    case 'cluster':
    case 'ahead':
      break
    default:
      unreachable(e)
  }
}

export const touched: Fold<Gathering, Touched> = {
  init: (header) => ({ header, found: new Map(), sites: new Set(), issued: new Map() }),
  observe: (g, e) => {
    seen(g, e)
    return g
  },
  finish: ({ header, found, sites }) => ({
    barriers: found,
    sites: new Set([...sites].flatMap((site) => header.sites[site]?.label ?? [])),
  }),
}
