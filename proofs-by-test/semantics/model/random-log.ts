/** Random litmus tests: what random programs have not (atomics, semaphores, forks, tensor maps, scopes), in any order that a log can have. */
import { dice, type Dice } from '../../../src/semantics/schedules/naive/random.js'

const agents = ['T0', 'T1', 'T2', 'U0'] as const

/** An event of an agent, or an operation from its issue to its signal. */
const drawn = (die: Dice, k: number): ReadonlyArray<string> => {
  const who = die.pick(agents)
  const cta = who.startsWith('U') ? "'" : ''
  const place = die.pick([`x${cta}`, 'g', 's'])
  const barrier = die.pick(['b', 'c'])
  const relaxed = die.chance(0.2) ? ' relaxed' : ''
  const scope = die.chance(0.5) ? ' cluster' : ''
  const reach = die.pick(['', ' cta', ' cluster'])
  const by = (line: string): ReadonlyArray<string> => [`${who}: ${line}`]
  const op = `#${String(k)}`
  const issued = (unit: string, ...then: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...by(`issue ${op} ${unit}`),
    ...then.map((line) => (line.startsWith(who) ? line : `${op}: ${line}`)),
  ]
  const kinds: ReadonlyArray<() => ReadonlyArray<string>> = [
    () => by(`read ${place}`),
    () => by(`write ${place}`),
    () => by(`atomic ${place}${die.chance(0.3) ? ' or' : ''}`),
    () => by(`arrive ${barrier}${relaxed}${scope}`),
    () => by(`arrive ${barrier}${relaxed}${scope}`),
    () => (cta === '' ? by(`wait ${barrier} ${die.pick(['0', '0', '1'])}${relaxed}${scope}`) : by('read g')),
    () => (cta === '' ? by(`wait ${barrier} 0${scope}`) : by('write g')),
    () => by(`signal s ${die.pick(['1', '1', '2'])}${reach}`),
    () => by(`wait.semaphore s ${die.pick(['1', '1', '0', '2'])}${reach}`),
    () =>
      by(`fence ${die.pick(['async', 'global', 'map.release', 'map.acquire', 'before', 'after', 'init'])}`),
    () => issued('load', `read g`, `write x`, `bytes ${barrier} 16`),
    () => [...by(`arrive ${barrier} +16`), ...issued('load', `write x`, `bytes ${barrier} 16`)],
    () => issued('store', `read x${cta}`, `write g`, `${who}: commit bulk`),
    () => by(`wait.group bulk 0${die.chance(0.5) ? ' read' : ''}`),
    () => issued('copy', 'write x generic', `${who}: commit copy`),
    () => by('wait.group copy 0'),
    () => issued('store', 'read g tensormap', `${who}: commit bulk`),
    () => issued('mma', 'read x', 'write t'),
    () => issued('commit', `arrive ${barrier}`),
    () => issued('ld', 'read t'),
    () => issued('st', 'write t'),
    () => by(die.pick(['wait.ld', 'wait.st'])),
    () => (who === 'T2' ? by('read x') : by('fork T2')),
    () => (who === 'T2' ? by('write x') : by('join T2')),
    () => ['T0, T1, T2, U0: meet' + relaxed],
  ]
  return die.pick(kinds)()
}

/** Maps in two places, written, released, handed on and acquired, there or anywhere, and copies through one of them. */
export const mapLogOf = (seed: number): ReadonlyArray<string> => {
  const die = dice(seed)
  const made = (k: number): ReadonlyArray<string> => {
    const who = die.pick(['T0', 'T1'])
    const place = die.pick(['g', 'g', 'h'])
    return die.pick<() => ReadonlyArray<string>>([
      () => [`${who}: write ${place}`],
      () => [`${who}: fence map.release`],
      () => [`${who}: fence map.acquire${die.pick([` ${place}`, ` ${place}`, ''])}`],
      () => [
        `${who}: issue #${String(k)} store`,
        `#${String(k)}: read ${place} tensormap`,
        `${who}: commit bulk`,
      ],
      () => [`${who}: wait.group bulk 0`],
      () => ['T0, T1: meet'],
    ])()
  }
  return Array.from({ length: 5 + die.below(8) }, (_, k) => made(k)).flat()
}

export const logOf = (seed: number): ReadonlyArray<string> => {
  const die = dice(seed)
  return Array.from({ length: 4 + die.below(10) }, (_, k) => drawn(die, k)).flat()
}

/**
 * Strong accesses of few words by agents of three CTAs, two of them of one cluster: data and flags, so that patterns of release and acquire are often whole, and often almost.
 * `weak`: flags are touched weakly, too.
 */
