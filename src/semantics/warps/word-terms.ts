/**
 * Word terms: what each word of a register has been computed from.
 *
 * In a run that asks whether two stores store one value, every word has beside its bits a term (`machine/ledger.ts`). An operation of a lane makes a term of its
 * name and of those of its words; one of the whole warp, as a product, of those of all lanes. A word that no data has made is the same for all inputs, and its
 * term is its value: warps come to one address by different sums.
 *
 *     ld.global.b32 %r1, [x]      contents of x, word 0
 *     mov.u32 %r2, %tid.x         0: the number that it is
 *     add.f32 %r3, %r1, %r1       add.f32(that, that)
 *     @%p1 st.shared [s], %r3     stored; if data decided %p1, that it did is stored with it
 *
 * What data has decided is a term as well, the lane's *path*: the conditions of its branches. A word that is stored carries the path
 * on, so that what a lane stores because of one number is not taken for what another stores because of another. A constant of the text is the same whatever has led
 * to its store. Predicate and address of a load or a store decide no more than the words that it moves: they are its *way*, and go with those words alone. So lanes that load
 * different parts of what a number points to, and sum them by a butterfly, hold one sum.
 *
 * Laws
 * 1. in two runs of one program that differ in their inputs and come the same way, words with one term in the one are equal in the other.
 * 2. an operation that reads no data makes no term.
 * 3. exchanging operands of an operation that is symmetric makes the same term (`numerics/scalar/symmetry.ts`): all lanes of a butterfly hold one sum.
 *
 * 4. words that are put together and taken apart keep their terms.
 *
 * To add an operation: its name in `nameOf`, if what it leaves in a lane depends on that lane alone; else it is one of the whole warp.
 */
import { unreachable } from '../../failure.js'
import { doingOf, isSymmetric, scalarOperation, wordsOf } from '../../numerics/scalar/index.js'
import { applied } from '../../numerics/terms.js'
import type { StoredFrom } from '../log/events.js'
import {
  another,
  before,
  blank,
  byteTerms,
  constant,
  joined,
  numberOf,
  type Ledger,
} from '../machine/ledger.js'
import type { WordTerms } from '../machine/warp-stand.js'
import { sourceLane } from './lanes.js'
import type { Operation, Place, Row, Silent } from './program.js'
import { forget, lowest, wordAt, type Rows } from './rows.js'
import { usesOf } from './uses.js'

// ---------------------------------------------------------------- model

export const wordTerms = (
  rows: number,
  predicates: number,
  constants: ReadonlySet<Row>,
  ledger: Ledger,
): WordTerms => ({
  _tag: 'terms',
  words: new Float64Array(rows * 32),
  lanes: new Int32Array(rows),
  predicates: new Float64Array(predicates * 32),
  path: new Float64Array(32),
  way: new Float64Array(32),
  constants,
  ledger,
})

const hasTerm = (t: WordTerms, place: Place, lane: number): boolean =>
  place >= 0 ? (t.lanes[place]! & (1 << lane)) !== 0 : t.predicates[32 * (-1 - place) + lane] !== 0

export const setTerm = (t: WordTerms, place: Place, lane: number, term: number): void => {
  if (place < 0) {
    t.predicates[32 * (-1 - place) + lane] = term
    return
  }
  t.lanes[place] = term === 0 ? t.lanes[place]! & ~(1 << lane) : t.lanes[place]! | (1 << lane)
  t.words[32 * place + lane] = term
}

/** The term of what a place holds, also of what no data has made. What holds nothing is like nothing. */
const termOf = (r: Rows, t: WordTerms, place: Place, lane: number): number => {
  const bit = 1 << lane
  const unknown = place >= 0 ? r.unknown[place]! : r.unknownPredicates[-1 - place]!
  if ((unknown & bit) !== 0) return another(t.ledger)
  if (place >= 0)
    return (t.lanes[place]! & bit) !== 0 ? t.words[32 * place + lane]! : constant(wordAt(r, place, lane))
  const term = t.predicates[32 * (-1 - place) + lane]!
  return term !== 0 ? term : constant((r.predicates[-1 - place]! >>> lane) & 1)
}

// ---------------------------------------------------------------- operations

