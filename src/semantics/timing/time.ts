/**
 * Time: how long a kernel takes on a chip.
 *
 * A multiprocessor is run in full: as many CTAs as it takes, wave after wave, under the clock. The rest of the grid is a load on L2 and DRAM (`traffic.ts`). Waves
 * that are like the one before are not run again; the last one, which may leave places empty, is.
 *
 *     512 CTAs of 128 x 256, 132 multiprocessors, one CTA on each      3 full waves are run, and a last one of 116
 *     8,192 CTAs, six on each                                           10 full waves, of which 3 are run, and a last one
 *
 * Laws
 * 1. The run is a run of the machine: its schedule, without the times, is one that `recorded` takes, with the same log.
 * 2. It is deterministic.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { refuse, type Failure } from '../../failure.js'
import { greatest } from '../../greatest.js'
import type { Algebra } from '../../numerics/algebra.js'
import type { Fold, Header } from '../log/events.js'
import * as Run from '../execution/run.js'
import type { EventKey } from '../execution/step.js'
import type { Arguments, Source } from '../machine/source.js'
import { valueOf, type Chip } from './chip.js'
import { clock, type Timed, type Why } from './clock.js'
import { criticalOf, reasonsOf } from './critical.js'
import { trafficOf, visiting, type Launching, type Loaded, type Traffic } from './traffic.js'

// ---------------------------------------------------------------- model

/** What a CTA takes of a multiprocessor. */
export interface Footing {
  readonly threads: number
  readonly registers: number
  readonly shared: number
}

export type Limit = 'threads' | 'registers' | 'shared memory' | 'CTAs' | 'grid'

export interface Residency {
  /** CTAs on a multiprocessor at once */
  readonly ctas: number
  readonly by: Limit
}

export interface Timing {
  readonly chip: Chip
  readonly header: Header
  /** from the first instruction to the last byte */
  readonly cycles: number
  /** at which it runs: less, the busier the tensor cores are */
  readonly megahertz: number
  /** with the launch */
  readonly microseconds: number
  readonly footing: Footing
  readonly residency: Residency
  /** multiprocessors that have something to do */
  readonly active: number
  readonly clusters: number
  /** waves of the grid, the last one included, and how many of them were run */
  readonly waves: { readonly all: number; readonly run: number; readonly last: number }
  readonly timed: Timed
  /** multiply-adds of the whole grid, and the share of the chip's tensor cores that they are in this time */
  readonly macs: number
  readonly tensorCores: number
  readonly traffic: Traffic
  readonly steps: number
  /** the schedule of the run, and the clusters that it visits */
  readonly schedule: ReadonlyArray<EventKey>
  readonly visits: ReadonlyArray<number>
}

export type TimeFailure = Failure<'time.size' | 'time.stopped' | 'time.launch' | 'time.chip'>

// ---------------------------------------------------------------- places

const floors = (a: number, b: number): number => Math.floor(a / b)

/** How many CTAs a multiprocessor takes at once; 0: not one. */
export const residencyOf = (chip: Chip, { threads, registers, shared }: Footing): Residency => {
  const warps = Math.ceil(threads / 32)
  // registers are dealt out to warps by 256, and a scheduler has a quarter of them
  const ofWarp = Math.ceil((registers * 32) / 256) * 256
  const perScheduler = floors(valueOf(chip, 'sm.registers') / 4, ofWarp)
  const limits: ReadonlyArray<readonly [Limit, number]> = [
    ['threads', floors(valueOf(chip, 'sm.threads'), warps * 32)],
    ['registers', floors(perScheduler * 4, warps)],
    ['shared memory', floors(valueOf(chip, 'sm.shared'), shared + valueOf(chip, 'sm.reserved'))],
    ['CTAs', valueOf(chip, 'sm.ctas')],
  ]
  const [by, ctas] = limits.reduce((least, one) => (one[1] < least[1] ? one : least))
  return { ctas, by }
}

// ---------------------------------------------------------------- the frequency

/** By how busy the tensor cores are, from 0 to 1, and how many bytes a cycle each multiprocessor loads: a chip has only so much power. */
export const frequencyOf = (chip: Chip, tensorCores: number, loaded: number): number => {
  if (tensorCores === 0) return valueOf(chip, 'clock')
  const falls = valueOf(chip, 'clock.tensor') * tensorCores + valueOf(chip, 'clock.loads') * loaded
  return valueOf(chip, 'clock.products') - Math.max(0, falls - valueOf(chip, 'clock.reserve'))
}

// ---------------------------------------------------------------- units

const ofUnits: ReadonlySet<Why> = new Set(['tensor core', 'shared memory', 'copy unit', 'L2', 'DRAM'])

/** The share of a run that its critical path waits for units, from 0 to 1. */
const waitedFor = (timed: Timed): number =>
  reasonsOf(criticalOf(timed)).reduce((sum, { why, share }) => (ofUnits.has(why) ? sum + share : sum), 0)

// ---------------------------------------------------------------- the run

const silent: Fold<null, null> = { init: () => null, observe: (s) => s, finish: (s) => s }

/** Every load takes time, so a run that is timed has an event for those of inputs as well. */
const launchedFor = ({ ctas }: Residency): Pick<Arguments, 'resident' | 'oneWave' | 'aloud'> => ({
  resident: ctas,
  oneWave: true,
  aloud: true,
})

