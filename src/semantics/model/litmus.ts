/**
 * Litmus tests: a log, an event a line.
 *
 *     T0: arrive b +16         T0 arrives on b and announces 16 bytes
 *     T0: issue #1 load        #1 is a load of T0
 *     #1: write x              it performs
 *     #1: bytes b 16           it signals
 *
 * | a line                                                     | is                                                           |
 * |------------------------------------------------------------|--------------------------------------------------------------|
 * | `T0: read x`, `T0: write x`                                | a weak access of the agent itself                            |
 * | `T0: load s`, `T0: store s`, `T0: atomic s`                | a strong one; `relaxed` (if nothing is said), `volatile`, `acquire`, `release`, `acq_rel`; `cta`, `cluster`, `gpu` (if nothing is said); `wide`: of 64 bits; an atomic adds, or it is `or` or `exchange` |
 * | `T0: load s kept`, `T0: load s decides`                    | its value only comes into memory; a branch depends on it     |
 * | `T0: wait.word s`                                          | a loop that loads until a word has a value; `relaxed` (if nothing is said) or `acquire`, and a scope |
 * | `T0: init b`, `inval b`, `arrive b`, `arrive b +16`, `expect b 16` | of a barrier; `relaxed`, `cluster`, `tensor` may follow |
 * | `T0: wait b 0`                                             | passes; `relaxed`, `cluster`, `tensor` may follow            |
 * | `T0: issue #1 load`                                        | an operation: load, store, wgmma, copy, mma, cp, shift, commit, ld, st, clc |
 * | `#1: read x`, `#1: write x`                                | its access; `generic` or `tensormap` may follow              |
 * | `#1: bytes b 16`, `#1: arrive b`                           | its signal                                                   |
 * | `T0: peek b 0 true`, `T0: wait b 0 spared`                 | a test that no more than spares a later wait, and that wait; after a peek that is `false` the wait is `peeked` |
 * | `T0: commit bulk`, `T0: wait.group bulk 0`                 | of groups: bulk, wgmma, copy; `read` may follow a wait       |
 * | `T0: wait.ld`, `T0: wait.st`                               | tcgen05.wait                                                 |
 * | `T0: fence async`                                          | async (of the shared memory of its CTA), async.cluster, global, map.release, init, wgmma, before, after |
 * | `T0: fence acq_rel gpu`                                    | a fence of memory: `acq_rel`, `sc`, `acquire`, `release`; `cta`, `cluster` or `gpu` (if nothing is said) |
 * | `T0: fence map.acquire g`                                  | an acquire of the tensor map there; of all, if no place is said |
 * | `T0, T1: bar`                                              | bar.sync of agents of one CTA                                |
 * | `T0, T1: meet`; `T0: come`, `T0: go`                       | the cluster barrier, an arrival and a leave; `relaxed` may follow |
 * | `T0, T1: sync`                                             | bar.warp.sync of two lanes of one warp; each lane is an agent of its own |
 * | `T0: signal s 1`, `T0: wait.semaphore s 1`                 | a semaphore; `cta` or `cluster` may follow                   |
 * | `T0: fork T1`, `T0: join T1`                               | a branch                                                     |
 * | `T0: alloc t`, `T0: dealloc t`                             | tensor memory                                                |
 * | `next cluster`                                             | the next cluster of the grid begins                          |
 * | `bare`                                                     | nothing comes before the log                                 |
 * | `nothing is written before`; `g is an output`; `b is of Pallas`; `b counts 1` | what planes and barriers are              |
 * | `on Hopper`                                                | the chip; if nothing is said it is Blackwell                 |
 * | `fenced by hand`                                           | as in PTX no barrier is published to asynchronous units but by a fence of the log |
 *
 * Places are of 16 bytes; a strong access is of the first 4 of them, or of 8. Barriers count 1. Unless a log is `bare`, T0 initialises its barriers first and all agents meet.
 *
 * Law 1. Any lines are a log, or are refused with the first one that is none, and what it may be.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, unreachable, type Failure } from '../../failure.js'
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
  Wait,
} from '../log/events.js'
import { asSpans, scattered } from '../log/events.js'
import type { AtomicOp, Scope } from '../language/instruction.js'
import { laneBarriers } from './reading.js'

// ---------------------------------------------------------------- model

export interface LitmusLog {
  readonly header: Header
  readonly log: ReadonlyArray<LogEvent>
  /** the line of each event, counted from 0; -1: it comes before the test */
  readonly lineOf: ReadonlyArray<number>
  /** who makes each event, an agent or an operation, and what it does, in the words of its line */
  readonly does: ReadonlyArray<{ readonly by: string; readonly what: string }>
}

