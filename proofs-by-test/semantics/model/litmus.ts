/**
 * Litmus tests: a log, an event a line, read into events; and what the model says of it, in words.
 *
 *     T0: arrive b +16         T0 arrives on b and announces 16 bytes
 *     T0: issue #1 load        #1 is a load of T0
 *     #1: write x              it performs
 *     #1: bytes b 16           it signals
 *
 * Places are of 16 bytes, barriers count 1. Unless a log is `bare`, T0 initialises its barriers first and all agents meet.
 */
import type {
  Access,
  Family,
  Footprint,
  Header,
  LogEvent,
  Plane,
  Proxy,
  Stamp,
  TensorEntry,
  Unit,
} from '../../../src/semantics/log/events.js'
import { asSpans } from '../../../src/semantics/log/events.js'
import type { Modelled } from '../../../src/semantics/model/index.js'
import type { Touch } from '../../../src/semantics/model/reading.js'
import type { AtomicOp, Scope } from '../../../src/semantics/language/instruction.js'

export interface Read {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  /** the line of each event */
  readonly lines: ReadonlyArray<string>
}

const units: Readonly<Record<string, readonly [Unit, TensorEntry | undefined]>> = {
  load: ['tmaLoad', undefined],
  store: ['tmaStore', undefined],
  wgmma: ['wgmma', undefined],
  copy: ['cpAsync', undefined],
  mma: ['tcgen05', 'mma'],
  cp: ['tcgen05', 'cp'],
  shift: ['tcgen05', 'shift'],
  commit: ['tcgen05', 'commit'],
  ld: ['tcgen05Ld', undefined],
  st: ['tcgen05St', undefined],
  clc: ['clc', undefined],
}
const families: Readonly<Record<string, Family>> = { bulk: 'bulk', wgmma: 'wgmma', copy: 'cpAsync' }
const fences = {
  async: ['proxyAsync', 'cta'],
  global: ['proxyAsync', 'global'],
  'map.release': ['tensormap', 'global'],
  'map.acquire': ['tensormapAcquire', 'global'],
  init: ['mbarrierInit', 'cluster'],
  wgmma: ['wgmma', 'cta'],
  before: ['tensorBefore', 'cta'],
  after: ['tensorAfter', 'cta'],
} as const

const bytes = 16

