/**
 * Documents: the form of everything that a command prints with `--json`, one schema each.
 *
 * Every document is an object with a member `schema`, a name and a version. The JSON Schemas under `schemas/` are made of these
 * descriptions (those of programs, traces and verdicts of `semantics/json-schema.ts`), and every property says what it is.
 *
 * | printed by                                      | schema                   | file                        |
 * |-------------------------------------------------|--------------------------|-----------------------------|
 * | `check`, `run`                                  | `tcspec.verdict/2`       | `verdict.schema.json`       |
 * | `check`, `run` of a program of a host           | `tcspec.host-verdict/1`  | `host-verdict.schema.json`  |
 * | `banks`, `compare`, `cute`, `image`, `kernels`, `linear`, `mma`, `mutate`, `score`, `tiling`, `transform` | `tcspec.banks/1` and so on | `banks.schema.json` and so on |
 * | `ptx X.ptx`                                     | `tcspec.ptx/1`           | `ptx.schema.json`           |
 * | `litmus`                                        | `tcspec.litmus/1`        | `litmus.schema.json`        |
 * | `litmus`, of a test of PTX                      | `tcspec.litmus-answer/1` | `litmus-answer.schema.json` |
 * | `kernels X.ttgir`, `kernels X.ptx`              | `tcspec.signature/1`     | `signature.schema.json`     |
 * | `layout X`, `layout check`, `layout names`, `layout words` | `tcspec.layout/1`, `tcspec.layout-check/1`, `tcspec.layout-names/1`, `tcspec.layout-words/1` | `layout.schema.json`, ... |
 * | `tmem X`, `tmem A=... B=...`                    | `tcspec.tmem/1`, `tcspec.tmem-map/1` | `tmem.schema.json`, ... |
 * | `trace`; with `--format perfetto`               | `tcspec.events/1`; `tcspec.timeline/1` | `events.schema.json`, `timeline.schema.json` |
 * | `time`; with `--numbers`; with `--format perfetto` | `tcspec.time/1`; `tcspec.chip/1`; `tcspec.timeline/1` | `time.schema.json`, `chip.schema.json`, `timeline.schema.json` |
 * | `view`                                          | `tcspec.recording/1`     | `recording.schema.json`     |
 * | `view --values A`                               | `tcspec.values/1`        | `values.schema.json`        |
 * | `sweep`, `sweep merge`                          | `tcspec.sweep-summary/1` | `sweep-summary.schema.json` |
 * | `vectors -o DIR`, `vectors --list`              | `tcspec.vectors/1`, `tcspec.suites/1` | `vectors.schema.json`, `suites.schema.json` |
 * | any of them with `-o FILE`                      | `tcspec.written/1`       | `written.schema.json`       |
 * | any of them that refuses                        | `tcspec.error/1`         | `error.schema.json`         |
 *
 * In a directory of vectors: `tcspec.manifest/1`, `tcspec.suite/1`, `tcspec.case/1` in `manifest.schema.json` and so on.
 *
 * What commands are given:
 *
 * | given                                      | schema                          | file                              |
 * |--------------------------------------------|---------------------------------|-----------------------------------|
 * | a kernel that JAX traced                   | `tcspec.jaxpr/1`                | `jaxpr.schema.json`               |
 * | a launch of a module                       | `tcspec.launch/1`               | `launch.schema.json`              |
 * | a launch of PTX                            | `tcspec.ptx-launch/1`           | `ptx-launch.schema.json`          |
 * | a program of a host: its launches, streams, copies | `tcspec.host/1`          | `host.schema.json`                |
 * | a layout of registers                      | `tcspec.layout-description/1`   | `layout-description.schema.json`  |
 * | an encoding of Triton's, for any memory    | `tcspec.encoding/1`             | `encoding.schema.json`            |
 * | an array in shared memory: its transforms  | `tcspec.array/1`                | `array.schema.json`               |
 * | findings that a check may pass with        | `tcspec.accept/1`               | `accept.schema.json`              |
 * | a program, a trace                         | `tcspec.program/1`, `tcspec.trace/1` | `program.schema.json`, `trace.schema.json` |
 * | the grid of a sweep; a line of its results | `tcspec.sweep/1`, `tcspec.sweep-results/1` | `sweep.schema.json`, ...    |
 *
 * Law 1. What a command prints with `--json` satisfies the schema that it names.
 */
import {
  anything,
  bool,
  define,
  described,
  dictionary,
  either,
  fields,
  finite,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  pair,
  refined,
  schemaOf,
  text,
  type AnyWire,
  type Json,
  type Wire,
} from '../wire.js'
import { descriptionWire } from '../layouts/description.js'
import { encodingWire } from '../layouts/encoding-wire.js'
import { arraySchema, arrayWire } from '../transforms/array.js'
import { comparisonFields, verdictWire } from '../semantics/files/verdict-codec.js'
import { documentWire, jaxprSchema } from '../dialects/jaxpr/index.js'
import { baselineWire } from '../semantics/files/accept-codec.js'
import { acceptSchema } from '../semantics/judging/accept.js'
import { launchSchema, launchWire } from './launch/file.js'
import { hostSchema, hostWire } from './host/file.js'
import { ptxLaunchSchema, ptxLaunchWire } from './launch/ptx-file.js'
import { lineWire, resultsSchema } from './sweep/results.js'
import { sweepSchema, sweepWire } from './sweep/spec.js'

// ---------------------------------------------------------------- members

/** What stands under a key, and what it means. */
type Members = Readonly<Record<string, readonly [form: AnyWire, meaning: string]>>

const entries = (members: Members): ReadonlyMap<string, AnyWire> =>
  new Map(Object.entries(members).map(([key, [form, meaning]]) => [key, described(form, meaning)]))

const object = (name: string, required: Members, optional: Members = {}): Wire<unknown> =>
  fields<unknown>(name, entries(required), entries(optional))

const ints = list(integer)
const orNull = <A>(what: string, form: Wire<A>): Wire<A | null> => either(`null or ${what}`, nothing, form)

