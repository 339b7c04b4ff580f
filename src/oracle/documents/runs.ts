/** Documents of what happened in a run, and when: events, values, recordings, times, sweeps. */
import {
  anything,
  bool,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  oneOf,
  text,
  type Json,
} from '../../wire.js'
import { type Members, object, orNull, tuple, type Document, document } from './members.js'
import { verdictWire } from '../../semantics/files/verdict-codec.js'

/** What is said of an array, wherever it is. */
const placeFields = {
  name: [text, 'its name'],
  space: [oneOf('gmem', 'smem', 'tmem', 'regs'), 'its memory space'],
  cta: [orNull('a CTA', nat), 'its CTA; null for global memory'],
  dtype: [text, 'type of its elements'],
  shape: [list(nat), 'its extents'],
} as const

const kind: Members[string] = [text, 'the unit, or `wait`, `arrive` or `other`']

const stepOrNull = orNull('a step', nat)

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

/** By file name under `schemas/`. */
export const runDocuments: Readonly<Record<string, Document>> = {
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
    ranking: [
      list(
        object('a prediction', {
          command: [text, 'the command that makes it'],
          microseconds: [finite, 'time of a launch'],
          tensorCores: [finite, 'share of the peak rate of multiply-adds'],
          bound: [text, 'the unit that is busy nearly all the time, or the main wait of the critical path'],
        }),
      ),
      'predicted times, the fastest first; empty without chips',
    ],
  }),
}

/** The timeline: the JSON object form of the Trace Event Format, whose events are what that format says. */
export const timeline: Json = {
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
