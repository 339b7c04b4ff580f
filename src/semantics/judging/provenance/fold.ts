/**
 * Tile provenance: what every output element is made of, for all inputs of the shape at once.
 *
 * A fold over the log in the order in which things were performed. Every written element carries a *term*:
 *
 *     input     the element of a tensor parameter at some byte address
 *     sum       A[row, k] * B[k, column] added for the k in ks; ks is a list of intervals, in the order of addition
 *     zero      nothing yet
 *     other     something this fold cannot say, with the reason
 *
 * A copy moves terms by address: the reader's element takes the term of the bytes that it reads, wherever its own view thinks they are.
 * So a view that disagrees with how the bytes were written shows as the wrong coordinates, not as an opinion about types. An
 * mma (or a warp, by its own instructions: `computed.ts`) looks up the coordinates of all its operand elements; if A's depend on (row, k) alone, B's on (k, column) alone, and the k's agree
 * one by one, the accumulator's element gets those k's added. Casts keep terms; any other arithmetic gives `other`.
 *
 * A block-scaled mma looks up its scales, too: every copy of the scale of a row and a block of k must be the element of the tensor of scales
 * that the program names for that row and block. Then, and only then, the sum is one of scaled elements.
 *
 * Theorem 1: a run's output is a matmul for **all** inputs of the shape, over every commutative semiring, iff the term of every output
 * element [m, n] is the sum over row m, column n, each k of 0 .. K exactly once. Data movement does not look at data, so one run decides.
 * Theorem 2: if moreover every element adds its k's in ascending order, in whole blocks of the instruction, then the output is that of
 * the naive chain of instructions **bit for bit**, whatever the tiles and the stages: rounding sees the same sums in the same order.
 *
 * By hand, 2 steps of tileK = 64: after step 0 every accumulator element is {A[m, 0:64] B[0:64, n]}, after step 1 the intervals merge to
 * {0:128}. A slot refilled too early gives {0:64, 128:192}: k-slices 64:128 missing.
 *
 * Source: the free-semiring reading of data movement (Green, Karvounarakis and Tannen, provenance semirings).
 */
import { unreachable } from '../../../failure.js'
import type {
  Access,
  Combine,
  Fold,
  Footprint,
  Header,
  Issue,
  LogEvent,
  Origin,
  Unit,
} from '../../log/events.js'
import type { Provenance } from '../verdict.js'
import { joined } from './joined.js'
import { withKin, type Kin } from './kin.js'
import type { Spec } from '../../language/program.js'
import { firstComputed, type Computed } from '../../log/computed.js'
import { valueOf } from './computed.js'
import { memory, places, read, siteName, together, write, type Memory, type Places } from './memory.js'
import {
  elementsSaid,
  heldOf,
  left,
  ofTensor,
  put,
  putSum,
  take,
  typeOf,
  type Held,
  type HeldBy,
  type Typed,
} from './words.js'
import { coordinates, product, products, type Coordinates, type Operand, type Products } from './product.js'
import { table, tables, type Tables } from './tables.js'
import { leavesTensor, other, pick, zero, type Terms } from './terms.js'
import { copy, matmul, refuted } from './theorem.js'

// ---------------------------------------------------------------- model

/**
 * A product reads all of its operands before it writes: one A, one B and perhaps the old accumulator; or, for a pair of CTAs, what
 * each of the two holds, the even one first. A left operand that lies twice is read once for the columns of each B.
 */
interface Mma {
  readonly unit: Unit
  readonly accumulates: boolean
  readonly altered: Issue['altered']
  readonly a: Operand[]
  readonly b: Operand[]
  readonly old: Terms[]
  /** accumulators written so far: one B is one CTA */
  written: number
  readonly scales: { readonly a: Operand[]; readonly b: Operand[] }
  sparse: boolean
}

interface State {
  readonly memory: Memory
  readonly products: Products
  /** terms of the values that reads have numbered */
  readonly values: Map<number, Terms>
  /** the same of agents that move words, whose reads say nothing of types */
  readonly words: Map<number, Typed>
  /** what agents have computed, in their order: elements, or the terms of all */
  readonly computed: Map<number, Held[]>
  /** what an operation has read and not yet written */
  readonly carrying: Map<number, Typed>
  readonly mmas: Map<number, Mma>
  /** where data has decided what an agent did: first of those that have ended */
  decided: number | null
  /** the cluster that runs now, and of footprints of global memory the one that wrote there last */
  cluster: number
  readonly writers: Map<number, number>
}

