import { describe, expect, it } from 'vitest'
import { bitsOf, dtypes, floatDtypes, intDtypes, isDtype, isFloat, isInt } from '../../src/numerics/dtype.js'

describe('dtype law 1: floats and integers partition the dtypes', () => {
  it('exhausts the names', () => {
    expect(dtypes).toEqual([...floatDtypes, ...intDtypes])
    expect(new Set(dtypes).size).toBe(22)
    for (const d of floatDtypes) expect([isFloat(d), isInt(d), isDtype(d)]).toEqual([true, false, true])
    for (const d of intDtypes) expect([isFloat(d), isInt(d), isDtype(d)]).toEqual([false, true, true])
    for (const name of ['f64', 'F16', '', 'constructor', 'i2'])
      expect([isFloat(name), isInt(name), isDtype(name)]).toEqual([false, false, false])
  })
})

describe('dtype law 2: storage widths', () => {
  it('integers carry theirs in the name', () => {
    for (const d of intDtypes) expect(bitsOf(d)).toBe(Number(d.slice(1)))
  })
  it('floats: the table', () => {
    expect(Object.fromEntries(floatDtypes.map((d) => [d, bitsOf(d)]))).toEqual({
      f32: 32,
      tf32: 32,
      f16: 16,
      bf16: 16,
      e4m3: 8,
      e5m2: 8,
      ue4m3: 8,
      e8m0: 8,
      e2m3: 6,
      e3m2: 6,
      e2m1: 4,
    })
  })
})
