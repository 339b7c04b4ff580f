/** Documents of what is in a file: its kernels, their parameters, the instructions of PTX. */
import { bool, dictionary, either, finite, list, nat, oneOf, text } from '../../wire.js'
import { object, orNull, type Document, document } from './members.js'

/** By file name under `schemas/`. */
export const kernelDocuments: Readonly<Record<string, Document>> = {
  'signature.schema.json': document(
    'tcspec.signature/1',
    'what a module says about its launch',
    {
      name: [text, 'name of the function'],
      target: [orNull('a chip', text), 'the chip, such as `sm_90`; null: the text does not say'],
      warps: [nat, 'warps of a CTA, without those of warp-specialised partitions'],
      ctas: [nat, 'CTAs of a program'],
      axes: [nat, 'axes of the grid that the program uses'],
      parameters: [
        list(
          object(
            'a parameter',
            {
              name: [text, 'what `--arg` calls it'],
              kind: [
                oneOf('pointer', 'descriptor', 'map', 'scalar'),
                'a tensor, a tensor in blocks, a tensor map (PTX), or a number',
              ],
              dtype: [text, 'type of the elements or of the number; for PTX, as the text uses it'],
            },
            {
              role: [oneOf('in', 'out', 'inout'), 'for a tensor: its role'],
              at: [nat, 'PTX: byte offset among the parameters'],
              bytes: [nat, 'PTX: size in bytes'],
              number: [nat, 'PTX: position among the parameters'],
              called: [text, 'PTX: name in the source file next to the PTX'],
              type: [text, 'PTX: type in C++, if the symbol of the entry contains it'],
              block: [list(nat), 'for a descriptor: extents of a block'],
              divisor: [nat, 'for a number: the compiler assumed a multiple of this'],
            },
          ),
        ),
        'the parameters in order',
      ],
      example: [
        object(
          'a launch',
          {
            grid: [list(nat), 'programs along each axis'],
            arg: [dictionary('values for `--arg`, by parameter', text), 'a value for each parameter'],
          },
          {
            block: [list(nat), 'PTX: threads along each axis'],
            shared: [nat, 'PTX: bytes of dynamic shared memory'],
            entry: [text, 'PTX: the entry, if the module has several'],
          },
        ),
        'a small launch to begin with, guessed from the text',
      ],
      operations: [
        list(
          object('an operation', {
            without: [text, 'its label, as `--without` and findings use it'],
            name: [text, 'its name'],
            line: [nat, 'its line in the text, counted from 1'],
            place: [orNull('a line', text), 'its source line, such as `kernel.py:31`'],
          }),
        ),
        'operations with an effect, in the order of the text',
      ],
    },
    {
      guessed: [
        list(oneOf('grid', 'block', 'shared')),
        'PTX: parts of the example that are guessed, because the text does not give them',
      ],
    },
  ),
  'kernels.schema.json': document('tcspec.kernels/1', 'kernels that `run` and `check` accept', {
    kernels: [
      list(
        object('a kernel', {
          name: [text, 'its name for `run` and `check`'],
          summary: [text, 'a description of what it computes, and how'],
          parameters: [
            list(
              object(
                'a setting',
                {
                  name: [text, 'its name for `--set`'],
                  default: [
                    either(
                      'text, a number or a boolean',
                      text,
                      either('a number or a boolean', finite, bool),
                    ),
                    'default value; tiles and stages may be smaller, to fit the sizes',
                  ],
                  unit: [text, 'what it counts'],
                  meaning: [text, 'what it says'],
                },
                { choices: [list(text), 'the allowed words'] },
              ),
            ),
            'its settings',
          ],
          tensors: [
            list(
              object('a tensor', {
                name: [text, 'its name for `--in` and `--out`'],
                role: [oneOf('in', 'out'), 'read or written'],
                axes: [list(text), 'for each dimension, the setting that is its extent'],
              }),
            ),
            'its tensors',
          ],
          broken: [
            list(
              object('a statement', {
                without: [text, 'its label, as `--without` and findings use it'],
                verdict: [text, 'the verdict on the kernel without this statement, under the eager schedule'],
                shows: [list(text), 'hazard ids of its findings'],
                explore: [bool, 'true if one run does not decide, and other schedules do'],
              }),
            ),
            'statements that the kernel needs',
          ],
        }),
      ),
      'in the order of the catalogue, or only the requested kernel',
    ],
    twins: [
      list(
        object('a kernel with a mistake, and the same kernel without it', {
          name: [text, 'name of the wrong kernel for `check`'],
          fixed: [text, 'name of the fixed kernel for `check`'],
          id: [text, 'the hazard id'],
          title: [text, 'what goes wrong'],
          fix: [text, 'how to fix it'],
          verdict: [text, 'the verdict on the wrong kernel'],
        }),
      ),
      'kernels of a few lines with one hazard, each with its fixed version; only the requested ones',
    ],
  }),
  'ptx.schema.json': document('tcspec.ptx/1', 'contents of a PTX module', {
    version: [text, 'version of the ISA'],
    target: [text, 'the chip, and options'],
    addressSize: [orNull('bits', nat), 'bits of an address; null if the module does not say'],
    shared: [
      list(
        object('shared memory', {
          name: [text, 'its name'],
          bytes: [orNull('bytes', nat), 'size in bytes; null: the launch gives it'],
          align: [nat, 'its alignment in bytes'],
        }),
      ),
      'variables in shared memory',
    ],
    functions: [
      list(
        object('a function', {
          name: [text, 'its name'],
          kind: [oneOf('entry', 'func'), 'an entry, or a function that is called'],
          line: [nat, 'where it stands'],
          parameters: [
            list(
              object('a parameter', {
                name: [text, 'its name'],
                type: [text, 'type of an element'],
                offset: [nat, 'its first byte among the parameters'],
                bytes: [nat, 'its bytes'],
                pointer: [
                  orNull('a state space', text),
                  'state space that a pointer points into; null: not declared as a pointer',
                ],
              }),
            ),
            'its parameters, in order',
          ],
          directives: [list(text), 'its launch bounds and directives'],
          instructions: [nat, 'its instructions'],
          families: [
            list(object('a family', { family: [text, 'its name'], count: [nat, 'its instructions'] })),
            'instructions by family, the most frequent first',
          ],
          unsupported: [
            list(
              object('an opcode', {
                opcode: [text, 'with its modifiers'],
                count: [nat, 'its instructions'],
                line: [nat, 'the first of them'],
              }),
            ),
            'opcodes that are not supported',
          ],
          barriers: [list(orNull('an id', nat)), 'ids of named barriers; null: the id is in a register'],
          mbarriers: [
            list(
              object('an mbarrier', {
                line: [nat, 'line of the initialisation'],
                count: [orNull('a count', nat), 'arrivals of a phase; null: the count is in a register'],
              }),
            ),
            'mbarriers that it initialises',
          ],
          spins: [
            list(
              object('a spin', {
                line: [nat, 'the line of its test'],
                kind: [oneOf('mbarrier', 'semaphore'), 'the object that it waits for'],
              }),
            ),
            'loops that only wait; empty for a function with unsupported opcodes',
          ],
          peeks: [
            list(
              object('a peek', {
                line: [nat, 'the line of its test'],
                waits: [list(nat), 'lines of the loops that wait if the test was false'],
              }),
            ),
            'tests whose result decides later whether to wait',
          ],
          flights: [
            list(
              object('a product', {
                line: [nat, 'its line'],
                accumulators: [nat, 'registers that it writes'],
                sources: [nat, 'registers that it reads'],
                waits: [list(nat), 'lines of the waits that cover it'],
                touches: [list(nat), 'lines that use one of its registers before those waits'],
              }),
            ),
            'registers in flight: operands of wgmma until the wait that covers it',
          ],
        }),
      ),
      'functions with a body',
    ],
  }),
}
