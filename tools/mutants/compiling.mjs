/**
 * Which mutants compile. Exported declarations of the sources say their types (`isolatedDeclarations`), so a change is wrong in its own file or nowhere: of each
 * program that is made, with one mutant in every file that has any left, only these files are looked at.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { changed, filesIn } from './room.mjs'

const options = () => {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { compilerOptions } = config
  return ts.convertCompilerOptionsFromJson(
    {
      ...compilerOptions,
      noUnusedLocals: false,
      noUnusedParameters: false,
      allowUnreachableCode: true,
      isolatedDeclarations: false,
      declaration: false,
    },
    '.',
  ).options
}

export const compilingOf = (mutants) => {
  const settings = options()
  const roots = filesIn('src').filter((name) => name.endsWith('.ts'))
  const texts = new Map()
  const kept = new Map()
  const host = ts.createCompilerHost(settings)
  const { getSourceFile } = host
  // a file that is not changed is read once
  host.getSourceFile = (name, ...how) => {
    const text = texts.get(resolve(name))
    if (text !== undefined) return ts.createSourceFile(name, text, how[0], true)
    if (!kept.has(name)) kept.set(name, getSourceFile.call(host, name, ...how))
    return kept.get(name)
  }
  const compile = new Set()
  let program
  for (let left = mutants; left.length > 0;) {
    const group = new Map([...left].reverse().map((m) => [m.fileName, m]))
    left = left.filter((m) => group.get(m.fileName) !== m)
    texts.clear()
    for (const [name, m] of group) texts.set(resolve(name), changed(readFileSync(name, 'utf8'), m))
    program = ts.createProgram(roots, settings, host, program)
    for (const [name, m] of group) {
      const file = program.getSourceFile(name)
      const wrong = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      if (wrong.length === 0) compile.add(m)
    }
  }
  return mutants.filter((m) => compile.has(m))
}
