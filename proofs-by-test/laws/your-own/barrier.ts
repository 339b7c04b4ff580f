import { barrierLaws, checkLaws, showReport, type ForeignBarrier } from '../../../src/laws/index.js'

/** Your simulator's barrier: one phase bit, and the bytes are only looked at when an arrival comes. */
interface Mine {
  readonly phase: number
  readonly count: number
  readonly pending: number
  readonly bytes: number
}

const settle = (b: Mine): Mine =>
  b.pending === 0 && b.bytes === 0 ? { ...b, phase: b.phase ^ 1, pending: b.count } : b

const mine: ForeignBarrier<Mine> = {
  init: (count) => ({ phase: 0, count, pending: count, bytes: 0 }),
  arrive: (b, count) => settle({ ...b, pending: b.pending - count }),
  expectTx: (b, bytes) => ({ ...b, bytes: b.bytes + bytes }),
  completeTx: (b, bytes) => ({ ...b, bytes: b.bytes - bytes }),
  test: (b, parity) => b.phase !== parity,
}

console.log(showReport(checkLaws(barrierLaws<Mine>())(mine)))

/** The bytes may be what ends the phase. */
const mended: ForeignBarrier<Mine> = {
  ...mine,
  expectTx: (b, bytes) => settle(mine.expectTx(b, bytes)),
  completeTx: (b, bytes) => settle(mine.completeTx(b, bytes)),
}

console.log(showReport(checkLaws(barrierLaws<Mine>())(mended)))
