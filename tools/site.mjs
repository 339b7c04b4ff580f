// The page, in site/dist: classic scripts, so that it works from a folder as from a server.
//
//     page.js     the shell and its places: the first view
//     machine/    the library in chapters (chapters.mjs), whose texts become a worker
//     editor.js   CodeMirror, when a text is edited
//     examples.js texts of the kernels to begin with, when one is chosen
//     search.js   what is searched of guide and API, when a search is opened
//     guide/      the pages of docs/ (site/guide), with guide.js and guide.css
//     api/        the reference, by typedoc; made anew when a source has changed
//
// Beside what the page loads lies the same compressed (`.br`, `.gz`), for a server that serves such files.
//
//     --without-api     without it
//     --tree=URL        where the sources are to be seen: links to files lead there
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import './read-typescript.mjs'
import { asked, chaptersOf, reached, splitting, start } from './chapters.mjs'
import { compress } from './compress.mjs'
import { questions } from './questions.mjs'

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

/** Modules of ECMAScript lose what nothing uses; those of CommonJS come whole. */
const resolve = { alias: [{ find: /^(fp-ts|io-ts)\/lib\//, replacement: '$1/es6/' }] }

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
    resolve,
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
const library = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  resolve,
  define: defined,
  plugins: [withoutNode],
  build: {
    write: false,
    target: 'es2022',
    modulePreload: false,
    chunkSizeWarningLimit: Infinity,
    reportCompressedSize: false,
    rolldownOptions: {
      input: `${root}src/machine/worker.ts`,
      onLog: () => undefined,
      output: {
        format: 'cjs',
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        codeSplitting: splitting,
      },
    },
  },
})
const chapters = chaptersOf(library.output)
mkdirSync(`${out}machine`)
for (const [name, text] of chapters) writeFileSync(`${out}machine/${name}.js`, text)
const { shelf } = await import('../site/src/machine/shelf.ts')
const ahead = await reached(chapters, shelf, questions)

// the kernel that Check opens with has its answers in the page
const { openingOf } = await import('../site/src/places/check/opening.ts')
const { questionOf, describedOf } = await import('../site/src/places/check/subject.ts')
const first = new URL('../conformance/triton/first/', import.meta.url)
const ttgir = readFileSync(new URL('row_scale.ttgir', first), 'utf8')
const author = readFileSync(new URL('row_scale.py', first), 'utf8')
const opened = openingOf(ttgir, author)
const answers = []
for (const [method, params] of [
  ['kernels', describedOf(opened)],
  ['check', questionOf(opened)],
]) {
  const { said } = await asked(chapters, shelf, method, params)
  answers.push({ method, params, document: JSON.parse(said.text) })
}

await script('page', 'main.tsx', {
  plugins: [memoryModel],
  define: {
    ...defined,
    tcspecRace: JSON.stringify(found),
    tcspecChapters: JSON.stringify({ start, ahead }),
    tcspecOpening: JSON.stringify({ ttgir, author, answers }),
  },
})
await script('editor', 'editor/index.ts')
await script('examples', 'places/check/examples-texts.ts')
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
const compressBegan = performance.now()
// the package holds neither the reference nor these
if (withApi) compress(out)
const took = [['page', pageTook], ...written.took, ['compressed', performance.now() - compressBegan]]
for (const [what, ms] of took) console.log(`${what.padEnd(28)}${(ms / 1000).toFixed(1)} s`)