export type LitmusFailure = Failure<'litmus.line' | 'litmus.long'>

/** Lines of a test, at most: what the model asks grows with their square. */
export const mostLines = 128

const bytes = 16

/** A branch behind all sites of a log. */
const behindAll = 1 << 20

// ---------------------------------------------------------------- words

const units: ReadonlyMap<string, readonly [Unit, TensorEntry | undefined]> = new Map([
  ['load', ['tmaLoad', undefined]],
  ['store', ['tmaStore', undefined]],
  ['wgmma', ['wgmma', undefined]],
  ['copy', ['cpAsync', undefined]],
  ['mma', ['tcgen05', 'mma']],
  ['cp', ['tcgen05', 'cp']],
  ['shift', ['tcgen05', 'shift']],
  ['commit', ['tcgen05', 'commit']],
  ['ld', ['tcgen05Ld', undefined]],
  ['st', ['tcgen05St', undefined]],
  ['clc', ['clc', undefined]],
])
const families: ReadonlyMap<string, Family> = new Map([
  ['bulk', 'bulk'],
  ['wgmma', 'wgmma'],
  ['copy', 'cpAsync'],
])
const fences: ReadonlyMap<
  string,
  readonly [Extract<LogEvent, { readonly _tag: 'fence' }>['kind'], 'cta' | 'cluster' | 'global']
> = new Map([
  ['async', ['proxyAsync', 'cta']],
  ['async.cluster', ['proxyAsync', 'cluster']],
  ['global', ['proxyAsync', 'global']],
  ['map.release', ['tensormap', 'global']],
  ['map.acquire', ['tensormapAcquire', 'global']],
  ['init', ['mbarrierInit', 'cluster']],
  ['wgmma', ['wgmma', 'cta']],
  ['before', ['tensorBefore', 'cta']],
  ['after', ['tensorAfter', 'cta']],
])
const memoryFences: ReadonlySet<string> = new Set(['acq_rel', 'sc', 'acquire', 'release'])
const who = String.raw`[TUV]\d`
const scope = '(?: cta| cluster| gpu)?'
const use = '(?: kept| decides)?'
const barrier = String.raw`[bcd]'?`
const place = String.raw`(?:[xyzt]'?|[ghsr])`
const told = String.raw`(?: relaxed| cluster| tensor)*`

