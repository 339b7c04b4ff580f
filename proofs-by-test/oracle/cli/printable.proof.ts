import { describe, expect, it } from 'vitest'
import { paletteOf } from '../../../src/oracle/cli/colours.js'
import { printable, printableJson, printablePlain } from '../../../src/oracle/cli/printable.js'
import { checkPtx } from '../../../src/oracle/cli/ptx.js'
import { left } from '../../either.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'
import { anyText, prop } from '../../prop.js'

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]`)
const colour = new RegExp(String.raw`\x1b\[\d+m`, 'g')

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
  it('every colour of our palette', () => {
    const text = Object.values(paletteOf({ colours: true }))
      .filter((paint) => typeof paint === 'function')
      .map((paint) => paint('x'))
      .join('')
    expect(text).toContain('\x1b[')
    expect(printable(text)).toBe(text)
  })
  prop([anyText])('law 1: no control but newline, tab and colours is left, and twice is once', (text) => {
    const once = printable(text)
    expect(once.replaceAll(colour, '')).not.toMatch(controls)
    expect(printable(once)).toBe(once)
  })
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
