/** Texts of `printf`: what glibc's `snprintf` writes of the same format and number (glibc 2.36, written down once). */
import { describe, expect, it } from 'vitest'
import { printf } from '../../src/numerics/printf.js'

const of = (format: string, ...values: ReadonlyArray<number | bigint | string>): string => {
  const left = [...values]
  const next = (): number => Number(left.shift())
  return printf(format, {
    word: next,
    long: () => BigInt(left.shift()!),
    double: next,
    text: () => String(left.shift()),
  })
}

describe('one number', () => {
  it.each([
    ['%d', 42, '42'],
    ['%5d|', -42, '  -42|'],
    ['%-5d|', 42, '42   |'],
    ['%05d', -42, '-0042'],
    ['%+d', 42, '+42'],
    ['% d', 42, ' 42'],
    ['%.3d', 7, '007'],
    ['%5.3d|', -7, ' -007|'],
    ['%.0d|', 0, '|'],
    ['%u', -1, '4294967295'],
    ['%x', 255, 'ff'],
    ['%#X', 255, '0XFF'],
    ['%#o', 8, '010'],
    ['%08x', 48879, '0000beef'],
    ['%hhd', 300, '44'],
    ['%hu', 70000, '4464'],
    ['%f', 1.5, '1.500000'],
    ['%.0f', 0.5, '0'],
    ['%.0f', 1.5, '2'],
    ['%.0f', 2.5, '2'],
    ['%.2f', 1.005, '1.00'],
    ['%10.3f|', -3.14159, '    -3.142|'],
    ['%-10.1f|', 2.25, '2.2       |'],
    ['%010.2f', -1.0, '-000001.00'],
    ['%f', 1e22, '10000000000000000000000.000000'],
    ['%.20f', 0.1, '0.10000000000000000555'],
    ['%#.0f', 3.0, '3.'],
    ['%e', 12345.678, '1.234568e+04'],
    ['%.0e', 15.0, '2e+01'],
    ['%.2E', 9.999, '1.00E+01'],
    ['%e', 0.0, '0.000000e+00'],
    ['%e', 5e-324, '4.940656e-324'],
    ['%.10e', 1.7976931348623157e308, '1.7976931349e+308'],
    ['%g', 0.0001, '0.0001'],
    ['%g', 0.00001, '1e-05'],
    ['%g', 123456.0, '123456'],
    ['%g', 1234567.0, '1.23457e+06'],
    ['%g', 100000.0, '100000'],
    ['%.3g', 999.5, '1e+03'],
    ['%#g', 1.0, '1.00000'],
    ['%G', 1e-10, '1E-10'],
    ['%g', 0.0, '0'],
    ['%.0g', 0.25, '0.2'],
    ['%g', 1.5, '1.5'],
    ['%a', 1.0, '0x1p+0'],
    ['%a', 0.1, '0x1.999999999999ap-4'],
    ['%.2a', 3.14159, '0x1.92p+1'],
    ['%A', -0.5, '-0X1P-1'],
    ['%a', 0.0, '0x0p+0'],
    ['%.0a', 1.5, '0x2p+0'],
    ['%f', -0.0, '-0.000000'],
    ['%+.1f', 2.0, '+2.0'],
    ['%5.1f|', Infinity, '  inf|'],
    ['%F', -Infinity, '-INF'],
    ['%05f', Infinity, '  inf'],
    ['%.0e', 5.1, '5e+00'],
    ['%.0e', 9.6, '1e+01'],
    ['%lld', -(2n ** 63n), '-9223372036854775808'],
    ['%llu', -1n, '18446744073709551615'],
    ['%lx', 2n ** 40n, '10000000000'],
    ['%p', 0n, '(nil)'],
    ['%p', 4096n, '0x1000'],
  ] as ReadonlyArray<readonly [string, number | bigint, string]>)('%s of %s', (format, value, text) => {
    expect(of(format, value)).toBe(text)
  })
})

describe('several', () => {
  it('laws 1 and 2', () => {
    expect(of('no %% more')).toBe('no % more')
    expect(of('%*d|%-*d|%.*f', 5, 42, 4, 7, 2, 1.005)).toBe('   42|7   |1.00')
    expect(of('%*d|', -5, 42)).toBe('42   |')
    expect(of('%s=%5.2s|%-4s|%c', 'name', 'cut', 'ab', 65)).toBe('name=   cu|ab  |A')
    expect(of('%y %', 1)).toBe('%y %')
  })
})