const hostSide = object('a side of a finding', {
  operation: [nat, 'its operation, from 0'],
  what: [text, 'what the operation is'],
  stream: [orNull('a stream', text), 'its stream; null: the host itself'],
  does: [text, 'how it accesses the bytes'],
  where: [orNull('a line', text), 'the statement of the kernel; null: the operation is not a launch'],
})

/** What is said of an array, wherever it is. */
const placeFields = {
  name: [text, 'its name'],
  space: [oneOf('gmem', 'smem', 'tmem', 'regs'), 'its memory space'],
  cta: [orNull('a CTA', nat), 'its CTA; null for global memory'],
  dtype: [text, 'type of its elements'],
  shape: [list(nat), 'its extents'],
} as const

const shape: Members[string] = [list(nat), 'extent of every dimension']
const bits: Members[string] = [nat, 'bits of an element']

// ---------------------------------------------------------------- forms that several have

/** An integer, or a list of such: CuTe's tuples. */
type Nested = number | ReadonlyArray<Nested>
const nested: Wire<Nested> = define('IntTuple', () => either('an integer or a list', integer, list(nested)))

const accessCounts: Members = {
  access: [text, 'the instruction of a warp, such as `ld.shared.b32`'],
  wavefronts: [nat, 'wavefronts of the access'],
  conflicts: [nat, 'wavefronts beyond the ideal number'],
  idealWavefronts: [nat, 'the fewest wavefronts that this many bytes can take'],
}

