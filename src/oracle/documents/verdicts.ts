/** Documents of what is right: verdicts of launches and of tests of the memory model, mutants, refusals, comparisons. */
import {
  bool,
  dictionary,
  either,
  fields,
  finite,
  integer,
  list,
  nat,
  oneOf,
  pair,
  text,
  described,
  type AnyWire,
} from '../../wire.js'
import { type Members, object, orNull, type Document, document } from './members.js'
import { comparisonFields, verdictWire } from '../../semantics/files/verdict-codec.js'

const hostSide = object('a side of a finding', {
  operation: [nat, 'its operation, from 0'],
  what: [text, 'what the operation is'],
  stream: [orNull('a stream', text), 'its stream; null: the host itself'],
  does: [text, 'how it accesses the bytes'],
  where: [orNull('a line', text), 'the statement of the kernel; null: the operation is not a launch'],
})

const tally: Members = {
  mutants: [nat, 'programs that differ from the kernel in one place'],
  equivalent: [nat, 'mutants that a certificate proves equivalent to the kernel'],
  killed: [nat, 'mutants with a finding'],
  named: [nat, 'killed mutants whose first findings name the changed statement'],
  accurate: [nat, 'killed mutants whose first finding has the expected id'],
}

const counted: Members = Object.assign({}, tally, {
  sites: [nat, 'statements that were changed'],
  real: [nat, 'mutants that are not equivalent'],
  strict: [nat, 'killed mutants that only break a contract'],
  reasons: [dictionary('counts', nat), 'equivalent mutants by certificate'],
  byId: [dictionary('counts', nat), 'killed mutants by the id of their first finding'],
} satisfies Members)

const mutantRow = object('a mutant', {
  class: [text, 'synchronisation or data movement'],
  site: [text, 'label of the statement that is changed'],
  operator: [text, 'kind of the change'],
  change: [text, 'the change in words'],
  verdict: [text, 'verdict on the mutant'],
  reason: [text, 'why'],
})

const answerPairs = list(
  object('two events', { from: [nat, 'index of the first event'], to: [nat, 'index of the second event'] }),
)

const answerExecution = object('an execution', {
  events: [
    list(
      object('an event', {
        thread: [orNull('a name', text), 'its thread; null: the event initialises memory'],
        line: [orNull('a line', nat), 'its line in the file; null: the event initialises memory'],
        text: [text, 'the instruction'],
        reads: [orNull('a value', integer), 'the value that it reads; null: it does not read'],
        writes: [orNull('a value', integer), 'the value that it writes; null: it does not write'],
      }),
    ),
    'its events; other members refer to an event by its index here',
  ],
  readsFrom: [answerPairs, 'from a write to a read that takes its value'],
  coherence: [answerPairs, 'adjacent writes in coherence order'],
  fences: [answerPairs, 'adjacent fences in Fence-SC order'],
  synchronizes: [answerPairs, 'from the outer end of a release pattern to that of an acquire pattern'],
  races: [answerPairs, 'data races'],
})

const answerState = object('a final state', {
  values: [
    dictionary('values', orNull('a value', integer)),
    'final values of registers and locations; null: none, because the thread waits forever',
  ],
  waiting: [list(text), 'threads that wait at a barrier forever'],
  satisfies: [bool, 'true if it satisfies the condition'],
})

const says = object('what the model says', {
  ok: [bool, 'true if nothing is wrong'],
  says: [list(text), 'the problems, as docs/MemoryModel.md writes them; `ok` if there are none'],
})

const phaseName = object('a phase', {
  barrier: [text, 'its barrier'],
  phase: [nat, 'how often the barrier was initialised before'],
})

