/**
 * Names of C++: against what `c++filt -i` (GNU binutils 2.40) prints for symbols that nvcc 13.0 makes of kernels of our own, and for some by hand, with `> >` closed up.
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { cxxName, isCalled, mostText, shownName } from '../../../src/dialects/ptx/names/itanium.js'
import { entryNamed } from '../../../src/dialects/ptx/names/entries.js'

/** The symbol, and the name. */
const table: ReadonlyArray<readonly [string, string]> = [
  ['_Z9block_sumPKfS0_i', 'block_sum(float const*, float const*, int)'],
  [
    '_Z3fnpPFviPfEPA4_iRA3_iPViPVKcS_',
    'fnp(void (*)(int, float*), int (*) [4], int (&) [3], int volatile*, char const volatile*, float*)',
  ],
  ['_Z4nonev', 'none()'],
  [
    '_Z2hsP6__halfP13__nv_bfloat167__half2ylhablm',
    'hs(__half*, __nv_bfloat16*, __half2, unsigned long long, long, unsigned char, signed char, bool, long, unsigned long)',
  ],
  ['_Z4statPi', 'stat(int*)'],
  ['_Z2ff6float4P4int34dim3', 'ff(float4, int3*, dim3)'],
  ['_Z4intsIJLi1ELi2ELi3EEEvPi', 'void ints<1, 2, 3>(int*)'],
  ['_Z2fpIXadL_Z2sqfEEEvPf', 'void fp<&(sq(float))>(float*)'],
  ['_Z5copykIfEvPKT_PS0_S0_', 'void copyk<float>(float const*, float*, float)'],
  ['_Z5copykIPKiEvPKT_PS2_S2_', 'void copyk<int const*>(int const* const*, int const**, int const*)'],
  ['_ZN3gem5scaleIfLi4EEEvPT_i', 'void gem::scale<float, 4>(float*, int)'],
  ['_ZN3gem5scaleIdLin3EEEvPT_i', 'void gem::scale<double, -3>(double*, int)'],
  ['_ZN3gem2stENS_1PEPKS0_RS0_', 'gem::st(gem::P, gem::P const*, gem::P&)'],
  [
    '_ZN3gem2pkILNS_1ME1ELb1ELj7EJiPKfNS_1PEEEEvDpT2_',
    'void gem::pk<(gem::M)1, true, 7u, int, float const*, gem::P>(int, float const*, gem::P)',
  ],
  [
    '_ZN3gem2tvENS_1VIfEENS0_INS0_IiEEEEPNS1_1WIdEEPKPKS1_',
    'gem::tv(gem::V<float>, gem::V<gem::V<int>>, gem::V<float>::W<double>*, gem::V<float> const* const*)',
  ],
  ['_ZN3gem2ttINS_1VEfEEvT_IT0_E', 'void gem::tt<gem::V, float>(gem::V<float>)'],
  ['_ZN3gem2apIZ4hostvEUliE_EEvT_i', 'void gem::ap<host()::{lambda(int)#1}>(host()::{lambda(int)#1}, int)'],
  ['_Z1fI1XEvNT_1yE', 'void f<X>(X::y)'],
  ['_ZN1AC1Ev', 'A::A()'],
  ['_ZN1AC2ERKS_', 'A::A(A const&)'],
  ['_ZN1AC3Ev', 'A::A()'],
  ['_ZN1AD0Ev', 'A::~A()'],
  ['_ZN1AD1Ev', 'A::~A()'],
  ['_ZN1AD2Ev', 'A::~A()'],
  ['_ZN1A1BD1Ev', 'A::B::~B()'],
  ['_ZN3foo1BIiEC1Ei', 'foo::B<int>::B(int)'],
  ['_ZN3foo1BIiED2Ev', 'foo::B<int>::~B()'],
  ['_ZN3foo1BINS_1CIiEEEC1Ev', 'foo::B<foo::C<int>>::B()'],
  ['_ZN1AC1B3abcEv', 'A::A[abi:abc]()'],
  ['_ZN1AclEi', 'A::operator()(int)'],
  ['_ZZ1fvENUliE_clEi', 'f()::{lambda(int)#1}::operator()(int)'],
  ['_ZZ1fvENUliE0_clEi', 'f()::{lambda(int)#2}::operator()(int)'],
  ['_ZN1AUt0_1fEv', 'A::{unnamed type#2}::f()'],
  ['_Z1fB3abcv', 'f[abi:abc]()'],
  ['_Z1fRVKi', 'f(int const volatile&)'],
  ['_Z1fPVi', 'f(int volatile*)'],
  ['_ZN37_GLOBAL__N__587d583e_5_dm_cu_0f63b6f64anonEPi', '(anonymous namespace)::anon(int*)'],
]

