/** What holds for every proof: a setup file of vitest's. */
import { configureGlobal, readConfigureGlobal } from 'fast-check'
import { chai, expect } from 'vitest'
import { nightly } from './extent.js'

// how many cases a property has that does not say so: by day a twelfth of them, by night fast-check's hundred
configureGlobal({ ...readConfigureGlobal(), numRuns: nightly ? 100 : 8 })

// a matcher that is none is an error of types: no assertion needs a proxy that says so, which is a third of its time
chai.config.useProxy = false

/**
 * Two typed arrays with the same elements are equal, which `toEqual` finds out by their keys, a string for each element. Of all else, and where one
 * element differs, it is asked as ever.
 */
const sameElements = (a: unknown, b: unknown): true | undefined => {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a instanceof DataView) return undefined
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return undefined
  const [x, y] = [a, b] as unknown as readonly [ArrayLike<unknown>, ArrayLike<unknown>]
  if (x.length !== y.length) return undefined
  for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return undefined
  return true
}

// a worker runs many files, and asks once
const asked = Symbol.for('tensorcore-spec: equality of typed arrays')
if (!(asked in globalThis)) {
  Object.defineProperty(globalThis, asked, { value: true })
  expect.addEqualityTesters([sameElements])
}
