/**
 * Colours by lightness, chroma and hue, as the eye orders them (Oklab): equal steps look equal, and a family of hues of one
 * lightness carries dark text everywhere.
 *
 * Laws
 * 1. `oklch(l, 0, h)` is grey for every h; l = 1 is white and l = 0 black.
 * 2. A colour that a screen does not have is brought in by lowering its chroma: hue and lightness stay.
 *
 * Source: Björn Ottosson, "A perceptual color space for image processing" (the matrices); sRGB transfer function of IEC 61966-2-1.
 */

const linear = (l: number, chroma: number, hue: number): readonly [number, number, number] => {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

const inGamut = (rgb: ReadonlyArray<number>): boolean => rgb.every((v) => v >= -0.0005 && v <= 1.0005)

const byte = (v: number): string => {
  const x = Math.min(1, Math.max(0, v))
  const encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055
  return Math.round(255 * encoded)
    .toString(16)
    .padStart(2, '0')
}

/** `#rrggbb` for a lightness from 0 to 1, a chroma from 0 to about 0.3, and a hue in degrees. */
export const oklch = (lightness: number, chroma: number, hue: number): string => {
  let c = chroma
  while (c > 0 && !inGamut(linear(lightness, c, hue))) c = Math.max(0, c - 0.005)
  return `#${linear(lightness, c, hue).map(byte).join('')}`
}

/** The k-th of n steps from one number to another, both ends included. */
export const step = (from: number, to: number, k: number, n: number): number =>
  n <= 1 ? from : from + ((to - from) * k) / (n - 1)