const shapeOf = (f: Footprint): ReadonlyArray<number> =>
  f.map._tag === 'scatter' ? f.map.shape : f.map.layout.shape

/** What is found of tables: it depends on their contents alone, so one run of a program has it from another. */
interface Found {
  readonly tables: Tables
  readonly places: Places
  readonly coordinates: Coordinates
}
const foundFor = new WeakMap<Spec, Found>()
/** Elements of tables that are kept from run to run: 64 MiB. */
const mostKept = 2 ** 24

const foundBefore = (spec: Spec | null): Found => {
  const known = spec === null ? undefined : foundFor.get(spec)
  if (known !== undefined && known.tables.elements <= mostKept) return known
  const found = { tables: tables(), places: places(), coordinates: coordinates() }
  if (spec !== null) foundFor.set(spec, found)
  return found
}

// ---------------------------------------------------------------- events

const stateOf = (header: Header): State => {
  const found = foundBefore(header.computes)
  return {
    memory: memory(header, found.tables, found.places),
    products: products(header, found.tables, found.coordinates),
    values: new Map(),
    words: new Map(),
    computed: new Map(),
    carrying: new Map(),
    mmas: new Map(),
    decided: null,
    cluster: 0,
    writers: new Map(),
  }
}

const productOf = (s: State, m: Mma, shape: ReadonlyArray<number>): Terms => {
  const share = m.written
  const copies = m.a.length / Math.max(1, m.b.length)
  const old = m.accumulates ? (m.old[share] ?? null) : null
  if (m.altered === 'negated') return other('an mma subtracts: one of its factors has the other sign')
  if (m.altered === 'divided') return other('an mma divides the sum so far')
  if (m.altered === 'counted') return other('an mma counts the bits that its factors have in common')
  if (m.sparse) return other('a sparse product is not one of elements alone')
  const each = (all: ReadonlyArray<Operand>): ReadonlyArray<Operand> => {
    const size = all.length / Math.max(1, m.a.length / copies)
    return all.slice(share * size, (share + 1) * size)
  }
  const lefts = m.a.slice(share * copies, (share + 1) * copies)
  return product(s.products, lefts, m.b, { a: each(m.scales.a), b: each(m.scales.b) }, old, shape)
}

const onIssue = (s: State, e: Issue): void => {
  if (e.unit === 'wgmma' || (e.unit === 'tcgen05' && (e.tensor ?? 'mma') === 'mma'))
    s.mmas.set(e.operation, {
      unit: e.unit,
      accumulates: e.accumulates,
      altered: e.altered,
      a: [],
      b: [],
      old: [],
      written: 0,
      scales: { a: [], b: [] },
      sparse: false,
    })
}

const operandOf = (s: State, f: Footprint): Operand => ({ terms: read(s.memory, f), shape: shapeOf(f) })

const rowsOfProduct = 64
const rowsOfWarp = 16

/** A warp that issues its part of a warpgroup's product reads all of A, and multiplies its own rows. */
const partOf = (s: State, e: Access, a: Operand): Operand => {
  const { warps, firstWarp } = s.memory.header.agents[e.stamp.agent]!
  const [rows, columns] = a.shape
  if (warps !== 1 || rows !== rowsOfProduct || columns === undefined) return a
  const from = rowsOfWarp * ((firstWarp ?? 0) % (rowsOfProduct / rowsOfWarp)) * columns
  const own = Int32Array.from({ length: rowsOfWarp * columns }, (_, i) => from + i)
  return {
    terms: pick(s.memory.tables, a.terms, table(s.memory.tables, own)),
    shape: [rowsOfWarp, columns],
  }
}

const onMmaAccess = (s: State, m: Mma, e: Access): void => {
  switch (e.role) {
    case 'a':
      m.a.push(m.unit === 'wgmma' ? partOf(s, e, operandOf(s, e.footprint)) : operandOf(s, e.footprint))
      return
    case 'b':
      m.b.push(operandOf(s, e.footprint))
      // half of a sparse A is stored
      m.sparse ||= m.a.some(({ shape }) => shape[1] !== shapeOf(e.footprint)[0])
      return
    case 'accumulator':
      if (e.rw === 'r') m.old.push(read(s.memory, e.footprint))
      else {
        write(s.memory, e.footprint, productOf(s, m, shapeOf(e.footprint)), e.stamp.site)
        m.written++
        if (e.operation !== undefined && m.written >= m.b.length) s.mmas.delete(e.operation)
      }
      return
    case 'scaleA':
      m.scales.a.push(operandOf(s, e.footprint))
      return
    case 'scaleB':
      m.scales.b.push(operandOf(s, e.footprint))
      return
    case 'sparsity':
      m.sparse = true
      return
    case 'source':
    case 'destination':
    case 'map':
      return
  }
}

