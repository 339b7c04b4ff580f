/**
 * Units: what works beside its agent, one row each.
 *
 * An agent issues an operation to a unit and goes on. Whatever a reader of a log asks of the operation and can be said of its whole unit is a
 * cell of that unit's row; code reads the row, and a case distinction over units stays only where the units do different work.
 *
 * | cell        | question                                                                | answers                                                |
 * |-------------|-------------------------------------------------------------------------|--------------------------------------------------------|
 * | `title`     | what is it called in pictures?                                          | text                                                   |
 * | `completes` | how is it learnt that an operation is done?                             | see below                                              |
 * | `sequence`  | which count of its agent gives an operation its number?                 | a count, `null`: it has none                           |
 * | `reads`     | which clock of its agent, at that number, says that its reads are done? | a clock, `or` another that does as well; `null`: none  |
 * | `writes`    | and its writes?                                                         | the same                                               |
 * | `family`    | in which groups is it waited for?                                       | a family, `null`: no group wait knows of it            |
 * | `pipeline`  | which operations of one agent happen in order without an edge?          | all, as issued; some pairs of its queue; `null`: none  |
 * | `proxy`     | through which window does it reach memory other than tensor memory?     | a proxy; `tensor`: it reaches no other                 |
 * | `signals`   | how many does it owe, where its issue does not say?                     | a number; one for each CTA of the cluster; open        |
 * | `home`      | where is what it writes kept until an agent may see it?                 | a place of `schedules/explore/views.ts`                |
 * | `needs`     | which CTAs must not end before it?                                      | those it reaches into; its issuer's; none              |
 * | `tooEarly`  | which hazard is it to overwrite what it is still reading?               | a hazard                                               |
 *
 * How it completes:
 *
 *     phase    its bytes join a phase of a barrier, each part (a destination CTA) of its own; to have waited for that phase is to know the part
 *     group    a commit closes the open group, and a wait counts closed groups: the number of an operation is that of its group
 *     queue    its number is its position in its agent's tensor queue; a commit in the same queue tells of all before it
 *     each     its number is which of its agent's it is, and a wait counts these
 *
 * A `cp.async` has groups and yet completes `each`: a barrier may tell of it as well (`cp.async.mbarrier.arrive`), and that counts copies. Its
 * groups are prefixes of the sequence. A load or a store of tensor memory is a group of its own, without a commit.
 *
 * Of a store by TMA the source may be written again when it has been read (`.read`), or when all of it is done; so its reads have two clocks. Of a
 * load of tensor memory the registers may be used when they hold it, or when the load is over; so its writes have two.
 *
 * A *family* is what a group wait names: the operations of one unit. The type of `families` says which.
 * The rows stand in the order in which pictures stack lanes and schemas list words.
 *
 * The model (`model/`) and the naive engine read none of it: they say on their own what a completion is, and are what the detector, which reads this
 * table, is compared with.
 *
 * Names: completion mechanism (PTX); async engine, async token (Triton).
 *
 * Laws
 * 1. `family` and `unit` are inverse.
 * 2. A unit has a sequence exactly if it has clocks; one without completes by `phase`.
 *
 * Source: PTX ISA, asynchronous operations: completion mechanisms, groups, async proxy; tcgen05 pipelined instructions.
 */

// ---------------------------------------------------------------- units