/** As c++filt puts it: with the result of a template, and `const` behind its type. */
const filtered = (symbol: string): string => {
  const found = cxxName(symbol, 'after')
  return found === null
    ? symbol
    : `${found.returns === null ? '' : `${found.returns} `}${found.name}${found.parameters === null ? '' : `(${found.parameters.join(', ')})`}`
}

describe('what c++filt prints', () => {
  it.each(table)('%s', (symbol, name) => {
    expect(filtered(symbol)).toBe(name)
  })
})

/**
 * Symbols that are one change away from these: cut short, without a letter, with two exchanged, or with another letter. What c++filt prints for all of them
 * that it names, and that it names so many, is held by its digest; a symbol that is no name stays as it is.
 */
const beside: ReadonlyArray<readonly [string, number, string]> = [
  ['_Z9block_sumPKfS0_i', 67, 'a1fbfb18a5dee399'],
  ['_Z3fnpPFviPfEPA4_iRA3_iPViPVKcS_', 79, '32db4c6fa589a01f'],
  ['_Z4nonev', 34, '5ff98642f44cdbbf'],
  ['_Z2hsP6__halfP13__nv_bfloat167__half2ylhablm', 235, '5bce1fb118b576c9'],
  ['_Z4statPi', 38, '4c820bdf8fdad797'],
  ['_Z2ff6float4P4int34dim3', 120, '6208673e178933c1'],
  ['_Z5copykIfEvPKT_PS0_S0_', 52, '3e812d5c43edb96a'],
  ['_Z5copykIPKiEvPKT_PS2_S2_', 59, '3da5647bc9216f5b'],
  ['_ZN3gem2stENS_1PEPKS0_RS0_', 52, 'a462ff25b0a032bc'],
  ['_ZN3gem2tvENS_1VIfEENS0_INS0_IiEEEEPNS1_1WIdEEPKPKS1_', 73, '4e91314774b831d4'],
  ['_ZN3gem2ttINS_1VEfEEvT_IT0_E', 45, 'd9d994ee520cab21'],
  ['_ZN3gem2apIZ4hostvEUliE_EEvT_i', 72, '2e0381c3a9c4062a'],
]
/** Of these c++filt says something else: operators, qualified arrays and functions, and templates that lack their parameters. */
const otherwise: ReadonlySet<string> = new Set([
  '_Z3fnpKFviPfEPA4_iRA3_iPViPVKcS_',
  '_Z3fnpPFviPfEKA4_iRA3_iPViPVKcS_',
  '_Z3fnpPFviPfEPA4_iKA3_iPViPVKcS_',
  '_Z3fnpPFviPfEPA4_iRA3_iPViKVKcS_',
  '_ZstatPi',
  '_Z5copykIfEv',
  '_Z5copykIPKiEv',
  '_ZN3em2stENS_1PEPKS0_RS0_',
  '_ZN3gm2stENS_1PEPKS0_RS0_',
  '_ZN3ge2stENS_1PEPKS0_RS0_',
  '_ZN3gemstENS_1PEPKS0_RS0_',
  '_ZN3gem2tvENS_1VIfEEFS0_INS0_IiEEEEPNS1_1WIdEEPKPKS1_',
  '_ZN3gem2tvENS_1VIfEENS0_IFS0_IiEEEEPNS1_1WIdEEPKPKS1_',
  '_ZN3gem2tvENS_1VIfEENS0_INS0_IiEEEEPNK1_1WIdEEPKPKS1_',
  '_ZN3gem2ttINS_1VEfEET_IT0_E',
  '_ZN3gem2ttINS_1VEfEEKT_IT0_E',
  '_ZN3gem2ttINS_1VEfEEv',
  '_ZN3gem2ttINS_1VEfEEvT_FT0_E',
  '_ZN3gem2apIZ4hostvEUlE_EEvT_i',
  '_ZN3gem2apIZ4hostvEUlEE_EEvT_i',
  '_ZN3gem2apIZ4hostvEUliE_EEv',
])
const changesOf = (s: string): ReadonlyArray<string> => [
  ...new Set(
    Array.from({ length: s.length - 2 }, (_, k) => k + 2).flatMap((i) => [
      s.slice(0, i),
      s.slice(0, i) + s.slice(i + 1),
      s.slice(0, i) + (s[i + 1] ?? '') + s[i]! + s.slice(i + 2),
      ...['T', 'S', '_', 'F', 'K', 'E'].map((c) => s.slice(0, i) + c + s.slice(i + 1)),
    ]),
  ),
]
test.each(beside)('all changes of %s', (symbol, count, digest) => {
  const changes = changesOf(symbol).filter((s) => !otherwise.has(s))
  expect(changes.filter((s) => filtered(s) !== s).length).toBe(count)
  const text = changes.map((s) => `${s} ${filtered(s)}`).join('\n')
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
})
test('const of what is const already is said once', () => {
  expect(filtered('_Z5copykIKiEvPKT_PS0_')).toBe('void copyk<int const>(int const*, int const*)')
  expect(shownName('_Z5copykIKiEvPKT_PS1_')).toBe('copyk<const int>(const int*, const int*)')
  expect(filtered('_Z5copykIKPiEvPKT_')).toBe('void copyk<int* const>(int* const*)')
  expect(filtered('_Z5copykIViEvPKT_')).toBe('void copyk<int volatile>(int volatile const*)')
})

