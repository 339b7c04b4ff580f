/**
 * The essay of docs/hazards.md: the two relations, the theorem, and why each of its conditions is as it is. The sections of the ids are made
 * of the taxonomy and the zoo (`page.ts`).
 */
import type { ConditionName } from '../../semantics/judging/finding.js'

// ---------------------------------------------------------------- model

/** A log, one agent a line, and what is to be learned from it. */
interface Example {
  readonly title: string
  readonly lines: ReadonlyArray<string>
  readonly lesson: string
}

// ---------------------------------------------------------------- data

const conditions: ReadonlyArray<readonly [ConditionName, string]> = [
  [
    'C1',
    'The steps of an agent follow from the values that it reads. No branch depends on a clock, on the order in which atomics return, or on whether a test of a barrier succeeded. One test is allowed: a peek, which only spares a later wait for the same phase. It is judged as if it had failed, unless it cannot fail.',
  ],
  [
    'C2',
    'Waits block on the parity of their barrier. A wait that passes while n generations are complete has observed generation n - 1. On a fresh barrier that is -1: the wait gives no information.',
  ],
  [
    'C3',
    'For every barrier, every event of generation g is ordered before every event of generation g + 1, even if the last one never completes. Events are arrivals, announcements of bytes, and deliveries of bytes. Otherwise: B3.',
  ],
  [
    'C4',
    'A wait observes the same generation in every schedule. From above: if generation g + 1 completes, some arrival of it comes after the wait for g (else B1). From below: the agent knew every arrival of g - 1 before it waited for g, and not through this wait (else B3).',
  ],
  [
    'C5',
    'The run ends and leaves nothing open: every effect on a CTA is ordered before the exit of one of its agents, and every output is written. Allocation is deterministic: the steps of one allocator of tensor memory are ordered where their order decides which columns there are.',
  ],
  [
    'C6',
    'Every announcement of bytes is part of an arrival of its generation, or ordered before one, even in a generation that never completes. Otherwise: B4.',
  ],
]

const v1: Example = {
  title: 'V1: ordered, and not visible',
  lines: [
    'T0   arriveExpectTx b;  TMA x -> b',
    'T1   wait b 0;  TMA z -> c;  TMA y -> b',
    'T2   arriveExpectTx c;  wait c 0;  arriveExpectTx b;  wait b 1;  read x',
  ],
  lesson:
    'T2 comes after everything. It has seen generation 0 of c, which published z, and generation 1 of b, which published y. It has not seen generation 0 of b. T1 had seen it before it issued z, but the completion of z publishes z and not what T1 knew. A detector that keeps only the highest generation of b that was seen finds nothing here.',
}

const examples: ReadonlyArray<Example> = [
  {
    title: 'C3 must cover announcements, too',
    lines: ['T0   arrive b', 'T1   expectTx b;  wait b parity 0', 'b counts 1'],
    lesson:
      'There is one counted arrival, so nothing to order among arrivals. If T0 comes first, generation 0 completes without the bytes and the announcement joins generation 1. If T1 comes first, generation 0 waits for bytes that never come: a deadlock.',
  },
  {
    title: 'C4 must look down as well as up',
    lines: [
      'T0   arrive b0;  wait b1 parity 1;  write x;  wait b0 parity 0',
      'T1   arrive b1;  wait b0 parity 0;  wait b0 parity 0;  write x;  async { read y;  arrive b1 }',
      'both count 1',
    ],
    lesson:
      'If T0 is late, its wait sees generation 1 of b1 and everything is ordered. If it is early it passes on the fresh barrier, whose last generation is -1, and the two writes race.',
  },
  {
    title: 'C6 must cover generations that never complete',
    lines: ['T0   expectTx b', 'T1   arrive b;  wait b parity 1', 'b counts 1'],
    lesson:
      'If T0 comes first, generation 0 stays open because bytes are missing, and the wait passes on the fresh barrier: nothing seems wrong. If T1 comes first, its arrival completes generation 0, and the wait blocks on generation 1, which never comes: a deadlock. In the first run, only the incomplete generation shows the mistake.',
  },
  {
    title: 'A write after a write that was read',
    lines: [
      'P   TMA -> s, full',
      'C   wait full 0;  MMA reads s;  commit -> empty',
      'P   wait empty 0;  TMA -> s',
    ],
    lesson:
      'The commit does not publish the first copy to P, so the second write is ordered after the first and does not see it. That is not needed: the MMA saw the copy, so the copy is complete. Without this exception every ring that is filled twice would be refused.',
  },
]

// ---------------------------------------------------------------- text

const example = (e: Example): string =>
  [`### ${e.title}`, '', '```', ...e.lines, '```', '', e.lesson, ''].join('\n')

const relations = `## Two relations

A run is a list of events. Two relations are computed over it in one pass.

**Order** says what has happened before what. Each of these is ordered in itself: the statements of an agent; the issue of an asynchronous operation, its accesses and its
signals; the products of one tensor queue, and the pairs that the manual lists; the arrivals of a generation and each wait for it; a completed group and
the wait that covers it; everything before and after a point where agents meet. In PTX the lanes of a warp are threads, and \`bar.warp.sync\` is where they meet.

**Visibility** says what an access finds. It is smaller than order:

- The completion of a bulk copy publishes the accesses of that copy, and nothing that its issuer did before.
- A relaxed arrive or wait publishes nothing, except barriers that its agent has initialised and fenced (\`fence.mbarrier_init\`, B9).
- An ordinary write reaches an asynchronous unit only through a proxy fence of an agent that sees the write.
- Tensor memory passes to another agent only through the thread-sync fences, or through a barrier with tensor-core order.

Two accesses that conflict and are not ordered are a race: the ids with D, R and W, and M1 to M3. A write that is ordered before an access but not visible to it is a
visibility hazard: P, M4, M8 and V1. A read before a write must be ordered, and no more.

Shipped kernels rely on two orders that the manual does not grant. Relaxed arrives, waits and cluster barriers are taken to order ordinary accesses; \`--strict\` takes that
back, and a verdict that rests on it says so (N2). The products of one agent are taken to happen in the order of their issue; \`--tensor-pipe documented\`
takes that back, and a verdict that rests on it says so, too (N3).
`

const theorem = `## When one schedule decides

**Theorem.** If C1 to C6 hold in a run, and nothing is found in it, then every schedule has the same events, the same generations, the same relations and
the same memory, and every schedule ends. So one run is enough.

${conditions.map(([name, text]) => `- **${name}** ${text}`).join('\n')}

A deadlock or a fault that a run reaches is real, whatever the conditions say. If C3, C4 or C6 fails, any other finding of the run is a candidate, and the verdict is
\`undecided\` until a schedule confirms it.

A run may stop before its end: by its fuel (\`--fuel\`), or because control depends on missing data. A trace may be cut. Findings from before that
point hold. U1, U2, K1, T1 and O1 are not known for the cluster that was running, and neither is C5. The verdict is then \`undecided\`, or \`out-of-fuel\` where more fuel may
decide. Both have exit status 3.
`

/** What follows after the ids. */
export const essay: ReadonlyArray<string> = [
  relations,
  example(v1),
  theorem,
  '## Why each condition is needed\n',
  ...examples.map(example),
]
