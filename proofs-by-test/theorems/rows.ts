/** The principal theorems: what each says, by which method it is proved, over which domain, and which proof does it. docs/Theorems.md is made of these rows. */

/** From the strongest to the weakest. */
export const methods = {
  exhaustion: 'every case of a finite domain is computed',
  algebra: 'a question about all inputs is reduced to a finite one: a rank, a basis, a term',
  'all schedules':
    'every schedule of a program is followed, by an engine that shares no code with what it tests',
  silicon: 'equal to what an H100 did, bit for bit, with no tolerance',
  'two definitions': 'two definitions that were written independently agree on all cases that are compared',
  mutation: 'every change of one kind is made, and the results are counted',
  drawn: 'random cases with a seed; more of them nightly',
} as const
export type Method = keyof typeof methods

export interface Theorem {
  readonly says: string
  readonly by: ReadonlyArray<Method>
  readonly domain: string
  /** below proofs-by-test, without .proof.ts */
  readonly proof: string
  /** part of the title of the test */
  readonly test: string
}
export interface Part {
  readonly title: string
  readonly theorems: ReadonlyArray<Theorem>
}

export const parts: ReadonlyArray<Part> = [
  {
    title: 'Where an element lives',
    theorems: [
      {
        says: 'The swizzle of bytes is CuTe’s `S<B,4,3>`.',
        by: ['exhaustion'],
        domain: '65,536 bytes, every span',
        proof: 'transforms/swizzle',
        test: 'law 1: CuTe S<B,4,3>, all 65,536 bytes',
      },
      {
        says: 'The swizzle of bytes is Triton’s permutation of chunks.',
        by: ['exhaustion'],
        domain: '65,536 bytes, every span',
        proof: 'transforms/swizzle',
        test: 'law 2: Triton chunk form, all 65,536 bytes',
      },
      {
        says: 'The swizzle is linear over GF(2) and its own inverse.',
        by: ['algebra'],
        domain: 'rank 16 on 16 bits',
        proof: 'transforms/swizzle',
        test: 'law 6: linear over GF(2), rank 16 on 16 bits',
      },
      {
        says: 'TMA writes to shared memory the bytes that the transforms say.',
        by: ['silicon'],
        domain: 'every image of the capture, byte for byte',
        proof: 'transforms/tma-image',
        test: 'identity 1 and swizzle law 1 on silicon',
      },
      {
        says: 'The closed form of a tiled register layout and its inverse agree.',
        by: ['exhaustion'],
        domain: 'every place of the base tile and of its multiples',
        proof: 'layouts/tiled',
        test: 'laws 1, 2 and 5, by exhaustion at the base tile and multiples of it',
      },
      {
        says: 'Pallas, Triton and CuTe have different names for one function.',
        by: ['exhaustion', 'two definitions'],
        domain: 'a test for each sentence',
        proof: 'layouts/identities',
        test: '10: a reduced layout is a slice',
      },
      {
        says: 'Bank conflicts are those that an H100 counts.',
        by: ['silicon'],
        domain: 'every measured access',
        proof: 'layouts/shared-memory/banks',
        test: 'wavefronts and conflicts of',
      },
    ],
  },
  {
    title: 'Results of kernels',
    theorems: [
      {
        says: 'The definition of the tensor core’s sum gives the bits of the chip, and no rule with another constant does.',
        by: ['silicon', 'mutation'],
        domain: 'every captured case of wgmma; every rule with one constant changed',
        proof: 'numerics/tensor-core',
        test: 'tensor-core law 1: the fast form equals the chip',
      },
      {
        says: 'Conversions are right in every mode.',
        by: ['exhaustion', 'two definitions'],
        domain: 'all patterns of the narrow formats',
        proof: 'numerics/conversion',
        test: 'law 1: all patterns, all modes',
      },
      {
        says: 'Operations on mbarriers have the results that they have on the chip, and trap where it traps.',
        by: ['silicon'],
        domain: 'every sequence of two captures',
        proof: 'semantics/instructions/mbarrier',
        test: 'law 1 on silicon',
      },
      {
        says: 'A TMA copy that is simulated leaves the bytes that the chip leaves, and faults where the chip faults.',
        by: ['silicon'],
        domain: 'every copy and every fault of the capture',
        proof: 'semantics/instructions/tma',
        test: 'law 2 on silicon',
      },
      {
        says: 'JAX’s FlashAttention gives every bit of the H100’s output, and other orders of its sums do not.',
        by: ['silicon', 'mutation'],
        domain: 'five captures',
        proof: 'kernels/attention/captured',
        test: 'law 2: every bit',
      },
    ],
  },
  {
    title: 'For all inputs',
    theorems: [
      {
        says: 'If the terms of a run contain each product once, the kernel computes the matmul for all inputs of that shape.',
        by: ['algebra'],
        domain: 'the free commutative semiring; checked against a prime field',
        proof: 'semantics/judging/provenance',
        test: 'theorem 1: proved iff equal over the field',
      },
      {
        says: 'The proof fails at the first element that is anything else.',
        by: ['two definitions', 'drawn'],
        domain: 'outputs by whole elements and by writes',
        proof: 'semantics/judging/provenance/theorem',
        test: 'is refused at the first element that is something else',
      },
    ],
  },
  {
    title: 'In every schedule',
    theorems: [
      {
        says: 'If C1 to C6 hold in a run and it has no finding, no schedule has a hazard.',
        by: ['all schedules', 'drawn'],
        domain: 'random programs; a million nightly',
        proof: 'semantics/schedules/single-schedule',
        test: 'the theorem, on the first half of the programs',
      },
      {
        says: 'Each rule of this theorem is needed: if it is switched off, the same tests find a counterexample.',
        by: ['mutation', 'all schedules'],
        domain: 'every rule switched off once',
        proof: 'semantics/schedules/single-schedule',
        test: 'each rule is needed',
      },
      {
        says: 'Both theorems hold for kernels of warps written as PTX: spins, peeks, elected lanes, and parts of a warp that meet again.',
        by: ['all schedules', 'drawn', 'mutation'],
        domain: '100,000 random kernels nightly, every rule switched off once',
        proof: 'semantics/schedules/warps/theorem',
        test: 'the theorem, on random kernels of warps',
      },
      {
        says: 'Both theorems hold for clusters of two CTAs: arrivals at and accesses of the peer, cluster barriers, named barriers by count, and words of memory.',
        by: ['all schedules', 'drawn', 'mutation'],
        domain: '100,000 random kernels nightly, every rule about clusters switched off once',
        proof: 'semantics/schedules/warps/clusters',
        test: 'the theorem, on random kernels of clusters',
      },
      {
        says: 'The detector and the memory model agree on every log, clause by clause.',
        by: ['two definitions', 'drawn'],
        domain: 'the zoo, every kernel with each statement left out, random programs',
        proof: 'semantics/model/model',
        test: 'under every choice of options',
      },
      {
        says: 'Every hazard has a kernel of at most 15 lines that shows it. Without the mistake, the same kernel has no finding.',
        by: ['exhaustion', 'drawn'],
        domain: 'every kernel of the zoo, under drawn schedules',
        proof: 'kernels/zoo',
        test: 'law 3',
      },
    ],
  },
  {
    title: 'Every mistake is found',
    theorems: [
      {
        says: 'Every change of a kernel’s synchronisation is found, or proved to change nothing.',
        by: ['mutation'],
        domain: 'every operator at every site of every kernel (docs/kill-rate.md)',
        proof: 'semantics/mutation/kill',
        test: 'nothing survives without a certificate, nothing is undecided',
      },
      {
        says: 'Every rule that proves a change harmless is right.',
        by: ['all schedules', 'drawn'],
        domain: 'drawn programs, for each rule',
        proof: 'semantics/mutation/certificate',
        test: 'rules, on drawn programs',
      },
      {
        says: 'Without a statement, the kernel of the demo gets the verdict that its manifest lists.',
        by: ['mutation'],
        domain: 'every statement of the kernel of the demo',
        proof: 'kernels/broken',
        test: 'has every statement of the body, but for those without which the kernel is still right',
      },
    ],
  },
  {
    title: 'Bad input',
    theorems: [
      {
        says: 'A program that is printed and read again is the same program. Damaged text gets an error of one line, or is a valid program.',
        by: ['drawn'],
        domain: 'every program of the catalogue; damage at any place',
        proof: 'semantics/files/codec',
        test: 'law 3: damage at any place is refused in one line or gives a valid program',
      },
      {
        says: 'Every operation of a dialect is translated, or refused for one reason, as its row says.',
        by: ['exhaustion'],
        domain: 'every operation (docs/surfaces.md)',
        proof: 'dialects/coverage/coverage',
        test: 'is elaborated, or refused for one reason',
      },
    ],
  },
]
