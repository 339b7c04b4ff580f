// Packs a capture for the repository. Usage: node pack.mjs FOLDER (with manifest.json, results.bin, chip.txt of run.sh)
// Writes results.br and manifest.json beside itself; README.md says what is in them.
import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

const folder = process.argv[2]
const here = new URL('.', import.meta.url)
const { count, kernels } = JSON.parse(readFileSync(`${folder}/manifest.json`, 'utf8'))
const results = readFileSync(`${folder}/results.bin`)
const planes = []
let at = 0
for (const { forms, words } of kernels) {
  let before = []
  for (const { word, words: own } of forms) {
    const now = Array.from({ length: own }, (_, w) =>
      Int32Array.from({ length: count }, (_, i) => results.readInt32LE(at + ((word + w) * count + i) * 4)),
    )
    now.forEach((plane, w) => {
      const truth = plane.find((x) => x !== 0) ?? 1
      const head = Buffer.alloc(4)
      if (plane.every((x) => x === 0 || x === truth)) {
        head.writeInt32LE(truth)
        const bits = Buffer.alloc(Math.ceil(count / 8))
        plane.forEach((x, i) => {
          if (x !== 0) bits[i >> 3] |= 1 << (i & 7)
        })
        planes.push(head, bits)
      } else {
        const bytes = Buffer.alloc(4 * count)
        plane.forEach((x, i) => {
          const changed = x ^ (before[w]?.[i] ?? 0)
          for (let b = 0; b < 4; b++) bytes[b * count + i] = (changed >>> (8 * b)) & 255
        })
        planes.push(head, bytes)
      }
    })
    before = now
  }
  at += words * count * 4
}
const raw = Buffer.concat(planes)
writeFileSync(
  new URL('results.br', here),
  brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  }),
)
writeFileSync(
  new URL('manifest.json', here),
  JSON.stringify({
    chip: readFileSync(`${folder}/chip.txt`, 'utf8').trim().split('\n'),
    count,
    kernels: kernels.map(({ operands, forms }) => ({
      operands,
      forms: forms.map(({ name, extra, words }) => [name, words, ...(extra === null ? [] : [extra])]),
    })),
  }) + '\n',
)
