/** What a copy of TMA puts where: the box, the tensor's element under each of its places, and the bytes. */
import { useMemo } from 'preact/hooks'
import { ofSchema, textAt } from '../../machine/members.js'
import { useAnswer } from '../../machine/use-answer.js'
import type { PlaceProps } from '../use-params.js'
import { imageOf, numberAt, numbersAt } from './documents.js'
import { Linked } from './linked.js'
import {
  Carry,
  ChoiceField,
  elementTypes,
  LabelsSwitch,
  Presets,
  saying,
  SwitchField,
  TextField,
  Waiting,
  whileTyping,
  type Preset,
} from './parts.js'

const none = {
  box: null,
  tensor: null,
  coordinates: null,
  swizzle: null,
  dtype: null,
  steps: null,
  base: null,
  store: null,
}
const first = { box: '8x64', tensor: '100x256', coordinates: '96,224', swizzle: '128' }

const presets: ReadonlyArray<Preset> = [
  { title: 'over the border', params: none },
  {
    title: 'inside',
    params: { ...none, box: '16x64', tensor: '128x256', coordinates: '32,64', swizzle: '128' },
  },
  {
    title: 'before the beginning',
    params: { ...none, box: '8x32', tensor: '64x64', coordinates: '-2,-8', swizzle: '64' },
  },
  {
    title: 'a window of an image',
    params: { ...none, box: '3x3x16', tensor: '14x14x64', coordinates: '-1,-1,0', swizzle: '32' },
  },
  {
    title: 'every second row',
    params: { ...none, box: '16x32', tensor: '64x64', coordinates: '0,0', steps: '2,1', swizzle: '64' },
  },
  {
    title: 'a store',
    params: { ...none, box: '8x64', tensor: '100x256', coordinates: '96,224', swizzle: '128', store: '1' },
  },
]

export const TmaBox = ({ params, set }: PlaceProps) => {
  const request = saying({
    box: params['box'] ?? first.box,
    dtype: params['dtype'] ?? 'f16',
    swizzle: params['swizzle'] ?? first.swizzle,
    tensor: params['tensor'] ?? first.tensor,
    at: params['coordinates'] ?? first.coordinates,
    elementStrides: params['steps'],
    base: params['base'],
    store: params['store'] === '1',
  })
  const asking = useAnswer('image', request, ofSchema('tcspec.image/1'), whileTyping)
  const document = asking.document
  const pair = useMemo(() => (document === null ? null : imageOf(document)), [document])
  return (
    <div class="stack">
      <Presets presets={presets} params={params} set={set} />
      <div class="layouts-form">
        <TextField label="box" name="box" params={params} set={set} instead={first.box} />
        <TextField label="tensor" name="tensor" params={params} set={set} instead={first.tensor} />
        <TextField
          label="position of the box"
          name="coordinates"
          params={params}
          set={set}
          instead={first.coordinates}
        />
        <TextField label="element strides" name="steps" params={params} set={set} hint="1,1" />
        <ChoiceField
          label="swizzle"
          name="swizzle"
          params={params}
          set={set}
          choices={[
            ['128', '128 bytes'],
            ['64', '64 bytes'],
            ['32', '32 bytes'],
            ['16', 'none'],
          ]}
        />
        <ChoiceField label="elements" name="dtype" params={params} set={set} choices={elementTypes} />
        <TextField label="first byte" name="base" params={params} set={set} hint="0" />
        <SwitchField label="a store" name="store" params={params} set={set} />
        <LabelsSwitch params={params} set={set} />
      </div>
      <Waiting asking={asking} what="the image" />
      {document !== null && pair !== null && (
        <div class={asking.refused === null ? 'stack' : 'stack layouts-old'}>
          <p class="small">
            A {textAt(document, 'direction')} of {numbersAt(document, 'copied').join(' x ')} elements:{' '}
            {numberAt(document, 'transactionBytes').toLocaleString('en')} bytes on the barrier. Outside of the
            tensor:{' '}
            {numberAt(document, 'outside') === 0
              ? 'none'
              : `${numberAt(document, 'outside').toLocaleString('en')} elements, ${textAt(document, 'direction') === 'load' ? 'which are filled' : 'which are left out'}, drawn grey`}
            . Each cell shows the element of the tensor.
          </p>
          <Linked {...pair} leftLabel="the box" rightLabel="shared memory" params={params} set={set} />
          <Carry method="image" request={request} />
        </div>
      )}
    </div>
  )
}
