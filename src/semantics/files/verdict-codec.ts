/**
 * Verdicts as JSON, schema `tcspec.verdict/2`.
 *
 * The JSON of a verdict is the verdict, as with programs: `check --json` prints it, and a reader in another language has the
 * JSON Schema. What is read back is checked for its form only: that a finding is true is shown by replaying its schedule.
 *
 *     decodeVerdict: unknown -> Either<Failure, Verdict>
 *     $.findings[0].id: expected one of "D1", "D2", ..., found "D9"
 *
 * Laws
 * 1. `decodeVerdict(JSON of v) = v` for every verdict of `check`.
 * 2. An error is one line: JSON path, what was expected, what was found.
 * 3. Every schedule of what is read is one (`schedule.ts`), and every finding's is in the table.
 *
 * Source: the taxonomy of hazards in docs/hazards.md.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Failure } from '../../failure.js'
import type {
  Condition,
  Conditions,
  Finding,
  HazardId,
  MissingEdge,
  NamedBytes,
  Operation,
  Place,
  Severity,
} from '../judging/finding.js'
import { hazardIds } from '../judging/hazards.js'
import type { LevelName } from '../judging/level-names.js'
import { acceptedFields, acceptedLaunch } from './accept-codec.js'
import { isSchedule } from './schedule-text.js'
import {
  verdictSchema,
  type Approximation,
  type AtLevel,
  type Level,
  type Comparison,
  type Counts,
  type ClusterClass,
  type Spent,
  type MendedFinding,
  type Mismatch,
  type Provenance,
  type AcceptedFinding,
  type AlikeFinding,
  type ReplayableFinding,
  type Searched,
  type Verdict,
  type VerdictName,
  type Way,
} from '../judging/verdict.js'
import {
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  nothing,
  oneOf,
  pair,
  record,
  refined,
  text,
  wordOf,
  type Wire,
} from '../../wire.js'

// ---------------------------------------------------------------- words

const hazardId: Wire<HazardId> = define('HazardId', () => oneOf(...hazardIds))
const severity: Wire<Severity> = wordOf<Severity>()({ E: true, C: true, L: true })
const verdictName: Wire<VerdictName> = wordOf<VerdictName>()({
  ok: true,
  invalid: true,
  hazard: true,
  deadlock: true,
  'wrong-result': true,
  undecided: true,
  'out-of-fuel': true,
})

// ---------------------------------------------------------------- findings

const operation: Wire<Operation> = define('Operation', () =>
  record<Operation>()(
    'an operation',
    {
      index: described(nat, 'index of the agent in the header of the log'),
      agent: described(text, 'its name with its CTA: `wg0@0`'),
      site: described(text, 'label of the statement'),
      path: described(list(text), 'labels of the statements around it, the outermost first'),
      iteration: described(list(integer), 'rounds of the loops around it'),
      at: described(nat, 'its number among the events of its agent'),
      does: described(text, 'what it does to the bytes or the barrier, and through which unit'),
    },
    {
      loc: described(text, 'the source line of the statement'),
      operation: described(
        nat,
        'the asynchronous operation in the log; absent for what the agent does itself',
      ),
      tensor: described(
        text,
        'the tensor of global memory that the asynchronous operation reads or writes, where its statement does not name it',
      ),
      source: described(
        text,
        'the source line of the author, and what the compiler made of it, if the text is available',
      ),
    },
  ),
)

const namedBytes: Wire<NamedBytes> = define('NamedBytes', () =>
  record<NamedBytes>()(
    'a storage',
    {
      name: described(text, 'its name'),
      start: described(nat, 'its first byte'),
      end: described(nat, 'the byte after its last'),
    },
    {},
  ),
)

const place: Wire<Place> = define('Place', () =>
  record<Place>()(
    'a place',
    {
      plane: described(text, 'memory: `smem@0`, `acc@wg0`, `gmem a`'),
      spans: described(list(pair(nat)), 'intervals of bytes, [start, end)'),
    },
    {
      more: described(nat, 'intervals that are not listed'),
      within: described(list(namedBytes), 'storages that contain them, if the program says it'),
    },
  ),
)

const missingEdge: Wire<MissingEdge> = define('MissingEdge', () =>
  record<MissingEdge>()(
    'a missing edge',
    {
      kind: described(
        wordOf<MissingEdge['kind']>()({
          fence: true,
          'warp-sync': true,
          'group-wait': true,
          wait: true,
          arrive: true,
          'arrive-wait': true,
          bytes: true,
          'none-found': true,
        }),
        'what would order the two operations',
      ),
      text: described(text, 'what to add, and where'),
    },
    {
      fence: described(
        wordOf<NonNullable<MissingEdge['fence']>>()({
          shared: true,
          cluster: true,
          global: true,
          wgmma: true,
          tensorBefore: true,
          tensorAfter: true,
          mapRelease: true,
          mapAcquire: true,
          mbarrierInit: true,
          threads: true,
        }),
        'the fence',
      ),
      moved: described(
        oneOf<true>(true),
        'the fence is there: the compiler moved the write of a register after it',
      ),
      family: described(
        wordOf<NonNullable<MissingEdge['family']>>()({
          bulk: true,
          wgmma: true,
          cpAsync: true,
          tcgen05Ld: true,
          tcgen05St: true,
        }),
        'the kind of operations that a group wait covers',
      ),
      lacks: described(
        wordOf<NonNullable<MissingEdge['lacks']>>()({ commit: true, both: true }),
        'the commit of the group is missing: alone, or both it and the wait',
      ),
      barrier: described(
        record<NonNullable<MissingEdge['barrier']>>()(
          'a barrier',
          { name: described(text, 'its name') },
          { phase: described(nat, 'the parity of the phase that is waited for') },
        ),
        'the barrier that is waited for, or arrived on',
      ),
      distance: described(
        wordOf<NonNullable<MissingEdge['distance']>>()({ warp: true, cta: true, cluster: true, grid: true }),
        'the common property of the two sides',
      ),
      after: described(oneOf<'a' | 'b'>('a', 'b'), 'the side that it must follow'),
      before: described(oneOf<'a' | 'b'>('a', 'b'), 'the side that it must precede'),
      ahead: described(text, 'the statement that it must precede, if that is neither side'),
      moves: described(
        record<NonNullable<MissingEdge['moves']>>()(
          'a statement',
          { site: described(text, 'its label') },
          {
            loc: described(text, 'its place in the source'),
            source: described(text, 'the source text'),
          },
        ),
        'an existing statement that is in the wrong place',
      ),
      reversed: described(oneOf<true>(true), 'the program says the second side first'),
    },
  ),
)

const findingFields = {
  id: described(hazardId, 'its id in the list of hazards'),
  severity: described(
    severity,
    'E: wrong or undefined in some schedule; C: a documented contract is broken; L: a note',
  ),
  text: described(text, 'one line: what is wrong'),
  a: described(operation, 'the earlier operation in the run'),
}
const findingMay = {
  title: described(text, 'the title of its id'),
  b: described(operation, 'the later one; a rule broken by one operation has none'),
  place: described(place, 'the bytes at stake'),
  knew: described(
    text,
    'how far the agent of the later one had synchronised with the agent of the earlier one',
  ),
  knows: described(
    nat,
    'the last event of the earlier agent with which the later agent, a different one, had synchronised; 0: none',
  ),
  missing: described(missingEdge, 'the smallest addition that makes the finding disappear'),
  silicon: described(
    text,
    'how an H100 ran a micro-kernel with this mistake between such accesses; absent if no trial went wrong',
  ),
  fix: described(text, "the missing edge in the words of the author's language"),
  whose: described(
    wordOf<NonNullable<Finding['whose']>>()({ library: true, compiler: true }),
    'who wrote the wrong code, if not the author of the kernel',
  ),
}

const finding: Wire<Finding> = define('Finding', () =>
  record<Finding>()('a finding', findingFields, findingMay),
)

/** A place in the table of schedules. */
const scheduled: Wire<number | null> = either('null or the number of a schedule', nothing, nat)

