/** Kernels: being built. */
import type { PlaceProps } from '../use-params.js'

export const Kernels = ({ params }: PlaceProps) => (
  <div>
    <h1>Kernels</h1>
    <pre>{JSON.stringify(params)}</pre>
  </div>
)