/** What a lane computes by itself, in words; null: it is an operation of the warp. */
const nameOf = (o: Silent): string | null => {
  switch (o._tag) {
    case 'scalar':
      return o.name
    case 'part':
      return `part ${String(o.at)} ${String(o.bits)}`
    case 'pack':
      return `pack ${String(o.bits)}`
    case 'predicate':
      return `${o.op} ${o.from.map(({ negated }) => (negated ? '!' : '')).join()}`
    case 'move':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'transposeMatrix':
    case 'multiply':
    case 'wholeWarp':
    case 'shuffle':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes':
      return null
  }
}

/** Words of an operand of those whose first two may be exchanged; 0: they may not. */
const symmetryOf = (o: Operation): number => {
  const row = o._tag === 'scalar' ? scalarOperation(o.name) : undefined
  return row !== undefined && isSymmetric(row) ? wordsOf(row.operands[0]!) : 0
}

/** Terms of operands, the first two in an order that does not depend on where they stand. */
const inOrder = (terms: ReadonlyArray<number>, words: number): ReadonlyArray<number> => {
  let k = 0
  while (k < words && terms[k] === terms[words + k]) k++
  return k === words || terms[k]! < terms[words + k]!
    ? terms
    : [...terms.slice(words, 2 * words), ...terms.slice(0, words), ...terms.slice(2 * words)]
}

type Applied = ReturnType<typeof applied>
const named = new WeakMap<Operation, ReadonlyArray<Applied> | null>()

/** Of each result of an operation of a lane, what makes its term. */
const resultsOf = (o: Silent): ReadonlyArray<Applied> | null => {
  const known = named.get(o)
  if (known !== undefined) return known
  const name = nameOf(o)
  const made = name === null ? null : usesOf(o).writes.map((_, k) => applied(`${name} ${String(k)}`))
  named.set(o, made)
  return made
}

/** Products of one kind are one operation wherever they stand; of others each is its own. */
const nameOfWarp = (t: WordTerms, o: Operation): Applied =>
  applied(
    o._tag === 'multiply'
      ? JSON.stringify([
          o.product,
          o.layouts,
          o.sparsity === null ? null : [o.sparsity.selector, o.sparsity.order],
        ])
      : `of the warp ${String(numberOf(t.ledger, o))}`,
  )
const inLane = applied('in a lane')
const shown = applied('of another lane')
const stored = applied('behind what was decided')

/** Results of a scalar operation that are dropped have no place among its writes. */
const laneByLane = (
  r: Rows,
  t: WordTerms,
  o: Operation,
  results: ReadonlyArray<Applied>,
  mask: number,
): void => {
  const { reads, writes } = usesOf(o)
  const symmetry = symmetryOf(o)
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const isData = reads.some((p) => hasTerm(t, p, lane))
    const chosen = isData ? chosenBy(r, t, o, lane) : null
    const moved = isData ? movedBy(r, t, o, lane) : null
    const from = isData && chosen === null && moved === null ? reads.map((p) => termOf(r, t, p, lane)) : []
    const terms = writes.map((_, k) =>
      !isData
        ? 0
        : moved !== null
          ? moved[k]!
          : chosen !== null
            ? hasTerm(t, chosen[k]!, lane)
              ? termOf(r, t, chosen[k]!, lane)
              : 0
            : results[k]!(symmetry === 0 ? from : inOrder(from, symmetry)),
    )
    writes.forEach((p, k) => {
      setTerm(t, p, lane, terms[k]!)
    })
    const bits = isData && moved === null ? sideBySide(o) : null
    if (bits !== null) t.ledger.apart.set(terms[0]!, { bits, words: reads.map((p) => termIn(r, t, p, lane)) })
  }
}

/** How wide the narrow words are that an operation puts side by side; null: it does another thing. */
const sideBySide = (o: Operation): number | null =>
  o._tag === 'pack' ? o.bits : o._tag === 'scalar' && o.name === 'cvt.u32.u16' ? 16 : null

/** The narrow word that is taken out of those side by side. */
const takenOut = (t: WordTerms, from: number, at: number, bits: number): ReadonlyArray<number> | null => {
  const apart = t.ledger.apart.get(from)
  const word = apart?.bits === bits ? apart.words[at / bits] : undefined
  return word === undefined ? null : [word]
}

