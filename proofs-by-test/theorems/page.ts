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
    'The claims of this project: how each is proved, and over which domain. “Proof by test” means one of the methods below, and every row says which. The test of a row is in the file that it names;',
    '`npm test` runs all of them, those that are sweeps in a sample, and `npm run test:nightly` whole.',
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
    'These are the theorems that a reader of the whole needs. Below them every module numbers its laws in its header, and the proof with its path under `proofs-by-test` quotes them by number.',
    '',
    '| chapter | modules with laws | laws |',
    '| --- | --- | --- |',
    ...all.map((c) => `| \`src/${c.name}\` | ${String(c.modules)} | ${String(c.laws)} |`),
    `| all | ${sum('modules')} | ${sum('laws')} |`,
    '',
    'Not proved: that the published rules that were not measured here (`@fidelity documented`) are those of the chip. The kill rates ([kernels](kill-rate.md), [modules of Triton](kill-rate-triton.md)) say what the',
    'verdicts miss, and [Mutants](Mutants.md) what the proofs miss of the library itself.',
    '',
  ].join('\n')
}
