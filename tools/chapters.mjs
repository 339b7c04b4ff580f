// The library as chapters, so that a reader loads what the question asks for (site/src/machine/shelf.ts opens them).
//
// rolldown splits the library by folders, as modules of CommonJS. Each becomes a script that hands its body to a shelf, and each import of a chapter that
// is not always there names what it exports, so that the import alone opens nothing. Which chapters a question reaches for is not written down: sample
// questions are asked of the result, and the page loads ahead what they reached for. A page whose list is wrong is slower, and answers the same.
import { atob, btoa } from 'node:buffer'
import { setTimeout } from 'node:timers'
import { TextDecoder, TextEncoder } from 'node:util'
import * as vm from 'node:vm'

/** The first that fits has a module. A module that is no more than a table or a type is where it is read most. */
const folders = [
  ['worker', /site\/src\/machine\/worker\.ts/],
  [
    'mutants',
    /src\/(dialects\/\w+\/mutants(?!\/(absent|sites|kinds|labels)\.)|semantics\/(mutation|mending\/(candidates|where))|oracle\/cli\/(mutants|commands\/mutate)\b)/,
  ],
  ['kernels', /src\/kernels\/(attention|blackwell|hopper|broken|catalogue|traffic)\//],
  [
    'ptx',
    /src\/(dialects\/ptx|semantics\/warps|oracle\/launch\/(ptx(-text|-called|-described|-guess|)\.|without-ptx)|oracle\/cli\/(on-scalars|mending-ptx))/,
  ],
  ['ttgir', /src\/dialects\/ttgir/],
  ['jaxpr', /src\/dialects\/jaxpr/],
  ['pallas', /src\/dialects\/(pallas|cutlass|mojo)/],
  ['ttng', /src\/dialects\/ttng/],
  [
    'litmus',
    /src\/(dialects\/litmus|semantics\/(model|axioms)|render\/litmus|oracle\/cli\/commands\/litmus)/,
  ],
  ['recording', /src\/(render\/(recording|timeline)|oracle\/cli\/(running\.|commands\/(view|trace)\.))/],
  [
    'tools',
    /src\/(oracle\/cli\/(commands\/(?!index|check|kernels)|layouts|linears|run\/)|render\/(banks|cells|cute|linear|memory|register-layout|swizzle|tensor-memory|visiting-order|grid)|oracle\/cute)/,
  ],
  ['searches', /src\/semantics\/schedules\/(explore|outcomes)\/(?!index|model)/],
  ['traces', /src\/semantics\/files\/trace\//],
  ['proofs', /src\/semantics\/judging\/provenance\/(?!index)/],
  ['host', /src\/(oracle\/host|semantics\/host)\//],
  ['reports', /node_modules\/xmlbuilder|src\/oracle\/cli\/host-files\./],
  ['ground', /^\0|node_modules|src\/([^/]*$|numerics|layouts|transforms)/],
  ['core', /src\//],
]
/** Chapters that a worker begins with. */
export const start = ['runtime', 'ground', 'core', 'worker']

/** What rolldown is told. */
export const splitting = {
  groups: folders.map(([name, test], k) => ({
    name,
    test,
    priority: folders.length - k,
    minSize: 0,
    includeDependenciesRecursively: false,
  })),
}

const nameOf = (file) => file.replace(/^.*\//, '').replace(/\.js$/, '').replace('rolldown-runtime', 'runtime')

/** Chunks of rolldown's output as chapters: names and texts. */
export const chaptersOf = (output) => {
  const chunks = output.filter(({ type }) => type === 'chunk')
  const exported = new Map(chunks.map(({ fileName, exports }) => [nameOf(fileName), exports]))
  return chunks.map(({ fileName, code, dynamicImports }) => {
    let dynamic = 0
    const body = code
      .replace(/Promise\.resolve\(\)\.then\(\(\)\s*=>\s*require\((["'`])([^"'`]+)\1\)\)/g, (_, __, file) => {
        dynamic++
        return `load(${JSON.stringify(nameOf(file))})`
      })
      .replace(/\brequire\((["'`])(\.[^"'`]+)\1\)/g, (_, __, file) => {
        const name = nameOf(file)
        return start.includes(name)
          ? `require(${JSON.stringify(name)})`
          : `require(${JSON.stringify(name)},${JSON.stringify(exported.get(name).join())})`
      })
    if (dynamic < dynamicImports.length)
      throw new Error(`${fileName}: expected ${dynamicImports.length} dynamic imports, found ${dynamic}`)
    const name = nameOf(fileName)
    return [name, `tcspecChapter(${JSON.stringify(name)},function(exports,require,load){${body}\n})\n`]
  })
}

/** A question to a worker that has the chapters of the start: what it says, and the chapters that it has asked for. */
export const asked = async (chapters, shelf, method, params) => {
  const texts = new Map(chapters)
  const wanted = []
  const listeners = []
  const tell = (data) => {
    for (const listener of listeners) listener({ data })
  }
  const said = await new Promise((resolve) => {
    const context = vm.createContext({
      performance,
      console,
      TextEncoder,
      TextDecoder,
      atob,
      btoa,
      setTimeout,
      addEventListener: (_, listener) => listeners.push(listener),
      postMessage: (message) => {
        if (message._tag === 'wants') {
          wanted.push(...message.chapters)
          const came = message.chapters.map((name) => ({ text: () => Promise.resolve(texts.get(name)) }))
          setTimeout(() => tell({ _tag: 'chapters', texts: came }), 0)
        } else if (message._tag === 'answer' || message._tag === 'refused') resolve(message)
      },
    })
    const first = start.map((name) => texts.get(name)).join('\n')
    vm.runInContext(`const open=(${shelf})();${first};open("worker")`, context)
    tell({ number: 1, method, params })
  })
  if (said._tag === 'refused') throw new Error(`${method}: ${said.refused.message}`)
  return { said, wanted }
}

/** By the words of a question: chapters, besides those of the start, that such questions reach for. */
export const reached = async (chapters, shelf, questions) => {
  const ahead = {}
  for (const [words, method, params] of questions) {
    const { wanted } = await asked(chapters, shelf, method, params)
    ahead[words] = [...new Set([...(ahead[words] ?? []), ...wanted])]
  }
  return ahead
}
