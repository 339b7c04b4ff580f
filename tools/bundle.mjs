// The command line as few files, for its start-up: reading some six hundred modules takes longer than judging a small kernel.
// The bundle keeps the depth of the folders that it was made from, since the program finds package.json and its threads from where it stands.
import { chmodSync, rmSync } from 'node:fs'
import { rolldown } from 'rolldown'

const bundle = await rolldown({
  input: {
    'oracle/cli/main': 'dist/oracle/cli/main.js',
    'oracle/parallel/worker': 'dist/oracle/parallel/worker.js',
    'oracle/sweep/worker': 'dist/oracle/sweep/worker.js',
    'oracle/serve/worker': 'dist/oracle/serve/worker.js',
  },
  platform: 'node',
  // these read scripts from their own folders
  external: ['@pnpm/tabtab', 'piscina'],
})
rmSync('bundle', { recursive: true, force: true })
await bundle.write({
  dir: 'bundle',
  format: 'esm',
  minify: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'oracle/chunks/[name]-[hash].js',
})
// npx links the program once and then calls it as it is: it has to stay executable when it is built again
chmodSync('bundle/oracle/cli/main.js', 0o755)