export const time = (
  source: Source,
  algebra: Algebra,
  given: Arguments,
  footing: Footing,
  chip: Chip,
): E.Either<TimeFailure, Timing> => {
  const wanted = residencyOf(chip, footing)
  const lacks: ReadonlySet<string> = new Set(chip.lacks)
  if (wanted.ctas === 0)
    return refuse(
      'time.size',
      `${source.name}: a multiprocessor of ${chip.name} has no room for one of its CTAs (limit: ${wanted.by})`,
    )
  return pipe(
    source.launch(algebra, Object.assign({}, given, launchedFor(wanted))),
    E.mapLeft((f): TimeFailure => ({ code: 'time.launch', message: f.message })),
    E.chain((launched): E.Either<TimeFailure, Timing> => {
      const { world } = launched
      const { clusterCount, ctas } = world
      const sms = valueOf(chip, 'sms')
      const groups = Math.max(1, floors(sms, ctas))
      const resident = Math.min(wanted.ctas, Math.ceil(clusterCount / groups))
      const residency: Residency = resident < wanted.ctas ? { ctas: resident, by: 'grid' } : wanted
      const capacity = groups * resident
      const full = floors(clusterCount, capacity)
      const rest = clusterCount % capacity
      const active = Math.min(sms, clusterCount * ctas)
      const launching: Launching = (more) => {
        const again = source.launch(algebra, Object.assign({}, given, launchedFor(wanted), more))
        return E.isLeft(again) ? null : again.right
      }
      const traffic = trafficOf(
        launching,
        launched,
        capacity,
        groups,
        valueOf(chip, 'l2.bytes'),
        Math.max(1, floors(valueOf(chip, 'l2.together'), ctas)),
        valueOf(chip, 'l2.copy'),
      )
      // a last wave that fills all places is like those before it, and one that leaves some empty is that of the last clusters
      const last = rest === 0 ? 0 : Math.max(1, Math.round(rest / groups))
      const isApart = last > 0 && last < resident && full > 0
      const visits = [
        resident < world.resident || full === 0 ? clusterCount - resident : 0,
        ...(isApart ? [clusterCount - last] : []),
      ]
      const alike = full + (last > 0 && !isApart ? 1 : 0)
      const shareOf =
        (part: (l: Loaded) => number) =>
        (site: number): number => {
          const l = traffic.get(site)
          return l === undefined || l.loaded === 0 ? 0 : part(l) / l.loaded
        }
      const c = clock(world, chip, {
        missing: shareOf((l) => l.missed),
        alone: shareOf((l) => l.asked),
        late: shareOf((l) => l.late),
        isInStep: clusterCount <= capacity,
        active,
      })
      const begins = visiting(
        { world: Object.assign({}, world, { pace: c.pace }), machine: launched.machine },
        visits,
      )
      if (begins === null) return refuse('time.launch', `${source.name}: there is nothing to run`)
      const ran = Run.run(
        begins.world,
        begins.machine,
        {
          policy: (k) => k(c.policy),
          fuel: Run.standardFuel,
          keepSchedule: true,
          transient: true,
          ahead: false,
          watch: { begun: c.begun, stepped: () => undefined, ended: () => undefined },
        },
        silent,
      )
      if (ran.outcome._tag !== 'completed')
        return refuse(
          'time.stopped',
          `${source.name}: the timed run did not come to its end (${ran.outcome._tag}${ran.outcome._tag === 'fault' ? `: ${ran.outcome.fault.message}` : ''}); \`tcspec check\` says why`,
        )
      const timed = c.timed()
      const missing = timed.moments.find(({ unit }) => lacks.has(unit))
      if (missing !== undefined)
        return refuse(
          'time.chip',
          `${source.name}: ${chip.says} has no ${missing.unit === 'wgmma' ? 'wgmma' : 'tcgen05'} instructions; take a chip of its architecture, or leave out --chip`,
        )
      const { waves } = timed
      const [first] = waves
      const length = (first?.to ?? 0) - (first?.from ?? 0) + valueOf(chip, 'launch.cta')
      // CTAs of one multiprocessor are soon out of step: while one begins or ends, the others keep the busiest unit busy. They gain what they have waited for units, and no latency
      const busiest = (greatest(0)(Object.values(timed.busy)) / Math.max(1, timed.end)) * length
      const waited = waitedFor(timed) * length
      const period = length - (1 - 1 / resident) * Math.max(0, Math.min(waited, length - busiest))
      const cycles = timed.end + (alike - 1) * period
      const simulated = resident + (isApart ? last : 0)
      const macs = (timed.macs / simulated) * clusterCount
      const rate = Math.max(valueOf(chip, 'wgmma.rate'), valueOf(chip, 'tcgen05.rate'))
      const tensorCores = cycles === 0 ? 0 : macs / (rate * sms * cycles)
      const loaded = cycles === 0 ? 0 : ((timed.bytes.loaded / simulated) * clusterCount) / (sms * cycles)
      const megahertz = frequencyOf(chip, tensorCores, loaded)
      return E.right({
        chip,
        header: world.header,
        cycles,
        megahertz,
        microseconds: cycles / megahertz + valueOf(chip, 'launch.grid'),
        footing,
        residency,
        active,
        clusters: clusterCount,
        waves: { all: alike + (isApart ? 1 : 0), run: visits.length, last },
        timed,
        macs,
        tensorCores,
        traffic,
        steps: ran.steps,
        schedule: ran.schedule,
        visits,
      })
    }),
  )
}
