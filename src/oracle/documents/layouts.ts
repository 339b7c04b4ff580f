/** Documents of where elements are: in registers, in shared memory and its banks, in tensor memory, in the operands of a product. */
import {
  bool,
  define,
  dictionary,
  either,
  finite,
  integer,
  list,
  nat,
  oneOf,
  pair,
  text,
  type Wire,
} from '../../wire.js'
import { type Members, object, ints, orNull, shape, bits, type Document, document } from './members.js'
import { arrayWire } from '../../transforms/array.js'

const site = object('a place of a register', {
  warp: [nat, 'warp of the group'],
  lane: [nat, 'lane of the warp'],
  register: [nat, 'register of the lane'],
})

const accessCounts: Members = {
  access: [text, 'the instruction of a warp, such as `ld.shared.b32`'],
  wavefronts: [nat, 'wavefronts of the access'],
  conflicts: [nat, 'wavefronts beyond the ideal number'],
  idealWavefronts: [nat, 'the fewest wavefronts that this many bytes can take'],
}

/** An integer, or a list of such: CuTe's tuples. */
type Nested = number | ReadonlyArray<Nested>

const nested: Wire<Nested> = define('IntTuple', () => either('an integer or a list', integer, list(nested)))

/** By file name under `schemas/`. */
export const layoutDocuments: Readonly<Record<string, Document>> = {
  'layout.schema.json': document(
    'tcspec.layout/1',
    'a layout of registers, written out',
    {
      kind: [oneOf('table', 'splat'), 'a table of elements, or one register for all of them'],
      name: [text, 'its name'],
      shape,
    },
    {
      elements: [
        list(list(list(list(nat)))),
        'the index that a register holds, by warp, lane and register; absent for a splat',
      ],
    },
  ),
  'layout-check.schema.json': document('tcspec.layout-check/1', 'a comparison of two layouts', {
    equal: [bool, 'whether every element lies in the same registers'],
    shape,
    layout: [text, 'the first layout'],
    against: [text, 'the other one'],
    different: [nat, 'number of elements that lie elsewhere'],
    first: [
      orNull(
        'an element',
        object('an element', {
          index: [list(nat), 'its index'],
          layout: [list(site), 'its place in the first layout'],
          against: [list(site), 'its place in the other layout'],
        }),
      ),
      'the first element that lies elsewhere',
    ],
  }),
  'layout-names.schema.json': document('tcspec.layout-names/1', 'layouts with a name', {
    layouts: [
      list(
        object('a family of layouts', {
          name: [text, 'its name'],
          parameters: [list(text), 'the parameters in brackets after the name'],
          summary: [text, 'what it is'],
          example: [text, 'a layout of it'],
        }),
      ),
      'in the order of the list',
    ],
  }),
  'layout-words.schema.json': document('tcspec.layout-words/1', 'one layout in several vocabularies', {
    layout: [text, 'the layout in question'],
    shape,
    names: [list(text), 'names of it, as Pallas and Mosaic have them'],
    mosaic: [
      orNull('a description', text),
      "Mosaic's tiling as a description, in JSON; null if there is none",
    ],
    triton: [list(text), 'equivalent encodings of Triton on this array, as its modules write them'],
    cute: [
      orNull('a layout', text),
      "CuTe's layout of threads and values, the first dimension fastest; null if no strides express it",
    ],
    linear: [orNull('bases', text), 'bases over GF(2); null if it is not linear'],
  }),
  'banks.schema.json': document(
    'tcspec.banks/1',
    'bank conflicts of an access of shared memory',
    accessCounts,
    {
      phases: [list(nat), 'turns of each phase of one access'],
      pairing: [
        orNull('a pairing', either('text or a number', text, either('a number or a boolean', finite, bool))),
        'how lanes are paired into phases',
      ],
      layout: [text, 'the layout whose elements are accessed'],
      shape,
      bits,
      transforms: [list(text), 'transforms between the array and shared memory'],
      instructions: [
        list(
          object('an instruction', {
            warp: [nat, 'the warp'],
            registers: [list(nat), 'registers of a lane that it moves'],
            addresses: [list(orNull('a byte', nat)), 'byte address of every lane; null for an inactive lane'],
            wavefronts: [nat, 'number of its wavefronts'],
            conflicts: [nat, 'wavefronts beyond the ideal number'],
            phases: [list(nat), 'turns of each phase'],
          }),
        ),
        'the instructions that move the whole array',
      ],
      instruction: [
        nat,
        'number of the instruction whose turns are listed: `--instruction`, or the first one with the most wavefronts',
      ],
      turns: [
        list(
          object('a turn', {
            phase: [nat, 'its phase'],
            words: [
              list(
                object('a word', {
                  bank: [nat, 'its bank'],
                  byte: [nat, 'its first byte'],
                  lanes: [list(nat), 'the lanes that access it; for ldmatrix and stmatrix, the rows'],
                }),
              ),
              'the words that are read or written: at most one of each bank',
            ],
          }),
        ),
        'wavefronts of one access; the order of the words of one bank is that of the lanes, which no hardware counter confirms',
      ],
    },
  ),
  'cute.schema.json': document('tcspec.cute/1', "an answer of CuTe's algebra", {
    question: [text, 'the expression'],
    result: [
      object(
        'a result',
        {
          kind: [text, 'a value, a layout, or a layout composed with another function'],
          text: [text, 'as CuTe writes it'],
        },
        {
          value: [nested, 'the value'],
          shape: [nested, 'shape of the layout'],
          stride: [text, 'strides of the layout, as CuTe writes them'],
          size: [finite, 'number of coordinates'],
          cosize: [finite, 'one more than the largest value'],
          values: [list(nested), 'value of every coordinate, the first dimension fastest'],
          valuesLeftOut: [nat, 'number of values that are not listed'],
        },
      ),
      'what it is',
    ],
  }),
  'image.schema.json': document('tcspec.image/1', 'the image of a TMA box in shared memory', {
    box: [
      object('a box', {
        bits,
        extents: [list(nat), 'extent of every dimension'],
        elementStrides: [list(nat), 'step between copied elements'],
        swizzle: [nat, 'bytes of the swizzle; 16 means no swizzle'],
      }),
      'the box of the tensor map',
    ],
    direction: [text, 'load or store'],
    tensor: [list(nat), 'extents of the tensor in global memory'],
    at: [ints, 'position of the box in the tensor'],
    base: [nat, 'address of the box in shared memory'],
    copied: [list(nat), 'extents of the copied elements'],
    transactionBytes: [nat, 'bytes that the copy counts at its barrier'],
    outside: [nat, 'number of elements of the box outside the tensor'],
    addresses: [list(nat), 'byte of every element of the box, row-major'],
    origins: [
      list(orNull('an index', list(nat))),
      'index in the tensor of every element of the box, row-major; null outside the tensor',
    ],
    unswizzled: [list(nat), 'byte of every element of the box before the swizzle'],
  }),
  'linear.schema.json': document('tcspec.linear/1', 'a layout over GF(2)', {
    layout: [
      object('a linear layout', {
        kind: [oneOf('linear'), 'marks a linear layout; other commands accept this object as it is'],
        bases: [dictionary('bases', list(list(nat))), 'image of every bit of every input dimension'],
        outputs: [
          list(
            object('an output dimension', {
              name: [text, 'its name'],
              size: [nat, 'its extent'],
            }),
          ),
          'output dimensions',
        ],
      }),
      'the layout as a description',
    ],
    rank: [nat, 'rank of its matrix'],
    surjective: [bool, 'whether the layout is surjective'],
    injective: [bool, 'whether the layout is injective'],
    freeVariableMasks: [dictionary('masks', nat), 'input bits without effect, by input dimension'],
  }),
  'mma.schema.json': document('tcspec.mma/1', 'a matrix product', {
    m: [nat, 'rows of a and d'],
    n: [nat, 'columns of b and d'],
    k: [nat, 'columns of a, rows of b'],
    types: [
      dictionary('types', either('a type or a boolean', text, bool)),
      'element types of `a`, `b`, the accumulator `acc` and the output `d`; whether sums saturate',
    ],
    arithmetic: [text, 'the chip whose tensor cores are modelled'],
    multiplyAdds: [nat, 'm times n times k'],
    milliseconds: [finite, 'time of the product'],
    written: [orNull('a file', text), 'the file with d, if one was requested'],
  }),
  'tiling.schema.json': document(
    'tcspec.tiling/1',
    'operands that clusters share, for each order of the tiles',
    {
      grid: [pair(nat), 'tiles in a column and in a row'],
      clusters: [nat, 'clusters that run at a time'],
      steps: [nat, 'steps of the inner loop of a tile'],
      panelBytes: [dictionary('bytes', nat), 'bytes of the panels of `a` and `b` that one tile reads'],
      operandBytes: [nat, 'bytes of both operands'],
      askedBytes: [nat, 'bytes that all tiles read together'],
      caches: [list(nat), 'sizes of the caches that are simulated, in bytes'],
      orders: [
        list(
          object('an order', {
            order: [text, 'its name'],
            waves: [
              list(
                object('a wave', {
                  rows: [list(nat), 'rows of tiles'],
                  columns: [list(nat), 'columns of tiles'],
                  bytes: [nat, 'bytes that its tiles read, each counted once'],
                  kept: [nat, 'bytes of those that the previous wave read, too'],
                  tiles: [list(pair(nat)), 'row and column of every tile'],
                }),
              ),
              'tiles that run at a time',
            ],
            missBytes: [list(nat), 'bytes read from memory, for each cache size'],
          }),
        ),
        'one entry for each order',
      ],
    },
  ),
  'tmem.schema.json': document('tcspec.tmem/1', 'a layout of tensor memory', {
    layout: [text, 'its name'],
    shape,
    bits,
    columns: [nat, 'number of its columns'],
    elementsPerColumn: [nat, 'elements of one lane in one column'],
    copies: [nat, 'places of every element'],
    registers: [text, 'register layout after a load, and the instruction'],
    elements: [
      list(
        object('an element', {
          index: [list(nat), 'its index'],
          places: [
            list(
              object('a place', {
                lane: [nat, 'lane of tensor memory'],
                column: [nat, 'column, of 32 bits'],
                part: [nat, 'element within the column'],
              }),
            ),
            'where it lies',
          ],
        }),
      ),
      'every element, row-major',
    ],
  }),
  'tmem-map.schema.json': document('tcspec.tmem-map/1', 'several arrays in tensor memory', {
    used: [nat, 'columns in use'],
    allocated: [nat, 'allocated columns: a power of two'],
    arrays: [
      list(
        object('an array', {
          name: [text, 'its name'],
          layout: [text, 'its layout'],
          shape,
          bits,
          start: [nat, 'its first column'],
          columns: [nat, 'number of its columns'],
        }),
      ),
      'in the order of their columns',
    ],
  }),
  'transform.schema.json': document(
    'tcspec.transform/1',
    'the places of the elements of an array in shared memory',
    {
      array: [arrayWire, 'the array as a description; the command accepts this object as it is'],
      shape,
      bits,
      transforms: [list(text), 'transforms, in the order of their application'],
      physicalShape: [list(nat), 'shape of the array in shared memory'],
      tiling: [list(list(nat)), 'tiles, the outermost first'],
      tiledShape: [list(nat), 'shape with the tiles as dimensions'],
      strides: [ints, 'stride of each dimension, in elements'],
      swizzle: [nat, 'bytes of the swizzle; 16 means no swizzle'],
      bytes: [nat, 'bytes of the array'],
      base: [nat, 'address of the array'],
      addresses: [list(nat), 'byte of every element, row-major over the logical shape'],
      unswizzled: [list(nat), 'byte of every element before the swizzle'],
    },
    { bitOffsets: [list(nat), 'bit within that byte, if elements are not whole bytes'] },
  ),
}
