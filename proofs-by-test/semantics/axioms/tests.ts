/** Litmus tests of our own, each with the state that is asked for and the answer by the manual. */
import {
  atomic,
  barrier,
  branch,
  cas,
  fence,
  label,
  load,
  place,
  proxyFence,
  store,
  strong,
  thread,
  volatile,
  weak,
  type Address,
  type Axiom,
  type Instruction,
  type Place,
  type Program,
} from '../../../src/semantics/axioms/index.js'

/** What a state must hold: registers as `P0:r0`, memory by location. */
export type Wanted = Readonly<Record<string, number>>

/** A test: its program, the state, whether it is allowed, and the axioms without any one of which the answer is another; none: two axioms forbid it. */
export interface Test {
  readonly name: string
  readonly program: Program
  readonly wanted: Wanted
  readonly allowed: boolean
  /** left out alone, each of them makes the answer another */
  readonly needs: ReadonlyArray<Axiom>
}

const rlx = strong('relaxed', 'gpu')
const acq = strong('acquire', 'gpu')
const rel = strong('release', 'gpu')
const both = strong('acq_rel', 'gpu')
const rlxCta = strong('relaxed', 'cta')

const program = (
  bodies: ReadonlyArray<ReadonlyArray<Instruction>>,
  places?: ReadonlyArray<Place>,
): Program => ({
  memory: new Map(
    [...new Set(bodies.flat().flatMap((i) => ('at' in i ? [i.at.location] : [])))].map((name) => [name, 0]),
  ),
  threads: bodies.map((body, k) => thread(`P${String(k)}`, places?.[k] ?? place(k), body)),
})
const oneCta = [place(0), place(0), place(0)]

const test = (
  name: string,
  of: Program,
  wanted: Wanted,
  answer: 'allowed' | 'never',
  ...needs: ReadonlyArray<Axiom>
): Test => ({ name, program: of, wanted, allowed: answer === 'allowed', needs })

// ---------------------------------------------------------------- shapes

const sb = (between: ReadonlyArray<Instruction>, places?: ReadonlyArray<Place>, how = rlx): Program =>
  program(
    [
      [store('x', 1, how), ...between, load('r0', 'y', how)],
      [store('y', 1, how), ...between, load('r0', 'x', how)],
    ],
    places,
  )
const sbWanted = { 'P0:r0': 0, 'P1:r0': 0 }

const mp = (
  write: ReadonlyArray<Instruction>,
  read: ReadonlyArray<Instruction>,
  places?: ReadonlyArray<Place>,
): Program =>
  program(
    [
      [store('x', 1), ...write],
      [...read, load('r1', 'x')],
    ],
    places,
  )
const mpWanted = { 'P1:r0': 1, 'P1:r1': 0 }

const iriw = (between: ReadonlyArray<Instruction>): Program =>
  program([
    [store('x', 1, rlx)],
    [store('y', 1, rlx)],
    [load('r0', 'x', rlx), ...between, load('r1', 'y', rlx)],
    [load('r0', 'y', rlx), ...between, load('r1', 'x', rlx)],
  ])
const iriwWanted = { 'P2:r0': 1, 'P2:r1': 0, 'P3:r0': 1, 'P3:r1': 0 }

const twoPlusTwoW = (between: ReadonlyArray<Instruction>): Program =>
  program([
    [store('x', 1, rlx), ...between, store('y', 2, rlx)],
    [store('y', 1, rlx), ...between, store('x', 2, rlx)],
  ])

const surface: Address = { location: 'x', address: 'x' }
const other: Address = { location: 'x', address: 'y' }

// ---------------------------------------------------------------- tests

