/** What the build makes of docs/MemoryModel.md. */
declare module 'virtual:memory-model' {
  export const page: import('./model.js').MemoryPage
}
