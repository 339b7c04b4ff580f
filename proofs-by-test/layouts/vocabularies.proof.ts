/** The same layout in several vocabularies: every word that is found, read again, is the same layout. */
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { encodingOfText } from '../../src/dialects/ttgir/index.js'
import { decodeDescription, descriptionOf, ownShape, resolve } from '../../src/layouts/description.js'
import { showLayout } from '../../src/layouts/cute/index.js'
import { describeEncoding, distributedOf } from '../../src/layouts/encoding-wire.js'
import { differences, listing, listingOf, type Listing } from '../../src/layouts/listing.js'
import { families, parseName } from '../../src/layouts/named.js'
import type { DistributedSpec } from '../../src/layouts/triton/encoding.js'
import { encodingText } from '../../src/layouts/triton/text.js'
import { linearOfListing, vocabulariesOf } from '../../src/layouts/vocabularies.js'
import { right } from '../either.js'
import { sampled } from '../extent.js'

const same = (a: Listing, b: Listing): void => {
  expect(right(differences(a, b))).toEqual({ count: 0, first: null })
  expect(a.registers).toBe(b.registers)
}
const described = (json: unknown, shape: ReadonlyArray<number>): Listing =>
  right(resolve(right(decodeDescription(JSON.parse(JSON.stringify(json)))), shape)).listing

describe('law 1: every word is the layout', () => {
  it.each(
    sampled(
      3,
      families.map(({ example }) => example),
    ),
  )('%s', (example) => {
    const layout = right(parseName(example))
    const shape = ownShape(layout)
    const listed = right(listingOf(layout, shape))
    const found = vocabulariesOf(listed, layout)
    expect(found.names).toContain(example)
    for (const name of found.names) same(right(listingOf(right(parseName(name)), shape)), listed)
    if (found.mosaic !== null) same(described(descriptionOf(found.mosaic), shape), listed)
    for (const spec of found.triton) {
      const again = right(encodingOfText(encodingText(spec)))
      same(described(describeEncoding(again as DistributedSpec), shape), listed)
    }
    if (found.cute !== null)
      same(
        described({ kind: 'cute_tv', layout: showLayout(found.cute), positions: 'column-major' }, shape),
        listed,
      )
    expect(found.linear === null).toBe(layout._tag === 'splat')
  })
  it('WGMMA is wgmma’s accumulator of Triton and its fragment of CuTe', () => {
    const layout = right(parseName('WGMMA'))
    const found = vocabulariesOf(right(listingOf(layout, [64, 16])), layout)
    expect(found.names).toContain('WGMMA')
    expect(encodingText(found.triton[0]!)).toBe(
      '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 16, 16]}>',
    )
    expect(showLayout(found.cute!)).toBe('((4,8,4),(2,2,2)):((128,1,16),(64,8,512))')
  })
  it('and by an encoding it is found by its name, whoever said it', () => {
    const listed = described(
      {
        kind: 'slice',
        dim: 1,
        parent: { kind: 'nvidia_mma', versionMajor: 3, instrShape: [16, 64, 16], warpsPerCTA: [4, 1] },
      },
      [64],
    )
    expect(vocabulariesOf(listed, null).names).toEqual(['WGMMA_ROW'])
    const operand = described(
      {
        kind: 'dot_operand',
        opIdx: 0,
        kWidth: 2,
        parent: { kind: 'nvidia_mma', versionMajor: 2, instrShape: [16, 8], warpsPerCTA: [4, 1] },
      },
      [64, 16],
    )
    expect(vocabulariesOf(operand, null).triton.map(({ _tag }) => _tag)).toContain('dot_operand')
  })
})

describe('law 2: bases of a listing', () => {
  it('a listing that is not linear has none', () => {
    const layout = right(parseName('WGMMA'))
    const listed = right(listingOf(layout, [64, 8]))
    expect(O.isSome(linearOfListing(listed))).toBe(true)
    const positions = listed.positions.slice()
    ;[positions[3], positions[5]] = [positions[5]!, positions[3]!]
    const mixed = right(listing([64, 8], 4, 32, 4, positions))
    expect(linearOfListing(mixed)).toEqual(O.none)
    expect(vocabulariesOf(mixed, null)).toEqual({
      names: [],
      mosaic: null,
      triton: [],
      cute: null,
      linear: null,
    })
  })
})

describe('the text of an encoding', () => {
  const specs: ReadonlyArray<DistributedSpec> = [
    { _tag: 'blocked', sizePerThread: [1, 8], threadsPerWarp: [8, 4], warpsPerCTA: [4, 1], order: [1, 0] },
    {
      _tag: 'blocked',
      sizePerThread: [1],
      threadsPerWarp: [32],
      warpsPerCTA: [4],
      order: [0],
      cgaBases: [[1]],
    },
    { _tag: 'nvidia_mma', versionMajor: 3, versionMinor: 0, warpsPerCTA: [4, 1], instrShape: [16, 64, 16] },
    {
      _tag: 'dot_operand',
      opIdx: 1,
      kWidth: 2,
      parent: {
        _tag: 'nvidia_mma',
        versionMajor: 2,
        versionMinor: 0,
        warpsPerCTA: [2, 2],
        instrShape: [16, 8],
      },
    },
    {
      _tag: 'slice',
      dim: 0,
      parent: {
        _tag: 'blocked',
        sizePerThread: [1, 8],
        threadsPerWarp: [8, 4],
        warpsPerCTA: [4, 1],
        order: [1, 0],
      },
    },
  ]
  it.each(specs.map((spec) => [encodingText(spec), spec] as const))('%s is read again', (text, spec) => {
    expect(right(encodingOfText(text))).toEqual(spec)
    expect(right(distributedOf(describeEncoding(spec)))).toMatchObject(spec)
  })
  it('definitions before it are its aliases; what is none is refused in a line', () => {
    const [, , mma] = specs
    expect(
      right(encodingOfText(`#mma = ${encodingText(mma!)}\n#row = #ttg.slice<{dim = 1, parent = #mma}>`)),
    ).toEqual({ _tag: 'slice', dim: 1, parent: mma })
    for (const text of [
      '#',
      '#ttg.nonsense<{}>',
      '#ttg.blocked<{sizePerThread = [3]}>',
      '#a = #a',
      '#x = 1 module {}',
    ])
      expect([text, E.isLeft(encodingOfText(text))]).toEqual([text, true])
    expect(encodingOfText(`#ttg.blocked<{${'['.repeat(70_000)}`)).toMatchObject({
      left: { code: 'ttgir.encoding' },
    })
    expect(E.isLeft(encodingOfText(`#ttg.blocked<{a = ${'['.repeat(60_000)}`))).toBe(true)
  })
})
