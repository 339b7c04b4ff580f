/**
 * Programs of a host as data: what it allocates, copies, launches and waits for, in the order in which it issues it. Published as `schemas/host.schema.json`.
 *
 *     { "schema": "tcspec.host/1", "module": "kernels.ptx",
 *       "operations": [
 *         { "op": "launch", "stream": "s", "launch": { "kernel": "scale", "grid": [4], "block": [128], "args": [...] } },
 *         { "op": "launch", "stream": "t", "launch": { "kernel": "sum",   "grid": [1], "block": [128], "args": [...] } } ] }
 *
 * | operation                 | is                                                                                              |
 * |---------------------------|-------------------------------------------------------------------------------------------------|
 * | `alloc`, `free`           | memory of the device, managed, mapped or pinned, or pageable; with a stream, in its order       |
 * | `write`, `read`, `copy`   | a copy from pageable memory (a file, a struct), one to it (compared with a file), one between two memories |
 * | `fill`                    | a memset                                                                                        |
 * | `launch`                  | a launch file, or the same in place; `dependent`: programmatic stream serialisation             |
 * | `stream`, `record`, `wait`, `synchronize` | streams and events; there without being made, where a name is enough             |
 * | `touch`                   | the host itself reads or writes memory that it sees                                             |
 * | `callback`                | a function of the host in a stream                                                              |
 * | `graph`                   | nodes and their edges, launched as one operation                                                |
 *
 * Memory is called by its name. What a launch calls a tensor is the memory of that name, and where there is none it is made: of its file, zeros or seeded, as by a launch file.
 * So a launch file is a program of one operation, and is read as one.
 *
 * Laws
 * 1. What decodes satisfies the schema.
 * 2. A launch file alone, and a program that launches it, come to the same.
 */
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failure, type Failure } from '../../failure.js'
import {
  bool,
  decode,
  define,
  described,
  dictionary,
  either,
  line,
  list,
  nat,
  oneOf,
  operated,
  record,
  wordOf,
  type Wire,
} from '../../wire.js'
import {
  ptxLaunchWire,
  struct,
  tensorMap,
  type PtxLaunch,
  type PtxStruct,
  type PtxTensorMap,
} from '../launch/ptx-file.js'

export const hostSchema = 'tcspec.host/1'

// ---------------------------------------------------------------- model

export type MemoryKind = 'device' | 'managed' | 'mapped' | 'pinned' | 'pageable'

/** A memory from a byte of it on. */
export type Spot = string | { readonly memory: string; readonly at: number }

/** Among bytes, a word of eight that is an address. */
export interface PointerIn {
  readonly at: number
  readonly memory: string
  readonly byte: number
}

/** Among bytes, 128 that are a tensor map, whose tensor is a memory. */
export interface MapIn {
  readonly at: number
  /** of the memory, where the tensor begins */
  readonly byte: number
  readonly map: PtxTensorMap
}

/** What words of some bytes stand for, whatever they hold. */
export interface Meant {
  readonly pointers?: ReadonlyArray<PointerIn>
  readonly maps?: ReadonlyArray<MapIn>
}

export interface Alloc {
  readonly op: 'alloc'
  readonly memory: string
  readonly bytes: number
  readonly kind?: MemoryKind
  readonly stream?: string
  /** it begins with zeros, and they count as written */
  readonly zeros?: boolean
}
export interface Free {
  readonly op: 'free'
  readonly memory: string
  readonly stream?: string
}
/** From pageable memory of the host. */
export interface Write extends Meant {
  readonly op: 'write'
  readonly to: Spot
  readonly file?: string
  readonly value?: PtxStruct
  readonly stream?: string
  /** by cudaMemcpy, whose call returns when the source has been read, and in practice when the copy is over */
  readonly returns?: boolean
}
/** To pageable memory of the host: the call returns when it is done. */
export interface Read extends Meant {
  readonly op: 'read'
  readonly from: Spot
  readonly bytes?: number
  readonly file?: string
  readonly stream?: string
}
export interface Copy {
  readonly op: 'copy'
  readonly to: Spot
  readonly from: Spot
  readonly bytes?: number
  readonly stream?: string
  /** the call returns when it is done */
  readonly returns?: boolean
}
export interface Fill {
  readonly op: 'fill'
  readonly memory: Spot
  readonly value: number
  /** bytes of an element: 1, 2 or 4 */
  readonly width?: 1 | 2 | 4
  readonly bytes?: number
  readonly stream?: string
}
export interface Launch extends Meant {
  readonly op: 'launch'
  readonly launch: PtxLaunch | string
  readonly module?: string
  readonly stream?: string
  readonly dependent?: boolean
  /** the bytes of its parameters, in hexadecimal, in place of arguments */
  readonly parameters?: string
  /** these bytes are the parameters one after another, of so many bytes each; without it, they lie as the kernel declares them */
  readonly sizes?: ReadonlyArray<number>
}
export interface StreamMade {
  readonly op: 'stream'
  readonly stream: string
  readonly blocking: boolean
}
export interface Recorded {
  readonly op: 'record'
  readonly event: string
  readonly stream?: string
}
export interface WaitsFor {
  readonly op: 'wait'
  readonly event: string
  readonly stream?: string
}
export interface Synchronize {
  readonly op: 'synchronize'
  readonly stream?: string
  readonly event?: string
}
export interface Touch {
  readonly op: 'touch'
  readonly reads?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
  /** bytes that it writes, with what they are */
  readonly values?: ReadonlyArray<{ readonly to: Spot; readonly file: string }>
}
export interface Callback {
  readonly op: 'callback'
  readonly stream?: string
  readonly reads?: ReadonlyArray<string>
  readonly writes?: ReadonlyArray<string>
}
export type GraphOperation = Copy | Fill | Launch | Callback | Recorded | WaitsFor
export interface Node {
  readonly name: string
  readonly after?: ReadonlyArray<string>
  readonly operation: GraphOperation
}
export interface Graph {
  readonly op: 'graph'
  readonly stream?: string
  readonly nodes: ReadonlyArray<Node>
}

