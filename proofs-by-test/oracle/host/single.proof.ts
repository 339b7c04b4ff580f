/** One launch of a program: it is the launch that is judged with the program, and the command line shows it. */
import { readdirSync, readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { bits } from '../../../src/numerics/bits.js'
import { failure } from '../../../src/failure.js'
import { decodeHost } from '../../../src/oracle/host/file.js'
import { heldBytes } from '../../../src/oracle/host/memory.js'
import { performed, usualFuel } from '../../../src/oracle/host/perform.js'
import { launchAt, type Which } from '../../../src/oracle/host/single.js'
import type { LaunchedPtx } from '../../../src/oracle/launch/ptx.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { code, right } from '../../either.js'
import { printed } from '../quoted.js'

const folder = new URL('../../../conformance/programs/', import.meta.url).pathname
const performing = {
  files: onDisk,
  where: `${folder}program.json`,
  algebra: () => bits('hopper'),
  fuel: usualFuel,
}
const programOf = (name: string) => right(decodeHost(JSON.parse(readFileSync(`${folder}${name}`, 'utf8'))))
const unchanged = () => E.right

/** Bytes of parameters, and what each memory holds. */
const given = ({ elaborated, arguments: a }: LaunchedPtx): unknown => [
  elaborated.program.name,
  a.grid,
  a.block,
  a.parameters,
  (a.held ?? []).map(({ name, bytes, holds }) => [
    name,
    typeof holds === 'string' ? holds : heldBytes(holds, 0, bytes),
  ]),
]

describe('law 1', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s', (name) => {
    const program = programOf(name)
    const judged: unknown[] = []
    const judge = (l: LaunchedPtx) => {
      judged.push(given(l))
      return E.left(failure('json.form', 'not asked'))
    }
    right(performed({ ...performing, judge, judgeAll: true }, program))
    const all = program.operations.flatMap((o, operation): ReadonlyArray<Which> =>
      o.op === 'launch'
        ? [{ operation, node: null }]
        : o.op === 'graph'
          ? o.nodes.flatMap((n) => (n.operation.op === 'launch' ? [{ operation, node: n.name }] : []))
          : [],
    )
    expect(judged.length).toBeGreaterThan(0)
    // a program that is stopped has launches that are not reached
    for (const [i, which] of all.entries())
      if (i < judged.length)
        expect(given(right(launchAt(performing, program, which, unchanged)).launched)).toEqual(judged[i])
      else expect(code(launchAt(performing, program, which, unchanged))).toBe('host.stopped')
  })
})

describe('on the command line', () => {
  const files = onDisk
  const file = `${folder}graph-events.json`
  it('a trace, a view and mutants of one launch', async () => {
    const trace = await printed(`trace ${file} --operation 8:add --first 4`, files)
    expect([trace.status, trace.stderr]).toEqual([0, ''])
    expect(trace.stdout).toContain('gmem z 0x0..0x80')
    const view = await printed(`view ${file} --operation 9:again`, files)
    expect(view.stdout).toMatch(/^launch +scale, grid 2, block 128/mu)
    expect(view.stdout).toMatch(/^verdict +ok/mu)
    const check = await printed(`check ${file} --operation 8:scale --without 46`, files)
    expect(check.stdout).toMatch(/^launch +scale, .*, without '46'$/mu)
    expect((await printed(`mutate ${file} --operation 8:scale --json`, files)).stdout).toContain('"kernel"')
  })
  it('refuses what is no launch, no program, and what the program says itself', async () => {
    const lines = await Promise.all(
      [
        `trace ${file} --operation 3`,
        `trace ${file} --operation 8`,
        `trace ${file} --operation 8:fill`,
        `trace ${file} --operation 99`,
        `trace ${file} --operation x`,
        `trace ${folder}kernels.ptx --operation 8`,
        `trace ${file} --operation 8:add --grid 2`,
      ].map(async (argv) => {
        const { status, stderr } = await printed(argv, files)
        return `${String(status)} ${stderr.trim().replace(folder, '')}`
      }),
    )
    expect(lines).toEqual([
      "2 tcspec: operation 3: expected a launch (8:scale, 8:add, 9:again), found 'touch'",
      "2 tcspec: operation 8: expected a launch (8:scale, 8:add, 9:again), found 'graph'",
      "2 tcspec: operation 8, node fill: expected a launch (8:scale, 8:add, 9:again), found 'fill'",
      '2 tcspec: operation 99: expected a launch (8:scale, 8:add, 9:again), found a program of 12 operations',
      "2 tcspec: --operation: expected the number of an operation such as 8, or 9:n2, found 'x'",
      "2 tcspec: --operation: expected a program (tcspec.host/1), found 'kernels.ptx'",
      '2 tcspec: --grid: the program says it of its launches (--operation 8:add)',
    ])
  })
})
