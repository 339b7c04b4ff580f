/**
 * What of a program of warps may depend on how fast agents are (C1), and where.
 *
 * Control depends on the values that a warp is given. Those are the same in every schedule, but for what looks at the progress of others. Whether such a value decides
 * anything is asked of the text: registers to a fixpoint, backwards from what decides.
 *
 *     atom.add %r1, [c], 1;   setp.eq %p1, %r1, 5;   @%p1 bra last        %r1 decides: %p1 does, a branch
 *     atom.add %r1, [c], 1;   (nothing reads %r1)                         it does not
 *
 * | what decides                                  | because                                          |
 * |-----------------------------------------------|--------------------------------------------------|
 * | a guard, an index of a branch                 | it is control                                    |
 * | an address, a value that is stored, a barrier, its count | it is where and what                  |
 * | what a row is computed from that decides      | it is carried on                                 |
 *
 * | what looks                                    | if it decides                                    |
 * |-----------------------------------------------|--------------------------------------------------|
 * | a test of an mbarrier that is no peek         | C1 fails                                         |
 * | a clock, a multiprocessor                     | C1 fails if more depends on it than what memory holds |
 * | the same, where memory holds it               | `verdict/hardware.ts` follows it                 |
 * | what an arrival at an mbarrier was told, but for a wait for its phase | C1 fails: it says how many were missing, so who came before |
 * | a strong load, an atomic                      | C1 fails in a run where a write of the word is in no order with it (`judging/detector/strong.ts`) |
 *
 * Which lanes are active is no matter of other agents: in which order parted lanes go on, and where they meet, is fixed (`machine/warp-stand.ts`). On a chip it is not, so where
 * `activemask` decides something (`asksWhoRuns`) a verdict asks other groups of lanes, too, and where an election does (`elects`), another lane (`verdict/who-runs.ts`).
 *
 * Bytes of local memory whose address the text says, as those of parameters of a call, are places of their own, what is at addresses in registers is anywhere there: what is
 * stored decides where something that is loaded from there does. A generic address may be of it, too: no event tells of local memory. What a call of the system prints decides nothing.
 *
 * Law 1. A value that is read by nothing decides nothing.
 *
 * Source: PTX ISA, memory consistency model; special registers.
 */
import { doingOf } from '../../numerics/scalar/index.js'
import { remembered } from '../../remembered.js'
import type { Handed, HardwareValues } from '../machine/front.js'
import {
  ofPredicate,
  type Address,
  type Instruction,
  type Operation,
  type Place,
  type WarpProgram,
  type Width,
} from './program.js'
import { usesOf } from './uses.js'

/** Bytes of local memory, from one to another; null: any. */
type Bytes = readonly [from: number, to: number] | null

/** A generic address may be of local memory, and of any byte of it. */
const bytesOf = ({ space, rows, offset }: Address, { bytes, count }: Width): Bytes =>
  space === 'generic' || rows.length > 0 ? null : [offset, offset + bytes * count]
const mayBeLocal = ({ space }: Address, hasLocal: boolean): boolean =>
  space === 'local' || (hasLocal && space === 'generic')
const hasLocal = ({ localBytes }: WarpProgram): boolean => localBytes > 0
const meet = (a: Bytes, b: Bytes): boolean => a === null || b === null || (a[0] < b[1] && b[0] < a[1])

/**
 * The places whose values decide something; `kept`: what memory holds is something; `phases`: so is for which phase of an mbarrier is waited. What is stored at a generic address may come
 * back from local memory, if there is any (`local`), and no event tells of it.
 */
const placesOf = (
  code: ReadonlyArray<Instruction>,
  kept: boolean,
  local: boolean,
  phases: boolean = true,
): ReadonlySet<Place> => {
  const places = new Set<Place>()
  const loaded = new Map<string, Bytes>()
  const add = (place: Place): boolean => {
    if (places.has(place)) return false
    places.add(place)
    return true
  }
  for (let grew = true; grew;) {
    grew = false
    for (const { operation: o, guard } of code) {
      const { reads, writes, computes, kept: only } = usesOf(o)
      const toLocal = o._tag === 'store' && o.into.space === 'local'
      const isFound =
        o._tag === 'store' &&
        mayBeLocal(o.into, local) &&
        [...loaded.values()].some((there) => meet(there, bytesOf(o.into, o.width)))
      const matters = computes ? writes.some((w) => places.has(w)) : !toLocal || isFound
      if (toLocal) for (const row of o.into.rows) grew = add(row) || grew
      if (!matters) continue
      const phase = !phases && o._tag === 'mbarrierWait' ? (o.state ?? []) : []
      const without = kept || isFound ? phase : [...phase, ...only]
      for (const place of reads) grew = (!without.includes(place) && add(place)) || grew
      if (guard !== null) grew = add(ofPredicate(guard.predicate)) || grew
      if (o._tag === 'load' && mayBeLocal(o.from, local) && writes.some((w) => places.has(w))) {
        const there = bytesOf(o.from, o.width)
        const key = there === null ? '' : there.join()
        if (!loaded.has(key)) {
          loaded.set(key, there)
          grew = true
        }
      }
    }
  }
  return places
}

