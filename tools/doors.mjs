// The library as it is packed: a file for every door and chunks for what several doors share, instead of each of a thousand modules four times.
//
//     node tools/doors.mjs            JavaScript, for `import` and for `require`
//     node tools/doors.mjs --types    the declarations, too
//
// The declarations of both formats have the same text: a door and its chunks lie in the same places, and the nearest package.json says which format they are of.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../', import.meta.url))
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const doors = Object.keys(exports)
  .filter((door) => door !== './package.json')
  .map((door) => (door === '.' ? 'index' : `${door.slice(2)}/index`))
const from = (ending, suffix = '') =>
  Object.fromEntries(doors.map((door) => [`${door}${suffix}`, `${root}dist/${door}${ending}`]))
// packages are asked for as they are
const external = /^[^./]/

rmSync(`${root}lib`, { recursive: true, force: true })
const library = await rolldown({ input: from('.js'), cwd: root, platform: 'node', external })
for (const [format, dir] of [
  ['esm', `${root}lib`],
  ['cjs', `${root}lib/cjs`],
])
  await library.write({ dir, format, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' })
writeFileSync(`${root}lib/cjs/package.json`, '{ "type": "commonjs" }\n')

if (process.argv.includes('--types')) {
  const { dts } = await import('rolldown-plugin-dts')
  const types = await rolldown({
    input: from('.d.ts', '.d'),
    cwd: root,
    external,
    plugins: [dts({ emitDtsOnly: true, tsconfig: false })],
  })
  await types.write({
    dir: `${root}lib/types`,
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: 'chunks/[hash]-[name].ts',
  })
  for (const to of ['lib', 'lib/cjs']) cpSync(`${root}lib/types`, `${root}${to}`, { recursive: true })
  rmSync(`${root}lib/types`, { recursive: true })
}
