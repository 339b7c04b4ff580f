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
 * mma looks up the coordinates of all its operand elements; if A's depend on (row, k) alone, B's on (k, column) alone, and the k's agree
 * one by one, the accumulator's element gets those k's added. Casts keep terms; any other arithmetic gives `other`.
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
import { bitsOf } from '../numerics/dtype.js'
import * as Ref from '../transforms/ref.js'
import type { Access, Fold, Footprint, Header, Issue, LogEvent, LoggedTensor } from './log.js'
import type { Spec } from './program.js'
import type { Provenance } from './verdict.js'

// ---------------------------------------------------------------- model

/** The terms of the elements of one access, in its row-major order. */
type Terms =
  | { readonly _tag: 'zero' }
  | { readonly _tag: 'input'; readonly plane: number; readonly addresses: Int32Array }
  | {
      readonly _tag: 'sum'
      readonly a: number
      readonly b: number
      readonly rows: Int32Array
      readonly columns: Int32Array
      /** start, end, start, end ...: sorted by start; overlapping ones are repeats */
      readonly ks: ReadonlyArray<number>
    }
  | { readonly _tag: 'other'; readonly why: string }

/** One write: what it left where, and who did it. */
interface Written {
  readonly footprint: Footprint
  readonly terms: Terms
  readonly site: number
}

/**
 * How a read's footprint lies to a write's: apart, or wholly inside it (and then which of its elements each element read is), or
 * neither. It depends on the two footprints alone, so it is found once for a pair.
 */
type Relation =
  | { readonly _tag: 'apart' }
  | { readonly _tag: 'inside'; readonly elements: Int32Array }
  | { readonly _tag: 'across' }

/** What one access of a product has read. */
interface Operand {
  readonly footprint: Footprint
  readonly terms: Terms
}
/**
 * A product reads all of its operands before it writes: one A, one B and perhaps the old accumulator; or, for a pair of CTAs, what
 * each of the two holds, the even one first. A left operand that lies twice is read once for the columns of each B.
 */
interface Mma {
  readonly accumulates: boolean
  readonly a: Operand[]
  readonly b: Operand[]
  readonly old: Terms[]
  /** rows of D written so far, by CTA */
  written: number
}

interface State {
  readonly header: Header
  /** of each plane, the writes that are not wholly overwritten by a later one of the same footprint, oldest first */
  readonly writes: ReadonlyArray<Written[]>
  /** terms of the values that reads have numbered */
  readonly values: Map<number, Terms>
  /** what an operation has read and not yet written */
  readonly carrying: Map<number, Terms>
  readonly mmas: Map<number, Mma>
  readonly addresses: Map<number, Int32Array>
  readonly relations: Map<number, Map<number, Relation>>
}

// ---------------------------------------------------------------- places

/** In place of an element's number: the rest of an element, and nothing. */
const tail = -2
const nobody = -1

const addressesOf = (s: State, f: Footprint): Int32Array => {
  if (f.map._tag === 'scatter') return f.map.addresses
  const known = s.addresses.get(f.id)
  if (known !== undefined) return known
  const made = Ref.swizzledAddresses(f.map.layout, f.map.base)
  s.addresses.set(f.id, made)
  return made
}

const shapeOf = (f: Footprint): ReadonlyArray<number> =>
  f.map._tag === 'scatter' ? f.map.shape : f.map.layout.shape

const write = (s: State, footprint: Footprint, terms: Terms, site: number): void => {
  const live = s.writes[footprint.plane]!
  const same = live.findIndex((w) => w.footprint.id === footprint.id)
  if (same >= 0) live.splice(same, 1)
  live.push({ footprint, terms, site })
}

const widthOf = (f: Footprint): number => bitsOf(f.dtype) / 8

/** Do two sorted lists of intervals share a byte? */
const overlap = (a: Int32Array, b: Int32Array): boolean => {
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i]! < b[j + 1]! && b[j]! < a[i + 1]!) return true
    if (a[i + 1]! <= b[j + 1]!) i += 2
    else j += 2
  }
  return false
}

/** The element of a footprint at each byte of its range: its number at the first byte, `tail` at the rest, `nobody` between. */
const elementsByByte = (s: State, f: Footprint): Int32Array => {
  const start = f.spans[0]!
  const out = new Int32Array(f.spans[f.spans.length - 1]! - start).fill(nobody)
  const width = widthOf(f)
  addressesOf(s, f).forEach((a, e) => {
    if (a < 0) return
    out[a - start] = e
    for (let b = 1; b < width; b++) out[a - start + b] = tail
  })
  return out
}

