/**
 * Names of C++ as their author wrote them, from the symbols that a compiler makes of them (Itanium C++ ABI, which nvcc follows).
 *
 *     _Z9block_sumPKfS0_i               block_sum(const float*, const float*, int)
 *     _ZN3gem5scaleIfLi4EEEvPT_i        gem::scale<float, 4>(float*, int)
 *
 * An author knows `block_sum` and not its symbol. What is shown to people is therefore the name, and `--entry block_sum` takes it; the symbol stays what a
 * document says. It is our own because what there is for Node is compiled C++ or follows another ABI.
 *
 * The grammar is read from left to right, once. What is read is a text on the left and a text on the right of the place where a name would stand: `void (*` and
 * `)(int)`. Types that may come again are numbered as they are read (S_, S0_, ...), and so are template arguments (T_, T0_, ...).
 *
 * Not read: expressions over template arguments (`X ... E`, decltype), and operators other than a call. Then there is no name, and the symbol is shown.
 *
 * Laws
 * 1. It is total: any text is a name or null, in time that is linear in the text and in what it gives, which is no longer than `mostText`.
 * 2. With `const` behind its type it prints what `c++filt` prints.
 *
 * Source: Itanium C++ ABI, section 5.1 (mangling).
 */

/** A function by the parts of its name. */
export interface CxxName {
  /** with its namespaces and its template arguments */
  readonly name: string
  /** null: the symbol says none, as for data */
  readonly parameters: ReadonlyArray<string> | null
  /** of a function template its result */
  readonly returns: string | null
}

/** Where `const` stands beside a type that is no pointer. */
export type ConstAt = 'before' | 'after'

/** Around the place where a name would stand. `simple`: `const` may stand before it. */
interface Type {
  readonly left: string
  readonly right: string
  readonly simple: boolean
  /** `const` and the like of the type itself, as it stands in `left` */
  readonly cv: string
  /** a function or an array needs parentheses behind a star */
  readonly group: boolean
}

/** Longest text that is given, and deepest nesting that is followed. */
export const mostText = 4096
const deepest = 64

const builtin: Readonly<Record<string, string>> = {
  v: 'void',
  w: 'wchar_t',
  b: 'bool',
  c: 'char',
  a: 'signed char',
  h: 'unsigned char',
  s: 'short',
  t: 'unsigned short',
  i: 'int',
  j: 'unsigned int',
  l: 'long',
  m: 'unsigned long',
  x: 'long long',
  y: 'unsigned long long',
  n: '__int128',
  o: 'unsigned __int128',
  f: 'float',
  d: 'double',
  e: 'long double',
  g: '__float128',
  z: '...',
}

const twoLetters: Readonly<Record<string, string>> = {
  Dn: 'decltype(nullptr)',
  Di: 'char32_t',
  Ds: 'char16_t',
  Du: 'char8_t',
  Da: 'auto',
  Dh: 'half',
}

const abbreviated: Readonly<Record<string, string>> = {
  t: 'std',
  a: 'std::allocator',
  b: 'std::basic_string',
  s: 'std::string',
  i: 'std::istream',
  o: 'std::ostream',
  d: 'std::iostream',
}

const suffixOf: Readonly<Record<string, string>> = { i: '', j: 'u', l: 'l', m: 'ul', x: 'll', y: 'ull' }

const lookUp = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

const plain = (text: string): Type => ({ left: text, right: '', simple: true, cv: '', group: false })
const nothing = plain('')

/** A name with what the signature needs to know of it. */
interface Name {
  readonly text: string
  /** its last part has template arguments: a result stands before the parameters */
  readonly isTemplate: boolean
  /** a constructor, a destructor or a conversion has no result */
  readonly isBare: boolean
}

const noName: Name = { text: '', isTemplate: false, isBare: true }