export type HostOperation =
  | Alloc
  | Free
  | Write
  | Read
  | Copy
  | Fill
  | Launch
  | StreamMade
  | Recorded
  | WaitsFor
  | Synchronize
  | Touch
  | Callback
  | Graph

export interface HostProgram {
  readonly schema: typeof hostSchema
  readonly name?: string
  /** the module of launches that name none */
  readonly module?: string
  readonly modules?: Readonly<Record<string, string>>
  readonly operations: ReadonlyArray<HostOperation>
}

// ---------------------------------------------------------------- form

const opOf = <T extends string>(op: T): Wire<T> => described(oneOf(op), 'which operation')

const stream = described(line, 'its stream; without it, the legacy default stream')
const memory = described(line, 'the name of a memory')
const bytes = described(nat, 'how many bytes; without it, all that are there')
const spot: Wire<Spot> = define('Spot', () =>
  either<string, Exclude<Spot, string>>(
    'a memory, or a byte of it',
    line,
    record<Exclude<Spot, string>>()(
      'a memory from a byte on',
      { memory, at: described(nat, 'the first byte') },
      {},
    ),
  ),
)
const pointers = described(
  list(
    record<PointerIn>()(
      'a word of eight bytes that is an address',
      {
        at: described(nat, 'the first of the eight'),
        memory,
        byte: described(nat, 'the byte of the memory whose address it is'),
      },
      {},
    ),
  ),
  'words of eight bytes that are replaced by addresses of memory',
)
const maps = described(
  list(
    record<MapIn>()(
      'a tensor map',
      {
        at: described(nat, 'the first of its 128 bytes'),
        byte: described(nat, 'the byte of the memory at which the tensor begins'),
        map: described(tensorMap, 'the tensor map; its tensor is a memory'),
      },
      {},
    ),
  ),
  'runs of 128 bytes that are replaced by a tensor map',
)
const touches = {
  reads: described(list(line), 'memories that it reads'),
  writes: described(list(line), 'memories that it writes'),
}

const copy = record<Copy>()(
  'a copy',
  { op: opOf('copy'), to: described(spot, 'where to'), from: described(spot, 'where from') },
  {
    bytes,
    stream,
    returns: described(bool, 'the call returns when the copy is done, as cudaMemcpy to the host does'),
  },
)
const fill = record<Fill>()(
  'a fill',
  {
    op: opOf('fill'),
    memory: described(spot, 'what is filled'),
    value: described(nat, 'the value of every element'),
  },
  { width: described(oneOf(1, 2, 4), 'bytes of an element; without it, 1'), bytes, stream },
)
const launch = record<Launch>()(
  'a launch',
  {
    op: opOf('launch'),
    launch: described(
      either<string, PtxLaunch>('a launch file, or its contents in place', line, ptxLaunchWire),
      'a launch file (tcspec.ptx-launch/1), or the same in place; tensors are memories by their names',
    ),
  },
  {
    module: described(line, 'the module, as `modules` calls it; without it, `module` of the program'),
    stream,
    dependent: described(
      bool,
      'programmatic stream serialisation: it may begin before the previous launch of its stream has ended',
    ),
    parameters: described(line, 'the bytes of all parameters in hexadecimal, in place of arguments'),
    sizes: described(
      list(nat),
      'the parameters follow each other without gaps, with these sizes in bytes; without it, the declaration of the kernel gives their offsets',
    ),
    pointers,
    maps,
  },
)
const callback = record<Callback>()(
  'a function of the host in a stream',
  { op: opOf('callback') },
  Object.assign({ stream }, touches),
)
const recordedEvent = record<Recorded>()(
  'an event is recorded',
  { op: opOf('record'), event: described(line, 'the event') },
  { stream },
)
const waitsFor = record<WaitsFor>()(
  'a stream waits for an event',
  { op: opOf('wait'), event: described(line, 'the event') },
  { stream },
)
const graphOperation: Wire<GraphOperation> = define('GraphOperation', () =>
  operated<GraphOperation>()('an operation of a graph', {
    copy,
    fill,
    launch,
    callback,
    record: recordedEvent,
    wait: waitsFor,
  }),
)
const node: Wire<Node> = define('GraphNode', () =>
  record<Node>()(
    'a node',
    { name: described(line, 'what it is called'), operation: described(graphOperation, 'what it does') },
    {
      after: described(list(line), 'nodes that must end before it begins; they come earlier in the list'),
    },
  ),
)

