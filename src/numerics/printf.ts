/**
 * Text as C's `printf` writes it, of numbers that are given one after the other.
 *
 *     %5d|%-8s|%.3f|%g|%#llx|%*c
 *
 * Floating-point numbers are exact ratios until they are rounded, half to even, as in glibc. Conversions that there are not (`%n`, wide characters) are written as they stand.
 *
 * Laws
 * 1. Arguments are taken in the order of their conversions, a width or precision `*` before its conversion.
 * 2. A text without `%` is written as it is.
 *
 * Source: C17, 7.21.6.1; CUDA C++ Programming Guide, formatted output.
 */

// ---------------------------------------------------------------- model

/** Where arguments come from: the next one, as what it is. */
export interface Arguments {
  readonly word: () => number
  readonly long: () => bigint
  readonly double: () => number
  /** the text at an address */
  readonly text: () => string
}

interface Conversion {
  readonly flags: string
  readonly width: number
  /** null: none is said */
  readonly precision: number | null
  readonly kind: string
}

// ---------------------------------------------------------------- numbers

const padded = ({ flags, width }: Conversion, sign: string, digits: string, zeros: boolean): string => {
  const room = width - sign.length - digits.length
  if (room <= 0) return sign + digits
  if (flags.includes('-')) return sign + digits + ' '.repeat(room)
  return zeros && flags.includes('0') ? sign + '0'.repeat(room) + digits : ' '.repeat(room) + sign + digits
}

const signOf = ({ flags }: Conversion, isNegative: boolean): string =>
  isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''

const whole = (c: Conversion, value: bigint): string => {
  const isSigned = c.kind === 'd' || c.kind === 'i'
  const size = value < 0n ? -value : value
  const radix = c.kind === 'o' ? 8 : c.kind === 'x' || c.kind === 'X' ? 16 : 10
  const plain = size === 0n && c.precision === 0 ? '' : size.toString(radix)
  const digits = plain.padStart(c.precision ?? 0, '0')
  const isOther = c.flags.includes('#') && size !== 0n
  const shown = c.kind === 'o' && isOther && !digits.startsWith('0') ? `0${digits}` : digits
  const sign = isSigned ? signOf(c, value < 0n) : radix === 16 && isOther ? '0x' : ''
  const text = padded(c, sign, shown, c.precision === null)
  return c.kind === 'X' ? text.toUpperCase() : text
}

/** A finite number that is not negative, as a ratio: n / d. */
const ratioOf = (x: number): readonly [bigint, bigint] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const n = exponent === 0 ? fraction : fraction | 0x10000000000000n
  const up = Math.max(exponent, 1) - 1075
  return up >= 0 ? [n << BigInt(up), 1n] : [n, 1n << BigInt(-up)]
}

/** n / d as a whole number, half to even. */
const rounded = (n: bigint, d: bigint): bigint => {
  const [q, twice] = [n / d, 2n * (n % d)]
  return twice > d || (twice === d && (q & 1n) === 1n) ? q + 1n : q
}

const point = (digits: string, places: number, isOther: boolean): string =>
  places === 0
    ? digits + (isOther ? '.' : '')
    : `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`

const fixed = (x: number, places: number, isOther: boolean): string => {
  const [n, d] = ratioOf(x)
  const digits = rounded(n * 10n ** BigInt(places), d).toString()
  return point(digits.padStart(places + 1, '0'), places, isOther)
}

/** Digits of a number, so many behind the first, and the power of ten of the first. */
const scientific = (x: number, places: number): readonly [string, number] => {
  if (x === 0) return ['0'.repeat(places + 1), 0]
  const [n, d] = ratioOf(x)
  const at = (power: number): bigint => {
    const shift = places - power
    return shift >= 0 ? rounded(n * 10n ** BigInt(shift), d) : rounded(n, d * 10n ** BigInt(-shift))
  }
  const isBelow = (power: number): boolean =>
    power >= 0 ? n < d * 10n ** BigInt(power) : n * 10n ** BigInt(-power) < d
  let power = Math.floor(Math.log10(x)) + 1
  while (isBelow(power)) power--
  const digits = at(power).toString()
  // rounded up, it may have one digit more
  return digits.length > places + 1 ? [digits.slice(0, places + 1), power + 1] : [digits, power]
}

const withExponent = (digits: string, power: number, isOther: boolean): string =>
  `${point(digits, digits.length - 1, isOther)}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`