const schedule: Wire<string> = refined(text, 'a schedule', (s): s is string => s !== '' && isSchedule(s), {
  type: 'string',
  minLength: 1,
})

const alike: Wire<AlikeFinding> = define('AlikeFinding', () =>
  record<AlikeFinding>()(
    'a similar finding',
    {
      schedule: described(scheduled, 'the schedule that replays it: its place in `schedules`'),
      a: findingFields.a,
    },
    { b: findingMay.b, place: findingMay.place },
  ),
)

const levelName = wordOf<LevelName>()({ jaxpr: true, ttgir: true, ptx: true })

const replayable: Wire<ReplayableFinding> = define('ReplayableFinding', () =>
  record<ReplayableFinding>()(
    'a finding with its schedule',
    Object.assign(
      {
        schedule: described(
          scheduled,
          'the schedule that replays it: its place in `schedules`; null in the verdict on a trace',
        ),
      },
      findingFields,
    ),
    Object.assign(
      {
        replay: described(text, 'how to reproduce it, in the words of the command'),
        alike: described(list(alike), 'others of its id, between the same two lines of the source'),
        accepted: described(text, 'why it is accepted, if a baseline accepts it'),
        levels: described(
          list(levelName),
          'in a verdict on several levels: the levels with this finding; the first one is shown',
        ),
      },
      findingMay,
    ),
  ),
)

