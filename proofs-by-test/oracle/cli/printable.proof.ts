import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { paletteOf } from '../../../src/oracle/cli/colours.js'
import { printable, printableJson, printablePlain } from '../../../src/oracle/cli/printable.js'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { kernelSubject } from '../../../src/oracle/cli/subject.js'
import { printJson } from '../../../src/semantics/files/codec.js'
import { left, right } from '../../either.js'
import { inMemory } from '../disk.js'
import { running, worldOf } from '../world.js'
import { anyText, prop } from '../../prop.js'

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]`)

describe('what may reach a terminal', () => {
  it.each([
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['\x1b[2J', '\\x1b[2J'],
    ['\x1b[8m', '\\x1b[8m'],
    ['a\rb', 'a\\x0db'],
    ['a\bb\0', 'a\\x08b\\x00'],
    ['\x7f\x9b31m', '\\x7f\\x9b31m'],
    ['\u202eevil', '\\u202eevil'],
    ['\u2066\u200e', '\\u2066\\u200e'],
    ['newline\ntab\té 漢 🙂', 'newline\ntab\té 漢 🙂'],
  ])('%j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })
  const paints = Object.values(paletteOf({ colours: true })).filter((paint) => typeof paint === 'function')
  it('every colour of our palette', () => {
    expect(paints.map((paint) => printable(paint('x')))).toEqual(
      [
        [1, 22],
        [2, 22],
        [32, 39],
        [31, 39],
        [33, 39],
        [36, 39],
      ].map(([from, to]) => `\x1b[${String(from)}mx\x1b[${String(to)}m`),
    )
  })
  it('a colour inside another one: that one begins again', () => {
    const { bad, name } = paletteOf({ colours: true })
    expect(printable(bad(`a${name('b')}c`))).toBe('\x1b[31ma\x1b[36mb\x1b[39m\x1b[31mc\x1b[39m')
  })
  prop([anyText])('law 1: no control but newline and tab is left', (text) => {
    expect(printable(text)).not.toMatch(controls)
  })
  it.each(['\x1b[31m', '\x1b[32mok\x1b[39m', '\x1b[1;5m', '\x1b[32;123456789m', '\x1b[0m'])(
    'law 3: a file that holds %j colours nothing, whatever we paint around it',
    (text) => {
      const shown = text.replaceAll('\x1b', '\\x1b')
      expect(printable(text)).toBe(shown)
      for (const paint of paints) expect(printable(paint(text))).toContain(shown)
    },
  )
  it('no colour where there are none of ours', () => {
    expect(printablePlain('\x1b[31mred\x1b[39m\n')).toBe('\\x1b[31mred\\x1b[39m\n')
  })
  prop([anyText])('law 2: a JSON text keeps its value', (text) => {
    const shown = printableJson(JSON.stringify({ [text]: [text] }))
    expect(JSON.parse(shown)).toEqual({ [text]: [text] })
    expect(shown).not.toMatch(/[\n\t]/)
    expect(shown).not.toMatch(controls)
  })
})

describe('a launch file', () => {
  const module = '.version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x) {\nret;\n}'
  const launch = (change: Readonly<Record<string, unknown>>, tensor = 'x'): string =>
    JSON.stringify({
      grid: [1],
      block: [32],
      args: [{ kind: 'pointer', tensor, dtype: 'f32', shape: [4], role: 'out' }],
      outputs: [tensor],
      ...change,
    })
  const refusal = (text: string): string =>
    left(
      checkPtx(
        worldOf(
          inMemory(
            new Map([
              ['k.ptx', new TextEncoder().encode(module)],
              ['l.json', new TextEncoder().encode(text)],
            ]),
          ),
        ),
        'k.ptx',
        { launch: 'l.json' },
      ),
    ).message
  it.each(['x\nverdict ok', 'x\r', 'x\x1b[31m', '\u202ex', 'x\u2028'])('names no tensor %j', (name) => {
    expect(refusal(launch({}, name))).toContain('without control characters')
    expect(refusal(launch({ name }))).toContain('without control characters')
    expect(refusal(launch({ kernel: name }))).toContain('without control characters')
  })
})

describe('a name of a document is on one line', () => {
  const ran = async (file: string, text: string): Promise<string> => {
    const disk = new Map([[file, new TextEncoder().encode(text)]])
    const { status, stdout, stderr } = await running({ ...worldOf(inMemory(disk)), colours: true })(
      'check',
      file,
    )
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^tcspec: [^\n]+\n$/)
    return stderr
  }
  const ends = ['\n', '\r\n', '\r', '\u0085', '\u2028', '\u001b[32m']
  it.each(ends)('a program with %j in a name is refused', async (end) => {
    const { program } = right(kernelSubject('queue', { m: 16, n: 64, buffering: 2 }, [], []))
    const text = printJson(program)
    for (const name of ['queue', 'produced', 'producer'])
      expect(
        await ran('p.json', text.replaceAll(`"${name}"`, JSON.stringify(`${name}${end}verdict ok`))),
      ).toContain('without control characters')
  })
  it.each(ends)('a jaxpr with %j in a name is refused', async (end) => {
    const found: unknown = JSON.parse(
      readFileSync(new URL('../../../conformance/jaxpr/tutorial/matmul1.json', import.meta.url), 'utf8'),
    )
    const text = JSON.stringify(found)
    const name = /"operands":\[\{"name":"(\w+)"/.exec(text)![1]!
    expect(
      await ran('p.jaxpr.json', text.replaceAll(`"${name}"`, JSON.stringify(`${name}${end}verdict ok`))),
    ).toContain('without control characters')
  })
})
