// What the page loads, compressed once for all: `page.js.br` and `page.js.gz` beside `page.js`.
//
// Servers that look for such files: sirv (`gzip`, `brotli`), nginx (`gzip_static on; brotli_static on;`), Caddy (`file_server { precompressed br gzip }`),
// Apache (MultiViews). GitHub Pages compresses by itself, with gzip.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import * as zlib from 'node:zlib'

/** A file that is smaller fits into a packet. */
const least = 1400

const compressed = (file) => {
  const bytes = readFileSync(file)
  if (bytes.length < least) return
  writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }))
  writeFileSync(
    `${file}.br`,
    zlib.brotliCompressSync(bytes, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  )
}

/** The scripts, styles and documents of a folder, and of those in it but the reference. */
export const compress = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}${entry.name}`
    if (entry.isDirectory() && entry.name !== 'api') compress(`${path}/`)
    else if (entry.isFile() && /\.(?:js|css|html|json)$/.test(entry.name)) compressed(path)
  }
}
