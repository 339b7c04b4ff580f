/**
 * What a launch of a program is given: its kernel, its parameters with the addresses of memories, and all memory that a kernel may reach.
 *
 * What the arguments call a tensor is the memory of that name; where there is none it is made as by a launch file.
 *
 * Law 1. Parameters as bytes and parameters as arguments, laid out, come to the same launch.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Failure, refuse } from '../../failure.js'
import { own } from '../../own.js'
import type { Elaborated } from '../../dialects/ptx/elaboration/elaborate.js'
import { shownName } from '../../dialects/ptx/names/itanium.js'
import { contentsOf, usualSharedBase, type WarpArguments } from '../../semantics/execution/launch-warps.js'
import { beside, inFile } from '../launch/beside.js'
import { decodePtxLaunch, type PtxArgument, type PtxLaunch, type PtxTensor } from '../launch/ptx-file.js'
import { layArgument, type Laying } from '../launch/ptx-parameters.js'
import { filesInLaunch, heldTensor, together } from '../launch/ptx-tensors.js'
import { fieldsOf, tensorOf } from '../launch/ptx-maps.js'
import { asText } from '../tensor-files/files.js'
import type { Launch } from './file.js'
import { held, memory, withBytes } from './memory.js'
import type { Loaded, Modules } from './modules.js'
import type { Host, Performing, Step } from './state.js'
import { numberOf, pointing, resolved, withMemory, withVariables } from './places.js'

const hexBytes = (text: string): Uint8Array | null =>
  /^([0-9a-f]{2})*$/iu.test(text)
    ? Uint8Array.from({ length: text.length / 2 }, (_, i) =>
        Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
      )
    : null

export interface Ready {
  readonly host: Host
  readonly loaded: Loaded
  readonly elaborated: Elaborated
  readonly launch: PtxLaunch
  readonly arguments: WarpArguments
}

/** Parameters as the kernel declares them. */
const laidOut = (
  { program, parameters }: Elaborated,
  { sizes }: Pick<Launch, 'sizes'>,
  bytes: Uint8Array,
): Uint8Array => {
  if (sizes === undefined) return bytes
  const out = new Uint8Array(program.parameterBytes)
  let from = 0
  for (const { offset, bytes: size } of parameters) {
    out.set(bytes.subarray(from, from + size), offset)
    from += size
  }
  return out
}

/** Memory for what the arguments call a tensor and nothing has made. */
const withTensors = (
  p: Performing,
  h: Host,
  launch: PtxLaunch,
  tensors: ReadonlyArray<PtxTensor>,
  where: string,
  now: number,
): Step =>
  together(tensors).reduce<Step>(
    (before, t, i) =>
      pipe(
        before,
        E.chain((next) =>
          next.memories.has(t.tensor) || t.symbol !== undefined
            ? E.right(next)
            : pipe(
                heldTensor(p.files, where, launch)(t, filesInLaunch(where, launch, t), i),
                E.map(({ given, whole: { dtype, shape }, expected }) =>
                  withMemory(
                    next,
                    memory(t.tensor, numberOf(next), 'device', given.bytes, contentsOf(given), now, null, {
                      dtype,
                      shape,
                      expected,
                    }),
                  ),
                ),
              ),
        ),
      ),
    E.right(h),
  )

const launchIn = (p: Performing, o: Launch): E.Either<Failure, readonly [PtxLaunch, string]> =>
  typeof o.launch !== 'string'
    ? E.right([o.launch, p.where])
    : pipe(
        p.files.read(beside(p.where, o.launch))(),
        E.chainW(asText(o.launch)),
        E.chainW(decodePtxLaunch),
        E.bimap(inFile(o.launch), (l) => [l, beside(p.where, String(o.launch))] as const),
      )

