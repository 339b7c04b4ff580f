/**
 * How far sweeps go. By day they are samples of what the night walks whole, and mutants of the sources are held against less still, for there
 * are thousands of them.
 */
export const nightly: boolean = process.env['TCSPEC_NIGHTLY'] !== undefined
export const small: boolean = process.env['TCSPEC_SMALL'] !== undefined
