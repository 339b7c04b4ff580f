import { expect, test } from 'vitest'
import {
  advance,
  consumerStart,
  position,
  producerStart,
} from '../../../src/dialects/cutlass/pipeline-state.js'

test('pipeline states, laws 1 and 2: as one step after the other ', () => {
  for (let stages = 1; stages <= 6; stages++)
    for (const phase of [0, 1])
      for (let index = 0; index < stages; index++) {
        let walked = { index, phase }
        for (let n = 0; n < 30; n++) {
          expect(advance(stages, n)({ index, phase })).toEqual(walked)
          expect(position(stages, walked)).toBe((index + stages * phase + n) % (2 * stages))
          walked =
            walked.index + 1 === stages
              ? { index: 0, phase: 1 - walked.phase }
              : { index: walked.index + 1, phase: walked.phase }
        }
      }
  for (let stages = 1; stages <= 6; stages++)
    expect(advance(stages, stages)(consumerStart)).toEqual(producerStart)
})