/** What a line may be: as a reader would write it, with the word that tells it from the others, and exactly. */
const forms: ReadonlyArray<readonly [word: string, written: string, form: RegExp]> = (
  [
    ['read', 'T0: read PLACE', `${who}: read ${place}`],
    ['write', 'T0: write PLACE', `${who}: write ${place}`],
    [
      'load',
      'T0: load PLACE [relaxed|volatile|acquire] [cta|cluster|gpu] [wide] [kept|decides]',
      `${who}: load ${place}(?: volatile|(?: relaxed| acquire)?${scope})(?: wide)?${use}`,
    ],
    [
      'store',
      'T0: store PLACE [relaxed|volatile|release] [cta|cluster|gpu] [wide]',
      `${who}: store ${place}(?: volatile|(?: relaxed| release)?${scope})(?: wide)?`,
    ],
    [
      'atomic',
      'T0: atomic PLACE [or|exchange] [relaxed|acquire|release|acq_rel] [cta|cluster|gpu] [wide] [kept|decides]',
      `${who}: atomic ${place}(?: or| exchange)?(?: relaxed| acquire| release| acq_rel)?${scope}(?: wide)?${use}`,
    ],
    [
      'wait.word',
      'T0: wait.word PLACE [relaxed|acquire] [cta|cluster|gpu]',
      String.raw`${who}: wait\.word ${place}(?: relaxed| acquire)?${scope}`,
    ],
    ['init', 'T0: init BARRIER', `${who}: init ${barrier}`],
    ['inval', 'T0: inval BARRIER', `${who}: inval ${barrier}`],
    [
      'arrive',
      'T0: arrive BARRIER [+BYTES] [relaxed] [cluster] [tensor]',
      String.raw`${who}: arrive ${barrier}(?: \+\d{1,6})?${told}`,
    ],
    [
      'expect',
      'T0: expect BARRIER BYTES [relaxed] [cluster] [tensor]',
      String.raw`${who}: expect ${barrier} \d{1,6}${told}`,
    ],
    [
      'wait',
      'T0: wait BARRIER 0|1 [relaxed] [cluster] [tensor] [peeked|spared]',
      `${who}: wait ${barrier} [01]${told}(?: peeked| spared)?`,
    ],
    [
      'peek',
      'T0: peek BARRIER 0|1 true|false [relaxed] [cluster] [tensor]',
      `${who}: peek ${barrier} [01] (?:true|false)${told}`,
    ],
    [
      'issue',
      `T0: issue #1 ${[...units.keys()].join('|')}`,
      String.raw`${who}: issue #\d+ (?:${[...units.keys()].join('|')})`,
    ],
    [
      'commit',
      `T0: commit ${[...families.keys()].join('|')}`,
      `${who}: commit (?:${[...families.keys()].join('|')})`,
    ],
    [
      'wait.group',
      `T0: wait.group ${[...families.keys()].join('|')} PENDING [read]`,
      String.raw`${who}: wait\.group (?:${[...families.keys()].join('|')}) \d{1,2}(?: read)?`,
    ],
    ['wait.ld', 'T0: wait.ld', String.raw`${who}: wait\.ld`],
    ['wait.st', 'T0: wait.st', String.raw`${who}: wait\.st`],
    [
      'fence',
      `T0: fence ${[...fences.keys()].join('|')}; or ${[...memoryFences].join('|')} [cta|cluster|gpu]`,
      String.raw`${who}: fence (?:${[...fences.keys()].join('|').replaceAll('.', String.raw`\.`)}|map\.acquire ${place}|(?:${[...memoryFences].join('|')})${scope})`,
    ],
    ['meet', 'T0, T1: meet [relaxed]', `${who}(?:, ${who})*: meet(?: relaxed)?`],
    ['bar', 'T0, T1: bar', String.raw`(?:T\d(?:, T\d)*|U\d(?:, U\d)*|V\d(?:, V\d)*): bar`],
    ['sync', 'T0, T1: sync', `${who}(?:, ${who})*: sync`],
    ['come', 'T0: come [relaxed]', `${who}: come(?: relaxed)?`],
    ['go', 'T0: go [relaxed]', `${who}: go(?: relaxed)?`],
    ['signal', 'T0: signal g|h|s N [cta|cluster]', String.raw`${who}: signal [ghs] \d(?: cta| cluster)?`],
    [
      'wait.semaphore',
      'T0: wait.semaphore g|h|s N [cta|cluster]',
      String.raw`${who}: wait\.semaphore [ghs] \d(?: cta| cluster)?`,
    ],
    ['fork', 'T0: fork T1', `${who}: fork ${who}`],
    ['join', 'T0: join T1', `${who}: join ${who}`],
    ['alloc', 'T0: alloc t', `${who}: alloc t'?`],
    ['dealloc', 'T0: dealloc t', `${who}: dealloc t'?`],
    ['#read', '#1: read PLACE [generic|tensormap]', String.raw`#\d+: read ${place}(?: generic| tensormap)?`],
    [
      '#write',
      '#1: write PLACE [generic|tensormap]',
      String.raw`#\d+: write ${place}(?: generic| tensormap)?`,
    ],
    ['#bytes', '#1: bytes BARRIER BYTES', String.raw`#\d+: bytes ${barrier} \d{1,6}`],
    ['#arrive', '#1: arrive BARRIER', String.raw`#\d+: arrive ${barrier}`],
    ['next', 'next cluster', 'next cluster'],
    ['bare', 'bare', 'bare'],
    ['nothing', 'nothing is written before', 'nothing is written before'],
    ['on', 'on Hopper', 'on Hopper'],
    ['fenced', 'fenced by hand', 'fenced by hand'],
    ['g', 'g is an output', '[ghs] is an output'],
    ['b', 'b is of Pallas', `${barrier} is of Pallas`],
    ['b', 'b counts 1', `${barrier} counts 1`],
  ] as const
).map(([word, written, form]) => [word, written, new RegExp(`^${form}$`)])

