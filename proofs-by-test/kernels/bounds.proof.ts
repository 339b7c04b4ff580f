import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  instanceOf,
  kernelNamed,
  kernels,
  type Kernel,
  type Settings,
} from '../../src/kernels/catalogue/index.js'
import { unit } from '../../src/numerics/unit.js'
import { launch, noArguments } from '../../src/semantics/execution/launch.js'
import { nightly } from '../extent.js'
import { right } from '../either.js'

const catalogue: ReadonlyArray<Kernel> = [
  ...kernels,
  right(kernelNamed('printed/matmul5')),
  right(kernelNamed('printed/matmul6')),
  right(kernelNamed('printed/wgmma-loop')),
]
const numbersOf = ({ parameters }: Kernel): ReadonlyArray<string> =>
  parameters.flatMap((p) => (typeof p.default === 'number' ? [p.name] : []))

/** The words that make a number count which the default does not look at. */
const wordsFor = (name: string): Settings =>
  name === 'left' || name === 'right'
    ? { mask: 'window' }
    : name === 'gridTileWidth'
      ? { order: 'planar-snake' }
      : {}
const given = (kernel: Kernel, name: string, value: number): Settings => {
  const words = Object.entries(wordsFor(name)).filter(([word]) =>
    kernel.parameters.some((p) => p.name === word),
  )
  return { ...Object.fromEntries(words), [name]: value }
}

/** The first refusal: of the settings, or of the launch; null where a run could begin. */
const refusal = (kernel: Kernel, settings: Settings): string | null => {
  const made = instanceOf(kernel, settings, [])
  if (E.isLeft(made)) return made.left.message
  const launched = launch(made.right.program, unit, noArguments)
  return E.isLeft(launched) ? launched.left.message : null
}

/** One line, short enough to be read. */
const expectLine = (line: string): void => {
  expect(line).not.toMatch(/[\r\n]/)
  expect(line.length).toBeLessThanOrEqual(3000)
}

describe('any number as any setting of any kernel', () => {
  const impossible = [-(2 ** 31) - 1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 32, 2 ** 53 - 1]
  it('what has no 32 bits is refused by its name, and nothing is made', () => {
    for (const kernel of catalogue)
      for (const name of numbersOf(kernel))
        for (const value of impossible) {
          const made = instanceOf(kernel, given(kernel, name, value), [])
          expect(E.isLeft(made) && made.left.message).toBe(
            `${kernel.name}: ${name}: expected an integer${Number.isInteger(value) ? ' of 32 bits' : ''}, found '${String(value)}'`,
          )
        }
  })
  const sizes = ['m', 'n', 'k', 'q', 'kv', 'heads', 'batch']
  // by day the sizes of one kernel of every family stand for the others
  const sample = ['hopper-persistent', 'matmul6', 'fa4-attention', 'fa3-attention', 'kv-pipeline', 'queue']
  it.each(
    catalogue.flatMap((kernel) =>
      numbersOf(kernel)
        .filter((name) => nightly || sample.includes(kernel.name) || !sizes.includes(name))
        .map((name) => [kernel.name, name, kernel] as const),
    ),
  )('%s %s: 0 and 2^31 - 1 (by night -1 and 2^20, too) are an instance or one line', (_, name, kernel) => {
    for (const value of nightly ? [0, -1, 2 ** 20, 2 ** 31 - 1] : [0, 2 ** 31 - 1]) {
      const why = refusal(kernel, given(kernel, name, value))
      if (why !== null) expectLine(why)
    }
  })
})

describe('arithmetic of settings', () => {
  const whyNot = (kernel: string, settings: Settings): string | null =>
    refusal(right(kernelNamed(kernel)), settings)
  it('a product that leaves 32 bits is refused, and the largest that does not is taken', () => {
    // two tiles of rows, four of columns: the major extent is 4
    expect(whyNot('matmul6', { gridTileWidth: 2 ** 31 - 1 })).toMatch(
      /tile_width is 2147483647, expected at most 536870911/,
    )
    expect(whyNot('matmul6', { gridTileWidth: 536870911 })).toBe(null)
    expect(whyNot('matmul4', { clusters: 2 ** 30 })).toBe(
      'matmul4: the settings are too large together: grid 0: A constant of i32 cannot be 2147483648',
    )
    expect(whyNot('fa3-attention', { heads: 2 ** 20 })).toMatch(
      /too large together: stride 0 of q: .* 17179869184$/,
    )
  })
  it('a window is no wider than positions have bits for', () => {
    expect(whyNot('fa3-attention', { mask: 'window', right: 2 ** 30 + 1 })).toMatch(
      /expected at most 1073741824 keys/,
    )
    expect(whyNot('fa3-attention', { mask: 'window', left: 2 ** 30, right: 2 ** 30 })).toBe(null)
  })
  it('slots are counted before one of them is made', () => {
    expect(whyNot('fa4-attention', { stages: 2 ** 31 - 1 })).toMatch(
      /expected at most 7, the tiles that shared/,
    )
    expect(whyNot('kv-pipeline', { stages: 2 ** 20 })).toMatch(/expected at most 28, the tiles that shared/)
  })
  it('a list of what would do is cut short', () => {
    const why = whyNot('hopper-matmul', { k: 16 * 720720, tileK: 17 })
    expect(why).toMatch(/which is 11531520: 16, 32, .*, \.\.\., 11531520$/)
    expectLine(why ?? '')
  })
})