const operation: Wire<HostOperation> = define('HostOperation', () =>
  operated<HostOperation>()('an operation', {
    alloc: record<Alloc>()(
      'an allocation',
      { op: opOf('alloc'), memory, bytes: described(nat, 'how many bytes') },
      {
        kind: described(
          wordOf<MemoryKind>()({
            device: true,
            managed: true,
            mapped: true,
            pinned: true,
            pageable: true,
          }),
          'where it is; without it, on the device. Managed and mapped memory is seen by the host and by kernels; pinned and pageable memory by the host and by copies',
        ),
        zeros: described(bool, 'it begins with zeros, as pages of a process do, and they count as written'),
        stream: described(
          line,
          'the stream in whose order it is there (cudaMallocAsync); without it, at once',
        ),
      },
    ),
    free: record<Free>()(
      'a free',
      { op: opOf('free'), memory },
      {
        stream: described(
          line,
          'the stream in whose order it goes (cudaFreeAsync); without it, the host waits for the device first',
        ),
      },
    ),
    write: record<Write>()(
      'a copy from pageable memory of the host',
      { op: opOf('write'), to: described(spot, 'where to') },
      {
        file: described(line, 'a .npy file with the bytes'),
        value: described(
          struct,
          'the bytes, as those of a struct: scalars, pointers to memories, tensor maps',
        ),
        returns: described(
          bool,
          'by cudaMemcpy: what does not wait for it is a note, because drivers wait for such a copy, which no manual promises',
        ),
        pointers,
        maps,
        stream,
      },
    ),
    read: record<Read>()(
      'a copy to pageable memory of the host',
      { op: opOf('read'), from: described(spot, 'where from') },
      { bytes, file: described(line, 'a .npy file with the expected values'), pointers, maps, stream },
    ),
    copy,
    fill,
    launch,
    stream: record<StreamMade>()(
      'a stream',
      {
        op: opOf('stream'),
        stream: described(line, 'its name'),
        blocking: described(
          bool,
          'false: cudaStreamNonBlocking, it has nothing to do with the legacy default stream',
        ),
      },
      {},
    ),
    record: recordedEvent,
    wait: waitsFor,
    synchronize: record<Synchronize>()(
      'the host waits',
      { op: opOf('synchronize') },
      {
        stream: described(line, 'for a stream'),
        event: described(line, 'for an event; without stream and event, for the device'),
      },
    ),
    touch: record<Touch>()(
      'the host touches memory',
      { op: opOf('touch') },
      Object.assign(
        {
          values: described(
            list(
              record<{ readonly to: Spot; readonly file: string }>()(
                'bytes that the host writes',
                { to: described(spot, 'where to'), file: described(line, 'a .npy file with the bytes') },
                {},
              ),
            ),
            'bytes that it writes',
          ),
        },
        touches,
      ),
    ),
    callback,
    graph: record<Graph>()(
      'a graph is launched',
      {
        op: opOf('graph'),
        nodes: described(list(node), 'its nodes, each after the nodes that it depends on'),
      },
      { stream },
    ),
  }),
)

export const hostWire: Wire<HostProgram> = define('HostProgram', () =>
  record<HostProgram>()(
    'a program of a host',
    {
      schema: described(oneOf(hostSchema), 'name and version of this schema'),
      operations: described(list(operation), 'what the host issues, in its order'),
    },
    {
      name: described(line, 'what the program is called'),
      module: described(line, 'a file of PTX: the module of launches that name none'),
      modules: described(
        dictionary('files of PTX by name', line),
        'files of PTX, by the names that launches have for them',
      ),
    },
  ),
)

// ---------------------------------------------------------------- reading

const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** Does a document say that it is a program of a host? */
export const isHostProgram = (document: unknown): boolean =>
  isRecord(document) && document['schema'] === hostSchema

/** A launch file as a program of one operation. */
export const ofLaunch = (launchFile: string, module: string): HostProgram => ({
  schema: hostSchema,
  module,
  operations: [{ op: 'launch', launch: launchFile }],
})

const ambiguous = (p: HostProgram): Failure | null => {
  const at = p.operations.findIndex(
    (o) => o.op === 'write' && (o.file === undefined) === (o.value === undefined),
  )
  return at < 0
    ? null
    : failure('json.form', `$.operations[${String(at)}]: expected either a file or a value`)
}

export const decodeHost = (document: unknown): E.Either<Failure, HostProgram> =>
  pipe(
    decode(hostWire, 'json.form')(document),
    E.chainW((p) => {
      const bad = ambiguous(p)
      return bad === null ? E.right(p) : E.left(bad)
    }),
  )
