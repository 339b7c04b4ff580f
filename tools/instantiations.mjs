/**
 * What the typed facade costs a caller's compiler: `node tools/instantiations.mjs`; `--print` writes the file instead.
 *
 * Type-checks a file of 300 calls, 60 shapes by 5 tiles and half of them swizzled into an operand, and counts tsc's type
 * instantiations, which are free of noise. Fails at 12,000 or more, and when the file does not type-check.
 */
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'

const limit = 12_000
const root = fileURLToPath(new URL('..', import.meta.url))
const file = `${root}proofs-by-test/typed/three-hundred-calls.ts`

const rows = [64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024]
const columns = [64, 128, 256, 512, 1024]
const tiles = [
  [8, 64],
  [8, 32],
  [8, 16],
  [64, 8],
  [16, 64],
]

const shapes = rows.flatMap((m) => columns.map((n) => [m, n]))
const refs = shapes.map(([m, n]) => `const r${m}x${n} = ref([${m}, ${n}], 'f16', 'smem')`)
const calls = shapes.flatMap(([m, n]) =>
  tiles.map(([p, q], k) => `export const t${m}x${n}x${k} = tile(r${m}x${n}, [${p}, ${q}])`),
)
const text = `import { ref, tile } from '../../docs/typed/index.js'\n${[...refs, ...calls].join('\n')}\n`

const count = async () => {
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const checkOptions = {
    ...options,
    isolatedDeclarations: false,
    declaration: false,
    types: [],
    lib: ['lib.es2022.d.ts'],
  }
  const host = ts.createCompilerHost(checkOptions)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true)
      : getSourceFile(name, ...rest)

  const program = ts.createProgram([file], checkOptions, host)
  const source = program.getSourceFile(file)
  const diagnostics = program.getSemanticDiagnostics(source)
  const instantiations = program.getInstantiationCount()
  for (const d of diagnostics.slice(0, 5))
    process.stdout.write(`${ts.flattenDiagnosticMessageText(d.messageText, '\n')}\n`)
  process.stdout.write(
    `${calls.length} calls: ${instantiations} instantiations, fewer than ${limit} wanted\n`,
  )
  process.exitCode = diagnostics.length === 0 && instantiations < limit ? 0 : 1
}

if (process.argv.includes('--print')) process.stdout.write(text)
else await count()
