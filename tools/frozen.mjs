/**
 * Writes down what every kernel of the repository and every command answers today, and says later what has changed.
 *
 *     node tools/frozen.mjs write conformance/verdicts.json      ask everything, and write the answers
 *     node tools/frozen.mjs diff conformance/verdicts.json       ask again, and print what differs: exit status 1 if anything does
 *     node tools/frozen.mjs show 'check zoo/R1'                  print the whole answers of some subjects
 *     node tools/frozen.mjs list                                 print the names of the subjects
 *
 * The built library is asked (`npm run build` first). A subject is a command and what it is asked of, `check zoo/R1`; it runs in this process, as its
 * `--json`. Of an answer are kept: the verdict or exit status, each finding and note as its id, severity and places, and hashes of its parts, of the text
 * that people read, and of the files that were written. So a difference is told as one of four:
 *
 * | difference | what changed                                                               |
 * | ---------- | -------------------------------------------------------------------------- |
 * | verdict    | the verdict, the code of a refusal, or the exit status                     |
 * | findings   | which findings and notes there are, or where                               |
 * | data       | conditions, proofs, digests of runs, counts, replays, documents of other commands |
 * | words      | messages only                                                              |
 *
 * No time, no path outside the repository and no number of threads enters.
 */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import process from 'node:process'
import { clearTimeout, setTimeout } from 'node:timers'
import { fileURLToPath, URL } from 'node:url'
import { TextDecoder, TextEncoder } from 'node:util'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = (file) => import(new URL(`../dist/${file}`, import.meta.url).href)
const usage = `usage: node tools/frozen.mjs write FILE.json | diff FILE.json | show | list   [options]

  write FILE     ask every subject, and write what it answers; with --only, FILE keeps its other subjects
  diff FILE      ask every subject again, and print what differs from FILE: exit status 1 if anything does
  show WORDS     print the whole answers of the subjects whose names contain WORDS
  list           print the names of the subjects

  --only WORDS   only subjects whose names contain WORDS; * stands for any text; may be repeated
  --all          also the subjects that take long (more than 20 s each)
  --jobs N       threads; default: 1
  --limit N      leave out subjects that take more than N seconds, and name them on standard error
  --long         diff: print all subjects, not the first 12 that differ in the same way
  --times        print the slowest subjects on standard error

exit status: 0 nothing differs, 1 something differs, 2 wrong usage, or a build that is missing or older than src
`

// ---------------------------------------------------------------- subjects

/** What takes more than 20 s of a slow machine is asked only with `--all`. */
const long = [
  'conformance/blackwell/cuda/tcgen_matmul/broken5.ptx',
  'conformance/hopper/warpgroups/cluster_matmul/broken3.ptx',
  'conformance/hopper/warpgroups/ring/broken7.ptx',
  'conformance/jaxpr/launches/ragged_along_k.body.jaxpr.json',
  'conformance/jaxpr/shipped/transposed_ragged_dot.json',
  'mm_hosttma_ws_64x64x32_s4_w4_256x256x192.ptx',
  'mm_persistent_ws_64x64x32_s4_w4_256x256x192.ptx',
  'mm_tma_ws_128x128x64_s3_w4_256x256x192.ptx',
  'mm_tma_ws_64x64x32_s4_w4_256x256x192.ptx',
]
const isSlow = (name) =>
  ['vectors kernels -o vectors', 'vectors ptx -o vectors'].includes(name) ||
  (/^(check|run) /.test(name) && long.some((file) => name.endsWith(file)))

