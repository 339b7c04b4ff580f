/**
 * What is checked, and how: the state of the place, as params of the address, as a question, and as words of a command line.
 *
 * Laws
 *  1. `stateOf(paramsOf(s))` is `s`
 *  2. the question and the command line ask the same
 */
import type { Params } from '../../address.js'
import { isMembers } from '../../machine/members.js'

export interface State {
  /** a kernel by name; empty: the text is checked */
  readonly kernel: string
  readonly set: string
  /** what the text is called, which says what it is */
  readonly name: string
  readonly text: string
  /** what lies beside it: lines of its author */
  readonly beside: Readonly<Record<string, string>>
  readonly grid: string
  readonly arg: Readonly<Record<string, string>>
  readonly computes: string
  /** what a launch file says that words cannot, as JSON; of PTX all that it says */
  readonly launch: string
  /** of PTX: threads of a CTA, CTAs of a cluster, bytes of shared memory, the entry */
  readonly block: string
  readonly cluster: string
  readonly shared: string
  readonly entry: string
  /** of PTX: files of tensors beside a launch, in base64; they are in no link */
  readonly tensors: Readonly<Record<string, string>>
  /** what if: statements that are left out, and how strictly it is judged */
  readonly without: ReadonlyArray<string>
  /** findings whose missing edge is added: each by its number in the verdict that the one before has led to */
  readonly mend: ReadonlyArray<number>
  readonly strict: boolean
  readonly strictProxies: boolean
  readonly tensorPipe: string
  /** of a module: ttgir or ptx; nothing: both, where its PTX is beside it */
  readonly level: string
  readonly schedule: string
  readonly explore: boolean
}

export const empty: State = {
  kernel: '',
  set: '',
  name: '',
  text: '',
  beside: {},
  grid: '',
  arg: {},
  computes: '',
  launch: '',
  block: '',
  cluster: '',
  shared: '',
  entry: '',
  tensors: {},
  without: [],
  mend: [],
  strict: false,
  strictProxies: false,
  tensorPipe: '',
  level: '',
  schedule: '',
  explore: false,
}

/** Nothing is changed. */
export const asItIs = (s: State): State => ({
  ...s,
  without: [],
  mend: [],
  strict: false,
  strictProxies: false,
  tensorPipe: '',
  schedule: '',
  explore: false,
})
/** What a change is compared with: before edges were added, if any were; else nothing changed. */
export const before = (s: State): State => (s.mend.length > 0 ? { ...s, mend: [] } : asItIs(s))
export const isAsItIs = (s: State): boolean =>
  s.without.length === 0 &&
  s.mend.length === 0 &&
  !s.strict &&
  !s.strictProxies &&
  s.tensorPipe === '' &&
  s.schedule === '' &&
  !s.explore

// ---------------------------------------------------------------- what a text is

export type Kind = 'nothing' | 'kernel' | 'module' | 'ptx' | 'program' | 'trace' | 'verdict'

/** A document says its schema near its beginning. */
const schemaIn = (text: string): string | null =>
  /"schema"\s*:\s*"(tcspec\.[\w-]+\/\d+)"/.exec(text.slice(0, 4000))?.[1] ?? null

export const kindOf = ({ kernel, name, text }: State): Kind =>
  kernel !== ''
    ? 'kernel'
    : text === ''
      ? 'nothing'
      : /\.ttgir$/i.test(name)
        ? 'module'
        : /\.ptx$/i.test(name)
          ? 'ptx'
          : /\.jsonl$/i.test(name)
            ? 'trace'
            : schemaIn(text)?.startsWith('tcspec.verdict/') === true
              ? 'verdict'
              : 'program'

/** What a text that was pasted is called: it has no name of its own. */
export const nameOf = (text: string): string => {
  const head = text.slice(0, 4000).trimStart()
  if (!head.startsWith('{') && !head.startsWith('['))
    return /^\s*\.version\s+\d/mu.test(head) ? 'kernel.ptx' : 'kernel.ttgir'
  return schemaIn(text) === 'tcspec.trace/1' && head.indexOf('\n') > 0 && /\}\s*\n\s*\{/.test(head)
    ? 'run.jsonl'
    : schemaIn(text) === 'tcspec.jaxpr/1'
      ? 'kernel.jaxpr.json'
      : 'kernel.json'
}

