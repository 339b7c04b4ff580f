import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import {
  asText,
  mostStreamed,
  mostTextBytes,
  type FileFailure,
} from '../../../src/oracle/tensor-files/files.js'
import { readTensor, tensorOutputs } from '../../../src/oracle/tensor-files/tensor-file.js'
import { nightly } from '../../extent.js'

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
const write = (...files: ReadonlyArray<string>): Promise<E.Either<FileFailure, void>> =>
  onDisk.write(files.map((file) => ({ file, bytes })))()
const done = E.right(undefined)

describe('files law 1: what was written is read', () => {
  it('to a new file and over an old one, leaving nothing else behind', async () => {
    fs.writeFileSync(at('old'), 'something longer')
    expect(await write(at('new'), at('old'))).toEqual(done)
    expect(onDisk.read(at('new'))()).toEqual(E.right(bytes))
    expect(onDisk.read(at('old'))()).toEqual(E.right(bytes))
    expect(names()).toEqual(['new', 'old'])
  })
  it('is done when run, not when described', () => {
    onDisk.write([{ file: at('new'), bytes }])
    expect(names()).toEqual([])
  })
  it('through a symbolic link, which stays one, also when it points to nothing yet', async () => {
    fs.mkdirSync(at('elsewhere'))
    fs.writeFileSync(at('elsewhere/target'), 'x')
    fs.symlinkSync(at('elsewhere/target'), at('link'))
    fs.symlinkSync('elsewhere/none', at('dangling'))
    fs.symlinkSync('dangling', at('twice'))
    expect(await write(at('link'), at('twice'))).toEqual(done)
    for (const link of ['link', 'dangling', 'twice'])
      expect(fs.lstatSync(at(link)).isSymbolicLink()).toBe(true)
    expect([...fs.readFileSync(at('elsewhere/target'))]).toEqual([1, 2, 3])
    expect([...fs.readFileSync(at('elsewhere/none'))]).toEqual([1, 2, 3])
  })
  it('a device stays a device', async () => {
    expect(await write('/dev/null', '/dev/null')).toEqual(done)
    expect(fs.statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
  it('a pipe gets the bytes', async () => {
    execFileSync('mkfifo', [at('pipe')])
    const open = fs.openSync(at('pipe'), fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
    expect(await write(at('pipe'))).toEqual(done)
    const received = new Uint8Array(3)
    fs.readSync(open, received)
    fs.closeSync(open)
    expect(received).toEqual(bytes)
    expect(fs.statSync(at('pipe')).isFIFO()).toBe(true)
  })
  it.runIf(fs.existsSync('/proc/self/fd'))(
    'an open file of this process goes on where it stands',
    async () => {
      const open = fs.openSync(at('log'), 'a+')
      fs.writeSync(open, 'before')
      fs.symlinkSync(`/dev/fd/${String(open)}`, at('link'))
      expect(await write(`/dev/fd/${String(open)}`, `/proc/self/fd/${String(open)}`, at('link'))).toEqual(
        done,
      )
      fs.writeSync(open, 'after')
      fs.closeSync(open)
      expect(fs.readFileSync(at('log'), 'latin1')).toBe('before\x01\x02\x03\x01\x02\x03\x01\x02\x03after')
      expect(names()).toEqual(['link', 'log'])
    },
  )
  it('the longest name a file may have', async () => {
    expect(await write(at('x'.repeat(255)))).toEqual(done)
    expect(names()).toEqual(['x'.repeat(255)])
  })
})

describe('files law 5: every read ends', () => {
  it('what has no end is refused once it is too long', () => {
    expect(onDisk.read('/dev/zero')()).toEqual(
      E.left({
        code: 'file-too-large',
        message: `/dev/zero: expected a stream of at most ${String(mostStreamed)} bytes, found more`,
      }),
    )
  })
  it('a file is refused before it is read, however long', () => {
    fs.writeFileSync(at('sparse'), '')
    fs.truncateSync(at('sparse'), 2 ** 40)
    expect(onDisk.read(at('sparse'))()).toMatchObject(
      E.left({
        message: `${at('sparse')}: expected a file of at most 2147483647 bytes, found 1099511627776`,
      }),
    )
  })
  it('a device that ends is read, and so is a file that does not say how long it is', () => {
    expect(onDisk.read('/dev/null')()).toEqual(E.right(new Uint8Array(0)))
    expect(E.map((b: Uint8Array) => b.length > 0)(onDisk.read('/proc/self/status')())).toEqual(E.right(true))
  })
  it('a pipe is read to its end, however it comes', () => {
    const long = Uint8Array.from({ length: nightly ? 2_500_000 : 250_000 }, (_, i) => i % 251)
    fs.writeFileSync(at('long'), long)
    execFileSync('mkfifo', [at('pipe')])
    spawn('sh', ['-c', '(head -c 7 long; tail -c +8 long) > pipe'], { cwd: root, stdio: 'ignore' })
    const read = onDisk.read(at('pipe'))()
    expect(E.isRight(read) && Buffer.compare(read.right, long)).toBe(0)
  })
  it('a text is no longer than a string can be', () => {
    expect(asText('x')(new TextEncoder().encode('ten'))).toEqual(E.right('ten'))
    expect(asText('x')(new Uint8Array(mostTextBytes + 1))).toEqual(
      E.left({
        code: 'file-too-large',
        message: `x: expected a text of at most ${String(mostTextBytes)} bytes, found ${String(mostTextBytes + 1)}`,
      }),
    )
  })
})

describe('files law 2: whole or not at all', () => {
  it('the old file is a different one, complete to whoever still has it open', async () => {
    fs.writeFileSync(at('out'), 'before')
    const open = fs.openSync(at('out'), 'r')
    const node = fs.fstatSync(open).ino
    await write(at('out'))
    expect(fs.readFileSync(open, 'utf8')).toBe('before')
    expect(fs.statSync(at('out')).ino).not.toBe(node)
    fs.closeSync(open)
  })
  it.each([0o600, 0o640, 0o666, 0o755])('the new file has the mode of the old one, %o', async (mode) => {
    fs.writeFileSync(at('out'), 'before')
    fs.chmodSync(at('out'), mode)
    expect(await write(at('out'))).toEqual(done)
    expect(fs.statSync(at('out')).mode & 0o777).toBe(mode)
  })
  it('a refused write leaves no trace, of the others neither', async () => {
    fs.mkdirSync(at('directory'))
    fs.writeFileSync(at('plain'), 'x')
    const places = [
      at('directory'),
      at('none/out'),
      at('plain/out'),
      `${at('missing')}/`,
      at('x'.repeat(300)),
      '',
    ]
    for (const place of places) expect(E.isLeft(await write(at('new'), at('plain'), place))).toBe(true)
    if (fs.existsSync('/dev/full'))
      expect(await write(at('new'), at('plain'), '/dev/full')).toMatchObject(
        E.left({ message: '/dev/full: cannot be written (ENOSPC)' }),
      )
    expect(names()).toEqual(['directory', 'plain'])
    expect(fs.readFileSync(at('plain'), 'utf8')).toBe('x')
    expect(fs.readdirSync(at('directory'))).toEqual([])
  })
  it('a signal while something is written', async () => {
    execFileSync('mkfifo', [at('pipe')])
    fs.writeFileSync(at('plain'), 'x')
    // two files are staged, then a pipe that nobody reads holds the writer
    const here = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
    const script = `
      import { register } from 'node:module'
      register(${here('../../../tools/read-typescript.mjs')})
      const { onDisk } = await import(${here('../../../src/oracle/tensor-files/disk.ts')})
      const files = ${JSON.stringify([at('new'), at('plain'), at('pipe')])}
      await onDisk.write(files.map((file) => ({ file, bytes: Uint8Array.of(1) })))()`
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    const ended = once(writer, 'exit')
    const parts = (): number => names().filter((name) => name.endsWith('.part')).length
    for (let i = 0; i < 600 && parts() < 2 && writer.exitCode === null; i++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(parts()).toBe(2)
    writer.kill('SIGTERM')
    expect(await ended).toEqual([null, 'SIGTERM'])
    expect(names()).toEqual(['pipe', 'plain'])
    expect(fs.readFileSync(at('plain'), 'utf8')).toBe('x')
  })
  it('signals are heard while something is written, and then no longer', async () => {
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
    const counts = (): ReadonlyArray<number> => signals.map((signal) => process.listenerCount(signal))
    const before = counts()
    const writing = write(at('new'))
    // no file is written in as few turns
    for (let i = 0; i < 20; i++) await Promise.resolve()
    expect(counts()).toEqual(before.map((n) => n + 1))
    expect(await writing).toEqual(done)
    await write(at('none/out'))
    expect(counts()).toEqual(before)
  })
})

describe('files law 3: failures are one line that names the file', () => {
  const reads: ReadonlyArray<readonly [string, string, string, string]> = [
    ['none there', at('none'), 'file-missing', `${at('none')}: no such file`],
    ['a directory', root, 'file-is-directory', `${root}: it is a directory, not a file`],
    ['below a file', at('file/x'), 'file-missing', `${at('file/x')}: no such file`],
    ['no name', '', 'file-missing', ': no such file'],
    ['a name that cannot be', 'a\0b', 'file-unreadable', 'a\0b: cannot be read (ERR_INVALID_ARG_VALUE)'],
  ]
  it.each(reads)('read: %s', (_, file, code, message) => {
    fs.writeFileSync(at('file'), 'x')
    expect(onDisk.read(file)()).toEqual(E.left({ code, message }))
  })
  const writes: ReadonlyArray<readonly [string, string, string, string]> = [
    [
      'no directory',
      at('none/x'),
      'file-missing',
      `${at('none/x')}: expected a directory ${at('none')} to write to, found none`,
    ],
    [
      'below a file',
      at('file/x'),
      'file-missing',
      `${at('file/x')}: expected a file in a directory to write, found no such place`,
    ],
    ['a directory', root, 'file-is-directory', `${root}: expected a file to write, found a directory`],
    [
      'too long a name',
      at('x'.repeat(300)),
      'file-unwritable',
      `${at('x'.repeat(300))}: cannot be written (ENAMETOOLONG)`,
    ],
    ['a name that cannot be', 'a\0b', 'file-unwritable', 'a\0b: cannot be written (ERR_INVALID_ARG_VALUE)'],
    ['a circle of links', at('circle'), 'file-unwritable', `${at('circle')}: cannot be written (ELOOP)`],
    [
      'a descriptor that is not open',
      '/dev/fd/999',
      'file-unwritable',
      '/dev/fd/999: cannot be written (EBADF)',
    ],
  ]
  it.each(writes)('write, and law 4, its destination: %s', async (_, file, code, message) => {
    fs.writeFileSync(at('file'), 'x')
    fs.symlinkSync(at('circle'), at('circle'))
    expect(onDisk.destination(file)()).toEqual(E.left({ code, message }))
    expect(await write(file)).toEqual(E.left({ code, message }))
  })
  // The superuser may read and write everything.
  it.runIf(process.getuid?.() !== 0)('without permission', async () => {
    fs.writeFileSync(at('secret'), 'x', { mode: 0o000 })
    fs.writeFileSync(at('readonly'), 'x', { mode: 0o444 })
    fs.mkdirSync(at('closed'), { mode: 0o500 })
    expect(onDisk.read(at('secret'))()).toMatchObject(E.left({ code: 'file-forbidden' }))
    for (const file of ['readonly', 'closed/new']) {
      expect(onDisk.destination(at(file))()).toMatchObject(E.left({ code: 'file-forbidden' }))
      expect(await write(at(file))).toMatchObject(E.left({ code: 'file-forbidden' }))
    }
  })
})

describe('files law 4: where a write goes', () => {
  it('two names of one place are one', () => {
    fs.mkdirSync(at('d'))
    fs.symlinkSync('d', at('e'))
    fs.symlinkSync('d/x', at('y'))
    const places = ['d/x', 'e/x', 'y', 'd/../e/./x'].map((name) => onDisk.destination(at(name))())
    expect(new Set(places.map((p) => JSON.stringify(p))).size).toBe(1)
    expect(onDisk.destination(at('d/z'))()).not.toEqual(places[0])
    expect(names()).toEqual(['d', 'e', 'y'])
  })
  it('a device takes any number', () => {
    expect(onDisk.destination('/dev/null')()).toEqual(E.right(null))
  })
})

describe('a tensor file is the codec at a path', () => {
  it('writes bf16 as u2 and reads it back', async () => {
    const t = { dtype: 'bf16', shape: [2], bits: Uint16Array.of(0x3f80, 0xc000) } as const
    const output = tensorOutputs([{ said: at('t.npy'), called: 't', tensor: t }])
    expect(E.isRight(output) && (await onDisk.write(output.right)())).toEqual(done)
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
    expect(tensorOutputs([{ said: at('u.npy'), called: 'u', tensor: bad }])).toMatchObject(
      E.left({ code: 'npy-truncated', message: expect.stringContaining(`${at('u.npy')}: `) }),
    )
  })
})
