/** Attention kernels by name: shapes, masks, and naive attention to compare with. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { fa3Attention, type Fa3Attention } from '../attention/fa3.js'
import { choices, configOf, fa4, fa4Attention, type Fa4 } from '../attention/fa4/index.js'
import { causal, noMask, slidingWindow, type Mask } from '../attention/mask.js'
import { attention, log2e, naiveAttention, type Attention } from '../attention/naive.js'
import type { Failure } from '../../failure.js'
import { largest, tolerances } from '../attention/tolerance.js'
import { real64 } from '../../numerics/real64.js'
import { decoder } from '../../numerics/float-format.js'
import {
  bad,
  count,
  flag,
  integerOr,
  size,
  word,
  type Expects,
  type Kernel,
  type Parameter,
  type Settings,
  type TensorRole,
} from './model.js'
import { positive } from './tiles.js'

// ---------------------------------------------------------------- what every attention kernel is told

const masks = ['none', 'causal', 'causal-bottom-right', 'window'] as const
type MaskName = (typeof masks)[number]

export const shapeParameters = (
  sizes: Pick<Attention, 'batch' | 'q' | 'kv' | 'heads' | 'kvHeads' | 'headDim'>,
): ReadonlyArray<Parameter> => [
  count('batch', sizes.batch, 'sequences', 'sequences'),
  size('q', sizes.q, 'rows of q and out in a sequence'),
  size('kv', sizes.kv, 'rows of k and v in a sequence'),
  count('heads', sizes.heads, 'heads', 'heads of q and out'),
  count('kvHeads', sizes.kvHeads, 'heads', 'heads of k and v: they divide those of q'),
  size('headDim', sizes.headDim, 'length of a row of one head'),
  word('mask', masks, 'which keys a query sees'),
  size('left', 128, 'mask=window: keys that are seen before the diagonal'),
  size('right', 0, 'mask=window: keys that are seen after it'),
  word('scale', ['none', 'rsqrt'], 'of the scores: 1, or 1 / sqrt(headDim)'),
]

export const maskOf = (given: Settings): Mask => {
  const name = given['mask']
  if (name === 'causal') return causal()
  if (name === 'causal-bottom-right') return causal('bottom-right')
  return name === 'window'
    ? slidingWindow(integerOr(given, 'left', 128), integerOr(given, 'right', 0))
    : noMask
}
/** Positions are of 32 bits; no sequence is longer than this, so a sum of the two is, too. */
const widest = 2 ** 30
/** Keys that a window shows on either side, or why there is no such window. */
const windowOf = (kernel: string, given: Settings): E.Either<Failure, readonly [number, number]> => {
  const [left, right] = [integerOr(given, 'left', 128), integerOr(given, 'right', 0)]
  const far = [left, right].find((keys) => Math.abs(keys) > widest)
  if (far !== undefined)
    return bad(
      kernel,
      `left is ${String(left)} and right is ${String(right)}: expected at most ${String(widest)} keys, found ${String(far)}`,
    )
  return left + right < 0
    ? bad(kernel, `left is ${String(left)} and right is ${String(right)}: a query sees no key`)
    : E.right([left, right])
}
export const maskName = (given: Settings): MaskName => masks.find((m) => m === given['mask']) ?? 'none'
export const scaleName = (given: Settings): 'none' | 'rsqrt' =>
  given['scale'] === 'rsqrt' ? 'rsqrt' : 'none'

export const attentionTensors: ReadonlyArray<TensorRole> = [
  { name: 'q', role: 'in', axes: ['batch', 'q', 'heads', 'headDim'] },
  { name: 'k', role: 'in', axes: ['batch', 'kv', 'kvHeads', 'headDim'] },
  { name: 'v', role: 'in', axes: ['batch', 'kv', 'kvHeads', 'headDim'] },
  { name: 'out', role: 'out', axes: ['batch', 'q', 'heads', 'headDim'] },
]

/** Naive attention of the inputs in f64, and how far from it the outputs may be. `lse` is in base two, or in another unit. */
export const naively =
  (a: Attention, dtype: 'f16' | 'bf16', lse: boolean, unit: number = log2e): Expects =>
  (algebra, inputs) => {
    const bits = algebra.name === 'bits'
    const value = bits ? decoder(dtype) : (x: number): number => x
    const of = (name: string): Float64Array => (inputs.get(name) ?? new Float64Array(0)).map(value)
    const [q, k, v] = [of('q'), of('k'), of('v')]
    const bound = largest(v)
    return pipe(
      naiveAttention(real64, dtype, a, { q, k, v }),
      E.map((exact) => ({
        name: 'naive attention in f64',
        outputs: [
          {
            tensor: 'out',
            values: exact.out,
            tolerance: bits ? tolerances[dtype] : tolerances.real64,
            size: bound,
          },
          ...(lse
            ? [
                {
                  tensor: 'lse',
                  values: exact.lse.map((x) => x * unit),
                  tolerance: bits ? tolerances.lse : tolerances.real64,
                  size: Math.max(1, largest(exact.lse.filter(Number.isFinite))),
                },
              ]
            : []),
        ],
      })),
    )
  }

