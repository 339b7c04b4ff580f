import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { onDisk } from '../../../src/oracle/tensor-files/files.js'
import { readTensor, writeTensor } from '../../../src/oracle/tensor-files/tensor-file.js'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-files-'))
const at = (name: string): string => path.join(root, name)
beforeEach(() => {
  fs.rmSync(root, { recursive: true, force: true })
  fs.mkdirSync(root)
})
afterAll(() => {
  fs.rmSync(root, { recursive: true, force: true })
})

const bytes = Uint8Array.of(1, 2, 3)
const names = (): ReadonlyArray<string> => fs.readdirSync(root).sort()

describe('files law 1: what was written is read', () => {
  it('to a new file and over an old one, leaving nothing else behind', () => {
    fs.writeFileSync(at('old'), 'something longer')
    expect(onDisk.write(at('new'), bytes)()).toEqual(E.right(undefined))
    expect(onDisk.write(at('old'), bytes)()).toEqual(E.right(undefined))
    expect(onDisk.read(at('new'))()).toEqual(E.right(bytes))
    expect(onDisk.read(at('old'))()).toEqual(E.right(bytes))
    expect(names()).toEqual(['new', 'old'])
  })
  it('is done when run, not when described', () => {
    onDisk.write(at('new'), bytes)
    expect(names()).toEqual([])
  })
  it('through a symbolic link, which stays one', () => {
    fs.mkdirSync(at('elsewhere'))
    fs.writeFileSync(at('elsewhere/target'), 'x')
    fs.symlinkSync(at('elsewhere/target'), at('link'))
    expect(onDisk.write(at('link'), bytes)()).toEqual(E.right(undefined))
    expect(fs.lstatSync(at('link')).isSymbolicLink()).toBe(true)
    expect([...fs.readFileSync(at('elsewhere/target'))]).toEqual([1, 2, 3])
  })
  it('a device stays a device', () => {
    expect(onDisk.write('/dev/null', bytes)()).toEqual(E.right(undefined))
    expect(fs.statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
  it('a pipe gets the bytes', () => {
    execFileSync('mkfifo', [at('pipe')])
    const open = fs.openSync(at('pipe'), fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
    expect(onDisk.write(at('pipe'), bytes)()).toEqual(E.right(undefined))
    const received = new Uint8Array(3)
    fs.readSync(open, received)
    fs.closeSync(open)
    expect(received).toEqual(bytes)
    expect(fs.statSync(at('pipe')).isFIFO()).toBe(true)
  })
  it('the longest name a file may have', () => {
    expect(onDisk.write(at('x'.repeat(255)), bytes)()).toEqual(E.right(undefined))
    expect(names()).toEqual(['x'.repeat(255)])
  })
})

describe('files law 2: whole or not at all', () => {
  it('the old file is a different one, complete to whoever still has it open', () => {
    fs.writeFileSync(at('out'), 'before')
    const open = fs.openSync(at('out'), 'r')
    const node = fs.fstatSync(open).ino
    onDisk.write(at('out'), bytes)()
    expect(fs.readFileSync(open, 'utf8')).toBe('before')
    expect(fs.statSync(at('out')).ino).not.toBe(node)
    fs.closeSync(open)
  })
  it('a refused write leaves no trace', () => {
    fs.mkdirSync(at('directory'))
    fs.writeFileSync(at('plain'), 'x')
    expect(E.isLeft(onDisk.write(at('directory'), bytes)())).toBe(true)
    expect(E.isLeft(onDisk.write(at('none/out'), bytes)())).toBe(true)
    expect(E.isLeft(onDisk.write(at('plain/out'), bytes)())).toBe(true)
    // Here the bytes are written beside, and then the renaming fails.
    expect(E.isLeft(onDisk.write(at('missing') + '/', bytes)())).toBe(true)
    expect(E.isLeft(onDisk.write(at('x'.repeat(300)), bytes)())).toBe(true)
    expect(names()).toEqual(['directory', 'plain'])
    expect(fs.readdirSync(at('directory'))).toEqual([])
  })
})

describe('files law 3: failures are one line that names the file', () => {
  const cases: ReadonlyArray<readonly [string, () => E.Either<unknown, unknown>, string, string]> = [
    [
      'read: none there',
      () => onDisk.read(at('none'))(),
      'file-missing',
      `${at('none')}: expected a file to read, found none`,
    ],
    [
      'read: a directory',
      () => onDisk.read(root)(),
      'file-is-directory',
      `${root}: expected a file to read, found a directory`,
    ],
    [
      'read: below a file',
      () => onDisk.read(at('file/x'))(),
      'file-missing',
      `${at('file/x')}: expected a file to read, found none`,
    ],
    ['read: no name', () => onDisk.read('')(), 'file-missing', ': expected a file to read, found none'],
    [
      'read: a name that cannot be',
      () => onDisk.read('a\0b')(),
      'file-unreadable',
      'a\0b: cannot be read (ERR_INVALID_ARG_VALUE)',
    ],
    [
      'write: no directory',
      () => onDisk.write(at('none/x'), bytes)(),
      'file-missing',
      `${at('none/x')}: expected a directory ${at('none')} to write to, found none`,
    ],
    [
      'write: below a file',
      () => onDisk.write(at('file/x'), bytes)(),
      'file-missing',
      `${at('file/x')}: expected a file in a directory to write, found no such place`,
    ],
    [
      'write: a directory',
      () => onDisk.write(root, bytes)(),
      'file-is-directory',
      `${root}: expected a file to write, found a directory`,
    ],
    [
      'write: too long a name',
      () => onDisk.write(at('x'.repeat(300)), bytes)(),
      'file-unwritable',
      `${at('x'.repeat(300))}: cannot be written (ENAMETOOLONG)`,
    ],
  ]
  it.each(cases)('%s', (_, act, code, message) => {
    fs.writeFileSync(at('file'), 'x')
    expect(act()).toEqual(E.left({ code, message }))
  })
  // The superuser may read and write everything.
  it.runIf(process.getuid?.() !== 0)('without permission', () => {
    fs.writeFileSync(at('secret'), 'x', { mode: 0o000 })
    fs.writeFileSync(at('readonly'), 'x', { mode: 0o444 })
    expect(onDisk.read(at('secret'))()).toMatchObject(E.left({ code: 'file-forbidden' }))
    expect(onDisk.write(at('readonly'), bytes)()).toMatchObject(E.left({ code: 'file-forbidden' }))
  })
})

describe('a tensor file is the codec at a path', () => {
  it('writes bf16 as u2 and reads it back', () => {
    const t = { dtype: 'bf16', shape: [2], bits: Uint16Array.of(0x3f80, 0xc000) } as const
    expect(writeTensor(onDisk)(at('t.npy'), t)()).toEqual(E.right(undefined))
    const file = fs.readFileSync(at('t.npy'))
    expect(file.subarray(10, 70).toString('latin1')).toContain("'<u2'")
    expect([...file.subarray(128)]).toEqual([0x80, 0x3f, 0x00, 0xc0])
    expect(readTensor(onDisk)(at('t.npy'), 'bf16')()).toEqual(E.right(t))
  })
  it('names the file when the content is wrong', () => {
    fs.writeFileSync(at('t.npy'), 'not npy')
    expect(readTensor(onDisk)(at('t.npy'), undefined)()).toMatchObject(
      E.left({ code: 'npy-magic', message: expect.stringContaining(`${at('t.npy')}: not an npy file`) }),
    )
    const bad = { dtype: 'f16', shape: [3], bits: Uint16Array.of(1) } as const
    expect(writeTensor(onDisk)(at('u.npy'), bad)()).toMatchObject(E.left({ code: 'npy-truncated' }))
    expect(names()).toEqual(['t.npy'])
  })
})
