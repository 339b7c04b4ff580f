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
  does: [text, 'what it does to the bytes'],
  where: [orNull('a line', text), 'the statement of the kernel; null: it is no launch'],
})

/** What is said of an array, wherever it is. */
const placeFields = {
  name: [text, 'its name'],
  space: [oneOf('gmem', 'smem', 'tmem', 'regs'), 'the memory that it is in'],
  cta: [orNull('a CTA', nat), 'its CTA; null of global memory'],
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
  wavefronts: [nat, 'turns that shared memory takes'],
  conflicts: [nat, 'turns more than the fewest possible'],
  idealWavefronts: [nat, 'the fewest turns that this many bytes can take'],
}

const says = object('what the model says', {
  ok: [bool, 'whether nothing is wrong'],
  says: [list(text), 'an item each, as docs/MemoryModel.md writes it; `ok` of nothing'],
})
const phaseName = object('a phase', {
  barrier: [text, 'its barrier'],
  phase: [nat, 'which of its life, from 0'],
})

const answerPairs = list(
  object('two events', { from: [nat, 'the first, an event'], to: [nat, 'the second, an event'] }),
)
const answerExecution = object('an execution', {
  events: [
    list(
      object('an event', {
        thread: [orNull('a name', text), 'its thread; null: it sets memory up'],
        line: [orNull('a line', nat), 'its line in the file; null: it sets memory up'],
        text: [text, 'the instruction'],
        reads: [orNull('a value', integer), 'what it finds; null: it does not read'],
        writes: [orNull('a value', integer), 'what it writes; null: it does not write'],
      }),
    ),
    'its events; other members know an event by its place here',
  ],
  readsFrom: [answerPairs, 'from a write to a read that takes its value'],
  coherence: [answerPairs, 'neighbours in coherence order'],
  fences: [answerPairs, 'neighbours in Fence-SC order'],
  synchronizes: [answerPairs, 'from the outer end of a release pattern to that of an acquire pattern'],
  races: [answerPairs, 'data races'],
})
const answerState = object('a final state', {
  values: [
    dictionary('values', orNull('a value', integer)),
    'what registers and locations hold; null: nothing, the thread waits for ever',
  ],
  waiting: [list(text), 'threads that wait at a barrier for ever'],
  satisfies: [bool, 'whether it satisfies the condition'],
})

const site = object('a place of a register', {
  warp: [nat, 'warp of the group'],
  lane: [nat, 'lane of the warp'],
  register: [nat, 'register of the lane'],
})

