/**
 * Tiles of Triton's that are smaller than the program: warps store what others store, and are right. Oracle: numpy, where it is exact, and exponentials in double
 * precision; twins whose warps store something of their own, at the line that was changed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runPtx } from '../../../src/oracle/cli/ptx.js'
import type { Verdict } from '../../../src/semantics/judging/verdict.js'
import { right } from '../../either.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const small = new URL('../../../conformance/triton/small/', import.meta.url)
const names = ['product', 'row_sums', 'greatest', 'attention']

const filesOf = (name: string): Map<string, Uint8Array> =>
  new Map(
    readdirSync(new URL(name, small)).map((file) => [
      file,
      new Uint8Array(readFileSync(new URL(`${name}/${file}`, small))),
    ]),
  )

const told = (files: Map<string, Uint8Array>, name: string) => {
  const report = right(runPtx(worldOf(inMemory(files)), `${name}.ptx`, { launch: 'launch.json' }))
  const { verdict, findings, notes } = report.json() as Verdict
  return { text: report.text(), verdict, findings, notes }
}

/** The line of a text at which a side of a finding is. */
const lineOf = (site: string): number => Number(/\(line (\d+)\)/u.exec(site)?.[1])

describe.each(names)('%s', (name) => {
  const files = filesOf(name)
  const { text, verdict, findings, notes } = told(files, name)
  it('is right, and some of its warps store twice', () => {
    expect([verdict, findings, notes.map(({ id }) => id)]).toEqual(['ok', [], ['N4']])
    if (name !== 'attention') expect(text).toContain(' 0 of ')
  })
  it('is found out where each warp stores something of its own', () => {
    const at = lineOf(notes[0]!.a.site)
    const lines = new TextDecoder().decode(files.get(`${name}.ptx`)).split('\n')
    const line = lines[at - 1]!
    const register = /[{ \t](%r\d+)[,}; ][^[]*$/u.exec(line)![1]!
    const own = `{ .reg .b32 %own; mov.u32 %own, %tid.x; shr.u32 %own, %own, 5; xor.b32 ${register}, ${register}, %own; }`
    const changed = lines.map((l, k) => (k === at - 1 ? `${own} ${l}` : l)).join('\n')
    const twin = told(new Map(files).set(`${name}.ptx`, new TextEncoder().encode(changed)), name)
    expect(twin.verdict).toBe('hazard')
    expect(twin.findings.map(({ id, a, b }) => [id, lineOf(a.site), lineOf(b!.site)])).toContainEqual([
      'D1',
      at,
      at,
    ])
  })
})
