/** Small sources as tsc sees them: each stands in this folder without being on disk. */
import ts from 'typescript'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

const prelude = `import * as E from 'fp-ts/lib/Either.js'
import { physicalShape, ref, slice, slot, swizzle, tcgen05, tile, tmaLoad, tmaStore, transpose, wgmma } from '../../src/typed/index.js'
import type { Div, Ref, Tiled } from '../../src/typed/index.js'
declare const n: number
type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
declare const is: <A, B>(equal: Equal<A, B>) => void
void E
`

/** The diagnostics of every source, by name. */
export const diagnostics = <Name extends string>(
  sources: Readonly<Record<Name, string>>,
): Readonly<Record<Name, readonly string[]>> => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (file) => ts.sys.readFile(file))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const relaxed: ts.CompilerOptions = {
    ...options,
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
    types: [],
  }
  const texts = new Map<string, string>()
  for (const name of Object.keys(sources) as Name[]) texts.set(`${here}${name}.ts`, prelude + sources[name])
  const host = ts.createCompilerHost(relaxed)
  const { fileExists, getSourceFile } = host
  host.fileExists = (file) => texts.has(file) || fileExists(file)
  host.getSourceFile = (file, ...rest) => {
    const text = texts.get(file)
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
  }
  const program = ts.createProgram([...texts.keys()], relaxed, host)
  const found: Record<string, readonly string[]> = {}
  for (const name of Object.keys(sources))
    found[name] = program
      .getSemanticDiagnostics(program.getSourceFile(`${here}${name}.ts`))
      .map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'))
  return found as Readonly<Record<Name, readonly string[]>>
}
