/**
 * tcgen05.ld and tcgen05.st: between tensor memory and registers.
 *
 * Both are asynchronous, and nothing orders them among themselves or with products: a load reads, and its registers are written, at some
 * time before the `waitLd` that follows it; a store writes before the `waitSt`. What is read too early is what was there before.
 *
 *     ld r <- D      in flight                      regs.read r     the old registers (M3 in the log)
 *     waitLd         offered when it has performed  regs.read r     what D held
 *     useLd          likewise: r may be read        D overwritten   M3 in the log: the columns may still be read
 *
 * The columns must be allocated when the instruction executes, and the agent must reach the lanes.
 *
 * `useLd` says of the registers what `waitLd` says of everything: in a language in which the result of a load can be used at once, the compiler waits
 * for the registers, and the read of the columns goes on until the language's own wait. A load reads and writes in one event here, so the machine
 * cannot show an overwrite that comes between the two; the log can (the search of schedules, which looks for two accesses on offer at once, cannot).
 *
 * A load of words may leave the least or the greatest of what each lane has loaded as well (`tcgen05.ld.red`), in a register that comes with the others.
 *
 *     ld.red r, x <- D, max      in flight; then r is what D held, and x of each lane the greatest word of its r
 *
 * Laws
 * 1. After `waitLd` no load of the agent is in flight, after `waitSt` no store; neither asks for the other.
 * 2. st, waitSt, ld, waitLd, read gives what was stored.
 * 3. The extreme of a load is that of its words in any order; of f32, -0 is below +0, and a NaN counts as `by` says.
 *
 * @fidelity documented: no chip that was measured takes `tcgen05.ld.red`.
 *
 * Source: PTX ISA, tcgen05.ld, tcgen05.st, tcgen05.wait.
 */
import { unreachable } from '../../failure.js'
import { bitsOf, isInt } from '../../numerics/dtype.js'
import { wrap } from '../../numerics/integer.js'
import { allBytes, extremeWord, scalarOperation } from '../../numerics/scalar/index.js'
import { datumOf, isKnown, mark, marked, markOf } from '../../numerics/shadow.js'
import type { InstructionOf } from '../language/instruction.js'
import type { Access, LogEvent } from '../log/events.js'
import { effect, elementsOperand, tileOperand, type Effect, type Executing } from '../machine/effect.js'
import type { Environment } from '../machine/environment.js'
import type {
  Elements,
  Extreme,
  Prepared,
  Tcgen05LdInFlight,
  Tcgen05StInFlight,
} from '../machine/operation.js'
import * as Plane from '../machine/plane.js'
import { issuing, withInFlight, withPlane, type Machine } from '../machine/state.js'
import * as V from '../machine/value.js'
import { isFault, type FaultValue } from '../machine/value.js'
import { access } from './generic.js'
import { notAllocated, outOfReach } from './tcgen05-memory.js'
import { changes, free, noCtas, weak, type Family, type Flights } from '../machine/family.js'
import { columns, memory, write } from '../machine/touches.js'

type Of<K extends Prepared['_tag']> = Extract<Prepared, { readonly _tag: K }>

// ---------------------------------------------------------------- reads and checks

export const prepareLd = (o: Environment, i: InstructionOf<'tcgen05.ld'>): Prepared | FaultValue => {
  const source = elementsOperand(o, 'source', i.source)
  if (isFault(source)) return source
  const destination = elementsOperand(o, 'destination', i.destination)
  if (isFault(destination)) return destination
  if (destination.offsets.length !== source.offsets.length || destination.dtype !== source.dtype)
    return V.fault(
      'tile.shape',
      `destination: expected ${source.dtype} (${source.shape.join(', ')}) as in the source, found ${destination.dtype} (${destination.shape.join(', ')})`,
    )
  return outOfReach(o.world, o.at.agent, 'source', source) ?? { _tag: 'tcgen05.ld', source, destination }
}

export const prepareSt = (o: Environment, i: InstructionOf<'tcgen05.st'>): Prepared | FaultValue => {
  const d = elementsOperand(o, 'destination', i.destination)
  if (isFault(d)) return d
  const v = tileOperand(o, 'value', i.value)
  if (isFault(v)) return v
  if (d.offsets.length !== v.shape.reduce((n, extent) => n * extent, 1))
    return V.fault(
      'tile.shape',
      `value: a tile of shape (${v.shape.join(', ')}) does not fill a destination of shape (${d.shape.join(', ')})`,
    )
  return (
    outOfReach(o.world, o.at.agent, 'destination', d) ?? {
      _tag: 'tcgen05.st',
      destination: d,
      data: v.data,
      origin: v.origin,
    }
  )
}

// ---------------------------------------------------------------- effects

const issueOf = (x: Executing, m: Machine, unit: 'tcgen05Ld' | 'tcgen05St', bytes: number): LogEvent => ({
  _tag: 'issue',
  stamp: x.stamp,
  operation: m.issued,
  unit,
  bytes,
  macs: 0,
  accumulates: false,
})

