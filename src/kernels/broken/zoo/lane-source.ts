/**
 * A twin of lanes as a source of runs: the launch that `lanes.ts` says, without files.
 *
 * It stands apart from the texts, so that a list of names does not load a reader of PTX.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { elaborate } from '../../../dialects/ptx/elaboration/elaborate.js'
import { parseModule } from '../../../dialects/ptx/index.js'
import type { Failure } from '../../../failure.js'
import { usualSharedBase, warpSource } from '../../../semantics/execution/launch-warps.js'
import type { Source } from '../../../semantics/machine/source.js'
import type { LaneTwin } from './lanes.js'

export const laneSource = (t: LaneTwin, fixed: boolean): E.Either<Failure, Source> =>
  pipe(
    parseModule(t.text(fixed)),
    E.chainW((module) => elaborate(module, t.name, `${t.name}.ptx`)),
    E.map(({ program }) =>
      warpSource(program, {
        grid: [1],
        block: [t.threads],
        cluster: null,
        dynamicBytes: 0,
        parameters: new Uint8Array(8),
        pointers: [{ offset: 0, tensor: 'out' }],
        tensors: [
          { name: 'out', role: 'out', contents: null, bytes: 4 * t.threads, elements: null, symbol: null },
        ],
        sharedBase: usualSharedBase,
      }),
    ),
  )
