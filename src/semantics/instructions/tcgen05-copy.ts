/**
 * tcgen05.cp and tcgen05.shift: copies into tensor memory, and inside it.
 *
 * Both are entries of their agent's tensor queue (`tcgen05-queue.ts`): a product behind a copy needs no wait, a commit covers both.
 *
 * A copy moves rows of 16 or 32 bytes from shared memory to lanes. The destination names where a row lies first; the shape says
 * which further lanes get it too (`layouts/tensor-memory/copy-shape.ts`):
 *
 *     32x128b.warpx4     row i to lanes i, i + 32, i + 64, i + 96: scales, one copy for each quarter
 *     128x256b           row i to lane i
 *
 * A shift moves rows of 32 bytes by one: row i goes to where row i + 1 was, for all rows but the last, and the first stays as it is. The ISA says
 * "down by one row, except the last", and no source says which way down is: this one is the model here.
 *
 * With cta_group 2 each CTA of the pair does the same at the same place, from its own shared memory.
 *
 * Laws
 * 1. After a copy every lane of `copyLanes(row)` holds the row, and no other cell has changed.
 * 2. All that a shift reads it reads before it writes.
 *
 * @fidelity documented; model: the lanes of 4x256b, the direction of a shift.
 *
 * Source: PTX ISA, tcgen05.cp, tcgen05.shift.
 */
import * as E from 'fp-ts/lib/Either.js'
import { copyLanes, type CopyShape } from '../../layouts/tensor-memory/copy-shape.js'
import { tmemLaneBytes } from '../../layouts/tensor-memory/geometry.js'
import * as Ref from '../../transforms/ref.js'
import type { InstructionOf } from '../language/instruction.js'
import type { LogEvent } from '../log/events.js'
import { effect, elementsOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import * as Footprints from '../machine/footprint.js'
import type { Elements, Prepared, Tcgen05CopyInFlight } from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import { access } from './generic.js'
import { notAllocatedInGroup } from './tcgen05-memory.js'
import { checkGroup, ctasOf, elsewhere, held, issueOf, ownMemory } from './tcgen05-queue.js'
import { changes, ctasOfElements, weak, type Family, type Flights } from '../machine/family.js'
import { columns, read, write } from '../machine/touches.js'

type Copy = Extract<Prepared, { readonly _tag: 'tcgen05.copy' }>

// ---------------------------------------------------------------- reads and checks

/** How many lanes on the copies of a row lie: where those of row 0 are. */
export const laneSteps = (shape: CopyShape): ReadonlyArray<number> => copyLanes(shape, 0)

export const prepareCp = (o: Environment, i: InstructionOf<'tcgen05.cp'>): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  const source = elementsOperand(o, 'source', i.source)
  if (isFault(source)) return source
  const destination = elementsOperand(o, 'destination', i.destination)
  if (isFault(destination)) return destination
  const foreign = ownMemory(o, 'source', source) ?? ownMemory(o, 'destination', destination)
  if (foreign !== null) return foreign
  if (source.offsets.length !== destination.offsets.length || source.dtype !== destination.dtype)
    return V.fault(
      'tile.shape',
      `destination: expected ${source.dtype} (${source.shape.join(', ')}) as in the source, found ${destination.dtype} (${destination.shape.join(', ')})`,
    )
  const steps = laneSteps(i.shape)
  return {
    _tag: 'tcgen05.copy',
    entry: i.shape === '4x256b' ? 'cp.4x256b' : 'cp',
    moves: ctasOf(o, i.ctaGroup).flatMap((to) =>
      steps.map((lanes) => ({
        source: elsewhere(o.world, source, to, 0),
        destination: elsewhere(o.world, destination, to, lanes * tmemLaneBytes),
      })),
    ),
    bytes: source.offsets.length * Plane.bytesOf(source.dtype) * i.ctaGroup,
    ctaGroup: i.ctaGroup,
  }
}