const condition: Wire<Condition> = define('Condition', () =>
  record<Condition>()(
    'a condition',
    {
      holds: described(bool, 'whether it holds in the run'),
      failures: described(list(text), 'where it does not, in words'),
      findings: described(list(finding), 'the same with their ids'),
    },
    {},
  ),
)

const conditions: Wire<Conditions> = define('Conditions', () =>
  record<Conditions>()(
    'the conditions',
    {
      C1: described(condition, 'every agent is a deterministic function of what it reads'),
      C2: described(condition, 'waits are parity waits'),
      C3: described(condition, 'generations of a barrier cannot mix'),
      C4: described(condition, 'no wait can see a generation too late or too early'),
      C5: described(condition, 'the run ends and leaves nothing open'),
      C6: described(condition, 'expected bytes are announced before they can be missed'),
    },
    {},
  ),
)

// ---------------------------------------------------------------- verdicts

const provenance: Wire<Provenance> = define('Provenance', () =>
  record<Provenance>()(
    'a provenance',
    {
      proved: described(bool, 'whether the outputs are what the program says it computes, for all inputs'),
      inOrder: described(bool, 'whether every output adds its products in ascending order of k'),
      text: described(text, 'the statement that was proved, or what is wrong'),
    },
    {},
  ),
)

const searched: Wire<Searched> = define('Searched', () =>
  record<Searched>()(
    'a search',
    {
      complete: described(bool, 'whether all schedules were followed'),
      bound: described(
        either('null or a bound', nothing, wordOf<'states' | 'depth'>()({ states: true, depth: true })),
        'what stopped it, if anything did',
      ),
      states: described(nat, 'states that were seen'),
      transitions: described(nat, 'events that were taken'),
    },
    {
      leaves: described(
        wordOf<'lanes'>()({ lanes: true }),
        'what it does not follow although a condition fails because of it: orders of the lanes of one warp',
      ),
      exchanged: described(
        bool,
        'whether states that differ by an exchange of CTAs were counted once; absent: they were not',
      ),
    },
  ),
)

const counts: Wire<Counts> = define('Counts', () =>
  record<Counts>()(
    'counts',
    {
      events: described(nat, 'events of the log'),
      steps: described(nat, 'steps of the machine'),
      agents: described(nat, 'agents'),
      ctas: described(nat, 'CTAs of a cluster'),
      clusters: described(nat, 'clusters that ran'),
      runs: described(nat, 'runs that were made'),
    },
    {},
  ),
)

const spent: Wire<Spent> = define('Spent', () =>
  record<Spent>()(
    'what was spent',
    {
      events: described(nat, 'the cost of other schedules, in events'),
      budget: described(either('null or a number', nothing, nat), 'the limit of that cost; null: no limit'),
    },
    {},
  ),
)

const clusterClass: Wire<ClusterClass> = define('ClusterClass', () =>
  record<ClusterClass>()(
    'clusters that do the same, except for addresses of global memory',
    {
      cluster: described(nat, 'the one that was run'),
      of: described(nat, 'their number, including it'),
    },
    {},
  ),
)

// ---------------------------------------------------------------- comparisons

const element = either('a number or text', finite, text)
const real = either('a number or null', finite, nothing)

