/**
 * What each proof costs its worker, in processor time: a setup file of vitest's, put in by `tools/suite-time.mjs`.
 *
 * The clock on the wall says how busy the machine was; processor time says how much there was to do. It is read when a file is begun, before its
 * imports, and when it is through, and around each test.
 */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { seconds } from './clock.mjs'

const begun = seconds()
let at = begun

beforeAll(function () {
  // a first parameter would have to take test fixtures apart
  const [, file] = arguments
  file.meta.imported = seconds() - begun
})
beforeEach(() => {
  at = seconds()
})
afterEach(({ task }) => {
  task.meta.processor = seconds() - at
})
afterAll(function () {
  const [, file] = arguments
  file.meta.processor = seconds() - begun
})
