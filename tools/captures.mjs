// What was captured, in containers: `conformance/NAME.index.json` and `conformance/NAME.frames` (tools/captures/container.mjs).
//
//     node tools/captures.mjs unpack              every file that is not there, or not as its index says, made again beside the texts: `npm run build` and the proofs do so
//     node tools/captures.mjs check               all of it made anew in memory; no file beside may be another, or be in no index
//     node tools/captures.mjs show FILE [ARRAY]   what is in a file: type, extents and the first elements; ARRAY is one of an archive, or first:last elements
//     node tools/captures.mjs pack NAME           the container again from the files that lie there
//
// Exit status: 0, or 1 where something is not as its index says.
import { Buffer } from 'node:buffer'
import console from 'node:console'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL, URL } from 'node:url'
import { unzipSync } from 'fflate'
import { elementsOf } from './captures/arrays.mjs'
import {
  archivesFrom,
  checksum,
  Damaged,
  indexText,
  memberOf,
  opened,
  packed,
} from './captures/container.mjs'

const conformance = fileURLToPath(new URL('../conformance/', import.meta.url))
const ending = '.index.json'

/** Files of a folder and of those in it, by their paths from it; none where there is no folder, for git keeps none that is empty. */
const filesIn = (folder) =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory()
          ? filesIn(`${folder}${entry.name}/`).map((file) => `${entry.name}/${file}`)
          : [entry.name],
      )

/** What patterns take, as `.gitignore` has them: `a/*.npy`, where a star is within one folder, and `!a/b.npy` for what is left out again. */
const matcher = (patterns) => {
  const one = (pattern) =>
    new RegExp(`^${pattern.replaceAll(/[.+^$()[\]{}|\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*')}$`)
  const [taken, left] = [false, true].map((out) =>
    patterns.filter((p) => p.startsWith('!') === out).map((p) => one(p.replace(/^!/, ''))),
  )
  return (file) => taken.some((p) => p.test(file)) && !left.some((p) => p.test(file))
}

/** Containers by name; the files of `hopper/wgmma` lie in the folder of that name. */
const containers = (root) =>
  filesIn(root)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .sort()

const containerOf = (root, name) => {
  const index = JSON.parse(readFileSync(`${root}${name}${ending}`, 'utf8'))
  return { name, folder: `${root}${name}/`, index, ...opened(index, readFileSync(`${root}${name}.frames`)) }
}

/** What lies on the disk by what its index says: files, and archives for their arrays. */
const wanted = ({ index }) => [
  ...index.files.filter(({ file }) => memberOf(file) === null),
  ...index.archives,
]

const isThere = ({ folder }, { file, sha256 }) =>
  existsSync(`${folder}${file}`) && checksum(readFileSync(`${folder}${file}`)) === sha256

/** The bytes of a file of a container, made again. */
const contentOf = ({ index, bytesOf }, file) => {
  if (!index.archives.some((archive) => archive.file === file)) return bytesOf(file)
  const arrays = index.files.map((entry) => entry.file).filter((entry) => memberOf(entry)?.archive === file)
  return archivesFrom(arrays.map((entry) => [entry, bytesOf(entry)])).get(file)
}

