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
/**
 * What is known of a program is data: a row of `judging/hazards.ts`, a tag, a deed, a subject, a field of the log. Words are for people, so no verdict, no picture and no
 * search of mutants asks them. A format is another thing: what has a grammar is read where it is parsed, and those files are named below, each with its reason.
 */
const matchesOfText = {
  selector:
    'Literal[regex], CallExpression[callee.property.name=/^(startsWith|endsWith|match|matchAll)$/][callee.object.name!=/^[A-Z]/],' +
    ' CallExpression[callee.property.name=/^(includes|indexOf|search)$/][callee.object.type!="ArrayExpression"][arguments.0.type=/^(Literal|TemplateLiteral)$/][arguments.0.raw!=/^(null|true|false|-?[0-9]+)$/]',
  message:
    'nothing is recognised by its words: ask the data, or parse the format in the file that is allowed to',
}
/** Files that read a format, and which. */
const readers = {
  'semantics/language/field.ts': 'the notation of a field in the table of instructions',
  'semantics/language/nodes.ts': 'the notation of constants in the table of nodes',
  'semantics/language/print.ts': 'which names the text of a program quotes',
  'semantics/language/typecheck/constant.ts': 'a 64-bit integer in a document is decimal text',
  'semantics/execution/launch-warps.ts': 'a place in a source: file, line, column',
  'semantics/judging/lines.ts': 'a place in a source: file, line, column',
  'semantics/judging/agent-names.ts': 'the name of a warp: its number and its CTA',
  'semantics/judging/plane-name.ts': 'the name of a plane: space and CTA',
  'semantics/execution/policy-name.ts': 'names of policies, and a schedule that begins with its words',
  'semantics/execution/event-key.ts': 'the notation of an event in a schedule',
  'semantics/files/schedule-text.ts': 'the notation of a schedule',
  'semantics/files/trace/reader.ts': 'an error of the JSON parser, of which line ends are left out',
  'semantics/judging/silicon.ts': 'digits of a number in groups of three',
  'semantics/log/barrier-name.ts': 'the name of a barrier: storage and index',
  'semantics/machine/plane.ts': 'bytes in hexadecimal, `?` before what is not known',
  'semantics/verdict/otherwise.ts': 'bytes in hexadecimal, `?` before what is not known',
  'semantics/mending/candidates.ts': 'tags of the instructions of a family begin with its name',
  'semantics/warps/steering.ts': 'tags of the operations of a family begin with its name',
  'semantics/model/conditions.ts': 'the key of a meeting begins with its scope',
  'semantics/model/ends.ts': 'the key of a meeting begins with its scope',
  'semantics/host/litmus.ts': 'the notation of litmus tests',
  'semantics/model/litmus.ts': 'the notation of litmus tests',
  'semantics/schedules/explore/search.ts': 'the code of a fault: its room and its name',
  'semantics/schedules/naive/*.ts': 'the notation of skeletons, and their words',
  'render/grid.ts': 'a window: `4:8`',
  'render/hazards/listing.ts': 'the notation of an instruction',
  'render/ledger.ts': 'the name of a barrier: storage and index',
  'render/{litmus-document,litmus-svg,litmus}.ts': 'the notation of litmus tests',
  'render/recording/page.ts': 'text that is put into HTML',
  'render/swizzle.ts': 'escape sequences of a terminal take no room',
  'render/table.ts': 'digits of a number in groups of three',
  'render/text-width.ts': 'words of a paragraph',
}
const defaultExports = { selector: 'ExportDefaultDeclaration', message: 'no default exports' }

export default tseslint.config(
  {
    ignores: [
      'dist',
      'bundle',
      'lib',
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
      'no-restricted-syntax': ['error', objectSpreads, defaultExports, spreadsOfTheLong, matchesOfText],
    },
  },
  {
    files: ['src/render/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', defaultExports, spreadsOfTheLong, matchesOfText] },
  },
  ...Object.keys(readers).map((file) => ({
    files: [`src/${file}`],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...(file.startsWith('semantics/') ? [objectSpreads] : []),
        defaultExports,
        spreadsOfTheLong,
      ],
    },
  })),
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
    // Who calls a chapter that has not come can be stopped in no other way (the header says why that is right).
    files: ['site/src/machine/shelf.ts'],
    rules: { 'functional/no-throw-statements': 'off' },
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
      'tools/chapters.mjs',
      'tools/doors.mjs',
      'tools/questions.mjs',
      'tools/page-speed.mjs',
    ],
    languageOptions: {
      globals: { console: 'readonly', process: 'readonly', performance: 'readonly', URL: 'readonly' },
    },
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
)