const reader = (symbol: string, constAt: ConstAt) => {
  let at = 0
  let depth = 0
  let size = 0
  let ok = true
  const known: Type[] = []
  /** template arguments of the last name that has some; a pack is several */
  let given: ReadonlyArray<ReadonlyArray<Type>> = []

  const fail = (): void => {
    ok = false
  }
  const here = (text: string): boolean => ok && symbol.startsWith(text, at)
  const take = (text: string): boolean => {
    if (!here(text)) return false
    at += text.length
    return true
  }
  /** What grows is counted: a symbol of some bytes can mean a text of gigabytes. */
  const grown = (text: string): string => {
    size += text.length
    if (text.length > mostText || size > 64 * mostText) fail()
    return ok ? text : ''
  }
  const nested = <A>(otherwise: A, read: () => A): A => {
    if (depth >= deepest) fail()
    if (!ok) return otherwise
    depth += 1
    const found = read()
    depth -= 1
    return found
  }
  const textOf = (t: Type): string => grown(`${t.left}${t.right}`)
  const remember = (t: Type): Type => {
    known.push(t)
    return t
  }

  /** Digits; null: there are none. */
  const digits = (): number | null => {
    const from = at
    while (at < symbol.length && /\d/u.test(symbol[at]!)) at += 1
    return at === from || at - from > 6 ? null : Number(symbol.slice(from, at))
  }
  /** `_` is 0, `0_` is 1, ... in base 36. */
  const sequence = (): number => {
    if (take('_')) return 0
    const end = symbol.indexOf('_', at)
    const text = end < 0 ? '' : symbol.slice(at, end)
    if (!/^[0-9A-Z]{1,4}$/u.test(text)) {
      fail()
      return 0
    }
    at = end + 1
    return parseInt(text, 36) + 1
  }

  const sourceName = (): string => {
    const length = digits()
    const text = length === null ? '' : symbol.slice(at, at + length)
    if (length === null || length === 0) {
      fail()
      return ''
    }
    at += length
    return /^_GLOBAL_[._$]N/u.test(text) ? '(anonymous namespace)' : text
  }

  /** The last part of a name; `before` is that of its class. */
  const unqualified = (before: string): Name => {
    take('L')
    const isBare = /^(C[123]|D[012])/u.test(symbol.slice(at, at + 2))
    let text: string
    if (isBare) {
      const own = before.replace(/<.*$/su, '').replace(/^.*::/su, '')
      text = `${symbol[at] === 'D' ? '~' : ''}${own}`
      at += 2
    } else if (take('cl')) text = 'operator()'
    else if (take('Ul')) {
      const parameters = signature()
      const number = take('E') ? sequence() + 1 : 0
      if (number === 0) fail()
      text = `{lambda(${parameters.join(', ')})#${String(number)}}`
    } else if (take('Ut')) text = `{unnamed type#${String(sequence() + 1)}}`
    else text = sourceName()
    while (take('B')) text = `${text}[abi:${sourceName()}]`
    return { text: grown(text), isTemplate: false, isBare }
  }

  /** `I ... E` as a text. */
  const templateArguments = (): string => {
    const all: ReadonlyArray<Type>[] = []
    while (ok && !take('E')) all.push(templateArgument())
    given = all
    return grown(`<${all.flatMap((a) => a.map(textOf)).join(', ')}>`)
  }

  const templateArgument = (): ReadonlyArray<Type> =>
    nested<ReadonlyArray<Type>>([], () => {
      if (take('J')) {
        const pack: Type[] = []
        while (ok && !take('E')) for (const one of templateArgument()) pack.push(one)
        return pack
      }
      if (take('L')) return [plain(literal())]
      // the address of a function is the one expression that is read
      if (take('XadL_Z')) {
        const inner = encoding()
        if (!take('EE')) fail()
        return [plain(grown(`&(${shown(inner)})`))]
      }
      return [type()]
    })

  const literal = (): string => {
    if (take('_Z')) {
      const inner = encoding()
      if (!take('E')) fail()
      return `&${inner.name}`
    }
    const code = symbol[at] ?? ''
    const of = type()
    const minus = take('n') ? '-' : ''
    const end = symbol.indexOf('E', at)
    const digitsHere = end < 0 ? '' : symbol.slice(at, end)
    if (end < 0 || !/^[0-9a-f]{0,32}$/u.test(digitsHere)) {
      fail()
      return ''
    }
    at = end + 1
    if (code === 'b')
      return digitsHere === '1' ? 'true' : digitsHere === '0' ? 'false' : `(bool)${digitsHere}`
    const suffix = lookUp(suffixOf, code)
    return suffix === undefined
      ? grown(`(${textOf(of)})${minus}${digitsHere}`)
      : `${minus}${digitsHere}${suffix}`
  }

  const substitution = (): Type => {
    // behind the S
    const abbreviation = lookUp(abbreviated, symbol[at] ?? '')
    if (abbreviation !== undefined) {
      at += 1
      return plain(abbreviation)
    }
    const found = known[sequence()]
    if (found === undefined) fail()
    return found ?? nothing
  }

  const templateParameter = (): ReadonlyArray<Type> => {
    // behind the T
    const found = given[sequence()]
    if (found === undefined) fail()
    return found ?? []
  }

  /** `N ... E`, behind the N. */
  const nestedName = (): Name => {
    while (/^[rVK]$/u.test(symbol[at] ?? '')) at += 1
    if (here('R') || here('O')) at += 1
    let text = ''
    let last = noName
    let isKnown = false
    while (ok && !take('E')) {
      if (take('S')) {
        const isStd = here('t')
        if (text !== '') fail()
        text = textOf(substitution())
        isKnown = !isStd
        continue
      }
      if (take('T')) {
        if (text !== '') fail()
        text = templateParameter().map(textOf).join(', ')
        remember(plain(text))
        isKnown = true
        continue
      }
      if (take('I')) {
        if (text === '') fail()
        text = grown(`${text}${templateArguments()}`)
        last = { text, isTemplate: true, isBare: last.isBare }
      } else {
        last = unqualified(text)
        text = grown(text === '' ? last.text : `${text}::${last.text}`)
      }
      remember(plain(text))
      isKnown = true
    }
    // the whole is no prefix of anything; as a type it is remembered again
    if (isKnown && last !== noName) known.pop()
    return { text, isTemplate: last.isTemplate, isBare: last.isBare }
  }

  const name = (): Name =>
    nested(noName, () => {
      if (take('N')) return nestedName()
      if (take('Z')) {
        const outer = encoding()
        if (!take('E')) fail()
        const outerText = shown(outer)
        if (take('s')) return { text: outerText, isTemplate: false, isBare: true }
        const inner = name()
        if (take('_')) digits()
        return {
          text: grown(`${outerText}::${inner.text}`),
          isTemplate: inner.isTemplate,
          isBare: inner.isBare,
        }
      }
      let text: string
      if (here('S') && !here('St')) {
        at += 1
        text = textOf(substitution())
      } else {
        const isStd = take('St')
        const one = unqualified('')
        text = isStd ? `std::${one.text}` : one.text
        if (here('I')) remember(plain(text))
      }
      if (!take('I')) return { text, isTemplate: false, isBare: false }
      return { text: grown(`${text}${templateArguments()}`), isTemplate: true, isBare: false }
    })

  const withCv = (t: Type, cv: string): Type => {
    // const of what is const, as a parameter of a template may be, is said once
    const more = [...new Set(cv.split(' '))].filter((word) => !t.cv.split(' ').includes(word)).join(' ')
    if (more === '') return t
    const all = t.cv === '' ? more : `${t.cv} ${more}`
    return t.simple && constAt === 'before'
      ? { left: grown(`${more} ${t.left}`), right: t.right, simple: true, cv: all, group: false }
      : { left: grown(`${t.left} ${more}`), right: t.right, simple: t.simple, cv: all, group: t.group }
  }

  const pointed = (t: Type, mark: string): Type =>
    t.group
      ? {
          left: grown(`${t.left}${t.left.endsWith('(') ? '' : '('}${mark}`),
          right: grown(`)${t.right.startsWith('[') ? ' ' : ''}${t.right}`),
          simple: false,
          cv: '',
          group: false,
        }
      : { left: grown(`${t.left}${mark}`), right: t.right, simple: false, cv: '', group: false }

  const type = (): Type =>
    nested(nothing, () => {
      const code = symbol[at] ?? ''
      const simple = lookUp(builtin, code)
      if (simple !== undefined) {
        at += 1
        return plain(simple)
      }
      const two = lookUp(twoLetters, symbol.slice(at, at + 2))
      if (two !== undefined) {
        at += 2
        return plain(two)
      }
      if (take('DF16_')) return plain('_Float16')
      if (take('DF16b')) return plain('std::bfloat16_t')
      if (/^[rVK]$/u.test(code)) {
        let cv = ''
        while (/^[rVK]$/u.test(symbol[at] ?? '')) {
          const word = symbol[at] === 'K' ? 'const' : symbol[at] === 'V' ? 'volatile' : '__restrict__'
          cv = cv === '' ? word : constAt === 'before' ? `${word} ${cv}` : `${word} ${cv}`
          at += 1
        }
        return remember(withCv(type(), cv))
      }
      if (take('P')) return remember(pointed(type(), '*'))
      if (take('R')) return remember(pointed(type(), '&'))
      if (take('O')) return remember(pointed(type(), '&&'))
      if (take('A')) {
        const extent = digits()
        if (!take('_')) fail()
        const of = type()
        return remember({
          left: grown(`${of.left} `),
          right: grown(`[${extent === null ? '' : String(extent)}]${of.right}`),
          simple: false,
          cv: '',
          group: true,
        })
      }
      if (take('F')) {
        take('Y')
        const returns = type()
        const parameters = signature()
        if (!take('E')) fail()
        return remember({
          left: grown(`${textOf(returns)} `),
          right: grown(`(${parameters.join(', ')})`),
          simple: false,
          cv: '',
          group: true,
        })
      }
      if (take('Dp')) return type()
      if (take('T')) {
        const found = templateParameter()
        const one: Type =
          found.length === 1
            ? found[0]!
            : { left: found.map(textOf).join(', '), right: '', simple: true, cv: '', group: false }
        remember(one)
        if (!take('I')) return one
        return remember(plain(grown(`${textOf(one)}${templateArguments()}`)))
      }
      if (here('S') && !here('St')) {
        at += 1
        const found = substitution()
        return take('I') ? remember(plain(grown(`${textOf(found)}${templateArguments()}`))) : found
      }
      if (take('u')) return remember(plain(sourceName()))
      if (/^[NZS\d]$/u.test(code)) {
        // arguments of a type's own template are not those of the function
        const before = given
        const found = name().text
        given = before
        return remember(plain(found))
      }
      fail()
      return nothing
    })

  /** Types up to the end of what they are in. */
  const signature = (): ReadonlyArray<string> => {
    const all: string[] = []
    while (ok && at < symbol.length && !here('E') && !here('.')) all.push(textOf(type()))
    return all.length === 1 && all[0] === 'void' ? [] : all
  }

  const encoding = (): CxxName =>
    nested<CxxName>({ name: '', parameters: null, returns: null }, () => {
      const own = name()
      if (!ok || at >= symbol.length || here('E') || here('.'))
        return { name: own.text, parameters: null, returns: null }
      const returns = own.isTemplate && !own.isBare ? textOf(type()) : null
      return { name: own.text, parameters: signature(), returns }
    })

  const shown = ({ name: own, parameters }: CxxName): string =>
    parameters === null ? own : grown(`${own}(${parameters.join(', ')})`)

  return (): CxxName | null => {
    if (!take('_Z')) return null
    const found = encoding()
    // a compiler's own clone has a dot behind its symbol
    return ok && (at === symbol.length || here('.')) && found.name !== '' ? found : null
  }
}

