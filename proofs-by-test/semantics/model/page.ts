/** docs/MemoryModel.md, made of the table of clauses, of their litmus tests, and of what the zoo needs. */
import type { Needs } from '../../../src/render/hazards/index.js'
import { clauses, model, usual, type Clause } from '../../../src/semantics/model/index.js'
import { read, said } from './litmus.js'

// ---------------------------------------------------------------- the page

const verdict = (log: ReadonlyArray<string>, c: Clause, leftOut: ReadonlyArray<string>): string => {
  const test = read(log)
  return said(test, model(test.header, test.log, { ...usual, ...c.litmus.options }, leftOut)).join('; ')
}

const optionsOf = (c: Clause): string =>
  c.litmus.options === undefined ? '' : ` under ${Object.keys(c.litmus.options).join()}`

const section = (c: Clause): string =>
  [
    `### ${c.id}`,
    '',
    c.says,
    '',
    `_Source_: ${c.source}.`,
    '',
    '```',
    ...c.litmus.log,
    '```',
    '',
    `| | says${optionsOf(c)} |`,
    '| --- | --- |',
    `| the model | ${verdict(c.litmus.log, c, [])} |`,
    `| without \`${c.id}\` | ${verdict(c.litmus.log, c, [c.id])} |`,
    '',
  ].join('\n')

const parts: ReadonlyArray<readonly [Clause['part'], string, string]> = [
  [
    'order',
    'Order',
    `Which event has happened before which. Order is the closure of the relations below. An asynchronous access is ordered before an event where its *completion* is known there, and
completions are facts of their own: that a group, a copy or a queue entry is done, that a phase of a barrier is complete.`,
  ],
  [
    'visibility',
    'Visibility',
    `Which write an access finds. Visibility flows along \`program\`, from an issue into the accesses of its operation, over \`fork\`, \`release\`, \`meet\`, \`lanes\`, \`semaphore\`, \`synchronises\`, \`fence-sc\`, \`fence-arrive\`, and enters
where \`complete\`, \`copies\`, \`group\` and \`commit\` say so. It does not flow from an issue into a signal, nor over \`relaxed\`. The clauses below open the other windows on memory.`,
  ],
  [
    'conflict',
    'Races and hazards',
    `Conditions on a pair of accesses. It applies to pairs that *meet*: no plain write to the shared bytes comes between the two. Order is transitive, so
there is a race among those iff there is one among all that conflict.`,
  ],
  [
    'readings',
    'Values of a strong read',
    `Other values that a strong read of the log could have found, or that two strong writes could have left. The effect of the other value does not follow from one log: a search runs the program again with it
(docs/Ptx.md), and \`src/semantics/axioms\` enumerates every execution of a small program. Whether a read whose value only comes into memory may take a *later* write is asked only by that search.`,
  ],
  [
    'conditions',
    'When one schedule decides',
    `Six conditions, under which a run without findings decides every schedule (docs/hazards.md has the theorem and why each condition is as it is). C5 holds if everything in the last section holds and the run ends.`,
  ],
  [
    'ends',
    'Lifetimes',
    'Events that must end before something goes away, and what barriers and tensor memory demand.',
  ],
]

const list = (ids: ReadonlyArray<string>): string =>
  ids.length === 0 ? '' : ids.map((x) => `\`${x}\``).join(', ')

const table = (all: ReadonlyArray<Needs>): ReadonlyArray<string> => {
  const decided = all.filter((n) => n.missed.length > 0)
  const other = all.filter((n) => n.missed.length === 0).map((n) => n.id)
  return [
    '| hazard | not found without | the right kernel is reported without |',
    '| --- | --- | --- |',
    ...decided.map((n) => `| ${n.id} | ${list(n.missed)} | ${list(n.refused)} |`),
    '',
    `${other.join(', ')} do not depend on a clause: a run reaches them (a deadlock, a fault of the machine), or they are decided before it (shapes, limits, layouts, what a barrier is
declared for).`,
  ]
}

