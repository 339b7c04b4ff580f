/**
 * What crosses the border as JSON comes back as it was: layouts, arrays with their transforms, programs, launches, verdicts, traces. And what a published
 * schema takes is taken, and written again as it was read.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allocation,
  cuteLayout,
  linearLayout,
  linearSizes,
  program,
  registerLayout,
} from '../../src/arbitraries/index.js'
import { parseLayout, showLayout } from '../../src/layouts/cute/text.js'
import { decodeDescription, descriptionOf, descriptionWire, resolve } from '../../src/layouts/description.js'
import { encodingWire } from '../../src/layouts/encoding-wire.js'
import { listingOf } from '../../src/layouts/listing.js'
import { givenSchemas } from '../../src/oracle/documents.js'
import { documentWire } from '../../src/dialects/jaxpr/index.js'
import { decodeLaunch, launchWire } from '../../src/oracle/launch/file.js'
import { hostWire } from '../../src/oracle/host/file.js'
import { ptxLaunchWire } from '../../src/oracle/launch/ptx-file.js'
import { lineWire } from '../../src/oracle/sweep/results.js'
import { sweepWire } from '../../src/oracle/sweep/spec.js'
import { baselineWire } from '../../src/semantics/files/accept-codec.js'
import { parseProgram, printJson } from '../../src/semantics/files/codec.js'
import { headerWire } from '../../src/semantics/files/trace/index.js'
import { arrayOf, arrayWire, decodeArray, describeArray, sharedArray } from '../../src/transforms/array.js'
import { read, schemaOf, type AnyWire } from '../../src/wire.js'
import { code, right } from '../either.js'
import { nightly } from '../extent.js'
import { inMemory } from './disk.js'
import { documentOf } from './of-schema.js'
import { running, worldOf } from './world.js'

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const runs = (by: number): { readonly numRuns: number } => ({
  numRuns: nightly ? 20 * by : Math.ceil(by / 2),
})

describe('what a published schema takes, the codec takes, and writes it again as it was', () => {
  const given: Readonly<Record<string, AnyWire>> = {
    'accept.schema.json': baselineWire,
    'jaxpr.schema.json': documentWire,
    'launch.schema.json': launchWire,
    'ptx-launch.schema.json': ptxLaunchWire,
    'host.schema.json': hostWire,
    'layout-description.schema.json': descriptionWire,
    'encoding.schema.json': encodingWire,
    'array.schema.json': arrayWire,
    'sweep.schema.json': sweepWire,
    'sweep-results.schema.json': lineWire,
  }
  const headers = { 'the header of a trace': schemaOf('tcspec.trace/1', headerWire) }
  it('there is a codec for every schema', () => {
    expect(Object.keys(givenSchemas).sort()).toEqual(Object.keys(given).sort())
  })
  it.each(Object.entries({ ...givenSchemas, ...headers }))('%s', (file, schema) => {
    const { codec, ...rest } = given[file] ?? headerWire
    const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(schema as object)
    fc.assert(
      fc.property(documentOf(schema), (document) => {
        expect([validate(document), validate.errors]).toEqual([true, null])
        const decoded = right(read({ codec, ...rest })(asJson(document)))
        expect(asJson(codec.encode(decoded))).toEqual(asJson(document))
      }),
      runs(25),
    )
  })
})

describe('layouts', () => {
  it('every layout is told by its formula, and comes back with every place', () => {
    fc.assert(
      fc.property(registerLayout(), ({ layout, shape }) => {
        const told = asJson(descriptionOf(layout))
        const d = right(decodeDescription(told))
        expect(asJson(d)).toEqual(told)
        const { listing, layout: again } = right(resolve(d, shape))
        expect(listing).toEqual(right(listingOf(layout, shape)))
        expect(descriptionOf(again!)).toEqual(d)
      }),
      runs(25),
    )
  })
  it('a linear one by its bases', () => {
    fc.assert(
      fc.property(linearSizes().chain(linearLayout), (layout) => {
        const d = right(decodeDescription(asJson(descriptionOf({ ...layout, _tag: 'linear' }))))
        expect(d).toEqual(descriptionOf({ ...layout, _tag: 'linear' }))
      }),
      runs(15),
    )
  })
  it("one of CuTe's by its text", () => {
    fc.assert(
      fc.property(cuteLayout(), (l) => {
        expect(right(parseLayout(JSON.parse(JSON.stringify(showLayout(l)))))).toEqual(l)
      }),
      runs(25),
    )
  })
})

describe('arrays in shared memory', () => {
  it('laws 1 and 2: an array comes back, and so does its description', () => {
    fc.assert(
      fc.property(allocation(), ({ shape, bits, transforms }) => {
        const array = right(sharedArray(shape, bits, transforms))
        const told = describeArray(array)
        expect(right(decodeArray(asJson(told)))).toEqual(array)
        expect(describeArray(right(arrayOf(told)))).toEqual(told)
      }),
      runs(25),
    )
  })
  it.each([
    [
      'a form that it has not',
      { shape: [8], bits: 16 },
      'array.form',
      '$.transforms: expected an array, found nothing',
    ],
    [
      'no such kind',
      { shape: [8], bits: 16, transforms: [{ kind: 'tiled' }] },
      'array.form',
      '$.transforms[0].kind',
    ],
    [
      'no such span',
      { shape: [8], bits: 16, transforms: [{ kind: 'swizzle', bytes: 48 }] },
      'array.form',
      'one of 16, 32, 64, 128',
    ],
    [
      'no permutation',
      { shape: [8, 8], bits: 16, transforms: [{ kind: 'transpose', permutation: [0, 0] }] },
      'transpose.not-a-permutation',
      '',
    ],
    ['an extent of zero', { shape: [0], bits: 16, transforms: [] }, 'ref.shape', 'Extents must be positive'],
    [
      'a tile that does not divide',
      { shape: [8, 8], bits: 16, transforms: [{ kind: 'tile', tiling: [[3, 8]] }] },
      'tile.not-divisible',
      '',
    ],
    [
      'too large',
      { shape: [2 ** 30, 2 ** 30], bits: 16, transforms: [] },
      'array.size',
      '4194304 elements and 268435456 bits, found 1073741824x1073741824 of 16 bits',
    ],
    [
      'few elements that are too wide',
      { shape: [4], bits: 2 ** 30, transforms: [] },
      'array.size',
      '4194304 elements and 268435456 bits, found 4 of 1073741824 bits',
    ],
  ])('law 3: %s', (_, json, expected, says) => {
    const answer = decodeArray(json)
    expect(code(answer)).toBe(expected)
    expect(E.isLeft(answer) ? answer.left.message : '').toContain(says)
  })
  it('what `transform` prints is what it takes', async () => {
    const disk = new Map<string, Uint8Array>()
    const world = worldOf(inMemory(disk))
    const run = running(world)
    const words = ['tile=8x64', 'swizzle=128', '--shape', '16x128', '--dtype', 'f16']
    const told = await run('transform', ...words, '--json')
    const { array } = JSON.parse(told.stdout)
    disk.set('array.json', new TextEncoder().encode(JSON.stringify(array)))
    const again = await run('transform', 'array.json', '--json')
    expect(again).toEqual(told)
    expect(await run('transform', JSON.stringify(array), '--json')).toEqual(told)
    expect(await run('linear', 'array.json')).toEqual({
      ...(await run('linear', ...words)),
      stdout: expect.stringContaining('offset 2048'),
    })
    expect((await run('banks', 'WGMMA', 'array.json', '--shape', '64x16')).stderr).toContain(
      'array.json: expected the shape (64, 16), found',
    )
    expect((await run('transform', 'array.json', '--bits', '16')).stderr).toContain('--bits: expected none')
  })
})

describe('programs and launches', () => {
  it('a program through its text', () => {
    fc.assert(
      fc.property(program(), (p) => {
        expect(right(parseProgram(printJson(p)))).toEqual(p)
        expect(printJson(right(parseProgram(printJson(p))))).toBe(printJson(p))
      }),
      runs(10),
    )
  })
  it('a launch through its text', () => {
    fc.assert(
      fc.property(documentOf(givenSchemas['launch.schema.json']!), (launch) => {
        expect(pipe(decodeLaunch(JSON.stringify(launch)), E.map(asJson))).toEqual(E.right(asJson(launch)))
      }),
      runs(15),
    )
  })
})