/** The parts of a name; null: the text is no symbol of C++, or one that is not read. */
export const cxxName = (symbol: string, constAt: ConstAt = 'before'): CxxName | null =>
  symbol.length > mostText ? null : reader(symbol, constAt)()

/** `block_sum(const float*, int)`; of what is no symbol of C++ the text itself. */
export const shownName = (symbol: string): string => {
  const found = cxxName(symbol)
  return found === null
    ? symbol
    : found.parameters === null
      ? found.name
      : `${found.name}(${found.parameters.join(', ')})`
}

/** A name that is no longer is told whole. */
const longName = 64

/**
 * A shown name for a line of text: of a long one, its last part without template arguments and parameters. `DeviceScanKernel<...>(...)`.
 */
export const briefName = (shown: string): string => {
  if (shown.length <= longName) return shown
  let depth = 0
  let out = ''
  for (const c of shown) {
    if (c === '>' || c === ')') depth = Math.max(0, depth - 1)
    if (depth === 0) out += c === '<' || c === '(' ? `${c}...` : c
    if (c === '<' || c === '(') depth++
  }
  return out.replace(/^.*::/su, '').replace('(...)', '')
}

/** Whether a person may mean this symbol by a name: the symbol, the name with its parameters, without them, or without namespaces and template arguments. */
export const isCalled = (symbol: string, said: string): boolean => {
  if (symbol === said) return true
  const found = cxxName(symbol)
  if (found === null) return false
  const close = (text: string): string => text.replace(/\s+/gu, '')
  const whole = shownName(symbol)
  const bare = found.name.replace(/<.*$/su, '')
  return [whole, found.name, bare, bare.replace(/^.*::/su, '')].some((text) => close(text) === close(said))
}
