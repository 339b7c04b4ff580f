/** The principal theorems: what each says, by which method it is proved, over which domain, and which proof does it. docs/Theorems.md is made of these rows. */

/** From the strongest to the weakest. */
export const methods = {
  exhaustion: 'every case of a finite domain is computed',
  algebra: 'a question about all inputs is one of finitely many: a rank, a basis, a term',
  'all schedules':
    'every schedule of a program is followed, by an engine that shares no code with what it judges',
  silicon: 'equal to what an H100 did, bit for bit, with no tolerance',
  'two definitions': 'two definitions that were written apart give the same, on all that is looked at',
  mutation: 'every single change of a class is made, and what happens is counted',
  drawn: 'random cases, seeded; more of them nightly',
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
        says: 'It is Triton’s permutation of chunks.',
        by: ['exhaustion'],
        domain: '65,536 bytes, every span',
        proof: 'transforms/swizzle',
        test: 'law 2: Triton chunk form, all 65,536 bytes',
      },
      {
        says: 'It is linear over GF(2) and its own inverse.',
        by: ['algebra'],
        domain: 'rank 16 on 16 bits',
        proof: 'transforms/swizzle',
        test: 'law 6: linear over GF(2), rank 16 on 16 bits',
      },
      {
        says: 'TMA leaves in shared memory what the transforms say.',
        by: ['silicon'],
        domain: 'every image of the capture, byte for byte',
        proof: 'transforms/tma-image',
        test: 'identity 1 and swizzle law 1 on silicon',
      },
      {
        says: 'A tiled register layout is a closed form and its inverse.',
        by: ['exhaustion'],
        domain: 'every place of the base tile and of multiples of it',
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
        says: 'The tensor core’s sum is the definition of it, and no neighbouring rule fits.',
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
        says: 'TMA copies, through the machine, leave what they leave on the chip; what faults there faults here.',
        by: ['silicon'],
        domain: 'every copy and every fault of the capture',
        proof: 'semantics/instructions/tma',
        test: 'law 2 on silicon',
      },
      {
        says: 'FlashAttention as JAX has it gives the H100’s output in every bit, and other orders of its sums do not.',
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
        says: 'A run whose terms are each product once is the matmul for all inputs of the shape.',
        by: ['algebra'],
        domain: 'the free commutative semiring; checked against a prime field',
        proof: 'semantics/judging/provenance',
        test: 'theorem 1: proved iff equal over the field',
      },
      {
        says: 'The proof is refused at the first element that is something else.',
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
        says: 'A run in which C1 to C6 hold and nothing is found decides every schedule.',
        by: ['all schedules', 'drawn'],
        domain: 'random programs; a million nightly',
        proof: 'semantics/schedules/single-schedule',
        test: 'the theorem, on the first half of the programs',
      },
      {
        says: 'Each rule of it is needed: without it the same sweep finds the theorem false.',
        by: ['mutation', 'all schedules'],
        domain: 'every rule switched off once',
        proof: 'semantics/schedules/single-schedule',
        test: 'each rule is needed',
      },
      {
        says: 'Both hold of kernels of warps, written as PTX: spins, peeks, elected lanes, parts of a warp that meet again.',
        by: ['all schedules', 'drawn', 'mutation'],
        domain: '100,000 random kernels nightly, every rule switched off once',
        proof: 'semantics/schedules/warps/theorem',
        test: 'the theorem, on random kernels of warps',
      },
      {
        says: 'And of kernels in clusters of two CTAs, with arrivals at and accesses of the peer, cluster barriers, named barriers by count, and words of memory.',
        by: ['all schedules', 'drawn', 'mutation'],
        domain: '100,000 random kernels nightly, every rule of theirs switched off once',
        proof: 'semantics/schedules/warps/clusters',
        test: 'the theorem, on random kernels of clusters',
      },
      {
        says: 'The detector and the memory model, clause by clause, say the same of every log.',
        by: ['two definitions', 'drawn'],
        domain: 'the zoo, every kernel with each statement left out, random programs',
        proof: 'semantics/model/model',
        test: 'under every choice of options',
      },
      {
        says: 'Every hazard has a kernel of at most 15 lines that shows it, and the same kernel without the mistake shows nothing.',
        by: ['exhaustion', 'drawn'],
        domain: 'every kernel of the zoo, under drawn schedules',
        proof: 'kernels/zoo',
        test: 'law 3',
      },
    ],
  },
  {
    title: 'Nothing is missed',
    theorems: [
      {
        says: 'Every change of a kernel’s synchronisation is found, or certified to change nothing.',
        by: ['mutation'],
        domain: 'every operator at every site of every kernel (docs/kill-rate.md)',
        proof: 'semantics/mutation/kill',
        test: 'nothing survives without a certificate, nothing is undecided',
      },
      {
        says: 'Every rule of the certificates is right.',
        by: ['all schedules', 'drawn'],
        domain: 'drawn programs, for each rule',
        proof: 'semantics/mutation/certificate',
        test: 'rules, on drawn programs',
      },
      {
        says: 'A statement of a kernel that may be left out gets the verdict that its manifest says.',
        by: ['mutation'],
        domain: 'every statement of the kernel of the demo',
        proof: 'kernels/broken',
        test: 'has every statement of the body, but for those without which the kernel is still right',
      },
    ],
  },
  {
    title: 'Nothing breaks it',
    theorems: [
      {
        says: 'A program survives its text, and damaged text is refused in one line or is a valid program.',
        by: ['drawn'],
        domain: 'every program of the catalogue; damage at any place',
        proof: 'semantics/files/codec',
        test: 'law 3: damage at any place is refused in one line or gives a valid program',
      },
      {
        says: 'Every operation of the surfaces is elaborated or refused for one reason, and its row holds.',
        by: ['exhaustion'],
        domain: 'every operation (docs/surfaces.md)',
        proof: 'dialects/coverage/coverage',
        test: 'is elaborated, or refused for one reason',
      },
    ],
  },
]
