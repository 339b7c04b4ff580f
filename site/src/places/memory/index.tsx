/** Memory: being built. */
import type { PlaceProps } from '../use-params.js'

export const Memory = ({ params }: PlaceProps) => (
  <div>
    <h1>Memory</h1>
    <pre>{JSON.stringify(params)}</pre>
  </div>
)
