export * as banks from './banks.js'
export * as registerAccess from './register-access.js'
export type { AccessBytes, BankAccess, BankVerdict, LaneAddresses } from './banks.js'
export type { AccessOptions, RegisterAccess, WarpInstruction } from './register-access.js'
