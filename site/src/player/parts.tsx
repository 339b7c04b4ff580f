/** Signs that listing, lanes and panels share. */

/** An agent: its number, as event keys have it, on a hue. */
export const AgentSign = ({ agent, title }: { readonly agent: number; readonly title: string }) => (
  <span class={`player-agent hue-${String(agent % 7)}`} title={title}>
    <span class="visually-hidden">agent </span>
    {String(agent)}
  </span>
)
