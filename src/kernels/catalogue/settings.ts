/** What is given: settings by name and inputs by their shapes, as far as they agree. Law 4 of the catalogue lives here. */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import { meant } from '../../nearest.js'
import {
  bad,
  type Input,
  type Instance,
  type Kernel,
  type Parameter,
  type Settings,
  type SettingValue,
} from './model.js'

const show = (shape: ReadonlyArray<number>): string =>
  shape.length === 1 ? `(${String(shape[0])},)` : `(${shape.join(', ')})`

/** A number is what the kernel computes with: an i32. */
const expectedOf = (p: Parameter, found: SettingValue): string =>
  p.choices !== undefined
    ? p.choices.join('|')
    : typeof p.default === 'number'
      ? Number.isInteger(found)
        ? 'an integer of 32 bits'
        : 'an integer'
      : typeof p.default === 'boolean'
        ? 'true|false'
        : 'a word'

const right = (p: Parameter, value: SettingValue): boolean =>
  p.choices !== undefined
    ? p.choices.some((c) => c === value)
    : typeof p.default === 'number'
      ? typeof value === 'number' && (value | 0) === value
      : typeof p.default === typeof value

const checkKinds = (kernel: Kernel, given: Settings): E.Either<Failure, Settings> => {
  for (const [name, value] of Object.entries(given)) {
    const p = kernel.parameters.find((q) => q.name === name)
    if (p === undefined)
      return bad(
        kernel.name,
        `unknown setting '${name}'; known settings: ${kernel.parameters.map((q) => q.name).join(', ')}${meant(kernel.parameters.map((q) => q.name))(name)}`,
      )
    if (!right(p, value))
      return bad(kernel.name, `${name}: expected ${expectedOf(p, value)}, found '${String(value)}'`)
  }
  return E.right(given)
}

/** A setting, and who says so. */
interface Said {
  readonly value: SettingValue
  readonly by: string
}

/** The given settings, and those that follow from the shapes and dtypes of the inputs, if they agree. All
 * have the right kind. */
export const settingsOf = (
  kernel: Kernel,
  given: Settings,
  inputs: ReadonlyArray<Input>,
): E.Either<Failure, Settings> =>
  pipe(
    checkKinds(kernel, given),
    E.chain(() => {
      const said = new Map<string, Said>(
        Object.entries(given).map(([name, value]) => [name, { value, by: 'the setting' }]),
      )
      const say = (name: string, value: SettingValue, by: string): Failure | null => {
        const before = said.get(name)
        if (before === undefined) said.set(name, { value, by })
        return before === undefined || before.value === value
          ? null
          : failure(
              'kernel.settings',
              `${kernel.name}: ${name} is ${String(before.value)} by ${before.by}, but ${String(value)} by ${by}`,
            )
      }
      const dtypes = kernel.parameters.find((p) => p.name === kernel.dtype)?.choices ?? []
      for (const input of inputs) {
        const role = kernel.tensors.find((t) => t.name === input.name && t.role === 'in')
        if (role === undefined)
          return bad(
            kernel.name,
            `no input '${input.name}' (${input.source}); inputs: ${kernel.tensors
              .filter((t) => t.role === 'in')
              .map((t) => t.name)
              .join(', ')}`,
          )
        const by = `${input.source} of shape ${show(input.shape)}`
        if (input.shape.length !== role.axes.length)
          return bad(
            kernel.name,
            `${input.source}: expected ${input.name} of shape (${role.axes.join(', ')}), found shape ${show(input.shape)}`,
          )
        if (dtypes.length > 0 && !dtypes.includes(input.dtype))
          return bad(
            kernel.name,
            `${input.source}: expected elements of ${dtypes.join(' or ')}, found ${input.dtype}`,
          )
        const conflict = role.axes.reduce<Failure | null>(
          (found, axis, d) => found ?? say(axis, input.shape[d]!, by),
          say(kernel.dtype, input.dtype, `${input.source} of dtype ${input.dtype}`),
        )
        if (conflict !== null) return E.left(conflict)
      }
      return E.right(Object.fromEntries([...said].map(([name, { value }]) => [name, value] as const)))
    }),
  )

/** Products of settings are constants of the program, which are of 32 bits as well. */
const tooLarge =
  (kernel: Kernel) =>
  (f: Failure): Failure =>
    f.code === 'type.constant'
      ? failure('kernel.settings', `${kernel.name}: the settings are too large together: ${f.message}`)
      : f

/**
 * The program for what is given: settings by name, and the inputs that are brought.
 *
 * @example
 * ```ts
 * import { instanceOf, kernelNamed } from 'tensorcore-spec/kernels'
 * import * as E from 'fp-ts/lib/Either.js'
 * import { pipe } from 'fp-ts/lib/function.js'
 *
 * const made = pipe(
 *   kernelNamed('hopper-matmul'),
 *   E.chainW((kernel) => instanceOf(kernel, { m: 128, n: 128, k: 64 }, [])),
 * )
 * console.log(E.isRight(made) ? made.right.settings['k'] : made.left.message) // 64
 * ```
 */
export const instanceOf = (
  kernel: Kernel,
  given: Settings,
  inputs: ReadonlyArray<Input>,
): E.Either<Failure, Instance> =>
  pipe(settingsOf(kernel, given, inputs), E.chain(kernel.make), E.mapLeft(tooLarge(kernel)))