export const ready = (
  p: Performing,
  modules: Modules,
  h: Host,
  now: number,
  o: Launch,
): E.Either<Failure, Ready> =>
  pipe(
    E.Do,
    E.bindW('loaded', () => modules.named(o.module)),
    E.bindW('said', () => launchIn(p, o)),
    E.bindW('elaborated', ({ loaded, said: [launch] }) => modules.entry(loaded, launch.kernel ?? null)),
    E.chainW(({ loaded, said: [launch, where], elaborated }) => {
      const { program, parameters } = elaborated
      const withSymbols = withVariables(h, loaded.path, program.variables, now)
      const laying: Laying = {
        bytes: new Uint8Array(program.parameterBytes),
        pointers: [],
        maps: [],
        tensors: [],
      }
      const raw = o.parameters === undefined ? null : hexBytes(o.parameters)
      if (o.parameters !== undefined) {
        const sizes = o.sizes ?? [program.parameterBytes]
        const expected = o.sizes === undefined ? sizes : parameters.map(({ bytes }) => bytes)
        if (raw?.length !== sizes.reduce((n, size) => n + size, 0) || sizes.join() !== expected.join())
          return refuse(
            'launch.parameters',
            `parameters: expected ${expected.join(' + ')} bytes in hexadecimal, found ${o.sizes === undefined ? '' : `${sizes.join(' + ')} and `}${String(o.parameters.length / 2)}`,
          )
      } else {
        const isList = (a: PtxLaunch['args']): a is ReadonlyArray<PtxArgument> => Array.isArray(a)
        const { args } = launch
        const list: ReadonlyArray<PtxArgument | undefined> = isList(args)
          ? args
          : parameters.map(({ name }) => own(args, name))
        if (list.length !== parameters.length || list.includes(undefined))
          return refuse(
            'launch.arguments',
            `${shownName(program.name)}: expected ${String(parameters.length)} arguments (${parameters.map(({ name }) => name).join(', ')}), found ${String(list.filter((a) => a !== undefined).length)}`,
          )
        for (const [i, parameter] of parameters.entries()) {
          const argument = list[i]
          const bad = argument === undefined ? null : layArgument(laying, parameter, argument)
          if (bad !== null) return E.left(bad)
        }
      }
      const globals = launch.globals ?? []
      const block = launch.block ?? program.threads
      if (block === null)
        return refuse('launch.block', `${shownName(program.name)}: expected a block, found none`)
      return pipe(
        withTensors(
          p,
          withSymbols,
          launch,
          // a pointer to the object of a map is made with the map
          [
            ...laying.tensors.filter((t) => !laying.maps.some(({ into }) => into === t.tensor)),
            ...globals.flatMap((g) => (g.kind === 'tensormap' ? [tensorOf(g)] : [])),
          ],
          where,
          now,
        ),
        E.chain((made) => globalsSet(p, made, loaded.path, launch, where, now)),
        E.chain((made) => resolved(made, laying, now)),
        E.chain(([bytes, made]) =>
          E.map((all: Uint8Array) => [raw === null ? all : laidOut(elaborated, o, all), made] as const)(
            pointing(made, raw ?? bytes, o),
          ),
        ),
        E.map(([bytes, made]): Ready => ({
          host: made,
          loaded,
          elaborated,
          launch: Object.assign({}, launch, { block }),
          arguments: {
            grid: launch.grid,
            block,
            cluster: launch.cluster ?? null,
            dynamicBytes: launch.shared ?? 0,
            parameters: bytes,
            pointers: [],
            tensors: [],
            held: [...made.memories.values()].map((m) => held(m, loaded.path)),
            sharedBase: usualSharedBase,
          },
        })),
      )
    }),
  )

/** Variables of the module that the launch fills, or compares behind it. */
const globalsSet = (
  p: Performing,
  h: Host,
  path: string,
  launch: PtxLaunch,
  where: string,
  now: number,
): Step =>
  (launch.globals ?? []).reduce<Step>(
    (before, g, i) =>
      pipe(
        before,
        E.chain((next): Step => {
          const m = [...next.memories.values()].find(
            ({ symbol }) => symbol?.module === path && symbol.name === g.symbol,
          )
          if (m === undefined)
            return refuse('launch.symbol', `${g.tensor}: the module has no variable ${g.symbol ?? g.tensor}`)
          if (g.kind === 'tensormap') {
            const fields = fieldsOf(g.tensor, g)
            if (!('elements' in fields)) return E.left(fields)
            const laying: Laying = {
              bytes: new Uint8Array(m.bytes),
              pointers: [],
              maps: [{ into: null, offset: 0, tensor: g.tensor, fields }],
              tensors: [],
            }
            return pipe(
              resolved(next, laying, now),
              E.map(([bytes, then]) => withMemory(then, withBytes(m, 0, bytes))),
            )
          }
          return pipe(
            heldTensor(p.files, where, launch)(g, filesInLaunch(where, launch, g), i),
            E.chain(({ given, whole: { dtype, shape }, expected }): Step => {
              const held = contentsOf(given)
              return given.bytes !== m.bytes
                ? refuse(
                    'launch.symbol',
                    `${m.name}: expected ${String(m.bytes)} bytes, found ${String(given.bytes)} of ${g.tensor}`,
                  )
                : E.right(
                    withMemory(
                      next,
                      Object.assign({}, held === null ? m : withBytes(m, 0, held), {
                        tensor: { dtype, shape, expected },
                      }),
                    ),
                  )
            }),
          )
        }),
      ),
    E.right(h),
  )