/** What a comparison consists of. */
export const comparisonFields: { readonly [K in keyof Comparison]: Wire<Comparison[K]> } = {
  equal: described(bool, 'whether all bits are equal'),
  dtype: described(text, 'type of the elements'),
  shape: described(list(nat), 'extent of every dimension'),
  elements: described(nat, 'number of elements'),
  different: described(nat, 'number of elements with different bits'),
  maxUlp: described(finite, 'the largest distance in units in the last place'),
  ulpHistogram: described(dictionary('counts', nat), 'elements by distance: 0, 1, 2, 3-4, 5-8, ...'),
  nanMismatch: described(nat, 'elements that are a NaN on one side only'),
  nanPayload: described(nat, 'NaNs with different bits'),
  zeroSign: described(nat, 'zeros of different sign'),
  first: described(
    list(
      record<Mismatch>()(
        'a mismatch',
        {
          index: described(list(nat), 'index of the element'),
          got: described(element, 'its value; `nan`, `inf`, `-inf`, `-0` and long integers as text'),
          expected: described(element, 'the value that it should have'),
          gotBits: described(text, 'its bits'),
          expectedBits: described(text, 'the bits that it should have'),
          ulp: described(real, 'their distance; null where one of the two is a NaN'),
        },
        {},
      ),
    ),
    'the first elements that differ',
  ),
}
const comparison: Wire<Comparison> = define('Comparison', () =>
  record<Comparison>()('a comparison', comparisonFields, {}),
)

type Near = Approximation['outputs'][number]
const approximation: Wire<Approximation> = define('Approximation', () =>
  record<Approximation>()(
    'an approximation',
    {
      to: described(text, 'what the outputs are compared with'),
      outputs: described(
        list(
          record<Near>()(
            'an output',
            {
              tensor: described(text, 'its name'),
              elements: described(nat, 'number of elements'),
              tolerance: described(
                record<Near['tolerance']>()(
                  'a tolerance',
                  {
                    kind: described(text, '`absolute` or `relative`'),
                    bound: described(finite, 'the tolerance'),
                  },
                  {},
                ),
                'the bound',
              ),
              size: described(real, 'the largest value, which an absolute bound grows with'),
              farthest: described(
                either(
                  'null or an element',
                  nothing,
                  record<NonNullable<Near['farthest']>>()(
                    'an element',
                    {
                      at: described(nat, 'its place, row-major'),
                      found: described(real, 'its value; null: none'),
                      expected: described(real, 'the value that it should be near'),
                      by: described(real, 'by how much the bound is exceeded; null: infinitely'),
                    },
                    {},
                  ),
                ),
                'the element farthest outside the tolerance; null if there is none',
              ),
              largestError: described(real, 'the largest difference'),
            },
            {},
          ),
        ),
        'one entry for each output',
      ),
    },
    {},
  ),
)

const acceptedFinding: Wire<AcceptedFinding> = define('AcceptedFinding', () =>
  record<AcceptedFinding>()(
    'an accepted finding',
    Object.assign({ launch: acceptedLaunch }, acceptedFields, {
      findings: described(nat, 'how many findings of the verdict it names; 0: it no longer occurs'),
    }),
    {},
  ),
)

const mendedFinding: Wire<MendedFinding> = define('MendedFinding', () =>
  record<MendedFinding>()(
    'a finding that was fixed',
    {
      finding: described(nat, 'its number in the verdict before, counted from 1'),
      id: described(hazardId, 'its id in the list of hazards'),
      text: described(text, 'one line: what was wrong'),
      was: described(verdictName, 'the verdict before'),
      added: described(
        list(
          record<MendedFinding['added'][number]>()(
            'a statement',
            {
              statement: described(text, 'the statement, as a listing prints it'),
              where: described(text, 'where it stands'),
            },
            {},
          ),
        ),
        'statements that were added to the program',
      ),
    },
    {},
  ),
)

const level: Wire<Level> = define('Level', () =>
  record<Level>()(
    'the results of the levels',
    {
      at: described(
        list(
          record<AtLevel>()(
            'a level',
            {
              level: described(levelName, 'the form in which the kernel was judged'),
              result: described(
                either('a verdict or a word', verdictName, oneOf('refused', 'not-judged')),
                'its verdict there; `refused`: the form is not supported; `not-judged`: the form is missing or was not requested',
              ),
              reason: described(text, 'why, in one line'),
            },
            {},
          ),
        ),
        'one entry for each level, from the coarser to the finer',
      ),
    },
    { difference: described(text, 'why they differ, if they do') },
  ),
)

const way: Wire<Way> = wordOf<Way>()({ 'one-schedule': true, exploration: true })

