/** The examples to begin with, by where such kernels come from. */
import { examples, type Example } from './examples.js'
import type { State } from './subject.js'

const groups: ReadonlyArray<Example['of']> = ['CUDA', 'Triton, Gluon', 'Pallas', 'By name']

export const Examples = ({
  begin,
  refuse,
}: {
  readonly begin: (state: State) => void
  readonly refuse: (line: string) => void
}) => (
  <div class="check-examples" role="group" aria-label="examples">
    {groups.map((group) => (
      <div key={group} class="row">
        <span class="soft small">{group}</span>
        {examples
          .filter(({ of }) => of === group)
          .map(({ title, says, state }) => (
            <button
              key={title}
              type="button"
              class="button small"
              title={says}
              onClick={() => {
                state().then(begin, (error: unknown) => {
                  refuse(error instanceof Error ? error.message : String(error))
                })
              }}
            >
              {title}
            </button>
          ))}
      </div>
    ))}
  </div>
)
