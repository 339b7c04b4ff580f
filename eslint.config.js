import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import functional from 'eslint-plugin-functional'
import prettier from 'eslint-config-prettier'

/** fp-ts and io-ts have no exports map: only `lib/` with an extension resolves in native ESM. */
const libraryPaths = {
  patterns: [
    { regex: '^(fp-ts|io-ts)$', message: "import 'fp-ts/lib/X.js'" },
    { regex: '^(fp-ts|io-ts)/(?!lib/.*\\.js$)', message: "import 'fp-ts/lib/X.js'" },
  ],
}

/** The stack ends at some 100,000 arguments: what may be long is walked (`src/greatest.ts`), never spread into a call. */
const spreadsOfTheLong = {
  selector:
    'CallExpression[callee.object.name="Math"] > SpreadElement,' +
    ' CallExpression[callee.property.name=/^(push|unshift|concat|splice|fromCharCode|fromCodePoint)$/] > SpreadElement',
  message: 'no spread of a list into Math.max, push and the like: src/greatest.ts, or a loop',
}
const objectSpreads = {
  selector: 'ObjectExpression > SpreadElement',
  message: 'no object spread in semantics: one constructor, one literal',
}
/** What a finding is about is data: a row of `judging/hazards.ts`, a tag of an actor, a field of the log. Its words are for people. */
const matchesOfText = {
  selector:
    'Literal[regex], CallExpression[callee.property.name=/^(startsWith|endsWith|match|matchAll)$/],' +
    ' CallExpression[callee.property.name=/^(includes|indexOf|search)$/][callee.object.type!="ArrayExpression"][arguments.0.type=/^(Literal|TemplateLiteral)$/][arguments.0.raw!=/^(null|-?[0-9]+)$/]',
  message: 'no finding is recognised by its words, no barrier by a pattern: ask the data',
}
const defaultExports = { selector: 'ExportDefaultDeclaration', message: 'no default exports' }

export default tseslint.config(
  {
    ignores: [
      'dist',
      'bundle',
      'site/dist',
      'node_modules',
      'coverage',
      'conformance',
      '.dependency-cruiser.cjs',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strict,
  prettier,
  {
    files: ['src/**/*.ts'],
    plugins: { functional },
    rules: {
      'no-restricted-imports': ['error', libraryPaths],
      'functional/no-classes': 'error',
      'functional/no-this-expressions': 'error',
      'functional/prefer-property-signatures': 'error',
      'functional/no-throw-statements': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'no-restricted-syntax': ['error', defaultExports, spreadsOfTheLong],
    },
  },
  {
    // An impossible case is the one thing that may throw, and it throws in one place.
    files: ['src/failure.ts'],
    rules: { 'functional/no-throw-statements': 'off' },
  },
  {
    // The one module that attaches type indices to run-time data.
    files: ['src/semantics/language/index-types.ts'],
    rules: { '@typescript-eslint/consistent-type-assertions': 'off' },
  },
  {
    files: ['src/semantics/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', objectSpreads, defaultExports, spreadsOfTheLong],
    },
  },
  {
    files: ['src/semantics/judging/detector/**/*.ts', 'src/semantics/mutation/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', objectSpreads, defaultExports, spreadsOfTheLong, matchesOfText],
    },
  },
  {
    files: ['site/src/**/*.{ts,tsx}'],
    plugins: { functional },
    rules: {
      'no-restricted-imports': ['error', libraryPaths],
      'functional/no-classes': 'error',
      'functional/no-this-expressions': 'error',
      'functional/no-throw-statements': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      'no-restricted-syntax': ['error', defaultExports, spreadsOfTheLong],
      // a name of the page itself is a `var`
      'no-var': 'off',
    },
  },
  {
    files: [
      'proofs-by-test/**/*.ts',
      'proofs-in-browser/**/*.ts',
      'proofs-by-test/**/*.mjs',
      '*.config.ts',
      '*.config.js',
      'bench/**',
      'tools/site.mjs',
    ],
    languageOptions: {
      globals: { console: 'readonly', process: 'readonly', performance: 'readonly', URL: 'readonly' },
    },
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
)
