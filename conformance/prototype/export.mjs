// Draws skeletons for the second engine; run `npm run build` first. See README.md.
//   node export.mjs explore FROM N   skeletons of the seeds FROM .. FROM+N-1
//   node export.mjs judge FROM N     skeleton TAB one random schedule of it, where it ends without a fault
// Without cp.async, which the second engine does not have. Odd seeds may have tcgen05, even ones do not.
import { walk } from '../../dist/semantics/schedules/naive/explore.js'
import { show, showChoice } from '../../dist/semantics/schedules/naive/notation.js'
import { dice, skeletonOf } from '../../dist/semantics/schedules/naive/random.js'

/** Without what is predicated off: the second engine has no steps for it. */
const present = ({ agents, barriers }) => ({
  agents: agents.map(({ name, cta, ops }) => ({ name, cta, ops: ops.filter((op) => op.on !== false) })),
  barriers,
})

const [mode, from, count] = process.argv.slice(2)
for (let seed = Number(from); seed < Number(from) + Number(count); seed++) {
  const skeleton = skeletonOf(seed, { tensor: seed % 2 === 1, copies: false })
  const die = dice(seed + 0x40000000)
  const { schedule, outcome } = walk(skeleton, (n) => die.below(n))
  if (mode === 'explore') console.log(show(present(skeleton)))
  else if (outcome !== 'fault') console.log(`${show(skeleton)}\t${schedule.map(showChoice).join(' ')}`)
}