const files = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`)
    .sort()

const subject = (...words) => ({ name: words.join(' '), words })
/** A subject whose name leaves out the launch file beside it. */
const launched = (command, file, launch) => ({
  name: `${command} ${file}`,
  words: [command, file, '--launch', launch],
})
/** A launch that `kernels` guesses from the text. */
const guessed = (file) => ({ name: `check ${file}`, words: ['check', file], guess: true })
/** Hash of a file of the repository. */
const hashed = (file) => ({ name: `file ${file}`, file })

const isText = (file) => /\.(ptx|ttgir)(\.gz)?$/.test(file)
/** A kernel with a mistake, beside the right one: `broken2.ptx`, `attention.scores.ttgir`. */
const isBroken = (file) => /^broken|^\w+\.\w+\.ttgir$/.test(basename(file))
const unzipped = (file) => file.replace(/\.gz$/, '')

/** Launch files, and the texts that they launch: those beside them, or those of the same name in the folder for texts. */
const launches = (all) =>
  all
    .filter((file) => basename(file) === 'launch.json')
    .flatMap((launch) => {
      const folder = dirname(launch)
      const name = basename(folder)
      const beside = all.filter((file) => dirname(file) === folder && isText(file))
      const above = all.filter(
        (file) =>
          isText(file) &&
          [dirname(dirname(folder)), `${dirname(dirname(folder))}/texts`].includes(dirname(file)) &&
          basename(file).split('.')[0] === name,
      )
      return (beside.length > 0 ? beside : above).map((file) => ({ launch, file: unzipped(file), name }))
    })

/** Inputs of a kernel that JAX traced, from the archive beside it. */
const inputsOf = (file) => {
  const archive = file.replace(/\.jaxpr\.json$/, '.npz')
  if (archive === file || !existsSync(archive)) return []
  return JSON.parse(readFileSync(file, 'utf8'))
    .kernel.operands.filter(({ role }) => role !== 'out')
    .flatMap(({ name }) => ['--in', `${name}=${archive}:${name}`])
}

const ofConformance = () => {
  const all = files('conformance')
  const known = launches(all)
  const withLaunch = new Set(known.map(({ file }) => file))
  const without = all.filter(isText).map(unzipped)
  const traced = all.filter((file) => /^conformance\/jaxpr\/.*\.json$/.test(file))
  return [
    ...known.map(({ file, launch }) => launched('check', file, launch)),
    // the right kernels on their data: the digest of what they leave
    ...known
      .filter(({ file, name }) => [`${name}.ptx`, `${name}.ttgir`].includes(basename(file)))
      .map(({ file, launch }) => launched('run', file, launch)),
    ...without.filter((file) => !withLaunch.has(file)).map(guessed),
    ...without.filter((file) => !isBroken(file)).map((file) => subject('kernels', file)),
    ...without.filter((file) => file.endsWith('.ptx') && !isBroken(file)).map((file) => subject('ptx', file)),
    ...traced.map((file) => subject('check', file)),
    ...traced
      .filter((file) => inputsOf(file).length > 0)
      .map((file) => ({ name: `run ${file}`, words: ['run', file, ...inputsOf(file)] })),
  ]
}

const ofLibrary = async () => {
  const { kernels, isOfZoo, judgedAt } = await built('kernels/catalogue/index.js')
  const { foreign, programName, zoo } = await built('kernels/broken/index.js')
  const { clauses } = await built('semantics/model/index.js')
  const { suites } = await built('oracle/vectors/index.js')
  const { commands } = await built('oracle/cli/commands/index.js')
  const own = kernels.filter((kernel) => !isOfZoo(kernel)).map(({ name }) => name)
  const twins = [...zoo, ...foreign]
  const small = (name) => {
    const kernel = kernels.find((k) => k.name === name)
    const made = judgedAt(kernel)
    if (made._tag === 'Left') return []
    const chosen = Object.entries(made.right.settings).map(([key, value]) => `${key}=${value}`)
    return chosen.length === 0 ? [] : ['--set', ...chosen]
  }
  return [
    subject('kernels'),
    ...own.map((name) => subject('kernels', name)),
    ...own.map((name) => subject('check', name)),
    ...own.map((name) => ({ name: `run ${name} (small)`, words: ['run', name, ...small(name)] })),
    ...own.map((name) => ({
      name: `trace ${name} (small)`,
      words: ['trace', name, ...small(name), '-o', 'run.jsonl'],
    })),
    ...twins.flatMap((twin) =>
      [false, true].flatMap((fixed) => {
        const name = programName(twin, fixed)
        return [
          subject('check', name),
          subject('check', name, '--strict', '--strict-proxies', '--tensor-pipe', 'documented'),
          subject('trace', name, '-o', 'run.jsonl'),
        ]
      }),
    ),
    ...twins.map((twin) => subject('check', programName(twin, false), '--mend', '1')),
    ...clauses.flatMap(({ id: name }) => [
      subject('litmus', name),
      subject('litmus', name, '--without', name),
      subject('litmus', name, '--strict', '--strict-proxies'),
    ]),
    ...suites.map(({ name }) => subject('vectors', name, '-o', 'vectors')),
    subject('vectors', '--list'),
    ...commands.map(({ name }) => ({ name: `help ${name}`, words: ['help', name], plain: true })),
  ]
}

const aggregate = 'conformance/hopper/cuda/aggregate'
const queue = ['queue', '--set', 'm=5', 'n=8', 'rows=1']

/** A small input for each of the other commands, and flags that change an answer. */
const ofCommands = async () => {
  const { layoutNames } = await layoutsNamed()
  const array = ['--shape', '64x64', 'tile=8x64', 'swizzle=128']
  const cute = [
    ['(4,(2,2)):(2,(1,8))'],
    ['coalesce', '(2,(1,6)):(1,(6,2))'],
    ['composition', '(6,2):(8,2)', '(4,3):(3,1)'],
    ['complement', '4:1', '24'],
    ['right_inverse', '(4,8):(8,1)'],
    ['left_inverse', '(4,8):(8,1)'],
    ['logical_divide', '(6,8):(8,1)', '[3:1;4:1]'],
    ['zipped_divide', '(6,8):(8,1)', '[3:1;4:1]'],
    ['logical_product', '(2,2):(4,1)', '6:1'],
    ['blocked_product', '(2,5):(5,1)', '(3,4):(1,3)'],
    ['max_common_layout', '(4,8):(8,1)', '(4,8):(8,1)'],
    ['upcast', '(4,8):(8,1)', '2'],
    ['at', '(4,8):(8,1)', '(1,2)'],
  ]
  return [
    ...layoutNames.map((layout) => subject('layout', layout)),
    subject('layout', 'names'),
    subject('layout', 'WGMMA', '--shape', '64x16', '-o', 'wgmma.svg'),
    subject('transform', ...array),
    subject('transform', ...array, '-o', 'array.svg'),
    subject('banks', 'WGMMA', ...array),
    subject('banks', 'WGMMA', ...array, '--store'),
    subject('banks', 'WGMMA', '--shape', '64x64', 'tile=8x64'),
    subject('linear', 'WGMMA', '--shape', '64x16'),
    subject('linear', 'WGMMA', '--shape', '64x16', '--invert'),
    ...cute.map((words) => subject('cute', ...words)),
    subject('tmem', 'acc=DEFAULT(1):128x256:f32'),
    ...['DEFAULT(1)', 'HALF_LANE(64,1)', 'M64_COLLECTIVE(64,1)', 'SCALES'].map((name) =>
      subject('tmem', name),
    ),
    subject('image', '--box', '16x32', '--swizzle', '64', '--tensor', '20x40', '--at', '8,-8'),
    subject('image', '--box', '8x64', '--swizzle', '128', '--store'),
    subject('tiling', '--m-tiles', '16', '--n-tiles', '32', '--clusters', '74'),
    ...['hopper', 'blackwell', 'ieee32'].map((chip) => ({
      name: `mma ${chip}`,
      words: ['mma', '--arithmetic', chip, '--in', ...operands, '--out', 'd=d.npy'],
    })),
    { name: 'compare equal', words: ['compare', operands[0].slice(2), operands[0].slice(2)] },
    { name: 'compare different', words: ['compare', operands[0].slice(2), operands[1].slice(2)] },
    subject('view', ...queue),
    subject('view', 'zoo/R1'),
    subject('trace', ...queue),
    subject('check', ...queue, '--timeline', 'run.svg'),
    subject('check', ...queue, '--schedule', 'lazy', '--record', 'schedule.json'),
    subject('check', ...queue, '--schedule', 'seeded:7'),
    subject('check', ...queue, '--explore'),
    subject('check', ...queue, '--strict', '--strict-proxies'),
    subject('check', 'zoo/R1', '--explore'),
    subject('mutate', ...queue),
    subject('mutate', 'zoo/D1-fixed'),
    ...['real64', 'field', 'unit', 'tiles'].map((algebra) => subject('run', ...queue, '--over', algebra)),
    ...['trace', 'view', 'mutate'].map((command) =>
      launched(command, `${aggregate}/aggregate.ptx`, `${aggregate}/launch.json`),
    ),
    {
      name: `check ${aggregate}/aggregate.ptx --over shadow`,
      words: [
        'check',
        `${aggregate}/aggregate.ptx`,
        '--launch',
        `${aggregate}/launch.json`,
        '--over',
        'shadow',
      ],
    },
    { name: 'sweep grid', words: ['sweep', 'grid.json', '-o', 'results.jsonl'] },
    { name: 'completion bash', words: ['completion', 'bash'], plain: true },
    { name: 'demo', words: ['demo'], plain: true },
    // what is refused, and how
    subject('check', 'hopper-matmull'),
    subject('check', 'hopper-matmul', '--set', 'k=0'),
    subject('check', 'queue', '--without', 'no such statement'),
    subject('check', 'missing.ptx'),
    subject('layout', 'WGMMA', '--shape', '63x16'),
    ...pages.map((page) => hashed(`docs/${page}.md`)),
    ...files('schemas').map(hashed),
    hashed('man/tcspec.1'),
    hashed('conformance/hazard-zoo.json'),
  ]
}

/** Pages of docs that proofs write from what the library says. */
const pages = [
  ...['kill-rate', 'kill-rate-ptx', 'kill-rate-triton', 'ptx-opcodes', 'hazards', 'instructions', 'surfaces'],
  ...['constructs', 'gluon', 'triton-modules', 'ptx-and-ttgir', 'ptx-and-ttgir-sm100', 'MemoryModel'],
  ...['CommandLine', 'Vectors', 'Theorems'],
]
const operands = [
  'a=conformance/kernels/matmul_f16_256x256x256_a.npy',
  'b=conformance/kernels/matmul_f16_256x256x256_b.npy',
]
const grid = {
  schema: 'tcspec.sweep/1',
  subjects: ['zoo/R1', { name: 'queue', settings: { m: [5], n: [8], rows: [1] } }],
  settings: { buffering: [2, 0] },
  schedules: ['eager', 'lazy'],
  options: { strict: [false, true] },
  mutants: ['none', 'EXIT', 'ALLOC'],
}

const layoutsNamed = async () => {
  const { stdout } = await (await commandLine())(['layout', 'names', '--json'])
  return { layoutNames: JSON.parse(stdout).layouts.map(({ example, name }) => example ?? name) }
}

const subjects = async () => {
  const all = [...ofConformance(), ...(await ofLibrary()), ...(await ofCommands())]
  const byName = new Map(all.map((s) => [s.name, s]))
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

// ---------------------------------------------------------------- asking

/** An input of a Gluon kernel whose launch has no captured tensors: multiples of 1/4 from -1 to 1, always the same. */
const inputOf = (file) => {
  const { tensors, outputs } = JSON.parse(readFileSync('conformance/triton/gluon/kernels.json', 'utf8'))[
    basename(dirname(file))
  ]
  const name = basename(file, '.npy')
  if (tensors[name] === undefined || outputs.includes(name)) return null
  const { dtype, shape } = tensors[name]
  const header = `{'descr': '<${dtype.replace('f16', 'f2').replace('f32', 'f4')}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }`
  const padded = `${header.padEnd(117)}\n`
  const patterns =
    dtype === 'f16'
      ? [0xbc00, 0xba00, 0xb800, 0xb400, 0, 0x3400, 0x3800, 0x3a00, 0x3c00]
      : [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1]
  const values = Array.from(
    { length: shape.reduce((n, extent) => n * extent, 1) },
    (_, i) => patterns[(Math.imul(i + name.charCodeAt(0), 2654435761) >>> 16) % patterns.length],
  )
  const held = dtype === 'f16' ? Uint16Array.from(values) : Float32Array.from(values)
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length, 0]),
      Buffer.from(padded),
      Buffer.from(held.buffer),
    ]),
  )
}

