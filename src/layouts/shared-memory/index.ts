export * as banks from './banks.js'
export type { AccessBytes, BankAccess, BankVerdict, LaneAddresses } from './banks.js'
