/**
 * A launch in one line: what may be another one the next time the same kernel is checked. A row of a baseline has it (`semantics/judging/accept.ts`), because what is
 * found in one launch is not what another one has.
 *
 *     grid 4 x 1 x 1, block 128 x 1 x 1, x 400 bytes, y 400 bytes, n = 100
 *
 * Law 1. Launches of one kernel with one line differ in the contents of files of tensors alone.
 */
import { shapeOf, tensorsOf } from '../../kernels/reference.js'
import { thousands } from '../../render/table.js'
import type { World } from '../../semantics/machine/world.js'
import { dataSetText, type DataSet } from '../launch/data-sets.js'
import type { LaunchedPtx } from '../launch/ptx.js'
import type { PtxArgument } from '../launch/ptx-file.js'
import type { Subject } from './subject.js'

const extents = (of: ReadonlyArray<number>): string => of.join(' x ')

/** What is no tensor in memory of its own: a number, a struct, a map. */
const scalarText = (a: PtxArgument, number: number): ReadonlyArray<string> => {
  if (typeof a !== 'object') return [`argument ${String(number)} = ${String(a)}`]
  if (a.kind === 'scalar') return [`argument ${String(number)} = ${String(a.value)}`]
  if (a.kind === undefined || a.kind === 'pointer')
    return a.offset === undefined || a.offset === 0
      ? []
      : [`argument ${String(number)} = ${a.tensor} + ${String(a.offset)}`]
  const known = JSON.stringify(a, (key, value: unknown) => (key === 'file' ? undefined : value))
  return [`argument ${String(number)} = ${known}`]
}

/** A set of data where they decide. */
const dataText = (set: DataSet | null): ReadonlyArray<string> =>
  set === null ? [] : [`data that are ${dataSetText[set]}`]

/** Of PTX. */
export const launchOfPtx = ({ launch, arguments: given }: LaunchedPtx, set: DataSet | null): string =>
  [
    `grid ${extents(launch.grid)}`,
    `block ${extents(given.block)}`,
    ...(given.cluster === null ? [] : [`cluster ${extents(given.cluster)}`]),
    ...(given.dynamicBytes === 0 ? [] : [`${thousands(given.dynamicBytes)} bytes of shared memory`]),
    ...given.tensors.map(({ name, bytes }) => `${name} ${thousands(bytes)} bytes`),
    ...(Array.isArray(launch.args) ? launch.args.flatMap(scalarText) : []),
    ...dataText(set),
  ].join(', ')

/** Of a program: its settings, or the scalars of its module. */
export const launchOfProgram = (
  { program, settings, launched }: Subject,
  { grid }: Pick<World, 'grid'>,
  set: DataSet | null,
): string =>
  [
    `grid ${extents(grid)}`,
    ...tensorsOf(program).map((p) => `${p.name} ${p.dtype}[${(shapeOf(p) ?? ['?']).join(', ')}]`),
    ...Object.entries(settings).map(([name, value]) => `${name} = ${String(value)}`),
    ...[...(launched?.launch.scalars ?? [])].map(([name, value]) => `${name} = ${String(value)}`),
    ...dataText(set),
  ].join(', ')
