// An agent, an event, a generation is named; it is no somebody. `npm run check` calls this.
import console from 'node:console'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const words = /\b(whoever|somebody|nobody)\b/i

const filesIn = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path]

const found = filesIn('src').flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, i) => (words.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
)
for (const line of found) console.error(line)
if (found.length > 0) {
  console.error(`${found.length} lines speak of somebody: name the agent, the event, the generation`)
  process.exit(1)
}