const written: Wire<Verdict> = define('Verdict', () =>
  record<Verdict>()(
    'a verdict',
    {
      schema: described(oneOf(verdictSchema), 'name and version of this schema'),
      kernel: described(text, 'name of the program'),
      settings: described(
        dictionary(
          'settings',
          either('text, a number or a boolean', text, either('a number or a boolean', finite, bool)),
        ),
        'settings of the kernel',
      ),
      verdict: described(verdictName, 'the first one that applies, from the worst to ok'),
      reason: described(text, 'why, in one line'),
      search: described(
        either('null or a search', nothing, searched),
        'extent of the search of all schedules; null if there was no search',
      ),
      schedule: described(
        scheduled,
        'the run that conditions, notes, counts and the digest of order speak of: its place in `schedules`; null for a trace',
      ),
      conditions: described(conditions, 'when one schedule decides'),
      findings: described(
        list(replayable),
        'all findings; the first one of every id comes before the second one of any id',
      ),
      notes: described(list(replayable), 'broken contracts and remarks, which make no verdict worse'),
      schedules: described(
        list(schedule),
        'runs, each once, the first one first: the name of a policy (`eager`, `lazy`, `roundrobin`, `seeded:SEED`, `starving:AGENT,seeded:SEED`, `starving:AGENT:EVENT,seeded:SEED`), perhaps with detours (` STEP=KEY`: at that step, counted from 0, that event), or keys of events, after which eager goes on; `--schedule` takes the names, and a file with either',
      ),
      waitFor: described(
        list(text),
        'blocked agents of a deadlock, one line each; warps of one CTA that wait in one place are one line',
      ),
      provenance: described(
        either('null or a provenance', nothing, provenance),
        'whether the program computes what it claims; null if there is no claim, or it was not checked',
      ),
      digest: described(
        record<Verdict['digest']>()(
          'a digest',
          {
            order: described(
              text,
              'digest of the order of events: equal for all schedules of a program that is ok',
            ),
            output: described(text, 'digest digest of the bits of the outputs; `none` without data'),
          },
          {},
        ),
        'for comparing runs',
      ),
      counts: described(counts, 'the size of the run'),
      scope: described(list(text), 'what the verdict does not cover'),
    },
    {
      decidedBy: described(
        way,
        'what decided: one run that covers all schedules, or several; absent where the verdict is `undecided` or `out-of-fuel`',
      ),
      lookedAt: described(way, 'the schedules that were examined without deciding'),
      firstConditions: described(conditions, 'those of the first run, where `schedule` is another one'),
      completes: described(
        nat,
        'the index in `schedules` of a schedule that completes, if others end in a deadlock or a fault; the outputs are those of this schedule',
      ),
      spent: described(spent, 'where one run did not decide, and others were tried: what these have cost'),
      guessed: described(
        list(text),
        'arguments of the launch with guessed sizes or values: a fault or an O1 may come from the guess, so neither is an error',
      ),
      mended: described(
        list(mendedFinding),
        'edges that were added first, in this order: the verdict is that of the program with them',
      ),
      accepted: described(list(acceptedFinding), 'rows of the baseline'),
      passes: described(bool, 'whether a check passes with what the baseline accepts'),
      open: described(text, 'why it does not'),
      levels: described(level, 'the result of each level, if several were judged'),
      classes: described(
        list(clusterClass),
        'if not every cluster of the grid was run: classes of clusters that do the same, except for addresses of global memory',
      ),
      comparison: described(comparison, 'the output compared bit for bit with its expected value'),
      approximation: described(approximation, 'the outputs compared with their expected values near'),
    },
  ),
)

/** What stands for a schedule that the table does not have, if anything does: where it stands. */
const astray = ({ schedule: own, completes, findings, notes, schedules }: Verdict): string | undefined => {
  const places: ReadonlyArray<readonly [string, number | null]> = [
    ['schedule', own],
    ['completes', completes ?? null],
    ...findings.map((f, i) => [`findings[${String(i)}].schedule`, f.schedule] as const),
    ...notes.map((f, i) => [`notes[${String(i)}].schedule`, f.schedule] as const),
  ]
  return places.find(([, at]) => at !== null && at >= schedules.length)?.[0]
}

export const verdictWire: Wire<Verdict> = refined(
  written,
  'a verdict',
  (v): v is Verdict => astray(v) === undefined,
  written.schema,
  (v) => `${astray(v) ?? ''} to be the number of one of ${String(v.schedules.length)} schedules`,
)

/** A verdict that was written down, or where its form is wrong. */
export const decodeVerdict = (json: unknown): E.Either<Failure<'json.form'>, Verdict> =>
  decode(verdictWire, 'json.form')(json)
