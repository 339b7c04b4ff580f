/** Every scalar opcode form as an H100 executes it: every captured bit. */
import { describe, expect, it } from 'vitest'
import { rest, scalarOperation, widthOf } from '../../../src/numerics/scalar/index.js'
import { nightly } from '../../extent.js'
import { capturedForms } from './captured.js'

/** By day every so-manieth tuple. */
const step = nightly ? 1 : 19

const hex = (x: number): string => (x >>> 0).toString(16)

describe('captured on an H100', () => {
  it('every bit of every form', () => {
    const different: string[] = []
    let start = 0
    for (const { name, extra, inputs, results } of capturedForms()) {
      start = (start + 1) % step
      const row = scalarOperation(name)
      if (row === undefined) continue
      const [subtracts, carries] = [
        name.startsWith('sub'),
        row.results.at(-1) === 'pred' && name.includes('.cc'),
      ]
      // `subc` shows a carry as none; its own is set by a difference
      const shownByNone = carries && subtracts !== (extra === 'mixed')
      const mask = widthOf(row.results[0]!) === 16 ? 0xffff : -1
      for (let i = start; i < inputs.length; i += step) {
        const words = inputs[i]!
        const given =
          typeof extra === 'number'
            ? [...words.slice(0, 3), extra, ...words.slice(4)]
            : name.startsWith('subc')
              ? [...words.slice(0, -1), 1 - words.at(-1)!]
              : words
        const first = row.compute(...given)
        if (shownByNone) rest[results.length - 2] = 1 - rest[results.length - 2]!
        const same = results.every(
          (plane, w) => ((w === 0 ? first : rest[w - 1]!) & mask) === (plane[i]! & mask),
        )
        if (same) continue
        const got = results.map((_, w) => hex(w === 0 ? first : rest[w - 1]!))
        different.push(
          `${name}(${given.map(hex).join(' ')}) = ${got.join(' ')}, chip ${results.map((p) => hex(p[i]!)).join(' ')}`,
        )
        break
      }
    }
    expect(different).toEqual([])
  })
})
