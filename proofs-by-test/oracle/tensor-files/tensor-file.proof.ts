/** Tensors in files of one and of many: the words that name them, every dtype through every format, and Python's own modules on the other side. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeOf } from '../../../src/oracle/tensor-files/place.js'
import {
  readTensor,
  tensorNames,
  tensorOutputs,
  type Written,
} from '../../../src/oracle/tensor-files/tensor-file.js'
import { onDisk } from '../../../src/oracle/tensor-files/disk.js'
import {
  carrierOf,
  patternBits,
  storedAs,
  tensor,
  tensorDtypes,
  type Tensor,
  type TensorDtype,
} from '../../../src/oracle/tensor-files/tensor.js'
import { code, right } from '../../either.js'
import { inMemory } from '../disk.js'

const disk = new Map<string, Uint8Array>()
const files = inMemory(disk)
const put = (all: ReadonlyArray<Written>): void => {
  for (const { file, bytes } of right(tensorOutputs(all))) disk.set(file, bytes)
}
const drawn = (dtype: TensorDtype): fc.Arbitrary<Tensor> =>
  fc.array(fc.nat(3), { maxLength: 3 }).chain((shape) =>
    fc
      .array(fc.bigInt({ min: 0n, max: (1n << BigInt(patternBits(dtype))) - 1n }), {
        minLength: shape.reduce((n, d) => n * d, 1),
        maxLength: shape.reduce((n, d) => n * d, 1),
      })
      .map((patterns) => right(tensor(dtype, shape, patterns))),
  )
const one = (dtype: TensorDtype, pattern: number): Tensor => right(tensor(dtype, [1], [pattern]))

describe('where a tensor is', () => {
  it.each([
    ['a.npy', 'a.npy', 'npy', undefined],
    ['a', 'a', 'npy', undefined],
    ['d/all.npz', 'd/all.npz', 'npz', undefined],
    ['all.NPZ:w/a.b:c', 'all.NPZ', 'npz', 'w/a.b:c'],
    ['all.npz:', 'all.npz', 'npz', ''],
    ['x.npz/all.safetensors:a', 'x.npz/all.safetensors', 'safetensors', 'a'],
    ['x.npz:all.safetensors:a', 'x.npz', 'npz', 'all.safetensors:a'],
    ['all.npz.npy', 'all.npz.npy', 'npy', undefined],
    ['all.npy:a', 'all.npy:a', 'npy', undefined],
  ])('%s', (said, file, format, name) => {
    expect(placeOf(said)).toEqual({ file, format, name })
  })
})

describe('tensor-file law 1: what is written is read by the same words', () => {
  it.each(tensorDtypes)('%s', (dtype) => {
    fc.assert(
      fc.property(drawn(dtype), drawn('f32'), (t, other) => {
        put([
          { said: 'a.npy', called: 'a', tensor: t },
          { said: 'all.npz', called: 'a', tensor: t },
          { said: 'all.npz:b', called: 'x', tensor: other },
          { said: 'all.safetensors:w/a', called: 'a', tensor: t },
          { said: 'all.safetensors', called: 'b', tensor: other },
        ])
        for (const said of ['a.npy', 'all.npz:a', 'all.safetensors:w/a'])
          expect(readTensor(files)(said, dtype)()).toEqual({ _tag: 'Right', right: t })
        expect(right(readTensor(files)('all.npz', 'f32', 'b')())).toEqual(other)
        expect(right(tensorNames(files)('all.npz')())).toEqual(['a', 'b'])
      }),
      { numRuns: 8 },
    )
  })
  it('safetensors says itself what npy leaves open', () => {
    for (const dtype of ['bf16', 'e4m3', 'e5m2', 'e8m0', 'i1', 'u64', 'f64'] as const) {
      put([{ said: 'one.safetensors', called: 'a', tensor: one(dtype, 1) }])
      expect(right(readTensor(files)('one.safetensors', undefined)())).toEqual(one(dtype, 1))
    }
    put([{ said: 'one.safetensors', called: 'a', tensor: one('u8', 2) }])
    expect(right(readTensor(files)('one.safetensors', 'e4m3')()).dtype).toBe('e4m3')
    expect(readTensor(files)('one.safetensors', 'i1')()).toMatchObject({
      left: { code: 'tensor-bits', message: expect.stringMatching(/^one\.safetensors: a: /) },
    })
    expect(readTensor(files)('one.safetensors', 'bf16')()).toMatchObject({
      left: { code: 'tensor-dtype', message: expect.stringContaining('elements of BF16 or U16') },
    })
  })
  it('which one is meant', () => {
    const both = ['a', 'b'].map((called): Written => ({ said: 'two.npz', called, tensor: one('f16', 1) }))
    put(both)
    expect(code(readTensor(files)('two.npz', undefined, 'b')())).toBeNull()
    expect(readTensor(files)('two.npz', undefined, 'c')()).toMatchObject({
      left: { message: expect.stringContaining('two.npz: expected one tensor, or the name of one') },
    })
    put([{ said: 'one.npz', called: 'a', tensor: one('f16', 1) }])
    expect(code(readTensor(files)('one.npz', undefined, 'c')())).toBeNull()
    expect(code(readTensor(files)('one.npz:c', undefined)())).toBe('tensor-name')
    const many = Array.from({ length: 30 }, (_, k): Written => ({
      said: 'm.npz',
      called: `t${String(k)}`,
      tensor: one('f16', 1),
    }))
    put(many)
    expect(JSON.stringify(readTensor(files)('m.npz', undefined)())).toContain('and 22 more')
    expect(code(tensorOutputs([...both, both[0]!]))).toBe('tensor-name')
    expect(
      code(tensorOutputs(['a', 'b'].map((called) => ({ said: 'x.npy', called, tensor: one('f16', 1) })))),
    ).toBe('tensor-name')
  })
})

// ---------------------------------------------------------------- Python's zipfile, struct and json

/** Plain Python: what it reads of our files, and files that it writes as NumPy and safetensors do. */
const python = String.raw`
import ast, io, json, struct, sys, zipfile
directory = sys.argv[1]
kinds = {'f2': 'H', 'f4': 'I', 'f8': 'Q', 'i1': 'B', 'i2': 'H', 'i4': 'I', 'i8': 'Q', 'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q'}
sizes = {'F64': 'Q', 'I64': 'Q', 'U64': 'Q', 'F32': 'I', 'I32': 'I', 'U32': 'I', 'F16': 'H', 'BF16': 'H', 'I16': 'H', 'U16': 'H'}
found = {}
with zipfile.ZipFile(directory + '/ours.npz') as z:
    assert z.testzip() is None
    for member in z.namelist():
        data = z.read(member)
        assert data[:8] == b'\x93NUMPY\x01\x00'
        n, = struct.unpack('<H', data[8:10])
        header = ast.literal_eval(data[10:10 + n].decode('latin1'))
        kind = kinds[header['descr'][1:]]
        rest = data[10 + n:]
        found['npz ' + member] = [header['descr'][1:], list(header['shape']), [str(x) for x in struct.unpack('<%d%s' % (len(rest) // struct.calcsize(kind), kind), rest)]]
data = open(directory + '/ours.safetensors', 'rb').read()
n, = struct.unpack('<Q', data[:8])
for name, t in json.loads(data[8:8 + n]).items():
    a, b = t['data_offsets']
    kind = sizes.get(t['dtype'], 'B')
    rest = data[8 + n + a:8 + n + b]
    found['safetensors ' + name] = [t['dtype'], t['shape'], [str(x) for x in struct.unpack('<%d%s' % (len(rest) // struct.calcsize(kind), kind), rest)]]

def npy(descr, shape, values, kind):
    header = repr({'descr': descr, 'fortran_order': False, 'shape': tuple(shape)}).ljust(117) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + struct.pack('<%d%s' % (len(values), kind), *values)
for name, method in [('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED)]:
    with zipfile.ZipFile(directory + '/%s.npz' % name, 'w', method, allowZip64=True) as z:
        for member, content in [('a', npy('<f4', [2, 3], [0, 1, 2.5, -1, 3, 4], 'f')), ('b', npy('<V2', [2], [0x3f80, 0xc000], 'H')), ('zeros', npy('|u1', [100000], [0] * 100000, 'B'))]:
            with z.open(member + '.npy', 'w', force_zip64=True) as f:
                f.write(content)
header = json.dumps({'__metadata__': {'format': 'pt'}, 'w': {'dtype': 'BF16', 'shape': [2], 'data_offsets': [0, 4]}, 's': {'dtype': 'F8_E4M3', 'shape': [1, 3], 'data_offsets': [4, 7]}}).encode()
open(directory + '/theirs.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header + struct.pack('<HHBBB', 0x3f80, 0xc000, 1, 2, 0x7e))
print(json.dumps(found))
`
let directory = ''
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'tcspec-files-'))
})
afterAll(() => {
  fs.rmSync(directory, { recursive: true, force: true })
})

