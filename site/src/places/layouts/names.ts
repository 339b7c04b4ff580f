/** The layouts that have names, for fields that complete them: asked once. */
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../machine/client.js'
import { isMembers, textAt } from '../../machine/members.js'
import { membersAt } from './documents.js'

type Names = ReadonlyArray<readonly [value: string, says: string]>

let known: Names | null = null

export const useNames = (): Names => {
  const [names, setNames] = useState<Names>(known ?? [])
  useEffect(() => {
    if (known !== null) return undefined
    let left = false
    void ask('layout', { layout: 'names' }).answered.then((answered) => {
      if (answered._tag !== 'answer' || !isMembers(answered.document)) return
      known = membersAt(answered.document, 'layouts').map((one) => [
        textAt(one, 'example'),
        textAt(one, 'summary'),
      ])
      if (!left) setNames(known)
    })
    return () => {
      left = true
    }
  }, [])
  return names
}
