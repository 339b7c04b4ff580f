/**
 * Which lanes run: does a verdict hold whichever lanes `activemask` finds together, and whichever lane `elect.sync` takes?
 *
 * A run takes lanes as they came, and of those that elect the lowest. PTX promises no lane that another is with it, nor that it is elected, so a kernel whose result, or whose order, rests
 * on that is right by accident. So the same kernel is judged again with lanes that part where they ask (`machine/grouping.ts`), and with another lane elected (`machine/election.ts`), and
 * its outputs are compared.
 *
 *     leader = ffs(mask) - 1;  if (lane == leader) atomicAdd(c, popc(mask))      one sum, whatever the mask is: ok
 *     s[lane] = x;  __syncwarp(mask);  y[lane] = s[lane ^ 1]                       alone a lane meets no other, and races: undecided, with the race
 *     y[lane] = mask                                                             another result: undecided, with the bytes
 *     if (elected) *y = lane                                                     another result: undecided, with the bytes
 *     if (elected) *y = 1                                                        the same from each lane: ok
 *
 * | with another grouping, or another lane elected         | then                                                      |
 * |--------------------------------------------------------|-----------------------------------------------------------|
 * | the run shows something                                | undecided, with its reason                                |
 * | its verdict is open, and it shows nothing              | nothing: other schedules are asked of lanes that stay together alone |
 * | outputs differ                                         | undecided, with the bytes                                 |
 * | they differ where a note says that order decides       | ok: the note has said it                                  |
 * | they hold the same words in another order, by grouping | ok, and the scope says so: places were handed out by turn |
 *
 * It is `undecided` and no hazard because no schedule replays it: which lanes are together, or elected, is no event. Groupings other than these are not tried, and the scope says so;
 * of the members of an election none between the lowest and the highest is.
 *
 * Without data the bytes of an output are unknown, whichever lane has stored them. Where an election may choose among data (`warps/elected.ts`), the scope says so.
 *
 * Law 1. A verdict that is not `ok`, or of a program in which neither `activemask` nor an election decides anything, stays as it is.
 */
import * as E from 'fp-ts/lib/Either.js'
import type { Refusal } from '../language/refusal.js'
import { groupings, type Grouping } from '../machine/grouping.js'
import * as Plane from '../machine/plane.js'
import type { Arguments } from '../machine/source.js'
import type { Machine } from '../machine/state.js'
import type { World } from '../machine/world.js'
import { wayOf, type Verdict } from '../judging/verdict.js'
import { openTensors, tensorsApart } from './unlike-ends.js'

/** Words of tensors that may have changed places. */
const wordBytes = 4

export interface Judged {
  readonly verdict: Verdict
  readonly world: World
  readonly completed: { readonly machine: Machine } | null
  readonly beyondSchedules?: true
}

const shown: Readonly<Record<Grouping, string>> = {
  each: 'each lane alone',
  parity: 'even and odd lanes apart',
  halves: 'lanes 0 to 15 apart from lanes 16 to 31',
}

/** What a verdict leaves out of which this was not asked. */
export const oneGrouping =
  'runs in which activemask finds other lanes together (lanes that have parted were assumed to meet where their paths do)'
const someGroupings = `runs in which activemask finds other lanes together (tried were all lanes that came one way and, in one schedule each, ${Object.values(shown).join(', ')})`
const inAnotherOrder = (name: string): string =>
  `the order of the words of ${name}, which depends on the lanes that activemask finds together`

/** Data that are not known are not compared. */
const ofUnknown = ({ front, algebra }: World): ReadonlyArray<string> =>
  algebra.memory === 'shadow'
    ? front.electedData.map(
        (site) =>
          `whether data come to the same at \`${front.sites[site]?.label ?? ''}\` whichever lane elect.sync takes (no data, so they were not compared)`,
      )
    : []

/** What PTX leaves open about lanes, said. */
export type OpenLanes = Pick<Arguments, 'grouping' | 'election'>

/** A run that PTX allows as well as the first one. */
interface Other {
  readonly given: OpenLanes
  readonly where: string
  /** what PTX does not say */
  readonly open: string
  /** what a result depends on that is another one */
  readonly on: string
  /** lanes that are together take places in turn, so words may have changed places */
  readonly takesTurns: boolean
}

