/** The guide: every page has a place, every link leads somewhere, and HTML says what the Markdown says. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import MiniSearch from 'minisearch'
import { guideFiles, guidePages, textOf } from '../../site/guide/build.js'
import { crossingsOf, hazardAnchor } from '../../site/guide/crossings.js'
import { highlighted, languageOf } from '../../site/guide/highlight.js'
import { targetOf } from '../../site/guide/links.js'
import { anchorOf, pageOf } from '../../site/guide/markdown.js'
import { addressOf, entries } from '../../site/guide/nav.js'
import { documentsOf } from '../../site/guide/search.js'
import { readAddress } from '../../site/src/address.js'
import { asked, options, wordsOf, type Document } from '../../site/src/search/model.js'
import { programName, zoo } from '../../src/kernels/broken/zoo/index.js'
import { evidence, type Needs } from '../../src/render/hazards/index.js'
import { hazardIds } from '../../src/semantics/judging/hazards.js'
import { clauses } from '../../src/semantics/model/index.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = guidePages({ root, tree: null, under: new Map() })
const files = guideFiles(root, pages, { head: '', header: '', scripts: '', withApi: false })
const texts = new Map(
  files.flatMap((f) => (typeof f.content === 'string' ? [[f.path, f.content] as const] : [])),
)

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#x27': "'",
  '#39': "'",
}
/** HTML without tags, its entities read. */
const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|amp|quot|#x27|#39);/g, (_, name: string) => named[name]!)

describe('the table of pages', () => {
  test('law 1: every file of docs/ has a row', () => {
    const sources = entries.map((e) => e.source)
    const docs = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'))
    expect(docs.filter((name) => !sources.includes(`docs/${name}`))).toEqual([])
    expect(sources.filter((s) => s.startsWith('docs/')).length).toBe(docs.length)
  })
  test('law 2: addresses are of one page each', () => {
    const all = entries.map((e) => addressOf(e.source))
    expect(new Set(all).size).toBe(all.length)
  })
})

describe('pages', () => {
  it('law 1: anchors are different, and those of the HTML', () => {
    for (const { entry, page } of pages) {
      const inHtml = [...page.html.matchAll(/<h[1-6] id="([^"]*)"/g)].map((m) => m[1])
      expect([entry.source, inHtml]).toEqual([entry.source, page.headings.map((h) => h.anchor)])
      expect([entry.source, new Set(inHtml).size]).toEqual([entry.source, inHtml.length])
    }
  })
  it('law 2: no word of a page is outside its sections, and none is lost in the HTML', () => {
    const words = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+/gu) ?? []
    for (const { entry, page } of pages) {
      const held = page.sections.map((s) => `${s.heading?.text ?? ''}\n${s.text}`).join('\n')
      // fences and tables have marks of their own, and links have targets
      const html = plain(
        page.html
          .replace(/<\/(td|th|tr|li|p|h\d|pre|figcaption)>/g, '\n')
          .replace(/<span class="path">.*?<\/span>/g, '')
          .replace(/<img[^>]* alt="([^"]*)"[^>]*>/g, '$1'),
      )
      const inHtml = words(html)
      const inSections = new Set(words(held))
      const captions = [...page.html.matchAll(/<figcaption>(.*?)<\/figcaption>/g)].flatMap((m) =>
        words(plain(m[1]!)),
      )
      expect([entry.source, inHtml.filter((w) => !inSections.has(w) && !captions.includes(w))]).toEqual([
        entry.source,
        [],
      ])
      const shown = new Set(inHtml)
      expect([entry.source, words(held).filter((w) => !shown.has(w))]).toEqual([entry.source, []])
      expect(inHtml.length).toBeGreaterThan(0)
      expect(textOf(root, entry).length).toBeGreaterThan(inHtml.length)
    }
  })
  it('every link leads to a page or a file of the site, and to an anchor of it', () => {
    const dead = [...texts].flatMap(([path, html]) =>
      [...html.matchAll(/<(?:a|img)[^>]* (?:href|src)="([^"]*)"/g)].flatMap(([, href]) => {
        if (/^https?:/.test(href!)) return []
        const { pathname, hash } = new URL(href!, `file:///${path}`)
        const target = pathname.slice(1)
        if (!files.some((f) => f.path === target)) return [`${path}: ${href!}`]
        const anchor = hash.slice(1)
        return anchor === '' || texts.get(target)?.includes(` id="${anchor}"`) === true
          ? []
          : [`${path}: ${href!}`]
      }),
    )
    expect(dead).toEqual([])
  })
  it('a table lies in a box that scrolls', () => {
    const tables = [...texts.values()].map((html) => [
      html.split('<table>').length,
      html.split('class="wide"').length,
    ])
    expect(tables.every(([a, b]) => a === b)).toBe(true)
    expect(tables.some(([a]) => a! > 10)).toBe(true)
  })
})

