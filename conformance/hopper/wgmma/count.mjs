// Counts the captured results of an H100's tensor cores that the specification computes bit for bit: `node conformance/hopper/wgmma/count.mjs`, after `npm run build`.
import console from 'node:console'
import { readFileSync } from 'node:fs'
import { dotSuite } from '../../../dist/oracle/vectors/dot.js'

const here = new URL('./', import.meta.url)
const { cases } = JSON.parse(readFileSync(new URL('manifest.json', here), 'utf8'))
const widths = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1, f32: 4, s32: 4 }
const called = { s8: 'i8', s32: 'i32' }

let same = 0
let all = 0
for (const one of cases) {
  const bytes = readFileSync(new URL(one.file, here))
  const patterns = (type, offset, count) =>
    Array.from({ length: count }, (_, i) => bytes.readUIntLE(offset + i * widths[type], widths[type]))
  const { m, n, k_total: k, tiles } = one
  const [a, b, c, d] = [
    patterns(one.a_type, one.offset_a, tiles * m * k),
    patterns(one.b_type, one.offset_b, tiles * n * k),
    patterns(one.d_type, one.offset_c, tiles * m * n),
    patterns(one.d_type, one.offset_d, tiles * m * n),
  ]
  // B is captured column by column
  const transposed = b.map((_, i) => {
    const [tile, row, column] = [Math.floor(i / (k * n)), Math.floor(i / n) % k, i % n]
    return b[(tile * n + column) * k + row]
  })
  const tensor = (type, shape, bits) => ({ dtype: called[type] ?? type, shape, bits })
  const answer = dotSuite.ask({
    a: tensor(one.a_type, [tiles, m, k], a),
    b: tensor(one.b_type, [tiles, k, n], transposed),
    c: tensor(one.d_type, [tiles, m, n], c),
    saturate: one.satfinite,
  })
  if (answer._tag === 'Left') throw new Error(`${one.file}: ${answer.left.message}`)
  all += d.length
  same += answer.right.d.bits.filter((pattern, i) => pattern === d[i]).length
}
console.log(`${same} of ${all} results are equal`)