const byGrouping = (grouping: Grouping): Other => ({
  given: { grouping },
  where: `where activemask finds ${shown[grouping]}`,
  open: 'which lanes are together',
  on: 'which lanes activemask finds together',
  takesTurns: true,
})
const byElection: Other = {
  given: { election: 'highest' },
  where: 'where elect.sync takes the highest lane of its members',
  open: 'which lane is elected',
  on: 'which lane elect.sync takes',
  takesTurns: false,
}

const othersOf = ({ front }: World): ReadonlyArray<Other> => [
  ...(front.asksWhoRuns ? groupings.map(byGrouping) : []),
  ...(front.elects ? [byElection] : []),
]

const isPermuted = (one: Plane.Plane, other: Plane.Plane, bytes: ReadonlyArray<number>): boolean => {
  const words = [...new Set(bytes.map((byte) => byte - (byte % wordBytes)))]
  const of = (plane: Plane.Plane): string =>
    words
      .map((byte) => Plane.wordAt(plane, byte, wordBytes))
      .sort()
      .join()
  return of(one) === of(other)
}

/** Of two runs, the tensors that hold other bytes: those in another order, and the first of the others. */
const apartIn = (
  one: Judged,
  other: Judged,
  takesTurns: boolean,
): { readonly permuted: ReadonlyArray<string>; readonly left: string | null } => {
  const permuted: string[] = []
  const [here, there] = [one.completed?.machine, other.completed?.machine]
  if (here === undefined || there === undefined) return { permuted, left: null }
  const known = openTensors([...one.verdict.notes, ...other.verdict.notes])
  for (const { plane, bytes } of tensorsApart(one.world, here, there, known)) {
    const { name } = one.world.header.planes[plane]!
    if (!takesTurns || !isPermuted(here.planes[plane]!, there.planes[plane]!, bytes))
      return { permuted, left: `byte ${String(bytes[0])} of ${name}` }
    permuted.push(name)
  }
  return { permuted, left: null }
}

const undecided = <A extends Judged>(judged: A, reason: string): A => {
  const bare: Verdict = Object.assign({}, judged.verdict, { verdict: 'undecided' as const, reason })
  Reflect.deleteProperty(bare, 'decidedBy')
  const way = judged.verdict.decidedBy ?? 'one-schedule'
  return Object.assign({}, judged, {
    verdict: Object.assign(bare, wayOf('undecided', way)),
    beyondSchedules: true as const,
  })
}

/** One run shows nothing: what it leaves open other schedules are not asked. */
const isQuiet = ({ verdict: { verdict, findings }, completed }: Judged): boolean =>
  verdict === 'ok' || (verdict === 'undecided' && findings.length === 0 && completed !== null)

/** The verdict, if it is the same whichever lanes run. */
export const whoeverRuns = <A extends Judged>(
  judged: A,
  again: (given: OpenLanes) => E.Either<Refusal, Judged>,
): A => {
  const { verdict, world } = judged
  if (verdict.verdict !== 'ok') return judged
  const others = othersOf(world)
  if (others.length === 0) return judged
  const permuted = new Set<string>()
  for (const { given, where, open: left, on, takesTurns } of others) {
    const other = again(given)
    if (E.isLeft(other)) return undecided(judged, `${where}: ${other.left.message}`)
    const { verdict: of } = other.right
    if (!isQuiet(other.right))
      return undecided(judged, `PTX does not say ${left}, and ${where}: ${of.reason}`)
    const apart = apartIn(judged, other.right, takesTurns)
    if (apart.left !== null)
      return undecided(
        judged,
        `the result depends on ${on}, which PTX does not say: ${where}, ${apart.left} is another one`,
      )
    for (const name of apart.permuted) permuted.add(name)
  }
  const { asksWhoRuns } = world.front
  const unknown = ofUnknown(world)
  if (!asksWhoRuns && unknown.length === 0) return judged
  const scope = [
    ...verdict.scope.filter((line) => line !== oneGrouping),
    ...(asksWhoRuns ? [someGroupings] : []),
    ...[...permuted].map(inAnotherOrder),
    ...unknown,
  ]
  return Object.assign({}, judged, { verdict: Object.assign({}, verdict, { scope }) })
}