export const units = {
  tmaLoad: {
    title: 'TMA load',
    completes: 'phase',
    sequence: null,
    reads: null,
    writes: null,
    family: null,
    pipeline: null,
    proxy: 'async',
    signals: 'each CTA',
    home: 'flight',
    needs: 'reached',
    tooEarly: 'W1',
  },
  tmaStore: {
    title: 'TMA store',
    completes: 'group',
    sequence: 'bulkGroups',
    reads: { clock: 'bulkRead', or: 'bulkFull' },
    writes: { clock: 'bulkFull', or: null },
    family: 'bulk',
    pipeline: null,
    proxy: 'async',
    signals: 2,
    home: 'flight',
    needs: 'reached',
    tooEarly: 'W4',
  },
  cpAsync: {
    title: 'cp.async',
    completes: 'each',
    sequence: 'copies',
    reads: { clock: 'cpAsync', or: null },
    writes: { clock: 'cpAsync', or: null },
    family: 'cpAsync',
    pipeline: null,
    proxy: 'generic',
    signals: 1,
    home: 'copies',
    needs: 'reached',
    tooEarly: 'W2',
  },
  wgmma: {
    title: 'wgmma',
    completes: 'group',
    sequence: 'wgmmaGroups',
    reads: { clock: 'wgmma', or: null },
    writes: { clock: 'wgmma', or: null },
    family: 'wgmma',
    pipeline: 'all',
    proxy: 'async',
    signals: 1,
    home: 'products',
    needs: 'issuer',
    tooEarly: 'W3',
  },
  tcgen05: {
    title: 'tensor queue',
    completes: 'queue',
    sequence: 'queue',
    reads: { clock: 'queue', or: null },
    writes: { clock: 'queue', or: null },
    family: null,
    pipeline: 'pairs',
    proxy: 'async',
    signals: 'open',
    home: 'queue',
    needs: 'reached',
    tooEarly: 'W2',
  },
  tcgen05Ld: {
    title: 'tcgen05.ld',
    completes: 'each',
    sequence: 'loads',
    reads: { clock: 'tensorLoad', or: null },
    writes: { clock: 'loadedRegisters', or: 'tensorLoad' },
    family: 'tcgen05Ld',
    pipeline: null,
    proxy: 'tensor',
    signals: 1,
    home: 'loaded',
    needs: 'none',
    tooEarly: 'W2',
  },
  tcgen05St: {
    title: 'tcgen05.st',
    completes: 'each',
    sequence: 'stores',
    reads: { clock: 'tensorStore', or: null },
    writes: { clock: 'tensorStore', or: null },
    family: 'tcgen05St',
    pipeline: null,
    proxy: 'tensor',
    signals: 1,
    home: 'stored',
    needs: 'none',
    tooEarly: 'W2',
  },
  stAsync: {
    title: 'st.async',
    completes: 'phase',
    sequence: null,
    reads: null,
    writes: null,
    family: null,
    pipeline: null,
    proxy: 'generic',
    signals: 1,
    home: 'flight',
    needs: 'reached',
    tooEarly: 'W1',
  },
  clc: {
    title: 'cluster launch control',
    completes: 'phase',
    sequence: null,
    reads: null,
    writes: null,
    family: null,
    pipeline: null,
    proxy: 'async',
    signals: 1,
    home: 'flight',
    needs: 'reached',
    tooEarly: 'W1',
  },
} as const

/** What an asynchronous operation is given to. */
export type Unit = keyof typeof units
export type UnitRow = (typeof units)[Unit]

const isUnit = (name: string): name is Unit => Object.hasOwn(units, name)
export const unitNames: ReadonlyArray<Unit> = Object.keys(units).filter(isUnit)

// ---------------------------------------------------------------- families

/** What a group wait is about. */
export type Family = NonNullable<UnitRow['family']>
type UnitOf<F extends Family> = { [U in Unit]: F extends (typeof units)[U]['family'] ? U : never }[Unit]

/**
 * `commits`: a commit closes its groups; else every operation is a group. `wait`: what waits for them, in texts. `early`: what a wait with `.read` is
 * about, the reads of its operations or their writes (into registers); `null`: there is none. `seen`: through which windows a whole wait lets its agent
 * see what was written.
 */
export const families: {
  readonly [F in Family]: {
    readonly unit: UnitOf<F>
    readonly commits: boolean
    readonly wait: string
    readonly early: 'reads' | 'writes' | null
    readonly seen: ReadonlyArray<'generic' | 'async' | 'tensor'>
  }
} = {
  bulk: {
    unit: 'tmaStore',
    commits: true,
    wait: 'bulk group wait',
    early: 'reads',
    seen: ['generic', 'async'],
  },
  wgmma: {
    unit: 'wgmma',
    commits: true,
    wait: 'wgmma group wait',
    early: null,
    seen: ['generic', 'async'],
  },
  // an asynchronous reader still needs a fence
  cpAsync: { unit: 'cpAsync', commits: true, wait: 'cpAsync group wait', early: null, seen: ['generic'] },
  tcgen05Ld: {
    unit: 'tcgen05Ld',
    commits: false,
    wait: 'tcgen05.wait::ld',
    early: 'writes',
    seen: ['generic', 'async', 'tensor'],
  },
  tcgen05St: {
    unit: 'tcgen05St',
    commits: false,
    wait: 'tcgen05.wait::st',
    early: null,
    seen: ['tensor'],
  },
}
