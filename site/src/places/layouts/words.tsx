/** One layout in the words of everybody: a text of any vocabulary in, the same object in the others out. */
import { writeAddress } from '../../address.js'
import { ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { numbersAt, textsAt } from './documents.js'
import { useNames } from './names.js'
import { Carry, Presets, saying, TextField, Waiting, whileTyping, type Preset } from './parts.js'
import { Copy } from '../../look/copy.js'

const first = { text: 'WGMMA', shape: '64x64' }

const mma =
  '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>'
const sliced = `#ttg.slice<{dim = 1, parent = ${mma}}>`
const blocked =
  '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>'

const presets: ReadonlyArray<Preset> = [
  { title: 'a name', params: { text: null, shape: null } },
  { title: 'a text of CuTe', params: { text: '((4,8,4),(2,2,2)):((128,1,16),(64,8,512))', shape: '64x16' } },
  { title: 'a text of Triton', params: { text: mma, shape: '64x64' } },
  { title: 'a slice of Triton', params: { text: sliced, shape: '64' } },
  { title: 'blocked', params: { text: blocked, shape: '64x64' } },
  { title: 'left operand of mma', params: { text: 'MMA_LHS(16, 4)', shape: '64x16' } },
  { title: 'a strided one', params: { text: 'WG_STRIDED((64, 16), 2)', shape: null } },
]

const Word = ({
  text,
  shape,
  vocabulary,
}: {
  readonly text: string
  readonly shape: string
  readonly vocabulary: string
}) => {
  return (
    <li>
      <pre class="scroll layouts-text" tabIndex={0} role="region" aria-label={`${vocabulary}: ${text}`}>
        {text}
      </pre>
      <span class="row">
        <Copy text={text} what="copy" label={`copy ${text}`} />
        <a class="small" href={writeAddress({ place: 'layouts', params: { layout: text, shape } })}>
          draw<span class="visually-hidden"> {text}</span>
        </a>
      </span>
    </li>
  )
}

export const Words = ({ params, set }: PlaceProps) => {
  const names = useNames()
  const text = params['text'] ?? first.text
  const shape = params['shape'] ?? (params['text'] === undefined ? first.shape : '')
  const request = saying({ layout: 'words', file: text, shape })
  const asking = useAnswer(
    'layout',
    text.trim() === '' ? null : request,
    ofSchema('tcspec.layout-words/1'),
    whileTyping,
  )
  const document = asking.document
  const on = document === null ? '' : numbersAt(document, 'shape').join('x')
  const one = (name: string): ReadonlyArray<string> =>
    document === null || textAt(document, name) === '' ? [] : [textAt(document, name)]
  const vocabularies: ReadonlyArray<readonly [title: string, says: string, texts: ReadonlyArray<string>]> =
    document === null
      ? []
      : [
          ['Pallas, Mosaic', 'names', textsAt(document, 'names')],
          ['Mosaic', 'its tiling, as a description', one('mosaic')],
          ['Triton', 'equivalent encodings on this array', textsAt(document, 'triton')],
          ['CuTe', '(thread, value) to position, first dimension fastest', one('cute')],
          ['GF(2)', 'the element at 1, 2, 4, ... of each input', one('linear')],
        ]
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="a name, a CuTe layout, a Triton encoding, bases, or a description as JSON"
          name="text"
          params={params}
          set={set}
          instead={first.text}
          list={names}
          wide
        />
        <TextField label="shape" name="shape" params={params} set={set} instead={shape} hint="its own" />
      </div>
      <Waiting asking={asking} what="the words" />
      {document !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          {vocabularies.map(([title, says, texts]) => (
            <section key={title} class="panel">
              <h2>
                {title} <span class="soft small">{says}</span>
              </h2>
              {texts.length === 0 ? (
                <p class="soft small">none expresses this layout on this array</p>
              ) : (
                <ul class="layouts-words">
                  {texts.map((word) => (
                    <Word key={word} text={word} shape={on} vocabulary={title} />
                  ))}
                </ul>
              )}
            </section>
          ))}
          <Carry method="layout" request={request} svg={false} />
        </div>
      )}
    </div>
  )
}
