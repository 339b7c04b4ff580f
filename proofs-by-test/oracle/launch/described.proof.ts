/** What a module says of its launch: a form for it can be made, and the launch to begin with is one. */
import * as fs from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { asked } from '../../../src/oracle/cli/commands/index.js'
import { readModule } from '../../../src/dialects/ttgir/index.js'
import { describeModule } from '../../../src/oracle/launch/described.js'
import { parseWord } from '../../../src/oracle/launch/words.js'
import { answering } from '../../../src/oracle/serve/answer.js'
import { code, right } from '../../either.js'
import { nightly, sampled } from '../../extent.js'

const triton = new URL('../../../conformance/triton/', import.meta.url)
const textOf = (file: string): string => fs.readFileSync(new URL(file, triton), 'utf8')
const filesOf = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(new URL(folder, triton))
    .filter((f) => f.endsWith('.ttgir'))
    .map((f) => `${folder}${f}`)
const golden = filesOf('modules/')
const all = [...golden, ...filesOf('beyond/'), ...filesOf('first/'), ...filesOf('gluon/texts/')]
// one of each kind by day
const some = nightly ? all : all.filter((f) => /64x64|mm_scaled|first|beyond|\/[a-z_]+\.ttgir/.test(f))

const answers = answering({
  commands: asked,
  suites: [],
  world: { version: '0', colours: false, clock: () => 0, conformance: null },
  behind: null,
  mostBytes: 2 ** 26,
})
const ask = async (method: string, params: unknown): Promise<Record<string, unknown>> =>
  JSON.parse(right(await answers(method, params, null))) as Record<string, unknown>

describe('law 1 of launch/example.ts: the words are arguments of the right type', () => {
  it.each(sampled(4, some))('%s', (file) => {
    const { parameters, example, axes } = right(describeModule(right(readModule(textOf(file)))))
    expect(example.grid).toHaveLength(axes)
    expect(example.args.map(([name]) => name)).toEqual(parameters.map((p) => p.name))
    for (const p of parameters) {
      const word = example.args.find(([name]) => name === p.name)?.[1] ?? ''
      expect(word).toMatch(/:guess$/u)
      const parsed = right(parseWord(p, word.replace(/:guess$/u, '')))
      expect(parsed._tag).toBe(p._tag === 'scalar' ? 'number' : 'tensor')
      // law 2
      if (p._tag === 'scalar' && parsed._tag === 'number' && p.dtype.startsWith('i'))
        expect(Number(parsed.value) % p.divisor).toBe(0)
    }
  })
})

describe('the launch to begin with', () => {
  const tried = nightly
    ? golden
    : golden.filter((f) =>
        /ptr_64x64.*90|hosttma_ws_64.*90|persistent_nows_64.*100|attn_nows_128x64.*90|mm_tma_nows_64.*100/.test(
          f,
        ),
      )
  it.each(tried)('of %s has a verdict', async (file) => {
    const files = { 'k.ttgir': { ttgir: textOf(file) } }
    const { example } = await ask('kernels', { kernel: 'k.ttgir', files })
    const { verdict } = await ask('check', { kernel: 'k.ttgir', files, ...(example as object) })
    expect(['ok', 'hazard']).toContain(verdict)
  })
  it('of a product takes the extents of its tensor maps from the text', () => {
    const { example } = right(
      describeModule(right(readModule(textOf('modules/mm_tma_nows_64x64x32_s4_w4_sm90.ttgir')))),
    )
    expect(example).toEqual({
      grid: [1, 2],
      args: [
        ['a', 'f16[64,192]:in:guess'],
        ['b', 'f16[192,128]:in:guess'],
        ['c', 'f16[64,128]:out:guess'],
        ['M', '64:guess'],
        ['N', '128:guess'],
        ['K', '192:guess'],
      ],
    })
  })
  it('of pointers has their strides by their names', () => {
    const { example } = right(
      describeModule(right(readModule(textOf('modules/mm_ptr_64x64x32_s4_w4_sm90.ttgir')))),
    )
    expect(Object.fromEntries(example.args)).toMatchObject({
      K: '192:guess',
      sam: '192:guess',
      sbk: '128:guess',
      scm: '128:guess',
    })
  })
  it('of what asks for no place in the grid is one program', () => {
    const { example } = right(describeModule(right(readModule(textOf('beyond/scan_vector.ttgir')))))
    expect(example).toEqual({
      grid: [1],
      args: [
        ['x', 'f32[2048]:in:guess'],
        ['y', 'f32[2048]:out:guess'],
      ],
    })
  })
})

describe('tcspec kernels of a module', () => {
  const files = { 'row_scale.ttgir': { ttgir: textOf('first/row_scale.ttgir') } }
  it('says what a launch takes, and what can be left out', async () => {
    const said = await ask('kernels', { kernel: 'row_scale.ttgir', files, printed: true })
    expect(said).toMatchObject({
      schema: 'tcspec.signature/1',
      name: 'row_scale',
      target: 'sm_90',
      warps: 4,
      ctas: 1,
      axes: 1,
      parameters: [
        { name: 'dx', kind: 'descriptor', dtype: 'f16', role: 'in', block: [64, 64] },
        { name: 'dy', kind: 'descriptor', dtype: 'f16', role: 'out', block: [64, 64] },
      ],
      example: { grid: [2], arg: { dx: 'f16[128,64]:in:guess', dy: 'f16[128,64]:out:guess' } },
    })
    expect(said['printed']).toContain(
      'tcspec check row_scale.ttgir --grid 2 --arg dx=f16[128,64]:in:guess dy=f16[128,64]:out:guess',
    )
  })
  it('what it lists is taken by --without, or refused because its result is read or it does nothing here', async () => {
    const { operations, example } = await ask('kernels', { kernel: 'row_scale.ttgir', files })
    const all = operations as ReadonlyArray<{ readonly without: string; readonly name: string }>
    expect(all.map((o) => o.name)).toEqual(
      expect.arrayContaining(['ttng.wait_barrier', 'ttng.async_tma_copy_local_to_global']),
    )
    for (const { without, name } of all) {
      const answer = await answers(
        'check',
        { kernel: 'row_scale.ttgir', files, without: [without], ...(example as object) },
        null,
      )
      if (E.isLeft(answer))
        expect([name, answer.left.data.code]).toEqual([name, expect.stringMatching(/^broken\./)])
    }
    expect(all.some((o) => o.name.startsWith('arith.'))).toBe(false)
  })
  it('what is no module is refused in a line that names the file', async () => {
    const answer = await answers('kernels', { kernel: 'x.ttgir', files: { 'x.ttgir': 'module {' } }, null)
    expect(E.isLeft(answer) && answer.left.message).toMatch(/^x\.ttgir:1:\d+: /)
    expect(code(describeModule(right(readModule('module {\n}\n'))))).not.toBeNull()
  })
})