/** The term of a word, or 0: no data has made it. */
export const termIn = (r: Rows, t: WordTerms, place: Place, lane: number): number =>
  hasTerm(t, place, lane) ? termOf(r, t, place, lane) : 0

/** What of two words is one of them, or nothing of data; null: it is made of both. */
const oneOf = (r: Rows, t: WordTerms, op: 'or' | 'and', x: Place, y: Place, lane: number): number | null => {
  if (!hasTerm(t, x, lane) && !hasTerm(t, y, lane)) return 0
  for (const [one, other] of [
    [x, y],
    [y, x],
  ] as const) {
    if (one < 0 || hasTerm(t, one, lane) || (r.unknown[one]! & (1 << lane)) !== 0) continue
    const word = wordAt(r, one, lane)
    if (word === (op === 'or' ? 0 : -1)) return termIn(r, t, other, lane)
    if (op === 'and' && word === 0) return 0
  }
  return null
}

/**
 * What puts words together and takes them apart is a move of each, by whatever name. Null: it is another operation.
 *
 *     mov.b64 %rd1, {x, y}                                                            words x and y
 *     cvt.u64.u32 %rd1, x; cvt.u64.u32 %rd2, y; shl.b64 %rd2, %rd2, 32; or.b64 %rd1, %rd1, %rd2      the same
 *     cvt.u32.u16 %r1, h; shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; cvt.u16.u32 %rs1, %r2              h of the other lane
 */
const movedBy = (r: Rows, t: WordTerms, o: Operation, lane: number): ReadonlyArray<number> | null => {
  if (o._tag === 'part') return takenOut(t, termIn(r, t, o.from, lane), o.at, o.bits)
  if (o._tag !== 'scalar') return null
  const does = doingOf(o.name)
  if (does._tag === 'computes' && does.op === 'fma') return ofExactProduct(r, t, o, lane)
  const term = (k: number): number => termIn(r, t, o.from[k]!, lane)
  const shift = o.from[2]
  const isHalf =
    shift !== undefined && shift >= 0 && !hasTerm(t, shift, lane) && wordAt(r, shift, lane) === 32
  switch (o.name) {
    case 'cvt.u16.u32':
      return takenOut(t, term(0), 0, 16)
    case 'cvt.u64.u32':
      return [term(0), 0]
    case 'shl.b64':
      return isHalf ? [0, term(0)] : null
    case 'shr.u64':
    case 'shr.b64':
      return isHalf ? [term(1), 0] : null
    case 'or.b64':
    case 'xor.b64':
    case 'and.b64': {
      const op = o.name === 'and.b64' ? 'and' : 'or'
      const [low, high] = [0, 1].map((k) => oneOf(r, t, op, o.from[k]!, o.from[2 + k]!, lane))
      return low == null || high == null ? null : [low, high]
    }
    default:
      return null
  }
}

/** Factors whose product with anything is exact: zeros and ones of both signs. */
const singles: ReadonlySet<number> = new Set([0, 0x80000000, 0x3f800000, 0xbf800000])
const halves: ReadonlySet<number> = new Set([0, 0x8000, 0x3c00, 0xbc00])

interface Sum {
  readonly factors: ReadonlySet<number>
  readonly product: Applied
  readonly sum: Applied
}
const sums = new Map<string, Sum>(
  ['f32', 'ftz.f32', 'f16'].map((type) => [
    `fma.rn.${type}`,
    {
      factors: type === 'f16' ? halves : singles,
      product: applied(`mul.${type} 0`),
      sum: applied(`add.${type} 0`),
    },
  ]),
)

/**
 * A product that is exact is rounded once, with its sum or by itself: lanes of which one sums its own product and the other's, and the other the other way about, hold one sum.
 *
 *     mul.f32 %r2, %r1, w;  shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;  fma.rn.f32 %r4, %r1, w, %r3        %r1 is 1 in one lane and 0 in the other
 */
