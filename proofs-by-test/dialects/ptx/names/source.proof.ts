/**
 * Names of parameters in a source. Oracle: declarations written here with their names, and every kernel of CUDA in the repository against the number of parameters of its PTX.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parameterNames } from '../../../../src/dialects/ptx/names/source.js'
import { functionsOf, parseModule } from '../../../../src/dialects/ptx/index.js'
import { right } from '../../../either.js'
import { fileText, kernelNames } from '../cuda.js'

const kernel = (parameters: string): string => `__global__ void k(${parameters}) { int a = 1; }`

describe('parameterNames', () => {
  test.each([
    ['', ''],
    ['void', ''],
    ['const float* x, float *y, int n', 'x,y,n'],
    ['const float* __restrict__ x, const __grid_constant__ CUtensorMap map', 'x,map'],
    ['float (*rows)[64], int (&all)[4], float y[][8]', 'rows,all,y'],
    ['std::pair<int, float> p, T<(1 > 0), 2> q', 'p,q'],
    ['int n = f(1, 2), float /* x, y */ z // w, v\n', 'n,z'],
    ['unsigned int n, struct S s', 'n,s'],
    ['char c = \',\', const char* t = "a, b)"', 'c,t'],
  ])('%s', (text, names) => {
    expect(parameterNames(kernel(text), 'k')?.join()).toBe(names)
  })
  test.each([
    ['no name', kernel('int, float* x')],
    ['one twice', kernel('int x, float* x')],
    ['no kernel', 'void k(int x) {}'],
    ['another', '__global__ void kk(int x) {}'],
    ['two that differ', `${kernel('int x')} namespace n { ${kernel('int y')} }`],
    ['a list that does not end', '__global__ void k(int x, '],
    ['a call', '__global__ void j(int x) { k(x); }'],
  ])('%s: none', (_, text) => {
    expect(parameterNames(text, 'k')).toBe(null)
  })
  test('a declaration before the definition, templates, namespaces, bounds', () => {
    const text = `__global__ void k(int x);\ntemplate <typename T, int N>\n__global__ void __launch_bounds__(128, 2) k(int x) {}`
    expect(parameterNames(text, 'k')).toEqual(['x'])
  })
  test('the kernels of CUDA have as many names as their PTX has parameters', () => {
    let found = 0
    for (const name of kernelNames) {
      const names = parameterNames(fileText(`${name}/${name}.cu`), name)
      const entry = functionsOf(right(parseModule(fileText(`${name}/${name}.ptx`)))).find(
        (f) => f.kind === 'entry',
      )
      if (names === null) continue
      expect([name, names.length]).toEqual([name, entry?.parameters?.length])
      found++
    }
    expect(found).toBeGreaterThan(kernelNames.length - 5)
  })
  test('law 1: it is total', () => {
    const piece = fc.constantFrom(
      '__global__ ',
      'k',
      '(',
      ')',
      '<',
      '>',
      ',',
      ' int ',
      'x',
      '=',
      '"',
      "'",
      '/*',
      '*/',
      '//',
      '\n',
      '{',
      '}',
      ';',
      '[',
      ']',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const names = parameterNames(pieces.join(''), 'k')
        if (names === null) return
        expect(new Set(names).size).toBe(names.length)
        for (const n of names) expect(n).toMatch(/^[A-Za-z_]\w*$/u)
      }),
      { numRuns: 2000, seed: 47 },
    )
  })
})
