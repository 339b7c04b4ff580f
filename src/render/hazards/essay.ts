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
    'Every agent is a function of the values it reads. Nothing branches on whether a test of a barrier succeeded (but a peek may: a test that no more than spares a later wait for the same phase, and is judged as if it had failed unless it cannot fail), on a clock, or on the order in which atomics return.',
  ],
  [
    'C2',
    'Waits block on the parity of their barrier. One that passes while n generations are complete has observed generation n - 1; on a fresh barrier that is -1, which tells nothing.',
  ],
  [
    'C3',
    'For every barrier, every event of generation g is ordered before every event of generation g + 1, also if the last one never completes. Events are arrivals, announcements of bytes, and deliveries of bytes. If not: B3.',
  ],
  [
    'C4',
    'A wait observes the same generation in every schedule. From above: if generation g + 1 completes, some arrival of it comes after the wait for g (else B1). From below: the agent knew every arrival of g - 1 before it waited for g, and not through this wait (else B3).',
  ],
  [
    'C5',
    'The run ends, and at its end nothing is left over: every effect on a CTA is ordered before the exit of some agent of it, every output is written. And allocation is deterministic: the steps of one allocator of tensor memory are ordered where their order decides which columns there are.',
  ],
  [
    'C6',
    'Every announcement of bytes is part of an arrival of its generation, or ordered before one, also in a generation that never completes. If not: B4.',
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
    'T2 comes after everything. It has seen generation 0 of c, which published z, and generation 1 of b, which published y. It has not seen generation 0 of b. T1 had, before it issued z; but the completion of z publishes z, not what T1 knew. A detector that keeps only the highest generation seen of b calls this right.',
}

const examples: ReadonlyArray<Example> = [
  {
    title: 'C3 has to speak of announcements too',
    lines: ['T0   arrive b', 'T1   expectTx b;  wait b parity 0', 'b counts 1'],
    lesson:
      'There is one counted arrival, so nothing to order among arrivals. If T0 comes first, generation 0 completes without the bytes and the announcement joins generation 1. If T1 comes first, generation 0 waits for bytes that never come: a deadlock.',
  },
  {
    title: 'C4 has to look down as well as up',
    lines: [
      'T0   arrive b0;  wait b1 parity 1;  write x;  wait b0 parity 0',
      'T1   arrive b1;  wait b0 parity 0;  wait b0 parity 0;  write x;  async { read y;  arrive b1 }',
      'both count 1',
    ],
    lesson:
      'If T0 is late its wait sees generation 1 of b1 and everything is ordered. If it is early it passes on the fresh barrier, whose last generation is -1, and the two writes race.',
  },
  {
    title: 'C6 has to speak of generations that never complete',
    lines: ['T0   expectTx b', 'T1   arrive b;  wait b parity 1', 'b counts 1'],
    lesson:
      'If T0 comes first, generation 0 stays open for want of bytes, and the wait passes on the fresh barrier: nothing seems wrong. If T1 comes first, its arrival completes generation 0, and the wait stands for generation 1, which never comes: a deadlock. In the first run only a look at the incomplete generation shows it.',
  },
  {
    title: 'A write over a write that was read',
    lines: [
      'P   TMA -> s, full',
      'C   wait full 0;  MMA reads s;  commit -> empty',
      'P   wait empty 0;  TMA -> s',
    ],
    lesson:
      'The commit does not publish the first copy to P, so the second write is ordered after the first and does not see it. It need not: the MMA saw it, hence it has landed. Without this exception every ring that is filled twice would be refused.',
  },
]

// ---------------------------------------------------------------- text

const example = (e: Example): string =>
  [`### ${e.title}`, '', '```', ...e.lines, '```', '', e.lesson, ''].join('\n')

const introduction = `# Hazards

What can be wrong with a kernel, under which name it is reported, and when one run is enough to say that nothing is.

A finding names two operations, the bytes they share, what the later one's agent knew of the earlier, and the smallest thing that is missing: a
fence, a group wait, a wait, an arrive.
`

const relations = `## Two relations

Over the events of a run there are two relations. Both are computed in one pass over the log.

**Order**: what has happened before what. It follows the program of each agent; an asynchronous operation from its issue to its accesses to its
signals; products of one tensor queue, and the pairs of its entries that the manual lists; every arrival of a generation to each wait that observes this generation; a completed group to the wait
that covers it; and wherever agents meet. In PTX the program is that of a lane: the lanes of a warp are threads, and \`bar.warp.sync\` is where they meet.

**Visibility**: what an access would find. It is smaller than order. The completion of a bulk copy publishes the accesses of that copy and nothing
that its issuer did before. Relaxed arrives and waits publish nothing, but for barriers that their agent has initialised and fenced
(\`fence.mbarrier_init\`): agents of other CTAs have to see the initialisation of a barrier that they use (B9). An ordinary write reaches an
asynchronous unit only across a proxy fence by an agent that sees the write. Tensor memory passes to another agent only across the thread-sync fences, or a barrier that carries tensor-core order.

Two accesses that conflict and are not ordered are a race: the ids with D, R, W, and M1 to M3. A write that is ordered before an access and not visible to it is a visibility
hazard: P, M4, M8, V1. A read before a write has to be ordered and no more.

Two kinds of order are more than the manual grants, and shipped kernels rely on both. Relaxed arrives, waits and cluster barriers order no ordinary access
by the manual's word; here they do unless \`--strict\`, and a verdict that rests on one says so (N2). The products of one agent happen in the order of
their issue, whatever their accumulators; \`--tensor-pipe documented\` takes that back, and a verdict that rests on it says so, too (N3).
`

const theorem = `## When one schedule decides

**Theorem.** A run in which C1 to C6 hold and nothing is found stands for every schedule: the same events, the same generations, the same relations, the
same memory, and every schedule ends.

${conditions.map(([name, text]) => `- **${name}** ${text}`).join('\n')}

A deadlock or a fault that a run reaches is real whatever the conditions say. Any other finding of a run in which C3, C4 or C6 fails is a candidate, and
the verdict is \`undecided\` until a schedule confirms it.

A run may be stopped before its end: by its fuel (\`--fuel\`), or where control depends on data that the algebra does not keep; and a trace may be cut. What
was found before is a finding. Of the end nothing is said: no U1, U2, K1, T1 or O1 of the cluster under way. C5 is then not known, and the verdict is
\`undecided\`, or \`out-of-fuel\` where more fuel may settle it: the last of the words. Both are exit status 3.
`

/** What stands before the ids. */
export const essay: ReadonlyArray<string> = [
  introduction,
  relations,
  example(v1),
  theorem,
  '## Why each condition is as it is\n',
  ...examples.map(example),
]
