/**
 * Proofs without their runner: what they import as `vitest` when a mutant is judged (`built.mjs`). Their tests are listed as a file is read, and run one by one, by
 * their numbers, as `judge.mjs` asks. Expectations are those of vitest.
 */
import { performance } from 'node:perf_hooks'
import { clearTimeout, setTimeout } from 'node:timers'
import { chai, expect, vi, expectTypeOf, assertType } from 'vitest'

export { assertType, chai, expect, expectTypeOf, vi }

const suiteIn = (parent, name) => ({
  name,
  parent,
  tests: [],
  before: [],
  after: [],
  beforeEach: [],
  afterEach: [],
})
let here = suiteIn(null, '')
let pending = []

const bodyOf = (a, b) => (typeof a === 'function' ? a : b)

const suite = (name, a, b) => {
  const body = bodyOf(a, b)
  if (body === undefined) return
  const outer = here
  here = suiteIn(outer, String(name))
  outer.tests.push(here)
  const made = body()
  if (typeof made?.then === 'function') pending.push(made)
  here = outer
}

class Skipped extends Error {}
const context = () => ({
  skip: (is) => {
    if (is !== false) throw new Skipped()
  },
  expect,
  task: {},
  onTestFinished: () => {},
  onTestFailed: () => {},
  signal: new globalThis.AbortController().signal,
})

const single = (name, a, b) => {
  const body = bodyOf(a, b)
  if (body !== undefined)
    here.tests.push({ name: String(name?.name ?? name), parent: here, run: () => body(context()) })
}

/** `test`, or `describe`, with all that hangs on it; `given`: what a body gets of a row. */
const withRows = (make) => {
  const one = (...all) => make(...all)
  const none = () => {}
  one.each = (table) => (name, a, b) => {
    const body = bodyOf(a, b)
    for (const row of table) make(name, () => (Array.isArray(row) ? body(...row) : body(row)))
  }
  one.for = (table) => (name, a, b) => {
    for (const row of table) make(name, () => bodyOf(a, b)(row, context()))
  }
  none.each = () => none
  none.for = () => none
  one.skip = none
  one.todo = none
  one.only = one
  one.sequential = one
  one.concurrent = one
  one.skipIf = (is) => (is ? none : one)
  one.runIf = (is) => (is ? one : none)
  return one
}

export const describe = withRows(suite)
export const test = withRows(single)
export { describe as suite, test as it }
export const beforeAll = (f) => here.before.push(f)
export const afterAll = (f) => here.after.push(f)
export const beforeEach = (f) => here.beforeEach.push(f)
export const afterEach = (f) => here.afterEach.push(f)
export const onTestFinished = () => {}
export const onTestFailed = () => {}

// ---------------------------------------------------------------- a file

const longest = 60_000

const within = async (promise) => {
  let timer
  const late = new Promise((_, no) => {
    timer = setTimeout(() => no(new Error('the test does not end')), longest)
  })
  await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const testsIn = ({ tests }) => tests.flatMap((one) => (one.run === undefined ? testsIn(one) : [one]))
const around = (one) => (one === null ? [] : [...around(one.parent), one])

/**
 * Runs the tests of a file: those whose numbers are in `some`, or all for null. `done` is told of each, and stops the rest where it says true; `enter` what is
 * about to run: `import`, `hooks`, the number of a test, or null.
 */
export const runFile = async (address, some, done, enter = () => {}) => {
  const root = suiteIn(null, '')
  here = root
  pending = []
  enter('import')
  await import(address)
  await Promise.all(pending)
  const ready = new Set()
  try {
    for (const [i, one] of testsIn(root).entries()) {
      if (some !== null && !some.has(i)) continue
      const outer = around(one.parent)
      enter('hooks')
      let error = null
      const start = performance.now()
      try {
        for (const s of outer) {
          if (ready.has(s)) continue
          ready.add(s)
          for (const hook of s.before) {
            const undo = await hook()
            if (typeof undo === 'function') s.after.push(undo)
          }
        }
        enter(String(i))
        for (const s of outer) for (const hook of s.beforeEach) await hook()
        const ran = one.run()
        if (typeof ran?.then === 'function') await within(ran)
        for (const s of outer) for (const hook of s.afterEach) await hook()
      } catch (thrown) {
        if (!(thrown instanceof Skipped)) error = thrown ?? new Error('it throws nothing')
      }
      enter(null)
      if (done({ i, name: one.name, error, ms: performance.now() - start })) return
    }
  } finally {
    enter('hooks')
    for (const s of ready)
      for (const hook of s.after)
        await Promise.resolve()
          .then(hook)
          .catch(() => {})
    enter(null)
  }
}
