/**
 * A set of captured files, held as two: an index that can be read, and the frames that it points at.
 *
 * | file                | content                                                                                                  |
 * |---------------------|----------------------------------------------------------------------------------------------------------|
 * | `NAME.index.json`   | streams of random numbers, and a line a file: its checksum, what is known of it, and where its frame is    |
 * | `NAME.frames`       | one frame after the other: Brotli                                                                        |
 *
 * A frame is a file's bytes in planes (the first byte of every element, then every second one, ...), for the bytes of a plane are like each other.
 * Where something is known of an array (`arrays.mjs`), the frame holds how far each element is from what is known, in the order of the floats, so that what
 * was guessed right is zeros. A file `X.npz` lies here as its arrays, `X.npz:a`; made again, its members are stored.
 *
 * Laws
 *  1. unpacked(packed(files)) are the files, byte for byte, and those of archives array for array
 *  2. what is made is held by the SHA-256 of its bytes: a changed bit of a frame, of the index, or of a generator is refused, and the file is named
 *  3. a frame has a checksum of its own, so that a container is known to be whole without being unpacked
 *  4. the same file twice has one frame
 */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import * as zlib from 'node:zlib'
import { zipSync } from 'fflate'
import { elementsIn, guessed } from './arrays.mjs'

/** 128 bits of it: as many as a checksum needs, in as few letters as an index of hundreds of lines bears. */
export const checksum = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 32)

// ---------------------------------------------------------------- planes and differences

const planes = (bytes, width) => {
  const count = Math.floor(bytes.length / width)
  const out = new Uint8Array(bytes.length)
  for (let plane = 0; plane < width; plane++)
    for (let i = 0; i < count; i++) out[plane * count + i] = bytes[i * width + plane]
  out.set(bytes.subarray(count * width), count * width)
  return out
}

const unplanes = (bytes, width) => {
  const count = Math.floor(bytes.length / width)
  const out = new Uint8Array(bytes.length)
  for (let plane = 0; plane < width; plane++)
    for (let i = 0; i < count; i++) out[i * width + plane] = bytes[plane * count + i]
  out.set(bytes.subarray(count * width), count * width)
  return out
}

/** Bits of a float as a number that grows with it, and back: negative ones stand below, in reverse. */
const ranked = (bits, top) => (bits >= top ? 2 * top - 1 - bits : bits + top)
const unranked = (rank, top) => (rank >= top ? rank - top : 2 * top - 1 - rank)
/** A difference modulo 2 * top as a number that is small where the difference is, and back. */
const folded = (step, top) => (step < top ? 2 * step : 2 * (2 * top - step) - 1)
const unfolded = (fold, top) => (fold % 2 === 0 ? fold / 2 : 2 * top - (fold + 1) / 2)

const access = {
  1: [(v, at) => v.getUint8(at), (v, at, x) => v.setUint8(at, x)],
  2: [(v, at) => v.getUint16(at, true), (v, at, x) => v.setUint16(at, x, true)],
  4: [(v, at) => v.getUint32(at, true), (v, at, x) => v.setUint32(at, x, true)],
}

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const combined = (bytes, guess, { start, width }, change) => {
  const [get, set] = access[width]
  const top = 2 ** (8 * width - 1)
  const out = new Uint8Array(bytes.length)
  const [from, like, to] = [bytes, guess, out].map(viewOf)
  out.set(bytes.subarray(0, start))
  for (let at = start; at < bytes.length; at += width)
    set(to, at, change(get(from, at), ranked(get(like, at), top), top))
  return out
}

/** Elements as their distances from those of a guess, and back; what is before the elements is the same in both. */
const distances = (bytes, guess, elements) =>
  combined(bytes, guess, elements, (bits, like, top) =>
    folded((ranked(bits, top) - like + 2 * top) % (2 * top), top),
  )
const moved = (steps, guess, elements) =>
  combined(steps, guess, elements, (fold, like, top) =>
    unranked((like + unfolded(fold, top)) % (2 * top), top),
  )

// ---------------------------------------------------------------- archives

/** The archive that an entry is an array of, and its name there: `X.npz:a`; null: the entry is a file. */
export const memberOf = (entry) => {
  const found = /^(.*\.npz):(.*)$/.exec(entry)
  return found === null ? null : { archive: found[1], name: found[2] }
}

const past = new Date('1980-01-01T00:00:00')

/** Archives of some entries, stored, always the same bytes. */
export const archivesFrom = (entries) => {
  const members = new Map()
  for (const [entry, bytes] of entries) {
    const member = memberOf(entry)
    if (member === null) continue
    members.set(member.archive, { ...members.get(member.archive), [`${member.name}.npy`]: bytes })
  }
  return new Map(
    [...members].map(([archive, arrays]) => [archive, zipSync(arrays, { level: 0, mtime: past })]),
  )
}