const tally: Members = {
  mutants: [nat, 'programs that differ from the kernel in one place'],
  equivalent: [nat, 'those that a certificate shows to be no other program'],
  killed: [nat, 'those that are found out'],
  named: [nat, 'those whose first findings name the place'],
  accurate: [nat, 'those whose first finding has the id that the change asks for'],
}
const counted: Members = Object.assign({}, tally, {
  sites: [nat, 'statements that were changed'],
  real: [nat, 'mutants that are not equivalent'],
  strict: [nat, 'killed mutants that only break a contract that the kernel keeps'],
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
  profile: [oneOf('layouts', 'arithmetic', 'synchronisation', 'kernels'), 'what it is about'],
  title: [text, 'what it asks'],
  rules: [
    list(
      object('a rule', {
        id: [text, 'its name, which stays'],
        says: [text, 'the rule'],
        source: [text, 'where it is written, or what was measured'],
        fidelity: [oneOf('silicon', 'documented', 'model'), 'how it is known'],
      }),
    ),
    'the sentences that its cases are held to',
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

const recordedAgent = object('where an agent stands', {
  status: [oneOf('idle', 'ready', 'waits', 'done'), 'whether it can do its next event'],
  at: [nat, 'number of its next event, from 1'],
  site: [integer, 'statement that it stands before: place in `sites`; -1: none'],
  iteration: [list(nat), 'rounds of the loops around it'],
  does: [text, 'what it does next, or waits for'],
  barrier: [integer, 'barrier that this is about: place in `barriers`; -1: none'],
})
const recordedBarrier = orNull(
  'a barrier',
  object('a barrier in its open phase', {
    generation: [nat, 'phases that are over'],
    pending: [nat, 'arrivals that the open phase still wants'],
    expected: [nat, 'arrivals of a phase'],
    bytes: [integer, 'bytes that it still wants; negative: they came before they were expected'],
  }),
)
const recordedSlot = object('what is going on in a slot', {
  writing: [list(nat), 'steps that issued what has still to write to it'],
  holds: [list(nat), 'steps of the statements that wrote what it holds'],
  reading: [list(nat), 'steps that issued what has still to read it'],
  wasRead: [bool, 'whether what it holds has been read'],
})
const recordedFlight = object('an operation in flight', {
  key: [text, 'its next event'],
  unit: [text, 'what it is'],
  issued: [nat, 'the step that issued it'],
  does: [text, 'what it does next'],
  isHeld: [bool, 'whether something has to happen before it can'],
})
const kind: Members[string] = [text, 'the unit that works, or wait, arrive, other']
const stepOrNull = orNull('a step', nat)

/** By file name under `schemas/`. */
const documents: Readonly<Record<string, Document>> = {
  'error.schema.json': document('tcspec.error/1', 'a refusal', {
    error: [
      object('what is refused', {
        code: [text, 'a stable word for the kind of refusal; `bug` is a bug of this library'],
        message: [text, 'one line: the thing, what was expected, what was found'],
      }),
      'what is refused and why',
    ],
  }),
  'vectors.schema.json': document('tcspec.vectors/1', 'what was written to a directory of vectors', {
    output: [text, 'the directory'],
    files: [nat, 'files in it'],
    bytes: [nat, 'their length together'],
    cases: [nat, 'cases of all suites'],
    refused: [nat, 'cases of which a refusal is expected'],
    suites: [
      list(
        object('what was written of a suite', {
          name: [text, 'its name'],
          cases: [nat, 'its cases'],
          refused: [nat, 'those of which a refusal is expected'],
        }),
      ),
      'one entry a suite',
    ],
  }),
  'suites.schema.json': document('tcspec.suites/1', 'the suites of the vectors', {
    suites: [
      list(object('a suite', Object.assign({}, ofSuite, { cases: [nat, 'its cases'] }))),
      'one entry a suite',
    ],
  }),
  'written.schema.json': document(
    'tcspec.written/1',
    'what was written to a file',
    {
      output: [text, 'the file'],
      format: [text, 'form of what it holds'],
      bytes: [nat, 'length of the file'],
    },
    {
      events: [nat, 'events of the run that it holds'],
      whole: [bool, 'whether that is the whole run'],
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
    'what a module says of its launch',
    {
      name: [text, 'name of the function'],
      target: [orNull('a chip', text), 'the chip, such as `sm_90`; null: the text does not say'],
      warps: [nat, 'warps of a CTA; partitions have others besides'],
      ctas: [nat, 'CTAs of a program'],
      axes: [nat, 'axes of the grid along which a program asks for its place'],
      parameters: [
        list(
          object(
            'a parameter',
            {
              name: [text, 'what `--arg` calls it'],
              kind: [
                oneOf('pointer', 'descriptor', 'map', 'scalar'),
                'a tensor, a tensor in blocks, of PTX a tensor map, or a number',
              ],
              dtype: [text, 'type of its elements, or of the number; of PTX as the text uses it'],
            },
            {
              role: [oneOf('in', 'out', 'inout'), 'of a tensor: what the function does with it'],
              at: [nat, 'of PTX: where it begins in the bytes of the parameters'],
              bytes: [nat, 'of PTX: how many bytes it has'],
              number: [nat, 'of PTX: its number among the parameters'],
              called: [text, 'of PTX: its name in the source next to the text'],
              type: [text, 'of PTX: its type in C++, where the symbol of the entry says it'],
              block: [list(nat), 'of a descriptor: extents of a block'],
              divisor: [nat, 'of a number: the compiler took it for a multiple of this'],
            },
          ),
        ),
        'in the order of the function',
      ],
      example: [
        object(
          'a launch',
          {
            grid: [list(nat), 'programs along each axis'],
            arg: [dictionary('words of `--arg` by parameter', text), 'a word for each parameter'],
          },
          {
            block: [list(nat), 'of PTX: threads along each axis'],
            shared: [nat, 'of PTX: bytes of dynamic shared memory'],
            entry: [text, 'of PTX: the entry, where the module has several'],
          },
        ),
        'a small launch to begin with, guessed from the text',
      ],
      operations: [
        list(
          object('an operation', {
            without: [text, 'its label: what `--without` and findings call it'],
            name: [text, 'its name'],
            line: [nat, 'its line in the text, counted from 1'],
            place: [orNull('a line', text), 'where its author wrote it, such as `kernel.py:31`'],
          }),
        ),
        'operations that do something, in the order of the text',
      ],
    },
    {
      guessed: [
        list(oneOf('grid', 'block', 'shared')),
        'of PTX: parts of the example that are guesses, which its text does not ask for',
      ],
    },
  ),
  'kernels.schema.json': document('tcspec.kernels/1', 'kernels that can be run', {
    kernels: [
      list(
        object('a kernel', {
          name: [text, 'what `run` and `check` call it'],
          summary: [text, 'what it computes, and how'],
          parameters: [
            list(
              object(
                'a setting',
                {
                  name: [text, 'what `--set` calls it'],
                  default: [
                    either(
                      'text, a number or a truth value',
                      text,
                      either('a number or a truth value', finite, bool),
                    ),
                    'its value where nothing is given; tiles and stages may be chosen smaller to fit',
                  ],
                  unit: [text, 'what it counts'],
                  meaning: [text, 'what it says'],
                },
                { choices: [list(text), 'the words that it may be'] },
              ),
            ),
            'its settings',
          ],
          tensors: [
            list(
              object('a tensor', {
                name: [text, 'what `--in` and `--out` call it'],
                role: [oneOf('in', 'out'), 'read or written'],
                axes: [list(text), 'the setting that is the extent of each dimension'],
              }),
            ),
            'its tensors',
          ],
          broken: [
            list(
              object('a statement', {
                without: [text, 'its label: what `--without` and findings call it'],
                verdict: [text, 'the verdict of the kernel without it, under the eager schedule'],
                shows: [list(text), 'hazard ids that are among its findings'],
                explore: [bool, 'one run leaves it open, and other schedules decide'],
              }),
            ),
            'statements that it cannot do without',
          ],
        }),
      ),
      'in the order of the catalogue; the one that was asked for',
    ],
    twins: [
      list(
        object('a kernel with a mistake, and the same kernel without it', {
          name: [text, 'what `check` calls the one that is wrong'],
          fixed: [text, 'what `check` calls the one that is mended'],
          id: [text, 'the hazard id'],
          title: [text, 'what goes wrong'],
          fix: [text, 'what mends it'],
          verdict: [text, 'the verdict of the one that is wrong'],
        }),
      ),
      'kernels of a few lines with one hazard, each with the same kernel mended; those that were asked for',
    ],
  }),
  'mma.schema.json': document('tcspec.mma/1', 'a matrix product', {
    m: [nat, 'rows of a and d'],
    n: [nat, 'columns of b and d'],
    k: [nat, 'columns of a, rows of b'],
    types: [
      dictionary('types', either('a type or a truth value', text, bool)),
      'element types of `a`, `b`, the accumulator `acc` and the output `d`; whether sums saturate',
    ],
    arithmetic: [text, 'whose tensor cores multiply'],
    multiplyAdds: [nat, 'm times n times k'],
    milliseconds: [finite, 'time that the product took'],
    written: [orNull('a file', text), 'the file of d, if one was asked for'],
  }),
  'score.schema.json': document('tcspec.score/1', 'the score card of a back end', {
    backEnd: [list(text), 'words of its command'],
    version: [text, 'version of the specification'],
    seed: [nat, 'seed of the random questions'],
    score: [
      orNull('a number', finite),
      'per cent of what was answered or failed, rounded down; null: nothing was',
    ],
    pass: [nat, 'questions that passed'],
    fail: [nat, 'questions that failed'],
    skip: [nat, 'questions that the back end does not know'],
    rules: [
      list(
        object('a rule', {
          suite: [text, 'its suite'],
          rule: [text, 'its id, which stays'],
          says: [text, 'the rule in words'],
          source: [text, 'where it is written, or what was measured'],
          fidelity: [oneOf('silicon', 'documented', 'model'), 'how it is known'],
          pass: [nat, 'questions about it that passed'],
          fail: [nat, 'questions about it that failed'],
          skip: [nat, 'questions about it that the back end does not know'],
          shown: [
            orNull(
              'a question that failed',
              object('a question that failed', {
                question: [anything, 'the smallest that was found'],
                expected: [anything, 'the answer, or the code of the refusal'],
                why: [text, 'where the answer differs first, or what went wrong'],
                case: [
                  orNull('a name', text),
                  'the case that failed first; null: only random questions failed',
                ],
              }),
            ),
            'a question that failed; null: none did',
          ],
        }),
      ),
      'every rule that was asked about',
    ],
  }),
  'mutation.schema.json': document(
    'tcspec.mutation/1',
    'mutants of kernels and their fates',
    Object.assign({}, tally, {
      undecided: [nat, 'those that no search within its bound decides: not killed'],
      kernels: [
        list(
          object(
            'a kernel',
            Object.assign({}, counted, {
              kernel: [text, 'its name'],
              settings: [
                dictionary(
                  'settings',
                  either(
                    'text, a number or a truth value',
                    text,
                    either('a number or a truth value', finite, bool),
                  ),
                ),
                'its settings',
              ],
              undecided: [nat, 'those that no search within its bound decides'],
              survivors: [list(mutantRow), 'mutants that are not found out and have no certificate'],
              unnamed: [list(mutantRow), 'mutants that are found out by findings that do not name the place'],
              equivalents: [
                list(
                  object('an equivalent mutant', {
                    site: [text, 'label of the statement that is changed'],
                    operator: [text, 'kind of the change'],
                    change: [text, 'the change in words'],
                    reason: [text, 'its certificate'],
                  }),
                ),
                'mutants that are no other program',
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
                        'counts by kind of change',
                      ],
                    } satisfies Members),
                  ),
                ),
                'counts by class',
              ],
            } satisfies Members),
          ),
        ),
        'one entry a kernel',
      ],
    } satisfies Members),
  ),
  'events.schema.json': document('tcspec.events/1', 'the events of a run', {
    program: [text, 'name of the program'],
    arch: [text, 'the chip that it is for'],
    events: [
      list(
        object('an event', {
          i: [nat, 'its place in the log'],
          cta: [orNull('a CTA', nat), 'the CTA of its agent; null for the beginning of a cluster'],
          agent: [text, 'the agent, or nothing'],
          site: [text, 'label of the statement'],
          iteration: [text, 'rounds of the loops around it'],
          what: [text, 'what happens'],
          place: [text, 'bytes that it touches'],
          barrier: [text, 'barrier that it is about'],
        }),
      ),
      'in the order of the log',
    ],
  }),
  'values.schema.json': document('tcspec.values/1', 'what an array holds after some steps of a run', {
    kernel: [text, 'name of the program'],
    at: [nat, 'steps that have happened'],
    ...placeFields,
    window: [
      object('a window', {
        row: [nat, 'its first row; rows are all dimensions but the last'],
        column: [nat, 'its first column'],
        rows: [nat, 'its rows'],
        columns: [nat, 'its columns'],
      }),
      'the elements that are listed',
    ],
    values: [
      list(either('a number, or the word of one that is not finite', finite, text)),
      'row by row; empty where the run keeps no data',
    ],
    bytes: [
      list(integer),
      'the byte at which each element begins, in the memory of its CTA or in its tensor',
    ],
    unswizzled: [orNull('numbers', list(integer)), 'the same before the swizzle, where there is one'],
    swizzle: [nat, 'bytes that the swizzle spans; 16 is none'],
    tiles: [list(list(nat)), 'levels of the tiling, outermost first: the extents of a tile'],
    places: [list(object('an array', placeFields)), 'the arrays that can be asked for'],
  }),
  'recording.schema.json': document('tcspec.recording/1', 'a run that is stepped through', {
    kernel: [text, 'name of the program'],
    arch: [text, 'the chip that it is for'],
    settings: [dictionary('settings', anything), 'settings of the kernel'],
    without: [list(text), 'labels of the statements that were left out'],
    schedule: [orNull('a schedule', text), 'the words that make this run again'],
    outcome: [oneOf('completed', 'stuck', 'out-of-fuel', 'fault'), 'how the run ended'],
    reason: [text, 'what stopped it; empty if nothing did'],
    count: [nat, 'steps of the whole run'],
    clusters: [
      object('clusters', { shown: [nat, 'clusters that are recorded'], of: [nat, 'clusters of the grid'] }),
      'how much of the grid is recorded',
    ],
    agents: [
      list(
        object('an agent', {
          name: [text, 'its name'],
          cta: [nat, 'its CTA'],
          warps: [nat, 'warps that it is made of'],
        }),
      ),
      'agents, in the order in which findings number them',
    ],
    barriers: [
      list(object('a barrier', { name: [text, 'storage and index in it'], cta: [nat, 'its CTA'] })),
      'mbarriers',
    ],
    buffers: [
      list(
        object('an array', {
          name: [text, 'its name'],
          cta: [nat, 'its CTA'],
          space: [oneOf('smem', 'tmem'), 'the memory that it is in'],
          start: [nat, 'where it begins: a byte of shared memory, or of every lane of tensor memory'],
          bytes: [nat, 'its length there'],
          slots: [nat, 'slots of the ring that it is; 1 where it is none'],
          slotBytes: [nat, 'from the start of a slot to that of the next'],
          holds: [text, 'elements, and the shape of a slot'],
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
                text: [text, 'what stands there, where that is known'],
              }),
              'where an author wrote it',
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
          depth: [nat, 'how far it is indented'],
          site: [orNull('a statement', nat), 'the statement that begins here: place in `sites`'],
        }),
      ),
      'the program as it is printed',
    ],
    picture: [
      object('a timeline', {
        lanes: [
          list(
            object('a lane', {
              name: [text, 'agent or unit'],
              cta: [nat, 'its CTA'],
              kind: [oneOf('agent', 'unit'), 'whose lane it is'],
              rows: [nat, 'bars that lie over one another at most'],
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
              tip: [text, 'what it is, in a sentence'],
              isOpen: [bool, 'whether it is never over'],
              agent: [nat, 'agent of the statement'],
              at: [nat, 'number of the statement in its agent'],
              site: [nat, 'the statement'],
              iteration: [list(nat), 'rounds of the loops around it'],
              first: [stepOrNull, 'step in which it begins'],
              last: [stepOrNull, 'step in which it ends'],
            }),
          ),
          'statements and operations',
        ],
        arrows: [
          list(
            object('an arrow', {
              fromLane: [nat, 'lane of what signals'],
              fromRow: [nat, 'row of that lane'],
              from: [nat, 'when it does'],
              toLane: [nat, 'lane of what waited'],
              to: [nat, 'when it goes on'],
              kind,
              fromStep: [stepOrNull, 'the step that signals'],
              toStep: [stepOrNull, 'the step that waited'],
            }),
          ),
          'from a signal or an arrival to the wait that needs it',
        ],
        kinds: [
          list(object('a kind', { kind, title: [text, 'what it is called'] })),
          'kinds of bars, in the order of a legend',
        ],
        end: [nat, 'the last time at which something is drawn'],
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
          iteration: [list(nat), 'rounds of the loops around it'],
          does: [text, 'what happens'],
          time: [nat, 'causal time'],
          changed: [
            object(
              'what is another after the step',
              {},
              {
                agents: [list(tuple('an agent', nat, recordedAgent)), 'agents, by number'],
                barriers: [list(tuple('a barrier', nat, recordedBarrier)), 'barriers, by number'],
                slots: [list(tuple('a slot', nat, nat, recordedSlot)), 'slots, by array and number'],
                flights: [
                  list(tuple('an operation', text, orNull('an operation', recordedFlight))),
                  'operations in flight, by the key that they had; null: it is over',
                ],
              },
            ),
            'what is another after it, each whole',
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
    different: [nat, 'elements that lie elsewhere'],
    first: [
      orNull(
        'an element',
        object('an element', {
          index: [list(nat), 'its index'],
          layout: [list(site), 'where the first layout has it'],
          against: [list(site), 'where the other one has it'],
        }),
      ),
      'the first element that lies elsewhere',
    ],
  }),
  'layout-names.schema.json': document('tcspec.layout-names/1', 'layouts that have names', {
    layouts: [
      list(
        object('a family of layouts', {
          name: [text, 'its name'],
          parameters: [list(text), 'what stands in brackets after the name'],
          summary: [text, 'what it is'],
          example: [text, 'a layout of it'],
        }),
      ),
      'in the order of the list',
    ],
  }),
  'layout-words.schema.json': document('tcspec.layout-words/1', 'one layout in several vocabularies', {
    layout: [text, 'what was asked about'],
    shape,
    names: [list(text), 'names of it, as Pallas and Mosaic have them'],
    mosaic: [
      orNull('a description', text),
      "Mosaic's tiling as a description, in JSON; null where it has none",
    ],
    triton: [list(text), 'encodings of Triton that say the same on this array, as its modules write them'],
    cute: [
      orNull('a layout', text),
      "CuTe's layout of threads and values, the first dimension fastest; null where no strides say it",
    ],
    linear: [orNull('bases', text), 'bases over GF(2); null where it is not linear'],
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
        orNull(
          'a pairing',
          either('text or a number', text, either('a number or a truth value', finite, bool)),
        ),
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
            addresses: [list(orNull('a byte', nat)), 'byte of every lane; null where a lane takes no part'],
            wavefronts: [nat, 'turns that it takes'],
            conflicts: [nat, 'turns more than the fewest possible'],
            phases: [list(nat), 'turns of each phase'],
          }),
        ),
        'the instructions that move the whole array',
      ],
      instruction: [
        nat,
        'number of the instruction whose turns are listed: `--instruction`, or the first with most',
      ],
      turns: [
        list(
          object('a turn', {
            phase: [nat, 'its phase'],
            words: [
              list(
                object('a word', {
                  bank: [nat, 'the bank that has it'],
                  byte: [nat, 'its first byte'],
                  lanes: [list(nat), 'the lanes that want it; of ldmatrix and stmatrix, the rows'],
                }),
              ),
              'the words that are delivered, or taken: at most one of each bank',
            ],
          }),
        ),
        'turns of one access, one by one; the order of the words of one bank is that of the lanes, which no counter shows',
      ],
    },
  ),
  'cute.schema.json': document('tcspec.cute/1', "an answer of CuTe's algebra", {
    question: [text, 'the expression'],
    result: [
      object(
        'a result',
        {
          kind: [text, 'a value, a layout, or a layout after another function'],
          text: [text, 'as CuTe writes it'],
        },
        {
          value: [nested, 'the value'],
          shape: [nested, 'shape of the layout'],
          stride: [text, 'strides of the layout, as CuTe writes them'],
          size: [finite, 'number of coordinates'],
          cosize: [finite, 'one more than the largest value'],
          values: [list(nested), 'value of every coordinate, the first dimension fastest'],
          valuesLeftOut: [nat, 'values that are not listed'],
        },
      ),
      'what it is',
    ],
  }),
  'image.schema.json': document('tcspec.image/1', 'what a TMA box leaves in shared memory', {
    box: [
      object('a box', {
        bits,
        extents: [list(nat), 'extent of every dimension'],
        elementStrides: [list(nat), 'every how many elements one is copied'],
        swizzle: [nat, 'bytes of the swizzle; 16 is none'],
      }),
      'the box of the tensor map',
    ],
    direction: [text, 'load or store'],
    tensor: [list(nat), 'extents of the tensor in global memory'],
    at: [ints, 'coordinates of the box in it'],
    base: [nat, 'address of the box in shared memory'],
    copied: [list(nat), 'extents of what is copied'],
    transactionBytes: [nat, 'bytes that the copy counts at its barrier'],
    outside: [nat, 'elements of the box that are not in the tensor'],
    addresses: [list(nat), 'byte of every element of the box, row-major'],
    origins: [
      list(orNull('an index', list(nat))),
      'index in the tensor of every element of the box, row-major; null where it is not in the tensor',
    ],
    unswizzled: [list(nat), 'byte of every element of the box if there were no swizzle'],
  }),
  'linear.schema.json': document('tcspec.linear/1', 'a layout over GF(2)', {
    layout: [
      object('a linear layout', {
        kind: [oneOf('linear'), 'says that it is one; other commands take this part as it is'],
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
    surjective: [bool, 'whether every output is reached'],
    injective: [bool, 'whether no two inputs have one output'],
    freeVariableMasks: [dictionary('masks', nat), 'input bits that change nothing, by input dimension'],
  }),
  'sweep-summary.schema.json': document('tcspec.sweep-summary/1', 'what a sweep came to', {
    version: [text, 'version of the library that judged'],
    hash: [text, 'of the document and of all files that it names'],
    points: [nat, 'points of the whole grid'],
    shard: [
      object('a part of the points', {
        part: [nat, 'which, from 1'],
        of: [nat, 'of how many'],
      }),
      'the part that was asked for',
    ],
    asked: [nat, 'points of that part'],
    answered: [nat, 'points of it that have a row'],
    stopped: [bool, 'whether a signal stopped the sweep'],
    output: [orNull('a file', text), 'the file of the results, if one was asked for'],
    subjects: [
      list(
        object('a subject', {
          subject: [text, 'the kernel or the file'],
          points: [nat, 'points of it that have a row'],
          outcomes: [dictionary('counts', nat), 'points by outcome'],
          ids: [
            dictionary('counts', nat),
            'points that are no killed mutant, by the id of their first finding or the code of their refusal',
          ],
        }),
      ),
      'in the order of the grid',
    ],
  }),
  'host-verdict.schema.json': document('tcspec.host-verdict/1', 'the verdict on a program of a host', {
    program: [text, 'what the program is called, or its file'],
    verdict: [
      oneOf('ok', 'invalid', 'hazard', 'deadlock', 'wrong-result', 'undecided', 'out-of-fuel'),
      'the worst of its launches and of what is between its operations',
    ],
    reason: [text, 'why, in a line'],
    operations: [nat, 'how many operations it has'],
    launches: [
      list(
        object('a launch', {
          operation: [nat, 'its operation, from 0'],
          node: [orNull('a node', text), 'the node of a graph; null: the operation is the launch'],
          kernel: [text, 'its kernel'],
          stream: [text, 'its stream; `legacy`: the default stream'],
          verdict: [orNull('a verdict', verdictWire), 'the verdict on it alone; null: it was not judged'],
          unjudged: [
            orNull('a reason', text),
            'why it is executed and cannot be judged; null: it is, or it was not asked',
          ],
          again: [nat, 'how many later launches of the same kernel and shape it covers'],
        }),
      ),
      'its launches, in their order',
    ],
    findings: [
      list(
        object(
          'a finding',
          {
            id: [oneOf('H1', 'H2', 'H3', 'H4', 'H5'), 'its kind (docs/Programs.md)'],
            severity: [oneOf('E', 'L'), 'E: a hazard; L: a note'],
            title: [text, 'its kind in words'],
            text: [text, 'what is wrong, in a line'],
            a: [hostSide, 'the earlier operation'],
            memory: [text, 'the memory; empty where there is none'],
            spans: [list(pair(nat)), 'its bytes: start and end'],
            why: [text, 'why nothing orders the two'],
            fix: [text, 'what would'],
          },
          { b: [hostSide, 'the later operation'] },
        ),
      ),
      'what is wrong between operations',
    ],
    compared: [
      list(
        object('a comparison', {
          operation: [nat, 'the operation that compares; as many as there are operations: the end'],
          memory: [text, 'the memory'],
          elements: [nat, 'how many elements'],
          differ: [nat, 'how many of them differ from what a file expects'],
        }),
      ),
      'what files expect',
    ],
    stopped: [
      orNull(
        'an operation',
        object('an operation', {
          operation: [nat, 'the operation that could not be executed to its end'],
          why: [text, 'why'],
          fatal: [
            oneOf('address', 'assertion', 'trap', 'endless'),
            'the kind: an access, an assertion, a trap, no end',
          ],
        }),
      ),
      'where the program was stopped; null: nowhere',
    ],
  }),
  'litmus-answer.schema.json': document('tcspec.litmus-answer/1', 'the answer to a litmus test of PTX', {
    name: [text, 'the file'],
    test: [text, 'the name that the test gives itself'],
    question: [text, 'what is asked, as the test writes it'],
    quantifier: [oneOf('exists', 'notExists', 'forall'), 'the kind of the question'],
    answer: [
      oneOf('allowed', 'never', 'always', 'not always', 'undecided'),
      'which final states satisfy the condition',
    ],
    holds: [orNull('yes or no', bool), 'whether the question holds; null: it is undecided'],
    leftOut: [list(text), 'axioms that are left out'],
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
      'an execution that satisfies the condition, or contradicts a forall; null: none does',
    ],
    refusals: [
      list(
        object('an execution that is forbidden', {
          state: [answerState, 'the final state that it would have'],
          execution: [answerExecution, 'what it would choose'],
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
                            is: [text, 'what makes the one precede the other'],
                          }),
                        ),
                        'the way in causality order; empty for other relations',
                      ],
                    }),
                  ),
                  'arrows that lead in a circle',
                ],
              }),
            ),
            'axioms that it contradicts',
          ],
        }),
      ),
      'executions that would do what the witness would; the first of them',
    ],
    refused: [nat, 'how many such executions were found'],
    states: [list(answerState), 'final states that the axioms allow'],
    complete: [bool, 'whether every candidate was looked at'],
    cut: [bool, 'whether a loop was left before its end'],
    candidates: [nat, 'candidate executions that were looked at'],
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
      'the lines that say something',
    ],
    options: [
      object('options of a verdict', {
        strict: [bool, 'whether relaxed arrives and waits order no access'],
        strictProxies: [bool, 'whether a generic read before an asynchronous overwrite needs a proxy fence'],
        tensorPipe: [oneOf('issueOrder', 'documented'), 'which products of one queue are in order'],
      }),
      'what it is judged by',
    ],
    leftOut: [list(text), 'clauses that are left out'],
    model: [says, 'what the whole model says'],
    without: [orNull('what is said', says), 'what it says without those clauses; null: none is left out'],
    agents: [
      list(object('an agent', { name: [text, 'its name'], cta: [nat, 'its CTA'] })),
      'agents of the test',
    ],
    events: [
      list(
        object('an event', {
          line: [orNull('a line', nat), 'its line; null: it comes before the test'],
          by: [text, 'the agent or the operation that makes it'],
          agent: [text, 'the agent; of an operation the one that issued it'],
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
            'the access that it is; null: it is none',
          ],
        }),
      ),
      'the log; other members know an event by its place here',
    ],
    arrows: [
      list(
        object('an arrow', {
          clause: [text, 'the clause that draws it'],
          kind: [oneOf('fact', 'flow'), 'a fact enters, or what one event knows flows to another'],
          from: [nat, 'event; of the completion of a phase the event that completes it'],
          phase: [orNull('a phase', phaseName), 'the phase whose completion it is; null: it is none'],
          to: [nat, 'event'],
          views: [
            list(pair(orNull('a view', text))),
            'which view of the one flows into which of the other; of a fact null, and which it enters',
          ],
        }),
      ),
      'without those that bring nothing new: their closure is the relation',
    ],
    pairs: [
      list(
        object('two accesses that conflict', {
          a: [nat, 'the first, an event'],
          b: [nat, 'the second'],
          is: [
            orNull('a word', oneOf('race', 'not visible', 'unfenced', 'race of clusters', 'any order', 'ok')),
            'what the model says of them; null: they do not meet, a plain write stands between',
          ],
          because: [
            orNull(
              'a word',
              oneOf('in one unit', 'atomic', 'in order', 'seen', 'landed', 'found', 'not asked'),
            ),
            'why nothing is wrong; null: something is, or nothing was asked',
          ],
          before: [bool, 'whether the first is before the second'],
          seen: [orNull('yes or no', bool), 'whether the second sees the first; null: that is a read'],
          window: [orNull('a view', text), 'the view in which it would be seen'],
          done: [
            either('a phase, or a word', phaseName, oneOf('itself', 'never')),
            'what has to be known for the first to be done: the completion of a phase, itself, or nothing that ever happens',
          ],
          beforeBy: [
            orNull('arrows', list(nat)),
            'the arrows by which it is before, by their places in `arrows`',
          ],
          seenBy: [orNull('arrows', list(nat)), 'the arrows by which it is seen'],
          hazards: [list(text), 'ids of what the detector finds between the two'],
        }),
      ),
      'every two accesses that conflict',
    ],
    nothing: [list(nat), 'reads that find nothing'],
    conditions: [
      list(
        object('a condition that fails', {
          condition: [text, 'its name'],
          a: [nat, 'the first event'],
          b: [nat, 'the second event'],
        }),
      ),
      'conditions that fail, and between which events',
    ],
    ends: [
      list(
        object('what is left', {
          id: [text, 'id of the hazard'],
          event: [orNull('an event', nat), 'the event that it is about; null: it is about none'],
        }),
      ),
      'what is not over at the end, and uses of barriers and tensor memory that are wrong',
    ],
    findings: [
      list(
        object('a finding', {
          id: [text, 'id of the hazard'],
          severity: [text, 'how bad it is'],
          text: [text, 'what is wrong'],
          lines: [list(nat), 'the lines that it is about'],
          missing: [orNull('a sentence', text), 'what would mend it'],
        }),
      ),
      'what the detector, which leaves out no clause, finds in the same log',
    ],
  }),
  'ptx.schema.json': document('tcspec.ptx/1', 'what is in a module of PTX', {
    version: [text, 'version of the ISA'],
    target: [text, 'the chip, and options'],
    addressSize: [orNull('bits', nat), 'bits of an address; null where it is not said'],
    shared: [
      list(
        object('shared memory', {
          name: [text, 'its name'],
          bytes: [orNull('bytes', nat), 'its bytes; null of what the launch gives'],
          align: [nat, 'its alignment in bytes'],
        }),
      ),
      'variables in shared memory',
    ],
    functions: [
      list(
        object('a function', {
          name: [text, 'its name'],
          kind: [oneOf('entry', 'func'), 'what a launch begins, or what is called'],
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
                  'what a pointer points into; null where it is not said to be one',
                ],
              }),
            ),
            'its parameters in their order',
          ],
          directives: [list(text), 'what is said of its launch'],
          instructions: [nat, 'its instructions'],
          families: [
            list(object('a family', { family: [text, 'its name'], count: [nat, 'its instructions'] })),
            'instructions by family, the most first',
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
          barriers: [list(orNull('an id', nat)), 'ids of named barriers; null of one in a register'],
          mbarriers: [
            list(
              object('an mbarrier', {
                line: [nat, 'where it is initialised'],
                count: [orNull('a count', nat), 'arrivals of a phase; null of a register'],
              }),
            ),
            'barriers in shared memory that it initialises',
          ],
          spins: [
            list(
              object('a spin', {
                line: [nat, 'the line of its test'],
                kind: [oneOf('mbarrier', 'semaphore'), 'what it waits for'],
              }),
            ),
            'loops that do nothing but wait; of a function with unsupported opcodes none',
          ],
          peeks: [
            list(
              object('a peek', {
                line: [nat, 'the line of its test'],
                waits: [list(nat), 'lines of the spins that wait where it was false'],
              }),
            ),
            'tests whose answer is kept, and waited for later',
          ],
          flights: [
            list(
              object('a product', {
                line: [nat, 'its line'],
                accumulators: [nat, 'registers that it writes'],
                sources: [nat, 'registers that it reads'],
                waits: [list(nat), 'lines of the waits that cover it'],
                touches: [list(nat), 'lines that use one of its registers before that'],
              }),
            ),
            'registers in flight: products of a warpgroup until they are waited for',
          ],
        }),
      ),
      'functions that have bodies',
    ],
  }),
  'tiling.schema.json': document(
    'tcspec.tiling/1',
    'operands that clusters share, by the order of their tiles',
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
                  bytes: [nat, 'bytes that its tiles read, each once'],
                  kept: [nat, 'bytes of them that the wave before read too'],
                  tiles: [list(pair(nat)), 'row and column of every tile'],
                }),
              ),
              'tiles that run at a time',
            ],
            missBytes: [list(nat), 'bytes from memory, for each of the caches'],
          }),
        ),
        'one entry an order',
      ],
    },
  ),
  'time.schema.json': document('tcspec.time/1', 'a prediction of how long a kernel takes', {
    program: [text, 'its name'],
    chip: [text, 'the chip that it is timed on'],
    microseconds: [finite, 'time of a launch'],
    megahertz: [finite, 'frequency of the multiprocessors'],
    cycles: [finite, 'cycles from the first instruction to the last byte'],
    tensorCores: [finite, 'multiply-adds, as a share of what the chip could do in this time'],
    bound: [text, 'the unit that is busy nearly always, or what the critical path waits for most'],
    residency: [
      object('a residency', {
        ctas: [nat, 'CTAs on a multiprocessor at once'],
        limit: [text, 'what takes no more of them'],
      }),
      'CTAs on a multiprocessor',
    ],
    footing: [
      object('a footing', {
        threads: [nat, 'threads of a CTA'],
        registers: [nat, 'registers of a thread'],
        shared: [nat, 'bytes of shared memory of a CTA'],
      }),
      'what a CTA takes of a multiprocessor',
    ],
    clusters: [nat, 'clusters of the grid'],
    waves: [nat, 'waves of them'],
    wavesRun: [nat, 'waves that were run; the others are like them'],
    bytes: [
      object('bytes of one multiprocessor', {
        loaded: [finite, 'loaded from global memory'],
        missed: [finite, 'of these, not in L2'],
        stored: [finite, 'stored to global memory'],
      }),
      'traffic of the waves that were run',
    ],
    busy: [dictionary('a share', finite), 'by unit, the share of the time for which it is busy'],
    critical: [
      list(
        object('a stretch of the critical path', {
          line: [text, 'the line of the author, or the statement'],
          why: [text, 'what is waited for there'],
          cycles: [finite, 'how long'],
          share: [finite, 'of the waves that were run'],
        }),
      ),
      'the critical path by lines and reasons, the longest first',
    ],
    notModelled: [list(text), 'what the prediction does not speak of'],
  }),
  'chip.schema.json': document('tcspec.chip/1', 'the numbers that predictions for a chip rest on', {
    name: [text, 'its name'],
    says: [text, 'which chip it is'],
    numbers: [
      dictionary(
        'a number',
        object('a number of a chip', {
          value: [finite, 'how much'],
          unit: [text, 'of what'],
          says: [text, 'what it is'],
          known: [oneOf('measured', 'documented', 'fitted', 'assumed'), 'how it is known'],
          by: [text, 'rows of a capture, a page, or the captures that it was fitted to'],
        }),
      ),
      'by name',
    ],
  }),
  'tmem.schema.json': document('tcspec.tmem/1', 'a layout of tensor memory', {
    layout: [text, 'its name'],
    shape,
    bits,
    columns: [nat, 'columns that it takes'],
    elementsPerColumn: [nat, 'elements of one lane in one column'],
    copies: [nat, 'places of every element'],
    registers: [text, 'layout of registers that it is loaded into, and by which instruction'],
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
    used: [nat, 'columns that the arrays take'],
    allocated: [nat, 'columns that are allocated: a power of two'],
    arrays: [
      list(
        object('an array', {
          name: [text, 'its name'],
          layout: [text, 'its layout'],
          shape,
          bits,
          start: [nat, 'its first column'],
          columns: [nat, 'columns that it takes'],
        }),
      ),
      'in the order of their columns',
    ],
  }),
  'transform.schema.json': document(
    'tcspec.transform/1',
    'where the elements of an array lie in shared memory',
    {
      array: [arrayWire, 'the array as a description; the command takes this part as it is'],
      shape,
      bits,
      transforms: [list(text), 'transforms, as they are applied'],
      physicalShape: [list(nat), 'shape of the array in shared memory'],
      tiling: [list(list(nat)), 'tiles, the outermost first'],
      tiledShape: [list(nat), 'shape with its tiles as dimensions'],
      strides: [ints, 'stride of every one of them, in elements'],
      swizzle: [nat, 'bytes of the swizzle; 16 is none'],
      bytes: [nat, 'bytes of the array'],
      base: [nat, 'address of the array'],
      addresses: [list(nat), 'byte of every element, row-major over the logical shape'],
      unswizzled: [list(nat), 'byte of every element if there were no swizzle'],
    },
    { bitOffsets: [list(nat), 'bit within that byte, where elements are not whole bytes'] },
  ),
}

