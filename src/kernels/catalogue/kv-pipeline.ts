/** The KV pipeline by name. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { kvPipelineKernel } from '../attention/kv-pipeline.js'
import { bad, count, integerOr, size, word, type Kernel } from './model.js'
import { positive } from './tiles.js'

const name = 'kv-pipeline'

export const kvPipeline: Kernel = {
  name,
  summary:
    'sums of q k^T and of q v^T over the tiles of k and v: the ring of FA4 between its load warp and its MMA warp, alone (Mojo)',
  parameters: [
    size('q', 128, 'rows of q: 128'),
    size('kv', 640, 'rows of k and v: a multiple of blockKv'),
    size('headDim', 64, 'length of a row: 64 or 128'),
    size('blockKv', 64, 'rows of k and v of a tile: a multiple of 16 up to 128'),
    count('stages', 3, 'slots', 'slots of the ring, or of both rings together'),
    word('rings', ['shared', 'separate'], 'one ring for k and v, or one each, of half the slots'),
    word('release', ['commit', 'arrive'], 'when a slot is released: after its products, or too early'),
    word('dtype', ['f16', 'bf16'], 'element type of q, k and v; sums are f32'),
  ],
  tensors: [
    { name: 'q', role: 'in', axes: ['q', 'headDim'] },
    { name: 'k', role: 'in', axes: ['kv', 'headDim'] },
    { name: 'v', role: 'in', axes: ['kv', 'headDim'] },
    { name: 'qk', role: 'out', axes: ['q', 'blockKv'] },
    { name: 'qv', role: 'out', axes: ['q', 'blockKv'] },
  ],
  dtype: 'dtype',
  make: (given) => {
    const number = (of: string, otherwise: number) => positive(name, of, integerOr(given, of, otherwise))
    return pipe(
      E.Do,
      E.bind('q', () => number('q', 128)),
      E.bind('kv', () => number('kv', 640)),
      E.bind('headDim', () => number('headDim', 64)),
      E.bind('blockKv', () => number('blockKv', 64)),
      E.bind('stages', () => number('stages', given['rings'] === 'separate' ? 4 : 3)),
      E.chain(({ q, ...sizes }) => {
        if (q !== 128) return bad(name, `q is ${String(q)}: expected 128, the rows of a tile`)
        const c = {
          ...sizes,
          rings: given['rings'] === 'separate' ? ('separate' as const) : ('shared' as const),
          release: given['release'] === 'arrive' ? ('arrive' as const) : ('commit' as const),
          dtype: given['dtype'] === 'bf16' ? ('bf16' as const) : ('f16' as const),
        }
        return pipe(
          kvPipelineKernel(c),
          E.map((program) => ({ kernel: name, settings: { q, ...c }, program })),
        )
      }),
    )
  },
}