/** The tests, family by family. */
export const tests: ReadonlyArray<Test> = [
  // store buffering: only Fence-SC order keeps both threads from reading 0
  test('SB relaxed', sb([]), sbWanted, 'allowed'),
  test('SB volatile', sb([], undefined, volatile), sbWanted, 'allowed'),
  test('SB fence.acq_rel', sb([fence('acq_rel', 'gpu')]), sbWanted, 'allowed'),
  test('SB fence.sc', sb([fence('sc', 'gpu')]), sbWanted, 'never', 'causality'),
  test('SB fence.sc.cta in two CTAs', sb([fence('sc', 'cta')]), sbWanted, 'allowed'),
  test('SB fence.sc.cta in one CTA', sb([fence('sc', 'cta')], oneCta), sbWanted, 'never', 'causality'),
  test(
    'SB fence.sc on two GPUs',
    sb([fence('sc', 'gpu')], [place(0, 0), place(0, 1)], strong('relaxed', 'sys')),
    sbWanted,
    'allowed',
  ),
  test(
    'SB fence.sc and fence.acq_rel',
    program([
      [store('x', 1, rlx), fence('sc', 'gpu'), load('r0', 'y', rlx)],
      [store('y', 1, rlx), fence('acq_rel', 'gpu'), load('r0', 'x', rlx)],
    ]),
    sbWanted,
    'allowed',
  ),
  test(
    'SB fence.sc.gpu and fence.sc.cta in two CTAs',
    program([
      [store('x', 1, rlx), fence('sc', 'gpu'), load('r0', 'y', rlx)],
      [store('y', 1, rlx), fence('sc', 'cta'), load('r0', 'x', rlx)],
    ]),
    sbWanted,
    'allowed',
  ),
  // message passing
  test('MP weak', mp([store('f', 1)], [load('r0', 'f')]), mpWanted, 'allowed'),
  test('MP relaxed', mp([store('f', 1, rlx)], [load('r0', 'f', rlx)]), mpWanted, 'allowed'),
  test('MP volatile', mp([store('f', 1, volatile)], [load('r0', 'f', volatile)]), mpWanted, 'allowed'),
  test(
    'MP release, acquire',
    mp([store('f', 1, rel)], [load('r0', 'f', acq)]),
    mpWanted,
    'never',
    'causality',
  ),
  test('MP release, relaxed', mp([store('f', 1, rel)], [load('r0', 'f', rlx)]), mpWanted, 'allowed'),
  test('MP relaxed, acquire', mp([store('f', 1, rlx)], [load('r0', 'f', acq)]), mpWanted, 'allowed'),
  test(
    'MP fences',
    mp([fence('acq_rel', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', rlx), fence('acq_rel', 'gpu')]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP fence.release, fence.acquire',
    mp([fence('release', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', rlx), fence('acquire', 'gpu')]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP the wrong fences',
    mp([fence('acquire', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', rlx), fence('release', 'gpu')]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP fences about a weak flag',
    mp([fence('acq_rel', 'gpu'), store('f', 1)], [load('r0', 'f'), fence('acq_rel', 'gpu')]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP a fence of the writer alone',
    mp([fence('sc', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', rlx)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP release.cta, acquire.cta in two CTAs',
    mp([store('f', 1, strong('release', 'cta'))], [load('r0', 'f', strong('acquire', 'cta'))]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP release.cta, acquire.cta in one CTA',
    mp([store('f', 1, strong('release', 'cta'))], [load('r0', 'f', strong('acquire', 'cta'))], oneCta),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP release.cluster, acquire.cluster in one cluster',
    mp(
      [store('f', 1, strong('release', 'cluster'))],
      [load('r0', 'f', strong('acquire', 'cluster'))],
      [place(0, 0, 0), place(1, 0, 0)],
    ),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP release then a relaxed write of the flag',
    mp([store('f', 2, rel), store('f', 1, rlx)], [load('r0', 'f', acq)]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP a relaxed read of the flag, then an acquire of it',
    mp([store('f', 1, rel)], [load('r0', 'f', rlx), load('r2', 'f', acq)]),
    { 'P1:r0': 1, 'P1:r1': 0 },
    'never',
    'causality',
  ),
  test(
    'MP through an atomic of a third thread',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x')],
      [atomic('r0', 'f', 'add', 1, rlx)],
    ]),
    { 'P1:r0': 2, 'P1:r1': 0, 'P2:r0': 1 },
    'never',
    'causality',
  ),
  test(
    'MP through a store of a third thread',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x')],
      [load('r0', 'f', rlx), store('f', 2, rlx)],
    ]),
    { 'P1:r0': 2, 'P1:r1': 0, 'P2:r0': 1 },
    'allowed',
  ),
  test(
    'MP an atomic and a fence',
    mp([store('f', 1, rel)], [atomic('r0', 'f', 'add', 2, rlx), fence('acq_rel', 'gpu')]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP a reduction and a fence',
    mp([store('f', 1, rel)], [atomic(undefined, 'f', 'add', 2, rlx), fence('acq_rel', 'gpu')]),
    { f: 3, 'P1:r1': 0 },
    'allowed',
  ),
  test(
    'MP release of another location, then a relaxed write of the flag',
    mp([store('g', 1, rel), store('f', 1, rlx)], [load('r0', 'f', acq)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP a relaxed read of the flag, then an acquire of another location',
    mp([store('f', 1, rel)], [load('r0', 'f', rlx), load('r2', 'g', acq)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP release.gpu, acquire.cta in two CTAs',
    mp([store('f', 1, rel)], [load('r0', 'f', strong('acquire', 'cta'))]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP release.cta, acquire.gpu in two CTAs',
    mp([store('f', 1, strong('release', 'cta'))], [load('r0', 'f', acq)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP fences of scope cta about a flag of scope gpu, in two CTAs',
    mp([fence('acq_rel', 'cta'), store('f', 1, rlx)], [load('r0', 'f', rlx), fence('acq_rel', 'cta')]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP release.cluster, acquire.cluster in two clusters',
    mp([store('f', 1, strong('release', 'cluster'))], [load('r0', 'f', strong('acquire', 'cluster'))]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP by a chain of two flags',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'g', acq), load('r1', 'x')],
      [load('r0', 'f', acq), store('g', 1, rel)],
    ]),
    { 'P1:r0': 1, 'P1:r1': 0, 'P2:r0': 1 },
    'never',
    'causality',
  ),
  test(
    'MP a read of the flag before the data is read',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r1', 'x'), load('r0', 'f', acq)],
    ]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP the flag before the data',
    program([
      [store('f', 1, rel), store('x', 1)],
      [load('r0', 'f', acq), load('r1', 'x')],
    ]),
    mpWanted,
    'allowed',
  ),
  test(
    'WRC: a write that another thread read is known to a third',
    program([
      [store('x', 1, rlx)],
      [load('r0', 'x', rlx), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x', rlx)],
    ]),
    { 'P1:r0': 1, 'P2:r0': 1, 'P2:r1': 0 },
    'never',
    'causality',
  ),
  test(
    'WRC of a weak read',
    program([
      [store('x', 1, rlx)],
      [load('r0', 'x'), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x', rlx)],
    ]),
    { 'P1:r0': 1, 'P2:r0': 1, 'P2:r1': 0 },
    'allowed',
  ),
  test(
    'MP release of another location, and a fence behind the read of the flag',
    mp([store('g', 1, rel), store('f', 1, rlx)], [load('r0', 'f', rlx), fence('acq_rel', 'gpu')]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP a fence before the flag, and an acquire of another location',
    mp([fence('acq_rel', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', rlx), load('r2', 'g', acq)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP a relaxed read of the flag, then an acquire of it that finds another write',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'f', rlx), load('r2', 'f', acq), load('r1', 'x')],
      [store('f', 2, rlx)],
    ]),
    { 'P1:r0': 1, 'P1:r1': 0, 'P1:r2': 2 },
    'never',
    'causality',
  ),
  test(
    'MP fence.sc, acquire',
    mp([fence('sc', 'gpu'), store('f', 1, rlx)], [load('r0', 'f', acq)]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP release, fence.sc',
    mp([store('f', 1, rel)], [load('r0', 'f', rlx), fence('sc', 'gpu')]),
    mpWanted,
    'never',
    'causality',
  ),
  // independent reads of independent writes
  test('IRIW relaxed', iriw([]), iriwWanted, 'allowed'),
  test('IRIW fence.acq_rel', iriw([fence('acq_rel', 'gpu')]), iriwWanted, 'allowed'),
  test('IRIW fence.sc', iriw([fence('sc', 'gpu')]), iriwWanted, 'never', 'causality'),
  // load buffering
  test(
    'LB without dependency',
    program([
      [load('r0', 'x'), store('y', 1)],
      [load('r0', 'y'), store('x', 1)],
    ]),
    { 'P0:r0': 1, 'P1:r0': 1 },
    'allowed',
  ),
  test(
    'LB with one dependency',
    program([
      [load('r0', 'x'), store('y', 'r0')],
      [load('r0', 'y'), store('x', 1)],
    ]),
    { 'P0:r0': 1, 'P1:r0': 1 },
    'allowed',
  ),
  test(
    'LB with control dependencies',
    program([
      [load('r0', 'x'), branch('ne', 'r0', 1, 'end'), store('y', 1), label('end')],
      [load('r0', 'y'), branch('ne', 'r0', 1, 'end'), store('x', 1), label('end')],
    ]),
    { 'P0:r0': 1, 'P1:r0': 1 },
    'never',
    'no-thin-air',
  ),
  test(
    'LB with data dependencies',
    program([[load('r0', 'x'), store('y', 'r0')], [load('r0', 'y'), store('x', 'r0')], [store('z', 1)]]),
    { 'P0:r0': 1, 'P1:r0': 1 },
    'never',
    'no-thin-air',
  ),
  test(
    'LB with release and acquire',
    program([
      [load('r0', 'x', acq), store('y', 1, rel)],
      [load('r0', 'y', acq), store('x', 1, rel)],
    ]),
    { 'P0:r0': 1, 'P1:r0': 1 },
    'never',
  ),
  // coherence
  test('CoRR weak', program([[store('x', 1)], [load('r0', 'x'), load('r1', 'x')]]), mpWanted, 'allowed'),
  test(
    'CoRR relaxed',
    program([[store('x', 1, rlx)], [load('r0', 'x', rlx), load('r1', 'x', rlx)]]),
    mpWanted,
    'never',
  ),
  test(
    'CoRR relaxed.cta in two CTAs',
    program([[store('x', 1, rlxCta)], [load('r0', 'x', rlxCta), load('r1', 'x', rlxCta)]]),
    mpWanted,
    'allowed',
  ),
  test('CoWW', program([[store('x', 1), store('x', 2)]]), { x: 1 }, 'never'),
  test('CoWR', program([[store('x', 1), load('r0', 'x')]]), { 'P0:r0': 0 }, 'never'),
  test('CoRW', program([[load('r0', 'x'), store('x', 1)]]), { 'P0:r0': 1 }, 'never'),
  test(
    'weak writes of two threads, the second after the first',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'f', acq), store('x', 2)],
    ]),
    { 'P1:r0': 1, x: 1 },
    'never',
    'coherence',
  ),
  test(
    'weak writes of two threads in a race',
    program([[store('x', 1)], [store('x', 2)]]),
    { x: 1 },
    'allowed',
  ),
  test(
    'two readers see weak writes in two orders',
    program([
      [store('x', 1)],
      [store('x', 2)],
      [load('r0', 'x', rlx), load('r1', 'x', rlx)],
      [load('r0', 'x', rlx), load('r1', 'x', rlx)],
    ]),
    { 'P2:r0': 1, 'P2:r1': 2, 'P3:r0': 2, 'P3:r1': 1 },
    'allowed',
  ),
  test(
    'two readers see relaxed writes in two orders',
    program([
      [store('x', 1, rlx)],
      [store('x', 2, rlx)],
      [load('r0', 'x', rlx), load('r1', 'x', rlx)],
      [load('r0', 'x', rlx), load('r1', 'x', rlx)],
    ]),
    { 'P2:r0': 1, 'P2:r1': 2, 'P3:r0': 2, 'P3:r1': 1 },
    'never',
  ),
  test('2+2W relaxed', twoPlusTwoW([]), { x: 1, y: 1 }, 'allowed'),
  test('2+2W fence.acq_rel', twoPlusTwoW([fence('acq_rel', 'gpu')]), { x: 1, y: 1 }, 'allowed'),
  test('2+2W fence.sc', twoPlusTwoW([fence('sc', 'gpu')]), { x: 1, y: 1 }, 'never', 'coherence'),
  // atomic operations
  test(
    'two atomic additions',
    program([[atomic('r0', 'x', 'add', 1, rlx)], [atomic('r0', 'x', 'add', 1, rlx)]]),
    { x: 1 },
    'never',
    'atomicity',
  ),
  test(
    'two atomic additions of scope cta in two CTAs',
    program([[atomic('r0', 'x', 'add', 1, rlxCta)], [atomic('r0', 'x', 'add', 1, rlxCta)]]),
    { x: 1 },
    'allowed',
  ),
  test(
    'an atomic addition and a weak store',
    program([[atomic('r0', 'x', 'add', 1, rlx)], [store('x', 10)]]),
    { x: 10, 'P0:r0': 0 },
    'allowed',
  ),
  test(
    'an atomic addition reads what overwrites it',
    program([[atomic('r0', 'x', 'add', 1, rlx)], [store('x', 10, rlx)]]),
    { x: 10, 'P0:r0': 10 },
    'never',
    'sc-per-location',
  ),
  test(
    'two locks by cas',
    program([[cas('r0', 'x', 0, 1, rlx)], [cas('r0', 'x', 0, 2, rlx)]]),
    { 'P0:r0': 0, 'P1:r0': 0 },
    'never',
    'atomicity',
  ),
  test(
    'a cas that finds another value writes nothing',
    program([[cas('r0', 'x', 5, 7, rlx)]]),
    { x: 7 },
    'never',
  ),
  test(
    'a lock by cas, released and acquired',
    program([
      [store('x', 1), store('l', 1, rel)],
      [cas('r0', 'l', 1, 2, both), load('r1', 'x')],
    ]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'a cas that finds another value leaves a racing write the last',
    program([[cas('r0', 'x', 5, 7, rlx)], [store('x', 1)]]),
    { 'P0:r0': 0, x: 0 },
    'never',
  ),
  test(
    'a cas that makes what it expects',
    program([
      [cas('r0', 'x', 1, 2, rlx)],
      [load('r0', 'x'), branch('ne', 'r0', 2, 'end'), store('x', 1), label('end')],
    ]),
    { 'P0:r0': 1, 'P1:r0': 2 },
    'never',
    'no-thin-air',
  ),
  test(
    'an atomic operation reads a weak write that is causally after what it wrote',
    program([
      [load('r0', 'f', acq), store('x', 5)],
      [atomic('r0', 'x', 'exch', 7, rlx)],
      [load('r0', 'x', rlx), store('f', 1, rel)],
    ]),
    { 'P0:r0': 1, 'P1:r0': 5, 'P2:r0': 7 },
    'allowed',
  ),
  // barriers
  test(
    'barriers in two orders, where one is only arrived at',
    program(
      [
        [barrier(0, 2, 'arrive'), barrier(1, 2)],
        [barrier(1, 2), barrier(0, 2), load('r0', 'y')],
      ],
      oneCta,
    ),
    { 'P1:r0': 0 },
    'allowed',
  ),
  test(
    'who meets does not wait',
    program([[barrier(0, 2)], [barrier(0, 2), store('x', 1)], [load('r0', 'y')]], oneCta),
    { x: 0 },
    'never',
  ),
  test(
    'MP by a barrier',
    program(
      [
        [store('x', 1), barrier(0, 2)],
        [barrier(0, 2), load('r0', 'x')],
      ],
      oneCta,
    ),
    { 'P1:r0': 0 },
    'never',
    'causality',
  ),
  test(
    'a barrier in two CTAs',
    program([
      [store('x', 1), barrier(0)],
      [barrier(0), load('r0', 'x')],
    ]),
    { 'P1:r0': 0 },
    'allowed',
  ),
  test(
    'arrive and sync',
    program(
      [
        [store('x', 1), barrier(0, 2, 'arrive')],
        [barrier(0, 2), load('r0', 'x')],
      ],
      oneCta,
    ),
    { 'P1:r0': 0 },
    'never',
    'causality',
  ),
  test(
    'who arrives does not wait',
    program(
      [
        [barrier(0, 2, 'arrive'), load('r0', 'x')],
        [store('x', 1), barrier(0, 2)],
      ],
      oneCta,
    ),
    { 'P0:r0': 0 },
    'allowed',
  ),
  test(
    'too few come to a barrier: no final state',
    program(
      [
        [store('x', 1), barrier(0, 3)],
        [barrier(0, 3), load('r0', 'x')],
      ],
      oneCta,
    ),
    { x: 1 },
    'never',
  ),
  test(
    'two of three meet; the third waits for ever',
    program([[store('x', 1), barrier(0, 2)], [barrier(0, 2), load('r0', 'x')], [barrier(0, 2)]], oneCta),
    { 'P1:r0': 0 },
    'allowed',
  ),
  test(
    'barriers that wait for each other: no final state',
    program(
      [
        [barrier(0), barrier(1), load('r0', 'x')],
        [barrier(1), barrier(0)],
      ],
      oneCta,
    ),
    { 'P0:r0': 0 },
    'never',
  ),
  // proxies
  test(
    'a surface write and a generic read of one thread',
    program([[store(surface, 1, weak, 'surface'), load('r0', 'x')]]),
    { 'P0:r0': 0 },
    'allowed',
  ),
  test(
    'with a proxy fence between',
    program([[store(surface, 1, weak, 'surface'), proxyFence('surface'), load('r0', 'x')]]),
    { 'P0:r0': 0 },
    'never',
    'causality',
  ),
  test(
    'with the fence of another proxy',
    program([[store(surface, 1, weak, 'surface'), proxyFence('texture'), load('r0', 'x')]]),
    { 'P0:r0': 0 },
    'allowed',
  ),
  test(
    'MP through proxies, the fence in the CTA of the read',
    program([
      [store('x', 1), store('f', 1, rel)],
      [load('r0', 'f', acq), proxyFence('constant'), load('r1', 'x', weak, 'constant')],
    ]),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP through proxies, the fence in the CTA of the write',
    program([
      [store('x', 1), proxyFence('constant'), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x', weak, 'constant')],
    ]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP by one surface of one CTA',
    program(
      [
        [store(surface, 1, weak, 'surface'), store('f', 1, rel)],
        [load('r0', 'f', acq), load('r1', 'x', weak, 'surface')],
      ],
      oneCta,
    ),
    mpWanted,
    'never',
    'causality',
  ),
  test(
    'MP by surfaces of two CTAs',
    program([
      [store(surface, 1, weak, 'surface'), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x', weak, 'surface')],
    ]),
    mpWanted,
    'allowed',
  ),
  test(
    'a surface write and a generic read of an alias: the fences in their order',
    program([
      [store(surface, 1, weak, 'surface'), proxyFence('surface'), proxyFence('alias'), load('r0', other)],
    ]),
    { 'P0:r0': 0 },
    'never',
    'causality',
  ),
  test(
    'a surface write and a generic read of an alias: the fences in another order',
    program([
      [store(surface, 1, weak, 'surface'), proxyFence('alias'), proxyFence('surface'), load('r0', other)],
    ]),
    { 'P0:r0': 0 },
    'allowed',
  ),
  test(
    'a flag by another proxy is no flag',
    mp([store('f', 1, rel, 'surface')], [load('r0', 'f', acq)]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP from a surface, the fence in the CTA of the read',
    program([
      [store(surface, 1, weak, 'surface'), store('f', 1, rel)],
      [load('r0', 'f', acq), proxyFence('surface'), load('r1', 'x')],
    ]),
    mpWanted,
    'allowed',
  ),
  test(
    'MP from a surface, the fence in the CTA of the write',
    program([
      [store(surface, 1, weak, 'surface'), proxyFence('surface'), store('f', 1, rel)],
      [load('r0', 'f', acq), load('r1', 'x')],
    ]),
    mpWanted,
    'never',
    'causality',
  ),
  test('an alias', program([[store('x', 1), load('r0', other)]]), { 'P0:r0': 0 }, 'allowed'),
  test(
    'an alias and its fence',
    program([[store('x', 1), proxyFence('alias'), load('r0', other)]]),
    { 'P0:r0': 0 },
    'never',
    'causality',
  ),
]
