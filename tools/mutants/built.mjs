/**
 * The sources and the proofs as modules of JavaScript in a folder of their own, with all mutants in them and none active: `__stryker__.activeMutant` of a process
 * names the one that it runs. One build for all mutants costs seconds, where a build for each would cost as long as the proofs.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { transformSync } from 'rolldown/utils'
import { filesIn, instrumented, keyOf } from './room.mjs'

const folders = ['src', 'proofs-by-test']

/** What a module imports, by the files' names. */
const importsOf = (name, text) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/gu)].map(
    ([, to]) => `${join(dirname(name), to)}.ts`,
  )

/** Gives the mutants their numbers, and says of each proof which files with mutants it comes to. */
export const buildIn = async (into, mutants) => {
  rmSync(into, { recursive: true, force: true })
  const byFile = new Map()
  for (const m of mutants) byFile.set(m.fileName, [...(byFile.get(m.fileName) ?? []), m])
  const made = await instrumented(
    [...byFile].map(([name, those]) => ({
      name,
      content: readFileSync(name, 'utf8'),
      mutate: those.map(({ location }) => location),
    })),
  )
  const numbers = new Map(made.mutants.map((m) => [keyOf(m), m.id]))
  const changed = new Map(made.files.map(({ name, content }) => [name, content]))
  const texts = new Map()
  for (const name of folders.flatMap(filesIn)) {
    const to = `${into}/${name}`
    mkdirSync(dirname(to), { recursive: true })
    if (!name.endsWith('.ts') || name.endsWith('.d.ts')) {
      cpSync(name, to)
      continue
    }
    texts.set(name, readFileSync(name, 'utf8'))
    const { code, errors } = transformSync(name, changed.get(name) ?? texts.get(name), { target: 'es2022' })
    if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`)
    // proofs are listed and run by this tool
    const here = relative(dirname(to), resolve('tools/mutants/proofs.mjs'))
    writeFileSync(to.replace(/ts$/u, 'js'), code.replaceAll(/from (["'])vitest\1/gu, `from '${here}'`))
  }
  for (const name of readdirSync('.'))
    if (
      !folders.includes(name) &&
      !name.startsWith('.') &&
      name !== 'reports' &&
      !existsSync(`${into}/${name}`)
    )
      symlinkSync(resolve(name), `${into}/${name}`)
  const reached = (name) => {
    const seen = new Set([name])
    for (const one of seen) for (const to of importsOf(one, texts.get(one) ?? '')) seen.add(to)
    return seen
  }
  const proofs = new Map()
  for (const name of texts.keys()) {
    if (!name.endsWith('.proof.ts')) continue
    const hit = [...reached(name)].filter((file) => byFile.has(file))
    if (hit.length > 0) proofs.set(name, new Set(hit))
  }
  return { mutants: mutants.map((m) => ({ ...m, id: numbers.get(keyOf(m)) })), proofs }
}
