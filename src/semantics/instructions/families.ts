/**
 * All instructions and operations of the machine, and the family that says what each is (`machine/family.ts`).
 *
 * A new case of `Prepared` or `InFlight` has its line here, and its record in the family that the line names: tsc asks for both.
 */
import type { Effect, Executing } from '../machine/effect.js'
import type {
  Acts,
  Apart,
  Does,
  Family,
  Flies,
  Flights,
  Manner,
  Standing,
  Strongly,
  Waits,
} from '../machine/family.js'
import type { InFlight, Prepared } from '../machine/operation.js'
import type { Doing, Machine } from '../machine/state.js'
import type { Touches } from '../machine/touches.js'
import type { FaultValue } from '../machine/value.js'
import type { World } from '../machine/world.js'
import * as Atomic from './atomic.js'
import * as AtomicWords from './atomic-words.js'
import * as Clc from './clc.js'
import * as Control from './control.js'
import * as CpAsync from './cp-async.js'
import * as Generic from './generic.js'
import * as Groups from './groups.js'
import * as Mbarrier from './mbarrier.js'
import * as Rendezvous from './rendezvous.js'
import * as Semaphore from './semaphore.js'
import * as SetMaxRegisters from './set-max-registers.js'
import * as StAsync from './st-async.js'
import * as Tcgen05Copy from './tcgen05-copy.js'
import * as Tcgen05Data from './tcgen05-data.js'
import * as Tcgen05Memory from './tcgen05-memory.js'
import * as Tcgen05Mma from './tcgen05-mma.js'
import * as Tcgen05Queue from './tcgen05-queue.js'
import * as Tma from './tma/index.js'
import * as Wgmma from './wgmma.js'

// ---------------------------------------------------------------- instructions

const acts: Family<Prepared['_tag']> = {
  'mbarrier.init': Mbarrier.acts['mbarrier.init'],
  'mbarrier.inval': Mbarrier.acts['mbarrier.inval'],
  'mbarrier.arrive': Mbarrier.acts['mbarrier.arrive'],
  'mbarrier.wait': Mbarrier.acts['mbarrier.wait'],
  'mbarrier.cpAsyncArrive': CpAsync.acts['mbarrier.cpAsyncArrive'],
  bar: Rendezvous.acts.bar,
  'bar.leave': Rendezvous.acts['bar.leave'],
  'cluster.arrive': Rendezvous.acts['cluster.arrive'],
  'cluster.wait': Rendezvous.acts['cluster.wait'],
  load: Generic.acts.load,
  store: Generic.acts.store,
  atomic: Atomic.acts.atomic,
  'atomic.words': AtomicWords.acts['atomic.words'],
  semaphore: Semaphore.acts.semaphore,
  'clc.tryCancel': Clc.acts['clc.tryCancel'],
  'clc.query': Clc.acts['clc.query'],
  setMaxRegisters: SetMaxRegisters.acts.setMaxRegisters,
  'tma.load': Tma.loads['tma.load'],
  'tma.store': Tma.stores['tma.store'],
  'tensormap.create': Tma.maps['tensormap.create'],
  'tensormap.acquire': Tma.maps['tensormap.acquire'],
  'tensormap.through': Tma.objects['tensormap.through'],
  'tensormap.replace': Tma.objects['tensormap.replace'],
  'tensormap.publish': Tma.objects['tensormap.publish'],
  stAsync: StAsync.acts.stAsync,
  'group.commit': Groups.acts['group.commit'],
  'group.wait': Groups.acts['group.wait'],
  'cpAsync.copy': CpAsync.acts['cpAsync.copy'],
  fence: Control.acts.fence,
  'wgmma.mma': Wgmma.acts['wgmma.mma'],
  'tcgen05.alloc': Tcgen05Memory.acts['tcgen05.alloc'],
  'tcgen05.dealloc': Tcgen05Memory.acts['tcgen05.dealloc'],
  'tcgen05.relinquish': Tcgen05Memory.acts['tcgen05.relinquish'],
  'tcgen05.mma': Tcgen05Mma.acts['tcgen05.mma'],
  'tcgen05.commit': Tcgen05Queue.acts['tcgen05.commit'],
  'tcgen05.copy': Tcgen05Copy.acts['tcgen05.copy'],
  'tcgen05.ld': Tcgen05Data.acts['tcgen05.ld'],
  'tcgen05.st': Tcgen05Data.acts['tcgen05.st'],
  nothing: Control.acts.nothing,
  trap: Control.acts.trap,
}

type Tagged<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

/** The record of an instruction, for an instruction of its own kind. */
const actsOf = <K extends Prepared['_tag']>(p: Tagged<K> & { readonly _tag: K }): Acts<Tagged<K>> =>
  acts[p._tag]

export const execute = (
  x: Executing,
  m: Machine,
  p: Prepared,
  layouts: Doing['layouts'],
  apart: ReadonlyArray<Apart>,
): Effect | FaultValue => {
  const how: Manner = { layouts, apart, execute: (known) => actsOf(known).execute(x, m, known, how) }
  return how.execute(p)
}

/** How it waits; null: it never does. */
export const waitsOf = (p: Prepared): Waits<Prepared> | null => actsOf(p).waits

/** What it touches when it executes. */
export const touchesOf = (at: Standing, p: Prepared): Touches => actsOf(p).touches(at, p)

export const doesOf = (p: Prepared): Does => actsOf(p).does(p)

export const stronglyNamed = (p: Prepared): Strongly | null => actsOf(p).strong(p)

// ---------------------------------------------------------------- operations in flight

const flights: Flights<InFlight['_tag']> = {
  clc: Clc.flights.clc,
  tmaLoad: Tma.loadFlights.tmaLoad,
  tmaStore: Tma.storeFlights.tmaStore,
  stAsync: StAsync.flights.stAsync,
  cpAsync: CpAsync.flights.cpAsync,
  cpAsyncArrive: CpAsync.flights.cpAsyncArrive,
  wgmma: Wgmma.flights.wgmma,
  tcgen05: Tcgen05Mma.flights.tcgen05,
  tcgen05Copy: Tcgen05Copy.flights.tcgen05Copy,
  tcgen05Commit: Tcgen05Queue.flights.tcgen05Commit,
  tcgen05Ld: Tcgen05Data.flights.tcgen05Ld,
  tcgen05St: Tcgen05Data.flights.tcgen05St,
}

type Flying<K extends InFlight['_tag']> = Extract<InFlight, { readonly _tag: K }>

/** The record of an operation, for an operation of its own kind. */
export const fliesOf = <K extends InFlight['_tag']>(f: Flying<K> & { readonly _tag: K }): Flies<Flying<K>> =>
  flights[f._tag]

/** The next event of an operation in flight. */
export const next = (world: World, m: Machine, f: InFlight): Effect | FaultValue =>
  fliesOf(f).next(world, m, f)

/** Is its next event held back by what is before it? */
export const held = (world: World, m: Machine, f: InFlight): boolean => fliesOf(f).held(world, m, f)