const ofExactProduct = (
  r: Rows,
  t: WordTerms,
  o: Extract<Operation, { readonly _tag: 'scalar' }>,
  lane: number,
): ReadonlyArray<number> | null => {
  const found = sums.get(o.name)
  const [a, b, c] = o.from
  if (found === undefined || a === undefined || b === undefined || c === undefined) return null
  const [factor, other] = hasTerm(t, a, lane) ? [b, a] : [a, b]
  const isExact =
    !hasTerm(t, factor, lane) &&
    hasTerm(t, other, lane) &&
    (r.unknown[factor]! & (1 << lane)) === 0 &&
    found.factors.has(wordAt(r, factor, lane) >>> 0)
  if (!isExact) return null
  const product = found.product(inOrder([termOf(r, t, a, lane), termOf(r, t, b, lane)], 1))
  return [found.sum(inOrder([product, termOf(r, t, c, lane)], 1))]
}

/** A choice that no data decides is a move. */
const chosenBy = (r: Rows, t: WordTerms, o: Operation, lane: number): ReadonlyArray<Place> | null => {
  if (o._tag !== 'scalar' || doingOf(o.name)._tag !== 'chooses') return null
  const by = o.from[o.from.length - 1]!
  if (hasTerm(t, by, lane) || o.to.some((to) => to === null)) return null
  const holds = by >= 0 ? wordAt(r, by, lane) !== 0 : ((r.predicates[-1 - by]! >>> lane) & 1) === 1
  const half = (o.from.length - 1) / 2
  return o.from.slice(holds ? 0 : half, holds ? half : 2 * half)
}

const whole = (r: Rows, t: WordTerms, o: Operation, mask: number): void => {
  const { reads, writes } = usesOf(o)
  let isData = false
  for (let m = mask; m !== 0 && !isData; m &= m - 1)
    isData = reads.some((p) => hasTerm(t, p, lowest(m))) || t.path[lowest(m)] !== 0
  const all = [mask]
  if (isData)
    for (let m = mask; m !== 0; m &= m - 1) {
      all.push(t.path[lowest(m)]!)
      for (const p of reads) all.push(termOf(r, t, p, lowest(m)))
    }
  const term = isData ? nameOfWarp(t, o)(all.map((x) => (x < 0 ? x + 2 ** 32 : x))) : 0
  for (let m = mask; m !== 0; m &= m - 1)
    writes.forEach((p, k) => {
      setTerm(t, p, lowest(m), isData ? inLane([term, lowest(m), k]) : 0)
    })
}

const shuffle = (
  r: Rows,
  t: WordTerms,
  o: Extract<Operation, { readonly _tag: 'shuffle' }>,
  mask: number,
): void => {
  const isPlain = (row: Row): boolean => (t.lanes[row]! & mask) === 0
  if (![o.lane, o.clamp, ...(o.members === null ? [] : [o.members])].every(isPlain)) {
    whole(r, t, o, mask)
    return
  }
  const terms: number[] = []
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    const from = sourceLane(o.mode, lane, wordAt(r, o.lane, lane), wordAt(r, o.clamp, lane)).lane
    const path = t.path[from]!
    const isData = hasTerm(t, o.value, from)
    terms[lane] =
      // a lane that has come the same way carries that on itself
      path !== 0 && path !== t.path[lane]
        ? shown([path, termOf(r, t, o.value, from)])
        : isData
          ? termOf(r, t, o.value, from)
          : 0
  }
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (o.to !== null) setTerm(t, o.to, lane, terms[lane]!)
    if (o.inRange !== null) setTerm(t, -1 - o.inRange, lane, 0)
  }
}

/** A silent operation that is about to be done. */
export const follow = (r: Rows, t: WordTerms, o: Silent, mask: number): void => {
  switch (o._tag) {
    case 'move':
      for (let m = mask; m !== 0; m &= m - 1) {
        const lane = lowest(m)
        const terms = o.from.map((row) => (hasTerm(t, row, lane) ? termOf(r, t, row, lane) : 0))
        o.to.forEach((row, k) => {
          setTerm(t, row, lane, terms[k]!)
        })
      }
      return
    case 'shuffle':
      shuffle(r, t, o, mask)
      return
    case 'scalar':
    case 'part':
    case 'pack':
    case 'predicate':
    case 'setPredicate':
    case 'activeLanes':
    case 'mbarrierPending':
    case 'transposeMatrix':
    case 'multiply':
    case 'wholeWarp':
    case 'vote':
    case 'match':
    case 'reduce':
    case 'elect':
    case 'meetLanes': {
      const results = resultsOf(o)
      if (results === null) whole(r, t, o, mask)
      else laneByLane(r, t, o, results, mask)
      return
    }
    default:
      unreachable(o)
  }
}

