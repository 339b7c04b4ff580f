/** The table of scalar operations and the laws of its rows. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  rest,
  scalarOperation,
  scalarOperations,
  widthOf,
  wordsOf,
  type ScalarType,
} from '../../../src/numerics/scalar/index.js'
import { sampled } from '../../extent.js'
import { generator } from '../exact.js'

const next = generator(3)

/** The words that a type may have in a result. */
const isNormal = (type: ScalarType, word: number): boolean => {
  const width = widthOf(type)
  if ((word | 0) !== word) return false
  if (width >= 32) return true
  if (type === 's8' || type === 's16') return (word << (32 - width)) >> (32 - width) === word
  return word >>> 0 < 2 ** width
}

const operand = (type: ScalarType): number[] =>
  type === 'pred' ? [next() & 1] : Array.from({ length: wordsOf(type) }, () => next() | 0)

/** The same operand with other bits above it. */
const dirtied = (type: ScalarType, words: readonly number[]): readonly number[] => {
  const width = widthOf(type)
  return width === 8 || width === 16 ? [words[0]! ^ (next() << width)] : words
}

describe('the table', () => {
  it('has every name once, and no other is found', () => {
    expect(new Set(scalarOperations.map(({ name }) => name)).size).toBe(scalarOperations.length)
    expect(scalarOperation('add.s32')?.compute(2, 3)).toBe(5)
    expect(scalarOperation('add.s31')).toBeUndefined()
  })

  it('has every form that a kernel of the capture asks an H100 for, with its operands and results', () => {
    const captured = new Set(
      readFileSync(new URL('../../../conformance/hopper/ptx/forms.txt', import.meta.url), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    )
    const ours = scalarOperations.map(
      ({ name, operands, results }) => `${name} ${operands.join(',')} ${results.join(',')}`,
    )
    // instructions of lanes, bytes of bf16 and what only Blackwell has, which no kernel of the capture has: `video.proof.ts`, `bytes.proof.ts`
    const others = ours.filter((line) => !captured.has(line))
    const elsewhere =
      /^v(?:add|sub|avrg|absdiff|min|max|set)[24]\.|^cvt\.\w+\.(?:[us]8\.bf16|bf16\.[us]8) |^cvt\..*(?:e2m1|e2m3|e3m2|ue8m0)x2/u
    expect(others.filter((line) => !elsewhere.test(line))).toEqual([])
    const known = new Set(ours)
    const lacking = [...captured].flatMap((line) => (known.has(line) ? [] : [line.split(' ')[0]!]))
    expect(lacking).toEqual([])
  })

  it('results are normal words, and depend on nothing but the operands', () => {
    for (const { name, operands, results, compute } of sampled(3, scalarOperations))
      for (let trial = 0; trial < 4; trial++) {
        const words = operands.map(operand)
        const call = (given: readonly (readonly number[])[]): number[] => {
          rest.fill(0x5a5a5a5a)
          const first = compute(...given.flat())
          const count = results.reduce((n, type) => n + wordsOf(type), 0)
          return [first, ...rest.subarray(0, count - 1)]
        }
        const answer = call(words)
        const shown = `${name} ${words.flat().join(' ')}`
        const types = results.flatMap((type) => Array.from({ length: wordsOf(type) }, () => type))
        expect(
          answer.every((word, i) => isNormal(types[i]!, word)),
          `${shown} = ${answer.join(' ')}`,
        ).toBe(true)
        expect(call(operands.map((type, i) => dirtied(type, words[i]!))), shown).toEqual(answer)
      }
  })
})