/** `tcspec` in this process: files are read from the repository, and written to memory. */
const commandLine = async () => {
  const [{ tcspec }, { commands }, { onDisk }, { alone }, { besideDocument }] = await Promise.all(
    [
      'oracle/cli/program.js',
      'oracle/cli/commands/index.js',
      'oracle/tensor-files/disk.js',
      'oracle/sweep/staff.js',
      'oracle/sweep/grid.js',
    ].map(built),
  )
  const right = (value) => ({ _tag: 'Right', right: value })
  const bytes = (text) => new TextEncoder().encode(text)
  return async (argv) => {
    const written = new Map()
    const read = (file) => () => {
      if (file === 'grid.json') return right(bytes(JSON.stringify(grid)))
      if (written.has(file)) return right(written.get(file))
      if (!existsSync(file) && existsSync(`${file}.gz`))
        return right(new Uint8Array(gunzipSync(readFileSync(`${file}.gz`))))
      const found = onDisk.read(file)()
      if (found._tag === 'Left' && file.startsWith('conformance/triton/gluon/launches/')) {
        const made = inputOf(file)
        return made === null ? found : right(made)
      }
      if (found._tag === 'Left' || !file.startsWith('conformance/jaxpr/async/')) return found
      // a document with its inputs and outputs
      return right(bytes(JSON.stringify(JSON.parse(new TextDecoder().decode(found.right)).document)))
    }
    const world = {
      files: {
        read,
        destination: (file) => () => right(file),
        write: (outputs) => async () => {
          for (const output of outputs) written.set(output.file, output.bytes)
          return right(undefined)
        },
      },
      directories: {
        free: () => () => right(null),
        write: (output) => async () => {
          for (const { file, bytes: held } of output.files) written.set(`${output.directory}/${file}`, held)
          return right(undefined)
        },
      },
      version: 'frozen',
      colours: false,
      clock: () => 0,
      conformance: 'conformance',
      progress: () => ({ update: () => undefined, stop: () => undefined }),
    }
    world.sweeps = {
      hire: ({ cases, directory }) =>
        alone({ ...world, files: besideDocument(directory, world.files) }, cases),
      count: 1,
      journal: (file) =>
        right({
          text: '',
          torn: '',
          append: (line) => {
            written.set(file, bytes(`${new TextDecoder().decode(written.get(file))}${line}\n`))
            return right(null)
          },
          close: () => right(null),
          leave: () => undefined,
        }),
      interrupted: () => () => undefined,
    }
    // the same report as people read it, before it is printed as JSON
    let text = ''
    const telling = commands.map((listed) => ({
      ...listed,
      load: async () => {
        const command = await listed.load()
        return {
          ...command,
          run: (given) => (words, options) => async () => {
            const report = await command.run(given)(words, options)()
            if (report._tag === 'Right') text = report.right.text()
            return report
          },
        }
      },
    }))
    const { status, stdout, stderr } = await tcspec(telling, world)(argv)()
    return { status, stdout, stderr, text, written }
  }
}

