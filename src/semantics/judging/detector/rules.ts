/**
 * What is judged: options that a user chooses, and the rules of the theory that a theorem test may switch off one at a
 * time to see that each is needed. A verdict is given under `standard` rules only.
 */

import type { Severity } from '../finding.js'

/** The weakenings. Each was once thought enough; each has a counterexample. */
export interface Rules {
  /** C4 without its lower half: a wait is not asked to know the generation before the one it observed */
  readonly oneSidedC4: boolean
  /** C3 between counted arrivals only, not expectTx and complete_tx */
  readonly c3CountedOnly: boolean
  /** no C6 */
  readonly noC6: boolean
  /** C5 without the order of allocations */
  readonly anyAllocation: boolean
  /** a write over a write always needs visibility, also where a read in between shows that the first has landed */
  readonly noWriteWriteException: boolean
  /** visible generations as a maximum, not a set */
  readonly maxGenerations: boolean
  /** K1 for remote arrives only, not for an agent's loads and stores in another CTA's shared memory */
  readonly arrivesOnlyAtExit: boolean
  /** a peek that is true is judged as its wait, whether or not it can be false */
  readonly peeksAsTheyWent: boolean
  /** no peek is judged as its wait, not even one that cannot be false */
  readonly noCertainPeeks: boolean
  /** C4's lower half is asked at the wait alone, and not at the peek that may spare it */
  readonly lateC4: boolean
  /** a wait that is spared is not asked whether its generation is still the last one */
  readonly noSparedC4: boolean
  /** a wait is spared by whatever test, of another barrier or another parity */
  readonly anyPeek: boolean
  /** a peek need not acquire what the wait would */
  readonly weakPeeks: boolean
  /** arrivals and waits of a CTA's scope tell and hear as those of its cluster */
  readonly anyScope: boolean
  /** what a peer arrives with tells nothing */
  readonly noRemoteRelease: boolean
  /** a relaxed arrival at the cluster barrier tells what one that releases does */
  readonly firmMeetings: boolean
  /** the cluster barrier tells nothing */
  readonly silentMeetings: boolean
  /** arrivals at named barriers are not asked whether they know the generation before (C3) */
  readonly unpairedMeetings: boolean
  /** nor whether they count alike */
  readonly anyCount: boolean
  /** who comes to the cluster barrier is not asked (K2), nor whether who leaves it has come */
  readonly anyMembers: boolean
  /** the initialisation of a barrier need not be published to a peer (B9) */
  readonly noB9: boolean
  /** a word tells every reader, however far away */
  readonly anyWordScope: boolean
  /** a wait for a word is not asked whether it could have passed earlier, or on another write */
  readonly anyWord: boolean
  /** lanes of one warp happen as their warp executes them */
  readonly lanesInOrder: boolean
  /** what a lane releases tells what all lanes of its warp have done */
  readonly noLags: boolean
  /** bar.warp.sync joins all lanes, whatever its mask */
  readonly partialMeets: boolean
  /** what one lane of a warp waits for all of them acquire */
  readonly anyLaneWaits: boolean
  /** a proxy fence by one lane of a warp is for all of them */
  readonly anyLaneFences: boolean
  /** lanes that act together rely on what any of them knows, not on what all do */
  readonly jointLanes: boolean
  /** a read by a lane says all that an earlier read by another lane does */
  readonly anyLaneReads: boolean
  /** a group is of its warp, whichever lanes commit it and wait for it */
  readonly anyLaneCommits: boolean
  /** who waits for copies of its own knows those of the other lanes of its warp */
  readonly allCopies: boolean
  /** what one lane knew at its fence of memory every lane of its warp tells */
  readonly anyLaneTells: boolean
  /** through a word only the last lane of a warp that releases tells */
  readonly lastLaneTells: boolean
  /** C4 asks after the last wait of a warp, whichever lanes of it have waited */
  readonly lastLaneWaits: boolean
  /** C3 and C4 ask for the order of warps, not of lanes */
  readonly warpArrivals: boolean
  /** C6 does not ask whether an arrival knows the lane that has announced the bytes */
  readonly warpExpects: boolean
  /** a lane has done nothing that others must know where it has waited or arrived, and made no access */
  readonly accessesAlone: boolean
  /** who knows at the exit of a CTA that an operation is done may be any lane of the warp that waits */
  readonly warpExit: boolean
}

/** The weakenings that say something of peeks alone. */
export type PeekRule =
  'peeksAsTheyWent' | 'noCertainPeeks' | 'lateC4' | 'noSparedC4' | 'anyPeek' | 'weakPeeks'