it("Python's zipfile, struct and json read what is written here, and write what is read here", () => {
  const all = tensorDtypes.map((dtype) => {
    const most = (1n << BigInt(patternBits(dtype))) - 1n
    return { called: dtype, tensor: right(tensor(dtype, [3, 1], [0n, 1n, most])), most }
  })
  for (const file of ['ours.npz', 'ours.safetensors'])
    for (const { bytes } of right(
      tensorOutputs(all.map(({ called, tensor: t }) => ({ said: file, called, tensor: t }))),
    ))
      fs.writeFileSync(path.join(directory, file), bytes)
  const ran = spawnSync('python3', ['-c', python, directory], { encoding: 'utf8' })
  expect(ran.stderr).toBe('')
  const found: unknown = JSON.parse(ran.stdout)
  const patterns = (most: bigint): ReadonlyArray<string> => ['0', '1', String(most)]
  expect(found).toEqual(
    Object.fromEntries(
      all.flatMap(({ called, most }) => [
        [`npz ${called}.npy`, [carrierOf(called), [3, 1], patterns(most)]],
        [`safetensors ${called}`, [storedAs(called), [3, 1], patterns(most)]],
      ]),
    ),
  )
  const read = (said: string, dtype?: TensorDtype): Tensor =>
    right(readTensor(onDisk)(path.join(directory, said), dtype)())
  const floats = new Uint32Array(Float32Array.of(0, 1, 2.5, -1, 3, 4).buffer)
  for (const file of ['stored.npz', 'deflated.npz']) {
    expect(read(`${file}:a`)).toEqual({ dtype: 'f32', shape: [2, 3], bits: floats })
    expect(read(`${file}:b`, 'bf16')).toEqual({
      dtype: 'bf16',
      shape: [2],
      bits: Uint16Array.of(0x3f80, 0xc000),
    })
    // two bytes without a meaning, as ml_dtypes leaves them
    expect(code(readTensor(onDisk)(path.join(directory, `${file}:b`), undefined)())).toBe('tensor-dtype')
    expect(read(`${file}:zeros`)).toEqual({ dtype: 'u8', shape: [100_000], bits: new Uint8Array(100_000) })
  }
  expect(read('theirs.safetensors:w')).toEqual({
    dtype: 'bf16',
    shape: [2],
    bits: Uint16Array.of(0x3f80, 0xc000),
  })
  expect(read('theirs.safetensors:s')).toEqual({
    dtype: 'e4m3',
    shape: [1, 3],
    bits: Uint8Array.of(1, 2, 0x7e),
  })
})
