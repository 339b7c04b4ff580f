/**
 * The table of units: what the manual says of each, written a second time by hand, and what the machine's logs show of them.
 */
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { zoo } from '../../../src/kernels/broken/zoo/index.js'
import { bits } from '../../../src/numerics/bits.js'
import { unit as nothing } from '../../../src/numerics/unit.js'
import * as B from '../../../src/semantics/writing/builder.js'
import type { Instruction } from '../../../src/semantics/language/instruction.js'
import type { Program } from '../../../src/semantics/language/program.js'
import * as Policy from '../../../src/semantics/execution/policy.js'
import type { LogEvent } from '../../../src/semantics/log/events.js'
import { families, units, type Family, type Unit } from '../../../src/semantics/log/units.js'
import { launch, noArguments, type Launched } from '../../../src/semantics/execution/launch.js'
import { launched, logged } from '../machine/machine-samples.js'
import { declarations, fours, one, pointers, view, yes } from '../language/operands.js'
import { right } from '../../either.js'

// ---------------------------------------------------------------- the second table

/**
 * Of the manual (asynchronous operations, and how each completes): what signals, what waits for it, which of its agent's are in order, through which
 * proxy it goes.
 *
 *     done      bytes: complete_tx on a barrier, one a destination; group: commit and wait; commit: tcgen05.commit in its queue; wait: wait::ld, ::st
 *     in order  issue: all of a warpgroup; pairs: those that the manual lists
 */
const manual: Readonly<Record<string, readonly [done: string, order: string, proxy: string]>> = {
  'TMA load': ['bytes', '-', 'async'],
  'st.async': ['bytes', '-', 'generic'],
  'cluster launch control': ['bytes', '-', 'async'],
  'TMA store': ['group', '-', 'async'],
  'cp.async': ['group', '-', 'generic'],
  wgmma: ['group', 'issue', 'async'],
  'tensor queue': ['commit', 'pairs', 'async'],
  'tcgen05.ld': ['wait', '-', 'tensor'],
  'tcgen05.st': ['wait', '-', 'tensor'],
}

/** What a wait for its reads, and for the whole of it, may count. */
const waits: Readonly<Record<string, readonly [read: string, whole: string]>> = {
  'TMA store': ['.read, or whole', 'whole'],
  'tcgen05.ld': ['whole', 'registers, or whole'],
}

const doneOf = (unit: Unit): string => {
  const { completes, family } = units[unit]
  if (completes === 'phase') return 'bytes'
  if (completes === 'queue') return 'commit'
  return families[family].commits ? 'group' : 'wait'
}
const orders = { all: 'issue', pairs: 'pairs' } as const
const all = Object.keys(units).filter((unit): unit is Unit => unit in units)
const allFamilies = Object.keys(families).filter((family): family is Family => family in families)

describe('the table', () => {
  test('says what the manual says', () => {
    expect(
      Object.fromEntries(
        all.map((unit) => {
          const { title, pipeline, proxy } = units[unit]
          return [title, [doneOf(unit), pipeline === null ? '-' : orders[pipeline], proxy]]
        }),
      ),
    ).toEqual(manual)
  })

  test('two clocks for what may be known early', () => {
    const words: Readonly<Record<string, string>> = {
      bulkRead: '.read',
      loadedRegisters: 'registers',
      bulkFull: 'whole',
      tensorLoad: 'whole',
    }
    const named = (cell: { readonly clock: string; readonly or: string | null }): string =>
      [cell.clock, ...(cell.or === null ? [] : [cell.or])].map((clock) => words[clock]).join(', or ')
    const two = all.filter((unit) => {
      const { reads, writes } = units[unit]
      return reads !== null && (reads.or !== null || writes.or !== null)
    })
    expect(
      Object.fromEntries(
        two.map((unit) => {
          const { title, reads, writes } = units[unit]
          return [title, [reads, writes].map((cell) => (cell === null ? '' : named(cell)))]
        }),
      ),
    ).toEqual(waits)
  })

  test('is total: every cell of every row, and a family for each unit that a group wait knows of', () => {
    const cells = Object.keys(units.tmaLoad)
    for (const unit of all) expect([unit, Object.keys(units[unit])]).toEqual([unit, cells])
    for (const unit of all) {
      const { family } = units[unit]
      if (family !== null) expect(families[family].unit).toBe(unit)
    }
    expect(all.flatMap((unit) => units[unit].family ?? []).sort()).toEqual([...allFamilies].sort())
  })

  test.each(all)('%s has a number exactly if it has clocks, and else completes by phase', (unit) => {
    const { completes, sequence, reads, writes } = units[unit]
    expect([reads === null, writes === null, completes === 'phase']).toEqual(
      Array.from({ length: 3 }, () => sequence === null),
    )
  })

  test.each([
    ['bulk', 'bulk group wait'],
    ['wgmma', 'wgmma group wait'],
    ['cpAsync', 'cpAsync group wait'],
    ['tcgen05Ld', 'tcgen05.wait::ld'],
    ['tcgen05St', 'tcgen05.wait::st'],
  ] as const)('what waits for %s is called %s', (family, name) => {
    expect(families[family].wait).toBe(name)
  })
})

