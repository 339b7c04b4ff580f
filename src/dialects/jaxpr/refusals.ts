/**
 * Operations of jaxprs that are known and refused where they would run: what of them is not known here, or what they need that is not here.
 *
 * Law 1. No operation has a row in `rows.ts` and its reason here.
 */
const library = (function_: string): string =>
  `one that is the library's ${function_}, whose bits are not known here`
const device = 'one of several devices: there is one here'
const unlowered = 'one that Mosaic GPU does not lower, either'

export const refusals: Readonly<Record<string, string>> = {
  atan2: library('arc tangent'),
  copysign: library('copysign'),
  cos: library('cosine'),
  erf: library('error function'),
  pow: library('power'),
  sin: library('sine'),
  sqrt: library('square root'),
  one_minus_square: 'one that may round once or twice: not known here',
  cumsum: unlowered,
  dot_general: `${unlowered}: wgmma and tcgen05_mma multiply`,
  expand_dims: unlowered,
  floor: unlowered,
  ceil: unlowered,
  gather: unlowered,
  transpose: `${unlowered}: plgpu.transpose_ref transposes a ref`,
  sort: unlowered,
  argmax: unlowered,
  multimem_store: device,
  multimem_load_reduce: device,
  semaphore_signal_multicast: device,
}