/** The places whose values decide something. */
export const decidingIn: (code: ReadonlyArray<Instruction>) => ReadonlySet<Place> = remembered((code) =>
  placesOf(code, true, true),
)

/** Those whose values decide more than what memory holds: a branch, an address, a barrier. */
const controllingIn: (p: WarpProgram) => ReadonlySet<Place> = remembered((p) =>
  placesOf(p.code, false, hasLocal(p)),
)

/** Bytes of memory that something is stored to, or loaded from; of other than local memory any. */
interface Held {
  readonly space: Address['space']
  readonly bytes: Bytes
}
const heldAt = (a: Address, width: Width): Held => ({
  space: a.space,
  bytes: a.space === 'local' ? bytesOf(a, width) : null,
})
const shares = (a: Held, b: Held): boolean =>
  a.space === 'generic' || b.space === 'generic' || (a.space === b.space && meet(a.bytes, b.bytes))

/** Places whose values come from these, through lanes and through memory (or none but that of a thread), each with what it comes from. */
const comingFrom = (
  p: WarpProgram,
  first: ReadonlyMap<Place, string>,
  through: 'memory' | 'local memory' = 'memory',
): ReadonlyMap<Place, string> => {
  const isFollowed = (a: Address): boolean => through === 'memory' || mayBeLocal(a, hasLocal(p))
  const names = new Map(first)
  const held = new Map<string, { readonly there: Held; readonly name: string }>()
  const give = (places: ReadonlyArray<Place>, name: string): boolean => {
    let grew = false
    for (const place of places) {
      if (names.has(place)) continue
      names.set(place, name)
      grew = true
    }
    return grew
  }
  for (let grew = true; grew;) {
    grew = false
    for (const { operation: o, guard } of p.code) {
      const { reads, writes, computes } = usesOf(o)
      if (computes) {
        const all = guard === null ? reads : [...reads, ofPredicate(guard.predicate)]
        const name = all.flatMap((place) => names.get(place) ?? [])[0]
        if (name !== undefined) grew = give(writes, name) || grew
      } else if (o._tag === 'store') {
        if (!isFollowed(o.into)) continue
        const name = o.value.flat().flatMap((place) => names.get(place) ?? [])[0]
        const there = heldAt(o.into, o.width)
        const key = `${there.space} ${there.bytes?.join() ?? ''}`
        if (name === undefined || held.has(key)) continue
        held.set(key, { there, name })
        grew = true
      } else if (o._tag === 'load') {
        if (!isFollowed(o.from)) continue
        const there = heldAt(o.from, o.width)
        const from = [...held.values()].find((one) => shares(one.there, there))
        if (from !== undefined) grew = give(writes, from.name) || grew
      }
    }
  }
  return names
}

const unspecifiedGivens = ({ givens }: WarpProgram): ReadonlyMap<Place, string> =>
  new Map(givens.flatMap(({ row, given: g }) => (g._tag === 'unspecified' ? [[row, g.name] as const] : [])))

/** Places whose values come from what may be anything (a clock, a multiprocessor), and its name. */
export const unspecifiedIn: (p: WarpProgram) => ReadonlyMap<Place, string> = remembered((p) =>
  comingFrom(p, unspecifiedGivens(p)),
)

/** Sites that put values of these places into memory. */
const keepingIn = ({ code }: WarpProgram, from: ReadonlyMap<Place, string>): ReadonlyMap<number, string> =>
  new Map(
    code.flatMap(({ operation: o, site }) => {
      if (o._tag === 'store' && o.into.space === 'local') return []
      const { reads, computes } = usesOf(o)
      const name = computes ? undefined : reads.flatMap((place) => from.get(place) ?? [])[0]
      return name === undefined ? [] : [[site, name] as const]
    }),
  )

