/** The race on the front page: judged when the page is built, and drawn from the document of its verdict. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { instanceOf, kernelNamed } from '../src/kernels/index.js'
import { without } from '../src/kernels/broken/index.js'
import { findingPicture } from '../src/render/finding-picture.js'
import type { SvgElement } from '../src/render/svg.js'
import { check, standardOptions } from '../src/semantics/index.js'

/** The statement that is left out of `matmul1`. */
export const leftOut = 'wait consumed'

/** Null: there is no such race, and the page cannot be built. */
export const race = (): SvgElement | null =>
  pipe(
    kernelNamed('matmul1'),
    E.chainW((kernel) => instanceOf(kernel, {}, [])),
    E.chainW(({ program }) => without(leftOut)(program)),
    E.chainW((program) => check(program, standardOptions)),
    E.match(
      () => null,
      ({ verdict }) => {
        const found = verdict.findings.find(({ id }) => id === 'W1')
        return found === undefined ? null : findingPicture(found, 680)
      },
    ),
  )