describe('links', () => {
  test.each([
    ['docs/Serve.md', 'Traces.md#fields', { to: 'page', href: 'Traces.html#fields' }],
    ['README.md', 'docs/Traces.md', { to: 'page', href: 'Traces.html' }],
    ['docs/Serve.md', '../README.md', { to: 'page', href: 'index.html' }],
    ['docs/Serve.md', '../schemas/trace.schema.json', { to: 'page', href: 'Schemas.html#trace' }],
    ['docs/Sweeps.md', 'sweeps/slurm.sbatch', { to: 'file', href: 'sweeps/slurm.sbatch' }],
    ['docs/Python.md', '../python/tcspec/traces.py', { to: 'source', path: 'python/tcspec/traces.py' }],
    ['docs/Traces.md', '#fields', { to: 'page', href: '#fields' }],
    ['README.md', 'https://example.org/x#y', { to: 'away', href: 'https://example.org/x#y' }],
  ])('%s: %s', (source, href, target) => {
    expect(targetOf(source, href)).toEqual(target)
  })
  it('of a file of the sources: its path, or a place in the tree', () => {
    const nested = pageOf('[docs/hazards.md](docs/hazards.md)', { source: 'README.md', tree: null }).html
    expect(nested).toBe('<p><a href="hazards.html">docs/hazards.md</a></p>\n')
    const html = (tree: string | null): string =>
      pageOf('[rows](../src/rows.ts) and `docs/hazards.md`', { source: 'docs/x.md', tree }).html
    expect(html(null)).toBe(
      '<p>rows <span class="path">(<code>src/rows.ts</code>)</span> and <a href="hazards.html"><code>docs/hazards.md</code></a></p>\n',
    )
    expect(html('https://example.org/t')).toContain('<a href="https://example.org/t/src/rows.ts">rows</a>')
  })
})

describe('what leads from a hazard to a clause and back', () => {
  // what is needed is found out when the site is built; the law is about the pages, whatever that is
  const all = hazardIds.map((id, i): Needs => ({
    id,
    missed: i % 3 === 0 ? [] : [clauses[i % clauses.length]!.id],
    refused: [clauses[(i + 1) % clauses.length]!.id],
  }))
  const under = crossingsOf(all)
  const built = guidePages({ root, tree: null, under })
  const html = (source: string): string => built.find(({ entry }) => entry.source === source)!.page.html
  /** What stands below a heading, up to the next. */
  const below = (source: string, anchor: string): string =>
    html(source)
      .split(`id="${anchor}"`)[1]
      ?.split(/<h[1-6] /)[0] ?? ''
  it('law 1: every id has its kernels live, mended too, and a clause or a source', () => {
    for (const id of hazardIds) {
      const part = below('docs/hazards.md', hazardAnchor(id))
      for (const t of zoo.filter((twin) => twin.id === id))
        for (const mended of [false, true]) {
          const [, hash] = new RegExp(
            `href="../index.html(#[^"]*)"><code>${programName(t, mended)}</code>`,
          ).exec(part)!
          expect(readAddress(hash!.replaceAll('&amp;', '&'))).toMatchObject({
            place: 'check',
            params: { kernel: programName(t, mended) },
          })
        }
      expect([id, /<dt>Evidence<\/dt><dd>.+?<\/dd>/.test(part)]).toEqual([
        id,
        all.find((n) => n.id === id)!.missed.length > 0 || evidence[id] !== undefined,
      ])
    }
  })
  it('law 2: a hazard names a clause iff the clause names the hazard', () => {
    const back = clauses.map((c) => [c.id, below('docs/MemoryModel.md', anchorOf(c.id))] as const)
    for (const { id, missed, refused } of all) {
      const there = below('docs/hazards.md', hazardAnchor(id))
      for (const [clause, text] of back)
        expect([
          id,
          clause,
          there.includes(`href="MemoryModel.html#${anchorOf(clause)}"`),
          text.includes(`href="hazards.html#${hazardAnchor(id)}"`),
        ]).toEqual([
          id,
          clause,
          ...Array<boolean>(2).fill(missed.includes(clause) || refused.includes(clause)),
        ])
    }
  })
})