// ---------------------------------------------------------------- the address

const flag = (on: boolean): string | null => (on ? '1' : null)
const orNull = (text: string): string | null => (text === '' ? null : text)
/** In the order of their names, so that equal states have equal links. */
const pairs = (entries: Readonly<Record<string, string>>): string | null =>
  Object.keys(entries).length === 0 ? null : JSON.stringify(entries)

/** Params of a state; `texts`: whether the texts are in it, which may be too long for an address. */
export const paramsOf = (s: State, texts = true): Readonly<Record<string, string | null>> => ({
  kernel: orNull(s.kernel),
  set: orNull(s.set),
  name: texts ? orNull(s.name) : null,
  text: texts ? orNull(s.text) : null,
  beside: texts ? pairs(s.beside) : null,
  grid: orNull(s.grid),
  arg: pairs(s.arg),
  computes: orNull(s.computes),
  launch: orNull(s.launch),
  block: orNull(s.block),
  cluster: orNull(s.cluster),
  shared: orNull(s.shared),
  entry: orNull(s.entry),
  without: orNull(s.without.join('\n')),
  mend: orNull(s.mend.join(',')),
  strict: flag(s.strict),
  proxies: flag(s.strictProxies),
  pipe: orNull(s.tensorPipe),
  level: orNull(s.level),
  schedule: orNull(s.schedule),
  explore: flag(s.explore),
})

const record = (text: string | undefined): Readonly<Record<string, string>> => {
  if (text === undefined) return {}
  try {
    const said: unknown = JSON.parse(text)
    return typeof said !== 'object' || said === null
      ? {}
      : Object.fromEntries(
          Object.entries(said).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        )
  } catch {
    return {}
  }
}

export const stateOf = (p: Params): State => ({
  kernel: p['kernel'] ?? '',
  set: p['set'] ?? '',
  name: p['name'] ?? (p['text'] === undefined ? '' : nameOf(p['text'])),
  text: p['text'] ?? '',
  beside: record(p['beside']),
  grid: p['grid'] ?? '',
  arg: record(p['arg']),
  computes: p['computes'] ?? '',
  launch: p['launch'] ?? '',
  block: p['block'] ?? '',
  cluster: p['cluster'] ?? '',
  shared: p['shared'] ?? '',
  entry: p['entry'] ?? '',
  tensors: {},
  without: (p['without'] ?? '').split('\n').filter((label) => label !== ''),
  mend: (p['mend'] ?? '').split(',').flatMap((n) => (/^[1-9]\d{0,5}$/.test(n) ? [Number(n)] : [])),
  strict: p['strict'] === '1',
  strictProxies: p['proxies'] === '1',
  tensorPipe: p['pipe'] ?? '',
  level: p['level'] ?? '',
  schedule: p['schedule'] ?? '',
  explore: p['explore'] === '1',
})

// ---------------------------------------------------------------- the question

const settingsOf = (set: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    set
      .split(/\s+/)
      .filter((word) => word.includes('='))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )

/** Words of the form, but for those that are left to a launch file. */
const words = (s: State): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(s.arg).filter(([, word]) => word !== ''))

const filesOf = (s: State): Readonly<Record<string, unknown>> => ({
  ...s.beside,
  [s.name]: s.text,
  ...(s.launch === '' ? {} : { 'launch.json': s.launch }),
  ...Object.fromEntries(Object.entries(s.tensors).map(([file, npy]) => [file, { npy }])),
})

/** What of a launch PTX alone has. */
const ptxWords = (s: State): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (['block', 'cluster', 'shared', 'entry'] as const).flatMap((name) =>
      s[name] === '' ? [] : [[name, s[name]]],
    ),
  )

/** What `kernels` is asked for the form of a launch; null: there is none. */
export const describedOf = (s: State): unknown => {
  const kind = kindOf(s)
  return kind === 'module'
    ? { kernel: s.name, files: { [s.name]: { ttgir: s.text } } }
    : kind === 'ptx'
      ? {
          kernel: s.name,
          files: { [s.name]: { ptx: s.text } },
          ...(s.entry === '' ? {} : { entry: s.entry }),
        }
      : null
}

