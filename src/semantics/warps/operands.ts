/**
 * Operands of an effect: what the lanes of a warp must agree on, and which mbarriers they mean.
 *
 *     tcgen05.alloc by 32 lanes       its number of columns is one value in all of them, or the instruction is a fault
 *     mbarrier.arrive by 32 lanes     each barrier that they name, with the lanes that name it
 *
 * Source: PTX ISA, operands; parallel synchronization and communication.
 */
import * as V from '../machine/value.js'
import type { FaultValue } from '../machine/value.js'
import { barrierAtAddress } from '../machine/world.js'
import { reaches, type Here } from './memory.js'
import type { Part } from '../machine/warp-stand.js'
import type { Address, Operation, Row } from './program.js'
import { commonWord } from './rows.js'

// ---------------------------------------------------------------- operands

/** One word for all lanes of the mask. */
export const operand = (h: Here, what: string, row: Row, mask: number): number | FaultValue => {
  if ((h.rows.unknown[row]! & mask) !== 0) return V.fault('I1', `${what} comes from an unwritten register`)
  return (
    commonWord(h.rows, row, mask) ??
    V.fault('warp.uniform', `${what}: expected one value in all lanes of the warp`)
  )
}

// ---------------------------------------------------------------- barriers in memory

export interface Met {
  readonly barrier: number
  readonly lanes: ReadonlyArray<number>
}

/** In place of the number of an mbarrier that a scout has met at this byte: below all numbers, another for each byte. */
const scoutedAt = (byte: number): number => -2 - byte

/** A scout takes down where an mbarrier is that was not known, and which site initialises it. */
const noticed = ({ launch: { scout, program } }: Here, byte: number, begins: Operation | null): void => {
  if (scout === null) return
  const site =
    begins === null ? null : (program.code.find(({ operation }) => operation === begins)?.site ?? null)
  scout.set(byte, scout.has(byte) && scout.get(byte) !== site ? null : site)
}

/** The mbarriers that the lanes mean, each with its lanes. `begins`: the instruction that initialises them. */
export const barriersAt = (
  h: Here,
  address: Address,
  mask: number,
  begins: Operation | null = null,
): ReadonlyArray<Met> | FaultValue => {
  const found = reaches(h, address, 8, mask)
  if ('code' in found) return found
  const out: { barrier: number; lanes: number[] }[] = []
  for (const { target, lanes, bytes } of found) {
    if (target._tag !== 'plane' || h.world.header.planes[target.plane]!.space !== 'smem')
      return V.fault('mbarrier.space', 'an mbarrier must be in shared memory')
    const cta = h.world.header.planes[target.plane]!.cta!
    for (let i = 0; i < lanes.length; i++) {
      const at = barrierAtAddress(h.world, cta, bytes[i]!)
      if (at < 0) noticed(h, bytes[i]!, begins)
      const barrier = at < 0 && h.launch.scout !== null && begins !== null ? scoutedAt(bytes[i]!) : at
      if (at < 0 && barrier === at)
        return V.fault(
          'mbarrier.unknown',
          `there was never an mbarrier at byte ${String(bytes[i])} of shared memory`,
        )
      const known = out.find((b) => b.barrier === barrier)
      if (known === undefined) out.push({ barrier, lanes: [lanes[i]!] })
      else known.lanes.push(lanes[i]!)
    }
  }
  return out
}

/** The same of what is done to the CTA's own alone. */
export const ownBarriersAt = (
  h: Here,
  address: Address,
  mask: number,
  begins: Operation | null = null,
): ReadonlyArray<Met> | FaultValue => {
  const found = reaches(h, address, 8, mask)
  if ('code' in found) return found
  return found.every(
    ({ target }) => target._tag !== 'plane' || target.plane === h.shared || !isShared(h, target.plane),
  )
    ? barriersAt(h, address, mask, begins)
    : V.fault('address.peer', 'an mbarrier of a peer: expected one in the shared memory of the CTA itself')
}

const isShared = ({ world }: Here, plane: number): boolean => world.header.planes[plane]!.space === 'smem'

export const each = (
  met: ReadonlyArray<Met> | FaultValue,
  f: (m: Met) => ReadonlyArray<Part> | FaultValue,
): ReadonlyArray<Part> | FaultValue => {
  if ('code' in met) return met
  const out: Part[] = []
  for (const m of met) {
    const parts = f(m)
    if ('code' in parts) return parts
    for (const p of parts) out.push(p)
  }
  return out
}

export const maskOf = (lanes: ReadonlyArray<number>): number =>
  lanes.reduce((mask, lane) => mask | (1 << lane), 0)
