import { describe, expect, test } from 'vitest'
import { families, nameOf, parseName } from '../../src/layouts/named.js'
import * as Tiled from '../../src/layouts/tiled.js'
import type { TiledLayout } from '../../src/layouts/tiled.js'
import { code, right } from '../either.js'

const message = (text: string): string => {
  const result = parseName(text)
  return result._tag === 'Left' ? result.left.message : ''
}

describe('law 1: a name and back', () => {
  const all: Readonly<Record<string, TiledLayout>> = {
    ...Tiled.named,
    'TMEM_NATIVE(1)': right(Tiled.TMEM_NATIVE(1)),
    'TMEM_NATIVE(3)': right(Tiled.TMEM_NATIVE(3)),
    'TCGEN05_M64_COLLECTIVE(48)': right(Tiled.TCGEN05_M64_COLLECTIVE(48)),
    'MMA_LHS(4, 1)': right(Tiled.MMA_LHS(4, 1)),
    'MMA_LHS(8, 4)': right(Tiled.MMA_LHS(8, 4)),
    'MMA_LHS(16, 2)': right(Tiled.MMA_LHS(16, 2)),
    'MMA_RHS(32, 1)': right(Tiled.MMA_RHS(32, 1)),
    'MMA_RHS(8, 4)': right(Tiled.MMA_RHS(8, 4)),
    'MMA_RHS(16, 2)': right(Tiled.MMA_RHS(16, 2)),
    'MMA_ACC(1)': right(Tiled.MMA_ACC(1)),
    'MMA_ACC(2)': right(Tiled.MMA_ACC(2)),
  }
  test.each(Object.entries(all))('%s', (name, layout) => {
    expect(nameOf(layout)).toBe(name)
    expect(right(parseName(name))).toEqual(layout)
    expect(right(parseName(`plgpu.Layout.${name}`))).toEqual(layout)
  })

  test('one name where several denote the same data, none for others', () => {
    expect(nameOf(right(Tiled.MMA_ACC(4)))).toBe('WGMMA')
    expect(nameOf(Tiled.TCGEN05_COL)).toBe('WGMMA_COL')
    const other = {
      tiling: [
        [128, 4],
        [64, 4],
        [32, 2],
      ],
      warpDims: [-6, -4],
      laneDims: [-2],
      vectorDim: -1,
    }
    expect(nameOf(right(Tiled.canonicalize(other)))).toBeNull()
    expect(
      nameOf(
        right(
          Tiled.canonicalize({
            tiling: [[128]],
            warpDims: [Tiled.replicated(4)],
            laneDims: [Tiled.replicated(32)],
            vectorDim: -1,
          }),
        ),
      ),
    ).toBeNull()
  })
})

test('law 2: every family by its example', () => {
  expect(families.map(({ example }) => right(parseName(example))._tag)).toEqual(
    families.map(({ name }) => (name === 'WG_STRIDED' ? 'strided' : name === 'WG_SPLAT' ? 'splat' : 'tiled')),
  )
  for (const { name, example, summary } of families) {
    expect(example.startsWith(name)).toBe(true)
    expect(summary.length).toBeGreaterThan(0)
  }
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  expect(right(parseName('WG_STRIDED((64, 16), 2)'))).toEqual({
    _tag: 'strided',
    shape: [64, 16],
    vectorLength: 2,
  })
  expect(right(parseName('WG_SPLAT((64,8))'))).toEqual({ _tag: 'splat', shape: [64, 8] })
  expect(right(parseName('WG_SPLAT(())'))).toEqual({ _tag: 'splat', shape: [] })
  expect(right(parseName('MMA_LHS(16, 4)'))).toEqual(right(Tiled.MMA_LHS(16, 4)))
  expect(right(parseName('MMA_RHS(8, 2)'))).toEqual(right(Tiled.MMA_RHS(8, 2)))
})

test('law 3: older names and reductions', () => {
  for (const [older, today] of [
    ['WGMMA_ROW', 'WGMMA.reduce(1)'],
    ['WGMMA_COL', 'WGMMA.reduce(0)'],
    ['WGMMA_COL', 'WGMMA.reduce((0,))'],
    ['TCGEN05_ROW', 'TCGEN05.reduce(1)'],
    ['TCGEN05_COL', 'TCGEN05.reduce(0)'],
    ['TMEM_NATIVE', 'TMEM_NATIVE(2)'],
  ] as const)
    expect(right(parseName(older))).toEqual(right(parseName(today)))
})

test('law 2: refused', () => {
  expect(families.map(({ name }) => [name, code(parseName(`${name}(1, 2, 3, 4)`))])).toEqual(
    families.map(({ name }) => [name, 'name.arguments']),
  )
  for (const text of [
    'TMEM_NATIVE((2,))',
    'TMEM_NATIVE(2, 2)',
    'MMA_LHS(16)',
    'MMA_LHS((16,), 4)',
    'TCGEN05_M64_COLLECTIVE',
    'WG_STRIDED(64, 2)',
    'WG_STRIDED((64, 2))',
    'WG_STRIDED((64, 2), (2,))',
    'WG_STRIDED((64, 2), 1, 1)',
    'WG_SPLAT',
    'WG_SPLAT(8)',
    'WG_SPLAT((8,), 1)',
    'WG_SPLAT((0, 8))',
    'WGMMA.reduce',
    'WGMMA.reduce(0, 1)',
    'WG_SPLAT((8,)).reduce(0)',
  ])
    expect([text, code(parseName(text))]).toEqual([text, 'name.arguments'])
  expect(code(parseName('WGMMA.transpose(0)'))).toBe('name.unknown')
  expect(code(parseName('WGMMA('))).toBe('name.syntax')
  expect(code(parseName('WGMMA.reduce(7)'))).toBe('tiled.reduce-axis')
  expect(code(parseName('TMEM_NATIVE(0)'))).toBe('tile.not-positive')
  expect(code(parseName('TCGEN05_M64_COLLECTIVE(24)'))).toBe('tiled.parameter')
  expect(code(parseName('WG_STRIDED((64, 3), 2)'))).toBe('strided.not-divisible')
  expect(message('WGMA')).toBe('no layout named WGMA; did you mean WGMMA, WGMMA_ROW or WGMMA_COL?')
  expect(message('tmem_nativ')).toMatch(/; did you mean TMEM_NATIVE, /)
  expect(message('WGMMA(1)')).toBe('WGMMA: expected no arguments, found (1)')
  expect(message('MMA_LHS')).toBe('MMA_LHS: expected (bits, mWarps), found none')
  expect(message('WG_STRIDED(3)')).toBe('WG_STRIDED: expected (shape, vectorLength), found (3)')
  expect(message('WGMMA.reduce(0, 1)')).toBe('reduce: expected (axes), found (0; 1)')
})