/**
 * Where what may be anything goes from registers into memory, and on from there.
 *
 *     mov.u32 %r1, %smid;   st.global.u32 [y], %r1     the store keeps %smid; what a load of these bytes hands on, is asked of the load
 */
export const hardwareIn: (p: WarpProgram) => HardwareValues = remembered((p) => {
  const kept = keepingIn(p, comingFrom(p, unspecifiedGivens(p), 'local memory'))
  const handed = new Map<number, Handed>()
  const handsOn = (site: number): Handed => {
    const known = handed.get(site)
    if (known !== undefined) return known
    const found = p.code.flatMap((one) => {
      if (one.site !== site) return []
      const { writes, flight } = usesOf(one.operation)
      return flight === null ? writes : [...writes, ...flight.updates, ...flight.brings]
    })
    const from = comingFrom(p, new Map(found.map((place) => [place, ''])), 'local memory')
    const places = controllingIn(p)
    const made: Handed = {
      kept: [...keepingIn(p, from).keys()],
      controls: [...from.keys()].some((place) => places.has(place)),
    }
    handed.set(site, made)
    return made
  }
  return { kept, handsOn }
})

const isBits = (o: Operation): boolean => {
  const does = o._tag === 'scalar' ? doingOf(o.name) : null
  return does?._tag === 'computes' && ['and', 'or'].includes(does.op) && does.type !== 'pred'
}
const addressOf = ({ space, rows, offset }: Address, { bytes }: Width): string =>
  `${space} ${rows.join('+')} ${String(offset)} ${String(bytes)}`

/**
 * Places whose values come from fields of bits: of such a word some bits may be written and others not.
 *
 *     ld.u8 %rs1, [x];   and.b16 %rs2, %rs1, -3;   or.b16 %rs3, %rs2, 2;   st.u8 [x], %rs3        writes bit 1 of the byte, and no other
 */
export const fieldsIn: (p: WarpProgram) => ReadonlyMap<Place, string> = remembered((p) => {
  const { code } = p
  // what was loaded from an address, and what an and or an or has made of it
  const loaded = new Map<Place, string>()
  const made = new Map<Place, string>()
  for (const { operation: o } of code)
    if (o._tag === 'load' && o.width.bytes * o.width.count <= 4)
      for (const w of usesOf(o).writes) loaded.set(w, addressOf(o.from, o.width))
  for (let grew = true; grew;) {
    grew = false
    for (const { operation: o } of code) {
      const { reads, writes, computes } = usesOf(o)
      if (!computes) continue
      const of = (isBits(o) ? reads.flatMap((r) => loaded.get(r) ?? []) : [])[0]
      const from = of ?? reads.flatMap((r) => made.get(r) ?? [])[0]
      if (from === undefined) continue
      for (const w of writes) {
        if (made.has(w)) continue
        made.set(w, from)
        grew = true
      }
    }
  }
  const fields = code.flatMap(({ operation: o }) =>
    o._tag === 'store' && o.value.flat().some((r) => made.get(r) === addressOf(o.into, o.width))
      ? [heldAt(o.into, o.width)]
      : [],
  )
  const first = new Map<Place, string>()
  for (const { operation: o } of code)
    if (o._tag === 'load') {
      const there = heldAt(o.from, o.width)
      if (fields.some((f) => shares(f, there)))
        for (const w of usesOf(o).writes) first.set(w, 'a field of bits')
    }
  return comingFrom(p, first)
})

/** The loads and atomics whose results decide something. */
export const decisive: (p: WarpProgram) => ReadonlySet<Operation> = remembered((p) => {
  const places = decidingIn(p.code)
  return new Set(
    p.code.flatMap(({ operation: o }) =>
      (o._tag === 'load' || o._tag === 'atomic') && usesOf(o).writes.some((w) => places.has(w)) ? [o] : [],
    ),
  )
})

const parts: ReadonlySet<Operation['_tag']> = new Set(['branch', 'branchIndexed', 'return', 'exit', 'trap'])

/** What comes of a result that decides more than what memory holds. */
export interface Controls {
  /** the site of the first branch behind it that depends on it; none: the sites end before */
  readonly from: number
  /** of a load its scalars of which nothing comes but what memory holds */
  readonly shows: ReadonlyArray<number>
}

