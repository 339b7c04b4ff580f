// The CommonJS half of the package: a file for every door, and what several have in common in chunks. Its types come from tsc (tsconfig.cjs.json).
import { readFileSync, writeFileSync } from 'node:fs'
import { rolldown } from 'rolldown'

const { exports: doors } = JSON.parse(readFileSync('package.json', 'utf8'))
const folders = Object.keys(doors)
  .filter((door) => door !== './package.json')
  .map((door) => (door === '.' ? '' : `${door.slice(2)}/`))

const bundle = await rolldown({
  input: Object.fromEntries(folders.map((folder) => [`${folder}index`, `dist/${folder}index.js`])),
  platform: 'node',
  // packages are asked for as they are
  external: /^[^./]/,
})
await bundle.write({
  dir: 'dist/cjs',
  format: 'cjs',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
})
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')
