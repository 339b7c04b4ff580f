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
    says: 'An operation begins after everything that the host knows to be over when it issues it, and after what the host has done itself.',
    source: 'CUDA C++ Programming Guide, “Streams”; CUDA Runtime API, “API synchronization behavior”',
    litmus: ['A on s: write x', 'host waits for device', 'B on t: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'stream',
    says: 'An operation begins when all earlier operations of its stream are over, and what they wrote is there.',
    source: 'CUDA C++ Programming Guide, “Streams”',
    litmus: ['A on s: write x', 'B on s: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'legacy',
    says: 'An operation of the legacy default stream begins when all earlier operations of streams that block are over, and the later ones of those begin when it is over. A stream made with `cudaStreamNonBlocking` does not block. The per-thread default stream blocks.',
    source: 'CUDA Runtime API, “Stream synchronization behavior”',
    litmus: ['A on s: write x', 'B on legacy: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'event',
    says: 'A stream that waits for an event goes on when all is over that the stream of the event had when it was recorded last. A wait for an event that was never recorded waits for nothing.',
    source: 'CUDA Runtime API, cudaStreamWaitEvent, cudaEventRecord',
    litmus: ['A on s: write x', 'e recorded on s', 't waits for e', 'B on t: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'device-sync',
    says: 'A host that has synchronised with the device knows that all operations are over. So does one that has freed memory with `cudaFree` or `cudaFreeHost`.',
    source: 'CUDA Runtime API, cudaDeviceSynchronize; CUDA C++ Programming Guide, “Implicit Synchronization”',
    litmus: ['A on s: write x', 'host waits for device', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'stream-sync',
    says: 'A host that has synchronised with a stream, or has found it done, knows that its operations are over.',
    source: 'CUDA Runtime API, cudaStreamSynchronize, cudaStreamQuery',
    litmus: ['A on s: write x', 'host waits for s', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'event-sync',
    says: 'A host that has synchronised with an event, or has found it done, knows that all is over that the stream had when the event was recorded last.',
    source: 'CUDA Runtime API, cudaEventSynchronize, cudaEventQuery',
    litmus: ['A on s: write x', 'e recorded on s', 'host waits for e', 'host: read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'return',
    says: 'A call that returns when its work is done tells the host so: `cudaMemcpy` to memory of the host, `cudaMemcpyAsync` to pageable memory.',
    source: 'CUDA Runtime API, “API synchronization behavior”, Memcpy',
    litmus: ['A on s: write x', 'C on s returns: read x, write h', 'host: read h'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'dependent',
    says: 'A launch with programmatic stream serialisation, right after a launch of its stream, may begin when all CTAs of that one have executed `griddepcontrol.launch_dependents` or have ended. Until it waits it knows nothing of what that one does to memory; where that one never triggers, all of its threads have ended, which is enough to write what it reads.',
    source:
      'CUDA C++ Programming Guide, “Programmatic Dependent Launch and Synchronization”; PTX ISA, griddepcontrol',
    litmus: ['A on s: write x, trigger', 'B on s dependent: read x, wait'],
    expect: 'race',
    without: 'ok',
  },
  {
    id: 'grid-wait',
    says: 'After `griddepcontrol.wait` a dependent launch knows that the one before it is over, and all that this one knew at its end.',
    source: 'PTX ISA, griddepcontrol; CUDA C++ Programming Guide, cudaGridDependencySynchronize',
    litmus: ['A on s: write x, trigger', 'B on s dependent: wait, read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'grid-end',
    says: 'The end of a dependent launch that has waited says that the one before it is over, and who waits for its end knows both. The end of one that has not waited says nothing of the one before it.',
    source:
      'PTX ISA, griddepcontrol (a wait is for the prerequisite grids; a launch that does not wait may end before they do)',
    litmus: ['A on s: write x, trigger', 'B on s dependent: wait, trigger', 'C on s dependent: wait, read x'],
    expect: 'ok',
    without: 'race',
  },
  {
    id: 'graph',
    says: 'A node of a graph begins when the nodes of its edges are over; nodes that no path of edges joins run together. A programmatic edge is that of a dependent launch. A graph is one operation of the stream that it is launched in.',
    source: 'CUDA C++ Programming Guide, “CUDA Graphs”, “Edge Data”',
    litmus: ['graph on s; A: write x; B after A: read x'],
    expect: 'ok',
    without: 'race',
  },
]

/** Tests that show what no clause gives: what is missing in each is what a program forgets. */
export const forgotten: ReadonlyArray<{ readonly what: string; readonly litmus: ReadonlyArray<string> }> = [
  { what: 'two streams and no event', litmus: ['A on s: write x', 'B on t: read x'] },
  {
    what: 'an event that is recorded before what it is for',
    litmus: ['e recorded on s', 'A on s: write x', 't waits for e', 'B on t: read x'],
  },
  {
    what: 'a stream that does not block, and the legacy stream',
    litmus: ['s does not block', 'A on s: write x', 'B on legacy: read x'],
  },
  {
    what: 'a copy to pinned memory that the host does not wait for',
    litmus: ['C on s: read x, write h', 'host: read h'],
  },
  {
    what: 'a pinned buffer that is filled again while it is copied',
    litmus: ['C on s: read h, write x', 'host: write h'],
  },
  {
    what: 'a dependent launch that reads before its wait, where the one before triggers nothing',
    litmus: ['A on s: write x', 'B on s dependent: read x, wait'],
  },
  {
    what: 'a chain of dependent launches, of which the middle one never waits',
    litmus: ['A on s: write x, trigger', 'B on s dependent: trigger', 'C on s dependent: wait, read x'],
  },
  { what: 'a graph with an edge too few', litmus: ['graph on s; A: write x; B: read x'] },
  { what: 'two streams and one workspace', litmus: ['A on s: write x', 'B on t: write x'] },
]
