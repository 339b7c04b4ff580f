/** By night: the program, killed (SIGKILL) at moments of chance and gone on with, comes to what it comes to when it runs through. By day, `sweep.proof.ts` tears its files. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import { packageIn, stripped } from '../built.js'
import { ask, small, worldWith } from './world.js'

describe.runIf(nightly)('killed and gone on with', () => {
  let root = ''
  let main = ''
  let expected = ''
  const program = (...argv: ReadonlyArray<string>): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, [main, ...argv], { cwd: root, encoding: 'utf8' })
  const merged = async (file: string): Promise<string> => {
    const said = await ask(
      worldWith(),
      'sweep',
      'merge',
      path.join(root, file),
      '-o',
      path.join(root, 'merged.jsonl'),
    )
    expect(said.stderr).toBe('')
    return fs.readFileSync(path.join(root, 'merged.jsonl'), 'utf8')
  }
  const rows = (file: string): number => {
    const at = path.join(root, file)
    return fs.existsSync(at) ? Math.max(0, fs.readFileSync(at, 'utf8').split('\n').length - 2) : 0
  }
  beforeAll(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-killed-'))
    main = packageIn(root)
    stripped(root)
    fs.writeFileSync(
      path.join(root, 'grid.json'),
      JSON.stringify({ ...small, mutants: ['none', 'synchronisation', 'data'] }),
    )
    expect(program('sweep', 'grid.json', '-o', 'whole.jsonl', '--threads', '2').status).toBe(1)
    expected = await merged('whole.jsonl')
  }, 600_000)
  afterAll(() => {
    fs.rmSync(root, { recursive: true, force: true })
  })

  const sweep = ['sweep', 'grid.json', '-o', 'killed.jsonl', '--threads', '2', '--resume']
  /** Killed by this signal at a moment after so many rows; how many rows are there. */
  const killed = async (after: number, moment: number, signal: NodeJS.Signals): Promise<number> => {
    const child = spawn(process.execPath, [main, ...sweep], { cwd: root, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.on('exit', resolve))
    while (child.exitCode === null && rows('killed.jsonl') < after) await sleep(2)
    await sleep(moment)
    child.kill(signal)
    await ended
    return rows('killed.jsonl')
  }
  test.each([
    ['SIGKILL', 20],
    ['SIGTERM', 5],
  ] as const)('by %s, %i times', async (signal, numRuns) => {
    const cut: number[] = []
    await fc.assert(
      fc.asyncProperty(
        fc.nat(rows('whole.jsonl') - 1),
        fc.nat(50),
        fc.boolean(),
        async (after, moment, twice) => {
          fs.rmSync(path.join(root, 'killed.jsonl'), { force: true })
          cut.push(await killed(after, moment, signal))
          if (twice) cut.push(await killed(cut.at(-1)! + 1, moment, signal))
          const again = program(...sweep)
          expect([again.status, again.stderr]).toEqual([1, ''])
          expect(await merged('killed.jsonl')).toBe(expected)
        },
      ),
      { numRuns, endOnFailure: true },
    )
    const all = rows('whole.jsonl')
    const inside = cut.filter((n) => n > 0 && n < all)
    console.info(
      `${signal}: of ${String(cut.length)} kills ${String(inside.length)} inside: ${cut.join(' ')} of ${String(all)} rows`,
    )
    expect(inside.length).toBeGreaterThan(numRuns / 2)
  })
})
