/**
 * Encodings of a text. Oracle: Triton's own linear layouts of a hundred encodings of tensors (`conformance/triton/encodings.py`); those of buffers by hand, field by field.
 */
import * as E from 'fp-ts/lib/Either.js'
import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import {
  registerEncoding,
  resolved,
  sharedEncoding,
  tensorMemoryEncoding,
} from '../../../src/dialects/ttgir/elaboration/encodings.js'
import { showModule, readModule } from '../../../src/dialects/ttgir/index.js'
import type { Attribute, Module } from '../../../src/dialects/ttgir/text/syntax.js'
import { onShape } from '../../../src/layouts/triton/to-linear.js'
import { right } from '../../either.js'

/** A module that says the attribute as an alias, and the alias. */
const said = (encoding: string, more: string = ''): { readonly module: Module; readonly at: Attribute } => ({
  module: right(readModule(`${more}#e = ${encoding}\nmodule {\n}\n`)),
  at: { _tag: 'alias', name: 'e' },
})

interface Linear {
  readonly encoding: string
  readonly shape: ReadonlyArray<number>
  readonly register: ReadonlyArray<ReadonlyArray<number>>
  readonly lane: ReadonlyArray<ReadonlyArray<number>>
  readonly warp: ReadonlyArray<ReadonlyArray<number>>
  readonly block: ReadonlyArray<ReadonlyArray<number>>
}
const known = JSON.parse(
  readFileSync(new URL('../../../conformance/triton/encodings.json', import.meta.url), 'utf8'),
) as ReadonlyArray<Linear>

describe('tensors lie where Triton has them', () => {
  test.each(known.map((one) => [one.encoding, one.shape.join('x'), one] as const))(
    '%s on %s',
    (encoding, _, { shape, register, lane, warp, block }) => {
      const { module, at } = said(encoding)
      const layout = right(onShape(right(registerEncoding(module, at)))(shape))
      expect(Object.fromEntries(layout.inputs.map(({ name, bases }) => [name, bases]))).toEqual({
        register,
        lane,
        warp,
        block,
      })
    },
  )
  it('all kinds are among them', () => {
    const kinds = new Set(known.map(({ encoding }) => /^#ttg\.(\w+)/.exec(encoding)![1]))
    expect([...kinds].sort()).toEqual(['blocked', 'dot_op', 'linear', 'nvidia_mma', 'slice'])
  })
})

test('written alike in two modules it is one object, and written otherwise it is another', () => {
  const found = (text: string, name: string): unknown => {
    const module = right(readModule(`#${name} = ${text}\nmodule {\n}\n`))
    return right(registerEncoding(module, { _tag: 'alias', name }))
  }
  for (const { encoding } of known) expect(found(encoding, 'e')).toBe(found(encoding, 'other'))
  expect(new Set(known.map(({ encoding }) => found(encoding, 'e'))).size).toBe(
    new Set(known.map(({ encoding }) => encoding)).size,
  )
})

describe('buffers are what is said', () => {
  const shared = (text: string): unknown => {
    const { module, at } = said(text)
    return right(sharedEncoding(module, at))
  }
  const tensorMemory = (text: string): unknown => {
    const { module, at } = said(text)
    return right(tensorMemoryEncoding(module, at))
  }
  test('swizzled_shared, nvmma_shared', () => {
    expect(shared('#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>')).toEqual({
      _tag: 'swizzled_shared',
      vec: 8,
      perPhase: 2,
      maxPhase: 4,
      order: [1, 0],
    })
    expect(
      shared(
        '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1]]}>',
      ),
    ).toEqual({
      _tag: 'nvmma_shared',
      swizzlingByteWidth: 128,
      transposed: true,
      elementBitWidth: 8,
      fp4Padded: true,
      cgaBases: [[0, 1]],
    })
  })
  test('shared_linear, 16 bytes apart if nothing is said', () => {
    expect(shared('#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = []}>')).toMatchObject({
      offsetBases: [
        [0, 1],
        [1, 0],
      ],
      alignment: 16,
    })
    const written = '#ttg.shared_linear<{offset = [[0, 1]], block = []}, alignment = 128>'
    expect(shared(written)).toMatchObject({ alignment: 128 })
    expect(showModule(said(written).module)).toContain(written)
  })
  test('tensor memory', () => {
    expect(
      tensorMemory('#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 2, twoCTAs = true>'),
    ).toEqual({
      _tag: 'tensor_memory',
      blockM: 64,
      blockN: 32,
      colStride: 2,
      twoCTAs: true,
      fp4Padded: false,
    })
    expect(tensorMemory('#ttng.tensor_memory_scales_encoding<>')).toEqual({ _tag: 'tensor_memory_scales' })
  })
})

describe('what is no encoding is refused in words', () => {
  const blocked = '#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>'
  it.each([
    [
      blocked.replace('sizePerThread = [1], ', ''),
      'expected sizePerThread = a list of numbers, found nothing',
    ],
    [blocked.replace('[32]', '32'), 'expected threadsPerWarp = a list of numbers, found 32'],
    ['#ttg.slice<{dim = 0}>', 'expected parent = an encoding, found nothing'],
    [
      '#ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>',
      'expected versionMajor = 2 or 3, found 5',
    ],
    [
      `#ttg.dot_op<{opIdx = 2, parent = ${blocked}}>`,
      'expected operand 0 or 1 of an nvidia_mma or a blocked parent',
    ],
    ['#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>', 'an encoding of a tensor'],
  ])('%s', (text, message) => {
    const { module, at } = said(text)
    const found = registerEncoding(module, at)
    expect(E.isLeft(found) ? found.left.code : '').toBe('ttgir.encoding')
    expect(E.isLeft(found) ? found.left.message : '').toContain(message)
  })
  it('none', () => {
    const { module } = said(blocked)
    expect(E.isLeft(registerEncoding(module, null))).toBe(true)
    expect(E.isLeft(sharedEncoding(module, { _tag: 'unit' }))).toBe(true)
  })
})

test('an alias of an alias is what it stands for', () => {
  const { module, at } = said('#f', '#f = #ttg.shared_memory\n')
  expect(resolved(module, at)).toMatchObject({ _tag: 'dialect', name: 'ttg.shared_memory' })
})
