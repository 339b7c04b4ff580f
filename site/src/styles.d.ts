/** Styles are imported for their effect. */
declare module '*.css'
/** The text of a file. */
declare module '*?raw' {
  const text: string
  export { text as default }
}
