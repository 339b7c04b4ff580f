/**
 * Arrays as npy files have them, and what is known of an array without its bits: that it was drawn from a seed, or that it is a product of two others.
 *
 * What is known is a guess at the bits, right in nearly all of them: `container.mjs` keeps the rest. Known is one of
 *
 * | known                                                    | the array                                                                  |
 * |----------------------------------------------------------|----------------------------------------------------------------------------|
 * | `{"stream": 3, "draw": 1}`                               | what the stream of index 3 draws second                                    |
 * | `{"product": ["a.npy", "b.npy"], "right": "kn" or "nk"}` | each element a sum over k, in doubles, rounded once                        |
 | `{"attention": ["q.npy", "k.npy", "v.npy"], "scale": 1}`   | softmax(scale q kᵀ) v, in doubles; `"causal": true` masks what is later     |
 | `{"wgmma": {...}}`                                        | a case of `wgmma.mjs`, with its operands and results                       |
 *
 * and a stream is `{"by": "numpy", "seed": 7, "draws": [{"shape": [2, 3], "of": [...]}, ...]}`: a draw is the product of its terms, each drawn whole and in
 * this order: `["normal"]`, `["integers", low, high]`, `["uniform", low, high]`, `["power", low, high]` (two to the power of integers);
 * and `["skip"]` is of numbers that nobody kept.
 */
import { Buffer } from 'node:buffer'
import { bitsOf, numberOf, roundings } from './floats.mjs'
import { generators } from './generators.mjs'
import { caseOf, resultBytes } from './wgmma.mjs'

const countOf = (shape) => shape.reduce((product, extent) => product * extent, 1)

// ---------------------------------------------------------------- npy

/** What an npy file says of its array, and where the elements begin; null: not one as `np.save` writes it. */
export const headOf = (bytes) => {
  if (bytes.length < 10 || bytes[0] !== 0x93 || bytes[6] !== 1) return null
  const start = 10 + bytes[8] + 256 * bytes[9]
  const said = /'descr': '([^']+)'.*'shape': \(([^)]*)\)/.exec(
    Buffer.from(bytes.subarray(10, start)).toString('latin1'),
  )
  return said === null
    ? null
    : {
        descr: said[1],
        shape: said[2]
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .map(Number),
        start,
      }
}

