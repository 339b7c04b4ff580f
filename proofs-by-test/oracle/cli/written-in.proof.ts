/** Laws 1 and 2 of the languages, by a table that is written by hand: what a name is written in, and its columns. */
import { describe, expect, it } from 'vitest'
import { languageAsked, languageOf, languageOfFile } from '../../../src/oracle/cli/written-in.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'

describe('the language of a name', () => {
  it.each([
    ['k.ptx', 'ptx'],
    ['here/K.PTX', 'ptx'],
    ['printed/k.ptx', 'ptx'],
    ['k.ttgir', 'ttgir'],
    ['K.TTGIR', 'ttgir'],
    ['k.jaxpr.json', 'core'],
    ['k.json', 'core'],
    ['k.ptx.json', 'core'],
    ['matmul0', 'core'],
    ['zoo/R1', 'core'],
  ])('%s: %s, with one launch of a program asked for PTX', (name, language) => {
    expect([languageOf(name), languageOfFile(name), languageAsked(name, {})].map((l) => l.name)).toEqual(
      Array.from({ length: 3 }, () => language),
    )
    expect(languageAsked(name, { operation: '8' }).name).toBe('ptx')
  })
  it('a kernel of the zoo that is PTX lies in no file', () => {
    expect([languageOf('zoo/D5').name, languageOfFile('zoo/D5').name]).toEqual(['ptx', 'core'])
  })
  it('columns', () => {
    expect(
      ['k.ptx', 'k.ttgir', 'matmul0'].map((name) => {
        const { isLaunched, level, takesKnown } = languageOf(name)
        return [isLaunched, level, takesKnown]
      }),
    ).toEqual([
      [true, 'ptx', true],
      [true, 'ttgir', false],
      [false, null, false],
    ])
  })
})

it('`kernels` describes a file, also in a folder that is called as one of the library', async () => {
  const text = '.version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u32 n) { ret; }\n'
  const disk = inMemory(new Map([['printed/k.ptx', new TextEncoder().encode(text)]]))
  const { status, stdout } = await running(worldOf(disk))('kernels', 'printed/k.ptx', '--json')
  expect([status, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ name: 'k', schema: 'tcspec.signature/1' }),
  ])
})
