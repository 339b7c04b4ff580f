import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commands } from '../../../src/oracle/cli/commands/index.js'
import { tcspec } from '../../../src/oracle/cli/program.js'
import { inMemory } from '../disk.js'
import { worldOf } from '../world.js'

const page = readFileSync(new URL('../../../docs/LayoutDescriptions.md', import.meta.url), 'utf8')
const disk = new Map<string, Uint8Array>()
const world = worldOf(inMemory(disk))

/** Blocks of the page: files with their names, and sessions. */
const blocks = [...page.matchAll(/^```(json|console)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((m) => ({
  language: m[1]!,
  file: m[2],
  text: m[3]!,
}))
for (const { file, text } of blocks) if (file !== undefined) disk.set(file, new TextEncoder().encode(text))

/** Words as a shell splits them, with double quotes only. */
const words = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2]!)

const sessions = blocks
  .filter(({ language }) => language === 'console')
  .flatMap(({ text }) => text.split(/^\$ tcspec /m).slice(1))
  .map((text) => ({ line: text.slice(0, text.indexOf('\n')), output: text.slice(text.indexOf('\n') + 1) }))

it('the page has files and sessions', () => {
  expect(blocks.filter(({ file }) => file !== undefined).length).toBeGreaterThan(10)
  expect(sessions.length).toBeGreaterThan(12)
})

it.each(sessions)('$line', async ({ line, output }) => {
  const outcome = await tcspec(commands, world)(words(line))()
  expect(outcome.stdout + outcome.stderr).toBe(output)
  expect(outcome.status).toBe(output.startsWith('tcspec:') ? 2 : output.startsWith('different') ? 1 : 0)
})