const ofTwo = applied('one of two')

/** The lanes in which data have decided whether a predicate holds. */
export const ofDataIn = (t: WordTerms, predicate: number, mask: number): number => {
  let lanes = 0
  for (let m = mask; m !== 0; m &= m - 1) if (t.predicates[32 * predicate + lowest(m)] !== 0) lanes |= m & -m
  return lanes
}

/** The term of one of two words, by the term of a condition (0: unknown). A word has a term, or is a number. */
export const chosen = (
  t: WordTerms,
  condition: number,
  [yes, no]: ReadonlyArray<readonly [term: number, word: number]>,
  unknown: ReadonlyArray<boolean>,
): number => {
  const terms = [yes!, no!].map(([term, word], k) =>
    unknown[k]! ? another(t.ledger) : term !== 0 ? term : constant(word),
  )
  if (terms[0] === terms[1]) return yes![0]
  return condition === 0 ? another(t.ledger) : ofTwo([condition, ...terms])
}

const decided = applied('decided')

/** These places decide what the lanes of `mask` do next. */
export const decide = (
  r: Rows,
  t: WordTerms,
  places: ReadonlyArray<Place>,
  mask: number,
  site: number,
): void => {
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (places.some((p) => hasTerm(t, p, lane)))
      t.path[lane] = decided([t.path[lane]!, site, ...places.map((p) => termOf(r, t, p, lane))])
  }
}

/** An access begins: nothing has led these lanes to it yet. */
export const begin = (t: WordTerms, mask: number): void => {
  for (let m = mask; m !== 0; m &= m - 1) t.way[lowest(m)] = 0
}

/** These places lead the lanes of `mask` to an access that moves words; what an address has come from is all that it says, and a predicate is that of a site. */
export const lead = (
  r: Rows,
  t: WordTerms,
  places: ReadonlyArray<Place>,
  mask: number,
  site: number | null,
): void => {
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (places.some((p) => hasTerm(t, p, lane)))
      t.way[lane] = decided([t.way[lane]!, site ?? -1, ...places.map((p) => termOf(r, t, p, lane))])
  }
}

/** What has led these lanes to an access, for each of `words` words of theirs; null: nothing has. */
export const waysOf = (t: WordTerms, lanes: ReadonlyArray<number>, words: number): Float64Array | null =>
  lanes.some((lane) => t.way[lane] !== 0)
    ? Float64Array.from({ length: lanes.length * words }, (_, at) => t.way[lanes[Math.floor(at / words)]!]!)
    : null

const led = applied('led to')

/** What these places hold is there because of the way: it was loaded by it, or the lanes were left out of the load. */
export const cameByWay = (r: Rows, t: WordTerms, places: ReadonlyArray<Place>, mask: number): void => {
  for (let m = mask; m !== 0; m &= m - 1) {
    const lane = lowest(m)
    if (t.way[lane] !== 0)
      for (const p of places) setTerm(t, p, lane, led([t.way[lane]!, termOf(r, t, p, lane)]))
  }
}

// ---------------------------------------------------------------- to and from memory

const narrow = applied('a narrow word')

/** What the ledger has laid down comes into the registers, as `Origins.received` has it. */
export const received = (
  r: Rows,
  t: WordTerms,
  lanes: ReadonlyArray<number>,
  to: ReadonlyArray<Row | null>,
  bytes: number,
  signed: boolean,
): void => {
  const { incoming } = t.ledger
  lanes.forEach((lane, i) => {
    to.forEach((row, k) => {
      if (row === null) return
      const at = (i * to.length + k) * bytes
      const term =
        incoming === null || at + bytes > incoming.terms.length
          ? another(t.ledger)
          : joined(incoming, at, bytes)
      if (term === blank) empty(r, t, row, lane)
      else {
        setTerm(t, row, lane, term === 0 || bytes === 4 ? term : narrow([term, signed ? 1 : 0]))
        cameByWay(r, t, [row], 1 << lane)
      }
    })
  })
}

