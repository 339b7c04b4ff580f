/** What `tcspec cuda` cannot write is refused before the program is started; what it can is there whole, or not at all. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/oracle/cli/command.js'
import { directoriesOnDisk } from '../../../src/oracle/tensor-files/directory.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import { running, worldOf } from '../world.js'

/** Runs `tcspec cuda ...` with a program that does nothing, and says how often it was started. */
const ran = async (...argv: ReadonlyArray<string>): Promise<Outcome & { readonly started: number }> => {
  let started = 0
  const outcome = await running({
    ...worldOf(onDisk),
    directories: directoriesOnDisk,
    programs: {
      library: () => Promise.resolve(E.right('')),
      start: () => {
        started += 1
        return Promise.resolve(E.right({ status: 0, signal: null, number: null, connected: true }))
      },
      tell: () => undefined,
    },
  })('cuda', ...argv, '--', 'program')
  return { ...outcome, started }
}

describe('what is written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tcspec-places-'))
  const taken = join(folder, 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'thesis.txt'), 'mine')
  it.each([
    ['a folder in no folder', ['--save', join(folder, 'none', 'run')]],
    ['a folder with something else in it', ['--save', taken]],
    ['a report in no folder', ['--junit', join(folder, 'none', 'a.xml')]],
    ['two reports in one file', ['--junit', join(folder, 'a.x'), '--report', join(folder, 'a.x')]],
  ] as const)('%s: refused, and nothing is started', async (_, argv) => {
    const { status, stderr, started } = await ran(...argv)
    expect([status, started]).toEqual([2, 0])
    expect(stderr.split('\n').length).toBe(2)
    expect(readdirSync(folder)).toEqual(['taken'])
  })
  it('else the program is there', async () => {
    const { status, started } = await ran('--save', join(folder, 'run'), '--junit', join(folder, 'a.xml'))
    expect([status, started]).toEqual([0, 1])
    expect(readdirSync(folder).sort()).toEqual(['a.xml', 'run', 'taken'])
    expect(readdirSync(join(folder, 'run'))).toEqual(['program.json'])
  })
})