const relate = (s: State, r: Footprint, w: Footprint): Relation => {
  if (!overlap(r.spans, w.spans)) return { _tag: 'apart' }
  if (widthOf(r) !== widthOf(w)) return { _tag: 'across' }
  const at = elementsByByte(s, w)
  const start = w.spans[0]!
  const elements = addressesOf(s, r).map((a) => (a < 0 ? nobody : (at[a - start] ?? nobody)))
  return elements.every((e) => e >= 0) ? { _tag: 'inside', elements } : { _tag: 'across' }
}

const relation = (s: State, r: Footprint, w: Footprint): Relation => {
  const known = s.relations.get(r.id) ?? new Map<number, Relation>()
  if (known.size === 0) s.relations.set(r.id, known)
  const hit = known.get(w.id)
  if (hit !== undefined) return hit
  const made = relate(s, r, w)
  known.set(w.id, made)
  return made
}

const siteName = (s: State, site: number): string => s.header.sites[site]?.label ?? 'somewhere'

const other = (why: string): Terms => ({ _tag: 'other', why })

/** The terms of the elements under a footprint, as memory holds them now. */
const read = (s: State, f: Footprint): Terms => {
  const plane = s.header.planes[f.plane]!
  const live = s.writes[f.plane]!
  for (let i = live.length - 1; i >= 0; i--) {
    const w = live[i]!
    const to = relation(s, f, w.footprint)
    if (to._tag === 'apart') continue
    if (to._tag === 'across') return piecewise(s, f, live)
    return w.footprint.dtype === f.dtype ? pick(w.terms, to.elements) : retyped(s, f, w)
  }
  return plane.initialised
    ? { _tag: 'input', plane: f.plane, addresses: addressesOf(s, f) }
    : other(`${plane.name} is read before anything was written to it`)
}

const retyped = (s: State, f: Footprint, w: Written): Terms =>
  other(
    `${s.header.planes[f.plane]!.name} holds ${w.footprint.dtype} (${siteName(s, w.site)}) and is read as ${f.dtype}`,
  )

/** A read over several writes, element by element: the newest write that holds a byte of the element decides. */
const piecewise = (s: State, f: Footprint, live: ReadonlyArray<Written>): Terms => {
  const plane = s.header.planes[f.plane]!
  const touching = live.filter((w) => overlap(f.spans, w.footprint.spans)).reverse()
  const maps = touching.map((w) => elementsByByte(s, w.footprint))
  const addresses = addressesOf(s, f)
  const width = widthOf(f)
  const writers: Written[] = []
  const elements = new Int32Array(addresses.length)
  const holder = (byte: number): number =>
    touching.findIndex((w, i) => (maps[i]![byte - w.footprint.spans[0]!] ?? nobody) !== nobody)
  for (let e = 0; e < addresses.length; e++) {
    const a = addresses[e]!
    if (a < 0) return other('elements outside the tensor take part')
    const i = holder(a)
    if (i < 0)
      return plane.initialised
        ? other(`${plane.name} is read where it was partly overwritten`)
        : other(`${plane.name} is read before anything was written to byte ${String(a)}`)
    const w = touching[i]!
    const element = maps[i]![a - w.footprint.spans[0]!]!
    if (element === tail)
      return other(`${plane.name} is read from the middle of an element, at byte ${String(a)}`)
    for (let b = 1; b < width; b++)
      if (holder(a + b) !== i || maps[i]![a + b - w.footprint.spans[0]!] !== tail)
        return other(`${plane.name} is read across two elements, at byte ${String(a)}`)
    if (w.footprint.dtype !== f.dtype) return retyped(s, f, w)
    writers.push(w)
    elements[e] = element
  }
  return writers.length === 0 ? other('nothing is read') : gather(s, writers, elements)
}

/** The terms of some elements of one write. */
const pick = (terms: Terms, elements: Int32Array): Terms => {
  switch (terms._tag) {
    case 'zero':
    case 'other':
      return terms
    case 'input':
      return { _tag: 'input', plane: terms.plane, addresses: elements.map((e) => terms.addresses[e]!) }
    case 'sum':
      return {
        _tag: 'sum',
        a: terms.a,
        b: terms.b,
        rows: elements.map((e) => terms.rows[e]!),
        columns: elements.map((e) => terms.columns[e]!),
        ks: terms.ks,
      }
  }
}