/** A register holds nothing. */
const empty = (r: Rows, t: WordTerms, row: Row, lane: number): void => {
  forget(r, row, 1 << lane)
  setTerm(t, row, lane, 0)
}

/** Each word is made of four fields, each of two bytes that were read: it holds nothing if one of these is blank. */
export const receivedFields = (
  r: Rows,
  t: WordTerms,
  lanes: ReadonlyArray<number>,
  to: ReadonlyArray<Row>,
): void => {
  const found = t.ledger.incoming?.terms
  lanes.forEach((lane, i) => {
    to.forEach((row, k) => {
      const at = 8 * (i * to.length + k)
      if (found?.subarray(at, at + 8).includes(blank) === true) empty(r, t, row, lane)
      else setTerm(t, row, lane, another(t.ledger))
    })
  })
}

export const receivedRows = (r: Rows, t: WordTerms, to: ReadonlyArray<Row>): void => {
  const { incoming } = t.ledger
  to.forEach((row, i) => {
    for (let lane = 0; lane < 32; lane++) {
      const term = incoming === null ? another(t.ledger) : joined(incoming, 128 * i + 4 * lane, 4)
      if (term === blank) empty(r, t, row, lane)
      else setTerm(t, row, lane, term)
    }
  })
}

/** These rows hold words that are the same for all inputs, or of which nothing can be said. */
export const filled = (t: WordTerms, to: ReadonlyArray<Row | null>, mask: number, isData: boolean): void => {
  for (const row of to)
    if (row !== null)
      for (let m = mask; m !== 0; m &= m - 1) setTerm(t, row, lowest(m), isData ? another(t.ledger) : 0)
}

export const settled = (t: WordTerms, predicate: number, mask: number): void => {
  for (let m = mask; m !== 0; m &= m - 1) setTerm(t, -1 - predicate, lowest(m), 0)
}

/** The word of a lane is `bytes` of a plane that nothing writes. */
export const isConstant = (
  r: Rows,
  t: WordTerms,
  row: Row,
  lane: number,
  plane: number,
  at: number,
  bytes: number,
  signed: boolean,
): void => {
  const word = before(plane, at)
  const term = bytes === 4 ? word : narrow([word, at & 3, bytes, signed ? 1 : 0])
  setTerm(t, row, lane, term)
  cameByWay(r, t, [row], 1 << lane)
}

/** Words that lanes write, `bytes` of each, as `Origins.originOf` has them. */
export const originOf = (
  r: Rows,
  t: WordTerms,
  from: ReadonlyArray<Row>,
  lanes: ReadonlyArray<number>,
  bytes: number,
): StoredFrom => {
  const out = byteTerms(lanes.length * from.length * bytes)
  lanes.forEach((lane, i) => {
    from.forEach((row, k) => {
      enter(r, t, row, lane, bytes, out, (i * from.length + k) * bytes)
    })
  })
  return { _tag: 'terms', stored: out }
}

export const originOfRows = (r: Rows, t: WordTerms, from: ReadonlyArray<Row>): StoredFrom => {
  const out = byteTerms(from.length * 128)
  from.forEach((row, i) => {
    for (let lane = 0; lane < 32; lane++) enter(r, t, row, lane, 4, out, 128 * i + 4 * lane)
  })
  return { _tag: 'terms', stored: out }
}

const enter = (
  r: Rows,
  t: WordTerms,
  row: Row,
  lane: number,
  bytes: number,
  out: ReturnType<typeof byteTerms>,
  at: number,
): void => {
  const [path, way] = [t.path[lane]!, t.way[lane]!]
  const isUnknown = (r.unknown[row]! & (1 << lane)) !== 0
  const term =
    isUnknown && t.ledger.blanks
      ? blank
      : (path !== 0 || way !== 0) && !t.constants.has(row)
        ? stored([path, way, termOf(r, t, row, lane)])
        : isUnknown || hasTerm(t, row, lane)
          ? termOf(r, t, row, lane)
          : 0
  const word = wordAt(r, row, lane)
  for (let b = 0; b < bytes; b++) {
    out.terms[at + b] = term
    out.index[at + b] = term === 0 ? (word >>> (8 * b)) & 0xff : b
  }
}
