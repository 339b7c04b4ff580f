/**
 * Plain bytes: which bytes of a plane hold what no data has decided.
 *
 * A kernel that is asked what it computes for all inputs may keep its own state in memory: Triton's warps tell one another through a word of shared memory
 * which part of the kernel comes next. What such a word says is the same for all inputs if what was stored there is.
 *
 *     st.shared.b8 [state], 1       the byte is plain
 *     a copy over it                it is not, whatever it holds
 *
 * Law 1. a byte is plain iff its last write said so.
 */
import { bytesOf, firstByteAt, isPacked, lastByteAt, type Cells, type Edit } from './cells.js'

/** 1 of every byte that is plain, and who may write in place. */
export interface Plain {
  readonly bytes: Uint8Array
  readonly edit: Edit | null
}

export const of = (size: number, plain: boolean): Plain => ({
  bytes: new Uint8Array(size).fill(plain ? 1 : 0),
  edit: null,
})

const owned = ({ bytes, edit: by }: Plain, edit: Edit | null): Plain => ({
  bytes: edit !== null && by?.run === edit.run ? bytes : bytes.slice(),
  edit,
})

/** The elements are written, by anything. */
export const without = (p: Plain | null, c: Cells, edit: Edit | null): Plain | null => {
  if (p === null) return null
  const made = owned(p, edit)
  const [isInside, width] = [isPacked(c.dtype), bytesOf(c.dtype)]
  for (const offset of c.offsets) {
    const at = offset + c.origin
    if (at < 0) continue
    const first = isInside ? firstByteAt(c.dtype, at) : at
    const last = isInside ? lastByteAt(c.dtype, at) : at + width - 1
    for (let byte = first; byte <= last; byte++) made.bytes[byte] = 0
  }
  return made
}

/** Byte i of the elements is plain if `plain[i]` is 1. */
export const within = (p: Plain, c: Cells, plain: Uint8Array, edit: Edit | null): Plain => {
  const made = owned(p, edit)
  const width = bytesOf(c.dtype)
  c.offsets.forEach((offset, i) => {
    if (offset + c.origin < 0) return
    for (let b = 0; b < width; b++) made.bytes[offset + c.origin + b] = plain[i * width + b]!
  })
  return made
}

/** Of every byte of the elements 1 if it is plain; null: none is. */
export const at = ({ bytes }: Plain, c: Cells): Uint8Array | null => {
  if (isPacked(c.dtype)) return null
  const width = bytesOf(c.dtype)
  const out = new Uint8Array(c.offsets.length * width)
  let some = false
  c.offsets.forEach((offset, i) => {
    if (offset + c.origin < 0) return
    for (let b = 0; b < width; b++) {
      const plain = bytes[offset + c.origin + b]!
      out[i * width + b] = plain
      some ||= plain === 1
    }
  })
  return some ? out : null
}
