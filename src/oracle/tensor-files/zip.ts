/**
 * The zip archive, as far as `np.savez` uses it: named members, stored or deflated, and a directory at the end that says where each lies.
 *
 * | bytes, from the end               | content                                                            |
 * |-----------------------------------|--------------------------------------------------------------------|
 * | the last 22 (and a comment)       | `50 4b 05 06`: members, where the directory lies and how long it is |
 * | the directory                     | an entry a member: method, sizes, checksum, where it begins          |
 * | before it, a member after another | `50 4b 03 04`, its name once more, then its bytes                    |
 *
 * An archive is believed only where its parts agree. A small one can ask for a large memory, by a deflated member or by many members that are the same
 * bytes; so everything is decided by the directory, before a byte is inflated:
 *
 * | asked of                    | that                                                                                   |
 * |-----------------------------|----------------------------------------------------------------------------------------|
 * | the directory               | it ends where its end record begins, and has as many entries as that says               |
 * | a member                    | stored or deflated, not encrypted, with a name that no other one has                    |
 * | its bytes                   | they lie before the directory and are of no other member                                |
 * | its size                    | as stored; deflated at most `mostInflated`, and no more than deflate makes of its bytes |
 *
 * Inflating stops at the size that was said. A checksum that differs is a refusal.
 *
 * Laws
 *  1. filesOf(encodeZip(members)) are the members
 *  2. no archive takes more memory than its own bytes, its members as its directory says, and 32 MiB
 *  3. a changed byte of a member's content is refused, or changes nothing; nothing throws
 *
 * Source: PKWARE, APPNOTE 6.3.10, sections 4.3 and 4.4; RFC 1951.
 */
import { Inflate, zipSync } from 'fflate'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, refuse, type Failure } from '../../failure.js'

// ---------------------------------------------------------------- model

/** A member by what the directory says of it. */
export interface Member {
  readonly name: string
  readonly deflated: boolean
  readonly checksum: number
  /** bytes of it in the archive */
  readonly packed: number
  /** bytes of its content */
  readonly size: number
  /** where its bytes begin */
  readonly start: number
}

export type ZipFault = 'zip-directory' | 'zip-member' | 'zip-size' | 'zip-content'
export type ZipFailure = Failure<ZipFault>

/** Bytes that one deflated member may become. */
export const mostInflated: number = 2 ** 30
/** Deflate says at most 258 bytes in two bits, and has a few of its own. */
const mostRatio = 1032
const endBytes = 22
const entryBytes = 46
const localBytes = 30
const signatures = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 } as const
/** What a field of 16 or 32 bits holds where a record of 64 bits says the number. */
const inLargeRecord = { short: 0xffff, long: 0xffffffff } as const

// ---------------------------------------------------------------- the directory

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Where the end record begins: the comment behind it fills the rest. */
const endOf = (bytes: Uint8Array, view: DataView): number | null => {
  const first = Math.max(0, bytes.length - endBytes - 0xffff)
  for (let at = bytes.length - endBytes; at >= first; at--)
    if (
      view.getUint32(at, true) === signatures.end &&
      view.getUint16(at + 20, true) === bytes.length - endBytes - at
    )
      return at
  return null
}

const noDirectory = (found: string): E.Either<ZipFailure, never> =>
  refuse('zip-directory', `not a zip archive: expected a directory at its end, found ${found}`)

const wrongMember = (name: string, expected: string, found: string): E.Either<ZipFailure, never> =>
  refuse('zip-member', `member ${name}: expected ${expected}, found ${found}`)

interface Entry extends Omit<Member, 'start'> {
  readonly local: number
}

/** One entry, and where the next begins. */
const entryAt = (
  bytes: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): E.Either<ZipFailure, readonly [Entry, number]> => {
  if (at + entryBytes > end || view.getUint32(at, true) !== signatures.entry)
    return noDirectory(`no entry at byte ${String(at)}`)
  const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true))
  const next = at + entryBytes + name! + extra! + comment!
  if (next > end) return noDirectory(`an entry at byte ${String(at)} that ends beyond it`)
  const called = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + name!))
  const [flags, method] = [8, 10].map((field) => view.getUint16(at + field, true))
  const [checksum, packed, size, local] = [16, 20, 24, 42].map((field) => view.getUint32(at + field, true))
  if ([packed, size, local].includes(inLargeRecord.long))
    return wrongMember(called, 'sizes below 2^32 - 1 bytes', 'a record of 64 bits')
  if ((flags! & 1) !== 0) return wrongMember(called, 'bytes that are not encrypted', 'encrypted ones')
  if (method !== 0 && method !== 8)
    return wrongMember(called, 'method 0 (stored) or 8 (deflated)', `method ${String(method)}`)
  const entry = {
    name: called,
    deflated: method === 8,
    checksum: checksum!,
    packed: packed!,
    size: size!,
    local: local!,
  }
  return entry.deflated || entry.size === entry.packed
    ? E.right([entry, next])
    : wrongMember(called, `${String(entry.packed)} bytes, as stored`, String(entry.size))
}

/** Where the bytes of a member begin: behind its header, which has a name and fields of its own length. */
const startOf = (
  view: DataView,
  { name, local, packed }: Entry,
  end: number,
): E.Either<ZipFailure, number> => {
  if (local + localBytes > end || view.getUint32(local, true) !== signatures.local)
    return wrongMember(name, `its header at byte ${String(local)}`, 'none')
  const start = local + localBytes + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  return start + packed <= end
    ? E.right(start)
    : wrongMember(
        name,
        `${String(packed)} bytes at byte ${String(start)}, before the directory at ${String(end)}`,
        'fewer',
      )
}

