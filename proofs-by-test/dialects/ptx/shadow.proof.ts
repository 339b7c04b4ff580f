/**
 * PTX over shadows is judged as over bits: nothing is known of the inputs but of those that decide, nothing of products, and verdict, findings, their places and
 * the order of all events are those of a run on the captured data. Each datum that is said to decide does: without it the run is stopped, and the verdict names it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { right } from '../../either.js'
import { nightly } from '../../extent.js'
import { worldOf } from '../../oracle/world.js'

const root = fileURLToPath(new URL('../../../conformance/', import.meta.url))
const folders = ['hopper/cuda', 'hopper/warpgroups', 'hopper/mosaic', 'blackwell/cuda', 'triton/captures']

/** Inputs that decide where control goes, or which bytes are touched, by kernel; all others are never known. */
const deciding: Readonly<Record<string, ReadonlyArray<string>>> = {
  aggregate: ['x'],
  asserts: ['x'],
  bulk_gather: ['index'],
  calls: ['x'],
  cluster_bins: ['x'],
  collatz: ['x'],
  dispatch: ['code', 'x'],
  generic_address: ['choice'],
  histogram: ['x'],
  last_block: ['counter'],
  own_cpasync: ['x'],
  prints: ['x'],
  votes: ['x'],
  split_k: ['turns'],
  gather_rows: ['rows', 'to'],
  semaphore: ['scratch0'],
  semaphore_count: ['scratch0'],
}

/** Twins in which a datum decides that does not in their kernel: whether its element is odd, positive or finite says who comes to the barrier. */
const decidingInTwins: Readonly<Record<string, ReadonlyArray<string>>> = {
  'float8/broken3': ['x'],
  'integers/broken3': ['a'],
  'packed_bf16/broken3': ['a'],
  'packed_f16/broken3': ['a'],
}

/** By day some that are quick, each with a twin; and some whose data decide. */
const some = ['vectors', 'queue']
const someDeciding = ['integers', 'gather_rows']

const kernels = folders.flatMap((folder) =>
  readdirSync(`${root}${folder}`)
    .filter((name) => existsSync(`${root}${folder}/${name}/launch.json`))
    .map((name) => ({ name, at: `${root}${folder}/${name}` })),
)
const taken = (day: ReadonlyArray<string>): typeof kernels =>
  kernels.filter(({ name }) => nightly || day.includes(name))

const world = worldOf(onDisk)
const checked = (file: string, launch: string, more: Readonly<Record<string, unknown>>): Verdict =>
  right(checkPtx(world, file, { launch, ...more })).json() as Verdict

/** What could still come of agents that wait for each other, data may decide: of a deadlock no text. */
const placed = ({ verdict, findings, notes }: Verdict): ReadonlyArray<unknown> =>
  [...findings, ...notes].map((f) => [
    f.id,
    verdict === 'deadlock' ? null : f.text,
    f.a.site,
    f.b?.site ?? null,
  ])

describe('what is found over shadows is what is found over bits', () => {
  for (const { name, at } of taken(some)) {
    const texts = readdirSync(at).filter(
      (file) => file.endsWith('.ptx') && (nightly || !file.startsWith('broken') || file === 'broken1.ptx'),
    )
    for (const text of texts) {
      const called = `${name}/${text.replace('.ptx', '')}`
      it(
        called,
        () => {
          const launch = `${at}/launch.json`
          const known = [...(deciding[name] ?? []), ...(decidingInTwins[called] ?? [])]
          const bits = checked(`${at}/${text}`, launch, {})
          const shadow = checked(`${at}/${text}`, launch, { over: 'shadow', known, everyCta: true })
          expect(shadow.verdict).toBe(bits.verdict)
          expect(placed(shadow)).toEqual(placed(bits))
          if (bits.verdict === 'deadlock') return
          expect(shadow.conditions).toEqual(bits.conditions)
          expect(shadow.counts).toEqual(bits.counts)
        },
        300_000,
      )
    }
  }
})

describe('a datum decides: without it the run is stopped, and it is named', () => {
  const without = (at: string, text: string, known: ReadonlyArray<string>, datum: string): void => {
    const { verdict, reason } = checked(`${at}/${text}`, `${at}/launch.json`, {
      over: 'shadow',
      known: known.filter((name) => name !== datum),
    })
    expect(verdict).toBe('undecided')
    expect(reason).toContain('the run was stopped before its end, over shadow: ')
    expect(reason).toContain(`the data of ${datum}, which are not known`)
  }
  for (const { name, at } of taken(someDeciding))
    for (const datum of deciding[name] ?? [])
      it(`${datum} of ${name}`, () => {
        without(at, `${name}.ptx`, deciding[name]!, datum)
      })
  for (const { name, at } of taken(someDeciding))
    for (const [called, data] of Object.entries(decidingInTwins))
      if (called.startsWith(`${name}/`))
        it(`${data.join(', ')} of ${called}`, () => {
          const known = deciding[name] ?? []
          for (const datum of data) without(at, `${called.slice(name.length + 1)}.ptx`, known, datum)
        })
})

describe('what data decide is said, with the line and the datum', () => {
  const votes = `${root}hopper/cuda/votes`
  it('of a branch', () => {
    const { verdict, reason } = checked(`${votes}/votes.ptx`, `${votes}/launch.json`, { over: 'shadow' })
    expect(verdict).toBe('undecided')
    expect(reason).toMatch(
      /^the run was stopped before its end, over shadow: .*\(votes\.cu:\d+:\d+\).*depends on the data of x, which are not known: give them, or run over bits/u,
    )
  })
  it('of an address', () => {
    const at = `${root}hopper/cuda/generic_address`
    const { verdict, reason } = checked(`${at}/generic_address.ptx`, `${at}/launch.json`, { over: 'shadow' })
    expect(verdict).toBe('undecided')
    expect(reason).toMatch(/depends on the data of choice, which are not known/u)
  })
  it('of a word that is waited for, or counted', () => {
    const at = `${root}hopper/cuda/last_block`
    const { verdict, reason } = checked(`${at}/last_block.ptx`, `${at}/launch.json`, { over: 'shadow' })
    expect(verdict).toBe('undecided')
    expect(reason).toMatch(/the data of counter/u)
  })
})