export const strongLogOf = (seed: number): ReadonlyArray<string> => {
  const die = dice(seed)
  const all = ['T0', 'T1', 'T2', 'U0', 'V0'] as const
  const agents = all.slice(0, 2).concat(all.slice(2).filter(() => die.chance(0.45)))
  const scopes = die.chance(0.5) ? [''] : ['', ' cta', ' cluster', ' gpu']
  const mixed = die.chance(0.25)
  const wide = die.chance(0.25)
  const scope = (): string => die.pick(scopes)
  const width = (): string => (wide && die.chance(0.3) ? ' wide' : '')
  const use = (): string => die.pick(['', '', ' kept', ' decides'])
  const flag = (): string => die.pick(['s', 's', 's', 'h'])
  const fence = (first: string): string =>
    `fence ${die.pick(['acq_rel', 'acq_rel', 'sc', 'sc', first, 'acquire', 'release'])}${scope()}`
  const ordering = (strong: string): string => die.pick([' relaxed', ` ${strong}`, ` ${strong}`])
  const op = (): string => die.pick(['', '', ' or', ' exchange'])
  const publish = (): ReadonlyArray<string> => [
    ...(die.chance(0.4) ? ['write g'] : []),
    ...(die.chance(0.4) ? [fence('release')] : []),
    ...(die.chance(0.7)
      ? [
          die.chance(0.1)
            ? `store ${flag()} volatile${width()}`
            : `store ${flag()}${ordering('release')}${scope()}${width()}`,
        ]
      : [
          `atomic ${flag()}${op()}${die.pick([' relaxed', ' release', ' acq_rel'])}${scope()}${width()}${use()}`,
        ]),
  ]
  const hear = (): ReadonlyArray<string> => [
    die.chance(0.6)
      ? die.chance(0.1)
        ? `load ${flag()} volatile${width()}${use()}`
        : `load ${flag()}${ordering('acquire')}${scope()}${width()}${use()}`
      : die.chance(0.5)
        ? `atomic ${flag()}${op()}${die.pick([' relaxed', ' acquire', ' acq_rel'])}${scope()}${width()}${use()}`
        : `wait.word ${flag()}${ordering('acquire')}${scope()}`,
    ...(die.chance(0.4) ? [fence('acquire')] : []),
    ...(die.chance(0.5) ? [die.chance(0.7) ? 'read g' : 'write g'] : []),
  ]
  /** Patterns of two accesses of one word, and what stands between them. */
  const passed = (from: string, to: string): ReadonlyArray<string> => {
    const other = die.pick(agents)
    const first = `${to}: ${die.pick(['wait.word s', `load s relaxed${scope()}`, 'load s decides'])}`
    return [
      `${from}: write g`,
      `${from}: ${die.chance(0.5) ? 'store s' : 'atomic s'} release${scope()}`,
      ...(die.chance(0.5) ? [first] : []),
      ...(die.chance(0.5) ? [`${other}: ${die.pick(['store s', 'atomic s', 'write h'])}`] : []),
      ...(die.chance(0.5) ? [`${from}: store s${scope()}`] : []),
      `${to}: ${die.pick(['wait.word s acquire', `load s acquire${scope()}`, `atomic s acquire${scope()}`])}`,
      ...(die.chance(0.8) ? [`${to}: read g`] : []),
    ]
  }
  /** Two `fence.sc`, and what they show, or put in order. */
  const sequential = (from: string, to: string): ReadonlyArray<string> =>
    die.chance(0.5)
      ? [
          `${from}: store s${scope()}`,
          `${from}: fence sc${scope()}`,
          `${to}: fence sc${scope()}`,
          ...(die.chance(0.5) ? ['T0, T1: bar'] : []),
          `${die.chance(0.5) ? to : 'T1'}: load s kept`,
        ]
      : [
          'T0: write g',
          `T0: fence ${die.pick(['sc', 'sc', 'acq_rel'])}${scope()}`,
          'T0, T1: bar',
          ...(die.chance(0.2) ? ['T0, T1: bar'] : []),
          `T1: store s${scope()}`,
          `${to}: ${die.pick(['wait.word s', 'load s', 'load s decides'])}`,
          ...(to.startsWith('T') && die.chance(0.3) ? ['T0, T1: bar'] : []),
          `${to}: fence ${die.pick(['sc', 'sc', 'acq_rel'])}${scope()}`,
          `${to}: read g`,
        ]
  const piece = (): ReadonlyArray<string> => {
    const who = die.pick(agents)
    const by = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `${who}: ${line}`)
    return die.pick<() => ReadonlyArray<string>>([
      () => by(publish()),
      () => by(publish()),
      () => by(publish()),
      () => by(hear()),
      () => by(hear()),
      () => by(hear()),
      () => by([fence('acquire')]),
      () => passed(die.pick(agents), die.pick(agents)),
      () => sequential(die.pick(agents), die.pick(agents)),
      () => by([die.chance(0.5) ? 'write g' : 'read g']),
      () => (mixed ? by([die.chance(0.5) ? `write ${flag()}` : `read ${flag()}`]) : by([fence('release')])),
      () => ['T0, T1: bar'],
      () => [`${agents.join(', ')}: meet${die.chance(0.5) ? ' relaxed' : ''}`],
      () => by([`arrive b${die.pick(['', ' relaxed', ' relaxed'])}${die.pick(['', ' cluster'])}`]),
      () =>
        who.startsWith('T')
          ? by([
              `wait b 0${die.pick(['', ' relaxed', ' relaxed'])}${die.pick(['', ' cluster'])}`,
              fence('acquire'),
            ])
          : by([fence('release')]),
    ])()
  }
  return Array.from({ length: 3 + die.below(6) }, piece).flat()
}