const says = object('what the model says', {
  ok: [bool, 'true if nothing is wrong'],
  says: [list(text), 'the problems, as docs/MemoryModel.md writes them; `ok` if there are none'],
})
const phaseName = object('a phase', {
  barrier: [text, 'its barrier'],
  phase: [nat, 'how often the barrier was initialised before'],
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

const site = object('a place of a register', {
  warp: [nat, 'warp of the group'],
  lane: [nat, 'lane of the warp'],
  register: [nat, 'register of the lane'],
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

const ofSuite: Members = {
  name: [text, 'its name'],
  arch: [oneOf('any', 'sm_90a', 'sm_100a'), 'the chip that it is about'],
  profile: [oneOf('layouts', 'arithmetic', 'synchronisation', 'kernels'), 'its subject'],
  title: [text, 'what it asks'],
  rules: [
    list(
      object('a rule', {
        id: [text, 'its stable name'],
        says: [text, 'the rule'],
        source: [text, 'the document that states it, or the measurement'],
        fidelity: [oneOf('silicon', 'documented', 'model'), 'the kind of evidence'],
      }),
    ),
    'the rules that its cases test',
  ],
}

// ---------------------------------------------------------------- documents

interface Document {
  readonly schema: string
  readonly form: AnyWire
}

const document = (schema: string, what: string, required: Members, optional: Members = {}): Document => ({
  schema,
  form: object(
    what,
    Object.assign({ schema: [oneOf(schema), 'name and version of this schema'] } satisfies Members, required),
    optional,
  ),
})

/** A list of a few parts, each with its own form. */
const tuple = (name: string, ...parts: ReadonlyArray<AnyWire>): Wire<ReadonlyArray<Json>> =>
  refined(list(anything), name, (found): found is ReadonlyArray<Json> => found.length === parts.length, {
    type: 'array',
    prefixItems: parts.map((part) => part.schema),
    minItems: parts.length,
    items: false,
  })

const recordedAgent = object('the state of an agent', {
  status: [oneOf('idle', 'ready', 'waits', 'done'), 'whether its next event can happen'],
  at: [nat, 'number of its next event, from 1'],
  site: [integer, 'its next statement, as an index into `sites`; -1: none'],
  iteration: [list(nat), 'iteration of each loop around it'],
  does: [text, 'what it does next, or waits for'],
  barrier: [integer, 'its barrier, as an index into `barriers`; -1: none'],
})
const recordedBarrier = orNull(
  'a barrier',
  object('a barrier in its current phase', {
    generation: [nat, 'number of completed phases'],
    pending: [nat, 'arrivals still missing in the current phase'],
    expected: [nat, 'arrivals of a phase'],
    bytes: [integer, 'bytes still missing; negative: they arrived before they were expected'],
  }),
)
const recordedSlot = object('the state of a slot', {
  writing: [list(nat), 'steps that issued writes still in flight'],
  holds: [list(nat), 'steps that wrote its contents'],
  reading: [list(nat), 'steps that issued reads still in flight'],
  wasRead: [bool, 'whether its contents have been read'],
})
const recordedFlight = object('an operation in flight', {
  key: [text, 'its next event'],
  unit: [text, 'what it is'],
  issued: [nat, 'the step that issued it'],
  does: [text, 'what it does next'],
  isHeld: [bool, 'whether it must wait for something else'],
})
const kind: Members[string] = [text, 'the unit, or `wait`, `arrive` or `other`']
const stepOrNull = orNull('a step', nat)

/** By file name under `schemas/`. */
const documents: Readonly<Record<string, Document>> = {
  'error.schema.json': document('tcspec.error/1', 'a refusal', {
    error: [
      object('what is refused', {
        code: [text, 'a stable code for the kind of error; `bug` means a bug in this library'],
        message: [text, 'one line: the subject, what was expected, and what was found'],
      }),
      'what was refused, and why',
    ],
  }),
  'vectors.schema.json': document('tcspec.vectors/1', 'a directory of vectors that was written', {
    output: [text, 'the directory'],
    files: [nat, 'files in it'],
    bytes: [nat, 'total size of the files'],
    cases: [nat, 'cases of all suites'],
    refused: [nat, 'cases that must be refused'],
    suites: [
      list(
        object('a suite that was written', {
          name: [text, 'its name'],
          cases: [nat, 'its cases'],
          refused: [nat, 'cases that must be refused'],
        }),
      ),
      'one entry for each suite',
    ],
  }),
  'suites.schema.json': document('tcspec.suites/1', 'the suites of the vectors', {
    suites: [
      list(object('a suite', Object.assign({}, ofSuite, { cases: [nat, 'its cases'] }))),
      'one entry for each suite',
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
  'signature.schema.json': document(
    'tcspec.signature/1',
    'what a module says about its launch',
    {
      name: [text, 'name of the function'],
      target: [orNull('a chip', text), 'the chip, such as `sm_90`; null: the text does not say'],
      warps: [nat, 'warps of a CTA, without those of warp-specialised partitions'],
      ctas: [nat, 'CTAs of a program'],
      axes: [nat, 'axes of the grid that the program uses'],
      parameters: [
        list(
          object(
            'a parameter',
            {
              name: [text, 'what `--arg` calls it'],
              kind: [
                oneOf('pointer', 'descriptor', 'map', 'scalar'),
                'a tensor, a tensor in blocks, a tensor map (PTX), or a number',
              ],
              dtype: [text, 'type of the elements or of the number; for PTX, as the text uses it'],
            },
            {
              role: [oneOf('in', 'out', 'inout'), 'for a tensor: its role'],
              at: [nat, 'PTX: byte offset among the parameters'],
              bytes: [nat, 'PTX: size in bytes'],
              number: [nat, 'PTX: position among the parameters'],
              called: [text, 'PTX: name in the source file next to the PTX'],
              type: [text, 'PTX: type in C++, if the symbol of the entry contains it'],
              block: [list(nat), 'for a descriptor: extents of a block'],
              divisor: [nat, 'for a number: the compiler assumed a multiple of this'],
            },
          ),
        ),
        'the parameters in order',
      ],
      example: [
        object(
          'a launch',
          {
            grid: [list(nat), 'programs along each axis'],
            arg: [dictionary('values for `--arg`, by parameter', text), 'a value for each parameter'],
          },
          {
            block: [list(nat), 'PTX: threads along each axis'],
            shared: [nat, 'PTX: bytes of dynamic shared memory'],
            entry: [text, 'PTX: the entry, if the module has several'],
          },
        ),
        'a small launch to begin with, guessed from the text',
      ],
      operations: [
        list(
          object('an operation', {
            without: [text, 'its label, as `--without` and findings use it'],
            name: [text, 'its name'],
            line: [nat, 'its line in the text, counted from 1'],
            place: [orNull('a line', text), 'its source line, such as `kernel.py:31`'],
          }),
        ),
        'operations with an effect, in the order of the text',
      ],
    },
    {
      guessed: [
        list(oneOf('grid', 'block', 'shared')),
        'PTX: parts of the example that are guessed, because the text does not give them',
      ],
    },
  ),
  'kernels.schema.json': document('tcspec.kernels/1', 'kernels that `run` and `check` accept', {
    kernels: [
      list(
        object('a kernel', {
          name: [text, 'its name for `run` and `check`'],
          summary: [text, 'a description of what it computes, and how'],
          parameters: [
            list(
              object(
                'a setting',
                {
                  name: [text, 'its name for `--set`'],
                  default: [
                    either(
                      'text, a number or a boolean',
                      text,
                      either('a number or a boolean', finite, bool),
                    ),
                    'default value; tiles and stages may be smaller, to fit the sizes',
                  ],
                  unit: [text, 'what it counts'],
                  meaning: [text, 'what it says'],
                },
                { choices: [list(text), 'the allowed words'] },
              ),
            ),
            'its settings',
          ],
          tensors: [
            list(
              object('a tensor', {
                name: [text, 'its name for `--in` and `--out`'],
                role: [oneOf('in', 'out'), 'read or written'],
                axes: [list(text), 'for each dimension, the setting that is its extent'],
              }),
            ),
            'its tensors',
          ],
          broken: [
            list(
              object('a statement', {
                without: [text, 'its label, as `--without` and findings use it'],
                verdict: [text, 'the verdict on the kernel without this statement, under the eager schedule'],
                shows: [list(text), 'hazard ids of its findings'],
                explore: [bool, 'true if one run does not decide, and other schedules do'],
              }),
            ),
            'statements that the kernel needs',
          ],
        }),
      ),
      'in the order of the catalogue, or only the requested kernel',
    ],
    twins: [
      list(
        object('a kernel with a mistake, and the same kernel without it', {
          name: [text, 'name of the wrong kernel for `check`'],
          fixed: [text, 'name of the fixed kernel for `check`'],
          id: [text, 'the hazard id'],
          title: [text, 'what goes wrong'],
          fix: [text, 'how to fix it'],
          verdict: [text, 'the verdict on the wrong kernel'],
        }),
      ),
      'kernels of a few lines with one hazard, each with its fixed version; only the requested ones',
    ],
  }),
  'mma.schema.json': document('tcspec.mma/1', 'a matrix product', {
    m: [nat, 'rows of a and d'],
    n: [nat, 'columns of b and d'],
    k: [nat, 'columns of a, rows of b'],
    types: [
      dictionary('types', either('a type or a boolean', text, bool)),
      'element types of `a`, `b`, the accumulator `acc` and the output `d`; whether sums saturate',
    ],
    arithmetic: [text, 'the chip whose tensor cores are modelled'],
    multiplyAdds: [nat, 'm times n times k'],
    milliseconds: [finite, 'time of the product'],
    written: [orNull('a file', text), 'the file with d, if one was requested'],
  }),
  'score.schema.json': document('tcspec.score/1', 'the score card of a back end', {
    backEnd: [list(text), 'its command, as a list of words'],
    version: [text, 'version of the specification'],
    seed: [nat, 'seed of the random questions'],
    score: [
      orNull('a number', finite),
      'percentage of the answered and failed questions that passed, rounded down; null: there were none',
    ],
    pass: [nat, 'questions that passed'],
    fail: [nat, 'questions that failed'],
    skip: [nat, 'questions that the back end does not support'],
    rules: [
      list(
        object('a rule', {
          suite: [text, 'its suite'],
          rule: [text, 'its stable id'],
          says: [text, 'the rule in words'],
          source: [text, 'the document that states it, or the measurement'],
          fidelity: [oneOf('silicon', 'documented', 'model'), 'the kind of evidence'],
          pass: [nat, 'number of its questions that passed'],
          fail: [nat, 'number of its questions that failed'],
          skip: [nat, 'number of its questions that the back end does not support'],
          shown: [
            orNull(
              'a question that failed',
              object('a question that failed', {
                question: [anything, 'the smallest failing question that was found'],
                expected: [anything, 'the answer, or the code of the refusal'],
                why: [text, 'the first difference of the answer, or what went wrong'],
                case: [
                  orNull('a name', text),
                  'the case that failed first; null: only random questions failed',
                ],
              }),
            ),
            'a question that failed; null: none failed',
          ],
        }),
      ),
      'every rule with at least one question',
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
  'events.schema.json': document('tcspec.events/1', 'the events of a run', {
    program: [text, 'name of the program'],
    arch: [text, 'the chip'],
    events: [
      list(
        object('an event', {
          i: [nat, 'its index in the log'],
          cta: [orNull('a CTA', nat), 'the CTA of its agent; null at the beginning of a cluster'],
          agent: [text, 'the agent, or empty'],
          site: [text, 'label of the statement'],
          iteration: [text, 'iteration of each loop around it'],
          what: [text, 'what happens'],
          place: [text, 'bytes that it touches'],
          barrier: [text, 'its barrier'],
        }),
      ),
      'in the order of the log',
    ],
  }),
  'values.schema.json': document('tcspec.values/1', 'contents of an array after some steps of a run', {
    kernel: [text, 'name of the program'],
    at: [nat, 'number of steps done'],
    ...placeFields,
    window: [
      object('a window', {
        row: [nat, 'its first row; rows are all dimensions but the last'],
        column: [nat, 'its first column'],
        rows: [nat, 'its rows'],
        columns: [nat, 'its columns'],
      }),
      'the listed elements',
    ],
    values: [
      list(either('a number, or a word if it is not finite', finite, text)),
      'row by row; empty if the run has no data',
    ],
    bytes: [list(integer), 'byte offset of each element, in the memory of its CTA or in its tensor'],
    unswizzled: [orNull('numbers', list(integer)), 'the same before the swizzle, if there is one'],
    swizzle: [nat, 'bytes that the swizzle spans; 16 means no swizzle'],
    tiles: [list(list(nat)), 'levels of the tiling, outermost first: the extents of a tile'],
    places: [list(object('an array', placeFields)), 'the arrays that can be requested'],
  }),
  'recording.schema.json': document('tcspec.recording/1', 'a recorded run, step by step', {
    kernel: [text, 'name of the program'],
    arch: [text, 'the chip'],
    settings: [dictionary('settings', anything), 'settings of the kernel'],
    without: [list(text), 'labels of the omitted statements'],
    schedule: [orNull('a schedule', text), 'the schedule, in the words that repeat this run'],
    outcome: [oneOf('completed', 'stuck', 'out-of-fuel', 'fault'), 'how the run ended'],
    reason: [text, 'what stopped it, or empty'],
    count: [nat, 'steps of the whole run'],
    clusters: [
      object('clusters', { shown: [nat, 'number of recorded clusters'], of: [nat, 'clusters of the grid'] }),
      'the recorded part of the grid',
    ],
    agents: [
      list(
        object('an agent', {
          name: [text, 'its name'],
          cta: [nat, 'its CTA'],
          warps: [nat, 'number of its warps'],
        }),
      ),
      'agents, in the order in which findings number them',
    ],
    barriers: [
      list(object('a barrier', { name: [text, 'the storage, and the index in it'], cta: [nat, 'its CTA'] })),
      'mbarriers',
    ],
    buffers: [
      list(
        object('an array', {
          name: [text, 'its name'],
          cta: [nat, 'its CTA'],
          space: [oneOf('smem', 'tmem'), 'its memory space'],
          start: [nat, 'its first byte in shared memory, or in every lane of tensor memory'],
          bytes: [nat, 'its length there'],
          slots: [nat, 'slots of the ring; 1 if it is not a ring'],
          slotBytes: [nat, 'distance between the starts of two slots'],
          holds: [text, 'dtype of the elements, and the shape of a slot'],
        }),
      ),
      'arrays in shared and in tensor memory',
    ],
    sites: [
      list(
        object(
          'a statement',
          {
            name: [text, 'its label'],
            path: [list(text), 'enclosing scopes, outermost first'],
            line: [integer, 'line of `listing`; -1: none'],
          },
          {
            source: [
              object('a place in a source', {
                place: [text, 'file and line'],
                text: [text, 'the source text, if it is known'],
              }),
              'its source line',
            ],
          },
        ),
      ),
      'statements',
    ],
    listing: [
      list(
        object('a line', {
          text: [text, 'the line without its indentation'],
          depth: [nat, 'depth of indentation'],
          site: [orNull('a statement', nat), 'the statement that begins here, as an index into `sites`'],
        }),
      ),
      'the program as text',
    ],
    picture: [
      object('a timeline', {
        lanes: [
          list(
            object('a lane', {
              name: [text, 'agent or unit'],
              cta: [nat, 'its CTA'],
              kind: [oneOf('agent', 'unit'), 'the owner of the lane'],
              rows: [nat, 'number of rows that overlapping bars need'],
            }),
          ),
          'lanes, from top to bottom',
        ],
        bars: [
          list(
            object('a bar', {
              lane: [nat, 'place in `lanes`'],
              row: [nat, 'row of the lane'],
              from: [nat, 'causal time at which it begins'],
              to: [nat, 'and ends'],
              kind,
              label: [text, 'the statement'],
              tip: [text, 'a description in one sentence'],
              isOpen: [bool, 'whether it never ends'],
              agent: [nat, 'agent of the statement'],
              at: [nat, 'number of the statement in its agent'],
              site: [nat, 'the statement'],
              iteration: [list(nat), 'iteration of each loop around it'],
              first: [stepOrNull, 'step in which it begins'],
              last: [stepOrNull, 'step in which it ends'],
            }),
          ),
          'statements and operations',
        ],
        arrows: [
          list(
            object('an arrow', {
              fromLane: [nat, 'lane of the signal'],
              fromRow: [nat, 'row in that lane'],
              from: [nat, 'when it does'],
              toLane: [nat, 'lane of the wait'],
              to: [nat, 'time when the wait ends'],
              kind,
              fromStep: [stepOrNull, 'the step that signals'],
              toStep: [stepOrNull, 'the step that waits'],
            }),
          ),
          'arrows from a signal or an arrival to the wait that needs it',
        ],
        kinds: [
          list(object('a kind', { kind, title: [text, 'its name'] })),
          'kinds of bars, in the order of a legend',
        ],
        end: [nat, 'the last time in the picture'],
      }),
      'the run in causal time',
    ],
    start: [
      object('a state', {
        agents: [list(recordedAgent), 'by agent'],
        barriers: [list(recordedBarrier), 'by barrier; null: not initialised'],
        slots: [list(list(recordedSlot)), 'by array, by slot'],
        flights: [list(recordedFlight), 'operations in flight, in the order of their issue'],
      }),
      'the state before the first step',
    ],
    steps: [
      list(
        object('a step', {
          key: [text, 'the event that happens'],
          agent: [nat, 'its agent'],
          at: [nat, 'number of the statement in its agent'],
          site: [integer, 'the statement'],
          iteration: [list(nat), 'iteration of each loop around it'],
          does: [text, 'what happens'],
          time: [nat, 'causal time'],
          changed: [
            object(
              'what the step changes',
              {},
              {
                agents: [list(tuple('an agent', nat, recordedAgent)), 'agents, by number'],
                barriers: [list(tuple('a barrier', nat, recordedBarrier)), 'barriers, by number'],
                slots: [list(tuple('a slot', nat, nat, recordedSlot)), 'slots, by array and number'],
                flights: [
                  list(tuple('an operation', text, orNull('an operation', recordedFlight))),
                  'operations in flight, by their previous key; null: the operation has ended',
                ],
              },
            ),
            'each changed part, as it is after the step',
          ],
        }),
      ),
      'steps, in the order of the run',
    ],
    verdict: [orNull('a verdict', verdictWire), 'the verdict on the program'],
  }),
  'layout-check.schema.json': document('tcspec.layout-check/1', 'a comparison of two layouts', {
    equal: [bool, 'whether every element lies in the same registers'],
    shape,
    layout: [text, 'the first layout'],
    against: [text, 'the other one'],
    different: [nat, 'number of elements that lie elsewhere'],
    first: [
      orNull(
        'an element',
        object('an element', {
          index: [list(nat), 'its index'],
          layout: [list(site), 'its place in the first layout'],
          against: [list(site), 'its place in the other layout'],
        }),
      ),
      'the first element that lies elsewhere',
    ],
  }),
  'layout-names.schema.json': document('tcspec.layout-names/1', 'layouts with a name', {
    layouts: [
      list(
        object('a family of layouts', {
          name: [text, 'its name'],
          parameters: [list(text), 'the parameters in brackets after the name'],
          summary: [text, 'what it is'],
          example: [text, 'a layout of it'],
        }),
      ),
      'in the order of the list',
    ],
  }),
  'layout-words.schema.json': document('tcspec.layout-words/1', 'one layout in several vocabularies', {
    layout: [text, 'the layout in question'],
    shape,
    names: [list(text), 'names of it, as Pallas and Mosaic have them'],
    mosaic: [
      orNull('a description', text),
      "Mosaic's tiling as a description, in JSON; null if there is none",
    ],
    triton: [list(text), 'equivalent encodings of Triton on this array, as its modules write them'],
    cute: [
      orNull('a layout', text),
      "CuTe's layout of threads and values, the first dimension fastest; null if no strides express it",
    ],
    linear: [orNull('bases', text), 'bases over GF(2); null if it is not linear'],
  }),
  'layout.schema.json': document(
    'tcspec.layout/1',
    'a layout of registers, written out',
    {
      kind: [oneOf('table', 'splat'), 'a table of elements, or one register for all of them'],
      name: [text, 'its name'],
      shape,
    },
    {
      elements: [
        list(list(list(list(nat)))),
        'the index that a register holds, by warp, lane and register; absent for a splat',
      ],
    },
  ),
  'banks.schema.json': document(
    'tcspec.banks/1',
    'bank conflicts of an access of shared memory',
    accessCounts,
    {
      phases: [list(nat), 'turns of each phase of one access'],
      pairing: [
        orNull('a pairing', either('text or a number', text, either('a number or a boolean', finite, bool))),
        'how lanes are paired into phases',
      ],
      layout: [text, 'the layout whose elements are accessed'],
      shape,
      bits,
      transforms: [list(text), 'transforms between the array and shared memory'],
      instructions: [
        list(
          object('an instruction', {
            warp: [nat, 'the warp'],
            registers: [list(nat), 'registers of a lane that it moves'],
            addresses: [list(orNull('a byte', nat)), 'byte address of every lane; null for an inactive lane'],
            wavefronts: [nat, 'number of its wavefronts'],
            conflicts: [nat, 'wavefronts beyond the ideal number'],
            phases: [list(nat), 'turns of each phase'],
          }),
        ),
        'the instructions that move the whole array',
      ],
      instruction: [
        nat,
        'number of the instruction whose turns are listed: `--instruction`, or the first one with the most wavefronts',
      ],
      turns: [
        list(
          object('a turn', {
            phase: [nat, 'its phase'],
            words: [
              list(
                object('a word', {
                  bank: [nat, 'its bank'],
                  byte: [nat, 'its first byte'],
                  lanes: [list(nat), 'the lanes that access it; for ldmatrix and stmatrix, the rows'],
                }),
              ),
              'the words that are read or written: at most one of each bank',
            ],
          }),
        ),
        'wavefronts of one access; the order of the words of one bank is that of the lanes, which no hardware counter confirms',
      ],
    },
  ),
  'cute.schema.json': document('tcspec.cute/1', "an answer of CuTe's algebra", {
    question: [text, 'the expression'],
    result: [
      object(
        'a result',
        {
          kind: [text, 'a value, a layout, or a layout composed with another function'],
          text: [text, 'as CuTe writes it'],
        },
        {
          value: [nested, 'the value'],
          shape: [nested, 'shape of the layout'],
          stride: [text, 'strides of the layout, as CuTe writes them'],
          size: [finite, 'number of coordinates'],
          cosize: [finite, 'one more than the largest value'],
          values: [list(nested), 'value of every coordinate, the first dimension fastest'],
          valuesLeftOut: [nat, 'number of values that are not listed'],
        },
      ),
      'what it is',
    ],
  }),
  'image.schema.json': document('tcspec.image/1', 'the image of a TMA box in shared memory', {
    box: [
      object('a box', {
        bits,
        extents: [list(nat), 'extent of every dimension'],
        elementStrides: [list(nat), 'step between copied elements'],
        swizzle: [nat, 'bytes of the swizzle; 16 means no swizzle'],
      }),
      'the box of the tensor map',
    ],
    direction: [text, 'load or store'],
    tensor: [list(nat), 'extents of the tensor in global memory'],
    at: [ints, 'position of the box in the tensor'],
    base: [nat, 'address of the box in shared memory'],
    copied: [list(nat), 'extents of the copied elements'],
    transactionBytes: [nat, 'bytes that the copy counts at its barrier'],
    outside: [nat, 'number of elements of the box outside the tensor'],
    addresses: [list(nat), 'byte of every element of the box, row-major'],
    origins: [
      list(orNull('an index', list(nat))),
      'index in the tensor of every element of the box, row-major; null outside the tensor',
    ],
    unswizzled: [list(nat), 'byte of every element of the box before the swizzle'],
  }),
  'linear.schema.json': document('tcspec.linear/1', 'a layout over GF(2)', {
    layout: [
      object('a linear layout', {
        kind: [oneOf('linear'), 'marks a linear layout; other commands accept this object as it is'],
        bases: [dictionary('bases', list(list(nat))), 'image of every bit of every input dimension'],
        outputs: [
          list(
            object('an output dimension', {
              name: [text, 'its name'],
              size: [nat, 'its extent'],
            }),
          ),
          'output dimensions',
        ],
      }),
      'the layout as a description',
    ],
    rank: [nat, 'rank of its matrix'],
    surjective: [bool, 'whether the layout is surjective'],
    injective: [bool, 'whether the layout is injective'],
    freeVariableMasks: [dictionary('masks', nat), 'input bits without effect, by input dimension'],
  }),
  'sweep-summary.schema.json': document('tcspec.sweep-summary/1', 'the counts of a sweep', {
    version: [text, 'version of the library that judged the points'],
    hash: [text, 'hash of the document and of all files that it names'],
    points: [nat, 'points of the whole grid'],
    shard: [
      object('a part of the points', {
        part: [nat, 'which, from 1'],
        of: [nat, 'of how many'],
      }),
      'the requested part',
    ],
    asked: [nat, 'number of points in that part'],
    answered: [nat, 'number of its points that have a row'],
    stopped: [bool, 'whether a signal stopped the sweep'],
    output: [orNull('a file', text), 'the file with the results, if one was requested'],
    subjects: [
      list(
        object('a subject', {
          subject: [text, 'the kernel or the file'],
          points: [nat, 'number of its points that have a row'],
          outcomes: [dictionary('counts', nat), 'points by outcome'],
          ids: [
            dictionary('counts', nat),
            'points that are not killed mutants, by the id of their first finding or the code of their refusal',
          ],
        }),
      ),
      'in the order of the grid',
    ],
  }),
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
  'ptx.schema.json': document('tcspec.ptx/1', 'contents of a PTX module', {
    version: [text, 'version of the ISA'],
    target: [text, 'the chip, and options'],
    addressSize: [orNull('bits', nat), 'bits of an address; null if the module does not say'],
    shared: [
      list(
        object('shared memory', {
          name: [text, 'its name'],
          bytes: [orNull('bytes', nat), 'size in bytes; null: the launch gives it'],
          align: [nat, 'its alignment in bytes'],
        }),
      ),
      'variables in shared memory',
    ],
    functions: [
      list(
        object('a function', {
          name: [text, 'its name'],
          kind: [oneOf('entry', 'func'), 'an entry, or a function that is called'],
          line: [nat, 'where it stands'],
          parameters: [
            list(
              object('a parameter', {
                name: [text, 'its name'],
                type: [text, 'type of an element'],
                offset: [nat, 'its first byte among the parameters'],
                bytes: [nat, 'its bytes'],
                pointer: [
                  orNull('a state space', text),
                  'state space that a pointer points into; null: not declared as a pointer',
                ],
              }),
            ),
            'its parameters, in order',
          ],
          directives: [list(text), 'its launch bounds and directives'],
          instructions: [nat, 'its instructions'],
          families: [
            list(object('a family', { family: [text, 'its name'], count: [nat, 'its instructions'] })),
            'instructions by family, the most frequent first',
          ],
          unsupported: [
            list(
              object('an opcode', {
                opcode: [text, 'with its modifiers'],
                count: [nat, 'its instructions'],
                line: [nat, 'the first of them'],
              }),
            ),
            'opcodes that are not supported',
          ],
          barriers: [list(orNull('an id', nat)), 'ids of named barriers; null: the id is in a register'],
          mbarriers: [
            list(
              object('an mbarrier', {
                line: [nat, 'line of the initialisation'],
                count: [orNull('a count', nat), 'arrivals of a phase; null: the count is in a register'],
              }),
            ),
            'mbarriers that it initialises',
          ],
          spins: [
            list(
              object('a spin', {
                line: [nat, 'the line of its test'],
                kind: [oneOf('mbarrier', 'semaphore'), 'the object that it waits for'],
              }),
            ),
            'loops that only wait; empty for a function with unsupported opcodes',
          ],
          peeks: [
            list(
              object('a peek', {
                line: [nat, 'the line of its test'],
                waits: [list(nat), 'lines of the loops that wait if the test was false'],
              }),
            ),
            'tests whose result decides later whether to wait',
          ],
          flights: [
            list(
              object('a product', {
                line: [nat, 'its line'],
                accumulators: [nat, 'registers that it writes'],
                sources: [nat, 'registers that it reads'],
                waits: [list(nat), 'lines of the waits that cover it'],
                touches: [list(nat), 'lines that use one of its registers before those waits'],
              }),
            ),
            'registers in flight: operands of wgmma until the wait that covers it',
          ],
        }),
      ),
      'functions with a body',
    ],
  }),
  'tiling.schema.json': document(
    'tcspec.tiling/1',
    'operands that clusters share, for each order of the tiles',
    {
      grid: [pair(nat), 'tiles in a column and in a row'],
      clusters: [nat, 'clusters that run at a time'],
      steps: [nat, 'steps of the inner loop of a tile'],
      panelBytes: [dictionary('bytes', nat), 'bytes of the panels of `a` and `b` that one tile reads'],
      operandBytes: [nat, 'bytes of both operands'],
      askedBytes: [nat, 'bytes that all tiles read together'],
      caches: [list(nat), 'sizes of the caches that are simulated, in bytes'],
      orders: [
        list(
          object('an order', {
            order: [text, 'its name'],
            waves: [
              list(
                object('a wave', {
                  rows: [list(nat), 'rows of tiles'],
                  columns: [list(nat), 'columns of tiles'],
                  bytes: [nat, 'bytes that its tiles read, each counted once'],
                  kept: [nat, 'bytes of those that the previous wave read, too'],
                  tiles: [list(pair(nat)), 'row and column of every tile'],
                }),
              ),
              'tiles that run at a time',
            ],
            missBytes: [list(nat), 'bytes read from memory, for each cache size'],
          }),
        ),
        'one entry for each order',
      ],
    },
  ),
  'time.schema.json': document('tcspec.time/1', 'a prediction of how long a kernel takes', {
    program: [text, 'its name'],
    chip: [text, 'the chip'],
    microseconds: [finite, 'time of a launch'],
    megahertz: [finite, 'frequency of the multiprocessors'],
    cycles: [finite, 'cycles from the first instruction to the last byte'],
    tensorCores: [finite, 'share of the peak rate of multiply-adds'],
    bound: [text, 'the unit that is busy nearly all the time, or the main wait of the critical path'],
    residency: [
      object('a residency', {
        ctas: [nat, 'CTAs on a multiprocessor at once'],
        limit: [text, 'the resource that limits this number'],
      }),
      'CTAs on a multiprocessor',
    ],
    footing: [
      object('a footing', {
        threads: [nat, 'threads of a CTA'],
        registers: [nat, 'registers of a thread'],
        shared: [nat, 'bytes of shared memory of a CTA'],
      }),
      'resources of a multiprocessor that a CTA uses',
    ],
    clusters: [nat, 'clusters of the grid'],
    waves: [nat, 'waves of them'],
    wavesRun: [nat, 'number of simulated waves; the others are like them'],
    bytes: [
      object('traffic of one multiprocessor, in bytes', {
        loaded: [finite, 'loaded from global memory'],
        missed: [finite, 'loaded bytes that were not in L2'],
        stored: [finite, 'stored to global memory'],
      }),
      'traffic of the simulated waves',
    ],
    busy: [dictionary('a share', finite), 'the share of the time for which each unit is busy'],
    critical: [
      list(
        object('a stretch of the critical path', {
          line: [text, 'the source line, or the statement'],
          why: [text, 'what the wait is for'],
          cycles: [finite, 'how long'],
          share: [finite, 'cycles of the simulated waves'],
        }),
      ),
      'the critical path by lines and reasons, the longest first',
    ],
    notModelled: [list(text), 'what the prediction does not cover'],
  }),
  'chip.schema.json': document('tcspec.chip/1', 'the numbers that predictions for a chip rest on', {
    name: [text, 'its name'],
    says: [text, 'name of the chip'],
    numbers: [
      dictionary(
        'a number',
        object('a number of a chip', {
          value: [finite, 'how much'],
          unit: [text, 'of what'],
          says: [text, 'what it is'],
          known: [oneOf('measured', 'documented', 'fitted', 'assumed'), 'the kind of evidence'],
          by: [text, 'the rows of a capture, a document, or the captures of a fit'],
        }),
      ),
      'by name',
    ],
  }),
  'tmem.schema.json': document('tcspec.tmem/1', 'a layout of tensor memory', {
    layout: [text, 'its name'],
    shape,
    bits,
    columns: [nat, 'number of its columns'],
    elementsPerColumn: [nat, 'elements of one lane in one column'],
    copies: [nat, 'places of every element'],
    registers: [text, 'register layout after a load, and the instruction'],
    elements: [
      list(
        object('an element', {
          index: [list(nat), 'its index'],
          places: [
            list(
              object('a place', {
                lane: [nat, 'lane of tensor memory'],
                column: [nat, 'column, of 32 bits'],
                part: [nat, 'element within the column'],
              }),
            ),
            'where it lies',
          ],
        }),
      ),
      'every element, row-major',
    ],
  }),
  'tmem-map.schema.json': document('tcspec.tmem-map/1', 'several arrays in tensor memory', {
    used: [nat, 'columns in use'],
    allocated: [nat, 'allocated columns: a power of two'],
    arrays: [
      list(
        object('an array', {
          name: [text, 'its name'],
          layout: [text, 'its layout'],
          shape,
          bits,
          start: [nat, 'its first column'],
          columns: [nat, 'number of its columns'],
        }),
      ),
      'in the order of their columns',
    ],
  }),
  'transform.schema.json': document(
    'tcspec.transform/1',
    'the places of the elements of an array in shared memory',
    {
      array: [arrayWire, 'the array as a description; the command accepts this object as it is'],
      shape,
      bits,
      transforms: [list(text), 'transforms, in the order of their application'],
      physicalShape: [list(nat), 'shape of the array in shared memory'],
      tiling: [list(list(nat)), 'tiles, the outermost first'],
      tiledShape: [list(nat), 'shape with the tiles as dimensions'],
      strides: [ints, 'stride of each dimension, in elements'],
      swizzle: [nat, 'bytes of the swizzle; 16 means no swizzle'],
      bytes: [nat, 'bytes of the array'],
      base: [nat, 'address of the array'],
      addresses: [list(nat), 'byte of every element, row-major over the logical shape'],
      unswizzled: [list(nat), 'byte of every element before the swizzle'],
    },
    { bitOffsets: [list(nat), 'bit within that byte, if elements are not whole bytes'] },
  ),
}

/** The files of a directory of vectors. */
const vectorDocuments: Readonly<Record<string, Document>> = {
  'manifest.schema.json': document('tcspec.manifest/1', 'a directory of vectors', {
    package: [text, 'what wrote it'],
    version: [text, 'its version'],
    schemas: [
      object('schemas', {
        suite: [text, 'schema of the suite files'],
        case: [text, 'schema of the case files'],
      }),
      'schemas of the other files',
    ],
    suites: [
      list(
        object(
          'a suite',
          Object.assign({}, ofSuite, {
            directory: [text, 'directory of its files'],
            lines: [text, 'the same cases in one file, one case on each line, with the tensors inside'],
            cases: [
              list(
                object('a case', {
                  file: [text, 'its file'],
                  rule: [text, 'id of its rule'],
                  features: [list(text), 'features that a back end must support'],
                  refused: [bool, 'whether a refusal is expected'],
                }),
              ),
              'its cases',
            ],
          } satisfies Members),
        ),
      ),
      'one entry for each suite',
    ],
    files: [
      list(
        object('a file', {
          file: [text, 'its path, relative to the directory'],
          bytes: [nat, 'its length'],
          sha256: [text, 'SHA-256 of its bytes, in hexadecimal'],
        }),
      ),
      'every other file',
    ],
  }),
  'suite.schema.json': document(
    'tcspec.suite/1',
    'a suite of vectors',
    Object.assign({}, ofSuite, {
      question: [anything, 'the JSON Schema of a question, with its tensors inside'],
      answer: [anything, 'the JSON Schema of an answer, with its tensors inside'],
    } satisfies Members),
  ),
  'case.schema.json': document('tcspec.case/1', 'a question with the expected answer', {
    suite: [text, 'name of the suite'],
    case: [text, 'name of the case'],
    rule: [text, 'id of the rule that it must follow'],
    features: [list(text), 'features that a back end must support'],
    fidelity: [text, 'evidence for the rule: silicon, documented or model'],
    question: [
      anything,
      'the question; a large tensor is an object with `npy`, a file next to this one, `dtype` and `shape`',
    ],
    expected: [
      either(
        'an answer or a refusal',
        object('an answer', { answer: [anything, 'the answer, with its tensors as in the question'] }),
        object('a refusal', { refused: [text, 'code of the refusal'] }),
      ),
      'the answer of the specification',
    ],
  }),
}

/** The timeline: the JSON object form of the Trace Event Format, whose events are what that format says. */
const timeline: Json = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'tcspec.timeline/1',
  type: 'object',
  properties: {
    schema: { const: 'tcspec.timeline/1', description: 'name and version of this schema' },
    traceEvents: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ph: {
            type: 'string',
            description: 'kind of the event: M, X, s, t or f; b or e for operations in flight',
          },
          pid: { type: 'integer', description: 'process: a CTA, or the clusters' },
          tid: { type: 'integer', description: 'thread: an agent or a unit' },
        },
        required: ['ph', 'pid', 'tid'],
      },
      description: 'events of the Trace Event Format: metadata, slices and flows',
    },
    displayTimeUnit: {
      const: 'ns',
      description: 'unit of `ts` for the viewer; a place in the log for a trace, a time for a timed run',
    },
    otherData: {
      type: 'object',
      description: 'program, chip, and the meaning of the clock',
    },
  },
  required: ['schema', 'traceEvents', 'displayTimeUnit', 'otherData'],
  additionalProperties: false,
}

/** Of what a command is given, by file name under `schemas/`; programs and traces are in `semantics/files/json-schema.ts`. */
export const givenSchemas: Readonly<Record<string, Json>> = {
  'jaxpr.schema.json': schemaOf(jaxprSchema, documentWire),
  'accept.schema.json': schemaOf(acceptSchema, baselineWire),
  'launch.schema.json': schemaOf(launchSchema, launchWire),
  'ptx-launch.schema.json': schemaOf(ptxLaunchSchema, ptxLaunchWire),
  'host.schema.json': schemaOf(hostSchema, hostWire),
  'sweep.schema.json': schemaOf(sweepSchema, sweepWire),
  'sweep-results.schema.json': schemaOf(resultsSchema, lineWire),
  'layout-description.schema.json': schemaOf('tcspec.layout-description/1', descriptionWire),
  'encoding.schema.json': schemaOf('tcspec.encoding/1', encodingWire),
  'array.schema.json': schemaOf(arraySchema, arrayWire),
}

const schemasOf = (of: Readonly<Record<string, Document>>): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(of).map(([file, { schema, form }]) => [file, schemaOf(schema, form)]))

/** Of what stands in a directory of vectors, by file name under `schemas/`. */
export const vectorSchemas: Readonly<Record<string, Json>> = schemasOf(vectorDocuments)

/** By file name under `schemas/`. */
export const documentSchemas: Readonly<Record<string, Json>> = Object.assign(
  { 'timeline.schema.json': timeline },
  schemasOf(documents),
)
