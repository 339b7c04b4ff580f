/**
 * What each proof costs its worker, in processor time: a setup file of vitest's, put in by `tools/suite-time.mjs`.
 *
 * The clock on the wall says how busy the machine was; processor time says how much there was to do. It is read when a file is begun, before its
 * imports, and when it is through, and around each test; what processes that were started and have ended took counts too, where the system
 * says so (Linux).
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

/** Seconds that ended children took: fields 16 and 17 of the line, in hundredths, counted behind the name, which may hold blanks. */
const ofChildren = () => {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return 0
  }
}

const seconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + ofChildren()
}

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