/** What `check` is asked; null: there is nothing to ask. */
export const questionOf = (s: State): unknown => {
  const kind = kindOf(s)
  if (kind === 'nothing' || kind === 'verdict') return null
  const strictness = {
    ...(s.strict ? { strict: true } : {}),
    ...(s.strictProxies ? { strictProxies: true } : {}),
    ...(s.tensorPipe === '' ? {} : { tensorPipe: s.tensorPipe }),
  }
  if (kind === 'trace') return { kernel: s.name, files: filesOf(s), printed: true, ...strictness }
  const launch =
    kind === 'module' || kind === 'ptx'
      ? {
          ...(s.grid === '' ? {} : { grid: s.grid }),
          ...(kind === 'ptx' ? ptxWords(s) : {}),
          ...(Object.keys(words(s)).length === 0 ? {} : { arg: words(s) }),
          ...(s.launch === '' ? {} : { launch: 'launch.json' }),
          ...(kind === 'ptx' || s.level === '' ? {} : { level: s.level }),
        }
      : {}
  const set = settingsOf(s.set)
  return {
    kernel: kind === 'kernel' ? s.kernel : s.name,
    ...(kind === 'kernel' ? {} : { files: filesOf(s) }),
    ...(kind === 'kernel' && Object.keys(set).length > 0 ? { set } : {}),
    ...launch,
    ...(s.computes === '' || kind === 'kernel' || kind === 'ptx' ? {} : { computes: s.computes }),
    ...(s.without.length === 0 ? {} : { without: s.without }),
    ...(s.mend.length === 0 ? {} : { mend: s.mend }),
    ...(s.schedule === '' ? {} : { schedule: s.schedule }),
    ...(s.explore ? { explore: true } : {}),
    ...strictness,
    printed: true,
  }
}

/** A word as a shell takes it; brackets as the guides write them. */
const quoted = (word: string): string =>
  /^[\w=.,:/@%+[\]-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`

/** What a terminal is told; null: there is nothing to ask. */
export const commandOf = (s: State): string | null => {
  const kind = kindOf(s)
  if (kind === 'nothing' || kind === 'verdict') return null
  const isLaunched = kind === 'module' || kind === 'ptx'
  const argWords = Object.entries(words(s)).map(([name, word]) => `${name}=${word}`)
  const setWords = s.set.split(/\s+/).filter((word) => word.includes('='))
  const all = [
    'check',
    kind === 'kernel' ? s.kernel : s.name,
    ...(kind === 'kernel' && setWords.length > 0 ? ['--set', ...setWords] : []),
    ...(isLaunched && s.launch !== '' ? ['--launch', 'launch.json'] : []),
    ...(isLaunched && s.grid !== '' ? ['--grid', s.grid] : []),
    ...(kind === 'module' && s.level !== '' ? ['--level', s.level] : []),
    ...(kind === 'ptx' ? Object.entries(ptxWords(s)).flatMap(([name, word]) => [`--${name}`, word]) : []),
    ...(isLaunched && argWords.length > 0 ? ['--arg', ...argWords] : []),
    ...(s.computes === '' || kind === 'kernel' || kind === 'trace' || kind === 'ptx'
      ? []
      : ['--computes', s.computes]),
    ...(kind === 'trace' ? [] : s.without.flatMap((label) => ['--without', label])),
    ...(kind === 'trace' ? [] : s.mend.flatMap((n) => ['--mend', String(n)])),
    ...(s.schedule === '' || kind === 'trace' ? [] : ['--schedule', s.schedule]),
    ...(s.explore && kind !== 'trace' ? ['--explore'] : []),
    ...(s.strict ? ['--strict'] : []),
    ...(s.strictProxies ? ['--strict-proxies'] : []),
    ...(s.tensorPipe === '' ? [] : ['--tensor-pipe', s.tensorPipe]),
  ]
  return `tcspec ${all.map(quoted).join(' ')}`
}

/** What `view` is asked for the run of the same: null where there is none, of a trace and of a verdict that was brought. */
export const runQuestionOf = (s: State): unknown => {
  const question = kindOf(s) === 'trace' ? null : questionOf(s)
  return isMembers(question)
    ? // a run is one of the module
      Object.fromEntries(Object.entries(question).filter(([name]) => name !== 'printed' && name !== 'level'))
    : null
}
