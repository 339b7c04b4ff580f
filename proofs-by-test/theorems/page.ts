/** docs/Theorems.md, made of the rows and of the laws that stand in the headers of the sources. */
import { readdirSync, readFileSync } from 'node:fs'
import { methods, parts, type Theorem } from './rows.js'

const src = new URL('../../src/', import.meta.url).pathname

/** The laws of a header: the numbered lines behind `Laws`, and what stands as `Law 1.` */
export const lawsIn = (text: string): number => {
  const header = /^\/\*\*[^]*?\*\//.exec(text)?.[0] ?? ''
  const block = /^ \* Laws\b[^]*/m.exec(header)?.[0] ?? ''
  return (block.match(/^ \* +\d+\. /gm) ?? []).length + (header.match(/^ \* Law \d+\. /gm) ?? []).length
}

interface Chapter {
  readonly name: string
  readonly modules: number
  readonly laws: number
}
const chapters = (): ReadonlyArray<Chapter> => {
  const counts = new Map<string, { modules: number; laws: number }>()
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.ts') || !file.includes('/')) continue
    const laws = lawsIn(readFileSync(`${src}${file}`, 'utf8'))
    if (laws === 0) continue
    const name = file.slice(0, file.indexOf('/'))
    const before = counts.get(name) ?? { modules: 0, laws: 0 }
    counts.set(name, { modules: before.modules + 1, laws: before.laws + laws })
  }
  return [...counts].map(([name, { modules, laws }]) => ({ name, modules, laws }))
}

const row = (t: Theorem): string =>
  `| ${t.says} | ${t.by.join(', ')} | ${t.domain} | \`proofs-by-test/${t.proof}.proof.ts\` |`

export const page = (): string => {
  const all = chapters()
  const sum = (of: 'modules' | 'laws'): string => String(all.reduce((n, c) => n + c[of], 0))
  return [
    '# List of theorems',
    '',
    'This page lists the claims of this project. Each row says by which method a claim is proved, over which domain, and which file tests it. `npm test` runs all of these tests, and a sample of the',
    'slow ones; `npm run test:nightly` runs all cases.',
    '',
    '| method | means |',
    '| --- | --- |',
    ...Object.entries(methods).map(([name, means]) => `| ${name} | ${means} |`),
    '',
    ...parts.flatMap(({ title, theorems }) => [
      `## ${title}`,
      '',
      '| theorem | by | over | proof |',
      '| --- | --- | --- | --- |',
      ...theorems.map(row),
      '',
    ]),
    '## The laws of the modules',
    '',
    'The tables above list the main theorems. Every module also numbers its own laws in its header. The test of the module, at the same path under `proofs-by-test`, quotes them by number.',
    '',
    '| chapter | modules with laws | laws |',
    '| --- | --- | --- |',
    ...all.map((c) => `| \`src/${c.name}\` | ${String(c.modules)} | ${String(c.laws)} |`),
    `| all | ${sum('modules')} | ${sum('laws')} |`,
    '',
    'Not proved: a published rule that was not measured here (`@fidelity documented`) may differ from the chip. The kill rates ([kernels](kill-rate.md), [modules of Triton](kill-rate-triton.md)) say which',
    'mistakes the verdicts miss, and [Mutants](Mutants.md) says which bugs of the library the tests miss.',
    '',
  ].join('\n')
}
