/** The page of a recording: the document reads back, nothing that a kernel says becomes markup, nothing is loaded. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zoo } from '../../../src/kernels/broken/zoo/index.js'
import { unit } from '../../../src/numerics/unit.js'
import { recordingId, recordingPage } from '../../../src/render/recording/page.js'
import { record, scriptOf } from '../../../src/render/recording/record.js'
import { launch, noArguments } from '../../../src/semantics/execution/launch.js'
import { eager } from '../../../src/semantics/execution/policy.js'
import { anyText } from '../../prop.js'
import { right } from '../../either.js'

const program = right(zoo[0]!.program(false))
const { recording } = record(
  scriptOf(program),
  right(launch(program, unit, noArguments)),
  { policy: eager, fuel: 10_000 },
  { settings: {}, without: [], schedule: 'eager', verdict: null, source: () => null },
)
const player = { script: 'play()', style: 'p{}' }
/** What the first script element of this type holds, as a parser of HTML finds it. */
const held = (page: string): string =>
  new RegExp(`<script type="application/json" id="${recordingId}">([\\s\\S]*?)</script`, 'i').exec(page)![1]!

const nasty = fc.oneof(
  anyText,
  fc.constantFrom(
    '</script>',
    '<!--<script>',
    '</SCRIPT >',
    '</noscript><img src=x onerror=a>',
    ']]>',
    '&amp;',
    '\u2028',
  ),
)

describe('the page', () => {
  test('law 1: what a kernel says is text, whatever it says', () => {
    fc.assert(
      fc.property(nasty, nasty, (name, said) => {
        const named = { ...recording, kernel: name, reason: said }
        const page = recordingPage(named, said, player)
        const json = held(page)
        // halves of surrogate pairs are no text
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(named)))
        expect(json).not.toContain('<')
        const bare = recordingPage({ ...recording, kernel: '', reason: '' }, '', player)
        for (const tag of [/<script/gi, /<\/script/gi, /<img/gi, /<!--/g, /<noscript/gi, /<\/noscript/gi])
          expect((page.match(tag) ?? []).length).toBe((bare.match(tag) ?? []).length)
      }),
      { numRuns: 60 },
    )
  })
  test('a script that names the end of scripts still ends where the file says', () => {
    const page = recordingPage(recording, '', { script: 'a="</script><!--"', style: 'b{content:"</style>"}' })
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(page.match(/<\/style>/g)).toHaveLength(1)
    expect(page).not.toContain('<!--')
    const script = /<script>([\s\S]*)<\/script>/.exec(page)![1]!
    // the string is the one that it was
    expect(JSON.parse(script.slice(2).replaceAll('\\x3c', '\\u003c'))).toBe('</script><!--')
  })
  test('law 2: it loads nothing', () => {
    expect(recordingPage(recording, '', player)).not.toMatch(/\ssrc=|href="(?!data:,)|@import|url\(/)
  })
})
