/** What answers a request loads in a browser: no module that it reaches is one of Node.js, and none names what only Node.js has. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { served } from '../../../src/oracle/serve/methods.js'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))

/** Modules that are loaded with one, by the text of its imports, with that text without comments. */
const reached = (file: string, seen = new Map<string, string>()): ReadonlyMap<string, string> => {
  if (seen.has(file)) return seen
  const text = fs
    .readFileSync(path.join(src, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
  seen.set(file, text)
  for (const m of text.matchAll(/^(?:import|export)\s(?!type\b)(?:[^'"]*?from\s)?'(\.[^']*)\.js'/gm))
    reached(path.join(path.dirname(file), `${m[1]!}.ts`), seen)
  for (const m of text.matchAll(/\bimport\('(\.[^']*)\.js'\)/g))
    if (!file.endsWith('commands/index.ts')) reached(path.join(path.dirname(file), `${m[1]!}.ts`), seen)
  return seen
}

describe('what answers a request', () => {
  const seen = new Map<string, string>()
  for (const file of [
    'oracle/serve/answer.ts',
    'oracle/vectors/index.ts',
    ...served.map(({ command }) => `oracle/cli/commands/${command}.ts`),
  ])
    reached(file, seen)
  it('is most of the library', () => {
    expect(seen.size).toBeGreaterThan(200)
  })
  it.each([
    ['a module of Node.js', /^import .*'node:|\bimport\('node:/m],
    ['Buffer', /\bBuffer\.(?:from|alloc|concat|byteLength)|: Buffer\b/],
    ['process', /(?<![\w.'])process\.(?:env|versions|argv|on|exit|pid|stdout)\b/],
  ])('names nothing of %s', (_, pattern) => {
    expect([...seen].filter(([, text]) => pattern.test(text)).map(([file]) => file)).toEqual([])
  })
})