/** Reads a litmus test. */
export const read = (text: ReadonlyArray<string>): Read => {
  const has = (line: string): boolean => text.includes(line)
  const all = text.join(' ').replace(/[:,]/g, ' ').split(/\s+/)
  const agents = [...new Set(all.filter((w) => /^[TU]\d$/.test(w)))].sort()
  const barriers = [...new Set(all.filter((w) => /^[bcd]'?$/.test(w)))].sort()
  const ctas = all.some((w) => /^U\d$|'$/.test(w)) ? 2 : 1
  const initialised = !has('nothing is written before')
  const planes: Plane[] = []
  for (let cta = 0; cta < ctas; cta++)
    for (const space of ['smem', 'tmem'] as const)
      planes.push({ space, name: space, cta, bytes: 1 << 16, initialised })
  const tensors = ['g', 'h', 's']
  for (const name of tensors)
    planes.push({ space: 'gmem', name, bytes, initialised: true, output: has(`${name} is an output`) })
  agents.forEach((_, agent) => planes.push({ space: 'regs', name: 'r', agent, bytes, initialised }))
  const planeOf = (place: string, agent: number): number => {
    const cta = place.endsWith("'") ? 1 : 0
    if (place === 'r') return planes.findIndex((p) => p.agent === agent)
    if (tensors.includes(place)) return planes.findIndex((p) => p.name === place)
    return planes.findIndex((p) => p.cta === cta && p.space === (place.startsWith('t') ? 'tmem' : 'smem'))
  }
  const feet = new Map<string, Footprint>()
  const footprint = (place: string, agent: number): Footprint => {
    const plane = planeOf(place, agent)
    const at = { x: 0, y: 1, z: 2 }[place.replace("'", '')] ?? 0
    const key = `${String(plane)} ${String(at)}`
    const made = feet.get(key) ?? {
      id: feet.size,
      plane,
      spans: asSpans(Int32Array.of(at * bytes, (at + 1) * bytes)),
      dtype: 'i32' as const,
      map: { _tag: 'scatter' as const, shape: [], addresses: new Int32Array(0) },
    }
    feet.set(key, made)
    return made
  }
  const sites: Array<{ label: string; path: ReadonlyArray<string> }> = []
  const header: Header = {
    schema: 'tcspec.trace/1',
    arch: 'sm100a',
    program: 'litmus',
    agents: agents.map((name) => ({ name, cta: name.startsWith('U') ? 1 : 0, warps: 4, starts: true })),
    ctas,
    planes,
    tensors: [],
    computes: null,
    barriers: barriers.map((name, i) => ({
      name,
      cta: name.endsWith("'") ? 1 : 0,
      contract: has(`${name} is of Pallas`) ? 'pallas' : 'ptx',
      ordersTensorCore: true,
      plane: planeOf(name.endsWith("'") ? "x'" : 'x', 0),
      address: 4096 + 8 * i,
    })),
    sites,
    nondeterminism: [],
  }
  const log: LogEvent[] = []
  const lines: string[] = []
  const at = agents.map(() => 0)
  const operations = new Map<string, { readonly id: number; readonly stamp: Stamp; readonly unit: Unit }>()
  const values = new Map<string, number>()
  let line = ''
  const push = (...events: ReadonlyArray<LogEvent>): void => {
    for (const e of events) {
      log.push(e)
      lines.push(line)
    }
  }
  const stamp = (agent: number): Stamp => {
    sites.push({ label: line, path: [] })
    return { agent, at: ++at[agent]!, site: sites.length - 1, iteration: [] }
  }
  const scopeOf = (words: ReadonlyArray<string>): Scope => (words.includes('cluster') ? 'cluster' : 'cta')
  const rendezvous = (agent: number, kind: 'arrive' | 'leave', relaxed: boolean): void =>
    push({
      _tag: 'rendezvous',
      stamp: stamp(agent),
      kind,
      id: 16,
      count: 128 * agents.length,
      threads: 128,
      relaxed,
      tensor: false,
    })
  const meet = (who: ReadonlyArray<string>, relaxed: boolean): void => {
    for (const x of who) rendezvous(agents.indexOf(x), 'arrive', relaxed)
    for (const x of who) rendezvous(agents.indexOf(x), 'leave', false)
  }
  const init = (agent: number, barrier: number): void =>
    push({
      _tag: 'barrier',
      stamp: stamp(agent),
      kind: 'init',
      barrier,
      count: 1,
      bytes: 0,
      release: false,
      scope: 'cta',
      tensor: false,
    })
  const access = (s: Stamp, rw: 'r' | 'w', place: string, proxy: Proxy, more: Partial<Access> = {}): void =>
    push({
      _tag: 'access',
      stamp: s,
      rw,
      proxy,
      footprint: footprint(place, s.agent),
      role: proxy === 'tensormap' ? 'map' : 'source',
      atomic: false,
      ...more,
    })
  const ofAgent = (agent: number, words: ReadonlyArray<string>): void => {
    const [verb, first, second] = [words[0]!, words[1] ?? '', words[2] ?? '']
    const barrier = barriers.indexOf(first)
    const scope = scopeOf(words)
    switch (verb) {
      case 'read':
      case 'write':
        return access(stamp(agent), verb === 'read' ? 'r' : 'w', first, 'generic')
      case 'atomic': {
        const s = stamp(agent)
        const combine: AtomicOp = second === 'or' ? 'or' : 'add'
        access(s, 'r', first, 'generic', { atomic: true })
        return access(s, 'w', first, 'generic', { atomic: true, combine })
      }
      case 'init':
        return init(agent, barrier)
      case 'inval':
      case 'arrive':
      case 'expect':
        return push({
          _tag: 'barrier',
          stamp: stamp(agent),
          kind: verb,
          barrier,
          count: verb === 'arrive' ? 1 : 0,
          bytes: verb === 'expect' ? Number(second) : second.startsWith('+') ? Number(second) : 0,
          release: !words.includes('relaxed'),
          scope,
          tensor: words.includes('tensor'),
        })
      case 'wait':
        return push({
          _tag: 'wait',
          stamp: stamp(agent),
          barrier,
          parity: second === '1' ? 1 : 0,
          acquire: !words.includes('relaxed'),
          scope,
          tensor: words.includes('tensor'),
          outcome: 'passed',
        })
      case 'issue': {
        const [unit, tensor] = units[second]!
        const s = stamp(agent)
        const id = operations.size
        operations.set(first, { id, stamp: s, unit })
        return push({
          _tag: 'issue',
          stamp: s,
          operation: id,
          unit,
          bytes: 0,
          macs: 0,
          accumulates: false,
          ...(tensor === undefined ? {} : { tensor, pipe: id }),
        })
      }
      case 'commit':
      case 'wait.group':
        return push({
          _tag: 'group',
          stamp: stamp(agent),
          kind: verb === 'commit' ? 'commit' : 'wait',
          family: families[first]!,
          pending: verb === 'commit' ? 0 : Number(second),
          read: words.includes('read'),
          blocked: false,
        })
      case 'wait.ld':
      case 'wait.st':
        return push({
          _tag: 'group',
          stamp: stamp(agent),
          kind: 'wait',
          family: verb === 'wait.ld' ? 'tcgen05Ld' : 'tcgen05St',
          pending: 0,
          read: false,
          blocked: false,
        })
      case 'fence': {
        const [kind, reach] = fences[first as keyof typeof fences]
        return push({ _tag: 'fence', stamp: stamp(agent), kind, scope: reach })
      }
      case 'come':
      case 'go':
        return rendezvous(agent, verb === 'come' ? 'arrive' : 'leave', words.includes('relaxed'))
      case 'signal':
      case 'wait.semaphore': {
        const before = values.get(first) ?? 0
        const value = Number(second)
        if (verb === 'signal') values.set(first, before + value)
        return push({
          _tag: 'semaphore',
          stamp: stamp(agent),
          kind: verb === 'signal' ? 'signal' : 'wait',
          footprint: footprint(first, agent),
          value,
          decrement: false,
          scope: words.includes('cta') ? 'cta' : words.includes('cluster') ? 'cluster' : 'gpu',
          before,
          outcome: 'passed',
        })
      }
      case 'fork':
      case 'join':
        return push({ _tag: verb, stamp: stamp(agent), children: [agents.indexOf(first)] })
      case 'alloc':
      case 'dealloc':
        return push({ _tag: verb, stamp: stamp(agent), footprint: footprint(first, agent) })
      default:
        throw new Error(`not a litmus line: ${line}`)
    }
  }
  const ofOperation = (name: string, words: ReadonlyArray<string>): void => {
    const { id, stamp: s, unit } = operations.get(name)!
    const [verb, first, second] = [words[0]!, words[1] ?? '', words[2] ?? '']
    switch (verb) {
      case 'read':
      case 'write': {
        const proxy: Proxy =
          second === 'generic' || second === 'tensormap' ? second : first.startsWith('t') ? 'tensor' : 'async'
        push({ _tag: 'perform', operation: id, stage: 'all', part: 0 })
        return access(s, verb === 'read' ? 'r' : 'w', first, proxy, { operation: id })
      }
      case 'bytes':
        return push({
          _tag: 'signal',
          operation: id,
          part: 0,
          to: 'barrier',
          barrier: barriers.indexOf(first),
          bytes: Number(second),
        })
      case 'arrive':
        return push({
          _tag: 'signal',
          operation: id,
          part: 0,
          to: 'arrive',
          barrier: barriers.indexOf(first),
        })
      default:
        throw new Error(`not a line of ${unit}: ${line}`)
    }
  }
  if (!has('bare')) {
    line = 'before the test'
    barriers.forEach((_, b) => {
      init(0, b)
    })
    meet(agents, false)
  }
  for (const one of text) {
    line = one
    const [who, what] = one.split(': ')
    if (what === undefined) {
      if (one === 'next cluster') push({ _tag: 'cluster', id: 1 })
      continue
    }
    if (who!.includes(',')) meet(who!.split(', '), what.includes('relaxed'))
    else if (who!.startsWith('#')) ofOperation(who!, what.split(' '))
    else ofAgent(agents.indexOf(who!), what.split(' '))
  }
  return { header, log, lines }
}

const words = {
  race: 'race',
  visibility: 'not visible',
  unfenced: 'unfenced',
  foreign: 'race of clusters',
  anyOrder: 'any order',
} as const

/** What the model says, a line each; `ok` of nothing. */
export const said = ({ lines, log }: Read, m: Modelled): ReadonlyArray<string> => {
  const starts = log.flatMap((e, i) => (i > 0 && e._tag === 'cluster' ? [i] : []))
  const out = m.clusters.flatMap((c, k) => {
    const offset = k === 0 ? 0 : starts[k - 1]!
    const quote = (t: Touch, at: number): string => `\`${lines[at + t.at] ?? '?'}\``
    const isHere = (t: Touch): boolean => c.reading.touches.includes(t)
    return [
      ...c.found.pairs.map(
        (p) => `${words[p.kind]}: ${quote(p.a, isHere(p.a) ? offset : 0)} / ${quote(p.b, offset)}`,
      ),
      ...c.found.nothing.map((t) => `nothing there: ${quote(t, offset)}`),
      ...c.failing.map((f) => f.condition),
      ...c.left.map((l) => l.id),
      ...c.misused.misuses.map((x) => x.id),
      ...(c.stuck ? ['deadlock'] : []),
    ]
  })
  const all = [...new Set([...out, ...m.unwritten.map(() => 'O1')])]
  return all.length === 0 ? ['ok'] : all
}
