/** By night: the program, killed (SIGKILL) at moments of chance and gone on with, comes to what it comes to when it runs through. By day, `sweep.proof.ts` tears its files. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nightly } from '../../extent.js'
import { packageIn, stripped } from '../built.js'
import { ask, small, worldWith } from './world.js'

describe.runIf(nightly)('killed and gone on with', () => {
  let root = ''
  let main = ''
  let milliseconds = 0
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
    const start = performance.now()
    expect(program('sweep', 'grid.json', '-o', 'whole.jsonl', '--threads', '2').status).toBe(1)
    milliseconds = Math.round(performance.now() - start)
    expected = await merged('whole.jsonl')
  }, 600_000)
  afterAll(() => {
    fs.rmSync(root, { recursive: true, force: true })
  })

  const sweep = ['sweep', 'grid.json', '-o', 'killed.jsonl', '--threads', '2', '--resume']
  /** Killed by this signal after so long; how many rows are there. */
  const killed = async (after: number, signal: NodeJS.Signals): Promise<number> => {
    const child = spawn(process.execPath, [main, ...sweep], { cwd: root, stdio: 'ignore' })
    const timer = setTimeout(() => child.kill(signal), after)
    await new Promise((resolve) => child.on('exit', resolve))
    clearTimeout(timer)
    return rows('killed.jsonl')
  }
  test.each([
    ['SIGKILL', 20],
    ['SIGTERM', 5],
  ] as const)('by %s, %i times', async (signal, numRuns) => {
    const cut: number[] = []
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 1, maxLength: 2 }),
        async (times) => {
          fs.rmSync(path.join(root, 'killed.jsonl'), { force: true })
          for (const share of times) cut.push(await killed(share * milliseconds, signal))
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
    expect(inside.length).toBeGreaterThan(numRuns / 4)
  })
})
