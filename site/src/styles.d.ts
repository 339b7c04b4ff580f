/** Styles are imported for their effect. */
declare module '*.css'