/** The files of a directory of vectors. */
const vectorDocuments: Readonly<Record<string, Document>> = {
  'manifest.schema.json': document('tcspec.manifest/1', 'a directory of vectors', {
    package: [text, 'what wrote it'],
    version: [text, 'its version'],
    schemas: [
      object('schemas', {
        suite: [text, 'schema of the files of suites'],
        case: [text, 'schema of the files of cases'],
      }),
      'schemas of the other files',
    ],
    suites: [
      list(
        object(
          'a suite',
          Object.assign({}, ofSuite, {
            directory: [text, 'where its files are'],
            lines: [text, 'the same cases in one file, a case on each line with its tensors inside'],
            cases: [
              list(
                object('a case', {
                  file: [text, 'its file'],
                  rule: [text, 'id of its rule'],
                  features: [list(text), 'what a back end must know to be asked'],
                  refused: [bool, 'whether a refusal is expected'],
                }),
              ),
              'its cases',
            ],
          } satisfies Members),
        ),
      ),
      'one entry a suite',
    ],
    files: [
      list(
        object('a file', {
          file: [text, 'its name, relative to the directory'],
          bytes: [nat, 'its length'],
          sha256: [text, 'SHA-256 of its bytes, in hexadecimal'],
        }),
      ),
      'every file but this one',
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
  'case.schema.json': document('tcspec.case/1', 'a question and what is expected of it', {
    suite: [text, 'name of the suite'],
    case: [text, 'name of the case'],
    rule: [text, 'id of the rule that it must follow'],
    features: [list(text), 'what a back end must know to be asked'],
    fidelity: [text, 'how the rule is known: silicon, documented or model'],
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
      'what the specification answers',
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
            description: 'kind of the event: M, X, s, t or f; of operations in flight b or e',
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
      description: 'unit of `ts` for the viewer; of a trace a place in the log, of a timed run a time',
    },
    otherData: {
      type: 'object',
      description: 'program, chip, and what the clock is',
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
