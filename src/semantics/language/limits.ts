/**
 * Limits: how large the things of a program may be.
 *
 * Most limits are the chip's and stand where they are checked (227 KiB of shared memory, 512 columns of tensor memory, 32 warps). Those
 * here bound what a chip does not, or what this library can hold: a document of a hundred bytes may ask for an array of 2^60 elements.
 *
 * | what                                         | at most          | why                                                |
 * |----------------------------------------------|------------------|----------------------------------------------------|
 * | elements of a tile, or of one access         | 2^18             | 64 Ki registers of an SM, four 8-bit elements each  |
 * | elements of all tiles that are in scope      | 2^22             | registers again, with room for values that are dead |
 * | bytes of a register storage                  | 2^18             | 64 Ki registers of 4 bytes                         |
 * | bytes of a plane                             | 2^30 - 1         | addresses are 32-bit integers, two in a byte for elements of 4 bits |
 * | storages of a program, and parameters        | 4096 each        | every one is compared with all others              |
 * | agents of a CTA                              | 64               | ranges of 32 warps, disjoint or nested, are 63     |
 * | agents of the clusters resident together     | 8192             | 148 SMs of 55 warps: half a gigabyte for 1,584     |
 * | barriers of the same                         | 4096             | each has a row of all agents                       |
 * | agents times barriers                        | 2^22             | these rows: 48 bytes for each of the two           |
 *
 * Source: CUDA C++ programming guide, technical specifications per compute capability (registers).
 */

/** Words of a CTA's register file. */
export const registerFile = 65_536
/** The most registers that one thread may have. */
export const mostRegisters = 256

export const mostElements: number = 2 ** 18
export const mostElementsInScope: number = 2 ** 22
export const mostRegisterBytes: number = 2 ** 18
export const mostPlaneBytes: number = 2 ** 30 - 1
export const mostDeclarations = 4096
export const mostAgents = 64
export const mostResidentAgents = 8192
export const mostBarriers = 4096
/** Of agents and barriers together: each barrier has a row of them. */
export const mostAttendances: number = 2 ** 22