const archivesOf = (files) =>
  [...archivesFrom(files)].map(([file, bytes]) => ({ file, sha256: checksum(bytes) }))

// ---------------------------------------------------------------- writing

const compressed = (bytes, quality) =>
  zlib.brotliCompressSync(bytes, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: quality,
      [zlib.constants.BROTLI_PARAM_LGWIN]: 24,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })

/** The shortest of what a frame may hold; a guess is of use where it is an array of the same type and extents. */
const frameOf = (bytes, known, guess) => {
  const elements = guess === null ? null : elementsIn(known)
  const fits =
    guess !== null &&
    guess.length === bytes.length &&
    guess.subarray(0, elements.start).every((byte, i) => byte === bytes[i])
  const forms = [
    ...[1, 2, 4, 8].map((width) => ({ width, near: false, content: planes(bytes, width) })),
    ...(fits ? [elements.width] : []).map((width) => ({
      width,
      near: true,
      content: planes(distances(bytes, guess, elements), width),
    })),
  ]
  const [best] = forms
    .map((form) => [compressed(form.content, 5).length, form])
    .reduce((one, other) => (other[0] < one[0] ? other : one))
    .slice(1)
  return { width: best.width, near: best.near, frame: compressed(best.content, 11) }
}

/** The container of files by name (an archive as its arrays), with what is known of some. */
export const packed = (files, { take, streams, known }) => {
  const frames = []
  const index = []
  const first = new Map()
  let at = 0
  for (const [file, bytes] of files) {
    const sha256 = checksum(bytes)
    const like = known.get(file)
    const same = first.get(sha256)
    if (same !== undefined) {
      index.push({ file, sha256, same })
      continue
    }
    first.set(sha256, file)
    const guess = like === undefined ? null : guessed(like, streams, (name) => files.get(name))
    const { width, near, frame } = frameOf(bytes, like, guess)
    const where = { at, length: frame.length, frame: checksum(frame), width }
    index.push(near ? { file, sha256, ...where, known: like } : { file, sha256, ...where })
    frames.push(frame)
    at += frame.length
  }
  return {
    index: { schema: 'tcspec.captured/1', take, streams, archives: archivesOf(files), files: index },
    frames: Buffer.concat(frames),
  }
}

/** The text of an index: a line a file. */
export const indexText = ({ schema, take, streams, archives, files }) => {
  const lines = (rows) =>
    rows.length === 0 ? '[]' : `[\n  ${rows.map((row) => JSON.stringify(row)).join(',\n  ')}\n ]`
  const said = {
    schema: JSON.stringify(schema),
    take: JSON.stringify(take),
    streams: lines(streams),
    archives: lines(archives),
    files: lines(files),
  }
  return `{\n${Object.entries(said)
    .map(([key, text]) => ` "${key}": ${text}`)
    .join(',\n')}\n}\n`
}

// ---------------------------------------------------------------- reading

/** A refusal that names the file. */
export class Damaged extends Error {}

/** Readers of a container: of one entry's bytes, and of whether all frames are whole. */
export const opened = (index, frames) => {
  const entries = new Map(index.files.map((entry) => [entry.file, entry]))
  const packedBytes = (entry) => {
    const bytes = frames.subarray(entry.at, entry.at + entry.length)
    if (checksum(bytes) !== entry.frame)
      throw new Damaged(
        `${entry.file}: bytes ${entry.at} to ${entry.at + entry.length} of the frames are not those that the index names`,
      )
    return bytes
  }
  const plain = (entry) => {
    const inflated = zlib.brotliDecompressSync(packedBytes(entry))
    const bytes = unplanes(inflated, entry.width)
    if (entry.known === undefined) return bytes
    return moved(bytes, guessed(entry.known, index.streams, bytesOf), elementsIn(entry.known))
  }
  const kept = new Map()
  function bytesOf(file) {
    if (kept.has(file)) return kept.get(file)
    const entry = entries.get(file)
    if (entry === undefined) throw new Damaged(`${file}: not in the index`)
    const bytes = entry.same === undefined ? plain(entry) : bytesOf(entry.same)
    const found = checksum(bytes)
    if (found !== entry.sha256)
      throw new Damaged(`${file}: expected the SHA-256 ${entry.sha256}, found ${found}`)
    kept.set(file, bytes)
    return bytes
  }
  return {
    bytesOf,
    whole: () => {
      const last = index.files.reduce(
        (end, entry) => (entry.same === undefined ? Math.max(end, entry.at + entry.length) : end),
        0,
      )
      if (last !== frames.length)
        throw new Damaged(`expected ${last} bytes of frames, found ${frames.length}`)
      for (const entry of index.files) if (entry.same === undefined) packedBytes(entry)
    },
  }
}