/** The weakenings that say something of what kernels of warps alone have: clusters, named barriers by count, words of memory. */
export type WarpRule =
  | 'anyScope'
  | 'noRemoteRelease'
  | 'firmMeetings'
  | 'silentMeetings'
  | 'unpairedMeetings'
  | 'anyCount'
  | 'anyMembers'
  | 'noB9'
  | 'anyWordScope'
  | 'anyWord'

/** The weakenings that say something of the lanes of warps alone. */
export type LaneRule =
  | 'lanesInOrder'
  | 'noLags'
  | 'partialMeets'
  | 'anyLaneWaits'
  | 'anyLaneFences'
  | 'jointLanes'
  | 'anyLaneReads'
  | 'anyLaneCommits'
  | 'allCopies'
  | 'anyLaneTells'
  | 'lastLaneTells'
  | 'lastLaneWaits'
  | 'warpArrivals'
  | 'warpExpects'
  | 'accessesAlone'
  | 'warpExit'

export const standard: Rules = {
  oneSidedC4: false,
  c3CountedOnly: false,
  noC6: false,
  anyAllocation: false,
  noWriteWriteException: false,
  maxGenerations: false,
  arrivesOnlyAtExit: false,
  peeksAsTheyWent: false,
  noCertainPeeks: false,
  lateC4: false,
  noSparedC4: false,
  anyPeek: false,
  weakPeeks: false,
  anyScope: false,
  noRemoteRelease: false,
  firmMeetings: false,
  silentMeetings: false,
  unpairedMeetings: false,
  anyCount: false,
  anyMembers: false,
  noB9: false,
  anyWordScope: false,
  anyWord: false,
  lanesInOrder: false,
  noLags: false,
  partialMeets: false,
  anyLaneWaits: false,
  anyLaneFences: false,
  jointLanes: false,
  anyLaneReads: false,
  anyLaneCommits: false,
  allCopies: false,
  anyLaneTells: false,
  lastLaneTells: false,
  lastLaneWaits: false,
  warpArrivals: false,
  warpExpects: false,
  accessesAlone: false,
  warpExit: false,
}

/** What a log leaves out that has one cluster of each class. */
export interface Part {
  /** how many are in the class of each */
  readonly standsFor: ReadonlyMap<number, number>
  /** by plane, what all clusters of the grid write */
  readonly written: ReadonlyMap<number, Float64Array>
}

export interface Options {
  /**
   * broken contracts (B8, U1, M5) and a load not waited for at a dealloc count as hazards, and relaxed arrives and waits order no ordinary access
   */
  readonly strict: boolean
  /** a generic read before an asynchronous overwrite needs a proxy fence too (P3), of whatever memory and on whatever chip (`read-fence.ts`) */
  readonly strictProxies: boolean
  /** wgmma of one warpgroup are ordered as issued; `documented` orders none of them */
  readonly wgmmaOrder: 'issue' | 'documented'
  /** the products of one agent's tensor queue happen in order of issue; `documented` grants the pairs that the ISA lists alone (`queue.ts`) */
  readonly tensorPipe: 'issueOrder' | 'documented'
  /** a register write before a wgmma that uses the register needs a wgmma.fence */
  readonly registerFence: boolean
  /**
   * absent: the lanes of a warp are threads. `converged`: lanes that run together are taken to be in order, as before Volta, and what rests on it is a note. `off`: a
   * warp acts as one
   */
  readonly lanes?: 'converged' | 'off'
  /** the sizes of the launch are a guess: that an output is not written whole (O1) is then a note; absent: they are given */
  readonly guessed?: true
  /** the log has one cluster of each class of a grid; absent: all that the grid has */
  readonly part?: Part
  /**
   * an acquire takes over what it has waited for, and nothing that is there by chance: a run without findings then has none in whichever order its atomics come. Absent: it takes over
   * what it reads
   */
  readonly deaf?: true
  /** C3 is told apart where no agent looks at the generations that it fails of (`quiet.ts`); absent: it is not */
  readonly quiet?: true
  /** false: the digest does not say which bytes were accessed (`schedules/outcomes` looks at those apart); absent: it does */
  readonly digestsPlaces?: false
  readonly rules: Rules
}

/** A finding of this severity makes a verdict bad; others are notes. */
export const bites = (severity: Severity, options: Options): boolean =>
  severity === 'E' || (options.strict && severity === 'C')

export const defaults: Options = {
  strict: false,
  strictProxies: false,
  wgmmaOrder: 'issue',
  tensorPipe: 'issueOrder',
  registerFence: true,
  rules: standard,
}
