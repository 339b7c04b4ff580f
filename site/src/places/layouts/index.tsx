/** Layouts: being built. */
import type { PlaceProps } from '../use-params.js'

export const Layouts = ({ params }: PlaceProps) => (
  <div>
    <h1>Layouts</h1>
    <pre>{JSON.stringify(params)}</pre>
  </div>
)