/** The words of a launch that `kernels` guesses. */
const guess = async (tcspec, file) => {
  const { stdout } = await tcspec(['kernels', file, '--json'])
  const { example } = JSON.parse(stdout)
  if (example === undefined || example === null) return null
  return Object.entries(example).flatMap(([flag, value]) => [
    `--${flag}`,
    ...(Array.isArray(value)
      ? [value.join(',')]
      : typeof value === 'object'
        ? Object.entries(value).map(([name, of]) => `${name}=${of}`)
        : [String(value)]),
  ])
}

const ask = async (tcspec, { words, guess: wants, plain }) => {
  const more = wants ? await guess(tcspec, words[1]) : []
  if (more === null)
    return { status: 2, stdout: '', stderr: 'no launch is guessed', text: '', written: new Map() }
  return tcspec([...words, ...more, ...(plain ? [] : ['--json'])])
}

// ---------------------------------------------------------------- what is kept

const hash = (text, digits) => createHash('sha256').update(text).digest('hex').slice(0, digits)
/** A hash that tells which part changed; that anything did is told by the hash of the whole. */
const digits = 3
const short = (value) => hash(JSON.stringify(value) ?? '', digits)

/** Parts of an answer that have hashes of their own, in this order: those that are words come first. */
const words = ['text', 'reason', 'findings', 'notes', 'document']
const data = ['conditions', 'decided', 'places', 'replay', 'proof', 'digest', 'counts', 'rest', 'files']
const parts = [...words, ...data]
/** Those of an answer that is no verdict. */
const plainParts = ['text', 'document', 'rest', 'files']

