// The page, in site/dist: classic scripts, so that it works from a folder as from a server.
//
//     page.js     the shell and its places: the first view
//     machine.js  the library as one function, whose text becomes a worker
//     editor.js   CodeMirror, when a text is edited
//     search.js   what is searched of guide and API, when a search is opened
//     guide/      the pages of docs/ (site/guide), with guide.js and guide.css
//     api/        the reference, by typedoc; made anew when a source has changed
//
//     --without-api     without it
//     --tree=URL        where the sources are to be seen: links to files lead there
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import './read-typescript.mjs'

const root = fileURLToPath(new URL('../site/', import.meta.url))
const out = `${root}dist/`
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** What commander asks of Node is asked where it talks to a terminal, and what completion asks is asked of a shell: there is neither here. */
const withoutNode = {
  name: 'without-node',
  enforce: 'pre',
  resolveId: (id) =>
    id === 'node:events' || id === 'events'
      ? fileURLToPath(import.meta.resolve('events/events.js'))
      : id.startsWith('node:') || id === '@pnpm/tabtab'
        ? `\0empty:${id}`
        : null,
  load: (id) =>
    id.startsWith('\0empty:')
      ? 'module.exports = { argv: [], env: {}, platform: "browser", versions: {} }'
      : null,
}

const defined = { tcspecVersion: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' }

/** The page of the memory model as data: its tests are live there. */
const { memoryPage } = await import('../site/guide/memory-page.ts')
const memoryModel = {
  name: 'memory-model',
  resolveId: (id) => (id === 'virtual:memory-model' ? `\0${id}` : null),
  load: (id) =>
    id === '\0virtual:memory-model'
      ? `export const page = ${JSON.stringify(memoryPage(readFileSync(new URL('../docs/MemoryModel.md', import.meta.url), 'utf8')))}`
      : null,
}

const script = (name, input, more = {}) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    define: defined,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    ...more,
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      copyPublicDir: false,
      cssCodeSplit: false,
      modulePreload: false,
      chunkSizeWarningLimit: Infinity,
      reportCompressedSize: false,
      rolldownOptions: {
        input: `${root}src/${input}`,
        // vite's helper of dynamic imports asks where it stands; here it imports nothing
        onLog: (level, log, handle) => {
          if (log.code !== 'EMPTY_IMPORT_META') handle(level, log)
        },
        output: {
          format: 'iife',
          codeSplitting: false,
          entryFileNames: `${name}.js`,
          assetFileNames: `${name}[extname]`,
        },
      },
    },
  })

const began = performance.now()
const withApi = !process.argv.includes('--without-api')
const tree = process.argv.find((word) => word.startsWith('--tree='))?.slice('--tree='.length) ?? null

mkdirSync(out, { recursive: true })
for (const name of readdirSync(out)) if (name !== 'api') rmSync(`${out}${name}`, { recursive: true })
const { race } = await import('../site/race.ts')
const found = race()
if (found === null) {
  console.error('site/race.ts: expected a finding, found none')
  process.exit(1)
}
await script('page', 'main.tsx', {
  plugins: [memoryModel],
  define: { ...defined, tcspecRace: JSON.stringify(found) },
})
await script('editor', 'editor/index.ts')
await script('machine', 'machine/worker.ts', { plugins: [withoutNode] })
const machine = readFileSync(`${out}machine.js`, 'utf8')
writeFileSync(`${out}machine.js`, `globalThis.tcspecMachine=function(){${machine}\n}\n`)
copyFileSync(`${root}index.html`, `${out}index.html`)
const pageTook = performance.now() - began

await script('guide', 'guide.tsx')
await script('search', 'search/engine.ts')
// TypeScript as it stands: read-typescript.mjs reads it
const { writeGuide } = await import('../site/guide/index.ts')
const written = await writeGuide({
  root: fileURLToPath(new URL('../', import.meta.url)),
  out,
  tree,
  withApi,
})
if (written === null) process.exit(1)
writeFileSync(
  `${out}search.js`,
  `${readFileSync(`${out}search.js`, 'utf8')}\nglobalThis.tcspecSearch=globalThis.tcspecSearchOf(JSON.parse(${JSON.stringify(JSON.stringify(written.documents))}))\n`,
)
for (const [what, ms] of [['page', pageTook], ...written.took])
  console.log(`${what.padEnd(28)}${(ms / 1000).toFixed(1)} s`)