describe('the search', () => {
  const names = [
    { name: 'hopperMatmul', within: 'kernels', url: 'kernels/hopperMatmul.html' },
    { name: 'waitGroup', within: 'semantics.builder', url: 'semantics/builder/waitGroup.html' },
  ]
  const documents = documentsOf(pages, names)
  const index = new MiniSearch<Document>(options)
  index.addAll(documents)
  const found = (query: string): ReadonlyArray<string> =>
    index
      .search(query, asked)
      .slice(0, 20)
      .map((hit) => String(hit['href']))
  it('law 1: a heading is found by its words, and leads to its anchor', () => {
    const missing = documents
      .filter((d, i) => i % 7 === 0 && d.id < documents.length - 2 && wordsOf(d.title).length > 0)
      .filter((d) => !index.search(d.title, asked).some((hit) => hit['href'] === d.href))
    expect(missing).toEqual([])
    expect(documents.filter((d) => d.href.includes('#')).length).toBeGreaterThan(300)
    for (const { href } of documents.slice(0, -names.length)) {
      const [path, anchor] = href.split('#')
      expect([href, texts.get(path!)?.includes(anchor === undefined ? '<h1' : ` id="${anchor}"`)]).toEqual([
        href,
        true,
      ])
    }
  })
  it('law 2: a name of the API is found by it, by its beginning and by its parts', () => {
    for (const query of ['hopperMatmul', 'hopperMat', 'hopper matmul'])
      expect(found(query)).toContain('api/kernels/hopperMatmul.html')
    expect(found('waitgroup')).toContain('api/semantics/builder/waitGroup.html')
  })
  it.each([
    ['W1', 'guide/hazards.html#w1-'],
    ['verdict schema', 'guide/Schemas.html#verdict'],
    ['tcspec sweep', 'guide/CommandLine.html#tcspec-sweep'],
    ['proxy-fence', 'guide/MemoryModel.html#proxy-fence'],
  ])('%s', (query, href) => {
    expect(found(query).some((hit) => hit.startsWith(href))).toBe(true)
  })
  it('words are words, and their parts', () => {
    expect(wordsOf('hopperMatmul, `wait_group(0)` tcgen05.mma -x')).toEqual([
      'hopperMatmul',
      'hopper',
      'Matmul',
      'wait_group',
      'wait',
      'group',
      '0',
      'tcgen05.mma',
      'tcgen05',
      'mma',
      'x',
    ])
  })
})

describe('Markdown', () => {
  it.each([
    ['The ids', 'the-ids'],
    ['V1: ordered, and not visible', 'v1-ordered-and-not-visible'],
    ['`tcspec serve`: a line', 'tcspec-serve-a-line'],
  ])('anchor of %s', (text, anchor) => {
    expect(anchorOf(text.replaceAll('`', ''))).toBe(anchor)
    expect(pageOf(`# ${text}`, { source: 'x', tree: null }).headings[0]!.anchor).toBe(anchor)
  })
  it('equal headings have different anchors; what stands under a heading is put there; HTML is text', () => {
    const page = pageOf('# a\n\n## b\n\nx <b>y</b>\n\n## b\n', {
      source: 'x',
      tree: null,
      under: new Map([['b-1', '<p>here</p>']]),
    })
    expect(page.headings.map((h) => h.anchor)).toEqual(['a', 'b', 'b-1'])
    expect(page.html).toMatch(/id="b-1".*<\/h2>\n<p>here<\/p>/)
    expect(page.html).toContain('x &lt;b&gt;y&lt;/b&gt;')
    expect(page.sections.map((s) => [s.heading?.text, s.text])).toEqual([
      ['a', ''],
      ['b', 'x <b>y</b>'],
      ['b', ''],
    ])
  })
})

describe('code', () => {
  it('law 1: the HTML of a block is its text', () => {
    for (const text of [
      '$ tcspec check zoo/R1\nhazard <b> & "c"',
      'const a = `x${1}` // <y>\n',
      '%0 = "ttg.local_alloc"(%arg0) : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16> // it\'s',
      '{"a": [1, true, "x"]}',
      'tcspec check x   reads\ntcspec y',
    ])
      for (const fence of ['', 'ts', 'python', 'json', 'mlir', 'diff', 'yaml', 'bash', 'console', 'unknown'])
        expect(plain(highlighted(languageOf(fence, text), text))).toBe(text)
  })
  it.each([
    ['mlir', '%0 = ttg.local_load %a', '<span class="hljs-keyword">ttg.local_load</span>'],
    ['', '$ tcspec x\nout', '<span class="hljs-meta">$ </span><span class="hljs-title">tcspec x</span>\nout'],
    [
      '',
      'tcspec x --set a    what <it> is',
      'tcspec x --set a    <span class="hljs-comment">what &lt;it&gt; is</span>',
    ],
    ['ts', 'const a = 1', '<span class="hljs-keyword">const</span>'],
  ])('%s in colours', (fence, text, html) => {
    expect(highlighted(languageOf(fence, text), text)).toContain(html)
  })
})
