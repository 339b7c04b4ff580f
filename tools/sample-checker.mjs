/** Turns away the mutants that `mutants.mjs` has not drawn: a checker of Stryker's. */
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import process from 'node:process'

const drawn = new Set(JSON.parse(readFileSync('reports/mutation/sample.json', 'utf8')).map(String))

const keyOf = ({ fileName, location: { start, end }, mutatorName, replacement }) => {
  const file = relative(process.cwd(), fileName).split(sep).join('/')
  return String([
    `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`,
    mutatorName,
    replacement,
  ])
}

const checker = {
  init: () => Promise.resolve(),
  check: (mutants) =>
    Promise.resolve(
      Object.fromEntries(
        mutants.map((m) => [
          m.id,
          drawn.has(keyOf(m)) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' },
        ]),
      ),
    ),
  group: (mutants) => Promise.resolve([mutants.map((m) => m.id)]),
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: () => checker }]