const sizeFits = ({ name, deflated, packed, size }: Entry): E.Either<ZipFailure, null> =>
  !deflated || size <= Math.min(mostInflated, packed * mostRatio)
    ? E.right(null)
    : refuse(
        'zip-size',
        `member ${name}: expected at most ${String(Math.min(mostInflated, packed * mostRatio))} bytes out of ${String(packed)}, found ${String(size)} in the directory`,
      )

/** All members, in the order of the directory, each of bytes of its own. */
export const membersOf = (bytes: Uint8Array): E.Either<ZipFailure, ReadonlyArray<Member>> => {
  const view = viewOf(bytes)
  const last = endOf(bytes, view)
  if (last === null) return noDirectory('none')
  const [disk, first, here, count] = [4, 6, 8, 10].map((field) => view.getUint16(last + field, true))
  const [size, begin] = [12, 16].map((field) => view.getUint32(last + field, true))
  if (count === inLargeRecord.short || begin === inLargeRecord.long)
    return noDirectory('one of 64 bits, which no archive of less than 2^32 bytes needs')
  if (disk !== 0 || first !== 0 || here !== count) return noDirectory('a part of an archive of several')
  if (begin! + size! !== last)
    return noDirectory(
      `${String(size)} bytes of it at byte ${String(begin)}, where ${String(last)} is the end`,
    )
  const members: (Member & { readonly local: number })[] = []
  const names = new Set<string>()
  for (let at = begin!; at < last;) {
    const read = entryAt(bytes, view, at, last)
    if (E.isLeft(read)) return read
    const [entry, next] = read.right
    if (names.has(entry.name)) return wrongMember(entry.name, 'each name once', 'it twice')
    names.add(entry.name)
    const start = pipe(
      sizeFits(entry),
      E.chain(() => startOf(view, entry, begin!)),
    )
    if (E.isLeft(start)) return start
    const { name, deflated, checksum, packed, size: content, local } = entry
    members.push({ name, deflated, checksum, packed, size: content, local, start: start.right })
    at = next
  }
  if (members.length !== count) return noDirectory(`${String(members.length)} entries of ${String(count)}`)
  const inOrder = [...members].sort((a, b) => a.local - b.local)
  const shared = inOrder.find((m, k) => k > 0 && inOrder[k - 1]!.start + inOrder[k - 1]!.packed > m.local)
  return shared === undefined
    ? E.right(members)
    : wrongMember(shared.name, 'bytes of its own', 'those of another member')
}

// ---------------------------------------------------------------- contents

const polynomial = 0xedb88320
const checksums: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ polynomial
  return sum
})

/** CRC-32, the checksum of a member. */
export const checksumOf = (bytes: Uint8Array): number => {
  let sum = 0xffffffff
  for (let i = 0; i < bytes.length; i++) sum = checksums[(sum ^ bytes[i]!) & 0xff]! ^ (sum >>> 8)
  return ~sum >>> 0
}

/** Packed bytes that are inflated at a time: what becomes of them is bounded, whatever they hold. */
const piece = 2 ** 14

const inflated = (packed: Uint8Array, { name, size }: Member): E.Either<ZipFailure, Uint8Array> => {
  const out = new Uint8Array(size)
  let length = 0
  const inflate = new Inflate((chunk) => {
    if (length + chunk.length <= size) out.set(chunk, length)
    length += chunk.length
  })
  const fed = E.tryCatch(
    () => {
      for (let at = 0; at < packed.length && length <= size; at += piece)
        inflate.push(packed.subarray(at, at + piece), at + piece >= packed.length)
    },
    (why) =>
      failure(
        'zip-content',
        `member ${name}: expected deflated bytes, found ${why instanceof Error ? why.message : 'others'}`,
      ),
  )
  if (E.isLeft(fed)) return fed
  return length === size
    ? E.right(out)
    : refuse(
        'zip-content',
        `member ${name}: expected ${String(size)} bytes, as its directory says, found ${length > size ? 'more' : String(length)}`,
      )
}

/** The content of a member of these bytes. */
export const contentOf =
  (bytes: Uint8Array) =>
  (member: Member): E.Either<ZipFailure, Uint8Array> => {
    const packed = bytes.subarray(member.start, member.start + member.packed)
    return pipe(
      member.deflated ? inflated(packed, member) : E.right(packed),
      E.chain((content) =>
        checksumOf(content) === member.checksum
          ? E.right(content)
          : refuse('zip-content', `member ${member.name}: expected bytes of its checksum, found others`),
      ),
    )
  }

// ---------------------------------------------------------------- writing

/** No time of day: the same members are the same bytes. */
const epoch = new Date(1980, 0, 1)

/** Bytes of a name: its length has sixteen bits. */
const mostName = 0xffff

/** An archive of members that are stored. */
export const encodeZip = (members: ReadonlyMap<string, Uint8Array>): E.Either<ZipFailure, Uint8Array> => {
  const long = [...members.keys()].find((name) => new TextEncoder().encode(name).length > mostName)
  return long === undefined
    ? E.right(zipSync(Object.fromEntries(members), { level: 0, mtime: epoch }))
    : wrongMember(`${long.slice(0, 40)}...`, `a name of at most ${String(mostName)} bytes`, 'a longer one')
}