/** Members that hold sentences. */
const sentences = [
  'text',
  'reason',
  'title',
  'knew',
  'message',
  'summary',
  'says',
  'meaning',
  'fix',
  'silicon',
  'does',
]
const withoutWords = (value) =>
  Array.isArray(value)
    ? value.map(withoutWords)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => !sentences.includes(key))
            .map(([key, of]) => [key, withoutWords(of)]),
        )
      : value

const partsOf = (document, text, written) => {
  const { reason, conditions, decidedBy, search, schedule, schedules, ...others } = document
  const { findings = [], notes = [], provenance, digest, counts, ...rest } = others
  const all = [...findings, ...notes]
  const numbers = (value) => short(withoutWords(value))
  return {
    text: hash(text, digits),
    reason: short(reason),
    findings: short(findings),
    notes: short(notes),
    document: short(document),
    conditions: numbers(conditions),
    decided: numbers({ decidedBy, search, schedule, schedules }),
    places: numbers(all),
    replay: short(all.map(({ replay }) => replay)),
    proof: numbers(provenance),
    digest: short(digest),
    counts: short(counts),
    rest: numbers(rest),
    files: short(written),
  }
}

/** Findings in one line each: id, severity, the places of both sides; equal ones are counted. */
const lines = (findings) => {
  const side = (of) =>
    of === undefined || of === null ? '' : (of.loc ?? of.site ?? '').replaceAll('\n', ' ')
  const counts = new Map()
  for (const { id, severity, a, b } of findings) {
    const line = [id, severity, [side(a), side(b)].filter((s) => s !== '').join(' | ')].join(' ').trim()
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const told = [...counts].map(([line, n]) => (n === 1 ? line : `${line} (${n} times)`))
  // the rest is in the hash of the places
  return told.length <= 8 ? told : [...told.slice(0, 8), `and ${told.length - 8} more`]
}

const kept = (answer) => {
  const { status, stdout, stderr, text, written } = answer
  const files = [...written]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, held]) => [file, hash(held, 16)])
  const whole = hash(JSON.stringify([status, stdout, stderr, text, files]), 12)
  let document = null
  try {
    document = JSON.parse(stdout)
  } catch {
    // a text
  }
  if (document?.schema?.startsWith('tcspec.error/'))
    return { verdict: `refused: ${document.error.code}`, hash: whole }
  // a recording has its verdict in it
  const judged = [document, document?.verdict].find(
    (d) => Array.isArray(d?.findings) && Array.isArray(d.notes),
  )
  const { verdict, findings, notes } = judged ?? { verdict: `exit status ${status}`, findings: [], notes: [] }
  const of = partsOf(
    judged === document && document !== null ? document : { document: document ?? stdout },
    text,
    files,
  )
  return {
    verdict,
    ...(findings.length === 0 ? {} : { findings: lines(findings) }),
    ...(notes.length === 0 ? {} : { notes: lines(notes) }),
    parts: (judged === undefined ? plainParts : parts).map((part) => of[part]).join(''),
    hash: whole,
  }
}

