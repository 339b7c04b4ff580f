/**
 * The text of a module as a list of its operations, and the calls of a transliteration as such a list: so they can be compared.
 *
 * An operation is its name, what its result is called, and what its operands are called, in any order. Results of loops and of other
 * operations with several are called by place, `acc_61#2`. The ends of regions are operations: what is yielded are their operands.
 *
 * Calls are recorded from outside: every function of the surface is wrapped, and what it gives is known by identity.
 */
import * as B from '../../src/semantics/writing/builder.js'
import type * as Ttng from '../../src/dialects/ttng/index.js'

export interface Operation {
  /** as in the text, without the dialect: `memdesc_index` */
  readonly operation: string
  /** null: none */
  readonly result: string | null
  /** sorted */
  readonly operands: ReadonlyArray<string>
  /** numbers that the operation says, sorted */
  readonly numbers: ReadonlyArray<number>
}

// ---------------------------------------------------------------- the text

/** Operations of which the numbers are compared, too. */
const counted = new Set([
  'init_barrier',
  'arrive_barrier',
  'barrier_expect',
  'async_wait',
  'async_tma_store_wait',
  'warp_group_dot_wait',
  'make_range',
  'expand_dims',
  'global_scratch_alloc',
  'tensormap_create',
])

const integers = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/(?<![\w%#.-])-?\d+(?![\w.])/g)].map(([n]) => Number(n)).sort((a, b) => a - b)

const names = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/%([\w-]+(?:#\d+)?)/g)].map(([, name]) => name!)

/** Every operation of the module in its order; not those inside of a reduction, which are its combination. */
export const operationsOf = (module: string): ReadonlyArray<Operation> => {
  const lines = module.split('\n').map((line) => line.trim().replace(/ \{ttg\.partition[^}]*\}/, ''))
  const found: Operation[] = []
  const constants = new Map<string, number>()
  let inReduction = false
  let from = lines.findIndex((line) => line.startsWith('tt.func')) + 1
  for (; from < lines.length; from++) {
    const line = lines[from]!
    if (inReduction) {
      inReduction = !line.startsWith('})')
      continue
    }
    const match = /^(?:%([\w-]+)(?::\d+)? = )?"?(\w+\.\w+)"?(.*)$/.exec(line)
    if (match === null || line.startsWith('tt.return')) continue
    const [, result = null, full, rest = ''] = match
    const operation = full!.split('.')[1]!
    if (operation === 'reduce') inReduction = true
    const end = operation === 'for' ? rest.indexOf(' -> ') : rest.search(/ : (?!i32)/)
    const said = end < 0 ? rest : rest.slice(0, end)
    if (operation === 'constant') constants.set(result!, Number(/ (-?\d+)/.exec(said)?.[1]))
    // of a loop: not the names that it binds; of a tensor map: not the constants, which are numbers here
    let operands = names(
      operation === 'for' ? said.replaceAll(/(%[\w-]+) =/g, '') : said.replace(/ attributes .*/, ''),
    )
    let numbers = counted.has(operation) ? integers(said.replaceAll(/: i32/g, '')) : []
    if (operation === 'tensormap_create') {
      const lists = [...said.matchAll(/\[(.*?)\]/g)].map(([, list]) => names(list!))
      const [box = [], , , strides = []] = lists
      const fixed = [...box, ...strides]
      operands = [...names(said.slice(0, said.indexOf('['))), ...lists.slice(1, 3).flat()]
      numbers = [...numbers, ...fixed.map((name) => constants.get(name)!)].sort((a, b) => a - b)
    }
    found.push({ operation, result, operands: [...operands].sort(), numbers })
  }
  return found
}

// ---------------------------------------------------------------- the calls

const textual = (name: string): string =>
  name === 'scfFor' ? 'for' : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
/** `tcGen5Mma` is `tc_gen5_mma`; what is not an operation of the text. */
const frame = new Set([
  'module',
  'func',
  'scalarArg',
  'ptrArg',
  'tensordescArg',
  'layoutOf',
  'inFlight',
  'tcgen5GlobalAlloc',
  'tcgen5GlobalDealloc',
])

type Callable = (...args: ReadonlyArray<unknown>) => unknown
const isFunction = (value: unknown): value is Callable => typeof value === 'function'
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** A surface that writes down what is called, and the list. */
export const recording = (
  surface: typeof Ttng,
): { readonly surface: typeof Ttng; readonly calls: Operation[] } => {
  const calls: Operation[] = []
  const known = new Map<unknown, string>()
  const know = (value: unknown, name: string): void => {
    if (isObject(value)) known.set(value, name)
  }
  const operandsIn = (value: unknown): ReadonlyArray<string> => {
    const name = known.get(value)
    if (name !== undefined) return [name]
    return isObject(value) && !('agents' in value) && !('inputs' in value)
      ? Object.values(value).flatMap(operandsIn)
      : []
  }
  const numbersIn = (value: unknown): ReadonlyArray<number> =>
    known.has(value)
      ? []
      : typeof value === 'number'
        ? [value]
        : isObject(value) && !('_tag' in value) && !('agents' in value)
          ? Object.values(value).flatMap(numbersIn)
          : []
  const call = (name: string, result: string | null, args: ReadonlyArray<unknown>): number =>
    calls.push({
      operation: textual(name),
      result,
      operands: [...operandsIn(args)].sort(),
      numbers: counted.has(textual(name)) ? [...numbersIn(args)].sort((a, b) => a - b) : [],
    }) - 1
  /** The body with its parameters known, and what it yields as an operation. */
  const region = (body: Callable, end: string, bind: (args: ReadonlyArray<unknown>) => void): Callable =>
    function* (...args: ReadonlyArray<unknown>): Generator<B.Step, unknown, B.State> {
      bind(args)
      const yielded = yield* body(...args) as B.Steps<unknown>
      calls.push({ operation: end, result: null, operands: [...operandsIn(yielded)].sort(), numbers: [] })
      return yielded
    }
  const record = (args: unknown, names: unknown): void => {
    if (isObject(args) && isObject(names)) for (const key of Object.keys(names)) know(args[key], key)
  }

  const wrapped = Object.entries(surface).map(([name, operation]): readonly [string, unknown] => {
    if (!isFunction(operation) || name === 'module' || name === 'func') return [name, operation]
    return [
      name,
      (label: string, ...args: ReadonlyArray<unknown>) =>
        B.block(function* () {
          if (frame.has(name)) {
            const made = yield* operation(label, ...args) as B.Build<unknown>
            if (name === 'inFlight') know(made, known.get(args[0]) ?? label)
            else if (name === 'tensordescArg' && isObject(made)) know(made['desc'], label)
            else if (name.endsWith('Arg')) know(made, label)
            return made
          }
          if (name === 'scfFor') {
            const [options, body] = args
            const iterArgs = isObject(options) ? options['iterArgs'] : {}
            const at = call(name, label, [options])
            const results = yield* operation(
              label,
              options,
              region(body as Callable, 'yield', ([index, carried]) => {
                know(index, label)
                record(carried, iterArgs)
              }),
            ) as B.Build<unknown>
            if (isObject(results))
              Object.values(results).forEach((r, k) => know(r, `@${String(at)}#${String(k)}`))
            return results
          }
          if (name === 'warpSpecialize') {
            const [module, regions] = args as [unknown, Parameters<typeof Ttng.warpSpecialize>[2]]
            const at = call(name, label, [regions.operands])
            const results = yield* operation(label, module, {
              operands: regions.operands,
              default: {
                captures: regions.default.captures,
                body: region(regions.default.body as Callable, 'warp_yield', ([captured]) => {
                  // under the names that they have outside
                  for (const [key, value] of Object.entries(regions.default.captures))
                    if (isObject(captured)) know(captured[key], known.get(value) ?? key)
                }),
              },
              partitions: regions.partitions.map((body) =>
                region(body as Callable, 'warp_return', ([given]) => record(given, regions.operands)),
              ),
            }) as B.Build<unknown>
            if (isObject(results))
              Object.values(results).forEach((r, k) => know(r, `@${String(at)}#${String(k)}`))
            return results
          }
          const at = call(name, label, args)
          const made = yield* operation(label, ...args) as B.Build<unknown>
          if (isObject(made) && 'result' in made) know(made['result'], label)
          else if (Array.isArray(made))
            made.forEach((one, k) => know(one, made.length === 1 ? label : `@${String(at)}#${String(k)}`))
          else if (isObject(made) && 'acquired' in made) know(made, operandsIn(args)[0] ?? label)
          else know(made, label)
          return made
        }),
    ]
  })
  return { surface: Object.fromEntries(wrapped) as typeof Ttng, calls }
}

// ---------------------------------------------------------------- one against the other

/** Both lists with results called by the place of their operation, so that they are the same if the module is. */
export const comparable = (
  text: ReadonlyArray<Operation>,
  calls: ReadonlyArray<Operation>,
): readonly [text: ReadonlyArray<unknown>, calls: ReadonlyArray<unknown>] => {
  // the text says `acc_61#2`, the calls `@k#2`, where k is the latest operation with that result
  const places = new Map<string, number>()
  const placed = text.map(({ operation, result, operands, numbers }, k) => {
    const renamed = operands.map((name) => {
      const [base, place] = name.split('#')
      return place === undefined ? name : `@${String(places.get(base!))}#${place}`
    })
    if (result !== null) places.set(result, k)
    return {
      operation,
      result: operation === 'for' || operation === 'warp_specialize' ? null : result,
      operands: renamed.sort(),
      numbers,
    }
  })
  const made = calls.map(({ operation, result, operands, numbers }, k) => ({
    operation,
    // a call without a result in the text has a label all the same
    result: placed[k]?.result === null ? null : result,
    operands,
    numbers,
  }))
  return [placed, made]
}
