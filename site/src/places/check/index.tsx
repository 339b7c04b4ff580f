/** Check: being built. */
import type { PlaceProps } from '../use-params.js'

export const Check = ({ params }: PlaceProps) => (
  <div>
    <h1>Check</h1>
    <pre>{JSON.stringify(params)}</pre>
  </div>
)