const answered = async (tcspec, s) =>
  s.file === undefined
    ? kept(await ask(tcspec, s))
    : { verdict: 'file', hash: hash(readFileSync(s.file), 12) }

/** Every subject's answer, from threads that take one subject at a time. A thread that takes longer than the limit is ended, and another goes on. */
const askAll = async (wanted, { jobs, limit }) => {
  const found = new Map()
  const took = []
  const stopped = []
  let next = 0
  const told = () => {
    if (process.stderr.isTTY) process.stderr.write(`\r${found.size} of ${wanted.length} subjects`)
  }
  const work = (resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 6144 },
    })
    let started = 0
    let late
    let ended = false
    const give = () => {
      if (next === wanted.length) {
        worker.terminate().then(resolve, reject)
        return
      }
      const one = wanted[next++]
      started = Date.now()
      if (limit !== null)
        late = setTimeout(() => {
          ended = true
          stopped.push(one.name)
          worker.terminate().then(() => work(resolve, reject), reject)
        }, 1000 * limit)
      worker.postMessage(one)
    }
    worker.on('error', reject)
    worker.on('message', ({ name, answer, failed }) => {
      if (ended) return
      clearTimeout(late)
      if (failed !== undefined) {
        reject(new Error(`${name}: ${failed}`))
        return
      }
      found.set(name, answer)
      took.push([Date.now() - started, name])
      told()
      give()
    })
    give()
  }
  await Promise.all(
    Array.from({ length: Math.max(1, Math.min(jobs, wanted.length)) }, () => new Promise(work)),
  )
  if (process.stderr.isTTY) process.stderr.write('\n')
  return { found, stopped, took: took.sort(([a], [b]) => b - a) }
}

