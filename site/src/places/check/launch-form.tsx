/** The launch of a module as a form: what the text says of each argument, a guess in each field, and what is wrong with it at the field. */
import { useId } from 'preact/hooks'
import {
  extentsOf,
  fieldRefusal,
  gridRefusal,
  launchFileOf,
  typeText,
  wordOf,
  type Parameter,
  type Signature,
} from './launch.js'
import { save } from './save.js'

const Input = ({
  label,
  says,
  value,
  wrong,
  changed,
  placeholder = '',
}: {
  readonly label: string
  readonly says: string
  readonly value: string
  readonly wrong: string | null
  readonly changed: (text: string) => void
  readonly placeholder?: string
}) => {
  const id = useId()
  return (
    <div class="check-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={wrong !== null}
        aria-describedby={`${id}-says${wrong === null ? '' : ` ${id}-wrong`}`}
        onInput={(event) => {
          changed(event.currentTarget.value)
        }}
      />
      <span id={`${id}-says`} class="soft">
        {says}
      </span>
      {wrong !== null && (
        <span id={`${id}-wrong`} class="check-wrong" role="alert">
          {wrong}
        </span>
      )}
    </div>
  )
}

/** What of a launch PTX alone has. */
const ofPtx = [
  { name: 'block', says: 'threads along x, y and z; may be empty if the entry gives them' },
  { name: 'cluster', says: 'CTAs of a cluster along x, y and z; may be empty' },
  { name: 'shared', says: 'bytes of dynamic shared memory; may be empty' },
  { name: 'entry', says: 'the kernel, if the module has several; may be empty' },
] as const

export interface LaunchFormProps {
  readonly signature: Signature
  readonly grid: string
  readonly arg: Readonly<Record<string, string>>
  readonly computes: string
  /** what PTX has besides; null: it is none */
  readonly ptx: Readonly<Record<(typeof ofPtx)[number]['name'], string>> | null
  /** arguments that a launch file says and words cannot */
  readonly kept: ReadonlyArray<string>
  readonly changed: (changes: {
    readonly grid?: string
    readonly arg?: Readonly<Record<string, string>>
    readonly computes?: string
    readonly launch?: string
    readonly block?: string
    readonly cluster?: string
    readonly shared?: string
    readonly entry?: string
  }) => void
  readonly choose: () => void
}

const Argument = ({
  p,
  word,
  isKept,
  changed,
}: {
  readonly p: Parameter
  readonly word: string
  readonly isKept: boolean
  readonly changed: (word: string) => void
}) => {
  const shown = extentsOf(p, word)
  return (
    <Input
      label={p.name}
      says={typeText(p)}
      value={shown}
      placeholder={isKept ? 'as the launch file says' : ''}
      wrong={isKept && shown === '' ? null : fieldRefusal(p, shown)}
      changed={(text) => {
        changed(wordOf(p, text))
      }}
    />
  )
}

export const LaunchForm = ({
  signature,
  grid,
  arg,
  computes,
  ptx,
  kept,
  changed,
  choose,
}: LaunchFormProps) => (
  <fieldset class="check-launch">
    <legend>
      Launch of <code>@{signature.name}</code>
    </legend>
    <p class="small soft">
      {signature.target ?? 'no chip'}, {signature.warps} warps
      {signature.ctas > 1 ? `, ${String(signature.ctas)} CTAs` : ''}. Sizes and values are a guess until you
      replace them.
    </p>
    <div class="check-fields">
      <Input
        label="grid"
        says={`programs along ${['x', 'x and y', 'x, y and z'][signature.axes - 1] ?? 'x'}`}
        value={grid}
        wrong={gridRefusal(grid)}
        changed={(text) => {
          changed({ grid: text })
        }}
      />
      {ptx !== null &&
        ofPtx.map(({ name, says }) => (
          <Input
            key={name}
            label={name}
            says={says}
            value={ptx[name]}
            wrong={null}
            changed={(text) => {
              changed({ [name]: text.trim() })
            }}
          />
        ))}
      {signature.parameters.map((p) => (
        <Argument
          key={p.name}
          p={p}
          word={arg[p.name] ?? ''}
          isKept={kept.includes(p.name)}
          changed={(word) => {
            changed({ arg: { ...arg, [p.name]: word } })
          }}
        />
      ))}
      {ptx === null && (
        <Input
          label="computes"
          says="claim to prove, such as matmul:a,b,c; may be empty"
          value={computes}
          wrong={null}
          changed={(text) => {
            changed({ computes: text.trim() })
          }}
        />
      )}
    </div>
    <div class="row">
      <button
        type="button"
        class="button small"
        onClick={() => {
          changed({
            grid: signature.grid,
            arg: signature.arg,
            computes: '',
            launch: '',
            ...(ptx === null
              ? {}
              : { block: signature.block, shared: signature.shared, entry: signature.entry, cluster: '' }),
          })
        }}
      >
        Guess again
      </button>
      <button type="button" class="button small" onClick={choose}>
        Open a launch file
      </button>
      {ptx === null && (
        <button
          type="button"
          class="button small"
          onClick={() => {
            save('launch.json', `${JSON.stringify(launchFileOf(signature, grid, arg, computes), null, 2)}\n`)
          }}
        >
          Save as a launch file
        </button>
      )}
    </div>
  </fieldset>
)
