/**
 * Encodings: from the attribute of a text to the layout that it names (`layouts/triton/encoding.ts`).
 *
 *     #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
 *     #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
 *
 * | attribute                                                  | encoding                |
 * |------------------------------------------------------------|-------------------------|
 * | `ttg.blocked`, `slice`, `nvidia_mma`, `dot_op`, `linear`   | of tensors in registers |
 * | `ttg.swizzled_shared`, `nvmma_shared`, `shared_linear`     | of shared memory        |
 * | `ttng.tensor_memory_encoding`, `tensor_memory_scales_encoding` | of tensor memory    |
 *
 * `CGALayout` is one row for each bit of a CTA's rank; without it a CTA has all.
 *
 * Source: Triton 3.6, attributes of the TritonGPU and TritonNvidiaGPU dialects.
 */
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../../failure.js'
import { linearLayoutInferred } from '../../../layouts/linear/linear-layout.js'
import {
  encoding as checkEncoding,
  type Blocked,
  type DistributedSpec,
  type EncodingSpec,
  type NvidiaMma,
  type SharedSpec,
  type TensorMemorySpec,
} from '../../../layouts/triton/encoding.js'
import { rememberedBy } from '../../../remembered.js'
import { showAttribute } from '../text/show.js'
import { attributeOf, definitionOf, type Attribute, type Dictionary, type Module } from '../text/syntax.js'

// ---------------------------------------------------------------- numbers

type Read<A> = E.Either<Failure, A>

const wrong = (expected: string, found: Attribute | undefined): Read<never> =>
  E.left(
    failure(
      'ttgir.encoding',
      `expected ${expected}, found ${found === undefined ? 'nothing' : showAttribute(found)}`,
    ),
  )

/** What an attribute is, aliases resolved; the reader has seen that they are there and stand for something else. */
export const resolved = (m: Module, a: Attribute): Attribute => {
  if (a._tag !== 'alias') return a
  const definition = definitionOf(m, a.name)
  return definition?.attribute == null ? a : resolved(m, definition.attribute)
}

const number = (entries: Dictionary, name: string, instead?: number): Read<number> => {
  const a = attributeOf(entries, name)
  return a?._tag === 'integer'
    ? E.right(Number(a.value))
    : a === undefined && instead !== undefined
      ? E.right(instead)
      : wrong(`${name} = a number`, a)
}
const flag = (entries: Dictionary, name: string): Read<boolean> => {
  const a = attributeOf(entries, name)
  return a === undefined
    ? E.right(false)
    : a._tag === 'boolean'
      ? E.right(a.value)
      : wrong(`${name} = true or false`, a)
}

const numbersIn = (a: Attribute): ReadonlyArray<number> | null => {
  if (a._tag !== 'list') return null
  const found = a.items.flatMap((item) => (item._tag === 'integer' ? [Number(item.value)] : []))
  return found.length === a.items.length ? found : null
}
const list = (entries: Dictionary, name: string): Read<ReadonlyArray<number>> => {
  const a = attributeOf(entries, name)
  const found = a === undefined ? null : numbersIn(a)
  return found === null ? wrong(`${name} = a list of numbers`, a) : E.right(found)
}
/** Rows of numbers; none if nothing is said. */
const rows = (entries: Dictionary, name: string): Read<ReadonlyArray<ReadonlyArray<number>>> => {
  const a = attributeOf(entries, name)
  if (a === undefined) return E.right([])
  if (a._tag !== 'list') return wrong(`${name} = rows of numbers`, a)
  const found = a.items.flatMap((item) => {
    const row = numbersIn(item)
    return row === null ? [] : [row]
  })
  return found.length === a.items.length ? E.right(found) : wrong(`${name} = rows of numbers`, a)
}

// ---------------------------------------------------------------- encodings

const blocks = (entries: Dictionary): Read<{ readonly cgaBases?: ReadonlyArray<ReadonlyArray<number>> }> =>
  pipe(
    rows(entries, 'CGALayout'),
    E.map((cgaBases) => (cgaBases.length === 0 ? {} : { cgaBases })),
  )