/** A file appears whole or not at all: several may unpack at once. */
const put = (path, bytes) => {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}.part`
  writeFileSync(part, bytes)
  renameSync(part, path)
}

const inContainer = (name, act) => {
  try {
    return act()
  } catch (error) {
    if (error instanceof Damaged || error instanceof SyntaxError || error.code === 'ENOENT')
      throw new Damaged(`conformance/${name}: ${error.message}`)
    throw error
  }
}

/** Makes what is missing; the number of files that it made. */
export const unpack = (root = conformance) => {
  let made = 0
  for (const name of containers(root))
    inContainer(name, () => {
      const container = containerOf(root, name)
      container.whole()
      for (const entry of wanted(container))
        if (!isThere(container, entry)) {
          put(`${container.folder}${entry.file}`, contentOf(container, entry.file))
          made++
        }
    })
  return made
}

/** What vitest calls before the proofs. */
export const setup = () => {
  unpack()
}

/** Makes everything in memory; what is not as it should be, in words. */
export const check = (root = conformance) =>
  containers(root).flatMap((name) => {
    try {
      return inContainer(name, () => {
        const container = containerOf(root, name)
        container.whole()
        const known = new Set(wanted(container).map(({ file }) => file))
        const takes = matcher(container.index.take)
        const strange = filesIn(container.folder).filter((file) => takes(file) && !known.has(file))
        const other = wanted(container).filter(
          ({ file, sha256 }) =>
            checksum(contentOf(container, file)) !== sha256 ||
            (existsSync(`${container.folder}${file}`) && !isThere(container, { file, sha256 })),
        )
        return [
          ...strange.map((file) => `conformance/${name}/${file}: not in the index; pack ${name}`),
          ...other.map(
            ({ file }) =>
              `conformance/${name}/${file}: not as the index says; unpack makes it again, pack keeps it`,
          ),
        ]
      })
    } catch (error) {
      if (error instanceof Damaged) return [error.message]
      throw error
    }
  })

/** What git leaves out: all that containers take, but for what they leave. */
export const ignored = (root = conformance) =>
  [
    '# what lies in the containers beside: written by tools/captures.mjs',
    ...containers(root).flatMap((name) =>
      JSON.parse(readFileSync(`${root}${name}${ending}`, 'utf8')).take.map((pattern) =>
        pattern.startsWith('!') ? `!/${name}/${pattern.slice(1)}` : `/${name}/${pattern}`,
      ),
    ),
    '',
  ].join('\n')

/** The container of the files that lie in its folder, with what its index knows of them. */
export const pack = (name, root = conformance) => {
  const folder = `${root}${name}/`
  const { take, streams, files } = JSON.parse(readFileSync(`${root}${name}${ending}`, 'utf8'))
  const there = filesIn(folder).filter(matcher(take)).sort()
  const content = there.flatMap((file) => {
    const bytes = readFileSync(`${folder}${file}`)
    return file.endsWith('.npz')
      ? Object.entries(unzipSync(bytes)).map(([member, array]) => [
          `${file}:${member.replace(/\.npy$/, '')}`,
          array,
        ])
      : [[file, bytes]]
  })
  const known = new Map(
    files.flatMap((entry) => (entry.known === undefined ? [] : [[entry.file, entry.known]])),
  )
  const { index, frames } = packed(new Map(content), { take, streams, known })
  put(`${root}${name}.frames`, frames)
  put(`${root}${name}${ending}`, Buffer.from(indexText(index)))
  put(`${root}.gitignore`, Buffer.from(ignored(root)))
  return { files: content.length, bytes: frames.length }
}

/** What a file is, and its first elements or those that are asked for. */
const shown = (path, asked) => {
  const said = path.slice(path.startsWith(conformance) ? conformance.length : 'conformance/'.length)
  const name = containers(conformance).find((one) => said.startsWith(`${one}/`))
  if (name === undefined)
    throw new Damaged(`${path}: expected a file of one of ${containers(conformance).join(', ')}`)
  const container = containerOf(conformance, name)
  const file = said.slice(name.length + 1)
  const among = container.index.files.map((entry) => entry.file)
  const range = /^(\d+):(\d+)$/.exec(asked ?? '')
  const entry = asked === undefined || range !== null ? file : `${file}:${asked}`
  if (!among.includes(entry)) {
    const arrays = among.flatMap((one) => (memberOf(one)?.archive === file ? [memberOf(one).name] : []))
    if (asked !== undefined || arrays.length === 0)
      throw new Damaged(
        `${path}: expected ${arrays.length === 0 ? 'a file' : `one of ${arrays.join(', ')}`} of ${name}`,
      )
    return arrays.join('\n')
  }
  return elementsOf(container.bytesOf(entry), range === null ? [0, 16] : range.slice(1).map(Number))
}

const commands = {
  unpack: () => {
    unpack()
    return 0
  },
  check: () => {
    const wrong = check()
    for (const line of wrong) console.error(line)
    return wrong.length === 0 ? 0 : 1
  },
  show: (file, array) => {
    console.log(shown(file, array))
    return 0
  },
  pack: (name) => {
    const { files, bytes } = pack(name)
    console.log(`${name}: ${files} files and arrays in ${bytes} bytes`)
    return 0
  },
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [word, ...words] = process.argv.slice(2)
  try {
    if (!Object.hasOwn(commands, word ?? ''))
      throw new Damaged('expected unpack, check, show FILE [ARRAY] or pack NAME')
    process.exitCode = commands[word](...words)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