// ---------------------------------------------------------------- fa3-attention

const fa3 = 'fa3-attention'

export const fa3AttentionKernel: Kernel = {
  name: fa3,
  summary:
    'out = softmax(q k^T) v on Hopper: two warpgroups that multiply in turns, online softmax in registers (FlashAttention-3)',
  parameters: [
    ...shapeParameters({ batch: 1, q: 256, kv: 320, heads: 2, kvHeads: 1, headDim: 64 }),
    size('blockQ', 64, 'rows of q of one warpgroup: a multiple of 64'),
    size('blockKv', 64, 'rows of k and v in a step: a multiple of 64'),
    count('maxConcurrentSteps', 2, 'slots', 'most slots of the rings of k and v, from 2 on'),
    word(
      'rowSum',
      ['before', 'after'],
      'whether a row is summed before the other warpgroup may multiply, or after',
    ),
    word('prefetch', ['needed', 'all'], 'copies ahead: only of existing steps, or for every slot'),
    flag('lse', true, 'lse is an output, too: m + log2(l)'),
    count('ilp', 8, 'additions', 'additions under way at once in the sum of a row (Mosaic GPU: 8)'),
    word('update', ['fused', 'separate'], 'a l + rowsum(p): rounded once, or twice'),
    word('dtype', ['f16', 'bf16'], 'element type of q, k, v and out; sums are f32'),
  ],
  tensors: [...attentionTensors, { name: 'lse', role: 'out', axes: ['batch', 'heads', 'q'] }],
  dtype: 'dtype',
  make: (given) => {
    const number = (name: string, otherwise: number) => positive(fa3, name, integerOr(given, name, otherwise))
    return pipe(
      E.Do,
      E.bind('batch', () => number('batch', 1)),
      E.bind('q', () => number('q', 256)),
      E.bind('kv', () => number('kv', 320)),
      E.bind('heads', () => number('heads', 2)),
      E.bind('kvHeads', () => number('kvHeads', 1)),
      E.bind('headDim', () => number('headDim', 64)),
      E.bind('blockQ', () => number('blockQ', 64)),
      E.bind('blockKv', () => number('blockKv', 64)),
      E.bind('maxConcurrentSteps', () => number('maxConcurrentSteps', 2)),
      E.bind('ilp', () => number('ilp', 8)),
      E.bind('window', () => windowOf(fa3, given)),
      E.chain(({ ilp, window: [left, right], ...sizes }) => {
        const c: Fa3Attention = {
          ...sizes,
          dtype: given['dtype'] === 'bf16' ? 'bf16' : 'f16',
          mask: maskOf(given),
          scale: scaleName(given) === 'rsqrt' ? sizes.headDim ** -0.5 : null,
          lse: given['lse'] !== false,
          rowSum: given['rowSum'] === 'after' ? 'after' : 'before',
          prefetch: given['prefetch'] === 'all' ? 'all' : 'needed',
          numerics: { ilp, update: given['update'] === 'separate' ? 'separate' : 'fused' },
        }
        const settings: Settings = {
          ...sizes,
          mask: maskName(given),
          left,
          right,
          scale: scaleName(given),
          rowSum: c.rowSum,
          prefetch: c.prefetch,
          lse: c.lse,
          ilp,
          update: c.numerics.update,
          dtype: c.dtype,
        }
        return pipe(
          fa3Attention(c),
          E.map((program) => ({
            kernel: fa3,
            settings,
            program,
            multiplyAdds: 2 * c.batch * c.heads * c.q * c.kv * c.headDim,
            expects: naively(attention(c, { mask: c.mask, scale: c.scale }), c.dtype, c.lse),
          })),
        )
      }),
    )
  },
}

// ---------------------------------------------------------------- fa4-attention

const fa4Name = 'fa4-attention'
const hiddenKeys = ['zero', 'nan', 'sentinel'] as const

/** One of the choices of `fa4/model.ts` that is a word or a flag. */
const chosen = (given: Settings): Partial<Fa4> => ({
  release: given['release'] === 'arrive' ? 'arrive' : 'commit',
  statistics: given['statistics'] === 'published' ? 'published' : 'waited',
  factorAcquire: given['factorAcquire'] !== false,
  outputWait: given['outputWait'] !== false,
  barriers: given['barriers'] === 'combined' ? 'combined' : 'separate',
  rings: given['rings'] === 'separate' ? 'separate' : 'shared',
  rescale: given['rescale'] === 'vote' ? 'vote' : 'always',
  threshold: integerOr(given, 'threshold', choices.threshold),
})