/** What is expected of a line that is none: the form with its word, where there is one. */
const expectedFor = (line: string): string => {
  const [first = '', second = ''] = line.split(/:\s*/)
  const word = second.split(' ')[0] ?? ''
  const known = forms.find(([w]) => w === (first.startsWith('#') ? `#${word}` : word))
  return known === undefined
    ? "a line of a litmus test, such as 'T0: write x'"
    : `'${known[1]}'${places(known[1])}`
}
const places = (written: string): string =>
  written.includes('PLACE')
    ? ", PLACE one of x y z t (x' y' z' t' of CTA 1), g h s, r"
    : written.includes('BARRIER')
      ? ", BARRIER one of b c d (b' c' d' of CTA 1)"
      : ''

/** Operations are issued once, and before anything of theirs. */
const misplaced = (lines: ReadonlyArray<string>): number => {
  const issued = new Set<string>()
  return lines.findIndex((line) => {
    const issue = /issue (#\d+)/.exec(line)?.[1]
    if (issue !== undefined) {
      if (issued.has(issue)) return true
      issued.add(issue)
      return false
    }
    const of = /^#\d+/.exec(line)?.[0]
    return of !== undefined && !issued.has(of)
  })
}

// ---------------------------------------------------------------- reading

/** The first line that is no line of a litmus test, counted from 0, and what was expected of it. */
export const firstWrong = (
  text: ReadonlyArray<string>,
): { readonly line: number; readonly expected: string } | undefined => {
  const bad = text.findIndex((line) => !forms.some(([, , form]) => form.test(line)))
  if (bad >= 0) return { line: bad, expected: expectedFor(text[bad]!) }
  const early = misplaced(text)
  return early < 0
    ? undefined
    : { line: early, expected: 'an operation that is issued once, before what it does' }
}

/** A litmus test as a log. `numbers`: what the lines are called where the test is refused; else they are counted from 0. */
export const litmusLog = (
  text: ReadonlyArray<string>,
  numbers: ReadonlyArray<number> = [...text.keys()],
): E.Either<LitmusFailure, LitmusLog> => {
  if (text.length > mostLines)
    return refuse(
      'litmus.long',
      `a litmus test: expected at most ${String(mostLines)} lines, found ${String(text.length)}`,
    )
  const wrong = firstWrong(text)
  return wrong === undefined
    ? E.right(read(text))
    : refuse(
        'litmus.line',
        `line ${String(numbers[wrong.line])}: expected ${wrong.expected}, found '${text[wrong.line]!}'`,
      )
}

/** The lines of a text that say something, and their numbers in it, from 1; what follows `//` is a remark. */
export const litmusLines = (
  text: string,
): { readonly lines: ReadonlyArray<string>; readonly numbers: ReadonlyArray<number> } => {
  const said = text
    .split(/\r?\n/)
    .map((line, k) => ({
      line: line
        .replace(/\/\/.*$/, '')
        .trim()
        .replace(/\s+/g, ' '),
      number: k + 1,
    }))
    .filter(({ line }) => line !== '')
  return { lines: said.map(({ line }) => line), numbers: said.map(({ number }) => number) }
}

/** One event of a line that is several, or of none. */
const whatOf = (e: LogEvent, said: string): string => {
  if (e._tag === 'rendezvous' && (said === '' || said.startsWith('meet') || said === 'sync'))
    return `${said === '' ? 'meet' : said}: ${e.kind === 'arrive' ? 'come' : 'leave'}`
  if (e._tag === 'access' && e.atomic) return `${said}: ${e.rw === 'r' ? 'read' : 'write'}`
  return said === '' ? 'init' : said
}

/** Of lines that have a form. */
const read = (text: ReadonlyArray<string>): LitmusLog => {
  const has = (line: string): boolean => text.includes(line)
  const all = text.join(' ').replace(/[:,]/g, ' ').split(/\s+/)
  const agents = [...new Set(all.filter((w) => /^[TUV]\d$/.test(w)))].sort()
  const barriers = [...new Set(all.filter((w) => /^[bcd]'?$/.test(w)))].sort()
  // CTA 2 is of another cluster, which runs beside that of CTA 0 and CTA 1
  const beside = agents.some((name) => name.startsWith('V'))
  const ctas = beside
    ? 4
    : agents.some((name) => name.startsWith('U')) || all.some((w) => w.endsWith("'"))
      ? 2
      : 1
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
  /** `words`: the first so many of the place */
  const footprint = (place: string, agent: number, words: 1 | 2 | 4 = 4): Footprint => {
    const plane = planeOf(place, agent)
    const first = Math.max(0, ['x', 'y', 'z'].indexOf(place.replace("'", ''))) * bytes
    const key = `${String(plane)} ${String(first)} ${String(words)}`
    const foot = feet.get(key) ?? {
      id: feet.size,
      plane,
      spans: asSpans(Int32Array.of(first, first + 4 * words)),
      dtype: 'i32' as const,
      map: scattered(
        [words],
        Int32Array.from({ length: words }, (_, k) => first + 4 * k),
      ),
    }
    feet.set(key, foot)
    return foot
  }
  const sites: Array<{ label: string; path: ReadonlyArray<string> }> = []
  const plain: Header = {
    schema: 'tcspec.trace/1',
    arch: has('on Hopper') ? 'sm90a' : 'sm100a',
    program: 'litmus',
    agents: agents.map((name) => ({ name, cta: ['T', 'U', 'V'].indexOf(name[0]!), warps: 4, starts: true })),
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
  const alone: Header = has('fenced by hand') ? Object.assign({ fences: 'author' as const }, plain) : plain
  const header: Header = beside ? Object.assign({ resident: 2 }, alone) : alone
  const log: LogEvent[] = []
  const lineOf: number[] = []
  const made = agents.map(() => 0)
  /** the last peek of each agent */
  const peeks = agents.map(() => 0)
  const operations = new Map<string, { readonly id: number; readonly stamp: Stamp; readonly unit: Unit }>()
  const values = new Map<string, number>()
  let line = 'before the test'
  let at = -1
  const push = (...events: ReadonlyArray<LogEvent>): void => {
    for (const e of events) {
      log.push(e)
      lineOf.push(at)
    }
  }
  const stamp = (agent: number): Stamp => {
    sites.push({ label: line, path: [] })
    return { agent, at: ++made[agent]!, site: sites.length - 1, iteration: [] }
  }
  const scopeOf = (words: ReadonlyArray<string>): Scope => (words.includes('cluster') ? 'cluster' : 'cta')
  const reachIn = (words: ReadonlyArray<string>): 'cta' | 'cluster' | 'gpu' =>
    words.includes('cta') ? 'cta' : words.includes('cluster') ? 'cluster' : 'gpu'
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
  /** by those who take part: bar.warp.sync of other lanes, and bar.sync of other agents, is another */
  const barriersOf = new Map<string, number>()
  const together = (who: ReadonlyArray<string>, first: number, threads: number): void => {
    const key = `${String(first)} ${[...who].sort().join(' ')}`
    const id =
      barriersOf.get(key) ??
      first + [...barriersOf.keys()].filter((k) => k.startsWith(`${String(first)} `)).length
    barriersOf.set(key, id)
    for (const kind of ['arrive', 'leave'] as const)
      for (const x of who)
        push({
          _tag: 'rendezvous',
          stamp: stamp(agents.indexOf(x)),
          kind,
          id,
          count: who.length * threads,
          threads,
          relaxed: false,
          tensor: false,
        })
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
  const access = (s: Stamp, rw: 'r' | 'w', place: string, proxy: Proxy, more: Partial<Access> = {}): void => {
    const plain: Access = {
      _tag: 'access',
      stamp: s,
      rw,
      proxy,
      footprint: footprint(place, s.agent),
      role: proxy === 'tensormap' ? 'map' : 'source',
      atomic: false,
    }
    push(Object.assign({}, plain, more))
  }
  /** How an access is strong, and what comes of what it finds. */
  const strong = (
    words: ReadonlyArray<string>,
    rw: 'r' | 'w',
    agent: number,
    place: string,
  ): Partial<Access> => {
    const isWide = words.includes('wide')
    const is = (...said: ReadonlyArray<string>): boolean => said.some((word) => words.includes(word))
    return Object.assign(
      { atomic: true, scope: reachIn(words), footprint: footprint(place, agent, isWide ? 2 : 1) },
      isWide ? { words: 2 } : {},
      words[0] === 'load' && is('acquire') ? { acquires: true as const } : {},
      rw === 'w' && is('release', 'acq_rel') ? { releases: true as const } : {},
      rw === 'r' && is('kept', 'decides') ? { decides: true as const } : {},
      rw === 'r' && is('decides') ? { controls: behindAll } : {},
    )
  }
  const ofAgent = (agent: number, words: ReadonlyArray<string>): void => {
    const [verb, first, second] = [words[0]!, words[1] ?? '', words[2] ?? '']
    const barrier = barriers.indexOf(first)
    const scope = scopeOf(words)
    switch (verb) {
      case 'read':
      case 'write':
        return access(stamp(agent), verb === 'read' ? 'r' : 'w', first, 'generic')
      case 'load':
        return access(stamp(agent), 'r', first, 'generic', strong(words, 'r', agent, first))
      case 'store':
        return access(stamp(agent), 'w', first, 'generic', strong(words, 'w', agent, first))
      case 'atomic': {
        const s = stamp(agent)
        const combine: AtomicOp = words.includes('or')
          ? 'or'
          : words.includes('exchange')
            ? 'exchange'
            : 'add'
        access(s, 'r', first, 'generic', Object.assign({ joins: true }, strong(words, 'r', agent, first)))
        // what an atomic orders is said of its write
        const isAcquire = words.includes('acquire') || words.includes('acq_rel')
        return access(
          s,
          'w',
          first,
          'generic',
          Object.assign({ combine }, isAcquire ? { acquires: true } : {}, strong(words, 'w', agent, first)),
        )
      }
      case 'wait.word': {
        const value = 1
        const wait: LogEvent = {
          _tag: 'semaphore',
          stamp: stamp(agent),
          kind: 'wait',
          footprint: footprint(first, agent, 1),
          value,
          decrement: false,
          scope: reachIn(words),
          before: value,
          outcome: 'passed',
          until: 'eq',
        }
        return push(words.includes('acquire') ? wait : Object.assign({ relaxed: true as const }, wait))
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
          bytes: Number(/\d+/.exec(second)?.[0] ?? 0),
          release: !words.includes('relaxed'),
          scope,
          tensor: words.includes('tensor'),
        })
      case 'wait':
      case 'peek': {
        const s = stamp(agent)
        const plain: Wait = {
          _tag: 'wait',
          stamp: s,
          barrier,
          parity: second === '1' ? 1 : 0,
          acquire: !words.includes('relaxed'),
          scope,
          tensor: words.includes('tensor'),
          outcome: words.includes('spared') ? 'skipped' : words.includes('false') ? 'tested' : 'passed',
        }
        if (verb === 'peek') peeks[agent] = s.at
        const isOf = verb === 'peek' || words.includes('spared') || words.includes('peeked')
        return push(isOf ? Object.assign(plain, { peek: peeks[agent]! }) : plain)
      }
      case 'issue': {
        const [unit, tensor] = units.get(second)!
        const s = stamp(agent)
        const id = operations.size
        operations.set(first, { id, stamp: s, unit })
        const issue: LogEvent = {
          _tag: 'issue',
          stamp: s,
          operation: id,
          unit,
          bytes: 0,
          macs: 0,
          accumulates: false,
        }
        return push(tensor === undefined ? issue : Object.assign({}, issue, { tensor, pipe: id }))
      }
      case 'commit':
      case 'wait.group':
        return push({
          _tag: 'group',
          stamp: stamp(agent),
          kind: verb === 'commit' ? 'commit' : 'wait',
          family: families.get(first)!,
          pending: Number(second),
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
        if (memoryFences.has(first)) {
          const far = reachIn(words)
          const memory = {
            _tag: 'fence',
            stamp: stamp(agent),
            kind: 'memory',
            scope: far === 'gpu' ? 'global' : far,
          } as const
          if (first === 'sc') return push(Object.assign({ sequential: true as const }, memory))
          return push(
            first === 'acquire' || first === 'release' ? Object.assign({ half: first }, memory) : memory,
          )
        }
        const [kind, reach] = fences.get(first)!
        const fence = { _tag: 'fence', stamp: stamp(agent), kind, scope: reach } as const
        return push(second === '' ? fence : Object.assign({ footprint: footprint(second, agent) }, fence))
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
        return unreachable(`a line without a form: ${line}`)
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
        return unreachable(`a line of ${unit} without a form: ${line}`)
    }
  }
  if (!has('bare') && agents.length > 0) {
    barriers.forEach((_, b) => {
      init(0, b)
    })
    meet(agents, false)
  }
  for (const [k, one] of text.entries()) {
    line = one
    at = k
    const [who, what] = one.split(': ')
    if (what === undefined) {
      if (one === 'next cluster') push({ _tag: 'cluster', id: 1 })
      continue
    }
    if (what === 'sync') together(who!.split(', '), laneBarriers, 1)
    else if (what === 'bar') together(who!.split(', '), 1, 128)
    else if (who!.includes(',')) meet(who!.split(', '), what.includes('relaxed'))
    else if (who!.startsWith('#')) ofOperation(who!, what.split(' '))
    else ofAgent(agents.indexOf(who!), what.split(' '))
  }
  const names = new Map([...operations].map(([name, { id }]) => [id, name]))
  const does = log.map((e, i) => {
    const said = (text[lineOf[i]!] ?? '').replace(/^.*?: /, '')
    const issued = e._tag === 'issue' ? undefined : 'operation' in e ? e.operation : undefined
    const agent = 'stamp' in e ? header.agents[e.stamp.agent]!.name : ''
    return { by: issued === undefined ? agent : names.get(issued)!, what: whatOf(e, said) }
  })
  return { header, log, lineOf, does }
}