export const prepareShift = (o: Environment, i: InstructionOf<'tcgen05.shift'>): Prepared | FaultValue => {
  const pair = checkGroup(o, i._tag, i.ctaGroup)
  if (pair !== null) return pair
  const all = elementsOperand(o, 'destination', i.destination)
  if (isFault(all)) return all
  const foreign = ownMemory(o, 'destination', all)
  if (foreign !== null) return foreign
  const map = all.footprint.map
  const [rows = 0, columns = 0] = all.shape
  const part = map._tag === 'view' ? Ref.sliceShape([rows - 1, columns])(map.layout) : null
  if (map._tag !== 'view' || part === null || E.isLeft(part))
    return V.fault('tile.shape', `destination: expected at least two rows, found (${all.shape.join(', ')})`)
  const layout = part.right
  const at = (plane: number, bytes: number): Elements =>
    Footprints.ofLayout(o.world.footprints, plane, all.dtype, layout, map.base + bytes)
  return {
    _tag: 'tcgen05.copy',
    entry: 'shift',
    moves: ctasOf(o, i.ctaGroup).map((to) => {
      const plane = all.plane + to * o.world.planesPerCta
      return { source: at(plane, 0), destination: at(plane, tmemLaneBytes) }
    }),
    bytes: (rows - 1) * columns * Plane.bytesOf(all.dtype) * i.ctaGroup,
    ctaGroup: i.ctaGroup,
  }
}

// ---------------------------------------------------------------- effects

export const executeCopy = (x: Executing, m: Machine, p: Copy): Effect | FaultValue => {
  for (const { source, destination } of p.moves) {
    const missing =
      notAllocatedInGroup(x.world, m, p.ctaGroup, 'destination', destination) ??
      notAllocatedInGroup(x.world, m, p.ctaGroup, 'destination', source)
    if (missing !== null) return missing
  }
  const f: Tcgen05CopyInFlight = {
    _tag: 'tcgen05Copy',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    copy: p,
    bytes: p.bytes,
  }
  return effect(issuing(m, [f]), [issueOf(x, m, p.entry, p.ctaGroup, p.bytes, 0, false, 0, 0)])
}

// ---------------------------------------------------------------- completion

export const performCopy = (m: Machine, f: Tcgen05CopyInFlight): Effect => {
  const read = f.copy.entry === 'shift' ? 'tensor' : 'async'
  const events: LogEvent[] = [{ _tag: 'perform', operation: f.id, stage: 'all', part: 0 }]
  let written = m
  let last: Elements | null = null
  for (const { source, destination: d } of f.copy.moves) {
    if (source !== last) events.push(access(f, f.id, 'r', read, source, 'source'))
    last = source
    events.push(access(f, f.id, 'w', 'tensor', d, 'destination'))
    // planes of two CTAs, or of two spaces, or all of one move: reading the old machine is reading before writing
    const { data } = Plane.read(m.planes[source.plane]!, source)
    written = withPlane(written, d.plane, Plane.write(written.planes[d.plane]!, d, data, m.edit))
  }
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    events,
  )
}

// ---------------------------------------------------------------- all that is asked

const sidesOf = (p: Copy): ReadonlyArray<Elements> =>
  p.moves.flatMap((move) => [move.source, move.destination])

export const acts: Family<'tcgen05.copy'> = {
  'tcgen05.copy': {
    execute: executeCopy,
    waits: null,
    touches: ({ world }, p) => columns(world, sidesOf(p)),
    does: changes,
    strong: weak,
  },
}

export const flights: Flights<'tcgen05Copy'> = {
  tcgen05Copy: {
    next: (_, m, f) => performCopy(m, f),
    held,
    touches: (f) => f.copy.moves.flatMap((move) => [read(move.source), write(move.destination)]),
    ctas: (world, f) => ctasOfElements(world, sidesOf(f.copy)),
  },
}