const names = (rank: number): ReadonlyArray<string> =>
  Array.from({ length: rank }, (_, d) => `dim${String(d)}`)

const together = sequenceS(E.Apply)

const linear = (entries: Dictionary): Read<DistributedSpec> =>
  pipe(
    together({
      register: rows(entries, 'register'),
      lane: rows(entries, 'lane'),
      warp: rows(entries, 'warp'),
      block: rows(entries, 'block'),
    }),
    E.chainW((bases) => {
      const inputs = Object.entries(bases).map(([name, of]) => ({ name, bases: of }))
      const rank = inputs.flatMap((input) => input.bases)[0]?.length ?? 0
      return linearLayoutInferred(inputs, names(rank))
    }),
    E.map((layout) => ({ _tag: 'linear', layout })),
  )

const distributed = (m: Module, name: string, of: Dictionary): Read<DistributedSpec> | null => {
  switch (name) {
    case 'ttg.blocked':
      return pipe(
        together({
          sizePerThread: list(of, 'sizePerThread'),
          threadsPerWarp: list(of, 'threadsPerWarp'),
          warpsPerCTA: list(of, 'warpsPerCTA'),
          order: list(of, 'order'),
          cga: blocks(of),
        }),
        E.map(({ cga, ...lists }): Blocked => ({ _tag: 'blocked', ...lists, ...cga })),
      )
    case 'ttg.slice':
      return pipe(
        together({ dim: number(of, 'dim'), parent: parentOf(m, of) }),
        E.map(({ dim, parent }) => ({ _tag: 'slice', dim, parent })),
      )
    case 'ttg.nvidia_mma':
      return pipe(
        together({
          major: number(of, 'versionMajor'),
          versionMinor: number(of, 'versionMinor', 0),
          warpsPerCTA: list(of, 'warpsPerCTA'),
          instrShape: list(of, 'instrShape'),
          cga: blocks(of),
        }),
        E.chain(({ major, versionMinor, warpsPerCTA, instrShape, cga }): Read<NvidiaMma> =>
          major === 2 || major === 3
            ? E.right({
                _tag: 'nvidia_mma',
                versionMajor: major,
                versionMinor,
                warpsPerCTA,
                instrShape,
                ...cga,
              })
            : wrong('versionMajor = 2 or 3', attributeOf(of, 'versionMajor')),
        ),
      )
    case 'ttg.dot_op':
      return pipe(
        together({ opIdx: number(of, 'opIdx'), kWidth: number(of, 'kWidth', 0), parent: parentOf(m, of) }),
        E.chain(({ opIdx, kWidth, parent }): Read<DistributedSpec> =>
          (opIdx === 0 || opIdx === 1) && (parent._tag === 'nvidia_mma' || parent._tag === 'blocked')
            ? E.right({ _tag: 'dot_operand', opIdx, kWidth, parent })
            : wrong('operand 0 or 1 of an nvidia_mma or a blocked parent', attributeOf(of, 'parent')),
        ),
      )
    case 'ttg.linear':
      return linear(of)
  }
  return null
}

const shared = (name: string, of: Dictionary): Read<SharedSpec> | null => {
  switch (name) {
    case 'ttg.swizzled_shared':
      return pipe(
        together({
          vec: number(of, 'vec'),
          perPhase: number(of, 'perPhase'),
          maxPhase: number(of, 'maxPhase'),
          order: list(of, 'order'),
          cga: blocks(of),
        }),
        E.map(({ cga, ...numbers }) => ({ _tag: 'swizzled_shared', ...numbers, ...cga })),
      )
    case 'ttg.nvmma_shared':
      return pipe(
        together({
          swizzlingByteWidth: number(of, 'swizzlingByteWidth'),
          transposed: flag(of, 'transposed'),
          elementBitWidth: number(of, 'elementBitWidth'),
          fp4Padded: flag(of, 'fp4Padded'),
          cga: blocks(of),
        }),
        E.map(({ cga, ...numbers }) => ({ _tag: 'nvmma_shared', ...numbers, ...cga })),
      )
    case 'ttg.shared_linear':
      return pipe(
        together({
          offsetBases: rows(of, 'offset'),
          blockBases: rows(of, 'block'),
          alignment: number(of, 'alignment', 16),
        }),
        E.map((bases) => ({ _tag: 'shared_linear', ...bases })),
      )
  }
  return null
}