const sameList = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): boolean =>
  x.length === y.length && x.every((v, i) => v === y[i])

/** The terms of elements that several writes left; they must be of one kind and, if sums, over the same ks. */
const gather = (s: State, writers: ReadonlyArray<Written>, elements: Int32Array): Terms => {
  const first = writers[0]!.terms
  const n = elements.length
  const x = new Int32Array(n)
  const y = new Int32Array(n)
  for (let e = 0; e < n; e++) {
    const terms = writers[e]!.terms
    const at = elements[e]!
    if (terms._tag === 'other') return terms
    if (terms._tag === 'input' && first._tag === 'input' && terms.plane === first.plane)
      x[e] = terms.addresses[at]!
    else if (
      terms._tag === 'sum' &&
      first._tag === 'sum' &&
      terms.a === first.a &&
      terms.b === first.b &&
      (terms === first || sameList(terms.ks, first.ks))
    ) {
      x[e] = terms.rows[at]!
      y[e] = terms.columns[at]!
    } else if (terms._tag !== 'zero' || first._tag !== 'zero')
      return other(
        `elements of different kinds lie side by side: from ${siteName(s, writers[0]!.site)} and from ${siteName(s, writers[e]!.site)}`,
      )
  }
  switch (first._tag) {
    case 'input':
      return { _tag: 'input', plane: first.plane, addresses: x }
    case 'sum':
      return { _tag: 'sum', a: first.a, b: first.b, rows: x, columns: y, ks: first.ks }
    case 'zero':
    case 'other':
      return first
  }
}

// ---------------------------------------------------------------- coordinates of inputs

const tensorOf = (header: Header, plane: number): LoggedTensor | undefined =>
  header.tensors.find((t) => t.plane === plane)

/** [row, column] of the element of a rank-2 tensor at a byte address. */
const coordinates = (t: LoggedTensor, address: number): readonly [number, number] => {
  const at = address / (bitsOf(t.dtype) / 8)
  const stride = t.strides[0]!
  const row = Math.floor(at / stride)
  return [row, (at - row * stride) / t.strides[1]!]
}

/**
 * The coordinates of a matrix operand of shape (outer, inner) or its transpose: `first[i]` depends on the first index alone,
 * `second[j]` on the second alone.
 */
const separate = (
  header: Header,
  terms: Terms,
  shape: ReadonlyArray<number>,
  what: string,
): { readonly plane: number; readonly first: Int32Array; readonly second: Int32Array } | string => {
  if (terms._tag === 'other') return `${what}: ${terms.why}`
  if (terms._tag !== 'input') return `${what} is not a box of an input`
  const t = tensorOf(header, terms.plane)
  if (t?.shape.length !== 2)
    return `${what} comes from ${header.planes[terms.plane]!.name}, which is not a matrix`
  const [p, q] = [shape[0]!, shape[1]!]
  const first = new Int32Array(p)
  const second = new Int32Array(q)
  for (let i = 0; i < p; i++) first[i] = coordinates(t, terms.addresses[i * q]!)[0]
  for (let j = 0; j < q; j++) second[j] = coordinates(t, terms.addresses[j]!)[1]
  const bytes = bitsOf(t.dtype) / 8
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++)
      if (terms.addresses[i * q + j] !== (first[i]! * t.strides[0]! + second[j]! * t.strides[1]!) * bytes) {
        const [row, column] = coordinates(t, terms.addresses[i * q + j]!)
        return `${what} is scrambled: its element [${String(i)}, ${String(j)}] is ${t.name}[${String(row)}, ${String(column)}], where ${t.name}[${String(first[i])}, ${String(second[j])}] was expected: the bytes were written under another layout than they are read under`
      }
  return { plane: terms.plane, first, second }
}

/** A list of coordinates as intervals: consecutive runs, in order. */
const intervals = (ks: Int32Array): ReadonlyArray<number> => {
  const out: number[] = []
  for (const k of ks)
    if (out.length > 0 && out[out.length - 1] === k) out[out.length - 1] = k + 1
    else out.push(k, k + 1)
  return out
}

