/**
 * Litmus tests between operations: what a host does, a line each.
 *
 *     A on s: write x, trigger               a launch; what it does in order: read, write, add (atomic), trigger, wait
 *     B on s dependent: read y, wait, read x
 *     C on s returns: read x, write h        an operation that is over when its call returns
 *     e recorded on s      t waits for e      host waits for s (e, device)
 *     host: read h          s does not block
 *     graph on s; A: write x; B after A: read x; C dependent on A: wait, read x
 *     graph on s; W: wait for e; A after W: write x; E after A: record f
 *
 * Streams and events are there when they are named first; a stream blocks unless it is said that it does not.
 *
 * Law 1. Any lines are a test, or are refused with the first one that is none.
 */
import * as E from 'fp-ts/lib/Either.js'
import { refuse, type Failure } from '../../failure.js'
import {
  issue,
  issueGraph,
  made,
  recorded,
  start,
  synchronised,
  waitsFor,
  type Awaited,
  type Grid,
  type GraphNode,
  type Has,
  type Issued,
  type Order,
} from './order.js'
import {
  forgotten,
  kept,
  nothingYet,
  racesOf,
  racesOfHost,
  type Access,
  type Past,
  type Race,
} from './races.js'

// ---------------------------------------------------------------- model

interface Launch {
  readonly name: string
  readonly grid: Grid
  readonly accesses: ReadonlyArray<Access>
}
interface Node extends Launch {
  readonly after: ReadonlyArray<number>
  readonly event: GraphNode['event']
}

export type Line =
  | {
      readonly _tag: 'operation'
      readonly launch: Launch
      readonly stream: string
      readonly returns: boolean
    }
  | { readonly _tag: 'graph'; readonly stream: string; readonly nodes: ReadonlyArray<Node> }
  | { readonly _tag: 'recorded'; readonly event: string; readonly stream: string }
  | { readonly _tag: 'waits'; readonly stream: string; readonly event: string }
  | { readonly _tag: 'host'; readonly on: string }
  | { readonly _tag: 'touches'; readonly accesses: ReadonlyArray<Access> }
  | { readonly _tag: 'apart'; readonly stream: string }

export interface Told {
  readonly races: ReadonlyArray<Race>
  /** of each operation its name */
  readonly names: ReadonlyArray<string>
}

// ---------------------------------------------------------------- reading

const bytes = Int32Array.of(0, 16)

interface Doings {
  readonly accesses: ReadonlyArray<Access>
  readonly waits: boolean
  readonly triggers: boolean
}

/** null: it is none */
const doingsOf = (text: string, dependent: boolean): Doings | null => {
  const accesses: Access[] = []
  let waits = false
  let triggers = false
  for (const part of text.split(',')) {
    const words = part.trim().split(' ')
    const [verb = '', memory] = words
    if (verb === 'wait' && memory === undefined) waits = true
    else if (verb === 'trigger' && memory === undefined) triggers = true
    else if (words.length === 2 && memory !== undefined && ['read', 'write', 'add'].includes(verb))
      for (const rw of verb === 'add'
        ? (['r', 'w'] as const)
        : [verb === 'read' ? ('r' as const) : ('w' as const)])
        accesses.push({
          memory,
          rw,
          atomic: verb === 'add' ? 32 : 0,
          ofSystem: false,
          early: dependent && !waits,
          spans: bytes,
          site: part.trim(),
        })
    else if (part.trim() !== '') return null
  }
  return { accesses, waits, triggers }
}

const launchOf = (name: string, dependent: boolean, text: string): Launch | null => {
  const doings = doingsOf(text, dependent)
  return doings === null
    ? null
    : {
        name,
        grid: { dependent, waits: doings.waits, triggers: doings.triggers },
        accesses: doings.accesses,
      }
}

const word = '([A-Za-z]\\w*)'
const operation = new RegExp(`^${word} on ${word}( dependent| returns)?:(.*)$`, 'u')
const graph = new RegExp(`^graph on ${word};(.*)$`, 'u')
const node = new RegExp(`^\\s*${word}(?: (after|dependent on) ([\\w, ]+))?:(.*)$`, 'u')
const eventOfNode = new RegExp(`^\\s*(record|wait for) ${word}\\s*$`, 'u')
const record = new RegExp(`^${word} recorded on ${word}$`, 'u')
const wait = new RegExp(`^${word} waits for ${word}$`, 'u')
const apart = new RegExp(`^${word} does not block$`, 'u')
const touch = /^host:(.*)$/u

