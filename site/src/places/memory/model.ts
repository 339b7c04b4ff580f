/** The page of the memory model as data: made of docs/MemoryModel.md when the site is built (`site/guide/memory-page.ts`). */

export interface TestOptions {
  readonly strict: boolean
  readonly strictProxies: boolean
  /** the pairs of products that the ISA lists alone are in order */
  readonly documented: boolean
}

export interface MemoryClause {
  readonly id: string
  /** what it says and where it comes from */
  readonly html: string
  readonly lines: ReadonlyArray<string>
  readonly options: TestOptions
}

export interface MemoryHazard {
  readonly id: string
  readonly title: string
  readonly href: string
  /** clauses without which it is not found */
  readonly missed: ReadonlyArray<string>
  /** clauses without which its mended twin is refused */
  readonly refused: ReadonlyArray<string>
}

export interface MemorySection {
  readonly title: string
  readonly anchor: string
  readonly html: string
  readonly clauses: ReadonlyArray<MemoryClause>
  readonly hazards: ReadonlyArray<MemoryHazard>
  /** what stands behind the table of hazards */
  readonly after: string
}

export interface MemoryPage {
  readonly lead: string
  readonly sections: ReadonlyArray<MemorySection>
}