/** A write that joins what was there: its read comes right before it, and says nothing by itself. */
const onJoin = (s: State, e: Access, combine: Combine): void => {
  if (e.rw === 'r') return
  const carried = e.operation === undefined ? undefined : s.carrying.get(e.operation)
  const by =
    carried?.terms ?? other(`${siteName(s.memory, e.stamp.site)} joins a value that nothing computed`)
  write(s.memory, e.footprint, joined(combine, read(s.memory, e.footprint), by), e.stamp.site)
}

/** What an access reads. Elements that are nowhere are zero, unless the access says that it finds something else in their place. */
const readBy = (s: State, e: Access): Terms => {
  const terms = read(s.memory, e.footprint)
  return e.outside === 'other' && terms._tag === 'input' && leavesTensor(terms)
    ? other(
        `${siteName(s.memory, e.stamp.site)} reads something other than zero for an element that is in no memory`,
      )
    : terms
}

/** What a copy has read; of words, with the type that they have. */
const carriedBy = (s: State, e: Access): Typed => {
  const terms = readBy(s, e)
  return e.footprint.map._tag === 'scatter'
    ? take(s.memory, e.footprint, terms, e.stamp.site)
    : { terms, dtype: typeOf(s.memory, e.footprint), site: e.stamp.site }
}

const onAccess = (s: State, e: Access): void => {
  if (e.origin?._tag === 'bytes' && e.origin.computed !== undefined) onComputed(s, e, e.origin.computed)
  if (e.role === 'map') return
  if (e.combine !== undefined && e.operation !== undefined) {
    onJoin(s, e, e.combine)
    return
  }
  const mma = e.operation === undefined ? undefined : s.mmas.get(e.operation)
  if (mma !== undefined) {
    onMmaAccess(s, mma, e)
    return
  }
  if (e.operation !== undefined && e.origin === undefined) {
    // a copy: what is read now is written by a later access of the same operation, element by element
    if (e.rw === 'r') {
      s.carrying.set(e.operation, carriedBy(s, e))
      return
    }
    const carried = s.carrying.get(e.operation)
    if (carried === undefined) write(s.memory, e.footprint, other('a copy of nothing'), e.stamp.site)
    else {
      const { footprint, terms } = left(s.memory, e.footprint, carried, e.stamp.site)
      write(s.memory, footprint, terms, e.stamp.site)
    }
    return
  }
  if (e.rw === 'r') {
    if (e.value === undefined) return
    const terms = readBy(s, e)
    s.values.set(e.value, terms)
    if (e.footprint.map._tag === 'scatter')
      s.words.set(e.value, take(s.memory, e.footprint, terms, e.stamp.site))
    return
  }
  const origin = e.origin
  if (origin?._tag === 'bytes') {
    onBytes(s, e, origin)
    return
  }
  const decided = origin?._tag === 'other' ? origin.decided : undefined
  const terms: Terms =
    origin === undefined || origin._tag === 'terms' || origin._tag === 'led' || origin._tag === 'other'
      ? other(
          decided === undefined
            ? `${siteName(s.memory, e.stamp.site)} writes a value computed by other means than a matrix product`
            : `${siteName(s.memory, e.stamp.site)} writes after data has decided what its agent does (${siteName(s.memory, decided)})`,
        )
      : origin._tag === 'zero'
        ? zero
        : (s.values.get(origin.id) ?? other('a value that nothing computed'))
  const footprint =
    terms._tag === 'other' && e.footprint.map._tag === 'scatter'
      ? ofTensor(s.memory, e.footprint)
      : e.footprint
  write(s.memory, footprint, terms, e.stamp.site)
}

type OfBytes = Extract<Origin, { readonly _tag: 'bytes' }>

/** The values that an agent has, by their numbers. */
const heldBy =
  (s: State, agent: number): HeldBy =>
  (value) => {
    if (value <= firstComputed) return s.computed.get(agent)?.[firstComputed - value]
    const read = s.words.get(value - 1)
    return read === undefined ? undefined : heldOf(read)
  }

