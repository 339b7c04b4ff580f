/** `Layout`: the names of Pallas denote what `layouts/named.ts` reads them as. */
import { expect, test } from 'vitest'
import { Layout } from '../../../src/dialects/pallas/index.js'
import * as Ttng from '../../../src/dialects/ttng/index.js'
import { parseName } from '../../../src/layouts/named.js'
import { right } from '../../either.js'

test('every name', () => {
  const { TCGEN05_M64_COLLECTIVE, TCGEN05_TMEM_NATIVE, WG_SPLAT, WG_STRIDED, ...constants } = Layout
  for (const [name, layout] of Object.entries(constants)) expect(right(parseName(name)), name).toEqual(layout)
  expect(Object.keys(constants).length).toBe(8)
  expect(TCGEN05_M64_COLLECTIVE(64)).toEqual(parseName('TCGEN05_M64_COLLECTIVE(64)'))
  expect(TCGEN05_TMEM_NATIVE(2)).toEqual(parseName('TMEM_NATIVE(2)'))
  expect(WG_SPLAT([64, 8])).toEqual(right(parseName('WG_SPLAT((64, 8))')))
  expect(WG_STRIDED([64, 16], 2)).toEqual(parseName('WG_STRIDED((64, 16), 2)'))
})

test('of ttng: the encodings, and which are legal', () => {
  const scales: Ttng.TensorMemoryScales = { _tag: 'tensor_memory_scales', blockRepOrder: 'kThenMn' }
  expect(right(Ttng.encoding(scales))).toEqual(scales)
  expect(
    Ttng.isEncoding({
      _tag: 'dot_operand',
      opIdx: 0,
      kWidth: 2,
      parent: {
        _tag: 'blocked',
        sizePerThread: [1, 1],
        threadsPerWarp: [4, 8],
        warpsPerCTA: [4, 1],
        order: [1, 0],
      },
    }),
  ).toBe(false)
})
