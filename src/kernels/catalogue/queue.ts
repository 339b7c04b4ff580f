/** The queue by name. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Failure } from '../../failure.js'
import { queue, type Queue } from '../hopper/queue.js'
import { count, flag, integerOr, size, word, type Instance, type Kernel, type Settings } from './model.js'
import { positive } from './tiles.js'

const queueName = 'queue'

const makeQueue = (given: Settings): E.Either<Failure, Instance> =>
  pipe(
    E.Do,
    E.bind('m', () => positive(queueName, 'm', integerOr(given, 'm', 56))),
    E.bind('n', () => positive(queueName, 'n', integerOr(given, 'n', 64))),
    E.bind('buffering', () => positive(queueName, 'buffering', integerOr(given, 'buffering', 3))),
    E.bind('rows', ({ m }) => {
      const chosen = [8, 7, 6, 5, 4, 3, 2].find((r) => m % r === 0) ?? 1
      return positive(queueName, 'rows', integerOr(given, 'rows', chosen))
    }),
    E.chain(({ m, n, buffering, rows }) => {
      const c: Queue = {
        dtype: given['dtype'] === 'bf16' || given['dtype'] === 'f32' ? given['dtype'] : 'f16',
        m,
        n,
        rows,
        buffering,
        produce: given['produce'] === 'copies' ? 'copies' : 'stores',
        drain: given['drain'] === true,
      }
      return pipe(
        queue(c),
        E.map((program) => ({ kernel: queueName, settings: { ...c }, program })),
      )
    }),
  )

export const queueKernel: Kernel = {
  name: queueName,
  summary: 'out = x through a ring between two warpgroups, with barriers both ways (the reference page)',
  parameters: [
    size('m', 56, 'rows of x and out'),
    size('n', 64, 'columns of x and out'),
    size('rows', 8, 'rows of one item: a divisor of m'),
    count('buffering', 3, 'slots', 'slots of the ring in shared memory'),
    word('produce', ['stores', 'copies'], 'how the producer fills a slot: its own stores, or TMA'),
    flag('drain', false, 'the producer waits for the last completions too; printed without'),
    word('dtype', ['f16', 'bf16', 'f32'], 'element type of x and out'),
  ],
  tensors: [
    { name: 'x', role: 'in', axes: ['m', 'n'] },
    { name: 'out', role: 'out', axes: ['m', 'n'] },
  ],
  dtype: 'dtype',
  make: makeQueue,
}
