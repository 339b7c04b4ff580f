/**
 * Order between operations, clause by clause: what each says, where it comes from, and a litmus test that changes when it is left out.
 *
 * docs/LaunchOrder.md is made of this table. A test is what a host does, a line each (`litmus.ts`); its answer with all clauses, and without this one, is computed.
 */
import type { ClauseId } from './order.js'

export interface Clause {
  readonly id: ClauseId
  readonly says: string
  readonly source: string
  readonly litmus: ReadonlyArray<string>
  /** what the test says with all clauses, and without this one */
  readonly expect: 'ok' | 'race'
  readonly without: 'ok' | 'race'
}

export const clauses: ReadonlyArray<Clause> = [
  {
    id: 'issue',
    says: 'An operation begins after everything that the host knows to be complete when it issues the operation. It also begins after the earlier accesses of the host itself.',
    source: 'CUDA C++ Programming Guide, “Streams”; CUDA Runtime API, “API synchronization behavior”',
    litmus: ['A on s: write x', 'host waits for device', 'B on t: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'stream',
    says: 'An operation begins when all earlier operations of its stream are complete, and sees what they wrote.',
    source: 'CUDA C++ Programming Guide, “Streams”',
    litmus: ['A on s: write x', 'B on s: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'legacy',
    says: 'An operation of the legacy default stream begins when all earlier operations of blocking streams are complete. Later operations of these streams begin when it is complete. A stream made with `cudaStreamNonBlocking` does not block. The per-thread default stream blocks.',
    source: 'CUDA Runtime API, “Stream synchronization behavior”',
    litmus: ['A on s: write x', 'B on legacy: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'event',
    says: 'A stream that waits for an event continues when everything is complete that preceded the last record of the event in its stream. A wait for an event that was never recorded waits for nothing.',
    source: 'CUDA Runtime API, cudaStreamWaitEvent, cudaEventRecord',
    litmus: ['A on s: write x', 'e recorded on s', 't waits for e', 'B on t: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'device-sync',
    says: 'After the host has synchronised with the device, it knows that all operations are complete. `cudaFree` and `cudaFreeHost` have the same effect.',
    source: 'CUDA Runtime API, cudaDeviceSynchronize; CUDA C++ Programming Guide, “Implicit Synchronization”',
    litmus: ['A on s: write x', 'host waits for device', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'stream-sync',
    says: 'After the host has synchronised with a stream, or has queried it with success, it knows that its operations are complete.',
    source: 'CUDA Runtime API, cudaStreamSynchronize, cudaStreamQuery',
    litmus: ['A on s: write x', 'host waits for s', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'event-sync',
    says: 'After the host has synchronised with an event, or has queried it with success, it knows that everything is complete that preceded the last record of the event in its stream.',
    source: 'CUDA Runtime API, cudaEventSynchronize, cudaEventQuery',
    litmus: ['A on s: write x', 'e recorded on s', 'host waits for e', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'return',
    says: 'Some calls return only when their work is complete, and then the host knows it: `cudaMemcpy` to memory of the host, and `cudaMemcpyAsync` to pageable memory.',
    source: 'CUDA Runtime API, “API synchronization behavior”, Memcpy',
    litmus: ['A on s: write x', 'C on s returns: read x, write h', 'host: read h'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'dependent',
    says: 'A launch with programmatic stream serialisation, right after a launch of its stream, may begin when all CTAs of that launch have executed `griddepcontrol.launch_dependents` or have ended. Until it waits, it is not ordered after the memory accesses of that launch. If that launch never triggers, all of its threads have ended. Then the dependent launch may overwrite what that launch reads.',
    source:
      'CUDA C++ Programming Guide, “Programmatic Dependent Launch and Synchronization”; PTX ISA, griddepcontrol',
    litmus: ['A on s: write x, trigger', 'B on s dependent: read x, wait'],
    expect: 'race',
    without: 'ok',
  },
  {
    id: 'grid-wait',
    says: 'After `griddepcontrol.wait`, a dependent launch knows that the previous launch is complete. It also knows everything that the previous launch knew at its end.',
    source: 'PTX ISA, griddepcontrol; CUDA C++ Programming Guide, cudaGridDependencySynchronize',
    litmus: ['A on s: write x, trigger', 'B on s dependent: wait, read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'grid-end',
    says: 'If a dependent launch has waited, its end implies that the previous launch is complete, and an operation that waits for its end is ordered after both. If it has not waited, its end implies nothing about the previous launch.',
    source:
      'PTX ISA, griddepcontrol (a wait is for the prerequisite grids; a launch that does not wait may end before they do)',
    litmus: ['A on s: write x, trigger', 'B on s dependent: wait, trigger', 'C on s dependent: wait, read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'graph',
    says: 'A node of a graph begins when the nodes at the start of its edges are complete. Nodes that no path of edges connects may run at the same time. A programmatic edge has the rules of a dependent launch. A graph is one operation of the stream that it is launched in.',
    source: 'CUDA C++ Programming Guide, “CUDA Graphs”, “Edge Data”',
    litmus: ['graph on s; A: write x; B after A: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'graph-event',
    says: 'A node that records an event is a record after everything on the paths to it. A node that waits for an event continues when everything is complete that preceded the last record of the event before the launch of the graph.',
    source: 'CUDA Runtime API, cudaGraphAddEventRecordNode, cudaGraphAddEventWaitNode',
    litmus: [
      's does not block',
      'graph on s; A: write x; E after A: record e',
      'graph on t; W: wait for e; B after W: read x',
    ],
    expect: 'ok',
    without: 'race',
  },
]

/** Tests that show what no clause gives: what is missing in each is what a program forgets. */
export const forgotten: ReadonlyArray<{ readonly what: string; readonly litmus: ReadonlyArray<string> }> = [
  { what: 'two streams without an event', litmus: ['A on s: write x', 'B on t: read x'] },
  {
    what: 'an event that is recorded too early',
    litmus: ['e recorded on s', 'A on s: write x', 't waits for e', 'B on t: read x'],
  },
  {
    what: 'a non-blocking stream and the legacy stream',
    litmus: ['s does not block', 'A on s: write x', 'B on legacy: read x'],
  },
  {
    what: 'a copy to pinned memory without a wait by the host',
    litmus: ['C on s: read x, write h', 'host: read h'],
  },
  {
    what: 'a pinned buffer that the host fills again during the copy',
    litmus: ['C on s: read h, write x', 'host: write h'],
  },
  {
    what: 'a dependent launch that reads before its wait, after a launch that never triggers',
    litmus: ['A on s: write x', 'B on s dependent: read x, wait'],
  },
  {
    what: 'a chain of dependent launches whose middle one never waits',
    litmus: ['A on s: write x, trigger', 'B on s dependent: trigger', 'C on s dependent: wait, read x'],
  },
  { what: 'a graph with a missing edge', litmus: ['graph on s; A: write x; B: read x'] },
  {
    what: 'a graph that records its event next to the node that writes',
    litmus: ['graph on s; A: write x; E: record e', 't waits for e', 'B on t: read x'],
  },
  { what: 'two streams that share a workspace', litmus: ['A on s: write x', 'B on t: write x'] },
]
