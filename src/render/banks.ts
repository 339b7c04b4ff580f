/**
 * A picture of one warp instruction on shared memory: lanes by banks, and where they meet.
 *
 * A row is a lane (or a row of a matrix, for ldmatrix), a column a bank. A cell says which line of 128 bytes the lane wants from
 * that bank; it is deeper the more *different* words of its phase are in that bank, and pale where the lane is alone or asks for
 * what another asks for. The right margin gives the degree of each phase.
 *
 * Laws
 * 1. A cell is drawn exactly where a byte of the lane's access lies in the bank.
 * 2. The largest count of a phase is the degree that `wavefronts` gives it.
 */
import type { BankAccess, BankVerdict, LaneAddresses } from '../layouts/shared-memory/banks.js'
import { bankBytes, banks, bytesPerAddress } from '../layouts/shared-memory/banks.js'
import { cellsSvg, type Cell } from './cells.js'
import { oklch } from './colour.js'
import type { SvgElement } from './svg.js'

export interface BankPicture {
  readonly title: string
  readonly subtitle: string
  readonly access: BankAccess
  readonly addresses: LaneAddresses
  readonly verdict: BankVerdict
}

/** The words that a lane wants. */
export const wordsOf = (access: BankAccess, address: number | null): ReadonlyArray<number> => {
  if (address === null) return []
  const first = Math.floor(address / bankBytes)
  const last = Math.floor((address + bytesPerAddress(access) - 1) / bankBytes)
  return Array.from({ length: last - first + 1 }, (_, k) => first + k)
}

/** `counts[phase][bank]`: different words. */
export const wordCounts = (p: BankPicture): ReadonlyArray<ReadonlyArray<number>> => {
  const perPhase = p.addresses.length / p.verdict.phases.length
  return p.verdict.phases.map((_, phase) => {
    const wanted = new Set(
      p.addresses
        .slice(phase * perPhase, (phase + 1) * perPhase)
        .flatMap((address) => [...wordsOf(p.access, address)]),
    )
    return Array.from({ length: banks }, (__, bank) => [...wanted].filter((w) => w % banks === bank).length)
  })
}

/** Pale green for one word, from yellow to red for more. */
const heat = (count: number): string =>
  count <= 1
    ? oklch(0.92, 0.07, 150)
    : oklch(
        Math.max(0.66, 0.9 - 0.035 * count),
        Math.min(0.19, 0.08 + 0.016 * count),
        Math.max(25, 92 - 10 * count),
      )

export const banksSvg = (p: BankPicture): SvgElement => {
  const counts = wordCounts(p)
  const perPhase = p.addresses.length / p.verdict.phases.length
  const phaseOf = (lane: number): number => Math.floor(lane / perPhase)
  return cellsSvg({
    title: p.title,
    subtitle: p.subtitle,
    note: 'A cell is the line of 128 bytes that the lane wants from the bank; its colour is how many different words of the phase the bank delivers.',
    rowTitle: p.access._tag === 'load' || p.access._tag === 'store' ? 'lane' : 'row',
    columnTitle: 'bank',
    rows: p.addresses.map((_, lane) => String(lane)),
    columns: Array.from({ length: banks }, (_, bank) => String(bank)),
    remark: (lane) =>
      lane % perPhase === 0
        ? `phase ${String(phaseOf(lane))}: ${String(p.verdict.phases[phaseOf(lane)])} ${p.verdict.phases[phaseOf(lane)] === 1 ? 'wavefront' : 'wavefronts'}`
        : '',
    cell: (lane, bank): Cell | null => {
      const word = wordsOf(p.access, p.addresses[lane]!).find((w) => w % banks === bank)
      if (word === undefined)
        return { label: '', fill: '#f6f7f9', tip: `lane ${String(lane)}, bank ${String(bank)}: nothing` }
      const count = counts[phaseOf(lane)]![bank]!
      return {
        label: String(Math.floor(word / banks)),
        fill: heat(count),
        tip: `lane ${String(lane)}, bank ${String(bank)}: word at byte ${String(word * bankBytes)}, ${String(count)} different words in this bank`,
      }
    },
  })
}