/** By file name under `schemas/`. */
export const verdictDocuments: Readonly<Record<string, Document>> = {
  'error.schema.json': document('tcspec.error/1', 'a refusal', {
    error: [
      object('what is refused', {
        code: [text, 'a stable code for the kind of error; `bug` means a bug in this library'],
        message: [text, 'one line: the subject, what was expected, and what was found'],
      }),
      'what was refused, and why',
    ],
  }),
  'written.schema.json': document(
    'tcspec.written/1',
    'a file that was written',
    {
      output: [text, 'the file'],
      format: [text, 'format of the file'],
      bytes: [nat, 'size of the file in bytes'],
    },
    {
      events: [nat, 'number of events in the file'],
      whole: [bool, 'whether the file has the whole run'],
    },
  ),
  'comparison.schema.json': {
    schema: 'tcspec.comparison/1',
    form: fields<unknown>(
      'a comparison of two tensors',
      new Map<string, AnyWire>([
        ['schema', described(oneOf('tcspec.comparison/1'), 'name and version of this schema')],
        ...Object.entries(comparisonFields),
      ]),
      new Map(),
    ),
  },
  'host-verdict.schema.json': document('tcspec.host-verdict/1', 'the verdict on a host program', {
    program: [text, 'name of the program, or its file'],
    verdict: [
      oneOf('ok', 'invalid', 'hazard', 'deadlock', 'wrong-result', 'undecided', 'out-of-fuel'),
      'the worst verdict of its launches and of the order between its operations',
    ],
    reason: [text, 'why, in a line'],
    operations: [nat, 'number of operations'],
    launches: [
      list(
        object('a launch', {
          operation: [nat, 'its operation, from 0'],
          node: [orNull('a node', text), 'the node of a graph; null: the operation is the launch'],
          kernel: [text, 'its kernel'],
          stream: [text, 'its stream; `legacy`: the default stream'],
          verdict: [
            orNull('a verdict', verdictWire),
            'the verdict on this launch alone; null: it was not judged',
          ],
          unjudged: [
            orNull('a reason', text),
            'why it was executed but not judged; null: it was judged, or judging was not requested',
          ],
          again: [nat, 'number of later launches of the same kernel and shape that it covers'],
        }),
      ),
      'its launches, in order',
    ],
    findings: [
      list(
        object(
          'a finding',
          {
            id: [oneOf('H1', 'H2', 'H3', 'H4', 'H5'), 'its kind (docs/Programs.md)'],
            severity: [oneOf('E', 'L'), 'E: a hazard; L: a note'],
            title: [text, 'the kind in words'],
            text: [text, 'one line: what is wrong'],
            a: [hostSide, 'the earlier operation'],
            memory: [text, 'the memory; empty if there is none'],
            spans: [list(pair(nat)), 'its bytes: start and end'],
            why: [text, 'why nothing orders the two'],
            fix: [text, 'what would'],
          },
          { b: [hostSide, 'the later operation'] },
        ),
      ),
      'findings between operations',
    ],
    compared: [
      list(
        object('a comparison', {
          operation: [
            nat,
            'index of the operation that compares; equal to the number of operations: the end of the program',
          ],
          memory: [text, 'the memory'],
          elements: [nat, 'how many elements'],
          differ: [nat, 'number of elements that differ from the expected file'],
        }),
      ),
      'what files expect',
    ],
    stopped: [
      orNull(
        'an operation',
        object('an operation', {
          operation: [nat, 'the operation that failed'],
          why: [text, 'why'],
          fatal: [
            oneOf('address', 'assertion', 'trap', 'endless'),
            'the kind: an access, an assertion, a trap, or no end',
          ],
        }),
      ),
      'the fault that stopped the program; null: none',
    ],
  }),
  'mutation.schema.json': document(
    'tcspec.mutation/1',
    'mutants of kernels, and which were killed',
    Object.assign({}, tally, {
      undecided: [nat, 'mutants that the search left undecided: not killed'],
      kernels: [
        list(
          object(
            'a kernel',
            Object.assign({}, counted, {
              kernel: [text, 'its name'],
              settings: [
                dictionary(
                  'settings',
                  either('text, a number or a boolean', text, either('a number or a boolean', finite, bool)),
                ),
                'its settings',
              ],
              undecided: [nat, 'mutants that the search left undecided'],
              survivors: [list(mutantRow), 'mutants without a finding and without a certificate'],
              unnamed: [list(mutantRow), 'killed mutants whose findings do not name the changed statement'],
              equivalents: [
                list(
                  object('an equivalent mutant', {
                    site: [text, 'label of the statement that is changed'],
                    operator: [text, 'kind of the change'],
                    change: [text, 'the change in words'],
                    reason: [text, 'its certificate'],
                  }),
                ),
                'mutants that are equivalent to the kernel',
              ],
              classes: [
                list(
                  object(
                    'a class of mutants',
                    Object.assign({}, counted, {
                      class: [text, 'synchronisation or data movement'],
                      operators: [
                        list(
                          object(
                            'an operator',
                            Object.assign({}, counted, {
                              operator: [text, 'kind of the change'],
                            } satisfies Members),
                          ),
                        ),
                        'counts for each kind of change',
                      ],
                    } satisfies Members),
                  ),
                ),
                'counts by class',
              ],
            } satisfies Members),
          ),
        ),
        'one entry for each kernel',
      ],
    } satisfies Members),
  ),
  'litmus-answer.schema.json': document('tcspec.litmus-answer/1', 'the answer to a litmus test of PTX', {
    name: [text, 'the file'],
    test: [text, 'name of the test'],
    question: [text, 'the condition, as the test writes it'],
    quantifier: [oneOf('exists', 'notExists', 'forall'), 'the kind of the condition'],
    answer: [
      oneOf('allowed', 'never', 'always', 'not always', 'undecided'),
      'the final states that satisfy the condition',
    ],
    holds: [orNull('yes or no', bool), 'whether the condition holds; null: undecided'],
    leftOut: [list(text), 'omitted axioms'],
    threads: [
      list(
        object('a thread', {
          name: [text, 'its name'],
          cta: [nat, 'its CTA'],
          cluster: [nat, 'its cluster'],
          gpu: [nat, 'its GPU'],
          lines: [
            list(
              object('an instruction', {
                line: [nat, 'its line in the file, from 1'],
                text: [text, 'the instruction'],
              }),
            ),
            'its instructions',
          ],
        }),
      ),
      'threads of the test',
    ],
    witness: [
      orNull('an execution', answerExecution),
      'an execution that satisfies the condition, or contradicts a forall; null: there is none',
    ],
    refusals: [
      list(
        object('an execution that is forbidden', {
          state: [answerState, 'the final state that it would have'],
          execution: [answerExecution, 'the values and orders that it would have'],
          contradictions: [
            list(
              object('a contradiction', {
                axiom: [text, 'the axiom'],
                section: [text, 'its section of the PTX ISA'],
                says: [text, 'what it says'],
                arrows: [
                  list(
                    object('an arrow', {
                      from: [nat, 'an event'],
                      to: [nat, 'the event that it leads to'],
                      is: [text, 'the relation'],
                      steps: [
                        list(
                          object('a step', {
                            from: [nat, 'an event'],
                            to: [nat, 'the next event'],
                            is: [text, 'the relation between the two'],
                          }),
                        ),
                        'the path in causality order; empty for other relations',
                      ],
                    }),
                  ),
                  'arrows that form a cycle',
                ],
              }),
            ),
            'axioms that it violates',
          ],
        }),
      ),
      'forbidden executions that would have this outcome; only the first ones',
    ],
    refused: [nat, 'number of such executions'],
    states: [list(answerState), 'final states that the axioms allow'],
    complete: [bool, 'whether every candidate was examined'],
    cut: [bool, 'whether a loop was cut off'],
    candidates: [nat, 'number of candidate executions that were examined'],
  }),
  'litmus.schema.json': document('tcspec.litmus/1', 'a litmus test of the memory model', {
    name: [text, 'the clause whose test it is, or the file'],
    lines: [
      list(
        object('a line', {
          line: [nat, 'its number in the file, from 1'],
          text: [text, 'what it says'],
        }),
      ),
      'the lines without comments and blanks',
    ],
    options: [
      object('options of a verdict', {
        strict: [bool, 'whether relaxed arrives and waits order no access'],
        strictProxies: [bool, 'whether a generic read before an asynchronous overwrite needs a proxy fence'],
        tensorPipe: [oneOf('issueOrder', 'documented'), 'which products of one queue are in order'],
      }),
      'the model in use',
    ],
    leftOut: [list(text), 'omitted clauses'],
    model: [says, 'what the whole model says'],
    without: [orNull('what is said', says), 'what it says without those clauses; null: none is omitted'],
    agents: [
      list(object('an agent', { name: [text, 'its name'], cta: [nat, 'its CTA'] })),
      'agents of the test',
    ],
    events: [
      list(
        object('an event', {
          line: [orNull('a line', nat), 'its line; null: the event comes before the test'],
          by: [text, 'the agent or the operation that causes it'],
          agent: [text, 'the agent; for an operation, the agent that issued it'],
          what: [text, 'what it does'],
          access: [
            orNull(
              'an access',
              object('an access', {
                rw: [oneOf('read', 'write'), 'what it does'],
                place: [text, 'where'],
                proxy: [text, 'through which proxy'],
              }),
            ),
            'the access; null: the event is not an access',
          ],
        }),
      ),
      'the log; other members refer to an event by its index here',
    ],
    arrows: [
      list(
        object('an arrow', {
          clause: [text, 'the clause that gives the arrow'],
          kind: [
            oneOf('fact', 'flow'),
            'whether a fact enters, or knowledge flows from one event to another',
          ],
          from: [nat, 'index of the event; for the completion of a phase, the event that completes it'],
          phase: [orNull('a phase', phaseName), 'the phase that is completed; null: none'],
          to: [nat, 'event'],
          views: [
            list(pair(orNull('a view', text))),
            'the view that flows and the view that it enters; for a fact, null and the view that it enters',
          ],
        }),
      ),
      'arrows whose closure is the relation; redundant ones are omitted',
    ],
    pairs: [
      list(
        object('two accesses that conflict', {
          a: [nat, 'index of the first event'],
          b: [nat, 'the second'],
          is: [
            orNull('a word', oneOf('race', 'not visible', 'unfenced', 'race of clusters', 'any order', 'ok')),
            'what the model says about them; null: nothing, because a plain write comes between them',
          ],
          because: [
            orNull(
              'a word',
              oneOf('in one unit', 'atomic', 'in order', 'seen', 'landed', 'found', 'not asked'),
            ),
            'why nothing is wrong; null: something is wrong, or the pair was not judged',
          ],
          before: [bool, 'whether the first is before the second'],
          seen: [orNull('yes or no', bool), 'whether the second sees the first; null: the first is a read'],
          window: [orNull('a view', text), 'the view in which the first must be visible'],
          done: [
            either('a phase, or a word', phaseName, oneOf('itself', 'never')),
            'what shows that the first is done: the completion of a phase, the access itself, or nothing',
          ],
          beforeBy: [
            orNull('arrows', list(nat)),
            'the arrows that order it before, as indexes into `arrows`',
          ],
          seenBy: [orNull('arrows', list(nat)), 'the arrows that make it visible'],
          hazards: [list(text), 'ids of the findings between the two'],
        }),
      ),
      'all pairs of conflicting accesses',
    ],
    nothing: [list(nat), 'reads of unwritten bytes'],
    conditions: [
      list(
        object('a condition that fails', {
          condition: [text, 'its name'],
          a: [nat, 'the first event'],
          b: [nat, 'the second event'],
        }),
      ),
      'failing conditions, with their events',
    ],
    ends: [
      list(
        object('what is left', {
          id: [text, 'id of the hazard'],
          event: [orNull('an event', nat), 'the event; null: none'],
        }),
      ),
      'what is still open at the end, and wrong uses of barriers and tensor memory',
    ],
    findings: [
      list(
        object('a finding', {
          id: [text, 'id of the hazard'],
          severity: [text, 'the severity'],
          text: [text, 'what is wrong'],
          lines: [list(nat), 'the lines of its accesses'],
          missing: [orNull('a sentence', text), 'a fix'],
        }),
      ),
      'findings of the detector in the same log, with all clauses',
    ],
  }),
}