/** The head of an npy file, as `np.save` writes it. */
export const npyHead = (descr, shape) => {
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const said = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${extents}), }`
  const length = Math.ceil((10 + said.length + 1) / 64) * 64
  const head = Buffer.alloc(length, ' ')
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (length - 10) & 255, (length - 10) >> 8])
  head.write(said, 10, 'latin1')
  head[length - 1] = 0x0a
  return head
}

// ---------------------------------------------------------------- elements

const half = bitsOf('f16', roundings.even)
const brain = bitsOf('bf16', roundings.even)
const numbersOf16 = (type) => Float64Array.from({ length: 2 ** 16 }, (_, bits) => numberOf(type)(bits))
/** Every number of 16 bits by its bits. */
const halves = numbersOf16('f16')
const brains = numbersOf16('bf16')

/** How numbers are written as elements; `bf16` is what an npy file has as `<u2`. */
const written = {
  '<f2': [2, (view, at, x) => view.setUint16(at, half(x), true)],
  bf16: [2, (view, at, x) => view.setUint16(at, brain(x), true)],
  '<f4': [4, (view, at, x) => view.setFloat32(at, x, true)],
  '<f8': [8, (view, at, x) => view.setFloat64(at, x, true)],
  '|u1': [1, (view, at, x) => view.setUint8(at, x)],
  '|i1': [1, (view, at, x) => view.setInt8(at, x)],
  '<u2': [2, (view, at, x) => view.setUint16(at, x, true)],
  '<i2': [2, (view, at, x) => view.setInt16(at, x, true)],
  '<u4': [4, (view, at, x) => view.setUint32(at, x, true)],
  '<i4': [4, (view, at, x) => view.setInt32(at, x, true)],
}

const read = {
  '<f2': [2, (view, at) => halves[view.getUint16(at, true)]],
  bf16: [2, (view, at) => brains[view.getUint16(at, true)]],
  '<f4': [4, (view, at) => view.getFloat32(at, true)],
  '|i1': [1, (view, at) => view.getInt8(at)],
  '|u1': [1, (view, at) => view.getUint8(at)],
}

/** Bytes of an element. */
const widthOf = (descr) => Number(descr.slice(2))

/** The bytes of an npy file of these numbers. */
const npyOf = (descr, as, shape, numbers) => {
  const head = npyHead(descr, shape)
  const [width, put] = written[as]
  const bytes = new Uint8Array(head.length + width * numbers.length)
  bytes.set(head)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < numbers.length; i++) put(view, head.length + width * i, numbers[i])
  return bytes
}

const numbersOf = (bytes, as) => {
  const { descr, shape, start } = headOf(bytes)
  const [width, get] = read[as ?? descr]
  const view = new DataView(bytes.buffer, bytes.byteOffset + start)
  const numbers = new Float64Array(countOf(shape))
  for (let i = 0; i < numbers.length; i++) numbers[i] = get(view, width * i)
  return { shape, numbers }
}

// ---------------------------------------------------------------- what is known

const terms = {
  normal: (generator, count) => generator.normals(count),
  times: (_, count, factor) => new Float64Array(count).fill(factor),
  skip: (generator, count) => generator.skip(count),
  integers: (generator, count, low, high) => generator.integers(count, low, high),
  uniform: (generator, count, low, high) => generator.uniform(count, low, high),
  power: (generator, count, low, high) => generator.integers(count, low, high).map((x) => 2 ** x),
}

/** What each stream has drawn so far. */
const begun = new WeakMap()

/** The numbers of a draw; those before it are drawn first, and all are kept. */
const drawn = (stream, which) => {
  if (!begun.has(stream)) begun.set(stream, { generator: generators[stream.by](stream.seed), done: [] })
  const { generator, done } = begun.get(stream)
  for (const { shape, of } of stream.draws.slice(done.length, which + 1)) {
    const factors = of.map(([term, ...bounds]) => terms[term](generator, countOf(shape), ...bounds))
    done.push(factors.reduce((x, y) => x.map((value, i) => value * y[i])))
  }
  return done[which]
}

/** Rows as columns. */
const turned = ({ shape: [rows, columns], numbers }) => {
  const out = new Float64Array(numbers.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = numbers[row * columns + column]
  return { shape: [columns, rows], numbers: out }
}

const product = ({ shape: [rows, depth], numbers: left }, { shape: [, columns], numbers: right }) => {
  const out = new Float64Array(rows * columns)
  for (let row = 0; row < rows; row++)
    for (let k = 0; k < depth; k++) {
      const factor = left[row * depth + k]
      const [to, from] = [row * columns, k * columns]
      for (let column = 0; column < columns; column++) out[to + column] += factor * right[from + column]
    }
  return out
}

/** One head of attention: row i of q against keys, as far as they are seen. */
const attended = (q, keys, values, depth, scale, seen) => {
  const weights = new Float64Array(seen)
  let most = -Infinity
  for (let j = 0; j < seen; j++) {
    let sum = 0
    for (let d = 0; d < depth; d++) sum += q[d] * keys[j * depth + d]
    weights[j] = scale * sum
    most = Math.max(most, weights[j])
  }
  const out = new Float64Array(depth)
  let total = 0
  for (let j = 0; j < seen; j++) {
    const weight = Math.exp(weights[j] - most)
    total += weight
    for (let d = 0; d < depth; d++) out[d] += weight * values[j * depth + d]
  }
  return out.map((x) => x / total)
}

/** Extents are batch, sequence, heads, depth; or sequence and depth. Several heads of q may share one of k and v. */
const attention = (q, k, v, scale, causal) => {
  const extents = ({ shape }) => (shape.length === 2 ? [1, shape[0], 1, shape[1]] : shape)
  const [batch, rows, heads, depth] = extents(q)
  const [, columns, shared] = extents(k)
  const rowsOf = ({ numbers }, b, head, count, all) => {
    const out = new Float64Array(count * depth)
    for (let i = 0; i < count; i++)
      for (let d = 0; d < depth; d++) out[i * depth + d] = numbers[((b * count + i) * all + head) * depth + d]
    return out
  }
  const out = new Float64Array(q.numbers.length)
  for (let b = 0; b < batch; b++)
    for (let head = 0; head < heads; head++) {
      const [own, group] = [rowsOf(q, b, head, rows, heads), Math.floor((head * shared) / heads)]
      const [keys, values] = [k, v].map((x) => rowsOf(x, b, group, columns, shared))
      for (let i = 0; i < rows; i++) {
        const seen = causal ? Math.min(i + 1, columns) : columns
        const row = attended(own.subarray(i * depth, (i + 1) * depth), keys, values, depth, scale, seen)
        out.set(row, ((b * rows + i) * heads + head) * depth)
      }
    }
  return out
}

/** The file that `known` makes, where `fileOf` has other files of the set and `streams` are the set's. */
export const guessed = (known, streams, fileOf) => {
  if (known.wgmma !== undefined) return caseOf(known.wgmma)
  const { descr, as, shape } = known
  const numbers = () => {
    if (known.stream !== undefined) return drawn(streams[known.stream], known.draw)
    if (known.attention !== undefined) {
      const [q, k, v] = known.attention.map((file) => numbersOf(fileOf(file), known.of))
      return attention(q, k, v, known.scale, known.causal === true)
    }
    const [left, right] = known.product.map((file) => numbersOf(fileOf(file), known.of))
    return product(left, known.right === 'kn' ? right : turned(right))
  }
  return npyOf(descr, as ?? descr, shape, numbers())
}

/** Where the elements of such a file begin, and the bytes of one. */
export const elementsIn = (known) =>
  known.wgmma === undefined
    ? { start: npyHead(known.descr, known.shape).length, width: widthOf(known.descr) }
    : { start: 0, width: resultBytes(known.wgmma) }

// ---------------------------------------------------------------- looking

/** What a file is, in words: an array's type, extents and some of its elements; of others the bytes. */
export const elementsOf = (bytes, [first, last]) => {
  const head = headOf(bytes)
  if (head === null)
    return `${bytes.length} bytes\n${Buffer.from(bytes.subarray(first, last)).toString('latin1')}`
  const [width, get] = read[head.descr] ?? [widthOf(head.descr), null]
  const view = new DataView(bytes.buffer, bytes.byteOffset + head.start)
  const count = Math.min(last, countOf(head.shape))
  const elements = Array.from({ length: Math.max(0, count - first) }, (_, i) => {
    const at = (first + i) * width
    const bits = Buffer.from(bytes.subarray(head.start + at, head.start + at + width))
      .reverse()
      .toString('hex')
    return `${first + i}: 0x${bits}${get === null ? '' : ` ${get(view, at)}`}`
  })
  return [`${head.descr} [${head.shape.join(', ')}]`, ...elements].join('\n')
}
