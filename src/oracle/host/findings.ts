/**
 * Findings between the operations of a program: what they say.
 *
 * | id | is                                                                                                  |
 * |----|-----------------------------------------------------------------------------------------------------|
 * | H1 | two operations touch the same bytes, one of them writes, and nothing orders them                     |
 * | H2 | a dependent launch touches, before its `griddepcontrol.wait`, what the launch before it touches      |
 * | H3 | the host touches memory, or reads what a copy brings, and has not waited; a note where a kernel uses atomics of the system's scope |
 * | H4 | an address is in no memory, in memory that was freed, or in memory of the host; a memory is freed twice |
 * | H5 | an operation reads bytes that nothing has written, and something comes of them                       |
 *
 * A finding names both operations (number, kernel, stream), both lines, the bytes and the missing edge.
 */
import { legacy, type Access, type Grid, type Race } from '../../semantics/host/index.js'
import type { Memory } from './memory.js'

// ---------------------------------------------------------------- model

export type HostId = 'H1' | 'H2' | 'H3' | 'H4' | 'H5'

/** One side of a finding: an operation, and where in it. */
export interface HostSide {
  /** its number, from 0; of the host, the operation that it is at */
  readonly operation: number
  readonly what: string
  readonly stream: string | null
  readonly does: string
  readonly where: string | null
}

export interface HostFinding {
  readonly id: HostId
  /** E: a hazard. L: a note */
  readonly severity: 'E' | 'L'
  readonly title: string
  readonly text: string
  readonly a: HostSide
  readonly b?: HostSide
  readonly memory: string
  readonly spans: ReadonlyArray<readonly [number, number]>
  readonly why: string
  readonly fix: string
}

/** An operation as findings speak of it; a node of a graph is one of its own. */
export interface Named {
  /** the operation of the program */
  readonly operation: number
  readonly what: string
  readonly stream: string
  /** a copy whose call returns when its source has been read; drivers wait for its end, which no manual promises */
  readonly staged: boolean
  /** of a graph, which node */
  readonly node: string | null
  /** of a launch, what it has to do with those before it */
  readonly grid: Grid | null
  /** of each statement, what it is called */
  readonly sites: ReadonlyMap<string, string>
}

// ---------------------------------------------------------------- words

export const streamText = (name: string): string =>
  name === legacy ? 'the default stream' : `stream ${name}`

const nameOf = (n: Named): string =>
  n.node === null
    ? `${n.what} on ${streamText(n.stream)} (operation ${String(n.operation)})`
    : `${n.what} (node ${n.node} of operation ${String(n.operation)})`

const sideOf = (n: Named, access: Access): HostSide => ({
  operation: n.operation,
  what: n.node === null ? n.what : `${n.what}, node ${n.node}`,
  stream: n.stream,
  does: access.rw === 'r' ? 'reads' : 'writes',
  where: n.sites.get(access.site) ?? null,
})

const listOf = (spans: Int32Array): ReadonlyArray<readonly [number, number]> =>
  Array.from({ length: spans.length / 2 }, (_, i) => [spans[2 * i]!, spans[2 * i + 1]!] as const)

interface Edge {
  readonly why: string
  readonly fix: string
}

/** Why nothing orders two operations, and what would. */
const edgeOf = (a: Named, b: Named, where: string | null): Edge => {
  const [first, second] = [String(a.operation), String(b.operation)]
  if (a.node !== null && b.node !== null && first === second)
    return {
      why: `no path of edges leads from node ${a.node} to node ${b.node}`,
      fix: `an edge from node ${a.node} to node ${b.node} (cudaGraphAddDependencies)`,
    }
  if (a.stream !== b.stream)
    return {
      why: `${streamText(b.stream)} does not wait for ${streamText(a.stream)}`,
      fix: `cudaEventRecord on ${streamText(a.stream)} after operation ${first}, and cudaStreamWaitEvent on ${streamText(b.stream)} before operation ${second}`,
    }
  return b.grid?.dependent === true && !b.grid.waits
    ? {
        why: `${b.what} is a dependent launch and never executes griddepcontrol.wait, so it is not ordered after the previous launch`,
        fix: `cudaGridDependencySynchronize() (griddepcontrol.wait) before ${where ?? 'the access'}`,
      }
    : {
        why: `a dependent launch between operations ${first} and ${second} never executes griddepcontrol.wait, so its end does not say that operation ${first} is over`,
        fix: `cudaGridDependencySynchronize() (griddepcontrol.wait) in every dependent launch between operations ${first} and ${second}`,
      }
}

