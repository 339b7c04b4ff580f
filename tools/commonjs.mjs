// The CommonJS half of the package says that it is.
import { writeFileSync } from 'node:fs'

writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n')