export const fa4AttentionKernel: Kernel = {
  name: fa4Name,
  summary:
    'out = softmax(q k^T) v on Blackwell: five roles, scores and sums in tensor memory (FlashAttention-4 as Mojo has it)',
  parameters: [
    ...shapeParameters({ batch: 1, q: 256, kv: 512, heads: 2, kvHeads: 1, headDim: 128 }),
    size('blockKv', 128, 'rows of k and v of a tile: a multiple of 16 up to 256 - headDim'),
    count('stages', 5, 'slots', 'slots that k and v share; as many as fit, if not given'),
    word('release', ['commit', 'arrive'], 'when a slot is released: after its products, or too early'),
    word(
      'statistics',
      ['waited', 'published'],
      'whether a store of a factor is waited for before the factor is published',
    ),
    flag('factorAcquire', true, 'softmax waits until the last factor has been read (redundant)'),
    flag('outputWait', true, 'correction waits for the product before it rescales (redundant)'),
    word('barriers', ['separate', 'combined'], 'P is ready, O is rescaled: two barriers, or one'),
    word('rings', ['shared', 'separate'], 'one ring for k and v, or one each, of half the slots'),
    word('rescale', ['always', 'vote'], 'rescale O always, or only if some factor is not 1'),
    count('threshold', 0, 'powers of two', 'growth of the maximum that is ignored'),
    word(
      'hidden',
      hiddenKeys,
      'a key that is not seen counts nothing (a row without keys: 0, or NaN), or -10000',
    ),
    word('dtype', ['f16', 'bf16'], 'element type of q, k, v and out; sums are f32'),
  ],
  tensors: [...attentionTensors, { name: 'lse', role: 'out', axes: ['batch', 'heads', 'q'] }],
  dtype: 'dtype',
  make: (given) => {
    const number = (name: string, otherwise: number) =>
      positive(fa4Name, name, integerOr(given, name, otherwise))
    return pipe(
      E.Do,
      E.bind('batch', () => number('batch', 1)),
      E.bind('q', () => number('q', 256)),
      E.bind('kv', () => number('kv', 512)),
      E.bind('heads', () => number('heads', 2)),
      E.bind('kvHeads', () => number('kvHeads', 1)),
      E.bind('headDim', () => number('headDim', 128)),
      E.bind('window', () => windowOf(fa4Name, given)),
      E.chain(({ window: [left, right], ...shape }) => {
        const { bn, numKvStages } = configOf(shape)
        const hidden = hiddenKeys.find((h) => h === given['hidden']) ?? 'zero'
        if (hidden === 'sentinel' && given['mask'] === 'causal-bottom-right' && shape.q > shape.kv)
          return bad(
            fa4Name,
            `hidden is sentinel: expected no more rows of q than of k, found ${String(shape.q)} and ${String(shape.kv)}: a row that sees no key would be a mean of those of its tiles`,
          )
        const words = chosen(given)
        const fitting = words.rings === 'separate' ? numKvStages - (numKvStages % 2) : numKvStages
        const c = fa4(shape, {
          ...words,
          dtype: given['dtype'] === 'bf16' ? 'bf16' : 'f16',
          mask: maskOf(given),
          scale: scaleName(given) === 'rsqrt' ? shape.headDim ** -0.5 : null,
          hidden:
            hidden === 'sentinel'
              ? { _tag: 'sentinel', score: -10000 }
              : { _tag: 'minus-infinity', empty: hidden },
          blockKv: integerOr(given, 'blockKv', bn),
          stages: integerOr(given, 'stages', fitting),
        })
        if (c.stages < 2)
          return bad(
            fa4Name,
            `stages is ${String(c.stages)}: expected 2 or more, since a tile of V is held while one of K is waited for`,
          )
        const settings: Settings = {
          ...shape,
          mask: maskName(given),
          left,
          right,
          scale: scaleName(given),
          blockKv: c.blockKv,
          stages: c.stages,
          release: c.release,
          statistics: c.statistics,
          factorAcquire: c.factorAcquire,
          outputWait: c.outputWait,
          barriers: c.barriers,
          rings: c.rings,
          rescale: c.rescale,
          threshold: c.threshold,
          hidden,
          dtype: c.dtype,
        }
        return pipe(
          fa4Attention(c),
          E.map((program) => ({
            kernel: fa4Name,
            settings,
            program,
            expects: naively(c, c.dtype, true, 1),
          })),
        )
      }),
    )
  },
}
