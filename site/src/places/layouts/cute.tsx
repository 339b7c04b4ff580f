/** CuTe's algebra: a layout, or what an operation makes of layouts; coordinates on one side, offsets on the other. */
import { useMemo } from 'preact/hooks'
import { isMembers, ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { cuteWords } from './cute-words.js'
import { cuteOf, numberAt } from './documents.js'
import { Linked } from './linked.js'
import {
  Carry,
  LabelsSwitch,
  Presets,
  saying,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const first = '(4,(2,2)):(2,(1,8))'

const presets: ReadonlyArray<Preset> = [
  { title: 'a layout', params: { expression: null } },
  { title: 'column-major', params: { expression: '(8,16):(1,8)' } },
  { title: 'a swizzle', params: { expression: 'S<3,0,3> o 0 o (8,8):(8,1)' } },
  { title: 'composition', params: { expression: 'composition (20,2):(16,4) (4,5):(1,4)' } },
  { title: 'complement', params: { expression: 'complement (2,2):(1,6) 24' } },
  { title: 'logical_divide', params: { expression: 'logical_divide (4,2,3):(2,1,8) 4:2' } },
  { title: 'zipped_divide', params: { expression: 'zipped_divide (9,(4,8)):(59,(13,1)) [3:3;(2,4):(1,8)]' } },
  { title: 'logical_product', params: { expression: 'logical_product (2,2):(4,1) 6:1' } },
  { title: 'a fragment of wgmma', params: { expression: '((4,8,4),(2,2,2)):((128,1,16),(64,8,512))' } },
]

export const Cute = ({ params, set }: PlaceProps) => {
  const expression = params['expression'] ?? first
  const request = saying({ words: cuteWords(expression) })
  const asking = useAnswer(
    'cute',
    expression.trim() === '' ? null : request,
    ofSchema('tcspec.cute/1'),
    whileTyping,
  )
  const document = asking.document
  const result = document === null || !isMembers(document['result']) ? null : document['result']
  const found = useMemo(() => (result === null ? null : cuteOf(result)), [result])
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField
          label="a layout, or an operation and its operands"
          name="expression"
          params={params}
          set={set}
          instead={first}
          wide
        />
        <LabelsSwitch params={params} set={set} />
      </div>
      <Waiting asking={asking} what="the layout" />
      {result !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="layouts-result">
            <code>{textAt(result, 'text')}</code>
          </p>
          {textAt(result, 'kind') !== 'value' && (
            <p class="small">
              size {numberAt(result, 'size')}
              {typeof result['cosize'] === 'number' && `, cosize ${String(numberAt(result, 'cosize'))}`}
              {typeof result['valuesLeftOut'] === 'number' &&
                `; ${numberAt(result, 'valuesLeftOut').toLocaleString('en')} values are not drawn`}
              . Cells on the left show the offset; cells on the right show the index, first mode fastest.
            </p>
          )}
          {found !== null && (
            <Linked
              left={found.left}
              right={found.right}
              relation={found.relation}
              leftLabel="coordinates"
              rightLabel="offsets"
              params={params}
              set={set}
            />
          )}
          <Carry method="cute" request={request} svg={textAt(result, 'kind') !== 'value'} />
        </div>
      )}
    </div>
  )
}