/** First the one list, then the other; an interval that goes on where the last one ended is one with it. */
const andThen = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): ReadonlyArray<number> =>
  x.length > 0 && y.length > 0 && x[x.length - 1] === y[0] ? [...x.slice(0, -1), ...y.slice(1)] : [...x, ...y]

/** The same multiset in ascending order. */
const ascending = (ks: ReadonlyArray<number>): ReadonlyArray<number> => {
  const pairs: (readonly [number, number])[] = []
  for (let i = 0; i < ks.length; i += 2) pairs.push([ks[i]!, ks[i + 1]!])
  pairs.sort((p, q) => p[0] - q[0] || p[1] - q[1])
  return pairs.reduce<ReadonlyArray<number>>((out, pair) => andThen(out, pair), [])
}

// ---------------------------------------------------------------- events

/** A B, or why not: the coordinates of its operands, with the columns of all of B side by side. */
const factors = (
  s: State,
  left: ReadonlyArray<Operand>,
  right: ReadonlyArray<Operand>,
):
  | {
      readonly a: number
      readonly b: number
      readonly rows: Int32Array
      readonly columns: ReadonlyArray<number>
      readonly ks: Int32Array
    }
  | string => {
  const [first] = left
  const [some] = right
  if (first === undefined || some === undefined) return 'an mma without operands'
  const a = separate(s.header, first.terms, shapeOf(first.footprint), 'operand A')
  if (typeof a === 'string') return a
  for (const again of left.slice(1)) {
    const copy = separate(s.header, again.terms, shapeOf(again.footprint), 'operand A')
    if (typeof copy === 'string') return copy
    if (copy.plane !== a.plane || !sameNumbers(copy.first, a.first) || !sameNumbers(copy.second, a.second))
      return 'the two copies of operand A are not the same'
  }
  const columns: number[] = []
  let plane = -1
  for (const one of right) {
    const b = separate(s.header, one.terms, shapeOf(one.footprint), 'operand B')
    if (typeof b === 'string') return b
    const at = a.second.findIndex((k, i) => k !== b.first[i])
    if (at >= 0)
      return `the operands do not meet: k-slice ${String(a.second[at])} of A with k-slice ${String(b.first[at])} of B`
    if (plane >= 0 && plane !== b.plane) return 'the two CTAs have columns of different inputs as operand B'
    plane = b.plane
    columns.push(...b.second)
  }
  return { a: a.plane, b: plane, rows: a.first, columns, ks: a.second }
}

const sameNumbers = (x: Int32Array, y: Int32Array): boolean =>
  x.length === y.length && x.every((v, i) => v === y[i])

/** What the next CTA's rows of D become. */
const product = (s: State, m: Mma, shape: ReadonlyArray<number>): Terms => {
  // one B is one CTA
  const share = m.written
  const copies = m.a.length / Math.max(1, m.b.length)
  const old = m.accumulates ? (m.old[share] ?? null) : null
  // the first thing that went wrong is the one to name
  if (old !== null && old._tag === 'other') return old
  const f = factors(s, m.a.slice(share * copies, (share + 1) * copies), m.b)
  if (typeof f === 'string') return other(f)
  const [p, q] = [shape[0]!, shape[1]!]
  const rows = new Int32Array(p * q)
  const columns = new Int32Array(p * q)
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++) {
      rows[i * q + j] = f.rows[i]!
      columns[i * q + j] = f.columns[j]!
    }
  const ks = intervals(f.ks)
  if (old === null || old._tag === 'zero') return { _tag: 'sum', a: f.a, b: f.b, rows, columns, ks }
  if (old._tag !== 'sum' || old.a !== f.a || old.b !== f.b)
    return other('an mma adds to an accumulator that holds something else')
  const moved = rows.findIndex((r, e) => r !== old.rows[e] || columns[e] !== old.columns[e])
  if (moved >= 0)
    return other(
      `an mma adds the product of row ${String(rows[moved])} and column ${String(columns[moved])} to an accumulator of row ${String(old.rows[moved])} and column ${String(old.columns[moved])}`,
    )
  return { _tag: 'sum', a: f.a, b: f.b, rows, columns, ks: andThen(old.ks, ks) }
}

const onIssue = (s: State, e: Issue): void => {
  if (e.unit === 'wgmma' || (e.unit === 'tcgen05' && (e.tensor ?? 'mma') === 'mma'))
    s.mmas.set(e.operation, { accumulates: e.accumulates, a: [], b: [], old: [], written: 0 })
}