export const executeLd = (x: Executing, m: Machine, p: Of<'tcgen05.ld'>): Effect | FaultValue => {
  const missing = notAllocated(x.world, m, 'source', p.source)
  if (missing !== null) return missing
  const f: Tcgen05LdInFlight = {
    _tag: 'tcgen05Ld',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    source: p.source,
    destination: p.destination,
    bytes: p.source.offsets.length * Plane.bytesOf(p.source.dtype),
  }
  const told = p.extreme === undefined ? f : Object.assign({ extreme: p.extreme }, f)
  return effect(issuing(m, [told]), [issueOf(x, m, 'tcgen05Ld', f.bytes)])
}

export const executeSt = (x: Executing, m: Machine, p: Of<'tcgen05.st'>): Effect | FaultValue => {
  const missing = notAllocated(x.world, m, 'destination', p.destination)
  if (missing !== null) return missing
  const { dtype } = p.destination
  const f: Tcgen05StInFlight = {
    _tag: 'tcgen05St',
    id: m.issued,
    agent: x.agent,
    at: x.stamp.at,
    stamp: x.stamp,
    destination: p.destination,
    data:
      p.data !== null && isInt(dtype) && bitsOf(dtype) < 32 && x.world.algebra.memory !== 'shadow'
        ? p.data.map(wrap(dtype))
        : p.data,
    origin: p.origin,
    bytes: p.destination.offsets.length * Plane.bytesOf(dtype),
  }
  return effect(issuing(m, [f]), [issueOf(x, m, 'tcgen05St', f.bytes)])
}

// ---------------------------------------------------------------- completion

/** A write of an operation that is no copy of what it has read. */
const computed = (f: Tcgen05LdInFlight, into: Elements): Access =>
  Object.assign({ origin: V.otherOrigin }, access(f, f.id, 'w', 'generic', into, 'destination'))

/** Lane by lane the extreme of what has been loaded, register by register: nothing where a word was never written; of words that are not known, what they depend on. */
const extremeOf = ({ by, magnitudes, into }: Extreme, data: Float64Array): Float64Array => {
  const lanes = into.offsets.length
  const of = scalarOperation(by) ?? unreachable(by)
  return Float64Array.from({ length: lanes }, (_, lane) => {
    const words = data.filter((_word, i) => i % lanes === lane)
    if (words.some(Number.isNaN)) return NaN
    if (words.every(isKnown)) return extremeWord(of, magnitudes, Array.from(words))
    return marked(
      0,
      mark(
        allBytes,
        words.reduce((d, x) => Math.max(d, datumOf(markOf(x))), 0),
      ),
    )
  })
}

/** Registers have no proxy: they are the agent's own. */
export const performLd = (m: Machine, f: Tcgen05LdInFlight): Effect => {
  const { data } = Plane.read(m.planes[f.source.plane]!, f.source)
  const d = f.destination
  const { extreme } = f
  const found = extreme === undefined || data === null ? null : extremeOf(extreme, data)
  const loaded = Plane.write(m.planes[d.plane]!, d, data, m.edit)
  const plane = extreme === undefined ? loaded : Plane.write(loaded, extreme.into, found, m.edit)
  const written = withPlane(m, d.plane, plane)
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      access(f, f.id, 'r', 'tensor', f.source, 'source'),
      access(f, f.id, 'w', 'generic', d, 'destination'),
      ...(extreme === undefined ? [] : [computed(f, extreme.into)]),
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'tcgen05Ld', side: 'full' },
    ],
  )
}

export const performSt = (m: Machine, f: Tcgen05StInFlight): Effect => {
  const d = f.destination
  const written = withPlane(m, d.plane, Plane.write(m.planes[d.plane]!, d, f.data, m.edit))
  const write: Access = {
    _tag: 'access',
    stamp: f.stamp,
    operation: f.id,
    rw: 'w',
    proxy: 'tensor',
    footprint: d.footprint,
    role: 'destination',
    atomic: false,
    origin: f.origin,
  }
  return effect(
    withInFlight(
      written,
      written.inFlight.filter((g) => g !== f),
    ),
    [
      { _tag: 'perform', operation: f.id, stage: 'all', part: 0 },
      write,
      { _tag: 'signal', operation: f.id, part: 0, to: 'group', family: 'tcgen05St', side: 'full' },
    ],
  )
}

// ---------------------------------------------------------------- all that is asked

export const acts: Family<'tcgen05.ld' | 'tcgen05.st'> = {
  'tcgen05.ld': {
    execute: executeLd,
    waits: null,
    touches: ({ world }, p) => columns(world, [p.source]),
    does: changes,
    strong: weak,
  },
  'tcgen05.st': {
    execute: executeSt,
    waits: null,
    touches: ({ world }, p) => columns(world, [p.destination]),
    does: changes,
    strong: weak,
  },
}

export const flights: Flights<'tcgen05Ld' | 'tcgen05St'> = {
  tcgen05Ld: {
    next: (_, m, f) => performLd(m, f),
    held: free,
    touches: (f) => [
      memory('r', f.source),
      memory('w', f.destination),
      ...(f.extreme === undefined ? [] : [memory('w', f.extreme.into)]),
    ],
    ctas: noCtas,
  },
  tcgen05St: {
    next: (_, m, f) => performSt(m, f),
    held: free,
    touches: (f) => [write(f.destination)],
    ctas: noCtas,
  },
}