// ---------------------------------------------------------------- the file

const written = (answers) =>
  `{\n${[...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`)
    .join(',\n')}\n}\n`

// ---------------------------------------------------------------- differences

const changedParts = (before, after) => {
  const [old, now] = [before.parts ?? '', after.parts ?? '']
  const names = now.length === plainParts.length * digits ? plainParts : parts
  const at = (of, i) => of.slice(i * digits, (i + 1) * digits)
  const changed = names.filter((_, i) => at(old, i) !== at(now, i))
  // the whole document is named where no part of it is
  return changed.length === 1 ? changed : changed.filter((part) => part !== 'document')
}

const listsOf = ({ findings = [], notes = [] }) => [
  ...findings.map((line) => `finding ${line}`),
  ...notes.map((line) => `note ${line}`),
]

/** How two answers differ: null if they do not. */
const difference = (before, after) => {
  if (before.verdict !== after.verdict)
    return { kind: 'verdict', how: `${before.verdict} -> ${after.verdict}`, ...lost(before, after) }
  const { gone, come } = lost(before, after)
  if (gone.length + come.length > 0) return { kind: 'findings', how: 'findings or notes changed', gone, come }
  if (before.hash === after.hash) return null
  const changed = changedParts(before, after)
  const isWords =
    before.verdict.startsWith('refused') ||
    (changed.length > 0 && changed.every((part) => words.includes(part)))
  const kind = isWords ? 'words' : 'data'
  return {
    kind,
    how: `changed: ${changed.length === 0 ? 'the whole' : changed.join(', ')}`,
    gone: [],
    come: [],
  }
}
const lost = (before, after) => {
  const [old, now] = [listsOf(before), listsOf(after)]
  return { gone: old.filter((line) => !now.includes(line)), come: now.filter((line) => !old.includes(line)) }
}

const titles = {
  gone: 'no longer a subject',
  come: 'not in the file',
  verdict: 'other verdict',
  findings: 'same verdict, other findings or notes',
  data: 'same findings, other data',
  words: 'other words only',
}

const printed = (differences, long) => {
  const most = long ? Infinity : 12
  const lines = []
  for (const [kind, title] of Object.entries(titles)) {
    const these = differences.filter((d) => d.kind === kind)
    if (these.length === 0) continue
    lines.push(`${title}: ${these.length}`)
    const groups = new Map()
    for (const d of these) groups.set(d.how, [...(groups.get(d.how) ?? []), d])
    for (const [how, group] of groups) {
      if (how !== '') lines.push(`  ${how}`)
      for (const { name, gone, come } of group.slice(0, most))
        lines.push(
          `    ${name}`,
          ...gone.map((line) => `      - ${line}`),
          ...come.map((line) => `      + ${line}`),
        )
      if (group.length > most) lines.push(`    and ${group.length - most} more (--long prints them)`)
    }
  }
  return lines.join('\n')
}

// ---------------------------------------------------------------- the command

const refuse = (text) => {
  process.stderr.write(`frozen: ${text}\n`)
  process.exit(2)
}

const parsed = (argv) => {
  const options = { only: [], all: false, jobs: 1, limit: null, long: false, times: false, words: [] }
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]
    const value = () => argv[++i] ?? refuse(`${word} must be followed by a value`)
    if (word === '--only') options.only.push(value())
    else if (word === '--jobs' || word === '--limit') options[word.slice(2)] = Number(value())
    else if (['--all', '--long', '--times'].includes(word)) options[word.slice(2)] = true
    else if (word.startsWith('--')) refuse(`unknown option ${word}\n${usage}`)
    else options.words.push(word)
  }
  if (!Number.isInteger(options.jobs) || options.jobs < 1) refuse('--jobs must be a whole number from 1')
  if (options.limit !== null && !(options.limit > 0)) refuse('--limit must be a number of seconds')
  return options
}

const matches = (patterns) => {
  const tests = patterns.map(
    (p) =>
      new RegExp(
        p
          .split('*')
          .map((part) => part.replace(/[.+^$?()[\]{}|\\]/g, '\\$&'))
          .join('.*'),
      ),
  )
  return ({ name }) => tests.length === 0 || tests.some((test) => test.test(name))
}

const newest = (folder) => Math.max(...files(folder).map((file) => statSync(file).mtimeMs))

const fromFile = (file) => {
  if (!existsSync(file)) refuse(`${file}: no such file`)
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8'))))
}

const main = async () => {
  const from = process.cwd()
  const options = parsed(process.argv.slice(2))
  const [command, file] = options.words
  if (!['write', 'diff', 'show', 'list'].includes(command))
    refuse(`expected write, diff, show or list\n${usage}`)
  if (['write', 'diff'].includes(command) && file === undefined)
    refuse(`${command} needs the name of a file\n${usage}`)
  const place = file === undefined ? '' : fileURLToPath(new URL(file, `file://${from}/`))
  process.chdir(root)
  const main = 'dist/oracle/cli/main.js'
  if (!existsSync(main)) refuse('the library is not built: run npm run build')
  if (newest('src') > statSync(main).mtimeMs) refuse('the build is older than src: run npm run build')

  const every = await subjects()
  const asked = every.filter(matches(options.only))
  const wanted = asked.filter(({ name }) => options.all || !isSlow(name))
  if (asked.length === 0) refuse(`no subject has a name with ${options.only.join(' or ')}`)
  if (command === 'list') {
    process.stdout.write(
      every.map(({ name }) => `${name}${isSlow(name) ? '  (only with --all)' : ''}\n`).join(''),
    )
    return
  }
  if (command === 'show') {
    const tcspec = await commandLine()
    const shown = every.filter(matches(options.words.slice(1)))
    for (const s of shown.filter((one) => one.file === undefined)) {
      const { status, stdout, stderr, text } = await ask(tcspec, s)
      process.stdout.write(`${s.name}: exit status ${status}\n${stderr}${text}${stdout}\n`)
    }
    return
  }
  const before = command === 'diff' || existsSync(place) ? fromFile(place) : new Map()
  const { found, stopped, took } = await askAll(wanted, options)
  for (const name of stopped)
    process.stderr.write(`not asked, because it takes more than ${options.limit} s: ${name}\n`)
  if (options.times)
    for (const [ms, name] of took.slice(0, 60))
      process.stderr.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`)

  // subjects that were not asked stay as they are
  const names = new Set(every.map(({ name }) => name))
  const unasked = [...before].filter(([name]) => !found.has(name) && names.has(name))
  if (command === 'write') {
    writeFileSync(place, written(new Map([...unasked, ...found])))
    process.stdout.write(`${found.size} subjects written, ${unasked.length} kept as they were\n`)
    return
  }
  const none = { gone: [], come: [], how: '' }
  const isMeant = matches(options.only)
  const differences = [
    ...[...before.keys()]
      .filter((name) => !names.has(name) && isMeant({ name }))
      .map((name) => ({ kind: 'gone', name, ...none })),
    ...[...found].flatMap(([name, after]) => {
      if (!before.has(name)) return [{ kind: 'come', name, ...none }]
      const how = difference(before.get(name), after)
      return how === null ? [] : [{ name, ...how }]
    }),
  ]
  process.stdout.write(
    differences.length === 0
      ? `nothing differs: ${found.size} subjects\n`
      : `${printed(differences, options.long)}\n${differences.length} of ${found.size} subjects differ\n`,
  )
  process.exitCode = differences.length === 0 ? 0 : 1
}

if (isMainThread) await main()
else {
  const tcspec = await commandLine()
  parentPort.on('message', (s) => {
    answered(tcspec, s).then(
      (answer) => parentPort.postMessage({ name: s.name, answer }),
      (error) => parentPort.postMessage({ name: s.name, failed: String(error?.stack ?? error) }),
    )
  })
}
