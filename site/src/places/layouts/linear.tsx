/** A layout as bases over GF(2): which bit of an input flips which bit of an output; and the algebra of such layouts. */
import { useMemo } from 'preact/hooks'
import { ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { linearOf } from './documents.js'
import { Linked } from './linked.js'
import { useNames } from './names.js'
import {
  Carry,
  ChoiceField,
  Presets,
  saying,
  TextField,
  Waiting,
  whileTyping,
  wordsOf,
  type Preset,
} from './parts.js'

const first = { words: 'WGMMA', shape: '64x16' }
const none = { words: null, shape: null, operation: null, other: null, dtype: null }

const presets: ReadonlyArray<Preset> = [
  { title: 'WGMMA', params: none },
  { title: 'its inverse', params: { ...none, words: 'WGMMA', shape: '64x16', operation: 'invert' } },
  { title: 'swizzled shared memory', params: { ...none, words: 'tile=8x64 swizzle=128', shape: '16x64' } },
  { title: 'tensor memory', params: { ...none, words: 'HALF_LANE(64, 1)', shape: '64x64' } },
  { title: 'a CuTe layout', params: { ...none, words: '(4,(2,2)):(2,(1,8))' } },
  { title: 'a swizzle of CuTe', params: { ...none, words: 'S<3,4,3> o 0 o (8,64):(128,2)' } },
  {
    title: 'from registers to registers',
    params: {
      ...none,
      words: 'WGMMA',
      shape: '64x16',
      operation: 'invertAndCompose',
      other: 'WG_STRIDED((64, 16), 2)',
    },
  },
]

const binary: ReadonlyArray<string> = ['compose', 'invertAndCompose', 'product', 'divideLeft', 'divideRight']

/** One word, unless these are transforms. */
const operands = (text: string): ReadonlyArray<string> =>
  /^\s*(tile|swizzle|transpose)=/i.test(text) ? wordsOf(text) : [text.trim()]

export const Linear = ({ params, set }: PlaceProps) => {
  const names = useNames()
  const words = params['words'] ?? first.words
  const shape = params['shape'] ?? (params['words'] === undefined ? first.shape : '')
  const operation = params['operation'] ?? ''
  const other = params['other'] ?? ''
  const isBinary = binary.includes(operation)
  const request = saying({
    words: operands(words),
    shape,
    ...(operation === '' ? {} : { [operation]: isBinary ? other : true }),
  })
  const waiting = words.trim() === '' || (isBinary && other.trim() === '')
  const asking = useAnswer(
    'linear',
    waiting ? null : { ...request, printed: true },
    ofSchema('tcspec.linear/1'),
    whileTyping,
  )
  const document = asking.document
  const side = useMemo(() => (document === null ? null : linearOf(document)), [document])
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="a name, a CuTe layout, an encoding, bases, JSON, or transforms"
          name="words"
          params={params}
          set={set}
          instead={first.words}
          list={names}
          wide
        />
        <TextField label="shape" name="shape" params={params} set={set} instead={shape} />
        <ChoiceField
          label="operation"
          name="operation"
          params={params}
          set={set}
          choices={[
            ['', 'none'],
            ['invert', 'the inverse'],
            ['pseudoinvert', 'for each element, the first place that holds it'],
            ['flatten', 'one input and output'],
            ['compose', 'then another'],
            ['invertAndCompose', 'place in another layout'],
            ['product', 'times another'],
            ['divideLeft', 'left division by another layout'],
            ['divideRight', 'right division by another layout'],
          ]}
        />
        {isBinary && <TextField label="the other" name="other" params={params} set={set} list={names} wide />}
      </div>
      <Waiting asking={asking} what="the bases" />
      {document !== null && side !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <Linked
            left={side}
            right={null}
            relation={null}
            leftLabel="input bits are columns, output bits are rows"
            rightLabel=""
            params={params}
            set={set}
          />
          <pre class="scroll layouts-text" tabIndex={0} role="region" aria-label="the layout as text">
            {textAt(document, 'printed')}
          </pre>
          <Carry method="linear" request={request} />
        </div>
      )}
    </div>
  )
}