export const page = (all: ReadonlyArray<Needs>): string =>
  [
    '# The memory model',
    '',
    `Does this arrive order that write before that read? Ask with the smallest program that shows it. Here the reader waits for the writer:

\`\`\`
$ tcspec litmus release
1  T0: write x
2  T0: arrive b
3  T1: wait b 0
4  T1: read x
...
ok
    1 \`T0: write x\`, 4 \`T1: read x\`: before by program 1 -> 2, release 2 -> 3, program 3 -> 4; seen in generic
\`\`\`

In a model without the clause \`release\` the same program has a race:

\`\`\`
$ tcspec litmus release --without release
...
race
    1 \`T0: write x\`, 4 \`T1: read x\`: not before
\`\`\`

\`tcspec litmus FILE\` answers the same for lines of your own ([Litmus](Litmus.md)). This page lists every clause with its source, a litmus test that needs it, and the hazards that need it. It is made
from \`src/semantics/model\`, and its verdicts are computed. \`proofs-by-test/semantics/model\` compares the model with the detector, event for event, on the zoo, on every kernel and each of its one-statement
removals, and on random programs.`,
    '',
    '## How to read it',
    '',
    'This section defines the words; each clause after it can be read by itself. In the sources, *PTX n* is a section of the PTX ISA in the numbering of version 9.1. A title in quotation marks is a section',
    'whose number was not looked up. *captured* is a file of recorded results under `conformance/hopper`.',
    '',
    `A log is a list of events in one total order. Agents access, arrive, wait and fence; the operations that they issue access and signal. Unlike herd's cat files, this model has no search: the log is one execution, and the question is whether another schedule could have made a different one.`,
    '',
    `- A *fact* says that something has happened: an event of an agent, an access of an operation, the completion of a phase of a barrier.
- A *view* of an event is a set of facts. The view \`order\` has what happened before. The view \`generic\` has the writes that an ordinary access finds. \`views.ts\` lists all views.
- A *clause* is a set of arrows. A fact enters a view of an event, or a view of one event flows into a view of another. Arrows go forward in the log.`,
    '',
    '```',
    'known(e, v)  =  { facts that enter (e, v) }  ∪  ⋃ { known(e′, v′) | (e′, v′) → (e, v) }',
    '',
    'a before b   =  done(a) ∈ known(b, order)                  done: the access itself; of a copy, the completion of its phase',
    'a seen by b  =  done(a) ∈ known(b, window(a, b))           window: the view that belongs to the proxies of a and b',
    '',
    'race         =  a meets b, conflicting, not (a before b), not in one in-order unit',
    'hazard       =  a meets b, a writes, a before b, not (a seen by b), not landed',
    '```',
    '',
    `- Two accesses *conflict* if they share bytes, one of them writes, and they are not atomic for one another. They *meet* if no plain write to those bytes comes between them.
- An access is *strong* if it is relaxed, acquire, release or volatile, or an atomic. Two are *morally strong* if each is in the scope of the other, both go through one proxy, and they touch exactly the same bytes; such a pair is atomic for one another.
- A read *observes* the write that it takes if the two are morally strong. If that write is an atomic, the read also observes what the atomic observes.
- The first of two writes has *landed* if each byte that they share was read in between, by a read that saw the first and comes before the second.
- A *phase* of a barrier is one of its generations: the events that fall into it, up to the one that completes it. An arrow that *tells* carries visibility; any other arrow carries only order.`,
    '',
    'The same as a cat file. The names in the first four lines are clauses below. `co`, `rf` and `fr` come from the log, in which all writes of a byte have an order; `pipe`, `seen` and',
    '`landed` are the relations above.',
    '',
    '```',
    `let order   = (${clauses
      .filter((c) => c.part === 'order' && (c.arrows !== undefined || c.id === 'certain-peeks'))
      .map((c) => c.id)
      .join(' | ')})+`,
    'let generic = (program | issue-into-accesses | fork | release | complete | copies | group | meet | lanes | semaphore | synchronises | fence-sc | fence-arrive)+',
    'let shared  = generic ; [proxy-fence] ; generic',
    'let tensor  = (program | group | commit ; received | [before] ; release ; [after])+',
    'empty (co | rf | fr)-immediate \\ (order | pipe)            as race',
    'empty (co | rf)-immediate ∩ order \\ (seen | landed | pipe)  as visibility',
    '```',
    '',
    '| in a litmus test | is |',
    '| --- | --- |',
    '| `T0`, `T1` ...; `U0`, `U1` ... | agents of CTA 0; of CTA 1; `V0` is of a CTA of another cluster that runs at the same time |',
    '| `read`, `write`; `load`, `store`, `atomic` | weak accesses; strong ones, relaxed and of `gpu` scope unless a word says otherwise; `wide`: 64 bits, else 32 |',
    '| `wait.word s`; `kept`, `decides` | a loop that loads `s` until it has a value; the value of a load only comes into memory, or a branch depends on it |',
    '| `bar`; `meet`; `sync` | bar.sync of a CTA; the cluster barrier; bar.warp.sync |',
    "| `x`, `y`, `z`; `x'` | shared memory of CTA 0; of CTA 1 |",
    '| `g`, `h`, `s`; `t`; `r` | global memory; tensor memory of CTA 0; registers of T0 |',
    "| `b`, `c`, `d`; `b'` | barriers of CTA 0 that count 1; of CTA 1. Unless a log is `bare` they are initialised, and every agent knows it |",
    '| `#1` | an operation, between its issue and its signals |',
    '',
    ...parts.flatMap(([part, title, text]) => [
      `## ${title}`,
      '',
      text,
      '',
      ...clauses.filter((c) => c.part === part).map(section),
    ]),
    '## Where the manual is silent',
    '',
    'These clauses, or parts of them, are in no manual. A verdict that rests on `relaxed` says so (N2), and so does one that rests on the order of products in `pipe` (N3). `--strict` judges without the first, and `--tensor-pipe documented` without the second.',
    '',
    ...clauses
      .filter((c) => c.evidence === 'model' && c.part !== 'conditions' && c.part !== 'ends')
      .map((c) => `- \`${c.id}\`: ${c.source}.`),
    '',
    '## Which clause each hazard needs',
    '',
    `Found by leaving each clause out, on one run of the kernels of the zoo (docs/hazards.md): without a clause of the second column a mistake of the wrong kernel is no longer found; without one of the third
column the right kernel is reported.`,
    '',
    ...table(all),
    '',
  ].join('\n')