/** `now`: the operation that is under way. */
export const findingOfRace = (named: ReadonlyMap<number, Named>, now: number, r: Race): HostFinding => {
  const first = named.get(r.first.operation!)!
  const a = sideOf(first, r.first.access)
  const { memory } = r.second.access
  const spans = listOf(r.spans)
  if (r.second.operation === null) {
    const b: HostSide = {
      operation: now,
      what: 'the host',
      stream: null,
      does: r.second.access.rw === 'r' ? 'reads' : 'writes',
      where: null,
    }
    if (r.sharesWords)
      return {
        id: 'H3',
        severity: 'L',
        title: 'the host and a kernel share words',
        text: `the host (operation ${String(now)}) ${b.does} ${memory} while ${nameOf(first)} ${a.does} it by atomic accesses of the system's scope, and has not waited for it`,
        a,
        b,
        memory,
        spans,
        why: 'the two do not race if the host uses atomics, too, which cannot be told from plain accesses',
        fix: `atomics of the host (cuda::atomic_ref, std::atomic_ref, __atomic_fetch_add) at these bytes`,
      }
    return {
      id: 'H3',
      severity: 'E',
      title: 'the host does not wait',
      text: `the host (operation ${String(now)}) ${b.does} ${memory}, which ${nameOf(first)} ${a.does}, and has not waited for it`,
      a,
      b,
      memory,
      spans,
      why: `the host has not synchronised with ${streamText(first.stream)} since operation ${String(a.operation)} was issued`,
      fix: `cudaStreamSynchronize of ${streamText(first.stream)}, or cudaDeviceSynchronize, before operation ${String(now)}`,
    }
  }
  const second = named.get(r.second.operation)!
  const b = sideOf(second, r.second.access)
  if (r.early)
    return {
      id: 'H2',
      severity: 'E',
      title: 'a dependent launch before its wait',
      text: `${nameOf(second)} ${b.does} ${memory} before its griddepcontrol.wait, and ${nameOf(first)} ${a.does} it`,
      a,
      b,
      memory,
      spans,
      why: 'until griddepcontrol.wait, a dependent launch is not ordered after the previous launch',
      fix: `cudaGridDependencySynchronize() (griddepcontrol.wait) before ${b.where ?? 'the access'}`,
    }
  const { why, fix } = edgeOf(first, second, b.where)
  return {
    id: 'H1',
    severity: first.staged ? 'L' : 'E',
    title: 'operations that nothing orders',
    text: `${nameOf(second)} ${b.does} ${memory}, which ${nameOf(first)} ${a.does}, and nothing orders the two`,
    a,
    b,
    memory,
    spans,
    why,
    fix,
  }
}

export const ofLife = (
  now: number,
  what: string,
  stream: string | null,
  memory: string,
  text: string,
  why: string,
  fix: string,
): HostFinding => ({
  id: 'H4',
  severity: 'E',
  title: 'memory that is not there',
  text,
  a: { operation: now, what, stream, does: 'uses', where: null },
  memory,
  spans: [],
  why,
  fix,
})

export const neverWritten = (
  now: number,
  what: string,
  stream: string,
  m: Memory,
  start: number,
  end: number,
  where: string | null,
): HostFinding => ({
  id: 'H5',
  severity: 'E',
  title: 'memory that nothing has written',
  text: `${what} on ${streamText(stream)} (operation ${String(now)}) reads bytes ${String(start)} to ${String(end)} of ${m.name}, which nothing has written`,
  a: { operation: now, what, stream, does: 'reads', where },
  memory: m.name,
  spans: [[start, end]],
  why: `no operation has written these bytes since operation ${String(m.made)} allocated ${m.name}`,
  fix: `write ${m.name} before operation ${String(now)}`,
})
