/**
 * Assembles `src/fast/wat/*.wat` into `src/fast/code.ts`: one constant a module, its bytes in base64.
 *
 *     node tools/build-wasm.mjs           writes the file
 *     node tools/build-wasm.mjs --check   exit 1 if it is not what the sources give
 */
import { Buffer } from 'node:buffer'
import console from 'node:console'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { URL } from 'node:url'
import wabt from 'wabt'

const folder = new URL('../src/fast/wat/', import.meta.url).pathname
const target = new URL('../src/fast/code.ts', import.meta.url).pathname

/** The file as it should be. */
export const build = async () => {
  const assembler = await wabt()
  const constants = readdirSync(folder)
    .filter((file) => file.endsWith('.wat'))
    .sort()
    .map((file) => {
      const module = assembler.parseWat(file, readFileSync(join(folder, file), 'utf8'), { simd: true })
      module.validate()
      const bytes = Buffer.from(module.toBinary({}).buffer).toString('base64')
      module.destroy()
      const name = basename(file, '.wat').replace(/-(.)/g, (_, c) => c.toUpperCase())
      return `/** \`wat/${file}\` */\nexport const ${name}: string =\n  '${bytes}'\n`
    })
  return `/** The modules of \`wat/\`, assembled: made by \`tools/build-wasm.mjs\`, not by hand. */\n${constants.join('\n')}`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const made = await build()
  if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== made) {
      console.error('src/fast/code.ts is not what src/fast/wat gives: run node tools/build-wasm.mjs')
      process.exitCode = 1
    }
  } else writeFileSync(target, made)
}