test('what an author wrote', () => {
  expect(shownName('_Z9block_sumPKfS0_i')).toBe('block_sum(const float*, const float*, int)')
  expect(shownName('_ZN3gem5scaleIfLi4EEEvPT_i')).toBe('gem::scale<float, 4>(float*, int)')
  expect(shownName('_Z5copykIPKiEvPKT_PS2_S2_')).toBe(
    'copyk<const int*>(const int* const*, const int**, const int*)',
  )
  for (const symbol of ['block_sum', '', '_Z', '_Zq', '_Z3ab', '_Z1fIXplT_Li1EEEvv', '_Z1fS_', '_Z1fT_'])
    expect(shownName(symbol)).toBe(symbol)
})

test('any text is a name or null, and no longer than it may be', () => {
  const letters = '_ZNKSTILEJPROAFXDUC0123456789abcdefghijklmnopqrstuvwxyz$.'.split('')
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 60 }), (word) => {
      const found = cxxName(`_Z${word.join('')}`)
      expect(found === null || found.name.length <= mostText).toBe(true)
    }),
    { numRuns: 2000 },
  )
  // each type doubles the one before
  const doubled = `_Z1f${Array.from({ length: 40 }, (_, k) => `FvS${k === 0 ? '' : (2 * k - 1).toString(36).toUpperCase()}_S_E`).join('')}`
  expect(cxxName(doubled)).toBe(null)
  for (const deep of ['P', 'N', 'Z1f', 'I', 'F', '1aI', 'A_', 'K'])
    expect(cxxName(`_Z1f${deep.repeat(Math.floor(4000 / deep.length))}`)).toBe(null)
  expect(cxxName(`_Z1f${'P'.repeat(mostText)}i`)).toBe(null)
})

test('an entry by its name, where one has it', () => {
  const [sum, one, two] = ['_Z9block_sumPKfS0_i', '_ZN3gem5scaleIfLi4EEEvPT_i', '_ZN3gem5scaleIdLin3EEEvPT_i']
  const all = [sum!, one!, two!, 'plain']
  const named = (said: string | null, of = all): string => {
    const found = entryNamed(of, said)
    return found._tag === 'Right' ? found.right : found.left.message
  }
  for (const symbol of all) expect(named(symbol)).toBe(symbol)
  for (const said of ['block_sum', 'block_sum(const float*,const float*,int)']) expect(named(said)).toBe(sum)
  expect([named('gem::scale<float, 4>'), named('gem::scale<float,4>')]).toEqual([one, one])
  expect(named('scale')).toBe(
    '2 entries are called scale: gem::scale<float, 4>(float*, int), gem::scale<double, -3>(double*, int)',
  )
  expect(named('scale', [one!, 'scale'])).toBe('scale')
  expect(named('sum')).toMatch(/^there is no entry sum; there is block_sum\(const float\*/u)
  expect(named(null)).toMatch(/^expected the name of one of 4 entries/u)
  expect(named(null, [sum!])).toBe(sum)
  expect(isCalled('plain', 'lain')).toBe(false)
})