/** Strong loads and atomics whose results decide more than what memory holds. */
export const controlling: (p: WarpProgram) => ReadonlyMap<Operation, Controls> = remembered((p) => {
  const places = controllingIn(p)
  return new Map(
    p.code.flatMap(({ operation: o }, i) => {
      // of plain loads it is not asked, and there are many
      if (o._tag !== 'atomic' && (o._tag !== 'load' || o.ordering === 'weak')) return []
      const { writes } = usesOf(o)
      if (!writes.some((w) => places.has(w))) return []
      const from = comingFrom(p, new Map(writes.map((w) => [w, ''])))
      const first = p.code.find(
        ({ operation, guard }, j) =>
          j > i &&
          parts.has(operation._tag) &&
          [...usesOf(operation).reads, ...(guard === null ? [] : [ofPredicate(guard.predicate)])].some((x) =>
            from.has(x),
          ),
      )
      const controls = (rows: ReadonlyArray<Place> | null): boolean =>
        rows?.some((row) => places.has(row)) === true
      const shows = o._tag === 'load' ? o.to.flatMap((rows, scalar) => (controls(rows) ? [] : [scalar])) : []
      return [[o, { from: first?.site ?? p.sites.length, shows }] as const]
    }),
  )
})

/** Sums of words of whose result the sign alone is used: waits compare it with that of a word, and nothing else reads it. */
export const signing: (p: WarpProgram) => ReadonlySet<Operation> = remembered(({ code }) => {
  if (code.some(({ operation: o }) => o._tag === 'call')) return new Set()
  const isSign = (o: Operation, row: Place): boolean =>
    o._tag === 'load' &&
    (o.until?.comparison === 'os' || o.until?.comparison === 'ss') &&
    !o.from.rows.includes(row)
  return new Set(
    code.flatMap(({ operation: o, guard }) => {
      if (o._tag !== 'atomic' || o.op !== 'add' || (o.type !== 's32' && o.type !== 'u32')) return []
      const [row] = o.to ?? []
      if (row === undefined || guard !== null) return []
      const readers = code.filter(({ operation }) => usesOf(operation).reads.includes(row))
      return readers.length > 0 && readers.every(({ operation }) => isSign(operation, row)) ? [o] : []
    }),
  )
})

/** Does it matter which lanes are found to run together? */
export const asksWhoRuns = (p: WarpProgram): boolean => {
  const places = decidingIn(p.code)
  return p.code.some(({ operation: o }) => o._tag === 'activeLanes' && places.has(o.to))
}

/** Does something depend on which lanes are elected? */
export const elects = (p: WarpProgram): boolean => {
  const places = decidingIn(p.code)
  return p.code.some(
    ({ operation: o }) => o._tag === 'elect' && usesOf(o).writes.some((place) => places.has(place)),
  )
}

/** Arrivals at mbarriers that are told how many were missing, where that decides more than for which phase is waited. */
export const tellsOrder: (p: WarpProgram) => ReadonlySet<Operation> = remembered(({ code }) => {
  if (!code.some(({ operation: o }) => o._tag === 'mbarrierArrive' && o.state !== null)) return new Set()
  const places = placesOf(code, true, true, false)
  return new Set(
    code.flatMap(({ operation: o }) =>
      o._tag === 'mbarrierArrive' && o.state?.some((row) => places.has(row)) === true ? [o] : [],
    ),
  )
})

/** Does some agent wait for a word of memory? */
export const watches = (p: WarpProgram): boolean =>
  p.code.some(({ operation: o }) => o._tag === 'load' && o.until !== undefined)

/** Why control may depend on timing whatever a run shows, each with its line; none: it does not. */
export const timingOf = (p: WarpProgram): ReadonlyArray<string> => {
  const places = decidingIn(p.code)
  // what memory holds of them is followed by itself (`verdict/hardware.ts`)
  const controls = controllingIn(p)
  const reasons = new Set<string>()
  const given = unspecifiedGivens(p)
  for (const { operation: o, site } of p.code) {
    const because = (why: string): void => {
      reasons.add(`\`${p.sites[site]?.label ?? ''}\` ${why}`)
    }
    const { reads, writes } = usesOf(o)
    const decides = writes.some((w) => places.has(w))
    if (o._tag === 'mbarrierWait' && !o.blocks && o.makes === undefined && decides)
      because('tests an mbarrier, and a branch or a value depends on the result')
    if (tellsOrder(p).has(o))
      because('reads how many arrivals were missing, and a branch or a value depends on it')
    for (const row of reads) {
      const name = given.get(row)
      if (name !== undefined && controls.has(row))
        because(`reads ${name}, and a branch, an address or a barrier depends on it`)
    }
  }
  return [...reasons]
}