const tensorMemory = (name: string, of: Dictionary): Read<TensorMemorySpec> | null => {
  switch (name) {
    case 'ttng.tensor_memory_encoding':
      return pipe(
        together({
          blockM: number(of, 'blockM'),
          blockN: number(of, 'blockN'),
          colStride: number(of, 'colStride', 1),
          twoCTAs: flag(of, 'twoCTAs'),
          fp4Padded: flag(of, 'fp4Padded'),
          cga: blocks(of),
        }),
        E.map(({ cga, ...numbers }) => ({ _tag: 'tensor_memory', ...numbers, ...cga })),
      )
    case 'ttng.tensor_memory_scales_encoding':
      return pipe(
        blocks(of),
        E.map((cga) => ({ _tag: 'tensor_memory_scales', ...cga })),
      )
  }
  return null
}

const parentOf = (m: Module, of: Dictionary): Read<DistributedSpec> => {
  const parent = attributeOf(of, 'parent')
  return parent === undefined ? wrong('parent = an encoding', parent) : registerEncoding(m, parent)
}

const read = <S extends EncodingSpec>(
  m: Module,
  a: Attribute | null,
  what: string,
  of: (name: string, entries: Dictionary) => Read<S> | null,
  first: (spec: S) => S,
): Read<S> => {
  const found = a === null ? null : resolved(m, a)
  const spec = found?._tag === 'dialect' ? of(found.name, found.entries ?? []) : null
  return spec === null
    ? wrong(what, found ?? undefined)
    : pipe(
        spec,
        E.chainFirstW((legal) => checkEncoding(legal)),
        E.map(first),
      )
}

/** Most encodings that are kept: a kernel has a dozen. */
const most = 1024
/** The first encoding that says the same, of whatever module: what is worked out of it, its layouts above all, serves all that are written alike. */
const firstAlike = <S extends EncodingSpec>(): ((spec: S) => S) => {
  const known = new Map<string, S>()
  return (spec) => {
    const text = JSON.stringify(spec)
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size >= most) known.clear()
    known.set(text, spec)
    return spec
  }
}

const textOf = (a: Attribute | null): string => (a === null ? '' : showAttribute(a))

const inRegisters = rememberedBy<Module, string, Read<DistributedSpec>>()
const ofRegisters = firstAlike<DistributedSpec>()
/** Of a tensor in registers. Of a module, an encoding that is written the same is the same object: what is worked out of it is worked out once. */
export const registerEncoding = (m: Module, a: Attribute | null): Read<DistributedSpec> =>
  inRegisters(m, textOf(a), () =>
    read(m, a, 'an encoding of a tensor', (name, of) => distributed(m, name, of), ofRegisters),
  )
const inShared = rememberedBy<Module, string, Read<SharedSpec>>()
const ofShared = firstAlike<SharedSpec>()
/** Of a buffer in shared memory. */
export const sharedEncoding = (m: Module, a: Attribute | null): Read<SharedSpec> =>
  inShared(m, textOf(a), () => read(m, a, 'an encoding of shared memory', shared, ofShared))
const inTensorMemory = rememberedBy<Module, string, Read<TensorMemorySpec>>()
const ofTensorMemory = firstAlike<TensorMemorySpec>()
/** Of a buffer in tensor memory. */
export const tensorMemoryEncoding = (m: Module, a: Attribute | null): Read<TensorMemorySpec> =>
  inTensorMemory(m, textOf(a), () => read(m, a, 'an encoding of tensor memory', tensorMemory, ofTensorMemory))