const withoutZeros = (text: string): string => {
  const [mantissa = '', exponent] = text.split('e')
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0*$/u, '') : mantissa
  return exponent === undefined ? short : `${short}e${exponent}`
}

const general = (x: number, precision: number, isOther: boolean): string => {
  const most = precision === 0 ? 1 : precision
  const [digits, power] = scientific(x, most - 1)
  const text =
    power >= -4 && power < most ? fixed(x, most - 1 - power, isOther) : withExponent(digits, power, isOther)
  return isOther ? text : withoutZeros(text)
}

const hexadecimal = (x: number, precision: number | null, isOther: boolean): string => {
  if (x === 0) return `0${point('0'.repeat(precision ?? 0), precision ?? 0, isOther)}p+0`
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const field = Number((bits >> 52n) & 0x7ffn)
  const all = (field === 0 ? 0n : 1n << 52n) | (bits & 0xfffffffffffffn)
  const kept = precision === null || precision >= 13 ? 13 : precision
  const digits = rounded(all, 1n << BigInt(52 - 4 * kept))
    .toString(16)
    .padStart(kept + 1, '0')
  const shown = precision === null ? digits.replace(/0+$/u, '') || '0' : digits.padEnd(precision + 1, '0')
  const places = Math.max(shown.length - 1, 0)
  const power = Math.max(field, 1) - 1023
  return `${point(shown, places, isOther)}p${power < 0 ? '-' : '+'}${String(Math.abs(power))}`
}

const floating = (c: Conversion, x: number): string => {
  const isNegative = x < 0 || Object.is(x, -0)
  const sign = signOf(c, isNegative)
  const size = Math.abs(x)
  const isOther = c.flags.includes('#')
  const kind = c.kind.toLowerCase()
  const precision = c.precision ?? 6
  const text = !Number.isFinite(size)
    ? padded(c, sign, Number.isNaN(size) ? 'nan' : 'inf', false)
    : kind === 'a'
      ? padded(c, `${sign}0x`, hexadecimal(size, c.precision, isOther), true)
      : padded(
          c,
          sign,
          kind === 'f'
            ? fixed(size, precision, isOther)
            : kind === 'e'
              ? withExponent(...scientific(size, precision), isOther)
              : general(size, precision, isOther),
          true,
        )
  return c.kind === kind ? text : text.toUpperCase()
}

// ---------------------------------------------------------------- texts

const conversion = /%([-+ #0]*)(\*|\d*)(?:\.(\*|-?\d*))?(hh|h|ll|l|z|j|t|L)?([diouxXcsfFeEgGaAp%])/gu

/** No text is wider. */
const widest = 1 << 16

const limited = (n: number): number => Math.min(n, widest)

const narrowed = (value: number, length: string, isSigned: boolean): bigint => {
  const bits = length === 'hh' ? 8 : length === 'h' ? 16 : 32
  return isSigned ? BigInt.asIntN(bits, BigInt(value)) : BigInt.asUintN(bits, BigInt(value))
}

export const printf = (format: string, given: Arguments): string =>
  format.replace(
    conversion,
    (_, flags: string, wide: string, fine: string | undefined, length: string | undefined, kind: string) => {
      if (kind === '%') return '%'
      const width = wide === '*' ? given.word() | 0 : Number(wide)
      const places = fine === undefined ? -1 : fine === '*' ? given.word() | 0 : Number(fine)
      const c: Conversion = {
        flags: width < 0 ? `${flags}-` : flags,
        width: limited(Math.abs(width)),
        precision: places < 0 ? null : limited(places),
        kind,
      }
      switch (kind) {
        case 'c':
          return padded(c, '', String.fromCharCode(given.word() & 0xff), false)
        case 's': {
          const text = given.text()
          return padded(c, '', c.precision === null ? text : text.slice(0, c.precision), false)
        }
        case 'p': {
          const at = given.long()
          return padded(c, '', at === 0n ? '(nil)' : `0x${BigInt.asUintN(64, at).toString(16)}`, false)
        }
        case 'd':
        case 'i':
        case 'o':
        case 'u':
        case 'x':
        case 'X': {
          const isSigned = kind === 'd' || kind === 'i'
          const isLong = length !== undefined && length !== 'h' && length !== 'hh'
          if (!isLong) return whole(c, narrowed(given.word(), length ?? '', isSigned))
          const value = given.long()
          return whole(c, isSigned ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value))
        }
        default:
          return floating(c, given.double())
      }
    },
  )
