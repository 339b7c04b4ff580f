/** Small sources as tsc sees them: each stands in this folder without being on disk. */
import ts from 'typescript'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

const prelude = `import * as E from 'fp-ts/lib/Either.js'
import { physicalShape, ref, slice, slot, swizzle, tcgen05, tile, tmaLoad, tmaStore, transpose, wgmma } from '../../docs/typed/index.js'
import type { Div, Ref, Tiled } from '../../docs/typed/index.js'
declare const n: number
type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
declare const is: <A, B>(equal: Equal<A, B>) => void
void E
`

export interface Compiled<Name extends string> {
  /** The diagnostics of every source, by name. */
  readonly found: Readonly<Record<Name, readonly string[]>>
  /** The source that is checked before all others, so that nothing else is counted. */
  readonly counted: { readonly diagnostics: readonly string[]; readonly instantiations: number }
}

export const compile = <Name extends string>(
  sources: Readonly<Record<Name, string>>,
  first: string,
): Compiled<Name> => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (file) => ts.sys.readFile(file))
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const relaxed: ts.CompilerOptions = {
    ...options,
    isolatedDeclarations: false,
    declaration: false,
    noUnusedLocals: false,
    types: [],
    lib: ['lib.es2022.d.ts'],
  }
  const fileOf = (name: string): string => `${here}${name}.ts`
  const texts = new Map([[fileOf('first'), first]])
  for (const [name, source] of Object.entries<string>(sources)) texts.set(fileOf(name), prelude + source)
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
  const messages = (name: string): readonly string[] =>
    program
      .getSemanticDiagnostics(program.getSourceFile(fileOf(name)))
      .map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'))
  const counted = { diagnostics: messages('first'), instantiations: program.getInstantiationCount() }
  const found = Object.fromEntries(Object.keys(sources).map((name) => [name, messages(name)]))
  return { found: found as Record<Name, readonly string[]>, counted }
}