// ---------------------------------------------------------------- the logs

interface Shown {
  readonly unit: Unit
  readonly said: string[]
}

/** What of the log of the machine does not agree with the table, and the units seen. */
const against = (
  events: ReadonlyArray<LogEvent>,
  spaces: ReadonlyArray<string>,
  ctas: number,
): readonly [string[], Set<Unit>] => {
  const wrong: string[] = []
  const seen = new Set<Unit>()
  const operations = new Map<number, Shown>()
  const owed = new Map<number, number>()
  for (const e of events) {
    if (e._tag === 'issue') {
      seen.add(e.unit)
      operations.set(e.operation, { unit: e.unit, said: [] })
      const { signals } = units[e.unit]
      owed.set(
        e.operation,
        e.signals ?? (signals === 'each CTA' ? ctas : signals === 'open' ? Infinity : signals),
      )
    }
    if (e._tag === 'access' && e.operation !== undefined) {
      const { unit } = operations.get(e.operation)!
      const space = spaces[e.footprint.plane]!
      const proxy = space === 'tmem' ? 'tensor' : e.role === 'map' ? 'tensormap' : units[unit].proxy
      // registers that a load of tensor memory fills are the agent's own
      if (e.proxy !== proxy && !(space === 'regs' && unit === 'tcgen05Ld')) wrong.push(`${unit} ${e.proxy}`)
    }
    if (e._tag === 'signal') {
      const { unit } = operations.get(e.operation)!
      const { completes, family } = units[unit]
      if ((e.to === 'barrier') !== (completes === 'phase')) wrong.push(`${unit} ${e.to}`)
      if (e.to === 'group' && e.family !== family) wrong.push(`${unit} ${e.family}`)
      owed.set(e.operation, owed.get(e.operation)! - 1)
    }
  }
  for (const [operation, left] of owed)
    if (left !== 0 && left !== Infinity) wrong.push(`${operations.get(operation)!.unit} owes ${String(left)}`)
  return [wrong, seen]
}

/** A store, a copy and a request that the zoo has not. */
const others = (): Program =>
  right(
    B.draft(
      { name: 'others', arch: 'sm100a', grid: [1], cluster: [1], agents: [B.warpgroup('wg', 0)] },
      function* () {
        yield* declarations()
        for (const i of [
          { _tag: 'mbarrier.init', barrier: one, count: 2 },
          { _tag: 'stAsync.store', destination: view('x'), value: fours, barrier: one },
          { _tag: 'cpAsync.copy', source: pointers, mask: yes, destination: view('x') },
          { _tag: 'clc.tryCancel', response: view('answer'), barrier: one, multicast: false },
        ] satisfies ReadonlyArray<Instruction>)
          yield* B.run(i._tag, i)
      },
    ),
  )

test('the logs of the machine agree: the mended zoo, and what it has not', () => {
  const wrong = new Set<string>()
  const seen = new Set<Unit>()
  const look = (name: string, l: Launched): void => {
    const { planes, ctas, resident } = l.world.header
    const [differs, shown] = against(
      logged(l, Policy.eager).result,
      planes.map((p) => p.space),
      ctas / (resident ?? 1),
    )
    for (const what of differs) wrong.add(`${what} in ${name}`)
    for (const unit of shown) seen.add(unit)
  }
  for (const twin of zoo) {
    const made = twin.program(true)
    if (E.isRight(made)) look(twin.name, right(launch(made.right, nothing, noArguments)))
  }
  look('others', launched(others(), bits('blackwell')))
  expect([...wrong]).toEqual([])
  expect([...seen].sort()).toEqual([...all].sort())
})
