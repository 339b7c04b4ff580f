/** A long name of a kernel is told by its last part; what stands in brackets is left out, however deep. */
import { describe, expect, it } from 'vitest'
import { briefName } from '../../../../src/dialects/ptx/names/itanium.js'

describe('a brief name', () => {
  it.each([
    ['scale(float*, const float*, int, float)', 'scale(float*, const float*, int, float)'],
    [
      'lib::v2::ScanKernel<lib::Policy<int, (lib::Order)0>, unsigned int>(const int*, lib::State<int, true>, unsigned int)',
      'ScanKernel<...>',
    ],
    ['lib::v2::detail::initialise(lib::v2::State<int, true>, unsigned int, unsigned int)', 'initialise'],
    [
      'lib::fill<lib::functor<lib::pointer<int>, int>>(unsigned long, lib::functor<lib::pointer<int>, int>)',
      'fill<...>',
    ],
  ])('of %s is %s', (whole, brief) => {
    expect(briefName(whole)).toBe(brief)
  })
})
