/**
 * Names of policies, as a schedule may begin with: which policy, and what happens at some steps in spite of it. What the policies choose is `policy.ts`'s.
 *
 * Law 1. `readName` reads what `policy.ts` gives its policies as names, and nothing else.
 */
import { readKey, showKey, type EventKey } from './event-key.js'

// ---------------------------------------------------------------- model

export type PolicyName =
  | { readonly _tag: 'eager' | 'lazy' | 'roundrobin' }
  | { readonly _tag: 'seeded'; readonly seed: number }
  | { readonly _tag: 'starvingAgent'; readonly agent: number; readonly seed: number }
  | { readonly _tag: 'starvingOperation'; readonly agent: number; readonly at: number; readonly seed: number }

/** At step `step`, counted from 0, the event `key` and no other. */
export interface Detour {
  readonly step: number
  readonly key: EventKey
}

// ---------------------------------------------------------------- text

const nameForm = /^(?:eager|lazy|roundrobin|(?:starving:(\d{1,15})(?::(\d{1,15}))?,)?seeded:(-?\d{1,15}))$/

export const showDetour = ({ step, key }: Detour): string => `${String(step)}=${showKey(key)}`

/** `12=1:4/write.0` */
export const readDetour = (word: string): Detour | null => {
  const m = /^(0|[1-9]\d{0,14})=(.*)$/.exec(word)
  const key = m === null ? null : readKey(m[2]!)
  return m === null || key === null ? null : { step: Number(m[1]), key }
}

const simply = (name: string): PolicyName | null => {
  const m = nameForm.exec(name)
  if (m === null) return null
  const [, agent, at, seed] = m
  if (seed === undefined) return { _tag: name === 'eager' || name === 'lazy' ? name : 'roundrobin' }
  if (agent === undefined) return { _tag: 'seeded', seed: Number(seed) }
  return at === undefined
    ? { _tag: 'starvingAgent', agent: Number(agent), seed: Number(seed) }
    : { _tag: 'starvingOperation', agent: Number(agent), at: Number(at), seed: Number(seed) }
}

/** A name, and its detours in their order; null: it is none. */
export const readName = (
  text: string,
): { readonly name: PolicyName; readonly detours: ReadonlyArray<Detour> } | null => {
  const [first = '', ...words] = text.split(' ')
  const name = simply(first)
  const detours: Detour[] = []
  for (const word of words) {
    const detour = readDetour(word)
    if (detour === null || detour.step <= (detours.at(-1)?.step ?? -1)) return null
    detours.push(detour)
  }
  return name === null ? null : { name, detours }
}
