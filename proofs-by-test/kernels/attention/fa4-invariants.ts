/**
 * The thirteen invariants of FA4, read off a log: what happened, in the order in which it happened.
 *
 * The log says which operation touched which bytes when. Here bytes are turned back into what they hold: a slot into the tile that was copied there
 * last, columns into S, P, C or O. Barriers are counted anew from their arrivals. Nothing that the detector infers is used: an
 * invariant is a sentence about one schedule, and is asked of many.
 */
import type { Fa4 } from '../../../src/kernels/attention/fa4/index.js'
import type { Access, LogEvent } from '../../../src/semantics/log/events.js'
import type { World } from '../../../src/semantics/machine/world.js'
import type { Program } from '../../../src/semantics/language/program.js'
import { startOf } from '../../../src/semantics/log/events.js'

export type Invariant = `I${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13}`

/** Where a storage lies. */
const storageAt = (program: Program, id: string): number =>
  program.storage.find((s) => s.id === id)?.offset ?? -1

interface Counting {
  count: number
  pending: number
  tx: number
  completed: number
  arrived: number
}

/** The invariants that this log breaks, each with what was seen. */
export const broken = (
  c: Fa4,
  program: Program,
  {
    world,
    events,
    completed,
  }: { readonly world: World; readonly events: ReadonlyArray<LogEvent>; readonly completed: boolean },
): ReadonlyMap<Invariant, string> => {
  const { header } = world
  const found = new Map<Invariant, string>()
  const demand = (name: Invariant, holds: boolean, seen: () => string): void => {
    if (!holds && !found.has(name)) found.set(name, seen())
  }
  const labelOf = (e: { readonly stamp: { readonly site: number } }): string =>
    header.sites[e.stamp.site]!.label
  const agentOf = (e: { readonly stamp: { readonly agent: number } }): string =>
    header.agents[e.stamp.agent]!.name
  const tiles = Math.ceil(c.kv / c.blockKv)

  // ---------------------------------------------------------------- operations by name

  /** `K2`, `S0(2)`, ...: by label and how often it was issued before */
  const nameOf = new Map<number, string>()
  const often = new Map<string, number>()
  for (const e of events) {
    if (e._tag !== 'issue') continue
    const label = labelOf(e)
    const n = often.get(label) ?? 0
    often.set(label, n + 1)
    const copy = /^copy ([KV])(n|0)$/.exec(label)
    const scores = /^S(\d) = Q\d K(n|0)$/.exec(label)
    const output = /^O(\d) (?:\+)?= P\d V(n|0|\(last\))?$/.exec(label)
    if (copy !== null) nameOf.set(e.operation, `${copy[1]!}${String(copy[2] === '0' ? 0 : n + 1)}`)
    else if (scores !== null)
      nameOf.set(e.operation, `S${scores[1]!}(${String(scores[2] === '0' ? 0 : n + 1)})`)
    else if (output !== null) {
      const [, i, v] = output
      // O1 is one tile behind; its last product has a statement of its own
      const at = i === '1' ? (v === '(last)' ? tiles - 1 : n) : v === '0' ? 0 : n + 1
      nameOf.set(e.operation, `O${i!}(${String(at)})`)
    } else nameOf.set(e.operation, label)
  }
  const isProduct = (name: string): boolean => /^[SO]\d\(\d+\)$/.test(name)
  const tileOf = (product: string): string => {
    const [, kind, n] = /^([SO])\d\((\d+)\)$/.exec(product) ?? []
    return `${kind === 'S' ? 'K' : 'V'}${n ?? ''}`
  }

  // ---------------------------------------------------------------- places by name

  const slotBytes = c.blockKv * c.headDim * 2
  const kv = storageAt(program, 'KV')
  const qo = storageAt(program, 'Q')
  const qBytes = 128 * c.headDim * 2
  /** `slot 1`, `q 0`; or `S0`, `P0`, `C0`, `O0` */
  const placeOf = (a: Access): string => {
    const plane = header.planes[a.footprint.plane]!
    const first = startOf(a.footprint.spans)
    if (plane.space === 'smem')
      return first >= kv && first < kv + c.stages * slotBytes
        ? `slot ${String(Math.floor((first - kv) / slotBytes))}`
        : `q ${String(Math.floor((first - qo) / qBytes))}`
    if (plane.space !== 'tmem') return plane.space
    const column = (first % 2048) / 4
    const { blockKv } = c
    if (column >= 2 * blockKv) return `O${String(Math.floor((column - 2 * blockKv) / c.headDim))}`
    const i = String(Math.floor(column / blockKv))
    if (column % blockKv === blockKv / 2) return `C${i}`
    return a.footprint.dtype === 'f32' ? `S${i}` : `P${i}`
  }

  // ---------------------------------------------------------------- the log, in order

  const performs = new Map<number, number>()
  events.forEach((e, at) => {
    if (e._tag === 'access' && e.operation !== undefined) performs.set(e.operation, at)
  })
  const slotOf = new Map<number, string>()
  for (const e of events)
    if (e._tag === 'access' && e.operation !== undefined && e.rw === 'r') {
      const place = placeOf(e)
      if (place.startsWith('slot')) slotOf.set(e.operation, place)
    }

  const holds = new Map<string, string>()
  const issued = new Set<number>()
  const done = new Set<string>()
  const onScores = ['', '']
  const onOutputs = ['', '']
  const barriers = header.barriers.map((): Counting => ({
    count: 0,
    pending: 0,
    tx: 0,
    completed: 0,
    arrived: 0,
  }))
  const settle = (k: number): void => {
    const b = barriers[k]!
    if (b.pending === 0 && b.tx === 0 && b.count > 0) {
      b.completed++
      b.pending = b.count
    }
  }
  const reach = (k: number, arrivals: number, bytes: number): void => {
    const b = barriers[k]!
    demand(
      'I13',
      b.pending >= arrivals,
      () => `${header.barriers[k]!.name}: ${String(arrivals)} of ${String(b.pending)}`,
    )
    b.pending -= arrivals
    b.tx += bytes
    b.arrived += arrivals
    settle(k)
  }
  /** what each barrier had completed when an agent came to its next event */
  let before: ReadonlyArray<ReadonlyArray<number>> = header.agents.map(() => barriers.map(() => 0))
  const waited = new Map<string, number[]>()
  let finalReads = 0
  let copies = 0
  let landed = 0
  const refills = new Map<string, number>()
  const pendingOn = (place: string, but?: number): boolean =>
    [...issued].some((op) => op !== but && (nameOf.get(op) ?? '').startsWith(`${place}(`))

  /** I9: a slot is free when all products have read it */
  const givenBack = (barrier: number, label: string): void => {
    const slot = /^kv_barriers\[(\d+)\]/.exec(header.barriers[barrier]!.name)?.[1]
    if (!label.startsWith('release') || slot === undefined) return
    const tile = holds.get(`slot ${String(Number(slot) - c.stages)}`) ?? '?'
    const readers = ['0', '1'].map((i) => `${tile.startsWith('K') ? 'S' : 'O'}${i}(${tile.slice(1)})`)
    demand(
      'I9',
      readers.every((r) => done.has(r)),
      () => `${label} of ${tile} before ${readers.join()}`,
    )
  }

  for (const [position, e] of events.entries()) {
    switch (e._tag) {
      case 'issue':
        issued.add(e.operation)
        if (e.unit === 'tmaLoad') copies++
        if (/^O\d\(/.test(nameOf.get(e.operation)!))
          // onto zero at the first, onto what is there after it
          demand('I6', e.accumulates === !nameOf.get(e.operation)!.endsWith('(0)'), () =>
            nameOf.get(e.operation)!,
          )
        break
      case 'access': {
        const place = placeOf(e)
        const op = e.operation
        const name = op === undefined ? labelOf(e) : nameOf.get(op)!
        if (op !== undefined && performs.get(op) === position) {
          issued.delete(op)
          done.add(name)
        }
        if (place.startsWith('slot')) {
          if (e.rw === 'w') {
            // I2: nobody who was issued before still has to read it
            for (const other of issued)
              if (other !== op && slotOf.get(other) === place && isProduct(nameOf.get(other)!))
                demand('I2', false, () => `${name} into ${place} before ${nameOf.get(other)!}`)
            holds.set(place, name)
            refills.set(place, (refills.get(place) ?? 0) + 1)
            landed++
          } else
            demand(
              'I1',
              holds.get(place) === tileOf(name),
              () => `${name} reads ${holds.get(place) ?? 'nothing'}`,
            )
        }
        const i = Number(place[1])
        if (/^[SPC]\d/.test(place)) {
          const who = agentOf(e)
          onScores[i] += isProduct(name)
            ? e.rw === 'w'
              ? 'S'
              : 'o'
            : place[0] === 'S'
              ? 'r'
              : place[0] === 'P'
                ? 'P'
                : who === 'correction'
                  ? 'c'
                  : 'C'
        }
        if (/^O\d/.test(place)) {
          const who = agentOf(e)
          if (isProduct(name)) {
            if (e.rw === 'w') onOutputs[i] += 'A'
          } else if (who === 'correction') {
            onOutputs[i] += e.rw === 'r' ? 'l' : 'w'
            demand('I7', !pendingOn(place), () => `${name} while a product into ${place} is pending`)
          } else {
            onOutputs[i] += 'f'
            finalReads++
          }
        }
        if (place.startsWith('q ') && e.rw === 'w' && labelOf(e).startsWith('stage')) {
          const missing = Array.from({ length: tiles }, (_, n) => `S${place.slice(2)}(${String(n)})`).filter(
            (s) => !done.has(s),
          )
          demand('I10', missing.length === 0, () => `${place} is overwritten before ${missing.join()}`)
        }
        break
      }
      case 'barrier':
        if (e.kind === 'init')
          barriers[e.barrier] = { count: e.count, pending: e.count, tx: 0, completed: 0, arrived: 0 }
        else {
          if (e.kind === 'arrive') givenBack(e.barrier, labelOf(e))
          reach(e.barrier, e.kind === 'arrive' ? e.count : 0, e.bytes)
        }
        break
      case 'signal':
        if (e.to === 'barrier') {
          barriers[e.barrier]!.tx -= e.bytes
          settle(e.barrier)
        } else if (e.to === 'arrive') {
          givenBack(e.barrier, nameOf.get(e.operation) ?? '')
          reach(e.barrier, 1, 0)
        }
        break
      // a commit touches nothing: it is done when it is performed
      case 'perform':
        if (!performs.has(e.operation)) issued.delete(e.operation)
        break
      case 'wait': {
        if (e.outcome !== 'passed') break
        const key = `${String(e.stamp.agent)} ${String(e.barrier)}`
        const parities = waited.get(key) ?? []
        waited.set(key, parities)
        parities.push(e.parity)
        // the first wait for parity 1 is for no completion; softmax waits for the last O alone
        const isFinal = /^wait O\d$/.test(labelOf(e)) && agentOf(e) !== 'correction'
        const wanted = isFinal ? tiles : parities.length - (parities[0] === 1 ? 1 : 0)
        const now = barriers[e.barrier]!.completed
        const came = before[e.stamp.agent]![e.barrier]!
        demand(
          'I8',
          now === wanted && came >= wanted - 1,
          () => `${labelOf(e)}: for ${String(wanted)}, found ${String(came)} and then ${String(now)}`,
        )
        break
      }
      case 'dealloc':
        demand('I12', finalReads === 2, () => `${String(finalReads)} tiles of rows have been read`)
        break
      default:
        break
    }
    // an agent's next wait begins behind its last event
    if ('stamp' in e) {
      const { agent } = e.stamp
      before = before.map((was, a) => (a === agent ? barriers.map((b) => b.completed) : was))
    }
  }

  // ---------------------------------------------------------------- whole runs

  const later = Array.from({ length: tiles - 1 })
  for (const i of [0, 1]) {
    const told = (): string => `S${String(i)}: ${onScores[i]!}; O${String(i)}: ${onOutputs[i]!}`
    const scores = onScores[i]!
    const withoutFactors = scores.replaceAll(/[Cc]/g, '')
    demand('I3', withoutFactors.replaceAll('o', '') === 'SrP'.repeat(tiles), told)
    demand('I4', withoutFactors === 'SrPo'.repeat(tiles), told)
    demand('I5', new RegExp(`^SrPo(SrC(cP|Pc)o){${String(tiles - 1)}}$`).test(scores), told)
    demand('I6', onOutputs[i] === `A${later.map(() => 'lwA').join('')}f`, told)
  }
  demand(
    'I11',
    completed && copies === landed + 2 && issued.size === 0,
    () => `${String(copies)} copies, ${String(landed)} landed, ${String(issued.size)} open`,
  )
  // every slot is given back as often as it is filled, but for the last V
  const lastV = `slot ${String((2 * tiles - 1) % c.stages)}`
  for (const [place, fills] of refills) {
    const k = header.barriers.findIndex(
      (b) => b.name === `kv_barriers[${String(Number(place.slice(5)) + c.stages)}]`,
    )
    demand(
      'I11',
      barriers[k]?.arrived === fills - (place === lastV ? 1 : 0),
      () => `${place}: filled ${String(fills)}, given back ${String(barriers[k]?.arrived)}`,
    )
  }
  return found
}