const graphOf = (stream: string, text: string): Line | null => {
  const nodes: Node[] = []
  for (const part of text.split(';')) {
    const found = node.exec(part)
    if (found === null) return null
    const [, name = '', how, names = '', doings = ''] = found
    const after =
      names === '' ? [] : names.split(',').map((n) => nodes.findIndex(({ name: m }) => m === n.trim()))
    const [, verb, on = ''] = eventOfNode.exec(doings) ?? []
    const isEvent = verb !== undefined
    const launch = launchOf(name, how === 'dependent on' && !isEvent, isEvent ? '' : doings)
    if (launch === null || after.includes(-1)) return null
    nodes.push({
      name,
      grid: launch.grid,
      accesses: launch.accesses,
      after,
      event: isEvent ? { name: on, does: verb === 'record' ? 'record' : 'wait' } : null,
    })
  }
  return { _tag: 'graph', stream, nodes }
}

const lineOf = (text: string): Line | null => {
  const o = operation.exec(text)
  if (o !== null) {
    const [, name = '', stream = '', how = '', doings = ''] = o
    const launch = launchOf(name, how.trim() === 'dependent', doings)
    return launch === null ? null : { _tag: 'operation', launch, stream, returns: how.trim() === 'returns' }
  }
  const g = graph.exec(text)
  if (g !== null) return graphOf(g[1]!, g[2]!)
  const r = record.exec(text)
  if (r !== null) return { _tag: 'recorded', event: r[1]!, stream: r[2]! }
  const w = wait.exec(text)
  if (w !== null)
    return w[1] === 'host' ? { _tag: 'host', on: w[2]! } : { _tag: 'waits', stream: w[1]!, event: w[2]! }
  const a = apart.exec(text)
  if (a !== null) return { _tag: 'apart', stream: a[1]! }
  const t = touch.exec(text)
  const doings = t === null ? null : doingsOf(t[1]!, false)
  return doings === null ? null : { _tag: 'touches', accesses: doings.accesses }
}

export const linesOf = (
  texts: ReadonlyArray<string>,
): E.Either<Failure<'litmus.line'>, ReadonlyArray<Line>> => {
  const out: Line[] = []
  for (const [i, text] of texts.entries()) {
    const line = lineOf(text.trim())
    if (line === null)
      return refuse(
        'litmus.line',
        `line ${String(i + 1)}: expected a line such as 'A on s: write x', 'e recorded on s', 't waits for e' or 'host waits for device', found '${text.trim()}'`,
      )
    out.push(line)
  }
  return E.right(out)
}

// ---------------------------------------------------------------- judging

/** The races of a test in a model that has these clauses. */
export const judged = (lines: ReadonlyArray<Line>, has: Has): Told => {
  let o: Order = start
  let past: Past = nothingYet
  const races: Race[] = []
  const names: string[] = []
  const done = (launch: Launch, issued: Issued): void => {
    const number = names.push(launch.name) - 1
    // without a wait that counts, everything is early
    for (const race of racesOf(past, number, issued, launch.accesses)) races.push(race)
    past = kept(past, number, issued, launch.accesses)
  }
  const recordedIn = new Set(
    lines.flatMap((l) =>
      l._tag === 'recorded'
        ? [l.event]
        : l._tag === 'graph'
          ? l.nodes.flatMap(({ event }) => (event?.does === 'record' ? [event.name] : []))
          : [],
    ),
  )
  for (const line of lines) {
    switch (line._tag) {
      case 'apart':
        o = made(o, line.stream, false)
        break
      case 'operation': {
        const [issued, next] = issue(has, o, line.stream, line.launch.grid, line.returns)
        o = next
        done(line.launch, issued)
        break
      }
      case 'graph': {
        const [all, next] = issueGraph(
          has,
          o,
          line.stream,
          line.nodes.map(({ after, grid, event }): GraphNode => ({
            after,
            grid: event === null ? grid : null,
            event,
          })),
        )
        o = next
        for (const [i, issued] of all.entries()) done(line.nodes[i]!, issued)
        break
      }
      case 'recorded':
        o = recorded(has, o, line.event, line.stream)
        break
      case 'waits':
        o = waitsFor(has, o, line.event, line.stream)
        break
      case 'host': {
        const on: Awaited =
          line.on === 'device'
            ? { _tag: 'device' }
            : recordedIn.has(line.on)
              ? { _tag: 'event', event: line.on }
              : { _tag: 'stream', stream: line.on }
        o = synchronised(has, o, on)
        past = forgotten(past, has('issue') ? o.host : new Map())
        break
      }
      case 'touches':
        for (const race of racesOfHost(past, o.host, line.accesses)) races.push(race)
        break
    }
  }
  return { races, names }
}