/** Takes note of what the agent has computed since its last event with this member. */
const onComputed = (s: State, { stamp: { agent, site } }: Access, made: ReadonlyArray<Computed>): void => {
  const known = s.computed.get(agent) ?? []
  s.computed.set(agent, known)
  const held = heldBy(s, agent)
  const where = siteName(s.memory, site)
  for (const one of made) {
    const value = valueOf(
      s.products,
      {
        elements: (stretches, dtype) =>
          elementsSaid(held, stretches, dtype, where, site).map(({ element }) => element),
        together: (elements) => together(s.memory, elements.length, (e) => ({ element: elements[e]!, site })),
      },
      one,
    )
    known.push(
      '_tag' in value
        ? heldOf({ terms: value, dtype: one.dtype, site })
        : {
            dtype: one.dtype,
            site,
            why: null,
            at: (e) => value[e] ?? { _tag: 'other', why: 'a value that nothing computed' },
          },
    )
  }
}

/** Words whose bytes come from several values: each element is one of one value, or a cast of it. Added to what is there, or in its place. */
const onBytes = (s: State, e: Access, { stretches }: OfBytes): void => {
  const made = (e.combine === 'add' ? putSum : put)(
    s.memory,
    heldBy(s, e.stamp.agent),
    e.footprint,
    stretches,
    e.stamp.site,
  )
  const { footprint, terms } =
    e.combine === undefined || e.combine === 'add' || e.combine === 'exchange'
      ? made
      : {
          footprint: ofTensor(s.memory, e.footprint),
          terms: other(`${siteName(s.memory, e.stamp.site)}: a reduction by ${e.combine} is not a sum`),
        }
  write(s.memory, footprint, terms, e.stamp.site)
}

/** Everything but global memory is fresh in the next cluster. */
const onCluster = (s: State): void => {
  s.memory.header.planes.forEach((p, i) => {
    if (p.space !== 'gmem') s.memory.writes[i]!.clear()
  })
  s.values.clear()
  s.words.clear()
  s.computed.clear()
  s.carrying.clear()
  s.mmas.clear()
}

const observe = (s: State, e: LogEvent): State => {
  switch (e._tag) {
    case 'issue':
      onIssue(s, e)
      break
    case 'access':
      onAccess(s, e)
      break
    case 'signal':
      if (e.to === 'group' && e.side === 'full') {
        s.mmas.delete(e.operation)
        s.carrying.delete(e.operation)
      }
      break
    case 'cluster':
      s.cluster = e.id
      onCluster(s)
      break
    case 'exit':
      s.decided ??= e.decided ?? null
      break
    case 'barrier':
    case 'semaphore':
    case 'fence':
    case 'group':
    case 'perform':
    case 'wait':
    case 'rendezvous':
    case 'warpSync':
    case 'registers':
    case 'fork':
    case 'join':
    case 'alloc':
    case 'dealloc':
    case 'relinquish':
    case 'ahead':
      break
    default:
      unreachable(e)
  }
  return s
}

/** What is proved of a log; `kin`: of clusters that it leaves out. */
const proofOf = (s: State, kin: Kin | null): Provenance | null => {
  const spec = s.memory.header.computes
  if (spec === null) return null
  const whole = kin === null ? s.memory : withWritesOf(s, spec, kin)
  if (whole === null) return refuted('the writes of clusters that were not run are not known')
  const found = spec._tag === 'matmul' ? matmul(whole, spec) : copy(whole, spec)
  // other data, and the agent may have written something else, or somewhere else
  return found.proved && s.decided !== null
    ? refuted(`data decides what an agent does: ${siteName(s.memory, s.decided)}`)
    : found
}

const withWritesOf = (s: State, spec: Spec, kin: Kin): Memory | null => {
  const out = s.memory.header.tensors.find(({ name }) => name === spec.out)
  return out === undefined
    ? null
    : withKin(s.memory, spec, out.plane, kin, (footprint) => s.writers.get(footprint))
}

/** Tile provenance as a fold; null when the program does not say what it computes, and of a run that has not ended. */
export const provenance: Fold<State, Provenance | null> = {
  init: stateOf,
  observe,
  finish: (s) => proofOf(s, null),
  stopped: () => null,
}

/** The same of a log that has one cluster of each class. */
export const provenanceOfClasses = (kin: Kin): Fold<State, Provenance | null> => ({
  init: stateOf,
  observe: (s, e) => {
    if (e._tag === 'access' && e.rw === 'w') s.writers.set(e.footprint.id, s.cluster)
    return observe(s, e)
  },
  finish: (s) => proofOf(s, kin),
  stopped: () => null,
})

export type { State as ProvenanceState }
