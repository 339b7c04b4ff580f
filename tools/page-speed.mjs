// How long a reader with a slow connection waits: Chromium's own throttling, and the bytes that came until the first verdict was there.
//
//     node tools/page-speed.mjs                     site/dist, at 1.6 Mbit/s with 150 ms of latency and a processor four times slower
//     node tools/page-speed.mjs --runs=5            the median of so many runs
//     node tools/page-speed.mjs --hash='#/check?kernel=zoo/W3'
//     node tools/page-speed.mjs FOLDER --plain      another folder; without the compressed files that lie beside
//
// Chromium slows the thread that draws and no worker, so what workers took is added to the verdict three times more.
import console from 'node:console'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sirv from 'sirv'

const flags = process.argv.slice(2)
const valueOf = (name, otherwise) =>
  flags.find((f) => f.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise
const folder =
  flags.find((f) => !f.startsWith('--')) ?? fileURLToPath(new URL('../site/dist', import.meta.url))
const isPlain = flags.includes('--plain')
const runs = Number(valueOf('runs', '3'))
const hash = valueOf('hash', '#/check')
const press = valueOf('press', '')
const slower = 4

if (!isPlain && !existsSync(join(folder, 'page.js.br'))) {
  console.error(
    `${folder}: no compressed files; \`npm run site\` makes them, \`npm run build\` does not, and --plain measures without them`,
  )
  process.exit(2)
}
const files = sirv(folder, { gzip: !isPlain, brotli: !isPlain })
const server = createServer((request, response) => files(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})

/** One reader who has never been here. */
const visit = async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
  let bytes = 0
  let began = null
  const came = []
  const asked = new Map()
  devtools.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    began ??= timestamp
    const name = request.url.replace(/^.*\//, '').replace(/#.*$/, '')
    asked.set(requestId, { name: name || 'index.html', at: timestamp - began })
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
    bytes += encodedDataLength
    const { name, at } = asked.get(requestId) ?? { name: '?', at: NaN }
    const [from, to] = [at, timestamp - began].map((s) => s.toFixed(2))
    came.push(`${name.padEnd(14)} ${encodedDataLength.toLocaleString('en').padStart(8)}   ${from} to ${to} s`)
  })
  await page.goto(`http://127.0.0.1:${String(port)}/index.html${hash}`, { waitUntil: 'commit' })
  if (press !== '') await page.getByRole('button', { name: press }).first().click()
  await page.locator('section[aria-label="verdict"] .badge').first().waitFor({ timeout: 120_000 })
  const verdict = await page.evaluate(() => performance.now())
  const upToVerdict = { bytes, files: [...came] }
  const { content, workers } = await page.evaluate(() => ({
    content: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    workers: performance
      .getEntriesByType('measure')
      .filter(({ name }) => name.startsWith('machine'))
      .map(({ name, duration }) => [name, duration]),
  }))
  await context.close()
  return { content, verdict, ...upToVerdict, workers }
}

const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`
const visits = []
for (let k = 0; k < runs; k++) visits.push(await visit())
await browser.close()
server.close()
const busy = ({ workers }) => workers.reduce((ms, [, took]) => ms + took, 0)
console.log(`first content             ${seconds(middle(visits.map((v) => v.content)))}`)
console.log(`first verdict             ${seconds(middle(visits.map((v) => v.verdict)))}`)
console.log(
  `  with workers 4x slower  ${seconds(middle(visits.map((v) => v.verdict + (slower - 1) * busy(v))))}`,
)
console.log(`bytes until then          ${middle(visits.map((v) => v.bytes)).toLocaleString('en')}`)
const last = visits.at(-1)
console.log(`  ${last.files.join('\n  ')}`)
for (const [name, took] of last.workers) console.log(`  ${name} ${took.toFixed(0)} ms`)