const onMmaAccess = (s: State, m: Mma, e: Access): void => {
  switch (e.role) {
    case 'a':
      m.a.push({ footprint: e.footprint, terms: read(s, e.footprint) })
      return
    case 'b':
      m.b.push({ footprint: e.footprint, terms: read(s, e.footprint) })
      return
    case 'accumulator':
      if (e.rw === 'r') m.old.push(read(s, e.footprint))
      else {
        write(s, e.footprint, product(s, m, shapeOf(e.footprint)), e.stamp.site)
        m.written++
        if (e.operation !== undefined && m.written >= m.b.length) s.mmas.delete(e.operation)
      }
      return
    case 'source':
    case 'destination':
      return
  }
}

const onAccess = (s: State, e: Access): void => {
  const mma = e.operation === undefined ? undefined : s.mmas.get(e.operation)
  if (mma !== undefined) {
    onMmaAccess(s, mma, e)
    return
  }
  if (e.operation !== undefined && e.origin === undefined) {
    // a copy: what is read now is written by a later access of the same operation, element by element
    if (e.rw === 'r') s.carrying.set(e.operation, read(s, e.footprint))
    else write(s, e.footprint, s.carrying.get(e.operation) ?? other('a copy of nothing'), e.stamp.site)
    return
  }
  if (e.rw === 'r') {
    if (e.value !== undefined) s.values.set(e.value, read(s, e.footprint))
    return
  }
  const origin = e.origin
  const terms: Terms =
    origin === undefined || origin._tag === 'other'
      ? other(`${siteName(s, e.stamp.site)} writes a value computed by other means than a matrix product`)
      : origin._tag === 'zero'
        ? { _tag: 'zero' }
        : (s.values.get(origin.id) ?? other('a value from nowhere'))
  write(s, e.footprint, terms, e.stamp.site)
}

/** Everything but global memory is fresh in the next cluster. */
const onCluster = (s: State): void => {
  s.header.planes.forEach((p, i) => {
    if (p.space !== 'gmem') s.writes[i]!.length = 0
  })
  s.values.clear()
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
      onCluster(s)
      break
    default:
      break
  }
  return s
}

// ---------------------------------------------------------------- the theorem

const showKs = (ks: ReadonlyArray<number>): string => {
  const parts: string[] = []
  for (let i = 0; i < ks.length; i += 2) parts.push(`${String(ks[i])}:${String(ks[i + 1])}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** What of 0:K is missing from a multiset of intervals, and what is there more than once. */
const against = (ks: ReadonlyArray<number>, K: number): string => {
  const missing: number[] = []
  const repeated: number[] = []
  let covered = 0
  for (let i = 0; i < ks.length; i += 2) {
    const [start, end] = [ks[i]!, ks[i + 1]!]
    if (start > covered) missing.push(covered, start)
    if (start < covered) repeated.push(start, Math.min(covered, end))
    covered = Math.max(covered, end)
  }
  if (covered < K) missing.push(covered, K)
  return [
    ...(missing.length > 0 ? [`k-slices ${showKs(missing)} missing`] : []),
    ...(repeated.length > 0 ? [`k-slices ${showKs(repeated)} repeated`] : []),
  ].join(', ')
}

const refuted = (text: string): Provenance => ({ proved: false, inOrder: false, text })

/** The write and the element of it that each cell of a tensor holds at the end; null where nothing was written. */
const cellsOf = (
  s: State,
  t: LoggedTensor,
): ((
  address: number,
) => { readonly terms: Terms; readonly element: number; readonly site: number } | null) => {
  const live = s.writes[t.plane]!
  const bytes = bitsOf(t.dtype) / 8
  const size = s.header.planes[t.plane]!.bytes / bytes
  const writer = new Int32Array(size).fill(nobody)
  const element = new Int32Array(size)
  live.forEach((w, i) => {
    const whole = w.footprint.dtype === t.dtype
    addressesOf(s, w.footprint).forEach((a, e) => {
      if (a < 0) return
      writer[Math.floor(a / bytes)] = whole && a % bytes === 0 ? i : tail
      element[Math.floor(a / bytes)] = e
    })
  })
  return (address) => {
    const at = address / bytes
    const i = writer[at] ?? nobody
    return i < 0 ? null : { terms: live[i]!.terms, element: element[at]!, site: live[i]!.site }
  }
}

const matmul = (s: State, spec: Extract<Spec, { readonly _tag: 'matmul' }>): Provenance => {
  const named = (name: string): LoggedTensor | undefined => s.header.tensors.find((t) => t.name === name)
  const [a, b, out] = [named(spec.a), named(spec.b), named(spec.out)]
  if (a === undefined || b === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const K = a.shape[1]!
  const whole = [0, K]
  const bytes = bitsOf(out.dtype) / 8
  const cell = cellsOf(s, out)
  const [rows, columns] = [out.shape[0]!, out.shape[1]!]
  let inOrder = true
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const by = (site: number): string =>
        `${out.name}[${String(i)}, ${String(j)}], written by ${siteName(s, site)},`
      const found = cell((i * out.strides[0]! + j * out.strides[1]!) * bytes)
      if (found === null) return refuted(`${out.name}[${String(i)}, ${String(j)}] is never written`)
      const { terms, element } = found
      if (terms._tag === 'other') return refuted(`${by(found.site)} ${terms.why}`)
      if (terms._tag === 'zero') return refuted(`${by(found.site)} is zero: no product was added`)
      if (terms._tag === 'input')
        return refuted(`${by(found.site)} is an element of ${s.header.planes[terms.plane]!.name}`)
      if (terms.a !== a.plane || terms.b !== b.plane)
        return refuted(`${by(found.site)} multiplies other tensors`)
      if (terms.rows[element] !== i || terms.columns[element] !== j)
        return refuted(
          `${by} is the sum for row ${String(terms.rows[element])} and column ${String(terms.columns[element])}`,
        )
      if (sameList(terms.ks, whole)) continue
      const sorted = ascending(terms.ks)
      if (!sameList(sorted, whole)) return refuted(`${by(found.site)} has ${against(sorted, K)}`)
      inOrder = false
    }
  return {
    proved: true,
    inOrder,
    text: `${out.name} = ${a.name} @ ${b.name} for all inputs of shape (${a.shape.join(', ')}) x (${b.shape.join(', ')}): each of the ${String(rows * columns)} elements is the sum over its row and column, every k of 0:${String(K)} exactly once${inOrder ? ', added in ascending order' : ''}`,
  }
}

const copy = (s: State, spec: Extract<Spec, { readonly _tag: 'copy' }>): Provenance => {
  const from = s.header.tensors.find((t) => t.name === spec.from)
  const out = s.header.tensors.find((t) => t.name === spec.out)
  if (from === undefined || out === undefined)
    return refuted('the program names tensors that it does not have')
  const size = out.shape.reduce((n, d) => n * d, 1)
  const bytes = bitsOf(out.dtype) / 8
  const addressOf = (t: LoggedTensor, flat: number): number => {
    let rest = flat
    let at = 0
    for (let d = t.shape.length - 1; d >= 0; d--) {
      at += (rest % t.shape[d]!) * t.strides[d]!
      rest = Math.floor(rest / t.shape[d]!)
    }
    return at * bytes
  }
  const cell = cellsOf(s, out)
  for (let e = 0; e < size; e++) {
    const found = cell(addressOf(out, e))
    if (found === null) return refuted(`element ${String(e)} of ${out.name} is never written`)
    const { terms, element } = found
    if (terms._tag !== 'input')
      return refuted(`element ${String(e)} of ${out.name} is not an element of an input`)
    if (terms.plane !== from.plane || terms.addresses[element] !== addressOf(from, e))
      return refuted(
        `element ${String(e)} of ${out.name} is another element of ${s.header.planes[terms.plane]!.name}`,
      )
  }
  return {
    proved: true,
    inOrder: true,
    text: `${out.name} = ${from.name} for all inputs: each of the ${String(size)} elements is copied once`,
  }
}

/** Tile provenance as a fold; null when the program does not say what it computes. */
export const provenance: Fold<State, Provenance | null> = {
  init: (header) => ({
    header,
    writes: header.planes.map(() => []),
    values: new Map(),
    carrying: new Map(),
    mmas: new Map(),
    addresses: new Map(),
    relations: new Map(),
  }),
  observe,
  finish: (s) => {
    const spec = s.header.computes
    return spec === null ? null : spec._tag === 'matmul' ? matmul(s, spec) : copy(s, spec)
  },
}

export type { State as ProvenanceState }
